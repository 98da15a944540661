/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp/mcp.c, connection.c, event.c, stdio_transport.c and tool_call.c, with a
 * server of tests/mcp/bad_server.py. */
#include "exec/mcp/mcp.h"

#include "exec/mcp_help.h"
#include "json/write.h"

#define SERVER(name, way) "'" name "':{'command':['python3','@','" way "']}"

/* A call of a tool of a server, as a run makes it. */
static void make_call(help_mcp *m, help_call *c, const char *server, const char *tool)
{
    char definition[512];
    (void)snprintf(definition, sizeof(definition), "{\"server\":\"%s\",\"tool\":\"%s\"}", server,
                   tool);
    help_init_call(&m->exec, c, HAFT__TOOL_MCP, definition, "{\"word\":\"hello\"}");
}

static void call(help_mcp *m, help_call *c, const char *server)
{
    make_call(m, c, server, "say");
    help_start(&m->exec, c);
    help_wait(&m->exec, c);
}

TEST(servers_are_listed_and_called)
{
    help_mcp m;
    help_call c;
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "good") "," SERVER("b", "progress") "}}");
    help_mcp_list(&m);
    CHECK_STR(m.names, HAFT__LIT("a:say b:say "), "names");
    CHECK_STR(m.states, HAFT__LIT("started started "), "states");
    call(&m, &c, "a");
    CHECK(c.result.ok && c.result.started, "%.*s", HAFT__ARG(c.result.text));
    CHECK_STR(c.result.text, HAFT__LIT("you said hello"), "result");
    call(&m, &c, "b");
    CHECK_INT(c.progress_count, 3, "progress reports");
    CHECK_STR(c.last_progress, HAFT__LIT("{\"progress\":2,\"total\":3,\"message\":\"on\"}"),
              "progress");
    help_mcp_list(&m);
    CHECK_STR(m.states, HAFT__LIT("used used "), "states");
    help_mcp_end(&m);
}

TEST(a_log_message_goes_to_the_call_in_progress)
{
    help_mcp m;
    help_call c;
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "log") "}}");
    call(&m, &c, "a");
    CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
    CHECK_INT(c.progress_count, 2, "messages");
    CHECK_STR(c.last_progress,
              HAFT__LIT("{\"server\":\"a\",\"level\":\"warning\",\"logger\":\"db\",\"message\":"
                        "\"warning: <U+001B>[31mlow on cheese\"}"),
              "the last message");
    help_mcp_end(&m);
}

/* A connection is shared: if a message may be about another run, each run gets only one note
 * that a message was hidden. */
TEST(a_log_message_does_not_go_to_another_run)
{
    static const struct {
        const char *runs[2];
        int steps[2];
    } rows[] = {{{"A", "B"}, {1, 1}}, {{"A", "A"}, {2, 0}}, {{"", ""}, {1, 1}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_mcp m;
        help_call c[2];
        help_mcp_begin(&m);
        help_mcp_servers(&m, "{'servers':{" SERVER("a", "log_of_two") "}}");
        for (size_t j = 0; j < COUNT(c); j++) {
            make_call(&m, &c[j], "a", "say");
            c[j].call.facts.run = rows[i].runs[j];
            help_start(&m.exec, &c[j]);
        }
        for (size_t j = 0; j < COUNT(c); j++) {
            help_wait(&m.exec, &c[j]);
            CHECK(c[j].result.ok, "%.*s", HAFT__ARG(c[j].result.text));
        }
        for (size_t j = 0; j < COUNT(c); j++) {
            CHECK_INT(c[j].progress_count, rows[i].steps[j], "call %zu, row %zu", j, i);
            bool cheese =
                c[j].last_progress.len > 0
                && memmem(c[j].last_progress.ptr, c[j].last_progress.len, "cheese", 6) != NULL;
            CHECK(cheese == (rows[i].steps[j] == 2), "row %zu: %.*s", i,
                  HAFT__ARG(c[j].last_progress));
        }
        help_mcp_end(&m);
    }
}

TEST(a_list_is_cached_for_the_next_process)
{
    help_mcp m;
    help_mcp_begin(&m);
    char place[sizeof(m.place)];
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "good") "}}");
    help_mcp_list(&m);
    memcpy(place, m.place, sizeof(place));
    help_end(&m.exec);
    help_begin(&m.exec);
    m.exec.exec->options.state = place;
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "good") "}}");
    help_mcp_list(&m);
    CHECK_STR(m.states, HAFT__LIT("known "), "states");
    CHECK_STR(m.names, HAFT__LIT("a:say "), "names");
    CHECK(m.exec.exec->children.first == NULL, "the server was started");
    help_mcp_end(&m);
}

