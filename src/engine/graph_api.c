/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_api.c - the public functions of graphs: add functions of the program, and build a graph
 * from parts. The parts are collected as JSON and loaded as a spec.
 *
 * A builder records its first problem and ignores later parts. haft_graph_agent reports the
 * problem, so that a program checks only one status. Tests: tests/engine/graph_api_test.c,
 * tests/engine/graph_builder_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/agent.h"
#include "engine/runtime.h"
#include "graph/run/function.h"
#include "io/random.h"
#include "json/read.h"
#include "json/write.h"

/* ---- functions of the program ---- */

/* Adds the tool of a function; its name must be unused. */
static haft_status add_function(haft_runtime *runtime, const haft__tool *tool, haft_error *err)
{
    haft__tool *own = haft__arena_array(&runtime->arena, 1, sizeof(*own));
    const haft__tool **all = haft__vec_reserve_in(
        &runtime->arena, runtime->graph_functions, runtime->graph_function_count,
        &runtime->graph_function_capacity, runtime->graph_function_count + 1, sizeof(*all));
    if (own == NULL || all == NULL) {
        return haft__arena_fail(&runtime->arena, err);
    }
    runtime->graph_functions = all;
    for (size_t i = 0; i < runtime->graph_function_count; i++) {
        if (haft__str_equal(all[i]->name, tool->name)) {
            return haft__fail(err, HAFT_BAD_INPUT, "/name", "%.*s was already added",
                              HAFT__ARG(tool->name));
        }
    }
    *own = *tool;
    all[runtime->graph_function_count++] = own;
    return HAFT_OK;
}

haft_status haft_graph_function_add(haft_runtime *runtime, const char *name,
                                    haft_graph_function *run, void *context, uint32_t traits,
                                    haft_error *err)
{
    haft__tool tool;
    if (runtime == NULL || name == NULL || (run == NULL && (traits & HAFT_QUEUED) == 0)) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a runtime, a name and a function, found NULL");
    }
    haft_status status =
        haft__graph_declare_function(&runtime->arena, name, run, context, traits, &tool, err);
    return status == HAFT_OK ? add_function(runtime, &tool, err) : status;
}

haft_status haft_graph_reducer_add(haft_runtime *runtime, const char *name,
                                   haft_graph_reducer *reduce, void *context, haft_error *err)
{
    haft__tool tool;
    if (runtime == NULL || name == NULL || reduce == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a runtime, a name and a function, found NULL");
    }
    haft_status status =
        haft__graph_declare_reducer(&runtime->arena, name, reduce, context, &tool, err);
    return status == HAFT_OK ? add_function(runtime, &tool, err) : status;
}

/* ---- a graph that is built ---- */

/* Named parts, in the order in which they were added. */
typedef struct parts {
    haft__json_member *items;
    size_t count, capacity;
} parts;

struct haft_graph {
    haft__arena arena;
    haft__hash_key hash_key;
    haft_str name;
    parts channels, nodes, settings; /* settings: values by JSON Pointer */
    haft__json *edges;
    size_t edge_count, edge_capacity;
    haft_error problem; /* the first problem; its status is HAFT_OK without a problem */
};

haft_status haft_graph_create(const char *name, haft_graph **ret_graph, haft_error *err)
{
    if (name == NULL || ret_graph == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a name and ret_graph, found NULL");
    }
    haft_graph *graph = calloc(1, sizeof(*graph));
    if (graph == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__arena_init(&graph->arena, HAFT__LIMIT_SPEC_BYTES * (size_t)8);
    graph->hash_key = haft__random_hash_key();
    graph->name = haft__arena_copy(&graph->arena, haft__str(name));
    if (graph->name.ptr == NULL) {
        haft_status status = haft__arena_fail(&graph->arena, err);
        haft_graph_destroy(graph);
        return status;
    }
    *ret_graph = graph;
    return HAFT_OK;
}

void haft_graph_destroy(haft_graph *graph)
{
    if (graph != NULL) {
        haft__arena_finish(&graph->arena);
        free(graph);
    }
}

/* ---- parts ---- */

static bool is_good(const haft_graph *graph)
{
    return graph != NULL && graph->problem.status == HAFT_OK;
}

static void fail_memory(haft_graph *graph)
{
    (void)!haft__arena_fail(&graph->arena, &graph->problem);
}

/* Returns whether a required part is not NULL; else records the problem. */
static bool check_not_null(haft_graph *graph, const char *what, const char *text)
{
    if (is_good(graph) && text == NULL) {
        (void)!haft__fail(&graph->problem, HAFT_BAD_INPUT, "", "expected the %s, found NULL", what);
    }
    return is_good(graph);
}

static haft__json make_text(haft_graph *graph, const char *text)
{
    haft_str copy = haft__arena_copy(&graph->arena, haft__str(text));
    if (copy.ptr == NULL) {
        fail_memory(graph);
    }
    return haft__json_string(copy);
}

/* Reads JSON; returns `fallback` if `json` is NULL. `what` and `name` are for the message. */
static haft__json read_json(haft_graph *graph, const char *json, haft__json fallback,
                            const char *what, const char *name)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value = fallback;
    haft_error why = {0};
    options.hash_key = graph->hash_key;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    if (json == NULL) {
        return fallback;
    }
    haft__json copy = make_text(graph, json);
    haft_status status = is_good(graph) ? haft__json_read(&graph->arena, haft__json_text(copy),
                                                          &options, &value, NULL, &why)
                                        : HAFT_OK;
    if (status != HAFT_OK) {
        (void)!haft__fail(&graph->problem, status, why.where, "the %s '%s' is not JSON: %s", what,
                          name, why.message);
    }
    return value;
}

