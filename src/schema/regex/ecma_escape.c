/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecma_escape.c - escapes of characters and sets; ecma_group.c reads references, ecma.c reads \b.
 *
 * Tests: tests/schema/regex/ecma_escape_test.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/macros.h"
#include "base/utf8.h"
#include "schema/regex/ecma_int.h"

/* ECMA-262's WhiteSpace and LineTerminator, and the complement. PCRE2's \s is ASCII only. */
#define SPACES                                                                                     \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"  \
    "\\x{3000}\\x{feff}"
#define NO_SPACES                                                                                  \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"               \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"                 \
    "\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}"

/* The complements of \d and \w, for \D and \W in a class. PCRE2 10.42 has a bug in negated classes
 * with one of them and a property: [^\W\p{L}] matches a space. */
#define NO_DIGITS "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}"
#define NO_WORDS  "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}"

void haft__ecma_write_character(haft__ecma_reader *p, uint32_t code)
{
    if (code < 0x80 && haft__ascii_is_alphanumeric((int)code)) {
        haft__buf_add_char(p->out, (char)code);
        return;
    }
    char text[12];
    size_t at = sizeof(text);
    text[--at] = '}';
    do {
        text[--at] = haft__hex_digit(code);
        code >>= 4;
    } while (code > 0);
    text[--at] = '{';
    text[--at] = 'x';
    text[--at] = '\\';
    haft__buf_add(p->out, text + at, sizeof(text) - at);
}

/* Escapes of other regex dialects, and their replacements. */
static const struct {
    char letter;
    const char *instead;
} foreign[] = {
    {'A', "write ^ instead of \\A"},
    {'Z', "write $ instead of \\Z"},
    {'z', "write $ instead of \\z"},
    {'a', "write \\x07 instead of \\a"},
    {'e', "write \\x1B instead of \\e"},
    {'h', "write [ \\t] instead of \\h"},
    {'H', "write [^ \\t] instead of \\H"},
    {'R', "write \\r?\\n instead of \\R"},
    {'N', "write [^\\n] instead of \\N"},
    {'V', "write [^\\n\\v\\f\\r] instead of \\V"},
    {'l', "write [a-z] instead of \\l"},
    {'L', "write [A-Z] instead of \\L"},
    {'i', "write [A-Za-z_:] instead of \\i"},
    {'Q', "put a backslash before each special character instead of \\Q"},
    {'E', "put a backslash before each special character instead of \\Q...\\E"},
    {'K', "use a look-behind, (?<=...), instead of \\K"},
    {'G', "write ^ instead of \\G"},
    {'X', "ECMA-262 can name code points only: write . or \\p{...}"},
};

static haft_status fail_escape(haft__ecma_reader *p, size_t at)
{
    int c = haft__ecma_peek(p);
    if (c < 0) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, at, "a lone `\\` at the end of the expression");
    }
    size_t start = p->at;
    (void)haft__ecma_next(p);
    haft_status status =
        haft__ecma_fail(p, HAFT_BAD_INPUT, at, "`\\%.*s` is not an ECMA-262 escape",
                        (int)(p->at - start), p->source.ptr + start);
    for (size_t i = 0; i < COUNT(foreign); i++) {
        if (foreign[i].letter == c) {
            return haft__hint(p->err, status, "%s", foreign[i].instead);
        }
    }
    return c < 0x80 ? status
                    : haft__hint(p->err, status, "leave the backslash out: only ASCII needs it");
}

/* Reads exactly `count` hexadecimal digits. False, with nothing read, if there are fewer. */
static bool take_hex(haft__ecma_reader *p, size_t count, uint32_t *ret_code)
{
    uint32_t code = 0;
    for (size_t i = 0; i < count; i++) {
        int value = p->at + i < p->source.len ? haft__hex_value(p->source.ptr[p->at + i]) : -1;
        if (value < 0) {
            return false;
        }
        code = code << 4 | (uint32_t)value;
    }
    p->at += count;
    *ret_code = code;
    return true;
}

static haft_status braced_code_point(haft__ecma_reader *p, size_t at, uint32_t *ret_code)
{
    uint32_t code = 0;
    size_t digits = 0;
    for (int c = haft__ecma_peek(p); haft__hex_value(c) >= 0; c = haft__ecma_peek(p)) {
        code = code > 0x10FFFF ? code : code << 4 | (uint32_t)haft__hex_value(c);
        digits++;
        p->at++;
    }
    if (digits == 0 || !haft__ecma_accept(p, '}')) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, at,
                               "`\\u{` must be followed by hexadecimal digits and `}`");
    }
    if (code > 0x10FFFF) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, at,
                               "`\\u{...}` is greater than 10FFFF, the last code point");
    }
    *ret_code = code;
    return HAFT_OK;
}

