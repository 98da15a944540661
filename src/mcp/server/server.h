/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/server/server.h - the server side of MCP, both eras: parses messages of clients and produces
 * the messages to send. No I/O and no clock: the host passes messages in and sends the output.
 *
 *     server   the served tools, prompts and resources, for all clients: a table of functions
 *     peer     one client: a process on stdio, a session over HTTP, or a single HTTP request
 *     request  one open request of a client; its peer owns it, and its id is unique only there
 *
 * Up to 2025-11-25 a client opens with `initialize`; since 2026-07-28 every request has its context
 * in `_meta`, and the server stores nothing between requests. A peer on stdio may use either.
 */
#ifndef HAFT_MCP_SERVER_SERVER_H
#define HAFT_MCP_SERVER_SERVER_H

#include "base/limits.h"
#include "mcp/rpc.h"
#include "mcp/seal.h"

#define HAFT__MCP_SERVER_MODERN_VERSION "2026-07-28"
#define HAFT__MCP_SERVER_LEGACY_VERSION "2025-11-25" /* the newest version with a handshake */

/* Whether the version uses a handshake. */
bool haft__mcp_version_has_handshake(haft_str version);

typedef struct haft__mcp_server haft__mcp_server;
typedef struct haft__mcp_peer haft__mcp_peer;
typedef struct haft__mcp_request haft__mcp_request;

/* ---- handlers ---- */

typedef enum haft__mcp_list {
    HAFT__MCP_LIST_TOOLS,
    HAFT__MCP_LIST_RESOURCES,
    HAFT__MCP_LIST_TEMPLATES,
    HAFT__MCP_LIST_PROMPTS,
} haft__mcp_list;

typedef enum haft__mcp_method {
    HAFT__MCP_METHOD_CALL,      /* tools/call: `name`, `arguments` */
    HAFT__MCP_METHOD_PROMPT,    /* prompts/get: `name`, `arguments` */
    HAFT__MCP_METHOD_READ,      /* resources/read: `name` is the URI */
    HAFT__MCP_METHOD_COMPLETE,  /* completion/complete: `params` */
    HAFT__MCP_METHOD_SUBSCRIBE, /* resources/subscribe and unsubscribe: `name` is the URI */
    HAFT__MCP_METHOD_UNSUBSCRIBE,
    HAFT__MCP_METHOD_LISTEN, /* subscriptions/listen; the server handles it itself */
} haft__mcp_method;

/* Every function is called with the context of the server. NULL for a feature that is not served.
 */
typedef struct haft__mcp_server_handlers {
    bool prompts, resources, completions, logging;
    bool changes; /* the lists can change: haft__mcp_server_changed */
    size_t (*count)(void *context, haft__mcp_list list);
    /* Appends one entry of a list, a JSON object. The order is stable. */
    void (*write)(void *context, haft__mcp_list list, size_t index, bool modern, haft__buf *buf);
    /* The input schema of a tool; NULL if the tool does not exist. */
    const haft__json *(*schema)(void *context, haft_str tool);
    /* Begins a request. The application must finish the request once, now or later, with
     * haft__mcp_request_reply, haft__mcp_request_reply_text or haft__mcp_request_fail. Before that
     * it may ask the client. */
    void (*begin)(void *context, haft__mcp_request *request);
    /* The client has answered a question: `answers` has all answers so far. */
    void (*resume)(void *context, haft__mcp_request *request);
    /* The request was cancelled: it is freed when this returns. */
    void (*drop)(void *context, haft__mcp_request *request);
} haft__mcp_server_handlers;

/* The numbers of the states that clients store for the server: which were issued, and which of the
 * newest were used. So each state is valid for one request. */
typedef struct haft__mcp_nonces {
    uint64_t last_issued;                           /* the last issued number */
    uint64_t answered[HAFT__LIMIT_MCP_STATES / 64]; /* a bit for each of the newest */
} haft__mcp_nonces;

/* Issues a number, or marks the given one as used; false if that is impossible. */
typedef bool haft__mcp_nonces_update(haft__mcp_nonces *states, uint64_t *number);

