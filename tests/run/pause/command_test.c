/* SPDX-License-Identifier: Apache-2.0 */
#include "run/pause/command.h"

#include "run/run_help.h"

/* A run whose calls are pending. */
static void start(help_run *r, const char *spec, const char *calls)
{
    static char script[512];
    (void)snprintf(script, sizeof(script), "{\"replies\":[{\"calls\":[%s]},{\"text\":\"good\"}]}",
                   calls);
    help_run_init(r, spec, script);
    CHECK_INT(help_run_go(r), HAFT_OK, "%s", r->err.message);
}

/* The result of a command: the body of its event, or the error. */
static haft_str apply(help_run *r, const char *text)
{
    haft__run_command command;
    haft__buf body;
    haft__buf_init(&body, 4096);
    haft_error err = {0};
    haft_status status =
        haft__run_command_read(&r->arena, haft__str(text), HELP_KEY, &command, &err);
    if (status == HAFT_OK) {
        status = haft__run_command_apply(&r->drive.run, &command, &body, &err);
    }
    if (status != HAFT_OK) {
        haft__buf_clear(&body);
        haft__buf_addf(&body, "%s: %s; %s", haft_status_name(status), err.message, err.hint);
    }
    haft_str kept = help_keep(haft__buf_str(&body));
    haft__buf_finish(&body);
    return kept;
}

typedef struct row {
    const char *command, *wanted;
} row;

static void check_rows(help_run *r, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_STR(apply(r, rows[i].command), haft__str(rows[i].wanted), "%s", rows[i].command);
    }
}

TEST(a_command_becomes_the_event_that_fits_the_pause)
{
    static const row rows[] = {
        {"{\"command\":\"answer\",\"call\":\"\",\"value\":{\"file\":\"a\"},\"by\":\"ana\"}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"answer\","
         "\"value\":{\"file\":\"a\"}}"},
        {"{\"command\":\"reject\",\"call\":\"c1.1\",\"by\":\"ana\",\"why\":\"no\"}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"reject\","
         "\"value\":\"no\"}"},
        {"{\"command\":\"approve\",\"call\":\"c1.1\"}",
         "BAD_STATE: the call c1.1 does not wait for approval; pending: c1.1 (headless of pick)"},
        {"{\"command\":\"answer\",\"call\":\"c9.1\"}",
         "NOT_FOUND: the run has no call \"c9.1\"; pending: c1.1 (headless of pick)"},
        {"{\"command\":\"cancel\",\"by\":\"ana\",\"why\":\"\"}",
         "\"kind\":\"cancel_asked\",\"by\":\"ana\",\"why\":\"\"}"},
        {"{\"command\":\"dance\"}",
         "BAD_INPUT: expected answer, approve, again, reject, fail or cancel, found \"dance\"; "},
        {"{}", "BAD_INPUT: expected answer, approve, again, reject, fail or cancel, found \"\"; "},
        {"[1]", "BAD_INPUT: expected answer, approve, again, reject, fail or cancel, found \"\"; "},
    };
    help_run r;
    start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
    check_rows(&r, rows, COUNT(rows));
    CHECK(haft__str_starts_with(apply(&r, "{"), HAFT__LIT("BAD_INPUT: ")),
          "a command that is not JSON");
    help_run_finish(&r);
}

/* A call that runs again under the same key has the same arguments. */
TEST(an_unknown_outcome_accepts_no_other_arguments)
{
    static const row rows[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"by\":\"ana\"}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"retry\","
         "\"value\":null}"},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"value\":{\"q\":\"b\"}}",
         "BAD_INPUT: expected no arguments: the call c1.1 has started and can only run again "
         "unchanged; not recorded; `--again` runs it again, `haft answer` gives its result, and "
         "after `haft reject` the model can make another call"},
    };
    help_run r;
    start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
    r.drive.run.calls[0].pause = HAFT__PAUSE_UNKNOWN_OUTCOME;
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