static void add_part(haft_graph *graph, parts *to, const char *what, const char *name,
                     haft__json value)
{
    haft__json key = make_text(graph, name);
    haft__json_member *items = haft__vec_reserve_in(&graph->arena, to->items, to->count,
                                                    &to->capacity, to->count + 1, sizeof(*items));
    if (items == NULL) {
        fail_memory(graph);
        return;
    }
    for (size_t i = 0; is_good(graph) && i < to->count; i++) {
        if (haft__str_equal(haft__json_text(items[i].key), haft__str(name))) {
            (void)!haft__fail(&graph->problem, HAFT_BAD_INPUT, "", "the %s '%s' was added twice",
                              what, name);
        }
    }
    if (is_good(graph)) {
        to->items = items;
        items[to->count++] = (haft__json_member){.key = key, .value = value};
    }
}

static void add_edge(haft_graph *graph, haft__json edge)
{
    haft__json *edges =
        haft__vec_reserve_in(&graph->arena, graph->edges, graph->edge_count, &graph->edge_capacity,
                             graph->edge_count + 1, sizeof(*edges));
    if (edges == NULL) {
        fail_memory(graph);
        return;
    }
    graph->edges = edges;
    edges[graph->edge_count++] = edge;
}

/* A member of an object that make_object copies. */
typedef struct field {
    const char *key;
    haft__json value;
} field;

/* Makes an object. Omits members whose value is null. */
static haft__json make_object(haft_graph *graph, const field *fields, size_t count)
{
    haft__json_member *members = haft__arena_array(&graph->arena, count, sizeof(*members));
    size_t kept = 0;
    if (members == NULL) {
        fail_memory(graph);
        return haft__json_null();
    }
    for (size_t i = 0; i < count; i++) {
        if (fields[i].value.kind != HAFT__JSON_NULL) {
            members[kept++] =
                (haft__json_member){haft__json_string(haft__str(fields[i].key)), fields[i].value};
        }
    }
    return haft__json_object(members, kept);
}

/* ---- the public functions ---- */

void haft_graph_channel(haft_graph *graph, const char *name, const char *json)
{
    if (check_not_null(graph, "name of a channel", name)) {
        haft__json channel = read_json(graph, json, haft__json_object(NULL, 0), "channel", name);
        add_part(graph, &graph->channels, "channel", name, channel);
    }
}

void haft_graph_node(haft_graph *graph, const char *name, const char *json)
{
    if (check_not_null(graph, "name of a node", name)
        && check_not_null(graph, "JSON of a node", json)) {
        haft__json node = read_json(graph, json, haft__json_null(), "node", name);
        add_part(graph, &graph->nodes, "node", name, node);
    }
}

void haft_graph_node_function(haft_graph *graph, const char *name, const char *function)
{
    if (check_not_null(graph, "name of a node", name)
        && check_not_null(graph, "name of a function", function)) {
        const field fields[] = {{"function", make_text(graph, function)}};
        add_part(graph, &graph->nodes, "node", name, make_object(graph, fields, COUNT(fields)));
    }
}

void haft_graph_node_tool(haft_graph *graph, const char *name, const char *tool, const char *args,
                          const char *out)
{
    if (check_not_null(graph, "name of a node", name)
        && check_not_null(graph, "name of a tool", tool)) {
        const field fields[] = {
            {"tool", make_text(graph, tool)},
            {"args", read_json(graph, args, haft__json_null(), "arguments of the node", name)},
            {"out", read_json(graph, out, haft__json_null(), "output of the node", name)}};
        add_part(graph, &graph->nodes, "node", name, make_object(graph, fields, COUNT(fields)));
    }
}

