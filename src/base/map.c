/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - an insertion-ordered hash map with linear probing, at most half full.
 *
 * After growing, the old tables stay in the arena. Because tables double, the old tables take at
 * most as much memory as the map itself. Tests: tests/base/map_test.c.
 */
#include "base/map.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

#define FIRST_CAPACITY 8U
#define LAST_CAPACITY  (1U << 30)

void haft__map_init(haft__map *map, haft__arena *arena, haft__hash_key key)
{
    *map = (haft__map){.hash_key = key, .arena = arena};
}

/* The slot of `key`, or a free slot for it. The map must have slots. */
static uint32_t *slot_of(const haft__map *map, haft_str key, uint64_t hash)
{
    uint32_t mask = 2 * map->capacity - 1;
    for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &map->slots[at];
        if (*slot == 0) {
            return slot;
        }
        const haft__map_entry *entry = &map->entries[*slot - 1];
        if (entry->hash == hash && haft__str_equal(entry->key, key)) {
            return slot;
        }
    }
}

haft__map_entry *haft__map_find(const haft__map *map, haft_str key)
{
    if (map->count == 0) {
        return NULL;
    }
    uint32_t slot = *slot_of(map, key, haft__hash(map->hash_key, key));
    return slot > 0 ? &map->entries[slot - 1] : NULL;
}

void *haft__map_get(const haft__map *map, haft_str key)
{
    const haft__map_entry *entry = haft__map_find(map, key);
    return entry != NULL ? entry->value : NULL;
}

static haft_status grow(haft__map *map, haft_error *err)
{
    if (map->capacity >= LAST_CAPACITY) {
        return haft__fail(err, HAFT_TOO_BIG, "", "more than %u keys in a map", LAST_CAPACITY);
    }
    uint32_t capacity = map->capacity > 0 ? map->capacity * 2 : FIRST_CAPACITY;
    haft__map_entry *entries = haft__arena_array(map->arena, capacity, sizeof(*entries));
    uint32_t *slots = haft__arena_array(map->arena, (size_t)capacity * 2, sizeof(*slots));
    if (entries == NULL || slots == NULL) {
        return haft__arena_fail(map->arena, err);
    }
    if (map->entries != NULL) {
        memcpy(entries, map->entries, map->count * sizeof(*entries));
    }
    map->entries = entries;
    map->slots = slots;
    map->capacity = capacity;
    for (uint32_t i = 0; i < map->count; i++) {
        *slot_of(map, entries[i].key, entries[i].hash) = i + 1;
    }
    return HAFT_OK;
}

haft_status haft__map_put(haft__map *map, haft_str key, void *value, haft_error *err)
{
    haft__map_entry *known = haft__map_find(map, key);
    if (known != NULL) {
        known->value = value;
        return HAFT_OK;
    }
    if (map->count == map->capacity) {
        haft_status status = grow(map, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    assert(map->entries != NULL && map->count < map->capacity);
    uint64_t hash = haft__hash(map->hash_key, key);
    map->entries[map->count] = (haft__map_entry){key, hash, value};
    *slot_of(map, key, hash) = ++map->count;
    return HAFT_OK;
}
