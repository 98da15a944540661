/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphs.c - checks the graphs of a spec: src/graph compiles them, check_nodes.c compares their
 * nodes with the spec, and check_nesting.c checks graphs inside graphs. Tests:
 * tests/spec/load/graphs_test.c.
 */
#include "base/str.h"
#include "graph/graph.h"
#include "graph/run/function.h"
#include "spec/load/load_int.h"
#include "json/object.h"

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

/* ---- conditions of edges ---- */

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

/* ---- `parent` of the outermost graph ---- */

/* Reports `parent` in the outermost graph, because it has no parent graph. */
static void refuse_parent(haft__loader *l, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; i < ops.count && l->status == HAFT_OK; i++) {
        haft_str at = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(pointer), i);
        if (haft__object_find(ops.items[i], "parent") != NULL) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer_to_key(l, at, HAFT__LIT("parent")), HAFT__SUBJECT_KEY,
                "this graph has no parent graph, so `parent` cannot be used");
            haft__loader_hint(l, problem,
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

/* ---- compiling ---- */

/* Lists the graphs that nodes may name: the graphs of the spec, and files. */
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
    haft__loader_check_reducers(l, source, pointer);
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
    haft__loader_visit_nodes(l, haft__loader_check_node, l);
    if (l->options->scope == NULL) { /* else a node of another spec may run this graph */
        visit_graph(l, haft__object_object(l->source, "graph"), HAFT__LIT("/graph"),
                    refuse_parent_in_node, l);
    }
    haft__loader_check_nesting(l);
}

/* ---- functions of the program ---- */

const haft__tool *haft__loader_find_function(const haft__loader *l, const char *prefix,
                                             haft_str name)
{
    haft_str start = haft__str(prefix);
    for (size_t i = 0; i < l->options->graph_function_count; i++) {
        const haft__tool *tool = l->options->graph_functions[i];
        if (haft__str_starts_with(tool->name, start)
            && haft__str_equal(haft__str_skip(tool->name, start.len), name)) {
            return tool;
        }
    }
    return NULL;
}

/* Lists the functions that the program has added: "a, b". */
static haft_str list_functions(haft__loader *l, const char *prefix)
{
    haft_str names = HAFT__LIT(""), start = haft__str(prefix);
    for (size_t i = 0; i < l->options->graph_function_count; i++) {
        haft_str name = l->options->graph_functions[i]->name;
        if (haft__str_starts_with(name, start)) {
            name = haft__str_skip(name, start.len);
            names = haft__loader_pointer(l, "%.*s%s%.*s", HAFT__ARG(names),
                                         names.len > 0 ? ", " : "", HAFT__ARG(name));
        }
    }
    return names;
}

static void check(haft__loader *l, const char *prefix, const char *what, haft_str name,
                  haft_str pointer)
{
    if (name.len == 0 || l->options->check_only
        || haft__loader_find_function(l, prefix, name) != NULL) {
        return;
    }
    haft_str names = list_functions(l, prefix);
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE, "no %s is named \"%.*s\"", what, HAFT__ARG(name));
    if (names.len > 0) {
        haft__loader_hint(l, problem, "this program has: %.*s", HAFT__ARG(names));
    } else {
        haft__loader_hint(l, problem,
                          "only a C program that adds it can run this graph; this one has none");
    }
}

void haft__loader_check_function(haft__loader *l, haft__json node, haft_str pointer)
{
    check(l, HAFT__GRAPH_FUNCTION_TOOL, "function", haft__object_string(node, "function"),
          haft__loader_pointer_to_key(l, pointer, HAFT__LIT("function")));
}

void haft__loader_check_reducers(haft__loader *l, haft__json graph, haft_str pointer)
{
    haft__json channels = haft__object_object(graph, "channels");
    haft_str outer = haft__loader_pointer(l, "%.*s/channels", HAFT__ARG(pointer));
    for (uint32_t i = 0; i < channels.count && l->status == HAFT_OK; i++) {
        haft_str at =
            haft__loader_pointer_to_key(l, outer, haft__json_text(channels.members[i].key));
        check(l, HAFT__GRAPH_REDUCER_TOOL, "reducer",
              haft__channel_custom_reducer(channels.members[i].value),
              haft__loader_pointer_to_key(l, at, HAFT__LIT("reducer")));
    }
}
