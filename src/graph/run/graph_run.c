/* SPDX-License-Identifier: Apache-2.0 */
/* graph_run.c - see graph/run/graph_run.h. Tests: tests/graph/run/graph_run_test.c. */
#include "graph/run/graph_run.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "channel/value.h"
#include "graph/run/graph_run_int.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/read.h"

/* ---- the input ---- */

/* Finds the only channel that the input may set; false if there is no such channel or several. */
static bool find_only_input(const haft__graph *graph, haft_str *ret_channel)
{
    bool listed = graph->input.kind == HAFT__JSON_ARRAY;
    if (listed ? graph->input.count != 1 : graph->channel_count != 1) {
        return false;
    }
    *ret_channel = listed ? haft__json_text(graph->input.items[0]) : graph->channels[0].name;
    return true;
}

haft_status haft__graph_read_input(const haft__graph *graph, haft_str task, haft__arena *arena,
                                   haft__hash_key hash_key, haft__json *ret_input, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft_error own = {0};
    haft_str channel = {NULL, 0};
    options.hash_key = hash_key;
    options.reject_duplicates = true;
    haft_status status = haft__json_read(arena, task, &options, ret_input, NULL, &own);
    if (status == HAFT_OK && ret_input->kind == HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    if (status != HAFT_OK && status != HAFT_BAD_INPUT) {
        return haft__fail(err, status, own.where, "%s", own.message);
    }
    if (find_only_input(graph, &channel)) {
        return haft__graph_set_member(arena, haft__json_object(NULL, 0), channel,
                                      haft__json_string(task), ret_input, err);
    }
    bool object = task.len > 0 && task.ptr[0] == '{';
    status = object ? haft__fail(err, HAFT_BAD_INPUT, own.where, "the input: %s", own.message)
                    : haft__fail(err, HAFT_BAD_INPUT, "",
                                 "the input of this graph must be a JSON object, because it has "
                                 "several channels");
    return haft__hint(err, status, "write {\"CHANNEL\": VALUE, ...}");
}

/* ---- the graph of a spec ---- */

/* Lists the graphs that nodes may name: graphs of the spec, and files. Only the names are used. */
static haft_status list_graphs(const haft__spec *spec, haft__arena *arena, haft__json *ret_graphs,
                               haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_graphs =
        spec->graphs.kind == HAFT__JSON_OBJECT ? spec->graphs : haft__json_object(NULL, 0);
    for (size_t i = 0; i < spec->agent_count && status == HAFT_OK; i++) {
        if (spec->agents[i].spec->graph_rules != NULL) {
            status = haft__graph_set_member(arena, *ret_graphs, spec->agents[i].name,
                                            spec->agents[i].spec->graph, ret_graphs, err);
        }
    }
    return status;
}

haft_status haft__graph_compile_in_spec(const haft__spec *spec, haft__json source,
                                        haft__arena *arena, const haft__graph **ret_graph,
                                        haft_error *err)
{
    haft__graph_problems problems;
    haft__json graphs;
    haft_status status = list_graphs(spec, arena, &graphs, err);
    if (status == HAFT_OK) {
        status = haft__graph_compile(arena, source, graphs, ret_graph, &problems, err);
    }
    if (status == HAFT_OK && *ret_graph == NULL) {
        size_t i = 0;
        while (problems.items[i].warning) {
            i++;
        }
        return haft__fail(err, HAFT_BAD_INPUT, "", "the graph cannot be used: %s: %.*s",
                          haft__graph_code_name(problems.items[i].code),
                          HAFT__ARG(problems.items[i].message));
    }
    return status;
}

static haft_status compile(const haft__spec *spec, haft__arena *arena,
                           const haft__graph **ret_graph, haft_error *err)
{
    return haft__graph_compile_in_spec(spec, spec->graph, arena, ret_graph, err);
}

static haft_status fail_refused(const haft__graph_refusal *refusal, haft_error *err)
{
    bool unknown = refusal->code == HAFT__GRAPH_UNKNOWN_CHANNEL;
    if (refusal->kept) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "the thread keeps a value that the graph does not accept: %.*s (begin a "
                          "new thread, or name the channel differently)",
                          HAFT__ARG(refusal->what));
    }
    return unknown ? haft__fail(err, HAFT_BAD_INPUT, "",
                                "the input cannot set \"%.*s\": unknown_channel, or not listed "
                                "under input",
                                HAFT__ARG(refusal->what))
                   : haft__fail(err, HAFT_BAD_INPUT, "", "the input: %s: %.*s",
                                haft__graph_code_name(refusal->code), HAFT__ARG(refusal->what));
}

