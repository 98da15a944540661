/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes src/schema/regex/pattern.c and the ECMA-262 front end. The input's first line is an
 * expression, the rest the text it is matched against.
 *
 * The translation of an accepted expression is ASCII, and PCRE2 compiles it, unless it is too big
 * or has a property that PCRE2 does not support. The expressions x and (?:x) match the same texts,
 * although only the first is shortened at its ends (see ecma.c).
 */
#include "schema/regex/pattern.h"

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"

#define MAX_BYTES ((size_t)1 << 22)

static haft_status translate(haft_str source, haft__buf *ret_buf)
{
    haft__buf_init(ret_buf, MAX_BYTES);
    haft_error err = {0};
    haft_status status = haft__pattern_translate(source, ret_buf, &err);
    REQUIRE(status == HAFT_OK || (err.status == status && err.message[0] != '\0'));
    for (size_t i = 0; i < ret_buf->len; i++) {
        REQUIRE(ret_buf->ptr[i] > ' ' && ret_buf->ptr[i] < 0x7F);
    }
    return status;
}

/* NULL if it cannot be compiled for a reason that the translation cannot detect. */
static const haft__pattern *compile(haft__arena *arena, haft_str source)
{
    haft__buf buf;
    haft_status foreseen = translate(source, &buf);
    haft__buf_finish(&buf);
    const haft__pattern *pattern = NULL;
    haft_error err = {0};
    haft_status status = haft__pattern_compile(arena, source, &pattern, &err);
    REQUIREF(status == foreseen || (foreseen == HAFT_OK && status == HAFT_TOO_BIG)
                 || strstr(err.message, "is not supported by the installed PCRE2") != NULL,
             "%s: %s", haft_status_name(status), err.message);
    return pattern;
}

static haft__pattern_result match(const haft__pattern *pattern, haft_str text)
{
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    REQUIRE(scratch != NULL);
    haft__pattern_result result = haft__pattern_match(pattern, scratch, text);
    REQUIRE(result != HAFT__PATTERN_NO_MEMORY);
    REQUIRE(result == haft__pattern_match(pattern, scratch, text));
    haft__pattern_scratch_destroy(scratch);
    return result;
}

static void check(haft__arena *arena, haft_str source, haft_str text)
{
    const haft__pattern *plain = compile(arena, source);
    haft_str wrapped = haft__arena_format(arena, "(?:%.*s)", HAFT__ARG(source));
    bool cut = wrapped.len != source.len + strlen("(?:)"); /* by a NUL or because of its length */
    const haft__pattern *same = cut ? NULL : compile(arena, wrapped);
    haft__pattern_result one = plain != NULL ? match(plain, text) : HAFT__PATTERN_LIMIT;
    haft__pattern_result two = same != NULL ? match(same, text) : HAFT__PATTERN_LIMIT;
    REQUIRE(one == two || one == HAFT__PATTERN_LIMIT || two == HAFT__PATTERN_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size > 0 ? size : 1);
    REQUIRE(text != NULL);
    memcpy(text, data, size);
    haft_str rest = {text, size};
    haft_str source = haft__str_split(&rest, '\n');
    haft__utf8_replace_invalid(text + (size - rest.len), rest.len);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    check(&arena, source, rest);
    haft__arena_finish(&arena);
    free(text);
    return 0;
}
