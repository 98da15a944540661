/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/graph.h - a compiled state graph: channels, nodes and edges, checked and linked by index.
 *
 *     haft__graph_compile(&arena, source, &graph, &problems, err);
 *
 * `source` is the object under `graph:` in a spec. The graph lives in the arena, borrows the texts
 * and values of `source`, and never changes. docs/graphs.md describes every key.
 */
#ifndef HAFT_GRAPH_GRAPH_H
#define HAFT_GRAPH_GRAPH_H

#include "channel/channel.h"
#include "json/value.h"

/* ---- problems ---- */

/* The kinds of problems of a graph. Users see their names as codes, which are in graph.c. */
typedef enum haft__graph_code {
    HAFT__GRAPH_BAD_SHAPE, /* a key or a value that the graph cannot have */
    HAFT__GRAPH_NO_ENTRY,
    HAFT__GRAPH_UNKNOWN_NODE,
    HAFT__GRAPH_UNKNOWN_CHANNEL,
    HAFT__GRAPH_UNKNOWN_GRAPH,
    HAFT__GRAPH_UNREACHABLE,
    HAFT__GRAPH_NO_ELSE,
    HAFT__GRAPH_ENDLESS,
    HAFT__GRAPH_TWO_WRITERS,
    HAFT__GRAPH_NODE_FAILED,
    HAFT__GRAPH_BAD_UPDATE,
    HAFT__GRAPH_JOIN_UNMET,
    HAFT__GRAPH_CHILD_FAILED, /* an inner graph failed */
    HAFT__GRAPH_CHILD_EXHAUSTED,
    HAFT__GRAPH_CHILD_INCOMPLETE,
    HAFT__GRAPH_MAY_MEET,   /* a warning: two nodes may write a channel in the same step */
    HAFT__GRAPH_MAY_STARVE, /* a warning: because of a condition, a start of a join might not run */
    HAFT__GRAPH_GOTO_BESIDE, /* a warning: `goto` replaces the edges of its node */
    HAFT__GRAPH_UNWRITTEN,   /* a warning: a condition reads a channel that no node writes */
} haft__graph_code;

/* "two_writers" ... */
const char *haft__graph_code_name(haft__graph_code code);

typedef struct haft__graph_problem {
    haft__graph_code code;
    bool warning;
    haft_str what;    /* the node, channel or start with the problem */
    haft_str pointer; /* JSON Pointer into the source */
    haft_str message;
} haft__graph_problem;

/* Problems in the order in which they are found. They live in the arena. */
typedef struct haft__graph_problems {
    haft__arena *arena;
    haft__graph_problem *items;
    size_t count, capacity;
    size_t errors;
    bool out_of_memory;
} haft__graph_problems;

/* ---- nodes and edges ---- */

/* A node: its index in the order of names, or one of these two constants. */
typedef uint32_t haft__graph_node_id;
#define HAFT__GRAPH_START ((haft__graph_node_id)0xFFFFFFFE)
#define HAFT__GRAPH_END   ((haft__graph_node_id)0xFFFFFFFF)

typedef enum haft__graph_node_kind {
    HAFT__NODE_DO,
    HAFT__NODE_AGENT,
    HAFT__NODE_TOOL,
    HAFT__NODE_FUNCTION,
    HAFT__NODE_GRAPH,
    HAFT__NODE_ASK,
} haft__graph_node_kind;

/* The kind of a node's failure, for `on` of its `retry`. */
typedef enum haft__graph_failure_kind {
    HAFT__GRAPH_FAILURE_ERROR,
    HAFT__GRAPH_FAILURE_TIMEOUT,   /* the time for the call or the answer was used up */
    HAFT__GRAPH_FAILURE_TRANSIENT, /* the same call may succeed later: overload, rate limit, a
                                      broken connection */
    HAFT__GRAPH_FAILURE_REFUSED,   /* the call did not run: arguments, budget */
    HAFT__GRAPH_FAILURE_KINDS,
} haft__graph_failure_kind;

/* "error" ... */
const char *haft__graph_failure_name(haft__graph_failure_kind kind);

