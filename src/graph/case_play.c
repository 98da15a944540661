/* SPDX-License-Identifier: Apache-2.0 */
/* case_play.c - executes the graphs of a case, and serves the requests of their tasks. Tests:
 * tests/graph/cases_test.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "graph/cases_int.h"
#include "json/canonical.h"
#include "json/object.h"

/* ---- plays ---- */

static void notice(void *context, haft__graph_task *task);

haft_status haft__case_create(haft__case_world *world, const haft__graph *graph, uint32_t limit,
                              haft__case_play **ret_play, haft_error *err)
{
    haft__case_play *play = haft__arena_array(&world->arena, 1, sizeof(*play));
    if (play == NULL) {
        return haft__arena_fail(&world->arena, err);
    }
    *play = (haft__case_play){.world = world, .graph = graph, .next = world->plays};
    haft__graph_execution_options options = {.limit = limit, .notice = notice, .context = play};
    world->plays = play;
    *ret_play = play;
    return haft__graph_execution_create(graph, &options, &play->x, err);
}

/* The record of a task: its inner graph, and whether this action has listed the task. */
static haft__case_task *record_of(haft__case_play *play, haft__graph_task *task)
{
    if (task->host == NULL) {
        task->host = haft__arena_array(&play->world->arena, 1, sizeof(haft__case_task));
        play->world->out_of_memory = play->world->out_of_memory || task->host == NULL;
    }
    return task->host;
}

/* Adds a node to the list of nodes that ran in the current step of this action. */
static void note(haft__case_play *play, haft_str name, bool handler)
{
    haft__arena *arena = &play->world->arena;
    haft__case_note *notes =
        haft__vec_reserve_in(arena, play->notes, play->note_count, &play->note_capacity,
                             play->note_count + 1, sizeof(*notes));
    haft_str shown = handler ? haft__arena_format(arena, "%.*s!error", HAFT__ARG(name)) : name;
    if (notes == NULL || shown.ptr == NULL) {
        play->world->out_of_memory = true;
        return;
    }
    play->notes = notes;
    notes[play->note_count++] = (haft__case_note){.step = play->x->step + 1, .name = shown};
}

static void notice(void *context, haft__graph_task *task)
{
    haft__case_play *play = context;
    haft__case_task *record = record_of(play, task);
    note(play, play->graph->nodes[task->node].name, task->handling);
    if (record != NULL) {
        record->noted = true;
        record->child = task->handling ? NULL : record->child;
    }
}

/* A task that waited continues: adds its node to the list, once for each action. */
void haft__case_note_resumed(haft__case_play *play, haft__graph_task *task)
{
    haft__case_task *record = record_of(play, task);
    if (record != NULL && !record->noted) {
        note(play, play->graph->nodes[task->node].name, false);
        record->noted = true;
    }
}

/* ---- events ---- */

/* Stores an event for forks, and applies it. */
haft_status haft__case_fold(haft__case_play *play, haft__json event, haft_error *err)
{
    haft__arena *arena = &play->world->arena;
    haft__json *events =
        haft__vec_reserve_in(arena, play->events, play->event_count, &play->event_capacity,
                             play->event_count + 1, sizeof(*events));
    haft__json copied;
    if (events == NULL) {
        return haft__arena_fail(arena, err);
    }
    play->events = events;
    haft_status status = haft__json_copy_deep(arena, event, &copied, err);
    if (status == HAFT_OK) {
        events[play->event_count++] = copied;
        status = haft__graph_execution_fold(play->x, copied, err);
    }
    return status;
}

/* Stores the outputs of cached nodes after their step is committed. */
static haft_status store_outputs(haft__case_play *play, haft_error *err)
{
    haft__case_world *world = play->world;
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < play->x->task_count && status == HAFT_OK; i++) {
        const haft__graph_task *task = &play->x->tasks[i];
        haft__json output, copied;
        if (task->cache_key.len == 0) {
            continue;
        }
        haft_str key = haft__arena_copy(&world->arena, task->cache_key);
        status = haft__graph_output_to_json(play->graph, &task->program.output, &world->arena,
                                            &output, err);
        if (status == HAFT_OK) {
            status = haft__json_copy_deep(&world->arena, output, &copied, err);
        }
        if (status == HAFT_OK) {
            status = key.ptr != NULL ? haft__graph_set_member(&world->arena, world->cache, key,
                                                              copied, &world->cache, err)
                                     : haft__arena_fail(&world->arena, err);
        }
    }
    return status;
}

