/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/mcp_int.h - connections to MCP servers, shared by the runs of a runtime.
 *
 *     mcp.c              the pool of all connections; the tools of a spec's servers
 *     connection.c       one connection: its states, deadlines and restarts
 *     event.c            events of the session (mcp/client/client.h)
 *     setup.c            configuration of a server: arguments, variables, headers, roots
 *     stdio_transport.c  the transport to a program
 *     http_transport.c   the transport over HTTP; exchange.c is one request of it
 *     pin_check.c        whether a tool is unchanged; pins.c is the file of pins
 *     offline.c          cached listings, without asking a server, and their problems
 *     tool_call.c        calls: the executor; question.c asks a person
 *     result.c           the result of a call
 *     tool_cache.c       the tool lists that are cached between processes
 *
 * A connection starts when its server's tools are not known, or at the first call.
 */
#ifndef HAFT_EXEC_MCP_MCP_INT_H
#define HAFT_EXEC_MCP_MCP_INT_H

#include "exec/executor.h"
#include "exec/mcp/mcp.h"
#include "exec/mcp/pins.h"
#include "exec/mcp/tool_cache.h"
#include "io/line_splitter.h"
#include "mcp/client/client.h"
#include "mcp/server_config.h"
#include "model/sse.h"

typedef struct haft__mcp_connection haft__mcp_connection;
typedef struct haft__mcp_tool_call haft__mcp_tool_call;

typedef enum haft__mcp_connection_state {
    HAFT__MCP_CONNECTION_IDLE,    /* not started, or ended and not needed */
    HAFT__MCP_CONNECTION_OPENING, /* until the session is ready */
    HAFT__MCP_CONNECTION_OPEN,
    HAFT__MCP_CONNECTION_BACKOFF,  /* it failed, and restarts soon */
    HAFT__MCP_CONNECTION_DISABLED, /* it failed too often */
} haft__mcp_connection_state;

/* One HTTP request whose response is pending, or a long-lived stream. */
typedef struct haft__mcp_exchange {
    haft__mcp_connection *connection;
    struct haft__mcp_exchange *next;
    uint64_t number; /* number of the request in the session; 0: a message without a response */
    enum {
        HAFT__EXCHANGE_POST,
        HAFT__EXCHANGE_PUSH,   /* GET: messages that the server sends on its own */
        HAFT__EXCHANGE_DELETE, /* ends a session */
    } kind;
    struct haft__http_transfer *transfer; /* NULL: between two attempts */
    haft__arena arena;                    /* body and headers */
    haft_str body;
    const haft_str *headers;
    size_t header_count;
    bool stream;   /* no total deadline */
    uint64_t call; /* number of the tool call whose deadline applies; 0: not a call */
    uint64_t began;
    char why[512];  /* the reason of the last failed attempt; "" before the first attempt */
    bool events;    /* the response is an event stream */
    bool answered;  /* the stream contained the response */
    bool sent;      /* the first attempt may have reached the server */
    bool resumed;   /* the rest of the response was requested: an error concerns only that rest */
    uint32_t tries; /* attempts since the last received data */
    uint32_t polls; /* reconnects that made progress but did not reach the response */
    char id_before[HAFT__SSE_ID_BYTES]; /* id of the last event before this attempt */
    size_t id_before_length;
    haft__sse sse;
    haft__buf text; /* a response that is not a stream */
    haft__timer timer;
} haft__mcp_exchange;

