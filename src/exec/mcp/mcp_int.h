/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/mcp/mcp_int.h - connections to MCP servers, shared by the runs of a runtime.
 *
 *     mcp.c         the hub of all connections; what tools the servers of a spec have
 *     connection.c    one connection: its states, deadlines and restarts
 *     event.c   what the session says is to be done (mcp/client/client.h)
 *     setup.c   what a server is started or asked with: words, variables, headers, roots
 *     stdio_transport.c   the transport to a program; http_transport.c that over HTTP, exchange.c
 * one request of it pin_check.c     whether a tool is still what it was; pins.c the file that knows
 *     offline.c   what is remembered, without asking anybody, and what is wrong with that
 *     tool_call.c     calls: the executor; question.c what a person is asked
 *     result.c  what they come back with
 *     tool_cache.c  what is remembered of a server between processes
 *
 * A connection begins when its server's tools are not known, or at the first call. Private to
 * src/exec.
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
    HAFT__MCP_CONNECTION_IDLE,    /* not begun, or ended and not needed */
    HAFT__MCP_CONNECTION_OPENING, /* until the session is settled */
    HAFT__MCP_CONNECTION_OPEN,
    HAFT__MCP_CONNECTION_BACKOFF,  /* it broke, and is begun again soon */
    HAFT__MCP_CONNECTION_DISABLED, /* it broke too often */
} haft__mcp_connection_state;

/* One request over HTTP whose answer has not come, or a stream that stays. */
typedef struct haft__mcp_exchange {
    haft__mcp_connection *connection;
    struct haft__mcp_exchange *next;
    uint64_t number; /* of the session; 0 for what has no answer */
    enum {
        HAFT__EXCHANGE_POST,
        HAFT__EXCHANGE_PUSH,   /* GET: what the server says unasked */
        HAFT__EXCHANGE_DELETE, /* the end of a session */
    } kind;
    struct haft__http_transfer *transfer; /* NULL: between two attempts */
    haft__arena arena;                    /* body and headers */
    haft_str body;
    const haft_str *headers;
    size_t header_count;
    bool stream;   /* no deadline for the whole */
    uint64_t call; /* of a tool, whose deadline it has; 0: something else */
    uint64_t began;
    char why[512];  /* it could not be sent; "" while nothing was tried */
    bool events;    /* its answer is a stream of events */
    bool answered;  /* the answer was among them */
    bool sent;      /* the first attempt may have reached the server */
    bool taken;     /* the server had begun to answer; what comes now is about the stream alone */
    uint32_t tries; /* since something came */
    uint32_t polls; /* times it was taken up and had got on, but not to its answer */
    char id_before[HAFT__SSE_ID_BYTES]; /* of the last event, when the attempt began */
    size_t id_before_length;
    haft__sse sse;
    haft__buf text; /* an answer that is no stream */
    haft__timer timer;
} haft__mcp_exchange;

struct haft__mcp_connection {
    haft__exec *exec;
    haft__mcp_connection *next;
    haft__arena arena;              /* the configuration */
    haft_str key;                   /* what it is found by */
    haft__mcp_server_config server; /* a copy */
    haft_str directory;             /* of the spec; "" when there is none */
    const char *path;               /* of the record; NULL: there is no place for it */
    haft__redactor *redactor;       /* what must not be written down, in `arena` */
    haft__mcp_tool_cache record;
    haft__arena known;           /* tools from the record */
    const haft__mcp_tool *tools; /* as last listed, by the record or the server */
    size_t tool_count;
    uint64_t number; /* of that list; 0: there was none yet */
    bool listed;     /* `tools` are there */
    bool fresh;      /* the server itself has listed them in this session, and told of no change */
    bool push_supported;      /* legacy HTTP: it tells of changes on a stream of its own ... */
    bool push_rejected;       /* ... which it has refused */
    bool listing;             /* it is asked for them */
    bool outdated;            /* it has said that they changed since it was asked */
    bool renewing;            /* that is not part of its start */
    uint32_t relist_attempts; /* lists in a row that were outdated when they came */
    bool used;                /* a tool has been called */
    haft__mcp_client *client;
    haft__mcp_connection_state state;
    uint32_t failures;               /* since something worked */
    bool slow;                       /* the last of them by a deadline: nobody waits for the next */
    uint64_t not_before;             /* when it may be begun again */
    haft_error error;                /* why it is not there; status HAFT_OK when nothing is wrong */
    haft__timer deadline;            /* of opening and the first list, or of another list */
    haft__timer probe;               /* of the question what it speaks */
    haft__timer wake;                /* when it waits */
    haft__timer refresh;             /* when its tools may be listed again */
    haft__mcp_tool_call *tool_calls; /* calls, in their order */
    bool era_from_cache;             /* its era is from the record, and was not asked for */
    bool pumping;
    bool closing; /* it is being taken down */

