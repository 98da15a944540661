/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near.c - edit distance with neighbour swaps (optimal string alignment), three rows at a time.
 *
 * A name is near enough when at most a third of the word is wrong, and always when it is one slip
 * away. Tests: tests/base/near_test.c.
 */
#include "base/near.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t haft__near_distance(haft_str a, haft_str b)
{
    if (a.len > HAFT__LIMIT_NEAR_BYTES || b.len > HAFT__LIMIT_NEAR_BYTES) {
        return SIZE_MAX;
    }
    /* rows[i % 3][j]: from the first i bytes of `a` to the first j bytes of `b`. */
    size_t rows[3][HAFT__LIMIT_NEAR_BYTES + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t change = above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            row[j] = smaller(change, 1 + smaller(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1]) {
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}

void haft__near_init(haft__near *near, haft_str word)
{
    size_t near_enough = word.len / 3 > 1 ? word.len / 3 : 1;
    *near = (haft__near){.word = word, .distance = near_enough + 1};
}

void haft__near_offer(haft__near *near, haft_str name)
{
    size_t distance = haft__near_distance(near->word, name);
    if (distance < near->distance) {
        near->distance = distance;
        near->best = name;
    }
}
