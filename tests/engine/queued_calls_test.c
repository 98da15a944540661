/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for haft_runtime_next_call in runs: src/exec/queued.c below src/engine/tool_calls.c. */
#include "engine_help.h"

#include "base/str.h"

static const char script[] =
    "{\"replies\":[{\"calls\":[{\"name\":\"look_up\",\"arguments\":{\"word\":\"haft\"}},"
    "{\"name\":\"look_up\",\"arguments\":{\"word\":\"helve\"}}]},{\"text\":\"good\"}]}";

static haft_tool look_up(uint32_t traits)
{
    haft_tool tool = HAFT_TOOL_INIT;
    tool.name = "look_up";
    tool.description = "Looks a word up in the dictionary.";
    tool.input_schema = "{\"type\":\"object\",\"properties\":{\"word\":{\"type\":\"string\"},"
                        "\"limit\":{\"type\":\"integer\",\"default\":3}},\"required\":[\"word\"]}";
    tool.traits = HAFT_QUEUED | traits;
    return tool;
}

static void begin(help_host *h, const haft_tool *tool)
{
    help_host_init(h, "memory:");
    CHECK_INT(haft_tool_add(h->runtime, tool, &h->err), HAFT_OK, "%s", h->err.message);
}

/* Steps until a call is in the queue. */
static haft_call *step_to_call(help_host *h, const haft_run *run)
{
    haft_call *call = haft_runtime_next_call(h->runtime);
    while (call == NULL && haft_run_state(run) == HAFT_RUNNING) {
        CHECK_INT(haft_runtime_step(h->runtime, -1, &h->err), HAFT_OK, "%s", h->err.message);
        call = haft_runtime_next_call(h->runtime);
    }
    CHECK(call != NULL, "no call");
    return call;
}

static void finish(help_host *h, haft_call *call, haft_reply_kind kind, const char *text)
{
    CHECK_INT(haft_call_finish(call, kind, text, &h->err), HAFT_OK, "%s", h->err.message);
}

TEST(a_run_gets_the_replies_of_a_program_without_callbacks)
{
    help_host h;
    haft_tool tool = look_up(0);
    begin(&h, &tool);
    haft_run *run = help_host_start(&h, "", script, "go");
    haft_call *first = step_to_call(&h, run);
    haft_call *second = step_to_call(&h, run);
    const haft_call_facts *facts = haft_call_info(first);
    CHECK_STR(haft__str(facts->tool), HAFT__LIT("look_up"), "tool");
    CHECK_STR(haft__str(facts->call), HAFT__LIT("c1.1"), "call");
    CHECK_STR(facts->arguments, HAFT__LIT("{\"word\":\"haft\",\"limit\":3}"), "arguments");
    CHECK_STR(haft__str(facts->run), haft__str(haft_run_id(run)), "run");
    CHECK(facts->traceparent[0] != '\0' && facts->attempt == 1, "facts");
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "state while the program works");
    finish(&h, second, HAFT_REPLY_ERROR, "there is no such word");
    haft_emit(first, "{\"pages\":2}");
    finish(&h, first, HAFT_REPLY_JSON, "{\"meaning\":\"handle\"}");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("{\"meaning\":\"handle\"}"), "first");
    CHECK(!run->state.calls[1].ok, "the second call did not fail");
    CHECK(haft_runtime_next_call(h.runtime) == NULL, "a call is left");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_run_that_is_released_cancels_its_calls)
{
    help_host h;
    haft_tool tool = look_up(0);
    begin(&h, &tool);
    haft_run *run = help_host_start(&h, "", script, "go");
    haft_call *held = step_to_call(&h, run);
    haft_run_release(run);
    CHECK(haft_cancelled(held), "the call was not cancelled");
    help_host_finish(&h);
    CHECK_STR(haft_call_info(held)->arguments, HAFT__LIT("{\"word\":\"haft\",\"limit\":3}"),
              "arguments after the runtime is gone");
    CHECK_INT(haft_call_finish(held, HAFT_REPLY_TEXT, "late", NULL), HAFT_OK, "finish");
}

