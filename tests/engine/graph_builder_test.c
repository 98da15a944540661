/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/graph_api.c: graphs that a program builds, and reducers of a program. */
#include "engine_help.h"

#include "base/str.h"
#include "run/replay/replay.h"

static haft_reply count(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    return haft_reply_command(call, "{\"update\":{\"n\":1}}");
}

/* Appends the letters of an update that the text does not have: neither a sum nor a list. */
static haft_reply add_letters(haft_call *call, haft_str value, haft_str update)
{
    char letters[64] = "";
    size_t length = 0;
    if (haft__str_equal(update, HAFT__LIT("\"bad\""))) {
        return haft_reply_error(call, "this update is refused");
    }
    const haft_str parts[] = {value, update};
    for (size_t p = 0; p < COUNT(parts); p++) {
        for (size_t i = 1; i + 1 < parts[p].len && length < sizeof(letters) - 1; i++) {
            if (strchr(letters, parts[p].ptr[i]) == NULL) {
                letters[length++] = parts[p].ptr[i];
                letters[length] = '\0';
            }
        }
    }
    return haft_replyf(call, "%s", letters);
}

static haft_graph *create(help_host *h, const char *name)
{
    haft_graph *graph = NULL;
    help_host_init(h, "memory:");
    CHECK_INT(haft_graph_function_add(h->runtime, "count", count, NULL, 0, &h->err), HAFT_OK, "%s",
              h->err.message);
    CHECK_INT(haft_graph_reducer_add(h->runtime, "letters", add_letters, NULL, &h->err), HAFT_OK,
              "%s", h->err.message);
    CHECK_INT(haft_graph_create(name, &graph, &h->err), HAFT_OK, "%s", h->err.message);
    return graph;
}

/* Runs the graph until it ends or waits. */
static haft_run *run_graph(help_host *h, haft_graph *graph, const char *task)
{
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    haft_status status = haft_graph_agent(h->runtime, graph, &agent, &h->err);
    CHECK_INT(status, HAFT_OK, "%s: %s", h->err.where, h->err.message);
    if (status == HAFT_OK) {
        CHECK_INT(haft_run_start(agent, task, NULL, &run, &h->err), HAFT_OK, "%s", h->err.message);
        help_host_settle(h, run);
    }
    haft_agent_release(agent);
    return run;
}

static void finish(help_host *h, haft_graph *graph, haft_run *run)
{
    haft_run_release(run);
    haft_graph_destroy(graph);
    help_host_finish(h);
}

static void check_end(haft_run *run, const char *end, const char *answer)
{
    CHECK_STR(haft__str(haft_run_end(run)), haft__str(end), "%.*s",
              HAFT__ARG(run->state.end_reason));
    CHECK_STR(haft_run_answer_text(run), haft__str(answer), "answer");
}

/* ---- the builder ---- */

TEST(a_program_builds_a_graph_with_a_loop)
{
    help_host h;
    haft_graph *graph = create(&h, "loop");
    haft_graph_channel(graph, "n", "{\"reducer\":\"add\"}");
    haft_graph_channel(graph, "out", NULL);
    haft_graph_node_function(graph, "count", "count");
    haft_graph_node(graph, "say", "{\"do\":[{\"text\":{\"out\":\"{/n} rounds\"}}]}");
    haft_graph_edge(graph, "start", "count");
    haft_graph_edge_if(graph, "count", "/n", "lt", "3", "count", "say");
    haft_graph_set(graph, "/graph/output", "\"/out\"");
    haft_run *run = run_graph(&h, graph, "{}");
    check_end(run, "done", "3 rounds");
    finish(&h, graph, run);
}

HAFT_TOOL_WITH(HAFT_READ_ONLY, shout, "Writes a word in capitals.", HAFT_STRING(word, "The word"))
{
    return haft_replyf(call, "%.*s!", HAFT_STR(args->word));
}

