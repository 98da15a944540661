/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - applies events of a graph to the calls of its run; the calls of one step are a batch.
 * src/graph/run applies the events to the graph itself. Tests: tests/graph/run/graph_run_test.c. */
#include "base/str.h"
#include "run/event_body.h"
#include "run/fold/fold_int.h"
#include "tool/traits.h"
#include "json/object.h"

/* Whether this process does not have the function that the tool stands for. */
static bool is_missing(const haft__tool *tool)
{
    return tool->for_nodes && !tool->reducer && tool->function == NULL;
}

/* Functions that only another process has get the traits that it has recorded. */
static haft_status read_functions(haft__run *run, haft__json functions, haft_error *err)
{
    haft__tools *tools = haft__arena_alloc(run->arena, sizeof(*tools));
    haft_status status = tools != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    if (status == HAFT_OK) {
        haft__tools_init(tools, run->arena, run->hash_key);
    }
    for (size_t i = 0; i < run->tools->count && status == HAFT_OK; i++) {
        haft__tool tool = *run->tools->items[i];
        const haft__json *traits = haft__json_get(functions, tool.name);
        if (traits != NULL && is_missing(&tool)) {
            status = haft__traits_read(*traits, &tool.traits, err);
            tool.traits.lane = HAFT__LIT(""); /* functions have none */
        }
        status = status == HAFT_OK ? haft__tools_add(tools, &tool, err) : status;
    }
    if (status == HAFT_OK) {
        run->tools = run->more_tools = tools;
    }
    return status;
}

haft_status haft__fold_graph_started(haft__run *run, const haft__event *event, haft_error *err)
{
    bool missing = false;
    for (size_t i = 0; i < run->tools->count; i++) {
        missing = missing || is_missing(run->tools->items[i]);
    }
    haft__json functions = haft__object_object(event->object, "functions");
    haft_status status =
        missing && functions.count > 0 ? read_functions(run, functions, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
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
               : haft__fold_fail(event, "the event has no values", err);
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
