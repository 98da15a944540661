/* SPDX-License-Identifier: Apache-2.0 */
/* run_state.c - see run_state.h. Tests: tests/cli/graph_state_test.py, tests/serve/api_test.py. */
#include "engine/ops/graph/run_state.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/ops/event_log.h"
#include "graph/run/graph_run.h"
#include "run/event_body.h"
#include "json/object.h"

/* The events of a step. */
typedef struct step_events {
    haft__event last;   /* the state after it includes the changes of persons */
    haft__event own;    /* what the nodes of the step, or the input, have changed */
    haft__event *edits; /* changes of persons after it */
    size_t edit_count, capacity;
} step_events;

static haft_status add_event(step_events *found, const haft__event *event, haft__arena *arena,
                             haft_error *err)
{
    found->last = *event;
    if (!haft__event_is_graph_change(event)) {
        found->own = *event;
        found->edit_count = 0;
        return HAFT_OK;
    }
    if (haft__object_find(event->object, "edit") == NULL) { /* another try, or more steps */
        return HAFT_OK;
    }
    haft__event *edits =
        haft__vec_reserve_in(arena, found->edits, found->edit_count, &found->capacity,
                             found->edit_count + 1, sizeof(*edits));
    if (edits == NULL) {
        return haft__arena_fail(arena, err);
    }
    found->edits = edits;
    edits[found->edit_count++] = *event;
    return HAFT_OK;
}

/* Finds the events of the step. If a person changed the state, the change belongs to the step
 * before it. */
static haft_status find_step(const haft__run_state_request *request, haft__arena *arena,
                             step_events *ret_found, haft_error *err)
{
    haft_str rest = request->lines;
    haft_status status = HAFT_OK;
    *ret_found = (step_events){.edit_count = 0};
    while (rest.len > 0 && status == HAFT_OK) {
        haft_str line = haft__str_split(&rest, '\n');
        haft__event event;
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__event_read(arena, line, request->hash_key, &event, err);
        if (status == HAFT_OK && event.kind == HAFT__EVENT_GRAPH_STEP
            && (request->step == UINT64_MAX
                || haft__object_number(event.object, "step", UINT64_MAX) == request->step)) {
            status = add_event(ret_found, &event, arena, err);
        }
    }
    if (status == HAFT_OK && ret_found->last.seq == 0) {
        status = request->step == UINT64_MAX
                     ? haft__fail(err, HAFT_BAD_INPUT, request->name, "the run has no step yet")
                     : haft__fail(err, HAFT_BAD_INPUT, "--step", "the run has no step %llu",
                                  (unsigned long long)request->step);
        return haft__hint(err, status, "'haft runs events' shows its events graph_step");
    }
    return status;
}

static void write_nodes(haft__json_writer *w, const char *key, haft__json nodes)
{
    haft__json_key(w, key);
    haft__json_begin_array(w);
    for (uint32_t i = 0; i < nodes.count; i++) {
        haft__json_add_str(w, haft__object_string(nodes.items[i], "node"));
    }
    haft__json_end_array(w);
}

/* Writes {edit, as, by}: what a person has set, for which node, and who it was. */
static void write_edit(haft__json_writer *w, haft__json event)
{
    static const char *const keys[] = {"edit", "as", "by"};
    haft__json_begin_object(w);
    for (size_t k = 0; k < COUNT(keys); k++) {
        const haft__json *value = haft__object_find(event, keys[k]);
        if (value != NULL) {
            haft__json_key(w, keys[k]);
            haft__json_add(w, *value);
        }
    }
    haft__json_end_object(w);
}

static void write_diff(haft__json_writer *w, const step_events *found)
{
    haft__json own = found->own.object;
    write_nodes(w, "nodes", haft__object_array(own, "nodes"));
    haft__json_key(w, "updates");
    haft__json_add(w, haft__object_object(own, "updates"));
    haft__json_key(w, "dropped");
    haft__json_add(w, haft__object_array(own, "dropped"));
    if (found->edit_count > 0) {
        haft__json_key(w, "edits");
        haft__json_begin_array(w);
        for (size_t i = 0; i < found->edit_count; i++) {
            write_edit(w, found->edits[i].object);
        }
        haft__json_end_array(w);
    }
}

static haft_status write_state(haft__json_writer *w, const haft__run *run, haft__arena *arena,
                               haft_error *err)
{
    const haft__graph_execution *x = run->graph->x;
    haft__json state;
    haft_status status = haft__graph_execution_state(x, false, arena, &state, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__field_number(w, "remaining_steps", x->limit > x->step ? x->limit - x->step : 0);
    haft__json_key(w, "state");
    haft__json_add(w, state);
    haft__json_key(w, "next");
    haft__json_begin_array(w);
    for (size_t i = 0; i < x->task_count; i++) {
        haft__json_add_str(w, x->graph->nodes[x->tasks[i].node].name);
    }
    haft__json_end_array(w);
    return HAFT_OK;
}

haft_status haft__run_state_write(haft__buf *buf, const haft__run_state_request *request,
                                  haft__arena *arena, haft_error *err)
{
    haft__json_writer w;
    step_events found;
    haft__run run;
    if (request->spec->graph_rules == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, request->name, "the run has no graph, so no state");
    }
    haft_status status = find_step(request, arena, &found, err);
    if (status == HAFT_OK) {
        status = haft__event_log_fold(arena, request->spec, request->name, request->lines,
                                      found.last.seq, request->hash_key, &run, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "run", run.id);
    haft__field_number(&w, "step", run.graph->x->step);
    if (request->diff) {
        write_diff(&w, &found);
    } else {
        status = write_state(&w, &run, arena, err);
    }
    haft__json_end_object(&w);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