TEST(a_run_that_is_cancelled_cancels_its_calls)
{
    help_host h;
    haft_tool tool = look_up(0);
    begin(&h, &tool);
    haft_run *run = help_host_start(&h, "", script, "go");
    haft_call *held = step_to_call(&h, run);
    CHECK_INT(haft_run_cancel(run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("cancelled"), "end");
    CHECK(haft_cancelled(held), "the call was not cancelled");
    finish(&h, held, HAFT_REPLY_TEXT, "late");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_call_that_the_program_does_not_finish_is_retried_after_its_timeout)
{
    help_host h;
    haft_tool tool = look_up(HAFT_READ_ONLY);
    tool.timeout_ms = 20;
    tool.retries = 1;
    begin(&h, &tool);
    haft_run *run = help_host_start(&h, "",
                                    "{\"replies\":[{\"calls\":[{\"name\":\"look_up\","
                                    "\"arguments\":{\"word\":\"haft\"}}]},{\"text\":\"good\"}]}",
                                    "go");
    haft_call *held = step_to_call(&h, run);
    haft_call *again = step_to_call(&h, run);
    CHECK_INT(haft_call_info(again)->attempt, 2, "attempt");
    CHECK(haft_cancelled(held), "the first attempt was not cancelled");
    finish(&h, again, HAFT_REPLY_TEXT, "handle");
    help_host_settle(&h, run);
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("handle"), "result");
    finish(&h, held, HAFT_REPLY_TEXT, "late");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_node_of_a_graph_can_be_performed_without_a_callback)
{
    static char mine[] = "mine";
    help_host h;
    help_host_init(&h, "memory:");
    CHECK_INT(haft_graph_function_add(h.runtime, "measure", NULL, mine,
                                      HAFT_READ_ONLY | HAFT_QUEUED, &h.err),
              HAFT_OK, "%s", h.err.message);
    haft_run *run =
        help_host_start(&h,
                        "\"kind\":\"graph\",\"graph\":{\"output\":\"/out\",\"channels\":{\"out\":"
                        "{},\"word\":{}},\"nodes\":{\"m\":{\"function\":\"measure\"}},\"edges\":[{"
                        "\"from\":\"start\",\"to\":\"m\"}]}",
                        NULL, "{\"word\":\"haft\"}");
    haft_call *call = step_to_call(&h, run);
    const haft_call_facts *facts = haft_call_info(call);
    CHECK_STR(haft__str(facts->tool), HAFT__LIT("function:measure"), "tool");
    CHECK(facts->context == mine, "context");
    CHECK(haft__str_starts_with(facts->arguments, HAFT__LIT("{\"word\":\"haft\",\"$\":{")), "%.*s",
          HAFT_STR(facts->arguments));
    finish(&h, call, HAFT_REPLY_COMMAND, "{\"update\":{\"out\":\"four letters\"}}");
    help_host_settle(&h, run);
    CHECK_STR(haft_run_answer_text(run), HAFT__LIT("four letters"), "answer");
    haft_run_release(run);
    help_host_finish(&h);
}

static haft_reply finish_itself(haft_call *call, const void *args)
{
    (void)args;
    haft_error err = {0};
    haft_status status = haft_call_finish(call, HAFT_REPLY_TEXT, "x", &err);
    return haft_replyf(call, "%s of %s: %s", haft_status_name(status), haft_call_info(call)->tool,
                       err.message);
}

TEST(the_call_of_a_function_ends_when_the_function_returns)
{
    help_host h;
    haft_tool tool = look_up(0);
    tool.traits = 0;
    tool.run = finish_itself;
    begin(&h, &tool);
    haft_run *run = help_host_start(&h, "", script, "go");
    help_host_settle(&h, run);
    CHECK_STR(run->state.calls[0].result,
              HAFT__LIT("BAD_STATE of look_up: this call ends when its function returns"),
              "result");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_queued_tool_has_no_function)
{
    help_host h;
    help_host_init(&h, "memory:");
    static char *text;
    haft_tool tool = look_up(0);
    tool.run = finish_itself;
    CHECK_INT(haft_tool_add(h.runtime, &tool, &h.err), HAFT_BAD_INPUT, "with a function");
    CHECK_STR(haft__str(h.err.where), HAFT__LIT("/run"), "where");
    tool = look_up(HAFT_COST_FREE);
    CHECK_INT(haft_tool_add(h.runtime, &tool, &h.err), HAFT_BAD_INPUT, "cost free");
    CHECK_STR(haft__str(h.err.where), HAFT__LIT("/traits"), "where");
    tool = look_up(0);
    CHECK_INT(haft_tool_try(&tool, "{\"word\":\"x\"}", NULL, &text, &h.err), HAFT_BAD_INPUT,
              "without a runtime");
    CHECK_STR(haft__str(h.err.where), HAFT__LIT("/run"), "where");
    CHECK_INT(haft_graph_function_add(h.runtime, "a", NULL, NULL, 0, &h.err), HAFT_BAD_INPUT,
              "a function of a graph without HAFT_QUEUED");
    CHECK(haft_runtime_next_call(NULL) == NULL, "NULL has no calls");
    help_host_finish(&h);
}
