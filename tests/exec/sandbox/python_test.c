/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sandbox/python.c, executor.c and interpreters.c: code as a call. Within
 * HAFT__LIMIT_SANDBOX_KILL_MS a cancelled program is gone; help_end checks that none is left. */
#include "base/limits.h"
#include "base/str.h"
#include "exec/exec_help.h"
#include "exec/sandbox/interpreters.h"
#include "tool/builtin.h"
#include "json/write.h"

/* A call of python_execution, and the calls that its code makes. */
typedef struct code_call {
    help_call call;
    help_exec *f;
    size_t lists, calls; /* of tools */
    haft_str last;
    bool silent; /* nobody answers */
} code_call;

static void on_called(void *context, haft__json calls)
{
    code_call *c = context;
    haft__buf answer;
    c->lists++;
    c->calls += calls.count;
    if (c->silent) {
        return;
    }
    haft__buf_init(&answer, 1 << 20);
    haft__buf_add_str(&answer, HAFT__LIT("{\"results\":["));
    for (uint32_t i = 0; i < calls.count; i++) {
        haft__buf_addf(&answer, "%s{\"ok\":true,\"text\":\"%zu\"}", i > 0 ? "," : "", c->lists);
    }
    haft__buf_add_str(&answer, HAFT__LIT("]}"));
    haft__exec_reply(c->call.job, haft__buf_str(&answer));
    haft__buf_finish(&answer);
}

static void prepare(help_exec *f, code_call *c, const char *code)
{
    haft_error err = {0};
    haft__buf arguments;
    haft__buf_init(&arguments, 1 << 20);
    haft__buf_add_str(&arguments, HAFT__LIT("{\"code\":"));
    haft__json_write_string(&arguments, haft__str(code));
    haft__buf_add_str(&arguments, HAFT__LIT("}"));
    haft__buf_add_char(&arguments, '\0');
    *c = (code_call){.f = f};
    help_init_call(f, &c->call, HAFT__TOOL_BUILTIN, "{}", help_keep(haft__buf_str(&arguments)).ptr);
    haft__buf_finish(&arguments);
    CHECK_INT(haft__builtin_tool(&f->arena, HAFT__LIT("python_execution"), &c->call.tool, &err),
              HAFT_OK, "%s", err.message);
    c->call.call.tool = &c->call.tool;
    c->call.call.functions =
        HAFT__LIT("[{\"name\":\"add\",\"tool\":\"add\",\"parameters\":[\"n\"]}]");
    c->call.call.called = on_called;
}

/* Whether code can run here. If not, the call says why, and the test is skipped. */
static bool run_code(help_exec *f, code_call *c, const char *code)
{
    prepare(f, c, code);
    help_start(f, &c->call);
    help_wait(f, &c->call);
    if (strstr(c->call.result.text.ptr, "python_execution disabled") != NULL) {
        test_skip("%s", c->call.result.text.ptr);
        return false;
    }
    return true;
}

TEST(code_has_output_and_calls)
{
    static const struct {
        const char *code, *text;
        bool ok;
        size_t lists, calls;
    } cases[] = {
        {"print('hello')", "hello", true, 0, 0},
        {"1 + 1", "2", true, 0, 0},
        {"print(add(1), add(n=2))", "1 2", true, 2, 2},
        {"gather([add.request(1), add.request(2)])", "[\"1\", \"1\"]", true, 1, 2},
        {"raise SystemExit(3)", "the code ended with SystemExit", false, 0, 0},
        {"add(1, 2)", "TypeError: add() takes 1 arguments, found 2", false, 0, 0},
        {"import os; os.write(4, b'\\xff\\xff\\xff\\xff')", "a message above the limit", false, 0,
         0},
    };
    help_exec f;
    help_begin(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        code_call c;
        if (!run_code(&f, &c, cases[i].code)) {
            break;
        }
        CHECK_INT(c.call.result.ok, cases[i].ok, "%s: %s", cases[i].code, c.call.result.text.ptr);
        CHECK(strstr(c.call.result.text.ptr, cases[i].text) != NULL, "%s: %s", cases[i].code,
              c.call.result.text.ptr);
        CHECK_INT(c.lists, cases[i].lists, "%s", cases[i].code);
        CHECK_INT(c.calls, cases[i].calls, "%s", cases[i].code);
    }
    help_end(&f);
}

/* The processes that this thread has started. */
static size_t count_children(void)
{
    char text[4096];
    size_t count = 0;
    int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof(text)) : 0;
    (void)close(file);
    for (ssize_t i = 0; i < length; i++) {
        count += text[i] == ' ';
    }
    return count;
}

