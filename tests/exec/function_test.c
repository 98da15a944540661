/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/function.c. Most useful under `make tsan`. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/limits.h"
#include "exec_help.h"
#include "tool/declare.h"

/* ---- the tools ---- */

static sem_t entered, released; /* a call of `block` posts the first and waits for the second */
static atomic_int cancels;      /* calls that saw haft_cancelled */
static atomic_int started_calls;
static pthread_t loop_thread; /* the thread of the loop */

HAFT_TOOL(greet, "Greet somebody.", HAFT_STRING(name, "Whom."),
          HAFT_INTEGER_OR(times, 1, "How often."))
{
    const haft_call_facts *facts = haft_call_info(call);
    return haft_replyf(call, "%.*s %lld %s %s %s %s %u %u %u", HAFT_STR(args->name), args->times,
                       facts->call, facts->run, facts->thread, facts->idempotency_key,
                       facts->attempt, facts->remaining_turns, (unsigned)facts->epoch);
}

HAFT_TOOL(refuse, "Say no.")
{
    return haft_reply_error(call, "no, for %s", "reasons");
}

HAFT_TOOL(answer, "Answer with JSON.")
{
    haft_emit(call, "{\"half\":true}");
    haft_emit(call, "nearly done");
    return haft_reply_json(call, "[1, 2]");
}

HAFT_TOOL(odd, "Reply with bytes that are no text.")
{
    static const char bytes[] = "a\xff\0b";
    return (haft_reply){HAFT_REPLY_TEXT, {bytes, 4}};
}

HAFT_TOOL(reply_of, "Reply with as many bytes.", HAFT_INTEGER(bytes, "How many."))
{
    static char large[HAFT__LIMIT_TOOL_RESULT_BYTES + 1];
    memset(large, 'x', sizeof(large));
    return (haft_reply){HAFT_REPLY_TEXT, {large, (size_t)args->bytes}};
}

/* Waits without checking for cancellation, and reads its arguments only then. */
HAFT_TOOL(block, "Block.", HAFT_STRING(text, "What to reply with."))
{
    (void)sem_post(&entered);
    (void)sem_wait(&released);
    haft_emit(call, "1");
    cancels += haft_cancelled(call);
    const haft_call_facts *facts = haft_call_info(call);
    return haft_replyf(call, "%.*s %s", HAFT_STR(args->text), facts->run);
}

/* Runs until it is cancelled. */
HAFT_TOOL(patient, "Wait to be cancelled.")
{
    (void)sem_post(&entered);
    while (!haft_cancelled(call)) {
        haft__clock_sleep(1);
    }
    cancels++;
    return haft_replyf(call, "cancelled");
}

HAFT_TOOL(count, "Count how often it is started_calls.")
{
    started_calls++;
    return haft_replyf(call, "%d", (int)started_calls);
}

/* Emits `bytes` of progress, several times. */
HAFT_TOOL(chatter, "Emit.", HAFT_INTEGER(bytes, "Of each."), HAFT_INTEGER(times, "How often."))
{
    static char text[HAFT__LIMIT_EXEC_PROGRESS_BYTES + 1];
    memset(text, '7', (size_t)args->bytes);
    text[args->bytes] = '\0';
    if (args->bytes > 1) { /* a number cannot be that long */
        text[0] = text[args->bytes - 1] = '"';
    }
    for (long long i = 0; i < args->times; i++) {
        haft_emit(call, text);
    }
    (void)sem_post(&entered);
    (void)sem_wait(&released);
    return haft_replyf(call, "done");
}

/* Returns at once, so it may run on the loop's thread. */
HAFT_TOOL_WITH(HAFT_COST_FREE, quick, "Say on which thread it runs.",
               HAFT_STRING(name, "What to say."))
{
    const haft_call_facts *facts = haft_call_info(call);
    started_calls++;
    haft_emit(call, "1");
    haft_emit(call, "{\"half\":true}");
    return haft_replyf(call, "%.*s %s %s %d", HAFT_STR(args->name), facts->run,
                       pthread_equal(pthread_self(), loop_thread) != 0 ? "here" : "elsewhere",
                       haft_cancelled(call));
}