typedef struct haft__graph_node {
    haft_str name;
    haft__graph_node_kind kind;
    haft__json source;     /* the node in the source, with the keys of its kind */
    haft__json program;    /* for `do`: an array of operations */
    bool has_handler;      /* the node has `on_error` */
    haft__json handler;    /* the operations of `on_error` */
    const uint32_t *input; /* channels that the node sees, in the order of the source */
    size_t input_count;
    bool sees_all; /* no `input`: the node sees every channel */
    bool defer;
    bool pause_before, pause_after;
    bool cached;
    uint32_t attempts;  /* 1 without `retry` */
    bool lists_targets; /* `goto`: the nodes that a command of its tool or function may name */
    const haft__graph_node_id *targets;
    size_t target_count;
    uint32_t retry_on;     /* bit set of the kinds of failures that are retried; 0: all kinds */
    const uint32_t *edges; /* edges that begin at the node, in the order of the graph */
    size_t edge_count;
} haft__graph_node;

typedef enum haft__graph_edge_kind {
    HAFT__EDGE_PLAIN,
    HAFT__EDGE_JOIN,   /* follows when all its starts are done */
    HAFT__EDGE_CHOOSE, /* follows the first branch whose condition holds */
    HAFT__EDGE_EVERY,  /* follows every branch whose condition holds */
    HAFT__EDGE_MAP,    /* starts one worker for each item of a list */
} haft__graph_edge_kind;

typedef struct haft__graph_branch {
    haft__json when; /* {at, op, value}; null: always */
    const haft__graph_node_id *to;
    size_t to_count;
} haft__graph_branch;

/* A map of an edge, or of the operation `send`: one worker for each item of a list. */
typedef struct haft__graph_map {
    haft_str over; /* JSON Pointer to the list */
    haft_str as;   /* the name of the item in the worker's view */
    haft__graph_node_id to;
    haft__json with; /* names of channels that are also in the worker's view */
    uint32_t max;    /* items of a longer list are an error; 0: no maximum */
    haft_str first;  /* JSON Pointer to the number of items that get a worker; "": all */
} haft__graph_map;

/* A start of an edge. */
typedef struct haft__graph_start {
    haft__graph_node_id node;
    uint32_t place; /* index in `from` */
} haft__graph_start;

typedef struct haft__graph_edge {
    haft__graph_edge_kind kind;
    const haft__graph_node_id *from;
    size_t from_count;
    const haft__graph_start *starts;    /* `from`, sorted by node, then by place */
    const haft__graph_branch *branches; /* a plain edge and a join have one, without `when` */
    size_t branch_count;
    haft__graph_map map;
    size_t place; /* for a join: index of its first start in haft__graph_execution.arrived */
} haft__graph_edge;

typedef struct haft__graph {
    const haft__channel *channels; /* in the order of their names */
    size_t channel_count;
    bool has_custom;               /* a channel has a reducer of the program */
    const haft__graph_node *nodes; /* in the order of their names, which is also the order of
                                    * updates */
    size_t node_count;
    const haft__graph_edge *edges;
    size_t edge_count;
    size_t join_places;    /* number of starts of all joins */
    const uint32_t *joins; /* indices of edges that are joins */
    size_t join_count;
    size_t defer_count; /* number of deferred nodes */
    bool caches;        /* a node has `cache` */
    const uint32_t *start_edges;
    size_t start_edge_count;
    uint32_t recursion_limit;
    bool has_on_limit;
    haft__graph_node_id on_limit;
    uint32_t concurrency; /* 0: the limit of the spec */
    haft__json input;     /* names of channels; null: all channels */
    haft__json output;    /* a JSON Pointer or names of channels; null: all written channels */
} haft__graph;

/* Compiles and checks a graph. *ret_graph is NULL if there are errors. A node with `graph` may name
 * the keys of `graphs` (an object, or null), which are not compiled. Initializes *ret_problems.
 * Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__graph_compile(haft__arena *arena, haft__json source,
                                              haft__json graphs, const haft__graph **ret_graph,
                                              haft__graph_problems *ret_problems, haft_error *err);

/* The index of a channel or node; false if it does not exist. */
bool haft__graph_find_channel(const haft__graph *graph, haft_str name, uint32_t *ret_channel);
bool haft__graph_find_node(const haft__graph *graph, haft_str name, haft__graph_node_id *ret_node);

/* Finds the first start of an edge that is this node; NULL if the edge does not start there. */
const haft__graph_start *haft__graph_find_start(const haft__graph_edge *edge,
                                                haft__graph_node_id node);

/* The name of a node, or "start" or "end". */
haft_str haft__graph_node_name(const haft__graph *graph, haft__graph_node_id node);

#endif
