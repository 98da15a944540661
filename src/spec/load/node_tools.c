/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_tools.c - adds the tools that only nodes of a graph use: tools that start child runs,
 * questions, pauses and functions of the program. Tests: tests/spec/load/graphs_test.c.
 */
#include <string.h>

#include "base/str.h"
#include "graph/run/function.h"
#include "graph/run/graph_run.h"
#include "spec/load/load_int.h"
#include "tool/builtin.h"
#include "tool/traits.h"
#include "json/object.h"
#include "json/read.h"

static haft_status read_schema(haft__loader *l, const char *text, haft__json *ret_schema)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = l->options->hash_key;
    return haft__json_read(l->arena, haft__str(text), &options, ret_schema, NULL, NULL);
}

/* Adds a tool that only the graph itself uses, named PREFIX and NAME. Returns NULL if the tool
 * already exists. */
static const haft__tool *add_tool(haft__loader *l, const char *prefix, haft_str name,
                                  haft__tool tool, haft_str pointer)
{
    haft_error err = {.status = HAFT_OK};
    tool.name = haft__loader_pointer(l, "%s%.*s", prefix, HAFT__ARG(name));
    haft__traits_init(&tool.traits);
    tool.traits.needs_approval = tool.source == HAFT__TOOL_HEADLESS;
    tool.role = HAFT__ROLE_DATA;
    if (l->status != HAFT_OK || haft__tools_find(&l->spec->tools, tool.name) != NULL
        || haft__loader_failed(
            l, read_schema(l,
                           tool.source == HAFT__TOOL_AGENT
                               ? "{\"type\":\"object\",\"properties\":{\"task\":{\"type\":"
                                 "\"string\"}},\"required\":[\"task\"]}"
                               : "{\"type\":\"object\"}",
                           &tool.input_schema))) {
        return NULL;
    }
    haft_status status = haft__tools_add(&l->spec->tools, &tool, &err);
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        (void)haft__loader_error(l, pointer, HAFT__SUBJECT_KEY, "%s", err.message);
    }
    return status == HAFT_OK ? haft__tools_find(&l->spec->tools, tool.name) : NULL;
}

/* Adds a tool whose calls start a child run of an agent or of a graph. */
static void add_starter(haft__loader *l, const char *prefix, haft_str name, haft__json node,
                        haft_str agent, const haft__spec *spec, haft_str pointer)
{
    const haft__tool *tool =
        add_tool(l, prefix, name,
                 (haft__tool){.description = HAFT__LIT("Starts a run for a node of the graph."),
                              .source = HAFT__TOOL_AGENT},
                 pointer);
    if (tool != NULL) {
        l->agent_tools[l->spec->agent_tool_count++] =
            (haft__agent_tool){.tool = tool->name,
                               .agent = agent,
                               .spec = spec,
                               .limits = haft__loader_read_agent_limits(l, node, pointer)};
    }
}

static void add_pause(haft__loader *l, haft_str name, haft_str pointer)
{
    (void)add_tool(l, HAFT__GRAPH_PAUSE_TOOL, name,
                   (haft__tool){.description = HAFT__LIT("Waits for a person."),
                                .source = HAFT__TOOL_HEADLESS},
                   pointer);
}

static void add_question(haft__loader *l, haft_str pointer)
{
    haft_str name = HAFT__LIT("request_user_input");
    haft__tool tool;
    haft_error err = {.status = HAFT_OK};
    if (haft__tools_find(&l->spec->tools, name) == NULL
        && !haft__loader_failed(l, haft__builtin_tool(l->arena, name, &tool, &err))
        && !haft__loader_failed(l, read_schema(l, "{\"type\":\"object\"}", &tool.input_schema))) {
        haft__loader_add_tool(l, &tool, pointer);
    }
}

/* Adds the tools that operations need: for questions, and for graphs that `call` runs. */
static void add_for_ops(haft__loader *l, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; i < ops.count && l->status == HAFT_OK; i++) {
        haft_str call = haft__object_string(ops.items[i], "call");
        if (haft__object_find(ops.items[i], "ask") != NULL) {
            add_question(l, pointer);
        }
        if (call.len > 0) {
            add_starter(l, HAFT__GRAPH_CALL_TOOL, call, haft__json_null(),
                        haft__loader_pointer(l, HAFT__GRAPH_CALL_TOOL "%.*s", HAFT__ARG(call)),
                        l->spec, pointer);
        }
        add_for_ops(l, haft__object_array(ops.items[i], "then"), pointer);
        add_for_ops(l, haft__object_array(ops.items[i], "else"), pointer);
    }
}

