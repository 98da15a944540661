/* SPDX-License-Identifier: Apache-2.0 */
/* writers.c - lists the nodes that may write each channel. Tests: tests/graph/warnings_test.c. */
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "graph/graph_int.h"
#include "json/object.h"

typedef struct lister {
    haft__graph_compiler *c;
    haft__arena *arena;
    haft__graph_writers *writers;
    haft__graph_node_id node;
} lister;

static void add_keys(lister *l, haft__json object)
{
    haft__graph_writers *writers = l->writers;
    for (uint32_t i = 0; object.kind == HAFT__JSON_OBJECT && i < object.count; i++) {
        uint32_t channel;
        if (!haft__graph_find_channel(l->c->graph, haft__json_text(object.members[i].key),
                                      &channel)) {
            continue;
        }
        haft__graph_writer *items =
            haft__vec_reserve_in(l->arena, writers->items, writers->count, &writers->capacity,
                                 writers->count + 1, sizeof(*items));
        if (items == NULL) {
            l->c->problems->out_of_memory = true;
            return;
        }
        writers->items = items;
        items[writers->count++] = (haft__graph_writer){.channel = channel, .node = l->node};
    }
}

static void visit_op(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                     bool sure)
{
    lister *l = context;
    (void)sure;
    switch (kind) {
    case HAFT__OP_SET:
    case HAFT__OP_COPY:
    case HAFT__OP_SUM:
    case HAFT__OP_TEXT:
    case HAFT__OP_OVERWRITE: add_keys(l, value); return;
    case HAFT__OP_CALL: add_keys(l, haft__object_object(op, "out")); return;
    case HAFT__OP_RETURN: l->writers->any = true; return;
    case HAFT__OP_IF:
    case HAFT__OP_GOTO:
    case HAFT__OP_SEND:
    case HAFT__OP_ASK:
    case HAFT__OP_FAIL:
    case HAFT__OP_PARENT:
    case HAFT__OP_EFFECT:
    case HAFT__OP_DELAY: return;
    }
}

static int compare(const void *a, const void *b)
{
    const haft__graph_writer *x = a, *y = b;
    return x->channel != y->channel ? (x->channel < y->channel ? -1 : 1)
           : x->node != y->node     ? (x->node < y->node ? -1 : 1)
                                    : 0;
}

/* Whether the node may write any channel: a function, an inner graph, or a tool without `out`,
 * which may return a command. */
static bool writes_anything(const haft__graph_node *node)
{
    bool tool = node->kind == HAFT__NODE_TOOL && haft__object_find(node->source, "out") == NULL;
    return node->kind == HAFT__NODE_FUNCTION || node->kind == HAFT__NODE_GRAPH || tool;
}

void haft__graph_list_writers(haft__graph_compiler *c, haft__arena *arena,
                              haft__graph_writers *ret_writers)
{
    lister l = {.c = c, .arena = arena, .writers = ret_writers};
    size_t kept = 0;
    *ret_writers = (haft__graph_writers){0};
    for (size_t n = 0; n < c->graph->node_count; n++) {
        const haft__graph_node *node = &c->graph->nodes[n];
        l.node = (haft__graph_node_id)n;
        haft__graph_visit_ops(node->program, true, visit_op, &l);
        haft__graph_visit_ops(node->handler, true, visit_op, &l);
        add_keys(&l, haft__object_object(node->source, "out"));
        ret_writers->any = ret_writers->any || writes_anything(node);
    }
    if (ret_writers->count > 0) {
        qsort(ret_writers->items, ret_writers->count, sizeof(*ret_writers->items), compare);
    }
    for (size_t i = 0; i < ret_writers->count; i++) {
        if (i == 0 || compare(&ret_writers->items[i - 1], &ret_writers->items[i]) != 0) {
            ret_writers->items[kept++] = ret_writers->items[i];
        }
    }
    ret_writers->count = kept;
}
