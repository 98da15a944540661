/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/str.h"
#include "engine/engine_help.h"

#define THREAD "01k00000000000000000000000"
#define LOOK                                                                                       \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look.\",\"args\":[],\"headless\":true}]"
#define ASKS  "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"asked\"}]}"
#define QUICK "{\"replies\":[{\"text\":\"quick\"}]}"
#define KNOWS "{\"replies\":[{\"expect\":{\"contains\":\"asked\"},\"text\":\"knows\"}]}"

static haft_run *start_in(help_host *h, const char *members, const char *script, bool enqueue)
{
    haft_run *run = NULL;
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.thread = THREAD;
    options.enqueue = enqueue;
    haft_agent *agent = help_host_agent(h, members, script);
    CHECK_INT(haft_run_start(agent, "go", &options, &run, &h->err), HAFT_OK, "%s", h->err.message);
    haft_agent_release(agent);
    return run;
}

/* Steps until the run knows that others are ahead of it. */
static void wait_until_queued(help_host *h, haft_run *run)
{
    while (!haft__queue_is_waiting(run) && haft_run_state(run) == HAFT_RUNNING) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "%s", run->error.message);
}

static void check_end(help_host *h, haft_run *run, const char *end, const char *kinds)
{
    help_host_settle(h, run);
    CHECK_STR(haft__str(haft_run_end(run)), haft__str(end), "%s", run->error.message);
    CHECK_STR(help_host_kinds(h, run), haft__str(kinds), "events");
}

#define ANSWERS "run_started turn_started model_replied run_finished"
#define NO_TURN "run_started cancel_asked run_finished"

TEST(runs_of_a_thread_run_one_after_the_other)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *first = start_in(&h, LOOK, ASKS, false);
    haft_run *second = start_in(&h, "", KNOWS, false);
    haft_run *third = start_in(&h, "", KNOWS, false);
    help_host_settle(&h, first);
    wait_until_queued(&h, second);
    wait_until_queued(&h, third);
    CHECK_STR(haft__str(second->queue.ahead.id), haft__str(haft_run_id(first)),
              "the run ahead of the second");
    CHECK(!second->queue.ahead.abandoned, "the run ahead has no owner");
    CHECK_STR(help_host_kinds(&h, second), HAFT__LIT("run_started"), "events of the queued run");
    CHECK_INT(haft_run_answer(first, "c1.1", "1", &h.err), HAFT_OK, "%s", h.err.message);
    check_end(&h, third, "done", ANSWERS);
    CHECK_INT(haft_run_state(second), HAFT_ENDED, "the third run ended before the second");
    haft_run_release(first);
    haft_run_release(second);
    haft_run_release(third);
    help_host_finish(&h);
}

TEST(a_queued_run_can_be_cancelled_or_released)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *first = start_in(&h, LOOK, ASKS, false);
    haft_run *early = start_in(&h, "", QUICK, false), *late = start_in(&h, "", QUICK, false);
    haft_run *left = start_in(&h, "", QUICK, false), *opening = start_in(&h, "", QUICK, false);
    CHECK_INT(haft_run_cancel(early, &h.err), HAFT_OK, "%s", h.err.message);
    haft_run_release(opening);
    wait_until_queued(&h, late);
    wait_until_queued(&h, left);
    CHECK_INT(haft_run_cancel(late, &h.err), HAFT_OK, "%s", h.err.message);
    haft_run_release(left);
    check_end(&h, early, "cancelled", NO_TURN);
    check_end(&h, late, "cancelled", NO_TURN);
    help_host_settle(&h, first);
    CHECK_INT(haft_run_state(first), HAFT_WAITING, "the state of the first run");
    haft_run_release(first);
    haft_run_release(early);
    haft_run_release(late);
    help_host_finish(&h);
}

TEST(a_run_that_rejects_the_queue_stops)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *first = start_in(&h, LOOK, ASKS, false);
    haft_run *second = start_in(&h, "\"multitask\":\"reject\"", QUICK, false);
    help_host_settle(&h, second);
    CHECK_INT(haft_run_state(second), HAFT_STOPPED, "state");
    CHECK(second->queue.state == HAFT__THREAD_QUEUE_REJECTED, "the queue rejected it");
    CHECK_INT(haft_run_error(second)->status, HAFT_BAD_STATE, "status");
    CHECK(strstr(haft_run_error(second)->message, haft_run_id(first)) != NULL,
          "the message does not name the first run: %s", haft_run_error(second)->message);
    haft_run_release(second);
    help_host_settle(&h, first);
    CHECK_INT(haft_run_cancel(first, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, first);
    second = start_in(&h, "\"multitask\":\"reject\"", QUICK, false);
    check_end(&h, second, "done", ANSWERS);
    haft_run_release(first);
    haft_run_release(second);
    help_host_finish(&h);
}

TEST(a_run_that_interrupts_cancels_the_runs_ahead)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *first = start_in(&h, LOOK, ASKS, false), *second = start_in(&h, "", QUICK, false);
    help_host_settle(&h, first);
    wait_until_queued(&h, second);
    haft_run *third = start_in(&h, "\"multitask\":\"interrupt\"", QUICK, false);
    check_end(&h, third, "done", ANSWERS);
    CHECK_STR(haft__str(haft_run_end(first)), HAFT__LIT("cancelled"), "the end of the first run");
    CHECK_STR(haft__str(haft_run_end(second)), HAFT__LIT("cancelled"), "the end of the second run");
    haft_run_release(first);
    haft_run_release(second);
    haft_run_release(third);
    help_host_finish(&h);
}

