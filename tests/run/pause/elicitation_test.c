/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/pause/elicitation.c, and for calls whose tool asks a question. */
#include "run/pause/elicitation.h"

#include "run/host.h"
#include "run/pause/command.h"
#include "run/replay/replay.h"
#include "run/result.h"
#include "run/run_help.h"
#include "json/write.h"

#define FORM                                                                                       \
    "{\"message\":\"How many?\",\"mode\":\"form\",\"schema\":{\"type\":\"object\",\"properties\":" \
    "{\"n\":{\"type\":\"integer\"},\"m\":{\"type\":\"integer\",\"default\":3}},\"required\":["     \
    "\"n\"]},\"url\":null,\"server\":\"docs\"}"
#define ONE                                                                                        \
    "{\"message\":\"Who?\",\"mode\":\"form\",\"schema\":{\"type\":\"object\",\"properties\":"      \
    "{\"name\":{\"type\":\"string\",\"minLength\":2}}},\"url\":null,\"server\":\"docs\"}"
#define PAGE                                                                                       \
    "{\"message\":\"Sign in\",\"mode\":\"url\",\"schema\":null,\"url\":\"https://x.example\","     \
    "\"server\":\"docs\"}"
#define BROKEN                                                                                     \
    "{\"message\":\"?\",\"mode\":\"form\",\"schema\":{\"type\":\"object\",\"minProperties\":-1},"  \
    "\"url\":null,\"server\":\"docs\"}"
#define ANY "{\"message\":\"?\",\"server\":\"docs\"}"

/* NULL: the answer is rejected. */
static const struct {
    const char *question, *given, *answer;
} answers[] = {
    {FORM, "{\"n\":2}", "{\"action\":\"accept\",\"content\":{\"n\":2,\"m\":3}}"},
    {FORM, "{\"n\":\"2\",\"m\":4}", "{\"action\":\"accept\",\"content\":{\"n\":2,\"m\":4}}"},
    {FORM, "{\"action\":\"accept\",\"content\":{\"n\":2}}",
     "{\"action\":\"accept\",\"content\":{\"n\":2,\"m\":3}}"},
    {FORM, "{\"action\":\"decline\"}", "{\"action\":\"decline\"}"},
    {FORM, "{\"action\":\"cancel\",\"content\":{}}", "{\"action\":\"cancel\"}"},
    {FORM, "{\"action\":\"accept\"}", NULL},
    {FORM, "{\"action\":\"dance\"}", NULL},
    {FORM, "{\"m\":1}", NULL},
    {FORM, "{\"n\":\"two\"}", NULL},
    {FORM, "2", NULL},
    {FORM, "null", NULL},
    {FORM, "[2]", NULL},
    {ONE, "\"Ada\"", "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}"},
    {ONE, "\"A\"", NULL},
    {ONE, "null", "{\"action\":\"accept\",\"content\":{}}"},
    {ONE, "{\"name\":\"Ada\"}", "{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}"},
    {PAGE, "\"yes\"", "{\"action\":\"accept\"}"},
    {PAGE, "null", "{\"action\":\"accept\"}"},
    {PAGE, "{\"action\":\"accept\",\"content\":{\"a\":1}}", "{\"action\":\"accept\"}"},
    {PAGE, "\"no\"", "{\"action\":\"decline\"}"},
    {PAGE, "false", "{\"action\":\"decline\"}"},
    {PAGE, "{\"action\":\"cancel\"}", "{\"action\":\"cancel\"}"},
    {BROKEN, "{\"a\":1}", "{\"action\":\"accept\",\"content\":{\"a\":1}}"},
    {ANY, "{\"a\":1}", "{\"action\":\"accept\",\"content\":{\"a\":1}}"},
    {ANY, "7", NULL},
};

