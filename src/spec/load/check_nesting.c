/* SPDX-License-Identifier: Apache-2.0 */
/* check_nesting.c - checks that no graph runs itself, and that graphs are not nested too deeply.
 * Tests: tests/spec/load/graphs_test.c. */
#include "base/limits.h"
#include "base/str.h"
#include "spec/load/load_int.h"
#include "json/object.h"

/* A depth-first walk through the graphs that run each other. */
typedef struct nesting {
    haft__loader *l;
    haft__json graphs;
    bool *done, *open; /* for each graph: visited; on the current path */
    uint32_t *levels;  /* for each visited graph: the levels of graphs below it */
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
    uint32_t max = 0;
    for (uint32_t i = 0; i < ops.count; i++) {
        uint32_t own = count_reference(n, haft__object_string(ops.items[i], "call"));
        uint32_t then = count_calls(n, haft__object_array(ops.items[i], "then"));
        uint32_t other = count_calls(n, haft__object_array(ops.items[i], "else"));
        max = larger(larger(max, own), larger(then, other));
    }
    return max;
}

static uint32_t count_levels(nesting *n, haft__json graph)
{
    haft__json nodes = haft__object_object(graph, "nodes");
    uint32_t max = 0;
    for (uint32_t i = 0; i < nodes.count && !n->reported && n->l->status == HAFT_OK; i++) {
        haft__json node = nodes.members[i].value;
        haft__json handler = haft__object_object(node, "on_error");
        uint32_t own = count_reference(n, haft__object_string(node, "graph"));
        uint32_t calls = count_calls(n, haft__object_array(node, "do"));
        uint32_t more = count_calls(n, haft__object_array(handler, "do"));
        max = larger(larger(max, own), larger(calls, more));
    }
    return max;
}

void haft__loader_check_nesting(haft__loader *l)
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
    for (uint32_t i = 0; i < graphs.count; i++) { /* including graphs that no node runs */
        (void)count_reference(&n, haft__json_text(graphs.members[i].key));
    }
    if (levels > HAFT__LIMIT_CHILD_DEPTH && !n.reported) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/graphs"), HAFT__SUBJECT_KEY,
                               "graphs are nested more than %d deep", HAFT__LIMIT_CHILD_DEPTH);
        haft__loader_hint(l, problem, "use fewer levels");
    }
}
