/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/vec.h - growing arrays.
 *
 * The owner keeps a typed pointer, a count and a capacity (all 0 at first). Before it adds items,
 * it reserves the number it wants in total, and stores the pointer it gets back:
 *
 *     thing *things = haft__vec_reserve(list->things, &list->capacity, list->count + 1,
 *                                       sizeof(*things));
 *     if (things == NULL) {
 *         return haft__fail_no_memory(err);
 *     }
 *     list->things = things;
 *     list->things[list->count++] = next;
 *
 * The capacity doubles, so adding one item costs constant time on average. The owner checks its own
 * maximum: its error names the limit.
 */
#ifndef HAFT_BASE_VEC_H
#define HAFT_BASE_VEC_H

#include "base/arena.h"

/* The slow half of haft__vec_reserve. */
void *haft__vec_grow(void *items, size_t *io_capacity, size_t wanted, size_t item_size);

/* Room on the heap for `wanted` items, at least 1. Returns the array, which may have moved; the
 * caller frees it. Returns NULL if out of memory; `items` and its capacity then stay as they are.
 */
static inline void *haft__vec_reserve(void *items, size_t *io_capacity, size_t wanted,
                                      size_t item_size)
{
    return HAFT__LIKELY(wanted <= *io_capacity)
               ? items
               : haft__vec_grow(items, io_capacity, wanted, item_size);
}

/* The same in an arena. The first `count` items are copied if the array moves; new items are zero.
 * The old array stays in the arena. Returns NULL as haft__arena_alloc does. */
void *haft__vec_reserve_in(haft__arena *arena, void *items, size_t count, size_t *io_capacity,
                           size_t wanted, size_t item_size);

#endif
