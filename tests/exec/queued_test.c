/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/queued.c. Most useful under `make tsan`. */
#include <pthread.h>

#include "base/limits.h"
#include "exec_help.h"

static char context[] = "context";

static const haft_tool look_up_tool = {.struct_size = sizeof(haft_tool),
                                       .name = "look_up",
                                       .description = "Looks a word up.",
                                       .traits = HAFT_QUEUED,
                                       .context = context};

static void start(help_exec *f, help_call *c, const char *arguments, uint64_t timeout_ms)
{
    help_init_call(f, c, HAFT__TOOL_FUNCTION, "{}", arguments);
    c->tool.function = &look_up_tool;
    c->call.timeout_ms = timeout_ms;
    help_start(f, c);
}

/* Starts a call and takes it. */
static haft_call *take(help_exec *f, help_call *c, const char *arguments)
{
    start(f, c, arguments, HELP_PATIENCE_MS);
    haft_call *call = haft__exec_next_call(f->exec);
    CHECK(call != NULL, "no call is in the queue");
    return call;
}

static void finish(haft_call *call, haft_reply_kind kind, const char *text)
{
    haft_error err = {0};
    CHECK_INT(haft_call_finish(call, kind, text, &err), HAFT_OK, "%s", err.message);
}

TEST(a_program_takes_calls_and_finishes_them_in_any_order)
{
    help_exec f;
    help_call first, second;
    help_begin(&f);
    CHECK(haft__exec_next_call(f.exec) == NULL, "a call without a start");
    start(&f, &first, "{ \"word\": \"haft\" }", HELP_PATIENCE_MS);
    start(&f, &second, "{}", HELP_PATIENCE_MS);
    haft_call *one = haft__exec_next_call(f.exec), *two = haft__exec_next_call(f.exec);
    CHECK(haft__exec_next_call(f.exec) == NULL, "a third call");
    const haft_call_facts *facts = haft_call_info(one);
    CHECK_STR(haft__str(facts->tool), HAFT__LIT("look_up"), "tool");
    CHECK_STR(facts->arguments, HAFT__LIT("{\"word\":\"haft\"}"), "arguments");
    CHECK_STR(haft__str(facts->call), HAFT__LIT("c1.1"), "call");
    CHECK_STR(haft__str(facts->idempotency_key), HAFT__LIT("key-1"), "key");
    CHECK_STR(haft__str(facts->traceparent), HAFT__LIT(""), "a fact without a value");
    CHECK(facts->context == context && facts->struct_size == sizeof(*facts), "other facts");
    CHECK(!haft_cancelled(one) && haft_call_server(one) == NULL, "the call");
    finish(two, HAFT_REPLY_TEXT, "second");
    help_wait(&f, &second);
    CHECK_INT(first.result_count, 0, "results of the first call");
    finish(one, HAFT_REPLY_JSON, "[1, 2]");
    help_wait(&f, &first);
    CHECK_STR(first.result.text, HAFT__LIT("[1, 2]"), "first");
    CHECK_STR(second.result.text, HAFT__LIT("second"), "second");
    CHECK(first.result.ok && first.result.started && !first.result.command, "first");
    help_end(&f);
}

TEST(an_error_of_the_program_is_an_error_of_the_call)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    finish(take(&f, &c, ""), HAFT_REPLY_ERROR, "no such word; try 'handle'");
    help_wait(&f, &c);
    CHECK(!c.result.ok && c.result.started && !c.result.transient, "kind of the error");
    CHECK_STR(c.result.text, HAFT__LIT("no such word; try 'handle'"), "text");
    help_end(&f);
}

TEST(only_a_node_of_a_graph_follows_a_command)
{
    static const char command[] = "{\"update\":{\"n\":1},\"goto\":\"end\"}";
    help_exec f;
    help_call c;
    help_begin(&f);
    finish(take(&f, &c, ""), HAFT_REPLY_COMMAND, command);
    help_wait(&f, &c);
    CHECK(!c.result.ok, "a tool of a model replied with a command");
    help_init_call(&f, &c, HAFT__TOOL_FUNCTION, "{}", "");
    c.tool.function = &look_up_tool;
    c.call.takes_command = true;
    help_start(&f, &c);
    finish(haft__exec_next_call(f.exec), HAFT_REPLY_COMMAND, command);
    help_wait(&f, &c);
    CHECK(c.result.ok && c.result.command, "%.*s", HAFT__ARG(c.result.text));
    CHECK_STR(c.result.text, haft__str(command), "the command");
    help_end(&f);
}

