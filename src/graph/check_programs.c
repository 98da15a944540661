/* SPDX-License-Identifier: Apache-2.0 */
/* check_programs.c - the operations of nodes name nodes, channels and graphs that exist. Tests:
 * tests/graph/graph_test.c. */
#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"

typedef struct checked {
    haft__graph_compiler *c;
    haft_str pointer; /* to the operations */
    haft__graph_op_kind kind;
} checked;

static void check_target(void *context, haft__json name)
{
    checked *at = context;
    haft__graph_node_id node;
    if (haft__graph_resolve(at->c, name, at->pointer, &node) && node == HAFT__GRAPH_END
        && at->kind == HAFT__OP_SEND) {
        haft__graph_report(at->c, HAFT__GRAPH_UNKNOWN_NODE, HAFT__LIT("end"), at->pointer,
                           "a worker cannot be 'end'");
    }
}

static void check_channels(checked *at, haft__json object)
{
    for (uint32_t i = 0; object.kind == HAFT__JSON_OBJECT && i < object.count; i++) {
        haft_str name = haft__json_text(object.members[i].key);
        uint32_t channel;
        if (!haft__graph_find_channel(at->c->graph, name, &channel)) {
            haft__graph_report(at->c, HAFT__GRAPH_UNKNOWN_CHANNEL, name, at->pointer,
                               "no channel is named '%.*s'", HAFT__ARG(name));
        }
    }
}

static void check_op(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                     bool sure)
{
    checked *at = context;
    (void)sure;
    at->kind = kind;
    switch (kind) {
    case HAFT__OP_SET:
    case HAFT__OP_COPY:
    case HAFT__OP_SUM:
    case HAFT__OP_TEXT:
    case HAFT__OP_OVERWRITE: check_channels(at, value); break;
    case HAFT__OP_GOTO:
    case HAFT__OP_SEND: haft__graph_visit_targets(kind, value, check_target, at); break;
    case HAFT__OP_CALL:
        check_channels(at, haft__object_object(op, "out"));
        if (haft__json_get(at->c->graphs, haft__json_text(value)) == NULL) {
            haft__graph_report(at->c, HAFT__GRAPH_UNKNOWN_GRAPH, haft__json_text(value),
                               at->pointer, "no graph is named '%.*s'",
                               HAFT__ARG(haft__json_text(value)));
        }
        break;
    case HAFT__OP_IF:
    case HAFT__OP_ASK:
    case HAFT__OP_FAIL:
    case HAFT__OP_PARENT:
    case HAFT__OP_EFFECT:
    case HAFT__OP_DELAY:
    case HAFT__OP_RETURN: break;
    }
}

/* Reports operations with none of the known keys, also inside `then` and `else`. */
static void check_shapes(haft__graph_compiler *c, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; ops.kind == HAFT__JSON_ARRAY && i < ops.count; i++) {
        haft__graph_op_kind kind;
        haft__json value;
        if (!haft__graph_op_find(ops.items[i], &kind, &value)) {
            haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, HAFT__LIT("do"), pointer,
                               "operation %u is none of set, copy, sum, text, overwrite, if, goto, "
                               "send, ask, call, fail and parent",
                               i + 1);
        } else if (kind == HAFT__OP_IF) {
            check_shapes(c, haft__object_array(ops.items[i], "then"), pointer);
            check_shapes(c, haft__object_array(ops.items[i], "else"), pointer);
        }
    }
}

static void check_program(haft__graph_compiler *c, haft__json ops, haft_str pointer)
{
    checked at = {.c = c, .pointer = pointer};
    check_shapes(c, ops, pointer);
    haft__graph_visit_ops(ops, true, check_op, &at);
}

void haft__graph_check_programs(haft__graph_compiler *c)
{
    for (size_t i = 0; i < c->graph->node_count; i++) {
        const haft__graph_node *node = &c->graph->nodes[i];
        haft_str pointer = haft__graph_pointer_key(c, HAFT__LIT("/nodes"), node->name);
        checked at = {.c = c, .pointer = haft__graph_pointer_key(c, pointer, HAFT__LIT("out"))};
        check_channels(&at, haft__object_object(node->source, "out"));
        check_program(c, node->program, haft__graph_pointer_key(c, pointer, HAFT__LIT("do")));
        if (node->has_handler) {
            check_program(c, node->handler,
                          haft__graph_pointer_key(c, pointer, HAFT__LIT("on_error")));
        }
    }
}
