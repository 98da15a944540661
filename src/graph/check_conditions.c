/* SPDX-License-Identifier: Apache-2.0 */
/* check_conditions.c - warns about conditions that read a channel that no node writes. Tests:
 * tests/graph/warnings_test.c. */
#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"
#include "json/pointer.h"

typedef struct conditions {
    haft__graph_compiler *c;
    const haft__graph *graph;
    const haft__graph_targets *targets;
    haft__graph_writers writers;
} conditions;

/* Whether the node may be a worker, which sees an item and further arguments instead of the
 * channels. */
static bool is_worker(const conditions *k, haft__graph_node_id node)
{
    for (size_t t = 0; t < k->targets->count; t++) {
        if (k->targets->items[t].to == node && k->targets->items[t].kind == HAFT__TARGET_SEND) {
            return true;
        }
    }
    return false;
}

static bool is_written(const conditions *k, uint32_t channel)
{
    const haft__channel *about = &k->graph->channels[channel];
    bool input = k->graph->input.kind != HAFT__JSON_ARRAY
                 || haft__array_has_text(k->graph->input, about->name);
    if (input || about->has_default || about->lifetime == HAFT__LIFETIME_THREAD || k->writers.any) {
        return true;
    }
    for (size_t i = 0; i < k->writers.count; i++) {
        if (k->writers.items[i].channel == channel) {
            return true;
        }
    }
    return false;
}

static void check_condition(conditions *k, haft__json when, haft__graph_node_id node,
                            haft_str pointer)
{
    haft_str rest = haft__object_string(when, "at"), name;
    uint32_t channel;
    if (!haft__pointer_next(&rest, &name) || haft__str_equal(name, HAFT__LIT("$"))) {
        return;
    }
    if (!haft__graph_find_channel(k->graph, name, &channel)) {
        if (node == HAFT__GRAPH_START || !is_worker(k, node)) {
            haft__graph_report(k->c, HAFT__GRAPH_UNWRITTEN, name, pointer,
                               "the condition after '%.*s' reads '%.*s', but no channel has this "
                               "name",
                               HAFT__ARG(haft__graph_node_name(k->graph, node)), HAFT__ARG(name));
        }
    } else if (!is_written(k, channel)) {
        haft__graph_report(k->c, HAFT__GRAPH_UNWRITTEN, name, pointer,
                           "the condition after '%.*s' reads the channel '%.*s', which nothing "
                           "writes",
                           HAFT__ARG(haft__graph_node_name(k->graph, node)), HAFT__ARG(name));
    }
}

static void check_edge(conditions *k, size_t index)
{
    const haft__graph_edge *edge = &k->graph->edges[index];
    const char *key = edge->kind == HAFT__EDGE_CHOOSE ? "choose" : "every";
    for (size_t b = 0; b < edge->branch_count; b++) {
        if (edge->branches[b].when.kind == HAFT__JSON_OBJECT && edge->from_count > 0) {
            check_condition(k, edge->branches[b].when, edge->from[0],
                            haft__graph_pointer(k->c, "/edges/%zu/%s/%zu/when/at", index, key, b));
        }
    }
}

void haft__graph_check_conditions(haft__graph_compiler *c, const haft__graph_targets *targets)
{
    conditions k = {.c = c, .graph = c->graph, .targets = targets};
    haft__graph_list_writers(c, c->arena, &k.writers);
    for (size_t e = 0; e < c->graph->edge_count; e++) {
        check_edge(&k, e);
    }
}
