/* SPDX-License-Identifier: Apache-2.0 */
#include "run/steer.h"

#include "run_help.h"

/* A run that waits for what its calls need. */
static void start(help_run *r, const char *spec, const char *calls)
{
    static char script[512];
    (void)snprintf(script, sizeof(script), "{\"replies\":[{\"calls\":[%s]},{\"text\":\"good\"}]}",
                   calls);
    help_run_init(r, spec, script);
    CHECK_INT(help_run_go(r), HAFT_OK, "%s", r->err.message);
}

/* What a command comes to: the body of its event, or the error. */
static haft_str apply(help_run *r, const char *text)
{
    haft__steer command;
    haft__buf body;
    haft__buf_init(&body, 4096);
    haft_error err = {0};
    haft_status status = haft__steer_read(&r->arena, haft__str(text), HELP_KEY, &command, &err);
    if (status == HAFT_OK) {
        status = haft__steer_apply(&r->drive.run, &command, &body, &err);
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
         "BAD_INPUT: expected answer, approve, reject or cancel, found \"dance\"; "},
        {"{}", "BAD_INPUT: expected answer, approve, reject or cancel, found \"\"; "},
        {"[1]", "BAD_INPUT: expected answer, approve, reject or cancel, found \"\"; "},
    };
    help_run r;
    start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
    check_rows(&r, rows, COUNT(rows));
    CHECK(haft__str_starts(apply(&r, "{"), HAFT__LIT("BAD_INPUT: ")), "no JSON");
    help_run_finish(&r);
}

TEST(an_approval_may_be_given_changed_refused_or_replaced)
{
    static const row rows[] = {
        {"{\"command\":\"approve\",\"by\":\"ana\"}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"approve\","
         "\"value\":null}"},
        {"{\"command\":\"approve\",\"by\":\"ana\",\"value\":{\"q\":\"x\"}}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"edit\","
         "\"value\":{\"q\":\"x\"}}"},
        {"{\"command\":\"answer\",\"by\":\"ana\",\"value\":7}",
         "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":\"respond\","
         "\"value\":7}"},
    };
    help_run r;
    start(&r, "agent; tools=send!approval", "{\"name\":\"send\"}");
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

TEST(several_pending_calls_must_be_told_apart)
{
    static const row rows[] = {
        {"{\"command\":\"answer\",\"value\":1}",
         "BAD_INPUT: the run waits for several calls: name one; pending: c1.1 (headless of pick), "
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
         "BAD_STATE: the call c1.2 has been answered otherwise: answer; pending: c1.1 (headless of "
         "pick)"},
    };
    check_rows(&r, later, COUNT(later));
    help_run_finish(&r);
}

TEST(a_run_that_has_ended_takes_no_commands)
{
    static const row rows[] = {
        {"{\"command\":\"answer\",\"value\":1}",
         "BAD_STATE: the run waits for nobody; nothing is pending"},
        {"{\"command\":\"cancel\"}", "BAD_STATE: the run has ended: done; "},
        {"{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":1}",
         "BAD_STATE: the call c1.1 waits for nobody; nothing is pending"},
    };
    help_run r;
    help_run_init(&r, "agent; tools=glob",
                  "{\"replies\":[{\"calls\":[{\"name\":\"glob\",\"arguments\":{\"pattern\":\"*\"}}]"
                  "},{\"text\":\"good\"}],\"results\":{\"glob\":\"a\"}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    check_rows(&r, rows, COUNT(rows));
    help_run_finish(&r);
}

TEST(cancelling_twice_is_cancelling_once)
{
    help_run r;
    start(&r, "agent; tools=pick!headless", "{\"name\":\"pick\"}");
    haft_str body = apply(&r, "{\"command\":\"cancel\",\"by\":\"ana\",\"why\":\"late\"}");
    CHECK_INT(haft__drive_append(&r.drive, body, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_STR(apply(&r, "{\"command\":\"cancel\"}"), HAFT__LIT(""), "before the end");
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_CANCELLED, "end");
    CHECK_STR(apply(&r, "{\"command\":\"cancel\"}"), HAFT__LIT(""), "after it");
    help_run_finish(&r);
}

TEST(a_command_survives_being_written_and_read)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__steer command = {.kind = HAFT__STEER_REJECT,
                           .call = HAFT__LIT("c2.1"),
                           .value = help_json(&arena, "{\"a\":[1,2]}"),
                           .by = HAFT__LIT("ana"),
                           .why = HAFT__LIT("\"no\"")};
    haft__buf first, second;
    haft__buf_init(&first, 4096);
    haft__buf_init(&second, 4096);
    haft__steer_write(&first, &command);
    haft__steer again;
    CHECK_INT(haft__steer_read(&arena, haft__buf_str(&first), HELP_KEY, &again, NULL), HAFT_OK,
              "it cannot be read");
    haft__steer_write(&second, &again);
    CHECK_STR(haft__buf_str(&second), haft__buf_str(&first), "written again");
    haft__buf_finish(&first);
    haft__buf_finish(&second);
    haft__arena_finish(&arena);
}
