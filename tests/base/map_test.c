/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/map.c. */
#include "base/map.h"

#include "test.h"

static const haft__hash_key fixed_key = {11, 22};

static haft_str number_key(haft__arena *arena, unsigned i)
{
    return haft__arena_format(arena, "key %u", i);
}

/* Puts the keys number `from` to `to` - 1, each with the address of its element of `values`. */
static void put_numbers(haft__map *map, char *values, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        CHECK_INT(haft__map_put(map, number_key(map->arena, i), values + i, NULL), HAFT_OK,
                  "putting key %u", i);
    }
}

TEST(an_empty_map_has_nothing)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map map;
    haft__map_init(&map, &arena, fixed_key);
    CHECK(haft__map_find(&map, HAFT__LIT("x")) == NULL, "a key was found");
    CHECK(haft__map_get(&map, HAFT__LIT("")) == NULL, "the empty key has a value");
    CHECK_INT(arena.total, 0, "it takes no memory");
    haft__arena_finish(&arena);
}

TEST(keys_are_found_and_keep_their_order)
{
    enum { KEYS = 5000 };
    static char values[KEYS];
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map map;
    haft__map_init(&map, &arena, fixed_key);
    put_numbers(&map, values, 0, KEYS);
    CHECK_INT(map.count, KEYS, "count");
    for (unsigned i = 0; i < KEYS; i++) {
        haft_str key = number_key(&arena, i);
        CHECK(haft__map_get(&map, key) == values + i, "value of key %u", i);
        CHECK_STR(map.entries[i].key, key, "the keys keep their order");
    }
    CHECK(haft__map_get(&map, HAFT__LIT("key 5000")) == NULL, "one that was not put");
    haft__arena_finish(&arena);
}

TEST(putting_again_replaces_the_value_and_keeps_the_place)
{
    static char values[20], other;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map map;
    haft__map_init(&map, &arena, fixed_key);
    put_numbers(&map, values, 0, 20);
    CHECK_INT(haft__map_put(&map, HAFT__LIT("key 3"), &other, NULL), HAFT_OK, "put");
    CHECK_INT(map.count, 20, "count");
    CHECK(map.entries[3].value == &other, "the new value is in the old entry");
    CHECK(haft__map_get(&map, HAFT__LIT("key 3")) == &other, "the new value is found");
    CHECK_INT(haft__map_put(&map, HAFT__LIT("key 4"), NULL, NULL), HAFT_OK, "put NULL");
    CHECK(haft__map_get(&map, HAFT__LIT("key 4")) == NULL, "a value of NULL");
    CHECK(haft__map_find(&map, HAFT__LIT("key 4")) != NULL,
          "a key with the value NULL is still an entry");
    haft__arena_finish(&arena);
}

TEST(keys_are_compared_by_length_and_bytes)
{
    static char a, b, c, d;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map map;
    haft__map_init(&map, &arena, fixed_key);
    CHECK_INT(haft__map_put(&map, HAFT__LIT("x"), &a, NULL), HAFT_OK, "putting x");
    CHECK_INT(haft__map_put(&map, HAFT__LIT("x\0"), &b, NULL), HAFT_OK, "putting x and a NUL");
    CHECK_INT(haft__map_put(&map, HAFT__LIT(""), &c, NULL), HAFT_OK, "putting the empty key");
    CHECK_INT(haft__map_put(&map, HAFT__LIT("X"), &d, NULL), HAFT_OK, "putting X");
    CHECK(haft__map_get(&map, HAFT__LIT("x")) == &a, "x");
    CHECK(haft__map_get(&map, HAFT__LIT("x\0")) == &b, "x and a NUL");
    CHECK(haft__map_get(&map, (haft_str){NULL, 0}) == &c, "the empty key");
    CHECK(haft__map_get(&map, HAFT__LIT("X")) == &d, "X");
    haft__arena_finish(&arena);
}

TEST(order_does_not_depend_on_the_hash_key)
{
    static char values[100];
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__map one, two;
    haft__map_init(&one, &arena, fixed_key);
    haft__map_init(&two, &arena, (haft__hash_key){33, 44});
    put_numbers(&one, values, 0, 100);
    put_numbers(&two, values, 0, 100);
    for (unsigned i = 0; i < 100; i++) {
        CHECK_STR(one.entries[i].key, two.entries[i].key, "entry %u", i);
    }
    CHECK(one.entries[0].hash != two.entries[0].hash, "the hashes are the same");
    haft__arena_finish(&arena);
}

/* The number of slots that are read to find each key once. Without collisions it is the number of
 * keys. */
static size_t probes(const haft__map *map)
{
    size_t count = 0;
    uint32_t mask = 2 * map->capacity - 1;
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t at = (uint32_t)map->entries[i].hash & mask;
        for (count++; map->slots[at] != i + 1; count++) {
            at = (at + 1) & mask;
        }
    }
    return count;
}

TEST(finding_costs_the_same_however_many_keys_there_are)
{
    static char values[1];
    for (unsigned keys = 1 << 10; keys <= 1 << 16; keys <<= 2) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__map map;
        haft__map_init(&map, &arena, fixed_key);
        for (unsigned i = 0; i < keys; i++) {
            CHECK_INT(haft__map_put(&map, number_key(&arena, i), values, NULL), HAFT_OK,
                      "putting key %u", i);
        }
        CHECK(probes(&map) < 2 * (size_t)keys, "%zu probes for %u keys", probes(&map), keys);
        haft__arena_finish(&arena);
    }
}

TEST(every_failed_allocation_leaves_the_map_as_it_was)
{
    static char values[2000];
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__map map;
        haft__map_init(&map, &arena, fixed_key);
        haft_status status = HAFT_OK;
        unsigned put = 0;
        haft_error err;
        test_fail_allocation(n);
        for (; status == HAFT_OK && put < COUNT(values); put++) {
            unsigned *key = test_alloc(sizeof(*key));
            *key = put;
            status = haft__map_put(&map, (haft_str){(const char *)key, sizeof(*key)}, values + put,
                                   &err);
        }
        bool failed = test_allow_allocations();
        put -= status == HAFT_OK ? 0 : 1;
        CHECK_INT(map.count, put, "count, allocation %u", n);
        for (unsigned i = 0; i < map.count; i++) {
            CHECK(haft__map_get(&map, map.entries[i].key) == values + i,
                  "allocation %u, value of key %u", n, i);
        }
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "no allocation failed");
            CHECK(n >= 4, "only %u allocations were made", n);
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
        CHECK_INT(err.status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}

TEST(a_map_fails_when_its_arena_is_full)
{
    static char value;
    haft__arena arena;
    haft__arena_init(&arena, 16 << 10);
    haft__map map;
    haft__map_init(&map, &arena, fixed_key);
    static char keys[1000][2];
    haft_status status = HAFT_OK;
    for (unsigned i = 0; i < COUNT(keys) && status == HAFT_OK; i++) {
        keys[i][0] = (char)(i & 0xFF);
        keys[i][1] = (char)(i >> 8);
        status = haft__map_put(&map, (haft_str){keys[i], 2}, &value, NULL);
    }
    CHECK_INT(status, HAFT_TOO_BIG, "1000 keys in 16 KiB");
    CHECK(haft__map_get(&map, (haft_str){keys[0], 2}) == &value, "earlier keys are still there");
    haft__arena_finish(&arena);
}
