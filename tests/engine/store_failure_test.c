/* SPDX-License-Identifier: Apache-2.0 */
/* A store that fails while runs are active: src/engine/log.c. */
#include "base/limits.h"
#include "base/str.h"
#include "engine/run.h"
#include "faulty_help.h"

#define TOOL(words)                                                                                \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"            \
    "\"command\":" words "}]"
#define SCRIPT "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\",\"delay\":0.1}]}"
#define LEASE  30000
#define ALL                                                                                        \
    "run_started turn_started model_replied call_started call_finished turn_started "              \
    "model_replied run_finished"

static haft_run *begin(help_host *h, const char *members)
{
    haft_run *run = help_host_start(h, members, SCRIPT, "go");
    while (haft_run_state(run) == HAFT_RUNNING
           && (run->slots == NULL || haft__log_is_busy(&run->log))) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
    return run;
}

/* ---- a call that is to start ---- */

/* Gives up after 30 s: the check that follows fails then. */
static void step_until_failing(help_host *h, const haft_run *run)
{
    for (int i = 0; i < 1500 && !haft__log_is_failing(&run->log); i++) {
        help_faulty_step(h, run, 20);
    }
}

typedef struct effect {
    help_host host;
    char mark[128]; /* has a line for each time the tool ran */
    haft_run *run;
} effect;

/* The store fails before the call is decided. */
static void begin_effect(effect *e, const char *traits, help_faulty trouble)
{
    char members[512];
    help_faulty_init(&e->host, LEASE);
    (void)snprintf(e->mark, sizeof(e->mark), "%s/mark", e->host.directory);
    (void)snprintf(members, sizeof(members),
                   "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":"
                   "[],\"traits\":{%s},\"command\":[\"sh\",\"-c\",\"echo x >> %s\"]}]",
                   traits, e->mark);
    e->run = help_host_start(&e->host, members,
                             "{\"replies\":[{\"calls\":[{\"name\":\"look\"}],\"delay\":0.1},"
                             "{\"text\":\"good\"}]}",
                             "go");
    while (e->run->model_call == NULL || haft__log_is_busy(&e->run->log)) {
        CHECK_INT(haft_runtime_step(e->host.runtime, 1000, &e->host.err), HAFT_OK, "%s",
                  e->host.err.message);
    }
    help_faulty_set(trouble);
    step_until_failing(&e->host, e->run);
    help_faulty_step(&e->host, e->run, 3 * HAFT__LIMIT_RUN_RETRY_MS);
}

