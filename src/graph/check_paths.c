/* SPDX-License-Identifier: Apache-2.0 */
/* check_paths.c - checks that every node can be reached from start, and that a path leads from
 * every node to an end. Tests: tests/graph/graph_test.c. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"

typedef struct paths {
    haft__graph_compiler *c;
    const haft__graph *graph;
    bool *reached;
    bool *ends; /* for each node: a path from it may reach an end */
    haft__graph_node_id *queue;
    size_t queued;
} paths;

/* ---- reachable ---- */

static void reach(paths *p, haft__graph_node_id node)
{
    if (node != HAFT__GRAPH_END && !p->reached[node]) {
        p->reached[node] = true;
        p->queue[p->queued++] = node;
    }
}

static void reach_name(void *context, haft__json name)
{
    paths *p = context;
    haft__graph_node_id node;
    if (haft__graph_find_node(p->graph, haft__json_text(name), &node)) {
        reach(p, node);
    }
}

static void reach_op(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                     bool sure)
{
    (void)op;
    (void)sure;
    haft__graph_visit_targets(kind, value, reach_name, context);
}

static void reach_edges(paths *p, const uint32_t *edges, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        const haft__graph_edge *edge = &p->graph->edges[edges[e]];
        if (edge->kind == HAFT__EDGE_MAP) {
            reach(p, edge->map.to);
        }
        for (size_t b = 0; b < edge->branch_count; b++) {
            for (size_t t = 0; t < edge->branches[b].to_count; t++) {
                reach(p, edge->branches[b].to[t]);
            }
        }
    }
}

/* Reaches the nodes that a command of the node's tool or function may name. */
static void reach_targets(paths *p, const haft__graph_node *node)
{
    for (size_t t = 0; t < node->target_count; t++) {
        reach(p, node->targets[t]);
    }
    for (size_t n = 0; haft__graph_goes_anywhere(node) && n < p->graph->node_count; n++) {
        reach(p, (haft__graph_node_id)n);
    }
}

static void check_reachable(paths *p)
{
    if (p->graph->has_on_limit) {
        reach(p, p->graph->on_limit);
    }
    reach_edges(p, p->graph->start_edges, p->graph->start_edge_count);
    for (size_t i = 0; i < p->queued; i++) {
        const haft__graph_node *node = &p->graph->nodes[p->queue[i]];
        reach_edges(p, node->edges, node->edge_count);
        haft__graph_visit_ops(node->program, true, reach_op, p);
        haft__graph_visit_ops(node->handler, true, reach_op, p);
        reach_targets(p, node);
    }
    for (size_t n = 0; n < p->graph->node_count; n++) {
        haft_str name = p->graph->nodes[n].name;
        if (!p->reached[n]) {
            haft__graph_report(p->c, HAFT__GRAPH_UNREACHABLE, name,
                               haft__graph_pointer_key(p->c, HAFT__LIT("/nodes"), name),
                               "no path leads from start to the node '%.*s'", HAFT__ARG(name));
        }
    }
}

/* ---- ends ---- */

/* The `goto` operations of one node. */
typedef struct jumps {
    paths *p;
    size_t sure;   /* number of names in `goto` operations that certainly run */
    bool sure_end; /* all of these names may reach an end */
    bool may_end;  /* some `goto` may reach an end */
    bool visits_sure;
} jumps;

static bool may_end(const paths *p, haft__graph_node_id node)
{
    return node == HAFT__GRAPH_END || p->ends[node];
}

static void visit_jump(void *context, haft__json name)
{
    jumps *j = context;
    haft__graph_node_id node;
    bool ends = haft__str_equal(haft__json_text(name), HAFT__LIT("end"))
                || (haft__graph_find_node(j->p->graph, haft__json_text(name), &node)
                    && may_end(j->p, node));
    j->may_end = j->may_end || ends;
    if (j->visits_sure) {
        j->sure++;
        j->sure_end = j->sure_end && ends;
    }
}

static void visit_jump_op(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                          bool sure)
{
    jumps *j = context;
    (void)op;
    if (kind == HAFT__OP_GOTO) {
        j->visits_sure = sure;
        haft__graph_visit_targets(kind, value, visit_jump, j);
    }
}

static bool all_end(const paths *p, const haft__graph_branch *branch)
{
    for (size_t t = 0; t < branch->to_count; t++) {
        if (!may_end(p, branch->to[t])) {
            return false;
        }
    }
    return true;
}

/* Whether the path along an edge may reach an end. For a choice, at least one branch must reach an
 * end. Other branches with a condition might not be taken, and a map with an empty list has no
 * workers. */
