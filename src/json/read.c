/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - the strict JSON reader.
 *
 * One pass over the text, without recursion: open containers are on a stack (json/stack.h). Strings
 * without escapes and numbers are not copied. Each function below takes the position `p` where it
 * starts to read and returns the position after the text it has read. On failure it returns NULL
 * and sets `status` and `err`. So the position stays in a register, which gives most of the speed.
 * Tests: tests/json/read_test.c. Fuzzers: fuzz/json_split.c, fuzz/json_print.c.
 */
#include "json/read.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/stack.h"
#include "json/syntax.h"

typedef struct reader {
    const char *start, *end;
    const haft__json_options *options;
    const haft__json_origin *origin; /* may be NULL */
    haft__arena *arena, *trees;      /* for texts; for items and members */
    haft__json_notes notes;
    haft__json_stack stack;
    haft_status status;
    haft_error *err;
} reader;

/* Only errors compute a position. For a text that was made from another one, it is the position in
 * the other text. */
static haft__json_position place_of(const reader *r, const char *at)
{
    haft_str text = {r->start, (size_t)(r->end - r->start)};
    size_t offset = (size_t)(at - r->start);
    if (r->origin != NULL) {
        offset = r->origin->find(r->origin, offset);
        text = r->origin->text;
    }
    return haft__json_position_of(text, offset);
}

static const char *fail(reader *r, const char *p, haft__json_problem problem)
{
    haft__json_position place = place_of(r, p);
    haft_str text = {r->start, (size_t)(r->end - r->start)};
    text = r->origin != NULL ? r->origin->text : text;
    r->status = haft__json_fail(r->err, problem, place, haft__json_byte_at(text, place.offset));
    return NULL;
}

static const char *fail_limit(reader *r, const char *at, size_t limit, const char *of_what)
{
    r->status = haft__json_fail_limit(r->err, place_of(r, at), limit, of_what);
    return NULL;
}

/* The stack has no room for the value at `p`. */
static const char *fail_full(reader *r, const char *p)
{
    if (haft__json_stack_is_full(&r->stack)) {
        return fail_limit(r, p, r->options->max_values, "values");
    }
    r->status = haft__fail_no_memory(r->err);
    return NULL;
}

static const char *skip_more_space(const char *p, const char *end)
{
    while (p < end && haft__ascii_is_space(*p)) {
        p++;
    }
    return p;
}

/* Usually there is no white space. */
static inline const char *skip_space(const char *p, const char *end)
{
    return HAFT__LIKELY(p < end && (unsigned char)*p > ' ') ? p : skip_more_space(p, end);
}

/* Skips characters that are not ASCII. */
static const char *skip_utf8(reader *r, const char *p)
{
    do {
        uint32_t code;
        haft_str rest = {p, (size_t)(r->end - p)};
        size_t length = haft__utf8_decode(rest, &code);
        if (length == 0) {
            return haft__utf8_incomplete(rest) ? fail(r, r->end, HAFT__JSON_PROBLEM_STRING_END)
                                               : fail(r, p, HAFT__JSON_PROBLEM_UTF8);
        }
        p += length;
    } while (p < r->end && (unsigned char)*p >= 0x80);
    return p;
}

/* Skips one escape and checks it; `p` is after the backslash. */
static const char *skip_escape(reader *r, const char *p)
{
    if (p < r->end && haft__json_simple_escape(*p) != 0) {
        return p + 1;
    }
    if (p == r->end || *p != 'u') {
        return fail(r, p, HAFT__JSON_PROBLEM_ESCAPE);
    }
    p++;
    for (const char *end = p + 4; p < end; p++) {
        if (p == r->end || haft__hex_value(*p) < 0) {
            return fail(r, p, HAFT__JSON_PROBLEM_HEX);
        }
    }
    return p;
}

/* Continues from the first byte that is not plain to the closing quote. Reports whether there are
 * escapes. */
static const char *find_quote(reader *r, const char *p, bool *ret_escaped)
{
    while (p < r->end && *p != '"') {
        if (*p == '\\') {
            *ret_escaped = true;
            p = skip_escape(r, p + 1);
        } else if ((unsigned char)*p >= 0x80) {
            p = skip_utf8(r, p);
        } else {
            return fail(r, p, HAFT__JSON_PROBLEM_CONTROL);
        }
        if (p == NULL) {
            return NULL;
        }
        if (p < r->end && haft__json_is_plain(*p)) {
            p = haft__json_skip_plain(p, r->end);
        }
    }
    return p < r->end ? p : fail(r, p, HAFT__JSON_PROBLEM_STRING_END);
}

