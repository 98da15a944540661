/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - runs the operations of a node. Tests: tests/graph/program_test.c. */
#include "graph/program.h"

#include "base/str.h"
#include "base/vec.h"
#include "channel/value.h"
#include "graph/graph_int.h"
#include "run/pause/condition.h"
#include "json/number.h"
#include "json/object.h"
#include "json/pointer.h"

/* One operation while it runs. */
typedef struct operation {
    haft__graph_program *program;
    haft__json op, value;
    const haft__json *result; /* result of its request; NULL before the request */
    haft__graph_program_state state;
    haft__graph_request request;
    haft__graph_failure failure;
    haft_error *err;
} operation;

static haft_status push(haft__graph_program *program, haft__json ops, haft_error *err)
{
    haft__graph_frame *frames =
        haft__vec_reserve_in(program->arena, program->frames, program->depth, &program->capacity,
                             program->depth + 1, sizeof(*frames));
    if (frames == NULL) {
        return haft__arena_fail(program->arena, err);
    }
    program->frames = frames;
    frames[program->depth++] = (haft__graph_frame){.ops = ops};
    return HAFT_OK;
}

haft_status haft__graph_program_start(haft__graph_program *program, haft__arena *arena,
                                      const haft__graph *graph, haft__json ops, haft__json view,
                                      haft_error *err)
{
    *program = (haft__graph_program){.arena = arena, .graph = graph, .view = view};
    return push(program, ops, err);
}

/* ---- writes ---- */

static haft_status write_value(operation *o, haft_str channel, haft__json value, bool overwrite)
{
    haft__channel_write write = {.value = value, .overwrite = overwrite};
    return haft__graph_find_channel(o->program->graph, channel, &write.channel)
               ? haft__graph_output_write(&o->program->output, o->program->arena, write, o->err)
               : HAFT_OK;
}

/* Computes the sum of numbers and of values at pointers; a missing value is treated as 0. */
static haft_status sum_values(operation *o, haft__json terms, haft__json *ret_sum)
{
    haft_status status = HAFT_OK;
    haft__json sum = haft__json_int(o->program->arena, 0);
    for (uint32_t i = 0; terms.kind == HAFT__JSON_ARRAY && i < terms.count && status == HAFT_OK;
         i++) {
        const haft__json *term = &terms.items[i];
        if (term->kind == HAFT__JSON_STRING) {
            term = haft__pointer_get(&o->program->view, haft__json_text(*term));
        }
        if (term != NULL && term->kind == HAFT__JSON_NUMBER) {
            status = haft__channel_add_numbers(sum, *term, o->program->arena, &sum, o->err);
        }
    }
    *ret_sum = sum;
    return status;
}

static haft_status run_write(operation *o, haft__graph_op_kind kind)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0;
         o->value.kind == HAFT__JSON_OBJECT && i < o->value.count && status == HAFT_OK; i++) {
        haft_str channel = haft__json_text(o->value.members[i].key), text = {NULL, 0};
        haft__json given = o->value.members[i].value, written = given;
        const haft__json *found = NULL;
        if (kind == HAFT__OP_COPY) {
            found = haft__pointer_get(&o->program->view, haft__json_text(given));
            written = found != NULL ? *found : haft__json_null();
        } else if (kind == HAFT__OP_SUM) {
            status = sum_values(o, given, &written);
        } else if (kind == HAFT__OP_TEXT) {
            status = haft__graph_template(o->program->arena, haft__json_text(given),
                                          o->program->view, &text, o->err);
            written = haft__json_string(text);
        }
        if (status == HAFT_OK) {
            status = write_value(o, channel, written, kind == HAFT__OP_OVERWRITE);
        }
    }
    return status;
}

/* ---- targets ---- */

static haft__graph_node_id find_target(const operation *o, haft__json name)
{
    haft__graph_node_id node = HAFT__GRAPH_END;
    return haft__graph_find_node(o->program->graph, haft__json_text(name), &node) ? node
                                                                                  : HAFT__GRAPH_END;
}

static haft_status run_goto(operation *o)
{
    haft__graph_output *output = &o->program->output;
    haft_status status = HAFT_OK;
    if (o->value.kind != HAFT__JSON_ARRAY) {
        return haft__graph_output_goto(output, o->program->arena, find_target(o, o->value), o->err);
    }
    for (uint32_t i = 0; i < o->value.count && status == HAFT_OK; i++) {
        status = haft__graph_output_goto(output, o->program->arena,
                                         find_target(o, o->value.items[i]), o->err);
    }
    return status;
}

