/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/exec.h"

#include <string.h>

#include "base/str.h"
#include "exec/executor.h"
#include "test.h"
#include "tool/builtin.h"

typedef struct outcome {
    int times;
    bool ok, started;
    char text[128];
} outcome;

static void keep_outcome(void *context, const haft__exec_result *result)
{
    outcome *t = context;
    t->times++;
    t->ok = result->ok;
    t->started = result->started;
    (void)snprintf(t->text, sizeof(t->text), "%.*s", HAFT__ARG(result->text));
}

static void call_tool(outcome *t, const haft__tool *tool, bool cancel)
{
    haft__loop *loop = NULL;
    haft__exec *exec = NULL;
    haft__exec_job *job = NULL;
    haft__spec spec = {.root = HAFT__LIT(".")};
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "no loop");
    CHECK_INT(haft__exec_create(&(haft__exec_options){.loop = loop}, &exec, NULL), HAFT_OK,
              "no exec");
    haft__exec_call call = {.spec = &spec, .tool = tool, .timeout_ms = 1000};
    CHECK_INT(haft__exec_start(exec, &call, keep_outcome, t, &job, NULL), HAFT_OK, "not started");
    CHECK_INT(t->times, 0, "it was reported while it started");
    if (cancel) {
        haft__exec_cancel(job);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    for (int i = 0; t->times == 0 && !cancel && i < 100;
         i++) { /* the pool's thread may need time */
        CHECK_INT(haft__loop_step(loop, 100, NULL), HAFT_OK, "no step");
    }
    haft__exec_destroy(exec);
    haft__loop_destroy(loop);
}

static void call_unknown_tool(outcome *t, bool cancel)
{
    haft__tool tool = {.name = HAFT__LIT("remote"), .source = HAFT__TOOL_PROVIDER};
    call_tool(t, &tool, cancel);
}

TEST(a_tool_without_an_executor_is_reported_as_never_started)
{
    outcome t = {0};
    call_unknown_tool(&t, false);
    CHECK_INT(t.times, 1, "reports");
    CHECK(!t.ok && !t.started, "it says it ran");
    CHECK_STR(haft__str(t.text), HAFT__LIT("this tool has no implementation here"), "text");
}

TEST(every_built_in_of_exec_has_an_executor)
{
    size_t count;
    const haft__builtin *builtins = haft__builtins(&count);
    for (size_t i = 0; i < count; i++) {
        outcome t = {0};
        haft__tool tool = {.name = haft__str(builtins[i].name), .source = HAFT__TOOL_BUILTIN};
        call_tool(&t, &tool, false);
        bool missing = strcmp(t.text, "this tool has no implementation here") == 0;
        CHECK_INT(t.times, 1, "%s", builtins[i].name);
        CHECK_INT(missing, builtins[i].host != HAFT__BUILTIN_IN_EXEC, "%s", builtins[i].name);
    }
}

TEST(a_cancelled_call_is_not_reported)
{
    outcome t = {0};
    call_unknown_tool(&t, true);
    CHECK_INT(t.times, 0, "reports");
}

TEST(an_exec_without_memory_reports_it)
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

/* ---- questions ---- */

typedef struct asker {
    outcome outcome;
    int asked, answered, abandoned, withdrawn;
    bool durable;
    uint64_t within_ms;
    haft__exec_job *job;
} asker;

static asker *the_asker;

static haft_status asker_start(haft__exec_job *job, haft_error *err)
{
    (void)err;
    the_asker->job = job;
    return HAFT_OK;
}

static bool asker_abandon(haft__exec_job *job)
{
    (void)job;
    the_asker->abandoned++;
    return false;
}

static void asker_answer(haft__exec_job *job, haft__json answer)
{
    haft_str text = haft__json_text(answer);
    the_asker->answered++;
    haft__exec_report(job, &(haft__exec_result){.ok = true, .started = true, .text = text});
}

static const haft__executor asking = {
    .start = asker_start, .abandon = asker_abandon, .answer = asker_answer};

static void on_ask(void *context, haft__json question, bool durable, haft__json state,
                   uint64_t within_ms)
{
    asker *a = context;
    CHECK_STR(haft__json_text(question), HAFT__LIT("what?"), "question");
    CHECK_STR(haft__json_text(state), HAFT__LIT("back"), "state");
    a->asked++;
    a->durable = durable;
    a->within_ms = within_ms;
}

static void on_withdraw(void *context)
{
    asker *a = context;
    a->withdrawn++;
    haft__exec_answer(a->job, haft__json_string(HAFT__LIT("nothing")));
}

static void keep_asked(void *context, const haft__exec_result *result)
{
    asker *a = context;
    keep_outcome(&a->outcome, result);
}

static bool ask(const asker *a, bool durable)
{
    char question[] = "what?";
    bool taken = haft__exec_ask(a->job, haft__json_string((haft_str){question, strlen(question)}),
                                durable, haft__json_string(HAFT__LIT("back")));
    memset(question, '?', sizeof(question)); /* it was copied */
    return taken;
}

