/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/server/server.c: its address, its connections, and its end. */
#include "base/limits.h"
#include "io/server_help.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path)   "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define CLOSE(path) "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

TEST(a_server_reports_its_address)
{
    server_case c;
    server_open(&c, NULL);
    char wanted[64];
    (void)snprintf(wanted, sizeof(wanted), "127.0.0.1:%u", haft__http_server_port(c.server));
    CHECK(haft__http_server_port(c.server) > 0, "no port");
    CHECK_STR(haft__http_server_address(c.server), haft__str(wanted), "the address");
    server_close(&c);
}

TEST(a_server_listens_on_ipv6)
{
    haft__loop *loop = NULL;
    haft__http_server *server = NULL;
    haft__http_server_options options = {.address = HAFT__LIT("[::1]:0")};
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    if (haft__http_server_create(loop, &options, NULL, NULL, &server, NULL) != HAFT_OK) {
        test_skip("this machine has no IPv6");
    } else {
        CHECK(haft__str_starts_with(haft__http_server_address(server), HAFT__LIT("[::1]:")),
              "the address is not IPv6");
    }
    haft__http_server_destroy(server);
    haft__loop_destroy(loop);
}

TEST(an_address_in_use_is_rejected)
{
    server_case c;
    server_open(&c, NULL);
    haft__http_server *second = NULL;
    haft_error err = {0};
    haft__http_server_options options = {.address = haft__http_server_address(c.server)};
    CHECK_INT(haft__http_server_create(c.loop, &options, NULL, NULL, &second, &err), HAFT_IO,
              "an address in use");
    CHECK(strstr(err.message, "cannot listen") != NULL, "%s", err.message);
    haft__http_server_destroy(second);
    server_close(&c);
}

TEST(server_options_are_bounded)
{
    static const struct {
        const char *name;
        haft__http_server_options at;
    } rows[] = {
        {"max_body", {.max_body = HAFT__LIMIT_SERVER_BODY_BYTES}},
        {"max_bodies", {.max_bodies = HAFT__LIMIT_SERVER_BODIES_BYTES}},
        {"max_queue", {.max_queue = HAFT__LIMIT_SERVER_QUEUE_BYTES}},
        {"max_queues", {.max_queues = HAFT__LIMIT_SERVER_QUEUES_BYTES}},
        {"max_connections", {.max_connections = HAFT__LIMIT_SERVER_CONNECTIONS}},
        {"idle_ms", {.idle_ms = HAFT__LIMIT_SERVER_IDLE_MS}},
        {"receive_ms", {.receive_ms = HAFT__LIMIT_SERVER_RECEIVE_MS}},
    };
    haft__loop *loop = NULL;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__http_server_options options = rows[i].at;
        haft__http_server *server = NULL;
        haft_error err = {0};
        options.address = HAFT__LIT("127.0.0.1:0");
        CHECK_INT(haft__http_server_create(loop, &options, NULL, NULL, &server, &err), HAFT_OK,
                  "%s: %s", rows[i].name, err.message);
        haft__http_server_destroy(server);
        options.max_body += options.max_body > 0;
        options.max_bodies += options.max_bodies > 0;
        options.max_queue += options.max_queue > 0;
        options.max_queues += options.max_queues > 0;
        options.max_connections += options.max_connections > 0;
        options.idle_ms += options.idle_ms > 0;
        options.receive_ms += options.receive_ms > 0;
        CHECK_INT(haft__http_server_create(loop, &options, NULL, NULL, &server, &err), HAFT_TOO_BIG,
                  "%s", rows[i].name);
        CHECK_STR(haft__str(err.where), haft__str(rows[i].name), "where");
    }
    haft__loop_destroy(loop);
}

TEST(creating_a_server_survives_every_failed_allocation)
{
    haft__loop *loop = NULL;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    haft__http_server_options options = {.address = HAFT__LIT("127.0.0.1:0")};
    for (unsigned n = 0;; n++) {
        haft__http_server *server = NULL;
        test_fail_allocation(n);
        haft_status status = haft__http_server_create(loop, &options, NULL, NULL, &server, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__http_server_destroy(server);
        if (!failed) {
            CHECK(n > 1, "no allocation failed");
            break;
        }
    }
    haft__loop_destroy(loop);
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 1000; fd++) {
        struct pollfd one = {.fd = fd};
        count += poll(&one, 1, 0) == 0 || (one.revents & POLLNVAL) == 0;
    }
    return count;
}

