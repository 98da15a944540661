/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/targets.h - lists every node that may follow another node: by an edge, a `goto` or a
 * `send`.
 *
 * The warnings about a graph and its drawing are made from this list.
 */
#ifndef HAFT_GRAPH_TARGETS_H
#define HAFT_GRAPH_TARGETS_H

#include "graph/graph.h"

typedef enum haft__graph_target_kind {
    HAFT__TARGET_EDGE, /* by an edge that is not a map */
    HAFT__TARGET_GOTO,
    HAFT__TARGET_SEND, /* by a map or a `send`: the target runs as a separate task */
} haft__graph_target_kind;

typedef struct haft__graph_target {
    haft__graph_node_id from, to; /* `from` may be START, `to` may be END */
    haft__graph_target_kind kind;
    const haft__graph_edge *edge; /* NULL: the target comes from an operation of the node */
    uint32_t branch;              /* index of the branch of the edge */
    uint32_t operation;           /* for a goto or send: index of the operation in the node */
    bool sure;                    /* the target certainly follows, without a condition */
    bool handler;                 /* the operation belongs to `on_error` */
} haft__graph_target;

typedef struct haft__graph_targets {
    haft__graph_target *items; /* sorted by `from`: nodes by index, then START */
    size_t count, capacity;
    /* For each node, the index in `items` of its first target; START is at node_count. The last
     * element is the number of items. */
    size_t *first;
} haft__graph_targets;

/* Lists the targets, in the arena. */
HAFT_MUST_USE haft_status haft__graph_targets_list(haft__arena *arena, const haft__graph *graph,
                                                   haft__graph_targets *ret_targets,
                                                   haft_error *err);

#endif
