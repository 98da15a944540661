/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - applies an event to an execution. An event can come from a file or a damaged store, so
 * its names and types are checked. Tests: tests/graph/execution_test.c,
 * tests/graph/run/graph_run_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/object.h"

static haft_status reject(haft_error *err, const char *what, haft_str name)
{
    return haft__fail(err, HAFT_BAD_INPUT, "", "%s '%.*s'", what, HAFT__ARG(name));
}

/* ---- the state ---- */

static haft_status fold_updates(haft__graph_execution *x, haft__json event, haft_error *err)
{
    haft__json updates = haft__object_object(event, "updates");
    haft__json replaced = haft__object_array(event, "replaced");
    haft__json dropped = haft__object_array(event, "dropped");
    uint32_t channel;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < updates.count && status == HAFT_OK; i++) {
        haft_str name = haft__json_text(updates.members[i].key);
        if (!haft__graph_find_channel(x->graph, name, &channel)) {
            return reject(err, "it changes the unknown channel", name);
        }
        const haft__channel *c = &x->graph->channels[channel];
        haft__channel_delta delta = {.changed = true,
                                     .replaced = c->reducer == HAFT__REDUCE_REPLACE
                                                 || haft__array_has_text(replaced, name),
                                     .value = updates.members[i].value};
        if (!delta.replaced && !haft__channel_is_change(c, delta.value)) {
            return reject(err, "the change has the wrong type for the channel", name);
        }
        status = haft__channel_apply(c, &x->state.values[channel], &delta, err);
    }
    for (uint32_t i = 0; i < dropped.count; i++) {
        if (haft__graph_find_channel(x->graph, haft__json_text(dropped.items[i]), &channel)) {
            x->state.values[channel].present = false;
        }
    }
    return status;
}

/* ---- tasks ---- */

static haft__graph_node_id read_node(const haft__graph *graph, haft__json name)
{
    haft__graph_node_id node = HAFT__GRAPH_START;
    return haft__graph_find_node(graph, haft__json_text(name), &node) ? node : HAFT__GRAPH_START;
}

