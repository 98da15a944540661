/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/replay/replay.c, over the scenarios of decide_test.c. */
#include "run/replay/replay.h"

#include "run/host.h"
#include "run/scenario_help.h"

typedef struct replay_case {
    haft__arena arena;
    help_spec spec;
    haft__replay found;
    haft_error err;
} replay_case;

static haft_status replay(replay_case *c, haft_str words, haft_str log)
{
    *c = (replay_case){0};
    haft__arena_init(&c->arena, 0);
    help_spec_init(&c->spec, &c->arena, words);
    return haft__replay_log(&c->arena, &c->spec.spec, log, HELP_KEY, &c->found, &c->err);
}

/* Whether a line of the log is a decision and not an input of the host. */
static bool is_decision(haft_str line)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    help_summarise(&text, line);
    haft_str kind = haft__buf_str(&text);
    static const char *const kinds[] = {"turn_started", "gate_opened",
                                        "violation",    "reminded",
                                        "call_started", "call_refused",
                                        "paused ",      "artifact_stored",
                                        "run_finished", "answered by=\"deadline\""};
    bool decision = false;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        decision = decision || haft__str_starts_with(kind, haft__str(kinds[i]));
    }
    haft__buf_finish(&text);
    static const char result[] = "\"encoding\":\"base64\""; /* a binary result of a tool */
    return decision && memmem(line.ptr, line.len, result, strlen(result)) == NULL;
}

TEST(every_scenario_replays_byte_for_byte)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        haft_str log = help_scenario_log(&scenarios[i]), rest = log;
        size_t lines = 0, decisions = 0;
        for (; rest.len > 0; lines++) {
            decisions += is_decision(haft__str_split(&rest, '\n'));
        }
        replay_case c;
        CHECK_INT(replay(&c, scenarios[i].spec, log), HAFT_OK, "%s: %s %s", scenarios[i].path,
                  c.err.where, c.err.message);
        CHECK(c.found.identical, "%s differs at %llu: %.*s, now %.*s", scenarios[i].path,
              (unsigned long long)c.found.differs_at, HAFT__ARG(c.found.recorded),
              HAFT__ARG(c.found.decided));
        CHECK_INT(c.found.events, lines, "%s", scenarios[i].path);
        CHECK(c.found.decisions >= decisions, "%s: %llu of %zu decisions were repeated",
              scenarios[i].path, (unsigned long long)c.found.decisions, decisions);
        haft__arena_finish(&c.arena);
    }
}

/* Changes one byte of the line at `at` and replays the log up to that line. */
static void check_changed(const help_scenario *scenario, haft_str line, size_t at, haft_str until,
                          bool decision, uint64_t seq)
{
    char *byte = (char *)test_alloc(until.len);
    memcpy(byte, until.ptr, until.len);
    size_t offset = (size_t)(line.ptr - until.ptr) + at;
    byte[offset] = (char)(byte[offset] ^ 1);
    replay_case c;
    haft_status status = replay(&c, scenario->spec, (haft_str){byte, until.len});
    bool refused = status == HAFT_BAD_INPUT || status == HAFT_UNSUPPORTED;
    CHECK(status == HAFT_OK || refused, "%s: status %d: %s", scenario->path, status, c.err.message);
    CHECK(!refused || c.err.message[0] != '\0', "%s: no message", scenario->path);
    if (decision && status == HAFT_OK) {
        CHECK(!c.found.identical && c.found.differs_at == seq,
              "%s: byte %zu of event %llu was changed; differs at %llu", scenario->path, at,
              (unsigned long long)seq, (unsigned long long)c.found.differs_at);
        CHECK(c.found.decided.len > 0 && !haft__str_equal(c.found.decided, c.found.recorded),
              "%s: %.*s", scenario->path, HAFT__ARG(c.found.recorded));
    }
    haft__arena_finish(&c.arena);
}

/* Where the fields of the event begin: decisions do not contain the envelope. */
static size_t body_at(haft_str line)
{
    haft_str key = HAFT__LIT("\"kind\":");
    size_t at = 0;
    while (!haft__str_starts_with(haft__str_skip(line, at), key)) {
        at++;
    }
    return at;
}