TEST(a_reply_that_is_not_allowed_leaves_the_call_open)
{
    static const struct {
        int kind;
        const char *text, *where, *message;
    } cases[] = {
        {HAFT_REPLY_JSON, "{\"a\":}", "1:6 (byte 5)", "expected a value, found '}'"},
        {HAFT_REPLY_JSON, "", "1:1 (byte 0)", "expected a value, found the end of the text"},
        {HAFT_REPLY_COMMAND, "[]", "", "expected an object with \"update\", \"goto\" or \"send\""},
        {HAFT_REPLY_COMMAND, "{\"goto\":[]}", "/goto",
         "expected the name of a node, or an array of names"},
        {99, "x", "", "expected a kind of reply, found 99"},
        {HAFT_REPLY_TEXT, NULL, "", "expected a call and a text, found NULL"},
    };
    help_exec f;
    help_call c;
    help_begin(&f);
    haft_call *call = take(&f, &c, "");
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        haft_status status =
            haft_call_finish(call, (haft_reply_kind)cases[i].kind, cases[i].text, &err);
        CHECK_INT(status, HAFT_BAD_INPUT, "case %zu", i);
        CHECK_STR(haft__str(err.where), haft__str(cases[i].where), "case %zu", i);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "case %zu", i);
    }
    help_step(&f, 0);
    CHECK_INT(c.result_count, 0, "results");
    finish(call, HAFT_REPLY_TEXT, "better");
    help_wait(&f, &c);
    CHECK_STR(c.result.text, HAFT__LIT("better"), "reply");
    help_end(&f);
}

TEST(a_reply_has_at_most_as_many_bytes_as_any_other)
{
    help_exec f;
    help_call c;
    haft_error err = {0};
    help_begin(&f);
    char *text = test_alloc(HAFT__LIMIT_TOOL_RESULT_BYTES + 2);
    memset(text, 'x', HAFT__LIMIT_TOOL_RESULT_BYTES + 1);
    text[HAFT__LIMIT_TOOL_RESULT_BYTES + 1] = '\0';
    haft_call *call = take(&f, &c, "");
    CHECK_INT(haft_call_finish(call, HAFT_REPLY_TEXT, text, &err), HAFT_TOO_BIG, "one byte more");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("expected a reply of at most 16777216 bytes, found 16777217"), "message");
    text[HAFT__LIMIT_TOOL_RESULT_BYTES] = '\0';
    finish(call, HAFT_REPLY_TEXT, text);
    help_wait(&f, &c);
    CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
    CHECK_INT(c.result.text.len, HAFT__LIMIT_TOOL_RESULT_BYTES, "bytes");
    help_end(&f);
}

TEST(null_is_no_call)
{
    haft_error err = {0};
    CHECK_INT(haft_call_finish(NULL, HAFT_REPLY_TEXT, "", &err), HAFT_BAD_INPUT, "no call");
}

/* ---- cancellation ---- */

TEST(a_call_that_nobody_took_did_not_start)
{
    help_exec f;
    help_call first, second, third;
    help_begin(&f);
    start(&f, &first, "", HELP_PATIENCE_MS);
    start(&f, &second, "", 10);
    start(&f, &third, "{\"third\":1}", HELP_PATIENCE_MS);
    help_wait(&f, &second);
    CHECK(second.result.timed_out && !second.result.started, "the second call started");
    CHECK_STR(second.result.text,
              HAFT__LIT("the call would have to wait longer than its timeout of 10 ms"), "text");
    haft__exec_cancel(first.job);
    haft_call *left = haft__exec_next_call(f.exec);
    CHECK_STR(haft_call_info(left)->arguments, HAFT__LIT("{\"third\":1}"), "the remaining call");
    CHECK(haft__exec_next_call(f.exec) == NULL, "a cancelled call is in the queue");
    start(&f, &first, "", HELP_PATIENCE_MS); /* the end of the queue is still right */
    finish(haft__exec_next_call(f.exec), HAFT_REPLY_TEXT, "x");
    help_wait(&f, &first);
    finish(left, HAFT_REPLY_TEXT, "x");
    help_wait(&f, &third);
    help_end(&f);
}

