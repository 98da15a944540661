/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/socket.c: events on connections without a request. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "io/clock.h"
#include "io/http/http_int.h"
#include "io/http_help.h"
#include "test.h"

static const haft__http_client_options anywhere = {.public_only = false};

/* Steps until the server has `count` connections; false if it never has. */
static bool step_until_open(web_fixture *b, unsigned count)
{
    for (int i = 0; i < 60000 && web_open(b->web) != count; i++) {
        CHECK_INT(haft__loop_step(b->loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    return web_open(b->web) == count;
}

TEST(a_connection_closed_while_idle_is_reopened)
{
    static const struct {
        const char *name, *script;
    } rows[] = {
        {"closed", WEB_OK(2) "ok" WEB_WAIT WEB_CLOSE},
        {"broken", WEB_OK(2) "ok" WEB_WAIT WEB_RESET},
        {"closed after more bytes",
         WEB_OK(2) "ok" WEB_WAIT "HTTP/1.1 408 Request Timeout\r\n\r\n" WEB_CLOSE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        web_fixture b = web_set_up(&anywhere);
        web_route(b.web, "/", rows[i].script);
        haft__http_request request = web_get(web_url(b.web, "/"));
        for (unsigned turn = 1; turn <= 3; turn++) {
            web_record record;
            CHECK(web_fetch(b.loop, b.http, &request, &record), "%s: turn %u", rows[i].name, turn);
            CHECK_INT(record.end, HAFT__HTTP_OK, "%s: turn %u: %s", rows[i].name, turn,
                      record.message);
            CHECK_STR(((haft_str){record.body, record.body_bytes}), HAFT__LIT("ok"), "%s: turn %u",
                      rows[i].name, turn);
            CHECK_INT(web_connections(b.web), turn, "%s: connections", rows[i].name);
            CHECK_INT(web_open(b.web), 1, "%s: open connections", rows[i].name);
            web_release(b.web, 1);
            CHECK(step_until_open(&b, 0), "%s: the connection was not closed", rows[i].name);
            CHECK_INT(haft__loop_step(b.loop, 0, NULL), HAFT_OK, "step");
        }
        web_tear_down(&b);
    }
}

typedef struct reader {
    web_record record; /* first, because web_handlers get its address */
    haft__http_client *http;
} reader;

/* Reads all sockets, as libcurl does for requests whose timers are due. */
static void read_all(void *context, const haft__http_result *result)
{
    haft__http_client *http = ((reader *)context)->http;
    web_handlers.done(context, result);
    for (size_t fd = 0; fd < http->socket_count; fd++) {
        if (http->sockets[fd].own) {
            haft__http_client_socket_action(http, (curl_socket_t)fd, CURL_CSELECT_IN);
        }
    }
}

static void start_reader(web_fixture *b, reader *r)
{
    haft__http_handlers handlers = web_handlers;
    haft__http_request request = web_get(web_url(b->web, "/"));
    haft__http_transfer *transfer = NULL;
    handlers.done = read_all;
    *r = (reader){.http = b->http};
    CHECK_INT(haft__http_transfer_start(b->http, &request, &handlers, r, &transfer, NULL), HAFT_OK,
              "start");
}

/* Two responses arrive in one round of the loop, and the event of the first reads both: the event
 * of the second then belongs to an idle connection without data. */
TEST(an_event_older_than_the_response_is_ignored)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(2) "o" WEB_WAIT "k");
    for (unsigned turn = 0; turn < 3; turn++) {
        reader readers[2];
        start_reader(&b, &readers[0]);
        start_reader(&b, &readers[1]);
        for (size_t i = 0; i < COUNT(readers); i++) {
            CHECK(web_step_until(b.loop, &readers[i].record.bodies, 1), "reader %zu: no body", i);
        }
        web_release(b.web, COUNT(readers));
        for (int i = 0; i < 300000 && web_waiting(b.web) > 0; i++) {
            haft__clock_sleep(1);
        }
        for (size_t i = 0; i < COUNT(readers); i++) {
            CHECK(web_step_until(b.loop, &readers[i].record.dones, 1), "reader %zu did not end", i);
            CHECK_INT(readers[i].record.end, HAFT__HTTP_OK, "%s", readers[i].record.message);
        }
        CHECK_INT(web_connections(b.web), COUNT(readers), "turn %u: connections", turn);
    }
    web_tear_down(&b);
}

/* Watching ends with the socket: a new socket with the same number is watched again. */
TEST(a_reused_socket_number_is_watched_again)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/close", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok" WEB_CLOSE);
    web_route(b.web, "/", WEB_OK(2) "ok");
    for (unsigned turn = 0; turn < 4; turn++) {
        haft__http_request request = web_get(web_url(b.web, turn % 2 == 0 ? "/close" : "/"));
        web_record record;
        CHECK(web_fetch(b.loop, b.http, &request, &record), "turn %u", turn);
        CHECK_INT(record.end, HAFT__HTTP_OK, "turn %u: %s", turn, record.message);
        CHECK_STR(((haft_str){record.body, record.body_bytes}), HAFT__LIT("ok"), "turn %u", turn);
    }
    CHECK_INT(web_connections(b.web), 3, "connections");
    web_tear_down(&b);
}

#define CLIENTS 4 /* more than fit into the backlog */

/* A listener that accepts nothing: its backlog is full. */
typedef struct full_listener {
    int fd, clients[CLIENTS];
    char url[64];
} full_listener;

static full_listener open_full_listener(void)
{
    full_listener listener = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    CHECK_INT(bind(listener.fd, (struct sockaddr *)&at, size), 0, "bind");
    CHECK_INT(listen(listener.fd, 0), 0, "listen");
    CHECK_INT(getsockname(listener.fd, (struct sockaddr *)&at, &size), 0, "getsockname");
    for (size_t i = 0; i < CLIENTS; i++) {
        listener.clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(listener.clients[i], (struct sockaddr *)&at, size);
    }
    (void)snprintf(listener.url, sizeof(listener.url), "http://127.0.0.1:%u/", ntohs(at.sin_port));
    return listener;
}

static void close_listener(const full_listener *listener)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        (void)close(listener->clients[i]);
    }
    (void)close(listener->fd);
}

/* libcurl closes its socket without a callback, and the next socket gets the same number. */
TEST(a_request_cancelled_before_it_is_connected_leaves_no_watch)
{
    web_fixture b = web_set_up(&anywhere);
    full_listener listener = open_full_listener();
    web_route(b.web, "/", WEB_OK(2) "ok");
    for (unsigned turn = 0; turn < 3; turn++) {
        haft__http_request away = web_get(listener.url), here = web_get(web_url(b.web, "/"));
        haft__http_transfer *transfer = NULL;
        web_record record = {0};
        CHECK_INT(haft__http_transfer_start(b.http, &away, &web_handlers, &record, &transfer, NULL),
                  HAFT_OK, "start");
        for (int i = 0; i < 5; i++) {
            CHECK_INT(haft__loop_step(b.loop, 1, NULL), HAFT_OK, "step");
        }
        CHECK_INT(record.dones, 0, "turn %u: the transfer has ended: %s", turn, record.message);
        haft__http_transfer_cancel(transfer);
        CHECK(web_fetch(b.loop, b.http, &here, &record), "turn %u", turn);
        CHECK_INT(record.end, HAFT__HTTP_OK, "turn %u: %s", turn, record.message);
    }
    close_listener(&listener);
    web_tear_down(&b);
}