typedef struct haft__mcp_server_options {
    haft_str name, version,
        instructions; /* name and version of this server; all texts are borrowed */
    haft_str title;   /* the name for people; "" for none */
    const haft__mcp_server_handlers *served;
    void *context;
    haft__seal_key key; /* random: seals the states that clients store for the server */
    /* For several processes that accept each other's sealed states: applies the change to the
     * shared nonces and stores them. False if the change was rejected or not stored. NULL: the
     * server keeps its own. */
    bool (*share)(void *context, haft__mcp_nonces_update *change, uint64_t *number);
    void *share_context;
    haft__hash_key hash_key;
} haft__mcp_server_options;

HAFT_MUST_USE haft_status haft__mcp_server_create(const haft__mcp_server_options *options,
                                                  haft__mcp_server **ret_server, haft_error *err);
/* Its peers must be destroyed first. */
void haft__mcp_server_destroy(haft__mcp_server *server);

/* A list has changed: notifies every subscribed client. */
void haft__mcp_server_changed(haft__mcp_server *server, haft__mcp_list list);

/* ---- output ---- */

typedef enum haft__mcp_server_message_kind {
    HAFT__MCP_MESSAGE_PART,   /* a message of a request whose response is still to come */
    HAFT__MCP_MESSAGE_ANSWER, /* the last message of a request */
    HAFT__MCP_MESSAGE_NONE,   /* no response to this message, or no further message */
    HAFT__MCP_MESSAGE_PUSH,   /* not part of a request: `stream` is NULL */
} haft__mcp_server_message_kind;

typedef struct haft__mcp_server_message {
    haft__mcp_server_message_kind kind;
    uint32_t http; /* of ANSWER and NONE: the status, if nothing was sent before */
    haft_str text; /* one JSON text without line ends; borrowed */
} haft__mcp_server_message;

/* `stream` is the stream that was passed with the request. */
typedef void haft__mcp_server_send(void *context, void *stream,
                                   const haft__mcp_server_message *sent);

/* ---- clients ---- */

/* `principal` is the authenticated identity of the client, "" for anonymous; a sealed state is
 * valid only for the same identity. */
HAFT_MUST_USE haft_status haft__mcp_peer_create(haft__mcp_server *server, haft_str principal,
                                                haft__mcp_server_send *send, void *context,
                                                haft__mcp_peer **ret_peer, haft_error *err);

/* Marks the peer as a single request of an otherwise unknown client: all such peers share the
 * request limit of one peer. LISTEN requests do not count. */
void haft__mcp_peer_set_single_request(haft__mcp_peer *peer);

/* Drops the open requests of the peer; sends nothing. */
void haft__mcp_peer_destroy(haft__mcp_peer *peer);

/* The version negotiated by a handshake; "" before, and without one. */
haft_str haft__mcp_peer_version(const haft__mcp_peer *peer);

/* Headers of an HTTP request that repeat parts of its body. .ptr is NULL for a missing one. */
typedef struct haft__mcp_headers {
    haft_str version, method, name;
    haft_str (*get)(void *context, const char *name); /* any other header */
    void *context;
} haft__mcp_headers;

/* The era of a message, which decides the peer that may receive it. */
typedef enum haft__mcp_request_kind {
    HAFT__MCP_REQUEST_INITIALIZE, /* `initialize`: a new session */
    HAFT__MCP_REQUEST_LEGACY,     /* a message of a session */
    HAFT__MCP_REQUEST_MODERN,     /* independent of a session */
    HAFT__MCP_REQUEST_INVALID,    /* not a valid message: haft__mcp_peer_receive rejects it */
} haft__mcp_request_kind;

/* Parses a message; `text` is copied. `headers` is NULL on stdio. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__mcp_request_read(haft__mcp_server *server, haft_str text,
                                                 const haft__mcp_headers *headers,
                                                 haft__mcp_request **ret_asked, haft_error *err);
haft__mcp_request_kind haft__mcp_request_kind_of(const haft__mcp_request *request);
/* The id of the request; null if it is not a request. */
haft__json haft__mcp_request_id(const haft__mcp_request *request);

