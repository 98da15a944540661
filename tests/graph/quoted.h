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
    haft_str text = haft__arena_copy(arena, (haft_str){quoted, strlen(quoted)});
    for (char *at = (char *)(uintptr_t)text.ptr; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    CHECK_INT(haft__json_read(arena, text, NULL, &source, NULL, NULL), HAFT_OK, "%s", quoted);
    CHECK_INT(haft__graph_compile(arena, source, haft__json_null(), &graph, ret_problems, NULL),
              HAFT_OK, "%s", quoted);
    return graph;
}

#endif