static uint32_t hex4(const char *p)
{
    return (uint32_t)haft__hex_value(p[0]) << 12 | (uint32_t)haft__hex_value(p[1]) << 8
           | (uint32_t)haft__hex_value(p[2]) << 4 | (uint32_t)haft__hex_value(p[3]);
}

/* Decodes the \u escape whose digits are at `p` (checked), with its partner if it has one. */
static const char *decode_unicode(reader *r, const char *p, const char *end, uint32_t *ret_code)
{
    uint32_t code = hex4(p);
    p += 4;
    bool high = haft__json_is_high_surrogate(code);
    if (high && end - p >= 6 && p[0] == '\\' && p[1] == 'u'
        && haft__json_is_low_surrogate(hex4(p + 2))) {
        code = haft__json_join_surrogates(code, hex4(p + 2));
        p += 6;
    } else if (high || haft__json_is_low_surrogate(code)) {
        r->notes.lone_surrogates++;
        code = HAFT__UTF8_REPLACEMENT;
    }
    *ret_code = code;
    return p;
}

/* Copies up to the next backslash or `end`, eight bytes at a time while both sides have eight
 * bytes. */
static inline const char *copy_plain(char **to, const char *from, const char *end)
{
    char *out = *to;
    while (end - from >= 8) {
        uint64_t word = haft__json_load8(from);
        uint64_t backslash = word ^ 0x5C5C5C5C5C5C5C5CU;
        uint64_t stop = (backslash - 0x0101010101010101U) & ~backslash & 0x8080808080808080U;
        /* Decoded text is never longer than its source, so there is room for these eight bytes. */
        memcpy(out, from, 8);
        size_t count = stop != 0 ? (size_t)__builtin_ctzll(stop) >> 3 : 8;
        out += count;
        from += count;
        if (stop != 0) {
            *to = out;
            return from;
        }
    }
    while (from < end && *from != '\\') {
        *out++ = *from++;
    }
    *to = out;
    return from;
}

static inline haft__json string_of(const char *from, const char *end)
{
    return (haft__json){.kind = HAFT__JSON_STRING, .count = (uint32_t)(end - from), .text = from};
}

/* Decodes a string whose escapes have been checked. */
static bool decode(reader *r, const char *from, const char *end, haft__json *ret_value)
{
    char *text = haft__arena_alloc(r->arena, (size_t)(end - from));
    if (text == NULL) {
        r->status = haft__arena_fail(r->arena, r->err);
        return false;
    }
    char *to = text;
    while ((from = copy_plain(&to, from, end)) < end) {
        if (from[1] == 'u') {
            uint32_t code;
            from = decode_unicode(r, from + 2, end, &code);
            to += haft__utf8_encode(code, to);
        } else {
            *to++ = haft__json_simple_escape(from[1]);
            from += 2;
        }
    }
    *ret_value = string_of(text, to);
    return true;
}

/* `p` is after the opening quote. */
static inline const char *read_string(reader *r, const char *p, haft__json *ret_value)
{
    const char *from = p;
    p = haft__json_skip_plain(p, r->end);
    if (HAFT__LIKELY(p < r->end && *p == '"')) {
        *ret_value = string_of(from, p);
        return p + 1;
    }
    bool escaped = false;
    p = find_quote(r, p, &escaped);
    if (p == NULL) {
        return NULL;
    }
    if (!escaped) {
        *ret_value = string_of(from, p);
    } else if (!decode(r, from, p, ret_value)) {
        return NULL;
    }
    return p + 1;
}

static const char *skip_digits(reader *r, const char *p)
{
    if (p == r->end || !haft__ascii_is_digit(*p)) {
        return fail(r, p, HAFT__JSON_PROBLEM_DIGIT);
    }
    while (p < r->end && haft__ascii_is_digit(*p)) {
        p++;
    }
    return p;
}

/* Fraction and exponent; `p` is at the point or the e. */
static const char *skip_fraction(reader *r, const char *p)
{
    if (*p == '.') {
        p = skip_digits(r, p + 1);
    }
    if (p != NULL && p < r->end && (*p | 0x20) == 'e') {
        p++;
        p += p < r->end && (*p == '+' || *p == '-');
        p = skip_digits(r, p);
    }
    return p;
}