TEST(a_value_with_a_duplicate_key_is_rejected)
{
    static const struct {
        const char *text, *wanted;
        bool json;
    } rows[] = {
        {"{\"a\":{\"b\":1},\"b\":[{\"a\":2}]}", "OK: ; ", true},
        {"{\"a\":1,\"b\":2,\"a\":3}",
         "BAD_INPUT: expected each key once in an object, found \"a\" more than once; "
         "the command was not recorded; give each key once",
         true},
        {"[{\"a\":1,\"\\u0061\":1}]",
         "BAD_INPUT: expected each key once in an object, found \"a\" more than once; "
         "the command was not recorded; give each key once",
         true},
        {"{\"a\":1,\"a\":2",
         "BAD_INPUT: expected ',' or '}' after the member, found the end of the text; ", false},
        {"the second", "BAD_INPUT: expected true, false or null, found 'h'; ", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__json value;
        haft_error err = {0};
        char found[sizeof(err)];
        bool json = false;
        haft__arena_init(&arena, 0);
        haft_status status = haft__run_command_read_value(&arena, haft__str(rows[i].text), HELP_KEY,
                                                          &value, &json, &err);
        (void)snprintf(found, sizeof(found), "%s: %s; %s", haft_status_name(status), err.message,
                       err.hint);
        CHECK_STR(haft__str(found), haft__str(rows[i].wanted), "%s", rows[i].text);
        CHECK_INT(json, rows[i].json, "%s", rows[i].text);
        haft__arena_finish(&arena);
    }
}

TEST(a_call_may_be_approved_edited_rejected_or_answered)
{
    static const row rows[] = {
        {"{\"command\":\"approve\",\"by\":\"ana\"}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"approve\","
         "\"value\":null,\"binding\":\""
         "9bfaad6247d8a13cf6bd131bcc3dc83c1f96c8b33347abebcf8e87e86ce87602\"}"},
        {"{\"command\":\"approve\",\"by\":\"ana\",\"value\":{\"q\":\"x\"}}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"edit\","
         "\"value\":{\"q\":\"x\"},\"binding\":\""
         "9bfaad6247d8a13cf6bd131bcc3dc83c1f96c8b33347abebcf8e87e86ce87602\"}"},
        {"{\"command\":\"answer\",\"by\":\"ana\",\"value\":7}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"respond\","
         "\"value\":7}"},
    };
    help_run r;
    start(&r, "agent; tools=send!approval", "{\"name\":\"send\"}");
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

TEST(one_of_several_pending_calls_must_be_named)
{
    static const row rows[] = {
        {"{\"command\":\"answer\",\"value\":1}", "BAD_INPUT: the run has several pending calls: "
                                                 "name one; pending: c1.1 (headless of pick), "
                                                 "c1.2 (headless of pick)"},
    };
    help_run r;
    start(&r, "agent; tools=pick!headless",
          "{\"name\":\"pick\"},{\"name\":\"pick\",\"arguments\":{\"q\":\"b\"}}");
    check_rows(&r, rows, COUNT(rows));
    CHECK_INT(help_run_answer(&r, "c1.2", "answer", "1"), HAFT_OK, "%s", r.err.message);
    static const row later[] = {
        {"{\"command\":\"answer\",\"call\":\"c1.2\",\"value\":1.0,\"by\":\"bo\"}", ""},
        {"{\"command\":\"answer\",\"call\":\"c1.2\",\"value\":2}",
         "BAD_STATE: the call c1.2 already has a different answer: answer; pending: c1.1 (headless "
         "of "
         "pick)"},
    };
    check_rows(&r, later, COUNT(later));
    help_run_finish(&r);
}

/* The answer to a tool's question can be repeated, even after the tool has continued. */
TEST(the_answer_to_a_tool_can_be_repeated)
{
    static const struct {
        const char *spec, *verdict, *value;
        row rows[2];
    } cases[] = {
        {"agent; server=docs,write; asks=docs:write",
         "reject",
         "\"no\"",
         {{"{\"command\":\"reject\",\"call\":\"c1.1\",\"why\":\"no\"}", ""},
          {"{\"command\":\"reject\",\"call\":\"c1.1\",\"why\":\"never\"}",
           "BAD_STATE: the call c1.1 already has a different answer: reject; nothing is pending"}}},
        {"agent; server=docs,write; asks=docs:write",
         "answer",
         "{\"action\":\"accept\",\"content\":{\"n\":5,\"m\":3}}",
         {{"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"n\":5}}", ""},
          {"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"n\":6}}",
           "BAD_STATE: the call c1.1 already has a different answer: answer; nothing is pending"}}},
        {"agent; server=docs,write; asks=docs:write!durable",
         "answer",
         "{\"action\":\"accept\",\"content\":{\"n\":5,\"m\":3}}",
         {{"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"action\":\"accept\","
           "\"content\":{\"n\":5}}}",
           ""},
          {"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"action\":\"decline\"}}",
           "BAD_STATE: the call c1.1 already has a different answer: answer; nothing is pending"}}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_run r;
        start(&r, cases[i].spec, "{\"name\":\"docs:write\"}");
        CHECK_INT(help_run_answer(&r, "c1.1", cases[i].verdict, cases[i].value), HAFT_OK, "%s",
                  r.err.message);
        check_rows(&r, cases[i].rows, COUNT(cases[i].rows));
        help_run_finish(&r);
    }
}

#define INTERRUPTED                                                                                \
    "; `haft answer RUN c1.1 RESULT` gives its result, `haft approve RUN c1.1 --again` runs "      \
    "it again"
#define RETRY                                                                                      \
    "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"\",\"verdict\":\"retry\",\"value\":null}"
#define UNSEEN                                                                                     \
    "BAD_STATE: the call c1.1 was not pending when the command was issued, so it was not "         \
    "recorded; the call is pending now: unknown_outcome" INTERRUPTED

/* A call that has this answer, if any, and that started; then its host stopped. */
static void interrupt(help_run *r, const char *spec, const char *before)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    start(r, spec, "{\"name\":\"pay\"}");
    if (before != NULL) {
        CHECK_INT(haft__drive_append(&r->drive, apply(r, before), &r->err), HAFT_OK, "%s",
                  r->err.message);
        CHECK_INT(haft__decide(&r->drive.decider, &r->drive.run, 2000000, &effect, &r->err),
                  HAFT_OK, "%s", r->err.message);
        CHECK_INT(haft__drive_append(&r->drive, effect.body, &r->err), HAFT_OK, "%s",
                  r->err.message);
    }
    r->drive.run.calls[0].stage = HAFT__CALL_STARTED;
    CHECK_INT(haft__decide_recovery(&r->drive.decider, &r->drive.run, &r->drive.run.calls[0],
                                    2000000, &effect, &r->err),
              HAFT_OK, "%s", r->err.message);
    CHECK_INT(haft__drive_append(&r->drive, effect.body, &r->err), HAFT_OK, "%s", r->err.message);
}

/* A person who approves a call does not want it repeated if its outcome is unknown. */
TEST(a_command_for_one_pause_is_not_applied_to_the_next)
{
    static const row rows[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"approval\"}", ""},
        {"{\"command\":\"reject\",\"call\":\"c1.1\",\"pause\":\"approval\"}",
         "BAD_STATE: the call c1.1 is now pending for another reason: unknown_outcome, not "
         "approval; "
         "pending: c1.1 (unknown_outcome of pay)"},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"unknown_outcome\"}", ""},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"unknown_outcome\","
         "\"binding\":\"9bfaad6247d8\"}",
         ""},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"nothing\"}", ""},
        {"{\"command\":\"approve\",\"call\":\"c1.1\"}", ""},
        {"{\"command\":\"approve\",\"pause\":\"nothing\"}", ""},
        {"{\"command\":\"answer\",\"pause\":\"nothing\",\"value\":\"paid\"}", UNSEEN},
        {"{\"command\":\"reject\",\"call\":\"c1.1\",\"pause\":\"nothing\"}", UNSEEN},
        {"{\"command\":\"again\",\"call\":\"c1.1\",\"pause\":\"nothing\"}", UNSEEN},
        {"{\"command\":\"again\",\"call\":\"c1.1\",\"pause\":\"unknown_outcome\"}", RETRY},
        {"{\"command\":\"again\"}", RETRY},
    };
    help_run r;
    interrupt(&r, "agent; tools=pay!approval", "{\"command\":\"approve\",\"pause\":\"approval\"}");
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

