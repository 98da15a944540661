/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bigint.c - natural numbers as arrays of 64-bit words.
 *
 * Divisibility is decided from the low end: an odd number has an inverse modulo 2^64, so each step
 * computes a word of the quotient with one multiplication and makes the lowest word zero. If the
 * division is exact, every word becomes zero; no quotient word is estimated and corrected. Tests:
 * tests/json/bigint_test.c.
 */
#include "json/bigint.h"

#include <assert.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define FIVES_IN_A_WORD 27U                  /* 5^27 is the largest power of five below 2^64 */
#define FIVE_TO_THE_27  7450580596923828125U /* 5^27 */

static void trim(haft__bigint *a)
{
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        a->count--;
    }
}

static void push(haft__bigint *a, uint64_t word)
{
    if (word != 0) {
        assert(a->count < HAFT__BIGINT_WORDS);
        a->words[a->count++] = word;
    }
}

void haft__bigint_set(haft__bigint *a, uint64_t value)
{
    a->count = 0;
    push(a, value);
}

void haft__bigint_copy(haft__bigint *a, const haft__bigint *b)
{
    a->count = b->count;
    memcpy(a->words, b->words, b->count * sizeof(b->words[0]));
}

void haft__bigint_multiply_add(haft__bigint *a, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < a->count; i++) {
        wide product = (wide)a->words[i] * factor + carry;
        a->words[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    push(a, carry);
    trim(a); /* for factor 0 */
}

static uint64_t power_of_5(uint32_t power)
{
    uint64_t result = 1;
    while (power-- > 0) {
        result *= 5;
    }
    return result;
}

void haft__bigint_multiply_5(haft__bigint *a, uint32_t power)
{
    for (; power >= FIVES_IN_A_WORD; power -= FIVES_IN_A_WORD) {
        haft__bigint_multiply_add(a, FIVE_TO_THE_27, 0);
    }
    haft__bigint_multiply_add(a, power_of_5(power), 0);
}

void haft__bigint_multiply_10(haft__bigint *a, uint32_t power)
{
    haft__bigint_multiply_5(a, power);
    haft__bigint_shift_left(a, power);
}

void haft__bigint_shift_left(haft__bigint *a, uint32_t bits)
{
    uint32_t whole = bits / 64, part = bits % 64;
    if (a->count == 0) {
        return;
    }
    if (part > 0) {
        uint64_t carry = 0;
        for (uint32_t i = 0; i < a->count; i++) {
            uint64_t word = a->words[i];
            a->words[i] = word << part | carry;
            carry = word >> (64 - part);
        }
        push(a, carry);
    }
    if (whole > 0) {
        assert(whole <= HAFT__BIGINT_WORDS - a->count);
        memmove(a->words + whole, a->words, a->count * sizeof(a->words[0]));
        memset(a->words, 0, whole * sizeof(a->words[0]));
        a->count += whole;
    }
}

void haft__bigint_shift_right(haft__bigint *a, uint32_t bits)
{
    uint32_t whole = bits / 64, part = bits % 64;
    if (whole >= a->count) {
        a->count = 0;
        return;
    }
    a->count -= whole;
    memmove(a->words, a->words + whole, a->count * sizeof(a->words[0]));
    if (part > 0) {
        for (uint32_t i = 0; i < a->count; i++) {
            uint64_t above = i + 1 < a->count ? a->words[i + 1] : 0;
            a->words[i] = a->words[i] >> part | above << (64 - part);
        }
    }
    trim(a);
}

void haft__bigint_add(haft__bigint *a, const haft__bigint *b)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < b->count || (carry > 0 && i < a->count); i++) {
        wide sum =
            (wide)(i < a->count ? a->words[i] : 0) + (i < b->count ? b->words[i] : 0) + carry;
        if (i == a->count) {
            assert(a->count < HAFT__BIGINT_WORDS);
            a->count++;
        }
        a->words[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    push(a, carry);
}

void haft__bigint_subtract(haft__bigint *a, const haft__bigint *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < b->count || (borrow > 0 && i < a->count); i++) {
        wide difference = (wide)a->words[i] - (i < b->count ? b->words[i] : 0) - borrow;
        a->words[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    assert(borrow == 0);
    trim(a);
}

int haft__bigint_compare(const haft__bigint *a, const haft__bigint *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? -1 : 1;
        }
    }
    return 0;
}

uint32_t haft__bigint_bits(const haft__bigint *a)
{
    if (a->count == 0) {
        return 0;
    }
    return a->count * 64 - (uint32_t)__builtin_clzll(a->words[a->count - 1]);
}

uint32_t haft__bigint_trailing_zeros(const haft__bigint *a)
{
    uint32_t i = 0;
    while (a->words[i] == 0) {
        i++;
    }
    return i * 64 + (uint32_t)__builtin_ctzll(a->words[i]);
}

/* The x with x * odd = 1 modulo 2^64. Each Newton step doubles the number of correct bits; an odd
 * number is its own inverse in three bits. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int right = 3; right < 64; right *= 2) {
        x *= 2 - odd * x;
    }
    return x;
}

/* words[0..count) -= factor * b, with the borrow carried to the end of `words`. Returns true if the
 * borrow passes the end: the difference is negative. */
static bool subtract_multiple(uint64_t *words, uint32_t count, uint64_t factor,
                              const haft__bigint *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        wide product = (wide)factor * b->words[i] + borrow;
        uint64_t low = (uint64_t)product;
        borrow = (uint64_t)(product >> 64) + (words[i] < low);
        words[i] -= low;
    }
    for (uint32_t i = b->count; i < count && borrow > 0; i++) {
        uint64_t before = words[i];
        words[i] -= borrow;
        borrow = before < borrow;
    }
    return borrow > 0;
}

/* Divides a by `odd` if there is no remainder; else a is unchanged. */
static bool divide_exactly(haft__bigint *a, uint64_t odd)
{
    haft__bigint quotient;
    quotient.count = a->count;
    uint64_t inverted = inverse(odd), carry = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t word = a->words[i] - carry;
        quotient.words[i] = word * inverted;
        carry = (uint64_t)((wide)quotient.words[i] * odd >> 64) + (a->words[i] < carry);
    }
    if (carry != 0) {
        return false;
    }
    trim(&quotient);
    haft__bigint_copy(a, &quotient);
    return true;
}

void haft__bigint_remove_fives(haft__bigint *a, uint32_t max)
{
    while (max >= FIVES_IN_A_WORD && divide_exactly(a, FIVE_TO_THE_27)) {
        max -= FIVES_IN_A_WORD;
    }
    while (max > 0 && divide_exactly(a, 5)) {
        max--;
    }
}

bool haft__bigint_is_multiple(haft__bigint *a, haft__bigint *b)
{
    if (a->count == 0) {
        return true;
    }
    uint32_t twos = haft__bigint_trailing_zeros(b);
    if (haft__bigint_trailing_zeros(a) < twos) {
        return false;
    }
    haft__bigint_shift_right(a, twos);
    haft__bigint_shift_right(b, twos);
    if (a->count < b->count) {
        return false;
    }
    uint64_t inverted = inverse(b->words[0]);
    for (uint32_t i = 0; i <= a->count - b->count; i++) {
        if (subtract_multiple(a->words + i, a->count - i, a->words[i] * inverted, b)) {
            return false; /* the quotient so far, times b, exceeds a: the division is not exact */
        }
    }
    trim(a);
    return a->count == 0;
}