haft_status haft__graph_check_task(const haft__spec *spec, haft_str task, haft__hash_key hash_key,
                                   haft_error *err)
{
    haft__arena arena;
    const haft__graph *graph = NULL;
    haft__graph_execution *x = NULL;
    haft__graph_execution_options options = {0};
    haft__json input, event;
    haft__graph_refusal refusal = {.refused = false};
    haft__arena_init(&arena, 0);
    haft_status status = compile(spec, &arena, &graph, err);
    if (status == HAFT_OK) {
        status = haft__graph_read_input(graph, task, &arena, hash_key, &input, err);
    }
    if (status == HAFT_OK) {
        status = haft__graph_execution_create(graph, &options, &x, err);
    }
    if (status == HAFT_OK) {
        status = haft__graph_execution_begin(x, input, haft__json_null(), &event, &refusal, err);
    }
    if (status == HAFT_OK && refusal.refused) {
        status = fail_refused(&refusal, err);
    }
    if (status == HAFT_BAD_INPUT || status == HAFT_TOO_BIG) {
        haft__error_prepend_location(err, "TASK");
    }
    haft__graph_execution_destroy(x);
    haft__arena_finish(&arena);
    return status;
}

haft_status haft__graph_child_source(const haft__spec *spec, haft_str reference, haft__arena *arena,
                                     haft__json *ret_source, haft_error *err)
{
    haft_str prefix = HAFT__LIT(HAFT__GRAPH_CALL_TOOL), limit = HAFT__LIT("recursion_limit");
    const haft__json *found =
        haft__str_starts_with(reference, prefix)
            ? haft__json_get(spec->graphs, haft__str_skip(reference, prefix.len))
            : NULL;
    const haft__json *outer = haft__json_get(spec->graph, limit);
    haft_status status = HAFT_OK;
    if (found == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "there is no graph \"%.*s\"",
                          HAFT__ARG(reference));
    }
    haft__json graph = *found;
    if (haft__json_get(graph, limit) == NULL && outer != NULL) {
        status = haft__graph_set_member(arena, graph, limit, *outer, &graph, err);
    }
    return status == HAFT_OK ? haft__graph_set_member(arena, spec->source, HAFT__LIT("graph"),
                                                      graph, ret_source, err)
                             : status;
}

/* ---- progress ---- */

/* Bytes that stay free for the results of calls and for the end of the run. */
#define SPARE_BYTES ((size_t)HAFT__LIMIT_GRAPH_TEXT_BYTES)

/* Whether an event of that many bytes would leave less than SPARE_BYTES in the memory of the
 * run. */
static bool is_full(const haft__run *run, size_t bytes)
{
    size_t left = run->arena->max - run->arena->total;
    return left < SPARE_BYTES || left - SPARE_BYTES < bytes;
}

/* An exceeded limit fails a node or a step, so that the run can continue or end. */
#define FULL "the events of the run are longer than run.bytes"

/* Makes a call for the request of a node. If the call would be too large, the node fails. */
static haft_status serve_call(haft__run *run, const haft__graph_action *action, haft_error *err)
{
    haft_error why = {0};
    haft_status status = is_full(run, 0)
                             ? haft__fail(&why, HAFT_TOO_BIG, "", FULL)
                             : haft__graph_add_call(run, action->task, &action->request, &why);
    if (status == HAFT_TOO_BIG) {
        return haft__graph_execution_reply_error(
            run->graph->x, action->task, HAFT__GRAPH_BAD_UPDATE, haft__str(why.message), err);
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, why.where, "%s", why.message);
}

/* Makes a call that computes the value of a channel. */
static haft_status serve_reduction(haft__run *run, const haft__graph_action *action,
                                   haft_error *err)
{
    return is_full(run, 0) ? haft__graph_execution_reduce_error(
               run->graph->x, action->request.channel, SIZE_MAX, HAFT__LIT(FULL), err)
                           : haft__graph_add_reduction(run, &action->request, err);
}

static haft_status serve(haft__run *run, const haft__graph_action *action, haft_error *err)
{
    switch (action->request.kind) {
    case HAFT__REQUEST_REDUCE: return serve_reduction(run, action, err);
    case HAFT__REQUEST_LOOKUP: return haft__graph_serve_lookup(run->graph, action->task, err);
    case HAFT__REQUEST_PAUSE:
    case HAFT__REQUEST_ASK:
    case HAFT__REQUEST_CALL:
    case HAFT__REQUEST_TOOL:
    case HAFT__REQUEST_AGENT:
    case HAFT__REQUEST_FUNCTION: return serve_call(run, action, err);
    case HAFT__REQUEST_COUNT:
    case HAFT__REQUEST_EFFECT:
    case HAFT__REQUEST_DELAY: break; /* operations that only cases have */
    }
    return haft__graph_execution_reply_error(run->graph->x, action->task, HAFT__GRAPH_NODE_FAILED,
                                             HAFT__LIT("this operation is for cases only"), err);
}

