/* SPDX-License-Identifier: Apache-2.0 */
/* targets.c - see targets.h. Tests: tests/graph/targets_test.c. */
#include "graph/targets.h"

#include "base/str.h"
#include "base/vec.h"
#include "graph/graph_int.h"

typedef struct lister {
    haft__arena *arena;
    const haft__graph *graph;
    haft__graph_targets *targets;
    haft__graph_target next; /* template of the next target */
    bool out_of_memory;
} lister;

static void add(lister *l, haft__graph_node_id to)
{
    haft__graph_targets *targets = l->targets;
    haft__graph_target *items =
        haft__vec_reserve_in(l->arena, targets->items, targets->count, &targets->capacity,
                             targets->count + 1, sizeof(*items));
    if (items == NULL) {
        l->out_of_memory = true;
        return;
    }
    targets->items = items;
    items[targets->count] = l->next;
    items[targets->count++].to = to;
}

static void add_edge(lister *l, const haft__graph_edge *edge, bool sure)
{
    l->next.edge = edge;
    l->next.kind = edge->kind == HAFT__EDGE_MAP ? HAFT__TARGET_SEND : HAFT__TARGET_EDGE;
    l->next.branch = 0;
    l->next.sure = false;
    if (edge->kind == HAFT__EDGE_MAP) {
        add(l, edge->map.to);
    }
    for (size_t b = 0; b < edge->branch_count; b++) {
        const haft__graph_branch *branch = &edge->branches[b];
        bool only = edge->kind != HAFT__EDGE_CHOOSE || edge->branch_count == 1;
        l->next.branch = (uint32_t)b;
        l->next.sure = sure && only && branch->when.kind == HAFT__JSON_NULL;
        for (size_t t = 0; t < branch->to_count; t++) {
            add(l, branch->to[t]);
        }
    }
}

static void add_name(void *context, haft__json name)
{
    lister *l = context;
    haft__graph_node_id node = HAFT__GRAPH_END;
    bool end = haft__str_equal(haft__json_text(name), HAFT__LIT("end"));
    if (end || haft__graph_find_node(l->graph, haft__json_text(name), &node)) {
        add(l, node);
    }
}

static void add_op(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                   bool sure)
{
    lister *l = context;
    (void)op;
    l->next.kind = kind == HAFT__OP_GOTO ? HAFT__TARGET_GOTO : HAFT__TARGET_SEND;
    l->next.sure =
        sure && !l->next.handler && (kind == HAFT__OP_GOTO || value.kind == HAFT__JSON_ARRAY);
    l->next.operation++;
    haft__graph_visit_targets(kind, value, add_name, l);
}

/* Records that the program has a `goto`. Then the edges are not certain, because `goto` replaces
 * them. */
static void note_goto(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                      bool sure)
{
    bool *found = context;
    (void)op;
    (void)value;
    (void)sure;
    *found = *found || kind == HAFT__OP_GOTO;
}

/* Adds the nodes that a command may name. */
static void add_listed(lister *l, const haft__graph_node *node)
{
    l->next.kind = HAFT__TARGET_GOTO;
    l->next.sure = false;
    for (size_t t = 0; t < node->target_count; t++) {
        l->next.operation++;
        add(l, node->targets[t]);
    }
}

static void add_node(lister *l, haft__graph_node_id id)
{
    const haft__graph_node *node = &l->graph->nodes[id];
    bool jumps = false;
    l->next = (haft__graph_target){.from = id};
    haft__graph_visit_ops(node->program, true, note_goto, &jumps);
    jumps = jumps || node->lists_targets || haft__graph_goes_anywhere(node);
    for (size_t e = 0; e < node->edge_count; e++) {
        add_edge(l, &l->graph->edges[node->edges[e]], !jumps);
    }
    l->next.edge = NULL;
    haft__graph_visit_ops(node->program, true, add_op, l);
    add_listed(l, node);
    l->next.handler = true;
    haft__graph_visit_ops(node->handler, true, add_op, l);
}

haft_status haft__graph_targets_list(haft__arena *arena, const haft__graph *graph,
                                     haft__graph_targets *ret_targets, haft_error *err)
{
    lister l = {.arena = arena, .graph = graph, .targets = ret_targets};
    *ret_targets = (haft__graph_targets){
        .first = haft__arena_array(arena, graph->node_count + 2, sizeof(size_t))};
    if (ret_targets->first == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        ret_targets->first[n] = ret_targets->count;
        add_node(&l, (haft__graph_node_id)n);
    }
    ret_targets->first[graph->node_count] = ret_targets->count;
    l.next = (haft__graph_target){.from = HAFT__GRAPH_START};
    for (size_t e = 0; e < graph->start_edge_count; e++) {
        add_edge(&l, &graph->edges[graph->start_edges[e]], true);
    }
    ret_targets->first[graph->node_count + 1] = ret_targets->count;
    return l.out_of_memory ? haft__arena_fail(arena, err) : HAFT_OK;
}
