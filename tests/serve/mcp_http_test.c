/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mcp_http.c and mcp_stream.c: sessions, their number and age, streams that are
 * read again, and many of them that say nothing. What the methods mean is in tests/cli/mcp_test.py.
 */
#include "serve/mcp_http.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/limits.h"
#include "io/clock.h"
#include "serve/mcp_stream.h"
#include "test.h"

typedef struct http_case {
    haft__loop *loop;
    haft__mcp_server *server;
    haft__mcp_http *http;
    uint16_t port;
    haft__mcp_asked *held; /* the call of t1 that is under way */
    haft__json schema;
    haft__buf received;
} http_case;

static size_t count(void *context, haft__mcp_list list)
{
    (void)context;
    return list == HAFT__MCP_LIST_TOOLS;
}

static void write_entry(void *context, haft__mcp_list list, size_t index, bool modern,
                        haft__buf *buf)
{
    (void)context;
    (void)list;
    (void)modern;
    haft__buf_addf(buf, "{\"name\":\"t%zu\"}", index);
}

static const haft__json *schema(void *context, haft_str tool)
{
    http_case *c = context;
    (void)tool;
    return &c->schema;
}

/* t1 is held, everything else answered at once. */
static void begin(void *context, haft__mcp_asked *asked)
{
    http_case *c = context;
    if (haft__str_equal(asked->name, HAFT__LIT("t1"))) {
        c->held = asked;
    } else {
        haft__mcp_asked_say(asked, HAFT__LIT("said"), false);
    }
}

static void drop(void *context, haft__mcp_asked *asked)
{
    http_case *c = context;
    CHECK(c->held == asked, "what is dropped was under way");
    c->held = NULL;
}

static const haft__mcp_served served = {.changes = true,
                                        .count = count,
                                        .write = write_entry,
                                        .schema = schema,
                                        .begin = begin,
                                        .go_on = begin,
                                        .drop = drop};

static void open_case(http_case *c, size_t sessions, uint64_t idle_ms)
{
    *c = (http_case){.held = NULL};
    haft__buf_init(&c->received, 64 << 20);
    c->schema = haft__json_object(NULL, 0);
    haft__mcp_server_options options = {.name = HAFT__LIT("s"),
                                        .version = HAFT__LIT("1"),
                                        .served = &served,
                                        .context = c,
                                        .hash_key = {1, 2}};
    CHECK_INT(haft__loop_create(&c->loop, NULL), HAFT_OK, "a loop");
    CHECK_INT(haft__mcp_server_create(&options, &c->server, NULL), HAFT_OK, "a server");
    haft__mcp_http_options http = {.loop = c->loop,
                                   .server = c->server,
                                   .address = HAFT__LIT("127.0.0.1:0"),
                                   .sessions = sessions,
                                   .idle_ms = idle_ms};
    CHECK_INT(haft__mcp_http_create(&http, &c->http, NULL), HAFT_OK, "it listens");
    haft_str address = haft__mcp_http_address(c->http);
    (void)haft__str_split(&address, ':');
    uint64_t port = 0;
    CHECK(haft__str_to_u64(address, &port), "a port");
    c->port = (uint16_t)port;
}

static void close_case(http_case *c)
{
    haft__mcp_http_destroy(c->http);
    haft__mcp_server_destroy(c->server);
    haft__loop_destroy(c->loop);
    haft__buf_finish(&c->received);
}

static void step(http_case *c, int ms)
{
    CHECK_INT(haft__loop_step(c->loop, ms, NULL), HAFT_OK, "the loop");
}

