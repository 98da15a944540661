/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for haft__decide_recovery in src/run/decide/recovery.c: a call had started when the host
 * stopped. */
#include "run/decide/decide.h"

#include "base/limits.h"
#include "run/replay/replay.h"
#include "run/scenario_help.h"

#define SCRIPT                                                                                     \
    "{\"replies\":[{\"calls\":[{\"name\":\"send\"}]},{\"text\":\"ok\"}],\"results\":{\"send\":"    \
    "[\"sent\"]}}"

/* The events of the recovery; then the run continues by itself, or after an answer. */
static const struct {
    const char *name, *spec, *verdict, *events;
} cases[] = {
    {"a read-only call runs again", "agent; tools=send!read_only", NULL,
     "call_started tool=\"send\" call=\"c1.1\" attempt=2\n"
     "call_finished tool=\"send\" call=\"c1.1\" ok=true\n"},
    {"an idempotent call runs again", "agent; tools=send!cached", NULL,
     "call_started tool=\"send\" call=\"c1.1\" attempt=2\n"
     "call_finished tool=\"send\" call=\"c1.1\" ok=true\n"},
    {"a person has another call run again", "agent; tools=send", "retry",
     "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\"\n"
     "answered by=\"test\" call=\"c1.1\" verdict=\"retry\"\n"
     "call_started tool=\"send\" call=\"c1.1\" attempt=2\n"
     "call_finished tool=\"send\" call=\"c1.1\" ok=true\n"},
    {"a person knows the outcome", "agent; tools=send", "answer",
     "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\"\n"
     "answered by=\"test\" call=\"c1.1\" verdict=\"answer\"\n"
     "call_finished tool=\"send\" call=\"c1.1\" ok=true\n"},
    {"a person rejects another run", "agent; tools=send", "reject",
     "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\"\n"
     "answered by=\"test\" call=\"c1.1\" verdict=\"reject\"\n"
     "call_finished tool=\"send\" call=\"c1.1\" ok=false\n"},
    {"the call runs again because the spec says so", "agent; tools=send; on_unknown=retry", NULL,
     "call_started tool=\"send\" call=\"c1.1\" attempt=2\n"
     "call_finished tool=\"send\" call=\"c1.1\" ok=true\n"},
    {"the model gets an error because the spec says so", "agent; tools=send; on_unknown=tell", NULL,
     "call_finished tool=\"send\" call=\"c1.1\" ok=false\n"},
};

/* The log of a run up to its call_started. */
static void stop_in_the_middle(help_run *r, const char *spec)
{
    help_run before;
    help_run_init(&before, spec, SCRIPT);
    CHECK_INT(help_run_go(&before), HAFT_OK, "%s", before.err.message);
    haft_str log = haft__buf_str(&before.log), rest = log;
    for (int i = 0; i < 4; i++) {
        (void)haft__str_split(&rest, '\n');
    }
    help_run_init(r, spec, SCRIPT);
    CHECK_INT(help_run_restore(r, help_keep((haft_str){log.ptr, log.len - rest.len})), HAFT_OK,
              "%s", r->err.message);
    help_run_finish(&before);
}

static haft_status recover(help_run *r)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft__run *run = &r->drive.run;
    r->now_ms = 2000000;
    haft_status status = haft__decide_recovery(&r->drive.decider, run, &run->calls[0],
                                               r->now_ms + 10, &effect, &r->err);
    CHECK(status != HAFT_OK || effect.kind == HAFT__EFFECT_EVENT, "the recovery decides an event");
    return status == HAFT_OK ? haft__drive_append(&r->drive, effect.body, &r->err) : status;
}

