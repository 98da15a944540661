/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/graph_api.c and src/graph/run/function.c: functions of a program in graphs,
 * and commands of tools. */
#include "engine_help.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/str.h"
#include "io/loop.h"

#define GRAPH(channels, nodes, edges)                                                              \
    "\"kind\":\"graph\",\"graph\":{\"output\":\"/out\",\"channels\":{\"out\":{}," channels         \
    "},\"nodes\":{" nodes "},\"edges\":[" edges "]}"

/* Runs a graph whose input is `task`; the caller releases the run. */
static haft_run *run_graph(help_host *h, const char *members, const char *task)
{
    haft_run *run = help_host_start(h, members, NULL, task);
    help_host_settle(h, run);
    return run;
}

static void check_end(help_host *h, haft_run *run, const char *end, const char *answer)
{
    CHECK_STR(haft__str(haft_run_end(run)), haft__str(end), "end: %.*s",
              HAFT__ARG(run->state.end_reason));
    CHECK_STR(haft_run_answer_text(run), haft__str(answer), "answer");
    haft_run_release(run);
    help_host_finish(h);
}

static void add(help_host *h, const char *name, haft_graph_function *run, void *context,
                uint32_t traits)
{
    CHECK_INT(haft_graph_function_add(h->runtime, name, run, context, traits, &h->err), HAFT_OK,
              "%s: %s", h->err.where, h->err.message);
}

/* ---- functions of nodes ---- */

static haft_reply describe(haft_call *call, const haft_graph_view *view)
{
    const char *context = haft_call_info(call)->context;
    char json[256];
    (void)snprintf(json, sizeof(json), "{\"update\":{\"out\":\"%s: %s %u %u %u, %zu bytes\"}}",
                   context, view->node, view->step, view->remaining_steps, view->attempt,
                   view->json.len);
    CHECK(haft__str_starts_with(view->json, HAFT__LIT("{\"word\":\"hello\",\"$\":{")), "%.*s",
          HAFT_STR(view->json));
    return haft_reply_command(call, json);
}

TEST(a_function_of_a_node_gets_the_view_and_writes_the_state)
{
    static char name[] = "mine";
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "describe", describe, name, 0);
    haft_run *run = run_graph(&h,
                              GRAPH("\"word\":{}", "\"d\":{\"function\":\"describe\"}",
                                    "{\"from\":\"start\",\"to\":\"d\"}"),
                              "{\"word\":\"hello\"}");
    check_end(&h, run, "done", "mine: d 1 24 1, 75 bytes");
}

TEST(the_log_has_no_copy_of_what_a_function_sees)
{
    static char name[] = "mine";
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "describe", describe, name, HAFT_COST_FREE);
    haft_run *run = run_graph(&h,
                              GRAPH("\"word\":{}", "\"d\":{\"function\":\"describe\"}",
                                    "{\"from\":\"start\",\"to\":\"d\"}"),
                              "{\"word\":\"hello\"}");
    CHECK_INT(run->state.calls[0].arguments.count, 0, "members of the arguments");
    CHECK(run->state.calls[0].command, "the result is a command");
    check_end(&h, run, "done", "mine: d 1 24 1, 75 bytes");
}

static haft_reply count_down(haft_call *call, const haft_graph_view *view)
{
    char json[128];
    if (view->step < 3) {
        (void)snprintf(json, sizeof(json), "{\"update\":{\"n\":1},\"goto\":\"again\"}");
    } else {
        (void)snprintf(json, sizeof(json), "{\"update\":{\"out\":\"step %u\"},\"goto\":\"end\"}",
                       view->step);
    }
    return haft_reply_command(call, json);
}

TEST(a_function_chooses_what_follows)
{
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "count", count_down, NULL, 0);
    haft_run *run = run_graph(&h,
                              GRAPH("\"n\":{\"reducer\":\"add\"}",
                                    "\"first\":{\"function\":\"count\"},"
                                    "\"again\":{\"do\":[{\"goto\":\"first\"}]}",
                                    "{\"from\":\"start\",\"to\":\"first\"}"),
                              "{}");
    check_end(&h, run, "done", "step 3");
}

