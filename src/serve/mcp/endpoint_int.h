/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/endpoint_int.h - shared by the files of MCP over HTTP. A server has sessions, a session
 * has channels, and each channel is the stream of one response or of messages without a request.
 */
#ifndef HAFT_SERVE_MCP_ENDPOINT_INT_H
#define HAFT_SERVE_MCP_ENDPOINT_INT_H

#include "serve/mcp/endpoint.h"
#include "serve/mcp/stream.h"

#define HAFT__MCP_SESSION_ID_BYTES 16
#define HAFT__MCP_REQUEST_ID_BYTES 64 /* a longer id is not repeated in messages */

typedef struct haft__mcp_session haft__mcp_session;

/* A stream and its owner: a session, or a single request. */
typedef struct haft__mcp_channel {
    haft__mcp_stream stream;
    haft__mcp_endpoint *endpoint;
    haft__mcp_session *owner; /* NULL: a single request, ... */
    haft__mcp_peer *peer;     /* ... with this peer */
    struct haft__mcp_channel *next, **link;
    bool destroyed; /* `task` frees it */
    haft__task task;
    size_t counted_bytes; /* buffered bytes, as included in the sums below */
    char request_id[HAFT__MCP_REQUEST_ID_BYTES];
} haft__mcp_channel;

struct haft__mcp_session {
    haft__mcp_endpoint *endpoint;
    haft__mcp_session *next, *previous;
    char id[2 * HAFT__MCP_SESSION_ID_BYTES + 1];
    haft__mcp_peer *peer;
    haft__mcp_channel *channels; /* the newest first */
    haft__mcp_channel *push; /* for messages without a request; NULL until its client opens it */
    uint64_t streams;        /* count so far */
    uint64_t used_ms;
    haft_str principal; /* in `principal_text` */
    char *principal_text;
    size_t buffered_bytes; /* of all its streams */
};

struct haft__mcp_endpoint {
    haft__mcp_endpoint_options options;
    haft__http_server *server; /* NULL: requests come from another server */
    haft_str principal;        /* of the request that is being handled, if it does */
    haft__mcp_session *sessions;
    size_t session_count;
    haft__mcp_channel *channels; /* of single requests */
    haft__timer sweep;
    size_t buffered_bytes; /* of all sessions */
};

/* ---- channels ---- */

/* Creates a channel for `request`, of a session or (NULL) of a single request; NULL when out of
 * memory. */
haft__mcp_channel *haft__mcp_channel_create(haft__mcp_endpoint *endpoint, haft__mcp_session *owner,
                                            haft__http_server_request *request);
void haft__mcp_channel_destroy(haft__mcp_channel *c);

/* Continues in another request with the events that the client has not received. */
void haft__mcp_channel_resume(haft__mcp_channel *c, haft__http_server_request *request,
                              uint64_t seen);

/* The send function of mcp/server: the context is the session, or NULL; the stream is a channel. */
void haft__mcp_channel_send(void *context, void *stream, const haft__mcp_server_message *sent);

/* ---- sessions ---- */

/* Evicts a session if there are too many; NULL when out of memory. */
haft__mcp_session *haft__mcp_session_create(haft__mcp_endpoint *endpoint);
void haft__mcp_session_destroy(haft__mcp_session *s);

/* The session that a request names; NULL and an HTTP status if it does not exist. */
haft__mcp_session *haft__mcp_session_find(haft__mcp_endpoint *endpoint,
                                          haft__http_server_request *request, uint32_t *ret_status);
const char *haft__mcp_session_error_message(uint32_t status);

/* Keeps only the newest of the finished streams for replay. */
void haft__mcp_session_evict_old(haft__mcp_session *s);

/* Ends its streams; clients that wait for one get the reason. */
void haft__mcp_session_end(haft__mcp_session *s);

/* ---- requests ---- */

void haft__mcp_endpoint_post(haft__mcp_endpoint *endpoint, haft__http_server_request *request);
void haft__mcp_endpoint_get(haft__mcp_endpoint *endpoint, haft__http_server_request *request);
void haft__mcp_endpoint_delete(haft__mcp_endpoint *endpoint, haft__http_server_request *request);

void haft__mcp_endpoint_reject(haft__http_server_request *request, uint32_t status,
                               const char *why);

/* The principal of the requests, if known. */
haft_str haft__mcp_endpoint_principal(const haft__mcp_endpoint *endpoint);

#endif
