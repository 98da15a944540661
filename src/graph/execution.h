/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/execution.h - runs a graph in supersteps, as a fold over its events.
 *
 *     haft__graph_execution_create(graph, &options, &execution, err);
 *     haft__graph_execution_begin(execution, input, kept, &event, &refusal, err);  the first event
 *     haft__graph_execution_fold(execution, event, err);
 *     while (haft__graph_execution_next(execution, &action, err) == HAFT_OK)
 *         REQUEST   perform action.request; then call haft__graph_execution_reply or _reply_error
 *         STEP      record action.event; then call haft__graph_execution_fold
 *         WAITING   no action until a request gets its reply
 *         ENDED     execution->end is the kind of end
 *
 * A step runs several nodes. All nodes see the state before the step. At the end of the step, the
 * reducers apply their writes: first the writes of nodes, in the order of their names, then the
 * writes of sends. So the result does not depend on the order in which replies arrive. The state
 * changes only in haft__graph_execution_fold.
 */
#ifndef HAFT_GRAPH_EXECUTION_H
#define HAFT_GRAPH_EXECUTION_H

#include "graph/program.h"

typedef enum haft__graph_task_state {
    HAFT__TASK_READY,
    HAFT__TASK_BUSY, /* the request of the task has no reply yet */
    HAFT__TASK_DONE,
    HAFT__TASK_FAILED,
} haft__graph_task_state;

/* A node that runs in the current step. */
typedef struct haft__graph_task {
    haft__graph_node_id node;
    uint32_t number;   /* names the task in its step, from 1; an edit does not change it */
    bool has_argument; /* the task comes from a send: the node sees only `argument` */
    haft__json argument;
    haft__graph_node_id *by; /* the nodes that caused the task, or START */
    size_t by_count;
    haft__graph_task_state state;
    bool for_person; /* the task is busy, and a person must act before it can continue */
    bool started;
    bool handling;     /* the error handler of the node runs */
    bool released;     /* a person let the node run (`pause: before`) */
    bool looked_up;    /* the cache was queried for the output */
    uint32_t failures; /* failed attempts */
    bool has_result;   /* `result` is the result of its last request */
    haft__json result;
    bool commanded;              /* `result` is a command: {update, goto, send} */
    haft__graph_request request; /* valid while the task is busy */
    haft__graph_program program;
    haft__graph_failure failure; /* failure of the last failed attempt */
    haft_str cache_key;          /* "" if the output must not be written to the cache */
    void *host;                  /* data of the host; NULL at first */
} haft__graph_task;

typedef enum haft__graph_end {
    HAFT__GRAPH_OPEN,
    HAFT__GRAPH_DONE,
    HAFT__GRAPH_EXHAUSTED,  /* the recursion limit was reached */
    HAFT__GRAPH_INCOMPLETE, /* a join waits for a node that did not run */
    HAFT__GRAPH_FAILED,     /* a node failed, or two nodes wrote the same channel in one step; the
                               execution can be reopened */
} haft__graph_end;

/* The state of the value of a channel with a reducer of the program, in the open step. */
typedef enum haft__graph_custom_state {
    HAFT__CUSTOM_OPEN, /* not requested */
    HAFT__CUSTOM_BUSY, /* requested */
    HAFT__CUSTOM_DONE,
} haft__graph_custom_state;

typedef struct haft__graph_custom {
    haft__graph_custom_state state;
    haft__json result; /* for DONE: {value, own: [{task, value}]} */
    uint32_t requests; /* for the host: number of requests that it has served in this step */
} haft__graph_custom;

typedef struct haft__graph_execution_options {
    uint32_t limit;       /* number of steps; 0: the limit of the graph */
    bool patient;         /* after a failure, the step ends only when no task waits for a person */
    bool inside;          /* the graph has a parent graph, which performs commands of `parent` */
    uint32_t concurrency; /* maximum number of busy tasks, without tasks that wait for a person; 0:
                           * no limit */
    /* Called when an attempt of a task or its error handler begins. May be NULL. */
    void (*notice)(void *context, haft__graph_task *task);
    void *context;
} haft__graph_execution_options;

