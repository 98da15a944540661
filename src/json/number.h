/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/number.h - the exact value of a JSON number.
 *
 * Every function takes the number as it was written (valid JSON syntax) and works on its decimal
 * digits: no double, no locale, no rounding. An exponent of 10^15 or more counts as 10^15 (and
 * likewise for small numbers): the order of two such numbers is decided by their digits alone.
 */
#ifndef HAFT_JSON_NUMBER_H
#define HAFT_JSON_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "haft.h"

/* Negative, zero or positive. -0 equals 0; 1.0, 1 and 10e-1 are equal. */
int haft__number_compare(haft_str a, haft_str b);

/* Whether it has no fraction: true for 1, 1.0, 1e2, 120e-1; false for 1.5. */
bool haft__number_is_integer(haft_str a);

/* False when it has a fraction or does not fit. */
bool haft__number_to_int64(haft_str a, int64_t *ret_number);

/* The nearest double, ties to even; infinite when it is too large. */
double haft__number_to_double(haft_str a);

/* Whether value / divisor is an integer. `divisor` is greater than 0. TOO_BIG when one of the two
 * has more than HAFT__LIMIT_JSON_DIGITS digits. Allocates nothing. Constant time while both have at
 * most 19 digits, for any exponents; else quadratic in the longer one. */
HAFT_MUST_USE haft_status haft__number_is_multiple(haft_str value, haft_str divisor,
                                                   bool *ret_multiple, haft_error *err);

/* Appends the normal spelling of its value: an integer of up to 21 digits as plain digits ("100",
 * "-5", "0"), other values from 0.000001 up to there as plain decimals ("0.25"), else one digit,
 * fraction and exponent ("1.5e300", "1e-7"). Two numbers have the same spelling if and only if they
 * compare equal. For the longest numbers it can be up to 8 characters longer than the input, and so
 * longer than HAFT__LIMIT_JSON_NUMBER_BYTES. */
void haft__number_add_normal(haft__buf *buf, haft_str a);

/* Equal numbers have equal hashes. */
uint64_t haft__number_hash(haft__hash_key key, haft_str a);

/* Appends the fewest digits that read back as the same double, spelled as above ("0.1", "1e300";
 * "-0" for negative zero); "null" if it is not finite. */
void haft__number_add_double(haft__buf *buf, double number);

#endif