haft_status haft__case_begin(haft__case_play *play, haft__json input, haft__json kept,
                             haft__graph_refusal *ret_refusal, haft_error *err)
{
    haft__json event;
    haft_status status =
        haft__graph_execution_begin(play->x, input, kept, &event, ret_refusal, err);
    return status == HAFT_OK && !ret_refusal->refused ? haft__case_fold(play, event, err) : status;
}

/* ---- requests of tasks ---- */

/* Counts the visits of an operation in this case. *ret_count is the number of earlier visits. */
static haft_status count_visit(haft__case_world *world, haft_str key, haft__json *ret_count,
                               haft_error *err)
{
    const haft__json *before = haft__json_get(world->counts, key);
    haft_str copied = haft__arena_copy(&world->arena, key);
    haft__json one = haft__json_int(&world->arena, 1), zero = haft__json_int(&world->arena, 0);
    haft__json next = one;
    if (copied.ptr == NULL || one.kind == HAFT__JSON_NULL || zero.kind == HAFT__JSON_NULL) {
        return haft__arena_fail(&world->arena, err);
    }
    *ret_count = before != NULL ? *before : zero;
    haft_status status = before != NULL
                             ? haft__channel_add_numbers(*before, one, &world->arena, &next, err)
                             : HAFT_OK;
    return status == HAFT_OK ? haft__graph_set_member(&world->arena, world->counts, copied, next,
                                                      &world->counts, err)
                             : status;
}

static haft_status note_effect(haft__case_world *world, haft_str label, haft_error *err)
{
    haft_str *effects =
        haft__vec_reserve_in(&world->arena, world->effects, world->effect_count,
                             &world->effect_capacity, world->effect_count + 1, sizeof(*effects));
    haft_str copied = haft__arena_copy(&world->arena, label);
    if (effects == NULL || copied.ptr == NULL) {
        return haft__arena_fail(&world->arena, err);
    }
    world->effects = effects;
    effects[world->effect_count++] = copied;
    return HAFT_OK;
}

static bool replaces(const haft__channel *channel)
{
    return channel->reducer == HAFT__REDUCE_REPLACE && channel->lifetime != HAFT__LIFETIME_STEP;
}

/* Whether the input may set a channel. */
static bool accepts(const haft__graph *graph, haft_str channel)
{
    return graph->input.kind != HAFT__JSON_ARRAY || haft__array_has_text(graph->input, channel);
}

/* The input of an inner graph. Without `in` of the node: the channels that the inner graph has,
 * too, that it replaces, and that its input may set. */
static haft_status child_input(haft__case_world *world, const haft__graph *graph,
                               const haft__graph_request *request, haft__json *ret_input,
                               haft_error *err)
{
    haft__json input = haft__json_object(NULL, 0), given = request->value;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count && status == HAFT_OK;
         i++) {
        uint32_t channel;
        haft_str name = haft__json_text(given.members[i].key);
        if (haft__graph_find_channel(graph, name, &channel)
            && (request->mapped || (replaces(&graph->channels[channel]) && accepts(graph, name)))) {
            status = haft__graph_set_member(&world->arena, input, name, given.members[i].value,
                                            &input, err);
        }
    }
    *ret_input = input;
    return status;
}

static const haft__graph *find_graph(const haft__case_world *world, haft_str name)
{
    for (uint32_t i = 0; i < world->sources.count; i++) {
        if (haft__str_equal(haft__json_text(world->sources.members[i].key), name)) {
            return world->graphs[i];
        }
    }
    return NULL;
}

/* Starts an inner graph. *ret_child is NULL if it refuses its input. */
static haft_status start_child(haft__case_play *play, const haft__graph_request *request,
                               haft__case_play **ret_child, haft_error *err)
{
    haft__case_world *world = play->world;
    const haft__graph *graph = find_graph(world, request->name);
    haft__graph_refusal refusal = {.refused = false};
    haft__json input;
    *ret_child = NULL;
    if (graph == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "there is no graph '%.*s'",
                          HAFT__ARG(request->name));
    }
    bool own = haft__object_find(haft__json_get(world->sources, request->name) != NULL
                                     ? *haft__json_get(world->sources, request->name)
                                     : haft__json_null(),
                                 "recursion_limit")
               != NULL;
    haft_status status = haft__case_create(
        world, graph, own ? graph->recursion_limit : play->x->limit, ret_child, err);
    if (status == HAFT_OK) {
        status = child_input(world, graph, request, &input, err);
    }
    if (status == HAFT_OK) {
        status = haft__case_begin(*ret_child, input, haft__json_null(), &refusal, err);
    }
    *ret_child = status == HAFT_OK && !refusal.refused ? *ret_child : NULL;
    return status;
}

