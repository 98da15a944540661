/* SPDX-License-Identifier: Apache-2.0 */
/* check_writers.c - reports two nodes that certainly write the same replacing channel in one step.
 * Tests: tests/graph/graph_test.c. */
#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"

typedef struct writers {
    haft__graph_compiler *c;
    const haft__graph *graph;
    size_t *source; /* for each channel: the source that wakes its last writer, plus 1 */
    size_t *node;   /* for each channel: its last writer */
    size_t at;      /* the current source, plus 1 */
    size_t writer;
    bool copies; /* the node has a worker for each item, so it writes several times */
} writers;

static bool replaces(const haft__channel *channel)
{
    return channel->reducer == HAFT__REDUCE_REPLACE && channel->lifetime != HAFT__LIFETIME_STEP;
}

static void add_write(writers *w, haft_str name)
{
    uint32_t channel;
    if (!haft__graph_find_channel(w->graph, name, &channel)
        || !replaces(&w->graph->channels[channel])) {
        return;
    }
    haft_str writer = w->graph->nodes[w->writer].name;
    haft_str pointer = haft__graph_pointer_key(w->c, HAFT__LIT("/channels"), name);
    if (w->copies) {
        haft__graph_report(w->c, HAFT__GRAPH_TWO_WRITERS, name, pointer,
                           "every worker '%.*s' writes the channel '%.*s' in one step; give it a "
                           "reducer such as append",
                           HAFT__ARG(writer), HAFT__ARG(name));
    } else if (w->source[channel] == w->at && w->node[channel] != w->writer) {
        haft_str other = w->graph->nodes[w->node[channel]].name;
        haft__graph_report(w->c, HAFT__GRAPH_TWO_WRITERS, name, pointer,
                           "the nodes '%.*s' and '%.*s' write the channel '%.*s' in one step; give "
                           "it a reducer such as append or last",
                           HAFT__ARG(other), HAFT__ARG(writer), HAFT__ARG(name));
    }
    w->source[channel] = w->at;
    w->node[channel] = w->writer;
}

static void visit_write(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                        bool sure)
{
    haft__json written = kind == HAFT__OP_CALL ? haft__object_object(op, "out") : value;
    bool writes = kind == HAFT__OP_SET || kind == HAFT__OP_COPY || kind == HAFT__OP_SUM
                  || kind == HAFT__OP_TEXT || kind == HAFT__OP_CALL;
    for (uint32_t i = 0; sure && writes && i < written.count; i++) {
        add_write(context, haft__json_text(written.members[i].key));
    }
}

static void visit_node(writers *w, haft__graph_node_id id)
{
    const haft__graph_node *node = &w->graph->nodes[id];
    haft__json out = haft__object_object(node->source, "out");
    w->writer = id;
    haft__graph_visit_ops(node->program, true, visit_write, w);
    for (uint32_t i = 0; i < out.count; i++) {
        add_write(w, haft__json_text(out.members[i].key));
    }
}

/* Checks the nodes that one source certainly wakes. */
static void check_source(writers *w, const uint32_t *edges, size_t count)
{
    w->at++;
    for (size_t e = 0; e < count; e++) {
        const haft__graph_edge *edge = &w->graph->edges[edges[e]];
        const haft__graph_branch *branch = edge->branches;
        for (size_t t = 0; edge->kind == HAFT__EDGE_PLAIN && t < branch->to_count; t++) {
            haft__graph_node_id to = branch->to[t];
            if (to != HAFT__GRAPH_END && !w->graph->nodes[to].defer) {
                visit_node(w, to);
            }
        }
    }
}

static void visit_send(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                       bool sure)
{
    writers *w = context;
    haft__graph_node_id node;
    (void)op;
    if (sure && kind == HAFT__OP_SEND && value.kind == HAFT__JSON_OBJECT
        && haft__graph_find_node(w->graph, haft__json_text(haft__object_get(value, "to")), &node)) {
        visit_node(w, node);
    }
}

void haft__graph_check_writers(haft__graph_compiler *c)
{
    const haft__graph *graph = c->graph;
    size_t count = graph->channel_count + 1;
    writers w = {.c = c,
                 .graph = graph,
                 .source = haft__graph_alloc(c, count, sizeof(size_t)),
                 .node = haft__graph_alloc(c, count, sizeof(size_t))};
    if (w.source == NULL || w.node == NULL) {
        return;
    }
    check_source(&w, graph->start_edges, graph->start_edge_count);
    for (size_t n = 0; n < graph->node_count; n++) {
        check_source(&w, graph->nodes[n].edges, graph->nodes[n].edge_count);
    }
    w.copies = true;
    for (size_t e = 0; e < graph->edge_count; e++) {
        if (graph->edges[e].kind == HAFT__EDGE_MAP) {
            visit_node(&w, graph->edges[e].map.to);
        }
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        haft__graph_visit_ops(graph->nodes[n].program, true, visit_send, &w);
    }
}
