/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_meeting.c - warns about nodes that may write the same replacing channel in one step.
 *
 * Two nodes meet if they may run in the same step. This is so if one node, or two nodes that meet,
 * may wake both in one step. The list of pairs grows until no pair is added. Conditions are not
 * evaluated, so a pair in the list may never meet in a run. Tests: tests/graph/warnings_test.c.
 */
#include "base/str.h"
#include "base/vec.h"
#include "graph/bits.h"
#include "graph/graph_int.h"

typedef struct pair {
    haft__graph_node_id a, b; /* a <= b; if a == b: several runs of the same node */
} pair;

typedef struct meeting {
    haft__graph_compiler *c;
    const haft__graph *graph;
    const haft__graph_targets *targets;
    haft__bits meets;
    haft__bits reaches; /* for each node: all nodes that can be reached from it */
    haft__arena *scratch;
    pair *stack;
    size_t depth, capacity;
} meeting;

/* ---- after a node ---- */

static void find_reached(meeting *m, haft__graph_node_id from, haft__graph_node_id *stack)
{
    size_t depth = 0;
    stack[depth++] = from;
    while (depth > 0) {
        haft__graph_node_id at = stack[--depth];
        for (size_t t = m->targets->first[at]; t < m->targets->first[at + 1]; t++) {
            haft__graph_node_id to = m->targets->items[t].to;
            if (to != HAFT__GRAPH_END && haft__bits_set(m->reaches, from, to)) {
                stack[depth++] = to;
            }
        }
    }
}

/* Whether the join of the target waits for `other`: `other` is another start of the join, or leads
 * to another start. Then the nodes after the join do not run in the same step as `other`. */
static bool join_waits(const meeting *m, const haft__graph_target *target,
                       haft__graph_node_id other)
{
    const haft__graph_edge *edge = target->edge;
    for (size_t f = 0; edge != NULL && edge->kind == HAFT__EDGE_JOIN && f < edge->from_count; f++) {
        haft__graph_node_id start = edge->from[f];
        if (start != target->from && start != HAFT__GRAPH_START
            && (start == other || haft__bits_has(m->reaches, other, start))) {
            return true;
        }
    }
    return false;
}

/* ---- pairs ---- */

static void add_pair(meeting *m, haft__graph_node_id a, haft__graph_node_id b)
{
    haft__graph_node_id low = a < b ? a : b, high = a < b ? b : a;
    if (m->graph->nodes[a].defer != m->graph->nodes[b].defer) {
        return; /* a deferred node runs only when other nodes are done */
    }
    if (!haft__bits_set(m->meets, low, high)) {
        return;
    }
    pair *stack = haft__vec_reserve_in(m->scratch, m->stack, m->depth, &m->capacity, m->depth + 1,
                                       sizeof(*stack));
    if (stack == NULL) {
        m->c->problems->out_of_memory = true;
        return;
    }
    m->stack = stack;
    stack[m->depth++] = (pair){low, high};
}

/* Adds the pair of two targets. Several edges wake a node only once; each send is a separate
 * run. */
static void add_targets(meeting *m, const haft__graph_target *x, const haft__graph_target *y)
{
    bool same_edge = x->edge != NULL && x->edge == y->edge;
    bool once = x->kind != HAFT__TARGET_SEND && y->kind != HAFT__TARGET_SEND;
    if (x->to == HAFT__GRAPH_END || y->to == HAFT__GRAPH_END || (x->to == y->to && once)
        || (!same_edge && (join_waits(m, x, y->to) || join_waits(m, y, x->to)))) {
        return;
    }
    add_pair(m, x->to, y->to);
}

/* Whether one run of a node may wake both targets. */
static bool are_compatible(const haft__graph_target *x, const haft__graph_target *y)
{
    if (x->kind == HAFT__TARGET_SEND || y->kind == HAFT__TARGET_SEND) {
        return x->edge != NULL || y->edge != NULL || x->handler == y->handler;
    }
    if (x->kind == HAFT__TARGET_GOTO || y->kind == HAFT__TARGET_GOTO) {
        return x->kind == y->kind && x->operation == y->operation;
    }
    return x->edge != y->edge || x->edge->kind != HAFT__EDGE_CHOOSE || x->branch == y->branch;
}

