/* SPDX-License-Identifier: Apache-2.0 */
/* commit.c - makes the event of a step: its tasks, the changes of channels, the tasks that follow.
 * Tests: tests/graph/execution_test.c. */
#include "base/error.h"
#include "base/str.h"
#include "graph/execution_int.h"

/* ---- members of an object ---- */

haft__graph_fields haft__graph_begin_fields(haft__arena *arena, size_t room)
{
    haft__graph_fields f = {.arena = arena,
                            .members = haft__arena_array(arena, room, sizeof(*f.members))};
    f.out_of_memory = f.members == NULL;
    return f;
}

void haft__graph_add_field(haft__graph_fields *f, haft_str key, haft__json value)
{
    if (!f->out_of_memory) {
        f->members[f->count++] = (haft__json_member){.key = haft__json_string(key), .value = value};
    }
}

void haft__graph_add_number(haft__graph_fields *f, const char *key, uint64_t number)
{
    haft__json value = haft__json_int(f->arena, (int64_t)number);
    f->out_of_memory = f->out_of_memory || value.kind == HAFT__JSON_NULL;
    haft__graph_add_field(f, haft__str(key), value);
}

haft__json haft__graph_end_fields(const haft__graph_fields *f)
{
    return haft__json_object(f->members, f->count);
}

/* ---- parts of an event ---- */

static haft__json names_of(haft__graph_execution *x, const haft__graph_node_id *nodes, size_t count,
                           bool *io_failed)
{
    haft__json *names = haft__arena_array(&x->scratch, count + 1, sizeof(*names));
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = haft__json_string(haft__graph_node_name(x->graph, nodes[i]));
    }
    *io_failed = *io_failed || names == NULL;
    return haft__json_array(names, names != NULL ? count : 0);
}

static haft__json write_wake(haft__graph_execution *x, haft__graph_node_id node,
                             const haft__graph_node_id *by, size_t by_count,
                             const haft__json *argument, bool *io_failed)
{
    haft__graph_fields f = haft__graph_begin_fields(&x->scratch, 3);
    haft__graph_add_field(&f, HAFT__LIT("node"),
                          haft__json_string(haft__graph_node_name(x->graph, node)));
    haft__graph_add_field(&f, HAFT__LIT("by"), names_of(x, by, by_count, io_failed));
    if (argument != NULL) {
        haft__graph_add_field(&f, HAFT__LIT("arg"), *argument);
    }
    *io_failed = *io_failed || f.out_of_memory;
    return haft__graph_end_fields(&f);
}

/* `next`: the tasks of the next step. */
static haft__json write_wakes(haft__graph_execution *x, const haft__graph_following *following,
                              bool *io_failed)
{
    haft__json *items = haft__arena_array(&x->scratch, following->count + 1, sizeof(*items));
    for (size_t i = 0; items != NULL && i < following->count; i++) {
        const haft__graph_wake *w = &following->wakes[i];
        items[i] = write_wake(x, w->node, w->by, w->by_count, w->has_argument ? &w->argument : NULL,
                              io_failed);
    }
    *io_failed = *io_failed || items == NULL;
    return haft__json_array(items, items != NULL ? following->count : 0);
}

/* `nodes`: the tasks of this step. */
static haft__json write_tasks(haft__graph_execution *x, bool *io_failed)
{
    haft__json *items = haft__arena_array(&x->scratch, x->task_count + 1, sizeof(*items));
    for (size_t i = 0; items != NULL && i < x->task_count; i++) {
        const haft__graph_task *task = &x->tasks[i];
        items[i] = write_wake(x, task->node, task->by, task->by_count, NULL, io_failed);
    }
    *io_failed = *io_failed || items == NULL;
    return haft__json_array(items, items != NULL ? x->task_count : 0);
}

/* `joins`: the joins that have some of their starts, by the number of the edge. */
static haft__json write_joins(haft__graph_execution *x, const bool *arrived, bool *io_failed)
{
    const haft__graph *graph = x->graph;
    haft__json *items = haft__arena_array(&x->scratch, graph->join_count + 1, sizeof(*items));
    size_t count = 0;
    for (size_t j = 0; items != NULL && j < graph->join_count; j++) {
        uint32_t e = graph->joins[j];
        const haft__graph_edge *edge = &graph->edges[e];
        haft__graph_node_id *from =
            haft__arena_array(&x->scratch, edge->from_count + 1, sizeof(*from));
        size_t here = 0;
        *io_failed = *io_failed || from == NULL;
        for (size_t i = 0; from != NULL && i < edge->from_count; i++) {
            if (arrived[edge->place + i]) {
                from[here++] = edge->from[i];
            }
        }
        if (here > 0) {
            haft__graph_fields f = haft__graph_begin_fields(&x->scratch, 2);
            haft__graph_add_number(&f, "edge", e);
            haft__graph_add_field(&f, HAFT__LIT("from"), names_of(x, from, here, io_failed));
            items[count++] = haft__graph_end_fields(&f);
            *io_failed = *io_failed || f.out_of_memory;
        }
    }
    *io_failed = *io_failed || items == NULL;
    return haft__json_array(items, count);
}