/* Continues the execution until it only waits for calls, or until a step or the end must be
 * recorded. */
static haft_status advance(haft__run *run, haft_error *err)
{
    haft__graph_execution *x = run->graph->x;
    haft_status status = HAFT_OK;
    run->graph_next = (haft__graph_next){.kind = HAFT__GRAPH_NEXT_CALLS};
    while (status == HAFT_OK) {
        haft__graph_action action;
        status = haft__graph_execution_next(x, &action, err);
        if (status != HAFT_OK || action.kind == HAFT__ACTION_WAITING) {
            return status;
        }
        if (action.kind == HAFT__ACTION_ENDED) {
            return haft__graph_set_end(run, err);
        }
        if (action.kind == HAFT__ACTION_STEP && is_full(run, haft__channel_size(action.event))) {
            haft_error why = {0};
            (void)haft__fail(&why, HAFT_TOO_BIG, "", FULL);
            haft__graph_execution_fail(x, &why);
            return haft__graph_set_end(run, err);
        }
        if (action.kind == HAFT__ACTION_STEP) {
            run->graph_next =
                (haft__graph_next){.kind = HAFT__GRAPH_NEXT_STEP, .step = action.event};
            return HAFT_OK;
        }
        status = serve(run, &action, err);
    }
    return status;
}

/* ---- events ---- */

static void destroy(void *context)
{
    haft__graph_execution_destroy(context);
}

/* Whether a node of a graph started the run: calls of nodes are named n<step>.<index>. */
static bool is_inside(const haft__run *run)
{
    haft_str rest = run->path, last = {NULL, 0};
    while (rest.len > 0) {
        last = haft__str_split(&rest, '/');
    }
    return haft__str_starts_with(last, HAFT__LIT("n")) && last.len > 1 && last.ptr[1] >= '0'
           && last.ptr[1] <= '9';
}

static haft_status create(haft__run *run, haft_error *err)
{
    haft__graph_run *graph = haft__arena_array(run->arena, 1, sizeof(*graph));
    haft__graph_execution_options options = {0};
    if (graph == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *graph = (haft__graph_run){.arena = run->arena};
    haft__map_init(&graph->cache, run->arena, run->hash_key);
    run->graph = graph;
    haft_status status = compile(run->spec, run->arena, &graph->graph, err);
    if (status == HAFT_OK) {
        options.concurrency = graph->graph->concurrency;
        options.inside = is_inside(run);
        options.patient = true;
        status = haft__graph_execution_create(graph->graph, &options, &graph->x, err);
    }
    if (status == HAFT_OK) {
        status = haft__arena_on_release(run->arena, destroy, graph->x, err);
        if (status != HAFT_OK) {
            haft__graph_execution_destroy(graph->x);
        }
    }
    return status;
}

/* Fails a run whose input is invalid. Only the input of an inner graph, which comes from its parent
 * graph, can be invalid here. The input of a root run was checked before. */
static haft_status refuse_input(haft__run *run, const haft_error *why, haft_error *err)
{
    haft__graph_execution_fail(run->graph->x, why);
    return haft__graph_set_end(run, err);
}

/* Makes step 0. `kept` has the values of the thread, or is null. */
static haft_status begin(haft__run *run, haft__json kept, haft_error *err)
{
    haft__graph_refusal refusal = {.refused = false};
    haft__json input, step;
    haft_error why = {0};
    haft_status given = haft__graph_read_input(run->graph->graph, run->task, run->arena,
                                               run->hash_key, &input, &why);
    if (given == HAFT_OK) {
        given = haft__graph_execution_begin(run->graph->x, input, kept, &step, &refusal, &why);
    }
    if (given == HAFT_OK && refusal.refused) {
        given = fail_refused(&refusal, &why);
    }
    if (given == HAFT_BAD_INPUT || given == HAFT_TOO_BIG) {
        return refuse_input(run, &why, err);
    }
    if (given != HAFT_OK) {
        return haft__fail(err, given, why.where, "%s", why.message);
    }
    run->graph_next = (haft__graph_next){.kind = HAFT__GRAPH_NEXT_STEP, .step = step};
    return HAFT_OK;
}

/* Starts the execution. A child run is the only run of its thread, so it needs no values of the
 * thread. */
static haft_status start(haft__run *run, haft_error *err)
{
    haft_status status = create(run, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (run->path.len == 0 && haft__graph_keeps_channels(run->graph->graph)) {
        run->graph_next = (haft__graph_next){.kind = HAFT__GRAPH_NEXT_THREAD};
        return HAFT_OK;
    }
    return begin(run, haft__json_null(), err);
}

/* Copies the values, because the first step is written after the event is freed. */
static haft_status fold_thread_state(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__json kept;
    haft_status status =
        haft__json_copy_deep(run->arena, haft__object_object(event->object, "values"), &kept, err);
    return status == HAFT_OK ? begin(run, kept, err) : status;
}

static haft_status fail_step(const haft__event *event, const char *what, haft_error *err)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "event %llu", (unsigned long long)event->seq);
    return haft__fail(err, HAFT_BAD_INPUT, where, "graph_step is not valid here: %s", what);
}