void haft_graph_edge(haft_graph *graph, const char *from, const char *to)
{
    if (check_not_null(graph, "start of an edge", from)
        && check_not_null(graph, "target of an edge", to)) {
        const field fields[] = {{"from", make_text(graph, from)}, {"to", make_text(graph, to)}};
        add_edge(graph, make_object(graph, fields, COUNT(fields)));
    }
}

void haft_graph_edge_if(haft_graph *graph, const char *from, const char *at, const char *op,
                        const char *value, const char *to, const char *otherwise)
{
    bool given = check_not_null(graph, "start of an edge", from)
                 && check_not_null(graph, "pointer", at) && check_not_null(graph, "operator", op)
                 && check_not_null(graph, "value", value)
                 && check_not_null(graph, "target of an edge", to)
                 && check_not_null(graph, "other target of an edge", otherwise);
    if (!given) {
        return;
    }
    const field condition[] = {
        {"at", make_text(graph, at)},
        {"op", make_text(graph, op)},
        {"value", read_json(graph, value, haft__json_null(), "value of an edge after", from)}};
    const field first[] = {{"when", make_object(graph, condition, COUNT(condition))},
                           {"to", make_text(graph, to)}};
    const field second[] = {{"to", make_text(graph, otherwise)}};
    haft__json *branches = haft__arena_array(&graph->arena, 2, sizeof(*branches));
    if (branches == NULL) {
        fail_memory(graph);
        return;
    }
    branches[0] = make_object(graph, first, COUNT(first));
    branches[1] = make_object(graph, second, COUNT(second));
    const field fields[] = {{"from", make_text(graph, from)},
                            {"choose", haft__json_array(branches, 2)}};
    add_edge(graph, make_object(graph, fields, COUNT(fields)));
}

void haft_graph_edge_json(haft_graph *graph, const char *json)
{
    if (check_not_null(graph, "JSON of an edge", json)) {
        add_edge(graph, read_json(graph, json, haft__json_null(), "edge", json));
    }
}

void haft_graph_set(haft_graph *graph, const char *pointer, const char *json)
{
    if (check_not_null(graph, "pointer of a setting", pointer)
        && check_not_null(graph, "JSON of a setting", json)) {
        haft__json value = read_json(graph, json, haft__json_null(), "setting", pointer);
        add_part(graph, &graph->settings, "setting", pointer, value);
    }
}

/* ---- the agent ---- */

static haft__json make_spec(haft_graph *graph)
{
    const field inner[] = {
        {"channels", haft__json_object(graph->channels.items, graph->channels.count)},
        {"nodes", haft__json_object(graph->nodes.items, graph->nodes.count)},
        {"edges", haft__json_array(graph->edges, graph->edge_count)}};
    const field outer[] = {{"haft", haft__json_int(&graph->arena, 1)},
                           {"kind", haft__json_string(HAFT__LIT("graph"))},
                           {"name", haft__json_string(graph->name)},
                           {"graph", make_object(graph, inner, COUNT(inner))}};
    return make_object(graph, outer, COUNT(outer));
}

static haft_status add_setting(haft_graph *graph, haft__json_member setting, haft__json *io_spec,
                               haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    haft__json_write(&text, setting.value);
    haft_status status = haft__buf_check(&text, err);
    haft_str value = haft__arena_copy(&graph->arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    if (status == HAFT_OK && value.ptr == NULL) {
        status = haft__arena_fail(&graph->arena, err);
    }
    return status == HAFT_OK
               ? haft__spec_set(&graph->arena, io_spec, haft__json_text(setting.key), value, err)
               : status;
}

haft_status haft_graph_agent(haft_runtime *runtime, haft_graph *graph, haft_agent **ret_agent,
                             haft_error *err)
{
    if (runtime == NULL || graph == NULL || ret_agent == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a runtime and a graph, found NULL");
    }
    haft__json spec = is_good(graph) ? make_spec(graph) : haft__json_null();
    if (!is_good(graph)) {
        return haft__fail(err, graph->problem.status, graph->problem.where, "%s",
                          graph->problem.message);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < graph->settings.count; i++) {
        status = add_setting(graph, graph->settings.items[i], &spec, err);
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    if (status == HAFT_OK) {
        haft__json_write(&text, spec);
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        status = haft__agent_load_text(runtime, haft__buf_str(&text), HAFT__LIT(""),
                                       HAFT__SPEC_BUILT, ret_agent, err);
    }
    haft__buf_finish(&text);
    return status;
}
