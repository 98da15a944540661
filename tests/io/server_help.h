/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_help.h - a server with a handler that does what the path says, and clients made of plain
 * sockets. Server and clients take turns on one thread: a client that waits steps the loop.
 *
 *     /echo          answers at once with method, path, query, X-Test and body
 *     /later         the same from a timer
 *     /fields        answers with fields, good and bad ones
 *     /stream        "one two three" in pieces, each from a timer of its own
 *     /hold          begins a stream and keeps it; /wait keeps the request without an answer
 *     /cut           "half" of a stream, then the connection is dropped; /drop before any of it
 *     /fill          a stream as long as the queue, in one piece; /flood one byte more
 *     /big           8 MiB in one answer; /rain the same as a stream
 *     /forget        keeps the request without an answer, and gives its body back
 *     /odd           answers with an invalid status
 */
#ifndef HAFT_TESTS_SERVER_HELP_H
#define HAFT_TESTS_SERVER_HELP_H

#include "base/buf.h"
#include "io/server/server.h"
#include "test.h"

#define HELD_MOST 256
#define BIG_BYTES (8U << 20)

typedef struct server_case {
    haft__loop *loop;
    haft__http_server *server;
    haft__http_server_request *held[HELD_MOST]; /* of /hold, /wait and /forget */
    size_t held_count;
    int handled, gone;
    bool flooded;       /* what the last write of /flood returned */
    bool finish_gone;   /* cut streams whose client has disconnected */
    int later_ms;       /* of /later and between the pieces of /stream */
    haft__buf received; /* by the last client */
} server_case;

void server_open(server_case *c, const haft__http_server_options *options);
/* The same with another handler, whose context has a loop to be set. */
void server_open_with(server_case *c, haft__http_server_handler *handler, void *context,
                      haft__loop **ret_loop);
void server_close(server_case *c);

/* A connection; -1 on failure. */
int server_dial(const server_case *c);
/* Sends all of it, stepping the loop while the socket is full. False if the connection broke. */
bool server_send(server_case *c, int fd, haft_str bytes);
/* Receives until `end` arrives, or until the connection is closed if that is NULL (or it closes
 * before). The data is in c->received; returns whether the end arrived. */
bool server_receive(server_case *c, int fd, const char *end);
/* Steps the loop until the number is `wanted`; false if that never happens. */
bool server_until(server_case *c, const int *number, int wanted);

/* Sends and receives until the connection closes; the caller sends "Connection: close". */
haft_str server_talk(server_case *c, const char *request);
/* The status of the first response; 0 without one. */
int server_status(haft_str answer);
/* The data after the first empty line, chunks joined. */
haft_str server_body(haft_str answer);

#endif
