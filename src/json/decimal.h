/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/decimal.h - the parts of a number as it was written, only for json/number.h.
 *
 * Nothing is copied: the digits stay in the text, in one or two pieces, because a point may
 * separate them. Leading and trailing zeros are left out, so two numbers are equal if and only if
 * their parts are equal.
 */
#ifndef HAFT_JSON_DECIMAL_H
#define HAFT_JSON_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "haft.h"

/* The maximum exponent; a larger one counts as this. */
#define HAFT__DECIMAL_EXPONENT_MAX ((int64_t)1000000000000000)

/* D.DDD * 10^exponent. Zero has no digits and exponent 0. */
typedef struct haft__decimal {
    haft_str head, tail; /* the digits, in two pieces */
    int64_t exponent;
    bool negative; /* also for zero: -0 is written that way */
} haft__decimal;

/* `text` has the syntax of a JSON number. */
haft__decimal haft__decimal_parse(haft_str text);

static inline size_t haft__decimal_count(const haft__decimal *d)
{
    return d->head.len + d->tail.len;
}

/* The digit at `at`, 0 to 9; `at` is less than the count. */
static inline unsigned haft__decimal_digit(const haft__decimal *d, size_t at)
{
    char c = at < d->head.len ? d->head.ptr[at] : d->tail.ptr[at - d->head.len];
    return (unsigned)(c - '0');
}

/* The power of ten that the last digit stands for. */
static inline int64_t haft__decimal_last_power(const haft__decimal *d)
{
    return d->exponent - (int64_t)haft__decimal_count(d) + 1;
}

/* The digits as one number; there are at most 19. */
uint64_t haft__decimal_to_u64(const haft__decimal *d);

/* Negative, zero or positive. */
int haft__decimal_compare(const haft__decimal *a, const haft__decimal *b);

/* Appends its normal spelling (haft__number_add_normal). The sign of zero is not written. */
void haft__decimal_add(haft__buf *buf, const haft__decimal *d);

/* Writes `number` in decimal and returns how many characters that takes. */
#define HAFT__DECIMAL_U64_MAX 20
size_t haft__decimal_from_u64(uint64_t number, char to[HAFT__DECIMAL_U64_MAX]);

#endif
