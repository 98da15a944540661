/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_help.h"

#define LOOK           "{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
#define HEADLESS       "\"tools\":[" LOOK "\"headless\":true}]"
#define COMMAND(words) "\"tools\":[" LOOK "\"command\":" words "}]"
#define CALL_ONCE      "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"

TEST(a_run_reaches_its_end)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, "", "{\"replies\":[{\"text\":\"hello\"}]}", "go");
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "before the first step");
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_ENDED, "state");
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(haft_run_answer_text(run), HAFT__LIT("hello"), "answer");
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT("run_started turn_started model_replied run_finished"), "events");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_command_tool_runs_a_real_command)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, COMMAND("[\"echo\",\"seen\"]"), CALL_ONCE, "go");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("seen"), "result");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_headless_call_waits_and_is_answered)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, HEADLESS, CALL_ONCE, "go");
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "state");
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("waiting"), "end");
    CHECK_INT(haft_run_answer(run, "c9.9", "1", &h.err), HAFT_NOT_FOUND,
              "an answer to an unknown call");
    CHECK_INT(haft_run_answer(run, NULL, "{", &h.err), HAFT_BAD_INPUT,
              "an answer that is not JSON");
    CHECK_INT(haft_run_approve(run, NULL, NULL, &h.err), HAFT_BAD_STATE,
              "an approval of a call that needs an answer");
    CHECK_INT(haft_run_answer(run, NULL, "\"it\"", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_ENDED, "state");
    CHECK_INT(haft_run_answer(run, "c1.1", "\"it\"", &h.err), HAFT_OK,
              "the same answer a second time");
    CHECK_INT(haft_run_answer(run, "c1.1", "2", &h.err), HAFT_BAD_STATE,
              "a second, different answer");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_script_answers_headless_calls)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h, HEADLESS,
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}],\"results\":"
        "{\"look\":[\"seen\"]}}",
        "go");
    help_host_settle(&h, run);
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT("run_started turn_started model_replied call_started call_finished "
                        "turn_started model_replied run_finished"),
              "events");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_run_can_be_cancelled_while_it_works)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, COMMAND("[\"sleep\",\"300\"]"), CALL_ONCE, "go");
    while (run->slots == NULL) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK_INT(haft_run_cancel(run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("cancelled"), "end");
    CHECK(run->slots == NULL && run->model_call == NULL,
          "a call or a model request is still running");
    CHECK_INT(haft_run_cancel(run, &h.err), HAFT_OK, "a second cancel");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(half_of_many_runs_at_once_fail_and_the_others_end)
{
    enum { RUNS = 100 };
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *good = help_host_agent(&h, COMMAND("[\"echo\",\"x\"]"), CALL_ONCE);
    haft_agent *bad = help_host_agent(
        &h, COMMAND("[\"false\"]"),
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"error\":{\"status\":500,\"body\":"
        "\"no\"}}]}");
    haft_run *runs[RUNS] = {NULL};
    for (int i = 0; i < RUNS; i++) {
        haft_agent *agent = i % 2 == 0 ? good : bad;
        CHECK_INT(haft_run_start(agent, "go", NULL, &runs[i], &h.err), HAFT_OK, "%s",
                  h.err.message);
    }
    haft_agent_release(good);
    haft_agent_release(bad);
    for (int i = 0; i < RUNS; i++) {
        help_host_settle(&h, runs[i]);
        CHECK_STR(haft__str(haft_run_end(runs[i])),
                  i % 2 == 0 ? HAFT__LIT("done") : HAFT__LIT("failed"), "run %d", i);
        haft_run_release(runs[i]);
    }
    help_host_finish(&h);
}

TEST(a_released_run_can_be_opened_again)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, HEADLESS, CALL_ONCE, "go");
    help_host_settle(&h, run);
    char id[32];
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    CHECK_INT(haft_run_open(h.runtime, "zzz", &run, &h.err), HAFT_NOT_FOUND, "an unknown run");
    CHECK_INT(haft_run_open(h.runtime, id, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "state");
    CHECK_INT(haft_run_answer(run, NULL, "1", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    haft_run_release(run);
    CHECK_INT(haft_run_open(h.runtime, "last", &run, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_run_state(run), HAFT_ENDED, "the state after the run was opened again");
    CHECK_STR(haft_run_answer_text(run), HAFT__LIT("good"), "answer");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(what_was_recorded_before_a_run_stopped_is_stored)
{
    for (size_t released = 0; released < 2; released++) {
        help_host h;
        haft__buf *body;
        char id[32];
        help_host_init(&h, "memory:");
        haft_run *run = help_host_start(&h, HEADLESS, CALL_ONCE, "go");
        help_host_settle(&h, run);
        (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
        body = &h.runtime->decider.body;
        size_t max = body->max;
        haft__buf_finish(body);
        haft__buf_init(body, 1); /* the decision after the answer fails */
        CHECK_INT(haft_run_answer(run, NULL, "1", &h.err), HAFT_OK, "%s", h.err.message);
        if (released == 0) {
            help_host_settle(&h, run);
            CHECK_INT(haft_run_state(run), HAFT_STOPPED, "state");
        }
        haft_run_release(run);
        haft__buf_finish(body);
        haft__buf_init(body, max);
        CHECK_INT(haft_run_open(h.runtime, id, &run, &h.err), HAFT_OK, "%s", h.err.message);
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "the answer was kept");
        haft_run_release(run);
        help_host_finish(&h);
    }
}

TEST(a_run_can_be_released_at_any_time)
{
    for (int steps = 0; steps < 12; steps++) {
        help_host h;
        help_host_init(&h, "memory:");
        haft_run *run = help_host_start(&h, COMMAND("[\"echo\",\"x\"]"), CALL_ONCE, "go");
        for (int i = 0; i < steps; i++) {
            CHECK_INT(haft_runtime_step(h.runtime, 1, &h.err), HAFT_OK, "%s", h.err.message);
        }
        haft_run_release(run);
        help_host_finish(&h);
    }
}

TEST(a_pause_ends_at_its_deadline)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h,
        "\"tools\":[" LOOK "\"command\":[\"echo\",\"x\"],\"traits\":{\"needs_approval\":true}}],"
        "\"approvals\":[{\"tools\":[\"look\"],\"deadline\":\"500ms\",\"on_expire\":\"reject\"}]",
        CALL_ONCE, "go");
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "before the deadline");
    uint64_t start = haft__loop_now(h.runtime->loop);
    while (haft_run_state(run) != HAFT_ENDED && haft__loop_now(h.runtime->loop) - start < 10000) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_INT(run->state.calls[0].stage, HAFT__CALL_REFUSED, "the stage of the call");
    haft_run_release(run);
    help_host_finish(&h);
}

static uint64_t late_clock(void)
{
    return (uint64_t)4102444800000; /* 2100 */
}

/* The deadline has passed, and no process has checked the clock: the answer does not count. */
TEST(an_answer_after_the_deadline_is_too_late)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h,
        "\"tools\":[" LOOK "\"command\":[\"echo\",\"x\"],\"traits\":{\"needs_approval\":true}}],"
        "\"approvals\":[{\"tools\":[\"look\"],\"deadline\":\"1h\",\"on_expire\":\"reject\"}]",
        CALL_ONCE, "go");
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "before the deadline");
    h.runtime->clock = late_clock;
    CHECK_INT(haft_run_approve(run, NULL, NULL, &h.err), HAFT_BAD_STATE,
              "an approval after the deadline");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_INT(run->state.calls[0].stage, HAFT__CALL_REFUSED, "the stage of the call");
    CHECK_STR(run->state.calls[0].verdict, HAFT__LIT("reject"), "verdict");
    haft_run_release(run);
    help_host_finish(&h);
}

