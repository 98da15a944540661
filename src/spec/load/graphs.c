/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs.c - checks the graphs of a spec: src/graph compiles them, and here their nodes are
 * compared with the tools, agents and graphs of the spec. Tests: tests/spec/load/graphs_test.c.
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "graph/graph.h"
#include "graph/run/graph_run.h"
#include "schema/lookup.h"
#include "spec/load/build_int.h"
#include "spec/load/load_int.h"
#include "tool/builtin.h"
#include "tool/traits.h"
#include "json/object.h"
#include "json/read.h"

/* ---- all graphs ---- */

static void visit_graph(haft__loader *l, haft__json graph, haft_str pointer,
                        haft__loader_visit_node *visit, void *context)
{
    haft__json nodes = haft__object_object(graph, "nodes");
    haft_str at = haft__loader_pointer(l, "%.*s/nodes", HAFT__ARG(pointer));
    for (uint32_t i = 0; i < nodes.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__json_text(nodes.members[i].key);
        visit(context, nodes.members[i].value, name, haft__loader_pointer_to_key(l, at, name));
    }
}

void haft__loader_visit_nodes(haft__loader *l, haft__loader_visit_node *visit, void *context)
{
    haft__json graphs = haft__object_object(l->source, "graphs");
    visit_graph(l, haft__object_object(l->source, "graph"), HAFT__LIT("/graph"), visit, context);
    for (uint32_t i = 0; i < graphs.count && l->status == HAFT_OK; i++) {
        visit_graph(l, graphs.members[i].value,
                    haft__loader_pointer_to_key(l, HAFT__LIT("/graphs"),
                                                haft__json_text(graphs.members[i].key)),
                    visit, context);
    }
}

/* ---- keys ---- */

/* The word of each kind of node, in the order of haft__graph_node_kind. */
static const char *const kinds[] = {"do", "agent", "tool", "function", "graph", "ask"};

/* Keys that only some kinds of nodes use, which stand in the order above. */
static const struct {
    const char *key, *used_by;
} uses[] = {
    {"task", "agent"},         {"args", "tool"},
    {"in", "agent graph"},     {"out", "agent tool function graph ask"},
    {"limits", "agent graph"}, {"timeout", "agent tool function graph ask"},
    {"cache", "do tool"},
};

static haft_str kind_of(haft__json node)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__object_find(node, kinds[i]) != NULL) {
            return haft__str(kinds[i]);
        }
    }
    return HAFT__LIT("");
}

static void check_idle_keys(haft__loader *l, haft__json node, haft_str pointer)
{
    haft_str kind = kind_of(node);
    for (size_t i = 0; i < COUNT(uses) && kind.len > 0; i++) {
        bool used = false;
        for (haft_str rest = haft__str(uses[i].used_by); rest.len > 0;) {
            used = haft__str_equal(haft__str_split(&rest, ' '), kind) || used;
        }
        if (!used && haft__object_find(node, uses[i].key) != NULL) {
            (void)haft__loader_warning(
                l, haft__loader_pointer_to_key(l, pointer, haft__str(uses[i].key)),
                HAFT__SUBJECT_KEY, "\"%s\" has no effect in a node with %.*s", uses[i].key,
                HAFT__ARG(kind));
        }
    }
}

/* A duration that is too long is reported when it is read. */
static void check_duration(haft__loader *l, haft__json object, const char *key, haft_str pointer)
{
    (void)haft__loader_read_duration(l, haft__object_get(object, key),
                                     haft__loader_pointer_to_key(l, pointer, haft__str(key)), 0);
}

static void check_durations(haft__loader *l, haft__json node, haft_str pointer)
{
    haft__json retry = haft__object_object(node, "retry");
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("retry"));
    check_duration(l, node, "timeout", pointer);
    check_duration(l, retry, "backoff", at);
    check_duration(l, retry, "max_backoff", at);
    check_duration(l, haft__object_object(node, "cache"), "ttl",
                   haft__loader_pointer_to_key(l, pointer, HAFT__LIT("cache")));
    check_duration(l, haft__object_object(node, "ask"), "deadline",
                   haft__loader_pointer_to_key(l, pointer, HAFT__LIT("ask")));
}

/* ---- conditions ---- */

static void check_ops(haft__loader *l, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; i < ops.count && l->status == HAFT_OK; i++) {
        haft_str at = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(pointer), i);
        haft__json condition = haft__object_object(ops.items[i], "if");
        if (condition.count > 0) {
            (void)haft__loader_check_condition(l, condition,
                                               haft__loader_pointer(l, "%.*s/if", HAFT__ARG(at)));
        }
        check_ops(l, haft__object_array(ops.items[i], "then"),
                  haft__loader_pointer(l, "%.*s/then", HAFT__ARG(at)));
        check_ops(l, haft__object_array(ops.items[i], "else"),
                  haft__loader_pointer(l, "%.*s/else", HAFT__ARG(at)));
    }
}

