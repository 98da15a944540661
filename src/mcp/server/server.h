/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/server/server.h - the server's side of MCP, of either era: what a client's message asks for,
 * and what is sent for it. No I/O and no clock: the host brings messages and carries away what is
 * sent.
 *
 *     server   what is served, for all clients: a table of functions
 *     peer     one client: a process on stdio, a session over HTTP, or a single request there
 *     asked    one request of a client that is under way; it belongs to its peer, and its id means
 *              something there only
 *
 * Until 2025-11-25 a client opens with `initialize`; since 2026-07-28 every request says in `_meta`
 * what it needs, and nothing is remembered between two of them. A peer on stdio may do either.
 */
#ifndef HAFT_MCP_SERVER_SERVER_H
#define HAFT_MCP_SERVER_SERVER_H

#include "base/limits.h"
#include "mcp/rpc.h"
#include "mcp/seal.h"

#define HAFT__MCP_SERVER_MODERN_VERSION "2026-07-28"
#define HAFT__MCP_SERVER_LEGACY_VERSION "2025-11-25" /* of those with a handshake */

/* Whether it is one of the versions with a handshake. */
bool haft__mcp_version_has_handshake(haft_str version);

typedef struct haft__mcp_server haft__mcp_server;
typedef struct haft__mcp_peer haft__mcp_peer;
typedef struct haft__mcp_request haft__mcp_request;

/* ---- what is served ---- */

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
    HAFT__MCP_METHOD_LISTEN, /* subscriptions/listen; the server's own business */
} haft__mcp_method;

/* Every function is called with the context of the server. What is not served has no function. */
typedef struct haft__mcp_server_handlers {
    bool prompts, resources, completions, logging;
    bool changes; /* the lists can change: haft__mcp_server_changed */
    size_t (*count)(void *context, haft__mcp_list list);
    /* Appends one entry of a list, a JSON object. The order stays the same. */
    void (*write)(void *context, haft__mcp_list list, size_t index, bool modern, haft__buf *buf);
    /* The input schema of a tool; NULL when there is none of that name. */
    const haft__json *(*schema)(void *context, haft_str tool);
    /* Begins a request, which is then finished once, now or later, by haft__mcp_request_reply, _say
     * or _fail; before that it may ask the client something. */
    void (*begin)(void *context, haft__mcp_request *request);
    /* The client has answered something that it was asked: `answers` has all that are there. */
    void (*resume)(void *context, haft__mcp_request *request);
    /* Nobody wants it any more: it is gone when this returns. */
    void (*drop)(void *context, haft__mcp_request *request);
} haft__mcp_server_handlers;

/* What clients keep for us has numbers: which were given out, and which of the newest were answered
 * is known, so that each is good for one request. */
typedef struct haft__mcp_nonces {
    uint64_t given;                                 /* the last number */
    uint64_t answered[HAFT__LIMIT_MCP_STATES / 64]; /* a bit for each of the newest */
} haft__mcp_nonces;

/* Takes a number, or ends the one that is given; false when that cannot be. */
typedef bool haft__mcp_nonces_update(haft__mcp_nonces *states, uint64_t *number);

typedef struct haft__mcp_server_options {
    haft_str name, version, instructions; /* who we are; all is borrowed */
    haft_str title;                       /* for people; "" for none */
    const haft__mcp_server_handlers *served;
    void *context;
    haft__seal_key key; /* random: seals what clients keep for us */
    /* Where another process may be asked with what this one has sealed: makes the change to states
     * that all of them share, and keeps them. False when it was refused or they are not kept.
     * NULL: they are the server's own. */
    bool (*share)(void *context, haft__mcp_nonces_update *change, uint64_t *number);
    void *share_context;
    haft__hash_key hash_key;
} haft__mcp_server_options;

HAFT_MUST_USE haft_status haft__mcp_server_create(const haft__mcp_server_options *options,
                                                  haft__mcp_server **ret_server, haft_error *err);
/* Its peers must be gone. */
void haft__mcp_server_destroy(haft__mcp_server *server);

/* A list has changed: tells every client that wants to know. */
void haft__mcp_server_changed(haft__mcp_server *server, haft__mcp_list list);

/* ---- what is sent ---- */

typedef enum haft__mcp_server_message_kind {
    HAFT__MCP_MESSAGE_PART,   /* a message that belongs to a request; its answer is still to come */
    HAFT__MCP_MESSAGE_ANSWER, /* the last message of a request */
    HAFT__MCP_MESSAGE_NONE,   /* nothing comes for this message, or nothing more */
    HAFT__MCP_MESSAGE_PUSH,   /* belongs to no request: `stream` is NULL */
} haft__mcp_server_message_kind;

typedef struct haft__mcp_server_message {
    haft__mcp_server_message_kind kind;
    uint32_t http; /* of ANSWER and NOTHING: the status, if nothing was sent before */
    haft_str text; /* one JSON text without line ends; borrowed */
} haft__mcp_server_message;

/* `stream` is what came with the message that this belongs to. */
typedef void haft__mcp_server_send(void *context, void *stream,
                                   const haft__mcp_server_message *sent);

/* ---- clients ---- */

