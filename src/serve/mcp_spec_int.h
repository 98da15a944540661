/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mcp_spec_int.h - what the files of a served spec share. */
#ifndef HAFT_SERVE_MCP_SPEC_INT_H
#define HAFT_SERVE_MCP_SPEC_INT_H

#include "run/redact.h"
#include "serve/mcp_spec.h"

/* One tool as clients see it. */
typedef struct haft__mcp_entry {
    haft_str name;              /* on the wire */
    const haft__tool *tool;     /* NULL: the agent */
    const haft__schema *output; /* of results that are JSON; NULL when there is none */
    haft__json input;           /* its schema */
} haft__mcp_entry;

/* A request under way. */
typedef struct haft__mcp_job {
    haft__mcp_spec *served;
    haft__mcp_asked *asked; /* NULL: nobody waits for it any more */
    const haft__mcp_entry *entry;
    struct haft__mcp_job *next, **link;
    haft__arena arena;
    uint64_t told; /* how often it has told something */

    /* of a tool */
    haft__json arguments;
    char id[HAFT__ID_LENGTH + 1];
    haft_str key;
    uint32_t attempt;
    haft__exec_job *job; /* NULL: it does not run */
    bool waiting;        /* for its lane */

    /* of the agent */
    haft_run *run;
    haft__json answers; /* to be given to it once it is there */
} haft__mcp_job;

struct haft__mcp_spec {
    haft__mcp_spec_options options;
    haft__arena arena;
    haft__mcp_entry *entries;
    size_t count;
    haft__map by_name;
    haft__redactor *redactor;
    haft__checker *checker;
    haft__mcp_job *jobs;
};

/* A job for a request; NULL when it has been answered for want of memory. */
haft__mcp_job *haft__mcp_job_create(haft__mcp_spec *served, haft__mcp_asked *asked,
                                    const haft__mcp_entry *entry);
void haft__mcp_job_destroy(haft__mcp_job *job);

/* Ends the job with a text for the client, secrets taken out. */
void haft__mcp_job_say(haft__mcp_job *job, haft_str text, bool is_error);

/* The text without secrets, in `out`; false when there is no memory. */
bool haft__mcp_clean(const haft__mcp_spec *served, haft_str text, haft__buf *out);

/* What a person answered to a form: "accept", "decline", "cancel"; the value of one of its fields.
 */
bool haft__mcp_accepted(haft__json answers, haft_str key, const char *field, haft__json *ret_value);

/* Appends parameters of elicitation/create. */
void haft__mcp_form(haft__buf *params, haft_str message, haft_str properties, const char *required);

void haft__mcp_tool_begin(haft__mcp_job *job);
void haft__mcp_tool_drop(haft__mcp_job *job);

void haft__mcp_run_begin(haft__mcp_job *job);
void haft__mcp_run_go_on(haft__mcp_job *job);
void haft__mcp_run_drop(haft__mcp_job *job);
/* Sees how the run stands; the job may be gone after it. */
void haft__mcp_run_look(haft__mcp_job *job);

#endif