/* `p` is at a minus or digit. */
static inline const char *read_number(reader *r, const char *p, haft__json *ret_value)
{
    const char *from = p, *end = r->end;
    p += *p == '-';
    if (HAFT__UNLIKELY(p == end || !haft__ascii_is_digit(*p))) {
        return fail(r, p, HAFT__JSON_PROBLEM_DIGIT);
    }
    const char *first = p++;
    while (p < end && haft__ascii_is_digit(*p)) {
        p++;
    }
    if (HAFT__UNLIKELY(*first == '0' && p - first > 1)) {
        return fail(r, first + 1, HAFT__JSON_PROBLEM_LEADING_ZERO);
    }
    bool integer = true;
    if (p < end && (*p == '.' || (*p | 0x20) == 'e')) {
        integer = false;
        p = skip_fraction(r, p);
        if (p == NULL) {
            return NULL;
        }
    }
    if (HAFT__UNLIKELY((size_t)(p - from) > r->options->max_number_bytes)) {
        return fail_limit(r, from, r->options->max_number_bytes, "characters in a number");
    }
    *ret_value = (haft__json){
        .kind = HAFT__JSON_NUMBER, .integer = integer, .count = (uint32_t)(p - from), .text = from};
    return p;
}

static const char *read_word(reader *r, const char *p, haft_str word, haft__json_kind kind,
                             haft__json *ret_value)
{
    for (size_t i = 0; i < word.len; i++, p++) {
        if (p == r->end || *p != word.ptr[i]) {
            return fail(r, p, HAFT__JSON_PROBLEM_LITERAL);
        }
    }
    *ret_value = (haft__json){.kind = (uint8_t)kind};
    return p;
}

/* A literal: any value that is not a container, string or number. */
static const char *read_literal(reader *r, const char *p, haft__json_problem problem,
                                haft__json *ret_value)
{
    switch (p < r->end ? *p : '\0') {
    case 't': return read_word(r, p, HAFT__LIT("true"), HAFT__JSON_TRUE, ret_value);
    case 'f': return read_word(r, p, HAFT__LIT("false"), HAFT__JSON_FALSE, ret_value);
    case 'n': return read_word(r, p, HAFT__LIT("null"), HAFT__JSON_NULL, ret_value);
    default: return fail(r, p, problem);
    }
}

/* A key and its colon; `p` is where the quote must be. */
static inline const char *read_key(reader *r, const char *p, haft__json_problem problem)
{
    if (HAFT__UNLIKELY(p == r->end || *p != '"')) {
        return fail(r, p, problem);
    }
    const char *from = p;
    haft__json *key = haft__json_stack_reserve(&r->stack);
    if (HAFT__UNLIKELY(key == NULL)) {
        return fail_full(r, p);
    }
    p = read_string(r, p + 1, key);
    if (HAFT__UNLIKELY(p == NULL)) {
        return NULL;
    }
    if (HAFT__UNLIKELY((size_t)(p - from) - 2 > r->options->max_key_bytes)) {
        return fail_limit(r, from, r->options->max_key_bytes, "bytes in a key");
    }
    p = skip_space(p, r->end);
    if (HAFT__UNLIKELY(p == r->end || *p != ':')) {
        return fail(r, p, HAFT__JSON_PROBLEM_COLON);
    }
    haft__json_stack_commit(&r->stack);
    return p + 1;
}

static const char *fail_duplicate(reader *r, const char *p)
{
    /* A key without escapes points into the text, which gives its position. */
    haft_str key = r->stack.duplicate;
    bool in_text = key.ptr >= r->start && key.ptr < r->end;
    char where[80];
    haft__json_position_format(where, sizeof(where), place_of(r, in_text ? key.ptr - 1 : p));
    r->status = haft__json_fail_duplicate(r->err, where, key);
    return NULL;
}

/* The container whose closing bracket is at `p` could not be closed. */
static const char *fail_close(reader *r, const char *p, haft__json_stack_result result)
{
    switch (result) {
    case HAFT__JSON_STACK_OK: break;
    case HAFT__JSON_STACK_NO_MEMORY: r->status = haft__fail_no_memory(r->err); return NULL;
    case HAFT__JSON_STACK_ARENA_FULL: r->status = haft__arena_fail(r->trees, r->err); return NULL;
    case HAFT__JSON_STACK_DUPLICATE: return fail_duplicate(r, p);
    case HAFT__JSON_STACK_TOO_MANY: return fail_limit(r, p, r->options->max_values, "values");
    }
    HAFT__UNREACHABLE();
}

/* Opens the container at `p` and moves to the start of its first value. An empty container is
 * complete immediately, and *ret_empty is set. */
static inline const char *open_container(reader *r, const char *p, bool *ret_empty)
{
    bool object = *p == '{';
    if (HAFT__UNLIKELY(r->stack.depth >= r->options->max_depth)) {
        return fail_limit(r, p, r->options->max_depth, "levels of nesting");
    }
    if (HAFT__UNLIKELY(!haft__json_stack_open(&r->stack, object))) {
        return fail_full(r, p);
    }
    p = skip_space(p + 1, r->end);
    if (p < r->end && *p == (object ? '}' : ']')) {
        *ret_empty = true;
        return p;
    }
    return object ? read_key(r, p, HAFT__JSON_PROBLEM_KEY_OR_END) : p;
}

