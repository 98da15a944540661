/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/sort_keys.c. */
#include "json/sort_keys.h"

#include "json_help.h"

static void check_order(haft__json object, const char *name)
{
    uint32_t *order = haft__json_sort_keys(object.members, object.count);
    bool *seen = test_alloc(object.count + 1);
    memset(seen, 0, object.count + 1);
    haft_str before = {NULL, 0};
    for (uint32_t i = 0; i < object.count; i++) {
        haft_str key = haft__json_text(object.members[order[i]].key);
        CHECK(i == 0 || haft__str_compare(before, key) < 0, "%s: %.*s before %.*s", name,
              HAFT__ARG(before), HAFT__ARG(key));
        CHECK(!seen[order[i]], "%s: member %u comes twice", name, order[i]);
        seen[order[i]] = true;
        before = key;
    }
    free(order);
}

TEST(members_are_ordered_by_key_bytes)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    check_order(help_read(&arena, "{\"b\":1,\"a\":2,\"\":3,\"ab\":4,\"aa\":5,\"B\":6}"), "letters");
    check_order(help_read(&arena, "{\"\xC3\xA9\":1,\"z\":2,\"\xF0\x9F\x98\x80\":3,"
                                  "\"\xEF\xBF\xBD\":4,\"\\u0000\":5}"),
                "keys that UTF-16 would order differently");
    haft__arena_finish(&arena);
}

TEST(objects_of_every_size_are_sorted)
{
    for (unsigned count = 0; count < 70; count++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "%u members", count);
        check_order(help_object(count, false), name);
        haft__json object = help_object(count, true);
        check_order(object, name);
        /* Shuffled: 71 is a prime above `count`, so each member gets another place. */
        haft__json_member *members = test_alloc((count + 1) * sizeof(*members));
        for (unsigned i = 0; i < count; i++) {
            members[i * 71 % count] = object.members[i];
        }
        check_order(haft__json_object(members, count), name);
    }
}

TEST(order_fails_without_memory)
{
    haft__json object = help_object(3, true);
    test_fail_allocation(0);
    uint32_t *order = haft__json_sort_keys(object.members, object.count);
    CHECK(test_allow_allocations() && order == NULL, "an order was returned without memory");
    free(order);
}
