/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/memory/sorted_array.h - a sorted array of pointers with binary search.
 *
 * New items mostly have the greatest key (ids and numbers grow), so insertion is cheap. Unlike
 * base/map.h, it can be iterated from any position and frees the slots of removed items.
 */
#ifndef HAFT_STORE_MEMORY_SORTED_ARRAY_H
#define HAFT_STORE_MEMORY_SORTED_ARRAY_H

#include <stdbool.h>

#include "haft.h"

typedef struct haft__sorted_array {
    /* Negative: the key sorts before the item. Zero: the key is that of the item. Positive: the key
     * sorts after the item. */
    int (*compare)(const void *key, const void *item);
    void **items;
    size_t count, capacity;
} haft__sorted_array;

/* Allocates nothing yet. */
void haft__sorted_array_init(haft__sorted_array *sorted,
                             int (*compare)(const void *key, const void *item));

/* Frees the array, not the items. May be called twice. */
void haft__sorted_array_finish(haft__sorted_array *sorted);

/* The index of the first item that does not sort before `key`; `count` if none does. */
size_t haft__sorted_array_lower_bound(const haft__sorted_array *sorted, const void *key,
                                      bool *ret_found);

/* The item with this key, or NULL. */
void *haft__sorted_array_get(const haft__sorted_array *sorted, const void *key);

/* Reserves a slot, so that the next haft__sorted_array_insert cannot fail. */
HAFT_MUST_USE haft_status haft__sorted_array_reserve(haft__sorted_array *sorted, haft_error *err);

/* Inserts at the index that haft__sorted_array_lower_bound returned for the item's key. */
void haft__sorted_array_insert(haft__sorted_array *sorted, size_t at, void *item);
void haft__sorted_array_remove(haft__sorted_array *sorted, size_t at);

/* Removes the items for which `keep` returns false. `keep` may free those. */
void haft__sorted_array_filter(haft__sorted_array *sorted, bool (*keep)(void *item, void *context),
                               void *context);

#endif