static size_t times_run(const effect *e)
{
    FILE *file = fopen(e->mark, "re");
    size_t lines = 0;
    for (int c; file != NULL && (c = getc(file)) != EOF;) {
        lines += c == '\n';
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return lines;
}

static void end_effect(effect *e)
{
    (void)remove(e->mark);
    haft_run_release(e->run);
    help_faulty_finish(&e->host);
}

/* The start of a call is durable before the call has effects. A read-only call need not wait. */
TEST(a_call_with_effects_starts_when_its_start_is_durable)
{
    static const struct {
        const char *traits;
        help_faulty trouble;
        size_t meanwhile; /* how often the tool ran while the store rejected writes */
    } rows[] = {
        {"", HELP_NOT_KEPT, 0},
        {"", HELP_DOWN, 0},
        {"\"idempotent\":true", HELP_NOT_KEPT, 0},
        {"\"idempotent\":true", HELP_DOWN, 0},
        {"\"destructive\":true", HELP_NOT_KEPT, 0},
        {"\"read_only\":true", HELP_NOT_KEPT, 1},
        {"\"read_only\":true", HELP_DOWN, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        effect e;
        begin_effect(&e, rows[i].traits, rows[i].trouble);
        while (rows[i].meanwhile > 0 && e.run->slots != NULL) {
            help_faulty_step(&e.host, e.run, 20);
        }
        CHECK(haft__log_is_failing(&e.run->log), "row %zu: the run did not notice the failure", i);
        CHECK(e.run->state.call_count == 1 && e.run->state.calls[0].started,
              "row %zu: the call was not decided", i);
        CHECK_INT(times_run(&e), rows[i].meanwhile,
                  "row %zu: times that the tool ran before the store recovered", i);
        CHECK_INT(e.run->log.durable_seq, 2, "row %zu: events in the store", i);
        help_faulty_set(HELP_FINE);
        help_host_settle(&e.host, e.run);
        CHECK_STR(haft__str(haft_run_end(e.run)), HAFT__LIT("done"), "row %zu: %s", i,
                  haft_run_error(e.run)->message);
        CHECK_INT(times_run(&e), 1, "row %zu: times that the tool ran in all", i);
        end_effect(&e);
    }
}

/* If the start of a call is the last event that fits, the call still starts; nothing else does. */
TEST(a_call_that_used_the_last_space_starts_and_is_the_last)
{
    effect e;
    begin_effect(&e, "", HELP_LOW);
    help_host_settle(&e.host, e.run);
    CHECK_INT(haft_run_state(e.run), HAFT_STOPPED, "state");
    CHECK(strstr(haft_run_error(e.run)->message, "the disk is full") != NULL, "%s",
          haft_run_error(e.run)->message);
    CHECK_INT(times_run(&e), 1, "times that the tool ran");
    CHECK_STR(help_host_kinds(&e.host, e.run),
              HAFT__LIT("run_started turn_started model_replied call_started call_finished"),
              "events");
    end_effect(&e);
}

/* The write that reports enough space is committed before the run continues. */
TEST(readers_get_every_event_when_the_store_has_space_again)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = help_host_start(&h, TOOL("[\"sleep\",\"0.2\"]"),
                                    "{\"replies\":[{\"calls\":[{\"name\":\"look\"}],\"delay\":0.1},"
                                    "{\"text\":\"good\"}]}",
                                    "go");
    haft_event event;
    uint64_t seq = 0;
    while (run->model_call == NULL || haft__log_is_busy(&run->log)) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    help_faulty_set(HELP_LOW);
    while (haft_run_state(run) == HAFT_RUNNING && run->slots == NULL) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK(run->stalled, "the run did not stop when the store was low on space");
    help_faulty_set(HELP_FINE);
    while (haft_run_state(run) == HAFT_RUNNING) {
        CHECK_INT(haft_runtime_step(h.runtime, 10, &h.err), HAFT_OK, "%s", h.err.message);
        while (haft_run_next_event(run, &event)) {
            CHECK(event.seq == 0 || event.seq == ++seq, "%.*s", HAFT__ARG(event.json));
            CHECK(event.seq <= help_faulty_find(&h, run).seq, "event %d is not durable", (int)seq);
        }
    }
    CHECK_INT(seq, 8, "events");
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", haft_run_error(run)->message);
    haft_run_release(run);
    help_faulty_finish(&h);
}

/* Each event is stored once, for every outcome that the store may report or have. */
TEST(rejected_writes_are_repeated_until_the_store_accepts_them)
{
    static const help_faulty faults[] = {HELP_NOT_KEPT, HELP_KEPT, HELP_KEPT_LATE, HELP_DOWN};
    for (size_t i = 0; i < COUNT(faults); i++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = begin(&h, TOOL("[\"echo\",\"seen\"]"));
        bool fails = faults[i] == HELP_NOT_KEPT || faults[i] == HELP_DOWN;
        help_faulty_set(faults[i]);
        if (fails) {
            step_until_failing(&h, run);
        }
        help_faulty_step(&h, run, 3 * HAFT__LIMIT_RUN_RETRY_MS);
        if (fails) {
            CHECK(haft__log_is_failing(&run->log), "fault %zu: the run did not notice the failure",
                  i);
            CHECK_INT(haft_run_state(run), HAFT_RUNNING, "fault %zu: the state of the run", i);
            CHECK(run->state.stage != HAFT__RUN_ENDED, "fault %zu: the run continued", i);
            CHECK_INT(run->state.calls[0].stage, HAFT__CALL_FINISHED,
                      "fault %zu: the result of the call was lost", i);
        }
        help_faulty_set(HELP_FINE);
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%zu: %s", i,
                  haft_run_error(run)->message);
        CHECK_STR(help_host_kinds(&h, run), HAFT__LIT(ALL), "fault %zu: events that a reader gets",
                  i);
        CHECK_INT(help_faulty_find(&h, run).seq, 8, "fault %zu: events in the store", i);
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}

/* The last write of a run is like the others. */
TEST(the_end_of_a_run_is_written_once)
{
    static const help_faulty faults[] = {HELP_NOT_KEPT, HELP_KEPT, HELP_KEPT_LATE, HELP_DOWN};
    for (size_t i = 0; i < COUNT(faults); i++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run =
            help_host_start(&h, "", "{\"replies\":[{\"text\":\"good\",\"delay\":0.1}]}", "go");
        while (haft_run_state(run) == HAFT_RUNNING
               && (run->model_call == NULL || haft__log_is_busy(&run->log))) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        help_faulty_set(faults[i]);
        help_faulty_step(&h, run, 3 * HAFT__LIMIT_RUN_RETRY_MS);
        help_faulty_set(HELP_FINE);
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%zu: %s", i,
                  haft_run_error(run)->message);
        CHECK_INT(help_faulty_find(&h, run).seq, 4, "fault %zu: events in the store", i);
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}

TEST(a_run_stops_when_the_store_is_unreachable_until_its_lease_expires)
{
    help_host h;
    help_faulty_init(&h, HAFT__LIMIT_RUN_LEASE_MIN_MS);
    haft_run *run = begin(&h, TOOL("[\"echo\",\"seen\"]"));
    help_faulty_set(HELP_DOWN);
    help_faulty_step(&h, run, 10000);
    CHECK_INT(haft_run_state(run), HAFT_STOPPED, "state");
    CHECK_INT(haft_run_error(run)->status, HAFT_IO, "status");
    CHECK(strstr(haft_run_error(run)->message, "nobody is there") != NULL, "%s",
          haft_run_error(run)->message);
    CHECK(strstr(haft_run_error(run)->hint, run->id) != NULL, "%s", haft_run_error(run)->hint);
    haft_run_release(run);
    help_faulty_finish(&h);
}

TEST(a_run_stops_when_another_process_has_written_meanwhile)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = begin(&h, TOOL("[\"echo\",\"seen\"]"));
    help_faulty_set(HELP_NOT_KEPT);
    step_until_failing(&h, run);
    CHECK(haft__log_is_failing(&run->log), "the run did not notice the failure");
    help_faulty_take(&h, run);
    help_faulty_set(HELP_FINE);
    help_faulty_step(&h, run, 10000);
    CHECK_INT(haft_run_state(run), HAFT_STOPPED, "state");
    CHECK_INT(haft_run_error(run)->status, HAFT_BAD_STATE, "%s", haft_run_error(run)->message);
    CHECK_INT(help_faulty_find(&h, run).seq, 4, "the run wrote an event");
    CHECK_STR(help_faulty_find(&h, run).owner, HAFT__LIT("another"), "the owner");
    haft_run_release(run);
    help_faulty_finish(&h);
}