TEST(an_interpreter_waits_for_the_next_code)
{
    help_exec f;
    code_call c;
    help_begin(&f);
    if (run_code(&f, &c, "pass")) {
        size_t waiting = 0;
        uint64_t start = haft__loop_now(f.loop);
        do { /* the one that ran ends a moment after its result */
            help_step(&f, 100);
            waiting = count_children();
        } while (waiting > HAFT__LIMIT_SANDBOX_PRESTARTED
                 && haft__loop_now(f.loop) - start < HELP_PATIENCE_MS);
        CHECK_INT(waiting, HAFT__LIMIT_SANDBOX_PRESTARTED, "interpreters");
    }
    help_end(&f);
}

TEST(calls_of_code_have_limits)
{
    help_exec f;
    help_begin(&f);
    for (int above = 0; above <= 1; above++) {
        char code[200];
        code_call c;
        (void)snprintf(code, sizeof(code), "len(gather([add.request(i) for i in range(%d)]))",
                       HAFT__LIMIT_SANDBOX_CALLS + above);
        if (!run_code(&f, &c, code)) {
            break;
        }
        CHECK_INT(c.call.result.ok, above == 0, "%s", c.call.result.text.ptr);
        (void)snprintf(code, sizeof(code), "for i in range(%d):\n    add(i)",
                       HAFT__LIMIT_SANDBOX_NESTED + above);
        (void)run_code(&f, &c, code);
        CHECK_INT(c.call.result.ok, above == 0, "%s", c.call.result.text.ptr);
        CHECK_INT(c.calls, HAFT__LIMIT_SANDBOX_NESTED, "calls");
    }
    help_end(&f);
}

TEST(a_cancelled_program_is_gone)
{
    help_exec f;
    code_call c;
    help_begin(&f);
    if (run_code(&f, &c, "pass")) {
        prepare(&f, &c, "add(1)");
        c.silent = true;
        help_start(&f, &c.call);
        while (c.lists == 0 && c.call.result_count == 0) {
            help_step(&f, 1000);
        }
        CHECK_INT(c.lists, 1, "lists");
        haft__exec_cancel(c.call.job);
        prepare(&f, &c, "add(1)");
        c.silent = true;
        help_start(&f, &c.call);
        while (c.lists == 0 && c.call.result_count == 0) {
            help_step(&f, 1000);
        }
        haft__exec_reject(c.call.job, HAFT__LIT("another way"));
        help_wait(&f, &c.call);
        CHECK(!c.call.result.ok && c.call.result.diverged, "%s", c.call.result.text.ptr);
    }
    help_end(&f);
}

TEST(code_that_takes_too_long_is_ended)
{
    help_exec f;
    code_call c;
    help_begin(&f);
    if (run_code(&f, &c, "pass")) {
        prepare(&f, &c, "import time\ntime.sleep(1000)");
        c.call.call.timeout_ms = 300;
        help_start(&f, &c.call);
        help_wait(&f, &c.call);
        CHECK(c.call.result.timed_out && !c.call.result.ok, "%s", c.call.result.text.ptr);
        (void)run_code(&f, &c, "print(1)");
        CHECK_STR(c.call.result.text, HAFT__LIT("1"), "the next code runs");
    }
    help_end(&f);
}

TEST(an_answer_above_the_limit_is_an_error)
{
    help_exec f;
    code_call c;
    help_begin(&f);
    if (run_code(&f, &c, "pass")) {
        haft__buf large;
        haft__buf_init(&large, (size_t)HAFT__LIMIT_SANDBOX_REPLY_BYTES + 1);
        char *bytes = haft__buf_reserve(&large, HAFT__LIMIT_SANDBOX_REPLY_BYTES + 1);
        prepare(&f, &c, "add(1)");
        c.silent = true;
        help_start(&f, &c.call);
        while (c.lists == 0 && c.call.result_count == 0) {
            help_step(&f, 1000);
        }
        memset(bytes, ' ', HAFT__LIMIT_SANDBOX_REPLY_BYTES + 1);
        haft__exec_reply(c.call.job, (haft_str){bytes, HAFT__LIMIT_SANDBOX_REPLY_BYTES + 1});
        help_wait(&f, &c.call);
        CHECK(!c.call.result.ok, "%s", c.call.result.text.ptr);
        haft__buf_finish(&large);
    }
    help_end(&f);
}