static void check_branches(haft__loader *l, haft__json edge, const char *key, haft_str pointer)
{
    haft__json branches = haft__object_array(edge, key);
    for (uint32_t i = 0; i < branches.count && l->status == HAFT_OK; i++) {
        haft__json when = haft__object_object(branches.items[i], "when");
        if (when.count > 0) {
            (void)haft__loader_check_condition(
                l, when, haft__loader_pointer(l, "%.*s/%s/%u/when", HAFT__ARG(pointer), key, i));
        }
    }
}

static void check_edges(haft__loader *l, haft__json graph, haft_str pointer)
{
    haft__json edges = haft__object_array(graph, "edges");
    for (uint32_t i = 0; i < edges.count && l->status == HAFT_OK; i++) {
        haft_str at = haft__loader_pointer(l, "%.*s/edges/%u", HAFT__ARG(pointer), i);
        check_branches(l, edges.items[i], "choose", at);
        check_branches(l, edges.items[i], "every", at);
    }
}

/* ---- tools ---- */

static void report_argument(haft__loader *l, const haft__tool *tool, haft_str name,
                            haft_str pointer)
{
    haft__json properties = haft__object_object(tool->input_schema, "properties");
    haft__suggestion near;
    haft__spec_problem *problem = haft__loader_error(l, pointer, HAFT__SUBJECT_KEY,
                                                     "the tool \"%.*s\" has no argument \"%.*s\"",
                                                     HAFT__ARG(tool->name), HAFT__ARG(name));
    haft__suggestion_init(&near, name);
    for (uint32_t i = 0; i < properties.count && near.left > 0; i++) {
        haft__suggestion_offer(&near, haft__json_text(properties.members[i].key));
    }
    if (near.best.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(near.best));
    }
}

static void check_arguments(haft__loader *l, const haft__tool *tool, haft__json args,
                            haft_str pointer)
{
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("args"));
    haft__json required = haft__object_array(tool->input_schema, "required");
    for (uint32_t i = 0; i < args.count; i++) {
        haft_str name = haft__json_text(args.members[i].key), until;
        haft__json schema;
        haft_str place = haft__loader_pointer_to_key(l, HAFT__LIT(""), name);
        if (haft__schema_lookup(tool->input_schema, place, &until, &schema)
            == HAFT__LOOKUP_IMPOSSIBLE) {
            report_argument(l, tool, name, haft__loader_pointer_to_key(l, at, name));
        }
    }
    for (uint32_t i = 0; i < required.count; i++) {
        haft_str name = haft__json_text(required.items[i]);
        if (haft__json_get(args, name) == NULL) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("tool")), HAFT__SUBJECT_VALUE,
                "the tool \"%.*s\" needs the argument \"%.*s\"", HAFT__ARG(tool->name),
                HAFT__ARG(name));
            haft__loader_hint(l, problem, "add args: {%.*s: /channel}, or {value: ..}",
                              HAFT__ARG(name));
        }
    }
}

static void check_tool(haft__loader *l, haft__json node, haft_str pointer)
{
    haft_str name = haft__object_string(node, "tool");
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("tool"));
    const haft__tool *tool = haft__loader_check_tool_name(l, name, at);
    if (tool == NULL) {
        return; /* reported, or known only to its server */
    }
    check_arguments(l, tool, haft__object_object(node, "args"), pointer);
    if (haft__object_find(node, "cache") != NULL && !tool->traits.read_only
        && !tool->traits.idempotent) {
        haft__spec_problem *problem = haft__loader_error(
            l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("cache")), HAFT__SUBJECT_KEY,
            "the tool \"%.*s\" is neither read_only nor idempotent, so its result cannot be reused",
            HAFT__ARG(name));
        haft__loader_hint(l, problem, "leave out cache, or give the tool one of these traits");
    }
}

/* ---- agents and graphs ---- */

static void check_agent(haft__loader *l, haft__json node, haft_str pointer)
{
    const haft__spec *agent = haft__loader_node_agent(l, node, pointer);
    haft__json limits = haft__object_object(node, "limits");
    if (haft__object_string(node, "task").len == 0) {
        haft__spec_problem *problem =
            haft__loader_error(l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("agent")),
                               HAFT__SUBJECT_KEY, "the agent has no task");
        haft__loader_hint(l, problem, "write task: with a template, such as \"{/question}\"");
    }
    if (agent != NULL) {
        haft__loader_check_agent_money(
            l, agent, haft__object_get(limits, "usd").kind == HAFT__JSON_NUMBER, pointer);
    }
}

