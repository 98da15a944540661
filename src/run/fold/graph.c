/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - runs of graphs: their calls come from nodes, in batches of one step. src/graph/run
 * applies the events to the graph. Tests: tests/graph/run/graph_run_test.c. */
#include "base/str.h"
#include "run/event_body.h"
#include "run/fold/fold_int.h"

haft_status haft__fold_graph_started(haft__run *run)
{
    run->stage = HAFT__RUN_CALLING;
    for (size_t i = 0; i < run->tools->count; i++) {
        run->allowed[i] = true; /* nodes may use every tool of the spec */
    }
    return HAFT_OK;
}

haft_status haft__fold_thread_state(const haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *values = haft__event_field(event, "values");
    if (!haft__run_is_graph(run) || run->graph_next.kind != HAFT__GRAPH_NEXT_THREAD) {
        return haft__fold_fail(event, "the run does not begin with the state of its thread", err);
    }
    return values != NULL && values->kind == HAFT__JSON_OBJECT
               ? HAFT_OK
               : haft__fold_fail(event, "it has no values", err);
}

haft_status haft__fold_graph_step(haft__run *run, const haft__event *event, haft_error *err)
{
    if (!haft__run_is_graph(run)) {
        return haft__fold_fail(event, "the run has no graph", err);
    }
    if (haft__event_is_graph_change(event)) {
        return HAFT_OK; /* the step stays open */
    }
    if (!haft__run_batch_done(run)) {
        return haft__fold_fail(event, "calls have no result yet", err);
    }
    run->batch = run->call_count;
    return HAFT_OK;
}

haft_status haft__run_add_node_call(haft__run *run, haft_str id, haft_str tool, haft_str raw,
                                    const haft__node_call *node, haft_error *err)
{
    haft_status status = haft__fold_grow_calls(run, 1, err);
    if (status == HAFT_OK) {
        run->calls[run->call_count++] = (haft__run_call){.id = id,
                                                         .model_call = id,
                                                         .name = tool,
                                                         .raw = raw,
                                                         .malformed = HAFT__LIT(""),
                                                         .note = HAFT__LIT(""),
                                                         .verdict = HAFT__LIT(""),
                                                         .result = HAFT__LIT(""),
                                                         .failure = HAFT__LIT(""),
                                                         .shown = HAFT__LIT(""),
                                                         .tool = haft__tools_find(run->tools, tool),
                                                         .node = node};
    }
    return status;
}
