/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory/sorted_array.h"

#include "test.h"

#define MANY 500

static int compare(const void *key, const void *item)
{
    int a = *(const int *)key, b = *(const int *)item;
    return (a > b) - (a < b);
}

static bool keep_even(void *item, void *context)
{
    ++*(int *)context;
    return *(const int *)item % 2 == 0;
}

static void add(haft__sorted_array *sorted, int *number)
{
    bool found;
    size_t at = haft__sorted_array_lower_bound(sorted, number, &found);
    CHECK(!found, "%d is already in the array", *number);
    CHECK_INT(haft__sorted_array_reserve(sorted, NULL), HAFT_OK, "reserve an entry");
    haft__sorted_array_insert(sorted, at, number);
}

TEST(entries_are_sorted)
{
    static int numbers[MANY];
    haft__sorted_array sorted;
    haft__sorted_array_init(&sorted, compare);
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i * 7919 % MANY;
        add(&sorted, &numbers[i]);
    }
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(*(int *)sorted.items[i], i, "place %d", i);
        CHECK(haft__sorted_array_get(&sorted, &i) == sorted.items[i], "number %d", i);
    }
    int past = MANY, before = -1;
    bool found;
    CHECK_INT(haft__sorted_array_lower_bound(&sorted, &past, &found), MANY,
              "place of a number after the last");
    CHECK(!found && haft__sorted_array_get(&sorted, &past) == NULL,
          "a number that is not in the array");
    CHECK_INT(haft__sorted_array_lower_bound(&sorted, &before, &found), 0,
              "place of a number before the first");
    haft__sorted_array_finish(&sorted);
    haft__sorted_array_finish(&sorted);
}

TEST(a_removed_entry_is_not_found)
{
    static int numbers[MANY];
    haft__sorted_array sorted;
    haft__sorted_array_init(&sorted, compare);
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i;
        add(&sorted, &numbers[i]);
    }
    haft__sorted_array_remove(&sorted, MANY - 1);
    haft__sorted_array_remove(&sorted, 0);
    CHECK_INT(*(int *)sorted.items[0], 1, "the first entry");
    CHECK_INT(sorted.count, MANY - 2, "number of entries");
    int asked = 0;
    haft__sorted_array_filter(&sorted, keep_even, &asked);
    CHECK_INT(asked, MANY - 2, "calls of the filter");
    CHECK_INT(sorted.count, MANY / 2 - 1, "number of even entries");
    CHECK_INT(*(int *)sorted.items[0], 2, "the first even entry");
    haft__sorted_array_finish(&sorted);
}

TEST(a_sorted_array_without_memory_reports_it)
{
    haft__sorted_array sorted;
    haft__sorted_array_init(&sorted, compare);
    test_fail_allocation(0);
    CHECK_INT(haft__sorted_array_reserve(&sorted, NULL), HAFT_NO_MEMORY, "reserving succeeded");
    (void)test_allow_allocations();
    haft__sorted_array_finish(&sorted);
}
