/* SPDX-License-Identifier: Apache-2.0 */
/* io/server/server_int.h - what the files of the server share. */
#ifndef HAFT_IO_SERVER_SERVER_INT_H
#define HAFT_IO_SERVER_SERVER_INT_H

#include <microhttpd.h>
#include <uv.h>

#include "base/buf.h"
#include "io/server/listener.h"
#include "io/server/server.h"

struct haft__http_server {
    haft__loop *loop;
    struct MHD_Daemon *daemon;
    uv_poll_t *poll;   /* of the daemon's epoll descriptor; freed when it is closed */
    haft__timer timer; /* set as long as the server lives, so that setting it needs no memory */
    bool again;        /* libmicrohttpd has something to do that it does not tell of */
    haft__http_server_options options;
    haft__http_server_handler *handler;
    void *context;
    haft__listener at;
    struct haft__http_server_connection *connections; /* the open connections */
    size_t bodies;                                    /* bytes of those that are kept */
    size_t queued;  /* bytes of answers that clients have not taken */
    uint64_t turns; /* so often one has begun to be taken, or gone on */
};

/* One connection. */
typedef struct haft__http_server_connection {
    haft__http_server *server;
    struct haft__http_server_connection *next, **at;
    struct MHD_Connection *mhd;
    haft__http_server_request *request; /* being received or answered; NULL in between */
    haft__timer receive_timer;          /* runs while a request is awaited and received */
    uv_poll_t watch; /* sees the client leave, which libmicrohttpd does not while suspended */
    bool watch_made, watching;
} haft__http_server_connection;

/* One thread of states: from its line (HEAD) over its body (BODY) to the handler (HANDED). */
typedef enum haft__http_server_stage {
    HAFT__HTTP_SERVER_READING_HEAD,
    HAFT__HTTP_SERVER_READING_BODY,
    HAFT__HTTP_SERVER_HANDLING,
} haft__http_server_stage;

/* What becomes of a body. All but those that are kept are read for a while, so that the answer
 * arrives, and thrown away. */
typedef enum haft__http_server_body_action {
    HAFT__HTTP_SERVER_BODY_KEEP,
    HAFT__HTTP_SERVER_BODY_DISCARD, /* the handler does not look at it */
    HAFT__HTTP_SERVER_BODY_TOO_BIG,
    HAFT__HTTP_SERVER_BODY_NO_ROOM, /* beside the others */
} haft__http_server_body_action;

struct haft__http_server_request {
    haft__http_server_connection
        *connection; /* NULL when the connection has no more to do with it */
    haft__http_server_stage stage;
    haft__http_server_body_action body_action; /* of its body */
    bool with_handler;                         /* by the handler, who has not finished it */
    bool answered;                             /* libmicrohttpd has a response */
    bool suspended; /* nothing to do for libmicrohttpd until we resume it */
    bool ending;    /* the stream ends behind what is queued */
    bool cutting;   /* the connection is dropped there */
    bool dropped;   /* it is dropped at once */
    haft__buf body;
    size_t counted; /* bytes of it, as they are in the sum of all */
    uint64_t received, paced;
    haft__buf queue; /* of a stream */
    size_t taken;    /* bytes of the queue that are on their way */
    size_t queued;   /* bytes of the answer, as they are in the sum of all, ... */
    uint64_t turn;   /* ... and when the client last took some of them, or could have begun to */
    void (*gone)(void *context, haft__http_server_request *request);
    void *gone_context;
    char method[32];
    haft_str path, query;
    char target[]; /* of the request's line */
};

/* The callbacks of a request's life, for server.c to give to libmicrohttpd. */
void *haft__http_server_on_target(void *server, const char *target, struct MHD_Connection *mhd);
enum MHD_Result haft__http_server_on_access(void *server, struct MHD_Connection *mhd,
                                            const char *url, const char *method,
                                            const char *version, const char *data, size_t *size,
                                            void **request);
void haft__http_server_on_completed(void *server, struct MHD_Connection *mhd, void **request,
                                    enum MHD_RequestTerminationCode code);

/* Resumes the connection, and has libmicrohttpd run. */
void haft__http_server_connection_resume(const haft__http_server_connection *connection);
/* Gives the connection so many milliseconds more, or drops it when it cannot be timed. */
void haft__http_server_connection_extend(haft__http_server_connection *connection, uint64_t ms);
void haft__http_server_connection_drop(const haft__http_server_connection *connection);
/* Tells the request of the link when the client leaves. False when it cannot. */
bool haft__http_server_connection_watch(haft__http_server_connection *connection);
void haft__http_server_connection_unwatch(haft__http_server_connection *connection);

/* Nothing to do until the request is woken. False when nobody would see the client leave. */
bool haft__http_server_suspend(haft__http_server_request *request);
/* Has the request seen to again if it is suspended. */
void haft__http_server_wake(haft__http_server_request *request);
/* The handler lets go of it. */
void haft__http_server_finish(haft__http_server_request *request);
/* The client is gone: the connection will be dropped, and whoever holds the request is told. */
void haft__http_server_disconnected(haft__http_server_request *request);
/* The connection has no more to do with its request. */
void haft__http_server_detach(haft__http_server_connection *connection);

#endif
