/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/program.h - runs the operations of a node: what `do` and `on_error` say.
 *
 *     haft__graph_program_start(&program, arena, graph, ops, view);
 *     while (haft__graph_program_run(&program, result, &request, err) ...)
 *
 * A program stops at an operation that needs something from outside (a person, another graph, a
 * counter of a test) and continues there with the result. An operation that fails is not finished:
 * when the program runs again, it continues with that operation, so that nothing is done twice.
 */
#ifndef HAFT_GRAPH_PROGRAM_H
#define HAFT_GRAPH_PROGRAM_H

#include "graph/state.h"

/* A request of a task to its host. */
typedef enum haft__graph_request_kind {
    HAFT__REQUEST_PAUSE, /* `pause: before`: somebody lets the node run */
    HAFT__REQUEST_ASK,   /* a question; the result is the answer */
    HAFT__REQUEST_CALL,  /* another graph; the result is {state, wrote, command} */
    HAFT__REQUEST_TOOL,
    HAFT__REQUEST_AGENT,
    HAFT__REQUEST_FUNCTION,
    HAFT__REQUEST_REDUCE, /* the value of a channel whose reducer the program has; of no task */
    HAFT__REQUEST_LOOKUP, /* a cached output of the node; the result is the output or null */
    HAFT__REQUEST_COUNT,  /* how often this operation of a test was reached before */
    HAFT__REQUEST_EFFECT, /* an effect of a test; no result */
    HAFT__REQUEST_DELAY,  /* time passes in a test; no result */
} haft__graph_request_kind;

typedef struct haft__graph_request {
    haft__graph_request_kind kind;
    bool mapped;      /* `in` says what the graph begins with; else it gets what it replaces */
    haft_str name;    /* of the graph, tool, agent or function; the label of an effect; the key of a
                         lookup or counter */
    uint32_t channel; /* of REDUCE */
    haft__json value; /* the question, the input of the graph, the arguments; else null */
} haft__graph_request;

/* Why a node failed. */
typedef struct haft__graph_failure {
    haft__graph_code code; /* NODE_FAILED, BAD_UPDATE, UNKNOWN_CHANNEL or UNKNOWN_NODE */
    haft_str message;
    haft__graph_failure_kind kind;
    bool final; /* a person has decided so: no further attempt */
} haft__graph_failure;

/* A further run of a node, with what it sees. */
typedef struct haft__graph_send {
    haft__graph_node_id to;
    haft__json argument;
} haft__graph_send;

/* The effects of a node on the graph. */
typedef struct haft__graph_output {
    haft__graph_write *writes;
    size_t write_count, write_capacity;
    haft__graph_node_id *gotos; /* instead of the edges of the node; may have END */
    size_t goto_count, goto_capacity;
    haft__graph_send *sends;
    size_t send_count, send_capacity;
    bool has_command; /* `parent`: ends this graph with a command for the one around it */
    haft__json command;
} haft__graph_output;

typedef struct haft__graph_frame {
    haft__json ops;
    uint32_t at;
} haft__graph_frame;

typedef struct haft__graph_program {
    haft__arena *arena;
    const haft__graph *graph;
    haft__json view; /* what the operations see */
    haft__graph_frame *frames;
    size_t depth, capacity;
    haft__graph_output output;
} haft__graph_program;

/* Begins. `view` is an object with the member "$"; it and the operations outlive the program. */
HAFT_MUST_USE haft_status haft__graph_program_start(haft__graph_program *program,
                                                    haft__arena *arena, const haft__graph *graph,
                                                    haft__json ops, haft__json view,
                                                    haft_error *err);

typedef enum haft__graph_program_state {
    HAFT__PROGRAM_DONE,    /* program->output is complete */
    HAFT__PROGRAM_REQUEST, /* continue with a result */
    HAFT__PROGRAM_FAILED,  /* *ret_failure says why */
} haft__graph_program_state;

/* Runs until it is done, needs something, or fails. `result` is the answer to the last request, or
 * NULL. */
HAFT_MUST_USE haft_status haft__graph_program_run(
    haft__graph_program *program, const haft__json *result, haft__graph_program_state *ret_state,
    haft__graph_request *ret_request, haft__graph_failure *ret_failure, haft_error *err);

/* ---- expressions ---- */

/* The text with each {POINTER} replaced by what it leads to in the view: a text as it is, anything
 * else as canonical JSON. The result lives in `arena`. */
HAFT_MUST_USE haft_status haft__graph_template(haft__arena *arena, haft_str text, haft__json view,
                                               haft_str *ret_text, haft_error *err);

/* A copy of an object with one member set. */
HAFT_MUST_USE haft_status haft__graph_set_member(haft__arena *arena, haft__json object,
                                                 haft_str key, haft__json value,
                                                 haft__json *ret_object, haft_error *err);

/* Adds one send for each item of the list that `map` names; none if there is no value, or one
 * without parts. *ret_why, unless NULL, says what is wrong: a text or an object instead of a list,
 * or a list that is longer than map->max. */
HAFT_MUST_USE haft_status haft__graph_spread(haft__arena *arena, const haft__graph_map *map,
                                             haft__json view, haft__graph_output *output,
                                             haft_str *ret_why, haft_error *err);

/* Appends to an output. */
HAFT_MUST_USE haft_status haft__graph_output_write(haft__graph_output *output, haft__arena *arena,
                                                   haft__graph_write write, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_output_goto(haft__graph_output *output, haft__arena *arena,
                                                  haft__graph_node_id node, haft_error *err);
HAFT_MUST_USE haft_status haft__graph_output_send(haft__graph_output *output, haft__arena *arena,
                                                  haft__graph_send send, haft_error *err);

/* Writes of `out: {channel: POINTER or {key: POINTER}}`, from `result`. */
HAFT_MUST_USE haft_status haft__graph_output_map(haft__graph_output *output, haft__arena *arena,
                                                 const haft__graph *graph, haft__json out,
                                                 haft__json result, haft_error *err);

#endif