TEST(an_interrupted_call_is_recovered_by_its_traits)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_run r;
        stop_in_the_middle(&r, cases[i].spec);
        size_t before = r.summary.len;
        CHECK_INT(recover(&r), HAFT_OK, "%s: %s", cases[i].name, r.err.message);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s: %s", cases[i].name,
                  r.err.message);
        if (cases[i].verdict != NULL) {
            CHECK_INT(help_run_answer(&r, "c1.1", cases[i].verdict, "\"done\""), HAFT_OK, "%s: %s",
                      cases[i].name, r.err.message);
        }
        haft_str found = haft__str_skip(haft__buf_str(&r.summary), before);
        CHECK(haft__str_starts_with(found, haft__str(cases[i].events)), "%s: %.*s", cases[i].name,
              HAFT__ARG(found));
        CHECK(r.drive.run.stage == HAFT__RUN_ENDED && r.drive.run.end == HAFT__END_DONE, "%s",
              cases[i].name);
        haft__replay replay;
        CHECK_INT(haft__replay_log(&r.arena, &r.spec.spec, haft__buf_str(&r.log), HELP_KEY, &replay,
                                   &r.err),
                  HAFT_OK, "%s: %s", cases[i].name, r.err.message);
        CHECK(replay.identical, "%s differs at %llu: %.*s", cases[i].name,
              (unsigned long long)replay.differs_at, HAFT__ARG(replay.recorded));
        help_run_finish(&r);
    }
}

/* The model gets the reason of the person and the fact that the call had started. */
TEST(rejecting_an_unknown_outcome_does_not_hide_it)
{
    help_run r;
    stop_in_the_middle(&r, "agent; tools=send");
    CHECK_INT(recover(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.1", "reject", "\"too dear\""), HAFT_OK, "%s", r.err.message);
    haft_str shown = help_keep(r.drive.run.calls[0].shown);
    CHECK(strstr(shown.ptr, "may or may not have had its effect") != NULL,
          "the model reads that the outcome is unknown");
    CHECK(strstr(shown.ptr, "too dear") != NULL, "the model reads the reason");
    help_run_finish(&r);
}

/* If calls are approved one by one, no more of them start than the budget allows. */
TEST(a_budget_holds_for_calls_that_were_approved)
{
    help_run r;
    haft__replay replay;
    help_run_init(&r, "agent; calls=1; tools=send!approval",
                  "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}},"
                  "{\"name\":\"send\",\"arguments\":{\"q\":\"b\"}},{\"name\":\"send\","
                  "\"arguments\":{\"q\":\"c\"}}]},{\"text\":\"ok\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.1", "approve", "null"), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.2", "approve", "null"), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.3", "edit", "{\"q\":\"d\"}"), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.usage.calls, 1, "calls that started");
    CHECK_INT(
        haft__replay_log(&r.arena, &r.spec.spec, haft__buf_str(&r.log), HELP_KEY, &replay, &r.err),
        HAFT_OK, "%s", r.err.message);
    CHECK(replay.identical, "differs at %llu", (unsigned long long)replay.differs_at);
    help_run_finish(&r);
}

/* A call that crashes its host every time is not repeated for ever. */
TEST(recoveries_of_a_call_are_bounded)
{
    static const struct {
        const char *spec, *events;
        uint32_t max;
    } rows[] = {
        {"agent; tools=send!read_only",
         "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\"",
         HAFT__LIMIT_TOOL_RECOVERIES},
        {"agent; tools=send!idempotent; on_unknown=tell",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false", HAFT__LIMIT_TOOL_RECOVERIES},
        {"agent; tools=send; on_unknown=retry",
         "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\"",
         HAFT__LIMIT_TOOL_RECOVERIES + HAFT__LIMIT_TOOL_RETRIES},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        stop_in_the_middle(&r, rows[i].spec);
        const haft__run_call *call = &r.drive.run.calls[0];
        for (uint32_t n = 1; n <= rows[i].max; n++) {
            CHECK_INT(recover(&r), HAFT_OK, "%s", r.err.message);
            CHECK_INT(call->attempt, n + 1, "%s: number of attempts", rows[i].spec);
        }
        size_t before = r.summary.len;
        CHECK_INT(recover(&r), HAFT_OK, "%s", r.err.message);
        haft_str found = haft__str_skip(haft__buf_str(&r.summary), before);
        CHECK(haft__str_starts_with(found, haft__str(rows[i].events)), "%s: %.*s", rows[i].spec,
              HAFT__ARG(found));
        if (call->stage == HAFT__CALL_PAUSED) { /* a person may still repeat it */
            CHECK_INT(help_run_answer(&r, "c1.1", "retry", "null"), HAFT_OK, "%s", r.err.message);
            CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%s", rows[i].spec);
        }
        haft__replay replay;
        CHECK_INT(haft__replay_log(&r.arena, &r.spec.spec, haft__buf_str(&r.log), HELP_KEY, &replay,
                                   &r.err),
                  HAFT_OK, "%s", r.err.message);
        CHECK(replay.identical, "%s differs at %llu", rows[i].spec,
              (unsigned long long)replay.differs_at);
        help_run_finish(&r);
    }
}

TEST(recovery_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            help_run r;
            stop_in_the_middle(&r, cases[i].spec);
            haft__decider decider;
            CHECK_INT(haft__decider_init(&decider, NULL), HAFT_OK, "init");
            haft__effect effect;
            test_fail_allocation(n);
            haft_status status = haft__decide_recovery(&decider, &r.drive.run,
                                                       &r.drive.run.calls[0], 0, &effect, NULL);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].name,
                      n);
            haft__decider_finish(&decider);
            help_run_finish(&r);
            if (!failed) {
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}

