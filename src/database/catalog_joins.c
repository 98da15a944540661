/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog_joins.c - the joins between found tables: the shortest paths along foreign keys.
 *
 * One breadth-first search from each table. A condition is written once, even if several paths have
 * it. Tests: tests/database/catalog_joins_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "database/catalog_search.h"

/* An edge of the graph: the key `link` of `from` refers to `to`. */
typedef struct key_edge {
    size_t from, to;
    const haft__catalog_link *link;
    bool written;
} key_edge;

/* All keys, and for each table the edge by which the search reached it. */
typedef struct key_graph {
    const haft__catalog *catalog;
    key_edge *edges;
    size_t edge_count;
    size_t *first, *next_out; /* the first edge of a table; the next edge with the same end */
    size_t *first_in, *next_in;
    size_t *reached_by; /* SIZE_MAX: not reached */
    size_t *queue, *distance;
} key_graph;

static size_t count_links(const haft__catalog *catalog)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->count; i++) {
        count += catalog->tables[i].link_count;
    }
    return count;
}

static haft_status make_graph(const haft__catalog *catalog, haft__arena *arena, key_graph *graph,
                              haft_error *err)
{
    size_t links = count_links(catalog), tables = catalog->count;
    *graph = (key_graph){.catalog = catalog};
    size_t **numbers[] = {&graph->first, &graph->first_in, &graph->reached_by, &graph->queue,
                          &graph->distance};
    graph->edges = haft__arena_array(arena, links, sizeof(*graph->edges));
    graph->next_out = haft__arena_array(arena, links, sizeof(size_t));
    graph->next_in = haft__arena_array(arena, links, sizeof(size_t));
    bool made = graph->edges != NULL && graph->next_out != NULL && graph->next_in != NULL;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        *numbers[i] = haft__arena_array(arena, tables, sizeof(size_t));
        made = made && *numbers[i] != NULL;
    }
    if (!made) {
        return haft__arena_fail(arena, err);
    }
    memset(graph->first, 0xff, tables * sizeof(size_t));
    memset(graph->first_in, 0xff, tables * sizeof(size_t));
    return HAFT_OK;
}

static void add_edges(key_graph *graph)
{
    const haft__catalog *catalog = graph->catalog;
    for (size_t i = 0; i < catalog->count; i++) {
        for (size_t k = 0; k < catalog->tables[i].link_count; k++) {
            const haft__catalog_link *link = &catalog->tables[i].links[k];
            size_t to = link->to;
            if (to >= catalog->count) {
                continue; /* the spec hides it, or it does not exist */
            }
            size_t edge = graph->edge_count++;
            graph->edges[edge] = (key_edge){.from = i, .to = to, .link = link};
            graph->next_out[edge] = graph->first[i];
            graph->first[i] = edge;
            graph->next_in[edge] = graph->first_in[to];
            graph->first_in[to] = edge;
        }
    }
}

static void visit(key_graph *graph, size_t edge, size_t from, size_t to, size_t *end)
{
    if (graph->reached_by[to] == SIZE_MAX) {
        graph->reached_by[to] = edge;
        graph->distance[to] = graph->distance[from] + 1;
        graph->queue[(*end)++] = to;
    }
}

/* Finds the shortest paths from a table. */
static void search(key_graph *graph, size_t start)
{
    size_t end = 0;
    memset(graph->reached_by, 0xff, graph->catalog->count * sizeof(size_t));
    graph->distance[start] = 0;
    graph->reached_by[start] = graph->edge_count; /* no edge */
    graph->queue[end++] = start;
    for (size_t at = 0; at < end; at++) {
        size_t table = graph->queue[at];
        if (graph->distance[table] > HAFT__LIMIT_SQL_JOIN_TABLES) {
            break;
        }
        for (size_t e = graph->first[table]; e != SIZE_MAX; e = graph->next_out[e]) {
            visit(graph, e, table, graph->edges[e].to, &end);
        }
        for (size_t e = graph->first_in[table]; e != SIZE_MAX; e = graph->next_in[e]) {
            visit(graph, e, table, graph->edges[e].from, &end);
        }
    }
}

/* The column that the i-th column of a key refers to; without a name, the i-th of the primary
 * key. */
static haft_str target_of(const haft__catalog_table *table, const haft__catalog_link *link,
                          size_t i)
{
    for (size_t k = 0; link->targets[i].len == 0 && k < table->column_count; k++) {
        if (table->columns[k].key == i + 1) {
            return table->columns[k].name;
        }
    }
    return link->targets[i];
}

static void write_edge(const key_graph *graph, const key_edge *edge, haft__buf *result)
{
    const haft__catalog_table *from = &graph->catalog->tables[edge->from],
                              *to = &graph->catalog->tables[edge->to];
    haft__buf_add_str(result, HAFT__LIT("join "));
    for (size_t i = 0; i < edge->link->count; i++) {
        haft__buf_add_str(result, i > 0 ? HAFT__LIT(" AND ") : HAFT__LIT(""));
        haft__catalog_write_table_name(result, from->schema, from->name);
        haft__buf_add_char(result, '.');
        haft__catalog_write_name(result, edge->link->columns[i]);
        haft__buf_add_str(result, HAFT__LIT(" = "));
        haft__catalog_write_table_name(result, to->schema, to->name);
        haft__buf_add_char(result, '.');
        haft__catalog_write_name(result, target_of(to, edge->link, i));
    }
    haft__buf_add_char(result, '\n');
}

/* Writes the path that the last search has found to the table, from its end. */
static void write_path(key_graph *graph, size_t table, haft__buf *result)
{
    while (graph->distance[table] > 0) {
        key_edge *edge = &graph->edges[graph->reached_by[table]];
        if (!edge->written) {
            write_edge(graph, edge, result);
            edge->written = true;
        }
        table = edge->from == table ? edge->to : edge->from;
    }
}

haft_status haft__catalog_write_joins(const haft__catalog *catalog, const size_t *tables,
                                      size_t count, haft__buf *result, haft_error *err)
{
    haft__arena arena;
    key_graph graph;
    haft__arena_init(&arena, 0);
    haft_status status = make_graph(catalog, &arena, &graph, err);
    if (status == HAFT_OK) {
        add_edges(&graph);
    }
    for (size_t i = 0; status == HAFT_OK && i + 1 < count; i++) {
        search(&graph, tables[i]);
        for (size_t k = i + 1; k < count; k++) {
            if (graph.reached_by[tables[k]] != SIZE_MAX) {
                write_path(&graph, tables[k], result);
            }
        }
    }
    haft__arena_finish(&arena);
    return status;
}