TEST(the_last_call_of_the_queue_can_be_cancelled)
{
    help_exec f;
    help_call first, second;
    help_begin(&f);
    start(&f, &first, "{\"first\":1}", HELP_PATIENCE_MS);
    start(&f, &second, "", HELP_PATIENCE_MS);
    haft__exec_cancel(second.job);
    start(&f, &second, "{\"second\":1}", HELP_PATIENCE_MS);
    haft_call *one = haft__exec_next_call(f.exec), *two = haft__exec_next_call(f.exec);
    CHECK_STR(haft_call_info(one)->arguments, HAFT__LIT("{\"first\":1}"), "first");
    CHECK_STR(haft_call_info(two)->arguments, HAFT__LIT("{\"second\":1}"), "second");
    haft__exec_cancel(first.job);
    haft__exec_cancel(second.job);
    finish(one, HAFT_REPLY_TEXT, "");
    finish(two, HAFT_REPLY_TEXT, "");
    help_end(&f);
}

TEST(the_reply_of_a_call_that_timed_out_is_dropped)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    start(&f, &c, "", 20);
    haft_call *call = haft__exec_next_call(f.exec);
    help_wait(&f, &c);
    CHECK(c.result.timed_out && c.result.started, "no timeout");
    CHECK(haft_cancelled(call), "the program does not see the timeout");
    CHECK_STR(haft__str(haft_call_info(call)->run), HAFT__LIT("run"), "facts stay valid");
    haft_emit(call, "1");
    finish(call, HAFT_REPLY_TEXT, "late");
    help_step(&f, 0);
    CHECK_INT(c.result_count, 1, "results");
    CHECK_INT(c.progress_count, 0, "progress after the timeout");
    help_end(&f);
}

/* The reply is on its way to the loop when the call is cancelled. */
TEST(a_call_can_be_cancelled_after_it_was_finished)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    haft_call *call = take(&f, &c, "");
    haft_emit(call, "1");
    finish(call, HAFT_REPLY_TEXT, "x");
    haft__exec_cancel(c.job);
    help_step(&f, 0);
    CHECK_INT(c.result_count + c.progress_count, 0, "reports of a cancelled call");
    help_end(&f);
}

TEST(too_many_unfinished_calls_block_new_ones)
{
    static haft_call *held[HAFT__LIMIT_EXEC_UNFINISHED];
    help_exec f;
    help_call c;
    help_begin(&f);
    for (size_t i = 0; i < COUNT(held); i++) {
        held[i] = take(&f, &c, "");
        haft__exec_cancel(c.job);
    }
    start(&f, &c, "", HELP_PATIENCE_MS);
    help_wait(&f, &c);
    CHECK(!c.result.ok && !c.result.started, "the call started");
    CHECK_STR(c.result.text,
              HAFT__LIT("1000 calls were cancelled, and the program has not finished them"),
              "text");
    CHECK(c.result.hint.len > 0, "no hint");
    finish(held[0], HAFT_REPLY_TEXT, "");
    help_step(&f, 0);
    finish(take(&f, &c, ""), HAFT_REPLY_TEXT, "again");
    help_wait(&f, &c);
    CHECK_STR(c.result.text, HAFT__LIT("again"), "after one was finished");
    for (size_t i = 1; i < COUNT(held); i++) {
        finish(held[i], HAFT_REPLY_TEXT, "");
    }
    help_end(&f);
}

