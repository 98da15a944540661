/* SPDX-License-Identifier: Apache-2.0 */
/* graph/graph_int.h - shared by the parts that compile and check a graph. Private to its folder. */
#ifndef HAFT_GRAPH_GRAPH_INT_H
#define HAFT_GRAPH_GRAPH_INT_H

#include "base/macros.h"
#include "graph/graph.h"
#include "graph/targets.h"

/* Maximum bytes of a message about a graph, with its NUL; longer messages are truncated. */
#define HAFT__GRAPH_MESSAGE_BYTES 1024

typedef struct haft__graph_compiler {
    haft__arena *arena;
    haft__graph *graph;
    haft__json source;
    haft__json graphs;
    haft__graph_problems *problems;
} haft__graph_compiler;

/* Adds a problem at `pointer`, which is copied. */
void haft__graph_report(haft__graph_compiler *c, haft__graph_code code, haft_str what,
                        haft_str pointer, const char *format, ...) HAFT__PRINTF(5, 6);

/* Allocates zeroed items. If out of memory, records this and returns NULL. */
void *haft__graph_alloc(haft__graph_compiler *c, size_t count, size_t size);

/* Formats a JSON Pointer from fixed words and numbers. */
haft_str haft__graph_pointer(haft__graph_compiler *c, const char *format, ...) HAFT__PRINTF(2, 3);
/* Appends one key or index to `base`. */
haft_str haft__graph_pointer_key(haft__graph_compiler *c, haft_str base, haft_str key);
haft_str haft__graph_pointer_index(haft__graph_compiler *c, haft_str base, size_t index);
/* Reports names in the array `names` that are not channels. `pointer` is the location of the
 * array. */
void haft__graph_check_channel_names(haft__graph_compiler *c, haft__json names, haft_str pointer);

/* compile_edges.c */
void haft__graph_compile_edges(haft__graph_compiler *c);
/* Finds the node with that name in an edge or a `goto`: a node or `end`. Reports an unknown
 * name. */
bool haft__graph_resolve(haft__graph_compiler *c, haft__json name, haft_str pointer,
                         haft__graph_node_id *ret_node);

/* command.c: the nodes that commands of tools and functions may name. */
void haft__graph_compile_targets(haft__graph_compiler *c, haft__graph_node *nodes);
/* Whether the node may go to any node: a function without a list of targets. */
bool haft__graph_goes_anywhere(const haft__graph_node *node);

/* check_programs.c: checks the shape, the nodes and the channels of operations of `do`. */
void haft__graph_check_programs(haft__graph_compiler *c);
/* check_paths.c: checks that every node is reachable, and that a path leads from it to an end. */
void haft__graph_check_paths(haft__graph_compiler *c);
/* check_writers.c: reports two nodes that certainly write the same channel in one step. */
void haft__graph_check_writers(haft__graph_compiler *c);

/* ---- warnings, for a graph without errors ---- */

/* check_meeting.c: nodes that may write one channel in one step. */
void haft__graph_check_meeting(haft__graph_compiler *c, const haft__graph_targets *targets);
/* check_joins.c: joins that may wait for a node that does not run. */
void haft__graph_check_joins(haft__graph_compiler *c, const haft__graph_targets *targets);
/* check_steps.c: joins that have only some of their starts at the end. */
void haft__graph_check_steps(haft__graph_compiler *c, const haft__graph_targets *targets);
/* check_pointers.c: pointers to names that are neither channels nor arguments. */
void haft__graph_check_pointers(haft__graph_compiler *c);
/* check_conditions.c: conditions on channels that no node writes. */
void haft__graph_check_conditions(haft__graph_compiler *c, const haft__graph_targets *targets);

/* A node that may write a channel. */
typedef struct haft__graph_writer {
    uint32_t channel;
    haft__graph_node_id node;
} haft__graph_writer;

typedef struct haft__graph_writers {
    haft__graph_writer *items; /* sorted by channel, then node; no duplicates */
    size_t count, capacity;
    bool any; /* a node may write any channel, depending on its result */
} haft__graph_writers;

/* writers.c: lists them in `arena`. */
void haft__graph_list_writers(haft__graph_compiler *c, haft__arena *arena,
                              haft__graph_writers *ret_writers);

/* ---- operations of `do` in the source ---- */

typedef enum haft__graph_op_kind {
    HAFT__OP_SET,
    HAFT__OP_COPY,
    HAFT__OP_SUM,
    HAFT__OP_TEXT,
    HAFT__OP_OVERWRITE,
    HAFT__OP_IF,
    HAFT__OP_GOTO,
    HAFT__OP_SEND,
    HAFT__OP_ASK,
    HAFT__OP_CALL,
    HAFT__OP_FAIL,
    HAFT__OP_PARENT,
    HAFT__OP_EFFECT, /* this and the following kinds are only for tests */
    HAFT__OP_DELAY,
    HAFT__OP_RETURN,
} haft__graph_op_kind;

/* Finds the kind of an operation, its key and its value. Returns the number of keys of operations
 * that it has: one if the operation is valid. */
size_t haft__graph_op_find(haft__json op, haft__graph_op_kind *ret_kind, haft_str *ret_key,
                           haft__json *ret_value);

/* Calls `visit` for each operation, including operations in `then` and `else`, for which `sure` is
 * false (they might not run). */
typedef void haft__graph_visit_op(void *context, haft__graph_op_kind kind, haft__json op,
                                  haft__json value, bool sure);
void haft__graph_visit_ops(haft__json ops, bool sure, haft__graph_visit_op *visit, void *context);

/* Calls `visit` for each node that an operation `goto` or `send` names: a text, an array of texts,
 * or an array of {to}. */
typedef void haft__graph_visit_name(void *context, haft__json name);
void haft__graph_visit_targets(haft__graph_op_kind kind, haft__json value,
                               haft__graph_visit_name *visit, void *context);

#endif
