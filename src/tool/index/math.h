/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/math.h - math functions for scores, with the same result on every machine. */
#ifndef HAFT_TOOL_INDEX_MATH_H
#define HAFT_TOOL_INDEX_MATH_H

#include <stddef.h>
#include <stdint.h>

/* The natural logarithm of a finite number >= 0.5. */
double haft__search_log(double x);

/* The square root of a finite number >= 0. */
double haft__search_sqrt(double x);

/* Converts a vector to signed bytes, scaled so that the largest component uses the full range. Only
 * the direction matters. */
void haft__search_pack(const float *numbers, size_t dimensions, int8_t *row);

#endif
