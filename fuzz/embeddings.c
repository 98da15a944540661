/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: a response of /v1/embeddings is rejected, or has the requested number of vectors, all
 * of one length and of finite numbers. Vectors that are written and read again are unchanged.
 * Packed into signed bytes, the greatest number of a vector uses the full range.
 *
 * The first byte chooses the number of requested vectors, the rest is the response.
 */
#include <math.h>

#include "base/error.h"
#include "base/limits.h"
#include "fuzz.h"
#include "model/embeddings.h"
#include "tool/index/math.h"

static void write_out(haft__buf *text, const haft__embeddings *found)
{
    haft__buf_addf(text, "{\"data\":[");
    for (size_t i = 0; i < found->count; i++) {
        haft__buf_addf(text, "%s{\"index\":%zu,\"embedding\":[", i > 0 ? "," : "", i);
        for (size_t k = 0; k < found->dimensions; k++) {
            haft__buf_addf(text, "%s%.9g", k > 0 ? "," : "",
                           (double)found->numbers[i * found->dimensions + k]);
        }
        haft__buf_addf(text, "]}");
    }
    haft__buf_addf(text, "]}");
    REQUIRE(haft__buf_check(text, NULL) == HAFT_OK);
}

static void check_row(const float *numbers, size_t dimensions)
{
    static int8_t row[HAFT__LIMIT_SEARCH_DIMENSIONS];
    bool zero = true, full = false;
    haft__search_pack(numbers, dimensions, row);
    for (size_t k = 0; k < dimensions; k++) {
        REQUIREF(isfinite(numbers[k]), "number %zu", k);
        zero = zero && numbers[k] == 0;
        full = full || row[k] == 127 || row[k] == -127;
        REQUIRE(row[k] >= -127);
    }
    REQUIRE(zero || full);
}

static void check_again(haft__arena *arena, const haft__embeddings *found)
{
    haft__embeddings again;
    haft__buf text;
    haft__buf_init(&text, (size_t)1 << 26);
    write_out(&text, found);
    REQUIRE(haft__embeddings_read(arena, haft__buf_str(&text), found->count, (haft__hash_key){3, 4},
                                  &again, NULL)
            == HAFT_OK);
    REQUIRE(again.count == found->count && again.dimensions == found->dimensions);
    for (size_t i = 0; i < found->count * found->dimensions; i++) {
        REQUIREF(again.numbers[i] == found->numbers[i], "number %zu", i);
    }
    haft__buf_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    haft__arena arena;
    haft__embeddings found;
    haft_error err = {0};
    size_t asked = 1U + data[0] % 8;
    haft__arena_init(&arena, 0);
    haft_str body = {(const char *)data + 1, size - 1};
    haft_status status =
        haft__embeddings_read(&arena, body, asked, (haft__hash_key){1, 2}, &found, &err);
    REQUIREF(status == HAFT_OK || status == HAFT_BAD_INPUT || status == HAFT_TOO_BIG, "%d", status);
    REQUIRE(status == HAFT_OK || err.message[0] != '\0');
    if (status == HAFT_OK) {
        REQUIRE(found.count == asked && found.dimensions > 0
                && found.dimensions <= HAFT__LIMIT_SEARCH_DIMENSIONS);
        for (size_t i = 0; i < found.count; i++) {
            check_row(found.numbers + i * found.dimensions, found.dimensions);
        }
        check_again(&arena, &found);
    }
    haft__arena_finish(&arena);
    return 0;
}
