/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline_help.h - whole runs of the offline planner in tests: a spec as text, a little tree of
 * files, and tools that answer from it.
 *
 *     offline_world w;
 *     offline_world_init(&w, "model: offline\ntools: [{builtin: [glob, grep, read]}]\n", files, n);
 *     offline_world_run(&w, "Where is the gate?");
 */
#ifndef HAFT_TESTS_OFFLINE_HELP_H
#define HAFT_TESTS_OFFLINE_HELP_H

#include "model/rules/offline_int.h"
#include "run/decide/decide.h"
#include "test.h"

#define OFFLINE_KEY ((haft__hash_key){5, 6})

typedef struct offline_file {
    const char *path, *text;
} offline_file;

/* A small project, about a gate that opens after some calls. */
extern const offline_file offline_tree[];
extern const size_t offline_tree_count;

typedef struct offline_world offline_world;

/* Writes the result of a tool; false: the tree of files answers. */
typedef bool offline_tool(offline_world *w, const haft__run_call *call, haft__outcome *ret_outcome);

struct offline_world {
    haft__arena arena, scratch;
    const haft__spec *spec;
    haft__run run;
    haft__decider decider;
    haft__buf line, body;
    haft__buf seen;  /* lines of every result that went to the model, as path:line:text */
    haft__buf turns; /* a line for each turn: mode and calls */
    const offline_file *files;
    size_t file_count;
    offline_tool *tool; /* may be NULL */
    void *context;      /* for it */
    bool whole;         /* listings are complete; otherwise they are marked as truncated */
    bool rejects;       /* the person rejects every approval */
    uint64_t now_ms;
    size_t asked;     /* replies */
    size_t refusals;  /* calls that haft refused */
    size_t questions; /* pauses that were answered */
    haft_error err;
};

/* The spec must be valid. */
void offline_world_init(offline_world *w, const char *spec, const offline_file *files,
                        size_t file_count);
void offline_world_finish(offline_world *w);

/* Runs to the end; people approve (or reject) and answer "yes". Checks each reply: it follows its
 * mode, is the same when asked for again, and repeats no call. */
void offline_world_run(offline_world *w, const char *task);

/* The content of the artifact that was stored last; "" if there is none. */
haft_str offline_world_artifact(const offline_world *w);

/* Checks that the results contain each path:line of a report or an answer, with the line that it
 * quotes. */
void offline_check_report(const offline_world *w, haft_str report);
void offline_check_answer(const offline_world *w, haft_str answer);

/* Whether `part` is in `text`. */
bool offline_has(haft_str text, const char *part);

/* A request made by hand: its messages are added one by one. */
typedef struct offline_request {
    haft__arena *arena;
    haft__messages messages;
    haft__request request;
} offline_request;

void offline_request_init(offline_request *r, haft__arena *arena, const char *task);
/* Adds a call and its result; `result` may be NULL. */
void offline_request_add(offline_request *r, const char *name, const char *arguments,
                         const char *result, bool failed);
void offline_request_say(offline_request *r, const char *text); /* as haft, to the model */

/* Checks that a reply follows its mode. */
void offline_check_mode(const haft__request *request, const haft__reply *reply);

#endif
