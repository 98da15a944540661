/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/endpoint.h - an MCP server over Streamable HTTP: POST, GET and DELETE of /mcp.
 *
 * A client with a handshake has a session, whose id is unguessable but not an authentication;
 * serve/mcp/access.h controls access. Streams of a session outlive their connection for a while. A
 * request without a handshake is independent, and ends when its client disconnects.
 */
#ifndef HAFT_SERVE_MCP_ENDPOINT_H
#define HAFT_SERVE_MCP_ENDPOINT_H

#include "io/server/server.h"
#include "mcp/server/server.h"
#include "serve/mcp/access.h"

typedef struct haft__mcp_endpoint haft__mcp_endpoint;

typedef struct haft__mcp_endpoint_options {
    haft__loop *loop;
    haft__mcp_server *server;
    haft_str address;                    /* in the format of haft__listener_open */
    haft__mcp_access_rules access_rules; /* without `loopback` and `address`; borrowed texts */
    const char *path; /* not NULL: the endpoint has no server of its own, and gets the requests of
                       * this path with haft__mcp_endpoint_handle. Not borrowed longer than it */
    size_t sessions;  /* maximum; 0: HAFT__LIMIT_MCP_SESSIONS */
    uint64_t idle_ms; /* of a session; 0: HAFT__LIMIT_MCP_SESSION_IDLE_MS */
} haft__mcp_endpoint_options;

/* BAD_INPUT for a non-loopback address without a token; else as haft__http_server_create. */
HAFT_MUST_USE haft_status haft__mcp_endpoint_create(const haft__mcp_endpoint_options *options,
                                                    haft__mcp_endpoint **ret_endpoint,
                                                    haft_error *err);

/* Closes every connection and drops open requests. */
void haft__mcp_endpoint_destroy(haft__mcp_endpoint *endpoint);

haft_str haft__mcp_endpoint_address(const haft__mcp_endpoint *endpoint);

/* Number of sessions, and of buffered bytes. */
size_t haft__mcp_endpoint_session_count(const haft__mcp_endpoint *endpoint);
size_t haft__mcp_endpoint_buffered_bytes(const haft__mcp_endpoint *endpoint);

/* A request of a server whose guard has accepted it. Sessions belong to their `principal`. */
void haft__mcp_endpoint_handle(haft__mcp_endpoint *endpoint, haft__http_server_request *request,
                               haft_str principal);
/* Whether the body of such a request shall be read. */
bool haft__mcp_endpoint_accept_body(const haft__mcp_endpoint *endpoint,
                                    const haft__http_server_request *request);

/* Closes the connection of an open request; its client reconnects for the response. Only for
 * requests of sessions. */
void haft__mcp_endpoint_pause(haft__mcp_request *mcp_request);

#endif
