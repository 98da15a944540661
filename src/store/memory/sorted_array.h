/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/memory/sorted_array.h - pointers in order, found by halving.
 *
 * What comes has mostly the greatest key (ids and numbers grow), so that adding is cheap, and
 * unlike base/map.h it can be walked from anywhere and forgets what is removed.
 */
#ifndef HAFT_STORE_MEMORY_SORTED_ARRAY_H
#define HAFT_STORE_MEMORY_SORTED_ARRAY_H

#include <stdbool.h>

#include "haft.h"

typedef struct haft__sorted_array {
    /* Negative, zero or positive: the key stands before the item, is its key, stands behind it. */
    int (*compare)(const void *key, const void *item);
    void **items;
    size_t count, capacity;
} haft__sorted_array;

/* Takes no memory yet. */
void haft__sorted_array_init(haft__sorted_array *sorted,
                             int (*compare)(const void *key, const void *item));

/* Gives its own memory back, not the items'. Fine twice. */
void haft__sorted_array_finish(haft__sorted_array *sorted);

/* Where the first item is that does not stand before `key`; `count` when there is none. */
size_t haft__sorted_array_lower_bound(const haft__sorted_array *sorted, const void *key,
                                      bool *ret_found);

/* The item of `key`, or NULL. */
void *haft__sorted_array_get(const haft__sorted_array *sorted, const void *key);

/* Room for one more, so that the next haft__sorted_array_insert cannot fail. */
HAFT_MUST_USE haft_status haft__sorted_array_reserve(haft__sorted_array *sorted, haft_error *err);

/* At the place that haft__sorted_array_lower_bound gave for its key. */
void haft__sorted_array_insert(haft__sorted_array *sorted, size_t at, void *item);
void haft__sorted_array_remove(haft__sorted_array *sorted, size_t at);

/* Leaves only those that `keep` says true for; it may give the others back. */
void haft__sorted_array_filter(haft__sorted_array *sorted, bool (*keep)(void *item, void *context),
                               void *context);

#endif