TEST(the_answer_of_a_person_becomes_the_answer_for_the_tool)
{
    for (size_t i = 0; i < COUNT(answers); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__run_call call = {.elicitation = help_json(&arena, answers[i].question)};
        haft__json answer = haft__json_null();
        haft_error err = {0};
        haft_status status = haft__elicitation_answer(
            call.elicitation, help_json(&arena, answers[i].given), &arena, HELP_KEY, &answer, &err);
        CHECK_INT(status, answers[i].answer != NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s: %s",
                  answers[i].given, err.message);
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        if (status == HAFT_OK && answers[i].answer != NULL) {
            haft__json_write(&found, answer);
            CHECK_STR(haft__buf_str(&found), haft__str(answers[i].answer), "%s", answers[i].given);
        } else {
            CHECK(err.message[0] != '\0', "%s", answers[i].given);
        }
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

TEST(answers_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(answers); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena, made;
            haft__arena_init(&arena, 0);
            haft__arena_init(&made, 0);
            haft__run_call call = {.elicitation = help_json(&arena, answers[i].question)};
            haft__json given = help_json(&arena, answers[i].given), answer;
            test_fail_allocation(n);
            haft_status status =
                haft__elicitation_answer(call.elicitation, given, &made, HELP_KEY, &answer, NULL);
            bool failed = test_allow_allocations();
            bool broken =
                strcmp(answers[i].question, BROKEN) == 0; /* malformed, so any error is fine */
            CHECK(!failed || status == HAFT_NO_MEMORY || broken, "%s, allocation %u: %d",
                  answers[i].given, n, status);
            haft__arena_finish(&made);
            haft__arena_finish(&arena);
            if (!failed) {
                break;
            }
        }
    }
}

/* ---- runs ---- */

#define SCRIPT                                                                                     \
    "{\"replies\":[{\"calls\":[{\"name\":\"docs:write\"}]},{\"text\":\"ok\"}],"                    \
    "\"results\":{\"docs:write\":[\"written\"]}}"

static void ask(help_run *r, const char *spec)
{
    help_run_init(r, spec, SCRIPT);
    CHECK_INT(help_run_go(r), HAFT_OK, "%s", r->err.message);
    CHECK_INT(r->drive.run.calls[0].stage, HAFT__CALL_PAUSED, "the call is pending");
}

static void check_replay(help_run *r, const char *name)
{
    haft__replay replay;
    CHECK_INT(haft__replay_log(&r->arena, &r->spec.spec, haft__buf_str(&r->log), HELP_KEY, &replay,
                               &r->err),
              HAFT_OK, "%s: %s", name, r->err.message);
    CHECK(replay.identical, "%s differs at %llu: %.*s / %.*s", name,
          (unsigned long long)replay.differs_at, HAFT__ARG(replay.recorded),
          HAFT__ARG(replay.decided));
}

/* The repeated call has the state and the answer; otherwise it has neither. */
TEST(a_tool_gets_its_answer)
{
    static const struct {
        const char *spec, *verdict, *value, *received;
    } rows[] = {
        {"agent; server=docs,write; asks=docs:write!durable", "answer", "{\"action\":\"accept\"}",
         "{\"state\":\"back\",\"answers\":{\"action\":\"accept\"}}"},
        {"agent; server=docs,write; asks=docs:write!durable", "reject", "\"why\"",
         "{\"state\":\"back\",\"answers\":{\"action\":\"decline\"}}"},
        {"agent; server=docs,write; asks=docs:write", "answer", "{\"action\":\"accept\"}",
         "{\"action\":\"accept\"}"},
        {"agent; server=docs,write; asks=docs:write", "reject", "\"why\"",
         "{\"action\":\"decline\"}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        ask(&r, rows[i].spec);
        CHECK_INT(help_run_answer(&r, "c1.1", rows[i].verdict, rows[i].value), HAFT_OK, "%s",
                  r.err.message);
        const haft__run_call *call = &r.drive.run.calls[0];
        haft__json_write(&found, call->resume.kind == HAFT__JSON_OBJECT
                                     ? call->resume
                                     : haft__call_elicitation_answer(call));
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].received), "row %zu", i);
        CHECK(call->stage == HAFT__CALL_FINISHED && call->ok, "row %zu: the call has finished", i);
        CHECK(call->elicitation.kind == HAFT__JSON_NULL && !call->pinned,
              "row %zu: the question is cleared", i);
        check_replay(&r, rows[i].spec);
        haft__buf_finish(&found);
        help_run_finish(&r);
    }
}

