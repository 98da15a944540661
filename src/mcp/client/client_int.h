/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/client/client_int.h - what the parts of the client share. Private to src/mcp.
 *
 * Invariants: what ends a call, a listing or a question was set aside when it began, so that an end
 * needs no memory. Of each request but calls there is at most one under way. Ids are never used
 * twice, also not after the connection was lost.
 */
#ifndef HAFT_MCP_CLIENT_CLIENT_INT_H
#define HAFT_MCP_CLIENT_CLIENT_INT_H

#include "base/limits.h"
#include "base/map.h"
#include "mcp/client/client.h"

typedef struct haft__mcp_tool_listing haft__mcp_tool_listing;

/* An event that waits, with what it points to. */
typedef struct haft__mcp_client_event_node {
    struct haft__mcp_client_event_node *next;
    haft__arena arena;
    haft__mcp_client_event event;
    haft__mcp_tool_listing *listing; /* of TOOLS: becomes the client's when it is taken */
} haft__mcp_client_event_node;

/* A page of a list, kept because its tools point into it. */
typedef struct haft__mcp_page {
    struct haft__mcp_page *next;
    haft__arena arena;
} haft__mcp_page;

struct haft__mcp_tool_listing {
    haft__mcp_client_event_node *node; /* for its end */
    haft__arena arena;                 /* names, cursors, what is left out */
    haft__map names, cursors;
    haft__mcp_page *pages;
    size_t page_count, bytes;
    haft__mcp_tool *tools; /* malloc */
    size_t count, capacity;
    haft__mcp_skipped_tool *left_out;
    size_t left_out_count, left_out_all;
    bool has_ttl;
    uint64_t ttl_ms;
    haft_str cursor; /* of the page to ask for; .ptr NULL: the first */
    bool reopened;   /* the session was lost once while it was under way */
};

typedef enum haft__mcp_call_state {
    HAFT__MCP_CALL_WAITING, /* not sent: there is no session yet */
    HAFT__MCP_CALL_SENT,    /* under way as request `id` */
} haft__mcp_call_state;

typedef struct haft__mcp_pending_call {
    struct haft__mcp_pending_call *next;
    haft__mcp_client_event_node *node; /* for its end */
    uint64_t number, id;
    haft__mcp_call_state state;
    haft__arena arena;
    haft_str tool;
    haft__json arguments, answers;
    haft_str request_state; /* .ptr NULL: none */
    haft_str key;           /* of idempotency; "" for none */
    uint64_t epoch;         /* 0: not said */
    uint32_t round;
    const haft__mcp_param *params;
    size_t param_count;
    bool params_known; /* else they are those of the list */
    char progress[64]; /* the last that was told; "" for none */
} haft__mcp_pending_call;

/* A question of a legacy server. */
typedef struct haft__mcp_pending_question {
    struct haft__mcp_pending_question *next;
    haft__mcp_client_event_node *node; /* for its end */
    haft__arena arena;
    uint64_t number, call;
    haft__json id; /* the server's */
} haft__mcp_pending_question;

typedef enum haft__mcp_client_state {
    HAFT__MCP_CLIENT_IDLE,         /* no connection */
    HAFT__MCP_CLIENT_PROBING,      /* server/discover is under way */
    HAFT__MCP_CLIENT_INITIALIZING, /* initialize is */
    HAFT__MCP_CLIENT_OPEN,
    HAFT__MCP_CLIENT_FAILED, /* it failed */
} haft__mcp_client_state;

struct haft__mcp_client {
    haft__arena arena; /* of the options */
    haft__mcp_client_options options;
    haft__mcp_client_state state;
    haft__mcp_era era; /* of OPEN; what is spoken while INITIALIZING is legacy */
    haft_str protocol; /* static text */
    bool tried_discover, tried_initialize, asked_again;
    bool has_tools, has_changes; /* what the server offers */
    bool stale;                  /* CHANGED was told and nothing listed since */
    haft_str session;            /* HTTP, legacy; in session_bytes; "" for none */
    char session_bytes[HAFT__LIMIT_MCP_SESSION_BYTES];
    uint64_t last_id, last_question, last_call;
    bool cancels; /* a call was cancelled: what has no id may be about that */
    uint64_t discover_id, initialize_id, list_id, listen_id, level_id; /* 0: not under way */
    haft__mcp_pending_call *calls;                                     /* in order */
    size_t call_count;
    haft__mcp_pending_question *questions;
    size_t question_count;
    haft__mcp_tool_listing *listing; /* under way, or waiting for OPEN */
    haft__mcp_tool_listing *listed;  /* the last whose end was taken */
    haft__mcp_tool_listing *newest;  /* the last that ended; its event may still wait */
    haft__mcp_client_event_node *first, *last, *taken;
    haft__mcp_client_event_node *failure; /* set aside for FAILED */
    uint64_t faults;                      /* messages that were none */
};

/* ---- client.c ---- */

/* NULL when there is no memory. */
haft__mcp_client_event_node *haft__mcp_client_event_node_create(haft__mcp_client_event_kind kind);
void haft__mcp_client_event_node_destroy(haft__mcp_client_event_node *node);
void haft__mcp_client_push_event(haft__mcp_client *client, haft__mcp_client_event_node *node);

/* The connection cannot be used: everything that waits ends with this error. */
void haft__mcp_client_fail_all(haft__mcp_client *client, const haft_error *error);

