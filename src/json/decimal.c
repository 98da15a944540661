/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c - parses numbers into parts and writes them. Tests: tests/json/decimal_test.c. */
#include "json/decimal.h"

#include <string.h>

#include "base/ascii.h"

/* Integers up to this many digits are spelled without an exponent, like ECMAScript does. */
#define PLAIN_DIGITS 21
/* The most zeros after the point of a number that is spelled without an exponent. */
#define PLAIN_ZEROS 5
/* Parsing of an exponent stops here. The value is so large that adding the power of the first digit
 * cannot bring it below HAFT__DECIMAL_EXPONENT_MAX. */
#define EXPONENT_STOP ((int64_t)100000000000000000)

/* Returns the digits at *at and moves *at past them. */
static haft_str take_digits(haft_str text, size_t *at)
{
    size_t start = *at;
    while (*at < text.len && haft__ascii_is_digit(text.ptr[*at])) {
        ++*at;
    }
    return (haft_str){text.ptr + start, *at - start};
}

/* The exponent after the "e" at `at`. */
static int64_t parse_exponent(haft_str text, size_t at)
{
    if (at >= text.len) {
        return 0;
    }
    at++;
    bool negative = at < text.len && text.ptr[at] == '-';
    if (at < text.len && !haft__ascii_is_digit(text.ptr[at])) {
        at++;
    }
    int64_t exponent = 0;
    for (; at < text.len && exponent < EXPONENT_STOP; at++) {
        exponent = exponent * 10 + (text.ptr[at] - '0');
    }
    return negative ? -exponent : exponent;
}

static size_t skip_leading_zeros(haft_str *digits)
{
    size_t count = 0;
    while (count < digits->len && digits->ptr[count] == '0') {
        count++;
    }
    digits->ptr += count;
    digits->len -= count;
    return count;
}

static void drop_trailing_zeros(haft_str *digits)
{
    while (digits->len > 0 && digits->ptr[digits->len - 1] == '0') {
        digits->len--;
    }
}

static int64_t clamp(int64_t exponent)
{
    int64_t max = HAFT__DECIMAL_EXPONENT_MAX;
    return exponent > max ? max : exponent < -max ? -max : exponent;
}

haft__decimal haft__decimal_parse(haft_str text)
{
    haft__decimal d = {.tail = {text.ptr, 0}};
    size_t at = 0;
    if (text.len > 0 && text.ptr[0] == '-') {
        d.negative = true;
        at++;
    }
    d.head = take_digits(text, &at);
    if (at < text.len && text.ptr[at] == '.') {
        at++;
        d.tail = take_digits(text, &at);
    }
    (void)skip_leading_zeros(&d.head);
    int64_t first = (int64_t)d.head.len
                    - 1; /* the power of ten of the first digit, before the exponent is added */
    if (d.head.len == 0) {
        first -= (int64_t)skip_leading_zeros(&d.tail);
    }
    drop_trailing_zeros(&d.tail);
    if (d.tail.len == 0) {
        drop_trailing_zeros(&d.head);
    }
    if (haft__decimal_count(&d) > 0) {
        d.exponent = clamp(first + parse_exponent(text, at));
    }
    return d;
}

uint64_t haft__decimal_to_u64(const haft__decimal *d)
{
    uint64_t number = 0;
    for (size_t i = 0; i < haft__decimal_count(d); i++) {
        number = number * 10 + haft__decimal_digit(d, i);
    }
    return number;
}

/* Ignores the sign. */
static int compare_magnitudes(const haft__decimal *a, const haft__decimal *b)
{
    if (a->exponent != b->exponent) {
        return a->exponent < b->exponent ? -1 : 1;
    }
    size_t a_count = haft__decimal_count(a), b_count = haft__decimal_count(b);
    for (size_t i = 0; i < a_count && i < b_count; i++) {
        unsigned a_digit = haft__decimal_digit(a, i), b_digit = haft__decimal_digit(b, i);
        if (a_digit != b_digit) {
            return a_digit < b_digit ? -1 : 1;
        }
    }
    return (a_count > b_count) - (a_count < b_count);
}

static int sign_of(const haft__decimal *d)
{
    return haft__decimal_count(d) == 0 ? 0 : d->negative ? -1 : 1;
}

int haft__decimal_compare(const haft__decimal *a, const haft__decimal *b)
{
    int a_sign = sign_of(a), b_sign = sign_of(b);
    if (a_sign != b_sign) {
        return a_sign < b_sign ? -1 : 1;
    }
    return a_sign == 0 ? 0 : a_sign * compare_magnitudes(a, b);
}

size_t haft__decimal_from_u64(uint64_t number, char to[HAFT__DECIMAL_U64_MAX])
{
    char digits[HAFT__DECIMAL_U64_MAX];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(to, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

static void add_zeros(haft__buf *buf, int64_t count)
{
    static const char zeros[PLAIN_DIGITS] = "000000000000000000000";
    haft__buf_add(buf, zeros, (size_t)count);
}

/* The digits in [from, to), as far as they exist. */
static void add_digits(haft__buf *buf, const haft__decimal *d, size_t from, size_t to)
{
    haft_str pieces[] = {d->head, d->tail};
    for (size_t i = 0, before = 0; i < 2; before += pieces[i].len, i++) {
        size_t start = from > before ? from - before : 0;
        size_t end = to > before ? to - before : 0;
        end = end < pieces[i].len ? end : pieces[i].len;
        if (start < end) {
            haft__buf_add(buf, pieces[i].ptr + start, end - start);
        }
    }
}

static void add_scientific(haft__buf *buf, const haft__decimal *d)
{
    size_t count = haft__decimal_count(d);
    add_digits(buf, d, 0, 1);
    if (count > 1) {
        haft__buf_add_char(buf, '.');
        add_digits(buf, d, 1, count);
    }
    haft__buf_add(buf, "e-", d->exponent < 0 ? 2 : 1);
    uint64_t exponent = (uint64_t)(d->exponent < 0 ? -d->exponent : d->exponent);
    char text[HAFT__DECIMAL_U64_MAX];
    haft__buf_add(buf, text, haft__decimal_from_u64(exponent, text));
}

/* Needs no exponent: from 0.00000D to D followed by 20 more digits. */
static void add_plain(haft__buf *buf, const haft__decimal *d)
{
    size_t count = haft__decimal_count(d);
    size_t whole = d->exponent < 0 ? 0 : (size_t)d->exponent + 1;
    if (whole == 0) {
        haft__buf_add(buf, "0.", 2);
        add_zeros(buf, -d->exponent - 1);
        add_digits(buf, d, 0, count);
        return;
    }
    add_digits(buf, d, 0, whole);
    if (count > whole) {
        haft__buf_add_char(buf, '.');
        add_digits(buf, d, whole, count);
    } else {
        add_zeros(buf, (int64_t)(whole - count));
    }
}

void haft__decimal_add(haft__buf *buf, const haft__decimal *d)
{
    if (haft__decimal_count(d) == 0) {
        haft__buf_add_char(buf, '0');
        return;
    }
    if (d->negative) {
        haft__buf_add_char(buf, '-');
    }
    if (d->exponent < PLAIN_DIGITS && d->exponent >= -PLAIN_ZEROS - 1) {
        add_plain(buf, d);
    } else {
        add_scientific(buf, d);
    }
}
