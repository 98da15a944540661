/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/server/server.h - an HTTP/1.1 server on the loop.
 *
 * The handler gets each complete request, and responds immediately or later, as a whole or in
 * pieces. Before that, the accept callback may reject the body of a request, given its head; then
 * the body is not stored. All work is done on the loop's thread; callbacks are called only from
 * haft__loop_step.
 *
 * The server itself rejects requests that are too big (413, 431), requests whose body does not fit
 * into the memory for all bodies (503), requests that arrive too slowly, and requests that two
 * programs could parse differently: a repeated Content-Length, or a Content-Length together with a
 * transfer coding; invalid header names, and control characters in header values and targets;
 * header lines that continue the line before; a coding other than chunked; an absolute target for
 * another host than the Host header. After such a request the connection is closed.
 *
 * libmicrohttpd before 1.0 accepts lines that end with a bare LF, and in a head with such lines
 * haft cannot see a NUL. It also skips lines in front of a request that are empty or begin with a
 * NUL. A proxy before haft must not forward such requests. Responses that libmicrohttpd generates
 * itself have an HTML body. If a Content-Length is not a number, version 0.9.75 sends the head of
 * its response twice.
 */
#ifndef HAFT_IO_SERVER_SERVER_H
#define HAFT_IO_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "haft.h"
#include "io/loop.h"

typedef struct haft__http_server haft__http_server;
typedef struct haft__http_server_request haft__http_server_request;

/* Decides from the head of a request whether to accept its body. It must call only
 * functions that read the request, and not haft__http_server_body. */
typedef bool haft__http_server_accept_body(void *context, const haft__http_server_request *request);

/* Appends the JSON body of an error response that the server generates itself. The message is ASCII
 * that needs no escapes. */
typedef void haft__http_server_write_error(void *context, uint32_t status, const char *message,
                                           haft__buf *body);

/* Each number is a limit: 0 stands for the value in base/limits.h, and a greater value is an
 * error. */
typedef struct haft__http_server_options {
    haft_str address; /* as for haft__listener_open */
    /* Called with the handler's context. NULL: all bodies are accepted. If a body is
     * rejected, the handler gets an empty body; it does not wait until a long body has arrived. */
    haft__http_server_accept_body *accept_body;
    /* Called with the handler's context. NULL: {"error":{"message":...}} */
    haft__http_server_write_error *write_error;
    size_t max_body;        /* bytes */
    size_t max_bodies;      /* bytes of all bodies that are being received or handled */
    size_t max_queue;       /* bytes of a stream that its client has not read yet */
    size_t max_queues;      /* bytes of all responses that clients have not read yet; above it, the
                               connection whose client stopped reading first is dropped */
    size_t max_connections; /* further connections wait until one is closed */
    size_t idle_ms;         /* idle connections are closed after this time; rounded up to seconds */
    size_t receive_ms;      /* for the head, and then for each 64 KiB of a body */
} haft__http_server_options;

/* Handles a request: with haft__http_server_reply, or haft__http_server_begin and the functions for
 * streams, immediately or later. Every request must be finished exactly once, by reply, end or
 * abort. It is valid until then, even if the client disconnects or the server is destroyed. */
typedef void haft__http_server_handler(void *context, haft__http_server_request *request);

/* IO if the address is not available, TOO_BIG for options past a limit, UNSUPPORTED without
 * libmicrohttpd. */
HAFT_MUST_USE haft_status haft__http_server_create(haft__loop *loop,
                                                   const haft__http_server_options *options,
                                                   haft__http_server_handler *handler,
                                                   void *context, haft__http_server **ret_server,
                                                   haft_error *err);

/* Drops every connection; for open requests the client counts as disconnected. Must not be called
 * from a callback of the server. */
void haft__http_server_destroy(haft__http_server *server);

/* The listening address with the actual port: "127.0.0.1:41234". */
haft_str haft__http_server_address(const haft__http_server *server);
uint16_t haft__http_server_port(const haft__http_server *server);

/* ---- the request; texts are borrowed from it ---- */

haft_str haft__http_server_method(const haft__http_server_request *request);
/* The path and the query as they were sent, without decoding or normalising. The query is the part
 * after the '?', or empty. */
haft_str haft__http_server_path(const haft__http_server_request *request);
haft_str haft__http_server_query(const haft__http_server_request *request);
haft_str haft__http_server_body(const haft__http_server_request *request);
/* Frees the body before the request is finished. */
void haft__http_server_release_body(haft__http_server_request *request);
/* The first header with this name, case-insensitive. .ptr is NULL if it is missing, or if
 * the client has disconnected. */
haft_str haft__http_server_header(const haft__http_server_request *request, const char *name);
/* The number of headers with this name. */
size_t haft__http_server_header_count(const haft__http_server_request *request, const char *name);

/* ---- responses ---- */

typedef struct haft__http_server_field {
    haft_str name, value;
} haft__http_server_field;

/* The head of a response. The server omits fields that HTTP does not allow, fields that exceed the
 * limit for fields of a request, and framing fields, which it sets itself. */
typedef struct haft__http_server_head {
    uint32_t status;       /* 200 to 599 */
    haft_str content_type; /* "": none */
    const haft__http_server_field *fields;
    size_t field_count;
} haft__http_server_head;

/* Responds and finishes the request. Everything is copied. If memory or queue space runs out, the
 * connection is dropped. */
void haft__http_server_reply(haft__http_server_request *request, const haft__http_server_head *head,
                             haft_str body);

/* Begins a streamed response. */
void haft__http_server_begin(haft__http_server_request *request,
                             const haft__http_server_head *head);

/* Queues a piece. False if no more data can be delivered: the client has disconnected, the queue is
 * full, or memory or queue space is used up. Then no byte of the piece is sent, and the caller must
 * abort the request. */
bool haft__http_server_write(haft__http_server_request *request, haft_str bytes);

/* The bytes of a streamed response that the client has not read yet. */
size_t haft__http_server_unread(const haft__http_server_request *request);

/* Finishes the response after the queued pieces. */
void haft__http_server_end(haft__http_server_request *request);

/* Finishes the request by dropping the connection: after the queued pieces, or immediately if a
 * write failed. */
void haft__http_server_abort(haft__http_server_request *request);

/* Sets `on_disconnect`, which is called once if the client disconnects or the server is destroyed
 * before the request is finished; it may finish the request. A client that closes its sending side
 * counts as disconnected. Must be set before the handler returns. */
void haft__http_server_on_disconnect(haft__http_server_request *request,
                                     void (*on_disconnect)(void *context,
                                                           haft__http_server_request *request),
                                     void *context);

#endif