/* Every n-th byte, so that the whole test takes a second. */
static void check_changes(const help_scenario *scenario, size_t step)
{
    haft_str log = help_scenario_log(scenario), rest = log;
    size_t next = 0;
    for (uint64_t seq = 1; rest.len > 0; seq++) {
        haft_str line = haft__str_split(&rest, '\n');
        bool decision = is_decision(line);
        size_t at = decision ? body_at(line) : 0;
        for (at += next; at < line.len; at += step) {
            check_changed(scenario, line, at, (haft_str){log.ptr, log.len - rest.len}, decision,
                          seq);
        }
        next = at - line.len;
    }
}

TEST(a_changed_byte_is_found_at_its_event)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        check_changes(&scenarios[i], 3);
    }
}

/* `text` with the first `old` replaced by `new`. */
static haft_str replaced(haft_str text, const char *old, const char *new)
{
    haft_str part = haft__str(old);
    size_t at = 0;
    while (at < text.len && !haft__str_starts_with(haft__str_skip(text, at), part)) {
        at++;
    }
    CHECK(at < text.len, "there is no %s", old);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 26);
    haft__buf_add(&buf, text.ptr, at);
    haft__buf_add_str(&buf, haft__str(new));
    haft__buf_add_str(&buf, haft__str_skip(text, at + part.len));
    haft_str made = help_keep(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return made;
}

/* A changed input, and the first decision that then differs; 0 for an error. */
static const struct {
    const char *name, *scenario, *old, *new;
    uint64_t differs_at;
} changed_inputs[] = {
    {"a reply's text", "an-agent-answers", "\"content\":\"hello\"", "\"content\":\"bye\"", 4},
    {"a reply's calls", "one-call-then-the-answer", "\"name\":\"look\"", "\"name\":\"lock\"", 4},
    {"a reply's arguments", "one-call-then-the-answer", "\\\"x\\\"", "\\\"y\\\"", 4},
    {"a tool's result", "a-result-that-is-the-answer", "the answer", "another", 6},
    {"an answer", "approval-responded", "I did it myself", "not me", 9},
    {"the usage", "token-budget", "\"output_tokens\":100", "\"output_tokens\":10", 6},
    {"a time", "approval-approved", "{\"seq\":4,\"at\":\"1970", "{\"seq\":4,\"at\":\"1971", 4},
    {"the spec", "an-agent-answers", "\"spec\":\"0", "\"spec\":\"1", 0},
    {"a number", "an-agent-answers", "\"seq\":2", "\"seq\":3", 0},
    {"an event that is not an input", "an-agent-answers", "\"model_replied\"", "\"call_finished\"",
     0},
};

TEST(other_inputs_lead_to_other_decisions)
{
    for (size_t i = 0; i < COUNT(changed_inputs); i++) {
        const help_scenario *scenario = help_scenario_named(changed_inputs[i].scenario);
        haft_str log =
            replaced(help_scenario_log(scenario), changed_inputs[i].old, changed_inputs[i].new);
        replay_case c;
        haft_status status = replay(&c, scenario->spec, log);
        CHECK_INT(status == HAFT_OK, changed_inputs[i].differs_at > 0, "%s: %s",
                  changed_inputs[i].name, c.err.message);
        if (status == HAFT_OK) {
            CHECK(!c.found.identical, "%s made no difference", changed_inputs[i].name);
            CHECK_INT(c.found.differs_at, changed_inputs[i].differs_at, "%s: %.*s",
                      changed_inputs[i].name, HAFT__ARG(c.found.recorded));
        }
        haft__arena_finish(&c.arena);
    }
}

TEST(replaying_survives_every_failed_allocation)
{
    const help_scenario *scenario = help_scenario_named("one-call-then-the-answer");
    haft_str good = help_scenario_log(scenario);
    const haft_str logs[] = {good, replaced(good, "\"name\":\"look\"", "\"name\":\"lock\"")};
    haft__arena kept;
    haft__arena_init(&kept, 0);
    help_spec spec;
    help_spec_init(&spec, &kept, scenario->spec);
    for (size_t i = 0; i < COUNT(logs); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            haft__replay found = {0};
            test_fail_allocation(n);
            haft_status status =
                haft__replay_log(&arena, &spec.spec, logs[i], HELP_KEY, &found, NULL);
            bool failed = test_allow_allocations();
            CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %d", n,
                  status);
            CHECK(status != HAFT_OK || found.identical == (i == 0), "allocation %u", n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK(n > 5, "no allocation was made");
                break;
            }
        }
    }
    haft__arena_finish(&kept);
}