/* Adds the pairs that one run of a node may wake. A map wakes several workers of the same node. */
static void add_from_one(meeting *m, size_t node)
{
    const haft__graph_target *items = m->targets->items;
    for (size_t x = m->targets->first[node]; x < m->targets->first[node + 1]; x++) {
        if (items[x].kind == HAFT__TARGET_SEND) {
            add_pair(m, items[x].to, items[x].to);
        }
        for (size_t y = m->targets->first[node]; y < x; y++) {
            if (are_compatible(&items[x], &items[y])) {
                add_targets(m, &items[x], &items[y]);
            }
        }
    }
}

static void add_from_pair(meeting *m, pair p)
{
    const haft__graph_target *items = m->targets->items;
    for (size_t x = m->targets->first[p.a]; x < m->targets->first[p.a + 1]; x++) {
        for (size_t y = m->targets->first[p.b]; y < m->targets->first[p.b + 1]; y++) {
            add_targets(m, &items[x], &items[y]);
        }
    }
}

/* Adds pairs of deferred nodes: they run in the same step unless one can be reached from the
 * other. */
static void add_deferred(meeting *m)
{
    for (haft__graph_node_id a = 0; a < m->graph->node_count; a++) {
        for (haft__graph_node_id b = 0; m->graph->nodes[a].defer && b < a; b++) {
            if (m->graph->nodes[b].defer && !haft__bits_has(m->reaches, a, b)
                && !haft__bits_has(m->reaches, b, a)) {
                add_pair(m, a, b);
            }
        }
    }
}

static void find_pairs(meeting *m)
{
    for (size_t n = 0; n <= m->graph->node_count; n++) {
        add_from_one(m, n);
    }
    add_deferred(m);
    while (m->depth > 0) {
        add_from_pair(m, m->stack[--m->depth]);
    }
}

/* ---- the report ---- */

static void report(meeting *m, uint32_t channel, haft__graph_node_id a, haft__graph_node_id b)
{
    haft_str name = m->graph->channels[channel].name;
    haft_str first = m->graph->nodes[a].name, second = m->graph->nodes[b].name;
    haft_str pointer = haft__graph_pointer_key(m->c, HAFT__LIT("/channels"), name);
    if (a == b) {
        haft__graph_report(m->c, HAFT__GRAPH_MAY_MEET, name, pointer,
                           "several runs of the node '%.*s' may write the channel '%.*s' in one "
                           "step; that would fail the run",
                           HAFT__ARG(first), HAFT__ARG(name));
    } else {
        haft__graph_report(m->c, HAFT__GRAPH_MAY_MEET, name, pointer,
                           "the nodes '%.*s' and '%.*s' may write the channel '%.*s' in one step; "
                           "that would fail the run",
                           HAFT__ARG(first), HAFT__ARG(second), HAFT__ARG(name));
    }
}

/* Reports the first two writers of a channel that meet. */
static void check_channel(meeting *m, const haft__graph_writer *writers, size_t count)
{
    for (size_t x = 0; x < count; x++) {
        for (size_t y = x; y < count; y++) {
            if (haft__bits_has(m->meets, writers[x].node, writers[y].node)) {
                report(m, writers->channel, writers[x].node, writers[y].node);
                return;
            }
        }
    }
}

static void check_writers(meeting *m, const haft__graph_writers *writers)
{
    for (size_t i = 0, end; i < writers->count; i = end) {
        const haft__channel *channel = &m->graph->channels[writers->items[i].channel];
        for (end = i + 1;
             end < writers->count && writers->items[end].channel == writers->items[i].channel;
             end++) {
        }
        if (channel->reducer == HAFT__REDUCE_REPLACE && channel->lifetime != HAFT__LIFETIME_STEP) {
            check_channel(m, &writers->items[i], end - i);
        }
    }
}

void haft__graph_check_meeting(haft__graph_compiler *c, const haft__graph_targets *targets)
{
    size_t count = c->graph->node_count;
    haft__arena scratch;
    haft__graph_writers writers;
    haft__arena_init(&scratch, 0);
    meeting m = {.c = c,
                 .graph = c->graph,
                 .targets = targets,
                 .meets = haft__bits_create(&scratch, count + 1, count),
                 .reaches = haft__bits_create(&scratch, count + 1, count),
                 .scratch = &scratch};
    haft__graph_node_id *stack = haft__arena_array(&scratch, count + 1, sizeof(*stack));
    haft__graph_list_writers(c, &scratch, &writers);
    if (m.meets.words == NULL || m.reaches.words == NULL || stack == NULL) {
        c->problems->out_of_memory = true;
    } else {
        for (haft__graph_node_id n = 0; n < count; n++) {
            find_reached(&m, n, stack);
        }
        find_pairs(&m);
        check_writers(&m, &writers);
    }
    haft__arena_finish(&scratch);
}
