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
    CHECK_INT(haft__exec_start(exec, &call, keep_outcome, t, &job, NULL), HAFT_OK,
              "the call did not start");
    CHECK_INT(t->times, 0, "a result was reported before haft__exec_start returned");
    if (cancel) {
        haft__exec_cancel(job);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    for (int i = 0; t->times == 0 && !cancel && i < 100;
         i++) { /* the thread of the pool may need time */
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
    CHECK(!t.ok && !t.started, "the result says that the tool ran");
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

TEST(creating_an_exec_reports_a_failed_allocation)
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
    memset(question, '?', sizeof(question)); /* exec must have copied the question */
    return taken;
}

typedef enum question_case {
    CASE_PLAIN,
    CASE_NOBODY,         /* no person can be asked */
    CASE_CANCEL_EARLY,   /* cancelled before the question is delivered */
    CASE_CANCEL,         /* cancelled after it is delivered */
    CASE_REPORT_EARLY,   /* the job ends before the question is delivered */
    CASE_REPORT,         /* the job ends after it is delivered */
    CASE_ANSWER_UNASKED, /* an answer to no question */
    CASE_WITHDRAW_EARLY, /* withdrawn before it is delivered */
    CASE_WITHDRAW,       /* withdrawn after it is delivered, twice */
    CASE_WITHDRAW_LATE,  /* the job ends before the withdrawal is delivered */
} question_case;

static void play_case(asker *a, bool durable, question_case what)
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
                            .ask = what == CASE_NOBODY ? NULL : on_ask};
    CHECK_INT(haft__exec_start(exec, &call, keep_asked, a, &job, NULL), HAFT_OK,
              "the call did not start");
    if (what == CASE_ANSWER_UNASKED) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("this")));
    }
    CHECK(ask(a, durable) == (what != CASE_NOBODY),
          "the first question was rejected, or accepted although nobody can be asked");
    CHECK(!ask(a, durable), "a second question was accepted");
    CHECK_INT(a->asked, 0, "the question was delivered before the loop was stepped");
    if (what == CASE_CANCEL_EARLY) {
        haft__exec_cancel(job);
    } else if (what == CASE_REPORT_EARLY) {
        haft__exec_report(job, &early);
    } else if (what == CASE_ANSWER_UNASKED) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("that")));
    } else if (what == CASE_WITHDRAW_EARLY) {
        haft__exec_withdraw(job);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    if (what == CASE_CANCEL || what == CASE_NOBODY) {
        haft__exec_cancel(job);
    } else if (what == CASE_REPORT) {
        haft__exec_report(job, &early);
    } else if (!durable && what == CASE_PLAIN) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("this")));
    } else if (what == CASE_ANSWER_UNASKED) {
        haft__exec_answer(job, haft__json_string(HAFT__LIT("at last")));
    } else if (what == CASE_WITHDRAW || what == CASE_WITHDRAW_LATE) {
        haft__exec_withdraw(job);
        haft__exec_withdraw(job);
        CHECK_INT(a->withdrawn, 0, "the withdrawal was delivered before the loop was stepped");
    }
    if (what == CASE_WITHDRAW_LATE) {
        haft__exec_report(job, &early);
    }
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "no step");
    haft__exec_destroy(exec);
    haft__loop_destroy(loop);
}

TEST(a_question_of_a_call_is_delivered_answered_or_withdrawn)
{
    static const struct {
        const char *name;
        question_case what;
        bool durable;
        int asked, answered, reports, abandoned;
        const char *text;
    } rows[] = {
        {"answered", CASE_PLAIN, false, 1, 1, 1, 0, "this"},
        {"durable: the call ends with its question", CASE_PLAIN, true, 1, 0, 0, 0, ""},
        {"nobody can be asked", CASE_NOBODY, false, 0, 0, 0, 1, ""},
        {"cancelled early", CASE_CANCEL_EARLY, false, 0, 0, 0, 1, ""},
        {"durable, cancelled early", CASE_CANCEL_EARLY, true, 0, 0, 0, 0, ""},
        {"cancelled", CASE_CANCEL, false, 1, 0, 0, 1, ""},
        {"ended early", CASE_REPORT_EARLY, false, 0, 0, 1, 0, "early"},
        {"ended", CASE_REPORT, false, 1, 0, 1, 0, "early"},
        {"answers without a question", CASE_ANSWER_UNASKED, false, 1, 1, 1, 0, "at last"},
        {"withdrawn early", CASE_WITHDRAW_EARLY, false, 1, 1, 1, 0, "nothing"},
        {"withdrawn", CASE_WITHDRAW, false, 1, 1, 1, 0, "nothing"},
        {"withdrawn, and ended", CASE_WITHDRAW_LATE, false, 1, 0, 1, 0, "early"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        asker a = {0};
        play_case(&a, rows[i].durable, rows[i].what);
        CHECK_INT(a.asked, rows[i].asked, "%s: asked", rows[i].name);
        CHECK_INT(a.answered, rows[i].answered, "%s: answered", rows[i].name);
        CHECK_INT(a.outcome.times, rows[i].reports, "%s: reports", rows[i].name);
        CHECK_INT(a.withdrawn, haft__str_equal(haft__str(rows[i].text), HAFT__LIT("nothing")),
                  "%s: withdrawn", rows[i].name);
        CHECK_INT(a.abandoned, rows[i].abandoned, "%s: abandoned", rows[i].name);
        CHECK_STR(haft__str(a.outcome.text), haft__str(rows[i].text), "%s: the text", rows[i].name);
        CHECK(a.asked == 0 || a.durable == rows[i].durable, "%s: whether the question is durable",
              rows[i].name);
        CHECK(a.asked == 0 || (a.within_ms > 0) == !rows[i].durable, "%s: the time for an answer",
              rows[i].name);
    }
}