static haft_status run_send(operation *o)
{
    haft__graph_program *program = o->program;
    haft_status status = HAFT_OK;
    haft_str why = {NULL, 0};
    if (o->value.kind == HAFT__JSON_OBJECT) {
        const haft__json *as = haft__object_find(o->value, "as");
        haft__graph_map map = {.over = haft__object_string(o->value, "over"),
                               .as = as != NULL ? haft__json_text(*as) : HAFT__LIT("item"),
                               .to = find_target(o, haft__object_get(o->value, "to")),
                               .with = haft__object_array(o->value, "with"),
                               .max = (uint32_t)haft__object_number(o->value, "max", 0),
                               .first = haft__object_string(o->value, "first")};
        status =
            haft__graph_spread(program->arena, &map, program->view, &program->output, &why, o->err);
        if (why.ptr != NULL) {
            o->state = HAFT__PROGRAM_FAILED;
            o->failure.message = why;
        }
        return status;
    }
    for (uint32_t i = 0; i < o->value.count && status == HAFT_OK; i++) {
        const haft__json *argument = haft__object_find(o->value.items[i], "arg");
        haft__graph_send send = {.to = find_target(o, haft__object_get(o->value.items[i], "to")),
                                 .argument =
                                     argument != NULL ? *argument : haft__json_object(NULL, 0)};
        status = haft__graph_output_send(&program->output, program->arena, send, o->err);
    }
    return status;
}

/* ---- requests ---- */

/* Stops the program at this operation until the host has a result. */
static void request(operation *o, haft__graph_request_kind kind, haft_str name, haft__json value)
{
    o->state = HAFT__PROGRAM_REQUEST;
    o->request = (haft__graph_request){.kind = kind, .name = name, .value = value};
}

static haft_status run_ask(operation *o)
{
    haft__graph_program *program = o->program;
    haft_status status = HAFT_OK;
    if (o->result == NULL) {
        haft__json question = o->value;
        haft_str text = {NULL, 0};
        if (question.kind == HAFT__JSON_STRING) {
            status = haft__graph_template(program->arena, haft__json_text(question), program->view,
                                          &text, o->err);
            question = haft__json_string(text);
        }
        request(o, HAFT__REQUEST_ASK, HAFT__LIT(""), question);
        return status;
    }
    /* The operations that follow see the answer as /$/NAME. */
    const haft__json *as = haft__object_find(o->op, "as");
    haft__json facts = haft__object_object(program->view, "$");
    status = haft__graph_set_member(program->arena, facts,
                                    as != NULL ? haft__json_text(*as) : HAFT__LIT("answer"),
                                    *o->result, &facts, o->err);
    return status == HAFT_OK ? haft__graph_set_member(program->arena, program->view, HAFT__LIT("$"),
                                                      facts, &program->view, o->err)
                             : status;
}

static haft_status run_call(operation *o)
{
    haft__graph_program *program = o->program;
    haft__json in = haft__object_object(o->op, "in"), input = haft__json_object(NULL, 0);
    haft_status status = HAFT_OK;
    if (o->result != NULL) {
        return haft__graph_output_map(&program->output, program->arena, program->graph,
                                      haft__object_object(o->op, "out"),
                                      haft__object_get(*o->result, "state"), o->err);
    }
    for (uint32_t i = 0; i < in.count && status == HAFT_OK; i++) {
        const haft__json *found =
            haft__pointer_get(&program->view, haft__json_text(in.members[i].value));
        status = haft__graph_set_member(program->arena, input, haft__json_text(in.members[i].key),
                                        found != NULL ? *found : haft__json_null(), &input, o->err);
    }
    request(o, HAFT__REQUEST_CALL, haft__json_text(o->value), input);
    o->request.mapped = true;
    return status;
}

/* Writes the place of the operation in its program, such as "0/3". */
static haft_status place(const operation *o, haft_str *ret_place)
{
    haft__graph_program *program = o->program;
    haft_str path = {NULL, 0};
    haft_str node = haft__object_string(haft__object_object(program->view, "$"), "node");
    path = haft__arena_copy(program->arena, node);
    for (size_t d = 0; d < program->depth && path.ptr != NULL; d++) {
        path =
            haft__arena_format(program->arena, "%.*s/%u", HAFT__ARG(path), program->frames[d].at);
    }
    *ret_place = path;
    return path.ptr != NULL ? HAFT_OK : haft__arena_fail(program->arena, o->err);
}

