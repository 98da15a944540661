/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/vec.h - growing arrays.
 *
 * The owner has a typed pointer, a count and a capacity (all 0 at first). Before it adds items, it
 * reserves the total number of items, and stores the returned pointer:
 *
 *     thing *things = haft__vec_reserve(list->things, &list->capacity, list->count + 1,
 *                                       sizeof(*things));
 *     if (things == NULL) {
 *         return haft__fail_no_memory(err);
 *     }
 *     list->things = things;
 *     list->things[list->count++] = next;
 *
 * The capacity doubles, so adding one item costs constant time on average. The owner checks the
 * maximum, because its error names the limit.
 */
#ifndef HAFT_BASE_VEC_H
#define HAFT_BASE_VEC_H

#include "base/arena.h"

/* The slow path of haft__vec_reserve. */
void *haft__vec_grow(void *items, size_t *io_capacity, size_t required, size_t item_size);

/* Reserves heap memory for `required` items, at least 1. Returns the array, which may have moved;
 * the caller frees it. If out of memory, returns NULL and leaves `items` and its capacity
 * unchanged. */
static inline void *haft__vec_reserve(void *items, size_t *io_capacity, size_t required,
                                      size_t item_size)
{
    return HAFT__LIKELY(required <= *io_capacity)
               ? items
               : haft__vec_grow(items, io_capacity, required, item_size);
}

/* Like haft__vec_reserve, in an arena. The first `count` items are copied if the array moves; new
 * items are zero. The old array stays in the arena. Returns NULL in the same cases as
 * haft__arena_alloc. */
void *haft__vec_reserve_in(haft__arena *arena, void *items, size_t count, size_t *io_capacity,
                           size_t required, size_t item_size);

#endif
