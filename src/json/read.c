/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - the strict JSON reader.
 *
 * One pass over the text, no recursion: open containers wait on a stack (json/stack.h). Strings
 * without escapes and numbers are not copied. Each read_* function starts at the byte `p`, stops
 * behind what it has read, and leaves `p` at the offending byte when it fails.
 * Tests: tests/json/read_test.c. Fuzzers: fuzz/json_split.c, fuzz/json_print.c.
 */
#include "json/read.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/stack.h"
#include "json/syntax.h"

typedef struct reader {
    const char *p, *end, *start;
    const haft__json_options *options;
    haft__arena *arena;
    haft__json_notes notes;
    haft__stack stack;
    haft_error *err;
} reader;

/* Only errors pay for finding the line. */
static haft__json_place place_of(const reader *r, const char *at)
{
    haft__json_place place = {.offset = (size_t)(at - r->start), .line = 1};
    const char *line = r->start;
    for (const char *p = r->start; p < at; p++) {
        if (*p == '\n') {
            place.line++;
            line = p + 1;
        }
    }
    place.column = (size_t)(at - line) + 1;
    return place;
}

static haft_status fail(reader *r, haft__json_problem problem)
{
    int found = r->p < r->end ? (unsigned char)*r->p : HAFT__JSON_END_OF_TEXT;
    return haft__json_fail(r->err, problem, place_of(r, r->p), found);
}

static haft_status fail_limit(reader *r, const char *at, size_t limit, const char *of_what)
{
    return haft__json_fail_limit(r->err, place_of(r, at), limit, of_what);
}

static void skip_space(reader *r)
{
    const char *p = r->p, *end = r->end;
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    r->p = p;
}

/* Goes over bytes that are not ASCII. */
static haft_status skip_utf8(reader *r)
{
    do {
        uint32_t code;
        haft_str rest = {r->p, (size_t)(r->end - r->p)};
        size_t length = haft__utf8_decode(rest, &code);
        if (length == 0) {
            bool cut = haft__utf8_incomplete(rest);
            r->p = cut ? r->end : r->p;
            return fail(r, cut ? HAFT__JSON_PROBLEM_STRING_END : HAFT__JSON_PROBLEM_UTF8);
        }
        r->p += length;
    } while (r->p < r->end && (unsigned char)*r->p >= 0x80);
    return HAFT_OK;
}

/* Goes over one escape and checks it; `p` is at the backslash. */
static haft_status skip_escape(reader *r)
{
    r->p++;
    if (r->p < r->end && haft__json_simple_escape(*r->p) != 0) {
        r->p++;
        return HAFT_OK;
    }
    if (r->p == r->end || *r->p != 'u') {
        return fail(r, HAFT__JSON_PROBLEM_ESCAPE);
    }
    r->p++;
    for (int i = 0; i < 4; i++, r->p++) {
        if (r->p == r->end || haft__json_hex(*r->p) < 0) {
            return fail(r, HAFT__JSON_PROBLEM_HEX);
        }
    }
    return HAFT_OK;
}

