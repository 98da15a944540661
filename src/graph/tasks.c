/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - performs one task of a step: its attempts, its requests and their replies. Tests:
 * tests/graph/execution_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/canonical.h"
#include "json/object.h"

/* ---- states of tasks ---- */

void haft__graph_set_task_state(haft__graph_execution *x, haft__graph_task *task,
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

void haft__graph_notice_task(const haft__graph_execution *x, haft__graph_task *task)
{
    if (x->options.notice != NULL) {
        x->options.notice(x->options.context, task);
    }
}

/* ---- failures ---- */

/* Whether another attempt follows this failure. Counts the failure. */
static bool can_retry(haft__graph_task *task, const haft__graph_node *node,
                      const haft__graph_failure *failure)
{
    bool listed = node->retry_on == 0 || (node->retry_on & (1U << failure->kind)) != 0;
    return !task->handling && ++task->failures < node->attempts && listed && !failure->final;
}

haft_status haft__graph_fail_task(haft__graph_execution *x, haft__graph_task *task,
                                  haft__graph_failure failure, haft_error *err)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    haft__arena *arena = haft__graph_task_arena(x);
    haft__json view;
    task->has_result = false;
    task->failure.code = failure.code;
    task->failure.kind = failure.kind;
    task->failure.message = haft__arena_copy(arena, failure.message);
    if (task->failure.message.ptr == NULL && !arena->full) {
        return haft__arena_fail(arena, err);
    }
    if (task->failure.message.ptr == NULL) {
        task->failure.message =
            HAFT__LIT("the results of the step are longer than graph.step_bytes");
    }
    if (can_retry(task, node, &failure)) {
        task->started = task->started && node->kind == HAFT__NODE_DO;
        haft__graph_set_task_state(x, task, HAFT__TASK_READY);
        haft__graph_notice_task(x, task);
        return HAFT_OK;
    }
    if (task->handling || !node->has_handler) {
        haft__graph_set_task_state(x, task, HAFT__TASK_FAILED);
        return HAFT_OK;
    }
    task->handling = true;
    haft__graph_notice_task(x, task);
    haft_status status = haft__graph_task_view(x, task, task->failure.message, arena, &view, err);
    if (status == HAFT_OK) {
        status =
            haft__graph_program_start(&task->program, arena, x->graph, node->handler, view, err);
    }
    haft__graph_set_task_state(x, task, status == HAFT_OK ? HAFT__TASK_READY : HAFT__TASK_FAILED);
    return status == HAFT_TOO_BIG ? HAFT_OK : status; /* the handler cannot run either */
}

/* Handles an error. TOO_BIG is a failure of the node; other errors are errors of the host. */
static haft_status handle_error(haft__graph_execution *x, haft__graph_task *task,
                                const haft_error *why, haft_error *err)
{
    if (why->status == HAFT_TOO_BIG) {
        return haft__graph_fail_task(x, task,
                                     (haft__graph_failure){.code = HAFT__GRAPH_BAD_UPDATE,
                                                           .message = haft__str(why->message)},
                                     err);
    }
    return haft__fail(err, why->status, why->where, "%s", why->message);
}

/* ---- progress ---- */

/* Finishes a task with a complete output. If a channel does not accept a value, the node fails. */
static haft_status finish_task(haft__graph_execution *x, haft__graph_task *task, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    const haft__graph_output *output = &task->program.output;
    for (size_t w = 0; w < output->write_count; w++) {
        const haft__channel_write *write = &output->writes[w];
        bool valid = true;
        haft_str why;
        haft_status status =
            haft__channel_check_write(&x->graph->channels[write->channel], x->checker, write->value,
                                      write->overwrite, arena, &valid, &why, err);
        if (status != HAFT_OK || !valid) {
            haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_UPDATE, .message = why};
            return status != HAFT_OK ? status : haft__graph_fail_task(x, task, failure, err);
        }
    }
    if (output->has_command && !x->options.inside) {
        return haft__graph_fail_task(
            x, task,
            (haft__graph_failure){.code = HAFT__GRAPH_NODE_FAILED,
                                  .message = HAFT__LIT("`parent`: this graph has no "
                                                       "parent graph")},
            err);
    }
    haft__graph_set_task_state(x, task, HAFT__TASK_DONE);
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
    haft__graph_set_task_state(x, task, HAFT__TASK_BUSY);
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
    case HAFT__PROGRAM_FAILED: return haft__graph_fail_task(x, task, failure, err);
    case HAFT__PROGRAM_REQUEST: make_busy(x, task, request, ret_action); return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

/* Continues a task of another kind: makes its request, then its output. */
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
    return valid ? finish_task(x, task, err) : haft__graph_fail_task(x, task, failure, err);
}