/* An attempt that failed while the host was running. The tool defines the retries. */
TEST(a_failed_attempt_is_retried_as_the_tool_defines)
{
    static const struct {
        const char *name, *spec, *events;
        uint32_t retries;
        bool unknown, transient, mcp;
    } rows[] = {
        {"the error is reported", "agent; tools=send!read_only",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false\n", 1, false, false, false},
        {"an error that is retried", "agent; tools=send!read_only",
         "call_started tool=\"send\" call=\"c1.1\" attempt=2\n", 1, false, true, false},
        {"no tries left", "agent; tools=send!read_only",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false\n", 0, true, true, false},
        {"out of time, with effects: a person is asked", "agent; tools=send",
         "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\" reason=\"no\"\n", 0, true,
         true, false},
        {"never started: a person is not asked", "agent; tools=send",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false\n", 0, false, true, false},
        {"the spec says tell", "agent; tools=send; on_unknown=tell",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false\n", 0, true, true, false},
        {"the spec says retry", "agent; tools=send; on_unknown=retry",
         "call_started tool=\"send\" call=\"c1.1\" attempt=2\n", 0, true, true, false},
        {"tool of a server: the model gets an error", "agent; tools=send",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false\n", 0, true, true, true},
        {"tool of a server, repeatable, no tries left", "agent; tools=send!idempotent",
         "call_finished tool=\"send\" call=\"c1.1\" ok=false\n", 0, true, true, true},
        {"tool of a server, repeatable", "agent; tools=send!idempotent",
         "call_started tool=\"send\" call=\"c1.1\" attempt=2\n", 1, true, true, true},
        {"tool of a server, and the spec says ask", "agent; tools=send; on_unknown=ask",
         "paused tool=\"send\" call=\"c1.1\" pause=\"unknown_outcome\" reason=\"no\"\n", 0, true,
         true, true},
        {"tool of a server, and the spec says retry", "agent; tools=send; on_unknown=retry",
         "call_started tool=\"send\" call=\"c1.1\" attempt=2\n", 0, true, true, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        stop_in_the_middle(&r, rows[i].spec);
        haft__tool tool = *r.drive.run.calls[0].tool;
        tool.traits.retries = rows[i].retries;
        tool.source = rows[i].mcp ? HAFT__TOOL_MCP : tool.source;
        haft__run_call call = r.drive.run.calls[0];
        call.tool = &tool;
        haft__outcome outcome = {.text = HAFT__LIT("no"),
                                 .where = HAFT__LIT(""),
                                 .hint = HAFT__LIT(""),
                                 .unknown = rows[i].unknown,
                                 .transient = rows[i].transient};
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        size_t before = r.summary.len;
        CHECK_INT(haft__decide_failed(&r.drive.decider, &r.drive.run, &call, &outcome, 2000000,
                                      &effect, &r.err),
                  HAFT_OK, "%s", r.err.message);
        CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_STR(haft__str_skip(haft__buf_str(&r.summary), before), haft__str(rows[i].events),
                  "%s", rows[i].name);
        call.attempt = HAFT__LIMIT_TOOL_RETRIES + 1;
        CHECK_INT(haft__decide_failed(&r.drive.decider, &r.drive.run, &call, &outcome, 2000000,
                                      &effect, &r.err),
                  HAFT_OK, "%s", r.err.message);
        CHECK(!haft__str_starts_with(effect.body, HAFT__LIT("\"kind\":\"call_started\"")),
              "%s: retried without a limit", rows[i].name);
        help_run_finish(&r);
    }
}
