/* SPDX-License-Identifier: Apache-2.0 */
/* edit.c - what a person does to a run of a graph, in a fork of it: changes of its state, and
 * another try of the nodes that failed. Tests:
 * tests/cli/graph_state_test.py. */
#include "base/error.h"
#include "base/str.h"
#include "graph/run/graph_run_int.h"
#include "run/event_body.h"
#include "json/object.h"

/* The first call of the step that has begun; NULL if none has. */
static const haft__run_call *find_begun(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (run->calls[i].stage != HAFT__CALL_ARRIVED) {
            return &run->calls[i];
        }
    }
    return NULL;
}

/* Whether a node of the step has failed: then its output can be given, and the results of the other
 * nodes stay. */
static bool has_failed(const haft__graph_execution *x, haft_str node)
{
    for (size_t i = 0; i < x->task_count; i++) {
        if (x->tasks[i].state == HAFT__TASK_FAILED
            && haft__str_equal(x->graph->nodes[x->tasks[i].node].name, node)) {
            return true;
        }
    }
    return false;
}

static haft_status check_graph(const haft__run *run, haft_error *err)
{
    return run->graph != NULL ? HAFT_OK
                              : haft__fail(err, HAFT_BAD_STATE, "", "the run is no run of a graph");
}

haft_status haft__graph_write_edit(haft__run *run, haft__json values, haft_str as, haft_str by,
                                   haft__buf *buf, haft_error *err)
{
    haft__graph_refusal refusal = {.refused = false};
    haft__json_writer w;
    haft__json step = haft__json_null();
    haft_status status = check_graph(run, err);
    const haft__run_call *begun = find_begun(run);
    bool failed = status == HAFT_OK && has_failed(run->graph->x, as);
    if (status == HAFT_OK && begun != NULL && !failed) {
        status = haft__fail(err, HAFT_BAD_STATE, "",
                            "the state cannot be changed here: the call %.*s has begun",
                            HAFT__ARG(begun->id));
        return haft__hint(err, status, "fork the run after a step: haft runs fork ID --step %u",
                          run->graph->x->step);
    }
    if (status == HAFT_OK && !failed) {
        haft__graph_execution_restart(run->graph->x);
    }
    if (status == HAFT_OK) {
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
    haft__field_text(&w, "by", by);
    haft__event_body_end(&w, buf);
    return haft__buf_check(buf, err);
}

haft_status haft__graph_write_retry(const haft__run *run, haft_str by, haft__buf *buf,
                                    haft_error *err)
{
    haft__json_writer w;
    haft_status status = check_graph(run, err);
    if (status == HAFT_OK && run->graph->x->end != HAFT__GRAPH_FAILED) {
        status = haft__fail(err, HAFT_BAD_STATE, "", "no node of the run has failed");
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__event_body_begin(&w, buf, HAFT__EVENT_GRAPH_STEP);
    haft__field_number(&w, "step", run->graph->x->step);
    haft__field_flag(&w, "retry", true);
    haft__field_text(&w, "by", by);
    haft__event_body_end(&w, buf);
    return haft__buf_check(buf, err);
}

/* ---- events ---- */

static haft_status fail_event(const haft__event *event, const char *what, haft_error *err)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "event %llu", (unsigned long long)event->seq);
    return haft__fail(err, HAFT_BAD_INPUT, where, "graph_step is not valid here: %s", what);
}

/* Calls that no event has mentioned are forgotten: the nodes make them again. */
haft_status haft__graph_fold_edit(haft__run *run, const haft__event *event, haft_error *err)
{
    if (has_failed(run->graph->x, haft__object_string(event->object, "as"))) {
        return haft__graph_execution_fold(run->graph->x, event->object, err);
    }
    if (find_begun(run) != NULL) {
        return fail_event(event, "calls of the step have begun", err);
    }
    run->call_count = run->batch;
    haft__graph_execution_restart(run->graph->x);
    return haft__graph_execution_fold(run->graph->x, event->object, err);
}

haft_status haft__graph_fold_retry(haft__run *run, const haft__event *event, haft_error *err)
{
    if (run->graph->x->end != HAFT__GRAPH_FAILED) {
        return fail_event(event, "no node has failed", err);
    }
    haft__graph_execution_reopen(run->graph->x, 0);
    return HAFT_OK;
}
