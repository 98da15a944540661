/* SPDX-License-Identifier: Apache-2.0 */
/* engine/model_call.h - one call of a model, from the request to the reply. Private to src/engine.
 */
#ifndef HAFT_ENGINE_MODEL_CALL_H
#define HAFT_ENGINE_MODEL_CALL_H

#include <stddef.h>

#include "engine/member_memory.h"
#include "engine/model_progress.h"
#include "engine/model_server.h"
#include "engine/run.h"
#include "io/http/client.h"
#include "model/provider.h"

typedef struct haft__model_call {
    haft_run *run;
    const haft__provider *provider; /* NULL: the model is part of this program */
    haft__arena arena;              /* the request, and the outcome */
    haft__request request;
    haft__model_outcome outcome; /* if the model is part of this program */
    uint64_t started_ms;
    haft__timer timer; /* delay of the outcome, or of the next attempt */
    haft__model_progress progress;

    /* for HTTP */
    uint32_t attempt;       /* from 0 */
    uint32_t continuations; /* further requests for the reply of this attempt */
    haft__http_transfer *transfer;
    haft__buf body;                        /* the body of the request */
    haft__cache_finding cache;             /* comparison of the request with the previous request */
    const haft__format *format;            /* the format of calls in text; NULL: native calls */
    const haft__format_tool *format_tools; /* callable tools, first the tools in the prompt */
    haft__buf error_body;                  /* the body of a response with another status than 2xx */
    haft__provider_stream *stream;         /* reads the reply; NULL before the first attempt */
    haft__member_set sent;                 /* optional members of the request */
    haft__member_texts texts;              /* texts of these members */
    haft__member_set known;                /* members that the server rejected in an earlier run */
    haft__member_memory *memory;           /* refusals of the model */
    haft__model_server *server;            /* NULL before the first attempt */
    haft__model_slot slot;                 /* slot of the server */
    haft__buf retries;                     /* failed attempts, as JSON with commas */
    bool delivered;                        /* output of the model has arrived */
    uint32_t status;                       /* HTTP status of the response */
    haft_status read_status;               /* error while reading the reply (out of memory) */
    haft_error error;
    max_align_t stream_memory[]; /* memory of `stream` */
} haft__model_call;

HAFT_MUST_USE haft_status haft__model_call_start(haft_run *run, haft_error *err);
void haft__model_call_stop(haft_run *run);

/* Records the outcome and continues the run. The call is destroyed. */
void haft__model_call_complete(haft__model_call *call, const haft__model_outcome *outcome);

/* An internal failure: the run cannot continue. */
void haft__model_call_fail(haft__model_call *call, const haft_error *error);

/* Records that the server rejects an optional member of the request, destroys the call, and
 * continues the run, which sends the request without the member. */
void haft__model_call_refuse_member(haft__model_call *call, const haft__optional_member *member,
                                    const haft__model_failure *failure, bool remembered);

/* ---- model_call_http.c ---- */

HAFT_MUST_USE haft_status haft__model_call_http_start(haft__model_call *call, haft_error *err);
void haft__model_call_http_stop(haft__model_call *call);

/* If the call failed because the server rejected an optional member, returns this member; else
 * NULL. */
const haft__optional_member *haft__model_call_http_find_refused(const haft__model_call *call,
                                                                const haft__model_failure *failure);

#endif
