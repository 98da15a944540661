/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.c - Damerau-Levenshtein distance (its restricted form) for short names.
 *
 * Tests: tests/base/nearest_test.c.
 */
#include "base/nearest.h"

#include <stdint.h>

#include "base/str.h"

#define LONGEST    64U
#define MOST_NAMES 1000U
#define MOST_REACH 3U

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint8_t least(unsigned a, unsigned b)
{
    return (uint8_t)(a < b ? a : b);
}

/* The next row of the table from the two before it; returns the smallest number in it. */
static uint8_t next_row(haft_str a, haft_str b, size_t i, uint8_t rows[3][LONGEST + 1])
{
    const uint8_t *before = rows[(i + 1) % 3], *last = rows[(i + 2) % 3];
    uint8_t *row = rows[i % 3];
    uint8_t smallest = row[0] = (uint8_t)i;
    for (size_t k = 1; k <= b.len; k++) {
        char x = fold(a.ptr[i - 1]), y = fold(b.ptr[k - 1]);
        row[k] = least(least(last[k] + 1U, row[k - 1] + 1U), last[k - 1] + (x != y));
        if (i > 1 && k > 1 && x == fold(b.ptr[k - 2]) && y == fold(a.ptr[i - 2])) {
            row[k] = least(row[k], before[k - 2] + 1U);
        }
        smallest = least(smallest, row[k]);
    }
    return smallest;
}

size_t haft__name_distance(haft_str a, haft_str b, size_t most)
{
    if (haft__str_equal(a, b)) {
        return 0;
    }
    size_t difference = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (a.len > LONGEST || b.len > LONGEST || difference > most) {
        return most + 1;
    }
    uint8_t rows[3][LONGEST + 1] = {{0}};
    for (size_t k = 0; k <= b.len; k++) {
        rows[0][k] = (uint8_t)k;
    }
    for (size_t i = 1; i <= a.len; i++) {
        /* A swap reaches back two rows, but never to less than the row between. */
        if (next_row(a, b, i, rows) > most + 1) {
            return most + 1;
        }
    }
    size_t distance = rows[a.len % 3][b.len];
    return distance <= most ? distance : most + 1;
}

size_t haft__name_reach(haft_str name)
{
    size_t reach = name.len / 3;
    return reach < MOST_REACH ? reach : MOST_REACH;
}

size_t haft__nearest(haft_str name, const haft_str *names, size_t count)
{
    size_t best = SIZE_MAX;
    size_t reach = haft__name_reach(name);
    for (size_t i = 0; i < count && i < MOST_NAMES; i++) {
        size_t distance = haft__name_distance(name, names[i], reach);
        if (distance <= reach) {
            best = i;
            if (distance == 0) {
                break;
            }
            reach = distance - 1;
        }
    }
    return best;
}