/* The result of an inner graph: {state, wrote, command}. */
static haft_status child_result(haft__case_play *child, haft__json *ret_result, haft_error *err)
{
    haft__arena *arena = &child->world->arena;
    const haft__graph *graph = child->graph;
    haft__json state, result = haft__json_object(NULL, 0);
    haft__json *wrote = haft__arena_array(arena, graph->channel_count + 1, sizeof(*wrote));
    size_t count = 0;
    if (wrote == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t c = 0; c < graph->channel_count; c++) {
        if (child->x->state.values[c].written) {
            wrote[count++] = haft__json_string(graph->channels[c].name);
        }
    }
    haft_status status = haft__graph_execution_state(child->x, false, arena, &state, err);
    if (status == HAFT_OK) {
        status = haft__graph_set_member(arena, result, HAFT__LIT("state"), state, &result, err);
    }
    if (status == HAFT_OK) {
        status = haft__graph_set_member(arena, result, HAFT__LIT("wrote"),
                                        haft__json_array(wrote, count), &result, err);
    }
    if (status == HAFT_OK && child->x->has_command) {
        status = haft__graph_set_member(arena, result, HAFT__LIT("command"), child->x->command,
                                        &result, err);
    }
    *ret_result = result;
    return status;
}

static haft_status note_inner(haft__case_play *play, haft_str path, haft__case_play *child,
                              haft_error *err)
{
    for (size_t i = 0; i < play->inner_count; i++) {
        if (play->inner[i].child == child) {
            return HAFT_OK;
        }
    }
    haft__case_inner *inner =
        haft__vec_reserve_in(&play->world->arena, play->inner, play->inner_count,
                             &play->inner_capacity, play->inner_count + 1, sizeof(*inner));
    if (inner == NULL) {
        return haft__arena_fail(&play->world->arena, err);
    }
    play->inner = inner;
    inner[play->inner_count++] = (haft__case_inner){.path = path, .child = child};
    return HAFT_OK;
}

/* Continues the inner graph of a task. The end of the inner graph is the reply to the task. */
static haft_status drive_child(haft__case_play *play, size_t index, haft_error *err)
{
    haft__graph_task *task = &play->x->tasks[index];
    haft__case_play *child = record_of(play, task)->child;
    haft__json result;
    bool waiting;
    child->x->options.inside = true;
    haft_status status = haft__case_go(child, &waiting, err);
    if (status == HAFT_OK) {
        status = note_inner(play, play->graph->nodes[task->node].name, child, err);
    }
    if (status != HAFT_OK || waiting) {
        haft__graph_execution_set_for_person(play->x, index, waiting);
        return status;
    }
    if (child->x->end == HAFT__GRAPH_DONE) {
        status = child_result(child, &result, err);
        record_of(play, task)->child = NULL;
        return status == HAFT_OK ? haft__graph_execution_reply(play->x, index, result, err)
                                 : status;
    }
    if (child->x->failure.code == HAFT__GRAPH_NODE_FAILED && child->x->end == HAFT__GRAPH_FAILED) {
        return haft__graph_execution_reply_error(play->x, index, HAFT__GRAPH_NODE_FAILED,
                                                 child->x->failure.message, err);
    }
    haft__graph_code code = child->x->end == HAFT__GRAPH_EXHAUSTED    ? HAFT__GRAPH_CHILD_EXHAUSTED
                            : child->x->end == HAFT__GRAPH_INCOMPLETE ? HAFT__GRAPH_CHILD_INCOMPLETE
                                                                      : HAFT__GRAPH_CHILD_FAILED;
    haft_str message = haft__arena_format(&play->world->arena, "the inner graph ended as %s",
                                          haft__case_end_name(child->x->end));
    return message.ptr != NULL
               ? haft__graph_execution_reply_error(play->x, index, code, message, err)
               : haft__arena_fail(&play->world->arena, err);
}

