/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suggestion.c - computes the edit distance with swaps of neighbours (optimal string alignment), in
 * three rows.
 *
 * A name is near enough if its distance is at most a third of the word's length, and at most three.
 * One edit is always allowed, except for a word of one letter. Tests: tests/base/suggestion_test.c.
 */
#include "base/suggestion.h"

#include <stdint.h>

#include "base/ascii.h"

#define MAX_SLIPS 3U

typedef uint8_t table[3][HAFT__LIMIT_SUGGESTION_BYTES + 1];
_Static_assert(HAFT__LIMIT_SUGGESTION_BYTES < UINT8_MAX, "a distance has to fit into a byte");

static uint8_t min(unsigned a, unsigned b)
{
    return (uint8_t)(a < b ? a : b);
}

/* rows[i % 3][k] is the distance from the first i bytes of `a` to the first k bytes of `b`. Fills
 * row i from the two previous rows and returns its minimum. */
static uint8_t next_row(haft_str a, haft_str b, size_t i, table rows)
{
    uint8_t *row = rows[i % 3];
    const uint8_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    uint8_t smallest = row[0] = (uint8_t)i;
    for (size_t k = 1; k <= b.len; k++) {
        char x = haft__ascii_lower(a.ptr[i - 1]), y = haft__ascii_lower(b.ptr[k - 1]);
        row[k] = min(above[k - 1] + (x != y), 1U + min(above[k], row[k - 1]));
        if (i > 1 && k > 1 && x == haft__ascii_lower(b.ptr[k - 2])
            && y == haft__ascii_lower(a.ptr[i - 2])) {
            row[k] = min(row[k], two_above[k - 2] + 1U);
        }
        smallest = min(smallest, row[k]);
    }
    return smallest;
}

size_t haft__suggestion_distance(haft_str a, haft_str b, size_t max)
{
    size_t difference = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (a.len > HAFT__LIMIT_SUGGESTION_BYTES || b.len > HAFT__LIMIT_SUGGESTION_BYTES
        || difference > max) {
        return max + 1;
    }
    table rows = {{0}};
    for (size_t k = 0; k <= b.len; k++) {
        rows[0][k] = (uint8_t)k;
    }
    for (size_t i = 1; i <= a.len; i++) {
        /* A row depends on the two previous rows, and the minima of neighbouring rows differ by at
         * most one. So if a row's minimum exceeds most + 1, no later row can have `max`. */
        if (next_row(a, b, i, rows) > max + 1) {
            return max + 1;
        }
    }
    size_t distance = rows[a.len % 3][b.len];
    return distance <= max ? distance : max + 1;
}

void haft__suggestion_init(haft__suggestion *near, haft_str word)
{
    size_t third = word.len / 3;
    size_t reach = third > MAX_SLIPS ? MAX_SLIPS : third;
    if (reach == 0 && word.len > 1) {
        reach = 1;
    }
    *near = (haft__suggestion){.word = word, .reach = reach, .left = HAFT__LIMIT_SUGGESTION_NAMES};
}

void haft__suggestion_offer(haft__suggestion *near, haft_str name)
{
    /* A name of a very different length is rejected immediately and does not count towards the
     * limit. */
    size_t longer =
        name.len > near->word.len ? name.len - near->word.len : near->word.len - name.len;
    if (near->left == 0 || longer > near->reach) {
        return;
    }
    near->left--;
    size_t distance = haft__suggestion_distance(near->word, name, near->reach);
    if (distance > near->reach) {
        return;
    }
    near->best = name;
    if (distance == 0) {
        near->left = 0;
    } else {
        near->reach = distance - 1;
    }
}
