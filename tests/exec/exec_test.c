/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/exec.h"

#include "base/str.h"
#include "test.h"

typedef struct told {
    int times;
    bool ok, started;
    char text[128];
} told;

static void keep_told(void *context, const haft__exec_result *result)
{
    told *t = context;
    t->times++;
    t->ok = result->ok;
    t->started = result->started;
    (void)snprintf(t->text, sizeof(t->text), "%.*s", HAFT__ARG(result->text));
}

static void call_nobody(told *t, bool cancel)
{
    haft__loop *loop = NULL;
    haft__exec *exec = NULL;
    haft__exec_job *job = NULL;
    haft__tool tool = {.name = HAFT__LIT("remote"), .source = HAFT__TOOL_PROVIDER};
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "no loop");
    CHECK_INT(haft__exec_create(&(haft__exec_options){.loop = loop}, &exec, NULL), HAFT_OK,
              "no exec");
    haft__exec_call call = {.tool = &tool, .timeout_ms = 1000};
    CHECK_INT(haft__exec_start(exec, &call, keep_told, t, &job, NULL), HAFT_OK, "not started");
    CHECK_INT(t->times, 0, "it was reported while it started");
    if (cancel) {
        haft__exec_cancel(job);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    haft__exec_destroy(exec);
    haft__loop_destroy(loop);
}

TEST(a_tool_nobody_can_run_is_reported_as_never_started)
{
    told t = {0};
    call_nobody(&t, false);
    CHECK_INT(t.times, 1, "reports");
    CHECK(!t.ok && !t.started, "it says it ran");
    CHECK_STR(haft__str(t.text), HAFT__LIT("this tool has no implementation here"), "text");
}

TEST(a_cancelled_call_is_not_reported)
{
    told t = {0};
    call_nobody(&t, true);
    CHECK_INT(t.times, 0, "reports");
}

TEST(an_exec_without_memory_says_so)
{
    haft__loop *loop = NULL;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "no loop");
    for (unsigned n = 0;; n++) {
        haft__exec *exec = NULL;
        test_fail_allocation(n);
        haft_status status = haft__exec_create(&(haft__exec_options){.loop = loop}, &exec, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__exec_destroy(exec);
        if (!failed) {
            break;
        }
    }
    haft__loop_destroy(loop);
}