TEST(empty_lines_and_a_truncated_log_make_no_difference)
{
    const help_scenario *scenario = help_scenario_named("one-call-then-the-answer");
    haft_str log = help_scenario_log(scenario), rest = log;
    (void)haft__str_split(&rest, '\n');
    (void)haft__str_split(&rest, '\n');
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    haft__buf_addf(&text, "\n  \n%.*s\r\n", (int)(log.len - rest.len), log.ptr);
    replay_case c;
    CHECK_INT(replay(&c, scenario->spec, haft__buf_str(&text)), HAFT_OK, "%s", c.err.message);
    CHECK(c.found.identical && c.found.events == 2 && c.found.decisions == 1, "%llu events",
          (unsigned long long)c.found.events);
    haft__arena_finish(&c.arena);
    CHECK_INT(replay(&c, scenario->spec, (haft_str){log.ptr, log.len / 2}), HAFT_BAD_INPUT,
              "a log that ends in the middle of a line");
    haft__arena_finish(&c.arena);
    haft__buf_finish(&text);
}

/* ---- checks of replay in addition to decide ---- */

/* The log of a run that another host opens at `now_ms`: the recorded events, and the new ones,
 * orphans first. */
static void open_in_another_host(help_run *r, const char *spec, const char *script, int lines,
                                 uint64_t now_ms)
{
    help_run before;
    help_run_init(&before, spec, script);
    CHECK_INT(help_run_go(&before), HAFT_OK, "%s", before.err.message);
    haft_str log = haft__buf_str(&before.log), rest = log;
    for (int i = 0; i < lines; i++) {
        (void)haft__str_split(&rest, '\n');
    }
    help_run_init(r, spec, script);
    CHECK_INT(help_run_restore(r, help_keep((haft_str){log.ptr, log.len - rest.len})), HAFT_OK,
              "%s", r->err.message);
    help_run_finish(&before);
    r->now_ms = now_ms;
    size_t at = 0;
    const haft__run_call *call;
    while ((call = haft__run_next_interrupted_call(&r->drive.run, &at)) != NULL) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        CHECK_INT(haft__decide_recovery(&r->drive.decider, &r->drive.run, call, r->now_ms + 10,
                                        &effect, &r->err),
                  HAFT_OK, "%s", r->err.message);
        CHECK_INT(haft__drive_append(&r->drive, effect.body, &r->err), HAFT_OK, "%s",
                  r->err.message);
    }
}

static void check_identical(help_run *r, const char *spec)
{
    replay_case c;
    CHECK_INT(replay(&c, haft__str(spec), haft__buf_str(&r->log)), HAFT_OK, "%s", c.err.message);
    CHECK(c.found.identical, "%s differs at %llu: %.*s, now %.*s", spec,
          (unsigned long long)c.found.differs_at, HAFT__ARG(c.found.recorded),
          HAFT__ARG(c.found.decided));
    haft__arena_finish(&c.arena);
}

/* A recovered call frees a slot for a third one; the second is recovered before the third starts.
 */
TEST(interrupted_calls_are_recovered_before_other_decisions)
{
    static const char *const specs[] = {"agent; tools=send; parallel=2",
                                        "agent; tools=send; parallel=2; on_unknown=tell",
                                        "agent; tools=send!idempotent; parallel=2"};
    static const char script[] =
        "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}},{\"name\":"
        "\"send\",\"arguments\":{\"q\":\"b\"}},{\"name\":\"send\",\"arguments\":{\"q\":\"c\"}}"
        "]},{\"text\":\"ok\"}],\"results\":{\"send\":\"sent\"}}";
    for (size_t i = 0; i < COUNT(specs); i++) {
        help_run r;
        open_in_another_host(&r, specs[i], script, 5, 2000000); /* both have started */
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        check_identical(&r, specs[i]);
        help_run_finish(&r);
    }
}