TEST(a_program_builds_a_graph_with_tools_and_a_join)
{
    help_host h;
    haft_graph *graph = create(&h, "join");
    CHECK_INT(haft_tool_add(h.runtime, &shout_tool, &h.err), HAFT_OK, "%s", h.err.message);
    haft_graph_channel(graph, "word", "{\"type\":\"string\"}");
    haft_graph_channel(graph, "words", "{\"reducer\":\"append\"}");
    haft_graph_channel(graph, "out", NULL);
    haft_graph_node_tool(graph, "a", "shout", "{\"word\":\"/word\"}", "{\"words\":\"\"}");
    haft_graph_node_tool(graph, "b", "shout", "{\"word\":{\"value\":\"you\"}}", "{\"words\":\"\"}");
    haft_graph_node(graph, "c", "{\"do\":[{\"text\":{\"out\":\"{/words}\"}}]}");
    haft_graph_edge_json(graph, "{\"from\":\"start\",\"to\":[\"a\",\"b\"]}");
    haft_graph_edge_json(graph, "{\"from\":[\"a\",\"b\"],\"to\":\"c\"}");
    haft_graph_set(graph, "/graph/input", "[\"word\"]");
    haft_graph_set(graph, "/graph/output", "\"/out\"");
    haft_run *run = run_graph(&h, graph, "hey");
    check_end(run, "done", "[\"hey!\",\"you!\"]");
    haft_run_release(run);
    run = run_graph(&h, graph, "ho"); /* the graph can be used again */
    check_end(run, "done", "[\"ho!\",\"you!\"]");
    finish(&h, graph, run);
}