typedef struct haft__graph_execution {
    const haft__graph *graph;
    haft__graph_execution_options options;
    haft__channel_values state;
    uint32_t step; /* number of committed steps */
    uint32_t limit;
    haft__graph_task *tasks; /* the tasks of the open step, or of the next step */
    size_t task_count;
    uint32_t last_number;       /* of the tasks of the step */
    size_t busy, done, failed;  /* number of tasks in each state */
    size_t persons;             /* number of busy tasks that wait for a person */
    size_t cursor;              /* no task before this index is ready */
    bool open;                  /* a task of the step has begun */
    bool last;                  /* the step runs the node `on_limit` */
    bool paused;                /* a node with `pause: after` has run */
    bool *arrived;              /* for each start of a join: whether it has run */
    bool *deferred;             /* for each node: it waits until no other task is left */
    haft__graph_custom *custom; /* for each channel; NULL if no channel has such a reducer */
    haft__graph_end end;
    haft__graph_failure failure;  /* for FAILED and INCOMPLETE */
    haft_error exceeded;          /* the error of the limit that made the step fail */
    haft_str failed_channel;      /* the channel that two nodes wrote, or that grew too large */
    const haft_str *failed_nodes; /* the nodes that the failure names */
    size_t failed_node_count;
    bool has_command; /* the graph ended with a command for the graph that contains it */
    haft__json command;
    haft__arena arenas[2]; /* memory of tasks: of the current step and of the previous step */
    unsigned arena;        /* index of the current step's arena */
    haft__arena scratch;   /* memory of the last event and of failures */
    haft__checker *checker;
} haft__graph_execution;

HAFT_MUST_USE haft_status haft__graph_execution_create(const haft__graph *graph,
                                                       const haft__graph_execution_options *options,
                                                       haft__graph_execution **ret_execution,
                                                       haft_error *err);
/* `x` may be NULL. */
void haft__graph_execution_destroy(haft__graph_execution *x);

/* The reason why an input or an edit is refused. */
typedef struct haft__graph_refusal {
    bool refused;
    bool kept;             /* the invalid value is a value of the thread, not of the input */
    haft__graph_code code; /* UNKNOWN_CHANNEL, UNKNOWN_NODE or BAD_UPDATE */
    haft_str what;
} haft__graph_refusal;

/* Makes the event of step 0. The channels begin with the values in `kept`: an object with the
 * values of channels with `lifetime: thread` at the end of the previous run, or null. Then the
 * reducers apply the input. The event lives until the next event is made. */
HAFT_MUST_USE haft_status haft__graph_execution_begin(haft__graph_execution *x, haft__json input,
                                                      haft__json kept, haft__json *ret_event,
                                                      haft__graph_refusal *ret_refusal,
                                                      haft_error *err);

/* Applies an event that _begin, _next or _edit made. */
HAFT_MUST_USE haft_status haft__graph_execution_fold(haft__graph_execution *x, haft__json event,
                                                     haft_error *err);

typedef enum haft__graph_action_kind {
    HAFT__ACTION_REQUEST,
    HAFT__ACTION_STEP,
    HAFT__ACTION_WAITING,
    HAFT__ACTION_ENDED,
} haft__graph_action_kind;

typedef struct haft__graph_action {
    haft__graph_action_kind kind;
    size_t task;                 /* for REQUEST: index of the task */
    haft__graph_request request; /* for REQUEST */
    haft__json event;            /* for STEP */
} haft__graph_action;

HAFT_MUST_USE haft_status haft__graph_execution_next(haft__graph_execution *x,
                                                     haft__graph_action *ret_action,
                                                     haft_error *err);

/* Passes the reply to a request to its task. The result and the message are copied. */
HAFT_MUST_USE haft_status haft__graph_execution_reply(haft__graph_execution *x, size_t task,
                                                      haft__json result, haft_error *err);
/* Passes a reply that is a command of a tool or a function: {update, goto, send}. The command
 * defines the writes of the node and the next nodes. */