static void check_graph_file(haft__loader *l, haft__json node, haft_str pointer)
{
    const haft__spec *spec = haft__loader_is_spec_file(haft__object_string(node, "graph"))
                                 ? haft__loader_node_agent(l, node, pointer)
                                 : NULL;
    if (spec != NULL && spec->kind != HAFT__SPEC_GRAPH) {
        haft__spec_problem *problem = haft__loader_error(
            l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("graph")), HAFT__SUBJECT_VALUE,
            "%.*s is not a graph", HAFT__ARG(haft__object_string(node, "graph")));
        haft__loader_hint(l, problem, "its kind must be graph; of an agent, write agent: FILE");
    }
}

static void check_node(void *context, haft__json node, haft_str name, haft_str pointer)
{
    haft__loader *l = context;
    haft_str kind = kind_of(node);
    (void)name;
    check_idle_keys(l, node, pointer);
    check_durations(l, node, pointer);
    check_ops(l, haft__object_array(node, "do"),
              haft__loader_pointer(l, "%.*s/do", HAFT__ARG(pointer)));
    check_ops(l, haft__object_array(haft__object_object(node, "on_error"), "do"),
              haft__loader_pointer(l, "%.*s/on_error/do", HAFT__ARG(pointer)));
    if (haft__str_equal(kind, HAFT__LIT("tool"))) {
        check_tool(l, node, pointer);
    } else if (haft__str_equal(kind, HAFT__LIT("agent"))) {
        check_agent(l, node, pointer);
    } else if (haft__str_equal(kind, HAFT__LIT("graph"))) {
        check_graph_file(l, node, pointer);
    }
}

/* ---- what does not run in this version ---- */

static void refuse(haft__loader *l, haft_str pointer, const char *key, const char *what,
                   const char *instead)
{
    haft__spec_problem *problem = haft__loader_error(
        l, haft__loader_pointer_to_key(l, pointer, haft__str(key)), HAFT__SUBJECT_KEY, "%s", what);
    haft__loader_hint(l, problem, "%s", instead);
}

static void refuse_unsupported(void *context, haft__json node, haft_str name, haft_str pointer)
{
    haft__loader *l = context;
    haft_str scope = haft__object_string(haft__object_object(node, "cache"), "scope");
    haft_str tool = haft__object_string(node, "tool");
    (void)name;
    if (haft__object_find(node, "function") != NULL) {
        refuse(l, pointer, "function", "functions of nodes do not run in this version",
               "register a tool in C, and write tool: NAME");
    }
    if (scope.len > 0 && !haft__str_equal(scope, HAFT__LIT("run"))) {
        refuse(l, pointer, "cache", "a node reuses outputs only within its run in this version",
               "write cache: true, or give the tool of the node traits: {cache: ..}");
    }
    if (haft__object_find(haft__object_object(node, "cache"), "ttl") != NULL) {
        refuse(l, pointer, "cache", "outputs of nodes do not expire in this version",
               "write cache: true, or give the tool of the node traits: {cache: ..}");
    }
    if (haft__object_find(haft__object_object(node, "retry"), "on") != NULL) {
        refuse(l, pointer, "retry", "classes of errors are not told apart in this version",
               "leave out on: every failure is tried again");
    }
    if (tool.len > 0 && memchr(tool.ptr, ':', tool.len) != NULL
        && haft__tools_find(&l->spec->tools, tool) == NULL) {
        refuse(l, pointer, "tool", "a node cannot call a tool of an MCP server in this version",
               "give the server to an agent, and write agent: NAME");
    }
}

/* Nothing takes the command of the outermost graph. */
static void refuse_parent(haft__loader *l, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; i < ops.count && l->status == HAFT_OK; i++) {
        haft_str at = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(pointer), i);
        if (haft__object_find(ops.items[i], "parent") != NULL) {
            refuse(l, at, "parent", "no graph is around this one, so `parent` leads nowhere",
                   "use goto, or write the graph under graphs and run it by a node");
        }
        refuse_parent(l, haft__object_array(ops.items[i], "then"),
                      haft__loader_pointer(l, "%.*s/then", HAFT__ARG(at)));
        refuse_parent(l, haft__object_array(ops.items[i], "else"),
                      haft__loader_pointer(l, "%.*s/else", HAFT__ARG(at)));
    }
}