static haft_status read_task(haft__graph_execution *x, haft__json source, haft__arena *arena,
                             haft__graph_task *task, haft_error *err)
{
    haft__json by = haft__object_array(source, "by");
    const haft__json *argument = haft__object_find(source, "arg");
    haft_str name = haft__object_string(source, "node");
    *task = (haft__graph_task){.has_argument = argument != NULL,
                               .by = haft__arena_array(arena, by.count + 1, sizeof(*task->by)),
                               .by_count = by.count};
    if (task->by == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (!haft__graph_find_node(x->graph, name, &task->node)) {
        return reject(err, "the next step has the unknown node", name);
    }
    if (argument != NULL && argument->kind != HAFT__JSON_OBJECT) {
        return reject(err, "the next step has an invalid argument for", name);
    }
    for (uint32_t i = 0; i < by.count; i++) {
        task->by[i] = read_node(x->graph, by.items[i]);
    }
    return argument != NULL ? haft__json_copy_deep(arena, *argument, &task->argument, err)
                            : HAFT_OK;
}

/* Tasks that an edit has added get numbers that no other task of the step has had. */
static void number_tasks(haft__graph_execution *x)
{
    for (size_t i = 0; i < x->task_count; i++) {
        haft__graph_task *task = &x->tasks[i];
        task->number = task->number > 0 ? task->number : ++x->last_number;
    }
}

static void count_tasks(haft__graph_execution *x)
{
    x->busy = x->persons = x->done = x->failed = x->cursor = 0;
    for (size_t i = 0; i < x->task_count; i++) {
        x->busy += x->tasks[i].state == HAFT__TASK_BUSY;
        x->persons += x->tasks[i].for_person;
        x->done += x->tasks[i].state == HAFT__TASK_DONE;
        x->failed += x->tasks[i].state == HAFT__TASK_FAILED;
    }
}

/* Replaces the tasks of the finished step by the tasks of the next step. */
static haft_status fold_next(haft__graph_execution *x, haft__json next, haft_error *err)
{
    unsigned other = 1 - x->arena;
    haft__arena *arena = &x->arenas[other];
    haft__arena_reset(arena);
    /* Enough to read the tasks: sends have at most graph.step_bytes. The limit for results is set
     * below. */
    arena->max = (size_t)4 * HAFT__LIMIT_GRAPH_STEP_BYTES;
    haft__graph_task *tasks = haft__arena_array(arena, (size_t)next.count + 1, sizeof(*tasks));
    haft_status status = tasks != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (uint32_t i = 0; i < next.count && status == HAFT_OK; i++) {
        status = read_task(x, next.items[i], arena, &tasks[i], err);
    }
    if (status == HAFT_OK) {
        arena->max = arena->total + HAFT__LIMIT_GRAPH_STEP_BYTES;
        x->arena = other;
        x->tasks = tasks;
        x->task_count = next.count;
        x->last_number = 0;
        number_tasks(x);
        count_tasks(x);
    }
    return status;
}

/* A start of a join has run. */
static void fold_start(haft__graph_execution *x, const haft__graph_edge *edge, haft__json name)
{
    haft__graph_node_id node = read_node(x->graph, name);
    const haft__graph_start *start = haft__graph_find_start(edge, node);
    const haft__graph_start *end = edge->starts + edge->from_count;
    for (; start != NULL && start < end && start->node == node; start++) {
        x->arrived[edge->place + start->place] = true;
    }
}

static void fold_joins(haft__graph_execution *x, haft__json event)
{
    haft__json joins = haft__object_array(event, "joins");
    haft__json deferred = haft__object_array(event, "deferred");
    memset(x->arrived, 0, x->graph->join_places * sizeof(*x->arrived));
    memset(x->deferred, 0, x->graph->node_count * sizeof(*x->deferred));
    for (uint32_t i = 0; i < joins.count; i++) {
        uint64_t number = haft__object_number(joins.items[i], "edge", x->graph->edge_count);
        haft__json from = haft__object_array(joins.items[i], "from");
        if (number >= x->graph->edge_count) {
            continue;
        }
        const haft__graph_edge *edge = &x->graph->edges[number];
        for (uint32_t n = 0; edge->kind == HAFT__EDGE_JOIN && n < from.count; n++) {
            fold_start(x, edge, from.items[n]);
        }
    }
    for (uint32_t i = 0; i < deferred.count; i++) {
        haft__graph_node_id node;
        if (haft__graph_find_node(x->graph, haft__json_text(deferred.items[i]), &node)) {
            x->deferred[node] = true;
        }
    }
}

/* ---- edits ---- */

/* Orders tasks: nodes by name, then sends in their order. */
static int compare_tasks(const void *a, const void *b)
{
    const haft__graph_task *left = a, *right = b;
    if (left->has_argument != right->has_argument) {
        return left->has_argument ? 1 : -1;
    }
    return left->has_argument || left->node == right->node ? 0 : left->node < right->node ? -1 : 1;
}

static void remove_by(haft__graph_task *task, haft__graph_node_id by)
{
    size_t kept = 0;
    for (size_t i = 0; i < task->by_count; i++) {
        if (task->by[i] != by) {
            task->by[kept++] = task->by[i];
        }
    }
    task->by_count = kept;
}

/* Removes the tasks that only `as` woke, and adds the tasks that follow from `as` now. */
static haft_status fold_decided_again(haft__graph_execution *x, haft__graph_node_id as,
                                      haft__json next, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    haft__graph_task *tasks =
        haft__arena_array(arena, x->task_count + next.count + 1, sizeof(*tasks));
    size_t count = 0;
    haft_status status = tasks != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; i < x->task_count && status == HAFT_OK; i++) {
        bool woken = x->tasks[i].by_count > 0;
        remove_by(&x->tasks[i], as);
        if (!woken || x->tasks[i].by_count > 0) {
            tasks[count++] = x->tasks[i];
        }
    }
    for (uint32_t i = 0; i < next.count && status == HAFT_OK; i++) {
        status = read_task(x, next.items[i], arena, &tasks[count], err);
        count++;
    }
    if (status != HAFT_OK) {
        return status;
    }
    /* Insertion keeps the order of sends. */
    for (size_t i = 1; i < count; i++) {
        haft__graph_task moved = tasks[i];
        size_t at = i;
        for (; at > 0 && compare_tasks(&tasks[at - 1], &moved) > 0; at--) {
            tasks[at] = tasks[at - 1];
        }
        tasks[at] = moved;
    }
    x->tasks = tasks;
    x->task_count = count;
    count_tasks(x);
    return HAFT_OK;
}