/* A file of cached tools may be copied to backups. */
TEST(a_cached_list_has_no_secret_of_the_spec)
{
    help_mcp m;
    help_mcp_begin(&m);
    char place[sizeof(m.place)];
    static const char servers[] = "{'servers':{'a':{'command':['python3','@','leak'],"
                                  "'env':{'MYTOK':'written-out-secret-123456'}}}}";
    help_mcp_servers(&m, servers);
    help_mcp_list(&m);
    CHECK_STR(m.names, HAFT__LIT("a:say "), "tools: one with a secret is left out");
    memcpy(place, m.place, sizeof(place));
    help_end(&m.exec);
    help_begin(&m.exec);
    m.exec.exec->options.state = place;
    help_mcp_servers(&m, servers);
    help_mcp_list(&m);
    CHECK_STR(m.states, HAFT__LIT("known "), "states");
    CHECK_STR(m.names, HAFT__LIT("a:say "), "tools from the cache");
    help_mcp_end(&m);
}

TEST(a_bad_server_does_not_delay_others)
{
    help_mcp m;
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "exit_start") "," SERVER(
                             "b", "good") ",'c':{'command':['/nonexistent/program']},"
                                          "'d':{'enabled':false,'command':['x']}}}");
    help_mcp_list(&m);
    CHECK_INT(m.count, 3, "servers");
    CHECK_STR(m.names, HAFT__LIT("b:say "), "names");
    CHECK_STR(m.states, HAFT__LIT("configured started configured "), "states");
    CHECK_STR(m.errors,
              HAFT__LIT("the MCP server 'a' ended with exit status 3: no licence (check whether it "
                        "runs on its own)  the MCP server 'c' cannot be started: "
                        "'/nonexistent/program' does not exist (install it, or write "
                        "its path) "),
              "errors");
    help_call c;
    call(&m, &c, "a"); /* the server is disabled: the error is returned at once */
    CHECK(!c.result.ok && !c.result.started && c.result.transient, "outcome");
    call(&m, &c, "nobody");
    CHECK_STR(c.result.text, HAFT__LIT("the spec has no server 'nobody'"),
              "a server that is not in the spec");
    call(&m, &c, "d");
    CHECK_STR(c.result.text, HAFT__LIT("the spec has no server 'd' that is enabled"),
              "a disabled server");
    help_mcp_end(&m);
}

TEST(a_server_that_dies_is_started_again)
{
    help_mcp m;
    help_call c;
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "die") "}}");
    for (int i = 0; i < 3; i++) {
        call(&m, &c, "a");
        CHECK(!c.result.ok && c.result.started && c.result.transient && !c.result.timed_out
                  && c.result.lost,
              "outcome");
        CHECK_STR(c.result.text, HAFT__LIT("the MCP server 'a' ended with exit status 7"), "text");
        CHECK(c.result.hint.len > 0, "no hint");
    }
    help_mcp_end(&m);
}