static void refuse_parent_in_node(void *context, haft__json node, haft_str name, haft_str pointer)
{
    haft__loader *l = context;
    (void)name;
    refuse_parent(l, haft__object_array(node, "do"),
                  haft__loader_pointer(l, "%.*s/do", HAFT__ARG(pointer)));
    refuse_parent(l, haft__object_array(haft__object_object(node, "on_error"), "do"),
                  haft__loader_pointer(l, "%.*s/on_error/do", HAFT__ARG(pointer)));
}

static void refuse_channels(haft__loader *l, haft__json graph, haft_str pointer)
{
    haft__json channels = haft__object_object(graph, "channels");
    for (uint32_t i = 0; i < channels.count; i++) {
        haft__json channel = channels.members[i].value;
        haft_str at = haft__loader_pointer_to_key(
            l, haft__loader_pointer(l, "%.*s/channels", HAFT__ARG(pointer)),
            haft__json_text(channels.members[i].key));
        if (haft__str_equal(haft__object_string(channel, "lifetime"), HAFT__LIT("thread"))) {
            refuse(l, at, "lifetime", "channels are not kept for the next run in this version",
                   "pass the value as input");
        }
    }
}

/* ---- tools of nodes ---- */

static haft_status read_schema(haft__loader *l, const char *text, haft__json *ret_schema)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = l->options->hash_key;
    return haft__json_read(l->arena, haft__str(text), &options, ret_schema, NULL, NULL);
}

/* Adds a tool that only the graph itself uses: PREFIX and NAME. NULL if it is there already. */
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

/* A call of the tool starts a child run: of an agent, or of a graph. */
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

/* What operations need: questions, and graphs that `call` runs. */
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
    for (uint32_t i = 0; i < nodes.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__json_text(nodes.members[i].key);
        add_for_node(l, nodes.members[i].value, name,
                     haft__loader_pointer_to_key(l, HAFT__LIT("/graph/nodes"), name));
    }
}

/* ---- graphs inside graphs ---- */

/* A depth-first walk through the graphs that run each other. */
typedef struct nesting {
    haft__loader *l;
    haft__json graphs;
    bool *done, *open; /* of each graph: walked; on the current path */
    uint32_t *levels;  /* of each graph that is done: the levels of graphs below it */
    uint32_t *path;
    uint32_t depth;
    bool reported;
} nesting;

static uint32_t count_levels(nesting *n, haft__json graph);

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Reports a graph that would run itself: `index` is on the current path. */
static void report_circle(nesting *n, uint32_t index)
{
    haft__loader *l = n->l;
    haft_str name = haft__json_text(n->graphs.members[index].key), circle = name;
    for (uint32_t i = n->depth; i-- > 0 && l->status == HAFT_OK;) {
        haft_str before = haft__json_text(n->graphs.members[n->path[i]].key);
        circle = haft__loader_pointer(l, "%.*s -> %.*s", HAFT__ARG(before), HAFT__ARG(circle));
        if (n->path[i] == index) {
            break;
        }
    }
    haft__spec_problem *problem = haft__loader_error(
        l, haft__loader_pointer_to_key(l, HAFT__LIT("/graphs"), name), HAFT__SUBJECT_KEY,
        "the graph \"%.*s\" would run itself: %.*s", HAFT__ARG(name), HAFT__ARG(circle));
    haft__loader_hint(l, problem, "use an edge that leads back inside one graph");
    n->reported = true;
}

/* The levels that a reference to a graph adds. */
static uint32_t count_reference(nesting *n, haft_str name)
{
    for (uint32_t i = 0; i < n->graphs.count && !n->reported; i++) {
        if (!haft__str_equal(haft__json_text(n->graphs.members[i].key), name)) {
            continue;
        }
        if (n->open[i]) {
            report_circle(n, i);
            return 0;
        }
        if (!n->done[i]) {
            n->open[i] = true;
            n->path[n->depth++] = i;
            n->levels[i] = count_levels(n, n->graphs.members[i].value);
            n->depth--;
            n->open[i] = false;
            n->done[i] = true;
        }
        return n->levels[i] + 1;
    }
    return 0;
}

static uint32_t count_calls(nesting *n, haft__json ops)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < ops.count; i++) {
        uint32_t own = count_reference(n, haft__object_string(ops.items[i], "call"));
        uint32_t then = count_calls(n, haft__object_array(ops.items[i], "then"));
        uint32_t other = count_calls(n, haft__object_array(ops.items[i], "else"));
        most = larger(larger(most, own), larger(then, other));
    }
    return most;
}

