/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - see engine/child.h. Tests: tests/engine/child_test.c, tests/cli/children_test.py,
 * tests/crash/children_test.py. */
#include "engine/child.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/child_pool.h"
#include "engine/run.h"
#include "engine/runtime.h"

void haft__child_writes_init(haft__child_writes *writes)
{
    haft__arena_init(&writes->arena, HAFT__LIMIT_RUN_BYTES);
}

void haft__child_writes_finish(haft__child_writes *writes)
{
    haft__arena_finish(&writes->arena);
}

void haft__child_writes_set_loaded(haft_run *run)
{
    run->log.children.created = run->state.child_count;
    run->log.children.notified = haft__child_find_close(&run->state);
}

static haft_str copy_text(haft__arena *arena, haft__buf *buf, haft_error *err, haft_status *status)
{
    *status = *status == HAFT_OK ? haft__buf_check(buf, err) : *status;
    haft_str kept =
        *status == HAFT_OK ? haft__arena_copy(arena, haft__buf_str(buf)) : (haft_str){NULL, 0};
    if (*status == HAFT_OK && kept.ptr == NULL) {
        *status = haft__arena_fail(arena, err);
    }
    return kept;
}

/* ---- children ---- */

static haft_str task_of(haft_run *run, const haft__child *child, haft_error *err,
                        haft_status *status)
{
    const haft__run_call *call = haft__run_find_call(&run->state, child->key);
    haft__buf *buf = &run->runtime->clean;
    haft__buf_clear(buf);
    haft__child_write_task(buf, call != NULL ? call->arguments : haft__json_null());
    return copy_text(&run->log.children.arena, buf, err, status);
}

static haft_str first_line(haft_run *run, const haft__child *child, const haft_agent *agent,
                           haft_str task, haft_error *err, haft_status *status)
{
    haft_runtime *runtime = run->runtime;
    const haft__run *state = &run->state;
    const haft__spec_origin origin = {.file = HAFT__LIT(""),
                                      .variables = agent->variables.names,
                                      .variable_count = agent->variables.count,
                                      .traceparent = state->traceparent,
                                      .prices = &state->model_prices};
    const haft__child_origin from = {.parent = haft__str(run->id),
                                     .call = child->key,
                                     .root = state->root.len > 0 ? state->root : state->id,
                                     .parent_path = state->path};
    haft__buf_clear(&runtime->clean);
    haft__input_child_run_started(&runtime->clean, agent->spec, task, child->run, run->user,
                                  &origin, &from);
    haft__buf_clear(&runtime->line);
    haft__event_write(&runtime->line, 1, haft__runtime_now(runtime), child->run,
                      haft__buf_str(&runtime->clean));
    *status = *status == HAFT_OK ? haft__buf_check(&runtime->clean, err) : *status;
    return copy_text(&run->log.children.arena, &runtime->line, err, status);
}

