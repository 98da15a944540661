/* SPDX-License-Identifier: Apache-2.0 */
/* io/server/server_int.h - declarations that the files of the server share. */
#ifndef HAFT_IO_SERVER_SERVER_INT_H
#define HAFT_IO_SERVER_SERVER_INT_H

#include <uv.h>

#include "base/buf.h"
#include "io/server/head.h"
#include "io/server/libmicrohttpd.h"
#include "io/server/listener.h"
#include "io/server/server.h"

struct haft__http_server {
    haft__loop *loop;
    struct MHD_Daemon *daemon;
    uv_poll_t *poll;   /* of the daemon's epoll descriptor; freed when it is closed */
    haft__timer timer; /* set as long as the server lives, so that setting it needs no memory */
    bool has_work;     /* libmicrohttpd has work that its descriptor does not signal */
    haft__http_server_options options;
    haft__http_server_handler *handler;
    void *context;
    haft__listener at;
    struct haft__http_server_connection *connections;
    size_t bodies;             /* bytes of all kept bodies */
    size_t queued;             /* bytes of responses that clients have not read */
    uint64_t progress_counter; /* grows each time a response starts or progresses */
};

typedef struct haft__http_server_connection {
    haft__http_server *server;
    struct haft__http_server_connection *next, **at;
    struct MHD_Connection *mhd;
    haft__http_server_request
        *request; /* the request that is being received or answered; NULL between two requests */
    haft__timer receive_timer; /* runs while a request is awaited and received */
    uv_poll_t watch; /* detects a disconnect, which libmicrohttpd does not while suspended */
    bool watch_made, watching;
} haft__http_server_connection;

/* The stages of a request, in order: reading the head, reading the body, passed to the handler. */
typedef enum haft__http_server_stage {
    HAFT__HTTP_SERVER_READING_HEAD,
    HAFT__HTTP_SERVER_READING_BODY,
    HAFT__HTTP_SERVER_HANDLING,
} haft__http_server_stage;

/* The treatment of a body. Bodies that are not kept are read for a while and discarded, so that the
 * response can arrive. */
typedef enum haft__http_server_body_action {
    HAFT__HTTP_SERVER_BODY_KEEP,
    HAFT__HTTP_SERVER_BODY_DISCARD, /* the handler does not read it */
    HAFT__HTTP_SERVER_BODY_TOO_BIG,
    HAFT__HTTP_SERVER_BODY_NO_ROOM, /* not enough memory next to the other bodies */
} haft__http_server_body_action;

struct haft__http_server_request {
    haft__http_server_connection *connection; /* NULL after the connection was detached */
    haft__http_server_stage stage;
    haft__http_server_body_action body_action;
    bool with_handler; /* the handler has the request and has not finished it */
    bool answered;     /* libmicrohttpd has a response */
    bool suspended;    /* libmicrohttpd ignores the connection until it is resumed */
    bool ending;       /* the stream ends after the queued bytes */
    bool aborting;     /* the connection is dropped after the queued bytes */
    bool dropped;      /* the connection is dropped immediately */
    haft__buf body;
    size_t counted; /* bytes of the body that are included in server->bodies */
    uint64_t received, paced;
    haft__buf queue;        /* of a stream */
    size_t sending;         /* bytes of the queue that are being sent */
    size_t queued;          /* bytes of the response that are included in server->queued */
    uint64_t last_progress; /* `progress_counter` when the client last read some of them */
    void (*on_disconnect)(void *context, haft__http_server_request *request);
    void *disconnect_context;
    char method[32];
    bool target_is_valid;
    haft__http_target target_parts;
    char target[]; /* the request target */
};

/* Callbacks for the life of a request; server.c passes them to libmicrohttpd. */
void *haft__http_server_on_target(void *server, const char *target, struct MHD_Connection *mhd);
enum MHD_Result haft__http_server_on_access(void *server, struct MHD_Connection *mhd,
                                            const char *url, const char *method,
                                            const char *version, const char *data, size_t *size,
                                            void **request);
void haft__http_server_on_completed(void *server, struct MHD_Connection *mhd, void **request,
                                    enum MHD_RequestTerminationCode code);

/* Resumes the connection and makes libmicrohttpd run. */
void haft__http_server_connection_resume(const haft__http_server_connection *connection);
/* Restarts the connection's timeout with `ms`, or drops the connection if that fails. */
void haft__http_server_connection_extend(haft__http_server_connection *connection, uint64_t ms);
void haft__http_server_connection_drop(const haft__http_server_connection *connection);
/* Notifies the connection's request when the client disconnects. False if that is not possible. */
bool haft__http_server_connection_watch(haft__http_server_connection *connection);
void haft__http_server_connection_unwatch(haft__http_server_connection *connection);

/* Suspends the request until haft__http_server_wake. False if a disconnect could not be
 * detected. */
bool haft__http_server_suspend(haft__http_server_request *request);
/* Resumes the request if it is suspended. */
void haft__http_server_wake(haft__http_server_request *request);
/* The handler releases the request. */
void haft__http_server_finish(haft__http_server_request *request);
/* Handles a disconnected client: drops the connection and notifies the handler. */
void haft__http_server_disconnected(haft__http_server_request *request);
/* Detaches the connection from its request. */
void haft__http_server_detach(haft__http_server_connection *connection);

#endif
