/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/server/server_int.h - what the files of the server share. Private to src/mcp. */
#ifndef HAFT_MCP_SERVER_SERVER_INT_H
#define HAFT_MCP_SERVER_SERVER_INT_H

#include "base/limits.h"
#include "mcp/server/server.h"

#define HAFT__MCP_META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define HAFT__MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define HAFT__MCP_META_LEVEL        "io.modelcontextprotocol/logLevel"
#define HAFT__MCP_META_SERVER       "io.modelcontextprotocol/serverInfo"
#define HAFT__MCP_META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

struct haft__mcp_server {
    haft__mcp_server_options options;
    haft__mcp_peer *peers;
    haft__mcp_nonces states; /* when they are not shared */
    size_t singles;          /* requests under way of peers that are one each */
};

struct haft__mcp_peer {
    haft__mcp_server *server;
    haft__mcp_peer *next, **link;
    haft__mcp_server_send *send;
    void *context;
    haft_str principal;
    haft__arena arena;
    haft_str version;           /* agreed on; "" before */
    haft__json capabilities;    /* of the client, by its handshake */
    haft__mcp_level level;      /* what it wants to see of our log */
    bool ready;                 /* it has said that it is initialized */
    haft__mcp_request *request; /* under way */
    size_t request_count;
    bool single;
    int64_t questions; /* asked so far: the last id */
};

/* A question to the client. */
typedef struct haft__mcp_open_question {
    haft_str key;
    int64_t id;
    bool there; /* it was answered */
    haft__json answer;
} haft__mcp_open_question;

typedef struct haft__mcp_request_internal {
    haft__mcp_server *server;
    haft__mcp_peer *peer; /* NULL before it is taken */
    haft__mcp_request *next, **link;
    bool linked;     /* it is under way, ... */
    size_t *counted; /* ... and counted there; NULL: nowhere */
    void *stream;
    haft__arena arena;
    haft__mcp_request_kind era;
    haft__rpc_message message;
    bool faulty;
    haft__rpc_fault fault;
    haft_error error; /* what is wrong with it */
    haft_str lost;    /* the answer when there is no memory for one; "" when it is no request */
    haft__json capabilities, token;
    bool logs; /* the client wants to see what is at least of `level` */
    haft__mcp_level level;
    bool progressed;
    uint64_t progress; /* told last */
    haft__mcp_open_question *waiting;
    size_t waiting_count, waiting_room;
    bool wants[HAFT__MCP_LIST_PROMPTS + 1]; /* of LISTEN */
} haft__mcp_request_internal;

/* ---- server.c ---- */

/* A member of the request's `_meta`; NULL when there is none. */
const haft__json *haft__mcp_request_meta(const haft__mcp_request *request, const char *key);

void haft__mcp_request_free(haft__mcp_request *request);

/* Where the requests of a peer are counted. */
size_t *haft__mcp_peer_request_counter(haft__mcp_peer *peer);

/* Appends the versions with a handshake, each as ,"VERSION". */
void haft__mcp_version_list(haft__buf *buf);

/* The log level of that name; false when there is none. */
bool haft__mcp_level_read(haft_str name, haft__mcp_level *ret_level);
const char *haft__mcp_level_name(haft__mcp_level level);

/* ---- methods.c ---- */

/* Does what a request asks for. */
void haft__mcp_request_dispatch(haft__mcp_request *request, const haft__mcp_headers *headers,
                                uint64_t now_ms);

/* ---- begin.c ---- */

/* The requests that whoever serves performs. */
void haft__mcp_request_begin(haft__mcp_request *request, haft__mcp_method verb,
                             const haft__mcp_headers *headers, uint64_t now_ms);

/* ---- request.c ---- */

/* An error that ends it, with the status that it has over HTTP. */
void haft__mcp_request_reject(haft__mcp_request *request, uint32_t http, int64_t code,
                              haft_str message, haft_str data);

/* The same for parameters that are not what they should be. */
void haft__mcp_request_reject_params(haft__mcp_request *request, const char *why);

/* What a client wants to be told of: answers a LISTEN with what it will be. */
void haft__mcp_server_listen(haft__mcp_request *request);

/* Sends a message and finishes `text`. One that could not be written is lost, unless it is the
 * answer: that becomes an error. */
void haft__mcp_request_send(haft__mcp_request *request, haft__mcp_server_message_kind kind,
                            uint32_t http, haft__buf *text);

/* Answers with a result of this kind ("complete", "input_required"); it is gone then. */
void haft__mcp_request_reply_kind(haft__mcp_request *request, const char *kind, haft_str members);

/* ---- question.c ---- */

/* Takes an answer to a question; false when nobody asked. */
bool haft__mcp_peer_take_answer(haft__mcp_peer *peer, const haft__rpc_message *message);

/* The request ends: its client need not answer any more. */
void haft__mcp_request_withdraw_questions(haft__mcp_request *request);

/* Appends what a request belongs to, for what its client keeps for us. */
void haft__mcp_request_write_binding(const haft__mcp_request *request, haft__buf *buf);

/* Whether a state of that number is open, and it is so no more: each is answered once. */
bool haft__mcp_nonces_consume(haft__mcp_server *server, uint64_t number);

/* ---- headers.c ---- */

/* Whether the headers say the same as the request; else it is refused. */
bool haft__mcp_headers_check(haft__mcp_request *request, const haft__mcp_headers *headers);

/* The same for arguments that their tool's schema wants in headers. */
bool haft__mcp_headers_check_arguments(haft__mcp_request *request, const haft__json *schema,
                                       const haft__mcp_headers *headers);

#endif