HAFT_MUST_USE haft_status haft__graph_execution_reply_command(haft__graph_execution *x, size_t task,
                                                              haft__json command, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_execution_reply_error(haft__graph_execution *x, size_t task,
                                                            haft__graph_code code, haft_str message,
                                                            haft_error *err);
/* The first function makes the input of a reducer: {value, writes: [{task, value}], own: [task]}.
 * The others pass its reply: {value, own: [{task, value}]}, or an error because of the write of a
 * task, which then fails. If the task is unknown, the last task that wrote the channel fails. */
HAFT_MUST_USE haft_status haft__graph_execution_reduction(haft__graph_execution *x,
                                                          uint32_t channel, haft__arena *arena,
                                                          haft__json *ret_input, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_execution_reduced(haft__graph_execution *x, uint32_t channel,
                                                        haft__json result, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_execution_reduce_error(haft__graph_execution *x,
                                                             uint32_t channel, size_t task,
                                                             haft_str message, haft_error *err);
/* Like haft__graph_execution_reply_error, with the kind of the failure. */
HAFT_MUST_USE haft_status haft__graph_execution_reply_failure(haft__graph_execution *x, size_t task,
                                                              haft__graph_failure failure,
                                                              haft_error *err);
/* Fails the step because of a limit. */
void haft__graph_execution_fail(haft__graph_execution *x, const haft_error *why);

/* Sets whether the request of a task waits for a person. If the pause is inside a graph that the
 * task called, the host knows this only later. */
void haft__graph_execution_set_for_person(haft__graph_execution *x, size_t index, bool for_person);

/* Continues after a failure, after `pause: after` or at the limit. Failed tasks run again, from the
 * failed operation on. If the limit was reached, `more` further steps are allowed; if `more` is 0,
 * the execution stays ended. */
void haft__graph_execution_reopen(haft__graph_execution *x, uint32_t more);

/* The tasks of the open step begin anew, and get their numbers from the next event. Only if nothing
 * outside has served a request of theirs. */
void haft__graph_execution_restart(haft__graph_execution *x);

/* One task begins anew; its output so far is lost. It keeps its number and the host's data. */
void haft__graph_execution_restart_task(haft__graph_execution *x, size_t index);

/* Makes the event of an edit of the state by a person. `values` is an object; the reducers apply
 * its members as writes of the node `as`. If `as` is empty, only the values change. If `as` has a
 * task that is not done, the task ends with these values as its output. Otherwise the nodes that
 * follow from `as` are decided again. Tasks that have begun keep what they have seen. */
HAFT_MUST_USE haft_status haft__graph_execution_edit(haft__graph_execution *x, haft__json values,
                                                     haft_str as, haft__json *ret_event,
                                                     haft__graph_refusal *ret_refusal,
                                                     haft_error *err);

/* Returns the channels that have a value, as an object in `arena`. If `lasting`, omits channels
 * with `lifetime: step`. */
HAFT_MUST_USE haft_status haft__graph_execution_state(const haft__graph_execution *x, bool lasting,
                                                      haft__arena *arena, haft__json *ret_state,
                                                      haft_error *err);

/* The view of a task, with {node, step, remaining_steps, attempt} under "$". It lives in `arena`
 * and borrows from the state. */
HAFT_MUST_USE haft_status haft__graph_execution_view(haft__graph_execution *x, size_t task,
                                                     haft__arena *arena, haft__json *ret_view,
                                                     haft_error *err);

/* Converts the output of a task to JSON and back, for caches. */
HAFT_MUST_USE haft_status haft__graph_output_to_json(const haft__graph *graph,
                                                     const haft__graph_output *output,
                                                     haft__arena *arena, haft__json *ret_json,
                                                     haft_error *err);
HAFT_MUST_USE haft_status haft__graph_output_from_json(const haft__graph *graph, haft__json json,
                                                       haft__arena *arena,
                                                       haft__graph_output *ret_output,
                                                       haft_error *err);

#endif