/* Who the client has proved to be, "" for anybody; what it keeps for us is of use to it alone. */
HAFT_MUST_USE haft_status haft__mcp_peer_create(haft__mcp_server *server, haft_str principal,
                                                haft__mcp_server_send *send, void *context,
                                                haft__mcp_peer **ret_peer, haft_error *err);

/* The peer stands for one request of a client that nothing else is known of: all those together may
 * have as many under way as one other peer. What only listens does not count there. */
void haft__mcp_peer_set_single_request(haft__mcp_peer *peer);

/* Drops what is under way; nothing is sent. */
void haft__mcp_peer_destroy(haft__mcp_peer *peer);

/* The version that was agreed on by a handshake; "" before, and without one. */
haft_str haft__mcp_peer_version(const haft__mcp_peer *peer);

/* Headers of an HTTP request that say again what its body says. .ptr is NULL where one is missing.
 */
typedef struct haft__mcp_headers {
    haft_str version, method, name;
    haft_str (*get)(void *context, const char *name); /* any other one */
    void *context;
} haft__mcp_headers;

/* Which era a message belongs to, and so which peer may take it. */
typedef enum haft__mcp_request_kind {
    HAFT__MCP_REQUEST_INITIALIZE, /* `initialize`: a new session */
    HAFT__MCP_REQUEST_LEGACY,     /* of a session */
    HAFT__MCP_REQUEST_MODERN,     /* stands for itself */
    HAFT__MCP_REQUEST_INVALID,    /* no message: haft__mcp_peer_receive refuses it */
} haft__mcp_request_kind;

/* Reads a message: `text` is copied. `headers` is NULL on stdio. Fails for want of memory only. */
HAFT_MUST_USE haft_status haft__mcp_request_read(haft__mcp_server *server, haft_str text,
                                                 const haft__mcp_headers *headers,
                                                 haft__mcp_request **ret_asked, haft_error *err);
haft__mcp_request_kind haft__mcp_request_kind_of(const haft__mcp_request *request);
/* The id of the request; null when it is none. */
haft__json haft__mcp_request_id(const haft__mcp_request *request);

/* Takes a message that was read, whatever it is; it is the peer's from then on. Something is sent
 * for it to `stream` now or later: an ANSWER or NOTHING comes last. `now_ms` is since 1970. */
void haft__mcp_peer_receive(haft__mcp_peer *peer, haft__mcp_request *request,
                            const haft__mcp_headers *headers, void *stream, uint64_t now_ms);

/* Refuses a message that no peer takes: appends the answer. Gives it back. */
void haft__mcp_request_reject_message(haft__mcp_request *request, int64_t code, const char *why,
                                      haft__buf *buf);

/* ---- requests under way, for whoever serves them ---- */

struct haft__mcp_request {
    haft__mcp_method verb;
    haft_str name;
    haft__json arguments; /* an object */
    haft__json params;    /* all of them, an object or null */
    haft__json answers;   /* to what was asked: by key; null when nothing was */
    haft_str state;       /* what haft__mcp_request_ask was given, of an earlier request; else "" */
    bool modern;
    void *user; /* of whoever serves it; NULL at first */
    struct haft__mcp_request_internal *own;
};

/* Whether the client can be asked: "elicitation", "sampling", "roots". */
bool haft__mcp_request_client_supports(const haft__mcp_request *request, const char *capability);

/* Whether the client's user can be shown a form, or a page to visit. */
bool haft__mcp_request_client_can_elicit(const haft__mcp_request *request, bool page);

/* Where its messages go, as haft__mcp_peer_receive was given it; and somewhere else from now on. */
void *haft__mcp_request_stream(const haft__mcp_request *request);

/* Tells how far it has come, if the client wants to know; what does not increase is left out.
 * `total` of 0: nobody knows. */
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

/* Sends a line for the client's log, if it wants that level. */
void haft__mcp_request_log(haft__mcp_request *request, haft__mcp_level level, haft_str said);

typedef struct haft__mcp_server_question {
    haft_str key;    /* unique among those that are asked together */
    haft_str method; /* "elicitation/create" ... */
    haft_str params; /* a JSON object */
} haft__mcp_server_question;

/* Asks the client. Without a handshake the request ends here, and what the client answers comes
 * with another one that has `state`. With one, go_on comes for each answer, and the questions are
 * all that are to be open: what was asked before is not asked again, whatever was said to it, and
 * what is not among them any more is withdrawn. The end of the request withdraws them all. */
void haft__mcp_request_ask(haft__mcp_request *request, const haft__mcp_server_question *questions,
                           size_t count, haft_str state, uint64_t now_ms);

/* How many questions the client has not answered. */
size_t haft__mcp_request_open_questions(const haft__mcp_request *request);

/* These finish it: it is gone when they return. */

/* The members of the result, as JSON without the braces around them. */
void haft__mcp_request_reply(haft__mcp_request *request, haft_str members);
/* A result of a tool that is one text. */
void haft__mcp_request_reply_text(haft__mcp_request *request, haft_str text, bool is_error);
/* An error; `data` is a JSON text, "" for none. */
void haft__mcp_request_fail(haft__mcp_request *request, int64_t code, haft_str message,
                            haft_str data);
/* Nobody listens any more: drops it without a word. */
void haft__mcp_request_abandon(haft__mcp_request *request);

#endif