TEST(the_agent_of_a_graph_reports_the_first_problem)
{
    static const struct {
        const char *channel, *node, *edge, *set, *message, *where;
    } cases[] = {
        {"{", "{\"do\":[]}", "{}", "1", "the channel 'c' is not JSON: ", "1:2 (byte 1)"},
        {"{}", "{\"do\":", "{}", "1", "the node 'n' is not JSON: ", "1:7 (byte 6)"},
        {"{}", "{\"do\":[]}", "[", "1", "the edge '[' is not JSON: ", "1:2 (byte 1)"},
        {"{}", "{\"do\":[]}", "{\"from\":\"start\",\"to\":\"n\"}", "x",
         "the setting '/graph/recursion_limit' is not JSON: ", "1:1 (byte 0)"},
        {"{}", "{\"do\":[]}", "{\"from\":\"start\",\"to\":\"m\"}", "9",
         "unknown_node: no node is named 'm'", "/graph/edges/0/to"},
        {"{}", "{\"function\":\"cuont\"}", "{\"from\":\"start\",\"to\":\"n\"}", "9",
         "no function is named \"cuont\"", "/graph/nodes/n/function"},
        {"{\"reducer\":\"custom:sum\"}", "{\"do\":[]}", "{\"from\":\"start\",\"to\":\"n\"}", "9",
         "no reducer is named \"sum\"", "/graph/channels/c/reducer"},
        {"{}", NULL, "{\"from\":\"start\",\"to\":\"n\"}", "9",
         "expected the JSON of a node, found NULL", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_host h;
        haft_agent *agent = NULL;
        haft_graph *graph = create(&h, "bad");
        haft_graph_channel(graph, "c", cases[i].channel);
        haft_graph_node(graph, "n", cases[i].node);
        haft_graph_edge_json(graph, cases[i].edge);
        haft_graph_set(graph, "/graph/recursion_limit", cases[i].set);
        CHECK_INT(haft_graph_agent(h.runtime, graph, &agent, &h.err), HAFT_BAD_INPUT, "case %zu",
                  i);
        CHECK(haft__str_starts_with(haft__str(h.err.message), haft__str(cases[i].message)),
              "case %zu: %s", i, h.err.message);
        CHECK_STR(haft__str(h.err.where), haft__str(cases[i].where), "case %zu: %s", i,
                  h.err.message);
        finish(&h, graph, NULL);
    }
}

TEST(a_part_of_a_graph_is_added_once)
{
    help_host h;
    haft_agent *agent = NULL;
    haft_graph *graph = create(&h, "twice");
    haft_graph_node(graph, "n", "{\"do\":[]}");
    haft_graph_node_function(graph, "n", "count");
    CHECK_INT(haft_graph_agent(h.runtime, graph, &agent, &h.err), HAFT_BAD_INPUT, "twice");
    CHECK_STR(haft__str(h.err.message), HAFT__LIT("the node 'n' was added twice"), "message");
    finish(&h, graph, NULL);
}

TEST(functions_of_graphs_accept_null)
{
    help_host h;
    haft_agent *agent = NULL;
    haft_graph *graph = create(&h, "null"), *other = NULL;
    CHECK_INT(haft_graph_create(NULL, &other, &h.err), HAFT_BAD_INPUT, "no name");
    CHECK_INT(haft_graph_create("a", NULL, &h.err), HAFT_BAD_INPUT, "no result");
    CHECK_INT(haft_graph_agent(NULL, graph, &agent, &h.err), HAFT_BAD_INPUT, "no runtime");
    CHECK_INT(haft_graph_agent(h.runtime, NULL, &agent, &h.err), HAFT_BAD_INPUT, "no graph");
    CHECK_INT(haft_graph_agent(h.runtime, graph, NULL, &h.err), HAFT_BAD_INPUT, "no agent");
    CHECK_INT(haft_graph_reducer_add(h.runtime, "a", NULL, NULL, &h.err), HAFT_BAD_INPUT,
              "no reducer");
    CHECK_INT(haft_graph_reducer_add(h.runtime, "letters", add_letters, NULL, &h.err),
              HAFT_BAD_INPUT, "a reducer twice");
    haft_graph_channel(NULL, "a", NULL);
    haft_graph_node(NULL, "a", "{}");
    haft_graph_node_function(NULL, "a", "b");
    haft_graph_node_tool(NULL, "a", "b", NULL, NULL);
    haft_graph_edge(NULL, "a", "b");
    haft_graph_edge_if(NULL, "a", "/b", "eq", "1", "c", "d");
    haft_graph_edge_json(NULL, "{}");
    haft_graph_set(NULL, "/model", "1");
    haft_graph_destroy(NULL);
    finish(&h, graph, NULL);
}

TEST(a_builder_reports_that_it_is_out_of_memory)
{
    for (unsigned n = 0;; n++) {
        help_host h;
        haft_agent *agent = NULL;
        haft_graph *graph = NULL;
        help_host_init(&h, "memory:");
        CHECK_INT(haft_graph_reducer_add(h.runtime, "letters", add_letters, NULL, &h.err), HAFT_OK,
                  "%s", h.err.message);
        test_fail_allocation(n);
        haft_status status = haft_graph_create("scarce", &graph, &h.err);
        haft_graph_channel(graph, "c", "{\"reducer\":\"custom:letters\"}");
        haft_graph_node(graph, "n", "{\"do\":[{\"set\":{\"c\":\"a\"}}]}");
        haft_graph_edge(graph, "start", "n");
        haft_graph_edge_if(graph, "n", "/c", "eq", "1", "n", "end");
        if (status == HAFT_OK) {
            status = haft_graph_agent(h.runtime, graph, &agent, &h.err);
        }
        bool failed = test_allow_allocations();
        /* The schema of specs is compiled again if there was no memory to keep it. */
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %s", n,
              h.err.message);
        haft_agent_release(agent);
        finish(&h, graph, NULL);
        if (!failed) {
            break;
        }
    }
}

/* ---- reducers of a program ---- */