/* At each number of free descriptors, none is leaked. */
TEST(without_free_descriptors_a_server_does_not_start_and_leaks_none)
{
    haft__loop *loop = NULL;
    struct rlimit before;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0, "the limit cannot be read");
    unsigned open = count_descriptors();
    haft__http_server_options options = {.address = HAFT__LIT("127.0.0.1:0")};
    haft_status status = HAFT_IO;
    for (unsigned more = 0; more < 20 && status != HAFT_OK; more++) {
        struct rlimit less = {.rlim_cur = open + more, .rlim_max = before.rlim_max};
        haft__http_server *server = NULL;
        haft_error err = {0};
        CHECK_INT(setrlimit(RLIMIT_NOFILE, &less), 0, "the limit cannot be set");
        status = haft__http_server_create(loop, &options, NULL, NULL, &server, &err);
        CHECK(status == HAFT_OK || status == HAFT_IO, "%u more: %s", more, err.message);
        haft__http_server_destroy(server);
        CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "the loop step failed");
        CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0, "the limit cannot be restored");
        CHECK_INT(count_descriptors(), open, "%u more: descriptors are left open", more);
    }
    CHECK_INT(status, HAFT_OK, "the server never starts");
    haft__loop_destroy(loop);
}

/* ---- connections ---- */

TEST(a_connection_is_kept_for_the_next_request)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    for (int i = 0; i < 3; i++) {
        CHECK(server_send(&c, fd, HAFT__LIT(GET("/echo"))), "request %d", i);
        CHECK(server_receive(&c, fd, "GET|/echo|||"), "request %d: %.*s", i,
              HAFT__ARG(haft__buf_str(&c.received)));
    }
    CHECK_INT(c.handled, 3, "requests");
    (void)close(fd);
    server_close(&c);
}

TEST(requests_that_come_at_once_are_answered_in_their_order)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    CHECK(server_send(&c, fd,
                      HAFT__LIT(GET("/a") GET("/later?b") "POST /c HTTP/1.1\r\nHost: x\r\n"
                                                          "Content-Length: 3\r\n\r\nabc" GET(
                                                              "/stream") CLOSE("/d"))),
          "sending");
    CHECK(server_receive(&c, fd, NULL), "the connection was not closed");
    static const char *const parts[] = {"GET|/a|||", "GET|/later|b||", "POST|/c|||abc", "three",
                                        "GET|/d|||"};
    haft__buf_add_char(&c.received, '\0');
    const char *at = c.received.ptr;
    for (size_t i = 0; i < COUNT(parts) && at != NULL; i++) {
        at = strstr(at, parts[i]);
        CHECK(at != NULL, "%s is missing or too early", parts[i]);
    }
    CHECK_INT(c.handled, 5, "requests");
    (void)close(fd);
    server_close(&c);
}

TEST(two_hundred_connections_wait_at_the_same_time)
{
    enum { MANY = 200 };
    server_case c;
    server_open(&c, NULL);
    int fds[MANY];
    for (int i = 0; i < MANY; i++) {
        fds[i] = server_dial(&c);
        char request[64];
        (void)snprintf(request, sizeof(request), "GET /wait?%d HTTP/1.1\r\nHost: x\r\n\r\n", i);
        CHECK(server_send(&c, fds[i], haft__str(request)), "client %d", i);
    }
    CHECK(server_wait_for_count(&c, &c.handled, MANY), "only %d requests arrived", c.handled);
    while (c.open_request_count > 0) {
        haft__http_server_request *request = c.open_requests[--c.open_request_count];
        haft__http_server_head head = {.status = 200};
        haft__http_server_reply(request, &head, haft__http_server_query(request));
    }
    for (int i = 0; i < MANY; i++) {
        char number[16];
        (void)snprintf(number, sizeof(number), "\r\n\r\n%d", i);
        CHECK(server_receive(&c, fds[i], number), "client %d got %.*s", i,
              HAFT__ARG(haft__buf_str(&c.received)));
        (void)close(fds[i]);
    }
    CHECK_INT(c.disconnects, 0, "reported disconnects");
    server_close(&c);
}

TEST(connections_past_the_limit_wait_for_one_to_close)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_connections = 2});
    int fds[3];
    for (int i = 0; i < 3; i++) {
        fds[i] = server_dial(&c);
        CHECK(server_send(&c, fds[i], HAFT__LIT(GET("/echo"))), "client %d", i);
    }
    CHECK(server_receive(&c, fds[0], "|||") && server_receive(&c, fds[1], "|||"),
          "the first two clients got no response");
    for (int i = 0; i < 20; i++) {
        CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_INT(c.handled, 2, "handled requests: the third must wait");
    (void)close(fds[0]);
    CHECK(server_receive(&c, fds[2], "|||"), "the third client got no response");
    (void)close(fds[1]);
    (void)close(fds[2]);
    server_close(&c);
}

TEST(an_idle_connection_is_closed)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.idle_ms = 1});
    int silent = server_dial(&c), kept = server_dial(&c);
    CHECK(server_send(&c, kept, HAFT__LIT(GET("/echo"))), "sending");
    CHECK(server_receive(&c, kept, "|||"), "no response");
    CHECK(server_receive(&c, kept, NULL) && server_receive(&c, silent, NULL),
          "an idle connection is still open");
    (void)close(silent);
    (void)close(kept);
    server_close(&c);
}