static haft_status run_fail(operation *o)
{
    const haft__json *times = haft__object_find(o->op, "times");
    haft_str key = {NULL, 0};
    haft_status status;
    if (times != NULL && o->result == NULL) {
        status = place(o, &key);
        request(o, HAFT__REQUEST_COUNT, key, haft__json_null());
        return status;
    }
    if (times != NULL
        && haft__number_compare(haft__json_text(*o->result), haft__json_text(*times)) >= 0) {
        return HAFT_OK;
    }
    o->state = HAFT__PROGRAM_FAILED;
    return haft__graph_template(o->program->arena, haft__json_text(o->value), o->program->view,
                                &o->failure.message, o->err);
}

static haft_status run_effect(operation *o)
{
    haft_str label = {NULL, 0};
    if (o->result != NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__graph_template(o->program->arena, haft__json_text(o->value),
                                              o->program->view, &label, o->err);
    request(o, HAFT__REQUEST_EFFECT, label, haft__json_null());
    return status;
}

static haft_status run_branch(operation *o)
{
    haft__graph_program *program = o->program;
    bool holds = haft__condition_holds(program->arena, o->value, program->view);
    haft__json branch = haft__object_array(o->op, holds ? "then" : "else");
    return branch.count > 0 ? push(program, branch, o->err) : HAFT_OK;
}

static haft_status run_operation(operation *o, haft__graph_op_kind kind)
{
    switch (kind) {
    case HAFT__OP_SET:
    case HAFT__OP_COPY:
    case HAFT__OP_SUM:
    case HAFT__OP_TEXT:
    case HAFT__OP_OVERWRITE: return run_write(o, kind);
    case HAFT__OP_IF: return run_branch(o);
    case HAFT__OP_GOTO: return run_goto(o);
    case HAFT__OP_SEND: return run_send(o);
    case HAFT__OP_ASK: return run_ask(o);
    case HAFT__OP_CALL: return run_call(o);
    case HAFT__OP_FAIL: return run_fail(o);
    case HAFT__OP_EFFECT: return run_effect(o);
    case HAFT__OP_PARENT:
        o->program->output.has_command = true;
        o->program->output.command = o->value;
        return HAFT_OK;
    case HAFT__OP_DELAY:
        if (o->result == NULL) {
            request(o, HAFT__REQUEST_DELAY, HAFT__LIT(""), o->value);
        }
        return HAFT_OK;
    case HAFT__OP_RETURN:
        o->state = HAFT__PROGRAM_FAILED;
        o->failure = (haft__graph_failure){.code = HAFT__GRAPH_BAD_UPDATE,
                                           .message = HAFT__LIT("a node returns an object")};
        return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__graph_program_run(haft__graph_program *program, const haft__json *result,
                                    haft__graph_program_state *ret_state,
                                    haft__graph_request *ret_request,
                                    haft__graph_failure *ret_failure, haft_error *err)
{
    *ret_state = HAFT__PROGRAM_DONE;
    while (program->depth > 0) {
        size_t level = program->depth - 1;
        haft__graph_frame frame = program->frames[level];
        haft__graph_op_kind kind = HAFT__OP_SET;
        haft_str key;
        operation o = {.program = program,
                       .result = result,
                       .failure = {.code = HAFT__GRAPH_NODE_FAILED},
                       .err = err};
        if (frame.ops.kind != HAFT__JSON_ARRAY || frame.at >= frame.ops.count) {
            program->depth--;
            continue;
        }
        o.op = frame.ops.items[frame.at];
        o.state = HAFT__PROGRAM_DONE;
        haft_status status = haft__graph_op_find(o.op, &kind, &key, &o.value) > 0
                                 ? run_operation(&o, kind)
                                 : HAFT_OK;
        if (status != HAFT_OK) {
            return status;
        }
        if (o.state != HAFT__PROGRAM_DONE) {
            *ret_state = o.state;
            *ret_request = o.request;
            *ret_failure = o.failure;
            return HAFT_OK;
        }
        program->frames[level].at++;
        result = NULL;
    }
    return HAFT_OK;
}
