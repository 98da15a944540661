/* SPDX-License-Identifier: Apache-2.0 */
/* scalar.c - resolves scalars by the core schema of YAML 1.2. Tests:
 * tests/spec/load/document/scalar_test.c. */
#include "spec/load/document/scalar.h"

#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

/* The parts of the text of a decimal number. */
typedef struct decimal {
    bool negative, has_point, has_exponent;
    haft_str whole, fraction, exponent; /* the exponent with its sign */
} decimal;

/* Removes the digits at the start of *rest and returns them. */
static haft_str take_digits(haft_str *rest)
{
    haft_str digits = {rest->ptr, 0};
    while (digits.len < rest->len && haft__ascii_is_digit(rest->ptr[digits.len])) {
        digits.len++;
    }
    *rest = haft__str_skip(*rest, digits.len);
    return digits;
}

static bool skip_char(haft_str *rest, char c)
{
    bool there = rest->len > 0 && rest->ptr[0] == c;
    if (there) {
        *rest = haft__str_skip(*rest, 1);
    }
    return there;
}

static bool take_exponent(haft_str *rest, haft_str *ret_exponent)
{
    haft_str start = *rest;
    if (!skip_char(rest, '-')) {
        (void)skip_char(rest, '+');
    }
    size_t digits = take_digits(rest).len;
    *ret_exponent = (haft_str){start.ptr, start.len - rest->len};
    return digits > 0;
}

/* [-+]? ( \.[0-9]+ | [0-9]+ (\.[0-9]*)? ) ([eE][-+]?[0-9]+)? */
static bool parse_decimal(haft_str text, decimal *ret)
{
    decimal d = {.negative = skip_char(&text, '-')};
    if (!d.negative) {
        (void)skip_char(&text, '+');
    }
    d.whole = take_digits(&text);
    d.has_point = skip_char(&text, '.');
    if (d.has_point) {
        d.fraction = take_digits(&text);
    }
    d.has_exponent = skip_char(&text, 'e') || skip_char(&text, 'E');
    if (d.whole.len + d.fraction.len == 0 || (d.has_exponent && !take_exponent(&text, &d.exponent))
        || text.len > 0) {
        return false;
    }
    *ret = d;
    return true;
}

static haft__json number(haft_str text, bool integer)
{
    return (haft__json){.kind = HAFT__JSON_NUMBER,
                        .integer = integer,
                        .count = (uint32_t)text.len,
                        .text = text.ptr};
}

/* Writes the number in JSON syntax: no plus, no leading zeros, digits on both sides of a point. */
static haft__scalar_result make_decimal(haft__arena *arena, haft_str text, const decimal *d,
                                        haft__json *ret_value)
{
    bool integer = !d->has_point && !d->has_exponent;
    bool zeros = d->whole.len > 1 && d->whole.ptr[0] == '0';
    if (text.len > HAFT__LIMIT_JSON_NUMBER_BYTES - 2) {
        return HAFT__SCALAR_TOO_LONG;
    }
    if (text.ptr[0] != '+' && !zeros && d->whole.len > 0
        && (!d->has_point || d->fraction.len > 0)) {
        *ret_value = number(text, integer);
        return HAFT__SCALAR_OK;
    }
    haft_str whole = d->whole, fraction = d->fraction;
    while (whole.len > 1 && whole.ptr[0] == '0') {
        whole = haft__str_skip(whole, 1);
    }
    whole = whole.len > 0 ? whole : HAFT__LIT("0");
    fraction = d->has_point && fraction.len == 0 ? HAFT__LIT("0") : fraction;
    haft_str made =
        haft__arena_format(arena, "%s%.*s%s%.*s%s%.*s", d->negative ? "-" : "", HAFT__ARG(whole),
                           d->has_point ? "." : "", HAFT__ARG(fraction), d->has_exponent ? "e" : "",
                           HAFT__ARG(d->exponent));
    *ret_value = number(made, integer);
    return made.ptr != NULL ? HAFT__SCALAR_OK : HAFT__SCALAR_NO_MEMORY;
}

/* Reads an octal or hexadecimal number: 0o17, 0x1F. Returns false for other texts. */
static bool make_based(haft__arena *arena, haft_str text, haft__json *ret_value,
                       haft__scalar_result *ret_result)
{
    bool hex = haft__str_starts_with(text, HAFT__LIT("0x"));
    if (text.len < 3 || (!hex && !haft__str_starts_with(text, HAFT__LIT("0o")))) {
        return false;
    }
    uint64_t base = hex ? 16 : 8, value = 0;
    bool fits = true;
    for (size_t i = 2; i < text.len; i++) {
        int read = haft__hex_value(text.ptr[i]);
        uint64_t digit = (uint64_t)read;
        if (read < 0 || digit >= base) {
            return false;
        }
        fits = fits && value <= (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    haft_str made = fits ? haft__arena_format(arena, "%" PRIu64, value) : (haft_str){NULL, 0};
    *ret_value = number(made, true);
    *ret_result = !fits              ? HAFT__SCALAR_TOO_LONG
                  : made.ptr != NULL ? HAFT__SCALAR_OK
                                     : HAFT__SCALAR_NO_MEMORY;
    return true;
}

static bool is_one_of(haft_str text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (haft__str_equal(text, haft__str(*words))) {
            return true;
        }
    }
    return false;
}

static bool is_not_finite(haft_str text)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nan[] = {".nan", ".NaN", ".NAN", NULL};
    bool sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+');
    return is_one_of(text, nan) || is_one_of(haft__str_skip(text, sign), infinite);
}

/* Whether the first letter shows that the scalar is a text. True for most scalars. */
static bool is_plainly_text(haft_str text)
{
    return text.len > 0 && strchr("~nNtTfF+-.0123456789", text.ptr[0]) == NULL;
}

haft__scalar_result haft__scalar_resolve(haft__arena *arena, haft_str text, haft__json *ret_value)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    haft__scalar_result result;
    decimal d;
    if (is_plainly_text(text)) {
        *ret_value = haft__json_string(text);
        return HAFT__SCALAR_OK;
    }
    if (is_one_of(text, nulls)) {
        *ret_value = haft__json_null();
        return HAFT__SCALAR_OK;
    }
    if (is_one_of(text, trues) || is_one_of(text, falses)) {
        *ret_value = haft__json_bool((text.ptr[0] | 0x20) == 't');
        return HAFT__SCALAR_OK;
    }
    if (make_based(arena, text, ret_value, &result)) {
        return result;
    }
    if (parse_decimal(text, &d)) {
        return make_decimal(arena, text, &d, ret_value);
    }
    if (is_not_finite(text)) {
        return HAFT__SCALAR_NOT_FINITE;
    }
    *ret_value = haft__json_string(text);
    return HAFT__SCALAR_OK;
}
