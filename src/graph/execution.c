/* SPDX-License-Identifier: Apache-2.0 */
/* execution.c - performs the steps of a graph: decides which tasks run, when a step ends, and how
 * the graph ends. Tests: tests/graph/execution_test.c. */
#include "graph/execution.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/object.h"

haft_status haft__graph_execution_create(const haft__graph *graph,
                                         const haft__graph_execution_options *options,
                                         haft__graph_execution **ret_execution, haft_error *err)
{
    haft__graph_execution *x = calloc(1, sizeof(*x));
    *ret_execution = NULL;
    if (x == NULL) {
        return haft__fail_no_memory(err);
    }
    x->graph = graph;
    x->options = *options;
    x->limit = options->limit > 0 ? options->limit : graph->recursion_limit;
    x->arrived = calloc(graph->join_places + 1, sizeof(*x->arrived));
    x->deferred = calloc(graph->node_count + 1, sizeof(*x->deferred));
    x->custom = graph->has_custom ? calloc(graph->channel_count, sizeof(*x->custom)) : NULL;
    x->checker = haft__checker_create();
    haft__arena_init(&x->arenas[0], HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft__arena_init(&x->arenas[1], HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft__arena_init(&x->scratch, HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft_status status =
        haft__channel_values_init(&x->state, graph->channels, graph->channel_count, err);
    if (status == HAFT_OK
        && (x->arrived == NULL || x->deferred == NULL || x->checker == NULL
            || (graph->has_custom && x->custom == NULL))) {
        status = haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        haft__graph_execution_destroy(x);
        return status;
    }
    *ret_execution = x;
    return HAFT_OK;
}

void haft__graph_execution_destroy(haft__graph_execution *x)
{
    if (x == NULL) {
        return;
    }
    haft__channel_values_finish(&x->state);
    haft__arena_finish(&x->arenas[0]);
    haft__arena_finish(&x->arenas[1]);
    haft__arena_finish(&x->scratch);
    haft__checker_destroy(x->checker);
    free(x->arrived);
    free(x->deferred);
    free(x->custom);
    free(x);
}

/* ---- steps ---- */

/* Handles the step limit: the node `on_limit` runs instead of the tasks; without `on_limit` the run
 * ends. */
static haft_status reach_limit(haft__graph_execution *x, haft_error *err)
{
    if (!x->graph->has_on_limit) {
        x->end = HAFT__GRAPH_EXHAUSTED;
        return HAFT_OK;
    }
    haft__graph_task *task = haft__arena_array(haft__graph_task_arena(x), 1, sizeof(*task));
    if (task == NULL) {
        return haft__arena_fail(haft__graph_task_arena(x), err);
    }
    task->node = x->graph->on_limit;
    x->tasks = task;
    x->task_count = 1;
    x->last = true;
    return HAFT_OK;
}

/* Runs ready tasks until one has a request, or none is ready. */
static haft_status run_ready(haft__graph_execution *x, haft__graph_action *ret_action,
                             haft_error *err)
{
    size_t room = x->options.concurrency > 0 ? x->options.concurrency : SIZE_MAX;
    while (x->cursor < x->task_count && x->busy - x->persons < room) {
        haft__graph_task *task = &x->tasks[x->cursor];
        if (task->state != HAFT__TASK_READY) {
            x->cursor++;
            continue;
        }
        haft_status status = haft__graph_advance_task(x, task, ret_action, err);
        if (status != HAFT_OK || ret_action->kind == HAFT__ACTION_REQUEST) {
            return status;
        }
    }
    return HAFT_OK;
}

/* Ends the execution. If a join waits for a start that did not run, the end is INCOMPLETE. */
static haft_status find_unmet_join(haft__graph_execution *x, haft_error *err)
{
    haft__arena_reset(&x->scratch);
    for (size_t j = 0; j < x->graph->join_count; j++) {
        const haft__graph_edge *edge = &x->graph->edges[x->graph->joins[j]];
        size_t here = 0;
        for (size_t i = 0; i < edge->from_count; i++) {
            here += x->arrived[edge->place + i];
        }
        if (here == 0) {
            continue;
        }
        haft_str *missing = haft__arena_array(&x->scratch, edge->from_count + 1, sizeof(*missing));
        x->end = HAFT__GRAPH_INCOMPLETE;
        x->failed_nodes = missing;
        x->failed_node_count = 0;
        for (size_t i = 0; missing != NULL && i < edge->from_count; i++) {
            if (!x->arrived[edge->place + i]) {
                missing[x->failed_node_count++] = haft__graph_node_name(x->graph, edge->from[i]);
            }
        }
        x->failure = (haft__graph_failure){
            .code = HAFT__GRAPH_JOIN_UNMET,
            .message = missing != NULL && x->failed_node_count > 0
                           ? haft__arena_format(&x->scratch,
                                                "a join did not get all its starts: '%.*s' has not "
                                                "led to it",
                                                HAFT__ARG(missing[0]))
                           : HAFT__LIT("a join was never used")};
        return missing != NULL && x->failure.message.ptr != NULL
                   ? HAFT_OK
                   : haft__arena_fail(&x->scratch, err);
    }
    x->end = HAFT__GRAPH_DONE;
    return HAFT_OK;
}

static void set_failed(haft__graph_execution *x)
{
    size_t i = 0;
    while (x->tasks[i].state != HAFT__TASK_FAILED) {
        i++;
    }
    x->end = HAFT__GRAPH_FAILED;
    x->failure = x->tasks[i].failure;
    x->failed_nodes = &x->graph->nodes[x->tasks[i].node].name;
    x->failed_node_count = 1;
}

/* Finds a done task that ends the graph with a command, or returns NULL. */
static const haft__graph_output *find_command(const haft__graph_execution *x)
{
    for (size_t i = 0; i < x->task_count; i++) {
        const haft__graph_task *task = &x->tasks[i];
        if (task->state == HAFT__TASK_DONE && task->program.output.has_command) {
            return &task->program.output;
        }
    }
    return NULL;
}

/* Decides the next state when no task can run: waiting, commit of the step, or end. */
static haft_status settle(haft__graph_execution *x, haft__graph_action *ret_action, haft_error *err)
{
    bool committed = false;
    haft_status status = HAFT_OK;
    if (x->busy > (x->options.patient ? 0 : x->persons)) {
        return HAFT_OK; /* the execution waits */
    }
    const haft__graph_output *command = x->failed == 0 ? find_command(x) : NULL;
    if (x->failed > 0) {
        set_failed(x);
    } else if (command != NULL) {
        x->end = HAFT__GRAPH_DONE;
        x->has_command = true;
        x->command = command->command;
    } else if (x->done == x->task_count && haft__graph_request_reduction(x, ret_action)) {
        return HAFT_OK;
    } else if (x->done == x->task_count) {
        status = haft__graph_commit(x, &ret_action->event, &committed, err);
        ret_action->kind = committed ? HAFT__ACTION_STEP : HAFT__ACTION_ENDED;
        x->end = committed || status != HAFT_OK ? x->end : HAFT__GRAPH_FAILED;
        return status;
    }
    ret_action->kind = x->end != HAFT__GRAPH_OPEN ? HAFT__ACTION_ENDED : HAFT__ACTION_WAITING;
    return HAFT_OK;
}

static haft_status find_next(haft__graph_execution *x, haft__graph_action *ret_action,
                             haft_error *err)
{
    haft_status status = HAFT_OK;
    bool found = false;
    *ret_action = (haft__graph_action){.kind = HAFT__ACTION_WAITING};
    if (x->end == HAFT__GRAPH_OPEN && !x->paused) {
        if (x->task_count == 0) {
            status = find_unmet_join(x, err);
        } else if (!x->open && x->step >= x->limit && !x->last) {
            status = reach_limit(x, err);
        }
    }
    if (status != HAFT_OK || x->end != HAFT__GRAPH_OPEN || x->paused) {
        ret_action->kind = x->end != HAFT__GRAPH_OPEN ? HAFT__ACTION_ENDED : HAFT__ACTION_WAITING;
        return status;
    }
    x->open = true;
    status = haft__graph_look_up(x, ret_action, &found, err);
    if (status == HAFT_OK && !found) {
        status = run_ready(x, ret_action, err);
    }
    return status == HAFT_OK && ret_action->kind != HAFT__ACTION_REQUEST
               ? settle(x, ret_action, err)
               : status;
}

haft_status haft__graph_execution_next(haft__graph_execution *x, haft__graph_action *ret_action,
                                       haft_error *err)
{
    haft_error why = {0};
    haft_status status = find_next(x, ret_action, &why);
    if (status == HAFT_TOO_BIG) {
        haft__graph_execution_fail(x, &why);
        *ret_action = (haft__graph_action){.kind = HAFT__ACTION_ENDED};
        return HAFT_OK;
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, why.where, "%s", why.message);
}

void haft__graph_execution_fail(haft__graph_execution *x, const haft_error *why)
{
    x->exceeded = *why;
    x->end = HAFT__GRAPH_FAILED;
    x->failure = (haft__graph_failure){.code = HAFT__GRAPH_BAD_UPDATE,
                                       .message = haft__str(x->exceeded.message)};
    x->failed_channel = (haft_str){NULL, 0};
    x->failed_nodes = x->task_count > 0 ? &x->graph->nodes[x->tasks[0].node].name : NULL;
    x->failed_node_count = x->task_count == 1; /* with several tasks, no single node has failed */
}

/* ---- retries ---- */

void haft__graph_execution_reopen(haft__graph_execution *x, uint32_t more)
{
    bool extended = x->end == HAFT__GRAPH_EXHAUSTED && !x->last && more > 0;
    x->limit = extended ? x->step + more : x->limit;
    if (extended || x->end == HAFT__GRAPH_FAILED) {
        x->end = HAFT__GRAPH_OPEN;
    }
    for (size_t i = 0; i < x->task_count; i++) {
        haft__graph_task *task = &x->tasks[i];
        if (task->state == HAFT__TASK_FAILED) {
            task->failures = 0;
            haft__graph_set_task_state(x, task, HAFT__TASK_READY);
            haft__graph_notice_task(x, task);
        }
    }
    x->paused = false;
}

/* The task as it was when the step began. */
static haft__graph_task fresh(const haft__graph_task *task)
{
    return (haft__graph_task){.node = task->node,
                              .has_argument = task->has_argument,
                              .argument = task->argument,
                              .by = task->by,
                              .by_count = task->by_count};
}

void haft__graph_execution_restart_task(haft__graph_execution *x, size_t index)
{
    haft__graph_task *task = &x->tasks[index];
    haft__graph_set_task_state(x, task, HAFT__TASK_READY);
    haft__graph_task begun = *task;
    *task = fresh(&begun);
    task->number = begun.number;
    task->host = begun.host;
}

void haft__graph_execution_restart(haft__graph_execution *x)
{
    for (size_t i = 0; i < x->task_count; i++) {
        x->tasks[i] = fresh(&x->tasks[i]);
    }
    x->last_number = 0;
    haft__graph_reset_reductions(x);
    x->busy = x->persons = x->done = x->failed = x->cursor = 0;
    x->open = false;
    x->end = HAFT__GRAPH_OPEN;
    x->has_command = false;
}

haft_status haft__graph_execution_state(const haft__graph_execution *x, bool lasting,
                                        haft__arena *arena, haft__json *ret_state, haft_error *err)
{
    const haft__graph *graph = x->graph;
    size_t count = 0;
    haft__json_member *members =
        haft__arena_array(arena, graph->channel_count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t c = 0; c < graph->channel_count; c++) {
        bool left_out = lasting && graph->channels[c].lifetime == HAFT__LIFETIME_STEP;
        if (x->state.values[c].present && !left_out) {
            members[count++] =
                (haft__json_member){.key = haft__json_string(graph->channels[c].name),
                                    .value = x->state.values[c].value};
        }
    }
    *ret_state = haft__json_object(members, count);
    return HAFT_OK;
}