/* The process that ran the call stops at every point from its start to its end. */
TEST(a_question_is_recovered_after_its_process_stopped)
{
#define PINNED "agent; server=docs,write; asks=docs:write"
    static const struct {
        const char *name, *spec;
        int lines; /* lines of the log that are left */
        const char *events;
    } rows[] = {
        {"asked, not paused: repeated", "agent; server=docs,write!idempotent; asks=docs:write", 6,
         "call_started tool=\"docs:write\" call=\"c1.1\" attempt=2\n"},
        {"paused: repeated", "agent; server=docs,write!idempotent; asks=docs:write", 7,
         "call_started tool=\"docs:write\" call=\"c1.1\" attempt=2\n"},
        {"answered: repeated", "agent; server=docs,write!idempotent; asks=docs:write", 8,
         "call_started tool=\"docs:write\" call=\"c1.1\" attempt=2\n"},
        {"asked: unknown outcome", PINNED, 6,
         "paused tool=\"docs:write\" call=\"c1.1\" pause=\"unknown_outcome\"\n"},
        {"paused: unknown outcome", PINNED, 7,
         "paused tool=\"docs:write\" call=\"c1.1\" pause=\"unknown_outcome\"\n"},
        {"answered: unknown outcome", PINNED, 8,
         "paused tool=\"docs:write\" call=\"c1.1\" pause=\"unknown_outcome\"\n"},
        {"paused: the model gets an error", PINNED "; on_unknown=tell", 7,
         "call_finished tool=\"docs:write\" call=\"c1.1\" ok=false\n"},
        {"paused: run again because the spec says so", PINNED "; on_unknown=retry", 7,
         "call_started tool=\"docs:write\" call=\"c1.1\" attempt=2\n"},
        {"durable and asked: it waits", PINNED "!durable", 6, ""},
        {"durable and paused: it waits", PINNED "!durable", 7, ""},
        {"durable and answered: it is repeated", PINNED "!durable", 8, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run before, r;
        ask(&before, rows[i].spec);
        CHECK_INT(help_run_answer(&before, "c1.1", "answer", "{\"action\":\"accept\"}"), HAFT_OK,
                  "%s", before.err.message);
        haft_str log = haft__buf_str(&before.log), rest = log;
        for (int k = 0; k < rows[i].lines; k++) {
            (void)haft__str_split(&rest, '\n');
        }
        help_run_init(&r, rows[i].spec, SCRIPT);
        CHECK_INT(help_run_restore(&r, (haft_str){log.ptr, log.len - rest.len}), HAFT_OK, "%s: %s",
                  rows[i].name, r.err.message);
        size_t summary = r.summary.len;
        const haft__run_call *call = &r.drive.run.calls[0];
        bool lost = haft__call_needs_host(call);
        CHECK(lost == (rows[i].events[0] != '\0'), "%s", rows[i].name);
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        if (lost) {
            CHECK_INT(haft__decide_recovery(&r.drive.decider, &r.drive.run, call, r.now_ms + 10,
                                            &effect, &r.err),
                      HAFT_OK, "%s: %s", rows[i].name, r.err.message);
            CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s: %s",
                      rows[i].name, r.err.message);
        }
        haft_str found = haft__str_skip(haft__buf_str(&r.summary), summary);
        CHECK_STR(found, haft__str(rows[i].events), "%s", rows[i].name);
        check_replay(&r, rows[i].name);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s: %s", rows[i].name, r.err.message);
        check_replay(&r, rows[i].name);
        help_run_finish(&r);
        help_run_finish(&before);
    }
}

/* A result or an error of the tool ends the question. */
TEST(a_question_ends_when_its_tool_ends)
{
    for (int ok = 0; ok <= 1; ok++) {
        help_run r;
        haft__buf body;
        ask(&r, "agent; server=docs,write; asks=docs:write");
        haft__buf_init(&body, 1 << 16);
        haft__outcome outcome = {.ok = ok == 1, .text = HAFT__LIT("it ended")};
        haft__input_call_finished(&body, &r.drive.run, &r.drive.run.calls[0], &outcome);
        CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
                  r.err.message);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK(r.drive.run.stage == HAFT__RUN_ENDED, "the run continues to its end");
        check_replay(&r, "ended");
        haft__buf_finish(&body);
        help_run_finish(&r);
        ask(&r, "agent; server=docs,write; asks=docs:write!durable");
        haft__buf_init(&body, 1 << 16);
        haft__input_call_finished(&body, &r.drive.run, &r.drive.run.calls[0], &outcome);
        CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_BAD_INPUT,
                  "a result during a durable question");
        haft__buf_finish(&body);
        help_run_finish(&r);
    }
}

/* ---- commands ---- */

/* A command is known to be a repetition while the tool continues, when it has asked again, and when
 * its call has ended; another answer never is. */
