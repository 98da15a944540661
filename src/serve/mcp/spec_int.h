/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mcp/spec_int.h - what the files of a served spec share. */
#ifndef HAFT_SERVE_MCP_SPEC_INT_H
#define HAFT_SERVE_MCP_SPEC_INT_H

#include "run/redact/redact.h"
#include "serve/mcp/spec.h"

/* One tool as clients see it. */
typedef struct haft__mcp_spec_tool {
    haft_str name;              /* on the wire */
    const haft__tool *tool;     /* NULL: the agent */
    const haft__schema *output; /* of results that are JSON; NULL when there is none */
    haft__json input;           /* its schema */
} haft__mcp_spec_tool;

/* A request under way. */
typedef struct haft__mcp_spec_job {
    haft__mcp_spec_server *served;
    haft__mcp_request *request; /* NULL: nobody waits for it any more */
    const haft__mcp_spec_tool *entry;
    struct haft__mcp_spec_job *next, **link;
    haft__arena arena;

    /* of a tool */
    uint64_t told; /* how often it has told something */
    haft__json arguments;
    char id[HAFT__ID_LENGTH + 1];
    haft_str key;   /* the client's; of a tool, else one of our own; of the agent, else "" */
    uint64_t epoch; /* of the client's run; 0: it has not said */
    uint32_t attempt;
    haft__exec_job *job; /* NULL: it does not run */
    bool waiting;        /* for its lane */

    /* of the agent */
    haft_run *run;
    haft__json answers;                /* to be given to it once it is there */
    uint64_t handled_seq;              /* the event up to which its questions were seen to, ... */
    bool handled_while_paused;         /* ... and whether it waited for nothing else then */
    haft_str task;                     /* of one that has a key */
    struct haft__mcp_run_lookup *look; /* for the run of its key */
    char behind[HAFT__ID_LENGTH + 1];  /* the run of its key, which another request has; or "" */
    char opened[HAFT__ID_LENGTH + 1];  /* the run that was taken up for it; or "" */
} haft__mcp_spec_job;

struct haft__mcp_spec_server {
    haft__mcp_spec_options options;
    haft__arena arena;
    haft__mcp_spec_tool *entries;
    size_t count;
    haft__map by_name;
    haft__redactor *redactor;
    haft__checker *checker;
    haft__mcp_spec_job *jobs;
};

/* A job for a request; NULL when it has been answered for want of memory. */
haft__mcp_spec_job *haft__mcp_spec_job_create(haft__mcp_spec_server *served,
                                              haft__mcp_request *request,
                                              const haft__mcp_spec_tool *entry);
void haft__mcp_spec_job_destroy(haft__mcp_spec_job *job);

/* Ends the job with a text for the client, secrets taken out. */
void haft__mcp_spec_job_reply(haft__mcp_spec_job *job, haft_str text, bool is_error);

/* The text without secrets, in `out`; false when there is no memory. */
bool haft__mcp_spec_redact(const haft__mcp_spec_server *served, haft_str text, haft__buf *out);

/* What a person answered to a form: "accept", "decline", "cancel"; the value of one of its fields.
 */
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
/* Sees how the run stands; the job may be gone after it. */
void haft__mcp_run_update(haft__mcp_spec_job *job);

/* Ends it with an error. */
void haft__mcp_run_fail(haft__mcp_spec_job *job, const haft_error *error);

/* Starts a run with the job's task, in a thread if one is named. */
HAFT_MUST_USE haft_status haft__mcp_run_start(haft__mcp_spec_job *job, const char *thread,
                                              haft_error *err);

/* ---- idempotency.c ---- */

typedef struct haft__mcp_run_lookup haft__mcp_run_lookup;

/* What the client says of its call stays true for the tool: the same key for all attempts of it. A
 * key that cannot be passed on is refused: without it an effect might come twice. */
HAFT_MUST_USE haft_status haft__mcp_idempotency_read_key(haft__mcp_spec_job *job, haft_error *err);

/* Looks for the run of the job's key, and starts it if there is none. */
HAFT_MUST_USE haft_status haft__mcp_idempotency_begin(haft__mcp_spec_job *job, haft_error *err);

/* One that is behind another request: takes the run up if that one is gone. */
HAFT_MUST_USE haft_status haft__mcp_idempotency_resume(haft__mcp_spec_job *job, haft_error *err);

/* Gives the run to another request that waits for it; false when there is none. */
bool haft__mcp_idempotency_transfer(haft__mcp_spec_job *job);

/* The job goes. */
void haft__mcp_idempotency_cancel(haft__mcp_spec_job *job);

/* ---- question.c ---- */

/* Sees to the questions of the run, which waits for nothing else or goes on beside them: gives it
 * what was answered, asks what is new, withdraws what is settled in another way. When a run that
 * waits gets no answer that helps, the client is told how to go on. The job may be gone after it.
 */
void haft__mcp_run_handle_questions(haft__mcp_spec_job *job, bool waits);

#endif
