/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/message.c. */
#include "prompt/message.h"

#include "test.h"

TEST(messages_stay_as_they_were_added)
{
    static const char digits[] = "0123456789";
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__messages messages;
    haft__messages_init(&messages, &arena);
    for (size_t i = 0; i < 1000; i++) {
        haft__message message = {.role = (haft__message_role)(i % 4),
                                 .text = {digits + i % 10, 1},
                                 .is_error = i % 3 == 0,
                                 .call_count = i};
        CHECK_INT(haft__messages_add(&messages, message, NULL), HAFT_OK, "adding message %zu", i);
        CHECK_INT(messages.count, i + 1, "count");
    }
    for (size_t i = 0; i < 1000; i++) {
        const haft__message *m = &messages.items[i];
        CHECK(m->role == i % 4 && m->text.ptr == digits + i % 10 && m->is_error == (i % 3 == 0)
                  && m->call_count == i,
              "message %zu has changed", i);
    }
    haft__arena_finish(&arena);
}

/* Capacity doubles: n messages cost memory of the order of n. */
TEST(adding_n_messages_needs_memory_in_proportion_to_n)
{
    size_t before = 0;
    for (size_t n = 4096; n <= 16384; n *= 2) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__messages messages;
        haft__messages_init(&messages, &arena);
        for (size_t i = 0; i < n; i++) {
            CHECK_INT(haft__messages_add(&messages, (haft__message){0}, NULL), HAFT_OK,
                      "adding message %zu", i);
        }
        CHECK(before == 0 || arena.total < before * 5 / 2, "%zu bytes, then %zu", before,
              arena.total);
        before = arena.total;
        haft__arena_finish(&arena);
    }
}

TEST(adding_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__messages messages;
        haft__messages_init(&messages, &arena);
        haft_status status = HAFT_OK;
        size_t added = 0;
        test_fail_allocation(n);
        for (; added < 2000 && status == HAFT_OK; added += status == HAFT_OK) {
            status = haft__messages_add(&messages, (haft__message){0}, NULL);
        }
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK_INT(messages.count, added, "number of messages");
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n > 1, "no allocation was made to fail");
            break;
        }
    }
}
