/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - commands of tools and functions: compiles the nodes that they may name, and reads
 * commands. Tests: tests/graph/command_test.c. */
#include "base/error.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "graph/graph_int.h"
#include "tool/call.h"
#include "json/object.h"

/* ---- the nodes that a command may name ---- */

static void add_target(haft__graph_compiler *c, haft__graph_node_id *targets, size_t *io_count,
                       haft__json name, haft_str pointer)
{
    *io_count += haft__graph_resolve(c, name, pointer, &targets[*io_count]);
}

static void compile_targets(haft__graph_compiler *c, haft__graph_node *node, haft__json names,
                            haft_str pointer)
{
    bool list = names.kind == HAFT__JSON_ARRAY;
    haft__graph_node_id *targets =
        haft__graph_alloc(c, list ? names.count + 1 : 1, sizeof(*targets));
    size_t count = 0;
    for (uint32_t i = 0; targets != NULL && list && i < names.count; i++) {
        add_target(c, targets, &count, names.items[i], haft__graph_pointer_index(c, pointer, i));
    }
    if (targets != NULL && !list) {
        add_target(c, targets, &count, names, pointer);
    }
    node->targets = targets;
    node->target_count = count;
    node->lists_targets = true;
}

void haft__graph_compile_targets(haft__graph_compiler *c, haft__graph_node *nodes)
{
    for (size_t n = 0; n < c->graph->node_count; n++) {
        const haft__json *names = haft__object_find(nodes[n].source, "goto");
        haft_str at = haft__graph_pointer_key(c, HAFT__LIT("/nodes"), nodes[n].name);
        haft_str pointer = haft__graph_pointer_key(c, at, HAFT__LIT("goto"));
        if (names == NULL) {
            continue;
        }
        if (nodes[n].kind != HAFT__NODE_FUNCTION && nodes[n].kind != HAFT__NODE_TOOL) {
            haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, HAFT__LIT("goto"), pointer,
                               "goto lists the nodes that the command of a function or a tool may "
                               "name; the node '%.*s' has neither",
                               HAFT__ARG(nodes[n].name));
            continue;
        }
        compile_targets(c, &nodes[n], *names, pointer);
    }
}

bool haft__graph_goes_anywhere(const haft__graph_node *node)
{
    return node->kind == HAFT__NODE_FUNCTION && !node->lists_targets;
}

/* ---- reading a command ---- */

typedef struct reader {
    const haft__graph *graph;
    const haft__graph_node *node;
    haft__arena *arena;
    haft__graph_output *output;
    bool *ret_valid;
    haft__graph_failure *ret_failure;
    haft_error *err;
} reader;

static haft_status refuse(reader *r, haft__graph_code code, haft_str message)
{
    *r->ret_valid = false;
    *r->ret_failure = (haft__graph_failure){.code = code, .message = message};
    return message.ptr != NULL ? HAFT_OK : haft__arena_fail(r->arena, r->err);
}

static haft_status read_update(reader *r, haft__json update)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < update.count && status == HAFT_OK; i++) {
        haft__channel_write write = {.value = update.members[i].value};
        haft_str name = haft__json_text(update.members[i].key);
        if (!haft__graph_find_channel(r->graph, name, &write.channel)) {
            return refuse(
                r, HAFT__GRAPH_UNKNOWN_CHANNEL,
                haft__arena_format(r->arena, "no channel is named '%.*s'", HAFT__ARG(name)));
        }
        status = haft__graph_output_write(r->output, r->arena, write, r->err);
    }
    return status;
}

/* Whether the node has no `goto`, or its `goto` lists the target. */
static bool is_listed(const haft__graph_node *node, haft__graph_node_id target)
{
    bool found = !node->lists_targets;
    for (size_t i = 0; i < node->target_count && !found; i++) {
        found = node->targets[i] == target;
    }
    return found;
}

/* Finds the node that a command names. Refuses the command if it must not name this node. */
static haft_status find_target(reader *r, haft_str name, bool may_end,
                               haft__graph_node_id *ret_node)
{
    bool end = may_end && haft__str_equal(name, HAFT__LIT("end"));
    *ret_node = HAFT__GRAPH_END;
    if (!end && !haft__graph_find_node(r->graph, name, ret_node)) {
        return refuse(r, HAFT__GRAPH_UNKNOWN_NODE,
                      haft__arena_format(r->arena, "no node is named '%.*s'", HAFT__ARG(name)));
    }
    return is_listed(r->node, *ret_node)
               ? HAFT_OK
               : refuse(r, HAFT__GRAPH_UNKNOWN_NODE,
                        haft__arena_format(r->arena,
                                           "the command names the node '%.*s', which is not in "
                                           "`goto` of the node '%.*s'",
                                           HAFT__ARG(name), HAFT__ARG(r->node->name)));
}

static haft_status read_goto(reader *r, haft__json names)
{
    bool list = names.kind == HAFT__JSON_ARRAY;
    size_t count = list ? names.count : 1;
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK && *r->ret_valid; i++) {
        haft__graph_node_id node;
        status = find_target(r, haft__json_text(list ? names.items[i] : names), true, &node);
        if (status == HAFT_OK && *r->ret_valid) {
            status = haft__graph_output_goto(r->output, r->arena, node, r->err);
        }
    }
    return status;
}

static haft_status read_sends(reader *r, haft__json sends)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < sends.count && status == HAFT_OK && *r->ret_valid; i++) {
        haft__graph_send send = {.argument = haft__object_get(sends.items[i], "arg")};
        status = find_target(r, haft__object_string(sends.items[i], "to"), false, &send.to);
        if (status == HAFT_OK && *r->ret_valid) {
            status = haft__graph_output_send(r->output, r->arena, send, r->err);
        }
    }
    return status;
}

haft_status haft__graph_read_command(const haft__graph *graph, const haft__graph_node *node,
                                     haft__json command, haft__arena *arena,
                                     haft__graph_output *output, bool *ret_valid,
                                     haft__graph_failure *ret_failure, haft_error *err)
{
    reader r = {.graph = graph,
                .node = node,
                .arena = arena,
                .output = output,
                .ret_valid = ret_valid,
                .ret_failure = ret_failure,
                .err = err};
    const haft__json *to = haft__object_find(command, "goto");
    haft_error why = {0};
    *ret_valid = true;
    if (node->kind != HAFT__NODE_GRAPH && haft__call_check_command(command, &why) != HAFT_OK) {
        return refuse(&r, HAFT__GRAPH_NODE_FAILED,
                      haft__arena_format(arena, "the command cannot be followed: %s%s%s", why.where,
                                         why.where[0] != '\0' ? ": " : "", why.message));
    }
    haft_status status = read_update(&r, haft__object_object(command, "update"));
    if (status == HAFT_OK && *ret_valid && to != NULL) {
        status = read_goto(&r, *to);
    }
    return status == HAFT_OK && *ret_valid ? read_sends(&r, haft__object_array(command, "send"))
                                           : status;
}
