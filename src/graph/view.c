/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - makes the views of nodes, and the requests and outputs of nodes other than `do`. Tests:
 * tests/graph/execution_test.c. */
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "prompt/prompt.h"
#include "json/object.h"
#include "json/pointer.h"

static haft__json_member member(haft_str key, haft__json value)
{
    return (haft__json_member){.key = haft__json_string(key), .value = value};
}

haft_status haft__graph_facts(const haft__graph_execution *x, haft_str node, haft__arena *arena,
                              haft__json *ret_facts, haft_error *err)
{
    haft__json_member *facts = haft__arena_array(arena, 4, sizeof(*facts));
    uint32_t left = x->limit > x->step ? x->limit - x->step - 1 : 0;
    if (facts == NULL) {
        return haft__arena_fail(arena, err);
    }
    facts[0] = member(HAFT__LIT("node"), haft__json_string(node));
    facts[1] = member(HAFT__LIT("step"), haft__json_int(arena, (int64_t)x->step + 1));
    facts[2] = member(HAFT__LIT("remaining_steps"), haft__json_int(arena, left));
    *ret_facts = haft__json_object(facts, 3);
    return facts[1].value.kind == HAFT__JSON_NUMBER && facts[2].value.kind == HAFT__JSON_NUMBER
               ? HAFT_OK
               : haft__arena_fail(arena, err);
}

/* Adds the channels that a node sees. */
static haft_status add_channels(const haft__graph_execution *x, const haft__graph_node *node,
                                haft__arena *arena, haft__json *ret_view, haft_error *err)
{
    size_t count = node->sees_all ? x->graph->channel_count : node->input_count, seen = 0;
    haft__json_member *members = haft__arena_array(arena, count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t channel = node->sees_all ? (uint32_t)i : node->input[i];
        if (x->state.values[channel].present) {
            members[seen++] =
                member(x->graph->channels[channel].name, x->state.values[channel].value);
        }
    }
    *ret_view = haft__json_object(members, seen);
    return HAFT_OK;
}

static haft_status see(const haft__graph_execution *x, const haft__graph_task *task,
                       haft__arena *arena, haft__json *ret_view, haft_error *err)
{
    *ret_view = task->argument;
    return task->has_argument ? HAFT_OK
                              : add_channels(x, &x->graph->nodes[task->node], arena, ret_view, err);
}

haft_status haft__graph_task_view(haft__graph_execution *x, const haft__graph_task *task,
                                  haft_str error, haft__arena *arena, haft__json *ret_view,
                                  haft_error *err)
{
    haft__json view, facts;
    haft_status status = see(x, task, arena, &view, err);
    if (status == HAFT_OK) {
        status = haft__graph_facts(x, x->graph->nodes[task->node].name, arena, &facts, err);
    }
    if (status == HAFT_OK && error.ptr != NULL) {
        status = haft__graph_set_member(arena, facts, HAFT__LIT("error"), haft__json_string(error),
                                        &facts, err);
    }
    if (status == HAFT_OK) {
        status = haft__graph_set_member(arena, view, HAFT__LIT("$"), facts, ret_view, err);
    }
    return status;
}

haft_status haft__graph_execution_view(haft__graph_execution *x, size_t index, haft__arena *arena,
                                       haft__json *ret_view, haft_error *err)
{
    const haft__graph_task *task = &x->tasks[index];
    haft__json facts, attempt = haft__json_int(arena, (int64_t)task->failures + 1);
    haft_status status =
        attempt.kind == HAFT__JSON_NUMBER
            ? haft__graph_task_view(x, task, (haft_str){NULL, 0}, arena, ret_view, err)
            : haft__arena_fail(arena, err);
    if (status == HAFT_OK) {
        facts = haft__object_object(*ret_view, "$");
        status = haft__graph_set_member(arena, facts, HAFT__LIT("attempt"), attempt, &facts, err);
    }
    return status == HAFT_OK
               ? haft__graph_set_member(arena, *ret_view, HAFT__LIT("$"), facts, ret_view, err)
               : status;
}

/* ---- requests ---- */

/* Reads `args` or `in`: {name: POINTER or {value: JSON}}. If a pointer has no value, the member is
 * null, or with `sparse` omitted. */
static haft_status read_values(haft__json source, haft__json view, bool sparse, haft__arena *arena,
                               haft__json *ret_values, haft_error *err)
{
    haft__json values = haft__json_object(NULL, 0);
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < source.count && status == HAFT_OK; i++) {
        haft__json from = source.members[i].value;
        const haft__json *found = from.kind == HAFT__JSON_STRING
                                      ? haft__pointer_get(&view, haft__json_text(from))
                                      : haft__object_find(from, "value");
        if (sparse && found == NULL) {
            continue;
        }
        status = haft__graph_set_member(arena, values, haft__json_text(source.members[i].key),
                                        found != NULL ? *found : haft__json_null(), &values, err);
    }
    *ret_values = values;
    return status;
}