/* Appends the results of both running calls, with no decision between them. */
static void append_results(help_run *r)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 16);
    for (size_t i = 0; i < 2; i++) {
        haft__outcome outcome = {.ok = true, .text = HAFT__LIT("sent")};
        haft__buf_clear(&body);
        haft__input_call_finished(&body, &r->drive.run, &r->drive.run.calls[i], &outcome);
        CHECK_INT(haft__drive_append(&r->drive, haft__buf_str(&body), &r->err), HAFT_OK, "%s",
                  r->err.message);
    }
    haft__buf_finish(&body);
}

/* The result of the first call frees a slot for a third one, which the process does not start. */
TEST(a_process_that_stops_records_results_and_decides_nothing)
{
    static const char spec[] = "agent; tools=send; parallel=2";
    static const char script[] =
        "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}},{\"name\":"
        "\"send\",\"arguments\":{\"q\":\"b\"}},{\"name\":\"send\",\"arguments\":{\"q\":\"c\"}}"
        "]},{\"text\":\"ok\"}],\"results\":{\"send\":\"sent\"}}";
    help_run before, r;
    help_run_init(&before, spec, script);
    CHECK_INT(help_run_go(&before), HAFT_OK, "%s", before.err.message);
    haft_str log = haft__buf_str(&before.log), rest = log;
    for (int i = 0; i < 5; i++) { /* both have started */
        (void)haft__str_split(&rest, '\n');
    }
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_restore(&r, help_keep((haft_str){log.ptr, log.len - rest.len})), HAFT_OK,
              "%s", r.err.message);
    append_results(&r);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the end of the run");
    check_identical(&r, spec);
    help_run_finish(&r);
    help_run_finish(&before);
}

#define LATE_SPEC                                                                                  \
    "agent; tools=look!read_only,pay; approve=pay; deadline_ms=1000; on_expire=\"fail\""
#define LATE_SCRIPT                                                                                \
    "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{}},{\"name\":\"pay\","            \
    "\"arguments\":{}}]}]}"

/* A deadline has passed when the run is opened, or when a tool gives a result: no process had
 * checked the clock before. */
TEST(a_passed_deadline_is_found_when_the_clock_is_next_read)
{
    help_run r;
    open_in_another_host(&r, LATE_SPEC, LATE_SCRIPT, 5, 9000000);
    haft__outcome outcome = {.ok = true, .text = HAFT__LIT("found")};
    haft__buf body;
    haft__buf_init(&body, 1 << 16);
    haft__input_call_finished(&body, &r.drive.run, &r.drive.run.calls[0], &outcome);
    CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_EXPIRED, "the end of the run");
    check_identical(&r, LATE_SPEC);
    haft__buf_finish(&body);
    help_run_finish(&r);
}

/* A person who answers then is too late: the process that records the answer checks the clock
 * first. */
TEST(replay_reports_an_answer_after_its_deadline)
{
    help_run r;
    open_in_another_host(&r, LATE_SPEC, LATE_SCRIPT, 5, 9000000);
    CHECK_INT(help_run_answer(&r, "c1.2", "approve", "null"), HAFT_OK, "%s", r.err.message);
    replay_case c;
    CHECK_INT(replay(&c, HAFT__LIT(LATE_SPEC), haft__buf_str(&r.log)), HAFT_OK, "%s",
              c.err.message);
    CHECK(!c.found.identical && c.found.differs_at == 7, "differs at %llu",
          (unsigned long long)c.found.differs_at);
    haft__arena_finish(&c.arena);
    help_run_finish(&r);
}

/* The process that opens a run applies commands for pending calls before it judges other calls. */
TEST(an_answer_is_applied_before_other_decisions)
{
    static const char spec[] = "agent; tools=send!approval,look!read_only";
    static const char script[] =
        "{\"replies\":[{\"calls\":[{\"name\":\"send\",\"arguments\":{\"q\":\"a\"}},{\"name\":"
        "\"look\",\"arguments\":{}}]},{\"text\":\"ok\"}],\"results\":{\"look\":\"seen\"}}";
    help_run r;
    open_in_another_host(&r, spec, script, 4,
                         2000000); /* run, turn, reply, pause: the other call is not judged */
    CHECK_INT(r.drive.run.calls[1].stage, HAFT__CALL_ARRIVED, "the other call has no decision yet");
    CHECK_INT(help_run_answer(&r, "c1.1", "reject", "\"no\""), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the end of the run");
    check_identical(&r, spec);
    help_run_finish(&r);
}
