/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/vec.c. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

#include "test.h"

TEST(items_stay_while_the_array_grows)
{
    size_t capacity = 0;
    uint32_t *items = NULL;
    for (uint32_t i = 0; i < 1000; i++) {
        items = haft__vec_reserve(items, &capacity, (size_t)i + 1, sizeof(*items));
        CHECK(items != NULL && capacity > i, "reserving item %u", i);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        CHECK_INT(items[i], i, "item %u", i);
    }
    CHECK_INT(capacity, 1024, "doubled each time");
    free(items);
}

TEST(many_items_can_be_reserved_at_once)
{
    size_t capacity = 0;
    char *items = haft__vec_reserve(NULL, &capacity, 1000, 1);
    CHECK(items != NULL, "reserved");
    CHECK_INT(capacity, 1000, "capacity");
    CHECK(haft__vec_reserve(items, &capacity, 1, 1) == items,
          "a smaller request returns the same array");
    free(items);
}

TEST(the_array_stays_if_memory_runs_out)
{
    size_t capacity = 0;
    char *items = haft__vec_reserve(NULL, &capacity, 1, 1);
    CHECK_INT(capacity, 4, "the first capacity");
    test_fail_allocation(0);
    CHECK(haft__vec_reserve(items, &capacity, 5, 1) == NULL, "out of memory");
    CHECK(test_allow_allocations(), "an allocation failed");
    CHECK(haft__vec_reserve(items, &capacity, SIZE_MAX / 2, 4) == NULL, "the size overflows");
    CHECK(haft__vec_reserve(items, &capacity, SIZE_MAX, 2) == NULL, "the size overflows");
    CHECK_INT(capacity, 4, "the capacity is unchanged");
    free(items);
}

TEST(an_array_in_an_arena_moves_with_its_items)
{
    haft__arena arena;
    size_t capacity = 0;
    uint32_t *items = NULL;
    haft__arena_init(&arena, 0);
    for (uint32_t i = 0; i < 100; i++) {
        items = haft__vec_reserve_in(&arena, items, i, &capacity, (size_t)i + 1, sizeof(*items));
        CHECK(items != NULL && capacity > i, "reserving item %u", i);
        CHECK_INT(items[i], 0, "%u: new items are zero", i);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_INT(items[i], i, "item %u", i);
    }
    CHECK_INT(capacity, 128, "doubled each time");
    haft__arena_finish(&arena);
}

TEST(an_array_in_a_full_arena_stays)
{
    haft__arena arena;
    size_t capacity = 0;
    haft__arena_init(&arena, 0);
    char *items = haft__vec_reserve_in(&arena, NULL, 0, &capacity, 1, 1);
    CHECK(items != NULL, "reserved");
    CHECK(haft__vec_reserve_in(&arena, items, 1, &capacity, SIZE_MAX, 2) == NULL, "overflows");
    CHECK(haft__vec_reserve_in(&arena, items, 1, &capacity, SIZE_MAX / 2, 1) == NULL, "too big");
    CHECK_INT(capacity, 4, "the capacity is unchanged");
    haft__arena_finish(&arena);
}