/* A run is released while its store is unreachable: none of its operations is running afterwards.
 */
TEST(a_run_can_be_released_while_the_store_is_unreachable)
{
    static const help_faulty faults[] = {HELP_NOT_KEPT, HELP_DOWN};
    for (size_t i = 0; i < COUNT(faults); i++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = begin(&h, TOOL("[\"echo\",\"seen\"]"));
        help_faulty_set(faults[i]);
        step_until_failing(&h, run);
        CHECK(haft__log_is_failing(&run->log), "fault %zu: the run did not notice the failure", i);
        haft_run_release(run);
        for (int k = 0; k < 10; k++) {
            CHECK_INT(haft_runtime_step(h.runtime, 50, &h.err), HAFT_OK, "%s", h.err.message);
        }
        CHECK_INT(h.runtime->runs == NULL, faults[i] == HELP_NOT_KEPT,
                  "fault %zu: no run is in memory", i);
        help_faulty_finish(&h);
    }
}

TEST(a_new_run_stops_if_the_store_is_unreachable)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    help_faulty_set(HELP_DOWN);
    haft_run *run = help_host_start(&h, "", "{\"replies\":[{\"text\":\"good\"}]}", "go");
    help_faulty_step(&h, run, 5000);
    CHECK_INT(haft_run_state(run), HAFT_STOPPED, "state");
    CHECK_INT(haft_run_error(run)->status, HAFT_IO, "%s", haft_run_error(run)->message);
    haft_run_release(run);
    help_faulty_finish(&h);
}

/* It is unknown whether the run was created; if it was, it has no owner. */
TEST(a_new_run_with_an_unconfirmed_creation_has_no_owner)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    help_faulty_set(HELP_KEPT);
    haft_run *run = help_host_start(&h, "", "{\"replies\":[{\"text\":\"good\"}]}", "go");
    help_faulty_step(&h, run, 5000);
    CHECK_INT(haft_run_state(run), HAFT_STOPPED, "state");
    while (run->query.pending) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK_STR(help_faulty_find(&h, run).owner, HAFT__LIT(""), "the owner");
    haft_run_release(run);
    help_faulty_finish(&h);
}