/* Drains a run whose call has started, and steps until it is drained. */
static haft_run *drain_during_call(help_host *h, const char *members)
{
    haft_run *run = help_host_start(h, members, CALL_ONCE, "go");
    while (run->slots == NULL) {
        CHECK_INT(haft_runtime_step(h->runtime, -1, NULL), HAFT_OK, "step");
    }
    CHECK(!haft__run_is_drained(run), "the run is drained at once");
    haft__run_drain(run);
    while (!haft__run_is_drained(run)) {
        CHECK_INT(haft_runtime_step(h->runtime, -1, NULL), HAFT_OK, "step");
    }
    return run;
}

TEST(draining_stops_repeatable_calls)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = drain_during_call(&h, "\"tools\":[" LOOK "\"command\":[\"sleep\",\"300\"],"
                                          "\"traits\":{\"read_only\":true}}]");
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT("run_started turn_started model_replied call_started"), "events");
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "the run has not ended");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(draining_waits_for_calls_with_effects)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = drain_during_call(&h, COMMAND("[\"sh\",\"-c\",\"sleep 0.1; echo seen\"]"));
    CHECK_STR(help_host_kinds(&h, run),
              HAFT__LIT("run_started turn_started model_replied call_started call_finished"),
              "events");
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("seen"), "result");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(draining_stores_a_new_run_and_cancels_a_model_request)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run =
        help_host_start(&h, "", "{\"replies\":[{\"text\":\"late\",\"delay\":300}]}", "go");
    haft_run *early = help_host_start(&h, "", "{\"replies\":[{\"text\":\"x\"}]}", "go");
    haft__run_drain(early);
    CHECK(!haft__run_is_drained(early), "a run is drained before its first event is durable");
    while (run->model_call == NULL || !haft__run_is_drained(early)) {
        CHECK_INT(haft_runtime_step(h.runtime, -1, NULL), HAFT_OK, "step");
    }
    CHECK_STR(help_host_kinds(&h, early), HAFT__LIT("run_started"), "events of the new run");
    haft__run_drain(run);
    CHECK(run->model_call == NULL, "the model request is not cancelled");
    while (!haft__run_is_drained(run)) {
        CHECK_INT(haft_runtime_step(h.runtime, -1, NULL), HAFT_OK, "step");
    }
    CHECK_STR(help_host_kinds(&h, run), HAFT__LIT("run_started turn_started"), "events");
    haft_run_release(run);
    haft_run_release(early);
    help_host_finish(&h);
}
