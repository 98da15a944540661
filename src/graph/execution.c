/* SPDX-License-Identifier: Apache-2.0 */
/* execution.c - the tasks of a step: what each does next. Tests: tests/graph/execution_test.c. */
#include "graph/execution.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/canonical.h"
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
    x->checker = haft__checker_create();
    haft__arena_init(&x->arenas[0], HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft__arena_init(&x->arenas[1], HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft__arena_init(&x->scratch, HAFT__LIMIT_GRAPH_STEP_BYTES);
    haft_status status = haft__graph_state_init(&x->state, graph, err);
    if (status == HAFT_OK && (x->arrived == NULL || x->deferred == NULL || x->checker == NULL)) {
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
    haft__graph_state_finish(&x->state);
    haft__arena_finish(&x->arenas[0]);
    haft__arena_finish(&x->arenas[1]);
    haft__arena_finish(&x->scratch);
    haft__checker_destroy(x->checker);
    free(x->arrived);
    free(x->deferred);
    free(x);
}

/* ---- states of tasks ---- */

static void set_state(haft__graph_execution *x, haft__graph_task *task,
                      haft__graph_task_state state)
{
    size_t *counts[] = {[HAFT__TASK_READY] = NULL,
                        [HAFT__TASK_BUSY] = &x->busy,
                        [HAFT__TASK_DONE] = &x->done,
                        [HAFT__TASK_FAILED] = &x->failed};
    if (counts[task->state] != NULL) {
        (*counts[task->state])--;
    }
    if (counts[state] != NULL) {
        (*counts[state])++;
    }
    if (task->for_person) {
        task->for_person = false;
        x->persons--;
    }
    task->state = state;
    size_t index = (size_t)(task - x->tasks);
    if (state == HAFT__TASK_READY && index < x->cursor) {
        x->cursor = index;
    }
}

void haft__graph_execution_set_for_person(haft__graph_execution *x, size_t index, bool for_person)
{
    haft__graph_task *task = &x->tasks[index];
    if (task->state == HAFT__TASK_BUSY && task->for_person != for_person) {
        task->for_person = for_person;
        x->persons += for_person ? 1 : (size_t)-1;
    }
}

static void notice(const haft__graph_execution *x, haft__graph_task *task)
{
    if (x->options.notice != NULL) {
        x->options.notice(x->options.context, task);
    }
}

/* ---- failures ---- */

/* An attempt has failed: another one, the handler of the node, or the end of the task. */
static haft_status fail_task(haft__graph_execution *x, haft__graph_task *task,
                             haft__graph_failure failure, haft_error *err)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    haft__arena *arena = haft__graph_task_arena(x);
    haft__json view;
    task->has_result = false;
    task->failure.code = failure.code;
    task->failure.message = haft__arena_copy(arena, failure.message);
    if (task->failure.message.ptr == NULL && !arena->full) {
        return haft__arena_fail(arena, err);
    }
    if (task->failure.message.ptr == NULL) {
        task->failure.message =
            HAFT__LIT("the results of the step are longer than graph.step_bytes");
    }
    if (!task->handling && ++task->failures < node->attempts) {
        task->started = task->started && node->kind == HAFT__NODE_DO;
        set_state(x, task, HAFT__TASK_READY);
        notice(x, task);
        return HAFT_OK;
    }
    if (task->handling || !node->has_handler) {
        set_state(x, task, HAFT__TASK_FAILED);
        return HAFT_OK;
    }
    task->handling = true;
    notice(x, task);
    haft_status status = haft__graph_task_view(x, task, task->failure.message, arena, &view, err);
    if (status == HAFT_OK) {
        status =
            haft__graph_program_start(&task->program, arena, x->graph, node->handler, view, err);
    }
    set_state(x, task, status == HAFT_OK ? HAFT__TASK_READY : HAFT__TASK_FAILED);
    return status == HAFT_TOO_BIG ? HAFT_OK : status; /* the handler cannot run, either */
}

/* A limit that a value of the run exceeds is a failure of the node. Other errors are the host's. */
static haft_status take_error(haft__graph_execution *x, haft__graph_task *task,
                              const haft_error *why, haft_error *err)
{
    if (why->status == HAFT_TOO_BIG) {
        return fail_task(x, task,
                         (haft__graph_failure){.code = HAFT__GRAPH_BAD_UPDATE,
                                               .message = haft__str(why->message)},
                         err);
    }
    return haft__fail(err, why->status, why->where, "%s", why->message);
}

/* ---- progress ---- */

/* The output is complete: a value that a channel does not accept is a failure of the node. */
static haft_status finish_task(haft__graph_execution *x, haft__graph_task *task, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    const haft__graph_output *output = &task->program.output;
    for (size_t w = 0; w < output->write_count; w++) {
        const haft__graph_write *write = &output->writes[w];
        bool valid = true;
        haft_str why;
        haft_status status =
            haft__graph_check_write(&x->graph->channels[write->channel], x->checker, write->value,
                                    write->overwrite, arena, &valid, &why, err);
        if (status != HAFT_OK || !valid) {
            haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_UPDATE, .message = why};
            return status != HAFT_OK ? status : fail_task(x, task, failure, err);
        }
    }
    if (output->has_command && !x->options.inside) {
        return fail_task(x, task,
                         (haft__graph_failure){.code = HAFT__GRAPH_NODE_FAILED,
                                               .message = HAFT__LIT("`parent`: no graph is around "
                                                                    "this one")},
                         err);
    }
    set_state(x, task, HAFT__TASK_DONE);
    return HAFT_OK;
}