HAFT_TOOL_WITH(HAFT_COST_FREE, quick_refusal, "Say no at once.")
{
    return haft_reply_error(call, "no");
}

static haft_reply show_text(haft_call *call, const void *args)
{
    const haft_str *json = args;
    return haft_replyf(call, "%.*s %s", HAFT_STR(*json),
                       (const char *)haft_call_info(call)->context);
}

static char context[] = "context";

static const haft_tool plain_tool = {.struct_size = sizeof(haft_tool),
                                     .name = "plain",
                                     .description = "Shows its arguments.",
                                     .input_schema = "{\"type\":\"object\"}",
                                     .run = show_text,
                                     .context = context};

/* ---- calling them ---- */

static void begin(help_exec *f, uint32_t threads)
{
    (void)sem_init(&entered, 0, 0);
    (void)sem_init(&released, 0, 0);
    cancels = 0;
    started_calls = 0;
    help_begin_with(f, NULL, threads);
}

static void end(help_exec *f)
{
    help_end(f);
    (void)sem_destroy(&entered);
    (void)sem_destroy(&released);
}

static void make(help_exec *f, help_call *c, const haft_tool *tool, const char *arguments)
{
    help_init_call(f, c, HAFT__TOOL_FUNCTION, "{}", arguments);
    c->tool.function = tool;
}

static void run(help_exec *f, help_call *c, const haft_tool *tool, const char *arguments)
{
    make(f, c, tool, arguments);
    help_start(f, c);
    help_wait(f, c);
}

TEST(functions_get_their_arguments_and_the_facts_of_the_call)
{
    help_exec f;
    help_call c;
    begin(&f, 0);
    make(&f, &c, &greet_tool, "{\"name\":\"Ada\"}");
    c.call.facts.remaining_turns = 7;
    c.call.facts.attempt = 2;
    help_start(&f, &c);
    help_wait(&f, &c);
    CHECK(c.result.ok && c.result.started, "the call failed");
    CHECK_STR(c.result.text, HAFT__LIT("Ada 1 c1.1 run thread key-1 2 7 3"), "reply");
    run(&f, &c, &plain_tool, "{ \"a\": 1.50 }");
    CHECK_STR(c.result.text, HAFT__LIT("{\"a\":1.50} context"), "the arguments as text");
    make(&f, &c, &greet_tool, "{\"name\":\"\"}");
    c.call.facts = (haft_call_facts){.attempt = 1};
    help_start(&f, &c);
    help_wait(&f, &c);
    CHECK_STR(c.result.text, HAFT__LIT(" 1     1 0 0"), "a call without facts");
    end(&f);
}

TEST(replies_of_functions_become_results)
{
    help_exec f;
    help_call c;
    begin(&f, 0);
    run(&f, &c, &refuse_tool, "");
    CHECK(!c.result.ok && c.result.started && !c.result.transient, "an error");
    CHECK_STR(c.result.text, HAFT__LIT("no, for reasons"), "an error");
    run(&f, &c, &answer_tool, "");
    CHECK(c.result.ok, "JSON");
    CHECK_STR(c.result.text, HAFT__LIT("[1, 2]"), "JSON");
    CHECK_INT(c.progress_count, 2, "progress");
    CHECK_STR(c.last_progress, HAFT__LIT("\"nearly done\""), "progress");
    make(&f, &c, &answer_tool, "");
    c.call.progress = NULL;
    help_start(&f, &c);
    help_wait(&f, &c);
    CHECK_INT(c.progress_count, 0, "no progress was requested");
    run(&f, &c, &odd_tool, "");
    CHECK_STR(c.result.text, ((haft_str){"a?\0b", 4}), "bytes that are not text");
    run(&f, &c, &greet_tool, "{\"name\":\"x\",\"times\":99999999999999999999}");
    CHECK(!c.result.ok && !c.result.started, "arguments that the function cannot take");
    CHECK_STR(c.result.where, HAFT__LIT("/times"), "where");
    end(&f);
}

