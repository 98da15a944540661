/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/api/call.h - one request to a route, from its arrival to its response.
 *
 * A handler responds immediately, or submits a store request and responds in a later step. Handlers
 * and their steps run outside of the loop's callbacks (haft__api_gateway_run), so they may call
 * operations that step the loop. After the response, or when the client has disconnected, no
 * further step is called, and the call is freed when nothing refers to it.
 */
#ifndef HAFT_SERVE_API_CALL_H
#define HAFT_SERVE_API_CALL_H

#include "base/buf.h"
#include "engine/runtime.h"
#include "io/server/server.h"
#include "serve/api/route.h"
#include "json/object.h"

typedef struct haft__api_gateway haft__api_gateway;
typedef void haft__api_step(haft__api_call *call);

#define HAFT__REQUEST_ID_SIZE 33

struct haft__api_call {
    haft__api_gateway *gateway;
    void *context;                      /* of the gateway: what its handlers serve */
    haft__http_server_request *request; /* NULL after the response or a disconnect */
    const haft__route *route;
    haft__principal who;
    haft__arena arena;
    haft__path_params params;
    haft_str query;
    haft__json body; /* valid for the schema of the route; null without one */
    char request_id[HAFT__REQUEST_ID_SIZE];
    uint64_t started_ms; /* monotonic */
    bool is_head;

    void *state;  /* of the handler, in `arena` */
    void *loaded; /* the run that the handler has read */
    /* Called once when the client disconnects, or a step responds, while it is set. Must release
     * what `holds` counts, and then call haft__api_release. May be NULL. */
    haft__api_step *on_gone;
    size_t holds; /* objects outside of the call that refer to it */

    /* Gets each problem in place of the client: for a request with several parts. May be NULL. */
    void (*intercept)(haft__api_call *call, uint32_t status, const haft_error *error);

    haft__store_request store;
    haft__api_step *next; /* the step to run */
    bool queued, running, busy;
    haft__api_call *queue_next;           /* in the gateway's queue */
    haft__api_call *all_next, **all_link; /* in the list of all calls */
};

/* Runs `next` soon, outside of the loop's callbacks. */
void haft__api_continue(haft__api_call *call, haft__api_step *next);

/* Submits call->store, whose results live in the call's arena, and runs `next` after it. */
void haft__api_submit(haft__api_call *call, haft__api_step *next);

/* Frees the call if nothing needs it any more. Called after `holds` was decreased. */
void haft__api_release(haft__api_call *call);

/* A parameter of the query. .ptr is NULL if it is missing. */
haft_str haft__api_query(haft__api_call *call, const char *name);

/* Reads an integer of the query from `least` to `most`. Responds with 400 and returns false for
 * another text. */
bool haft__api_query_number(haft__api_call *call, const char *name, uint64_t least, uint64_t most,
                            uint64_t fallback, uint64_t *ret_number);

/* Whether the flag of the query is "1" or "true". */
bool haft__api_query_flag(haft__api_call *call, const char *name);

/* ---- responses: each finishes the request ---- */

typedef struct haft__api_reply {
    uint32_t status;
    haft_str content_type;
    const haft__http_server_field *fields;
    size_t field_count;
} haft__api_reply;

void haft__api_reply_with(haft__api_call *call, const haft__api_reply *reply, haft_str body);
/* JSON in `body`, whose failure is answered with 500 or 503. */
void haft__api_reply_json(haft__api_call *call, uint32_t status, const haft__buf *body);
void haft__api_reply_empty(haft__api_call *call);

/* A problem (RFC 9457) with the error in `error`. The second form derives the HTTP status. */
void haft__api_problem(haft__api_call *call, uint32_t status, const haft_error *error);
void haft__api_fail(haft__api_call *call, const haft_error *error);
void haft__api_reject(haft__api_call *call, uint32_t status, haft_status kind, const char *message);

/* Begins a streamed response with these further fields. */
void haft__api_begin(haft__api_call *call, const haft__api_reply *reply);
/* Ends a streamed response; `cut` drops the connection. */
void haft__api_end(haft__api_call *call, bool cut);

/* The HTTP status for an error. */
uint32_t haft__api_http_status(haft_status status);

/* The phrase of an HTTP status: "Not Found". */
const char *haft__api_phrase(uint32_t status);

/* Appends a problem. */
void haft__api_problem_write(haft__buf *buf, uint32_t status, const haft_error *error,
                             haft_str instance);

#endif