static bool edge_ends(const paths *p, const haft__graph_edge *edge)
{
    bool any = edge->kind == HAFT__EDGE_MAP;
    for (size_t b = 0; b < edge->branch_count; b++) {
        const haft__graph_branch *branch = &edge->branches[b];
        bool sure = branch->when.kind == HAFT__JSON_NULL;
        bool ends = all_end(p, branch);
        if (edge->kind != HAFT__EDGE_CHOOSE && sure && !ends) {
            return false;
        }
        any = any || ends || edge->kind != HAFT__EDGE_CHOOSE;
    }
    return any || edge->branch_count == 0;
}

static bool node_ends(paths *p, const haft__graph_node *node)
{
    jumps j = {.p = p, .sure_end = true};
    haft__graph_visit_ops(node->program, true, visit_jump_op, &j);
    if (j.sure > 0) {
        return j.sure_end;
    }
    for (size_t t = 0; t < node->target_count; t++) {
        j.may_end = j.may_end || may_end(p, node->targets[t]);
    }
    j.may_end = j.may_end || haft__graph_goes_anywhere(node);
    for (size_t e = 0; e < node->edge_count; e++) {
        if (!edge_ends(p, &p->graph->edges[node->edges[e]])) {
            return j.may_end;
        }
    }
    return true;
}

/* Finds the nodes that can reach an end, backwards from the ends. */
static void find_ends(paths *p)
{
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = p->graph->node_count; i-- > 0;) {
            if (!p->ends[i] && node_ends(p, &p->graph->nodes[i])) {
                p->ends[i] = true;
                grown = true;
            }
        }
    }
}

/* The next node of a path that cannot reach an end: the first such node that an edge leads to. */
static haft__graph_node_id next_endless(const paths *p, haft__graph_node_id at)
{
    const haft__graph_node *node = &p->graph->nodes[at];
    for (size_t e = 0; e < node->edge_count; e++) {
        const haft__graph_edge *edge = &p->graph->edges[node->edges[e]];
        for (size_t b = 0; b < edge->branch_count; b++) {
            for (size_t t = 0; t < edge->branches[b].to_count; t++) {
                haft__graph_node_id to = edge->branches[b].to[t];
                if (to != HAFT__GRAPH_END && !p->ends[to]) {
                    return to;
                }
            }
        }
    }
    return HAFT__GRAPH_END;
}

/* Writes the cycle that a path from `first` reaches: "a -> b -> a". */
static void write_cycle(const paths *p, haft__graph_node_id first, haft__buf *buf)
{
    haft__graph_node_id at = first;
    for (size_t i = 0; i < p->graph->node_count && at != HAFT__GRAPH_END; i++) {
        at = next_endless(p, at);
    }
    if (at == HAFT__GRAPH_END) {
        haft__buf_add_str(buf, p->graph->nodes[first].name);
        return;
    }
    haft__graph_node_id begin = at;
    do {
        haft__buf_add_str(buf, p->graph->nodes[at].name);
        haft__buf_add_str(buf, HAFT__LIT(" -> "));
        at = next_endless(p, at);
    } while (at != begin);
    haft__buf_add_str(buf, p->graph->nodes[begin].name);
}

static void check_ends(paths *p)
{
    for (size_t n = 0; n < p->graph->node_count; n++) {
        haft_str name = p->graph->nodes[n].name;
        if (p->reached[n] && !p->ends[n]) {
            haft__buf cycle;
            haft__buf_init(&cycle, HAFT__GRAPH_MESSAGE_BYTES / 2);
            write_cycle(p, (haft__graph_node_id)n, &cycle);
            haft__graph_report(p->c, HAFT__GRAPH_ENDLESS, name,
                               haft__graph_pointer_key(p->c, HAFT__LIT("/nodes"), name),
                               "no path leads from the node '%.*s' to an end: %.*s; add a path to "
                               "end, or on_limit",
                               HAFT__ARG(name), HAFT__ARG(haft__buf_str(&cycle)));
            haft__buf_finish(&cycle);
            return;
        }
    }
}

void haft__graph_check_paths(haft__graph_compiler *c)
{
    size_t count = c->graph->node_count + 1;
    paths p = {.c = c,
               .graph = c->graph,
               .reached = haft__graph_alloc(c, count, sizeof(bool)),
               .ends = haft__graph_alloc(c, count, sizeof(bool)),
               .queue = haft__graph_alloc(c, count, sizeof(haft__graph_node_id))};
    if (p.reached == NULL || p.ends == NULL || p.queue == NULL) {
        return;
    }
    check_reachable(&p);
    find_ends(&p);
    if (!c->graph->has_on_limit) {
        check_ends(&p);
    }
}
