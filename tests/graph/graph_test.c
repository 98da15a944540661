/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that valid graphs compile, and that others are rejected with a reason. */
#include "graph/graph.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"

#define A     "\"a\":{\"do\":[]}"
#define B     "\"b\":{\"do\":[]}"
#define START "{\"from\":\"start\",\"to\":\"a\"}"
#define GRAPH(channels, nodes, edges, more)                                                        \
    "{\"channels\":{" channels "},\"nodes\":{" nodes "},\"edges\":[" edges "]" more "}"

typedef struct row {
    const char *source;
    const char *code;    /* the code of the first error; NULL if the graph is valid */
    const char *what;    /* the thing that the error is about */
    const char *pointer; /* the place of the error */
    const char *words;   /* a part of the error's message */
} row;

static const row rows[] = {
    {GRAPH("", A, START, ""), NULL, NULL, NULL, NULL},
    {GRAPH("", A, "", ""), "no_entry", "start", "/edges", "no edge begins at start"},
    {GRAPH("", A, START ",{\"from\":\"a\",\"to\":\"zz\"}", ""), "unknown_node", "zz", "/edges/1/to",
     "no node is named 'zz'"},
    {GRAPH("", A, START ",{\"from\":\"zz\",\"to\":\"a\"}", ""), "unknown_node", "zz",
     "/edges/1/from", "'zz'"},
    {GRAPH("", "\"a\":{\"do\":[{\"goto\":\"zz\"}]}", START, ""), "unknown_node", "zz",
     "/nodes/a/do/0/goto", "'zz'"},
    {GRAPH("", "\"a\":{\"do\":[{\"send\":[{\"to\":\"end\"}]}]}", START, ""), "unknown_node", "end",
     "/nodes/a/do/0/send", "worker"},
    {GRAPH("", A, START ",{\"from\":\"a\",\"map\":{\"over\":\"/x\",\"to\":\"end\"}}", ""),
     "unknown_node", "end", "/edges/1/map/to", "worker"},
    {GRAPH("", A, START, ",\"on_limit\":\"zz\""), "unknown_node", "zz", "/on_limit", "'zz'"},
    {GRAPH("", "\"a\":{\"do\":[{\"set\":{\"zz\":1}}]}", START, ""), "unknown_channel", "zz",
     "/nodes/a/do/0/set/zz", "no channel is named 'zz'"},
    {GRAPH("", "\"a\":{\"do\":[{\"if\":{},\"then\":[{\"set\":{\"zz\":1}}]}]}", START, ""),
     "unknown_channel", "zz", "/nodes/a/do/0/then/0/set/zz", "'zz'"},
    {GRAPH("", "\"a\":{\"do\":[],\"on_error\":{\"do\":[{\"text\":{\"zz\":\"\"}}]}}", START, ""),
     "unknown_channel", "zz", "/nodes/a/on_error/do/0/text/zz", "'zz'"},
    {GRAPH("", "\"a\":{\"do\":[],\"input\":[\"zz\"]}", START, ""), "unknown_channel", "zz",
     "/nodes/a/input/0", "'zz'"},
    {GRAPH("", A, START, ",\"input\":[\"zz\"]"), "unknown_channel", "zz", "/input/0", "'zz'"},
    {GRAPH("", "\"a\":{\"graph\":\"zz\"}", START, ""), "unknown_graph", "zz", "/nodes/a/graph",
     "no graph is named 'zz'"},
    {GRAPH("", "\"a\":{\"do\":[{\"call\":\"zz\"}]}", START, ""), "unknown_graph", "zz",
     "/nodes/a/do/0/call", "'zz'"},
    {GRAPH("", A "," B, START, ""), "unreachable", "b", "/nodes/b", "from start to the node 'b'"},
    {GRAPH("", A,
           START ",{\"from\":\"a\",\"choose\":[{\"when\":{\"at\":\"/x\",\"op\":\"exists\"},"
                 "\"to\":\"end\"}]}",
           ""),
     "no_else", "a", "/edges/1/choose", "condition"},
    {GRAPH("", A "," B, START ",{\"from\":\"a\",\"to\":\"b\"},{\"from\":\"b\",\"to\":\"a\"}", ""),
     "endless", "a", "/nodes/a", "a -> b -> a"},
    {GRAPH("", A "," B, START ",{\"from\":\"a\",\"to\":\"b\"},{\"from\":\"b\",\"to\":\"a\"}",
           ",\"on_limit\":\"b\""),
     NULL, NULL, NULL, NULL},
    {GRAPH("", "\"a\":{\"do\":[{\"goto\":\"a\"}]}", START, ""), "endless", "a", "/nodes/a", "a"},
    {GRAPH("", "\"a\":{\"do\":[{\"if\":{},\"then\":[{\"goto\":\"end\"}]}]}",
           START ",{\"from\":\"a\",\"to\":\"a\"}", ""),
     NULL, NULL, NULL, NULL},
    {GRAPH("\"x\":{}", "\"a\":{\"do\":[{\"set\":{\"x\":1}}]},\"b\":{\"do\":[{\"set\":{\"x\":1}}]}",
           "{\"from\":\"start\",\"to\":[\"a\",\"b\"]}", ""),
     "two_writers", "x", "/channels/x", "'a' and 'b'"},
    {GRAPH("\"x\":{\"reducer\":\"last\"}",
           "\"a\":{\"do\":[{\"set\":{\"x\":1}}]},\"b\":{\"do\":[{\"set\":{\"x\":1}}]}",
           "{\"from\":\"start\",\"to\":[\"a\",\"b\"]}", ""),
     NULL, NULL, NULL, NULL},
    {GRAPH("\"x\":{}", A ",\"w\":{\"do\":[{\"set\":{\"x\":1}}]}",
           START ",{\"from\":\"a\",\"map\":{\"over\":\"/x\",\"to\":\"w\"}}", ""),
     "two_writers", "x", "/channels/x", "every worker 'w'"},
    {GRAPH("\"x\":{\"reducer\":\"zz\"}", A, START, ""), "bad_shape", "reducer",
     "/channels/x/reducer", "unknown reducer 'zz'"},
    {GRAPH("\"x\":{\"type\":\"zz\"}", A, START, ""), "bad_shape", "x", "/channels/x/type", ""},
    {GRAPH("\"x\":{\"zz\":1}", A, START, ""), "bad_shape", "zz", "/channels/x/zz", "unknown key"},
    {GRAPH("", "\"a\":{\"do\":[{\"zz\":1}]}", START, ""), "bad_shape", "do", "/nodes/a/do/0",
     "operation 1 has 0 of"},
    {GRAPH("\"x\":{}", "\"a\":{\"do\":[{\"set\":{\"x\":1},\"goto\":\"end\"}]}", START, ""),
     "bad_shape", "do", "/nodes/a/do/0", "operation 1 has 2 of"},
    {GRAPH("", A, START ",{\"from\":\"a\"}", ""), "bad_shape", "edges", "/edges/1", "has 0 of"},
    {GRAPH("", A, START ",{\"from\":\"a\",\"to\":\"end\",\"every\":[]}", ""), "bad_shape", "edges",
     "/edges/1", "has 2 of"},
    {GRAPH("\"x\":{\"reducer\":\"custom:f\"}", A, START, ""), NULL, NULL, NULL, NULL},
    {GRAPH("", A, START, ",\"output\":[\"zz\"]"), "unknown_channel", "zz", "/output/0", "'zz'"},
    {GRAPH("", A, START, ",\"pause_before\":[\"zz\"]"), "unknown_node", "zz", "/pause_before/0",
     "'zz'"},
    {GRAPH("\"x\":{}", A,
           START ",{\"from\":\"a\",\"map\":{\"over\":\"/x\",\"to\":\"a\",\"with\":[\"zz\"]}}", ""),
     "unknown_channel", "zz", "/edges/1/map/with/0", "'zz'"},
    {GRAPH("", "\"a\":{}", START, ""), "bad_shape", "a", "/nodes/a", "has 0 of"},
    {GRAPH("", "\"a\":{\"do\":[],\"ask\":\"q\"}", START, ""), "bad_shape", "a", "/nodes/a",
     "has 2 of"},
    {GRAPH("", A ",\"end\":{\"do\":[]}", START, ""), "bad_shape", "end", "/nodes/end", "named"},
    {GRAPH("", A, START, ",\"zz\":1"), "bad_shape", "zz", "/zz", "unknown key"},
    {GRAPH("", A, START, ",\"output\":\"/zz\""), "unknown_channel", "zz", "/output", "'zz'"},
    {GRAPH("\"x\":{}", A, START, ",\"output\":\"/x/0/y\""), NULL, NULL, NULL, NULL},
    {GRAPH("\"x/y\":{}", A, START, ",\"output\":\"/x~1y\""), NULL, NULL, NULL, NULL},
    {GRAPH("\"x\":{}", A, START, ",\"output\":\"\""), NULL, NULL, NULL, NULL},
    {GRAPH("\"x\":{\"type\":\"integer\",\"default\":\"one\"}", A, START, ""), "bad_shape", "x",
     "/channels/x/default", "expected"},
    {GRAPH("\"x\":{\"reducer\":\"append\",\"default\":1}", A, START, ""), "bad_shape", "x",
     "/channels/x/default", "expected a list"},
    {GRAPH("\"x\":{\"reducer\":\"add\",\"default\":[]}", A, START, ""), "bad_shape", "x",
     "/channels/x/default", "expected a number"},
    {GRAPH("\"x\":{\"reducer\":\"union\",\"type\":\"array\",\"default\":[1]}", A, START, ""), NULL,
     NULL, NULL, NULL},
    {GRAPH("", "\"a\":{\"do\":[],\"retry\":{\"on\":[\"error\",\"io\"]}}", START, ""), "bad_shape",
     "a", "/nodes/a/retry/on/1", "one of error, timeout"},
    {GRAPH("", A, START, ",\"pause_before\":[\"a\",\"end\"]"), "unknown_node", "end",
     "/pause_before/1", "no run pauses"},
    {GRAPH("", A, START ",{\"from\":\"end\",\"to\":\"a\"}", ""), "unknown_node", "end",
     "/edges/1/from", "cannot begin at"},
    {GRAPH("", A ",\"b\":{\"do\":[]}", START ",{\"from\":[\"a\",\"end\"],\"to\":\"b\"}", ""),
     "unknown_node", "end", "/edges/1/from", "cannot begin at"},
};

