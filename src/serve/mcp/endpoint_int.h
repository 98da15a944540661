/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/endpoint_int.h - what the files of MCP over HTTP share: a server has sessions, a
 * session has channels, and each channel is a stream of one answer or of what belongs to none.
 */
#ifndef HAFT_SERVE_MCP_ENDPOINT_INT_H
#define HAFT_SERVE_MCP_ENDPOINT_INT_H

#include "serve/mcp/endpoint.h"
#include "serve/mcp/stream.h"

#define HAFT__MCP_SESSION_ID_BYTES 16
#define HAFT__MCP_REQUEST_ID_BYTES 64 /* a longer one is not told again */

typedef struct haft__mcp_session haft__mcp_session;

/* A stream, and whose it is: a session's, or one of its own. */
typedef struct haft__mcp_channel {
    haft__mcp_stream stream;
    haft__mcp_endpoint *http;
    haft__mcp_session *owner; /* NULL: it stands for itself, ... */
    haft__mcp_peer *peer;     /* ... and this is the peer it stands for */
    struct haft__mcp_channel *next, **link;
    bool dead; /* `task` clears it away */
    haft__task task;
    size_t counted; /* bytes it keeps, as they are in the sums below */
    char request_id[HAFT__MCP_REQUEST_ID_BYTES];
} haft__mcp_channel;

struct haft__mcp_session {
    haft__mcp_endpoint *http;
    haft__mcp_session *next, **link;
    char id[2 * HAFT__MCP_SESSION_ID_BYTES + 1];
    haft__mcp_peer *peer;
    haft__mcp_channel *channels; /* the newest first */
    haft__mcp_channel *push; /* for what belongs to no request; NULL before its client has asked */
    uint64_t streams;        /* so far */
    uint64_t used_ms;
    size_t kept; /* bytes of all its streams, to be read again */
};

struct haft__mcp_endpoint {
    haft__mcp_endpoint_options options;
    haft__http_server *server;
    haft__mcp_session *sessions;
    size_t session_count;
    haft__mcp_channel *channels; /* that stand for themselves */
    haft__timer sweep;
    size_t kept; /* bytes, of all sessions */
};

/* ---- channels ---- */

/* One for `request`, of a session or (NULL) of its own; NULL for want of memory. */
haft__mcp_channel *haft__mcp_channel_create(haft__mcp_endpoint *http, haft__mcp_session *owner,
                                            haft__http_server_request *request);
void haft__mcp_channel_destroy(haft__mcp_channel *c);

/* Goes on with what the client has not seen, in another request. */
void haft__mcp_channel_resume(haft__mcp_channel *c, haft__http_server_request *request,
                              uint64_t seen);

/* What the pure server sends: the context is the session, or NULL, the stream a channel. */
void haft__mcp_channel_send(void *context, void *stream, const haft__mcp_server_message *sent);

/* ---- sessions ---- */

/* Another one goes where there are too many; NULL for want of memory. */
haft__mcp_session *haft__mcp_session_create(haft__mcp_endpoint *http);
void haft__mcp_session_destroy(haft__mcp_session *s);

/* The session that a request names; NULL and a status of HTTP when there is none. */
haft__mcp_session *haft__mcp_session_find(haft__mcp_endpoint *http,
                                          haft__http_server_request *request, uint32_t *ret_status);
const char *haft__mcp_session_error_message(uint32_t status);

/* Of the streams that are over, only the newest stay to be read again. */
void haft__mcp_session_evict_old(haft__mcp_session *s);

/* Ends its streams; whoever waits for one is told why. */
void haft__mcp_session_end(haft__mcp_session *s);

/* ---- requests ---- */

void haft__mcp_endpoint_post(haft__mcp_endpoint *http, haft__http_server_request *request);
void haft__mcp_endpoint_get(haft__mcp_endpoint *http, haft__http_server_request *request);
void haft__mcp_endpoint_delete(haft__mcp_endpoint *http, haft__http_server_request *request);

void haft__mcp_endpoint_reject(haft__http_server_request *request, uint32_t status,
                               const char *why);

/* Who asks, as far as that is known. */
haft_str haft__mcp_endpoint_principal(const haft__mcp_endpoint *http);

#endif
