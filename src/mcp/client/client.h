/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/client/client.h - the client side of a connection to one MCP server, both eras.
 *
 * The client does no I/O, has no clock and calls no callbacks. The host passes received messages
 * and failures to it, and takes messages to send and events from it, in order:
 *
 *     status = haft__mcp_client_receive(client, 0, line, err);
 *     while (haft__mcp_client_next(client, &event)) { ... send event.send.text, or report ... }
 *
 * The host handles deadlines: of the probe (haft__mcp_client_probe_timed_out), of a call
 * (haft__mcp_client_cancel), of the connection (haft__mcp_client_disconnected). Every call ends
 * exactly once, with HAFT__MCP_EVENT_DONE. Memory use is bounded by the received message and the
 * open requests. Responses without an open request are dropped.
 */
#ifndef HAFT_MCP_CLIENT_CLIENT_H
#define HAFT_MCP_CLIENT_CLIENT_H

#include "base/excerpt.h"
#include "mcp/definition.h"
#include "mcp/rpc.h"

typedef struct haft__mcp_client haft__mcp_client;

typedef enum haft__mcp_transport {
    HAFT__MCP_STDIO,
    HAFT__MCP_HTTP,
} haft__mcp_transport;

/* The two protocol eras of MCP: `initialize` and a session (up to 2025-11-25), or independent
 * requests (from 2026-07-28). */
typedef enum haft__mcp_era {
    HAFT__MCP_ERA_UNKNOWN, /* the client probes */
    HAFT__MCP_ERA_LEGACY,
    HAFT__MCP_ERA_MODERN,
} haft__mcp_era;

/* A directory that a server may access. */
typedef struct haft__mcp_root {
    haft_str uri, name; /* "file:///data/docs", "docs" */
} haft__mcp_root;

typedef struct haft__mcp_client_options {
    haft__mcp_transport transport;
    haft__mcp_era era;       /* known from an earlier session; ignored if it is wrong */
    haft__mcp_origin origin; /* the server, for the definitions of its tools */
    haft_str version;        /* haft's version */
    const haft__mcp_root *roots;
    size_t root_count;  /* if 0, the roots capability is not announced */
    bool elicitation;   /* a person can answer a server's questions */
    bool listen;        /* subscribe to changes of the tool list (modern: subscriptions/listen) */
    haft_str log_level; /* "info": minimum level of log messages; "" for none */
    haft__cleaner cleaner; /* redacts every text of the server before the text is cut; its context
                              must outlive the client */
} haft__mcp_client_options;

/* The options are copied, including texts. */
HAFT_MUST_USE haft_status haft__mcp_client_create(const haft__mcp_client_options *options,
                                                  haft__mcp_client **ret_client, haft_error *err);
void haft__mcp_client_destroy(haft__mcp_client *client);

/* ---- events ---- */

typedef enum haft__mcp_client_event_kind {
    HAFT__MCP_EVENT_SEND,    /* .send: send this message to the server */
    HAFT__MCP_EVENT_CLOSE,   /* .exchange: HTTP: close the stream of this exchange, because its call
                                was cancelled */
    HAFT__MCP_EVENT_READY,   /* .ready: era and version are known */
    HAFT__MCP_EVENT_FAILED,  /* .error: the server cannot be used. UNSUPPORTED: a restart does not
                                help, unless the era was wrong; BAD_STATE: a restart never helps;
                                other status: it may help */
    HAFT__MCP_EVENT_TOOLS,   /* .tools: a listing has ended */
    HAFT__MCP_EVENT_CHANGED, /* the tool list is outdated; list again at any time. Reported once per
                                listing, no matter how often the server repeats it */
    HAFT__MCP_EVENT_WATCH_LOST, /* changes of the tool list are no longer reported; the next listing
                                   subscribes again */
    HAFT__MCP_EVENT_PROGRESS,   /* .progress */
    HAFT__MCP_EVENT_LOG,        /* .log */
    HAFT__MCP_EVENT_QUESTION,   /* .question: legacy; answer with haft__mcp_client_answer */
    HAFT__MCP_EVENT_QUESTION_WITHDRAWN, /* .question.number: withdrawn */
    HAFT__MCP_EVENT_DONE,               /* .done: a call has ended */
} haft__mcp_client_event_kind;

typedef struct haft__mcp_client_message {
    haft_str text;     /* one JSON message without line ends; on stdio the host adds the LF */
    uint64_t exchange; /* of a request: its number, with which the host reports its end; 0 for other
                          messages */
    uint64_t call;     /* the call that it belongs to; 0 for none */
    haft_str method;   /* "tools/call"; "" for a response */
    bool stream;       /* long-lived: no total deadline */
    const haft_str *headers; /* HTTP: headers such as "MCP-Protocol-Version: 2025-11-25", and the
                                session id; without Content-Type and Accept */
    size_t header_count;
} haft__mcp_client_message;

