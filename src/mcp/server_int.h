/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/server_int.h - what the files of the server share. Private to src/mcp. */
#ifndef HAFT_MCP_SERVER_INT_H
#define HAFT_MCP_SERVER_INT_H

#include "mcp/server.h"

#define HAFT__MCP_META_VERSION  "io.modelcontextprotocol/protocolVersion"
#define HAFT__MCP_META_CAN      "io.modelcontextprotocol/clientCapabilities"
#define HAFT__MCP_META_LEVEL    "io.modelcontextprotocol/logLevel"
#define HAFT__MCP_META_SERVER   "io.modelcontextprotocol/serverInfo"
#define HAFT__MCP_META_LISTENER "io.modelcontextprotocol/subscriptionId"

struct haft__mcp_server {
    haft__mcp_server_options options;
    haft__mcp_peer *peers;
};

struct haft__mcp_peer {
    haft__mcp_server *server;
    haft__mcp_peer *next, **link;
    haft__mcp_send *send;
    void *context;
    haft_str principal;
    haft__arena arena;
    haft_str version;        /* agreed on; "" before */
    haft__json capabilities; /* of the client, by its handshake */
    haft__mcp_level level;   /* what it wants to see of our log */
    bool ready;              /* it has said that it is initialized */
    haft__mcp_asked *asked;  /* under way */
    size_t asked_count;
    int64_t questions; /* asked so far: the last id */
};

/* A question that waits for the client. */
typedef struct haft__mcp_waiting {
    haft_str key;
    int64_t id;
    bool there;
    haft__json answer;
} haft__mcp_waiting;

typedef struct haft__mcp_asked_own {
    haft__mcp_server *server;
    haft__mcp_peer *peer; /* NULL before it is taken */
    haft__mcp_asked *next, **link;
    bool linked; /* it is under way */
    void *stream;
    haft__arena arena;
    haft__mcp_era era;
    haft__rpc_message message;
    bool faulty;
    haft__rpc_fault fault;
    haft_error error; /* what is wrong with it */
    haft__json capabilities, token;
    bool logs; /* the client wants to see what is at least of `level` */
    haft__mcp_level level;
    bool progressed;
    uint64_t progress; /* told last */
    haft__mcp_waiting *waiting;
    size_t waiting_count, waiting_open;
    bool wants[HAFT__MCP_LIST_PROMPTS + 1]; /* of LISTEN */
} haft__mcp_asked_own;

/* ---- server.c ---- */

/* A member of the request's `_meta`; NULL when there is none. */
const haft__json *haft__mcp_meta(const haft__mcp_asked *asked, const char *key);

void haft__mcp_asked_free(haft__mcp_asked *asked);

/* The log level of that name; false when there is none. */
bool haft__mcp_level_read(haft_str name, haft__mcp_level *ret_level);
const char *haft__mcp_level_name(haft__mcp_level level);

/* ---- server_methods.c ---- */

/* Does what a request asks for. */
void haft__mcp_perform(haft__mcp_asked *asked, const haft__mcp_headers *headers, uint64_t now_ms);

/* ---- server_verbs.c ---- */

/* The requests that whoever serves performs. */
void haft__mcp_verb_begin(haft__mcp_asked *asked, haft__mcp_verb verb,
                          const haft__mcp_headers *headers, uint64_t now_ms);

/* ---- server_asked.c ---- */

/* An error that ends it, with the status that it has over HTTP. */
void haft__mcp_asked_refuse(haft__mcp_asked *asked, uint32_t http, int64_t code, haft_str message,
                            haft_str data);

/* Takes an answer to a question; false when nobody asked. */
bool haft__mcp_asked_hear(haft__mcp_peer *peer, const haft__rpc_message *message);

/* Appends what a request belongs to, for what its client keeps for us. */
void haft__mcp_asked_about(const haft__mcp_asked *asked, haft__buf *buf);

/* What a client wants to be told of: answers a LISTEN with what it will be. */
void haft__mcp_server_listen(haft__mcp_asked *asked);

/* ---- server_headers.c ---- */

/* Whether the headers say the same as the request; else it is refused. */
bool haft__mcp_headers_agree(haft__mcp_asked *asked, const haft__mcp_headers *headers);

/* The same for arguments that their tool's schema wants in headers. */
bool haft__mcp_headers_arguments(haft__mcp_asked *asked, const haft__json *schema,
                                 const haft__mcp_headers *headers);

#endif