/* Ends a task that has not run, with the values of a person as its output. */
static haft_status fold_done_task(haft__graph_execution *x, size_t index, haft__json values,
                                  haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    haft__graph_task *task = &x->tasks[index];
    haft__json copied;
    haft_status status = haft__json_copy_deep(arena, values, &copied, err);
    task->program.output = (haft__graph_output){0};
    for (uint32_t i = 0; status == HAFT_OK && i < copied.count; i++) {
        haft__channel_write write = {.value = copied.members[i].value};
        haft_str name = haft__json_text(copied.members[i].key), why;
        bool valid = haft__graph_find_channel(x->graph, name, &write.channel);
        if (valid) {
            status = haft__channel_check_write(&x->graph->channels[write.channel], x->checker,
                                               write.value, false, arena, &valid, &why, err);
        }
        if (status == HAFT_OK && !valid) {
            return reject(err, "the edit has no valid value for the channel", name);
        }
        if (status == HAFT_OK) {
            status = haft__graph_output_write(&task->program.output, arena, write, err);
        }
    }
    task->state = HAFT__TASK_DONE;
    task->for_person = false;
    task->cache_key = (haft_str){NULL, 0};
    x->open = x->step < x->limit || x->last; /* an edit does not begin a step past the limit */
    count_tasks(x);
    return status;
}

/* Tasks that have begun borrow from the values that an edit changes: these live as long as the
 * tasks. */
static haft_status retire_values(haft__graph_execution *x, haft__json event, haft_error *err)
{
    haft__json updates = haft__object_object(event, "updates");
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < updates.count && status == HAFT_OK; i++) {
        uint32_t channel;
        if (haft__graph_find_channel(x->graph, haft__json_text(updates.members[i].key), &channel)) {
            status =
                haft__channel_retire(&x->state.values[channel], haft__graph_task_arena(x), err);
        }
    }
    return status;
}

static haft_status fold_edit(haft__graph_execution *x, haft__json event, haft_error *err)
{
    const haft__json *as = haft__object_find(event, "as");
    bool decided = haft__object_find(event, "next") != NULL;
    uint64_t task = haft__object_number(event, "task", x->task_count);
    haft_status status = HAFT_OK;
    x->end = HAFT__GRAPH_OPEN;
    haft__graph_discard_reductions(x);
    if (task < x->task_count) {
        status = fold_done_task(x, task, haft__object_object(event, "edit"), err);
    } else {
        status = retire_values(x, event, err);
        status = status == HAFT_OK ? fold_updates(x, event, err) : status;
        if (status == HAFT_OK && as != NULL && decided) {
            fold_joins(x, event);
            status = fold_decided_again(x, read_node(x->graph, *as),
                                        haft__object_array(event, "next"), err);
        }
    }
    number_tasks(x);
    return status;
}

/* ---- any event ---- */

/* Whether a node of the step has `pause: after`. */
static bool pauses_after(const haft__graph *graph, haft__json nodes)
{
    for (uint32_t i = 0; i < nodes.count; i++) {
        haft__graph_node_id node;
        if (haft__graph_find_node(graph, haft__object_string(nodes.items[i], "node"), &node)
            && graph->nodes[node].pause_after) {
            return true;
        }
    }
    return false;
}

