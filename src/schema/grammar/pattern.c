/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c - regular expressions in a grammar: literals, classes, groups, alternatives and
 * repetitions, with anchors at either end. Other constructs (look-around, back references, \b, \p)
 * cannot be expressed.
 *
 * A part that may be empty is never repeated: llama.cpp treats that as left recursion. Tests:
 * tests/schema/grammar/gbnf_test.c.
 */
#include "base/ascii.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "schema/grammar/gbnf_writer.h"

#define NESTING 32 /* groups inside each other */

typedef struct reader {
    haft__gbnf_writer *g;
    haft_str rest;
    char quote;        /* around the text; 0: none */
    const char *never; /* characters that must not occur */
    uint32_t depth;
    bool failed;
} reader;

static bool add_alternatives(reader *r, haft__buf *body, bool outermost);

static char peek(const reader *r)
{
    return r->rest.len > 0 ? r->rest.ptr[0] : '\0';
}

static bool accept(reader *r, const char *text)
{
    bool found = haft__str_starts_with(r->rest, haft__str(text));
    r->rest = haft__str_skip(r->rest, found ? strlen(text) : 0);
    return found;
}

static uint32_t next_code(reader *r)
{
    uint32_t code = 0;
    size_t length = haft__utf8_decode(r->rest, &code);
    r->failed |= length == 0;
    r->rest = haft__str_skip(r->rest, length);
    return code;
}

/* ---- escapes ---- */

static uint32_t read_hex(reader *r, size_t digits)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = haft__hex_value(peek(r));
        if (digit < 0) {
            r->failed = true;
            return 0;
        }
        code = code * 16 + (uint32_t)digit;
        r->rest = haft__str_skip(r->rest, 1);
    }
    return code;
}

static uint32_t read_unicode(reader *r)
{
    if (!accept(r, "{")) {
        uint32_t code = read_hex(r, 4);
        r->failed |= code >= 0xD800 && code <= 0xDFFF;
        return code;
    }
    uint32_t code = 0;
    for (size_t i = 0; i < 6 && peek(r) != '}' && !r->failed; i++) {
        code = code * 16 + read_hex(r, 1);
    }
    r->failed |= !accept(r, "}") || code > 0x10FFFF;
    return code;
}

