/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/client/client_int.h - shared by the parts of the client. Private to its folder.
 *
 * Invariants: the event that ends a call, a listing or a question is allocated at its beginning, so
 * that ending it needs no memory. Except for calls, at most one request of each kind is open. Ids
 * are never reused, even after the connection was lost.
 */
#ifndef HAFT_MCP_CLIENT_CLIENT_INT_H
#define HAFT_MCP_CLIENT_CLIENT_INT_H

#include "base/limits.h"
#include "base/map.h"
#include "mcp/client/client.h"

typedef struct haft__mcp_tool_listing haft__mcp_tool_listing;

/* A queued event, with the memory that it points to. */
typedef struct haft__mcp_client_event_node {
    struct haft__mcp_client_event_node *next;
    haft__arena arena;
    haft__mcp_client_event event;
    haft__mcp_tool_listing *listing; /* of TOOLS: the client owns it after the event is taken */
} haft__mcp_client_event_node;

/* A page of a list. It exists as long as the listing, because the tools point into it. */
typedef struct haft__mcp_page {
    struct haft__mcp_page *next;
    haft__arena arena;
} haft__mcp_page;

struct haft__mcp_tool_listing {
    haft__mcp_client_event_node *node; /* its final event */
    haft__arena arena;                 /* names, cursors, skipped tools */
    haft__map names, cursors;
    haft__mcp_page *pages;
    size_t page_count, bytes;
    haft__mcp_tool *tools; /* malloc */
    size_t count, capacity;
    haft__mcp_skipped_tool *left_out;
    size_t left_out_count, left_out_all;
    bool has_ttl;
    uint64_t ttl_ms;
    haft_str cursor; /* of the next page; .ptr NULL: the first */
    bool reopened;   /* a new session was opened once during the listing */
};

typedef enum haft__mcp_call_state {
    HAFT__MCP_CALL_WAITING, /* not sent: no session yet */
    HAFT__MCP_CALL_SENT,    /* open as request `id` */
} haft__mcp_call_state;

typedef struct haft__mcp_pending_call {
    struct haft__mcp_pending_call *next;
    haft__mcp_client_event_node *node; /* its final event */
    uint64_t number, id;
    haft__mcp_call_state state;
    haft__arena arena;
    haft_str tool;
    haft__json arguments, answers;
    haft_str request_state; /* .ptr NULL: none */
    const haft__mcp_meta *meta;
    size_t meta_count;
    uint32_t round;
    const haft__mcp_param *params;
    size_t param_count;
    bool params_known; /* if false, the parameters of the tool list are used */
    char progress[64]; /* the last reported value; "" for none */
} haft__mcp_pending_call;

/* A question of a legacy server. */
typedef struct haft__mcp_pending_question {
    struct haft__mcp_pending_question *next;
    haft__mcp_client_event_node *node; /* its final event */
    haft__arena arena;
    uint64_t number, call;
    haft__json id; /* the server's id */
} haft__mcp_pending_question;

typedef enum haft__mcp_client_state {
    HAFT__MCP_CLIENT_IDLE,         /* no connection */
    HAFT__MCP_CLIENT_PROBING,      /* server/discover is open */
    HAFT__MCP_CLIENT_INITIALIZING, /* initialize is open */
    HAFT__MCP_CLIENT_OPEN,
    HAFT__MCP_CLIENT_FAILED,
} haft__mcp_client_state;

