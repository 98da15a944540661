/* SPDX-License-Identifier: Apache-2.0 */
/* graph/run/play_help.h - runs of graphs that a test drives without a host. */
#ifndef HAFT_TESTS_GRAPH_RUN_PLAY_HELP_H
#define HAFT_TESTS_GRAPH_RUN_PLAY_HELP_H

#include "graph/run/graph_run.h"

#include "run/decide/decide.h"
#include "run/run_help.h"
#include "spec/spec_help.h"

#define HEAD "haft: 1\nkind: graph\nname: g\n"
#define TOOL(name)                                                                                 \
    "  - {name: " name ", description: Counts the words of a letter., args: [], command: [x]}\n"

/* A run that a test drives: tools answer with their name, in a chosen order. */
typedef struct played {
    loaded file;
    haft__arena arena;
    haft__run run;
    haft__decider decider;
    haft__buf log, line;
    uint64_t now_ms;
    uint32_t order;        /* which of the open calls is answered next */
    haft_str result;       /* of every tool; "": its name */
    haft__outcome failure; /* how tools "bad" fail */
    haft__json kept;       /* what the thread keeps */
    haft_error err;
} played;

void play_init(played *p, const char *spec, const char *task);
void play_finish(played *p);

/* Writes the next event, and folds it. */
haft_status play_append(played *p, haft_str body);

/* Finishes one of the calls that run. */
haft_status play_finish_one(played *p);

/* Until the run has ended, or waits for a person. */
void play_on(played *p);

/* Answers a pending call, and plays on. `value` is JSON. */
void play_answer(played *p, const char *call, const char *verdict, const char *value);

/* The log folds to the same, and every decision is recomputed. */
void play_check_replay(played *p);

#endif