/* After a value: closes the containers that end here and moves to the start of the next value. At
 * the end of the outermost value no container is open. */
static inline const char *read_separators(reader *r, const char *p)
{
    while (r->stack.depth > 0) {
        p = skip_space(p, r->end);
        bool object = haft__json_stack_in_object(&r->stack);
        char c = p < r->end ? *p : '\0';
        if (c == ',') {
            return object ? read_key(r, skip_space(p + 1, r->end), HAFT__JSON_PROBLEM_KEY) : p + 1;
        }
        if (HAFT__UNLIKELY(c != (object ? '}' : ']'))) {
            return fail(r, p,
                        object ? HAFT__JSON_PROBLEM_COMMA_OBJECT : HAFT__JSON_PROBLEM_COMMA_ARRAY);
        }
        haft__json_stack_result result = haft__json_stack_close(&r->stack, r->trees);
        if (HAFT__UNLIKELY(result != HAFT__JSON_STACK_OK)) {
            return fail_close(r, p, result);
        }
        p++;
    }
    return p;
}

/* One value that holds no others. */
static inline const char *read_scalar(reader *r, const char *p, haft__json_problem problem)
{
    haft__json *value = haft__json_stack_reserve(&r->stack);
    if (HAFT__UNLIKELY(value == NULL)) {
        return fail_full(r, p);
    }
    char first = p < r->end ? *p : '\0';
    if (first == '"') {
        p = read_string(r, p + 1, value);
    } else if (haft__ascii_is_digit(first) || first == '-') {
        p = read_number(r, p, value);
    } else {
        p = read_literal(r, p, problem, value);
    }
    haft__json_stack_commit(&r->stack);
    return p;
}

static const char *read_values(reader *r, const char *p)
{
    haft__json_problem problem = HAFT__JSON_PROBLEM_VALUE;
    do {
        p = skip_space(p, r->end);
        if (p < r->end && (*p == '{' || *p == '[')) {
            bool empty = false, array = *p == '[';
            p = open_container(r, p, &empty);
            if (p != NULL && !empty) {
                problem = array ? HAFT__JSON_PROBLEM_VALUE_OR_END : HAFT__JSON_PROBLEM_VALUE;
                continue;
            }
        } else {
            p = read_scalar(r, p, problem);
        }
        if (HAFT__UNLIKELY(p == NULL)) {
            return NULL;
        }
        problem = HAFT__JSON_PROBLEM_VALUE;
        p = read_separators(r, p);
    } while (p != NULL && r->stack.depth > 0);
    return p;
}

static void read_document(reader *r)
{
    size_t length = (size_t)(r->end - r->start);
    if (length > r->options->max_bytes) {
        (void)fail_limit(r, r->start, r->options->max_bytes, "bytes");
        return;
    }
    if (length > 0 && *r->start == HAFT__JSON_BOM) {
        (void)fail(r, r->start, HAFT__JSON_PROBLEM_BOM);
        return;
    }
    const char *p = read_values(r, r->start);
    p = p != NULL ? skip_space(p, r->end) : NULL;
    if (p != NULL && p < r->end) {
        (void)fail(r, p, HAFT__JSON_PROBLEM_NOTHING);
    }
}

haft_status haft__json_read_derived(haft__arena *arena, haft_str text,
                                    const haft__json_origin *origin,
                                    const haft__json_options *options, haft__json *ret_value,
                                    haft__json_notes *ret_notes, haft_error *err)
{
    static const haft__json_options defaults = HAFT__JSON_OPTIONS_INIT;
    /* Offsets are relative to `start`, so an absent text needs a valid pointer too. */
    const char *start = text.len > 0 ? text.ptr : "";
    reader r;
    r.start = start;
    r.end = start + text.len;
    r.options = options != NULL ? options : &defaults;
    r.origin = origin;
    r.arena = arena;
    r.trees = r.options->trees != NULL ? r.options->trees : arena;
    r.notes = (haft__json_notes){0};
    r.status = HAFT_OK;
    r.err = err;
    haft__json_stack_init(&r.stack, r.options);
    read_document(&r);
    if (r.status == HAFT_OK) {
        *ret_value = r.stack.values[0];
        r.notes.duplicate_keys = r.stack.duplicates;
        if (ret_notes != NULL) {
            *ret_notes = r.notes;
        }
    }
    haft__json_stack_finish(&r.stack);
    return r.status;
}

haft_status haft__json_read(haft__arena *arena, haft_str text, const haft__json_options *options,
                            haft__json *ret_value, haft__json_notes *ret_notes, haft_error *err)
{
    return haft__json_read_derived(arena, text, NULL, options, ret_value, ret_notes, err);
}
