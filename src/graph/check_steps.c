/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_steps.c - warns about a join that certainly has only some of its starts when the run ends,
 * because one of them runs more often than the others.
 *
 * That happens if paths of different lengths lead to a node: it runs once for each. If no condition
 * decides which nodes run, the steps of the graph are known: they are made here without values.
 * Tests: tests/graph/warnings_test.c.
 */
#include "base/str.h"
#include "graph/bits.h"
#include "graph/graph_int.h"

typedef struct steps {
    const haft__graph *graph;
    haft__bits rows; /* two rows: the nodes of the step, and of the next step */
    size_t now;      /* the row of the step */
    bool *arrived;   /* for each start of a join, as in haft__graph_execution */
} steps;

static void note_parent(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                        bool sure)
{
    bool *found = context;
    (void)op;
    (void)value;
    (void)sure;
    *found = *found || kind == HAFT__OP_PARENT;
}

/* Whether all nodes of each step are known. */
static bool is_known(const haft__graph *graph, const haft__graph_targets *targets)
{
    bool ends_early = false;
    for (size_t t = 0; t < targets->count; t++) {
        if (targets->items[t].kind != HAFT__TARGET_EDGE || !targets->items[t].sure) {
            return false;
        }
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        haft__graph_visit_ops(graph->nodes[n].program, true, note_parent, &ends_early);
        ends_early = ends_early || haft__graph_goes_anywhere(&graph->nodes[n]);
    }
    return graph->defer_count == 0 && !ends_early;
}

static bool is_full(const steps *s, const haft__graph_edge *join)
{
    bool full = true;
    for (size_t i = 0; i < join->from_count; i++) {
        full = full && s->arrived[join->place + i];
    }
    return full;
}

static void wake(steps *s, const haft__graph_edge *edge)
{
    for (size_t b = 0; b < edge->branch_count; b++) {
        for (size_t t = 0; t < edge->branches[b].to_count; t++) {
            if (edge->branches[b].to[t] != HAFT__GRAPH_END) {
                (void)haft__bits_set(s->rows, 1 - s->now, edge->branches[b].to[t]);
            }
        }
    }
}

static void follow(steps *s, haft__graph_node_id node, const uint32_t *edges, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        const haft__graph_edge *edge = &s->graph->edges[edges[e]];
        if (edge->kind != HAFT__EDGE_JOIN) {
            wake(s, edge);
        }
        for (size_t i = 0; edge->kind == HAFT__EDGE_JOIN && i < edge->from_count; i++) {
            s->arrived[edge->place + i] = s->arrived[edge->place + i] || edge->from[i] == node;
        }
    }
}

/* A join begins anew when its node has run. */
static void clear_joins(steps *s)
{
    for (size_t j = 0; j < s->graph->join_count; j++) {
        const haft__graph_edge *join = &s->graph->edges[s->graph->joins[j]];
        bool used = false, full = is_full(s, join);
        for (size_t t = 0; t < join->branches->to_count; t++) {
            haft__graph_node_id to = join->branches->to[t];
            used = used || (to != HAFT__GRAPH_END && haft__bits_has(s->rows, s->now, to));
        }
        for (size_t i = 0; used && full && i < join->from_count; i++) {
            s->arrived[join->place + i] = false;
        }
    }
}

/* Makes the next step the current one. Returns false if it has no nodes. */
static bool begin_next(steps *s)
{
    size_t width = s->rows.width;
    bool any = false;
    for (size_t j = 0; j < s->graph->join_count; j++) {
        const haft__graph_edge *join = &s->graph->edges[s->graph->joins[j]];
        if (is_full(s, join)) {
            wake(s, join);
        }
    }
    for (size_t w = 0; w < width; w++) {
        s->rows.words[s->now * width + w] = 0;
        any = any || s->rows.words[(1 - s->now) * width + w] != 0;
    }
    s->now = 1 - s->now;
    return any;
}

/* Makes the steps until no node is left. Returns false if there are more than `max`. */
static bool make_steps(steps *s, size_t max)
{
    const haft__graph *graph = s->graph;
    size_t count = 0;
    follow(s, HAFT__GRAPH_START, graph->start_edges, graph->start_edge_count);
    while (begin_next(s)) {
        if (count++ == max) {
            return false;
        }
        clear_joins(s);
        for (size_t n = 0; n < graph->node_count; n++) {
            if (haft__bits_has(s->rows, s->now, n)) {
                follow(s, (haft__graph_node_id)n, graph->nodes[n].edges,
                       graph->nodes[n].edge_count);
            }
        }
    }
    return true;
}

static void report_join(haft__graph_compiler *c, const steps *s, const haft__graph_edge *join)
{
    size_t here = join->from_count, missing = join->from_count;
    for (size_t i = join->from_count; i-- > 0;) {
        here = s->arrived[join->place + i] ? i : here;
        missing = s->arrived[join->place + i] ? missing : i;
    }
    if (here == join->from_count || missing == join->from_count) {
        return;
    }
    haft_str name = haft__graph_node_name(s->graph, join->from[missing]);
    haft_str often = haft__graph_node_name(s->graph, join->from[here]);
    haft_str to = haft__graph_node_name(s->graph, join->branches->to[0]);
    haft__graph_report(
        c, HAFT__GRAPH_MAY_STARVE, name,
        haft__graph_pointer(c, "/edges/%zu/from", (size_t)(join - s->graph->edges)),
        "'%.*s' runs again after the join before '%.*s' was complete, and '%.*s' does not; then "
        "the run ends as incomplete",
        HAFT__ARG(often), HAFT__ARG(to), HAFT__ARG(name));
}

void haft__graph_check_steps(haft__graph_compiler *c, const haft__graph_targets *targets)
{
    const haft__graph *graph = c->graph;
    haft__arena scratch;
    if (graph->join_count == 0 || !is_known(graph, targets)) {
        return;
    }
    haft__arena_init(&scratch, 0);
    steps s = {.graph = graph,
               .rows = haft__bits_create(&scratch, 2, graph->node_count),
               .arrived = haft__arena_array(&scratch, graph->join_places + 1, sizeof(bool))};
    size_t max = graph->node_count + graph->join_count; /* no path is longer, except in a cycle */
    max = max < graph->recursion_limit ? max : graph->recursion_limit;
    if (s.rows.words == NULL || s.arrived == NULL) {
        c->problems->out_of_memory = true;
    } else if (make_steps(&s, max)) {
        for (size_t j = 0; j < graph->join_count; j++) {
            const haft__graph_edge *join = &graph->edges[graph->joins[j]];
            if (join->branches->to_count > 0) {
                report_join(c, &s, join);
            }
        }
    }
    haft__arena_finish(&scratch);
}
