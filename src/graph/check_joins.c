/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_joins.c - warns about a join that may wait for a node that does not run because of a
 * condition.
 *
 * Each node has the set of nodes that certainly follow from it. If a path leads to one start of a
 * join, and no node on this path certainly leads to all its starts, the join may wait forever.
 * Tests: tests/graph/warnings_test.c.
 */
#include "base/str.h"
#include "graph/bits.h"
#include "graph/graph_int.h"

typedef struct joins {
    haft__graph_compiler *c;
    const haft__graph *graph;
    const haft__graph_targets *targets;
    size_t start;       /* the row of `start`, after the rows of the nodes */
    haft__bits follows; /* for each node: the nodes that certainly follow, including itself */
    haft__bits common;  /* two rows, to intersect the branches of a choice */
    haft__bits seen;    /* one row: visited nodes */
    size_t *order;      /* nodes; a node comes after the nodes that follow from it */
    size_t *stack;
    size_t *next; /* for each node on the stack: its next target */
} joins;

static size_t row_of(const joins *j, haft__graph_node_id node)
{
    return node == HAFT__GRAPH_START ? j->start : node;
}

/* ---- nodes that certainly follow ---- */

/* Sorts the nodes by a depth-first walk from start. Nodes that are not reached from start
 * (on_limit) come last. */
static void find_order(joins *j)
{
    size_t count = 0;
    for (size_t root = j->start + 1; root-- > 0;) {
        size_t depth = 0;
        if (haft__bits_set(j->seen, 0, root)) {
            j->stack[depth] = root;
            j->next[depth++] = j->targets->first[root];
        }
        while (depth > 0) {
            size_t at = j->stack[depth - 1];
            if (j->next[depth - 1] == j->targets->first[at + 1]) {
                j->order[count++] = at;
                depth--;
                continue;
            }
            haft__graph_node_id to = j->targets->items[j->next[depth - 1]++].to;
            if (to != HAFT__GRAPH_END && haft__bits_set(j->seen, 0, to)) {
                j->stack[depth] = to;
                j->next[depth++] = j->targets->first[to];
            }
        }
    }
}

/* Adds the nodes that every branch of a choice leads to. The targets of the edge are from `at` to
 * `end`. */
static bool add_choice(joins *j, size_t node, size_t at, size_t end)
{
    const haft__graph_target *items = j->targets->items;
    size_t width = j->common.width;
    uint64_t *all = j->common.words, *one = all + width;
    for (size_t w = 0; w < width; w++) {
        all[w] = UINT64_MAX;
    }
    for (size_t t = at; t < end;) {
        uint32_t branch = items[t].branch;
        for (size_t w = 0; w < width; w++) {
            one[w] = 0;
        }
        for (; t < end && items[t].branch == branch; t++) {
            if (items[t].to != HAFT__GRAPH_END) {
                (void)haft__bits_add(j->common, 1, j->follows, items[t].to);
            }
        }
        for (size_t w = 0; w < width; w++) {
            all[w] &= one[w];
        }
    }
    return haft__bits_add(j->follows, node, j->common, 0);
}

static bool has_all(const joins *j, haft__bits bits, size_t row, const haft__graph_edge *join)
{
    for (size_t f = 0; f < join->from_count; f++) {
        if (!haft__bits_has(bits, row, row_of(j, join->from[f]))) {
            return false;
        }
    }
    return true;
}

static bool add_following(joins *j, size_t node)
{
    const haft__graph_target *items = j->targets->items;
    bool added = haft__bits_set(j->follows, node, node);
    for (size_t t = j->targets->first[node], end; t < j->targets->first[node + 1]; t = end) {
        const haft__graph_edge *edge = items[t].edge;
        for (end = t + 1; edge != NULL && end < j->targets->first[node + 1]
                          && items[end].edge == edge && edge->kind == HAFT__EDGE_CHOOSE;
             end++) {
        }
        bool join = edge != NULL && edge->kind == HAFT__EDGE_JOIN && edge->from_count > 1;
        if (edge != NULL && edge->kind == HAFT__EDGE_CHOOSE) {
            added = add_choice(j, node, t, end) || added;
        } else if (items[t].sure && !join && items[t].to != HAFT__GRAPH_END) {
            added = haft__bits_add(j->follows, node, j->follows, items[t].to) || added;
        }
    }
    for (size_t e = 0; e < j->graph->edge_count; e++) {
        const haft__graph_edge *edge = &j->graph->edges[e];
        for (size_t t = 0; edge->kind == HAFT__EDGE_JOIN && has_all(j, j->follows, node, edge)
                           && t < edge->branches->to_count;
             t++) {
            haft__graph_node_id to = edge->branches->to[t];
            added = (to != HAFT__GRAPH_END && haft__bits_add(j->follows, node, j->follows, to))
                    || added;
        }
    }
    return added;
}

static void find_following(joins *j)
{
    for (bool added = true; added;) {
        added = false;
        for (size_t i = 0; i <= j->start; i++) {
            added = add_following(j, j->order[i]) || added;
        }
    }
}

/* ---- one join ---- */

