/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of 1,000 nodes and more: they load, pass the checks and run, and neither the memory of the
 * graph nor that of a step grows faster than the graph. bench/graphs.py measures their time. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution.h"
#include "test.h"
#include "json/read.h"

/* A line of nodes, or all beside each other with a join after them. */
static void write_graph(haft__buf *text, size_t nodes, bool wide)
{
    haft__buf_addf(text,
                   "{\"channels\":{\"n\":{\"reducer\":\"add\"}},\"recursion_limit\":%zu,"
                   "\"nodes\":{\"z\":{\"do\":[{\"set\":{\"n\":1}}]}",
                   nodes + 1);
    for (size_t i = 0; i < nodes; i++) {
        haft__buf_addf(text, ",\"a%05zu\":{\"do\":[{\"set\":{\"n\":1}}]}", i);
    }
    haft__buf_addf(text, "},\"edges\":[{\"from\":\"start\",\"to\":[\"a00000\"");
    for (size_t i = 1; wide && i < nodes; i++) {
        haft__buf_addf(text, ",\"a%05zu\"", i);
    }
    haft__buf_addf(text, wide ? "]},{\"from\":[\"a00000\"" : "]}");
    for (size_t i = 1; i < nodes; i++) {
        if (wide) {
            haft__buf_addf(text, ",\"a%05zu\"", i);
        } else {
            haft__buf_addf(text, ",{\"from\":\"a%05zu\",\"to\":\"a%05zu\"}", i - 1, i);
        }
    }
    haft__buf_addf(text, wide ? "],\"to\":\"z\"}]}" : ",{\"from\":\"a%05zu\",\"to\":\"z\"}]}",
                   nodes - 1);
}

typedef struct cost {
    size_t graph, step; /* bytes: of the compiled graph, and at most for the event of a step */
} cost;

static cost run_large(size_t nodes, bool wide)
{
    haft__arena arena;
    haft__buf text;
    haft__json source, event;
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft__graph_execution *x = NULL;
    haft__graph_execution_options options = {0};
    haft__graph_refusal refusal;
    haft__graph_action action = {.kind = HAFT__ACTION_STEP};
    cost found = {.step = 0};
    uint64_t sum = 0;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    write_graph(&text, nodes, wide);
    CHECK_INT(haft__json_read(&arena, haft__buf_str(&text), NULL, &source, NULL, NULL), HAFT_OK,
              "reading");
    size_t before = arena.total;
    CHECK_INT(haft__graph_compile(&arena, source, haft__json_null(), &graph, &problems, NULL),
              HAFT_OK, "compiling");
    CHECK(graph != NULL && problems.count == 0, "%zu nodes pass the checks", nodes);
    found.graph = arena.total - before;
    CHECK_INT(haft__graph_execution_create(graph, &options, &x, NULL), HAFT_OK, "creating");
    CHECK_INT(haft__graph_execution_begin(x, haft__json_object(NULL, 0), haft__json_null(), &event,
                                          &refusal, NULL),
              HAFT_OK, "beginning");
    action.event = event;
    while (action.kind == HAFT__ACTION_STEP) {
        CHECK_INT(haft__graph_execution_fold(x, action.event, NULL), HAFT_OK, "folding");
        CHECK_INT(haft__graph_execution_next(x, &action, NULL), HAFT_OK, "the next action");
        found.step = x->scratch.total > found.step ? x->scratch.total : found.step;
    }
    CHECK_INT(x->end, HAFT__GRAPH_DONE, "%zu nodes", nodes);
    CHECK_INT(x->step, wide ? 2 : nodes + 1, "steps");
    CHECK(haft__str_to_u64(haft__json_text(x->state.values[0].value), &sum), "a number");
    CHECK_INT(sum, nodes + 1, "each of %zu nodes has run once", nodes);
    haft__graph_execution_destroy(x);
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
    return found;
}

TEST(a_graph_of_1000_nodes_and_more_costs_as_much_as_it_has_nodes)
{
    for (int wide = 0; wide <= 1; wide++) {
        cost one = run_large(1000, wide == 1), two = run_large(2000, wide == 1);
        cost four = run_large(4000, wide == 1);
        CHECK(two.graph < 3 * one.graph && four.graph < 3 * two.graph, "graph: %zu, %zu, %zu bytes",
              one.graph, two.graph, four.graph);
        CHECK(two.step < 3 * one.step && four.step < 3 * two.step, "step: %zu, %zu, %zu bytes",
              one.step, two.step, four.step);
        /* The step of one node does not pay for the nodes that do not run. */
        CHECK(wide == 1 || four.step < one.step + 4 * 4000, "step: %zu and %zu bytes", one.step,
              four.step);
    }
}