    haft__child *child; /* stdio */
    haft__line_splitter lines;
    haft__arena setup; /* what it was started with */
    struct haft__http_client *web;
    haft_str url; /* HTTP: with variables expanded */
    const haft_str *headers;
    size_t header_count;
    haft__mcp_exchange *exchanges;
    haft_str session[2]; /* headers that name the session, for GET and DELETE */
    haft__arena session_arena;
};

/* A question of a server that waits, in the arena of its call. */
typedef struct haft__mcp_queued_question {
    uint64_t number; /* of the session */
    haft__json asks; /* as haft__exec_ask takes it */
    struct haft__mcp_queued_question *next;
} haft__mcp_queued_question;

/* One call. */
struct haft__mcp_tool_call {
    haft__exec_job *job;
    haft__mcp_connection *connection;
    haft__mcp_tool_call *next;
    haft_str tool, hash; /* at the server, and as the run knows it */
    haft__tool shown;    /* as the run knew it when the call began */
    uint64_t number;     /* of the session; 0: not made yet */
    bool sent;
    bool again;        /* the server has not taken it once */
    bool log_warned;   /* it was told that the server logs what cannot be told to it */
    uint64_t question; /* of the session, that a person is asked; 0: none, or it was taken back */
    haft__mcp_queued_question
        *wanted;        /* asked next, in their order: a person is asked one at a time */
    uint32_t asked;     /* questions so far */
    haft__json answers; /* of a person, to what was asked before; by their keys, or null */
    haft__json output_schema;
};

/* Asking the servers of a spec for their tools. */
struct haft__catalogue {
    haft__exec *exec;
    haft__catalogue *next; /* of those that wait */
    haft__arena arena;
    haft_str spec;                      /* its path; "" when it is in no file */
    haft__mcp_connection **connections; /* in the order of the spec */
    haft_str *warnings; /* for each: what is wrong with what is remembered of it; "" for nothing */
    size_t count;
    haft__catalogue_done *done; /* NULL once it is no longer wanted */
    void *context;
    haft__timer timer;
    haft__task task;
    bool posted;
};

/* What is pinned in this process for a server of a spec, whether or not it could be written. A
 * connection may be that of several specs, and what one of them has used is not the others'. */
typedef struct haft__mcp_process_pins {
    haft_str path; /* of the file of pins, or what would be its path */
    haft__mcp_pins pins;
    struct haft__mcp_process_pins *next;
} haft__mcp_process_pins;

/* All connections of an exec. */
typedef struct haft__mcp_connection_pool {
    haft__mcp_connection *connections;
    struct haft__catalogue *catalogues; /* that wait */
    haft_str place;                     /* of records; .ptr NULL: none */
    haft__mcp_process_pins *here;
    haft__arena arena;
    haft__hash_key hash_key;
} haft__mcp_connection_pool;

/* ---- mcp.c ---- */