static haft_reply spread(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    return haft_reply_command(call, "{\"send\":[{\"to\":\"worker\",\"arg\":{\"n\":1}},"
                                    "{\"to\":\"worker\",\"arg\":{\"n\":2}},"
                                    "{\"to\":\"worker\",\"arg\":{\"n\":3}}]}");
}

static haft_reply work(haft_call *call, const haft_graph_view *view)
{
    char json[64];
    const char *n = strstr(view->json.ptr, "{\"n\":");
    CHECK(n == view->json.ptr, "%.*s", HAFT_STR(view->json));
    (void)snprintf(json, sizeof(json), "{\"update\":{\"sum\":%lu}}",
                   n != NULL ? strtoul(n + strlen("{\"n\":"), NULL, 10) * 10 : 0);
    return haft_reply_command(call, json);
}

TEST(a_function_sends_work_to_many_runs_of_a_node)
{
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "spread", spread, NULL, HAFT_READ_ONLY);
    add(&h, "work", work, NULL, HAFT_READ_ONLY);
    haft_run *run = run_graph(&h,
                              GRAPH("\"sum\":{\"reducer\":\"add\"}",
                                    "\"split\":{\"function\":\"spread\",\"goto\":[\"worker\"]},"
                                    "\"worker\":{\"function\":\"work\"},"
                                    "\"sum_up\":{\"do\":[{\"text\":{\"out\":\"{/sum}\"}}]}",
                                    "{\"from\":\"start\",\"to\":\"split\"},"
                                    "{\"from\":\"worker\",\"to\":\"sum_up\"}"),
                              "{}");
    check_end(&h, run, "done", "60");
}

static haft_reply fail_twice(haft_call *call, const haft_graph_view *view)
{
    return view->attempt < 3 ? haft_reply_error(call, "attempt %u", view->attempt)
                             : haft_reply_command(call, "{\"update\":{\"out\":\"third\"}}");
}

TEST(a_function_is_tried_again)
{
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "fail", fail_twice, NULL, 0);
    haft_run *run = run_graph(&h,
                              GRAPH("\"x\":{}",
                                    "\"d\":{\"function\":\"fail\",\"retry\":{\"attempts\":3,"
                                    "\"backoff\":\"1ms\"}}",
                                    "{\"from\":\"start\",\"to\":\"d\"}"),
                              "{}");
    check_end(&h, run, "done", "third");
}

TEST(the_error_of_a_function_reaches_the_handler_of_its_node)
{
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "fail", fail_twice, NULL, 0);
    haft_run *run =
        run_graph(&h,
                  GRAPH("\"x\":{}",
                        "\"d\":{\"function\":\"fail\",\"on_error\":{\"do\":[{\"text\":{\"out\":"
                        "\"caught {/$/error}\"}}]}}",
                        "{\"from\":\"start\",\"to\":\"d\"}"),
                  "{}");
    check_end(&h, run, "done", "caught attempt 1");
}

/* The context counts the starts of the function, and how often it saw that it was cancelled. A slow
 * machine may cancel it before it starts. */
static haft_reply wait_for_cancel(haft_call *call, const haft_graph_view *view)
{
    atomic_int *seen = haft_call_info(call)->context;
    (void)view;
    atomic_fetch_add(&seen[0], 1);
    while (!haft_cancelled(call)) {
        (void)usleep(1000);
    }
    atomic_fetch_add(&seen[1], 1);
    return haft_replyf(call, "too late");
}

TEST(a_function_that_takes_too_long_fails_its_node)
{
    atomic_int seen[2] = {0, 0};
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "wait", wait_for_cancel, seen, HAFT_READ_ONLY);
    haft_run *run = run_graph(
        &h,
        GRAPH("\"x\":{}",
              "\"d\":{\"function\":\"wait\",\"timeout\":\"500ms\",\"on_error\":{\"do\":[{\"set\":"
              "{\"out\":\"timed out\"}}]}}",
              "{\"from\":\"start\",\"to\":\"d\"}"),
        "{}");
    CHECK_STR(haft_run_answer_text(run), HAFT__LIT("timed out"), "answer");
    haft_run_release(run);
    help_host_finish(&h);
    CHECK_INT(atomic_load(&seen[1]), atomic_load(&seen[0]),
              "the function saw that it was cancelled");
}