static haft_status compile(haft__arena *arena, haft_str text, const haft__graph **ret_graph,
                           haft__graph_problems *ret_problems)
{
    haft__json *source = haft__arena_array(arena, 1, sizeof(*source));
    CHECK_INT(haft__json_read(arena, text, NULL, source, NULL, NULL), HAFT_OK, "%.*s",
              HAFT__ARG(text));
    return haft__graph_compile(arena, *source, haft__json_null(), ret_graph, ret_problems, NULL);
}

TEST(a_graph_that_cannot_be_used_has_a_reason_and_a_place)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        const haft__graph *graph = NULL;
        haft__graph_problems problems;
        haft__arena_init(&arena, 0);
        CHECK_INT(compile(&arena, haft__str(rows[i].source), &graph, &problems), HAFT_OK, "row %zu",
                  i);
        CHECK((graph != NULL) == (rows[i].code == NULL), "row %zu: %s", i, rows[i].source);
        if (rows[i].code != NULL && problems.count > 0) {
            const haft__graph_problem *found = &problems.items[0];
            CHECK_STR(haft__str(haft__graph_code_name(found->code)), haft__str(rows[i].code),
                      "row %zu: code", i);
            CHECK_STR(found->what, haft__str(rows[i].what), "row %zu: what", i);
            CHECK_STR(found->pointer, haft__str(rows[i].pointer), "row %zu: pointer", i);
            CHECK(haft__str_contains_ignore_case(found->message, haft__str(rows[i].words)),
                  "row %zu: %.*s", i, HAFT__ARG(found->message));
        }
        haft__arena_finish(&arena);
    }
}

