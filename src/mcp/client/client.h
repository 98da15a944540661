/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/client/client.h - the client's side of a connection to one MCP server, of either era.
 *
 * No I/O, no clock, no callbacks: the host hands in what arrives and what breaks, and takes out
 * what is to be sent and what has happened, in order:
 *
 *     status = haft__mcp_client_receive(client, 0, line, err);
 *     while (haft__mcp_client_next(client, &event)) { ... send event.send.text, or tell ... }
 *
 * Deadlines are the host's: of the probe (haft__mcp_client_probe_timed_out), of a call
 * (haft__mcp_client_cancel), of the whole (haft__mcp_client_disconnected). Every call ends exactly
 * once, with HAFT__MCP_EVENT_DONE. Whatever a server sends costs no more memory than the message
 * itself and what is under way. Answers that nobody waits for are dropped.
 */
#ifndef HAFT_MCP_CLIENT_CLIENT_H
#define HAFT_MCP_CLIENT_CLIENT_H

#include "mcp/definition.h"
#include "mcp/rpc.h"

typedef struct haft__mcp_client haft__mcp_client;

typedef enum haft__mcp_transport {
    HAFT__MCP_STDIO,
    HAFT__MCP_HTTP,
} haft__mcp_transport;

/* Which of MCP's two ways a server speaks: `initialize` and a session (up to 2025-11-25), or
 * requests that stand alone (from 2026-07-28). */
typedef enum haft__mcp_era {
    HAFT__MCP_ERA_UNKNOWN, /* it is asked */
    HAFT__MCP_ERA_LEGACY,
    HAFT__MCP_ERA_MODERN,
} haft__mcp_era;

/* A directory that a server may know of. */
typedef struct haft__mcp_root {
    haft_str uri, name; /* "file:///data/docs", "docs" */
} haft__mcp_root;

/* Takes secrets out of a text: appends it to `out` without them, and tells whether there were any.
 * Failure is the buffer's. */
typedef bool haft__mcp_redact_fn(const void *context, haft_str text, haft__buf *out);

typedef struct haft__mcp_client_options {
    haft__mcp_transport transport;
    haft__mcp_era era;       /* what is known from before; forgotten when it leads nowhere */
    haft__mcp_origin origin; /* the server, for definitions of its tools */
    haft_str version;        /* of haft */
    const haft__mcp_root *roots;
    size_t root_count;  /* with none the server is not told that roots exist */
    bool elicitation;   /* there is somebody who can answer a server's questions */
    bool listen;        /* be told when the list of tools changes (modern: subscriptions/listen) */
    haft_str log_level; /* "info": messages from this level on; "" for none */
    haft__mcp_redact_fn
        *clean;                /* for all that a server says, whole, before it is cut; NULL: none */
    const void *clean_context; /* must outlive the client */
} haft__mcp_client_options;

/* The options are copied, texts included. */
HAFT_MUST_USE haft_status haft__mcp_client_create(const haft__mcp_client_options *options,
                                                  haft__mcp_client **ret_client, haft_error *err);
void haft__mcp_client_destroy(haft__mcp_client *client);

/* ---- what happens ---- */

typedef enum haft__mcp_client_event_kind {
    HAFT__MCP_EVENT_SEND,       /* .send: hand this message to the server */
    HAFT__MCP_EVENT_CLOSE,      /* .exchange: HTTP: close its stream, the call is off */
    HAFT__MCP_EVENT_READY,      /* .ready: era and version are settled */
    HAFT__MCP_EVENT_FAILED,     /* .error: it cannot be used. UNSUPPORTED: nor by starting again,
                                   unless its era was wrong; BAD_STATE: nor then; else perhaps */
    HAFT__MCP_EVENT_TOOLS,      /* .tools: a listing has ended */
    HAFT__MCP_EVENT_CHANGED,    /* the list of tools is no longer true; list again when it suits.
                                   Told once for each listing, however often the server says so */
    HAFT__MCP_EVENT_WATCH_LOST, /* nobody tells any more whether the list of tools changes; the
                                  next listing asks for that, too */
    HAFT__MCP_EVENT_PROGRESS,   /* .progress */
    HAFT__MCP_EVENT_LOG,        /* .log */
    HAFT__MCP_EVENT_QUESTION,   /* .question: legacy; answer with haft__mcp_client_answer */
    HAFT__MCP_EVENT_QUESTION_WITHDRAWN, /* .question.number: nobody waits for it any more */
    HAFT__MCP_EVENT_DONE,               /* .done: a call has ended */
} haft__mcp_client_event_kind;