TEST(only_a_cancel_is_accepted_while_the_store_fails)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = begin(&h, TOOL("[\"sleep\",\"300\"]"));
    help_faulty_set(HELP_NOT_KEPT);
    haft__log_notify(run, HAFT__LIT("\"kind\":\"call_progress\"}"));
    run->log.state = HAFT__LOG_BACKING_OFF; /* as after a failed write */
    run->log.error = (haft_error){.status = HAFT_IO, .message = "it is away"};
    CHECK_INT(haft_run_answer(run, "c1.1", "1", &h.err), HAFT_IO, "%s", h.err.message);
    CHECK(strstr(h.err.message, "the command was not recorded") != NULL, "%s", h.err.message);
    run->log.state = HAFT__LOG_IDLE;
    run->log.error = (haft_error){0};
    CHECK_INT(haft_run_cancel(run, &h.err), HAFT_OK, "%s", h.err.message);
    help_faulty_step(&h, run, 3 * HAFT__LIMIT_RUN_RETRY_MS);
    CHECK(run->slots == NULL, "a call is still running");
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "the run ended before its end was durable");
    help_faulty_set(HELP_FINE);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("cancelled"), "end");
    haft_run_release(run);
    help_faulty_finish(&h);
}

TEST(events_that_wait_for_the_store_are_bounded)
{
    for (size_t past = 0; past < 2; past++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = begin(&h, TOOL("[\"sleep\",\"300\"]"));
        run->log.state = HAFT__LOG_BACKING_OFF;
        run->log.error = (haft_error){.status = HAFT_IO, .message = "it is away"};
        haft_str body = HAFT__LIT("\"kind\":\"cancel_asked\",\"by\":\"x\",\"why\":\"\"}");
        CHECK_INT(haft__log_append(run, haft__runtime_now(h.runtime), body, &h.err), HAFT_OK, "%s",
                  h.err.message);
        size_t line = run->log.buffered.len - 1; /* the next event is as long */
        char *fill = test_alloc(HAFT__LIMIT_RUN_BUFFERED_BYTES);
        memset(fill, ' ', HAFT__LIMIT_RUN_BUFFERED_BYTES);
        size_t room = (size_t)HAFT__LIMIT_RUN_BUFFERED_BYTES - run->log.buffered.len - line + past;
        haft__buf_add_str(&run->log.buffered, (haft_str){fill, room});
        haft_status status = haft__log_append(run, haft__runtime_now(h.runtime), body, &h.err);
        CHECK_INT(status, past ? HAFT_IO : HAFT_OK, "%s", h.err.message);
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}

/* An open that fails leaves the run without an owner, so it can be opened later. */
TEST(a_run_can_be_opened_after_the_store_was_unreachable)
{
    static const char *const pick = "\"tools\":[{\"name\":\"look\",\"description\":\"Look.\","
                                    "\"args\":[],\"headless\":true}]";
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = help_host_start(&h, pick, SCRIPT, "go"), *again = NULL;
    help_host_settle(&h, run);
    char id[HAFT__ID_LENGTH + 1];
    memcpy(id, run->id, sizeof(id));
    haft_run_release(run);
    help_faulty_set(HELP_DOWN);
    CHECK_INT(haft_run_open(h.runtime, id, &again, &h.err), HAFT_IO, "%s", h.err.message);
    help_faulty_set(HELP_FINE);
    CHECK_INT(haft_run_open(h.runtime, id, &again, &h.err), HAFT_OK, "%s", h.err.message);
    haft_run_release(again);
    help_faulty_finish(&h);
}

/* Out of memory while the store is unreachable: the run continues, or stops and reports why. */
TEST(out_of_memory_while_the_store_is_unreachable_is_reported)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = begin(&h, TOOL("[\"true\"]"));
        help_faulty_set(HELP_KEPT_LATE);
        test_fail_allocation(n);
        for (int i = 0; i < 500 && haft_run_state(run) == HAFT_RUNNING; i++) {
            (void)!haft_runtime_step(h.runtime, 5, NULL);
        }
        failed = test_allow_allocations();
        help_faulty_set(HELP_FINE);
        help_faulty_step(&h, run, 20000);
        if (haft_run_state(run) == HAFT_STOPPED) {
            CHECK(failed, "%s", haft_run_error(run)->message);
            CHECK_INT(haft_run_error(run)->status, HAFT_NO_MEMORY, "%u: %s", n,
                      haft_run_error(run)->message);
        } else {
            CHECK_INT(haft_run_state(run), HAFT_ENDED, "allocation %u: the state of the run", n);
        }
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}
