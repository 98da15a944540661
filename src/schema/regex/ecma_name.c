/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecma_name.c - the names of groups: (?<year>...) and \k<year>.
 *
 * A name is an identifier of ECMA-262. PCRE2, which has Unicode's tables, decides which characters
 * beyond ASCII are letters; such names are rare enough for the cost. Tests:
 * tests/schema/regex/ecma_group_test.c.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "schema/regex/ecma_int.h"

#define ZERO_WIDTH_NON_JOINER 0x200C
#define ZERO_WIDTH_JOINER     0x200D

/* PCRE2 allocates with haft's malloc, so that tests can let it fail. */
static void *alloc_memory(size_t size, void *context)
{
    (void)context;
    return malloc(size);
}

static void free_memory(void *piece, void *context)
{
    (void)context;
    free(piece);
}

/* Matches `text` once. Negative when out of memory, 0 if `text` does not match, else positive. */
static int match_once(haft_str pattern, haft_str text)
{
    int error, result = -1;
    PCRE2_SIZE offset;
    pcre2_general_context *general = pcre2_general_context_create(alloc_memory, free_memory, NULL);
    pcre2_compile_context *compile = general ? pcre2_compile_context_create(general) : NULL;
    pcre2_code *code = compile ? pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
                                               PCRE2_UTF | PCRE2_ANCHORED, &error, &offset, compile)
                               : NULL;
    pcre2_match_data *data = code ? pcre2_match_data_create(1, general) : NULL;
    if (data != NULL) {
        int found = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, data, NULL);
        result = found > 0 ? 1 : found == PCRE2_ERROR_NOMATCH ? 0 : -1;
    }
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    pcre2_compile_context_free(compile);
    pcre2_general_context_free(general);
    return result;
}

static int is_name_character(uint32_t code, bool first)
{
    if (code < 0x80) {
        bool letter = haft__ascii_is_letter(code) || code == '$' || code == '_';
        return letter || (!first && haft__ascii_is_digit(code));
    }
    if (code == ZERO_WIDTH_NON_JOINER || code == ZERO_WIDTH_JOINER) {
        return !first;
    }
    if (haft__ecma_is_surrogate(code)) {
        return 0;
    }
    char text[HAFT__UTF8_MAX_BYTES];
    size_t length = haft__utf8_encode(code, text);
    return match_once(first ? HAFT__LIT("\\p{ID_Start}") : HAFT__LIT("\\p{ID_Continue}"),
                      (haft_str){text, length});
}

/* Reads one character of a name, escaped or not. Must not be called at the end. */
static haft_status read_character(haft__ecma_reader *p, uint32_t *ret_code)
{
    if (haft__ecma_is_next(p, HAFT__LIT("\\u"))) {
        p->at += 2;
        return haft__ecma_unicode_escape(p, ret_code);
    }
    *ret_code = haft__ecma_next(p);
    return HAFT_OK;
}

haft_status haft__ecma_read_name(haft__ecma_reader *p, haft__ecma_name *ret_name)
{
    size_t start = p->at;
    while (haft__ecma_peek(p) >= 0 && haft__ecma_peek(p) != '>') {
        size_t at = p->at;
        uint32_t code;
        haft_status status = read_character(p, &code);
        if (status != HAFT_OK) {
            return status;
        }
        int fits = is_name_character(code, at == start);
        if (fits < 0) {
            return haft__fail_no_memory(p->err);
        }
        if (fits == 0) {
            return haft__ecma_fail(p, HAFT_BAD_INPUT, at, "`%.*s` cannot %s the name of a group",
                                   (int)(p->at - at), p->source.ptr + at,
                                   at == start ? "begin" : "be in");
        }
    }
    *ret_name = (haft__ecma_name){(uint32_t)start, (uint32_t)(p->at - start)};
    if (!haft__ecma_accept(p, '>')) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, start, "the name of a group must end with `>`");
    }
    return ret_name->length > 0
               ? HAFT_OK
               : haft__ecma_fail(p, HAFT_BAD_INPUT, start, "the name of a group is empty");
}

bool haft__ecma_same_name(const haft__ecma_reader *p, haft__ecma_name a, haft__ecma_name b)
{
    haft__ecma_reader left = {.source = {p->source.ptr + a.at, a.length}};
    haft__ecma_reader right = {.source = {p->source.ptr + b.at, b.length}};
    while (haft__ecma_peek(&left) >= 0 && haft__ecma_peek(&right) >= 0) {
        uint32_t one, other;
        if (read_character(&left, &one) != HAFT_OK || read_character(&right, &other) != HAFT_OK
            || one != other) {
            return false;
        }
    }
    return haft__ecma_peek(&left) == haft__ecma_peek(&right);
}
