/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mcp/spec_int.h - shared by the files of a served spec. */
#ifndef HAFT_SERVE_MCP_SPEC_INT_H
#define HAFT_SERVE_MCP_SPEC_INT_H

#include "run/redact/redact.h"
#include "serve/mcp/spec.h"

/* A tool as clients see it. */
typedef struct haft__mcp_spec_tool {
    haft_str name;              /* MCP name */
    const haft__tool *tool;     /* NULL: the agent */
    const haft__schema *output; /* schema of JSON results; NULL if there is none */
    haft__json input;           /* its schema */
} haft__mcp_spec_tool;

/* An open request. */
typedef struct haft__mcp_spec_job {
    haft__mcp_spec_server *spec_server;
    haft__mcp_request *request; /* NULL: the client is gone */
    const haft__mcp_spec_tool *entry;
    struct haft__mcp_spec_job *next, **link;
    haft__arena arena;

    /* for a tool */
    uint64_t progress_count; /* number of progress messages */
    haft__json arguments;
    char id[HAFT__ID_LENGTH + 1];
    haft_str key;   /* the client's key; else generated for a tool, and "" for the agent */
    uint64_t epoch; /* of the client's run; 0: unknown */
    uint32_t attempt;
    haft__exec_job *job; /* NULL: not running */
    bool waiting;        /* for its lane */

    /* for the agent */
    haft_run *run;
    haft__json answers;        /* to be passed to the run once it is open */
    uint64_t handled_mark;     /* of the state for which its questions were handled, ... */
    bool handled_while_paused; /* ... and whether the run was paused then */
    haft_str user;             /* for whom it acts; NUL-terminated */
    haft_str task;             /* of a request with a key */
    struct haft__mcp_run_lookup *lookup; /* store query for the run of its key */
    char blocking_run[HAFT__ID_LENGTH
                      + 1];           /* the run of its key, which another request owns; or "" */
    char opened[HAFT__ID_LENGTH + 1]; /* the run that was opened for it; or "" */
} haft__mcp_spec_job;

struct haft__mcp_spec_server {
    haft__mcp_spec_options options;
    haft__arena arena;
    haft__mcp_spec_tool *entries;
    size_t count;
    haft__map by_name;
    haft__redactor *redactor;
    haft__checker *checker;
    haft_str user; /* of the request that is being handled */
    haft__mcp_spec_job *jobs;
};

/* Creates a job for a request; NULL when out of memory, and the request was answered with an error.
 */
haft__mcp_spec_job *haft__mcp_spec_job_create(haft__mcp_spec_server *spec_server,
                                              haft__mcp_request *request,
                                              const haft__mcp_spec_tool *entry);
void haft__mcp_spec_job_destroy(haft__mcp_spec_job *job);

/* Ends the job with a text for the client; redacts secrets. */
void haft__mcp_spec_job_reply(haft__mcp_spec_job *job, haft_str text, bool is_error);

/* Ends the job with a result that has parts which are not text: images, audio and resources. */
void haft__mcp_spec_reply_blobs(haft__mcp_spec_job *job, const haft__exec_result *result);

/* Appends the redacted text to `out`; false when out of memory. */
bool haft__mcp_spec_redact(const haft__mcp_spec_server *spec_server, haft_str text, haft__buf *out);

/* Whether a person accepted the form `key`. If so, *ret_value is the value of `field`. */
bool haft__mcp_form_accepted(haft__json answers, haft_str key, const char *field,
                             haft__json *ret_value);

/* Appends parameters of elicitation/create. */
void haft__mcp_form_write(haft__buf *params, haft_str message, haft_str properties,
                          const char *required);

void haft__mcp_tool_begin(haft__mcp_spec_job *job);
void haft__mcp_tool_cancel(haft__mcp_spec_job *job);

void haft__mcp_run_begin(haft__mcp_spec_job *job);
void haft__mcp_run_resume(haft__mcp_spec_job *job);
void haft__mcp_run_cancel(haft__mcp_spec_job *job);
/* Processes the current state of the run; may free the job. */
void haft__mcp_run_update(haft__mcp_spec_job *job);

/* Ends the job with an error. */
void haft__mcp_run_fail(haft__mcp_spec_job *job, const haft_error *error);

/* Starts a run with the job's task, in a thread if one is named. */
HAFT_MUST_USE haft_status haft__mcp_run_start(haft__mcp_spec_job *job, const char *thread,
                                              haft_error *err);

/* ---- idempotency.c ---- */

typedef struct haft__mcp_run_lookup haft__mcp_run_lookup;

/* Reads the client's idempotency key, which all attempts of a call share. An unacceptable key is
 * rejected: without it an effect might happen twice. */
HAFT_MUST_USE haft_status haft__mcp_idempotency_read_key(haft__mcp_spec_job *job, haft_error *err);

/* Finds the run of the job's key; starts it if it does not exist. */
HAFT_MUST_USE haft_status haft__mcp_idempotency_begin(haft__mcp_spec_job *job, haft_error *err);

/* For a job that waits for another request: opens the run if that request has ended. */
HAFT_MUST_USE haft_status haft__mcp_idempotency_resume(haft__mcp_spec_job *job, haft_error *err);

/* Passes the run to another request that waits for it; false if there is none. */
bool haft__mcp_idempotency_transfer(haft__mcp_spec_job *job);

/* The job is being freed. */
void haft__mcp_idempotency_cancel(haft__mcp_spec_job *job);

/* ---- question.c ---- */

/* Whether a server of the run, or of a run below it, waits in this process for an answer. */
bool haft__mcp_run_waits_here(const haft__mcp_spec_job *job);

/* Whether the client of the job can be asked for the child, so that it stays open. */
bool haft__mcp_run_keeps_child(const haft__mcp_spec_job *job, const haft_run *child);

/* Handles the questions of the run and of those below it, which is paused or continues meanwhile:
 * passes answers to it, asks new questions, withdraws questions that were answered elsewhere. If a
 * paused run gets no usable answer, the client gets instructions how to continue it. May free the
 * job. */
void haft__mcp_run_handle_questions(haft__mcp_spec_job *job, bool waits);

#endif