struct haft__mcp_client {
    haft__arena arena; /* of the options */
    haft__mcp_client_options options;
    haft__mcp_client_state state;
    haft__mcp_era era; /* of OPEN; INITIALIZING uses legacy */
    haft_str protocol; /* static text */
    bool tried_discover, tried_initialize;
    bool retried;                /* server/discover was sent a second time */
    bool has_tools, has_changes; /* capabilities of the server */
    bool stale;                  /* CHANGED was reported after the last listing began */
    haft_str session;            /* HTTP, legacy; in session_bytes; "" for none */
    char session_bytes[HAFT__LIMIT_MCP_SESSION_BYTES];
    uint64_t last_id, last_question, last_call;
    bool cancels; /* a call was cancelled: a message without an id may refer to that call */
    uint64_t discover_id, initialize_id, list_id, listen_id, level_id; /* 0: not open */
    haft__mcp_pending_call *calls;                                     /* in order */
    size_t call_count;
    haft__mcp_pending_question *questions;
    size_t question_count;
    haft__mcp_tool_listing *listing; /* open, or waiting for OPEN */
    haft__mcp_tool_listing *listed;  /* the last listing whose final event was taken */
    haft__mcp_tool_listing *newest; /* the last listing that ended; its event may still be queued */
    haft__mcp_client_event_node *first, *last, *taken;
    haft__mcp_client_event_node *failure; /* preallocated for FAILED */
    uint64_t faults;                      /* number of invalid messages */
};

/* ---- client.c ---- */

/* NULL when out of memory. */
haft__mcp_client_event_node *haft__mcp_client_event_node_create(haft__mcp_client_event_kind kind);
void haft__mcp_client_event_node_destroy(haft__mcp_client_event_node *node);
void haft__mcp_client_push_event(haft__mcp_client *client, haft__mcp_client_event_node *node);

/* Ends everything that is pending with this error, because the connection is unusable. */
void haft__mcp_client_fail_all(haft__mcp_client *client, const haft_error *error);

/* Returns the status; if it is not OK, the client behaves as if its connection was lost. */
haft_status haft__mcp_client_check(haft__mcp_client *client, haft_status status);

/* A deep copy in `arena`. */
HAFT_MUST_USE haft_status haft__mcp_client_copy_json(haft__arena *arena, haft__json value,
                                                     haft__hash_key hash_key, haft__json *ret_copy,
                                                     haft_error *err);

/* Sets an error with text of the server, made visible and truncated. */
void haft__mcp_client_fail_text(haft_error *error, haft_status status, const char *what,
                                haft_str text);

/* The number in an id of this client; 0 for any other id. */
uint64_t haft__mcp_client_id_number(haft__json id);

/* ---- redact.c ---- */

