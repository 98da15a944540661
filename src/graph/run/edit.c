/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit.c - what a person does to a run of a graph, in a fork of it: changes of its state, another
 * try of the nodes that failed, more steps.
 *
 * An edit inside a step leaves to the nodes that wait for a person what they have seen and asked
 * for. Calls for which no node waits any more are closed: decide refuses them. Tests:
 * tests/graph/run/edit_test.c, tests/cli/graph_state_test.py, tests/cli/graph_cases_test.py.
 */
#include "base/error.h"
#include "base/str.h"
#include "graph/run/graph_run_int.h"
#include "run/event_body.h"
#include "json/object.h"

static bool is_over(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
}

/* Whether an event has mentioned a call of the step. */
static bool has_begun(const haft__run *run)
{
    bool begun = false;
    for (size_t i = run->batch; i < run->call_count; i++) {
        begun = begun || run->calls[i].stage != HAFT__CALL_ARRIVED;
    }
    return begun;
}

/* A call that runs, or whose answer waits for a decision: its result belongs to the state before
 * the edit. NULL if there is none. */
static const haft__run_call *find_running(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->stage == HAFT__CALL_STARTED
            || (call->stage == HAFT__CALL_ANSWERED && !call->closed)) {
            return call;
        }
    }
    return NULL;
}

static haft_status check_graph(const haft__run *run, haft_error *err)
{
    return run->graph != NULL
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_STATE, "", "the run is not a run of a graph");
}

static haft_status check_running(const haft__run *run, haft_error *err)
{
    const haft__run_call *running = find_running(run);
    if (!run->graph->begun) {
        return haft__fail(err, HAFT_BAD_STATE, "",
                          "the run has not begun: its state is not known yet");
    }
    if (running == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "", "the state cannot be changed while the call %.*s runs",
                   HAFT__ARG(running->id));
    return haft__hint(err, status, "fork the run after a step: haft runs fork ID --step %u",
                      run->graph->x->step);
}

/* ---- nodes that see the new state ---- */

/* If no call of the step has begun, all its nodes begin anew, on the new state, and their calls are
 * forgotten. Otherwise only nodes that have failed before they asked for anything do. */
static void begin_anew(haft__run *run)
{
    haft__graph_execution *x = run->graph->x;
    if (!has_begun(run)) {
        run->call_count = run->batch;
        haft__graph_execution_restart(x);
        return;
    }
    for (size_t i = 0; i < x->task_count; i++) {
        if (x->tasks[i].state == HAFT__TASK_FAILED && x->tasks[i].host == NULL) {
            haft__graph_execution_restart_task(x, i);
        }
    }
}

/* ---- the events ---- */

haft_status haft__graph_write_edit(haft__run *run, haft__json values, haft_str as, haft_str by,
                                   haft__buf *buf, haft_error *err)
{
    haft__graph_refusal refusal = {.refused = false};
    haft__json_writer w;
    haft__json step = haft__json_null();
    haft_status status = check_graph(run, err);
    bool inside = status == HAFT_OK && has_begun(run);
    if (status == HAFT_OK) {
        status = check_running(run, err);
    }
    if (status == HAFT_OK) {
        begin_anew(run);
        status = haft__graph_execution_edit(run->graph->x, values, as, &step, &refusal, err);
    }
    if (status == HAFT_OK && refusal.refused) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "the state cannot be changed: %s: %.*s",
                            haft__graph_code_name(refusal.code), HAFT__ARG(refusal.what));
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__event_body_begin(&w, buf, HAFT__EVENT_GRAPH_STEP);
    for (uint32_t i = 0; i < step.count; i++) {
        haft__json_key_str(&w, haft__json_text(step.members[i].key));
        haft__json_add(&w, step.members[i].value);
    }
    if (inside) {
        haft__field_flag(&w, "inside", true);
    }
    haft__field_text(&w, "by", by);
    haft__event_body_end(&w, buf);
    return haft__buf_check(buf, err);
}

static haft_status write_retry(const haft__run *run, uint32_t more, haft_str by, haft__buf *buf,
                               haft_error *err)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_GRAPH_STEP);
    haft__field_number(&w, "step", run->graph->x->step);
    haft__field_flag(&w, "retry", true);
    if (more > 0) {
        haft__field_number(&w, "more", more);
    }
    haft__field_text(&w, "by", by);
    haft__event_body_end(&w, buf);
    return haft__buf_check(buf, err);
}

