/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_help.h - an MCP server for tests, with the tools t0, t1 ... and one client. Its handlers
 * do not reply: a request stays open until the test replies to it. The messages that the server
 * sends are collected, one per line.
 */
#ifndef HAFT_TESTS_MCP_SERVER_HELP_H
#define HAFT_TESTS_MCP_SERVER_HELP_H

#include "mcp/server/server.h"
#include "test.h"

/* The member `_meta` of a request of a client with these capabilities. */
#define META_WITH(capabilities)                                                                    \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"
#define META META_WITH("{}")

typedef struct mcp_case {
    haft__mcp_server *server;
    haft__mcp_peer *peer;
    haft__mcp_server_handlers served;
    size_t tools;                 /* number of tools */
    haft__json schema;            /* of every tool */
    haft__mcp_request *open[600]; /* requests without a reply */
    size_t open_count;
    size_t dropped, resumed; /* how often the handlers `drop` and `resume` were called */
    haft__buf sent;          /* messages sent since mcp_receive was last called, one per line */
    uint32_t http;           /* HTTP status of the last message of kind ANSWER or NONE */
    int answers;             /* number of messages of kind ANSWER */
    int ends;                /* number of messages of kind NONE */
    haft__arena arena;
    uint64_t now; /* milliseconds */
} mcp_case;

void mcp_open(mcp_case *c);
void mcp_close(mcp_case *c);

/* Passes a message of the client to the server. Returns the messages that the server sent
 * meanwhile, one per line. `headers` may be NULL. */
haft_str mcp_receive(mcp_case *c, const char *text, const haft__mcp_headers *headers);

/* Removes the newest open request from `open`; the test must reply to it. */
haft__mcp_request *mcp_pop_request(mcp_case *c);

/* Performs the handshake of clients that do not send `_meta`. */
void mcp_initialize(mcp_case *c, const char *capabilities);

/* Whether `part` occurs in `sent`. */
bool mcp_sent_contains(const mcp_case *c, const char *part);

#endif
