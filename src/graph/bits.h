/* SPDX-License-Identifier: Apache-2.0 */
/* graph/bits.h - a matrix of bits, for relations between nodes. Tests: tests/graph/bits_test.c. */
#ifndef HAFT_GRAPH_BITS_H
#define HAFT_GRAPH_BITS_H

#include "base/arena.h"

typedef struct haft__bits {
    uint64_t *words; /* NULL: out of memory */
    size_t width;    /* number of words in a row */
} haft__bits;

static inline haft__bits haft__bits_create(haft__arena *arena, size_t rows, size_t columns)
{
    size_t width = columns / 64 + 1;
    return (haft__bits){.words = haft__arena_array(arena, rows * width, sizeof(uint64_t)),
                        .width = width};
}

static inline bool haft__bits_has(haft__bits bits, size_t row, size_t column)
{
    return (bits.words[row * bits.width + column / 64] >> (column % 64) & 1) != 0;
}

/* Sets a bit. Returns true if the bit was not set before. */
static inline bool haft__bits_set(haft__bits bits, size_t row, size_t column)
{
    uint64_t *word = &bits.words[row * bits.width + column / 64];
    uint64_t bit = (uint64_t)1 << (column % 64);
    bool added = (*word & bit) == 0;
    *word |= bit;
    return added;
}

/* Adds the bits of another row. Returns true if a bit was not set before. */
static inline bool haft__bits_add(haft__bits bits, size_t row, haft__bits from, size_t from_row)
{
    uint64_t added = 0;
    for (size_t w = 0; w < bits.width; w++) {
        uint64_t *word = &bits.words[row * bits.width + w];
        uint64_t other = from.words[from_row * from.width + w];
        added |= other & ~*word;
        *word |= other;
    }
    return added != 0;
}

#endif