TEST(a_free_function_runs_on_the_thread_of_the_loop)
{
    help_exec f;
    help_call c;
    begin(&f, 1);
    loop_thread = pthread_self();
    make(&f, &c, &quick_tool, "{\"name\":\"Ada\"}");
    c.call.timeout_ms = 1000000;
    help_start(&f, &c);
    CHECK_INT(started_calls, 1, "calls that have run");
    CHECK_INT(c.result_count + c.progress_count, 0, "reports before the loop was stepped");
    help_wait(&f, &c);
    CHECK(c.result.ok && c.result.started, "the call failed");
    CHECK_STR(c.result.text, HAFT__LIT("Ada run here 0"), "reply");
    CHECK_INT(c.progress_count, 2, "progress");
    CHECK_STR(c.last_progress, HAFT__LIT("{\"half\":true}"), "progress");
    run(&f, &c, &quick_refusal_tool, "");
    CHECK(!c.result.ok && c.result.started, "an error");
    CHECK_STR(c.result.text, HAFT__LIT("no"), "an error");
    run(&f, &c, &quick_tool, "{\"name\":7}");
    CHECK(!c.result.ok && !c.result.started, "arguments that the function cannot take");
    haft_tool slow = quick_tool; /* the same function, not declared free */
    slow.traits = 0;
    make(&f, &c, &slow, "{\"name\":\"Bo\"}");
    c.tool.traits.cost = HAFT__COST_FREE; /* only the spec declares it free */
    help_start(&f, &c);
    help_wait(&f, &c);
    CHECK_STR(c.result.text, HAFT__LIT("Bo run elsewhere 0"),
              "a tool that only the spec declares free");
    end(&f);
}

TEST(a_cancelled_free_function_is_not_reported)
{
    help_exec f;
    help_call c;
    begin(&f, 1);
    make(&f, &c, &quick_tool, "{\"name\":\"Ada\"}");
    help_start(&f, &c);
    haft__exec_cancel(c.job);
    help_step(&f, 0);
    CHECK_INT(c.result_count + c.progress_count, 0, "reports");
    end(&f);
}

TEST(the_bytes_of_a_reply_are_bounded)
{
    help_exec f;
    help_call c;
    begin(&f, 0);
    char arguments[64];
    (void)snprintf(arguments, sizeof(arguments), "{\"bytes\":%d}", HAFT__LIMIT_TOOL_RESULT_BYTES);
    run(&f, &c, &reply_of_tool, arguments);
    CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
    CHECK_INT(c.result.text.len, HAFT__LIMIT_TOOL_RESULT_BYTES, "bytes of the reply");
    (void)snprintf(arguments, sizeof(arguments), "{\"bytes\":%d}",
                   HAFT__LIMIT_TOOL_RESULT_BYTES + 1);
    run(&f, &c, &reply_of_tool, arguments);
    CHECK(!c.result.ok && c.result.started, "one byte more than the limit");
    CHECK_STR(c.result.text,
              HAFT__LIT("the tool replied with 16777217 bytes, more than the limit of 16777216"),
              "one byte more than the limit");
    end(&f);
}

TEST(a_function_sees_its_deadline)
{
    help_exec f;
    help_call c;
    begin(&f, 0);
    make(&f, &c, &patient_tool, "");
    c.call.timeout_ms = 20;
    help_start(&f, &c);
    (void)sem_wait(&entered);
    help_wait(&f, &c);
    CHECK(c.result.started, "the function did not start");
    /* Even if the function noticed it first. */
    CHECK(c.result.timed_out, "the reply of a function that saw the deadline counts");
    CHECK_STR(c.result.text, HAFT__LIT("the call took longer than its timeout of 20 ms"), "text");
    make(&f, &c, &greet_tool, "{\"name\":\"x\"}");
    c.call.timeout_ms = UINT64_MAX;
    help_start(&f, &c);
    help_wait(&f, &c);
    CHECK(c.result.ok, "a call without a deadline failed");
    end(&f); /* waits for the function */
    CHECK_INT(cancels, 1, "functions that saw the deadline");
}

TEST(a_function_sees_that_it_is_cancelled)
{
    help_exec f;
    help_call c;
    begin(&f, 0);
    make(&f, &c, &patient_tool, "");
    help_start(&f, &c);
    (void)sem_wait(&entered);
    haft__exec_cancel(c.job);
    end(&f);
    CHECK_INT(cancels, 1, "functions that saw the cancellation");
    CHECK_INT(c.result_count, 0, "reports");
}

