/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes src/exec/files/regex_rewrite.c: an expression that PCRE2 compiles is rejected, or its
 * rewritten form compiles too and finds in a whole text the lines that match one by one.
 * The first line of the input is the expression, the others are the text. */
#include "exec/files/regex_rewrite.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"

#define OPTIONS (PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C)
#define MOST    4096
#define LIMIT   20000

static pcre2_match_context *limits;
static pcre2_match_data *place;

static void prepare(void)
{
    if (limits == NULL) {
        limits = pcre2_match_context_create(NULL);
        place = pcre2_match_data_create(1, NULL);
        REQUIRE(limits != NULL && place != NULL);
        (void)pcre2_set_match_limit(limits, LIMIT);
        (void)pcre2_set_depth_limit(limits, 1000);
    }
}

static pcre2_code *compile(haft_str pattern, uint32_t options, int *ret_error)
{
    PCRE2_SIZE at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    REQUIRE(context != NULL);
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    (void)pcre2_set_parens_nest_limit(context, 100);
    const char *text = pattern.len > 0 ? pattern.ptr : "";
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)text, pattern.len, OPTIONS | options, ret_error, &at, context);
    pcre2_compile_context_free(context);
    return code;
}

/* The start of the first match at or after `from`; -1 without a match, -2 at a match limit. */
static long find(const pcre2_code *code, haft_str text, size_t from)
{
    const char *subject = text.len > 0 ? text.ptr : "";
    int found = pcre2_match(code, (PCRE2_SPTR)subject, text.len, from, 0, place, limits);
    return found >= 0                     ? (long)pcre2_get_ovector_pointer(place)[0]
           : found == PCRE2_ERROR_NOMATCH ? -1
                                          : -2;
}

static void compare(const pcre2_code *by_line, const pcre2_code *by_text, haft_str text)
{
    size_t from = 0;
    while (from <= text.len) {
        haft_str rest = haft__str_skip(text, from), line = haft__str_split(&rest, '\n');
        line.ptr = text.ptr + from;
        long alone = find(by_line, line, 0), at = find(by_text, text, from);
        if (alone == -2 || at == -2) {
            return;
        }
        bool found = at >= 0 && (size_t)at >= from && (size_t)at <= from + line.len;
        REQUIREF(found == (alone >= 0), "line at %zu: found %ld, by itself %ld", from, at, alone);
        from += line.len + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str text = {(const char *)data, size}, pattern = haft__str_split(&text, '\n');
    if (size > MOST || !haft__utf8_valid((haft_str){(const char *)data, size})
        || memchr(data, '\r', size) != NULL) {
        return 0;
    }
    prepare();
    int error = 0;
    pcre2_code *by_line = compile(pattern, 0, &error);
    if (by_line == NULL) {
        return 0;
    }
    haft__buf rewritten;
    haft__buf_init(&rewritten, (pattern.len + 1) * HAFT__REGEX_REWRITE_GROWTH);
    haft_status status = haft__regex_rewrite_single_line(pattern, &rewritten, NULL);
    REQUIREF(status != HAFT_TOO_BIG, "it grows past the limit");
    if (status == HAFT_OK) {
        pcre2_code *by_text =
            compile(haft__buf_str(&rewritten), PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX, &error);
        REQUIREF(by_text != NULL || error == PCRE2_ERROR_PATTERN_TOO_LARGE
                     || error == PCRE2_ERROR_LOOKBEHIND_TOO_LONG
                     || error == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP,
                 "error %d of %.*s", error, HAFT__ARG(haft__buf_str(&rewritten)));
        if (by_text != NULL) {
            text.ptr = text.len > 0 ? text.ptr : "";
            compare(by_line, by_text, text);
        }
        pcre2_code_free(by_text);
    }
    haft__buf_finish(&rewritten);
    pcre2_code_free(by_line);
    return 0;
}