struct haft__mcp_connection {
    haft__exec *exec;
    haft__mcp_connection *next;
    haft__arena arena;              /* the configuration */
    haft_str key;                   /* key in the pool */
    haft__mcp_server_config server; /* a copy */
    haft_str directory;             /* of the spec; "" if it has none */
    const char *path;               /* of the tool cache file; NULL: no state directory */
    haft__redactor *redactor;       /* secrets that must not be written; in `arena` */
    haft__mcp_tool_cache record;
    haft__arena known;           /* tools from the cache */
    const haft__mcp_tool *tools; /* the newest list, from the cache or the server */
    size_t tool_count;
    uint64_t number;     /* number of the list in `tools`; 0: no list yet */
    bool listed;         /* `tools` is valid */
    bool fresh;          /* the server sent the list in this session and reported no change since */
    bool push_supported; /* legacy HTTP: the server reports changes on a separate stream ... */
    bool push_rejected;  /* ... which it has rejected */
    bool listing;        /* a list request is pending */
    bool outdated;       /* the server reported a change after the request was sent */
    bool renewing;       /* the list request is not part of the start */
    uint32_t relist_attempts; /* consecutive lists that were outdated on arrival */
    bool used;                /* a tool has been called */
    haft__mcp_client *client;
    haft__mcp_connection_state state;
    uint32_t failures;      /* since the last success */
    bool slow;              /* the last failure was a timeout: no call waits for the next attempt */
    uint64_t not_before;    /* earliest time of the next start */
    haft_error error;       /* why the server is not available; status HAFT_OK if it is */
    haft__buf stderr_lines; /* of the program that failed: last lines, without secrets */
    haft__timer deadline;   /* of the start with the first list, or of a later list */
    haft__timer probe;      /* timeout of the protocol version probe */
    haft__timer wake;       /* end of the backoff */
    haft__timer refresh;    /* earliest time of the next list request */
    haft__mcp_tool_call *tool_calls; /* calls, in order */
    bool era_from_cache;             /* the protocol era comes from the cache, without a probe */
    bool pumping;
    bool closing; /* shutdown has begun */

    haft__child *child; /* stdio */
    haft__line_splitter lines;
    haft__arena setup; /* memory of the start parameters */
    struct haft__http_client *web;
    haft_str url; /* HTTP: with variables expanded */
    const haft_str *headers;
    size_t header_count;
    haft__mcp_exchange *exchanges;
    haft_str session[2]; /* session headers, for GET and DELETE */
    haft__arena session_arena;
};

/* A queued question of a server that waits for the answer. In the arena of the call. */
typedef struct haft__mcp_queued_question {
    uint64_t number;     /* number of the question in the session */
    haft__json question; /* in the form of haft__exec_ask */
    struct haft__mcp_queued_question *next;
} haft__mcp_queued_question;

struct haft__mcp_tool_call {
    haft__exec_job *job;
    haft__mcp_connection *connection;
    haft__mcp_tool_call *next;
    haft_str tool,
        hash;         /* the server's name of the tool, and the hash of the definition in the run */
    haft__tool shown; /* the tool as the run had it when the call began */
    uint64_t number;  /* number of the call in the session; 0: not sent yet */
    bool sent;
    bool resent;     /* the server rejected the call once, so it is sent a second time */
    bool log_warned; /* the call was warned about log messages that cannot be assigned to a call */
    uint64_t
        question; /* number of the question that a person is being asked; 0: none, or withdrawn */
    haft__mcp_queued_question
        *queue; /* the next questions, in order: a person is asked one question at a time */
    uint32_t question_count; /* all questions of the call so far */
    haft__json answers;      /* answers to earlier questions by their keys, or null */
    haft__json output_schema;
};

/* A query to the servers of a spec for their tools. */
struct haft__catalogue {
    haft__exec *exec;
    haft__catalogue *next; /* in the list of waiting catalogues */
    haft__arena arena;
    haft_str spec;                      /* its path; "" if it has no file */
    haft__mcp_connection **connections; /* in the order of the spec */
    haft_str *warnings; /* for each connection: a problem with its state files; "" if none */
    size_t count;
    haft__catalogue_done *done; /* NULL once it is cancelled */
    void *context;
    haft__timer timer;
    haft__task task;
    bool posted;
};

/* The pins of one server of one spec in the memory of this process. They apply even if the pin file
 * could not be written. Several specs may share a connection, but not their pins. */
typedef struct haft__mcp_process_pins {
    haft_str path; /* of the pin file, even if the file does not exist */
    haft__mcp_pins pins;
    struct haft__mcp_process_pins *next;
} haft__mcp_process_pins;

/* All connections of an exec. */
typedef struct haft__mcp_connection_pool {
    haft__mcp_connection *connections;
    struct haft__catalogue *catalogues; /* catalogues that wait for connections */
    haft_str state_dir;                 /* .ptr NULL: none */
    haft__mcp_process_pins *own_pins;
    haft__arena arena;
    haft__hash_key hash_key;
} haft__mcp_connection_pool;