/* Makes the question with its template filled in. */
static haft_status read_question(haft__json ask, haft__json view, haft__arena *arena,
                                 haft__json *ret_question, haft_error *err)
{
    bool plain = ask.kind == HAFT__JSON_STRING;
    haft_str text = {NULL, 0};
    haft_status status = haft__graph_template(
        arena, plain ? haft__json_text(ask) : haft__object_string(ask, "question"), view, &text,
        err);
    *ret_question = haft__json_string(text);
    return status == HAFT_OK && !plain ? haft__graph_set_member(
               arena, ask, HAFT__LIT("question"), haft__json_string(text), ret_question, err)
                                       : status;
}

/* Appends the plan at the pointer to the task of an agent. Appends nothing if the plan does not
 * exist. */
static haft_status add_plan(haft_str pointer, haft__json view, haft__arena *arena,
                            haft_str *io_task, haft_error *err)
{
    const haft__json *plan = haft__pointer_get(&view, pointer);
    if (plan == NULL || plan->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__buf_add_str(&text, *io_task);
    haft__buf_add_str(&text, HAFT__LIT("\n\n"));
    haft__prompt_add_plan(&text, *plan);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *io_task = haft__arena_copy(arena, haft__buf_str(&text));
        status = io_task->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__graph_node_request(haft__graph_execution *x, const haft__graph_task *task,
                                     haft__arena *arena, haft__graph_request *ret_request,
                                     haft_error *err)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    haft__json view, source = node->source;
    haft_str text = {NULL, 0};
    haft_status status = haft__graph_task_view(x, task, (haft_str){NULL, 0}, arena, &view, err);
    *ret_request = (haft__graph_request){.kind = HAFT__REQUEST_FUNCTION};
    if (status != HAFT_OK) {
        return status;
    }
    switch (node->kind) {
    case HAFT__NODE_DO: HAFT__UNREACHABLE();
    case HAFT__NODE_ASK:
        ret_request->kind = HAFT__REQUEST_ASK;
        return read_question(haft__object_get(source, "ask"), view, arena, &ret_request->value,
                             err);
    case HAFT__NODE_TOOL:
        ret_request->kind = HAFT__REQUEST_TOOL;
        ret_request->name = haft__object_string(source, "tool");
        return read_values(haft__object_object(source, "args"), view, true, arena,
                           &ret_request->value, err);
    case HAFT__NODE_AGENT:
        ret_request->kind = HAFT__REQUEST_AGENT;
        ret_request->name = haft__object_string(source, "agent");
        status = haft__graph_template(arena, haft__object_string(source, "task"), view, &text, err);
        if (status == HAFT_OK && haft__object_find(source, "plan") != NULL) {
            status = add_plan(haft__object_string(source, "plan"), view, arena, &text, err);
        }
        ret_request->value = haft__json_string(text);
        return status;
    case HAFT__NODE_FUNCTION: /* the function gets the view when it starts */
        ret_request->name = haft__object_string(source, "function");
        return HAFT_OK;
    case HAFT__NODE_GRAPH:
        ret_request->kind = HAFT__REQUEST_CALL;
        ret_request->name = haft__object_string(source, "graph");
        ret_request->mapped = haft__object_find(source, "in") != NULL;
        return ret_request->mapped ? read_values(haft__object_object(source, "in"), view, false,
                                                 arena, &ret_request->value, err)
                                   : see(x, task, arena, &ret_request->value, err);
    }
    HAFT__UNREACHABLE();
}

/* ---- outputs ---- */

/* Makes the writes of an inner graph without `out`: its written channels that have the same name
 * here. */
static haft_status write_same_names(const haft__graph *graph, haft__json result, haft__arena *arena,
                                    haft__graph_output *output, haft_error *err)
{
    haft__json wrote = haft__object_array(result, "wrote");
    haft__json state = haft__object_object(result, "state");
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < wrote.count && status == HAFT_OK; i++) {
        haft__channel_write write = {0};
        haft_str name = haft__json_text(wrote.items[i]);
        const haft__json *value = haft__json_get(state, name);
        if (value != NULL && haft__graph_find_channel(graph, name, &write.channel)) {
            write.value = *value;
            status = haft__graph_output_write(output, arena, write, err);
        }
    }
    return status;
}

haft_status haft__graph_node_output(haft__graph_execution *x, const haft__graph_task *task,
                                    haft__arena *arena, haft__graph_output *ret_output,
                                    bool *ret_valid, haft__graph_failure *ret_failure,
                                    haft_error *err)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    const haft__json *out = haft__object_find(node->source, "out");
    bool inside = node->kind == HAFT__NODE_GRAPH;
    *ret_output = (haft__graph_output){0};
    *ret_valid = true;
    /* A function without `out`, or a person in its place, may return a command as plain JSON. */
    bool plain =
        node->kind == HAFT__NODE_FUNCTION && out == NULL && task->result.kind == HAFT__JSON_OBJECT;
    haft__json command = inside                     ? haft__object_get(task->result, "command")
                         : task->commanded || plain ? task->result
                                                    : haft__json_null();
    if (command.kind == HAFT__JSON_OBJECT) {
        return haft__graph_read_command(x->graph, node, command, arena, ret_output, ret_valid,
                                        ret_failure, err);
    }
    if (out == NULL && inside) {
        return write_same_names(x->graph, task->result, arena, ret_output, err);
    }
    haft__json result = inside ? haft__object_get(task->result, "state") : task->result;
    return out != NULL ? haft__graph_output_map(ret_output, arena, x->graph, *out, result, err)
                       : HAFT_OK;
}
