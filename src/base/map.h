/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/map.h - text to pointer, in an arena.
 *
 * Keys are borrowed and must live as long as the map. Entries keep the order in which they came,
 * so walking a map is deterministic whatever the hash key. Nothing is ever removed.
 */
#ifndef HAFT_BASE_MAP_H
#define HAFT_BASE_MAP_H

#include "base/arena.h"
#include "base/hash.h"

typedef struct haft__map_entry {
    haft_str key;
    uint64_t hash;
    void *value;
} haft__map_entry;

typedef struct haft__map {
    haft__map_entry *entries; /* in order of arrival */
    uint32_t count, capacity;
    uint32_t *slots; /* 1 + index into entries, 0 when free; 2 * capacity of them */
    haft__hash_key hash_key;
    haft__arena *arena;
} haft__map;

/* Takes no memory yet. */
void haft__map_init(haft__map *map, haft__arena *arena, haft__hash_key key);

/* The entry of `key`, or NULL. Borrowed until the next put. */
haft__map_entry *haft__map_find(const haft__map *map, haft_str key);

/* Its value, or NULL. */
void *haft__map_get(const haft__map *map, haft_str key);

/* Sets the value of `key`, whether it was there or not. */
HAFT_MUST_USE haft_status haft__map_put(haft__map *map, haft_str key, void *value, haft_error *err);

#endif
