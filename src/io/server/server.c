/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - libmicrohttpd on the loop: the listening socket, the event handling, the connections.
 *
 * libuv polls libmicrohttpd's epoll descriptor. An event of this descriptor, or libmicrohttpd's
 * timeout, makes libmicrohttpd run. A connection without work is suspended, and libmicrohttpd then
 * ignores it: a separate poll detects that the client disconnects. request.c has the life of a
 * request. Tests: tests/io/server/server_test.c.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/loop_uv.h"
#include "io/server/server_int.h"

#define REST_MS     3600000U /* the timer is always set, even without a timeout */
#define MAX_RUNS    16 /* maximum consecutive runs of libmicrohttpd before other work is done */
#define POOL_BYTES  (2 * (size_t)HAFT__LIMIT_SERVER_HEADER_BYTES)
#define MS_A_SECOND 1000U

/* ---- running libmicrohttpd ---- */

static void run_daemon(haft__http_server *server);

static void on_timer(void *context)
{
    run_daemon(context);
}

static void set_timer(haft__http_server *server, uint64_t ms)
{
    haft_status status =
        haft__timer_start(server->loop, &server->timer, ms, on_timer, server, NULL);
    (void)status; /* the timer was set at creation, so it needs no memory */
}

/* Runs libmicrohttpd, and sets the timer to the time that it can wait; 0 if it has work already. */
static void run_daemon(haft__http_server *server)
{
    MHD_UNSIGNED_LONG_LONG wait = 0;
    for (int i = 0; i < MAX_RUNS && wait == 0; i++) {
        server->has_work = false;
        (void)haft__mhd.run(server->daemon);
        if (haft__mhd.get_timeout(server->daemon, &wait) != MHD_YES || wait > REST_MS) {
            wait = REST_MS;
        }
        wait = server->has_work ? 0 : wait;
    }
    set_timer(server, wait);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    run_daemon(poll->data);
}

/* ---- connections ---- */

static void on_receive_timeout(void *context)
{
    haft__http_server_connection_drop(context);
}

/* Shuts down the socket, so that libmicrohttpd closes the connection. */
void haft__http_server_connection_drop(const haft__http_server_connection *connection)
{
    const union MHD_ConnectionInfo *info =
        haft__mhd.get_connection_info(connection->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    (void)shutdown(info->connect_fd, SHUT_RDWR);
}

void haft__http_server_connection_resume(const haft__http_server_connection *connection)
{
    haft__mhd.resume_connection(connection->mhd);
    connection->server->has_work = true;
    set_timer(connection->server, 0);
}

void haft__http_server_connection_extend(haft__http_server_connection *connection, uint64_t ms)
{
    if (haft__timer_start(connection->server->loop, &connection->receive_timer, ms,
                          on_receive_timeout, connection, NULL)
        != HAFT_OK) {
        haft__http_server_connection_drop(connection);
    }
}

static void on_watch(uv_poll_t *watch, int status, int events)
{
    (void)status;
    (void)events;
    haft__http_server_connection *connection = watch->data;
    haft__http_server_connection_unwatch(connection);
    haft__http_server_disconnected(connection->request);
}

bool haft__http_server_connection_watch(haft__http_server_connection *connection)
{
    if (connection->watching) {
        return true;
    }
    if (!connection->watch_made) {
        const union MHD_ConnectionInfo *info =
            haft__mhd.get_connection_info(connection->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
        uv_loop_t *uv = haft__loop_uv(connection->server->loop);
        connection->watch.data = connection;
        connection->watch_made = uv_poll_init(uv, &connection->watch, info->connect_fd) == 0;
    }
    connection->watching =
        connection->watch_made && uv_poll_start(&connection->watch, UV_DISCONNECT, on_watch) == 0;
    return connection->watching;
}

void haft__http_server_connection_unwatch(haft__http_server_connection *connection)
{
    if (connection->watching) {
        (void)uv_poll_stop(&connection->watch);
        connection->watching = false;
    }
}

static void free_connection(uv_handle_t *watch)
{
    free(watch->data);
}

static void open_connection(haft__http_server *server, struct MHD_Connection *mhd,
                            void **ret_connection)
{
    haft__http_server_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return; /* the first request finds no connection struct and closes the connection */
    }
    *connection = (haft__http_server_connection){
        .server = server, .next = server->connections, .at = &server->connections, .mhd = mhd};
    if (connection->next != NULL) {
        connection->next->at = &connection->next;
    }
    server->connections = connection;
    *ret_connection = connection;
    haft__http_server_connection_extend(connection,
                                        server->options.idle_ms + server->options.receive_ms);
}

static void close_connection(haft__http_server_connection *connection)
{
    if (connection->request != NULL) {
        haft__http_server_detach(connection);
    }
    *connection->at = connection->next;
    if (connection->next != NULL) {
        connection->next->at = connection->at;
    }
    haft__timer_stop(connection->server->loop, &connection->receive_timer);
    connection->server->has_work = true; /* another connection may be accepted in its place */
    if (connection->watch_made) {
        uv_close((uv_handle_t *)&connection->watch, free_connection);
    } else {
        free(connection);
    }
}

static void on_connection(void *server, struct MHD_Connection *mhd, void **connection,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        open_connection(server, mhd, connection);
    } else if (*connection != NULL) {
        close_connection(*connection);
    }
}