TEST(an_abandoned_call_is_cancelled)
{
    help_mcp m;
    help_call c;
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "hang_call") "}}");
    help_mcp_list(&m);
    make_call(&m, &c, "a", "say");
    c.call.timeout_ms = 50;
    help_start(&m.exec, &c);
    help_wait(&m.exec, &c);
    CHECK(!c.result.ok && c.result.timed_out && c.result.started, "outcome");
    make_call(&m, &c, "a", "say");
    help_start(&m.exec, &c);
    help_step(&m.exec, 0);
    haft__exec_cancel(c.job);
    make_call(&m, &c, "a", "other");
    help_start(&m.exec, &c);
    help_wait(&m.exec, &c);
    CHECK_STR(c.result.text, HAFT__LIT("the MCP server 'a' no longer has the tool 'other'"),
              "text");
    make_call(&m, &c, "a", "say"); /* a call that is never reported, because everything ends */
    help_start(&m.exec, &c);
    haft__exec_cancel(c.job);
    help_mcp_end(&m);
}

TEST(a_cancelled_catalogue_is_not_reported)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "hang_start") "}}");
    for (int i = 0; i < 2; i++) {
        CHECK_INT(
            haft__exec_catalogue(m.exec.exec, &m.exec.spec, help_mcp_note, &m, &catalogue, NULL),
            HAFT_OK, "catalogue");
        help_step(&m.exec, 0);
        haft__catalogue_cancel(catalogue);
    }
    help_step(&m.exec, 0);
    CHECK_INT(m.times, 0, "reports of the catalogue");
    help_mcp_end(&m);
}

/* ---- questions ---- */

typedef struct asking {
    help_call call; /* first, because results are reported to it */
    haft__task task;
    haft__json answer;
    bool durable;
    int asked;
    haft_str message;
} asking;

static void answer_now(haft__task *task)
{
    asking *a = HAFT__CONTAINER(task, asking, task);
    haft__exec_answer(a->call.job, a->answer);
}

static help_exec *asked_on;

static void on_ask(void *context, haft__json question, bool durable, haft__json state,
                   uint64_t within_ms)
{
    asking *a = context;
    (void)state;
    (void)within_ms;
    a->durable = durable;
    a->message = help_keep(haft__json_text(*haft__json_get(question, HAFT__LIT("message"))));
    a->task.run = answer_now;
    haft__loop_post(asked_on->loop, &a->task);
}

/* Repeats the call with the answer, as the engine does. */
static void call_again(haft__task *task)
{
    asking *a = HAFT__CONTAINER(task, asking, task);
    help_start(asked_on, &a->call);
}

static void on_durable(void *context, haft__json question, bool durable, haft__json state,
                       uint64_t within_ms)
{
    asking *a = context;
    haft__buf text;
    (void)within_ms;
    a->durable = durable;
    a->asked++;
    haft__buf_init(&text, 1 << 20);
    haft__buf_addf(&text,
                   "{\"answers\":{\"action\":\"accept\",\"content\":{\"sure\":%s}},\"state\":",
                   a->asked == 1 ? "true" : "false");
    haft__json_write(&text, state);
    haft__buf_add_char(&text, '}');
    haft__buf_add_char(&text, '\0');
    a->call.call.resume = help_read_copy(asked_on, text.ptr);
    a->message = help_keep(haft__json_text(*haft__json_get(question, HAFT__LIT("message"))));
    haft__buf_finish(&text);
    a->task.run = call_again;
    haft__loop_post(asked_on->loop, &a->task);
}

TEST(a_person_answers_a_server_that_does_not_wait)
{
    help_mcp m;
    asking a = {.durable = false};
    help_mcp_begin(&m);
    asked_on = &m.exec;
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "input") "}}");
    make_call(&m, &a.call, "a", "say");
    a.call.call.ask = on_durable;
    help_start(&m.exec, &a.call);
    help_wait(&m.exec, &a.call);
    CHECK(a.durable && a.asked == 2, "asked %d times", a.asked);
    CHECK_STR(a.message, HAFT__LIT("two?"), "message");
    CHECK_STR(
        a.call.result.text,
        HAFT__LIT("[{\"one\": {\"action\": \"accept\", \"content\": {\"sure\": true}}, \"two\": "
                  "{\"action\": \"accept\", \"content\": {\"sure\": false}}}, \"opaque\"]"),
        "answers");
    make_call(&m, &a.call, "a", "say"); /* no person can be asked */
    help_start(&m.exec, &a.call);
    help_wait(&m.exec, &a.call);
    CHECK(!a.call.result.ok && a.call.result.started, "outcome");
    help_mcp_end(&m);
}

