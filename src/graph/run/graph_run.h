/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/run/graph_run.h - a run of a graph: the execution of the graph as part of the run's state.
 *
 * Each request of a node becomes a call of the run, with the id n<step>.<index>, and
 * n<step>.<index>.<k> for its further requests. So the run judges, starts, pauses, recovers and
 * replays it like a call of a model. The result of the call is the reply to the request. The
 * execution changes only while an event is folded; haft__run.graph_next says what it wants.
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
    haft__arena *arena;    /* of the run */
    haft__map cache;       /* outputs of nodes with `cache`, by the digest of their key */
    uint64_t now_ms;       /* time of the event that is folded */
    haft_str paused_after; /* the node after whose step the run waits for a person */
    bool begun;            /* step 0 is committed */
} haft__graph_run;

/* The rules of every run of a graph, for a checked spec. */
extern const haft__graph_rules haft__graph_run_rules;

/* Tools that nodes need beside those of the spec: PREFIX and the name of the node or graph. */
#define HAFT__GRAPH_NODE_TOOL  "node:"  /* starts the agent or the graph of a node */
#define HAFT__GRAPH_CALL_TOOL  "graph:" /* starts a graph for the operation `call` */
#define HAFT__GRAPH_PAUSE_TOOL "pause:" /* waits for a person, for `pause` of a node */

/* The input that a task means: a JSON object, or a text for a graph with one input channel. */
HAFT_MUST_USE haft_status haft__graph_read_input(const haft__graph *graph, haft_str task,
                                                 haft__arena *arena, haft__hash_key hash_key,
                                                 haft__json *ret_input, haft_error *err);

/* Whether a run of the spec can begin with this task; the error says why not. */
HAFT_MUST_USE haft_status haft__graph_check_task(const haft__spec *spec, haft_str task,
                                                 haft__hash_key hash_key, haft_error *err);

/* Writes the body of the event that changes the state of a run: `values` go through the reducers,
 * as writes of the node `as` ("": only the values change). Calls that are pending stay, unless
 * their node is done or dropped. The run is used only for this. BAD_INPUT if the graph does not
 * accept the values; BAD_STATE while a call runs. */
HAFT_MUST_USE haft_status haft__graph_write_edit(haft__run *run, haft__json values, haft_str as,
                                                 haft_str by, haft__buf *buf, haft_error *err);

/* Writes the body of the event after which the nodes that failed run again; the results of the
 * others are kept. BAD_STATE if none has failed. */
HAFT_MUST_USE haft_status haft__graph_write_retry(const haft__run *run, haft_str by, haft__buf *buf,
                                                  haft_error *err);

/* Writes the body of the event after which a graph that has ended at its recursion limit may run
 * `more` further steps. BAD_STATE if it has not, or if its node `on_limit` has run. */
HAFT_MUST_USE haft_status haft__graph_write_more_steps(const haft__run *run, uint32_t more,
                                                       haft_str by, haft__buf *buf,
                                                       haft_error *err);

/* The spec of a run of the graph that "graph:NAME" refers to: `spec` with that graph in the place
 * of its own. A graph without a recursion limit has that of the graph around it. NOT_FOUND if the
 * spec has no such graph. */
HAFT_MUST_USE haft_status haft__graph_child_source(const haft__spec *spec, haft_str reference,
                                                   haft__arena *arena, haft__json *ret_source,
                                                   haft_error *err);

#endif