static haft_status continue_task(haft__graph_execution *x, haft__graph_task *task,
                                 haft__graph_action *ret_action, haft_error *err)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    haft_status status = HAFT_OK;
    if (node->pause_before && !task->released && !task->handling) {
        make_busy(x, task, (haft__graph_request){.kind = HAFT__REQUEST_PAUSE}, ret_action);
        return HAFT_OK;
    }
    if (!task->started && !task->handling) {
        if (task->failures == 0) {
            haft__graph_notice_task(x, task);
        }
        status = start_task(x, task, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return task->handling || node->kind == HAFT__NODE_DO ? run_program(x, task, ret_action, err)
                                                         : run_request(x, task, ret_action, err);
}

haft_status haft__graph_advance_task(haft__graph_execution *x, haft__graph_task *task,
                                     haft__graph_action *ret_action, haft_error *err)
{
    haft_error why = {0};
    return continue_task(x, task, ret_action, &why) == HAFT_OK ? HAFT_OK
                                                               : handle_error(x, task, &why, err);
}

/* ---- caches ---- */

/* Makes the key of a task's output in a cache: the node and its view. */
static haft_status make_key(haft__graph_execution *x, haft__graph_task *task, haft_error *err)
{
    haft__arena *arena = haft__graph_task_arena(x);
    haft__json view;
    haft__buf buf;
    haft_status status = haft__graph_task_view(x, task, (haft_str){NULL, 0}, arena, &view, err);
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    if (status == HAFT_OK) {
        haft__buf_add_str(&buf, x->graph->nodes[task->node].name);
        haft__buf_add_str(&buf, HAFT__LIT(" "));
        /* The facts are the last member and are not part of the key. */
        status =
            haft__json_write_canonical(&buf, haft__json_object(view.members, view.count - 1), err);
    }
    if (status == HAFT_OK) {
        task->cache_key = haft__arena_copy(arena, haft__buf_str(&buf));
        status = task->cache_key.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&buf);
    return status;
}

/* Requests the cached outputs of all tasks of a step, before any task runs. */
haft_status haft__graph_look_up(haft__graph_execution *x, haft__graph_action *ret_action,
                                bool *ret_found, haft_error *err)
{
    *ret_found = false;
    size_t count = x->graph->caches ? x->task_count : 0;
    for (size_t i = 0; i < count; i++) {
        haft__graph_task *task = &x->tasks[i];
        if (!x->graph->nodes[task->node].cached || task->looked_up
            || task->state != HAFT__TASK_READY) {
            continue;
        }
        haft_status status = make_key(x, task, err);
        if (status == HAFT_TOO_BIG) { /* such an output is not cached */
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

/* ---- replies ---- */

static haft_status take_reply(haft__graph_execution *x, size_t index, haft__json result,
                              haft_error *err)
{
    haft__graph_task *task = &x->tasks[index];
    haft__arena *arena = haft__graph_task_arena(x);
    haft__graph_request_kind kind = task->request.kind;
    haft_status status = HAFT_OK;
    haft__graph_set_task_state(x, task, HAFT__TASK_READY);
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
            haft__graph_set_task_state(x, task,
                                       status == HAFT_OK ? HAFT__TASK_DONE : HAFT__TASK_READY);
        }
    } else {
        status = haft__json_copy_deep(arena, result, &task->result, err);
        task->has_result = status == HAFT_OK;
        task->commanded = false;
    }
    return status;
}

haft_status haft__graph_execution_reply(haft__graph_execution *x, size_t index, haft__json result,
                                        haft_error *err)
{
    haft_error why = {0};
    return take_reply(x, index, result, &why) == HAFT_OK
               ? HAFT_OK
               : handle_error(x, &x->tasks[index], &why, err);
}

haft_status haft__graph_execution_reply_command(haft__graph_execution *x, size_t index,
                                                haft__json command, haft_error *err)
{
    haft_status status = haft__graph_execution_reply(x, index, command, err);
    x->tasks[index].commanded = x->tasks[index].has_result;
    return status;
}

haft_status haft__graph_execution_reply_failure(haft__graph_execution *x, size_t index,
                                                haft__graph_failure failure, haft_error *err)
{
    haft__graph_task *task = &x->tasks[index];
    haft__graph_set_task_state(x, task, HAFT__TASK_READY);
    return haft__graph_fail_task(x, task, failure, err);
}

haft_status haft__graph_execution_reply_error(haft__graph_execution *x, size_t index,
                                              haft__graph_code code, haft_str message,
                                              haft_error *err)
{
    return haft__graph_execution_reply_failure(
        x, index, (haft__graph_failure){.code = code, .message = message}, err);
}
