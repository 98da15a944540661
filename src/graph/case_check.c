/* SPDX-License-Identifier: Apache-2.0 */
/*
 * case_check.c - checks a case before it is played: the types of its values with case.schema.json,
 * and that no inner graph runs itself. A spec is checked by its loader. Tests:
 * tests/graph/cases_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/cases_int.h"
#include "schema/schema.h"
#include "json/object.h"
#include "json/read.h"

/* Generated at build time from case.schema.json. */
extern const char haft__case_schema[];
extern const size_t haft__case_schema_size;

/* ---- types ---- */

static haft_status compile_schema(haft__arena *arena, const haft__schema **ret_schema,
                                  haft_error *err)
{
    haft__json source;
    haft_str text = {haft__case_schema, haft__case_schema_size};
    haft_status status = haft__json_read(arena, text, NULL, &source, NULL, err);
    return status == HAFT_OK ? haft__schema_compile(arena, source, NULL, ret_schema, err) : status;
}

haft_status haft__case_check_types(haft__json test, haft__arena *arena,
                                   haft__graph_problem *ret_problem, bool *ret_found,
                                   haft_error *err)
{
    const haft__schema *schema = NULL;
    haft__schema_report report = {.valid = true};
    haft__checker *checker = haft__checker_create();
    *ret_found = false;
    haft_status status =
        checker != NULL ? compile_schema(arena, &schema, err) : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = haft__schema_check(schema, checker, test, arena, &report, err);
    }
    haft__checker_destroy(checker);
    if (status != HAFT_OK || report.valid) {
        return status;
    }
    haft__schema_error first = report.errors[0];
    if (!haft__str_starts_with(first.where, HAFT__LIT("/graph"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "%.*s%s%.*s", HAFT__ARG(first.where),
                          first.where.len > 0 ? ": " : "", HAFT__ARG(first.message));
    }
    *ret_problem = (haft__graph_problem){
        .code = HAFT__GRAPH_BAD_SHAPE, .what = first.where, .message = first.message};
    *ret_found = true;
    return HAFT_OK;
}

/* ---- graphs in graphs ---- */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The levels of graphs that a reference adds. `levels` has those below each graph of `graphs`. */
static uint32_t count_reference(haft__json graphs, const uint32_t *levels, haft__json source,
                                const char *key)
{
    haft_str name = haft__object_string(source, key);
    for (uint32_t i = 0; name.len > 0 && i < graphs.count; i++) {
        if (haft__str_equal(haft__json_text(graphs.members[i].key), name)) {
            return levels[i] + 1;
        }
    }
    return 0;
}

static uint32_t count_calls(haft__json graphs, const uint32_t *levels, haft__json ops)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < ops.count; i++) {
        max = larger(max, count_reference(graphs, levels, ops.items[i], "call"));
        max = larger(max, count_calls(graphs, levels, haft__object_array(ops.items[i], "then")));
        max = larger(max, count_calls(graphs, levels, haft__object_array(ops.items[i], "else")));
    }
    return max;
}

static uint32_t count_levels(haft__json graphs, const uint32_t *levels, haft__json graph)
{
    haft__json nodes = haft__object_object(graph, "nodes");
    uint32_t max = 0;
    for (uint32_t i = 0; i < nodes.count; i++) {
        haft__json node = nodes.members[i].value;
        haft__json handler = haft__object_object(node, "on_error");
        max = larger(max, count_reference(graphs, levels, node, "graph"));
        max = larger(max, count_calls(graphs, levels, haft__object_array(node, "do")));
        max = larger(max, count_calls(graphs, levels, haft__object_array(handler, "do")));
    }
    return max;
}

haft_status haft__case_check_nesting(haft__json graph, haft__json graphs, haft__arena *arena,
                                     haft__graph_problem *ret_problem, bool *ret_found,
                                     haft_error *err)
{
    uint32_t *levels = haft__arena_array(arena, graphs.count + 1, sizeof(*levels));
    *ret_found = false;
    if (levels == NULL) {
        return haft__arena_fail(arena, err);
    }
    /* Each round adds one level, so that a graph that runs itself exceeds the limit, too. */
    for (uint32_t round = 0; round < HAFT__LIMIT_CHILD_DEPTH; round++) {
        for (uint32_t i = 0; i < graphs.count; i++) {
            levels[i] = count_levels(graphs, levels, graphs.members[i].value);
        }
    }
    if (count_levels(graphs, levels, graph) > HAFT__LIMIT_CHILD_DEPTH) {
        haft_str message =
            haft__arena_format(arena, "graphs are nested more than %d deep, or a graph runs itself",
                               HAFT__LIMIT_CHILD_DEPTH);
        *ret_problem = (haft__graph_problem){
            .code = HAFT__GRAPH_BAD_SHAPE, .what = HAFT__LIT("graphs"), .message = message};
        *ret_found = message.ptr != NULL;
        return message.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    return HAFT_OK;
}
