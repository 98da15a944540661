/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/map.h - a map from text to pointer, in an arena.
 *
 * Keys are borrowed and must live as long as the map. Entries keep insertion order, so iteration is
 * deterministic for every hash key. Entries are never removed.
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
    haft__map_entry *entries; /* in insertion order */
    uint32_t count, capacity;
    uint32_t *slots; /* 2 * capacity slots: 1 + index into entries, or 0 if free */
    haft__hash_key hash_key;
    haft__arena *arena;
} haft__map;

/* Allocates nothing yet. */
void haft__map_init(haft__map *map, haft__arena *arena, haft__hash_key key);

/* The entry of `key`, or NULL. It is borrowed until the next put. */
haft__map_entry *haft__map_find(const haft__map *map, haft_str key);

/* The value of `key`, or NULL. */
void *haft__map_get(const haft__map *map, haft_str key);

/* Sets the value of `key`; adds or replaces it. */
HAFT_MUST_USE haft_status haft__map_put(haft__map *map, haft_str key, void *value, haft_error *err);

#endif