/* Steps until no abandoned call is left. */
static void step_until_back(help_exec *f, uint32_t wanted)
{
    uint64_t start = haft__loop_now(f->loop);
    while (haft__pool_abandoned_count(f->exec->pool) > wanted
           && haft__loop_now(f->loop) - start < HELP_PATIENCE_MS) {
        help_step(f, 10);
    }
    CHECK_INT(haft__pool_abandoned_count(f->exec->pool), wanted, "abandoned calls");
}

/* The run of the call may be gone long before a function returns. */
TEST(a_function_that_timed_out_keeps_its_arguments)
{
    for (int by_deadline = 0; by_deadline <= 1; by_deadline++) {
        help_exec f;
        begin(&f, 1);
        haft__arena arena;
        haft__arena_init(&arena, 0);
        help_call *c = calloc(1, sizeof(*c));
        char *run_id = calloc(1, 8);
        memcpy(run_id, "r-1", 4);
        make(&f, c, &block_tool, "{}");
        c->call.arguments = help_read(&arena, "{\"text\":\"kept\"}");
        c->call.facts.run = run_id;
        c->call.timeout_ms = by_deadline ? 20 : HELP_PATIENCE_MS;
        help_start(&f, c);
        (void)sem_wait(&entered);
        if (by_deadline) {
            help_wait(&f, c);
            CHECK(c->result.timed_out && c->result.started, "no timeout");
        } else {
            haft__exec_cancel(c->job);
        }
        CHECK_INT(haft__pool_abandoned_count(f.exec->pool), 1, "abandoned calls");
        memset(run_id, '!', 8);
        free(run_id);
        free(c);
        haft__arena_finish(&arena);
        help_call next;
        run(&f, &next, &greet_tool, "{\"name\":\"next\"}"); /* there is one thread */
        CHECK(next.result.ok, "it waited for the abandoned call");
        (void)sem_post(&released);
        step_until_back(&f, 0);
        CHECK_INT(cancels, 1, "functions that saw the deadline");
        end(&f);
    }
}

TEST(a_function_that_timed_out_in_the_queue_did_not_start)
{
    help_exec f;
    help_call first, second;
    begin(&f, 1);
    make(&f, &first, &block_tool, "{\"text\":\"x\"}");
    help_start(&f, &first);
    (void)sem_wait(&entered);
    make(&f, &second, &count_tool, "");
    second.call.timeout_ms = 10;
    help_start(&f, &second);
    help_wait(&f, &second);
    CHECK(second.result.timed_out && !second.result.started, "the second call started");
    CHECK_STR(second.result.text,
              HAFT__LIT("the call would have to wait longer than its timeout of 10 ms"), "text");
    make(&f, &second, &count_tool, "");
    help_start(&f, &second);
    haft__exec_cancel(second.job);
    (void)sem_post(&released);
    help_wait(&f, &first);
    CHECK_STR(first.result.text, HAFT__LIT("x run"), "the result of the first call");
    end(&f);
    CHECK_INT(started_calls, 0, "calls that started after their deadline");
}

TEST(too_many_timed_out_functions_block_new_calls)
{
    help_exec f;
    static help_call stuck[HAFT__LIMIT_POOL_ABANDONED];
    help_call c;
    begin(&f, 1);
    for (uint32_t i = 0; i < HAFT__LIMIT_POOL_ABANDONED; i++) {
        run(&f, &c, &count_tool, "");
        CHECK(c.result.ok, "after %u abandoned calls: %.*s", i, HAFT__ARG(c.result.text));
        make(&f, &stuck[i], &block_tool, "{\"text\":\"x\"}");
        help_start(&f, &stuck[i]);
        (void)sem_wait(&entered);
        haft__exec_cancel(stuck[i].job);
    }
    run(&f, &c, &count_tool, "");
    CHECK(!c.result.ok && !c.result.started && c.result.transient, "the call started");
    CHECK_STR(
        c.result.text,
        HAFT__LIT("8 function calls that timed out have not returned; no more calls are started"),
        "text");
    CHECK(c.result.hint.len > 0, "no hint");
    (void)sem_post(&released);
    step_until_back(&f, HAFT__LIMIT_POOL_ABANDONED - 1);
    run(&f, &c, &count_tool, "");
    CHECK(c.result.ok, "after one abandoned call returned: %.*s", HAFT__ARG(c.result.text));
    for (uint32_t i = 1; i < HAFT__LIMIT_POOL_ABANDONED; i++) {
        (void)sem_post(&released);
    }
    step_until_back(&f, 0);
    end(&f);
}

