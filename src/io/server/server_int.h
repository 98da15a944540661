/* SPDX-License-Identifier: Apache-2.0 */
/* io/server/server_int.h - what the files of the server share. */
#ifndef HAFT_IO_SERVER_SERVER_INT_H
#define HAFT_IO_SERVER_SERVER_INT_H

#include <microhttpd.h>
#include <uv.h>

#include "base/buf.h"
#include "io/server/listener.h"
#include "io/server/server.h"

struct haft__server {
    haft__loop *loop;
    struct MHD_Daemon *daemon;
    uv_poll_t *poll;   /* of the daemon's epoll descriptor; freed when it is closed */
    haft__timer timer; /* set as long as the server lives, so that setting it needs no memory */
    bool again;        /* libmicrohttpd has something to do that it does not tell of */
    haft__server_options options;
    haft__server_handler *handler;
    void *context;
    haft__listener at;
    struct haft__server_link *links; /* the open connections */
    size_t bodies;                   /* bytes of those that are kept */
    size_t queued;                   /* bytes of answers that clients have not taken */
    uint64_t turns;                  /* so often one has begun to be taken, or gone on */
};

/* One connection. */
typedef struct haft__server_link {
    haft__server *server;
    struct haft__server_link *next, **at;
    struct MHD_Connection *mhd;
    haft__server_request *request; /* being received or answered; NULL in between */
    haft__timer patience;          /* runs while a request is awaited and received */
    uv_poll_t watch; /* sees the client leave, which libmicrohttpd does not while suspended */
    bool watch_made, watching;
} haft__server_link;

/* One thread of states: from its line (HEAD) over its body (BODY) to the handler (HANDED). */
typedef enum haft__server_stage {
    HAFT__SERVER_HEAD,
    HAFT__SERVER_BODY,
    HAFT__SERVER_HANDED,
} haft__server_stage;

/* What becomes of a body. All but those that are kept are read for a while, so that the answer
 * arrives, and thrown away. */
typedef enum haft__server_fate {
    HAFT__SERVER_KEPT,
    HAFT__SERVER_UNWANTED, /* the handler does not look at it */
    HAFT__SERVER_TOO_BIG,
    HAFT__SERVER_NO_ROOM, /* beside the others */
} haft__server_fate;

struct haft__server_request {
    haft__server_link *link; /* NULL when the connection has no more to do with it */
    haft__server_stage stage;
    haft__server_fate fate; /* of its body */
    bool held;              /* by the handler, who has not finished it */
    bool answered;          /* libmicrohttpd has a response */
    bool suspended;         /* nothing to do for libmicrohttpd until we resume it */
    bool ending;            /* the stream ends behind what is queued */
    bool cutting;           /* the connection is dropped there */
    bool dropped;           /* it is dropped at once */
    haft__buf body;
    size_t counted; /* bytes of it, as they are in the sum of all */
    uint64_t received, paced;
    haft__buf queue; /* of a stream */
    size_t taken;    /* bytes of the queue that are on their way */
    size_t queued;   /* bytes of the answer, as they are in the sum of all, ... */
    uint64_t turn;   /* ... and when the client last took some of them, or could have begun to */
    void (*gone)(void *context, haft__server_request *request);
    void *gone_context;
    char method[32];
    haft_str path, query;
    char target[]; /* of the request's line */
};

/* The callbacks of a request's life, for server.c to give to libmicrohttpd. */
void *haft__server_on_target(void *server, const char *target, struct MHD_Connection *mhd);
enum MHD_Result haft__server_on_access(void *server, struct MHD_Connection *mhd, const char *url,
                                       const char *method, const char *version, const char *data,
                                       size_t *size, void **request);
void haft__server_on_completed(void *server, struct MHD_Connection *mhd, void **request,
                               enum MHD_RequestTerminationCode code);

/* Resumes the connection, and has libmicrohttpd run. */
void haft__server_link_resume(const haft__server_link *link);
/* Gives the connection so many milliseconds more, or drops it when it cannot be timed. */
void haft__server_link_allow(haft__server_link *link, uint64_t ms);
void haft__server_link_drop(const haft__server_link *link);
/* Tells the request of the link when the client leaves. False when it cannot. */
bool haft__server_link_watch(haft__server_link *link);
void haft__server_link_unwatch(haft__server_link *link);

/* Nothing to do until the request is woken. False when nobody would see the client leave. */
bool haft__server_suspend(haft__server_request *request);
/* Has the request seen to again if it is suspended. */
void haft__server_wake(haft__server_request *request);
/* The handler lets go of it. */
void haft__server_finish(haft__server_request *request);
/* The client is gone: the connection will be dropped, and whoever holds the request is told. */
void haft__server_lose(haft__server_request *request);
/* The connection has no more to do with its request. */
void haft__server_part(haft__server_link *link);

#endif
