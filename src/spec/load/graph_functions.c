/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_functions.c - finds the C functions that a graph names, and reports names that the program
 * has not added. They are functions of nodes, and reducers. Tests: tests/spec/load/graphs_test.c,
 * tests/engine/graph_api_test.c.
 */
#include "base/str.h"
#include "graph/graph.h"
#include "graph/run/function.h"
#include "spec/load/load_int.h"
#include "json/object.h"

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