/* The text with secrets redacted: the same text if it contains none, else a text in `arena`. */
HAFT_MUST_USE haft_status haft__mcp_client_redact_text(const haft__mcp_client *client,
                                                       haft__arena *arena, haft_str *io_text,
                                                       bool *ret_secret, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_redact_value(const haft__mcp_client *client,
                                                        haft__arena *arena, haft__json *io_value,
                                                        bool *ret_secret, haft_error *err);
/* Calls haft__rpc_read, then redacts secrets, also in the error. */
HAFT_MUST_USE haft_status haft__mcp_client_read_message(const haft__mcp_client *client,
                                                        haft__arena *arena, haft_str text,
                                                        haft__rpc_message *ret_message,
                                                        haft__rpc_fault *ret_fault,
                                                        haft_error *why);

/* ---- send.c: messages ---- */

typedef struct haft__mcp_client_outgoing {
    haft__buf buf;
    haft__json_writer w;
    haft__mcp_client_message send;
    bool params; /* a params object is open */
} haft__mcp_client_outgoing;

/* Begins a request (`id` 0: a notification) and its params with _meta; the caller adds members. */
void haft__mcp_client_outgoing_begin(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                     uint64_t id, const char *method, bool progress);
/* Begins the request of a call, whose id must be set. */
void haft__mcp_client_outgoing_begin_call(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                          const haft__mcp_pending_call *call);
/* Begins the response to a request of the server; the caller adds one value. */
void haft__mcp_client_outgoing_begin_answer(haft__mcp_client_outgoing *out, haft__json id);

/* Ends the message and queues it; `call` may be NULL. */
HAFT_MUST_USE haft_status haft__mcp_client_outgoing_end(haft__mcp_client *client,
                                                        haft__mcp_client_outgoing *out,
                                                        const haft__mcp_pending_call *call,
                                                        haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_send_error(haft__mcp_client *client, haft__json id,
                                                      int64_t code, const char *message,
                                                      haft_error *err);

/* Write haft's capabilities, its roots, and its name and version. */
void haft__mcp_client_add_capabilities(const haft__mcp_client *client, haft__json_writer *w);
void haft__mcp_client_add_roots(const haft__mcp_client *client, haft__json_writer *w);
void haft__mcp_client_add_info(const haft__mcp_client *client, haft__json_writer *w);

/* ---- open.c: era and version ---- */

HAFT_MUST_USE haft_status haft__mcp_client_open(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_initialize(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_on_discovered(haft__mcp_client *client,
                                                         const haft__rpc_message *message,
                                                         haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_on_initialized(haft__mcp_client *client,
                                                          const haft__rpc_message *message,
                                                          haft_error *err);
/* Opens a new session, because the server has ended the current one (HTTP 404, 400). The open
 * requests of the old session are void. */
HAFT_MUST_USE haft_status haft__mcp_client_reopen(haft__mcp_client *client, haft_error *err);

/* ---- list.c ---- */

HAFT_MUST_USE haft_status haft__mcp_client_list_begin(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_list_send(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_list_answer(haft__mcp_client *client,
                                                       const haft__rpc_message *message,
                                                       size_t bytes, haft__arena *io_arena,
                                                       haft_error *err);
/* Ends the listing with an error. */
void haft__mcp_client_list_fail(haft__mcp_client *client, const haft_error *error);
/* Restarts the listing from the first page. */
void haft__mcp_client_list_reset(haft__mcp_client *client);
void haft__mcp_tool_listing_destroy(haft__mcp_tool_listing *listing);
HAFT_MUST_USE haft_status haft__mcp_client_listen(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_tools_changed(haft__mcp_client *client, haft_error *err);
/* Handles the end of the subscription to changes. */
HAFT_MUST_USE haft_status haft__mcp_client_watch_lost(haft__mcp_client *client, haft_error *err);

/* ---- call.c ---- */

HAFT_MUST_USE haft_status haft__mcp_client_call_send(haft__mcp_client *client,
                                                     haft__mcp_pending_call *call, haft_error *err);
/* Sends every waiting call. */
HAFT_MUST_USE haft_status haft__mcp_client_calls_send(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_call_answer(haft__mcp_client *client,
                                                       haft__mcp_pending_call *call,
                                                       const haft__rpc_message *message,
                                                       uint32_t http, haft__arena *io_arena,
                                                       haft_error *err);
/* Tells the host to abort an HTTP exchange. */
HAFT_MUST_USE haft_status haft__mcp_client_close_exchange(haft__mcp_client *client, uint64_t id,
                                                          haft_error *err);
haft__mcp_pending_call *haft__mcp_client_call_find(haft__mcp_client *client, uint64_t id);
/* Ends a call; `error` may be NULL. The other members of DONE are already in
 * call->node->event.done. */
void haft__mcp_client_call_end(haft__mcp_client *client, haft__mcp_pending_call *call,
                               haft__mcp_call_outcome outcome, const haft_error *error);

/* ---- input.c ---- */

/* Handles a result with input_required. */
HAFT_MUST_USE haft_status haft__mcp_client_on_input_required(haft__mcp_client *client,
                                                             haft__mcp_pending_call *call,
                                                             const haft__rpc_message *message,
                                                             haft__arena *io_arena,
                                                             haft_error *err);

/* ---- question.c: requests of a server ---- */

HAFT_MUST_USE haft_status haft__mcp_client_on_request(haft__mcp_client *client, uint64_t exchange,
                                                      const haft__rpc_message *message,
                                                      haft_error *err);
/* Ends the questions of a call; `call` 0: all questions. */
void haft__mcp_client_questions_end(haft__mcp_client *client, uint64_t call);
/* Ends the question with the server's id, if it exists. */
void haft__mcp_client_question_withdrawn(haft__mcp_client *client, haft__json id);

#endif