/* \d, \w and \s; false for any other letter. */
static bool add_named_class(haft__gbnf_char_class *class, char letter)
{
    static const haft__gbnf_char_range digits[] = {{'0', '9'}};
    static const haft__gbnf_char_range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const haft__gbnf_char_range spaces[] = {
        {9, 13},          {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    const haft__gbnf_char_range *ranges = letter == 'd'   ? digits
                                          : letter == 'w' ? words
                                          : letter == 's' ? spaces
                                                          : NULL;
    size_t count = letter == 'd' ? COUNT(digits) : letter == 'w' ? COUNT(words) : COUNT(spaces);
    for (size_t i = 0; ranges != NULL && i < count; i++) {
        haft__gbnf_char_class_add(class, ranges[i].first, ranges[i].last);
    }
    return ranges != NULL;
}

/* Reads an escape after its backslash: a class, or one character. */
static bool read_escape(reader *r, haft__gbnf_char_class *class, uint32_t *ret_code)
{
    uint32_t code = next_code(r);
    char letter = code < 0x80 ? (char)code : '\0';
    haft__gbnf_char_class named = {0};
    if (letter == 'D' || letter == 'W' || letter == 'S') {
        (void)add_named_class(&named, (char)(letter | 0x20));
        haft__gbnf_char_class_negate(&named);
    } else {
        (void)add_named_class(&named, letter);
    }
    for (size_t i = 0; i < named.count; i++) {
        haft__gbnf_char_class_add(class, named.ranges[i].first, named.ranges[i].last);
    }
    if (named.count > 0) {
        return true;
    }
    switch (letter) {
    case 'n': *ret_code = '\n'; break;
    case 'r': *ret_code = '\r'; break;
    case 't': *ret_code = '\t'; break;
    case 'f': *ret_code = '\f'; break;
    case 'v': *ret_code = '\v'; break;
    case 'x': *ret_code = read_hex(r, 2); break;
    case 'u': *ret_code = read_unicode(r); break;
    default:
        *ret_code = code;
        r->failed |= letter == '\0' || haft__ascii_is_alphanumeric(letter);
        break;
    }
    return false;
}

/* ---- classes ---- */

/* Reads one item of a class; true if it is a character and not a class itself. */
static bool read_item(reader *r, haft__gbnf_char_class *class, uint32_t *ret_code)
{
    if (accept(r, "\\")) {
        if (accept(r, "b")) {
            *ret_code = '\b';
            return true;
        }
        return !read_escape(r, class, ret_code);
    }
    *ret_code = next_code(r);
    return true;
}

static void read_class(reader *r, haft__gbnf_char_class *class)
{
    bool negated = accept(r, "^");
    while (!r->failed && !accept(r, "]")) {
        uint32_t first = 0, last = 0;
        bool single = read_item(r, class, &first);
        last = first;
        if (r->rest.len > 1 && r->rest.ptr[0] == '-' && r->rest.ptr[1] != ']') {
            r->rest = haft__str_skip(r->rest, 1);
            r->failed |= !single || !read_item(r, class, &last) || last < first;
        }
        if (single) {
            haft__gbnf_char_class_add(class, first, last);
        }
    }
    if (negated) {
        haft__gbnf_char_class_negate(class);
    }
}

static void add_class(reader *r, haft__buf *body, const haft__gbnf_char_class *class)
{
    for (const char *c = r->never; *c != '\0'; c++) {
        r->failed |= haft__gbnf_char_class_has(class, (unsigned char)*c);
    }
    r->failed |= class->full || !haft__gbnf_char_class_write(r->g, body, class, r->quote);
}

static void add_code(reader *r, haft__buf *body, uint32_t code)
{
    char bytes[HAFT__UTF8_MAX_BYTES];
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    r->failed |= surrogate || (code < 0x80 && code != 0 && strchr(r->never, (char)code) != NULL);
    if (r->failed) {
        return;
    }
    haft_str text = {bytes, haft__utf8_encode(code, bytes)};
    haft__buf escaped;
    haft__buf_init(&escaped, 16);
    if (r->quote != '\0') {
        haft__gbnf_escape(&escaped, r->g->notation, r->quote, text);
        text = haft__buf_str(&escaped);
    }
    haft__gbnf_add_literal(body, text);
    haft__gbnf_release_body(r->g, &escaped);
}

/* ---- atoms and quantifiers ---- */

static bool add_group(reader *r, haft__buf *body)
{
    if (accept(r, "?:")) {
        /* a grammar does not capture, so a named group is a plain group */
    } else if (accept(r, "?<") && peek(r) != '=' && peek(r) != '!') {
        (void)haft__str_split(&r->rest, '>');
    } else if (peek(r) == '?') {
        r->failed = true;
    }
    r->depth++;
    r->failed |= r->depth > NESTING;
    haft__buf_add_str(body, HAFT__LIT("( "));
    bool empty = r->failed || add_alternatives(r, body, false);
    haft__buf_add_str(body, HAFT__LIT(") "));
    r->depth--;
    r->failed |= !accept(r, ")");
    return empty;
}

/* Appends an atom; true if it may be empty. */
static bool add_atom(reader *r, haft__buf *body)
{
    haft__gbnf_char_class class = {0};
    uint32_t code = 0;
    char c = peek(r);
    if (accept(r, "(")) {
        return add_group(r, body);
    }
    if (accept(r, "[")) {
        read_class(r, &class);
        add_class(r, body, &class);
    } else if (accept(r, ".")) {
        haft__gbnf_char_class_add(&class, '\n', '\n');
        haft__gbnf_char_class_add(&class, '\r', '\r');
        haft__gbnf_char_class_add(&class, 0x2028, 0x2029);
        haft__gbnf_char_class_negate(&class);
        add_class(r, body, &class);
    } else if (accept(r, "\\")) {
        if (read_escape(r, &class, &code)) {
            add_class(r, body, &class);
        } else {
            add_code(r, body, code);
        }
    } else {
        r->failed |= strchr("^$*+?)|", c) != NULL; /* an inner anchor or a stray quantifier */
        add_code(r, body, next_code(r));
    }
    return false;
}

static bool read_number(reader *r, uint64_t *ret_number)
{
    size_t digits = 0;
    while (digits < r->rest.len && haft__ascii_is_digit(r->rest.ptr[digits])) {
        digits++;
    }
    bool good = haft__str_to_u64((haft_str){r->rest.ptr, digits}, ret_number);
    r->rest = haft__str_skip(r->rest, digits);
    return good;
}

/* Reads {2}, {2,} or {2,5}. False, with nothing read, for other text. */
static bool read_counts(reader *r, uint64_t *ret_least, uint64_t *ret_most)
{
    haft_str before = r->rest;
    if (accept(r, "{") && read_number(r, ret_least)) {
        *ret_most = *ret_least;
        bool open = accept(r, ",");
        if (open && !read_number(r, ret_most)) {
            *ret_most = HAFT__GBNF_NO_MAX;
        }
        if (accept(r, "}")) {
            return true;
        }
    }
    r->rest = before;
    return false;
}

static bool read_quantifier(reader *r, uint64_t *ret_least, uint64_t *ret_most)
{
    *ret_least = 0;
    *ret_most = HAFT__GBNF_NO_MAX;
    bool found = true;
    if (accept(r, "+")) {
        *ret_least = 1;
    } else if (accept(r, "?")) {
        *ret_most = 1;
    } else if (!accept(r, "*")) {
        found = read_counts(r, ret_least, ret_most);
    }
    if (found) {
        (void)accept(r, "?"); /* laziness does not change which texts match */
    }
    return found;
}

static bool add_repeated(reader *r, haft__buf *body, haft__buf *unit, bool empty, uint64_t min,
                         uint64_t max)
{
    r->failed |= (empty && max > 1) || max < min;
    if (r->failed) {
        return true;
    }
    if (min == 0 && max == 1) {
        unit->len--; /* the space */
        haft__buf_add_str(body, haft__buf_str(unit));
        haft__buf_add_str(body, HAFT__LIT("? "));
    } else if (max > 0) {
        haft__buf copy = *unit;
        haft__buf_init(unit, HAFT__LIMIT_GRAMMAR_BYTES);
        haft__gbnf_add_repeat(r->g, body, haft__gbnf_add_rule(r->g, &copy), min, max);
    }
    return empty || min == 0;
}

static bool add_term(reader *r, haft__buf *body)
{
    uint64_t min, max;
    haft__buf unit;
    haft__gbnf_body_init(&unit);
    bool empty = add_atom(r, &unit);
    if (!r->failed && unit.status == HAFT_OK && read_quantifier(r, &min, &max)) {
        empty = add_repeated(r, body, &unit, empty, min, max);
    } else {
        haft__buf_add_str(body, haft__buf_str(&unit));
    }
    r->failed |= unit.status != HAFT_OK;
    haft__gbnf_release_body(r->g, &unit);
    return empty;
}

/* ---- the whole ---- */

/* Adds any text, which may precede and follow a pattern without anchors. */
static void add_anything(reader *r, haft__buf *body)
{
    r->failed |= r->quote == '\0';
    if (!r->failed) {
        haft__gbnf_add_repeat(r->g, body, haft__gbnf_char(r->g, r->quote), 0, HAFT__GBNF_NO_MAX);
    }
}

static bool at_end(const reader *r)
{
    return r->rest.len == 0 || peek(r) == '|' || peek(r) == ')';
}

static bool add_sequence(reader *r, haft__buf *body, bool outermost)
{
    bool empty = true, closed = false;
    if (outermost && !accept(r, "^")) {
        add_anything(r, body);
    }
    while (!r->failed && !closed && !at_end(r)) {
        if (outermost && accept(r, "$")) {
            closed = true;
        } else {
            empty = add_term(r, body) && empty;
        }
    }
    if (outermost && !closed) {
        add_anything(r, body);
    }
    r->failed |= !at_end(r);
    return empty;
}

static bool add_alternatives(reader *r, haft__buf *body, bool outermost)
{
    bool empty = false;
    do {
        size_t before = body->len;
        empty = add_sequence(r, body, outermost) || empty;
        if (body->len == before) {
            haft__buf_add_str(body, HAFT__LIT("\"\" "));
        }
        if (peek(r) == '|' && !r->failed) {
            haft__buf_add_str(body, HAFT__LIT("| "));
        }
    } while (!r->failed && accept(r, "|"));
    return empty;
}

bool haft__gbnf_add_pattern(haft__gbnf_writer *g, haft__buf *body, haft_str pattern, char quote,
                            const char *never)
{
    reader r = {.g = g, .rest = pattern, .quote = quote, .never = never};
    if (pattern.len > HAFT__LIMIT_PATTERN_BYTES) {
        return false;
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    (void)add_alternatives(&r, body, true);
    haft__buf_add_str(body, HAFT__LIT(") "));
    return !r.failed && r.rest.len == 0;
}