TEST(a_function_of_unknown_outcome_waits_for_a_person)
{
    atomic_int seen[2] = {0, 0};
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "wait", wait_for_cancel, seen, 0);
    haft_run *run =
        run_graph(&h,
                  GRAPH("\"x\":{}", "\"d\":{\"function\":\"wait\",\"timeout\":\"500ms\"}",
                        "{\"from\":\"start\",\"to\":\"d\"}"),
                  "{}");
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "state");
    CHECK_INT(haft_run_answer(run, NULL, "{\"update\":{\"out\":\"by hand\"}}", &h.err), HAFT_OK,
              "%s", h.err.message);
    help_host_settle(&h, run);
    check_end(&h, run, "done", "by hand");
}

static haft_reply reply_text(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    return haft_replyf(call, "a text");
}

TEST(the_reply_of_a_function_goes_through_out)
{
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "text", reply_text, NULL, 0);
    haft_run *run = run_graph(&h,
                              GRAPH("\"x\":{}",
                                    "\"d\":{\"function\":\"text\",\"out\":{\"out\":"
                                    "\"\"}}",
                                    "{\"from\":\"start\",\"to\":\"d\"}"),
                              "{}");
    check_end(&h, run, "done", "a text");
}

/* ---- commands that cannot be followed ---- */

static haft_reply reply_context(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    return haft_reply_command(call, haft_call_info(call)->context);
}

TEST(a_command_that_cannot_be_followed_fails_the_node)
{
    static const struct {
        char json[64];
        const char *reason;
    } cases[] = {
        {"{\"goto\":\"nowhere\"}", "unknown_node: no node is named 'nowhere'"},
        {"{\"goto\":\"other\"}", "unknown_node: the command names the node 'other', which is not "
                                 "in `goto` of the node 'd'"},
        {"{\"send\":[{\"to\":\"end\",\"arg\":{}}]}", "unknown_node: no node is named 'end'"},
        {"{\"update\":{\"nothing\":1}}", "unknown_channel: no channel is named 'nothing'"},
        {"{\"update\":{\"n\":\"text\"}}",
         "bad_update: channel 'n': Expected number, found string \"text\""},
        {"{\"stop\":true}", "node_failed: The tool's reply is not a valid command: unknown key "
                            "\"stop\"; allowed are \"update\", \"goto\" and \"send\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char json[sizeof(cases[i].json)];
        help_host h;
        help_host_init(&h, "memory:");
        memcpy(json, cases[i].json, sizeof(json));
        add(&h, "reply", reply_context, json, 0);
        haft_run *run = run_graph(&h,
                                  GRAPH("\"n\":{\"type\":\"number\"}",
                                        "\"d\":{\"function\":\"reply\",\"goto\":\"e\"},"
                                        "\"e\":{\"do\":[]},\"other\":{\"do\":[]}",
                                        "{\"from\":\"start\",\"to\":[\"d\",\"other\"]}"),
                                  "{}");
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("failed"), "case %zu", i);
        CHECK_STR(run->state.end_reason, haft__str(cases[i].reason), "case %zu", i);
        haft_run_release(run);
        help_host_finish(&h);
    }
}

/* ---- what a program can add, and what a spec can name ---- */

