/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/endpoint.h - an MCP server over Streamable HTTP: POST, GET and DELETE of /mcp.
 *
 * A client with a handshake has a session, whose id is unguessable but proves nothing; who may come
 * at all is serve/mcp/access.h. Streams of a session survive their connection for a while. A
 * request without a handshake stands for itself, and is over when its client leaves.
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
    haft_str address;             /* as haft__listener_open takes it */
    haft__mcp_access_rules guard; /* `loopback` and `address` are found out; texts are borrowed */
    size_t sessions;              /* at most; 0: HAFT__LIMIT_MCP_SESSIONS */
    uint64_t idle_ms;             /* of a session; 0: HAFT__LIMIT_MCP_SESSION_IDLE_MS */
} haft__mcp_endpoint_options;

/* BAD_INPUT for an address that others can reach when there is no token; else as
 * haft__http_server_create. */
HAFT_MUST_USE haft_status haft__mcp_endpoint_create(const haft__mcp_endpoint_options *options,
                                                    haft__mcp_endpoint **ret_http, haft_error *err);

/* Cuts every connection and drops what is under way. */
void haft__mcp_endpoint_destroy(haft__mcp_endpoint *http);

haft_str haft__mcp_endpoint_address(const haft__mcp_endpoint *http);

/* How many sessions there are, and bytes that are kept to be read again. */
size_t haft__mcp_endpoint_session_count(const haft__mcp_endpoint *http);
size_t haft__mcp_endpoint_buffered_bytes(const haft__mcp_endpoint *http);

/* Ends the connection of a request under way; its client comes again for the answer. For requests
 * of sessions only. */
void haft__mcp_endpoint_pause(haft__mcp_request *mcp_request);

#endif