static uint32_t count_levels(nesting *n, haft__json graph)
{
    haft__json nodes = haft__object_object(graph, "nodes");
    uint32_t most = 0;
    for (uint32_t i = 0; i < nodes.count && !n->reported && n->l->status == HAFT_OK; i++) {
        haft__json node = nodes.members[i].value;
        haft__json handler = haft__object_object(node, "on_error");
        uint32_t own = count_reference(n, haft__object_string(node, "graph"));
        uint32_t calls = count_calls(n, haft__object_array(node, "do"));
        uint32_t more = count_calls(n, haft__object_array(handler, "do"));
        most = larger(larger(most, own), larger(calls, more));
    }
    return most;
}

static void check_nesting(haft__loader *l)
{
    haft__json graphs = haft__object_object(l->source, "graphs");
    nesting n = {.l = l,
                 .graphs = graphs,
                 .done = haft__loader_alloc(l, graphs.count + 1, sizeof(bool)),
                 .open = haft__loader_alloc(l, graphs.count + 1, sizeof(bool)),
                 .levels = haft__loader_alloc(l, graphs.count + 1, sizeof(uint32_t)),
                 .path = haft__loader_alloc(l, graphs.count + 1, sizeof(uint32_t))};
    if (l->status != HAFT_OK) {
        return;
    }
    uint32_t levels = count_levels(&n, haft__object_object(l->source, "graph"));
    for (uint32_t i = 0; i < graphs.count; i++) { /* also those that nothing runs */
        (void)count_reference(&n, haft__json_text(graphs.members[i].key));
    }
    if (levels > HAFT__LIMIT_CHILD_DEPTH && !n.reported) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/graphs"), HAFT__SUBJECT_KEY,
                               "graphs are nested more than %d deep", HAFT__LIMIT_CHILD_DEPTH);
        haft__loader_hint(l, problem, "use fewer levels");
    }
}

/* ---- compiling ---- */

/* The graphs that nodes may name: those of the spec, and files. */
static haft__json list_graphs(haft__loader *l)
{
    haft__json graphs = haft__object_object(l->source, "graphs");
    for (size_t i = 0; i < l->spec->agent_count && l->status == HAFT_OK; i++) {
        const haft__agent_spec *agent = &l->spec->agents[i];
        if (agent->spec->kind == HAFT__SPEC_GRAPH && haft__loader_is_spec_file(agent->name)
            && !haft__edit_put(l->arena, &graphs, agent->name, agent->spec->graph)) {
            l->status = haft__arena_fail(l->arena, NULL);
        }
    }
    return graphs;
}

static void compile(haft__loader *l, haft__json source, haft__json graphs, haft_str pointer)
{
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft_error err = {.status = HAFT_OK};
    haft_status status = haft__graph_compile(l->arena, source, graphs, &graph, &problems, &err);
    if (status != HAFT_OK) {
        (void)haft__loader_failed(l, status);
        return;
    }
    check_edges(l, source, pointer);
    refuse_channels(l, source, pointer);
    for (size_t i = 0; i < problems.count; i++) {
        const haft__graph_problem *problem = &problems.items[i];
        haft_str at =
            haft__loader_pointer(l, "%.*s%.*s", HAFT__ARG(pointer), HAFT__ARG(problem->pointer));
        haft_str key = haft__loader_pointer_to_key(l, HAFT__LIT(""), problem->what);
        haft__problem_subject about =
            haft__str_ends_with(at, key) ? HAFT__SUBJECT_KEY : HAFT__SUBJECT_VALUE;
        (void)(problem->warning ? haft__loader_warning : haft__loader_error)(
            l, at, about, "%s: %.*s", haft__graph_code_name(problem->code),
            HAFT__ARG(problem->message));
    }
}

void haft__loader_check_graphs(haft__loader *l)
{
    haft__json own = haft__object_object(l->source, "graphs");
    if (l->options->kept || haft__object_object(l->source, "graph").count == 0
        || !haft__loader_keys_are_valid(l, "graph graphs agents tools mcp builtins")) {
        return;
    }
    haft__json graphs = list_graphs(l);
    compile(l, haft__object_object(l->source, "graph"), graphs, HAFT__LIT("/graph"));
    for (uint32_t i = 0; i < own.count && l->status == HAFT_OK; i++) {
        compile(l, own.members[i].value, graphs,
                haft__loader_pointer_to_key(l, HAFT__LIT("/graphs"),
                                            haft__json_text(own.members[i].key)));
    }
    haft__loader_visit_nodes(l, check_node, l);
    haft__loader_visit_nodes(l, refuse_unsupported, l);
    if (l->options->scope == NULL) { /* else another spec may run it as a node */
        visit_graph(l, haft__object_object(l->source, "graph"), HAFT__LIT("/graph"),
                    refuse_parent_in_node, l);
    }
    check_nesting(l);
}
