/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of the tolerant reader:
 *   - it accepts every text that the strict reader accepts, with the same value, and does not
 *     report it as repaired; any other text that it accepts is reported as repaired;
 *   - an accepted value, written and read strictly, is unchanged;
 *   - no prefix of an accepted text gives another value: a truncated text is rejected. Only if the
 *     value is a number, a prefix may be JSON and another number;
 *   - the place of an error is in the text.
 */
#include <stdint.h>

#include "base/str.h"
#include "fuzz.h"
#include "json/repair.h"
#include "json/write.h"

#define MAX_PREFIXES 256

/* N of "1:2 (byte N)". */
static uint64_t offset_of(haft_str where)
{
    (void)haft__str_split(&where, '(');
    (void)haft__str_split(&where, ' ');
    uint64_t offset = UINT64_MAX;
    return haft__str_to_u64(haft__str_split(&where, ')'), &offset) ? offset : UINT64_MAX;
}

/* Writes the value; false if the text was rejected. */
static bool read_tolerantly(haft_str text, haft__buf *written, haft__json_kind *ret_kind,
                            haft__json_notes *ret_notes)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_error err = {0};
    haft_status status = haft__json_read_tolerant(&arena, text, NULL, &value, ret_notes, &err);
    haft__buf_clear(written);
    if (status == HAFT_OK) {
        haft__json_write(written, value);
        *ret_kind = (haft__json_kind)value.kind;
    } else {
        REQUIREF(offset_of(haft__str(err.where)) <= text.len, "it fails at %s: %s", err.where,
                 err.message);
    }
    haft__arena_finish(&arena);
    return status == HAFT_OK;
}

static bool read_strictly(haft_str text, haft__buf *written)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_status status = haft__json_read(&arena, text, NULL, &value, NULL, NULL);
    haft__buf_clear(written);
    if (status == HAFT_OK) {
        haft__json_write(written, value);
    }
    haft__arena_finish(&arena);
    return status == HAFT_OK;
}

/* The prefix 1 of 12 is JSON; but the end of a repaired number is known. */
static void check_prefixes(haft_str text, haft__json_kind kind, haft_str whole, haft__buf *written)
{
    size_t step = text.len / MAX_PREFIXES + 1;
    for (size_t length = 0; length < text.len; length += step) {
        haft__json_notes notes;
        haft__json_kind found = HAFT__JSON_NULL;
        if (read_tolerantly((haft_str){text.ptr, length}, written, &found, &notes)
            && (notes.repaired || kind != HAFT__JSON_NUMBER)) {
            REQUIREF(haft__str_equal(haft__buf_str(written), whole), "%.*s read as %.*s",
                     (int)length, text.ptr, HAFT__ARG(haft__buf_str(written)));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str text = {(const char *)data, size};
    haft__buf tolerant, other;
    haft__buf_init(&tolerant, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&other, HAFT__LIMIT_JSON_BYTES);
    haft__json_kind kind = HAFT__JSON_NULL;
    haft__json_notes notes = {0};
    bool strict = read_strictly(text, &other);
    if (read_tolerantly(text, &tolerant, &kind, &notes)) {
        haft_str whole = haft__buf_str(&tolerant);
        REQUIREF(notes.repaired == !strict, "repaired: %d, strict: %d", notes.repaired, strict);
        REQUIREF(!strict || haft__str_equal(whole, haft__buf_str(&other)), "another value");
        REQUIREF(read_strictly(whole, &other), "the repaired text is not JSON");
        REQUIREF(haft__str_equal(whole, haft__buf_str(&other)), "the value changes when written");
        check_prefixes(text, kind, whole, &other);
    } else {
        REQUIREF(!strict, "the tolerant reader rejects JSON");
    }
    haft__buf_finish(&tolerant);
    haft__buf_finish(&other);
    return 0;
}