haft_status haft__graph_execution_fold(haft__graph_execution *x, haft__json event, haft_error *err)
{
    if (haft__object_find(event, "edit") != NULL) {
        return fold_edit(x, event, err);
    }
    bool limit = haft__object_flag(event, "limit", false);
    haft_status status = fold_updates(x, event, err);
    if (status == HAFT_OK) {
        status = fold_next(x, haft__object_array(event, "next"), err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    fold_joins(x, event);
    haft__graph_reset_reductions(x);
    x->step = (uint32_t)haft__object_number(event, "step", x->step);
    x->open = false;
    x->last = limit;
    x->end = limit ? HAFT__GRAPH_EXHAUSTED : HAFT__GRAPH_OPEN;
    x->paused = x->task_count > 0 && pauses_after(x->graph, haft__object_array(event, "nodes"));
    for (size_t c = 0; x->step == 0 && c < x->graph->channel_count; c++) {
        x->state.values[c].written = false;
    }
    return HAFT_OK;
}

/* ---- outputs as JSON ---- */

haft_status haft__graph_output_to_json(const haft__graph *graph, const haft__graph_output *output,
                                       haft__arena *arena, haft__json *ret_json, haft_error *err)
{
    haft__json *writes = haft__arena_array(arena, output->write_count + 1, sizeof(*writes));
    haft__json *gotos = haft__arena_array(arena, output->goto_count + 1, sizeof(*gotos));
    haft__json *sends = haft__arena_array(arena, output->send_count + 1, sizeof(*sends));
    haft__json object = haft__json_object(NULL, 0);
    haft_status status =
        writes != NULL && gotos != NULL && sends != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; i < output->write_count && status == HAFT_OK; i++) {
        const haft__channel_write *write = &output->writes[i];
        haft__json entry = haft__json_object(NULL, 0);
        status = haft__graph_set_member(arena, entry, HAFT__LIT("channel"),
                                        haft__json_string(graph->channels[write->channel].name),
                                        &entry, err);
        if (status == HAFT_OK) {
            status = haft__graph_set_member(
                arena, entry, write->overwrite ? HAFT__LIT("overwrite") : HAFT__LIT("value"),
                write->value, &writes[i], err);
        }
    }
    for (size_t i = 0; i < output->goto_count && status == HAFT_OK; i++) {
        gotos[i] = haft__json_string(haft__graph_node_name(graph, output->gotos[i]));
    }
    for (size_t i = 0; i < output->send_count && status == HAFT_OK; i++) {
        haft__json entry = haft__json_object(NULL, 0);
        status = haft__graph_set_member(
            arena, entry, HAFT__LIT("to"),
            haft__json_string(haft__graph_node_name(graph, output->sends[i].to)), &entry, err);
        if (status == HAFT_OK) {
            status = haft__graph_set_member(arena, entry, HAFT__LIT("arg"),
                                            output->sends[i].argument, &sends[i], err);
        }
    }
    const struct {
        const char *key;
        haft__json value;
    } parts[] = {{"writes", haft__json_array(writes, output->write_count)},
                 {"goto", haft__json_array(gotos, output->goto_count)},
                 {"send", haft__json_array(sends, output->send_count)}};
    for (size_t i = 0; i < COUNT(parts) && status == HAFT_OK; i++) {
        status = haft__graph_set_member(arena, object, haft__str(parts[i].key), parts[i].value,
                                        &object, err);
    }
    *ret_json = object;
    return status;
}

haft_status haft__graph_output_from_json(const haft__graph *graph, haft__json json,
                                         haft__arena *arena, haft__graph_output *ret_output,
                                         haft_error *err)
{
    haft__json writes = haft__object_array(json, "writes"),
               gotos = haft__object_array(json, "goto"), sends = haft__object_array(json, "send");
    haft_status status = HAFT_OK;
    haft__graph_node_id node;
    *ret_output = (haft__graph_output){0};
    for (uint32_t i = 0; i < writes.count && status == HAFT_OK; i++) {
        const haft__json *whole = haft__object_find(writes.items[i], "overwrite");
        haft__channel_write write = {
            .overwrite = whole != NULL,
            .value = whole != NULL ? *whole : haft__object_get(writes.items[i], "value")};
        if (haft__graph_find_channel(graph, haft__object_string(writes.items[i], "channel"),
                                     &write.channel)) {
            status = haft__graph_output_write(ret_output, arena, write, err);
        }
    }
    for (uint32_t i = 0; i < gotos.count && status == HAFT_OK; i++) {
        bool known = haft__graph_find_node(graph, haft__json_text(gotos.items[i]), &node);
        status = haft__graph_output_goto(ret_output, arena, known ? node : HAFT__GRAPH_END, err);
    }
    for (uint32_t i = 0; i < sends.count && status == HAFT_OK; i++) {
        if (haft__graph_find_node(graph, haft__object_string(sends.items[i], "to"), &node)) {
            haft__graph_send send = {.to = node,
                                     .argument = haft__object_get(sends.items[i], "arg")};
            status = haft__graph_output_send(ret_output, arena, send, err);
        }
    }
    return status;
}