typedef struct haft__mcp_ready {
    haft__mcp_era era;
    haft_str protocol;                    /* "2025-11-25" */
    haft_str server_name, server_version; /* its own name and version, made visible; may be "" */
    haft_str instructions;                /* made visible; may be "" */
    bool tools;                           /* the server has the tools capability */
    bool push; /* legacy HTTP: the host may GET a stream for change notifications */
} haft__mcp_ready;

/* Borrowed until the next event of this kind is taken or the client is destroyed. */
typedef struct haft__mcp_tools {
    const haft__mcp_tool *items; /* in the server's order; names are distinct */
    size_t count;
    const haft__mcp_skipped_tool
        *left_out;         /* skipped tools and truncated lists, each with the reason */
    size_t left_out_count; /* entries, at most HAFT__LIMIT_MCP_WARNINGS */
    size_t left_out_all;   /* total number */
    bool has_ttl;          /* modern: the server sent a validity time of the list */
    uint64_t ttl_ms;
    haft_error error; /* if the status is not HAFT_OK, the listing failed and has no tools */
} haft__mcp_tools;

typedef struct haft__mcp_progress {
    uint64_t call;
    haft__json progress, total; /* numbers; total may be null */
    haft_str message;           /* made visible; may be "" */
} haft__mcp_progress;

typedef struct haft__mcp_log {
    uint64_t call;          /* over HTTP: the call of the response stream; 0: unknown */
    haft_str level, logger; /* made visible; logger may be "" */
    haft_str text;          /* a string, or another value as JSON; made visible and truncated */
} haft__mcp_log;

/* A question to a person, both eras. */
typedef struct haft__mcp_elicitation {
    uint64_t number;   /* legacy: for haft__mcp_client_answer */
    uint64_t call;     /* its call; 0 if unknown */
    haft_str key;      /* modern: its key in inputRequests */
    bool url;          /* asks to open a URL; else to fill in a form */
    haft_str message;  /* made visible */
    haft__json schema; /* form: a flat object schema (mcp/client/elicitation.h) */
    haft_str address;  /* url: the address; http or https */
} haft__mcp_elicitation;

typedef enum haft__mcp_call_outcome {
    HAFT__MCP_OUTCOME_RESULT, /* .result: see mcp/client/content.h; includes isError */
    HAFT__MCP_OUTCOME_ERROR, /* .error: the server rejected the call, or its response was invalid */
    HAFT__MCP_OUTCOME_LOST,  /* .error: the connection failed; if .sent, the outcome is unknown */
    HAFT__MCP_OUTCOME_CANCELLED, /* by haft__mcp_client_cancel */
    /* .error: the server did not accept the call, because of its session, version or headers. It
     * may be sent again after the tools are listed again. */
    HAFT__MCP_OUTCOME_RETRY,
    HAFT__MCP_OUTCOME_INPUT_REQUIRED, /* modern: .questions must be answered; then any process can
                                         send the call again with .state */
} haft__mcp_call_outcome;

typedef struct haft__mcp_call_done {
    uint64_t call;
    haft__mcp_call_outcome outcome;
    bool sent;         /* the request may have reached the server */
    haft__json result; /* RESULT: the whole result, secrets redacted */
    haft__json exact;  /* RESULT: the result before redaction, if it differs; else null */
    int64_t code;      /* ERROR: JSON-RPC code; 0 for none */
    uint32_t http;     /* ERROR: HTTP status of the response; 0 for none */
    haft__json data;   /* ERROR: `data` of the server; null for none */
    haft_error error;  /* ERROR, LOST, CANCELLED, RETRY */
    const haft__mcp_elicitation *questions; /* INPUT_REQUIRED */
    size_t question_count;
    haft__json
        answered;   /* INPUT_REQUIRED: the answers that haft itself provides (roots); an object */
    haft_str state; /* INPUT_REQUIRED: requestState, to be returned unchanged; .ptr NULL: none */
    uint32_t round; /* INPUT_REQUIRED: haft__mcp_call.round of the next call */
} haft__mcp_call_done;

typedef struct haft__mcp_client_event {
    haft__mcp_client_event_kind kind;
    union {
        haft__mcp_client_message send;
        uint64_t exchange;
        haft__mcp_ready ready;
        haft_error error;
        haft__mcp_tools tools;
        haft__mcp_progress progress;
        haft__mcp_log log;
        haft__mcp_elicitation question;
        haft__mcp_call_done done;
    };
} haft__mcp_client_event;

/* Takes the next event, in order; false if the queue is empty. Its memory is valid until the next
 * call of this function; for tools see haft__mcp_tools. */
bool haft__mcp_client_next(haft__mcp_client *client, haft__mcp_client_event *ret_event);

/* ---- input from the host ----
 *
 * Each function fails only when out of memory; the client then behaves as if its connection was
 * lost. */

/* The transport is connected, for the first time or again: negotiates era and version. Requests
 * that were open on an earlier connection are lost. Waiting calls are sent when the negotiation is
 * done. */
HAFT_MUST_USE haft_status haft__mcp_client_start(haft__mcp_client *client, haft_error *err);