TEST(steps_and_attempts_past_their_limits_are_rejected)
{
    const char *steps = "{\"nodes\":{\"a\":{\"do\":[]}},\"edges\":[" START "],\"channels\":{},"
                        "\"recursion_limit\":";
    const char *attempts = "{\"edges\":[" START "],\"channels\":{},\"nodes\":{\"a\":{\"do\":[],"
                           "\"retry\":{\"attempts\":";
    haft__arena arena;
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft__arena_init(&arena, 0);
    CHECK_INT(compile(&arena, haft__str(GRAPH("", A, START, "")), &graph, &problems), HAFT_OK,
              "compiling a graph without limits");
    CHECK_INT(graph->recursion_limit, HAFT__LIMIT_GRAPH_STEPS_DEFAULT,
              "the default recursion_limit");
    for (unsigned past = 0; past < 2; past++) {
        haft_str text = haft__arena_format(&arena, "%s%u}", steps, HAFT__LIMIT_GRAPH_STEPS + past);
        CHECK_INT(compile(&arena, text, &graph, &problems), HAFT_OK,
                  "compiling a graph with a recursion_limit");
        CHECK((graph != NULL) == (past == 0), "steps past the limit: %u", past);
        text = haft__arena_format(&arena, "%s%u}}}}", attempts, HAFT__LIMIT_GRAPH_ATTEMPTS + past);
        CHECK_INT(compile(&arena, text, &graph, &problems), HAFT_OK,
                  "compiling a graph with attempts");
        CHECK((graph != NULL) == (past == 0), "attempts past the limit: %u", past);
    }
    haft__arena_finish(&arena);
}
