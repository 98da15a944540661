/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/exec.h - runs tool calls: C functions, commands, HTTP requests, file searches, SQL.
 *
 * One haft__exec serves many runs on one loop. A call reports its result exactly once, from the
 * loop, never before haft__exec_start has returned. When its deadline passes or it is cancelled,
 * everything that it started is ended.
 */
#ifndef HAFT_EXEC_EXEC_H
#define HAFT_EXEC_EXEC_H

#include "base/excerpt.h"
#include "io/loop.h"
#include "spec/load/load.h"

typedef struct haft__exec haft__exec;
typedef struct haft__exec_job haft__exec_job;

typedef struct haft__exec_options {
    haft__loop *loop;
    const char *guard;  /* path of libexec/haft/guard; NULL: search relative to the program */
    haft__spec_env env; /* values for ${VAR} in tool definitions */
    uint32_t threads;   /* for C functions and file searches; 0: the default */
    bool refresh;       /* ask MCP servers for their tools even if a cached list exists */
    const char *state;  /* directory of the MCP caches; NULL: the default, "": no files */
} haft__exec_options;

HAFT_MUST_USE haft_status haft__exec_create(const haft__exec_options *options,
                                            haft__exec **ret_exec, haft_error *err);

/* The caller must cancel all running calls first. Waits until all C functions have returned. */
void haft__exec_destroy(haft__exec *exec);

/* The path of libexec/haft/guard; the caller frees it. If `given` is NULL, searches the usual
 * places. NOT_FOUND if no executable file exists there. */
HAFT_MUST_USE haft_status haft__guard_find(const char *given, char **ret_path, haft_error *err);

typedef struct haft__exec_call {
    const haft__spec *spec; /* file paths are relative to its path and root */
    const haft__tool *tool;
    bool approved;         /* by a person who saw this version of the tool */
    bool takes_command;    /* the tool may reply with a command; else such a reply is an error */
    haft__json arguments;  /* validated against the tool's schema, defaults filled in */
    haft_call_facts facts; /* call, run, idempotency key ...; texts never NULL */
    uint64_t timeout_ms;   /* for this attempt */
    /* Receives progress of the tool as JSON. May be NULL. Called from the loop. */
    void (*progress)(void *context, haft_str json);
    /* Asks a person on behalf of a running tool: {message, mode, schema, url, server}. If NULL,
     * nobody can be asked. Called from the loop. A durable question ends the job, which is freed
     * when this returns; when the answer arrives, any process starts the call again with `resume`.
     * For a question that is not durable, the job waits at most `within_ms` for haft__exec_answer,
     * and its deadline is suspended. If nobody answers, the wait counts against its timeout. */
    void (*ask)(void *context, haft__json question, bool durable, haft__json state,
                uint64_t within_ms);
    /* The tool has withdrawn its question and continues to run; it does not receive later answers.
     * Called from the loop, after `ask`; may be NULL. The job continues when haft__exec_answer
     * passes {action: cancel}; the wait counts against its timeout. */
    void (*withdraw)(void *context);
    haft__cleaner cleaner; /* redacts the tool's output before a part of it is shown in an error */
    haft__json resume;     /* {state, answers: {action, content}}; null for a new call */
    haft_str
        functions; /* for code: the tools that it can call, [{name, tool, parameters}]; or "" */
    /* Code waits for the results of these calls, [{tool, arguments}], until haft__exec_reply. Its
     * deadline is suspended. If NULL, its calls fail. Called from the loop. */
    void (*called)(void *context, haft__json calls);
} haft__exec_call; /* all members are borrowed until the result or the cancellation */

/* A part of a result that is not text. */
typedef struct haft__exec_blob {
    haft_str bytes;
    haft_str media_type; /* from run/binary.h, or as the tool declares it */
    haft_str name;       /* of the artifact; "": the name is chosen */
} haft__exec_blob;

typedef struct haft__exec_result {
    bool ok;
    bool command;                 /* `text` is a command: {update, goto, send} */
    const haft__exec_blob *blobs; /* of a result that is ok */
    size_t blob_count;
    haft_str text, where, hint; /* the result, or the error message; always valid UTF-8 */
    haft__excerpt detail;       /* output of the tool: haft__exec_report appends it to the error in
                                   `text`; else unused */
    bool timed_out; /* the deadline passed: the call may or may not have had its effect */
    bool diverged;  /* code that was repeated made other calls than before */
    bool lost;      /* the reply was lost: the call may or may not have had its effect */
    bool started;   /* if false, the call cannot have had any effect */
    bool transient; /* a retry may succeed */
    bool changed;   /* the call was not run, because the tool definition has changed */
    haft_str diff;  /* diff of the definition, only for people: no person has accepted the new text
                       yet, so a model must not read it */
    haft_str renewed; /* the current definition, as in the event tools_revealed, if the call was not
                         run because it differs from the one in the run */
    haft_str sandbox; /* a JSON object: where and how code ran; "" for other tools */
    uint64_t list;    /* number of the MCP server's current tool list; 0: no list */
    uint64_t ms;
} haft__exec_result;

typedef void haft__exec_done(void *context, const haft__exec_result *result);

/* `exec` owns the job and frees it after `done` returns or in haft__exec_cancel. Fails only when
 * out of memory; every other error is a result. */
HAFT_MUST_USE haft_status haft__exec_start(haft__exec *exec, const haft__exec_call *call,
                                           haft__exec_done *done, void *context,
                                           haft__exec_job **ret_job, haft_error *err);

/* Takes the next call of a tool without a function (exec/queued.c); NULL if none waits. */
haft_call *haft__exec_next_call(haft__exec *exec);

/* Passes the answer to the job's question, {action, content}. Only for a job with an open question.
 */
void haft__exec_answer(haft__exec_job *job, haft__json answer);

/* Passes the results of the calls that code waits for: {results: [{ok, text}], functions?}. */
void haft__exec_reply(haft__exec_job *job, haft_str answer);

/* Ends the code with this error, because its calls differ from those that are recorded. */
void haft__exec_reject(haft__exec_job *job, haft_str why);

/* Ends the job and everything it started; `done` is not called. */
void haft__exec_cancel(haft__exec_job *job);

#endif