/* An occasional byte is activity, but it does not complete a request. */
TEST(a_request_that_trickles_in_is_dropped)
{
    static const char *const starts[] = {
        "", "G", "GET /echo HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"};
    server_case c;
    server_open(&c, &(haft__http_server_options){.idle_ms = 1, .receive_ms = 300});
    for (size_t i = 0; i < COUNT(starts); i++) {
        int fd = server_dial(&c);
        bool open = server_send(&c, fd, haft__str(starts[i]));
        uint64_t end = haft__loop_now(c.loop) + 300000;
        while (open && haft__loop_now(c.loop) < end) {
            CHECK_INT(haft__loop_step(c.loop, 20, NULL), HAFT_OK, "the loop step failed");
            open = server_send(&c, fd, i == 4 ? HAFT__LIT("1\r\nx\r\n") : HAFT__LIT("x"));
        }
        CHECK(!open, "'%s' stays connected", starts[i]);
        (void)close(fd);
    }
    CHECK_INT(c.handled, 0, "requests that reached the handler");
    server_close(&c);
}

/* Four parts that together take longer than the limit, each less. False if one of them took
 * longer because the machine was busy. */
static bool try_long_body(void)
{
    static char part[65536];
    memset(part, 'x', sizeof(part));
    server_case c;
    server_open(&c, &(haft__http_server_options){.receive_ms = 1000});
    int fd = server_dial(&c);
    uint64_t last = haft__loop_now(c.loop), longest = 0;
    bool sent = server_send(
        &c, fd, HAFT__LIT("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 262144\r\n\r\n"));
    for (int i = 0; i < 4 && sent; i++) {
        while (haft__loop_now(c.loop) < last + 400) {
            CHECK_INT(haft__loop_step(c.loop, 20, NULL), HAFT_OK, "the loop step failed");
        }
        sent = server_send(&c, fd, (haft_str){part, sizeof(part)});
        uint64_t now = haft__loop_now(c.loop);
        longest = now - last > longest ? now - last : longest;
        last = now;
    }
    bool answered =
        sent && server_receive(&c, fd, "xxxx") && server_status(haft__buf_str(&c.received)) == 200;
    CHECK(answered || longest > 800, "the request got no response");
    (void)close(fd);
    server_close(&c);
    return answered;
}

/* Each 64 KiB of a body extends its time by the same amount. */
TEST(a_long_body_has_more_time)
{
    bool shown = false;
    for (int i = 0; i < 5 && !shown; i++) {
        shown = try_long_body();
    }
    if (!shown) {
        test_skip("the machine is too busy to tell pauses apart");
    }
}

/* ---- the end ---- */

TEST(destroying_a_server_closes_open_connections)
{
    for (int finish = 0; finish <= 1; finish++) {
        server_case c;
        server_open(&c, NULL);
        c.abort_on_disconnect = finish;
        static const char *const requests[] = {GET("/wait"), GET("/keep-open"), "GET /ech",
                                               GET("/echo"), ""};
        int fds[COUNT(requests)];
        for (size_t i = 0; i < COUNT(requests); i++) {
            fds[i] = server_dial(&c);
            CHECK(server_send(&c, fds[i], haft__str(requests[i])), "client %zu", i);
        }
        CHECK(server_wait_for_count(&c, &c.handled, 3), "only %d requests arrived", c.handled);
        CHECK(server_receive(&c, fds[1], "open\r\n"), "the stream did not begin");
        haft__http_server_destroy(c.server);
        c.server = NULL;
        CHECK_INT(c.disconnects, 2, "disconnects of pending requests");
        for (size_t i = 0; i < COUNT(requests); i++) {
            CHECK(server_receive(&c, fds[i], NULL), "client %zu is still connected", i);
            (void)close(fds[i]);
        }
        for (size_t i = 0; !finish && i < c.open_request_count; i++) {
            haft__http_server_request *request = c.open_requests[i];
            CHECK_STR(haft__http_server_method(request), HAFT__LIT("GET"),
                      "the method of the request");
            CHECK(haft__http_server_header(request, "Host").ptr == NULL,
                  "headers are still available");
            CHECK(!haft__http_server_write(request, HAFT__LIT("x")),
                  "a write to a closed connection succeeded");
            if (i == 0) {
                haft__http_server_reply(request, &(haft__http_server_head){.status = 200},
                                        HAFT__LIT("x"));
            } else {
                haft__http_server_end(request);
            }
        }
        server_close(&c);
    }
}

TEST(destroying_no_server_is_allowed)
{
    haft__http_server_destroy(NULL);
}
