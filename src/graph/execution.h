/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/execution.h - runs a graph in supersteps, as a fold over its events.
 *
 *     haft__graph_execution_create(graph, &options, &execution, err);
 *     haft__graph_execution_begin(execution, input, kept, &event, &refusal, err);  the first event
 *     haft__graph_execution_fold(execution, event, err);
 *     while (haft__graph_execution_next(execution, &action, err) == HAFT_OK)
 *         REQUEST   perform action.request, then haft__graph_execution_reply or _reply_error
 *         STEP      record action.event, then haft__graph_execution_fold
 *         WAITING   everything that is left waits for a reply
 *         ENDED     execution->end says how
 *
 * All nodes of a step see the state as it was before the step. Their writes are applied together,
 * through the reducers, in the order of the nodes' names and then of the sends: the order in which
 * replies arrive never matters. The state changes only in haft__graph_execution_fold.
 */
#ifndef HAFT_GRAPH_EXECUTION_H
#define HAFT_GRAPH_EXECUTION_H

#include "graph/program.h"

typedef enum haft__graph_task_state {
    HAFT__TASK_READY,
    HAFT__TASK_BUSY, /* its request has no reply yet */
    HAFT__TASK_DONE,
    HAFT__TASK_FAILED,
} haft__graph_task_state;

/* A node that runs in the current step. */
typedef struct haft__graph_task {
    haft__graph_node_id node;
    bool has_argument; /* of a send: all that the node sees */
    haft__json argument;
    haft__graph_node_id *by; /* the nodes that woke it, or START */
    size_t by_count;
    haft__graph_task_state state;
    bool for_person; /* busy, and a person must act before anything else can happen */
    bool started, handling, released, looked_up;
    uint32_t failures;
    bool has_result; /* of its request */
    haft__json result;
    haft__graph_request request; /* while it is busy */
    haft__graph_program program;
    haft__graph_failure failure;
    haft_str cache_key; /* "" if its output is not to be cached */
    void *host;         /* for the host; NULL at first */
} haft__graph_task;

typedef enum haft__graph_end {
    HAFT__GRAPH_OPEN,
    HAFT__GRAPH_DONE,
    HAFT__GRAPH_EXHAUSTED,  /* the recursion limit */
    HAFT__GRAPH_INCOMPLETE, /* a join did not get all its starts */
    HAFT__GRAPH_FAILED,     /* a node, or two writers; can be reopened */
} haft__graph_end;

typedef struct haft__graph_execution_options {
    uint32_t limit;       /* of steps; 0: the graph's own */
    uint32_t concurrency; /* tasks that are busy at once, those of persons not counted; 0: any */
    /* Called when an attempt of a task begins, and when its error handler does. May be NULL. */
    void (*notice)(void *context, haft__graph_task *task);
    void *context;
} haft__graph_execution_options;

typedef struct haft__graph_execution {
    const haft__graph *graph;
    haft__graph_execution_options options;
    haft__graph_state state;
    uint32_t step; /* steps that are committed */
    uint32_t limit;
    haft__graph_task *tasks; /* of the step that comes next, or is open */
    size_t task_count;
    size_t busy, persons, done, failed; /* how many tasks of each kind; persons are busy, too */
    size_t cursor;                      /* tasks before it are not ready */
    bool open;                          /* a task of the step has begun */
    bool last;                          /* the step runs the node `on_limit` */
    bool paused;                        /* after a node with `pause: after` */
    bool *arrived;                      /* starts of joins: execution_int.h */
    bool *deferred;                     /* nodes that run when nothing else is left */
    haft__graph_end end;
    haft__graph_failure failure;  /* of FAILED and INCOMPLETE */
    haft_str failed_channel;      /* of two writers */
    const haft_str *failed_nodes; /* the nodes that the failure names */
    size_t failed_node_count;
    bool has_command; /* the end is a command for the graph around it */
    haft__json command;
    haft__arena arenas[2]; /* of the tasks: the current step's, and the one before */
    unsigned arena;
    haft__arena scratch; /* of the last event, and of failures */
    haft__checker *checker;
} haft__graph_execution;