typedef struct haft__mcp_client_message {
    haft_str text;           /* one JSON message without line ends; the host puts the LF on stdio */
    uint64_t exchange;       /* of a request: names it in what the host tells; 0 for all else */
    uint64_t call;           /* whose request it is; 0 for none */
    haft_str method;         /* "tools/call"; "" for an answer */
    bool stream;             /* it stays open as long as it can: no deadline for the whole */
    const haft_str *headers; /* HTTP: "MCP-Protocol-Version: 2025-11-25" and the like, session id
                                included; without Content-Type and Accept */
    size_t header_count;
} haft__mcp_client_message;

typedef struct haft__mcp_ready {
    haft__mcp_era era;
    haft_str protocol;                    /* "2025-11-25" */
    haft_str server_name, server_version; /* as it calls itself, made visible; may be "" */
    haft_str instructions;                /* made visible; may be "" */
    bool tools;                           /* it has tools at all */
    bool push; /* legacy HTTP: the host may GET a stream to hear of changes */
} haft__mcp_ready;

/* Borrowed until the next event of this kind is taken or the client is destroyed. */
typedef struct haft__mcp_tools {
    const haft__mcp_tool *items; /* in the server's order; names distinct */
    size_t count;
    const haft__mcp_skipped_tool *left_out; /* and lists cut, each with the reason */
    size_t left_out_count;                  /* of them, at most HAFT__LIMIT_MCP_WARNINGS */
    size_t left_out_all;                    /* all there were */
    bool has_ttl;                           /* modern: how long the server says the list holds */
    uint64_t ttl_ms;
    haft_error error; /* status HAFT_OK; else the listing failed and there are no tools */
} haft__mcp_tools;

typedef struct haft__mcp_progress {
    uint64_t call;
    haft__json progress, total; /* numbers; total may be null */
    haft_str message;           /* made visible; may be "" */
} haft__mcp_progress;

typedef struct haft__mcp_log {
    uint64_t call;          /* over HTTP: that in whose answer it came; 0: nobody can tell */
    haft_str level, logger; /* made visible; logger may be "" */
    haft_str text;          /* a string, or what it is as JSON; made visible and cut */
} haft__mcp_log;

/* A question to a person, of either era. */
typedef struct haft__mcp_elicitation {
    uint64_t number;   /* legacy: for haft__mcp_client_answer */
    uint64_t call;     /* the call it belongs to; 0 when nobody can tell */
    haft_str key;      /* modern: its key in inputRequests */
    bool url;          /* asks to go somewhere; else to fill in a form */
    haft_str message;  /* made visible */
    haft__json schema; /* form: a flat object schema (mcp/client/elicitation.h) */
    haft_str address;  /* url: where; http or https */
} haft__mcp_elicitation;

typedef enum haft__mcp_call_outcome {
    HAFT__MCP_OUTCOME_RESULT, /* .result: see mcp/client/content.h; isError is one of these */
    HAFT__MCP_OUTCOME_ERROR,  /* .error: the server refused, or sent something that is no answer */
    HAFT__MCP_OUTCOME_LOST, /* .error: the connection broke; what the tool did is not known if .sent
                             */
    HAFT__MCP_OUTCOME_CANCELLED, /* by haft__mcp_client_cancel */
    /* .error: the server has not taken the call, because of its session, version or headers. It may
     * be made again once the tools were listed again. */
    HAFT__MCP_OUTCOME_RETRY,
    HAFT__MCP_OUTCOME_INPUT_REQUIRED, /* modern: .questions must be answered, then the call made
                        again with .state, in this process or in another */
} haft__mcp_call_outcome;

