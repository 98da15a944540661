/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/thread_copy.c. */
#include "engine/ops/thread_copy.h"

#include <string.h>

#include "base/str.h"
#include "engine/engine_help.h"

TEST(a_run_that_has_not_ended_is_not_copied)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(
        &h, "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}");
    haft_run *run = NULL;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    haft_status status = haft__thread_copy_run(h.runtime, &arena, haft__str(haft_run_id(run)),
                                               HAFT__LIT("another"), NULL, &h.err);
    CHECK_INT(status, HAFT_BAD_STATE, "%s", h.err.message);
    CHECK(strstr(h.err.message, "has not ended") != NULL, "%s", h.err.message);
    haft__store_request list = {
        .verb = HAFT__STORE_LIST, .thread = HAFT__LIT("another"), .arena = &arena};
    CHECK_INT(haft__store_submit_and_wait(h.runtime->store, &list, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(list.found_count, 0, "copied runs");
    haft__arena_finish(&arena);
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}

static void list_thread(help_host *h, haft__arena *arena, const char *thread,
                        haft__store_request *ret_list)
{
    *ret_list = (haft__store_request){
        .verb = HAFT__STORE_LIST, .thread = haft__str(thread), .arena = arena};
    CHECK_INT(haft__store_submit_and_wait(h->runtime->store, ret_list, &h->err), HAFT_OK, "%s",
              h->err.message);
}

TEST(a_thread_is_copied_without_its_last_runs)
{
    static const char *const tasks[] = {"one", "two", "three"};
    help_host h;
    haft__arena arena;
    haft__store_request list;
    char thread[HAFT__ID_LENGTH + 1] = "";
    help_host_init(&h, "memory:");
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__runtime_make_id(h.runtime, thread, &h.err), HAFT_OK, "%s", h.err.message);
    for (size_t i = 0; i < COUNT(tasks); i++) {
        haft_agent *agent = help_host_agent(&h, "", "{\"replies\":[{\"text\":\"good\"}]}");
        haft_run_options options = HAFT_RUN_OPTIONS_INIT;
        haft_run *run = NULL;
        options.thread = thread;
        CHECK_INT(haft_run_start(agent, tasks[i], &options, &run, &h.err), HAFT_OK, "%s",
                  h.err.message);
        help_host_settle(&h, run);
        haft_run_release(run);
        haft_agent_release(agent);
    }
    list_thread(&h, &arena, thread, &list);
    CHECK_INT(list.found_count, 3, "runs");
    for (uint64_t without = 0; without <= 3; without++) {
        char copy[HAFT__ID_LENGTH + 1] = "";
        haft__store_request copied;
        haft_status status = haft__thread_copy_without_last(
            h.runtime, &arena, list.found, list.found_count, without, copy, &h.err);
        CHECK_INT(status, HAFT_OK, "%s", h.err.message);
        list_thread(&h, &arena, copy, &copied);
        CHECK_INT(copied.found_count, 3 - without, "copied runs");
        for (size_t i = 0; i < copied.found_count; i++) { /* the newest first */
            CHECK_STR(copied.found[i].task, haft__str(tasks[copied.found_count - 1 - i]),
                      "the task of copy %zu", i);
        }
    }
    haft__arena_finish(&arena);
    help_host_finish(&h);
}
