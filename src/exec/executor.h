/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/executor.h - what the executors share. An executor is one file and one row in the table of
 * exec.c. Private to src/exec.
 */
#ifndef HAFT_EXEC_EXECUTOR_H
#define HAFT_EXEC_EXECUTOR_H

#include "base/arena.h"
#include "exec/exec.h"
#include "io/child.h"
#include "io/pool.h"

/* How one kind of tool runs. */
typedef struct haft__executor {
    /* Starts the job. On success the executor reports once, by haft__exec_report, at any time
     * from then on. What fails here is reported for it, as a call that never started. */
    haft_status (*start)(haft__exec_job *job, haft_error *err);
    /* Ends the job at once: its report is no longer wanted, and its memory goes as soon as this
     * returns, unless it says that it keeps it (true) and gives it back by haft__exec_free. */
    bool (*abandon)(haft__exec_job *job);
    /* What a person answered to haft__exec_ask, {action, content}; borrowed. NULL for executors
     * that do not ask. */
    void (*answer)(haft__exec_job *job, haft__json answer);
} haft__executor;

struct haft__exec_job {
    haft__exec *exec;
    const haft__executor *executor;
    haft__exec_call call;
    haft__arena arena; /* for the executor; lives as long as the job */
    void *state;       /* the executor's own */
    haft__exec_done *done;
    void *context;
    haft__exec_result result; /* once reported; texts in the arena or static */
    haft__timer timer;
    haft__task task;
    uint64_t deadline_ms;                 /* of the timer, by the loop's clock */
    struct haft__exec_question *question; /* on its way, or waiting for its answer; else NULL */
    uint64_t started_ms;
    uint32_t holds; /* who still needs it: we, and an executor that kept it */
    bool reported;
    haft_str whose, why, advice; /* set by the same, in the arena: words for its deadline */
    bool waiting; /* set by an executor that abandons it: it cannot have had an effect */
};

struct haft__exec {
    haft__exec_options options;
    char *guard;                /* its path, or NULL when it was not found, ... */
    haft_error guard_error;     /* ... and why */
    haft__child_group children; /* commands, those under way and those being ended */
    haft__pool *pool;
    struct haft__http_client
        *public_http; /* io/http/client.h: addresses of the public network only */
    struct haft__http_client *private_http; /* for tools with allow_private */
    const haft__executor *mcp;              /* haft__executor_mcp */
    struct haft__mcp_connection_pool
        *connection_pool; /* connections to MCP servers; NULL until there are any */
};

/* The result, once. Texts are copied into the job's arena; what is no UTF-8 is made so. */
void haft__exec_report(haft__exec_job *job, const haft__exec_result *result);

/* Asks a person; see haft__exec_call.ask. False when nobody can be asked, or a question of this job
 * is open: then the tool has to do without. A durable question takes the place of the report: the
 * executor must have nothing under way any more. Everything is copied. */
bool haft__exec_ask(haft__exec_job *job, haft__json question, bool durable, haft__json state);

/* What it asked, not durably, is of no use any more; see haft__exec_call.withdraw. */
void haft__exec_withdraw(haft__exec_job *job);

/* Gives back a job whose executor kept it. */
void haft__exec_free(haft__exec_job *job);

/* The tool's part of the spec: a member of its definition, or NULL. */
const haft__json *haft__exec_definition(const haft__exec_job *job, const char *key);

extern const haft__executor haft__executor_function, haft__executor_command, haft__executor_http,
    haft__executor_glob, haft__executor_grep, haft__executor_read, haft__executor_mcp;

#endif
