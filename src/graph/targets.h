/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/targets.h - every node that may follow another one: by an edge, a `goto` or a `send`.
 *
 * The warnings of a graph and its picture are made from this list.
 */
#ifndef HAFT_GRAPH_TARGETS_H
#define HAFT_GRAPH_TARGETS_H

#include "graph/graph.h"

typedef enum haft__graph_target_kind {
    HAFT__TARGET_EDGE, /* of an edge that is no map */
    HAFT__TARGET_GOTO,
    HAFT__TARGET_SEND, /* of a map or of `send`: a run of its own */
} haft__graph_target_kind;

typedef struct haft__graph_target {
    haft__graph_node_id from, to; /* START and END included */
    haft__graph_target_kind kind;
    const haft__graph_edge *edge; /* NULL: of an operation */
    uint32_t branch;              /* of the edge */
    uint32_t operation;           /* of a goto or send: its number in the node */
    bool sure;                    /* no condition leads to it */
    bool handler;                 /* of `on_error` */
} haft__graph_target;

typedef struct haft__graph_targets {
    haft__graph_target *items; /* by start: nodes by index, then START */
    size_t count, capacity;
    size_t *first; /* of each node, of START at node_count; one more is the end */
} haft__graph_targets;

/* Lists the targets, in the arena. */
HAFT_MUST_USE haft_status haft__graph_targets_list(haft__arena *arena, const haft__graph *graph,
                                                   haft__graph_targets *ret_targets,
                                                   haft_error *err);

#endif
