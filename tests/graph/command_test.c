/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/command.c: the nodes that commands may name. Their effects are tested in
 * tests/engine/graph_api_test.c. */
#include "graph/targets.h"

#include "base/str.h"
#include "test.h"
#include "json/read.h"

#define GRAPH(nodes, edges) "{\"nodes\":{" nodes "},\"edges\":[" edges "]}"
#define START               "{\"from\":\"start\",\"to\":\"a\"}"
#define B                   "\"b\":{\"do\":[]}"

TEST(targets_of_commands_are_checked)
{
    static const struct {
        const char *source, *code, *pointer;
    } rows[] = {
        {GRAPH("\"a\":{\"function\":\"f\"}," B, START), NULL, NULL},
        {GRAPH("\"a\":{\"function\":\"f\",\"goto\":[\"b\",\"end\"]}," B, START), NULL, NULL},
        {GRAPH("\"a\":{\"tool\":\"t\",\"goto\":\"b\"}," B, START), NULL, NULL},
        {GRAPH("\"a\":{\"function\":\"f\",\"goto\":\"end\"}," B, START), "unreachable", "/nodes/b"},
        {GRAPH("\"a\":{\"tool\":\"t\"}," B, START), "unreachable", "/nodes/b"},
        {GRAPH("\"a\":{\"function\":\"f\",\"goto\":[\"b\",\"zz\"]}," B, START), "unknown_node",
         "/nodes/a/goto/1"},
        {GRAPH("\"a\":{\"tool\":\"t\",\"goto\":\"zz\"}", START), "unknown_node", "/nodes/a/goto"},
        {GRAPH("\"a\":{\"do\":[],\"goto\":\"b\"}," B, START), "bad_shape", "/nodes/a/goto"},
        {GRAPH("\"a\":{\"function\":\"f\"}", START ",{\"from\":\"a\",\"to\":\"a\"}"), NULL, NULL},
        {GRAPH("\"a\":{\"function\":\"f\",\"goto\":\"a\"}", START ",{\"from\":\"a\",\"to\":\"a\"}"),
         "endless", "/nodes/a"},
        {GRAPH("\"a\":{\"function\":\"f\",\"goto\":[\"end\"]}",
               START ",{\"from\":\"a\",\"to\":\"a\"}"),
         NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__json value;
        const haft__graph *graph = NULL;
        haft__graph_problems problems;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__json_read(&arena, haft__str(rows[i].source), NULL, &value, NULL, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK_INT(haft__graph_compile(&arena, value, haft__json_null(), &graph, &problems, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK(problems.errors == (rows[i].code != NULL), "row %zu: %zu errors", i, problems.errors);
        if (problems.errors > 0 && rows[i].code != NULL) {
            CHECK_STR(haft__str(haft__graph_code_name(problems.items[0].code)),
                      haft__str(rows[i].code), "row %zu", i);
            CHECK_STR(problems.items[0].pointer, haft__str(rows[i].pointer), "row %zu", i);
        }
        haft__arena_finish(&arena);
    }
}

TEST(listed_targets_are_drawn)
{
    haft__arena arena;
    haft__json value;
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft__graph_targets targets;
    const char *source = GRAPH("\"a\":{\"function\":\"f\",\"goto\":[\"b\",\"end\"]}," B, START);
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, haft__str(source), NULL, &value, NULL, NULL), HAFT_OK,
              "JSON");
    CHECK_INT(haft__graph_compile(&arena, value, haft__json_null(), &graph, &problems, NULL),
              HAFT_OK, "compiling");
    CHECK_INT(haft__graph_targets_list(&arena, graph, &targets, NULL), HAFT_OK, "listing");
    CHECK_INT(targets.count, 3, "targets");
    CHECK(targets.items[0].kind == HAFT__TARGET_GOTO && targets.items[0].to == 1
              && !targets.items[0].sure,
          "a may go to b");
    CHECK(targets.items[1].kind == HAFT__TARGET_GOTO && targets.items[1].to == HAFT__GRAPH_END,
          "a may go to end");
    haft__arena_finish(&arena);
}