static bool is_target(const haft__graph_edge *join, size_t node)
{
    for (size_t t = 0; t < join->branches->to_count; t++) {
        if (join->branches->to[t] == node) {
            return true;
        }
    }
    return false;
}

/* Whether all starts of the join follow if the node takes the branch or jump of `target`. */
static bool wakes_all(joins *j, const haft__graph_target *target, const haft__graph_edge *join)
{
    size_t from = row_of(j, target->from);
    for (size_t w = 0; w < j->common.width; w++) {
        j->common.words[w] = 0;
    }
    (void)haft__bits_add(j->common, 0, j->follows, from);
    for (size_t t = j->targets->first[from]; t < j->targets->first[from + 1]; t++) {
        const haft__graph_target *other = &j->targets->items[t];
        if (other->kind == target->kind && other->edge == target->edge
            && other->branch == target->branch && other->operation == target->operation
            && other->to != HAFT__GRAPH_END) {
            (void)haft__bits_add(j->common, 0, j->follows, other->to);
        }
    }
    return has_all(j, j->common, 0, join);
}

/* Searches backwards from `first`, a start of the join, for a node that may wake it without the
 * other starts. The search ends at `start`, or at the node after the join, because the join is
 * reset there. */
static bool find_cause(joins *j, const haft__graph_edge *join, size_t first, size_t *ret_cause)
{
    size_t depth = 0;
    for (size_t w = 0; w < j->seen.width; w++) {
        j->seen.words[w] = 0;
    }
    (void)haft__bits_set(j->seen, 0, first);
    j->stack[depth++] = first;
    while (depth > 0) {
        size_t at = j->stack[--depth];
        for (size_t t = 0; t < j->targets->count; t++) {
            const haft__graph_target *target = &j->targets->items[t];
            size_t from = row_of(j, target->from);
            if (target->to != at || wakes_all(j, target, join)
                || !haft__bits_set(j->seen, 0, from)) {
                continue;
            }
            if (from == j->start || is_target(join, from)) {
                *ret_cause = from;
                return true;
            }
            j->stack[depth++] = from;
        }
    }
    return false;
}

static haft__graph_node_id find_missing(const joins *j, const haft__graph_edge *join, size_t cause,
                                        haft__graph_node_id reached)
{
    for (size_t f = 0; f < join->from_count; f++) {
        if (join->from[f] != reached
            && !haft__bits_has(j->follows, cause, row_of(j, join->from[f]))) {
            return join->from[f];
        }
    }
    return reached;
}

static void check_join(joins *j, const haft__graph_edge *join)
{
    for (size_t f = 0; f < join->from_count; f++) {
        size_t cause;
        if (join->from[f] != HAFT__GRAPH_START && find_cause(j, join, join->from[f], &cause)) {
            haft__graph_node_id missing = find_missing(j, join, cause, join->from[f]);
            haft_str name = haft__graph_node_name(j->graph, missing);
            haft_str to = haft__graph_node_name(j->graph, join->branches->to[0]);
            haft__graph_report(
                j->c, HAFT__GRAPH_MAY_STARVE, name,
                haft__graph_pointer(j->c, "/edges/%zu/from", (size_t)(join - j->graph->edges)),
                "the join before '%.*s' waits for '%.*s', which may not run; then "
                "the run ends as incomplete",
                HAFT__ARG(to), HAFT__ARG(name));
            return;
        }
    }
}

static bool has_join(const haft__graph *graph)
{
    for (size_t e = 0; e < graph->edge_count; e++) {
        if (graph->edges[e].kind == HAFT__EDGE_JOIN && graph->edges[e].from_count > 1) {
            return true;
        }
    }
    return false;
}

void haft__graph_check_joins(haft__graph_compiler *c, const haft__graph_targets *targets)
{
    size_t rows = c->graph->node_count + 1;
    haft__arena scratch;
    if (!has_join(c->graph)) {
        return;
    }
    haft__arena_init(&scratch, 0);
    joins j = {.c = c,
               .graph = c->graph,
               .targets = targets,
               .start = c->graph->node_count,
               .follows = haft__bits_create(&scratch, rows, rows),
               .common = haft__bits_create(&scratch, 2, rows),
               .seen = haft__bits_create(&scratch, 1, rows),
               .order = haft__arena_array(&scratch, rows, sizeof(size_t)),
               .stack = haft__arena_array(&scratch, rows, sizeof(size_t)),
               .next = haft__arena_array(&scratch, rows, sizeof(size_t))};
    if (j.follows.words == NULL || j.common.words == NULL || j.seen.words == NULL || j.order == NULL
        || j.stack == NULL || j.next == NULL) {
        c->problems->out_of_memory = true;
    } else {
        find_order(&j);
        find_following(&j);
        for (size_t e = 0; e < c->graph->edge_count; e++) {
            const haft__graph_edge *edge = &c->graph->edges[e];
            if (edge->kind == HAFT__EDGE_JOIN && edge->branches->to_count > 0) {
                check_join(&j, edge);
            }
        }
    }
    haft__arena_finish(&scratch);
}
