/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/server/server.h - an HTTP/1.1 server on the loop.
 *
 * A handler is given each request once all of it is there, and answers it at once or later, as a
 * whole or piece by piece. Before that its owner may say, by the head alone, that the body is not
 * wanted; then nothing of it is kept. Everything happens on the loop's thread; callbacks come from
 * haft__loop_step only.
 *
 * The server itself refuses what is too big (413, 431), what there is no room for beside all other
 * bodies (503), what comes too slowly, and what two programs could read differently: a length said
 * twice, or beside a transfer coding; names of headers that are none, and control characters in
 * their values; a coding other than chunked.
 *
 * Lines that end with a bare line feed or carriage return, continued header lines and headers
 * without a name are read by libmicrohttpd, each in its own way, and cannot be seen here: a proxy
 * in front must not pass them on. What it refuses by itself has a body of HTML, and 0.9.75 sends
 * the head of that answer twice when a Content-Length is no number.
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

/* Says of a request whose head is there whether its body is wanted. Only what was asked may be
 * looked at, but for the body. */
typedef bool haft__http_server_accept_body(void *context, const haft__http_server_request *request);

/* Appends the body of an answer that the server gives by itself, in JSON. The message is ASCII that
 * needs no escapes. */
typedef void haft__http_server_write_error(void *context, uint32_t status, const char *message,
                                           haft__buf *body);

/* Numbers of 0 mean the limits of base/limits.h, and none may be more. */
typedef struct haft__http_server_options {
    haft_str address;                     /* as haft__listener_open takes it */
    haft__http_server_accept_body *wants; /* with the handler's context. A body that is not wanted
                                           * is empty for the handler, who has the request at once
                                           * where it is long. NULL: all are wanted */
    haft__http_server_write_error
        *refusal;           /* with the handler's context. NULL: {"error":{"message":...}} */
    size_t max_body;        /* bytes */
    size_t max_bodies;      /* bytes of all bodies that are received or with their handlers */
    size_t max_queue;       /* bytes of a stream that its client has not taken yet */
    size_t max_queues;      /* bytes of all answers that clients have not taken yet; for more the
                             * connection is cut that has taken nothing for longest */
    size_t max_connections; /* more wait until one is closed */
    size_t idle_ms;         /* what does nothing for so long is closed; rounded up to seconds */
    size_t receive_ms;      /* for line and headers, and then for each 64 KiB of a body */
} haft__http_server_options;

/* Has a request to answer: with haft__http_server_reply, or haft__http_server_begin and what
 * belongs to it, now or later. Every request must be finished exactly once, by reply, end or cut;
 * until then it is valid, whatever happens to the client and the server. */
typedef void haft__http_server_handler(void *context, haft__http_server_request *request);

/* IO when the address cannot be had, TOO_BIG for options past a limit. */
HAFT_MUST_USE haft_status haft__http_server_create(haft__loop *loop,
                                                   const haft__http_server_options *options,
                                                   haft__http_server_handler *handler,
                                                   void *context, haft__http_server **ret_server,
                                                   haft_error *err);

/* Cuts every connection; the clients of open requests are gone. Not from one of its callbacks. */
void haft__http_server_destroy(haft__http_server *server);

/* Where it listens, with the port that was taken: "127.0.0.1:41234". */
haft_str haft__http_server_address(const haft__http_server *server);
uint16_t haft__http_server_port(const haft__http_server *server);

/* ---- what was asked; texts are borrowed from the request ---- */

haft_str haft__http_server_method(const haft__http_server_request *request);
/* As written, neither decoded nor cleaned. The query is behind the '?', empty without one. */
haft_str haft__http_server_path(const haft__http_server_request *request);
haft_str haft__http_server_query(const haft__http_server_request *request);
haft_str haft__http_server_body(const haft__http_server_request *request);
/* Gives the memory of the body back before the request is finished. */
void haft__http_server_release_body(haft__http_server_request *request);
/* The first header of that name, in any case. .ptr is NULL when there is none, and for all of them
 * once the client is gone. */
haft_str haft__http_server_header(const haft__http_server_request *request, const char *name);
/* How many of that name there are. */
size_t haft__http_server_header_count(const haft__http_server_request *request, const char *name);

/* ---- answers ---- */

typedef struct haft__http_server_field {
    haft_str name, value;
} haft__http_server_field;

/* How an answer begins. Fields that HTTP does not allow, or that are longer than a request's may
 * be, and those about its framing, which are the server's, are left out. */
typedef struct haft__http_server_head {
    uint32_t status;       /* 200 to 599 */
    haft_str content_type; /* "" for none */
    const haft__http_server_field *fields;
    size_t field_count;
} haft__http_server_head;

/* Answers and finishes. Everything is copied; for want of memory or room the connection is dropped.
 */
void haft__http_server_reply(haft__http_server_request *request, const haft__http_server_head *head,
                             haft_str body);

/* Begins an answer that comes in pieces. */
void haft__http_server_begin(haft__http_server_request *request,
                             const haft__http_server_head *head);

/* Queues a piece. False when nothing more can arrive there: the client is gone, or has not taken
 * what was queued and the queue is full, or there is no memory or room. Nothing of the piece is
 * sent then; cut the request. */
bool haft__http_server_write(haft__http_server_request *request, haft_str bytes);

/* Finishes an answer behind what was queued. */
void haft__http_server_end(haft__http_server_request *request);

/* Finishes by dropping the connection: behind what was queued, or at once when a write failed. */
void haft__http_server_abort(haft__http_server_request *request);

/* `gone` is called once if the client leaves, or the server is destroyed, before the request is
 * finished; it may finish it. A client that closes its sending side counts as gone. To be set
 * before the handler returns. */
void haft__http_server_on_disconnect(haft__http_server_request *request,
                                     void (*gone)(void *context,
                                                  haft__http_server_request *request),
                                     void *context);

#endif
