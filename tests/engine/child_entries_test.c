/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/child_entries.c. */
#include "engine/child_entries.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

static haft_str make_id(size_t n, char to[HAFT__ID_LENGTH + 1])
{
    (void)snprintf(to, HAFT__ID_LENGTH + 1, "%026zu", n);
    return (haft_str){to, HAFT__ID_LENGTH};
}

static haft__child_entry *add(haft__child_entries *entries, size_t n, size_t parent)
{
    char id[HAFT__ID_LENGTH + 1], above[HAFT__ID_LENGTH + 1];
    haft__child_entry *entry =
        haft__child_entries_add(entries, make_id(n, id), make_id(parent, above));
    if (entry == NULL) {
        CHECK(false, "no memory for entry %zu", n);
        abort();
    }
    return entry;
}

static haft__child_entry *find(const haft__child_entries *entries, size_t n)
{
    char id[HAFT__ID_LENGTH + 1];
    return haft__child_entries_find(entries, make_id(n, id));
}

static size_t count_active(const haft__child_entries *entries)
{
    size_t count = 0;
    for (const haft__child_entry *e = entries->first; e != NULL; e = e->next) {
        count++;
        CHECK(e->next == NULL ? entries->last == e : e->next->previous == e, "the links");
    }
    return count;
}

enum { MANY = 3000 };

TEST(entries_are_found_by_id_until_they_are_removed)
{
    haft__child_entries entries = {.hash_key = {7, 9}};
    CHECK(find(&entries, 1) == NULL, "an empty table");
    for (size_t n = 0; n < MANY; n++) {
        (void)add(&entries, n, 9999);
    }
    CHECK_INT(count_active(&entries), MANY, "a new entry is queued");
    for (size_t n = 0; n < MANY; n += 2) {
        haft__child_entries_remove(&entries, find(&entries, n));
    }
    haft__child_entry *removed = find(&entries, 1);
    haft__child_entries_remove(&entries, removed);
    haft__child_entries_remove(&entries, removed); /* has no effect */
    haft__child_entry *again = add(&entries, 1, 9999);
    CHECK(find(&entries, 1) == again && again != removed, "an id can come back");
    haft__child_entries_sweep(&entries);
    CHECK_INT(entries.count, MANY / 2, "entries that are left");
    CHECK_INT(entries.removed_count, 0, "all others were freed");
    for (size_t n = 0; n < MANY; n++) {
        CHECK((find(&entries, n) != NULL) == (n % 2 == 1), "entry %zu", n);
    }
    CHECK_INT(count_active(&entries), MANY / 2, "active entries");
    haft__child_entries_remove(&entries, find(&entries, 3));
    haft__child_entries_sweep(&entries);
    CHECK_INT(entries.removed_count, 1, "one alone is not worth a sweep");
    haft__child_entries_finish(&entries);
}

TEST(active_entries_are_those_that_may_change_here)
{
    static const struct {
        haft__child_entry_state state;
        bool active;
    } rows[] = {{HAFT__CHILD_ENTRY_QUEUED, true},
                {HAFT__CHILD_ENTRY_OPEN, true},
                {HAFT__CHILD_ENTRY_FOREIGN, true},
                {HAFT__CHILD_ENTRY_WAITING, false},
                {HAFT__CHILD_ENTRY_FAILED, false}};
    for (size_t at = 0; at < 3; at++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            haft__child_entries entries = {.hash_key = {7, 9}};
            haft__child_entry *three[] = {add(&entries, 1, 9), add(&entries, 2, 9),
                                          add(&entries, 3, 9)};
            haft__child_entries_set_state(&entries, three[at], rows[i].state);
            CHECK_INT(three[at]->active, rows[i].active, "row %zu", i);
            CHECK_INT(count_active(&entries), 2 + (size_t)rows[i].active, "row %zu", i);
            haft__child_entries_set_state(&entries, three[at], HAFT__CHILD_ENTRY_OPEN);
            CHECK_INT(count_active(&entries), 3, "row %zu", i);
            CHECK(rows[i].active || entries.last == three[at], "row %zu: it is the last now", i);
            haft__child_entries_remove(&entries, three[at]);
            haft__child_entries_set_state(&entries, three[at], HAFT__CHILD_ENTRY_OPEN);
            CHECK_INT(count_active(&entries), 2, "row %zu: one that has gone", i);
            haft__child_entries_finish(&entries);
        }
    }
}

TEST(an_entry_is_below_all_runs_above_it)
{
    haft__child_entries entries = {.hash_key = {7, 9}};
    char id[HAFT__ID_LENGTH + 1];
    haft__child_entry *deepest = NULL;
    for (size_t n = 1; n <= HAFT__LIMIT_CHILD_DEPTH; n++) {
        deepest = add(&entries, n, n - 1);
    }
    for (size_t n = 0; n < HAFT__LIMIT_CHILD_DEPTH; n++) {
        (void)make_id(n, id);
        CHECK(haft__child_entries_is_below(&entries, deepest, id), "run %zu", n);
        CHECK_INT(haft__child_entries_is_below(&entries, find(&entries, 1), id), n == 0,
                  "the first below run %zu", n);
    }
    (void)make_id(77, id);
    CHECK(!haft__child_entries_is_below(&entries, deepest, id), "another run");
    haft__child_entries_finish(&entries);
}

TEST(entries_fail_cleanly_without_memory)
{
    for (unsigned n = 0;; n++) {
        haft__child_entries entries = {.hash_key = {7, 9}};
        size_t added = 0;
        test_fail_allocation(n);
        for (size_t i = 0; i < 100; i++) {
            char id[HAFT__ID_LENGTH + 1];
            added += haft__child_entries_add(&entries, make_id(i, id), HAFT__LIT("")) != NULL;
        }
        bool failed = test_allow_allocations();
        CHECK_INT(added, failed ? 99 : 100, "allocation %u", n);
        CHECK_INT(entries.count, added, "allocation %u", n);
        haft__child_entries_finish(&entries);
        if (!failed) {
            break;
        }
    }
}