/* The connection to a server of a spec; made, but not begun, when it is the first time. */
HAFT_MUST_USE haft_status haft__mcp_connection_pool_get(haft__exec *exec, const haft__spec *spec,
                                                        const haft__mcp_server_config *server,
                                                        haft__mcp_connection **ret_link,
                                                        haft_error *err);

/* Something about a connection has changed: whoever waits for its tools looks again. */
void haft__mcp_connection_pool_notify(haft__exec *exec);

/* ---- offline.c ---- */

#define HAFT__MCP_LIST_TOO_LONG_WARNING                                                            \
    HAFT__LIT("its list is too long to be remembered (mcp.record_bytes): every run starts it and " \
              "asks for it")

/* What is wrong with the place where things are remembered of a server, and what to do; "" when
 * nothing is. Fails for want of memory. */
HAFT_MUST_USE haft_status haft__mcp_state_check(haft__arena *arena, haft_str place,
                                                const haft__mcp_server_config *server,
                                                haft_str spec, haft_str *ret_warning,
                                                haft_error *err);

/* Which tools of a listing are not what was used or accepted, and a warning of that unless there is
 * another. `here` is what is pinned in this process alone; NULL: nothing. All in `arena`. */
HAFT_MUST_USE haft_status haft__mcp_state_mark_changed(haft__arena *arena, haft_str place,
                                                       const haft__mcp_server_config *server,
                                                       haft_str spec, const haft__mcp_pins *here,
                                                       haft__mcp_listing *listing, haft_error *err);

/* ---- connection.c ---- */

HAFT_MUST_USE haft_status haft__mcp_connection_create(haft__exec *exec,
                                                      haft__mcp_connection **ret_link,
                                                      haft_error *err);
void haft__mcp_connection_destroy(haft__mcp_connection *connection);

/* Takes the tools from the record; `read` it from its file first. */
void haft__mcp_connection_load_cache(haft__mcp_connection *connection, bool read);

/* Says goodbye: nothing comes of it any more. */
void haft__mcp_connection_disconnect(haft__mcp_connection *connection);

/* Begins it if it has not begun and may. */
void haft__mcp_connection_connect(haft__mcp_connection *connection);

/* It broke: `why` is for people. `lasting`: trying again is of no use. */
void haft__mcp_connection_broken(haft__mcp_connection *connection, const haft_error *why,
                                 bool lasting);

/* The session is settled. */
void haft__mcp_connection_ready(haft__mcp_connection *connection);

/* Asks for the tools, within a time. Until they have come no call goes out. */
void haft__mcp_connection_list_tools(haft__mcp_connection *connection);

/* A list has come, or `error` says why not. */
void haft__mcp_connection_tools_listed(haft__mcp_connection *connection,
                                       const haft__mcp_tools *tools);

/* The server says that its tools have changed. */
void haft__mcp_connection_tools_changed(haft__mcp_connection *connection);

/* Nobody tells of changes any more: what is listed holds no longer. Costs nothing until a call asks
 * for the list, and for somebody who tells of changes, anew. */
void haft__mcp_connection_watch_lost(haft__mcp_connection *connection);

/* Something worked: the count of breaks begins anew. */
void haft__mcp_connection_reset_failures(haft__mcp_connection *connection);

/* Whether nobody need wait for its tools: they are there, or there is an error. */
bool haft__mcp_connection_is_settled(const haft__mcp_connection *connection);

/* "configured", "known", "started", "used". */
haft_str haft__mcp_connection_state_name(const haft__mcp_connection *connection);

/* Its tool by the name at the server, or NULL. */
const haft__mcp_tool *haft__mcp_connection_find_tool(const haft__mcp_connection *connection,
                                                     haft_str name);

/* Appends a text without secrets; `context` is a link. See haft__mcp_redact_fn. */
bool haft__mcp_connection_redact(const void *context, haft_str text, haft__buf *out);

/* An error whose text names the server. */
haft_status haft__mcp_connection_fail(const haft__mcp_connection *connection, haft_error *err,
                                      haft_status status, const char *format, ...)
    HAFT__PRINTF(4, 5);