haft_status haft__ecma_unicode_escape(haft__ecma_reader *p, uint32_t *ret_code)
{
    size_t at = p->at - 2;
    if (haft__ecma_accept(p, '{')) {
        return braced_code_point(p, at, ret_code);
    }
    uint32_t code;
    if (!take_hex(p, 4, &code)) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, at,
                               "`\\u` must be followed by four hexadecimal digits or `{...}`");
    }
    if (code >= 0xD800 && code <= 0xDBFF && haft__ecma_is_next(p, HAFT__LIT("\\u"))) {
        size_t after = p->at;
        uint32_t low;
        p->at += 2;
        if (take_hex(p, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else {
            p->at = after;
        }
    }
    *ret_code = code;
    return HAFT_OK;
}

static haft_status hex_escape(haft__ecma_reader *p, size_t at, uint32_t *ret_code)
{
    if (take_hex(p, 2, ret_code)) {
        return HAFT_OK;
    }
    haft_status status =
        haft__ecma_fail(p, HAFT_BAD_INPUT, at, "`\\x` must be followed by two hexadecimal digits");
    return haft__ecma_peek(p) == '{' ? haft__hint(p->err, status, "write \\u{...} instead")
                                     : status;
}

static haft_status control_escape(haft__ecma_reader *p, size_t at, uint32_t *ret_code)
{
    int c = haft__ecma_peek(p);
    if (!haft__ascii_is_letter(c)) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, at,
                               "`\\c` must be followed by a letter from A to Z");
    }
    p->at++;
    *ret_code = (uint32_t)c & 0x1F;
    return HAFT_OK;
}

static haft_status nul_escape(haft__ecma_reader *p, size_t at, uint32_t *ret_code)
{
    if (haft__ascii_is_digit(haft__ecma_peek(p))) {
        haft_status status =
            haft__ecma_fail(p, HAFT_BAD_INPUT, at, "octal escapes such as `\\0%c` are not allowed",
                            haft__ecma_peek(p));
        return haft__hint(p->err, status, "write \\xHH with hexadecimal digits");
    }
    *ret_code = 0;
    return HAFT_OK;
}

/* Whether a backslash before `c` means `c` itself. ECMA-262 allows a backslash before
 * ^$\.*+?()[]{}|/ and, in a class, before a hyphen. Without the `u` flag it is also allowed before
 * any other character that is not a letter or digit, with the same meaning. */
static bool is_plain(int c)
{
    return c >= 0 && c < 0x80 && !haft__ascii_is_alphanumeric(c);
}

haft_status haft__ecma_escape(haft__ecma_reader *p, bool in_class, uint32_t *ret_code)
{
    size_t at = p->at - 1;
    int c = haft__ecma_peek(p);
    if (is_plain(c)) {
        p->at++;
        *ret_code = (uint32_t)c;
        return HAFT_OK;
    }
    static const struct {
        char letter;
        uint8_t code;
    } letters[] = {{'t', 9}, {'n', 10}, {'v', 11}, {'f', 12}, {'r', 13}};
    for (size_t i = 0; i < COUNT(letters); i++) {
        if (haft__ecma_accept(p, letters[i].letter)) {
            *ret_code = letters[i].code;
            return HAFT_OK;
        }
    }
    if (in_class && haft__ecma_accept(p, 'b')) {
        *ret_code = 8;
        return HAFT_OK;
    }
    if (haft__ecma_accept(p, 'x')) {
        return hex_escape(p, at, ret_code);
    }
    if (haft__ecma_accept(p, 'u')) {
        return haft__ecma_unicode_escape(p, ret_code);
    }
    if (haft__ecma_accept(p, 'c')) {
        return control_escape(p, at, ret_code);
    }
    return haft__ecma_accept(p, '0') ? nul_escape(p, at, ret_code) : fail_escape(p, at);
}

bool haft__ecma_is_class_escape(int c)
{
    return c > 0 && strchr("dDwWsSpP", c) != NULL;
}

static haft_status property(haft__ecma_reader *p, bool negated)
{
    size_t at = p->at - 2;
    haft_str rest = haft__str_skip(p->source, p->at);
    haft_str text = haft__str_split(&rest, '}');
    if (text.len == 0 || text.ptr[0] != '{'
        || text.ptr + text.len == p->source.ptr + p->source.len) {
        haft_status status = haft__ecma_fail(
            p, HAFT_BAD_INPUT, at, "`\\%c` must be followed by the name of a property in braces",
            negated ? 'P' : 'p');
        return haft__hint(p->err, status, "write \\p{L} for letters, \\p{Script=Greek} for Greek");
    }
    haft_str name = haft__str_skip(text, 1);
    p->at += text.len + 1;
    if (haft__ecma_property(name, negated, p->out)) {
        return HAFT_OK;
    }
    haft_status status = haft__ecma_fail(
        p, HAFT_BAD_INPUT, at, "`%.*s` is not a Unicode property of ECMA-262", HAFT__ARG(name));
    return haft__ecma_hint_property(name, status, p->err);
}

haft_status haft__ecma_class_escape(haft__ecma_reader *p, bool in_class)
{
    /* Without PCRE2_UCP its \d and \w are ASCII, as in ECMA-262. */
    static const struct {
        char letter;
        haft_str alone, in_class;
    } sets[] = {
#define SET(letter, alone, in_class)                                                               \
    {                                                                                              \
        letter, {alone, sizeof(alone) - 1},                                                        \
        {                                                                                          \
            in_class, sizeof(in_class) - 1                                                         \
        }                                                                                          \
    }
        SET('d', "\\d", "\\d"),     SET('w', "\\w", "\\w"),    SET('s', "[" SPACES "]", SPACES),
        SET('D', "\\D", NO_DIGITS), SET('W', "\\W", NO_WORDS), SET('S', "[^" SPACES "]", NO_SPACES),
#undef SET
    };
    char c = p->source.ptr[p->at++];
    for (size_t i = 0; i < COUNT(sets); i++) {
        if (sets[i].letter == c) {
            haft__buf_add_str(p->out, in_class ? sets[i].in_class : sets[i].alone);
            return HAFT_OK;
        }
    }
    return property(p, c == 'P');
}
