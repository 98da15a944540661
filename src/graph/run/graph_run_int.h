/* SPDX-License-Identifier: Apache-2.0 */
/* graph/run/graph_run_int.h - declarations shared by the files of graph/run. Private to its
 * folder. */
#ifndef HAFT_GRAPH_RUN_GRAPH_RUN_INT_H
#define HAFT_GRAPH_RUN_GRAPH_RUN_INT_H

#include "graph/run/graph_run.h"

/* ---- node_call.c ---- */

/* Adds the call that serves the request of a task. */
HAFT_MUST_USE haft_status haft__graph_add_call(haft__run *run, size_t task,
                                               const haft__graph_request *request, haft_error *err);
/* Adds the call that waits for a person after a node. */
HAFT_MUST_USE haft_status haft__graph_add_pause_after(haft__run *run, haft_str node,
                                                      haft_error *err);
/* Implements haft__graph_rules.make_input. */
HAFT_MUST_USE haft_status haft__graph_make_input(haft__run *run, const haft__run_call *call,
                                                 haft__arena *arena, haft__json *ret_input,
                                                 haft_error *err);
/* Finds the task whose open request the call with this id serves: n<step>.<number>[.<k>]. False if
 * no task waits for the call, or if the call is the pause after a step. */
bool haft__graph_find_request(const haft__graph_run *graph, haft_str id, size_t *ret_task);
/* Passes the result of a call to its task. */
HAFT_MUST_USE haft_status haft__graph_take_result(haft__run *run, const haft__run_call *call,
                                                  haft_error *err);

/* ---- reduce_call.c ---- */

/* These functions add the call that computes the value of a channel, make its input, and pass its
 * result to the execution. */
HAFT_MUST_USE haft_status haft__graph_add_reduction(haft__run *run,
                                                    const haft__graph_request *request,
                                                    haft_error *err);
HAFT_MUST_USE haft_status haft__graph_take_reduction(haft__run *run, const haft__run_call *call,
                                                     haft_error *err);

/* ---- output_cache.c ---- */

/* Replies to a lookup: the output that the run has for the view of the task, or null. */
HAFT_MUST_USE haft_status haft__graph_serve_lookup(haft__graph_run *graph, size_t task,
                                                   haft_error *err);
/* Stores the outputs of nodes with a cache after their step is committed. */
HAFT_MUST_USE haft_status haft__graph_keep_outputs(haft__graph_run *graph, haft_error *err);
/* Sets the scope, lifetime and key with which other runs can use the result of a call of a node
 * with a cache. */
HAFT_MUST_USE haft_status haft__graph_set_call_cache(haft__run *run, const haft__graph_node *node,
                                                     haft__node_call *call, haft_error *err);

/* ---- edit.c ---- */

/* A person changes the state, or continues the graph after a failure or at its limit. */
HAFT_MUST_USE haft_status haft__graph_fold_change(haft__run *run, const haft__event *event,
                                                  haft_error *err);

/* ---- end.c ---- */

/* Whether the graph has channels that the thread keeps. */
bool haft__graph_keeps_channels(const haft__graph *graph);

/* Returns the values of these channels after the last step; null if there are no values, or if they
 * are too large. The object lives in `arena` and borrows from the state. */
HAFT_MUST_USE haft_status haft__graph_keep(const haft__run *run, haft__arena *arena,
                                           haft__json *ret_kept, haft_error *err);

/* Sets run->graph_next after the graph has ended. */
HAFT_MUST_USE haft_status haft__graph_set_end(haft__run *run, haft_error *err);
/* Sets the answer of a run whose budget is used up: the output of the state before the current
 * step. */
HAFT_MUST_USE haft_status haft__graph_set_last_answer(haft__run *run, haft_error *err);

#endif