TEST(a_function_needs_a_name_and_traits_that_mean_something)
{
    help_host h;
    help_host_init(&h, "memory:");
    add(&h, "describe", describe, NULL, 0);
    const struct {
        const char *name;
        haft_graph_function *run;
        uint32_t traits;
        const char *where;
    } cases[] = {
        {NULL, describe, 0, ""},
        {"other", NULL, 0, ""},
        {"describe", describe, 0, "/name"},
        {"with space", describe, 0, "/name"},
        {"other", describe, HAFT_CACHE_RUN, "/traits"},
        {"other", describe, HAFT_RETURN_DIRECT, "/traits"},
        {"other", describe, HAFT_READ_ONLY | HAFT_DESTRUCTIVE, "/traits"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft_graph_function_add(h.runtime, cases[i].name, cases[i].run, NULL,
                                          cases[i].traits, &h.err),
                  HAFT_BAD_INPUT, "case %zu", i);
        CHECK(haft__str_starts_with(haft__str(h.err.where), haft__str(cases[i].where)),
              "case %zu: %s", i, h.err.where);
    }
    CHECK_INT(haft_graph_function_add(NULL, "a", describe, NULL, 0, &h.err), HAFT_BAD_INPUT,
              "no runtime");
    help_host_finish(&h);
}

TEST(a_spec_cannot_name_an_unknown_function)
{
    const haft_str text = HAFT__LIT("{\"haft\":1,\"name\":\"g\"," GRAPH(
        "\"x\":{}", "\"d\":{\"function\":\"spraed\"}", "{\"from\":\"start\",\"to\":\"d\"}") "}");
    help_host h;
    haft_agent *agent = NULL;
    help_host_init(&h, "memory:");
    CHECK_INT(haft__agent_load_text(h.runtime, text, HAFT__LIT(""), HAFT__SPEC_NEW, &agent, &h.err),
              HAFT_BAD_INPUT, "an unknown function");
    CHECK_STR(haft__str(h.err.message), HAFT__LIT("no function is named \"spraed\""), "message");
    CHECK_STR(haft__str(h.err.hint),
              HAFT__LIT("only a C program that adds it can run this graph; this one has none"),
              "hint");
    add(&h, "spread", spread, NULL, 0);
    add(&h, "work", work, NULL, 0);
    CHECK_INT(haft__agent_load_text(h.runtime, text, HAFT__LIT(""), HAFT__SPEC_NEW, &agent, &h.err),
              HAFT_BAD_INPUT, "an unknown function");
    CHECK_STR(haft__str(h.err.hint), HAFT__LIT("this program has: spread, work"), "hint");
    help_host_finish(&h);
}

/* ---- commands of tools ---- */

HAFT_TOOL(jump, "Tell a graph where to go.")
{
    return haft_reply_command(call, "{\"update\":{\"out\":\"jumped\"},\"goto\":\"report\"}");
}

HAFT_TOOL_WITH(HAFT_READ_ONLY | HAFT_CACHE_GLOBAL, leap, "The same, with a cache.")
{
    return haft_reply_command(call, "{\"update\":{\"out\":\"jumped\"},\"goto\":\"report\"}");
}

TEST(a_node_follows_the_command_of_its_tool)
{
    static const haft_tool *const tools[] = {&jump_tool, &leap_tool};
    for (size_t i = 0; i < COUNT(tools); i++) {
        char members[1024];
        help_host h;
        help_host_init(&h, "memory:");
        CHECK_INT(haft_tool_add(h.runtime, tools[i], &h.err), HAFT_OK, "%s", h.err.message);
        (void)snprintf(members, sizeof(members),
                       GRAPH("\"x\":{\"reducer\":\"append\"}",
                             "\"d\":{\"tool\":\"%s\",\"goto\":[\"report\"]},"
                             "\"never\":{\"do\":[{\"set\":{\"x\":\"never\"}}]},"
                             "\"report\":{\"do\":[{\"text\":{\"out\":\"{/out} {/x}\"}}]}",
                             "{\"from\":\"start\",\"to\":\"d\"},{\"from\":\"d\",\"to\":\"never\"}"),
                       tools[i]->name);
        for (int again = 0; again < 2; again++) { /* the second run finds nothing in the cache */
            haft_run *run = run_graph(&h, members, "{}");
            CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%.*s",
                      HAFT__ARG(run->state.end_reason));
            CHECK_STR(haft_run_answer_text(run), HAFT__LIT("jumped []"), "answer");
            haft_run_release(run);
        }
        help_host_finish(&h);
    }
}