/* ---- the server ---- */

static haft_status read_options(haft__http_server_options *o, haft_error *err)
{
    const struct {
        const char *name;
        size_t limit, *value;
    } rows[] = {
        {"max_body", HAFT__LIMIT_SERVER_BODY_BYTES, &o->max_body},
        {"max_bodies", HAFT__LIMIT_SERVER_BODIES_BYTES, &o->max_bodies},
        {"max_queue", HAFT__LIMIT_SERVER_QUEUE_BYTES, &o->max_queue},
        {"max_queues", HAFT__LIMIT_SERVER_QUEUES_BYTES, &o->max_queues},
        {"max_connections", HAFT__LIMIT_SERVER_CONNECTIONS, &o->max_connections},
        {"idle_ms", HAFT__LIMIT_SERVER_IDLE_MS, &o->idle_ms},
        {"receive_ms", HAFT__LIMIT_SERVER_RECEIVE_MS, &o->receive_ms},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (*rows[i].value > rows[i].limit) {
            return haft__fail(err, HAFT_TOO_BIG, rows[i].name, "expected at most %zu, found %zu",
                              rows[i].limit, *rows[i].value);
        }
        *rows[i].value = *rows[i].value > 0 ? *rows[i].value : rows[i].limit;
    }
    return HAFT_OK;
}

/* If libmicrohttpd fails to start, it closes the socket in most cases. */
static void close_listener(int fd)
{
    int listening = 0;
    socklen_t size = sizeof(listening);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0) {
        (void)close(fd);
    }
}

static haft_status start_daemon(haft__http_server *server, haft_error *err)
{
    unsigned seconds = (unsigned)((server->options.idle_ms + MS_A_SECOND - 1) / MS_A_SECOND);
    server->daemon = haft__mhd.start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, haft__http_server_on_access,
        server, MHD_OPTION_LISTEN_SOCKET, server->at.fd, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, POOL_BYTES, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)server->options.max_connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_URI_LOG_CALLBACK, haft__http_server_on_target, server,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_NOTIFY_COMPLETED,
        haft__http_server_on_completed, server, MHD_OPTION_END);
    if (server->daemon == NULL) {
        close_listener(server->at.fd);
        return haft__fail(err, HAFT_IO, server->at.address,
                          "cannot start the HTTP server: out of memory or file descriptors");
    }
    return HAFT_OK;
}

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static haft_status start_polling(haft__http_server *server, haft_error *err)
{
    uv_poll_t *poll = calloc(1, sizeof(*poll));
    if (poll == NULL) {
        return haft__fail_no_memory(err);
    }
    const union MHD_DaemonInfo *info =
        haft__mhd.get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    int code = uv_poll_init(haft__loop_uv(server->loop), poll, info->epoll_fd);
    if (code != 0) {
        free(poll);
        return haft__fail(err, HAFT_IO, server->at.address, "the event loop: %s",
                          uv_strerror(code));
    }
    poll->data = server;
    server->poll = poll;
    (void)uv_poll_start(poll, UV_READABLE, on_readable);
    return haft__timer_start(server->loop, &server->timer, 0, on_timer, server, err);
}

haft_status haft__http_server_create(haft__loop *loop, const haft__http_server_options *options,
                                     haft__http_server_handler *handler, void *context,
                                     haft__http_server **ret_server, haft_error *err)
{
    haft_status status = haft__libmicrohttpd_load(err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__http_server *server = calloc(1, sizeof(*server));
    if (server == NULL) {
        return haft__fail_no_memory(err);
    }
    *server = (haft__http_server){
        .loop = loop, .options = *options, .handler = handler, .context = context};
    status = read_options(&server->options, err);
    if (status == HAFT_OK) {
        status = haft__listener_open(options->address, &server->at, err);
    }
    if (status == HAFT_OK) {
        status = start_daemon(server, err);
    }
    if (status == HAFT_OK) {
        status = start_polling(server, err);
    }
    if (status != HAFT_OK) {
        haft__http_server_destroy(server);
        return status;
    }
    *ret_server = server;
    return HAFT_OK;
}

void haft__http_server_destroy(haft__http_server *server)
{
    if (server == NULL) {
        return;
    }
    if (server->poll != NULL) {
        uv_close((uv_handle_t *)server->poll, free_handle);
    }
    for (haft__http_server_connection *connection = server->connections; connection != NULL;
         connection = connection->next) {
        if (connection->request != NULL) {
            /* libmicrohttpd cannot stop while a connection is suspended. */
            haft__http_server_wake(connection->request);
        }
    }
    if (server->daemon != NULL) {
        haft__mhd.stop_daemon(server->daemon); /* also closes the listening socket */
        haft__listener_remove(&server->at);
    }
    haft__timer_stop(server->loop, &server->timer);
    free(server);
}

haft_str haft__http_server_address(const haft__http_server *server)
{
    return haft__str(server->at.address);
}

uint16_t haft__http_server_port(const haft__http_server *server)
{
    return server->at.port;
}
