/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/bigint.h - natural numbers of a fixed maximum size, only for json/number.h.
 *
 * They are on the caller's stack, never on the heap: the longest number that haft divides has
 * HAFT__LIMIT_JSON_DIGITS digits, and converting decimals to doubles needs far less. A result that
 * does not fit is a bug (asserted).
 */
#ifndef HAFT_JSON_BIGINT_H
#define HAFT_JSON_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

/* 10/3 bits per digit, rounded up, and a spare word for a carry. */
#define HAFT__BIGINT_WORDS (HAFT__LIMIT_JSON_DIGITS * 10 / 3 / 64 + 3)

typedef struct haft__bigint {
    uint32_t count;                     /* of words in use; the highest of them is not 0 */
    uint64_t words[HAFT__BIGINT_WORDS]; /* lowest first; not initialised from `count` on */
} haft__bigint;

void haft__bigint_set(haft__bigint *a, uint64_t value);
void haft__bigint_copy(haft__bigint *a, const haft__bigint *b);

/* a = a * factor + addend */
void haft__bigint_multiply_add(haft__bigint *a, uint64_t factor, uint64_t addend);

/* a = a * 5^power, a = a * 10^power */
void haft__bigint_multiply_5(haft__bigint *a, uint32_t power);
void haft__bigint_multiply_10(haft__bigint *a, uint32_t power);

void haft__bigint_shift_left(haft__bigint *a, uint32_t bits);
void haft__bigint_shift_right(haft__bigint *a, uint32_t bits);

/* a = a + b, a = a - b (b is not greater) */
void haft__bigint_add(haft__bigint *a, const haft__bigint *b);
void haft__bigint_subtract(haft__bigint *a, const haft__bigint *b);

/* Negative, zero or positive. */
int haft__bigint_compare(const haft__bigint *a, const haft__bigint *b);

/* The number of bits up to the highest 1; 0 for 0. */
uint32_t haft__bigint_bits(const haft__bigint *a);

/* The number of times 2 divides a, which is not 0. */
uint32_t haft__bigint_trailing_zeros(const haft__bigint *a);

/* Divides a, which is not 0, by 5 as often as possible, at most `max` times. */
void haft__bigint_remove_fives(haft__bigint *a, uint32_t max);

/* Whether a is a multiple of b, which is not 0. Overwrites both. */
bool haft__bigint_is_multiple(haft__bigint *a, haft__bigint *b);

#endif
