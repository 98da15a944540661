/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/executor.h - interface of the executors. An executor is one file and one row in the table of
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
    /* Starts the job. On success the executor calls haft__exec_report once, at any later time. If
     * it fails, exec.c reports its error for a call that never started. */
    haft_status (*start)(haft__exec_job *job, haft_error *err);
    /* Ends the job immediately and drops its report. The job is freed when this returns false. If
     * it returns true, the executor keeps a reference and drops it with haft__exec_job_release. */
    bool (*abandon)(haft__exec_job *job);
    /* The answer of a person to haft__exec_ask, {action, content}; borrowed. NULL for executors
     * that do not ask. */
    void (*answer)(haft__exec_job *job, haft__json answer);
    /* The results of the calls of code; see haft__exec_reply. NULL for other executors. */
    void (*reply)(haft__exec_job *job, haft_str answer);
} haft__executor;

struct haft__exec_job {
    haft__exec *exec;
    const haft__executor *executor;
    haft__exec_call call;
    haft__arena arena; /* for the executor; lives as long as the job */
    void *state;       /* owned by the executor */
    haft__exec_done *done;
    void *context;
    haft__exec_result result; /* valid once `reported`; texts in the arena or static */
    haft__timer timer;
    haft__task task;
    uint64_t deadline_ms;                 /* of the timer, on the loop's clock */
    struct haft__exec_question *question; /* undelivered or unanswered; else NULL */
    uint64_t started_ms;
    uint64_t left_ms;    /* while the clock is suspended */
    uint32_t references; /* of exec.c, of a posted task, of an executor that kept the job */
    bool reported;
    /* Parts of the error if the deadline passes. The executor sets them; they live in the arena. */
    haft_str subject, why, advice;
    haft_str sandbox; /* haft__exec_result.sandbox of a job that is abandoned; in the arena */
    bool waiting;     /* set by an executor in abandon: the call cannot have had an effect */
};

struct haft__command_job;

/* The commands that were started in this step of the loop, and those that wait for the next: to
 * start a process takes long, and a step with too many of them would keep timers from firing. */
typedef struct haft__command_starts {
    haft__task next_step; /* posted while `count` > 0 */
    uint32_t count;
    struct haft__command_job *first, *last; /* in the order of their calls */
} haft__command_starts;

struct haft__exec {
    haft__exec_options options;
    char *guard;                /* path, or NULL if it was not found */
    haft_error guard_error;     /* the reason why it was not found */
    haft__child_group children; /* running commands and commands being terminated */
    haft__command_starts starts;
    haft__pool *pool;
    struct haft__http_client *public_http;   /* io/http/client.h: public addresses only */
    struct haft__http_client *private_http;  /* for tools with allow_private */
    struct haft__interpreters *interpreters; /* exec/sandbox/; NULL until code runs */
    const haft__executor *mcp;               /* haft__executor_mcp */
    struct haft__schema_cache *schemas;      /* exec/sql/schema_cache.h; NULL until a search */
    struct haft__mcp_connection_pool
        *connection_pool;                /* connections to MCP servers; NULL until the first one */
    struct haft__call_queue *call_queue; /* of queued.c; NULL until the first call */
};

/* Sets the result, once. Copies texts into the job's arena and replaces invalid UTF-8. */
void haft__exec_report(haft__exec_job *job, const haft__exec_result *result);

/* Reports an error of a call that never started. */
void haft__exec_report_failure(haft__exec_job *job, const haft_error *error);

/* Reports the reply of a function, or of a program that performed the call. */
void haft__exec_report_reply(haft__exec_job *job, haft_reply reply);

/* The job waits for its turn: its time begins with haft__exec_begin_time. */
void haft__exec_hold_time(haft__exec_job *job);
HAFT_MUST_USE haft_status haft__exec_begin_time(haft__exec_job *job, haft_error *err);

/* Stops the clock of a job while others work for it, and continues it. */
void haft__exec_suspend_time(haft__exec_job *job);
HAFT_MUST_USE haft_status haft__exec_resume_time(haft__exec_job *job, haft_error *err);

/* Reports that the job took longer than its timeout. */
void haft__exec_report_timeout(haft__exec_job *job);

/* Asks a person; see haft__exec_call.ask. Returns false if nobody can be asked or a question of
 * this job is already open; the tool then continues without an answer. A durable question replaces
 * the report: the executor must have no pending work. All arguments are copied. */
bool haft__exec_ask(haft__exec_job *job, haft__json question, bool durable, haft__json state);

/* Withdraws a question that is not durable; see haft__exec_call.withdraw. */
void haft__exec_withdraw(haft__exec_job *job);

/* Drops a reference. The last one frees the job. */
void haft__exec_job_release(haft__exec_job *job);

/* A member of the tool's definition in the spec, or NULL. */
const haft__json *haft__exec_definition(const haft__exec_job *job, const char *key);

/* After this, calls that the program holds no longer use the loop. NULL is allowed. */
void haft__call_queue_close(struct haft__call_queue *queue);

extern const haft__executor haft__executor_function, haft__executor_queued, haft__executor_command,
    haft__executor_http, haft__executor_glob, haft__executor_grep, haft__executor_read,
    haft__executor_python, haft__executor_skill, haft__executor_mcp, haft__executor_execute_sql,
    haft__executor_search_schemas;

#endif