typedef enum twist {
    TWIST_NONE,
    TWIST_NOBODY,         /* no person can be asked */
    TWIST_CANCEL_EARLY,   /* cancelled before the question is delivered */
    TWIST_CANCEL,         /* ... and after it */
    TWIST_REPORT_EARLY,   /* the job ends before the question is delivered */
    TWIST_REPORT,         /* ... and after it */
    TWIST_ANSWER_UNASKED, /* an answer to no question */
    TWIST_WITHDRAW_EARLY, /* withdrawn before it is delivered */
    TWIST_WITHDRAW,       /* ... and after it, twice */
    TWIST_WITHDRAW_LATE,  /* ... and the job ends before the withdrawal is delivered */
} twist;

static void play(asker *a, bool durable, twist way)
{
    haft__loop *loop = NULL;
    haft__exec *exec = NULL;
    haft__exec_job *job = NULL;
    haft__tool tool = {.name = HAFT__LIT("docs:ask"), .source = HAFT__TOOL_MCP};
    haft__exec_result early = {.ok = true, .started = true, .text = HAFT__LIT("early")};
    the_asker = a;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "no loop");
    CHECK_INT(haft__exec_create(&(haft__exec_options){.loop = loop}, &exec, NULL), HAFT_OK,
              "no exec");
    exec->mcp = &asking;
    haft__exec_call call = {.tool = &tool,
                            .timeout_ms = 60000,
                            .withdraw = on_withdraw,
                            .ask = way == TWIST_NOBODY ? NULL : on_ask};
    CHECK_INT(haft__exec_start(exec, &call, keep_asked, a, &job, NULL), HAFT_OK, "not started");
    if (way == TWIST_ANSWER_UNASKED) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("this")));
    }
    CHECK(ask(a, durable) == (way != TWIST_NOBODY), "asked");
    CHECK(!ask(a, durable), "a question is open");
    CHECK_INT(a->asked, 0, "it is handed on from the loop");
    if (way == TWIST_CANCEL_EARLY) {
        haft__exec_cancel(job);
    } else if (way == TWIST_REPORT_EARLY) {
        haft__exec_report(job, &early);
    } else if (way == TWIST_ANSWER_UNASKED) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("that")));
    } else if (way == TWIST_WITHDRAW_EARLY) {
        haft__exec_withdraw(job);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    if (way == TWIST_CANCEL || way == TWIST_NOBODY) {
        haft__exec_cancel(job);
    } else if (way == TWIST_REPORT) {
        haft__exec_report(job, &early);
    } else if (!durable && way == TWIST_NONE) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("this")));
    } else if (way == TWIST_ANSWER_UNASKED) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("at last")));
    } else if (way == TWIST_WITHDRAW || way == TWIST_WITHDRAW_LATE) {
        haft__exec_withdraw(job);
        haft__exec_withdraw(job);
        CHECK_INT(a->withdrawn, 0, "it is handed on from the loop");
    }
    if (way == TWIST_WITHDRAW_LATE) {
        haft__exec_report(job, &early);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    haft__exec_destroy(exec);
    haft__loop_destroy(loop);
}

TEST(a_call_may_ask)
{
    static const struct {
        const char *name;
        twist way;
        bool durable;
        int asked, answered, reports, abandoned;
        const char *text;
    } rows[] = {
        {"answered", TWIST_NONE, false, 1, 1, 1, 0, "this"},
        {"durable: its last word", TWIST_NONE, true, 1, 0, 0, 0, ""},
        {"nobody can be asked", TWIST_NOBODY, false, 0, 0, 0, 1, ""},
        {"cancelled early", TWIST_CANCEL_EARLY, false, 0, 0, 0, 1, ""},
        {"durable, cancelled early", TWIST_CANCEL_EARLY, true, 0, 0, 0, 0, ""},
        {"cancelled", TWIST_CANCEL, false, 1, 0, 0, 1, ""},
        {"ended early", TWIST_REPORT_EARLY, false, 0, 0, 1, 0, "early"},
        {"ended", TWIST_REPORT, false, 1, 0, 1, 0, "early"},
        {"answers to nothing", TWIST_ANSWER_UNASKED, false, 1, 1, 1, 0, "at last"},
        {"taken back early", TWIST_WITHDRAW_EARLY, false, 1, 1, 1, 0, "nothing"},
        {"taken back", TWIST_WITHDRAW, false, 1, 1, 1, 0, "nothing"},
        {"taken back, and ended", TWIST_WITHDRAW_LATE, false, 1, 0, 1, 0, "early"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        asker a = {0};
        play(&a, rows[i].durable, rows[i].way);
        CHECK_INT(a.asked, rows[i].asked, "%s: asked", rows[i].name);
        CHECK_INT(a.answered, rows[i].answered, "%s: answered", rows[i].name);
        CHECK_INT(a.outcome.times, rows[i].reports, "%s: reports", rows[i].name);
        CHECK_INT(a.withdrawn, haft__str_equal(haft__str(rows[i].text), HAFT__LIT("nothing")),
                  "%s: withdrawn", rows[i].name);
        CHECK_INT(a.abandoned, rows[i].abandoned, "%s: abandoned", rows[i].name);
        CHECK_STR(haft__str(a.outcome.text), haft__str(rows[i].text), "%s", rows[i].name);
        CHECK(a.asked == 0 || a.durable == rows[i].durable, "%s", rows[i].name);
        CHECK(a.asked == 0 || (a.within_ms > 0) == !rows[i].durable, "%s: its time", rows[i].name);
    }
}
