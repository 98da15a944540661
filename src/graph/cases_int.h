/* SPDX-License-Identifier: Apache-2.0 */
/* graph/cases_int.h - declarations shared by the files that play cases. Private to its folder. */
#ifndef HAFT_GRAPH_CASES_INT_H
#define HAFT_GRAPH_CASES_INT_H

#include "channel/value.h"
#include "graph/execution.h"
#include "json/write.h"

typedef struct haft__case_play haft__case_play;
typedef struct haft__case_world haft__case_world;

/* A node that ran in this action. */
typedef struct haft__case_note {
    uint32_t step;
    haft_str name;
} haft__case_note;

/* An inner graph (the graph of a node) that ran in this action. */
typedef struct haft__case_inner {
    haft_str path;
    haft__case_play *child;
} haft__case_inner;

/* The player's data of a task (haft__graph_task.host). */
typedef struct haft__case_task {
    haft__case_play *child; /* the inner graph, until it has ended */
    bool noted;
} haft__case_task;

/* One execution of the case's graph or of an inner graph. */
struct haft__case_play {
    haft__case_play *next; /* next in the list of all executions */
    haft__case_world *world;
    const haft__graph *graph;
    haft__graph_execution *x;
    haft__json *events;
    size_t event_count, event_capacity;
    haft__case_note *notes;
    size_t note_count, note_capacity;
    haft__case_inner *inner;
    size_t inner_count, inner_capacity;
    haft__case_play *parent; /* valid while pending questions are listed */
    haft__graph_task *parent_task;
};

struct haft__case_world {
    haft__arena arena;
    haft__json sources; /* an object: name -> graph for nodes */
    const haft__graph **graphs;
    const haft__graph *graph;
    haft__case_play *plays, *current;
    haft__json cache;  /* key -> output */
    haft__json counts; /* numbers of visits of operations `fail` with `times` */
    haft_str *effects;
    size_t effect_count, effect_capacity;
    bool out_of_memory;
};

/* The outcome of an action. */
typedef struct haft__case_outcome {
    const char *refused; /* the code of the refusal, or NULL */
    bool edited;
    bool waiting;
} haft__case_outcome;

/* A question or a pause. */
typedef struct haft__case_pending {
    haft__case_play *play;
    size_t task;
    haft_str node; /* the node of the case's graph */
    bool pause;
    bool answered;
    haft__json ask;
} haft__case_pending;

typedef struct haft__case_pendings {
    haft__case_pending *items;
    size_t count, capacity;
} haft__case_pendings;

/* ---- case_check.c ---- */

/* Checks the types of the values of a case. *ret_found: the graph has a problem. BAD_INPUT if
 * another part of the case has one. */
HAFT_MUST_USE haft_status haft__case_check_types(haft__json test, haft__arena *arena,
                                                 haft__graph_problem *ret_problem, bool *ret_found,
                                                 haft_error *err);
/* Checks the levels of inner graphs. The types of their values are valid. */
HAFT_MUST_USE haft_status haft__case_check_nesting(haft__json graph, haft__json graphs,
                                                   haft__arena *arena,
                                                   haft__graph_problem *ret_problem,
                                                   bool *ret_found, haft_error *err);

/* ---- case_play.c ---- */

/* Creates an execution of a graph. limit 0: the limit of the graph. */
HAFT_MUST_USE haft_status haft__case_create(haft__case_world *world, const haft__graph *graph,
                                            uint32_t limit, haft__case_play **ret_play,
                                            haft_error *err);
/* Begins with an input, and with the values that the thread keeps from its last run. */
HAFT_MUST_USE haft_status haft__case_begin(haft__case_play *play, haft__json input, haft__json kept,
                                           haft__graph_refusal *ret_refusal, haft_error *err);
/* Keeps an event for a fork, and applies it. */
HAFT_MUST_USE haft_status haft__case_fold(haft__case_play *play, haft__json event, haft_error *err);
/* A task that waited continues: listed once in an action. */
void haft__case_note_resumed(haft__case_play *play, haft__graph_task *task);

/* Runs until the execution waits or ends. *ret_waiting: the execution waits for an action; else
 * x->end is the end. */
HAFT_MUST_USE haft_status haft__case_go(haft__case_play *play, bool *ret_waiting, haft_error *err);

const char *haft__case_end_name(haft__graph_end end);

/* Adds the pending questions and pauses, including those of inner graphs. `top` is the node of the
 * case's graph; the caller passes depth 0. */
HAFT_MUST_USE haft_status haft__case_list_pending(haft__case_play *play, haft_str top, size_t depth,
                                                  haft__case_pendings *list, haft_error *err);

/* ---- case_results.c ---- */

void haft__case_write_load_error(haft__json_writer *w, const haft__graph_problem *problem);
HAFT_MUST_USE haft_status haft__case_write_result(haft__case_world *world,
                                                  const haft__case_outcome *outcome,
                                                  haft__json_writer *w, haft_error *err);

#endif
