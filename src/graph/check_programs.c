/* SPDX-License-Identifier: Apache-2.0 */
/* check_programs.c - checks that operations and mappings of nodes name existing nodes, channels and
 * graphs. Tests: tests/graph/graph_test.c. */
#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"

typedef struct checked {
    haft__graph_compiler *c;
    const haft__graph_node *node;
    bool handler;
    haft_str pointer; /* location of the value of the operation */
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

/* Checks that the keys of an object are channels. */
static void check_channels(haft__graph_compiler *c, haft__json object, haft_str pointer)
{
    for (uint32_t i = 0; object.kind == HAFT__JSON_OBJECT && i < object.count; i++) {
        haft_str name = haft__json_text(object.members[i].key);
        uint32_t channel;
        if (!haft__graph_find_channel(c->graph, name, &channel)) {
            haft__graph_report(c, HAFT__GRAPH_UNKNOWN_CHANNEL, name,
                               haft__graph_pointer_key(c, pointer, name),
                               "no channel is named '%.*s'", HAFT__ARG(name));
        }
    }
}

/* Checks the graph that a node or an operation runs, and the channels of its input. */
static void check_graph(haft__graph_compiler *c, haft_str name, haft_str pointer, haft__json in,
                        haft_str in_pointer)
{
    const haft__json *graph = haft__json_get(c->graphs, name);
    if (graph == NULL) {
        haft__graph_report(c, HAFT__GRAPH_UNKNOWN_GRAPH, name, pointer, "no graph is named '%.*s'",
                           HAFT__ARG(name));
        return;
    }
    haft__json channels = haft__object_object(*graph, "channels");
    for (uint32_t i = 0; in.kind == HAFT__JSON_OBJECT && i < in.count; i++) {
        haft_str channel = haft__json_text(in.members[i].key);
        if (haft__json_get(channels, channel) == NULL) {
            haft__graph_report(c, HAFT__GRAPH_UNKNOWN_CHANNEL, channel,
                               haft__graph_pointer_key(c, in_pointer, channel),
                               "the graph '%.*s' has no channel '%.*s'", HAFT__ARG(name),
                               HAFT__ARG(channel));
        }
    }
}

/* Warns about `goto` in a node with edges, because `goto` replaces the edges. */
static void check_goto_and_edges(checked *at, bool sure)
{
    if (at->node->edge_count > 0 && !at->handler) {
        haft__graph_report(at->c, HAFT__GRAPH_GOTO_BESIDE, at->node->name, at->pointer,
                           "the node '%.*s' has edges, too: %s", HAFT__ARG(at->node->name),
                           sure ? "because of this goto they are never followed"
                                : "they are not followed when this goto runs");
    }
}

static void check_ops(checked *at, haft__json ops, haft_str pointer, bool sure);

static void check_op(checked *at, haft__json op, haft__json value, haft_str pointer, bool sure)
{
    haft__graph_compiler *c = at->c;
    switch (at->kind) {
    case HAFT__OP_SET:
    case HAFT__OP_COPY:
    case HAFT__OP_SUM:
    case HAFT__OP_TEXT:
    case HAFT__OP_OVERWRITE: check_channels(c, value, at->pointer); break;
    case HAFT__OP_GOTO:
        check_goto_and_edges(at, sure);
        haft__graph_visit_targets(at->kind, value, check_target, at);
        break;
    case HAFT__OP_SEND: haft__graph_visit_targets(at->kind, value, check_target, at); break;
    case HAFT__OP_CALL:
        check_graph(c, haft__json_text(value), at->pointer, haft__object_object(op, "in"),
                    haft__graph_pointer_key(c, pointer, HAFT__LIT("in")));
        check_channels(c, haft__object_object(op, "out"),
                       haft__graph_pointer_key(c, pointer, HAFT__LIT("out")));
        break;
    case HAFT__OP_IF:
        check_ops(at, haft__object_array(op, "then"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("then")), false);
        check_ops(at, haft__object_array(op, "else"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("else")), false);
        break;
    case HAFT__OP_ASK:
    case HAFT__OP_FAIL:
    case HAFT__OP_PARENT:
    case HAFT__OP_EFFECT:
    case HAFT__OP_DELAY:
    case HAFT__OP_RETURN: break;
    }
}

static void check_ops(checked *at, haft__json ops, haft_str pointer, bool sure)
{
    for (uint32_t i = 0; ops.kind == HAFT__JSON_ARRAY && i < ops.count; i++) {
        haft_str own = haft__graph_pointer_index(at->c, pointer, i), key;
        haft__json value;
        size_t count = haft__graph_op_find(ops.items[i], &at->kind, &key, &value);
        if (count != 1) {
            haft__graph_report(at->c, HAFT__GRAPH_BAD_SHAPE, HAFT__LIT("do"), own,
                               "operation %u has %zu of set, copy, sum, text, overwrite, if, goto, "
                               "send, ask, call, fail and parent; it must have one",
                               i + 1, count);
            continue;
        }
        at->pointer = haft__graph_pointer_key(at->c, own, key);
        check_op(at, ops.items[i], value, own, sure);
    }
}

void haft__graph_check_programs(haft__graph_compiler *c)
{
    for (size_t i = 0; i < c->graph->node_count; i++) {
        const haft__graph_node *node = &c->graph->nodes[i];
        haft_str pointer = haft__graph_pointer_key(c, HAFT__LIT("/nodes"), node->name);
        haft_str handler = haft__graph_pointer_key(c, pointer, HAFT__LIT("on_error"));
        checked at = {.c = c, .node = node};
        check_channels(c, haft__object_object(node->source, "out"),
                       haft__graph_pointer_key(c, pointer, HAFT__LIT("out")));
        if (node->kind == HAFT__NODE_GRAPH) {
            check_graph(c, haft__object_string(node->source, "graph"),
                        haft__graph_pointer_key(c, pointer, HAFT__LIT("graph")),
                        haft__object_object(node->source, "in"),
                        haft__graph_pointer_key(c, pointer, HAFT__LIT("in")));
        }
        check_ops(&at, node->program, haft__graph_pointer_key(c, pointer, HAFT__LIT("do")), true);
        at.handler = true;
        check_ops(&at, node->handler, haft__graph_pointer_key(c, handler, HAFT__LIT("do")), true);
    }
}