/* Adds a function of the program, which only graphs use. The function may be missing if a spec is
 * only inspected, or if a run that has begun is only read. */
static void add_function(haft__loader *l, const char *prefix, haft_str name, haft_str pointer)
{
    const haft__tool *found = haft__loader_find_function(l, prefix, name);
    haft_str full = haft__loader_pointer(l, "%s%.*s", prefix, HAFT__ARG(name));
    if (l->status != HAFT_OK || name.len == 0 || haft__tools_find(&l->spec->tools, full) != NULL) {
        return;
    }
    if (found != NULL) {
        haft__loader_add_tool(l, found, pointer);
    } else if (l->options->kept || l->options->check_only) {
        (void)add_tool(l, prefix, name,
                       (haft__tool){.description = HAFT__LIT(HAFT__GRAPH_FUNCTION_DESCRIPTION),
                                    .source = HAFT__TOOL_FUNCTION,
                                    .for_nodes = true,
                                    .reducer = strcmp(prefix, HAFT__GRAPH_REDUCER_TOOL) == 0},
                       pointer);
    }
}

static void add_reducers(haft__loader *l)
{
    haft__json graph = haft__object_object(l->source, "graph");
    haft__json channels = haft__object_object(graph, "channels");
    for (uint32_t i = 0; i < channels.count && l->status == HAFT_OK; i++) {
        add_function(l, HAFT__GRAPH_REDUCER_TOOL,
                     haft__channel_custom_reducer(channels.members[i].value),
                     HAFT__LIT("/graph/channels"));
    }
}

static bool is_listed(haft__json graph, haft_str name)
{
    return haft__array_has_text(haft__object_array(graph, "pause_before"), name)
           || haft__array_has_text(haft__object_array(graph, "pause_after"), name);
}

static void add_for_node(haft__loader *l, haft__json node, haft_str name, haft_str pointer)
{
    const haft__spec *agent = haft__loader_node_agent(l, node, pointer);
    haft__json given = haft__object_get(node, "agent");
    haft_str graph = haft__object_string(node, "graph");
    bool file = haft__loader_is_spec_file(graph);
    if (given.kind != HAFT__JSON_NULL && agent != NULL) {
        haft_str reference = given.kind == HAFT__JSON_STRING
                                 ? haft__json_text(given)
                                 : haft__loader_pointer(l, "%.*s/agent", HAFT__ARG(pointer));
        add_starter(l, HAFT__GRAPH_NODE_TOOL, name, node, reference, agent, pointer);
    } else if (graph.len > 0 && (!file || agent != NULL)) {
        haft_str reference =
            file ? graph : haft__loader_pointer(l, HAFT__GRAPH_CALL_TOOL "%.*s", HAFT__ARG(graph));
        add_starter(l, HAFT__GRAPH_NODE_TOOL, name, node, reference, file ? agent : l->spec,
                    pointer);
    }
    if (haft__object_find(node, "ask") != NULL) {
        add_question(l, pointer);
    }
    add_function(l, HAFT__GRAPH_FUNCTION_TOOL, haft__object_string(node, "function"), pointer);
    if (haft__object_find(node, "pause") != NULL
        || is_listed(haft__object_object(l->source, "graph"), name)) {
        add_pause(l, name, pointer);
    }
    add_for_ops(l, haft__object_array(node, "do"), pointer);
    add_for_ops(l, haft__object_array(haft__object_object(node, "on_error"), "do"), pointer);
}

size_t haft__loader_count_node_tools(const haft__loader *l)
{
    return haft__object_object(haft__object_object(l->source, "graph"), "nodes").count
           + haft__object_object(l->source, "graphs").count;
}

void haft__loader_add_node_tools(haft__loader *l)
{
    haft__json nodes = haft__object_object(haft__object_object(l->source, "graph"), "nodes");
    if (l->spec->kind != HAFT__SPEC_GRAPH || !haft__loader_keys_are_valid(l, "graph graphs")) {
        return;
    }
    l->spec->graph_rules = &haft__graph_run_rules;
    add_reducers(l);
    for (uint32_t i = 0; i < nodes.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__json_text(nodes.members[i].key);
        add_for_node(l, nodes.members[i].value, name,
                     haft__loader_pointer_to_key(l, HAFT__LIT("/graph/nodes"), name));
    }
}
