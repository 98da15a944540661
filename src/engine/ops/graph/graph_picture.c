/* SPDX-License-Identifier: Apache-2.0 */
/* graph_picture.c - see graph_picture.h. Tests: tests/cli/graph_test.py, tests/serve/api_test.py.
 */
#include "engine/ops/graph/graph_picture.h"

#include "graph/run/graph_run.h"
#include "run/pause/approval.h"
#include "json/object.h"

/* Marks the nodes whose tool may need an approval, which depends on the spec. */
static void mark_approvals(haft__arena *arena, const haft__spec *spec, const haft__graph *graph,
                           haft__drawing *drawing)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        const haft__graph_node *node = &graph->nodes[n];
        const haft__tool *tool =
            node->kind == HAFT__NODE_TOOL
                ? haft__tools_find(&spec->tools, haft__object_string(node->source, "tool"))
                : NULL;
        const haft__approval_rule *rule;
        if (tool != NULL && haft__approval_is_required(spec, tool, NULL, arena, &rule)) {
            drawing->boxes[n + 1].pauses = true; /* the first box is `start` */
        }
    }
}

haft_status haft__graph_picture_create(haft__arena *arena, const haft__spec *spec,
                                       haft__json source, haft__drawing *ret_drawing,
                                       haft_error *err)
{
    const haft__graph *graph = NULL;
    haft_status status = haft__graph_compile_in_spec(spec, source, arena, &graph, err);
    if (status == HAFT_OK) {
        status = haft__drawing_create(arena, graph, ret_drawing, err);
    }
    if (status == HAFT_OK) {
        mark_approvals(arena, spec, graph, ret_drawing);
    }
    return status;
}
