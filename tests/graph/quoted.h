/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs in tests are JSON with ' instead of ". */
#ifndef HAFT_TESTS_GRAPH_QUOTED_H
#define HAFT_TESTS_GRAPH_QUOTED_H

#include <string.h>

#include "graph/graph.h"
#include "test.h"
#include "json/read.h"

/* Compiles a graph. Its problems are in `ret_problems`. */
static inline const haft__graph *compile_quoted(haft__arena *arena, const char *quoted,
                                                haft__graph_problems *ret_problems)
{
    const haft__graph *graph = NULL;
    haft__json source;
    haft_str text = {quoted, strlen(quoted)};
    char *json = haft__arena_alloc(arena, text.len);
    for (size_t i = 0; json != NULL && i < text.len; i++) {
        json[i] = quoted[i] == '\'' ? '"' : quoted[i];
    }
    CHECK(json != NULL, "no memory");
    text.ptr = json;
    CHECK_INT(haft__json_read(arena, text, NULL, &source, NULL, NULL), HAFT_OK, "%s", quoted);
    CHECK_INT(haft__graph_compile(arena, source, haft__json_null(), &graph, ret_problems, NULL),
              HAFT_OK, "%s", quoted);
    return graph;
}

#endif
