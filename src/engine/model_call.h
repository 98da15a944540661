/* SPDX-License-Identifier: Apache-2.0 */
/* engine/model_call.h - one asking of a model, from the request to the reply. Private to
 * src/engine. */
#ifndef HAFT_ENGINE_MODEL_CALL_H
#define HAFT_ENGINE_MODEL_CALL_H

#include "engine/model_progress.h"
#include "io/http/client.h"
#include "model/providers/openai_chat/stream.h"

typedef struct haft__model_call {
    haft_run *run;
    haft__arena arena; /* the request, and the answer */
    haft__request request;
    haft__model_outcome answer; /* of a model that is part of this program */
    uint64_t started_ms;
    haft__timer timer; /* until the answer is due, or the next attempt */
    haft__model_progress progress;

    /* over HTTP */
    uint32_t attempt; /* from 0 */
    haft__http_transfer *transfer;
    haft__buf body;                        /* of the request */
    haft__chat single_chat;                /* a request in another format than the conversation's */
    haft__chat *chat;                      /* that, or the run's */
    const haft__format_tool *format_tools; /* that can be called, those that are taught first */
    haft__buf error_body;                  /* the body of an answer that is no reply */
    haft__openai_stream stream;            /* reads the reply */
    bool streaming;                        /* it has been initialised */
    uint32_t status;                       /* of the answer that arrives */
    haft_status failed;                    /* while it was read, for want of memory */
    haft_error error;
} haft__model_call;

/* The answer is there: records it and goes on. The asking is over. */
void haft__model_call_complete(haft__model_call *call, const haft__model_outcome *answer);

/* Something of ours failed: the run cannot go on. */
void haft__model_call_fail(haft__model_call *call, const haft_error *error);

/* ---- model_call_http.c ---- */

HAFT_MUST_USE haft_status haft__model_call_http_start(haft__model_call *call, haft_error *err);
void haft__model_call_http_stop(haft__model_call *call);

#endif