/* ---- mcp.c ---- */

/* The connection to a server of a spec; created on first use, but not started. */
HAFT_MUST_USE haft_status haft__mcp_connection_pool_get(haft__exec *exec, const haft__spec *spec,
                                                        const haft__mcp_server_config *server,
                                                        haft__mcp_connection **ret_connection,
                                                        haft_error *err);

/* A connection has changed: waiting catalogues check it again. */
void haft__mcp_connection_pool_notify(haft__exec *exec);

/* ---- offline.c ---- */

#define HAFT__MCP_LIST_TOO_LONG_WARNING                                                            \
    HAFT__LIT(                                                                                     \
        "its list is too long to be cached (mcp.record_bytes): every run starts the server and "   \
        "asks for it")

/* Describes a problem with the state files of a server and its remedy; "" if none. Fails only when
 * out of memory. */
HAFT_MUST_USE haft_status haft__mcp_state_check(haft__arena *arena, haft_str state_dir,
                                                const haft__mcp_server_config *server,
                                                haft_str spec, haft_str *ret_warning,
                                                haft_error *err);

/* Marks tools of a listing that differ from what was used or accepted, and adds a warning unless
 * the listing already has one. `own_pins` are the pins of this process; NULL: none. All in
 * `arena`. */
HAFT_MUST_USE haft_status haft__mcp_state_mark_changed(haft__arena *arena, haft_str state_dir,
                                                       const haft__mcp_server_config *server,
                                                       haft_str spec,
                                                       const haft__mcp_pins *own_pins,
                                                       haft__mcp_listing *listing, haft_error *err);

/* ---- connection.c ---- */

HAFT_MUST_USE haft_status haft__mcp_connection_create(haft__exec *exec,
                                                      haft__mcp_connection **ret_connection,
                                                      haft_error *err);
void haft__mcp_connection_destroy(haft__mcp_connection *connection);

/* Sets the tools from the cache; with `read`, reads the cache file first. */
void haft__mcp_connection_load_cache(haft__mcp_connection *connection, bool read);

/* Closes the session and drops everything pending. */
void haft__mcp_connection_disconnect(haft__mcp_connection *connection);

/* Starts the connection if it is idle and a start is allowed. */
void haft__mcp_connection_connect(haft__mcp_connection *connection);

/* The connection failed; `why` is for people. `lasting`: a retry cannot help. */
void haft__mcp_connection_broken(haft__mcp_connection *connection, const haft_error *why,
                                 bool lasting);

/* The session is ready. */
void haft__mcp_connection_ready(haft__mcp_connection *connection);

/* Requests the tools, with a deadline. No call is sent until they arrive. */
void haft__mcp_connection_list_tools(haft__mcp_connection *connection);

/* A list has arrived, or `error` is the reason why not. */
void haft__mcp_connection_tools_listed(haft__mcp_connection *connection,
                                       const haft__mcp_tools *tools);

/* The server reports that its tools have changed. */
void haft__mcp_connection_tools_changed(haft__mcp_connection *connection);

/* Marks the list as unreliable, because change notifications have stopped. When a call needs the
 * list, the list and the notifications are requested again. */
void haft__mcp_connection_watch_lost(haft__mcp_connection *connection);

/* Resets the failure count after a success. */
void haft__mcp_connection_reset_failures(haft__mcp_connection *connection);

/* Whether the tools or an error are known, so that waiting for the server is pointless. */
bool haft__mcp_connection_is_settled(const haft__mcp_connection *connection);

/* The state for people: "configured", "known", "started", "used". */
haft_str haft__mcp_connection_state_name(const haft__mcp_connection *connection);

/* The tool with this name at the server, or NULL. */
const haft__mcp_tool *haft__mcp_connection_find_tool(const haft__mcp_connection *connection,
                                                     haft_str name);

/* Sets an error whose text names the server. */
haft_status haft__mcp_connection_fail(const haft__mcp_connection *connection, haft_error *err,
                                      haft_status status, const char *format, ...)
    HAFT__PRINTF(4, 5);

/* The reason why the server is not available, with the last lines of its standard error; in
 * `arena`. */