/* ---- event.c ---- */

/* Does what the session wants done. `status` is what the function of the session returned that may
 * have given it something to want: without memory the connection breaks. */
void haft__mcp_connection_process_events(haft__mcp_connection *connection, haft_status status);

/* ---- setup.c ---- */

/* The words and variables of the program, in link->setup. */
HAFT_MUST_USE haft_status haft__mcp_setup_argv(haft__mcp_connection *connection,
                                               const char ***ret_argv, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_setup_env(haft__mcp_connection *connection,
                                              const char ***ret_env, haft_error *err);
HAFT_MUST_USE haft_status haft__mcp_setup_cwd(haft__mcp_connection *connection,
                                              const char **ret_cwd, haft_error *err);

/* URL and headers of one over HTTP, into the link. */
HAFT_MUST_USE haft_status haft__mcp_setup_http(haft__mcp_connection *connection, haft_error *err);

/* Whether a URL names an address or name of this machine or of a private network. */
bool haft__mcp_setup_is_private(haft_str url);

/* The directories it is told of, in link->setup. */
HAFT_MUST_USE haft_status haft__mcp_setup_roots(haft__mcp_connection *connection,
                                                const haft__mcp_root **ret, size_t *ret_count,
                                                haft_error *err);

/* ---- stdio_transport.c ---- */

HAFT_MUST_USE haft_status haft__mcp_stdio_transport_open(haft__mcp_connection *connection,
                                                         haft_error *err);
void haft__mcp_stdio_transport_send(haft__mcp_connection *connection, haft_str text);
void haft__mcp_stdio_transport_close(haft__mcp_connection *connection);

/* Appends ": what it wrote last" to its standard error, if it runs and has. */
void haft__mcp_stdio_transport_add_stderr(const haft__mcp_connection *connection, haft__buf *buf);

/* ---- http_transport.c ---- */

HAFT_MUST_USE haft_status haft__mcp_http_transport_open(haft__mcp_connection *connection,
                                                        haft_error *err);
void haft__mcp_http_transport_send(haft__mcp_connection *connection,
                                   const haft__mcp_client_message *send);
void haft__mcp_http_transport_cancel(haft__mcp_connection *connection, uint64_t number);

/* Takes back a call of which nothing was sent, with why; false when there is none. */
bool haft__mcp_http_transport_recall_unsent(haft__mcp_connection *connection, uint64_t call,
                                            char *why, size_t size);

/* Listens for what the server says unasked; and whether that is so. */
void haft__mcp_http_transport_listen(haft__mcp_connection *connection);
bool haft__mcp_http_transport_is_listening(const haft__mcp_connection *connection);

/* Breaks off what is under way; with `goodbye` the server is told that the session is over, which
 * is an exchange of its own. */
void haft__mcp_http_transport_close(haft__mcp_connection *connection, bool goodbye);

/* ---- exchange.c ---- */

/* One that has not begun; NULL for want of memory. */
haft__mcp_exchange *haft__mcp_exchange_create(haft__mcp_connection *connection);
void haft__mcp_exchange_destroy(haft__mcp_exchange *it);

/* Sends it, or, with `resume`, asks for the rest of its answer. */
void haft__mcp_exchange_start(haft__mcp_exchange *it, bool resume);

/* Its end, told to the session; a push stream or a goodbye has nobody to tell. `why` may have
 * secrets in it. */
void haft__mcp_exchange_end(haft__mcp_exchange *it, uint32_t http, haft_str body, haft_str why);

/* Nothing of a request was sent. */
bool haft__mcp_exchange_is_unsent(const haft__mcp_exchange *it);

/* How long to wait before a stream is taken up again. */
uint64_t haft__mcp_exchange_wait(const haft__sse *sse);

/* ---- pin_check.c ---- */

/* What is pinned in this process for a server of the spec at `spec`; with `make` it is there
 * afterwards. *ret_pins is NULL when it is not. */
HAFT_MUST_USE haft_status haft__mcp_process_pins_get(haft__mcp_connection_pool *connection_pool,
                                                     const haft__mcp_server_config *server,
                                                     haft_str spec, bool make,
                                                     haft__mcp_pins **ret_pins, haft_error *err);
void haft__mcp_process_pins_free(haft__mcp_connection_pool *connection_pool);

typedef enum haft__mcp_pin_verdict {
    HAFT__MCP_PIN_ALLOWED,
    HAFT__MCP_PIN_REJECTED, /* it is not the one that was used, approved or accepted; `why` says how
                             */
    HAFT__MCP_PIN_STALE, /* it is not what the run was shown, but nobody has used or approved that
                          */
} haft__mcp_pin_verdict;

/* Whether a tool may be called. Pins it when it is the first time. */
HAFT_MUST_USE haft_status haft__mcp_pin_check(haft__mcp_tool_call *tool_call,
                                              const haft__mcp_tool *tool,
                                              haft__mcp_pin_verdict *ret_verdict, haft__buf *why,
                                              haft_error *err);

/* ---- tool_call.c ---- */

/* Makes the calls that wait, if they can be made. */
void haft__mcp_tool_call_send_pending(haft__mcp_connection *connection);

/* Ends those that wait with an error. */
void haft__mcp_tool_call_fail_pending(haft__mcp_connection *connection, const haft_error *error);

/* The call that has this number, or NULL. */
haft__mcp_tool_call *haft__mcp_tool_call_find(haft__mcp_connection *connection, uint64_t number);

/* A call of which nothing was sent waits again, as one that was not made. */
void haft__mcp_tool_call_requeue(haft__mcp_connection *connection, uint64_t number);

void haft__mcp_tool_call_progress(haft__mcp_tool_call *tool_call,
                                  const haft__mcp_progress *progress);
void haft__mcp_tool_call_log(haft__mcp_connection *connection, const haft__mcp_log *log);
void haft__mcp_tool_call_done(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done);

/* The call that something belongs to which the server does not say: over HTTP it comes with the
 * answer of a call. Else it can only be the one that is under way, or one of those of the same run,
 * of which the first hears it: what is meant for one run, another must not hear. NULL when nobody
 * can tell. */
haft__mcp_tool_call *haft__mcp_tool_call_of_message(haft__mcp_connection *connection,
                                                    uint64_t call);

/* Tells a call something about its server that nobody else tells. */
void haft__mcp_tool_call_warn(haft__mcp_tool_call *tool_call, haft_str text);

/* Whether a call waits to be made. */
bool haft__mcp_tool_call_is_pending(const haft__mcp_connection *connection);

/* ---- question.c ---- */

/* Asks what a call that ended with questions wants to know; false when nobody can be asked. */
bool haft__mcp_tool_call_suspend(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done);

/* For a call that is made again: takes the answer in, and asks the next question if there is one
 * (*ret_asks). */
HAFT_MUST_USE haft_status haft__mcp_tool_call_resume(haft__mcp_tool_call *tool_call, bool *ret_asks,
                                                     haft_error *err);

/* A server that waits asks, or takes back what it asked. */
void haft__mcp_tool_call_ask(haft__mcp_connection *connection,
                             const haft__mcp_elicitation *question);
void haft__mcp_tool_call_withdraw_question(haft__mcp_connection *connection, uint64_t question);

/* The call is over: nobody answers what the server still asks in it. */
void haft__mcp_tool_call_drop_questions(haft__mcp_tool_call *tool_call);

/* What a person said, for a server that waits. */
void haft__mcp_tool_call_answer(haft__mcp_tool_call *tool_call, haft__json said);

/* ---- result.c ---- */

/* What the end of a call means. Texts in the job's arena, or borrowed. */
void haft__mcp_tool_call_result(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done,
                                haft__exec_result *ret_result);

#endif