static void check_taken(help_run *r, const haft__run_command *given, haft__run_command_kind kind,
                        size_t row)
{
    haft__run_command command = *given, other = *given;
    haft__outcome outcome = {.ok = true, .text = HAFT__LIT("done")};
    haft__buf body;
    command.call = other.call = HAFT__LIT("c1.1");
    other.kind =
        kind == HAFT__RUN_COMMAND_REJECT ? HAFT__RUN_COMMAND_ANSWER : HAFT__RUN_COMMAND_REJECT;
    other.value = help_json(&r->arena, "{\"n\":9}");
    haft__buf_init(&body, 1 << 16);
    for (int over = 0; over <= 1; over++) {
        bool taken = false;
        CHECK_INT(haft__run_command_is_duplicate(&r->drive.run, &command, &taken, &r->err), HAFT_OK,
                  "%s", r->err.message);
        CHECK(taken, "row %zu, over %d: the repetition is not recognized", row, over);
        CHECK_INT(haft__run_command_is_duplicate(&r->drive.run, &other, &taken, &r->err), HAFT_OK,
                  "%s", r->err.message);
        CHECK(!taken, "row %zu, over %d: another answer counts as a repetition", row, over);
        haft__buf_clear(&body);
        if (over == 0) {
            haft__input_call_finished(&body, &r->drive.run, &r->drive.run.calls[0], &outcome);
            CHECK_INT(haft__drive_append(&r->drive, haft__buf_str(&body), &r->err), HAFT_OK, "%s",
                      r->err.message);
        }
    }
    haft__buf_finish(&body);
}

/* A question of a stopped process is not answered by a later command for it. */
TEST(an_answer_does_not_become_the_result_of_an_interrupted_call)
{
    static const struct {
        const char *pause;
        haft_status status;
    } rows[] = {{"question", HAFT_BAD_STATE}, {"unknown_outcome", HAFT_OK}, {"", HAFT_OK}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__buf body;
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        haft__buf_init(&body, 1 << 16);
        ask(&r, "agent; server=docs,write; asks=docs:write");
        const haft__run_call *call = &r.drive.run.calls[0];
        CHECK_INT(haft__decide_recovery(&r.drive.decider, &r.drive.run, call, r.now_ms + 10,
                                        &effect, &r.err),
                  HAFT_OK, "%s", r.err.message);
        CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK(call->lost && call->pause == HAFT__PAUSE_UNKNOWN_OUTCOME,
              "the call has an unknown outcome");
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                     .call = HAFT__LIT("c1.1"),
                                     .value = help_json(&r.arena, "{\"n\":1}"),
                                     .by = HAFT__LIT("me"),
                                     .why = HAFT__LIT(""),
                                     .pause = haft__str(rows[i].pause)};
        CHECK_INT(haft__run_command_apply(&r.drive.run, &command, &body, &r.err), rows[i].status,
                  "seen: '%s': %s", rows[i].pause, r.err.message);
        CHECK((rows[i].status == HAFT_OK) == (body.len > 0), "seen: '%s'", rows[i].pause);
        CHECK(rows[i].status == HAFT_OK || strstr(r.err.message, "ended with the process") != NULL,
              "%s", r.err.message);
        haft__buf_finish(&body);
        help_run_finish(&r);
    }
}