/* Two nodes write the channel "text" in one step; conditions after them see their own writes. */
static haft_graph *create_letters(help_host *h, const char *channel, const char *first,
                                  const char *second)
{
    char node[256];
    haft_graph *graph = create(h, "letters");
    haft_graph_channel(graph, "text", channel);
    haft_graph_channel(graph, "seen", "{\"reducer\":\"append\"}");
    (void)snprintf(node, sizeof(node), "{\"do\":[{\"set\":{\"text\":\"%s\"}}]}", first);
    haft_graph_node(graph, "a", node);
    (void)snprintf(node, sizeof(node),
                   "{\"do\":[{\"set\":{\"text\":\"%s\"}}],"
                   "\"on_error\":{\"do\":[{\"set\":{\"seen\":\"{caught}\"}},"
                   "{\"copy\":{\"seen\":\"/$/error\"}}]}}",
                   second);
    haft_graph_node(graph, "b", node);
    haft_graph_node(graph, "see_a", "{\"do\":[{\"set\":{\"seen\":\"a alone\"}}]}");
    haft_graph_node(graph, "see_b", "{\"do\":[{\"set\":{\"seen\":\"b alone\"}}]}");
    haft_graph_edge_json(graph, "{\"from\":\"start\",\"to\":[\"a\",\"b\"]}");
    haft_graph_edge_if(graph, "a", "/text", "eq", "\"xab\"", "see_a", "end");
    haft_graph_edge_if(graph, "b", "/text", "eq", "\"xbc\"", "see_b", "end");
    return graph;
}

/* The log folds to the same and replays, in a process without the functions. */
static void check_replay_without(help_host *h, const haft_run *run, const char *spec,
                                 const char *missing)
{
    haft_agent *agent = NULL;
    help_host other;
    haft__arena arena;
    haft__replay replay = {0};
    haft__arena_init(&arena, 0);
    haft_str log = haft__arena_copy(&arena, haft__buf_str(&h->text));
    help_host_init(&other, "memory:");
    CHECK_INT(haft__agent_load_text(other.runtime, haft__str(spec), HAFT__LIT(""),
                                    HAFT__SPEC_READ_ONLY, &agent, &other.err),
              HAFT_OK, "%s", other.err.message);
    CHECK_INT(haft__replay_log(&arena, agent->spec, log, run->state.hash_key, &replay, &other.err),
              HAFT_OK, "%s", other.err.message);
    CHECK(replay.identical, "event %llu: %.*s, decided %.*s", (unsigned long long)replay.differs_at,
          HAFT__ARG(replay.recorded), HAFT__ARG(replay.decided));
    CHECK_INT(haft__agent_load_text(other.runtime, haft__str(spec), HAFT__LIT(""),
                                    HAFT__SPEC_STORED, &agent, &other.err),
              HAFT_BAD_INPUT, "a run that continues without its reducer");
    CHECK_STR(haft__str(other.err.message), haft__str(missing), "message");
    haft_agent_release(agent);
    help_host_finish(&other);
    haft__arena_finish(&arena);
}

static void check_replay(help_host *h, const haft_run *run, const char *spec)
{
    check_replay_without(h, run, spec,
                         "the graph needs the reducer \"letters\", which this process does not "
                         "have");
}

TEST(a_reducer_of_the_program_joins_the_writes_of_a_step)
{
    help_host h;
    haft_graph *graph =
        create_letters(&h, "{\"reducer\":\"custom:letters\",\"default\":\"x\"}", "ab", "bc");
    haft_run *run = run_graph(&h, graph, "{}");
    check_end(run, "done", "{\"seen\":[\"a alone\",\"b alone\"],\"text\":\"xabc\"}");
    (void)help_host_events(&h, run);
    char *spec = strndup(run->agent->spec_text.ptr, run->agent->spec_text.len);
    check_replay(&h, run, spec);
    free(spec);
    finish(&h, graph, run);
}

TEST(the_input_sets_the_channel_of_a_reducer)
{
    help_host h;
    haft_graph *graph =
        create_letters(&h, "{\"reducer\":\"custom:letters\",\"default\":\"x\"}", "ab", "cd");
    haft_run *run = run_graph(&h, graph, "{\"text\":\"zz\"}");
    check_end(run, "done", "{\"text\":\"zabcd\"}");
    finish(&h, graph, run);
}

