/* SPDX-License-Identifier: Apache-2.0 */
/* compile_edges.c - compiles the edges of a graph and links them to nodes by index. Tests:
 * tests/graph/graph_test.c. */
#include <stdlib.h>

#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"

bool haft__graph_resolve(haft__graph_compiler *c, haft__json name, haft_str pointer,
                         haft__graph_node_id *ret_node)
{
    haft_str text = haft__json_text(name);
    if (haft__str_equal(text, HAFT__LIT("end"))) {
        *ret_node = HAFT__GRAPH_END;
        return true;
    }
    if (haft__graph_find_node(c->graph, text, ret_node)) {
        return true;
    }
    haft__graph_report(c, HAFT__GRAPH_UNKNOWN_NODE, text, pointer, "no node is named '%.*s'",
                       HAFT__ARG(text));
    return false;
}

/* Reads a name or an array of names. Reports and omits unknown names. `starts`: the names of
 * `from`, which can be `start` but not `end`. */
static const haft__graph_node_id *resolve_all(haft__graph_compiler *c, const haft__json *names,
                                              haft_str pointer, bool starts, size_t *ret_count)
{
    haft__json list = names == NULL                     ? haft__json_array(NULL, 0)
                      : names->kind == HAFT__JSON_ARRAY ? *names
                                                        : haft__json_array(names, 1);
    haft__graph_node_id *nodes = haft__graph_alloc(c, list.count + 1, sizeof(*nodes));
    *ret_count = 0;
    for (uint32_t i = 0; nodes != NULL && i < list.count; i++) {
        haft_str name = haft__json_text(list.items[i]);
        if (starts && haft__str_equal(name, HAFT__LIT("start"))) {
            nodes[(*ret_count)++] = HAFT__GRAPH_START;
        } else if (starts && haft__str_equal(name, HAFT__LIT("end"))) {
            haft__graph_report(c, HAFT__GRAPH_UNKNOWN_NODE, name, pointer,
                               "an edge cannot begin at 'end'");
        } else if (haft__graph_resolve(c, list.items[i], pointer, &nodes[*ret_count])) {
            (*ret_count)++;
        }
    }
    return nodes;
}

static void compile_branches(haft__graph_compiler *c, haft__graph_edge *edge, haft__json source,
                             const char *key, uint32_t index)
{
    haft__json list = haft__object_array(source, key);
    haft__graph_branch *branches = haft__graph_alloc(c, list.count + 1, sizeof(*branches));
    for (uint32_t i = 0; branches != NULL && i < list.count; i++) {
        branches[i].when = haft__object_get(list.items[i], "when");
        branches[i].to = resolve_all(c, haft__object_find(list.items[i], "to"),
                                     haft__graph_pointer(c, "/edges/%u/%s/%u/to", index, key, i),
                                     false, &branches[i].to_count);
    }
    edge->branches = branches;
    edge->branch_count = list.count;
    if (edge->kind == HAFT__EDGE_CHOOSE
        && (list.count == 0
            || (branches != NULL && branches[list.count - 1].when.kind != HAFT__JSON_NULL))) {
        haft_str from = haft__json_text(haft__object_get(source, "from"));
        haft__graph_report(c, HAFT__GRAPH_NO_ELSE, from,
                           haft__graph_pointer(c, "/edges/%u/choose", index),
                           "the last entry of choose has a condition; add {to: node} for all "
                           "other cases");
    }
}