TEST(commands_answer_a_tool)
{
    static const struct {
        haft__run_command_kind kind;
        const char *value, *body; /* body: of the event; NULL: rejected */
    } rows[] = {
        {HAFT__RUN_COMMAND_ANSWER, "{\"n\":1}",
         "\"verdict\":\"answer\",\"value\":{\"action\":\"accept\",\"content\":{\"n\":1,\"m\":3}}}"},
        {HAFT__RUN_COMMAND_APPROVE, "{\"n\":1}",
         "\"verdict\":\"answer\",\"value\":{\"action\":\"accept\",\"content\":{\"n\":1,\"m\":3}}}"},
        {HAFT__RUN_COMMAND_APPROVE, "null", NULL},
        {HAFT__RUN_COMMAND_ANSWER, "\"many\"", NULL},
        {HAFT__RUN_COMMAND_ANSWER, "{\"action\":\"cancel\"}",
         "\"verdict\":\"answer\",\"value\":{\"action\":\"cancel\"}}"},
        {HAFT__RUN_COMMAND_REJECT, "null", "\"verdict\":\"reject\",\"value\":\"no\"}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__buf body;
        haft__buf_init(&body, 1 << 16);
        ask(&r, "agent; server=docs,write; asks=docs:write");
        haft__run_command command = {.kind = rows[i].kind,
                                     .call = HAFT__LIT(""),
                                     .value = help_json(&r.arena, rows[i].value),
                                     .by = HAFT__LIT("me"),
                                     .why = HAFT__LIT("no")};
        haft_status status = haft__run_command_apply(&r.drive.run, &command, &body, &r.err);
        CHECK_INT(status, rows[i].body != NULL ? HAFT_OK : HAFT_BAD_INPUT, "row %zu: %s", i,
                  r.err.message);
        if (rows[i].body != NULL) {
            haft_str text = help_keep(haft__buf_str(&body));
            CHECK(strstr(text.ptr, rows[i].body) != NULL, "row %zu: %s", i, text.ptr);
            CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
                      r.err.message);
            haft__buf_clear(&body);
            CHECK_INT(haft__run_command_apply(&r.drive.run,
                                              &(haft__run_command){.kind = command.kind,
                                                                   .call = HAFT__LIT("c1.1"),
                                                                   .value = command.value,
                                                                   .by = HAFT__LIT("me"),
                                                                   .why = command.why},
                                              &body, &r.err),
                      HAFT_OK, "row %zu: repeat the recorded answer: %s", i, r.err.message);
            CHECK_INT(body.len, 0, "row %zu: a repetition writes no event", i);
            check_taken(&r, &command, rows[i].kind, i);
        }
        haft__buf_finish(&body);
        help_run_finish(&r);
    }
}

TEST(a_pending_question_names_the_server)
{
    help_run r;
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    ask(&r, "agent; server=docs,write; asks=docs:write");
    haft__result_write(&text, &r.drive.run, NULL);
    haft_str found = help_keep(haft__buf_str(&text));
    CHECK(strstr(found.ptr, "\"question\":\"How many?\",\"deadline\":\"1970-01-01T00:16:45")
              != NULL,
          "the question and its deadline");
    CHECK(strstr(found.ptr, "\"asks\":{\"server\":\"docs\",\"mode\":\"form\",\"schema\":{") != NULL,
          "server, mode and schema of the question");
    CHECK(strstr(found.ptr, "\"url\":null,\"pinned\":true}") != NULL,
          "no URL, and pinned to its process");
    haft__buf_finish(&text);
    help_run_finish(&r);
}

/* Invalid questions of a tool. */
TEST(invalid_questions_are_rejected)
{
#define ASKED "\"kind\":\"call_asked\",\"call\":\"c1.1\","
    static const struct {
        const char *body, *message;
    } rows[] = {
        {ASKED "\"question\":null,\"durable\":true,\"state\":null,\"within_ms\":null}",
         "call_asked is not valid here: the event has no question"},
        {ASKED "\"question\":\"what?\",\"durable\":true,\"state\":null,\"within_ms\":null}",
         "call_asked is not valid here: the event has no question"},
        {ASKED "\"question\":{},\"durable\":true,\"state\":null,\"within_ms\":-5}",
         "expected a whole number in \"within_ms\" of call_asked, found none"},
        {ASKED "\"question\":{},\"durable\":true,\"state\":null,\"within_ms\":null}", NULL},
        {"\"kind\":\"call_asked\",\"call\":\"c1.2\",\"question\":{},\"durable\":true}",
         "call_asked is not valid here: the last reply has no such call"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run before, r;
        ask(&before, "agent; server=docs,write; asks=docs:write");
        haft_str log = haft__buf_str(&before.log), rest = log;
        for (int k = 0; k < 5; k++) {
            (void)haft__str_split(&rest, '\n');
        }
        help_run_init(&r, "agent; server=docs,write; asks=docs:write", SCRIPT);
        CHECK_INT(help_run_restore(&r, (haft_str){log.ptr, log.len - rest.len}), HAFT_OK, "%s",
                  r.err.message);
        haft_status status = haft__drive_append(&r.drive, haft__str(rows[i].body), &r.err);
        CHECK_INT(status, rows[i].message != NULL ? HAFT_BAD_INPUT : HAFT_OK, "%s: %s",
                  rows[i].body, r.err.message);
        if (rows[i].message != NULL) {
            CHECK_STR(haft__str(r.err.message), haft__str(rows[i].message), "%s", rows[i].body);
        } else {
            CHECK_INT(haft__drive_append(&r.drive, haft__str(rows[i].body), &r.err), HAFT_BAD_INPUT,
                      "a second question of the same call");
        }
        help_run_finish(&r);
        help_run_finish(&before);
    }
}