TEST(the_error_of_a_reducer_fails_the_node_that_wrote)
{
    help_host h;
    haft_graph *graph =
        create_letters(&h, "{\"reducer\":\"custom:letters\",\"default\":\"x\"}", "ab", "bad");
    haft_run *run = run_graph(&h, graph, "{}");
    check_end(run, "done",
              "{\"seen\":[\"{caught}\",\"channel 'text': this update is refused\",\"a alone\"],"
              "\"text\":\"xab\"}");
    finish(&h, graph, run);
    graph = create_letters(&h, "{\"reducer\":\"custom:letters\"}", "bad", "ab");
    run = run_graph(&h, graph, "{}");
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("failed"), "end");
    CHECK_STR(run->state.end_reason,
              HAFT__LIT("bad_update: channel 'text': this update is refused"), "reason");
    finish(&h, graph, run);
}

TEST(the_value_of_a_reducer_matches_the_schema_of_its_channel)
{
    help_host h;
    haft_graph *graph = create_letters(
        &h, "{\"reducer\":\"custom:letters\",\"schema\":{\"maxLength\":2}}", "ab", "b");
    haft_run *run = run_graph(&h, graph, "{}");
    check_end(run, "done", "{\"text\":\"ab\"}");
    finish(&h, graph, run);
    graph = create_letters(&h, "{\"reducer\":\"custom:letters\",\"schema\":{\"maxLength\":2}}",
                           "ab", "c");
    run = run_graph(&h, graph, "{}");
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "the handler of the last writer");
    CHECK_STR(haft_run_answer_text(run),
              HAFT__LIT("{\"seen\":[\"{caught}\",\"channel 'text': Expected at most 2 characters, "
                        "found 3\"],\"text\":\"ab\"}"),
              "answer");
    finish(&h, graph, run);
}

TEST(a_write_round_the_reducer_does_not_call_it)
{
    help_host h;
    haft_graph *graph = create(&h, "round");
    haft_graph_channel(graph, "text", "{\"reducer\":\"custom:letters\"}");
    haft_graph_node(graph, "a", "{\"do\":[{\"overwrite\":{\"text\":\"bad\"}}]}");
    haft_graph_edge(graph, "start", "a");
    haft_run *run = run_graph(&h, graph, "{}");
    check_end(run, "done", "{\"text\":\"bad\"}");
    CHECK_INT(run->state.call_count, 0, "calls");
    finish(&h, graph, run);
}

TEST(calls_of_reducers_do_not_count_for_the_budget)
{
    help_host h;
    haft_graph *graph = create(&h, "budget");
    haft_graph_channel(graph, "text", "{\"reducer\":\"custom:letters\"}");
    haft_graph_channel(graph, "n", "{\"reducer\":\"add\"}");
    haft_graph_node(graph, "a", "{\"do\":[{\"set\":{\"text\":\"ab\",\"n\":1}}]}");
    haft_graph_edge(graph, "start", "a");
    haft_graph_edge_if(graph, "a", "/n", "lt", "4", "a", "end");
    haft_graph_set(graph, "/limits", "{\"calls\":1}");
    haft_run *run = run_graph(&h, graph, "{}");
    check_end(run, "done", "{\"n\":4,\"text\":\"ab\"}");
    CHECK_INT(run->state.call_count, 4, "calls");
    CHECK_INT(run->state.usage.calls, 0, "calls that count");
    finish(&h, graph, run);
}