static haft_status start_task(haft__graph_execution *x, haft__graph_task *task, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    const haft__graph_node *node = &x->graph->nodes[task->node];
    haft__json view;
    task->started = true;
    if (node->kind != HAFT__NODE_DO) {
        return HAFT_OK;
    }
    haft_status status = haft__graph_task_view(x, task, (haft_str){NULL, 0}, arena, &view, err);
    return status == HAFT_OK ? haft__graph_program_start(&task->program, arena, x->graph,
                                                         node->program, view, err)
                             : status;
}

static void make_busy(haft__graph_execution *x, haft__graph_task *task, haft__graph_request request,
                      haft__graph_action *ret_action)
{
    bool person = request.kind == HAFT__REQUEST_ASK || request.kind == HAFT__REQUEST_PAUSE;
    set_state(x, task, HAFT__TASK_BUSY);
    haft__graph_execution_set_for_person(x, (size_t)(task - x->tasks), person);
    task->request = request;
    *ret_action = (haft__graph_action){
        .kind = HAFT__ACTION_REQUEST, .task = (size_t)(task - x->tasks), .request = request};
}

/* Continues a task that runs operations. */
static haft_status run_program(haft__graph_execution *x, haft__graph_task *task,
                               haft__graph_action *ret_action, haft_error *err)
{
    haft__graph_program_state state;
    haft__graph_request request;
    haft__graph_failure failure;
    haft_status status = haft__graph_program_run(
        &task->program, task->has_result ? &task->result : NULL, &state, &request, &failure, err);
    task->has_result = false;
    if (status != HAFT_OK) {
        return status;
    }
    switch (state) {
    case HAFT__PROGRAM_DONE: return finish_task(x, task, err);
    case HAFT__PROGRAM_FAILED: return fail_task(x, task, failure, err);
    case HAFT__PROGRAM_REQUEST: make_busy(x, task, request, ret_action); return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

/* Continues a task of another kind: its request, then its output. */
static haft_status run_request(haft__graph_execution *x, haft__graph_task *task,
                               haft__graph_action *ret_action, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    haft__graph_request request;
    haft__graph_failure failure;
    bool valid;
    haft_status status;
    if (!task->has_result) {
        status = haft__graph_node_request(x, task, arena, &request, err);
        if (status == HAFT_OK) {
            make_busy(x, task, request, ret_action);
        }
        return status;
    }
    status = haft__graph_node_output(x, task, arena, &task->program.output, &valid, &failure, err);
    if (status != HAFT_OK) {
        return status;
    }
    return valid ? finish_task(x, task, err) : fail_task(x, task, failure, err);
}

static haft_status advance_task(haft__graph_execution *x, haft__graph_task *task,
                                haft__graph_action *ret_action, haft_error *err)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    haft_status status = HAFT_OK;
    if (node->pause_before && !task->released) {
        make_busy(x, task, (haft__graph_request){.kind = HAFT__REQUEST_PAUSE}, ret_action);
        return HAFT_OK;
    }
    if (!task->started && !task->handling) {
        if (task->failures == 0) {
            notice(x, task);
        }
        status = start_task(x, task, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return task->handling || node->kind == HAFT__NODE_DO ? run_program(x, task, ret_action, err)
                                                         : run_request(x, task, ret_action, err);
}

static haft_status advance(haft__graph_execution *x, haft__graph_task *task,
                           haft__graph_action *ret_action, haft_error *err)
{
    haft_error why = {0};
    return advance_task(x, task, ret_action, &why) == HAFT_OK ? HAFT_OK
                                                              : take_error(x, task, &why, err);
}

/* ---- steps ---- */

/* At the limit, `on_limit` runs in place of the tasks; without it the run ends. */
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

/* The key of a task's output in a cache: the node and what it sees. */
static haft_status make_key(haft__graph_execution *x, haft__graph_task *task, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    haft__json view;
    haft__buf buf;
    haft_status status = haft__graph_task_view(x, task, (haft_str){NULL, 0}, arena, &view, err);
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    if (status == HAFT_OK) {
        /* The facts come last and are no part of the key. */
        status =
            haft__json_write_canonical(&buf, haft__json_object(view.members, view.count - 1), err);
    }
    if (status == HAFT_OK) {
        haft_str name = x->graph->nodes[task->node].name, seen = haft__buf_str(&buf);
        size_t length = name.len + 1 + seen.len;
        char *key = haft__arena_alloc(arena, length);
        if (key == NULL) {
            status = haft__arena_fail(arena, err);
        } else {
            memcpy(key, name.ptr, name.len);
            key[name.len] = ' ';
            memcpy(key + name.len + 1, seen.ptr, seen.len);
            task->cache_key = (haft_str){key, length};
        }
    }
    haft__buf_finish(&buf);
    return status;
}

/* Caches are read for all tasks of a step before any of them runs. */
static haft_status look_up(haft__graph_execution *x, haft__graph_action *ret_action,
                           bool *ret_found, haft_error *err)
{
    *ret_found = false;
    for (size_t i = 0; i < x->task_count; i++) {
        haft__graph_task *task = &x->tasks[i];
        if (!x->graph->nodes[task->node].cached || task->looked_up
            || task->state != HAFT__TASK_READY) {
            continue;
        }
        haft_status status = make_key(x, task, err);
        if (status == HAFT_TOO_BIG) { /* such an output is not kept */
            task->looked_up = true;
            continue;
        }
        if (status == HAFT_OK) {
            make_busy(x, task,
                      (haft__graph_request){.kind = HAFT__REQUEST_LOOKUP, .name = task->cache_key},
                      ret_action);
            *ret_found = true;
        }
        return status;
    }
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
        haft_status status = advance(x, task, ret_action, err);
        if (status != HAFT_OK || ret_action->kind == HAFT__ACTION_REQUEST) {
            return status;
        }
    }
    return HAFT_OK;
}

/* No task is left, or all are done. */
static haft_status find_unmet_join(haft__graph_execution *x, haft_error *err)
{
    haft__arena_reset(&x->scratch);
    for (size_t e = 0; e < x->graph->edge_count; e++) {
        const haft__graph_edge *edge = &x->graph->edges[e];
        size_t here = 0;
        for (size_t i = 0; edge->kind == HAFT__EDGE_JOIN && i < edge->from_count; i++) {
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

/* A done task that ends the graph with a command. */
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

/* Nothing can run: what that means. */
static haft_status settle(haft__graph_execution *x, haft__graph_action *ret_action, haft_error *err)
{
    bool committed = false;
    haft_status status = HAFT_OK;
    if (x->busy > (x->options.patient ? 0 : x->persons)) {
        return HAFT_OK; /* waiting */
    }
    const haft__graph_output *command = x->failed == 0 ? find_command(x) : NULL;
    if (x->failed > 0) {
        set_failed(x);
    } else if (command != NULL) {
        x->end = HAFT__GRAPH_DONE;
        x->has_command = true;
        x->command = command->command;
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
    status = look_up(x, ret_action, &found, err);
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
    x->failed_node_count = x->task_count == 1; /* else no node more than another */
}

/* ---- replies ---- */

static haft_status take_reply(haft__graph_execution *x, size_t index, haft__json result,
                              haft_error *err)
{
    haft__graph_task *task = &x->tasks[index];
    haft__arena *arena = haft__graph_task_arena(x);
    haft__graph_request_kind kind = task->request.kind;
    haft_status status = HAFT_OK;
    set_state(x, task, HAFT__TASK_READY);
    if (kind == HAFT__REQUEST_PAUSE) {
        task->released = true;
    } else if (kind == HAFT__REQUEST_LOOKUP) {
        task->looked_up = true;
        if (result.kind == HAFT__JSON_OBJECT) {
            haft__json copied;
            status = haft__json_copy_deep(arena, result, &copied, err);
            if (status == HAFT_OK) {
                status = haft__graph_output_from_json(x->graph, copied, arena,
                                                      &task->program.output, err);
            }
            task->cache_key = (haft_str){NULL, 0};
            set_state(x, task, status == HAFT_OK ? HAFT__TASK_DONE : HAFT__TASK_READY);
        }
    } else {
        status = haft__json_copy_deep(arena, result, &task->result, err);
        task->has_result = status == HAFT_OK;
    }
    return status;
}

haft_status haft__graph_execution_reply(haft__graph_execution *x, size_t index, haft__json result,
                                        haft_error *err)
{
    haft_error why = {0};
    return take_reply(x, index, result, &why) == HAFT_OK
               ? HAFT_OK
               : take_error(x, &x->tasks[index], &why, err);
}

haft_status haft__graph_execution_reply_error(haft__graph_execution *x, size_t index,
                                              haft__graph_code code, haft_str message,
                                              haft_error *err)
{
    haft__graph_task *task = &x->tasks[index];
    set_state(x, task, HAFT__TASK_READY);
    return fail_task(x, task, (haft__graph_failure){.code = code, .message = message}, err);
}

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
            set_state(x, task, HAFT__TASK_READY);
            notice(x, task);
        }
    }
    x->paused = false;
}

void haft__graph_execution_restart(haft__graph_execution *x)
{
    for (size_t i = 0; i < x->task_count; i++) {
        const haft__graph_task old = x->tasks[i];
        x->tasks[i] = (haft__graph_task){.node = old.node,
                                         .has_argument = old.has_argument,
                                         .argument = old.argument,
                                         .by = old.by,
                                         .by_count = old.by_count};
    }
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
