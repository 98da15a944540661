/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: the references of an answer are in order and inside of it; when the answer is written
 * without its wrong references, no other reference is found in it than the good ones and texts that
 * only look like one. That holds for answers without backticks: others may have backticks that pair
 * in another way afterwards.
 *
 * The first byte says which references have no file; the rest is the answer.
 */
#include "run/reference/reference.h"

#include <string.h>

#include "base/str.h"
#include "fuzz.h"

static const char file[] = "int a;\nint b;\n\n`c` \"d\"\n";

/* Checks the references; each bit of `missing` says whether a reference has no file. Returns the
 * number that stays in the answer. */
static size_t check(haft_str answer, haft__reference *references, size_t count, unsigned missing)
{
    haft__arena arena;
    haft__reference_file text;
    size_t shown = 0, last = 0;
    haft__arena_init(&arena, 0);
    REQUIRE(haft__reference_file_init(&text, haft__str(file), &arena, NULL) == HAFT_OK);
    for (size_t i = 0; i < count; i++) {
        haft__reference *one = &references[i];
        REQUIRE(last <= one->start && one->start < one->end && one->end <= answer.len);
        REQUIRE(one->quote_end == 0
                || (one->quote_end >= one->end && one->quote_end <= answer.len));
        last = one->quote_end > one->end ? one->quote_end : one->end;
        if (one->verdict == HAFT__REFERENCE_TOO_MANY) {
            continue;
        }
        if ((missing >> i % 8 & 1U) != 0) {
            one->verdict = HAFT__REFERENCE_NO_FILE;
        } else {
            REQUIRE(haft__reference_check(one, &text, NULL) == HAFT_OK);
        }
        shown += haft__reference_is_shown(one);
    }
    REQUIRE(haft__references_dropped(references, count) == count - shown);
    haft__arena_finish(&arena);
    return shown;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str answer = {(const char *)data + (size > 0), size > 0 ? size - 1 : 0};
    haft__arena arena;
    haft__buf written;
    haft__reference *references = NULL, *left = NULL;
    size_t count = 0, left_count = 0;
    haft__arena_init(&arena, 0);
    haft__buf_init(&written, 1 << 24);
    REQUIRE(haft__references_find(answer, &arena, &references, &count, NULL) == HAFT_OK);
    size_t shown = check(answer, references, count, size > 0 ? data[0] : 0);
    haft__references_write(&written, answer, references, count);
    REQUIRE(haft__buf_check(&written, NULL) == HAFT_OK);
    haft_str text = haft__buf_str(&written);
    REQUIRE(haft__references_find(text, &arena, &left, &left_count, NULL) == HAFT_OK);
    bool spans = answer.len > 0 && memchr(answer.ptr, '`', answer.len) != NULL;
    REQUIREF(spans || left_count <= shown, "%zu of %zu are found in %.*s", left_count, shown,
             HAFT__ARG(text));
    haft__buf_finish(&written);
    haft__arena_finish(&arena);
    return 0;
}