/* Finds the node with `pause: after` because of which the run waits for a person. */
static haft_str find_paused(const haft__graph *graph, const haft__event *event)
{
    haft__json nodes = haft__object_array(event->object, "nodes");
    haft_str name = HAFT__LIT("");
    for (uint32_t i = nodes.count; i-- > 0;) {
        haft__graph_node_id node;
        haft_str one = haft__object_string(nodes.items[i], "node");
        if (haft__graph_find_node(graph, one, &node) && graph->nodes[node].pause_after) {
            name = graph->nodes[node].name;
        }
    }
    return name;
}

/* Applies the event to the execution. An event that does not fit the graph is not valid. */
static haft_status fold_execution(haft__graph_run *graph, const haft__event *event, haft_error *err)
{
    haft_error why = {0};
    haft_status status = haft__graph_execution_fold(graph->x, event->object, &why);
    if (status == HAFT_BAD_INPUT) {
        return fail_step(event, why.message, err);
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, why.where, "%s", why.message);
}

static haft_status fold_step(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    uint64_t step = 0;
    haft_status status = haft__event_number(event, "step", &step, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (haft__event_is_graph_change(event)) {
        status = haft__graph_fold_change(run, event, err);
        return status == HAFT_OK ? advance(run, err) : status;
    }
    if (run->graph_next.kind != HAFT__GRAPH_NEXT_STEP
        || step != haft__object_number(run->graph_next.step, "step", step + 1)) {
        return fail_step(event, "the graph has no such step now", err);
    }
    status = haft__graph_keep_outputs(graph, err);
    if (status == HAFT_OK) {
        status = fold_execution(graph, event, err);
        graph->begun = graph->begun || status == HAFT_OK;
    }
    if (status == HAFT_OK && graph->x->paused) {
        graph->paused_after = find_paused(graph->graph, event);
        status = haft__graph_add_pause_after(run, graph->paused_after, err);
    }
    return status == HAFT_OK ? advance(run, err) : status;
}

static haft_status fold_result(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__run_call *call = haft__run_find_call(run, haft__object_text(event->object, "call"));
    bool open = call != NULL && call->stage != HAFT__CALL_FINISHED
                && call->stage != HAFT__CALL_REFUSED; /* middleware has not passed its result on */
    if (call == NULL || call->node == NULL || call->closed || open) {
        return HAFT_OK;
    }
    haft_status status = call->node->reduces > 0 ? haft__graph_take_reduction(run, call, err)
                                                 : haft__graph_take_result(run, call, err);
    return status == HAFT_OK && run->graph_next.kind != HAFT__GRAPH_NEXT_END ? advance(run, err)
                                                                             : status;
}

static haft_status fold_event(haft__run *run, const haft__event *event, haft_error *err)
{
    switch (event->kind) {
    case HAFT__EVENT_THREAD_STATE: return fold_thread_state(run, event, err);
    case HAFT__EVENT_GRAPH_STEP: return fold_step(run, event, err);
    case HAFT__EVENT_INTERVENTION:
    case HAFT__EVENT_CALL_FINISHED:
    case HAFT__EVENT_CALL_REFUSED: return fold_result(run, event, err);
    default: return HAFT_OK;
    }
}

static haft_status fold(haft__run *run, const haft__event *event, haft_error *err)
{
    if (event->kind == HAFT__EVENT_RUN_STARTED) {
        return start(run, err);
    }
    if (run->graph == NULL) {
        return fail_step(event, "the run has no graph", err);
    }
    run->graph->now_ms = event->at_ms;
    haft_status status = fold_event(run, event, err);
    bool limited = run->wall_reached || run->parent_limit_reached;
    return status == HAFT_OK && limited ? haft__graph_set_last_answer(run, err) : status;
}

const haft__graph_rules haft__graph_run_rules = {
    .fold = fold, .make_input = haft__graph_make_input, .keep = haft__graph_keep};
