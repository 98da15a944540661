/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/run/graph_run.h - runs of graphs: the execution of a graph is a part of the run's state.
 *
 * Each request of a node becomes a call of the run, with the id n<step>.<index>, or
 * n<step>.<index>.<k> for further requests of the node. So the run judges, starts, pauses, recovers
 * and replays it like a call of a model. The result of the call is the reply to the request. The
 * execution changes only while an event is folded; haft__run.graph_next is its next action.
 */
#ifndef HAFT_GRAPH_RUN_GRAPH_RUN_H
#define HAFT_GRAPH_RUN_GRAPH_RUN_H

#include "base/map.h"
#include "graph/execution.h"
#include "run/run.h"

/* haft__run.graph */
typedef struct haft__graph_run {
    const haft__graph *graph;
    haft__graph_execution *x;
    haft__arena *arena;    /* memory of the run */
    haft__map cache;       /* outputs of nodes with `cache`, by the digest of their key */
    uint64_t now_ms;       /* time of the event that is folded */
    haft_str paused_after; /* the node with `pause: after` because of which the run waits */
    bool begun;            /* step 0 is committed */
} haft__graph_run;

/* The functions that fold runs of graphs, for a checked spec. */
extern const haft__graph_rules haft__graph_run_rules;

/* Prefixes of the tools that nodes need in addition to tools of the spec. The name of the node or
 * graph follows the prefix. */
#define HAFT__GRAPH_NODE_TOOL  "node:"  /* starts the agent or the graph of a node */
#define HAFT__GRAPH_CALL_TOOL  "graph:" /* starts a graph for the operation `call` */
#define HAFT__GRAPH_PAUSE_TOOL "pause:" /* waits for a person, for `pause` of a node */

/* Compiles a graph of a checked spec: its nodes may name the graphs of the spec, and files.
 * BAD_INPUT if it has a problem. */
HAFT_MUST_USE haft_status haft__graph_compile_in_spec(const haft__spec *spec, haft__json source,
                                                      haft__arena *arena,
                                                      const haft__graph **ret_graph,
                                                      haft_error *err);

/* Reads the input from a task: a JSON object, or a text for a graph with one input channel. */
HAFT_MUST_USE haft_status haft__graph_read_input(const haft__graph *graph, haft_str task,
                                                 haft__arena *arena, haft__hash_key hash_key,
                                                 haft__json *ret_input, haft_error *err);

/* Checks whether a run of the spec can begin with this task. The error is the reason if not. */
HAFT_MUST_USE haft_status haft__graph_check_task(const haft__spec *spec, haft_str task,
                                                 haft__hash_key hash_key, haft_error *err);

/* Writes the body of the event that changes the state of a run: `values` go through the reducers,
 * as writes of the node `as` ("": only the values change). Calls that are pending stay, unless
 * their node is done or dropped. The run is used only for this. BAD_INPUT if the graph does not
 * accept the values; BAD_STATE while a call runs. */
HAFT_MUST_USE haft_status haft__graph_write_edit(haft__run *run, haft__json values, haft_str as,
                                                 haft_str by, haft__buf *buf, haft_error *err);

/* Writes the body of the event after which failed nodes run again; the results of other nodes stay.
 * BAD_STATE if no node has failed. */
HAFT_MUST_USE haft_status haft__graph_write_retry(const haft__run *run, haft_str by, haft__buf *buf,
                                                  haft_error *err);

/* Writes the body of the event after which a graph that has ended at its recursion limit may run
 * `more` further steps. BAD_STATE if it has not, or if its node `on_limit` has run. */
HAFT_MUST_USE haft_status haft__graph_write_more_steps(const haft__run *run, uint32_t more,
                                                       haft_str by, haft__buf *buf,
                                                       haft_error *err);

/* Makes the spec for a run of the graph "graph:NAME": a copy of `spec` with that graph. A graph
 * without a recursion limit gets the limit of its parent graph. NOT_FOUND if the spec has no such
 * graph. */
HAFT_MUST_USE haft_status haft__graph_child_source(const haft__spec *spec, haft_str reference,
                                                   haft__arena *arena, haft__json *ret_source,
                                                   haft_error *err);

#endif