static haft_status call_child(haft__case_play *play, size_t index,
                              const haft__graph_request *request, haft_error *err)
{
    haft__case_task *record = record_of(play, &play->x->tasks[index]);
    if (record == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = HAFT_OK;
    if (record->child != NULL) {
        haft__graph_execution_reopen(record->child->x, 0); /* the inner graph continues where it
                                                            * failed */
    } else {
        status = start_child(play, request, &record->child, err);
    }
    if (status == HAFT_OK && record->child == NULL) {
        return haft__graph_execution_reply_error(play->x, index, HAFT__GRAPH_CHILD_FAILED,
                                                 HAFT__LIT("the inner graph refuses its input"),
                                                 err);
    }
    return status == HAFT_OK ? drive_child(play, index, err) : status;
}

static haft_status serve(haft__case_play *play, size_t task, const haft__graph_request *request,
                         haft_error *err)
{
    haft__json result = haft__json_null();
    const haft__json *cached;
    haft_status status = HAFT_OK;
    switch (request->kind) {
    case HAFT__REQUEST_PAUSE:
    case HAFT__REQUEST_ASK: return HAFT_OK; /* an action of the script answers */
    case HAFT__REQUEST_CALL: return call_child(play, task, request, err);
    case HAFT__REQUEST_COUNT: status = count_visit(play->world, request->name, &result, err); break;
    case HAFT__REQUEST_EFFECT: status = note_effect(play->world, request->name, err); break;
    case HAFT__REQUEST_LOOKUP:
        cached = haft__json_get(play->world->cache, request->name);
        result = cached != NULL ? *cached : result;
        break;
    case HAFT__REQUEST_DELAY: break;
    case HAFT__REQUEST_REDUCE:
        return haft__graph_execution_reduce_error(play->x, request->channel, 0,
                                                  HAFT__LIT("a case has no functions"), err);
    case HAFT__REQUEST_TOOL:
    case HAFT__REQUEST_AGENT:
    case HAFT__REQUEST_FUNCTION:
        return haft__graph_execution_reply_error(
            play->x, task, HAFT__GRAPH_NODE_FAILED,
            HAFT__LIT("a case has no tools, agents or functions"), err);
    }
    return status == HAFT_OK ? haft__graph_execution_reply(play->x, task, result, err) : status;
}

haft_status haft__case_go(haft__case_play *play, bool *ret_waiting, haft_error *err)
{
    haft__graph_action action;
    haft_status status = HAFT_OK;
    *ret_waiting = false;
    for (size_t i = 0; i < play->x->task_count && status == HAFT_OK; i++) {
        haft__case_task *record = play->x->tasks[i].host;
        if (play->x->tasks[i].state == HAFT__TASK_BUSY && record != NULL && record->child != NULL) {
            status = drive_child(play, i, err);
        }
    }
    while (status == HAFT_OK) {
        status = haft__graph_execution_next(play->x, &action, err);
        if (status != HAFT_OK) {
            break;
        }
        switch (action.kind) {
        case HAFT__ACTION_REQUEST: status = serve(play, action.task, &action.request, err); break;
        case HAFT__ACTION_STEP:
            status = store_outputs(play, err);
            status = status == HAFT_OK ? haft__case_fold(play, action.event, err) : status;
            break;
        case HAFT__ACTION_WAITING: *ret_waiting = true; return HAFT_OK;
        case HAFT__ACTION_ENDED: return HAFT_OK;
        }
    }
    return status;
}

const char *haft__case_end_name(haft__graph_end end)
{
    static const char *const names[] = {
        [HAFT__GRAPH_OPEN] = "paused",         [HAFT__GRAPH_DONE] = "done",
        [HAFT__GRAPH_EXHAUSTED] = "exhausted", [HAFT__GRAPH_INCOMPLETE] = "incomplete",
        [HAFT__GRAPH_FAILED] = "failed",
    };
    return names[end];
}

/* ---- pending ---- */

haft_status haft__case_list_pending(haft__case_play *play, haft_str top, size_t depth,
                                    haft__case_pendings *list, haft_error *err)
{
    haft__arena *arena = &play->world->arena;
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < play->x->task_count && status == HAFT_OK; i++) {
        haft__graph_task *task = &play->x->tasks[i];
        haft__case_task *record = task->host;
        haft_str node = depth == 0 ? play->graph->nodes[task->node].name : top;
        if (task->state != HAFT__TASK_BUSY) {
            continue;
        }
        if (record != NULL && record->child != NULL) {
            record->child->parent = play;
            record->child->parent_task = task;
            status = haft__case_list_pending(record->child, node, depth + 1, list, err);
            continue;
        }
        haft__case_pending *items = haft__vec_reserve_in(
            arena, list->items, list->count, &list->capacity, list->count + 1, sizeof(*items));
        if (items == NULL) {
            return haft__arena_fail(arena, err);
        }
        list->items = items;
        items[list->count++] =
            (haft__case_pending){.play = play,
                                 .task = i,
                                 .node = node,
                                 .pause = task->request.kind == HAFT__REQUEST_PAUSE,
                                 .ask = task->request.value};
    }
    return status;
}