TEST(an_approval_with_other_arguments_does_not_run_a_call_again_either)
{
    static const row rows[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"value\":{\"q\":\"b\"}}", ""},
        {"{\"command\":\"approve\",\"call\":\"c1.1\"}",
         "BAD_STATE: the call c1.1 was approved before and has started: its outcome is unknown, "
         "and an approval does not run it again" INTERRUPTED},
        {"{\"command\":\"again\",\"call\":\"c1.1\"}", RETRY},
    };
    help_run r;
    interrupt(&r, "agent; tools=pay!approval", "{\"command\":\"approve\",\"value\":{\"q\":\"b\"}}");
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

/* The first approval runs it again; the same approval once more is a repetition. */
TEST(an_unapproved_call_is_repeated_once_by_an_approval)
{
    static const row rows[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"unknown_outcome\"}", ""},
        {"{\"command\":\"again\",\"call\":\"c1.1\",\"pause\":\"nothing\"}", ""},
        {"{\"command\":\"again\",\"call\":\"c1.1\",\"pause\":\"unknown_outcome\"}", RETRY},
    };
    help_run r;
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    interrupt(&r, "agent; tools=pay!headless", NULL);
    haft_str body = apply(&r, "{\"command\":\"approve\",\"pause\":\"unknown_outcome\"}");
    CHECK_STR(body, HAFT__LIT(RETRY), "the first approval repeats the call");
    CHECK_INT(haft__drive_append(&r.drive, body, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(haft__decide(&r.drive.decider, &r.drive.run, 2000000, &effect, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(haft__decide_recovery(&r.drive.decider, &r.drive.run, &r.drive.run.calls[0], 2000000,
                                    &effect, &r.err),
              HAFT_OK, "%s", r.err.message);
    CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s", r.err.message);
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

/* After its approval the call waits for a client: both commands can be repeated. */
TEST(an_equal_answer_is_a_repetition_when_the_call_has_the_next_pause)
{
    static const row between[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"headless\","
         "\"value\":{\"q\":\"b\"}}",
         ""},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"headless\"}",
         "BAD_STATE: the call c1.1 does not wait for approval; pending: c1.1 (headless of pick)"},
        {"{\"command\":\"again\",\"call\":\"c1.1\",\"pause\":\"headless\"}",
         "BAD_STATE: the call c1.1 was not interrupted, so it cannot be run again; pending: "
         "c1.1 (headless of pick)"},
    };
    static const row after[] = {
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"nothing\","
         "\"value\":{\"q\":\"b\"}}",
         ""},
        {"{\"command\":\"answer\",\"call\":\"c1.1\",\"pause\":\"nothing\",\"value\":1}", ""},
        {"{\"command\":\"answer\",\"call\":\"c1.1\",\"pause\":\"nothing\",\"value\":2}",
         "BAD_STATE: the call c1.1 already has a different answer: answer; nothing is pending"},
        {"{\"command\":\"approve\",\"call\":\"c1.1\",\"pause\":\"nothing\"}",
         "BAD_STATE: the call c1.1 already has a different answer: answer; nothing is pending"},
    };
    help_run r;
    start(&r, "agent; tools=pick!headless!approval", "{\"name\":\"pick\"}");
    haft_str body = apply(&r, "{\"command\":\"approve\",\"value\":{\"q\":\"b\"}}");
    CHECK_INT(haft__drive_append(&r.drive, body, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    check_rows(&r, between, COUNT(between));
    CHECK_INT(help_run_answer(&r, "c1.1", "answer", "1"), HAFT_OK, "%s", r.err.message);
    check_rows(&r, after, COUNT(after));
    help_run_finish(&r);
}

/* A prefix of the hash is enough if a person types it, but it must not differ. */
TEST(an_approval_names_its_binding_by_a_prefix)
{
    static const struct {
        const char *binding;
        bool taken;
    } rows[] = {{"", true},
                {"9bfaad6247d8", true},
                {"9bfaad6247d8a13cf6bd131bcc3dc83c1f96c8b33347abebcf8e87e86ce87602", true},
                {"9bfaad6247d9", false},
                {"9bfaad6247d8a13cf6bd131bcc3dc83c1f96c8b33347abebcf8e87e86ce876020", false}};
    help_run r;
    start(&r, "agent; tools=send!approval", "{\"name\":\"send\"}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[160];
        (void)snprintf(text, sizeof(text),
                       "{\"command\":\"approve\",\"pause\":\"approval\",\"binding\":\"%s\"}",
                       rows[i].binding);
        haft_str found = apply(&r, text);
        CHECK(rows[i].taken ? strstr(found.ptr, "\"verdict\":\"approve\"") != NULL
                            : strstr(found.ptr, "the approval does not apply to the call") != NULL,
              "%s: %s", rows[i].binding, found.ptr);
    }
    help_run_finish(&r);
}

/* Each as "call pause binding", with a prefix of the binding. */
TEST(a_command_applies_to_the_pause_that_its_sender_saw)
{
    static const struct {
        const char *spec, *calls, *command, *wanted;
    } rows[] = {
        {"agent; tools=send!approval", "{\"name\":\"send\"}", "{\"command\":\"approve\"}",
         "c1.1 approval 9bfaad"},
        {"agent; tools=send!approval", "{\"name\":\"send\"}",
         "{\"command\":\"approve\",\"binding\":\"abcdef\"}", "c1.1 approval abcdef"},
        {"agent; tools=send!approval", "{\"name\":\"send\"}",
         "{\"command\":\"reject\",\"call\":\"c1.1\"}", "c1.1 approval "},
        {"agent; tools=send!approval", "{\"name\":\"send\"}", "{\"command\":\"again\"}",
         "c1.1 approval "},
        {"agent; tools=send!approval", "{\"name\":\"send\"}",
         "{\"command\":\"approve\",\"call\":\"c7.1\"}", "c7.1 nothing "},
        {"agent; tools=send!approval", "{\"name\":\"send\"}", "{\"command\":\"cancel\"}", "  "},
        {"agent; tools=pick!headless", "{\"name\":\"pick\"},{\"name\":\"pick\"}",
         "{\"command\":\"answer\",\"value\":1}", " nothing "},
        {"agent; tools=pick!headless", "{\"name\":\"pick\"},{\"name\":\"pick\"}",
         "{\"command\":\"answer\",\"call\":\"c1.2\",\"value\":1}", "c1.2 headless "},
        {"agent; tools=glob", "{\"name\":\"glob\",\"arguments\":{\"pattern\":\"*\"}}",
         "{\"command\":\"approve\",\"call\":\"c1.1\"}", "c1.1 nothing "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER};
        char found[128];
        start(&r, rows[i].spec, rows[i].calls);
        CHECK_INT(
            haft__run_command_read(&r.arena, haft__str(rows[i].command), HELP_KEY, &command, NULL),
            HAFT_OK, "row %zu", i);
        haft__run_command_set_target(&r.drive.run, &command);
        (void)snprintf(found, sizeof(found), "%.*s %.*s %.6s", HAFT__ARG(command.call),
                       HAFT__ARG(command.pause), help_keep(command.binding).ptr);
        CHECK_STR(haft__str(found), haft__str(rows[i].wanted), "row %zu", i);
        help_run_finish(&r);
    }
}

TEST(a_run_that_has_ended_accepts_no_commands)
{
    static const row rows[] = {
        {"{\"command\":\"answer\",\"value\":1}", "BAD_STATE: the run has ended: done; "},
        {"{\"command\":\"cancel\"}", "BAD_STATE: the run has ended: done; "},
        {"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":1}",
         "BAD_STATE: the run has ended: done; "},
    };
    help_run r;
    help_run_init(&r, "agent; tools=glob",
                  "{\"replies\":[{\"calls\":[{\"name\":\"glob\",\"arguments\":{\"pattern\":\"*\"}}]"
                  "},{\"text\":\"good\"}],\"results\":{\"glob\":\"a\"}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

/* It waits for its child runs. */
TEST(a_run_that_was_cancelled_takes_no_answers)
{
    static const row rows[] = {
        {"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":1}",
         "BAD_STATE: too late: the run ends as soon as its child runs have ended; "},
        {"{\"command\":\"answer\",\"value\":1}",
         "BAD_STATE: the run has no pending call; nothing is pending"},
    };
    help_run r;
    start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
    r.drive.run.cancel_asked = true;
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

TEST(a_second_cancel_has_no_effect)
{
    help_run r;
    start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
    haft_str body = apply(&r, "{\"command\":\"cancel\",\"by\":\"ana\",\"why\":\"late\"}");
    CHECK_INT(haft__drive_append(&r.drive, body, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_STR(apply(&r, "{\"command\":\"cancel\"}"), HAFT__LIT(""),
              "a second cancel before the end");
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_CANCELLED, "the end of the run");
    CHECK_STR(apply(&r, "{\"command\":\"cancel\"}"), HAFT__LIT(""), "a cancel after the end");
    help_run_finish(&r);
}

TEST(a_command_is_the_same_after_writing_and_reading)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_REJECT,
                                 .call = HAFT__LIT("c2.1"),
                                 .value = help_json(&arena, "{\"a\":[1,2]}"),
                                 .by = HAFT__LIT("ana"),
                                 .why = HAFT__LIT("\"no\"")};
    haft__buf first, second;
    haft__buf_init(&first, 4096);
    haft__buf_init(&second, 4096);
    haft__run_command_write(&first, &command);
    haft__run_command again;
    CHECK_INT(haft__run_command_read(&arena, haft__buf_str(&first), HELP_KEY, &again, NULL),
              HAFT_OK, "read the command");
    haft__run_command_write(&second, &again);
    CHECK_STR(haft__buf_str(&second), haft__buf_str(&first), "the command written again");
    haft__buf_finish(&first);
    haft__buf_finish(&second);
    haft__arena_finish(&arena);
}

/* ---- secrets ---- */

#define SECRET "supersecretvalue123"

static void init_redactor(haft__redactor *redactor, haft__arena *arena)
{
    bool added = false;
    haft__redactor_init(redactor, arena);
    CHECK_INT(haft__redactor_add(redactor, HAFT__LIT(SECRET), &added, NULL), HAFT_OK,
              "add the secret");
    CHECK_INT(haft__redactor_seal(redactor, NULL), HAFT_OK, "seal the redactor");
}

/* The result of a command if the secret is known, or not. */
static haft_str apply_knowing(help_run *r, const char *text, bool knows)
{
    haft__run_command command;
    haft__redactor redactor;
    haft__buf body;
    haft_error err = {0};
    haft__buf_init(&body, 4096);
    init_redactor(&redactor, &r->arena);
    haft_status status =
        haft__run_command_read(&r->arena, haft__str(text), HELP_KEY, &command, &err);
    command.redactor = knows ? &redactor : NULL;
    if (status == HAFT_OK) {
        status = haft__run_command_apply(&r->drive.run, &command, &body, &err);
    }
    if (status != HAFT_OK) {
        haft__buf_clear(&body);
        haft__buf_addf(&body, "%s: %s; %s", haft_status_name(status), err.message, err.hint);
    }
    haft_str kept = help_keep(haft__buf_str(&body));
    haft__buf_finish(&body);
    return kept;
}

#define OTHERWISE "BAD_STATE: the call c1.1 already has a different answer: "

/* The process that recorded the answer may or may not have known the secret, and so may the sender
 * of the repetition. */
TEST(an_equal_answer_with_a_secret_is_a_repetition)
{
    static const struct {
        const char *spec, *verdict, *taken, *again;
        bool knows;
        const char *wanted;
    } rows[] = {
        {"agent; tools=pick!headless", "answer", "{\"k\":\"[redacted]\"}",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"k\":\"" SECRET "\"}}", true, ""},
        {"agent; tools=pick!headless", "answer", "{\"k\":\"" SECRET "\"}",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"k\":\"" SECRET "\"}}", true, ""},
        {"agent; tools=pick!headless", "answer", "{\"k\":\"Bearer [redacted]\"}",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"k\":\"Bearer "
         "abcdefgh12345678ijkl\"}}",
         true, ""},
        {"agent; tools=pick!headless", "answer", "\"[redacted]\"",
         "{\"command\":\"answer\",\"value\":\"" SECRET "\"}", true, ""},
        {"agent; tools=pick!headless", "answer", "{\"k\":\"[redacted]\"}",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"k\":\"another\"}}", true,
         OTHERWISE "answer; nothing is pending"},
        {"agent; tools=pick!headless", "answer", "{\"k\":\"[redacted]\"}",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":{\"k\":\"" SECRET "\"}}", false,
         OTHERWISE "answer; nothing is pending"}, /* cannot be compared */
        {"agent; tools=pick!headless", "reject", "\"not [redacted]\"",
         "{\"command\":\"reject\",\"call\":\"c1.1\",\"why\":\"not " SECRET "\"}", true, ""},
        {"agent; tools=pick!approval", "respond", "[\"[redacted]\"]",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":[\"" SECRET "\"]}", true, ""},
        {"agent; tools=request_user_input", "answer", "\"[redacted]\"",
         "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":\"" SECRET "\"}", true, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        bool asks = strstr(rows[i].spec, "user_input") != NULL;
        start(&r, rows[i].spec,
              asks ? "{\"name\":\"request_user_input\",\"arguments\":{\"question\":\"Well?\"}}"
                   : "{\"name\":\"pick\"}");
        CHECK_INT(help_run_answer(&r, "c1.1", rows[i].verdict, rows[i].taken), HAFT_OK, "%s",
                  r.err.message);
        CHECK_STR(apply_knowing(&r, rows[i].again, rows[i].knows), haft__str(rows[i].wanted),
                  "row %zu: %s", i, rows[i].again);
        help_run_finish(&r);
    }
}

TEST(a_value_that_would_lose_its_secret_is_rejected)
{
    static const char *const none = "without a secret, found one";
    static const struct {
        const char *spec, *call, *command;
        bool knows;
        const char *wanted;
    } rows[] = {
        {"agent; tools=send!approval", "send",
         "{\"command\":\"approve\",\"value\":{\"q\":\"to " SECRET "\"}}", true, none},
        {"agent; tools=send!approval", "send",
         "{\"command\":\"approve\",\"value\":{\"q\":\"Bearer abcdefgh12345678ijkl\"}}", true, none},
        {"agent; tools=send!approval", "send",
         "{\"command\":\"approve\",\"value\":{\"wrong\":\"" SECRET "\"}}", true, none},
        {"agent; tools=send!approval", "send",
         "{\"command\":\"approve\",\"value\":{\"q\":\"plain\"}}", true, "\"verdict\":\"edit\""},
        {"agent; tools=send!approval", "send",
         "{\"command\":\"approve\",\"value\":{\"q\":\"" SECRET "\"}}", false,
         "\"verdict\":\"edit\""},
        {"agent; server=docs,write; asks=docs:write", "docs:write",
         "{\"command\":\"answer\",\"value\":{\"n\":\"" SECRET "\"}}", true, none},
        {"agent; server=docs,write; asks=docs:write", "docs:write",
         "{\"command\":\"answer\",\"value\":{\"n\":5}}", true, "\"verdict\":\"answer\""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        char calls[64];
        (void)snprintf(calls, sizeof(calls), "{\"name\":\"%s\"}", rows[i].call);
        start(&r, rows[i].spec, calls);
        haft_str found = apply_knowing(&r, rows[i].command, rows[i].knows);
        CHECK(strstr(found.ptr, rows[i].wanted) != NULL, "row %zu: %s", i, found.ptr);
        CHECK(!rows[i].knows || strstr(found.ptr, SECRET) == NULL, "row %zu: %s", i, found.ptr);
        CHECK(rows[i].wanted != none || haft__str_starts_with(found, HAFT__LIT("BAD_INPUT: ")),
              "%s", found.ptr);
        help_run_finish(&r);
    }
}

#define MESSAGE "01m7gkd512441wjb39kez748pr"

/* The sender of a message finds it by its id, even if other processes know more secrets. */
TEST(a_message_is_found_again_by_its_id)
{
    static const struct {
        const char *id;
        bool kept;
    } rows[] = {{MESSAGE, true}, {"\\\"}", false}, {"", false}, {"short", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__redactor redactor;
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER};
        char text[256];
        bool taken = false;
        start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
        (void)snprintf(text, sizeof(text),
                       "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":\"" SECRET
                       "\",\"message\":\"%s\"}",
                       rows[i].id);
        init_redactor(&redactor, &r.arena);
        r.drive.options.redactor = &redactor; /* the owner of the run knows it */
        haft_str body = apply(&r, text);
        CHECK_INT(strstr(body.ptr, ",\"message\":\"" MESSAGE "\"}") != NULL, rows[i].kept, "%s",
                  body.ptr);
        CHECK_INT(haft__drive_append(&r.drive, body, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_INT(haft__run_command_read(&r.arena, haft__str(text), HELP_KEY, &command, NULL),
                  HAFT_OK, "read the command");
        CHECK_INT(haft__run_command_is_duplicate(&r.drive.run, &command, &taken, NULL), HAFT_OK,
                  "check for a duplicate");
        CHECK_INT(taken, rows[i].kept, "%s", rows[i].id);
        help_run_finish(&r);
    }
}

TEST(a_message_contains_no_secret)
{
    haft__arena arena;
    haft__redactor redactor;
    haft__buf text;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, 4096);
    init_redactor(&redactor, &arena);
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_REJECT,
                                 .call = HAFT__LIT("c2.1"),
                                 .value = help_json(&arena, "{\"a\":[\"" SECRET "\",2]}"),
                                 .why = HAFT__LIT("it is " SECRET),
                                 .message = HAFT__LIT(MESSAGE),
                                 .redactor = &redactor};
    haft__run_command again;
    haft__run_command_write(&text, &command);
    CHECK(strstr(help_keep(haft__buf_str(&text)).ptr, SECRET) == NULL, "%.*s",
          HAFT__ARG(haft__buf_str(&text)));
    CHECK_INT(haft__run_command_read(&arena, haft__buf_str(&text), HELP_KEY, &again, NULL), HAFT_OK,
              "read the command");
    CHECK_STR(again.why, HAFT__LIT("it is [redacted]"), "the reason is redacted");
    CHECK_STR(again.message, HAFT__LIT(MESSAGE), "the id of the message");
    for (unsigned n = 0;; n++) {
        haft__buf_finish(&text);
        haft__buf_init(&text, 4096);
        test_fail_allocation(n);
        haft__run_command_write(&text, &command);
        if (!test_allow_allocations()) {
            break;
        }
        CHECK_INT(text.status, HAFT_NO_MEMORY, "allocation %u", n);
    }
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}