/* Finds the closing quote; `p` is behind the opening one. */
static haft_status find_quote(reader *r, bool *ret_escaped)
{
    bool escaped = false;
    for (;;) {
        r->p = haft__json_skip_plain(r->p, r->end);
        if (r->p == r->end) {
            return fail(r, HAFT__JSON_PROBLEM_STRING_END);
        }
        haft_status status;
        if (*r->p == '"') {
            *ret_escaped = escaped;
            return HAFT_OK;
        }
        if (*r->p == '\\') {
            escaped = true;
            status = skip_escape(r);
        } else if ((unsigned char)*r->p >= 0x80) {
            status = skip_utf8(r);
        } else {
            status = fail(r, HAFT__JSON_PROBLEM_CONTROL);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
}

static uint32_t hex4(const char *p)
{
    return (uint32_t)haft__json_hex(p[0]) << 12 | (uint32_t)haft__json_hex(p[1]) << 8
           | (uint32_t)haft__json_hex(p[2]) << 4 | (uint32_t)haft__json_hex(p[3]);
}

/* Decodes the \u escape whose digits are at `p` (checked), with its partner if it has one. Returns
 * what follows. */
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

static haft__json string_of(const char *from, const char *end)
{
    return (haft__json){.kind = HAFT__JSON_STRING, .count = (uint32_t)(end - from), .text = from};
}

/* Decodes a string whose escapes have been checked. Decoded text is never longer than written. */
static haft_status decode(reader *r, const char *from, const char *end, haft__json *ret_value)
{
    char *text = haft__arena_alloc(r->arena, (size_t)(end - from));
    if (text == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    char *to = text;
    while (from < end) {
        const char *backslash = memchr(from, '\\', (size_t)(end - from));
        size_t plain = (size_t)((backslash != NULL ? backslash : end) - from);
        memcpy(to, from, plain);
        to += plain;
        from += plain;
        if (backslash == NULL) {
            break;
        }
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
    return HAFT_OK;
}

/* `p` is at the opening quote. */
static haft_status read_string(reader *r, haft__json *ret_value)
{
    const char *from = ++r->p;
    bool escaped = false;
    haft_status status = find_quote(r, &escaped);
    if (status != HAFT_OK) {
        return status;
    }
    const char *end = r->p++;
    if (escaped) {
        return decode(r, from, end, ret_value);
    }
    *ret_value = string_of(from, end);
    return HAFT_OK;
}

static bool at_digit(const reader *r)
{
    return r->p < r->end && *r->p >= '0' && *r->p <= '9';
}

static haft_status skip_digits(reader *r)
{
    if (!at_digit(r)) {
        return fail(r, HAFT__JSON_PROBLEM_DIGIT);
    }
    const char *p = r->p;
    while (p < r->end && *p >= '0' && *p <= '9') {
        p++;
    }
    r->p = p;
    return HAFT_OK;
}

/* The part before the point: "0", or digits that do not start with 0. */
static haft_status skip_integer(reader *r)
{
    bool zero = r->p < r->end && *r->p == '0';
    if (!zero) {
        return skip_digits(r);
    }
    r->p++;
    return at_digit(r) ? fail(r, HAFT__JSON_PROBLEM_LEADING_ZERO) : HAFT_OK;
}

static haft_status read_number(reader *r, haft__json *ret_value)
{
    const char *from = r->p;
    r->p += *r->p == '-';
    haft_status status = skip_integer(r);
    bool integer = true;
    if (status == HAFT_OK && r->p < r->end && *r->p == '.') {
        integer = false;
        r->p++;
        status = skip_digits(r);
    }
    if (status == HAFT_OK && r->p < r->end && (*r->p | 0x20) == 'e') {
        integer = false;
        r->p++;
        r->p += r->p < r->end && (*r->p == '+' || *r->p == '-');
        status = skip_digits(r);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if ((size_t)(r->p - from) > r->options->max_number_bytes) {
        return fail_limit(r, from, r->options->max_number_bytes, "characters in a number");
    }
    *ret_value = (haft__json){.kind = HAFT__JSON_NUMBER,
                              .integer = integer,
                              .count = (uint32_t)(r->p - from),
                              .text = from};
    return HAFT_OK;
}

static haft_status read_literal(reader *r, haft_str word, haft__json_kind kind,
                                haft__json *ret_value)
{
    for (size_t i = 0; i < word.len; i++, r->p++) {
        if (r->p == r->end || *r->p != word.ptr[i]) {
            return fail(r, HAFT__JSON_PROBLEM_LITERAL);
        }
    }
    *ret_value = (haft__json){.kind = (uint8_t)kind};
    return HAFT_OK;
}

/* A value that is no container. */
static haft_status read_scalar(reader *r, haft__json_problem otherwise, haft__json *ret_value)
{
    if (r->p == r->end) {
        return fail(r, otherwise);
    }
    switch (*r->p) {
    case '"': return read_string(r, ret_value);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return read_number(r, ret_value);
    case 't': return read_literal(r, HAFT__LIT("true"), HAFT__JSON_TRUE, ret_value);
    case 'f': return read_literal(r, HAFT__LIT("false"), HAFT__JSON_FALSE, ret_value);
    case 'n': return read_literal(r, HAFT__LIT("null"), HAFT__JSON_NULL, ret_value);
    default: return fail(r, otherwise);
    }
}

static haft_status push(reader *r, haft__json value)
{
    return HAFT__LIKELY(haft__stack_push(&r->stack, value)) ? HAFT_OK
                                                            : haft__fail_no_memory(r->err);
}

/* A key and its colon; `p` is at what should be the quote. */
static haft_status read_key(reader *r, haft__json_problem otherwise)
{
    if (r->p == r->end || *r->p != '"') {
        return fail(r, otherwise);
    }
    const char *from = r->p;
    haft__json key;
    haft_status status = read_string(r, &key);
    if (status != HAFT_OK) {
        return status;
    }
    if ((size_t)(r->p - from) - 2 > r->options->max_key_bytes) {
        return fail_limit(r, from, r->options->max_key_bytes, "bytes in a key");
    }
    skip_space(r);
    if (r->p == r->end || *r->p != ':') {
        return fail(r, HAFT__JSON_PROBLEM_COLON);
    }
    r->p++;
    return push(r, key);
}

static haft_status fail_duplicate(reader *r, haft_str key)
{
    /* A key without escapes still stands in the text, so we know its place. */
    bool in_text = key.ptr >= r->start && key.ptr < r->end;
    haft__json_place place = place_of(r, in_text ? key.ptr - 1 : r->p);
    char where[80];
    (void)snprintf(where, sizeof(where), "%zu:%zu (byte %zu)", place.line, place.column,
                   place.offset);
    return haft__fail(r->err, HAFT_BAD_INPUT, where,
                      "expected each key once in an object, found \"%.*s\" more than once",
                      HAFT__ARG(key));
}

static haft_status close_container(reader *r)
{
    uint32_t before = r->notes.duplicate_keys;
    haft_str duplicate = {NULL, 0};
    r->p++;
    haft_status status = haft__stack_close(&r->stack, r->arena, r->options->hash_key,
                                           &r->notes.duplicate_keys, &duplicate, r->err);
    if (status != HAFT_OK) {
        return status;
    }
    if (HAFT__UNLIKELY(r->notes.duplicate_keys > before && r->options->refuse_duplicates)) {
        return fail_duplicate(r, duplicate);
    }
    if (HAFT__UNLIKELY(r->stack.closed >= r->options->max_values)) {
        return fail_limit(r, r->p, r->options->max_values, "values");
    }
    return HAFT_OK;
}

/* Opens the container at `p`. If it is empty it is closed at once and *ret_value_next is false;
 * else `p` is left where its first value starts. */
static haft_status open_container(reader *r, bool *ret_value_next)
{
    bool object = *r->p == '{';
    if (r->stack.depth >= r->options->max_depth) {
        return fail_limit(r, r->p, r->options->max_depth, "levels of nesting");
    }
    if (!haft__stack_open(&r->stack, object ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY)) {
        return haft__fail_no_memory(r->err);
    }
    r->p++;
    skip_space(r);
    if (r->p < r->end && *r->p == (object ? '}' : ']')) {
        *ret_value_next = false;
        return close_container(r);
    }
    *ret_value_next = true;
    return object ? read_key(r, HAFT__JSON_PROBLEM_KEY_OR_END) : HAFT_OK;
}

/* Behind a value: closes what closes here and goes on to where the next value starts. At the end
 * of the outermost value no container is open. */
static haft_status read_separators(reader *r)
{
    while (r->stack.depth > 0) {
        skip_space(r);
        bool object = haft__stack_in_object(&r->stack);
        char c = r->p < r->end ? *r->p : '\0';
        if (c == ',') {
            r->p++;
            if (!object) {
                return HAFT_OK;
            }
            skip_space(r);
            return read_key(r, HAFT__JSON_PROBLEM_KEY);
        }
        if (c != (object ? '}' : ']')) {
            return fail(r,
                        object ? HAFT__JSON_PROBLEM_COMMA_OBJECT : HAFT__JSON_PROBLEM_COMMA_ARRAY);
        }
        haft_status status = close_container(r);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

/* One value, containers and all, up to where the next one starts. */
static haft_status read_step(reader *r, haft__json_problem *otherwise)
{
    skip_space(r);
    if (r->p < r->end && (*r->p == '{' || *r->p == '[')) {
        bool array = *r->p == '[', value_next = false;
        haft_status status = open_container(r, &value_next);
        if (status != HAFT_OK || value_next) {
            *otherwise = array ? HAFT__JSON_PROBLEM_VALUE_OR_END : HAFT__JSON_PROBLEM_VALUE;
            return status;
        }
    } else {
        haft__json value;
        haft_status status = read_scalar(r, *otherwise, &value);
        if (status == HAFT_OK) {
            status = push(r, value);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    *otherwise = HAFT__JSON_PROBLEM_VALUE;
    return read_separators(r);
}

static haft_status read_document(reader *r)
{
    size_t length = (size_t)(r->end - r->start);
    if (length > r->options->max_bytes) {
        return fail_limit(r, r->start, r->options->max_bytes, "bytes");
    }
    if (length > 0 && *r->start == HAFT__JSON_BOM) {
        return fail(r, HAFT__JSON_PROBLEM_BOM);
    }
    haft__json_problem otherwise = HAFT__JSON_PROBLEM_VALUE;
    do {
        haft_status status = read_step(r, &otherwise);
        if (status != HAFT_OK) {
            return status;
        }
        if (HAFT__UNLIKELY(r->stack.count > r->options->max_values)) {
            return fail_limit(r, r->p, r->options->max_values, "values");
        }
    } while (r->stack.depth > 0);
    skip_space(r);
    return r->p == r->end ? HAFT_OK : fail(r, HAFT__JSON_PROBLEM_NOTHING);
}

haft_status haft__json_read(haft__arena *arena, haft_str text, const haft__json_options *options,
                            haft__json *ret_value, haft__json_notes *ret_notes, haft_error *err)
{
    static const haft__json_options defaults = HAFT__JSON_OPTIONS_INIT;
    /* Offsets are taken from `start`, so an absent text needs a place too. */
    const char *start = text.len > 0 ? text.ptr : "";
    reader r;
    r.p = r.start = start;
    r.end = start + text.len;
    r.options = options != NULL ? options : &defaults;
    r.arena = arena;
    r.notes = (haft__json_notes){0};
    r.err = err;
    haft__stack_init(&r.stack);
    haft_status status = read_document(&r);
    if (status == HAFT_OK) {
        *ret_value = r.stack.values[0];
        if (ret_notes != NULL) {
            *ret_notes = r.notes;
        }
    }
    haft__stack_finish(&r.stack);
    return status;
}