static int dial(const http_case *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(c->port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

/* Receives until the text has come; what came is in c->received. */
static bool until(http_case *c, int fd, const char *text)
{
    haft__buf_clear(&c->received);
    for (int rounds = 0; rounds < 20000; rounds++) {
        char bytes[4096];
        step(c, 1);
        ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (got > 0) {
            haft__buf_add(&c->received, bytes, (size_t)got);
        }
        haft__buf_add_char(&c->received, '\0');
        c->received.len--;
        if (strstr(c->received.ptr, text) != NULL) {
            return true;
        }
        if (got == 0) {
            return false;
        }
    }
    return false;
}

#define HEAD                                                                                       \
    " /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"         \
    "Content-Type: application/json\r\n"

static bool ask(http_case *c, int fd, const char *method, const char *headers, const char *body,
                const char *wanted)
{
    char text[2048];
    int length = snprintf(text, sizeof(text), "%s" HEAD "%sContent-Length: %zu\r\n\r\n%s", method,
                          headers, strlen(body), body);
    return send(fd, text, (size_t)length, MSG_NOSIGNAL) == length && until(c, fd, wanted);
}

#define OPEN                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\"}}"

/* Opens a session; its header is in `header`. */
static void greet(http_case *c, char header[80])
{
    int fd = dial(c);
    CHECK(ask(c, fd, "POST", "", OPEN, "\"serverInfo\""), "a handshake: %s", c->received.ptr);
    const char *id = strcasestr(c->received.ptr, "mcp-session-id: ");
    (void)snprintf(header, 80, "Mcp-Session-Id: %.32s\r\n", id != NULL ? id + 16 : "");
    (void)close(fd);
}

static bool knows(http_case *c, const char *header)
{
    int fd = dial(c);
    bool known = ask(c, fd, "POST", header, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                     "\"result\":{}");
    (void)close(fd);
    return known;
}

TEST(sessions_are_bounded_in_number)
{
    CHECK(HAFT__LIMIT_MCP_SESSIONS >= 2, "the limit is used when no other is given");
    http_case c;
    char header[3][80];
    open_case(&c, 2, 0);
    greet(&c, header[0]);
    greet(&c, header[1]);
    CHECK_INT(haft__mcp_http_sessions(c.http), 2, "two are there");
    haft__clock_sleep(5);
    step(&c, 0);
    CHECK(knows(&c, header[0]), "the first is used");
    greet(&c, header[2]);
    CHECK_INT(haft__mcp_http_sessions(c.http), 2, "no more");
    CHECK(knows(&c, header[0]) && !knows(&c, header[1]) && knows(&c, header[2]),
          "the one that was idle longest is gone");
    close_case(&c);
}

TEST(sessions_that_do_nothing_end)
{
    CHECK(HAFT__LIMIT_MCP_SESSION_IDLE_MS > 60000, "the limit is used when no other is given");
    http_case c;
    char header[2][80];
    open_case(&c, 0, 20);
    greet(&c, header[0]);
    int fd = dial(&c);
    CHECK(ask(&c, fd, "GET", header[0], "", "text/event-stream"), "a stream is open");
    for (int i = 0; i < 10; i++) {
        step(&c, 10);
    }
    CHECK_INT(haft__mcp_http_sessions(c.http), 1, "it is listened to");
    (void)close(fd);
    for (int i = 0; i < 2000 && haft__mcp_http_sessions(c.http) > 0; i++) {
        step(&c, 10);
    }
    CHECK_INT(haft__mcp_http_sessions(c.http), 0, "it is not any more");
    close_case(&c);
}

TEST(an_answer_waits_for_a_client_that_comes_again)
{
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    greet(&c, header);
    int fd = dial(&c);
    CHECK(
        ask(&c, fd, "POST", header,
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"t1\"}}",
            "data: \n\n"),
        "the stream is primed");
    const char *id = strstr(c.received.ptr, "id: ");
    (void)snprintf(again, sizeof(again), "%sLast-Event-ID: %.3s\r\n", header,
                   id != NULL ? id + 4 : "");
    (void)close(fd);
    for (int i = 0; i < 20; i++) {
        step(&c, 1);
    }
    CHECK(c.held != NULL, "the call goes on");
    if (c.held != NULL) {
        haft__mcp_asked *asked = c.held;
        c.held = NULL;
        haft__mcp_asked_say(asked, HAFT__LIT("late"), false);
    }
    fd = dial(&c);
    CHECK(ask(&c, fd, "GET", again, "", "late"), "%s", c.received.ptr);
    (void)close(fd);
    close_case(&c);
}

/* Events past the limit are forgotten, the oldest first. */
TEST(events_are_kept_up_to_a_limit)
{
    static const size_t sizes[] = {HAFT__LIMIT_MCP_REPLAY_BYTES, HAFT__LIMIT_MCP_REPLAY_BYTES + 1};
    char *bytes = test_alloc(HAFT__LIMIT_MCP_REPLAY_BYTES + 1);
    memset(bytes, 'x', HAFT__LIMIT_MCP_REPLAY_BYTES + 1);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        haft__mcp_stream stream = {.number = 1};
        haft__mcp_stream_add(&stream, (haft_str){bytes, sizes[i]});
        CHECK_INT(stream.kept, i == 0 ? sizes[i] : 0, "an event of %zu bytes", sizes[i]);
        haft__mcp_stream_add(&stream, (haft_str){bytes, 1});
        CHECK_INT(stream.kept, 1, "one more byte pushes it out");
        haft__mcp_stream_finish(&stream);
    }
}

TEST(streams_are_kept_up_to_a_limit)
{
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    greet(&c, header);
    for (int i = 0; i < HAFT__LIMIT_MCP_STREAMS + 1; i++) {
        int fd = dial(&c);
        CHECK(ask(&c, fd, "POST", header,
                  "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":"
                  "\"t1\"}}",
                  "data: \n\n"),
              "stream %d", i);
        haft__mcp_asked *asked = c.held;
        c.held = NULL;
        haft__mcp_asked_say(asked, HAFT__LIT("said"), false);
        (void)close(fd);
    }
    for (int i = 2; i <= 3; i++) { /* the first was the handshake, which was no stream */
        int fd = dial(&c);
        (void)snprintf(again, sizeof(again), "%sLast-Event-ID: %d-0\r\n", header, i);
        CHECK(ask(&c, fd, "GET", again, "", i == 2 ? "404" : "said"), "stream %d: %s", i,
              c.received.ptr);
        (void)close(fd);
    }
    close_case(&c);
}

/* As many as descriptors and the server's limit allow; they cost nothing while nothing happens. */
TEST(streams_that_say_nothing_cost_nothing)
{
    struct rlimit limit;
    http_case c;
    char header[80];
    int fds[500], opened = 0;
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0, "descriptors");
    int wanted = limit.rlim_cur > 1200 ? (int)COUNT(fds) : 100;
    open_case(&c, 0, 0);
    for (int i = 0; i < wanted; i++) {
        greet(&c, header);
        fds[opened] = dial(&c);
        opened += ask(&c, fds[opened], "GET", header, "", "text/event-stream");
    }
    CHECK_INT(opened, wanted, "all are open");
    for (int i = 0; i < 20; i++) {
        step(&c, 1);
    }
    struct pollfd loop = {haft__loop_fd(c.loop), POLLIN, 0};
    CHECK_INT(poll(&loop, 1, 20), 0, "with %d idle streams there is nothing to step for", opened);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_TOOLS);
    for (int i = 0; i < opened; i++) {
        (void)close(fds[i]);
    }
    close_case(&c);
}
