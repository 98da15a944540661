/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/program.h - runs the operations of a node, in `do` and `on_error`.
 *
 *     haft__graph_program_start(&program, arena, graph, ops, view);
 *     while (haft__graph_program_run(&program, result, &request, err) ...)
 *
 * A program stops at an operation with a request to the host (for a person, another graph, or a
 * counter of a test) and continues there with the result. If an operation fails and the program
 * runs again, it continues with that operation, so that earlier operations do not run twice.
 */
#ifndef HAFT_GRAPH_PROGRAM_H
#define HAFT_GRAPH_PROGRAM_H

#include "channel/value.h"
#include "graph/graph.h"

/* A request of a task to its host. */
typedef enum haft__graph_request_kind {
    HAFT__REQUEST_PAUSE, /* `pause: before`: waits until a person releases the node */
    HAFT__REQUEST_ASK,   /* a question; the result is the answer */
    HAFT__REQUEST_CALL,  /* runs another graph; the result is {state, wrote, command} */
    HAFT__REQUEST_TOOL,
    HAFT__REQUEST_AGENT,
    HAFT__REQUEST_FUNCTION,
    HAFT__REQUEST_REDUCE, /* the value of a channel with a reducer of the program; has no task */
    HAFT__REQUEST_LOOKUP, /* a cached output of the node; the result is the output or null */
    HAFT__REQUEST_COUNT,  /* the number of earlier visits of this operation of a test */
    HAFT__REQUEST_EFFECT, /* an effect of a test; no result */
    HAFT__REQUEST_DELAY,  /* a delay of a test; no result */
} haft__graph_request_kind;

typedef struct haft__graph_request {
    haft__graph_request_kind kind;
    bool mapped;      /* `in` defines the input of the graph; else the input is the channels that it
                         replaces */
    haft_str name;    /* the name of the graph, tool, agent or function; the label of an effect; the
                       * key of a lookup or counter */
    uint32_t channel; /* for REDUCE */
    haft__json value; /* the question, the input of the graph, the arguments; else null */
} haft__graph_request;

/* The failure of a node. */
typedef struct haft__graph_failure {
    haft__graph_code code; /* NODE_FAILED, BAD_UPDATE, UNKNOWN_CHANNEL or UNKNOWN_NODE */
    haft_str message;
    haft__graph_failure_kind kind;
    bool final; /* a person has decided so: no further attempt */
} haft__graph_failure;

/* A separate run of a node, with its argument. */
typedef struct haft__graph_send {
    haft__graph_node_id to;
    haft__json argument;
} haft__graph_send;

/* The effects of a node on the graph. */
typedef struct haft__graph_output {
    haft__channel_write *writes;
    size_t write_count, write_capacity;
    haft__graph_node_id *gotos; /* targets that replace the edges of the node; may contain END */
    size_t goto_count, goto_capacity;
    haft__graph_send *sends;
    size_t send_count, send_capacity;
    bool has_command; /* `parent`: ends this graph with a command for its parent graph */
    haft__json command;
} haft__graph_output;

typedef struct haft__graph_frame {
    haft__json ops;
    uint32_t at;
} haft__graph_frame;

typedef struct haft__graph_program {
    haft__arena *arena;
    const haft__graph *graph;
    haft__json view; /* the data of the operations */
    haft__graph_frame *frames;
    size_t depth, capacity;
    haft__graph_output output;
} haft__graph_program;

/* Starts a program. `view` is an object with the member "$". `view` and the operations must outlive
 * the program. */
HAFT_MUST_USE haft_status haft__graph_program_start(haft__graph_program *program,
                                                    haft__arena *arena, const haft__graph *graph,
                                                    haft__json ops, haft__json view,
                                                    haft_error *err);

typedef enum haft__graph_program_state {
    HAFT__PROGRAM_DONE,    /* program->output is complete */
    HAFT__PROGRAM_REQUEST, /* continue with a result */
    HAFT__PROGRAM_FAILED,  /* *ret_failure is the reason */
} haft__graph_program_state;

/* Runs the program until it is done, has a request, or fails. `result` is the result of the last
 * request, or NULL. */
HAFT_MUST_USE haft_status haft__graph_program_run(
    haft__graph_program *program, const haft__json *result, haft__graph_program_state *ret_state,
    haft__graph_request *ret_request, haft__graph_failure *ret_failure, haft_error *err);

/* ---- expressions ---- */

/* Replaces each {POINTER} of the text by the value at the pointer in the view: a text unchanged,
 * any other value as canonical JSON. The last name `*` stands for the items of a list, with an
 * empty line between two items. The result lives in `arena`. */
HAFT_MUST_USE haft_status haft__graph_template(haft__arena *arena, haft_str text, haft__json view,
                                               haft_str *ret_text, haft_error *err);

/* Copies an object and sets one member in the copy. */
HAFT_MUST_USE haft_status haft__graph_set_member(haft__arena *arena, haft__json object,
                                                 haft_str key, haft__json value,
                                                 haft__json *ret_object, haft_error *err);

/* Adds one send for each item of the list that `map` names. Adds nothing if the value does not
 * exist, or is neither a list, a text nor an object. *ret_why, if not NULL, is a problem: a text or
 * an object instead of a list, or a list that is longer than map->max. */
HAFT_MUST_USE haft_status haft__graph_spread(haft__arena *arena, const haft__graph_map *map,
                                             haft__json view, haft__graph_output *output,
                                             haft_str *ret_why, haft_error *err);

/* Appends to an output. */
HAFT_MUST_USE haft_status haft__graph_output_write(haft__graph_output *output, haft__arena *arena,
                                                   haft__channel_write write, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_output_goto(haft__graph_output *output, haft__arena *arena,
                                                  haft__graph_node_id node, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_output_send(haft__graph_output *output, haft__arena *arena,
                                                  haft__graph_send send, haft_error *err);

/* Appends the writes of `out: {channel: POINTER or {key: POINTER}}`, with values from `result`. */
HAFT_MUST_USE haft_status haft__graph_output_map(haft__graph_output *output, haft__arena *arena,
                                                 const haft__graph *graph, haft__json out,
                                                 haft__json result, haft_error *err);

#endif