/* Handles a parsed message of any kind; the peer owns it from then on. Its output is sent to
 * `stream` now or later; an ANSWER or NONE comes last. `now_ms` is since 1970. */
void haft__mcp_peer_receive(haft__mcp_peer *peer, haft__mcp_request *request,
                            const haft__mcp_headers *headers, void *stream, uint64_t now_ms);

/* Rejects a message without a peer: appends the response and frees the message. */
void haft__mcp_request_reject_message(haft__mcp_request *request, int64_t code, const char *why,
                                      haft__buf *buf);

/* ---- open requests, for the application ---- */

struct haft__mcp_request {
    haft__mcp_method verb;
    haft_str name;
    haft__json arguments; /* an object */
    haft__json params;    /* the whole params, an object or null */
    haft__json answers;   /* answers to questions, by key; null if none were asked */
    haft_str state; /* the state passed to haft__mcp_request_ask in an earlier request; else "" */
    bool modern;
    void *user; /* owned by the application; NULL at first */
    struct haft__mcp_request_internal *own;
};

/* Whether the client has a capability: "elicitation", "sampling", "roots". */
bool haft__mcp_request_client_supports(const haft__mcp_request *request, const char *capability);

/* Whether the client can show a form, or open a URL. */
bool haft__mcp_request_client_can_elicit(const haft__mcp_request *request, bool page);

/* The stream of the request's messages, from haft__mcp_peer_receive. */
void *haft__mcp_request_stream(const haft__mcp_request *request);

/* Reports progress, if the client requested it; values that do not increase are dropped. `total` 0:
 * unknown. */
void haft__mcp_request_progress(haft__mcp_request *request, uint64_t progress, uint64_t total,
                                haft_str message);

/* The levels of RFC 5424, from "debug" to "emergency". */
typedef enum haft__mcp_level {
    HAFT__MCP_LEVEL_DEBUG,
    HAFT__MCP_LEVEL_INFO,
    HAFT__MCP_LEVEL_NOTICE,
    HAFT__MCP_LEVEL_WARNING,
    HAFT__MCP_LEVEL_ERROR,
    HAFT__MCP_LEVEL_CRITICAL,
    HAFT__MCP_LEVEL_ALERT,
    HAFT__MCP_LEVEL_EMERGENCY,
} haft__mcp_level;

/* Sends a log message, if the client wants that level. */
void haft__mcp_request_log(haft__mcp_request *request, haft__mcp_level level, haft_str message);

typedef struct haft__mcp_server_question {
    haft_str key;    /* unique among the questions of one request */
    haft_str method; /* "elicitation/create" ... */
    haft_str params; /* a JSON object */
} haft__mcp_server_question;

/* Asks the client. Without a handshake the request ends here, and the answers arrive with a new
 * request that has `state`. With a handshake, `resume` is called for each answer, and `questions`
 * is the complete set of open questions: a question that was asked before is not sent again, even
 * if it was answered. A question that is no longer in the set is withdrawn. The end of the request
 * withdraws all questions. */
void haft__mcp_request_ask(haft__mcp_request *request, const haft__mcp_server_question *questions,
                           size_t count, haft_str state, uint64_t now_ms);

/* The number of unanswered questions. */
size_t haft__mcp_request_open_questions(const haft__mcp_request *request);

/* These functions finish the request: it is freed when they return. */

/* Replies with a result. `members` are its members, as JSON without the enclosing braces. */
void haft__mcp_request_reply(haft__mcp_request *request, haft_str members);
/* Replies with a tool result of one text. */
void haft__mcp_request_reply_text(haft__mcp_request *request, haft_str text, bool is_error);
/* An error; `data` is a JSON text, "" for none. */
void haft__mcp_request_fail(haft__mcp_request *request, int64_t code, haft_str message,
                            haft_str data);
/* Drops the request without a response, because the client has disconnected. */
void haft__mcp_request_abandon(haft__mcp_request *request);

#endif
