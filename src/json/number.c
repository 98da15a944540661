/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - exact arithmetic on numbers as they were written.
 *
 * Most numbers are integers of a few digits and take a fast path; all others go through
 * json/decimal.h. Doubles are in number_double.c. Tests: tests/json/number_test.c.
 */
#include "json/number.h"

#include <stddef.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/bigint.h"
#include "json/decimal.h"

#define SHORT_DIGITS 18 /* these always fit an int64_t */
#define U64_DIGITS   19 /* these always fit a uint64_t */

/* An integer of at most 18 digits without point and exponent. */
static bool to_short(haft_str a, int64_t *ret_number)
{
    bool negative = a.len > 0 && a.ptr[0] == '-';
    size_t at = negative ? 1 : 0;
    if (a.len - at > SHORT_DIGITS) {
        return false;
    }
    int64_t number = 0;
    for (; at < a.len; at++) {
        unsigned digit = (unsigned)(unsigned char)a.ptr[at] - '0';
        if (digit > 9) {
            return false;
        }
        number = number * 10 + digit;
    }
    *ret_number = negative ? -number : number;
    return true;
}

int haft__number_compare(haft_str a, haft_str b)
{
    int64_t a_short, b_short;
    if (to_short(a, &a_short) && to_short(b, &b_short)) {
        return (a_short > b_short) - (a_short < b_short);
    }
    haft__decimal a_parts = haft__decimal_parse(a), b_parts = haft__decimal_parse(b);
    return haft__decimal_compare(&a_parts, &b_parts);
}

static bool is_plain(haft_str a)
{
    for (size_t i = 0; i < a.len; i++) {
        if (a.ptr[i] > '9' || a.ptr[i] == '.') { /* "e" and "E" are the only letters */
            return false;
        }
    }
    return true;
}

bool haft__number_is_integer(haft_str a)
{
    if (is_plain(a)) {
        return true;
    }
    haft__decimal d = haft__decimal_parse(a);
    return haft__decimal_count(&d) == 0 || haft__decimal_last_power(&d) >= 0;
}

/* The magnitude of an integer, if it fits. */
static bool to_magnitude(const haft__decimal *d, uint64_t *ret_number)
{
    if (d->exponent >= U64_DIGITS) {
        return false;
    }
    uint64_t number = haft__decimal_to_u64(d);
    for (int64_t power = haft__decimal_last_power(d); power > 0; power--) {
        number *= 10;
    }
    *ret_number = number;
    return true;
}

bool haft__number_to_int64(haft_str a, int64_t *ret_number)
{
    if (to_short(a, ret_number)) {
        return true;
    }
    haft__decimal d = haft__decimal_parse(a);
    if (haft__decimal_count(&d) == 0) {
        *ret_number = 0;
        return true;
    }
    uint64_t number;
    if (haft__decimal_last_power(&d) < 0 || !to_magnitude(&d, &number)
        || number > (uint64_t)INT64_MAX + d.negative) {
        return false;
    }
    /* The minimum has no positive counterpart, so it is never computed as a positive number. */
    *ret_number = d.negative ? -(int64_t)(number - 1) - 1 : (int64_t)number;
    return true;
}

/* Removes the factors 2 and 5 of `divisor` that `tens` factors 10 of the value cancel. */
static uint64_t without_tens(uint64_t divisor, int64_t tens)
{
    for (; tens > 0 && divisor % 2 == 0; tens--) {
        divisor /= 2;
    }
    for (; tens > 0 && divisor % 5 == 0; tens--) {
        divisor /= 5;
    }
    return divisor;
}

static void to_bigint(const haft__decimal *d, haft__bigint *ret_number)
{
    haft__bigint_set(ret_number, 0);
    size_t count = haft__decimal_count(d);
    for (size_t at = 0; at < count;) {
        uint64_t chunk = 0, scale = 1;
        for (size_t left = U64_DIGITS; left > 0 && at < count; left--, at++) {
            chunk = chunk * 10 + haft__decimal_digit(d, at);
            scale *= 10;
        }
        haft__bigint_multiply_add(ret_number, scale, chunk);
    }
}

