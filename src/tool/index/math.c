/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.c - logarithm and square root from the four basic operations, whose results IEEE 754 defines
 * to the bit. The pure layers do not use libm, so that the rounding of a library cannot change the
 * order of results.
 *
 * Tests: tests/tool/index/math_test.c.
 */
#include "tool/index/math.h"

#define LN_2 0.69314718055994530942

double haft__search_log(double x)
{
    int halvings = 0;
    while (x > 1.5) { /* reduces x to 0.75 .. 1.5 */
        x *= 0.5;
        halvings++;
    }
    /* ln x = 2 artanh y = 2 (y + y^3/3 + y^5/5 ...); y is at most 0.2. */
    double y = (x - 1) / (x + 1), square = y * y, power = y, sum = 0;
    for (int i = 1; i < 30; i += 2) {
        sum += power / i;
        power *= square;
    }
    return 2 * sum + halvings * LN_2;
}

double haft__search_sqrt(double x)
{
    if (x <= 0) {
        return 0;
    }
    double scale = 1;
    while (x > 4) {
        x *= 0.25;
        scale *= 2;
    }
    while (x < 1) {
        x *= 4;
        scale *= 0.5;
    }
    double root = 1.5; /* Heron's method: five steps are exact except for the last bits */
    for (int i = 0; i < 6; i++) {
        root = 0.5 * (root + x / root);
    }
    return root * scale;
}

void haft__search_pack(const float *numbers, size_t dimensions, int8_t *row)
{
    float max = 0;
    for (size_t i = 0; i < dimensions; i++) {
        float size = numbers[i] < 0 ? -numbers[i] : numbers[i];
        max = size > max ? size : max;
    }
    for (size_t i = 0; i < dimensions; i++) {
        /* divides first: for the smallest numbers 127 / most would be infinite */
        float scaled = max > 0 ? numbers[i] / max * INT8_MAX : 0;
        row[i] = (int8_t)(scaled + (scaled < 0 ? -0.5F : 0.5F));
    }
}
