/* SPDX-License-Identifier: Apache-2.0 */
/* The queries of a host about a run. Whole runs with hosts that stop: tests/sim/. */
#include "run/host.h"

#include "run_help.h"

#define SCRIPT                                                                                     \
    "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{}},{\"name\":\"put\","            \
    "\"arguments\":{}},{\"name\":\"send\",\"arguments\":{}},{\"name\":\"pay\",\"arguments\":{}},"  \
    "{\"name\":\"buy\",\"arguments\":{}}]}]}"
#define SPEC                                                                                       \
    "agent; parallel=9; tools=look!read_only,put!idempotent,send,pay,buy; "                        \
    "approve=pay; deadline_ms=5000; approve=buy; deadline_ms=3000"

/* A run whose first three calls have started; two more are pending, each with a deadline. */
static void begin(help_run *r)
{
    help_run whole;
    help_run_init(&whole, SPEC, SCRIPT);
    CHECK_INT(help_run_go(&whole), HAFT_OK, "%s", whole.err.message);
    haft_str log = haft__buf_str(&whole.log), rest = log;
    for (int i = 0; i < 8; i++) { /* run, turn, reply, three starts, two pauses */
        (void)haft__str_split(&rest, '\n');
    }
    help_run_init(r, SPEC, SCRIPT);
    CHECK_INT(help_run_restore(r, help_keep((haft_str){log.ptr, log.len - rest.len})), HAFT_OK,
              "%s", r->err.message);
    help_run_finish(&whole);
}

TEST(a_call_with_effects_starts_after_its_events_are_durable)
{
    static const struct {
        size_t call;
        bool repeatable, now, durable; /* may start now, or when all is durable */
    } rows[] = {
        {0, true, true, true},    /* read-only */
        {1, true, false, true},   /* idempotent */
        {2, false, false, true},  /* neither */
        {3, false, false, false}, /* waits for a person */
    };
    help_run r;
    begin(&r);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const haft__run_call *call = &r.drive.run.calls[rows[i].call];
        CHECK_INT(haft__call_is_repeatable(call), rows[i].repeatable, "row %zu", i);
        CHECK_INT(haft__call_may_start(call, false), rows[i].now, "row %zu", i);
        CHECK_INT(haft__call_may_start(call, true), rows[i].durable, "row %zu", i);
    }
    help_run_finish(&r);
}

TEST(only_running_calls_are_interrupted)
{
    help_run r;
    begin(&r);
    haft__run *run = &r.drive.run;
    size_t at = 0;
    for (size_t i = 0; i < 3; i++) {
        CHECK(haft__run_next_interrupted_call(run, &at) == &run->calls[i], "call %zu", i);
    }
    CHECK(haft__run_next_interrupted_call(run, &at) == NULL, "no further call is interrupted");
    at = 0;
    run->cancel_asked = true;
    CHECK(haft__run_next_interrupted_call(run, &at) == NULL,
          "no call of a cancelled run is interrupted");
    run->cancel_asked = false;
    run->expired = true;
    CHECK(haft__run_next_interrupted_call(run, &at) == NULL,
          "no call of an expired run is interrupted");
    help_run_finish(&r);
}

TEST(the_deadline_of_a_run_is_its_earliest)
{
    help_run r;
    begin(&r);
    haft__run *run = &r.drive.run;
    CHECK_INT(haft__run_deadline(run), run->calls[4].deadline_ms, "the earlier deadline");
    run->calls[4].stage = HAFT__CALL_ANSWERED;
    CHECK_INT(haft__run_deadline(run), run->calls[3].deadline_ms, "the deadline that is left");
    run->cancel_asked = true;
    CHECK(!haft__run_takes_answers(run), "a cancelled run waits only for its children");
    CHECK_INT(haft__run_deadline(run), 0, "no deadline counts when the run ends");
    run->cancel_asked = false;
    run->calls[3].deadline_ms = 0;
    CHECK_INT(haft__run_deadline(run), 0, "no deadline is left");
    help_run_finish(&r);
}

TEST(the_newest_local_question_is_found)
{
    help_run r;
    begin(&r);
    haft__run *run = &r.drive.run;
    CHECK(run->calls[3].paused_seq == 7 && run->calls[4].paused_seq == 8,
          "sequence numbers of the pauses");
    CHECK_INT(haft__run_local_question_seq(run), 0, "approvals can wait");
    run->calls[3].pinned = run->calls[2].pinned = true;
    CHECK_INT(haft__run_local_question_seq(run), 7, "the first call asks locally");
    run->calls[4].pinned = true;
    CHECK_INT(haft__run_local_question_seq(run), 8, "both calls ask locally");
    run->calls[4].stage = HAFT__CALL_ANSWERED;
    CHECK_INT(haft__run_local_question_seq(run), 7, "the newer question was answered");
    help_run_finish(&r);
}

TEST(only_calls_that_are_pending_without_a_host_are_overdue)
{
    help_run r;
    help_run_init(&r, "agent; tools=send!approval",
                  "{\"replies\":[{\"calls\":[{\"name\":\"send\","
                  "\"arguments\":{\"q\":\"a\"}}]}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    haft__run *run = &r.drive.run;
    haft__run_call *call = &run->calls[0];
    CHECK(haft__call_is_pending(call), "the call is pending");
    CHECK(haft__run_find_overdue(run, UINT64_MAX) == NULL, "a call without a deadline");
    call->deadline_ms = 1000;
    CHECK(haft__run_find_overdue(run, 999) == NULL, "before the deadline");
    CHECK(haft__run_find_overdue(run, 1000) == call, "at the deadline");
    run->cancel_asked = true;
    CHECK(haft__run_find_overdue(run, 1000) == NULL, "no call is overdue when the run ends");
    run->cancel_asked = false;
    call->elicitation = haft__json_object(NULL, 0);
    call->pinned = true;
    CHECK(!haft__call_is_pending(call), "a question of a local process");
    CHECK(haft__run_find_overdue(run, 1000) == NULL, "a local question is never overdue");
    help_run_finish(&r);
}

TEST(the_key_of_a_call_has_run_and_call)
{
    haft__buf key;
    haft__buf_init(&key, 100);
    haft__run_add_idempotency_key(&key, HAFT__LIT("run"), HAFT__LIT("c1.2"));
    CHECK_STR(haft__buf_str(&key), HAFT__LIT("run:c1.2"), "the idempotency key");
    haft__buf_finish(&key);
}
