/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/math.h - the functions that scores need, the same on every machine. */
#ifndef HAFT_TOOL_INDEX_MATH_H
#define HAFT_TOOL_INDEX_MATH_H

#include <stddef.h>
#include <stdint.h>

/* The natural logarithm of a number that is at least 0.5 and finite. */
double haft__search_log(double x);

/* The square root of a finite number that is not negative. */
double haft__search_sqrt(double x);

/* A vector as signed bytes, the greatest as great as can be: its direction is what counts. */
void haft__search_pack(const float *numbers, size_t dimensions, int8_t *row);

#endif