/* Passes a status on; when it is not OK the client is as one whose connection was lost. */
haft_status haft__mcp_client_check(haft__mcp_client *client, haft_status status);

/* A value with all its texts in `arena`. */
HAFT_MUST_USE haft_status haft__mcp_client_copy_json(haft__arena *arena, haft__json value,
                                                     haft__hash_key hash_key, haft__json *ret_copy,
                                                     haft_error *err);

/* Fills an error with text of the server, made visible and cut. */
void haft__mcp_client_fail_text(haft_error *error, haft_status status, const char *what,
                                haft_str text);

/* The number of an id of ours; 0 for any other. */
uint64_t haft__mcp_client_id_number(haft__json id);

/* ---- redact.c ---- */

/* The text without secrets: itself where it has none, else in `arena`. */
HAFT_MUST_USE haft_status haft__mcp_client_redact_text(const haft__mcp_client *client,
                                                       haft__arena *arena, haft_str *io_text,
                                                       bool *ret_secret, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_redact_value(const haft__mcp_client *client,
                                                        haft__arena *arena, haft__json *io_value,
                                                        bool *ret_secret, haft_error *err);
/* haft__rpc_read, and then without secrets; what the error says has none either. */
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
    bool params; /* an object of them is open */
} haft__mcp_client_outgoing;

/* Begins a request (`id` of 0: a notification) and its params, with what belongs into _meta; the
 * caller adds members. */
void haft__mcp_client_outgoing_begin(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                     uint64_t id, const char *method, bool progress);
/* The same for a call,; its id must be set. */
void haft__mcp_client_outgoing_begin_call(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                          const haft__mcp_pending_call *call);
/* Begins the answer to a request of the server; the caller adds one value. */
void haft__mcp_client_outgoing_begin_answer(haft__mcp_client_outgoing *out, haft__json id);

/* Ends it and puts it into the queue; `call` may be NULL. */
HAFT_MUST_USE haft_status haft__mcp_client_outgoing_end(haft__mcp_client *client,
                                                        haft__mcp_client_outgoing *out,
                                                        const haft__mcp_pending_call *call,
                                                        haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_send_error(haft__mcp_client *client, haft__json id,
                                                      int64_t code, const char *message,
                                                      haft_error *err);

/* What haft offers, as a server is told; roots as a server gets them. */
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
/* The session is over (HTTP 404, 400): what was under way there does not count. */
HAFT_MUST_USE haft_status haft__mcp_client_reopen(haft__mcp_client *client, haft_error *err);

/* ---- list.c ---- */

HAFT_MUST_USE haft_status haft__mcp_client_list_begin(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_list_send(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_list_answer(haft__mcp_client *client,
                                                       const haft__rpc_message *message,
                                                       size_t bytes, haft__arena *io_arena,
                                                       haft_error *err);
/* Ends it with an error. */
void haft__mcp_client_list_fail(haft__mcp_client *client, const haft_error *error);
/* Starts it from the first page again. */
void haft__mcp_client_list_reset(haft__mcp_client *client);
void haft__mcp_tool_listing_destroy(haft__mcp_tool_listing *listing);
HAFT_MUST_USE haft_status haft__mcp_client_listen(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_tools_changed(haft__mcp_client *client, haft_error *err);
/* What was asked to tell of changes has ended. */
HAFT_MUST_USE haft_status haft__mcp_client_watch_lost(haft__mcp_client *client, haft_error *err);

/* ---- call.c ---- */

HAFT_MUST_USE haft_status haft__mcp_client_call_send(haft__mcp_client *client,
                                                     haft__mcp_pending_call *call, haft_error *err);
/* Sends every call that waits. */
HAFT_MUST_USE haft_status haft__mcp_client_calls_send(haft__mcp_client *client, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_client_call_answer(haft__mcp_client *client,
                                                       haft__mcp_pending_call *call,
                                                       const haft__rpc_message *message,
                                                       uint32_t http, haft__arena *io_arena,
                                                       haft_error *err);
/* The host is to break off an exchange over HTTP. */
HAFT_MUST_USE haft_status haft__mcp_client_close_exchange(haft__mcp_client *client, uint64_t id,
                                                          haft_error *err);
haft__mcp_pending_call *haft__mcp_client_call_find(haft__mcp_client *client, uint64_t id);
/* Ends it; `error` may be NULL. What else DONE says is in call->node->event.done already. */
void haft__mcp_client_call_end(haft__mcp_client *client, haft__mcp_pending_call *call,
                               haft__mcp_call_outcome outcome, const haft_error *error);

/* ---- input.c ---- */

/* Takes a result that says input_required. */
HAFT_MUST_USE haft_status haft__mcp_client_on_input_required(haft__mcp_client *client,
                                                             haft__mcp_pending_call *call,
                                                             const haft__rpc_message *message,
                                                             haft__arena *io_arena,
                                                             haft_error *err);

/* ---- question.c: what a server wants of us ---- */

HAFT_MUST_USE haft_status haft__mcp_client_on_request(haft__mcp_client *client, uint64_t exchange,
                                                      const haft__rpc_message *message,
                                                      haft_error *err);
/* Ends questions: of one call, or all. */
void haft__mcp_client_questions_end(haft__mcp_client *client, uint64_t call);
/* Ends the question with the server's id, if there is one. */
void haft__mcp_client_question_withdrawn(haft__mcp_client *client, haft__json id);

#endif
