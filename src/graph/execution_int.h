/* SPDX-License-Identifier: Apache-2.0 */
/* graph/execution_int.h - shared by the parts of an execution. Private to its folder. */
#ifndef HAFT_GRAPH_EXECUTION_INT_H
#define HAFT_GRAPH_EXECUTION_INT_H

#include "graph/execution.h"

/* A finished node, with its output. */
typedef struct haft__graph_finished {
    haft__graph_node_id node; /* the node, or START */
    const haft__graph_output *output;
} haft__graph_finished;

/* A task of the next step. */
typedef struct haft__graph_wake {
    haft__graph_node_id node;
    bool has_argument;
    haft__json argument;
    const haft__graph_node_id *by;
    size_t by_count;
} haft__graph_wake;

/* The consequences of finished nodes. */
typedef struct haft__graph_following {
    haft__graph_wake *wakes; /* nodes in the order of their names, then sends */
    size_t count;
    bool *arrived;
    bool *deferred;
} haft__graph_following;

/* ---- follow.c ---- */

/* Decides the tasks that follow from `finished`. Conditions see the state before the step, with the
 * own writes of their node. `arrived` is a copy of the execution's field, in which used joins are
 * reset. */
HAFT_MUST_USE haft_status haft__graph_follow(haft__graph_execution *x,
                                             const haft__graph_finished *finished, size_t count,
                                             bool *arrived, haft__graph_following *ret_following,
                                             haft__graph_failure *ret_failure, haft_error *err);

/* ---- updates.c ---- */

/* The changes of all channels in one step. */
typedef struct haft__graph_changes {
    haft__json updates;  /* {channel: delta} */
    haft__json replaced; /* channels whose entry of `updates` is their new value */
    haft__json dropped;  /* channels that no longer have a value */
} haft__graph_changes;

/* Reduces the writes of `finished`. For the first event, `kept` has the values of the thread; else
 * it is null. *ret_failed is true if the step cannot be committed; then the failure of the
 * execution is set. */
HAFT_MUST_USE haft_status haft__graph_reduce_all(haft__graph_execution *x,
                                                 const haft__graph_finished *finished, size_t count,
                                                 haft__json kept, haft__graph_changes *ret_changes,
                                                 bool *ret_failed, haft_error *err);

/* ---- commit.c ---- */

/* The members of an object that is being built. */
typedef struct haft__graph_fields {
    haft__arena *arena;
    haft__json_member *members;
    size_t count;
    bool out_of_memory;
} haft__graph_fields;

haft__graph_fields haft__graph_begin_fields(haft__arena *arena, size_t room);
void haft__graph_add_field(haft__graph_fields *f, haft_str key, haft__json value);
void haft__graph_add_number(haft__graph_fields *f, const char *key, uint64_t number);
haft__json haft__graph_end_fields(const haft__graph_fields *f);
/* Add the changes and the consequences of a step as members of an event. */
void haft__graph_add_changes(haft__graph_fields *f, const haft__graph_changes *c);
void haft__graph_add_following(haft__graph_execution *x, haft__graph_fields *f,
                               const haft__graph_following *following);
/* Copies `arrived` into `scratch`; NULL if out of memory. */
bool *haft__graph_copy_arrived(haft__graph_execution *x);

/* Makes the event of the open step. All its tasks are done. If the step cannot be committed, sets
 * the failure, and *ret_committed to false. */
HAFT_MUST_USE haft_status haft__graph_commit(haft__graph_execution *x, haft__json *ret_event,
                                             bool *ret_committed, haft_error *err);

/* ---- tasks.c ---- */

void haft__graph_set_task_state(haft__graph_execution *x, haft__graph_task *task,
                                haft__graph_task_state state);
/* Handles a failed attempt of the task: starts another attempt or the handler of the node, or ends
 * the task. */
HAFT_MUST_USE haft_status haft__graph_fail_task(haft__graph_execution *x, haft__graph_task *task,
                                                haft__graph_failure failure, haft_error *err);
/* Reports to the host that an attempt of the task begins. */
void haft__graph_notice_task(const haft__graph_execution *x, haft__graph_task *task);
/* Continues a ready task until it has a request or ends. */
HAFT_MUST_USE haft_status haft__graph_advance_task(haft__graph_execution *x, haft__graph_task *task,
                                                   haft__graph_action *ret_action, haft_error *err);
/* Requests the cached outputs of all tasks of a step, before any task runs. */
HAFT_MUST_USE haft_status haft__graph_look_up(haft__graph_execution *x,
                                              haft__graph_action *ret_action, bool *ret_found,
                                              haft_error *err);

/* ---- view.c ---- */

/* Makes the view of a task: its channels or its argument, and the facts under "$". `error` is the
 * error of the node, for its handler; else "". */
HAFT_MUST_USE haft_status haft__graph_task_view(haft__graph_execution *x,
                                                const haft__graph_task *task, haft_str error,
                                                haft__arena *arena, haft__json *ret_view,
                                                haft_error *err);
/* {node, step, remaining_steps}. */
HAFT_MUST_USE haft_status haft__graph_facts(const haft__graph_execution *x, haft_str node,
                                            haft__arena *arena, haft__json *ret_facts,
                                            haft_error *err);

/* Makes the request of a node that is not `do`. */
HAFT_MUST_USE haft_status haft__graph_node_request(haft__graph_execution *x,
                                                   const haft__graph_task *task, haft__arena *arena,
                                                   haft__graph_request *ret_request,
                                                   haft_error *err);
/* Makes the output of a node that is not `do`, from its result. If the result is invalid, sets
 * *ret_failure, and *ret_valid to false. */
HAFT_MUST_USE haft_status haft__graph_node_output(haft__graph_execution *x,
                                                  const haft__graph_task *task, haft__arena *arena,
                                                  haft__graph_output *ret_output, bool *ret_valid,
                                                  haft__graph_failure *ret_failure,
                                                  haft_error *err);

/* ---- custom.c ---- */

/* When all tasks are done: requests the value of a channel with a reducer of the program, or waits
 * for the value. Returns false if the step needs no further value. */
bool haft__graph_request_reduction(haft__graph_execution *x, haft__graph_action *ret_action);
/* Resets the values when a step begins. */
void haft__graph_reset_reductions(haft__graph_execution *x);
/* Discards the values, because the writes of the tasks may change. */
void haft__graph_discard_reductions(haft__graph_execution *x);
/* The value after all writes, and the value after the writes of one task; NULL if not computed. */
const haft__json *haft__graph_reduced_value(const haft__graph_execution *x, uint32_t channel);
const haft__json *haft__graph_reduced_alone(const haft__graph_execution *x, uint32_t channel,
                                            const haft__graph_output *output);

/* ---- command.c ---- */

/* Adds the writes and targets of a command {update, goto, send} to the output of a node. If the
 * command is invalid, sets *ret_failure, and *ret_valid to false. */
HAFT_MUST_USE haft_status haft__graph_read_command(
    const haft__graph *graph, const haft__graph_node *node, haft__json command, haft__arena *arena,
    haft__graph_output *output, bool *ret_valid, haft__graph_failure *ret_failure, haft_error *err);

/* The memory of the tasks. */
static inline haft__arena *haft__graph_task_arena(haft__graph_execution *x)
{
    return &x->arenas[x->arena];
}

#endif