/* Leaves two runs without an owner: one waits, one has not started. */
static void leave_two_unowned(help_host *h)
{
    haft_run *first = start_in(h, LOOK, ASKS, false);
    help_host_settle(h, first);
    haft_run_release(first);
    haft_run *second = start_in(h, "", QUICK, true);
    while (second->log.durable_seq == 0) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
    haft_run_release(second);
    while (h->runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
}

TEST(runs_without_an_owner_are_claimed_and_ended)
{
    help_host h;
    help_host_init(&h, "memory:");
    leave_two_unowned(&h);
    haft_run *third = start_in(&h, "\"multitask\":\"interrupt\"", QUICK, false);
    check_end(&h, third, "done", ANSWERS);
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = HAFT__LIT(THREAD)};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    list.arena = &arena;
    CHECK_INT(haft__store_submit_and_wait(h.runtime->store, &list, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(list.found_count, 3, "runs");
    for (size_t i = 0; i < list.found_count; i++) {
        bool own = haft__str_equal(list.found[i].id, haft__str(haft_run_id(third)));
        CHECK_STR(list.found[i].end, own ? HAFT__LIT("done") : HAFT__LIT("cancelled"), "run %zu",
                  i);
    }
    haft__arena_finish(&arena);
    haft_run_release(third);
    help_host_finish(&h);
}

/* A run may be released while it interrupts the runs ahead of it. */
TEST(a_run_can_be_released_while_it_interrupts)
{
    for (unsigned steps = 0; steps < 12; steps++) {
        help_host h;
        help_host_init(&h, "memory:");
        leave_two_unowned(&h);
        haft_run *third = start_in(&h, "\"multitask\":\"interrupt\"", QUICK, false);
        for (unsigned i = 0; i < steps; i++) {
            CHECK_INT(haft_runtime_step(h.runtime, 20, &h.err), HAFT_OK, "%s", h.err.message);
        }
        haft_run_release(third);
        help_host_finish(&h);
    }
}

TEST(a_queued_run_keeps_its_position)
{
    char directory[] = "/tmp/haft-queue-XXXXXX", url[128];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(url, sizeof(url), "sqlite:%s/haft.db", directory);
    help_host one, other;
    help_host_init(&one, url);
    help_host_init(&other, url);
    haft_run *first = start_in(&one, LOOK, ASKS, false), *second = start_in(&one, "", KNOWS, false);
    help_host_settle(&one, first);
    wait_until_queued(&one, second);
    char id[32];
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(second));
    haft_run_release(second);
    second = NULL;
    while (one.runtime->runs != first || first->next != NULL) {
        CHECK_INT(haft_runtime_step(one.runtime, 10, &one.err), HAFT_OK, "%s", one.err.message);
    }
    CHECK_INT(haft_run_open(other.runtime, id, &second, &other.err), HAFT_OK, "%s",
              other.err.message);
    wait_until_queued(&other, second);
    CHECK_STR(haft__str(second->queue.ahead.id), haft__str(haft_run_id(first)),
              "the run ahead of the second");
    CHECK_INT(haft_run_answer(first, "c1.1", "1", &one.err), HAFT_OK, "%s", one.err.message);
    help_host_settle(&one, first);
    check_end(&other, second, "done", "turn_started model_replied run_finished");
    haft_run_release(first);
    haft_run_release(second);
    help_host_finish(&other);
    help_host_finish(&one);
    char path[160];
    (void)snprintf(path, sizeof(path), "%s/haft.db", directory);
    (void)unlink(path);
    CHECK_INT(rmdir(directory), 0, "the directory is not empty");
}

/* Steps until the run has started, waits or has stopped; when out of memory, a step may fail. */
static void step_some(help_host *h, haft_run *run)
{
    for (int i = 0; i < 200 && haft_run_state(run) == HAFT_RUNNING && !haft__queue_is_waiting(run);
         i++) {
        (void)!haft_runtime_step(h->runtime, 5, NULL);
    }
}

/* One allocation after the other fails while a run joins the queue: it waits, continues, or stops
 * and reports why; the run ahead is unchanged or cancelled. */
TEST(a_queued_run_survives_failed_allocations)
{
    static const char *const members[] = {"", "\"multitask\":\"interrupt\""};
    for (size_t i = 0; i < COUNT(members); i++) {
        bool failed = true;
        for (unsigned n = 0; failed; n++) {
            help_host h;
            help_host_init(&h, "memory:");
            haft_run *first = start_in(&h, LOOK, ASKS, false);
            help_host_settle(&h, first);
            haft_run *second = start_in(&h, members[i], QUICK, false);
            test_fail_allocation(n);
            step_some(&h, second);
            failed = test_allow_allocations();
            step_some(&h, second);
            if (haft_run_state(second) == HAFT_STOPPED) {
                CHECK_INT(haft_run_error(second)->status, HAFT_NO_MEMORY,
                          "mode %zu, allocation %u: %s", i, n, haft_run_error(second)->message);
            } else {
                CHECK(haft__queue_is_waiting(second) || haft_run_state(second) == HAFT_ENDED,
                      "mode %zu, allocation %u: the run does not wait", i, n);
            }
            CHECK(haft_run_state(first) != HAFT_RUNNING,
                  "mode %zu, allocation %u: the run ahead is active", i, n);
            CHECK(failed || haft_run_state(second) != HAFT_STOPPED,
                  "mode %zu, allocation %u: the run stopped without a failure", i, n);
            haft_run_release(second);
            haft_run_release(first);
            help_host_finish(&h);
        }
    }
}