HAFT_MUST_USE haft_status haft__graph_execution_create(const haft__graph *graph,
                                                       const haft__graph_execution_options *options,
                                                       haft__graph_execution **ret_execution,
                                                       haft_error *err);
/* NULL is fine. */
void haft__graph_execution_destroy(haft__graph_execution *execution);

/* Why an input or an edit is refused. */
typedef struct haft__graph_refusal {
    bool refused;
    haft__graph_code code; /* UNKNOWN_CHANNEL, UNKNOWN_NODE or BAD_UPDATE */
    haft_str what;
} haft__graph_refusal;

/* The event of step 0: the input goes through the reducers, over `kept`, the values of channels
 * with `lifetime: thread` from the run before (an object or null). The event lives until the next
 * one is made. */
HAFT_MUST_USE haft_status haft__graph_execution_begin(haft__graph_execution *execution,
                                                      haft__json input, haft__json kept,
                                                      haft__json *ret_event,
                                                      haft__graph_refusal *ret_refusal,
                                                      haft_error *err);

/* Applies an event of this execution: of begin, next or edit. */
HAFT_MUST_USE haft_status haft__graph_execution_fold(haft__graph_execution *execution,
                                                     haft__json event, haft_error *err);

typedef enum haft__graph_action_kind {
    HAFT__ACTION_REQUEST,
    HAFT__ACTION_STEP,
    HAFT__ACTION_WAITING,
    HAFT__ACTION_ENDED,
} haft__graph_action_kind;

typedef struct haft__graph_action {
    haft__graph_action_kind kind;
    size_t task;                 /* of REQUEST */
    haft__graph_request request; /* of REQUEST */
    haft__json event;            /* of STEP */
} haft__graph_action;

HAFT_MUST_USE haft_status haft__graph_execution_next(haft__graph_execution *execution,
                                                     haft__graph_action *ret_action,
                                                     haft_error *err);

/* The reply to a task's request; the result is copied. */
HAFT_MUST_USE haft_status haft__graph_execution_reply(haft__graph_execution *execution, size_t task,
                                                      haft__json result, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_execution_reply_error(haft__graph_execution *execution,
                                                            size_t task, haft__graph_code code,
                                                            haft_str message, haft_error *err);
/* The request of a task turns out to wait for a person (a pause inside another graph), or not. */
void haft__graph_execution_set_for_person(haft__graph_execution *execution, size_t task,
                                          bool for_person);

/* Continues after a failure, a pause after a node or the limit: failed tasks run again, from the
 * operation that failed. If the limit was reached, `more` steps are allowed; with 0, the run stays
 * ended. */
void haft__graph_execution_reopen(haft__graph_execution *execution, uint32_t more);

/* An edit of the state, by a person: `values` (an object) go through the reducers as writes of
 * `as`; if that is empty, only the values change. A task of `as` that is not done is done with
 * these values; otherwise what followed from `as` is decided again. */
HAFT_MUST_USE haft_status haft__graph_execution_edit(haft__graph_execution *execution,
                                                     haft__json values, haft_str as,
                                                     haft__json *ret_event,
                                                     haft__graph_refusal *ret_refusal,
                                                     haft_error *err);

/* The channels that have a value, as an object in `arena`. Those of `lifetime: step` are left out
 * if `lasting`. */
HAFT_MUST_USE haft_status haft__graph_execution_state(const haft__graph_execution *execution,
                                                      bool lasting, haft__arena *arena,
                                                      haft__json *ret_state, haft_error *err);

/* The output of a task as JSON, and back: for caches. */
HAFT_MUST_USE haft_status haft__graph_output_to_json(const haft__graph *graph,
                                                     const haft__graph_output *output,
                                                     haft__arena *arena, haft__json *ret_json,
                                                     haft_error *err);
HAFT_MUST_USE haft_status haft__graph_output_from_json(const haft__graph *graph, haft__json json,
                                                       haft__arena *arena,
                                                       haft__graph_output *ret_output,
                                                       haft_error *err);

#endif
