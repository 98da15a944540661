/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - decides which nodes follow from finished nodes. Tests:
 * tests/graph/execution_test.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "graph/execution_int.h"
#include "run/pause/condition.h"
#include "json/object.h"

/* The node `by` woke `node`. */
typedef struct wake {
    haft__graph_node_id node, by;
    size_t order;
} wake;

typedef struct follower {
    haft__graph_execution *x;
    haft__arena *arena;
    const haft__graph *graph;
    wake *wakes;
    size_t count, capacity;
    haft__graph_output sends;     /* only its sends are used */
    haft__graph_node_id *senders; /* for each send: its sender */
    size_t sender_count, sender_capacity;
    bool *arrived, *deferred;
    haft__graph_failure *failure;
    haft_error *err;
} follower;

/* Fails the step because of an invalid edge, command or send of `node`. */
static haft_status refuse(follower *f, haft__graph_node_id node, haft__graph_code code,
                          haft_str message)
{
    haft_str *name = haft__arena_array(f->arena, 1, sizeof(*name));
    if (name == NULL || message.ptr == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    *name = haft__graph_node_name(f->graph, node);
    f->x->failed_channel = (haft_str){NULL, 0};
    f->x->failed_nodes = name;
    f->x->failed_node_count = 1;
    *f->failure = (haft__graph_failure){.code = code, .message = message};
    return HAFT_OK;
}

/* ---- joins ---- */

static void arrive(follower *f, size_t edge, haft__graph_node_id node)
{
    const haft__graph_edge *join = &f->graph->edges[edge];
    const haft__graph_start *start = haft__graph_find_start(join, node);
    const haft__graph_start *end = join->starts + join->from_count;
    for (; start != NULL && start < end && start->node == node; start++) {
        f->arrived[join->place + start->place] = true;
    }
}

/* ---- waking ---- */

static haft_status wake_node(follower *f, haft__graph_node_id node, haft__graph_node_id by)
{
    if (node == HAFT__GRAPH_END) {
        return HAFT_OK;
    }
    wake *wakes = haft__vec_reserve_in(f->arena, f->wakes, f->count, &f->capacity, f->count + 1,
                                       sizeof(*wakes));
    if (wakes == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    f->wakes = wakes;
    wakes[f->count] = (wake){.node = node, .by = by, .order = f->count};
    f->count++;
    return HAFT_OK;
}

/* Records the sender of the sends that were added. */
static haft_status add_senders(follower *f, haft__graph_node_id by)
{
    haft__graph_node_id *senders =
        haft__vec_reserve_in(f->arena, f->senders, f->sender_count, &f->sender_capacity,
                             f->sends.send_count + 1, sizeof(*senders));
    if (senders == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    f->senders = senders;
    while (f->sender_count < f->sends.send_count) {
        senders[f->sender_count++] = by;
    }
    return HAFT_OK;
}

/* Whether the pointer `at` may lead into a channel. A pointer to the whole state, or a name with an
 * escape, is treated as leading into every channel. */
static bool leads_into(haft_str at, haft_str channel)
{
    return at.len == 0 || haft__str_starts_with(haft__str_skip(at, 1), channel)
           || memchr(at.ptr, '~', at.len) != NULL;
}

/* Whether an edge reads a channel, so that its conditions must see the node's own writes. */
static bool reads(const haft__graph_edge *edge, haft_str channel)
{
    for (size_t b = 0; b < edge->branch_count; b++) {
        bool always = edge->branches[b].when.kind != HAFT__JSON_OBJECT;
        if (!always && leads_into(haft__object_string(edge->branches[b].when, "at"), channel)) {
            return true;
        }
    }
    const haft__graph_map *map = &edge->map;
    return edge->kind == HAFT__EDGE_MAP
           && (leads_into(map->over, channel) || haft__array_has_text(map->with, channel)
               || (map->first.len > 0 && leads_into(map->first, channel)));
}

static bool node_reads(const haft__graph *graph, const uint32_t *edges, size_t count,
                       haft_str channel)
{
    for (size_t e = 0; e < count; e++) {
        if (reads(&graph->edges[edges[e]], channel)) {
            return true;
        }
    }
    return false;
}

/* Sets a channel of the view to its value after the writes of one node. */
static haft_status see_own_write(follower *f, const haft__graph_output *output, uint32_t channel,
                                 haft__json *io_view)
{
    haft__channel_write *writes =
        haft__arena_array(f->arena, output->write_count + 1, sizeof(*writes));
    haft__channel_reduction r = {.channel = &f->graph->channels[channel],
                                 .current = &f->x->state.values[channel],
                                 .writes = writes,
                                 .arena = f->arena,
                                 .step = f->x->step + 1,
                                 .custom = haft__graph_reduced_alone(f->x, channel, output)};
    haft__channel_delta delta;
    haft__json value;
    bool conflict, present;
    if (writes == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    for (size_t w = 0; w < output->write_count; w++) {
        if (output->writes[w].channel == channel) {
            writes[r.count++] = output->writes[w];
        }
    }
    haft_status status = haft__channel_reduce(&r, &delta, &conflict, f->err);
    if (status == HAFT_OK) {
        status =
            haft__channel_preview(r.channel, r.current, &delta, f->arena, &present, &value, f->err);
    }
    return status == HAFT_OK && present
               ? haft__graph_set_member(f->arena, *io_view, r.channel->name, value, io_view, f->err)
               : status;
}

/* Makes the view of the conditions after a node: the state before the step, the node's own writes,
 * and the facts. */
static haft_status make_view(follower *f, const haft__graph_finished *finished,
                             const uint32_t *edges, size_t edge_count, haft__json *ret_view)
{
    const haft__graph_output *output = finished->output;
    haft__json facts;
    haft_status status = haft__graph_execution_state(f->x, false, f->arena, ret_view, f->err);
    for (size_t w = 0; w < output->write_count && status == HAFT_OK; w++) {
        uint32_t channel = output->writes[w].channel;
        bool again = false;
        for (size_t v = 0; v < w && !again; v++) {
            again = output->writes[v].channel == channel;
        }
        if (!again && node_reads(f->graph, edges, edge_count, f->graph->channels[channel].name)) {
            status = see_own_write(f, output, channel, ret_view);
        }
    }
    if (status == HAFT_OK) {
        status = haft__graph_facts(f->x, haft__graph_node_name(f->graph, finished->node), f->arena,
                                   &facts, f->err);
    }
    return status == HAFT_OK ? haft__graph_set_member(f->arena, *ret_view, HAFT__LIT("$"), facts,
                                                      ret_view, f->err)
                             : status;
}

static haft_status follow_branch(follower *f, const haft__graph_branch *branch,
                                 haft__graph_node_id by)
{
    haft_status status = HAFT_OK;
    for (size_t t = 0; t < branch->to_count && status == HAFT_OK; t++) {
        status = wake_node(f, branch->to[t], by);
    }
    return status;
}

static haft_status follow_edge(follower *f, size_t index, haft__graph_node_id node, haft__json view)
{
    const haft__graph_edge *edge = &f->graph->edges[index];
    haft_status status = HAFT_OK;
    haft_str why = {NULL, 0};
    switch (edge->kind) {
    case HAFT__EDGE_JOIN: arrive(f, index, node); return HAFT_OK;
    case HAFT__EDGE_PLAIN: return follow_branch(f, edge->branches, node);
    case HAFT__EDGE_MAP:
        status = haft__graph_spread(f->arena, &edge->map, view, &f->sends, &why, f->err);
        if (status == HAFT_OK && why.ptr != NULL) {
            status = refuse(f, node, HAFT__GRAPH_NODE_FAILED, why);
        }
        return status == HAFT_OK ? add_senders(f, node) : status;
    case HAFT__EDGE_CHOOSE:
    case HAFT__EDGE_EVERY: break;
    }
    for (size_t b = 0; b < edge->branch_count && status == HAFT_OK; b++) {
        haft__json when = edge->branches[b].when;
        if (when.kind == HAFT__JSON_NULL || haft__condition_holds(f->arena, when, view)) {
            status = follow_branch(f, &edge->branches[b], node);
            if (edge->kind == HAFT__EDGE_CHOOSE) {
                break;
            }
        }
    }
    return status;
}

static bool needs_view(const haft__graph *graph, const uint32_t *edges, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        haft__graph_edge_kind kind = graph->edges[edges[e]].kind;
        if (kind != HAFT__EDGE_PLAIN && kind != HAFT__EDGE_JOIN) {
            return true;
        }
    }
    return false;
}

static haft_status follow_one(follower *f, const haft__graph_finished *finished)
{
    const haft__graph_output *output = finished->output;
    bool start = finished->node == HAFT__GRAPH_START;
    const haft__graph_node *node = start ? NULL : &f->graph->nodes[finished->node];
    const uint32_t *edges = start ? f->graph->start_edges : node->edges;
    size_t edge_count = start ? f->graph->start_edge_count : node->edge_count;
    haft__json view = haft__json_null();
    haft_status status = HAFT_OK;
    for (size_t g = 0; g < output->goto_count && status == HAFT_OK; g++) {
        status = wake_node(f, output->gotos[g], finished->node);
    }
    for (size_t s = 0; s < output->send_count && status == HAFT_OK; s++) {
        status = haft__graph_output_send(&f->sends, f->arena, output->sends[s], f->err);
    }
    if (status == HAFT_OK) {
        status = add_senders(f, finished->node);
    }
    if (status != HAFT_OK || output->goto_count > 0) { /* `goto` replaces the edges */
        return status;
    }
    if (needs_view(f->graph, edges, edge_count)) {
        status = make_view(f, finished, edges, edge_count, &view);
    }
    for (size_t e = 0; e < edge_count && status == HAFT_OK; e++) {
        status = follow_edge(f, edges[e], finished->node, view);
    }
    return status;
}

static haft_status follow_joins(follower *f)
{
    haft_status status = HAFT_OK;
    for (size_t j = 0; j < f->graph->join_count && status == HAFT_OK; j++) {
        const haft__graph_edge *edge = &f->graph->edges[f->graph->joins[j]];
        bool full = true;
        for (size_t i = 0; full && i < edge->from_count; i++) {
            full = f->arrived[edge->place + i];
        }
        for (size_t i = 0; full && i < edge->from_count && status == HAFT_OK; i++) {
            status = follow_branch(f, edge->branches, edge->from[i]);
        }
    }
    return status;
}

/* Checks the size of the sends, which are written to the event and copied for the next step. */
static haft_status check_sends(follower *f)
{
    size_t bytes = 0;
    for (size_t s = 0; s < f->sends.send_count; s++) {
        bytes += haft__channel_size(f->sends.sends[s].argument);
        if (bytes > HAFT__LIMIT_GRAPH_STEP_BYTES) {
            return refuse(
                f, f->senders[s], HAFT__GRAPH_BAD_UPDATE,
                haft__arena_format(
                    f->arena,
                    "the arguments that are sent to the next step have more than %d bytes",
                    HAFT__LIMIT_GRAPH_STEP_BYTES));
        }
    }
    return HAFT_OK;
}

/* ---- the tasks ---- */

static int compare_wakes(const void *a, const void *b)
{
    const wake *left = a, *right = b;
    if (left->node != right->node) {
        return left->node < right->node ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Whether `by` is not yet recorded for the current task. `last` has, for each node and `start`, the
 * number (from 1) of the last task that it has woken. */
static bool is_first(uint32_t *last, const haft__graph *graph, haft__graph_node_id by,
                     size_t number)
{
    uint32_t *at = &last[by == HAFT__GRAPH_START ? graph->node_count : by];
    bool first = *at != number;
    *at = (uint32_t)number;
    return first;
}

/* Makes one task for each node that was woken, in the order of names. */
static haft_status collect_nodes(follower *f, haft__graph_following *following)
{
    haft__graph_node_id *by = haft__arena_array(f->arena, f->count + 1, sizeof(*by));
    /* With a single wake, duplicates are not possible. */
    size_t places = f->count > 1 ? f->graph->node_count + 1 : 0, used = 0;
    uint32_t *woken = haft__arena_array(f->arena, places + 1, sizeof(*woken));
    if (by == NULL || woken == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    if (f->count > 0) {
        qsort(f->wakes, f->count, sizeof(*f->wakes), compare_wakes);
    }
    for (size_t w = 0; w < f->count; w++) {
        if (f->graph->nodes[f->wakes[w].node].defer) {
            f->deferred[f->wakes[w].node] = true;
            continue;
        }
        haft__graph_wake *last =
            following->count > 0 ? &following->wakes[following->count - 1] : NULL;
        if (last == NULL || last->node != f->wakes[w].node) {
            last = &following->wakes[following->count++];
            *last = (haft__graph_wake){.node = f->wakes[w].node, .by = by + used};
        }
        if (places == 0 || is_first(woken, f->graph, f->wakes[w].by, following->count)) {
            by[used++] = f->wakes[w].by;
            last->by_count++;
        }
    }
    return HAFT_OK;
}

/* Adds the deferred nodes if no other task, including sends, is left. */
static void release_deferred(follower *f, haft__graph_following *following)
{
    bool none = f->graph->defer_count == 0;
    if (none || following->count > 0 || f->sends.send_count > 0) {
        return;
    }
    for (size_t n = 0; n < f->graph->node_count; n++) {
        if (f->deferred[n]) {
            following->wakes[following->count++] =
                (haft__graph_wake){.node = (haft__graph_node_id)n};
            f->deferred[n] = false;
        }
    }
}

haft_status haft__graph_follow(haft__graph_execution *x, const haft__graph_finished *finished,
                               size_t count, bool *arrived, haft__graph_following *ret_following,
                               haft__graph_failure *ret_failure, haft_error *err)
{
    const haft__graph *graph = x->graph;
    follower f = {.x = x,
                  .arena = &x->scratch,
                  .graph = graph,
                  .deferred = haft__arena_array(&x->scratch, graph->node_count + 1, sizeof(bool)),
                  .failure = ret_failure,
                  .err = err};
    f.arrived = arrived;
    haft_status status = f.deferred != NULL ? HAFT_OK : haft__arena_fail(f.arena, err);
    if (status == HAFT_OK) {
        memcpy(f.deferred, x->deferred, graph->node_count * sizeof(bool));
    }
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status = follow_one(&f, &finished[i]);
    }
    if (status == HAFT_OK) {
        status = follow_joins(&f);
    }
    if (status == HAFT_OK) {
        status = check_sends(&f);
    }
    *ret_following = (haft__graph_following){.arrived = arrived, .deferred = f.deferred};
    size_t room = f.count + f.sends.send_count + graph->defer_count + 1;
    if (status == HAFT_OK) {
        ret_following->wakes = haft__arena_array(f.arena, room, sizeof(*ret_following->wakes));
        status = ret_following->wakes != NULL ? collect_nodes(&f, ret_following)
                                              : haft__arena_fail(f.arena, err);
    }
    if (status == HAFT_OK) {
        release_deferred(&f, ret_following);
    }
    for (size_t s = 0; s < f.sends.send_count && status == HAFT_OK; s++) {
        ret_following->wakes[ret_following->count++] =
            (haft__graph_wake){.node = f.sends.sends[s].to,
                               .has_argument = true,
                               .argument = f.sends.sends[s].argument,
                               .by = &f.senders[s],
                               .by_count = 1};
    }
    return status;
}