/* The server got both answers, in any order: to its question for a person and for a model. */
static void check_text(haft_str text, const char *wanted)
{
    CHECK(haft__str_starts_with(text, HAFT__LIT("you said hello\n")), "%.*s", HAFT__ARG(text));
    CHECK(memmem(text.ptr, text.len, "-32601", 6) != NULL, "%.*s", HAFT__ARG(text));
    CHECK(memmem(text.ptr, text.len, wanted, strlen(wanted)) != NULL, "%s: %.*s", wanted,
          HAFT__ARG(text));
}

TEST(a_person_answers_a_server_that_waits)
{
    static const struct {
        const char *answer, *wanted;
    } cases[] = {
        {"{\"action\":\"accept\",\"content\":{\"sure\":true}}",
         "{\"action\": \"accept\", \"content\": {\"sure\": true}}"},
        {"{\"action\":\"decline\"}", "{\"action\": \"decline\"}"},
        {"{\"action\":\"cancel\"}", "{\"action\": \"cancel\"}"},
    };
    help_mcp m;
    asking a = {.durable = false};
    help_mcp_begin(&m);
    asked_on = &m.exec;
    help_mcp_servers(&m, "{'servers':{" SERVER("a", "asks") "}}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        make_call(&m, &a.call, "a", "say");
        a.call.call.ask = on_ask;
        a.answer = help_read_copy(&m.exec, cases[i].answer);
        help_start(&m.exec, &a.call);
        help_wait(&m.exec, &a.call);
        CHECK_STR(a.message, HAFT__LIT("Really?"), "message");
        check_text(a.call.result.text, cases[i].wanted);
        CHECK(!a.durable, "the question is durable");
    }
    make_call(&m, &a.call, "a", "say"); /* no person can be asked */
    help_start(&m.exec, &a.call);
    help_wait(&m.exec, &a.call);
    check_text(a.call.result.text, "{\"action\": \"cancel\"}");
    help_mcp_end(&m);
}

/* With several runs it is unknown whose question it is: no person is asked, both runs get a
 * warning, and the server does not get a decline. */
TEST(a_question_does_not_go_to_another_run)
{
    static const struct {
        const char *runs[2], *wanted;
        int asked, steps;
    } rows[] = {{{"A", "B"}, "\"cancel\"", 0, 1}, {{"A", "A"}, "\"accept\"", 1, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_mcp m;
        asking a[2] = {{.durable = false}, {.durable = false}};
        help_mcp_begin(&m);
        asked_on = &m.exec;
        help_mcp_servers(&m, "{'servers':{" SERVER("a", "asks_of_two") "}}");
        for (size_t j = 0; j < COUNT(a); j++) {
            make_call(&m, &a[j].call, "a", "say");
            a[j].call.call.facts.run = rows[i].runs[j];
            a[j].call.call.ask = on_ask;
            a[j].answer = help_read_copy(&m.exec, "{\"action\":\"accept\",\"content\":{}}");
            help_start(&m.exec, &a[j].call);
        }
        for (size_t j = 0; j < COUNT(a); j++) {
            help_wait(&m.exec, &a[j].call);
            haft_str text = a[j].call.result.text;
            CHECK(memmem(text.ptr, text.len, rows[i].wanted, strlen(rows[i].wanted)) != NULL,
                  "row %zu: %.*s", i, HAFT__ARG(text));
            CHECK_INT(a[j].call.progress_count, rows[i].steps, "row %zu, call %zu", i, j);
        }
        CHECK_INT((a[0].message.len > 0) + (a[1].message.len > 0), rows[i].asked,
                  "row %zu: persons who were asked", i);
        help_mcp_end(&m);
    }
}