typedef struct haft__mcp_call_done {
    uint64_t call;
    haft__mcp_call_outcome outcome;
    bool sent;                              /* the request may have reached the server */
    haft__json result;                      /* RESULT: all of it, without secrets */
    haft__json exact;                       /* ... and as it came, where that differs; else null */
    int64_t code;                           /* ERROR: of JSON-RPC; 0 for none */
    uint32_t http;                          /* ERROR: the status of the answer; 0 for none */
    haft__json data;                        /* ERROR: what the server added; null for none */
    haft_error error;                       /* ERROR, LOST, CANCELLED, AGAIN */
    const haft__mcp_elicitation *questions; /* INPUT */
    size_t question_count;
    haft__json answered; /* INPUT: what haft has answered itself (roots); an object */
    haft_str state;      /* INPUT: requestState, to be given back byte by byte; .ptr NULL: none */
    uint32_t round;      /* INPUT: for the next call */
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

/* Takes the next event, in the order in which they came about; false when there is none. What it
 * points to lives until the next call of this function, tools excepted (see there). */
bool haft__mcp_client_next(haft__mcp_client *client, haft__mcp_client_event *ret_event);

/* ---- what the host tells ----
 *
 * Each fails for want of memory only, and then the client is as a client whose connection was lost.
 */

/* The transport is up, for the first time or again: settles the era and version. What was under
 * way on a connection before is lost. Calls that were
 * made before go out once that is done. */
HAFT_MUST_USE haft_status haft__mcp_client_start(haft__mcp_client *client, haft_error *err);

/* The server did not answer the probe in time (stdio): goes on with `initialize`. Nothing when it
 * is not being probed. */
HAFT_MUST_USE haft_status haft__mcp_client_probe_timed_out(haft__mcp_client *client,
                                                           haft_error *err);

/* One message has come: a line of stdio, the data of an SSE event, a JSON body. Over HTTP
 * `exchange` says which request's stream it came on (0: a stream of its own, or stdio). */
HAFT_MUST_USE haft_status haft__mcp_client_receive(haft__mcp_client *client, uint64_t exchange,
                                                   haft_str text, haft_error *err);

/* HTTP: the session id in the header of an answer to `exchange`. */
HAFT_MUST_USE haft_status haft__mcp_client_session(haft__mcp_client *client, uint64_t exchange,
                                                   haft_str id, haft_error *err);

/* HTTP: an exchange ended without an answer: with a status that is not 2xx and its body, or (0 and
 * why) broken off, or cleanly but without an answer. Told for an exchange that is over already it
 * means nothing. */
typedef struct haft__mcp_exchange_failure {
    uint32_t http; /* 0 when there was no answer, or it was fine and then broke off */
    haft_str body;
    haft_str why; /* "no connection could be made"; for people, without secrets */
    bool sent;    /* the request may have reached the server */
} haft__mcp_exchange_failure;
HAFT_MUST_USE haft_status haft__mcp_client_exchange_failed(haft__mcp_client *client,
                                                           uint64_t exchange,
                                                           const haft__mcp_exchange_failure *broken,
                                                           haft_error *err);

/* Nothing of the call that this exchange is for was sent: it waits, as one that was not tried. */
void haft__mcp_client_exchange_unsent(haft__mcp_client *client, uint64_t exchange);

/* The connection as a whole is gone (the process died, the pipe broke): what was sent ends as LOST,
 * what was not waits for haft__mcp_client_start. `why` is for people. */
HAFT_MUST_USE haft_status haft__mcp_client_disconnected(haft__mcp_client *client, haft_str why,
                                                        haft_error *err);

/* The host gives up: everything that is under way ends with an error that says `why`. */
HAFT_MUST_USE haft_status haft__mcp_client_abort(haft__mcp_client *client, haft_str why,
                                                 haft_error *err);

/* ---- what the host wants ---- */

/* Lists the tools; ends with HAFT__MCP_EVENT_TOOLS. Nothing when a listing is under way. */
HAFT_MUST_USE haft_status haft__mcp_client_list(haft__mcp_client *client, haft_error *err);

/* One call of a tool. Everything is copied. */
typedef struct haft__mcp_call {
    haft_str tool;               /* at the server: haft__mcp_tool.remote */
    haft__json arguments;        /* an object, or null for none */
    const haft__mcp_tool *known; /* for its Mcp-Param headers; NULL: as last listed */
    haft__json answers;          /* modern, after INPUT: inputResponses, or null */
    haft_str state;              /* ... and requestState; .ptr NULL: none */
    uint32_t round;              /* ... and how often this call was made before */
    haft_str idempotency_key;    /* the same for each attempt of one call; "" for none */
    uint64_t epoch;              /* how often its run was taken up; 0: not said */
} haft__mcp_call;

/* *ret_call names it and is never used again. A call that cannot be made (more than
 * HAFT__LIMIT_MCP_CALLS under way) ends with an error like any other. */
HAFT_MUST_USE haft_status haft__mcp_client_call(haft__mcp_client *client,
                                                const haft__mcp_call *call, uint64_t *ret_call,
                                                haft_error *err);

/* Ends a call now, as CANCELLED, and tells the server. Nothing when it has ended. */
HAFT_MUST_USE haft_status haft__mcp_client_cancel(haft__mcp_client *client, uint64_t call,
                                                  haft_str reason, haft_error *err);

typedef enum haft__mcp_action {
    HAFT__MCP_ACCEPT,
    HAFT__MCP_DECLINE, /* the person said no */
    HAFT__MCP_CANCEL,  /* ... or nothing: "cancel" */
} haft__mcp_action;

/* Answers a question of a legacy server. `content` is an object for a form that was accepted, else
 * null. Nothing when nobody waits for it. */
HAFT_MUST_USE haft_status haft__mcp_client_answer(haft__mcp_client *client, uint64_t question,
                                                  haft__mcp_action action, haft__json content,
                                                  haft_error *err);

/* ---- looking ---- */

haft__mcp_era haft__mcp_client_era(const haft__mcp_client *client); /* UNKNOWN until READY */

/* Whether changes of the list of tools are told, as far as the session knows: it listens, or the
 * server has said that they do not change. Of a legacy server over HTTP the host knows. */
bool haft__mcp_client_is_watching(const haft__mcp_client *client);

#endif