/* A reducer is a part of a step; a function of a node is a call like that of a tool. */
TEST(a_rule_for_all_tools_asks_about_functions_and_not_about_reducers)
{
    help_host h;
    haft_graph *graph = create(&h, "rules");
    haft_graph_channel(graph, "n", "{\"reducer\":\"add\"}");
    haft_graph_channel(graph, "text", "{\"reducer\":\"custom:letters\"}");
    haft_graph_node(graph, "a", "{\"do\":[{\"set\":{\"text\":\"ab\"}}]}");
    haft_graph_node_function(graph, "count", "count");
    haft_graph_edge(graph, "start", "a");
    haft_graph_edge(graph, "a", "count");
    haft_graph_set(graph, "/approvals", "[{\"tools\":[\"*\"]}]");
    haft_run *run = run_graph(&h, graph, "{}");
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "state");
    CHECK_INT(run->state.call_count, 2, "calls");
    CHECK_STR(run->state.calls[1].name, HAFT__LIT("function:count"), "the call that is pending");
    CHECK_INT(haft_run_approve(run, NULL, NULL, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    check_end(run, "done", "{\"n\":1,\"text\":\"ab\"}");
    (void)help_host_events(&h, run);
    char *spec = strndup(run->agent->spec_text.ptr, run->agent->spec_text.len);
    check_replay(&h, run, spec);
    free(spec);
    finish(&h, graph, run);
}

/* The process that replays does not know the traits of the function: they are in the log. */
TEST(a_run_whose_function_needs_approval_replays_without_the_function)
{
    static const char *const verdicts[] = {"approve", "reject"};
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        help_host h;
        haft_graph *graph = create(&h, "approved");
        CHECK_INT(haft_graph_function_add(h.runtime, "careful", count, NULL,
                                          HAFT_NEEDS_APPROVAL | HAFT_IDEMPOTENT, &h.err),
                  HAFT_OK, "%s", h.err.message);
        haft_graph_channel(graph, "n", "{\"reducer\":\"add\"}");
        haft_graph_node_function(graph, "a", "careful");
        haft_graph_edge(graph, "start", "a");
        haft_run *run = run_graph(&h, graph, "{}");
        CHECK_INT(haft_run_state(run), HAFT_WAITING, "state");
        CHECK_INT(i == 0 ? haft_run_approve(run, NULL, NULL, &h.err)
                         : haft_run_reject(run, NULL, "no", &h.err),
                  HAFT_OK, "%s", h.err.message);
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), haft__str(i == 0 ? "done" : "failed"), "%s",
                  verdicts[i]);
        (void)help_host_events(&h, run);
        char *spec = strndup(run->agent->spec_text.ptr, run->agent->spec_text.len);
        check_replay_without(&h, run, spec,
                             "the graph needs the function \"careful\", which this process does "
                             "not have");
        free(spec);
        finish(&h, graph, run);
    }
}

/* ---- threads ---- */

/* The value of a reducer is kept, and the next run of the thread reduces on top of it. */
TEST(a_thread_keeps_the_channel_of_a_reducer)
{
    static const char *const wanted[] = {"xab", "xabcd", "xabcd"};
    char thread[HAFT__ID_LENGTH + 1] = "";
    help_host h;
    haft_graph *graph = create(&h, "kept");
    haft_graph_channel(
        graph, "text",
        "{\"reducer\":\"custom:letters\",\"default\":\"x\",\"lifetime\":\"thread\"}");
    haft_graph_channel(graph, "more", NULL);
    haft_graph_node(graph, "a", "{\"do\":[{\"copy\":{\"text\":\"/more\"}}]}");
    haft_graph_edge(graph, "start", "a");
    haft_graph_set(graph, "/graph/input", "[\"more\"]");
    haft_graph_set(graph, "/graph/output", "\"/text\"");
    haft_agent *agent = NULL;
    CHECK_INT(haft_graph_agent(h.runtime, graph, &agent, &h.err), HAFT_OK, "%s", h.err.message);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        static const char *const tasks[] = {"ab", "cd", "ac"};
        haft_run *run = NULL;
        haft_run_options options = HAFT_RUN_OPTIONS_INIT;
        options.thread = i > 0 ? thread : NULL;
        CHECK_INT(haft_run_start(agent, tasks[i], &options, &run, &h.err), HAFT_OK, "%s",
                  h.err.message);
        help_host_settle(&h, run);
        check_end(run, "done", wanted[i]);
        (void)snprintf(thread, sizeof(thread), "%.*s", HAFT__ARG(run->state.thread));
        (void)help_host_events(&h, run);
        char *spec = strndup(run->agent->spec_text.ptr, run->agent->spec_text.len);
        check_replay(&h, run, spec);
        free(spec);
        haft_run_release(run);
    }
    haft_agent_release(agent);
    finish(&h, graph, NULL);
}
