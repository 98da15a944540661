/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/exec.h - runs calls of tools: C functions, commands, HTTP requests, file searches.
 *
 * One for many runs, on one loop. A call is started and later reports its result once, from the
 * loop, never before haft__exec_start has returned. It has a deadline; past it, or when it is
 * cancelled, everything it started is ended.
 */
#ifndef HAFT_EXEC_EXEC_H
#define HAFT_EXEC_EXEC_H

#include "io/loop.h"
#include "spec/load/load.h"

typedef struct haft__exec haft__exec;
typedef struct haft__exec_job haft__exec_job;

typedef struct haft__exec_options {
    haft__loop *loop;
    const char *guard;  /* path of libexec/haft/guard; NULL: found beside the program */
    haft__spec_env env; /* for ${VAR} in what a tool is given */
    uint32_t threads;   /* for C functions and file searches; 0: the default */
    bool refresh;       /* MCP servers are asked for their tools, whatever is remembered */
    const char *state;  /* where MCP servers are remembered; NULL: the usual place, "": nowhere */
} haft__exec_options;

HAFT_MUST_USE haft_status haft__exec_create(const haft__exec_options *options,
                                            haft__exec **ret_exec, haft_error *err);

/* Calls under way must be cancelled before. Waits for C functions that do not look at
 * haft_cancelled. */
void haft__exec_destroy(haft__exec *exec);

/* The path of libexec/haft/guard, to be freed: `given`, or where it is usually found if that is
 * NULL. NOT_FOUND when there is none that can be run. */
HAFT_MUST_USE haft_status haft__guard_find(const char *given, char **ret_path, haft_error *err);

typedef struct haft__exec_call {
    const haft__spec *spec; /* its path and root say where files are */
    const haft__tool *tool;
    bool approved;         /* by a person, who saw the tool as it is here */
    haft__json arguments;  /* checked against the tool's schema, defaults filled in */
    haft_call_facts facts; /* call, run, idempotency key ...; texts never NULL */
    uint64_t timeout_ms;   /* of this attempt */
    /* What the tool tells on the way, as JSON; may be NULL. Called from the loop. */
    void (*progress)(void *context, haft_str json);
    /* What the tool asks a person while it runs, {message, mode, schema, url, server}; may be NULL:
     * then nobody can be asked. Called from the loop. A durable question is the last word of the
     * job, which is gone when this returns: once there is an answer, the call is made again with
     * `resume`, by whichever process. Else the job waits for haft__exec_answer, for `within_ms` at
     * most, and its own time stands still; if nobody answers, that was its own time. */
    void (*ask)(void *context, haft__json question, bool durable, haft__json state,
                uint64_t within_ms);
    /* The tool has taken back what it asked while it runs on: no answer of a person reaches it any
     * more. Called from the loop, behind `ask`; may be NULL. The job goes on once haft__exec_answer
     * says so, with {action: cancel}: that time was its own. */
    void (*withdraw)(void *context);
    haft__json resume; /* {state, answers: {action, content}}; null for a call that is new */
} haft__exec_call;     /* everything in it is borrowed until the result or the cancelling */

typedef struct haft__exec_result {
    bool ok;
    haft_str text, where, hint; /* the result, or the error's message; always valid UTF-8 */
    bool timed_out;             /* by our deadline: it may or may not have had its effect */
    bool lost;                  /* its answer: likewise */
    bool started;               /* false: it cannot have had any effect */
    bool transient;             /* another attempt may fare better */
    bool changed;               /* nothing was run: the tool is not what it was */
    haft_str diff;              /* how; for people, since it has words that nobody has accepted */
    haft_str renewed;           /* nothing was run: what the tool is now, as tools_revealed has it;
                                             in the job's arena */
    uint64_t list; /* of an MCP server: the number of the list that it has now; 0: of none */
    uint64_t ms;
} haft__exec_result;

typedef void haft__exec_done(void *context, const haft__exec_result *result);

/* The job belongs to `exec` and is gone once `done` has returned, or after haft__exec_cancel.
 * Fails only for want of memory; whatever else goes wrong is a result. */
HAFT_MUST_USE haft_status haft__exec_start(haft__exec *exec, const haft__exec_call *call,
                                           haft__exec_done *done, void *context,
                                           haft__exec_job **ret_job, haft_error *err);

/* Hands on what was answered to its question, {action, content}. Not for a job that has not asked.
 */
void haft__exec_answer(haft__exec_job *job, haft__json answer);

/* Ends it and all it started; `done` will not be called. */
void haft__exec_cancel(haft__exec_job *job);

#endif