TEST(a_call_survives_everything_else)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    haft_call *call = take(&f, &c, "{\"word\":\"haft\"}");
    haft_emit(call, "1"); /* not delivered before the loop is destroyed */
    haft__exec_cancel(c.job);
    help_end(&f);
    CHECK(haft_cancelled(call), "the program does not see that the loop is gone");
    CHECK_STR(haft_call_info(call)->arguments, HAFT__LIT("{\"word\":\"haft\"}"), "arguments");
    haft_emit(call, "2");
    finish(call, HAFT_REPLY_TEXT, "x");
}

/* ---- threads ---- */

static void *perform(void *given)
{
    haft_call *call = given;
    haft_emit(call, "{\"half\":true}");
    haft_emit(call, "nearly done");
    haft_error err = {0};
    bool finished =
        !haft_cancelled(call) && haft_call_finish(call, HAFT_REPLY_TEXT, "done", &err) == HAFT_OK;
    return finished ? given : NULL;
}

TEST(another_thread_finishes_a_call_and_wakes_the_loop)
{
    enum { CALLS = 40 };
    static help_call calls[CALLS];
    pthread_t threads[CALLS];
    help_exec f;
    help_begin(&f);
    for (size_t i = 0; i < CALLS; i++) {
        haft_call *call = take(&f, &calls[i], "");
        CHECK_INT(pthread_create(&threads[i], NULL, perform, call), 0, "thread");
    }
    for (size_t i = 0; i < CALLS; i++) {
        void *finished = NULL;
        help_wait(&f, &calls[i]);
        CHECK_STR(calls[i].result.text, HAFT__LIT("done"), "call %zu", i);
        CHECK_INT(calls[i].progress_count, 2, "progress of call %zu", i);
        CHECK_STR(calls[i].last_progress, HAFT__LIT("\"nearly done\""), "call %zu", i);
        CHECK_INT(pthread_join(threads[i], &finished), 0, "thread");
        CHECK(finished != NULL, "call %zu was not finished", i);
    }
    help_end(&f);
}

/* Threads finish their calls while the loop is destroyed. */
static void *finish_soon(void *given)
{
    haft_emit(given, "1");
    return haft_call_finish(given, HAFT_REPLY_TEXT, "x", NULL) == HAFT_OK ? given : NULL;
}

TEST(calls_can_be_finished_while_the_loop_is_destroyed)
{
    for (int round = 0; round < 50; round++) {
        enum { CALLS = 4 };
        static help_call calls[CALLS];
        pthread_t threads[CALLS];
        help_exec f;
        help_begin(&f);
        for (size_t i = 0; i < CALLS; i++) {
            haft_call *call = take(&f, &calls[i], "");
            CHECK_INT(pthread_create(&threads[i], NULL, finish_soon, call), 0, "thread");
        }
        for (size_t i = 0; i < CALLS; i++) {
            haft__exec_cancel(calls[i].job);
        }
        help_end(&f);
        for (size_t i = 0; i < CALLS; i++) {
            void *finished = NULL;
            CHECK_INT(pthread_join(threads[i], &finished), 0, "thread");
            CHECK(finished != NULL, "call %zu", i);
        }
    }
}

/* ---- memory ---- */

TEST(a_call_without_memory_fails_cleanly)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    for (unsigned n = 0;; n++) {
        haft_call *call = NULL;
        haft_status status = HAFT_OK;
        help_init_call(&f, &c, HAFT__TOOL_FUNCTION, "{}", "{\"a\":[1,2]}");
        c.tool.function = &look_up_tool;
        test_fail_allocation(n);
        if (haft__exec_start(f.exec, &c.call, help_keep_result, &c, &c.job, NULL) == HAFT_OK) {
            call = haft__exec_next_call(f.exec);
        }
        if (call != NULL) {
            status = haft_call_finish(call, HAFT_REPLY_JSON, "{\"b\":[3]}", NULL);
        }
        bool failed = test_allow_allocations();
        if (status != HAFT_OK) {
            CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
            finish(call, HAFT_REPLY_TEXT, "again");
        }
        for (int i = 0; i < 3; i++) {
            help_step(&f, 0);
        }
        if (!failed) {
            CHECK_STR(c.result.text, HAFT__LIT("{\"b\":[3]}"), "without a failure");
            break;
        }
    }
    help_end(&f);
}