haft_str haft__mcp_connection_error_text(const haft__mcp_connection *connection,
                                         haft__arena *arena);

/* ---- event.c ---- */

/* Processes the events of the session. `status` is the result of the session function that may have
 * produced them: when out of memory the connection fails. */
void haft__mcp_connection_process_events(haft__mcp_connection *connection, haft_status status);

/* ---- setup.c ---- */

/* Arguments and environment of the program, in connection->setup. */
HAFT_MUST_USE haft_status haft__mcp_setup_argv(haft__mcp_connection *connection,
                                               const char ***ret_argv, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_setup_env(haft__mcp_connection *connection,
                                              const char ***ret_env, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_setup_cwd(haft__mcp_connection *connection,
                                              const char **ret_cwd, haft_error *err);

/* URL and headers of a server over HTTP, stored in the connection. */
HAFT_MUST_USE haft_status haft__mcp_setup_http(haft__mcp_connection *connection, haft_error *err);

/* Whether the host of a URL is this machine or in a private network. */
bool haft__mcp_setup_is_private(haft_str url);

/* The root directories for the server, in connection->setup. */
HAFT_MUST_USE haft_status haft__mcp_setup_roots(haft__mcp_connection *connection,
                                                const haft__mcp_root **ret, size_t *ret_count,
                                                haft_error *err);

/* ---- stdio_transport.c ---- */

HAFT_MUST_USE haft_status haft__mcp_stdio_transport_open(haft__mcp_connection *connection,
                                                         haft_error *err);
void haft__mcp_stdio_transport_send(haft__mcp_connection *connection, haft_str text);
void haft__mcp_stdio_transport_close(haft__mcp_connection *connection);

/* Stores the last lines of the program's standard error: redacted, cut (mcp.stderr_lines,
 * mcp.stderr_bytes) and escaped. */
void haft__mcp_stdio_transport_keep_stderr(haft__mcp_connection *connection, haft_str errors);

/* Stores the last lines of a running program. Appends ": " and the last line to `buf`, if there is
 * one. */
void haft__mcp_stdio_transport_add_stderr(haft__mcp_connection *connection, haft__buf *buf);

/* The stored lines if there are several, else "": the error already contains the last line. */
haft_str haft__mcp_stdio_transport_more_stderr(const haft__mcp_connection *connection);

/* ---- http_transport.c ---- */

HAFT_MUST_USE haft_status haft__mcp_http_transport_open(haft__mcp_connection *connection,
                                                        haft_error *err);
void haft__mcp_http_transport_send(haft__mcp_connection *connection,
                                   const haft__mcp_client_message *send);
void haft__mcp_http_transport_cancel(haft__mcp_connection *connection, uint64_t number);

/* Withdraws a call if nothing of it was sent, and returns why it was not sent. False if something
 * was sent or the call does not exist. */
bool haft__mcp_http_transport_recall_unsent(haft__mcp_connection *connection, uint64_t call,
                                            char *why, size_t size);

/* Opens the stream for messages that the server sends on its own; the second function reports
 * whether it is open. */
void haft__mcp_http_transport_listen(haft__mcp_connection *connection);
bool haft__mcp_http_transport_is_listening(const haft__mcp_connection *connection);

/* Aborts all exchanges; with `goodbye` it sends a DELETE for the session, as a separate exchange.
 */
void haft__mcp_http_transport_close(haft__mcp_connection *connection, bool goodbye);

/* ---- exchange.c ---- */

/* Creates an exchange without starting it; NULL when out of memory. */
haft__mcp_exchange *haft__mcp_exchange_create(haft__mcp_connection *connection);
void haft__mcp_exchange_destroy(haft__mcp_exchange *exchange);

/* Sends the request or, with `resume`, requests the rest of its response. */
void haft__mcp_exchange_start(haft__mcp_exchange *exchange, bool resume);

/* Ends an exchange and reports that to the session, except for a push stream or a DELETE. `why` may
 * contain secrets. */
void haft__mcp_exchange_end(haft__mcp_exchange *exchange, uint32_t http, haft_str body,
                            haft_str why);

/* Whether nothing of the request was sent. */
bool haft__mcp_exchange_is_unsent(const haft__mcp_exchange *exchange);

/* The milliseconds to wait before a stream is resumed. */
uint64_t haft__mcp_exchange_wait(const haft__sse *sse);

/* ---- pin_check.c ---- */

/* The pins of this process for a server of the spec at `spec`; created if `make` is set. *ret_pins
 * is NULL if they do not exist. */
HAFT_MUST_USE haft_status haft__mcp_process_pins_get(haft__mcp_connection_pool *connection_pool,
                                                     const haft__mcp_server_config *server,
                                                     haft_str spec, bool make,
                                                     haft__mcp_pins **ret_pins, haft_error *err);
void haft__mcp_process_pins_free(haft__mcp_connection_pool *connection_pool);

typedef enum haft__mcp_pin_verdict {
    HAFT__MCP_PIN_ALLOWED,
    HAFT__MCP_PIN_REJECTED, /* differs from the tool that was used, approved or accepted; `why` has
                               the differences */
    HAFT__MCP_PIN_STALE, /* differs from the definition that the run was shown, and nobody used or
                            approved that definition */
} haft__mcp_pin_verdict;

/* Whether a tool may be called. Pins it on first use. */
HAFT_MUST_USE haft_status haft__mcp_pin_check(haft__mcp_tool_call *tool_call,
                                              const haft__mcp_tool *tool,
                                              haft__mcp_pin_verdict *ret_verdict, haft__buf *why,
                                              haft_error *err);

/* ---- tool_call.c ---- */

/* Sends the waiting calls, if possible. */
void haft__mcp_tool_call_send_pending(haft__mcp_connection *connection);

/* Ends the waiting calls with an error. */
void haft__mcp_tool_call_fail_pending(haft__mcp_connection *connection, const haft_error *error);

/* The call that has this number, or NULL. */
haft__mcp_tool_call *haft__mcp_tool_call_find(haft__mcp_connection *connection, uint64_t number);

/* Returns a call to the queue. Nothing of it may have been sent. */
void haft__mcp_tool_call_requeue(haft__mcp_connection *connection, uint64_t number);

void haft__mcp_tool_call_progress(haft__mcp_tool_call *tool_call,
                                  const haft__mcp_progress *progress);
void haft__mcp_tool_call_log(haft__mcp_connection *connection, const haft__mcp_log *log);
void haft__mcp_tool_call_done(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done);

/* The call that a message of the server belongs to. Over HTTP the message arrives in the response
 * of the call with the number `call`. Otherwise it belongs to the only open call, or to the first
 * one if all open calls are of the same run. NULL if the open calls are of several runs: a message
 * for one run must not reach another run. */
haft__mcp_tool_call *haft__mcp_tool_call_of_message(haft__mcp_connection *connection,
                                                    uint64_t call);

/* Sends a warning about the server to a call. */
void haft__mcp_tool_call_warn(haft__mcp_tool_call *tool_call, haft_str text);

/* Whether a call is waiting to be sent. */
bool haft__mcp_tool_call_is_pending(const haft__mcp_connection *connection);

/* ---- question.c ---- */

/* Asks the questions that a call ended with; false if nobody can be asked. */
bool haft__mcp_tool_call_suspend(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done);

/* For a call that is sent again: stores the answer, and asks the next question if there is one;
 * then *ret_asks is true. */
HAFT_MUST_USE haft_status haft__mcp_tool_call_resume(haft__mcp_tool_call *tool_call, bool *ret_asks,
                                                     haft_error *err);

/* A server that waits for the answer asks a question, or withdraws it. */
void haft__mcp_tool_call_ask(haft__mcp_connection *connection,
                             const haft__mcp_elicitation *question);
void haft__mcp_tool_call_withdraw_question(haft__mcp_connection *connection, uint64_t question);

/* The call has ended: drops the server's open questions. */
void haft__mcp_tool_call_drop_questions(haft__mcp_tool_call *tool_call);

/* Passes the answer of a person to a waiting server. */
void haft__mcp_tool_call_answer(haft__mcp_tool_call *tool_call, haft__json value);

/* ---- result.c ---- */

/* Converts the outcome of a call to a result. Texts in the job's arena, or borrowed. */
void haft__mcp_tool_call_result(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done,
                                haft__exec_result *ret_result);

#endif
