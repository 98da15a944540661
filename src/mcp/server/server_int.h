/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/server/server_int.h - shared by the files of the server. Private to its folder. */
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
    haft__mcp_nonces nonces; /* used if the application does not share nonces */
    size_t singles;          /* open requests of single-request peers */
};

struct haft__mcp_peer {
    haft__mcp_server *server;
    haft__mcp_peer *next, **link;
    haft__mcp_server_send *send;
    void *context;
    haft_str principal;
    haft__arena arena;
    haft_str version;           /* the negotiated version; "" before the handshake */
    haft__json capabilities;    /* capabilities of the client, from its handshake */
    haft__mcp_level level;      /* minimum level of log messages to the client */
    bool ready;                 /* the client has sent `initialized` */
    haft__mcp_request *request; /* open requests */
    size_t request_count;
    bool single;
    int64_t questions; /* last used id of a question */
};

/* A question to the client. */
typedef struct haft__mcp_open_question {
    haft_str key;
    int64_t id;
    bool answered;
    haft__json answer;
} haft__mcp_open_question;

typedef struct haft__mcp_request_internal {
    haft__mcp_server *server;
    haft__mcp_peer *peer; /* NULL before a peer receives it */
    haft__mcp_request *next, **link;
    bool linked; /* the request is in the list of open requests */
    size_t
        *counted; /* the counter of open requests that includes this request; NULL: not counted */
    void *stream;
    haft__arena arena;
    haft__mcp_request_kind era;
    haft__rpc_message message;
    bool faulty;
    haft__rpc_fault fault;
    haft_error error;  /* the error of an invalid request */
    haft_str fallback; /* the response when out of memory; "" if it is not a request */
    haft__json capabilities, token;
    bool logs; /* the client requested log messages from `level` on */
    haft__mcp_level level;
    bool progressed;
    uint64_t progress; /* last reported progress */
    haft__mcp_open_question *waiting;
    size_t waiting_count, waiting_capacity;
    bool wants[HAFT__MCP_LIST_PROMPTS + 1]; /* of LISTEN: the lists whose changes are reported */
} haft__mcp_request_internal;

/* ---- server.c ---- */

/* A member of the request's `_meta`; NULL if missing. */
const haft__json *haft__mcp_request_meta(const haft__mcp_request *request, const char *key);

void haft__mcp_request_free(haft__mcp_request *request);

/* The counter for open requests of a peer. */
size_t *haft__mcp_peer_request_counter(haft__mcp_peer *peer);

/* Appends the versions with a handshake, each as ,"VERSION". */
void haft__mcp_version_list(haft__buf *buf);

/* The log level of that name; false if it is unknown. */
bool haft__mcp_level_read(haft_str name, haft__mcp_level *ret_level);
const char *haft__mcp_level_name(haft__mcp_level level);

/* ---- methods.c ---- */

/* Handles a request. */
void haft__mcp_request_dispatch(haft__mcp_request *request, const haft__mcp_headers *headers,
                                uint64_t now_ms);

/* ---- begin.c ---- */

/* Begins a request that the application handles. */
void haft__mcp_request_begin(haft__mcp_request *request, haft__mcp_method verb,
                             const haft__mcp_headers *headers, uint64_t now_ms);

/* ---- request.c ---- */

/* Ends the request with an error and its HTTP status. */
void haft__mcp_request_reject(haft__mcp_request *request, uint32_t http, int64_t code,
                              haft_str message, haft_str data);

/* Ends the request with an error for invalid parameters. */
void haft__mcp_request_reject_params(haft__mcp_request *request, const char *why);

/* Handles LISTEN: replies with the accepted subscriptions. */
void haft__mcp_server_listen(haft__mcp_request *request);

/* Sends a message and frees `text`. A message that could not be written is dropped; a response that
 * could not be written becomes an error. */
void haft__mcp_request_send(haft__mcp_request *request, haft__mcp_server_message_kind kind,
                            uint32_t http, haft__buf *text);

/* Replies with a result of this kind ("complete", "input_required") and frees the request. */
void haft__mcp_request_reply_kind(haft__mcp_request *request, const char *kind, haft_str members);

/* ---- question.c ---- */

/* Handles the answer to a question; false if no such question is open. */
bool haft__mcp_peer_handle_answer(haft__mcp_peer *peer, const haft__rpc_message *message);

/* Withdraws the open questions of a request that ends. */
void haft__mcp_request_withdraw_questions(haft__mcp_request *request);

/* Appends the binding of a request, for sealing the state that its client stores. */
void haft__mcp_request_write_binding(const haft__mcp_request *request, haft__buf *buf);

/* Marks the state with this number as used; false if it is not open. Each state is valid once. */
bool haft__mcp_nonces_consume(haft__mcp_server *server, uint64_t number);

/* ---- headers.c ---- */

/* Whether the headers match the request; if not, the request is rejected. */
bool haft__mcp_headers_check(haft__mcp_request *request, const haft__mcp_headers *headers);

/* Like haft__mcp_headers_check, for arguments that the schema of the tool requires in headers. */
bool haft__mcp_headers_check_arguments(haft__mcp_request *request, const haft__json *schema,
                                       const haft__mcp_headers *headers);

#endif