TEST(unread_progress_is_bounded)
{
    static const struct {
        int bytes, times, min, max;
    } cases[] = {
        {1, 10, 10, 10},
        {HAFT__LIMIT_EXEC_PROGRESS_BYTES - 1024, 1, 1, 1},
        {HAFT__LIMIT_EXEC_PROGRESS_BYTES, 1, 0, 0}, /* the buffer holds more than the text alone */
        {HAFT__LIMIT_EXEC_PROGRESS_BYTES / 2, 2, 1, 1},
        {1000, 3000, 900, HAFT__LIMIT_EXEC_PROGRESS_BYTES / 1000},
    };
    help_exec f;
    begin(&f, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_call c;
        char arguments[64];
        (void)snprintf(arguments, sizeof(arguments), "{\"bytes\":%d,\"times\":%d}", cases[i].bytes,
                       cases[i].times);
        make(&f, &c, &chatter_tool, arguments);
        help_start(&f, &c);
        (void)sem_wait(&entered);
        (void)sem_post(&released);
        help_wait(&f, &c);
        CHECK(c.progress_count >= cases[i].min && c.progress_count <= cases[i].max,
              "case %zu: %d progress reports", i, c.progress_count);
    }
    end(&f);
}

TEST(no_progress_is_reported_after_the_end)
{
    for (int way = 0; way <= 2; way++) {
        help_exec f;
        help_call c;
        begin(&f, 0);
        make(&f, &c, &chatter_tool, "{\"bytes\":1,\"times\":5}");
        c.call.timeout_ms = way == 1 ? 1 : HELP_PATIENCE_MS;
        help_start(&f, &c);
        (void)sem_wait(&entered); /* its progress is on its way to the loop */
        if (way == 0) {
            haft__exec_cancel(c.job);
        }
        (void)sem_post(&released);
        if (way != 0) {
            help_wait(&f, &c);
        }
        end(&f);
        CHECK(c.progress_count <= (way == 0 ? 0 : 5), "case %d: %d progress reports", way,
              c.progress_count);
    }
}

TEST(a_function_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        help_exec f;
        help_call c;
        begin(&f, 1);
        make(&f, &c, &answer_tool, "{\"a\":[1,{\"b\":2}]}");
        test_fail_allocation(n);
        haft_status status = haft__exec_start(f.exec, &c.call, help_keep_result, &c, &c.job, NULL);
        while (status == HAFT_OK && c.result_count == 0) {
            help_step(&f, 1000);
        }
        bool failed = test_allow_allocations();
        CHECK(failed || status == HAFT_OK, "allocation %u: the start failed for another reason", n);
        CHECK(c.result_count == 1 || status == HAFT_NO_MEMORY, "allocation %u: no result", n);
        end(&f);
        if (!failed) {
            CHECK_STR(c.result.text, HAFT__LIT("[1, 2]"), "the result if no allocation fails");
            break;
        }
    }
}

TEST(many_functions_run_at_once)
{
    help_exec f;
    static help_call calls[200];
    begin(&f, 3);
    for (size_t i = 0; i < COUNT(calls); i++) {
        make(&f, &calls[i], i % 2 == 0 ? &answer_tool : &count_tool, "");
        help_start(&f, &calls[i]);
        if (i % 5 == 4) {
            haft__exec_cancel(calls[i].job);
        }
    }
    for (size_t i = 0; i < COUNT(calls); i++) {
        if (i % 5 != 4) {
            help_wait(&f, &calls[i]);
            CHECK(calls[i].result.ok, "call %zu: %.*s", i, HAFT__ARG(calls[i].result.text));
        }
    }
    end(&f);
    for (size_t i = 4; i < COUNT(calls); i += 5) {
        CHECK_INT(calls[i].result_count + calls[i].progress_count, 0, "call %zu was cancelled", i);
    }
}