static bool is_long_multiple(const haft__decimal *value, const haft__decimal *divisor, int64_t tens)
{
    haft__bigint a, b;
    to_bigint(value, &a);
    to_bigint(divisor, &b);
    uint32_t twos = haft__bigint_trailing_zeros(&b);
    uint32_t max = tens < UINT32_MAX ? (uint32_t)tens : UINT32_MAX;
    haft__bigint_shift_right(&b, twos < max ? twos : max);
    if (twos == 0) {
        haft__bigint_remove_fives(&b, max);
    }
    return haft__bigint_is_multiple(&a, &b);
}

/*
 * Let V and D be the digits of the two numbers as integers, neither ending in 0, and `tens` the
 * difference of their powers of ten. Is V * 10^tens a multiple of D?
 *   - If `tens` is negative, V would have to be a multiple of 10, and it is not.
 *   - Otherwise D has no factor 10 either, so it has factors 2 or factors 5, but not both. Each ten
 *     cancels one of them and nothing else: they are removed from D, and the tens can be ignored.
 *     So no exponent, however large, makes this slow.
 */
haft_status haft__number_is_multiple(haft_str value, haft_str divisor, bool *ret_multiple,
                                     haft_error *err)
{
    int64_t short_value, short_divisor;
    if (to_short(value, &short_value) && to_short(divisor, &short_divisor) && short_divisor != 0) {
        *ret_multiple = short_value % short_divisor == 0;
        return HAFT_OK;
    }
    haft__decimal v = haft__decimal_parse(value), d = haft__decimal_parse(divisor);
    size_t v_count = haft__decimal_count(&v), d_count = haft__decimal_count(&d);
    if (d_count == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "nothing is a multiple of %.*s",
                          HAFT__ARG(divisor));
    }
    int64_t tens = haft__decimal_last_power(&v) - haft__decimal_last_power(&d);
    if (v_count == 0 || tens < 0) {
        *ret_multiple = v_count == 0;
        return HAFT_OK;
    }
    if (v_count <= U64_DIGITS && d_count <= U64_DIGITS) {
        uint64_t rest = without_tens(haft__decimal_to_u64(&d), tens);
        *ret_multiple = haft__decimal_to_u64(&v) % rest == 0;
        return HAFT_OK;
    }
    if (v_count > HAFT__LIMIT_JSON_DIGITS || d_count > HAFT__LIMIT_JSON_DIGITS) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "dividing takes %zu digits, and at most %d are allowed",
                          v_count > d_count ? v_count : d_count, HAFT__LIMIT_JSON_DIGITS);
    }
    *ret_multiple = is_long_multiple(&v, &d, tens);
    return HAFT_OK;
}

void haft__number_add_normal(haft__buf *buf, haft_str a)
{
    haft__decimal d = haft__decimal_parse(a);
    haft__decimal_add(buf, &d);
}

/* Digits past the limit are ignored: equal numbers still have equal hashes. */
uint64_t haft__number_hash(haft__hash_key key, haft_str a)
{
    struct parts {
        int64_t exponent;
        char digits[HAFT__LIMIT_JSON_DIGITS + 1]; /* after the sign */
    } parts;
    haft__decimal d = haft__decimal_parse(a);
    size_t count = haft__decimal_count(&d);
    count = count < HAFT__LIMIT_JSON_DIGITS ? count : HAFT__LIMIT_JSON_DIGITS;
    parts.exponent = d.exponent;
    parts.digits[0] = d.negative && count > 0 ? '-' : '+';
    for (size_t i = 0; i < count; i++) {
        parts.digits[i + 1] = (char)haft__decimal_digit(&d, i);
    }
    size_t length = offsetof(struct parts, digits) + 1 + count;
    return haft__hash(key, (haft_str){(const char *)&parts, length});
}