static void compile_map(haft__graph_compiler *c, haft__graph_edge *edge, haft__json source,
                        uint32_t index)
{
    haft__json map = haft__object_object(source, "map");
    const haft__json *as = haft__object_find(map, "as");
    haft_str pointer = haft__graph_pointer(c, "/edges/%u/map/to", index);
    edge->map.over = haft__object_string(map, "over");
    edge->map.as = as != NULL ? haft__json_text(*as) : HAFT__LIT("item");
    edge->map.with = haft__object_array(map, "with");
    haft__graph_check_channel_names(c, edge->map.with,
                                    haft__graph_pointer(c, "/edges/%u/map/with", index));
    edge->map.max = (uint32_t)haft__object_number(map, "max", 0);
    edge->map.first = haft__object_string(map, "first");
    if (haft__graph_resolve(c, haft__object_get(map, "to"), pointer, &edge->map.to)
        && edge->map.to == HAFT__GRAPH_END) {
        haft__graph_report(c, HAFT__GRAPH_UNKNOWN_NODE, HAFT__LIT("end"), pointer,
                           "a worker cannot be 'end'");
    }
}

static void check_edge_keys(haft__graph_compiler *c, haft__json source, uint32_t index)
{
    static const char *const keys[] = {"to", "choose", "every", "map"};
    size_t found = 0;
    for (size_t k = 0; k < COUNT(keys); k++) {
        found += haft__object_find(source, keys[k]) != NULL;
    }
    if (found != 1) {
        haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, HAFT__LIT("edges"),
                           haft__graph_pointer(c, "/edges/%u", index),
                           "the edge has %zu of to, choose, every and map; it must have one",
                           found);
    }
}

static void compile_edge(haft__graph_compiler *c, haft__graph_edge *edge, haft__json source,
                         uint32_t index)
{
    const haft__json *from = haft__object_find(source, "from");
    check_edge_keys(c, source, index);
    edge->from = resolve_all(c, from, haft__graph_pointer(c, "/edges/%u/from", index), true,
                             &edge->from_count);
    if (haft__object_find(source, "choose") != NULL) {
        edge->kind = HAFT__EDGE_CHOOSE;
        compile_branches(c, edge, source, "choose", index);
    } else if (haft__object_find(source, "every") != NULL) {
        edge->kind = HAFT__EDGE_EVERY;
        compile_branches(c, edge, source, "every", index);
    } else if (haft__object_find(source, "map") != NULL) {
        edge->kind = HAFT__EDGE_MAP;
        compile_map(c, edge, source, index);
    } else {
        haft__graph_branch *branch = haft__graph_alloc(c, 1, sizeof(*branch));
        edge->kind =
            from != NULL && from->kind == HAFT__JSON_ARRAY ? HAFT__EDGE_JOIN : HAFT__EDGE_PLAIN;
        if (branch != NULL) {
            branch->to = resolve_all(c, haft__object_find(source, "to"),
                                     haft__graph_pointer(c, "/edges/%u/to", index), false,
                                     &branch->to_count);
            edge->branches = branch;
            edge->branch_count = 1;
        }
    }
}

/* The slot of a start: the index of a node, or the number of nodes for `start`. */
static size_t slot_of(const haft__graph *graph, haft__graph_node_id node)
{
    return node == HAFT__GRAPH_START ? graph->node_count : node;
}

static int compare_starts(const void *a, const void *b)
{
    const haft__graph_start *left = a, *right = b;
    if (left->node != right->node) {
        return left->node < right->node ? -1 : 1;
    }
    return left->place < right->place ? -1 : left->place > right->place;
}

static void sort_starts(haft__graph_compiler *c, haft__graph_edge *edge)
{
    haft__graph_start *starts = haft__graph_alloc(c, edge->from_count + 1, sizeof(*starts));
    for (size_t i = 0; starts != NULL && i < edge->from_count; i++) {
        starts[i] = (haft__graph_start){.node = edge->from[i], .place = (uint32_t)i};
    }
    if (starts != NULL) {
        qsort(starts, edge->from_count, sizeof(*starts), compare_starts);
    } else {
        edge->from_count = 0;
    }
    edge->starts = starts;
}

const haft__graph_start *haft__graph_find_start(const haft__graph_edge *edge,
                                                haft__graph_node_id node)
{
    size_t low = 0, high = edge->from_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = edge->starts[middle].node < node;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < edge->from_count && edge->starts[low].node == node ? &edge->starts[low] : NULL;
}

