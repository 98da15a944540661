/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/model_server.c. */
#include "engine/model_server.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

static haft__model_server *find(haft__model_server **list, const char *url)
{
    haft__model_server *server = NULL;
    CHECK_INT(haft__model_server_find(list, haft__str(url), &server, NULL), HAFT_OK, "%s", url);
    return server;
}

static void on_ready(void *context)
{
    (*(unsigned *)context)++;
}

TEST(each_url_is_one_server)
{
    haft__model_server *list = NULL;
    haft__model_server *first = find(&list, "http://a/v1");
    CHECK(find(&list, "http://a/v2") != first, "another URL");
    CHECK(find(&list, "http://a/v1") == first, "the same URL");
    haft__model_server_free(list);
}

TEST(requests_beyond_the_limit_wait_for_a_slot)
{
    haft__model_server *list = NULL;
    haft__model_server *server = find(&list, "http://a");
    unsigned ready[4] = {0};
    haft__model_slot slots[4];
    for (size_t i = 0; i < COUNT(slots); i++) {
        slots[i] = (haft__model_slot){.ready = on_ready, .context = &ready[i]};
        CHECK_INT(haft__model_server_acquire(server, &slots[i], 2), i < 2, "slot %zu", i);
    }
    haft__model_server_release(server, &slots[0]);
    CHECK(ready[2] == 1 && ready[3] == 0,
          "the first waiting slot was not notified, or the second one was");
    CHECK(slots[2].in_use && server->active == 2, "the first waiting slot is not in use");
    haft__model_server_release(server, &slots[3]);
    haft__model_server_release(server, &slots[1]);
    CHECK(ready[3] == 0, "a released slot was notified");
    haft__model_server_release(server, &slots[2]);
    haft__model_server_release(server, &slots[2]);
    CHECK_INT(server->active, 0, "active requests after all releases, one of them repeated");
    haft__model_server_free(list);
}

TEST(slots_with_other_limits_wait_in_their_order)
{
    haft__model_server *list = NULL;
    haft__model_server *server = find(&list, "http://a");
    unsigned ready[5] = {0};
    haft__model_slot slots[5];
    static const uint32_t max[] = {3, 3, 1, 3, 3};
    for (size_t i = 0; i < COUNT(slots); i++) {
        slots[i] = (haft__model_slot){.ready = on_ready, .context = &ready[i]};
        CHECK_INT(haft__model_server_acquire(server, &slots[i], max[i]), i < 2, "slot %zu", i);
    }
    haft__model_server_release(server, &slots[0]);
    CHECK_INT(ready[2] + ready[3], 0, "one is in use, and the next slot must be the only one");
    haft__model_server_release(server, &slots[1]);
    CHECK(ready[2] == 1 && ready[3] == 1 && ready[4] == 1, "it comes first, the others follow");
    CHECK_INT(server->active, 3, "active requests");
    haft__model_server_free(list);
}

TEST(a_waiting_slot_that_is_removed_lets_the_next_ones_pass)
{
    haft__model_server *list = NULL;
    haft__model_server *server = find(&list, "http://a");
    unsigned ready[3] = {0};
    haft__model_slot slots[3];
    static const uint32_t max[] = {2, 1, 2};
    for (size_t i = 0; i < COUNT(slots); i++) {
        slots[i] = (haft__model_slot){.ready = on_ready, .context = &ready[i]};
        CHECK_INT(haft__model_server_acquire(server, &slots[i], max[i]), i < 1, "slot %zu", i);
    }
    haft__model_server_release(server, &slots[1]);
    CHECK(ready[1] == 0 && ready[2] == 1 && server->active == 2, "the last slot is in use");
    haft__model_server_free(list);
}

TEST(the_default_limit_of_requests_applies)
{
    haft__model_server *list = NULL;
    haft__model_server *server = find(&list, "http://a");
    haft__model_slot slots[HAFT__LIMIT_MODEL_REQUESTS + 1] = {0};
    for (size_t i = 0; i < COUNT(slots); i++) {
        CHECK_INT(haft__model_server_acquire(server, &slots[i], HAFT__LIMIT_MODEL_REQUESTS),
                  i < HAFT__LIMIT_MODEL_REQUESTS, "slot %zu", i);
    }
    haft__model_server_free(list);
}

TEST(a_server_that_asked_for_a_wait_gets_no_request_before_its_end)
{
    haft__model_server *list = NULL;
    haft__model_server *server = find(&list, "http://a");
    CHECK_INT(haft__model_server_wait_ms(server, 5), 0, "a server that did not ask to wait");
    haft__model_server_block(server, 20, 80);
    haft__model_server_block(server, 10, 40);
    CHECK_INT(haft__model_server_wait_ms(server, 40), 60, "the later time counts");
    CHECK_INT(haft__model_server_wait_ms(server, 100), 0, "after the wait");
    haft__model_server_free(list);
}

TEST(a_block_has_a_maximum)
{
    static const struct {
        uint64_t wait, left;
    } rows[] = {{HAFT__LIMIT_MODEL_BLOCK_MS, HAFT__LIMIT_MODEL_BLOCK_MS},
                {HAFT__LIMIT_MODEL_BLOCK_MS + 1, HAFT__LIMIT_MODEL_BLOCK_MS},
                {UINT64_MAX, HAFT__LIMIT_MODEL_BLOCK_MS}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__model_server *list = NULL;
        haft__model_server *server = find(&list, "http://a");
        haft__model_server_block(server, 7, rows[i].wait);
        CHECK_INT(haft__model_server_wait_ms(server, 7), rows[i].left, "row %zu", i);
        haft__model_server_free(list);
    }
}

TEST(out_of_memory_adds_no_server)
{
    haft__model_server *list = NULL, *server = NULL;
    test_fail_allocation(0);
    haft_status status = haft__model_server_find(&list, HAFT__LIT("http://a"), &server, NULL);
    (void)test_allow_allocations();
    CHECK(status == HAFT_NO_MEMORY && list == NULL, "out of memory");
}
