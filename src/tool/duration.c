/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duration.c - exact arithmetic: the digits before and after the decimal point are two integers,
 * which are not rounded.
 *
 * A fraction with more than FRACTION_DIGITS digits, without zeros at its end, is never a whole
 * number of milliseconds: a day, the largest unit, is 2^10 * 3^3 * 5^5 ms.
 *
 * Tests: tests/tool/duration_test.c.
 */
#include "tool/duration.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"

#define FRACTION_DIGITS 10
#define LARGEST_POWER   1000

static const struct unit {
    const char *name;
    uint64_t ms;
} units[] = {
    /* the largest first */
    {"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1},
};

/* A parsed number: its digits without the point, and the position of the point. */
typedef struct decimal {
    haft_str digits; /* may contain the point, which is skipped */
    int64_t point;   /* number of digits before it; may be negative or past the last */
} decimal;

static haft_status bad_duration(haft_str text, haft_error *err)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "",
                   negative ? "'%.*s' is negative" : "'%.*s' is not a duration", HAFT__ARG(text));
    return haft__hint(err, status, "write it like 250ms, 10s, 5m, 2h or 1d");
}

/* ---- numbers ---- */

/* Parses digits with at most one point, and "e+5" if `exponent`. Returns the number of bytes, 0 if
 * there is no number. */
static size_t parse_number(haft_str text, bool exponent, decimal *ret_number)
{
    size_t at = 0, points = 0, digits = 0, before = 0;
    for (; at < text.len && (haft__ascii_is_digit(text.ptr[at]) || text.ptr[at] == '.'); at++) {
        points += text.ptr[at] == '.';
        digits += text.ptr[at] != '.';
        before += text.ptr[at] != '.' && points == 0;
    }
    if (before == 0 || points > 1 || (points == 1 && digits == before)) {
        return 0;
    }
    *ret_number = (decimal){{text.ptr, at}, (int64_t)before};
    if (!exponent || at == text.len) {
        return at;
    }
    /* In a JSON number an exponent follows. */
    bool negative = text.ptr[++at] == '-';
    int64_t power = 0;
    for (at += !haft__ascii_is_digit(text.ptr[at]); at < text.len; at++) {
        power = power < LARGEST_POWER ? power * 10 + (text.ptr[at] - '0') : power;
    }
    ret_number->point += negative ? -power : power;
    return at;
}

static bool add_digit(uint64_t *number, char digit)
{
    uint64_t value = (uint64_t)(digit - '0');
    if (*number > (UINT64_MAX - value) / 10) {
        return false;
    }
    *number = *number * 10 + value;
    return true;
}

/* The integer made of the digits from position `from` to `to`; missing digits are zeros. False if
 * it does not fit. */
static bool integer_of(const decimal *number, int64_t from, int64_t to, uint64_t *ret_value)
{
    uint64_t value = 0;
    int64_t place = 0;
    for (size_t i = 0; i < number->digits.len && place < to; i++) {
        if (number->digits.ptr[i] != '.') {
            if (place >= from && !add_digit(&value, number->digits.ptr[i])) {
                return false;
            }
            place++;
        }
    }
    for (; place < to && value != 0; place++) {
        if (!add_digit(&value, '0')) {
            return false;
        }
    }
    *ret_value = value;
    return true;
}

/* One more than the position of the last nonzero digit. */
static int64_t significant(const decimal *number)
{
    int64_t place = 0, last = 0;
    for (size_t i = 0; i < number->digits.len; i++) {
        if (number->digits.ptr[i] != '.') {
            place++;
            last = number->digits.ptr[i] != '0' ? place : last;
        }
    }
    return last;
}

/* ---- durations ---- */

static haft_status too_long(haft_str text, haft_error *err)
{
    return haft__fail(err, HAFT_TOO_BIG, "", "'%.*s' is too long for a duration", HAFT__ARG(text));
}

/* The milliseconds of the digits after the point. */
static bool fraction_ms(const decimal *number, uint64_t unit, uint64_t *ret_ms)
{
    int64_t last = significant(number), first = number->point > 0 ? number->point : 0;
    int64_t count = last - number->point;
    uint64_t digits = 0, scale = 1;
    if (last <= first) {
        *ret_ms = 0;
        return true;
    }
    if (count > FRACTION_DIGITS || !integer_of(number, first, last, &digits)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        scale *= 10;
    }
    *ret_ms = digits * unit / scale; /* 10^10 times a day fits into 64 bits */
    return digits * unit % scale == 0;
}

static haft_status multiply(const decimal *number, uint64_t unit, haft_str text, uint64_t *ret_ms,
                            haft_error *err)
{
    uint64_t whole = 0, fraction = 0;
    if (!integer_of(number, 0, number->point, &whole) || whole > UINT64_MAX / unit) {
        return too_long(text, err);
    }
    if (!fraction_ms(number, unit, &fraction)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "'%.*s' is not a whole number of milliseconds",
                          HAFT__ARG(text));
    }
    if (whole * unit > UINT64_MAX - fraction) {
        return too_long(text, err);
    }
    *ret_ms = whole * unit + fraction;
    return HAFT_OK;
}

haft_status haft__duration_parse(haft_str text, uint64_t *ret_ms, haft_error *err)
{
    decimal number = {0};
    size_t taken = parse_number(text, false, &number);
    if (taken == 0) {
        return bad_duration(text, err);
    }
    haft_str name = haft__str_skip(text, taken);
    if (name.len == 0) {
        return multiply(&number, 1000, text, ret_ms, err);
    }
    for (size_t i = 0; i < COUNT(units); i++) {
        if (haft__str_equal(name, haft__str(units[i].name))) {
            return multiply(&number, units[i].ms, text, ret_ms, err);
        }
    }
    return bad_duration(text, err);
}

haft_status haft__duration_read(haft__json value, uint64_t *ret_ms, haft_error *err)
{
    haft_str text = haft__json_text(value);
    if (value.kind == HAFT__JSON_STRING) {
        return haft__duration_parse(text, ret_ms, err);
    }
    if (value.kind != HAFT__JSON_NUMBER) {
        haft_status status = haft__json_fail_type(value, "", "a duration", err);
        return haft__hint(err, status, "write it like 250ms, 10s, 5m, 2h or 1d");
    }
    decimal number = {0};
    if (parse_number(text, true, &number) == 0) {
        return bad_duration(text, err);
    }
    return multiply(&number, 1000, text, ret_ms, err);
}

haft_str haft__duration_text(uint64_t ms, char to[HAFT__DURATION_BYTES])
{
    size_t i = 0;
    while (ms % units[i].ms != 0) { /* ends at milliseconds */
        i++;
    }
    int length = snprintf(to, HAFT__DURATION_BYTES, "%" PRIu64 "%s", ms / units[i].ms,
                          ms > 0 ? units[i].name : "s");
    return (haft_str){to, (size_t)length};
}
