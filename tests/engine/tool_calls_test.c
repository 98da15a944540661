/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/str.h"
#include "engine_help.h"
#include "io/clock.h"

#define TOOL(more)                                                                                 \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[]," more "}]"
#define ONCE "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"

TEST(a_result_is_cached_for_other_runs)
{
    help_host h;
    help_host_init(&h, "memory:");
    static const char spec[] =
        TOOL("\"command\":[\"date\",\"+%s%N\"],\"traits\":{\"read_only\":true,"
             "\"idempotent\":true,\"cache\":\"global\"}");
    haft_run *first = help_host_start(&h, spec, ONCE, "go");
    help_host_settle(&h, first);
    haft_run *second = help_host_start(&h, spec, ONCE, "go");
    help_host_settle(&h, second);
    CHECK_STR(second->state.calls[0].result, first->state.calls[0].result,
              "the result of the second run");
    CHECK(first->state.calls[0].ok, "the first call failed");
    haft_str events = help_host_events(&h, second);
    CHECK(memmem(events.ptr, events.len, "\"cached\":true", 13) != NULL, "not marked as cached");
    haft_run_release(first);
    haft_run_release(second);
    help_host_finish(&h);
}

TEST(a_call_that_times_out_fails_is_retried_or_waits_for_a_person)
{
    static const struct {
        const char *name, *spec;
        haft_state state;
        const char *kinds;
    } rows[] = {
        {"may be repeated: its error is reported",
         TOOL("\"command\":[\"sleep\",\"300\"],\"traits\":{\"read_only\":true,\"timeout\":"
              "\"50ms\"}"),
         HAFT_ENDED,
         "run_started turn_started model_replied call_started call_finished turn_started "
         "model_replied run_finished"},
        {"with a retry",
         TOOL("\"command\":[\"sleep\",\"300\"],\"traits\":{\"read_only\":true,\"timeout\":\"50ms\","
              "\"retries\":1}"),
         HAFT_ENDED,
         "run_started turn_started model_replied call_started call_started call_retry "
         "call_finished "
         "turn_started model_replied run_finished"},
        {"may not: a person decides",
         TOOL("\"command\":[\"sleep\",\"300\"],\"traits\":{\"timeout\":\"50ms\"}"), HAFT_WAITING,
         "run_started turn_started model_replied call_started paused"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_host h;
        help_host_init(&h, "memory:");
        haft_run *run = help_host_start(&h, rows[i].spec, ONCE, "go");
        help_host_settle(&h, run);
        CHECK_INT(haft_run_state(run), rows[i].state, "%s", rows[i].name);
        CHECK_STR(help_host_kinds(&h, run), haft__str(rows[i].kinds), "%s", rows[i].name);
        haft_run_release(run);
        help_host_finish(&h);
    }
}

TEST(a_retry_has_a_reason_and_starts_at_once)
{
    static const char spec[] =
        TOOL("\"command\":[\"sleep\",\"300\"],\"traits\":{\"read_only\":true,"
             "\"timeout\":\"50ms\",\"retries\":1}");
    static const char wanted[] = "\"kind\":\"call_retry\",\"call\":\"c1.1\",\"attempt\":2,"
                                 "\"reason\":\"the call took longer than its timeout of 50 ms\","
                                 "\"wait_ms\":0}";
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, spec, ONCE, "go");
    help_host_settle(&h, run);
    haft_str events = help_host_events(&h, run);
    CHECK(memmem(events.ptr, events.len, wanted, sizeof(wanted) - 1) != NULL, "%.*s",
          HAFT__ARG(events));
    haft_run_release(run);
    help_host_finish(&h);
}

/* The text for the model says, too, that it was a timeout. */
TEST(a_call_that_timed_out_and_is_not_repeated_says_so)
{
    static const char wanted[] = "the outcome is unknown: the call took longer than its timeout of "
                                 "50 ms, and it may or may not have had its effect. A person "
                                 "decided not to repeat it";
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h, TOOL("\"command\":[\"sleep\",\"300\"],\"traits\":{\"timeout\":\"50ms\"}"), ONCE, "go");
    help_host_settle(&h, run);
    CHECK_INT(haft_run_reject(run, "c1.1", "", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", run->error.message);
    haft_str events = help_host_events(&h, run);
    CHECK(memmem(events.ptr, events.len, wanted, sizeof(wanted) - 1) != NULL, "%.*s",
          HAFT__ARG(events));
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_call_waits_for_the_poll_delay)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h,
        TOOL("\"command\":[\"date\",\"+%s%3N\"],\"traits\":{\"polls\":true,"
             "\"poll_delay\":\"80ms\"}"),
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"calls\":[{\"name\":\"look\"},{\"name\":"
        "\"look\"}]},{\"text\":\"good\"}]}",
        "go");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", run->error.message);
    CHECK_INT(run->state.call_count, 3, "calls");
    for (size_t i = 1; i < run->state.call_count; i++) {
        const haft__run_call *before = &run->state.calls[i - 1], *call = &run->state.calls[i];
        uint64_t ran_ms = 0; /* the tool prints the time at which it runs */
        CHECK(haft__str_to_u64(haft__str_trim(call->result), &ran_ms), "%.*s",
              HAFT__ARG(call->result));
        CHECK(ran_ms >= before->finished_ms + 80, "call %zu: %llu after %llu", i,
              (unsigned long long)ran_ms, (unsigned long long)before->finished_ms);
    }
    haft_run_release(run);
    help_host_finish(&h);
}

static uint64_t leaping_ms;

static uint64_t leaping_clock(void)
{
    leaping_ms += 50;
    return leaping_ms;
}

/* The delay passes between the decision to wait and the start of the timer, in one of the rounds.
 */
TEST(a_call_whose_delay_has_passed_at_once_is_not_lost)
{
    for (unsigned delay = 25; delay <= 525; delay += 50) {
        help_host h;
        char spec[512];
        help_host_init(&h, "memory:");
        leaping_ms = haft__clock_now();
        h.runtime->clock = leaping_clock;
        (void)snprintf(spec, sizeof(spec),
                       TOOL("\"command\":[\"true\"],\"traits\":{\"polls\":true,"
                            "\"poll_delay\":\"%ums\"}"),
                       delay);
        haft_run *run =
            help_host_start(&h, spec,
                            "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"calls\":[{"
                            "\"name\":\"look\"}]},{\"text\":\"good\"}]}",
                            "go");
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%u ms: %s", delay,
                  run->error.message);
        CHECK_INT(run->state.call_count, 2, "calls");
        haft_run_release(run);
        help_host_finish(&h);
    }
}

TEST(calls_run_in_parallel_up_to_the_limit)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h, TOOL("\"command\":[\"sleep\",\"300\"]") ",\"limits\":{\"parallel\":2}",
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"look\"},{\"name\":\"look\"}]}]}",
        "go");
    size_t count = 0;
    for (int i = 0; i < 30000 && count < 2; i++) {
        CHECK_INT(haft_runtime_step(h.runtime, 10, &h.err), HAFT_OK, "%s", h.err.message);
        count = 0;
        for (haft__call_slot *slot = run->slots; slot != NULL; slot = slot->next) {
            count++;
        }
    }
    CHECK_INT(count, 2, "calls that run at the same time");
    haft_run_release(run);
    help_host_finish(&h);
}
