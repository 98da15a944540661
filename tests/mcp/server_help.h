/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_help.h - an MCP server with tools t0, t1 ..., and one client. Requests that have begun
 * stay open until the test finishes them. The messages that the server sends are stored, a line
 * each.
 */
#ifndef HAFT_TESTS_MCP_SERVER_HELP_H
#define HAFT_TESTS_MCP_SERVER_HELP_H

#include "mcp/server/server.h"
#include "test.h"

#define META_ONLY(can)                                                                             \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":" can "}"
#define META META_ONLY("{}")

typedef struct mcp_case {
    haft__mcp_server *server;
    haft__mcp_peer *peer;
    haft__mcp_server_handlers served;
    size_t tools;
    haft__json schema;            /* of every tool */
    haft__mcp_request *open[600]; /* begun and not finished */
    size_t open_count, dropped, resumed;
    haft__buf sent;    /* messages sent since the last mcp_take, a line each */
    uint32_t http;     /* status of the last message of kind ANSWER or NONE */
    int answers, ends; /* messages of kind ANSWER, and NONE */
    haft__arena arena;
    uint64_t now;
} mcp_case;

void mcp_open(mcp_case *c);
void mcp_close(mcp_case *c);

/* Receives a message of the client; returns the messages sent for it. Headers may be NULL. */
haft_str mcp_take(mcp_case *c, const char *text, const haft__mcp_headers *headers);

/* The request that was begun last; the test finishes it. */
haft__mcp_request *mcp_take_request(mcp_case *c);

/* Performs the handshake. */
void mcp_greet(mcp_case *c, const char *capabilities);

/* Whether the last messages contain the text. */
bool mcp_sent(const mcp_case *c, const char *part);

#endif