/* Whether an earlier start is the same node. Such a start is ignored. */
static bool repeats(const haft__graph_edge *edge, size_t at)
{
    const haft__graph_start *first = haft__graph_find_start(edge, edge->from[at]);
    return first != NULL && first->place != at;
}

/* Makes the list of edges that begin at each node, and at `start`. */
static void link_edges(haft__graph_compiler *c, const haft__graph_edge *edges, size_t edge_count)
{
    haft__graph *graph = c->graph;
    haft__graph_node *nodes = haft__graph_alloc(c, graph->node_count + 1, sizeof(*nodes));
    size_t *first = haft__graph_alloc(c, graph->node_count + 2, sizeof(*first)), total = 0;
    if (nodes == NULL || first == NULL) {
        return;
    }
    for (size_t e = 0; e < edge_count; e++) {
        for (size_t f = 0; f < edges[e].from_count; f++) {
            if (!repeats(&edges[e], f)) {
                first[slot_of(graph, edges[e].from[f]) + 1]++;
                total++;
            }
        }
    }
    uint32_t *list = haft__graph_alloc(c, total + 1, sizeof(*list));
    if (list == NULL) {
        return;
    }
    for (size_t n = 0; n <= graph->node_count; n++) {
        first[n + 1] += first[n];
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        nodes[n] = graph->nodes[n];
        nodes[n].edges = list + first[n];
    }
    graph->start_edges = list + first[graph->node_count];
    for (size_t e = 0; e < edge_count; e++) {
        for (size_t f = 0; f < edges[e].from_count; f++) {
            haft__graph_node_id from = edges[e].from[f];
            if (repeats(&edges[e], f)) {
                continue;
            }
            size_t *count =
                from == HAFT__GRAPH_START ? &graph->start_edge_count : &nodes[from].edge_count;
            list[first[slot_of(graph, from)] + (*count)++] = (uint32_t)e;
        }
    }
    graph->nodes = nodes;
}

static void list_joins(haft__graph_compiler *c, const haft__graph_edge *edges, size_t edge_count)
{
    uint32_t *joins = haft__graph_alloc(c, edge_count + 1, sizeof(*joins));
    for (size_t e = 0; joins != NULL && e < edge_count; e++) {
        if (edges[e].kind == HAFT__EDGE_JOIN) {
            joins[c->graph->join_count++] = (uint32_t)e;
        }
    }
    c->graph->joins = joins;
}

void haft__graph_compile_edges(haft__graph_compiler *c)
{
    haft__json source = haft__object_array(c->source, "edges");
    haft__graph_edge *edges = haft__graph_alloc(c, source.count + 1, sizeof(*edges));
    bool entry = false;
    for (uint32_t i = 0; i < source.count; i++) {
        haft__json from = haft__object_get(source.items[i], "from");
        entry = entry || haft__array_has_text(from, HAFT__LIT("start"))
                || haft__str_equal(haft__json_text(from), HAFT__LIT("start"));
    }
    if (!entry) {
        haft__graph_report(c, HAFT__GRAPH_NO_ENTRY, HAFT__LIT("start"), HAFT__LIT("/edges"),
                           "no edge begins at start");
    }
    for (uint32_t i = 0; edges != NULL && i < source.count; i++) {
        compile_edge(c, &edges[i], source.items[i], i);
        sort_starts(c, &edges[i]);
        edges[i].place = c->graph->join_places;
        c->graph->join_places += edges[i].kind == HAFT__EDGE_JOIN ? edges[i].from_count : 0;
    }
    if (edges != NULL) {
        link_edges(c, edges, source.count);
        list_joins(c, edges, source.count);
    }
    c->graph->edges = edges;
    c->graph->edge_count = edges != NULL ? source.count : 0;
}