/* The server did not answer the probe in time (stdio): continues with `initialize`. No effect if no
 * probe is open. */
HAFT_MUST_USE haft_status haft__mcp_client_probe_timed_out(haft__mcp_client *client,
                                                           haft_error *err);

/* A message was received: a line of stdio, the data of an SSE event, a JSON body. Over HTTP
 * `exchange` is the request of the stream (0: a separate stream, or stdio). */
HAFT_MUST_USE haft_status haft__mcp_client_receive(haft__mcp_client *client, uint64_t exchange,
                                                   haft_str text, haft_error *err);

/* HTTP: passes the session id from the response headers of `exchange`. */
HAFT_MUST_USE haft_status haft__mcp_client_session(haft__mcp_client *client, uint64_t exchange,
                                                   haft_str id, haft_error *err);

/* HTTP: an exchange ended without a response: with a status that is not 2xx and its body, with a
 * connection error (0 and why), or cleanly but without a response. Ignored for an exchange that has
 * already ended. */
typedef struct haft__mcp_exchange_failure {
    uint32_t http; /* 0: no response arrived, or a successful one was interrupted */
    haft_str body;
    haft_str why; /* "cannot connect"; for people, without secrets */
    bool sent;    /* the request may have reached the server */
} haft__mcp_exchange_failure;
HAFT_MUST_USE haft_status haft__mcp_client_exchange_failed(haft__mcp_client *client,
                                                           uint64_t exchange,
                                                           const haft__mcp_exchange_failure *broken,
                                                           haft_error *err);

/* Reports that no byte of the exchange's call was sent: the call waits again. */
void haft__mcp_client_exchange_unsent(haft__mcp_client *client, uint64_t exchange);

/* The whole connection was lost (the process died, the pipe broke): sent calls end as LOST, others
 * wait for haft__mcp_client_start. `why` is for people. */
HAFT_MUST_USE haft_status haft__mcp_client_disconnected(haft__mcp_client *client, haft_str why,
                                                        haft_error *err);

/* The host gives up: everything pending ends with an error that contains `why`. */
HAFT_MUST_USE haft_status haft__mcp_client_abort(haft__mcp_client *client, haft_str why,
                                                 haft_error *err);

/* ---- requests of the host ---- */

/* Lists the tools; ends with HAFT__MCP_EVENT_TOOLS. No effect while a listing is open. */
HAFT_MUST_USE haft_status haft__mcp_client_list(haft__mcp_client *client, haft_error *err);

/* A member of `_meta` of a call. */
typedef struct haft__mcp_meta {
    haft_str key;
    haft_str text; /* .ptr NULL: `number` is the value */
    uint64_t number;
} haft__mcp_meta;

/* One tool call. Everything is copied. */
typedef struct haft__mcp_call {
    haft_str tool;        /* the server's name: haft__mcp_tool.remote */
    haft__json arguments; /* an object, or null for none */
    const haft__mcp_tool
        *known;         /* the tool with its Mcp-Param headers; NULL: the tool in the last list */
    haft__json answers; /* modern, after INPUT_REQUIRED: inputResponses, or null */
    haft_str state;     /* modern, after INPUT_REQUIRED: requestState; .ptr NULL: none */
    uint32_t round; /* modern, after INPUT_REQUIRED: the number of earlier rounds of this call */
    const haft__mcp_meta *meta; /* sent in this order */
    size_t meta_count;
} haft__mcp_call;

/* *ret_call is the number of the call, which is never reused. If the call cannot be sent (more than
 * HAFT__LIMIT_MCP_CALLS are open), it ends with an error, like any other call. */
HAFT_MUST_USE haft_status haft__mcp_client_call(haft__mcp_client *client,
                                                const haft__mcp_call *call, uint64_t *ret_call,
                                                haft_error *err);

/* Ends a call now, as CANCELLED, and notifies the server. No effect if it has ended. */
HAFT_MUST_USE haft_status haft__mcp_client_cancel(haft__mcp_client *client, uint64_t call,
                                                  haft_str reason, haft_error *err);

typedef enum haft__mcp_action {
    HAFT__MCP_ACCEPT,
    HAFT__MCP_DECLINE, /* the person declined */
    HAFT__MCP_CANCEL,  /* the person gave no answer */
} haft__mcp_action;

/* Answers a question of a legacy server. `content` is an object for an accepted form, else null. No
 * effect if the question is not open. */
HAFT_MUST_USE haft_status haft__mcp_client_answer(haft__mcp_client *client, uint64_t question,
                                                  haft__mcp_action action, haft__json content,
                                                  haft_error *err);

/* ---- queries ---- */

haft__mcp_era haft__mcp_client_era(const haft__mcp_client *client); /* UNKNOWN until READY */

/* Whether changes of the tool list are reported: the session is subscribed, or the server has
 * declared that its tools do not change. For a legacy server over HTTP, only the host can decide
 * this. */
bool haft__mcp_client_is_watching(const haft__mcp_client *client);

#endif