haft_status haft__graph_write_retry(const haft__run *run, haft_str by, haft__buf *buf,
                                    haft_error *err)
{
    haft_status status = check_graph(run, err);
    if (status == HAFT_OK && run->graph->x->end != HAFT__GRAPH_FAILED) {
        status = haft__fail(err, HAFT_BAD_STATE, "", "no node of the run has failed");
    }
    return status == HAFT_OK ? write_retry(run, 0, by, buf, err) : status;
}

/* Whether the run has ended at its recursion limit, before the nodes of another step. */
static bool is_at_limit(const haft__run *run)
{
    const haft__graph_execution *x = run->graph->x;
    return x->end == HAFT__GRAPH_EXHAUSTED && !x->last;
}

haft_status haft__graph_write_more_steps(const haft__run *run, uint32_t more, haft_str by,
                                         haft__buf *buf, haft_error *err)
{
    haft_status status = check_graph(run, err);
    if (status == HAFT_OK && !is_at_limit(run)) {
        status = haft__fail(err, HAFT_BAD_STATE, "",
                            run->graph->x->end == HAFT__GRAPH_EXHAUSTED
                                ? "the run has ended with its node for the recursion limit"
                                : "the run has not ended at its recursion limit");
    }
    return status == HAFT_OK ? write_retry(run, more, by, buf, err) : status;
}

/* ---- folding ---- */

static haft_status fail_event(const haft__event *event, const char *what, haft_error *err)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "event %llu", (unsigned long long)event->seq);
    return haft__fail(err, HAFT_BAD_INPUT, where, "graph_step is not valid here: %s", what);
}

static haft_status fold_edit(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__graph_execution *x = run->graph->x;
    bool failed = x->end == HAFT__GRAPH_FAILED;
    if (!run->graph->begun || find_running(run) != NULL) {
        return fail_event(
            event, run->graph->begun ? "calls of the step are running" : "the run has not begun",
            err);
    }
    begin_anew(run);
    haft_error why = {0};
    haft_status status = haft__graph_execution_fold(x, event->object, &why);
    if (status != HAFT_OK) {
        return status == HAFT_BAD_INPUT ? fail_event(event, why.message, err)
                                        : haft__fail(err, status, why.where, "%s", why.message);
    }
    if (failed) {
        x->end = HAFT__GRAPH_FAILED;
        haft__graph_execution_reopen(x, 0);
    }
    return status;
}

static haft_status fold_retry(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__graph_execution *x = run->graph->x;
    uint64_t more = haft__object_number(event->object, "more", 0);
    if (more > 0 ? !is_at_limit(run) || more > UINT32_MAX - x->step
                 : x->end != HAFT__GRAPH_FAILED) {
        return fail_event(
            event, more > 0 ? "the run has not ended at its limit" : "no node has failed", err);
    }
    haft__graph_execution_reopen(x, (uint32_t)more);
    return HAFT_OK;
}

/* Whether a node, or the pause after the last step, waits for the result of the call. */
static bool is_awaited(const haft__run *run, const haft__run_call *call, haft_str after)
{
    size_t task;
    return haft__str_equal(call->id, after) ? run->graph->x->paused
                                            : haft__graph_find_request(run->graph, call->id, &task);
}

/* Closes calls for which nothing waits any more. A pause after the last step stays, unless nothing
 * follows. */
static haft_status settle_calls(haft__run *run, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    char text[32];
    bool pending = false;
    (void)snprintf(text, sizeof(text), "n%u.after", graph->x->step);
    graph->x->paused = graph->x->paused && graph->x->task_count > 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__run_call *call = &run->calls[i];
        bool awaited = is_awaited(run, call, haft__str(text));
        pending = pending || (!is_over(call) && haft__str_equal(call->id, haft__str(text)));
        if (!is_over(call) && !awaited) {
            call->closed = true;
            call->stage = HAFT__CALL_ANSWERED;
        }
    }
    return graph->x->paused && !pending ? haft__graph_add_pause_after(run, graph->paused_after, err)
                                        : HAFT_OK;
}

haft_status haft__graph_fold_change(haft__run *run, const haft__event *event, haft_error *err)
{
    bool edits = haft__event_field(event, "edit") != NULL;
    haft_status status = (edits ? fold_edit : fold_retry)(run, event, err);
    return status == HAFT_OK ? settle_calls(run, err) : status;
}
