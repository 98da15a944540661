/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_help.h - a server whose handler does what the path says, and clients that use plain
 * sockets. Server and clients take turns on one thread: a client that waits steps the loop.
 *
 *     /echo          answers at once with method, path, query, X-Test and body
 *     /later         answers like /echo, but from a timer
 *     /fields        answers with header fields, valid and invalid ones
 *     /stream        "one two three" in pieces, each from a timer of its own
 *     /keep-open     begins a stream and does not end it
 *     /wait          keeps the request open without an answer
 *     /cut           streams "half", then drops the connection
 *     /drop          drops the connection before the response begins
 *     /fill          streams as many bytes as the queue holds (SERVER_HELP_QUEUE_BYTES), in one
 *                    piece
 *     /flood         the same, and one byte more, which must be rejected
 *     /big           answers with 8 MiB
 *     /big-stream    streams 8 MiB
 *     /release-body  keeps the request open without an answer, and releases its body
 *     /invalid-status answers with an invalid status
 */
#ifndef HAFT_TESTS_SERVER_HELP_H
#define HAFT_TESTS_SERVER_HELP_H

#include "base/buf.h"
#include "io/server/server.h"
#include "test.h"

#define MAX_OPEN_REQUESTS 256
#define BIG_BYTES         (8U << 20)
/* max_queue of the servers that /fill and /flood are sent to. */
#define SERVER_HELP_QUEUE_BYTES 1000

typedef struct server_case {
    haft__loop *loop;
    haft__http_server *server;
    haft__http_server_request *open_requests[MAX_OPEN_REQUESTS]; /* of /keep-open, /wait and
                                                                    /release-body */
    size_t open_request_count;
    int handled, disconnects;
    bool overflow_rejected;   /* the last write of /flood failed, as it must */
    bool abort_on_disconnect; /* abort a request when its client disconnects */
    int later_ms;             /* delay of /later, and between the pieces of /stream */
    haft__buf received;       /* the bytes that the last client received */
} server_case;

void server_open(server_case *c, const haft__http_server_options *options);
/* Opens a server with another handler. Sets *ret_loop (a field of `context`) before it starts. */
void server_open_with(server_case *c, haft__http_server_handler *handler, void *context,
                      haft__loop **ret_loop);
void server_close(server_case *c);

/* A connection; -1 on failure. */
int server_dial(const server_case *c);
/* Sends all of it, stepping the loop while the socket is full. False if the connection broke. */
bool server_send(server_case *c, int fd, haft_str bytes);
/* Receives into c->received until `end` arrives or the connection closes. Returns whether `end`
 * arrived; if `end` is NULL, whether the connection was closed. */
bool server_receive(server_case *c, int fd, const char *end);
/* Steps the loop until *number is `wanted`; false if that does not happen within the timeout. */
bool server_wait_for_count(server_case *c, const int *number, int wanted);

/* Sends and receives until the connection closes; the caller sends "Connection: close". */
haft_str server_exchange(server_case *c, const char *request);
/* The status of the first response; 0 without one. */
int server_status(haft_str answer);
/* The data after the first empty line, chunks joined. */
haft_str server_body(haft_str answer);

#endif