static haft_status make_child(haft_run *run, const haft__child *child, haft__store_child *ret_child,
                              haft_error *err)
{
    haft_agent *agent = NULL;
    haft_status status = haft__agent_for_child(run->agent, child, &agent, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str task = task_of(run, child, err, &status);
    haft_str line =
        status == HAFT_OK ? first_line(run, child, agent, task, err, &status) : HAFT__LIT("");
    *ret_child =
        (haft__store_child){.run = {.id = child->run,
                                    .thread = child->run, /* the child has its own thread */
                                    .parent = haft__str(run->id),
                                    .user = run->user,
                                    .name = agent->spec->name,
                                    .task = task,
                                    .spec_hash = agent->spec->hash,
                                    .spec = agent->spec_text,
                                    .spec_path = agent->spec->path,
                                    .state = HAFT__RUN_STATE_RUNNING,
                                    .end = HAFT__LIT(""),
                                    .answer = HAFT__LIT(""),
                                    .owner = HAFT__LIT("")},
                            .line = line};
    return status;
}

static haft_status collect_children(haft_run *run, haft_error *err)
{
    haft__child_writes *writes = &run->log.children;
    size_t count = run->state.child_count - writes->created;
    haft_status status = HAFT_OK;
    haft__store_child *children =
        count > 0 ? haft__arena_array(&writes->arena, count, sizeof(*children)) : NULL;
    if (count > 0 && children == NULL) {
        return haft__arena_fail(&writes->arena, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        status = make_child(run, run->state.children[writes->created + i], &children[i], err);
    }
    writes->children = children;
    writes->child_count = count;
    writes->created = run->state.child_count;
    return status;
}

/* ---- messages ---- */

static haft_status add_message(haft__child_writes *writes, haft_str to, haft_str body)
{
    writes->outgoing[writes->outgoing_count++] = (haft__store_message){.run = to, .body = body};
    return HAFT_OK;
}

static haft_str write_close(haft_run *run, haft__child_close close, haft_error *err,
                            haft_status *status)
{
    bool cancels = close == HAFT__CHILD_CLOSE_CANCEL;
    const haft__run_command command = {
        .kind = cancels ? HAFT__RUN_COMMAND_CANCEL : HAFT__RUN_COMMAND_LIMIT,
        .call = HAFT__LIT(""),
        .value = haft__json_null(),
        .by = HAFT__LIT("parent"),
        .why = run->state.cancel_asked ? HAFT__LIT("the run that started this one was cancelled")
                                       : HAFT__LIT("the run that started this one ends"),
        .pause = HAFT__LIT(""),
        .binding = HAFT__LIT(""),
        .message = HAFT__LIT("")};
    haft__buf_clear(&run->runtime->clean);
    haft__run_command_write(&run->runtime->clean, &command);
    return copy_text(&run->log.children.arena, &run->runtime->clean, err, status);
}

static haft_status notify_children(haft_run *run, haft__child_close close, haft_error *err)
{
    haft__child_writes *writes = &run->log.children;
    const haft__run *state = &run->state;
    haft_status status = HAFT_OK;
    haft_str body = write_close(run, close, err, &status);
    for (size_t i = 0; status == HAFT_OK && i < state->child_count; i++) {
        if (!state->children[i]->finished) {
            status = add_message(writes, state->children[i]->run, body);
        }
    }
    writes->notified = close;
    return status;
}

static haft_status notify_parent(haft_run *run, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__buf_clear(&run->runtime->clean);
    haft__child_write_end(&run->runtime->clean, &run->state);
    haft_str body = copy_text(&run->log.children.arena, &run->runtime->clean, err, &status);
    return status == HAFT_OK ? add_message(&run->log.children, run->state.parent, body) : status;
}

haft_status haft__child_writes_collect(haft_run *run, haft_error *err)
{
    haft__child_writes *writes = &run->log.children;
    const haft__run *state = &run->state;
    haft__child_close close = haft__child_find_close(state);
    bool closes = close > writes->notified && state->open_children > 0;
    bool ends = state->stage == HAFT__RUN_ENDED && state->parent.len > 0;
    writes->child_count = writes->outgoing_count = 0;
    if (!closes && !ends && state->child_count == writes->created) {
        return HAFT_OK; /* the usual case allocates nothing */
    }
    haft__arena_reset(&writes->arena);
    writes->outgoing =
        haft__arena_array(&writes->arena, state->open_children + 1, sizeof(*writes->outgoing));
    haft_status status = writes->outgoing != NULL ? collect_children(run, err)
                                                  : haft__arena_fail(&writes->arena, err);
    if (status == HAFT_OK && closes) {
        status = notify_children(run, close, err);
    }
    return status == HAFT_OK && ends ? notify_parent(run, err) : status;
}

void haft__child_writes_commit(haft_run *run)
{
    haft__child_writes *writes = &run->log.children;
    for (size_t i = 0; i < writes->child_count; i++) {
        haft__child_pool_add(run, writes->children[i].run.id);
    }
    for (size_t i = 0; i < writes->outgoing_count; i++) {
        (void)haft__child_pool_wake(run->runtime, writes->outgoing[i].run);
    }
    if (writes->outgoing_count > 0) {
        haft__child_pool_notify(run->runtime);
    }
    writes->child_count = writes->outgoing_count = 0;
}