static haft__json write_deferred(haft__graph_execution *x, const bool *deferred, bool *io_failed)
{
    haft__graph_node_id *nodes =
        haft__arena_array(&x->scratch, x->graph->defer_count + 1, sizeof(*nodes));
    size_t count = 0, max = x->graph->defer_count > 0 ? x->graph->node_count : 0;
    for (size_t n = 0; nodes != NULL && n < max; n++) {
        if (deferred[n]) {
            nodes[count++] = (haft__graph_node_id)n;
        }
    }
    *io_failed = *io_failed || nodes == NULL;
    return names_of(x, nodes, nodes != NULL ? count : 0, io_failed);
}

/* Adds the consequences of a step as members of an event. Omits empty lists, except `next`. */
void haft__graph_add_following(haft__graph_execution *x, haft__graph_fields *f,
                               const haft__graph_following *following)
{
    haft__json joins = write_joins(x, following->arrived, &f->out_of_memory);
    haft__json deferred = write_deferred(x, following->deferred, &f->out_of_memory);
    haft__graph_add_field(f, HAFT__LIT("next"), write_wakes(x, following, &f->out_of_memory));
    if (joins.count > 0) {
        haft__graph_add_field(f, HAFT__LIT("joins"), joins);
    }
    if (deferred.count > 0) {
        haft__graph_add_field(f, HAFT__LIT("deferred"), deferred);
    }
}

void haft__graph_add_changes(haft__graph_fields *f, const haft__graph_changes *c)
{
    haft__graph_add_field(f, HAFT__LIT("updates"), c->updates);
    if (c->replaced.count > 0) {
        haft__graph_add_field(f, HAFT__LIT("replaced"), c->replaced);
    }
    if (c->dropped.count > 0) {
        haft__graph_add_field(f, HAFT__LIT("dropped"), c->dropped);
    }
}

/* ---- the event of a step ---- */

/* Resets the joins whose targets have run. */
static void clear_joins(const haft__graph_execution *x, bool *arrived)
{
    for (size_t j = 0; j < x->graph->join_count; j++) {
        const haft__graph_edge *edge = &x->graph->edges[x->graph->joins[j]];
        bool full = true, used = false;
        for (size_t i = 0; full && i < edge->from_count; i++) {
            full = arrived[edge->place + i];
        }
        for (size_t t = 0; full && t < x->task_count && !used; t++) {
            for (size_t i = 0; i < edge->branches->to_count && !x->tasks[t].has_argument; i++) {
                used = used || edge->branches->to[i] == x->tasks[t].node;
            }
        }
        for (size_t i = 0; used && i < edge->from_count; i++) {
            arrived[edge->place + i] = false;
        }
    }
}

bool *haft__graph_copy_arrived(haft__graph_execution *x)
{
    bool *arrived = haft__arena_array(&x->scratch, x->graph->join_places + 1, sizeof(*arrived));
    if (arrived != NULL) {
        memcpy(arrived, x->arrived, x->graph->join_places * sizeof(*arrived));
    }
    return arrived;
}

haft_status haft__graph_commit(haft__graph_execution *x, haft__json *ret_event, bool *ret_committed,
                               haft_error *err)
{
    haft__arena_reset(&x->scratch);
    haft__graph_finished *finished =
        haft__arena_array(&x->scratch, x->task_count + 1, sizeof(*finished));
    bool *arrived = haft__graph_copy_arrived(x), conflict = false;
    haft__graph_following following = {.arrived = arrived, .deferred = x->deferred};
    haft__graph_changes c;
    *ret_committed = false;
    if (finished == NULL || arrived == NULL) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t i = 0; i < x->task_count; i++) {
        finished[i] =
            (haft__graph_finished){.node = x->tasks[i].node, .output = &x->tasks[i].program.output};
    }
    haft_status status =
        haft__graph_reduce_all(x, finished, x->task_count, haft__json_null(), &c, &conflict, err);
    if (status != HAFT_OK || conflict) {
        return status;
    }
    clear_joins(x, arrived);
    haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_SHAPE};
    if (!x->last) {
        status = haft__graph_follow(x, finished, x->task_count, arrived, &following, &failure, err);
    }
    if (status != HAFT_OK || failure.code != HAFT__GRAPH_BAD_SHAPE) {
        x->failure = failure;
        return status;
    }
    haft__graph_fields f = haft__graph_begin_fields(&x->scratch, 12);
    haft__graph_add_number(&f, "step", x->step + 1);
    haft__graph_add_field(&f, HAFT__LIT("nodes"), write_tasks(x, &f.out_of_memory));
    haft__graph_add_changes(&f, &c);
    haft__graph_add_number(&f, "remaining_steps",
                           x->limit > x->step + 1 ? x->limit - x->step - 1 : 0);
    haft__graph_add_following(x, &f, &following);
    if (x->last) {
        haft__graph_add_field(&f, HAFT__LIT("limit"), haft__json_bool(true));
    }
    *ret_event = haft__graph_end_fields(&f);
    *ret_committed = !f.out_of_memory;
    return f.out_of_memory ? haft__arena_fail(&x->scratch, err) : HAFT_OK;
}
