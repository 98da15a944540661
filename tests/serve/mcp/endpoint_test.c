/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mcp/endpoint.c and stream.c: the number and age of sessions, streams that
 * are resumed, and many idle streams. tests/cli/mcp_test.py tests the methods. */
#include "serve/mcp/endpoint.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/limits.h"
#include "io/clock.h"
#include "serve/mcp/stream.h"
#include "test.h"

typedef struct http_case {
    haft__loop *loop;
    haft__mcp_server *server;
    haft__mcp_endpoint *http;
    uint16_t port;
    haft__mcp_request *running; /* the running call of t1 */
    int many;                   /* the running calls of t2 */
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

/* t1 is kept open, t2 is never answered, everything else is answered at once. */
static void begin(void *context, haft__mcp_request *mcp_request)
{
    http_case *c = context;
    if (haft__str_equal(mcp_request->name, HAFT__LIT("t1"))) {
        c->running = mcp_request;
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("t2"))) {
        c->many++;
    } else {
        haft__mcp_request_reply_text(mcp_request, HAFT__LIT("said"), false);
    }
}

static void drop(void *context, haft__mcp_request *mcp_request)
{
    http_case *c = context;
    if (haft__str_equal(mcp_request->name, HAFT__LIT("t2"))) {
        c->many--;
        return;
    }
    CHECK(c->running == mcp_request, "a request was dropped that is not running");
    c->running = NULL;
}

static const haft__mcp_server_handlers served = {.changes = true,
                                                 .count = count,
                                                 .write = write_entry,
                                                 .schema = schema,
                                                 .begin = begin,
                                                 .resume = begin,
                                                 .drop = drop};

static void open_case(http_case *c, size_t sessions, uint64_t idle_ms)
{
    *c = (http_case){.running = NULL};
    haft__buf_init(&c->received, 64 << 20);
    c->schema = haft__json_object(NULL, 0);
    haft__mcp_server_options options = {.name = HAFT__LIT("s"),
                                        .version = HAFT__LIT("1"),
                                        .served = &served,
                                        .context = c,
                                        .hash_key = {1, 2}};
    CHECK_INT(haft__loop_create(&c->loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__mcp_server_create(&options, &c->server, NULL), HAFT_OK,
              "cannot create the server");
    haft__mcp_endpoint_options http = {.loop = c->loop,
                                       .server = c->server,
                                       .address = HAFT__LIT("127.0.0.1:0"),
                                       .sessions = sessions,
                                       .idle_ms = idle_ms};
    CHECK_INT(haft__mcp_endpoint_create(&http, &c->http, NULL), HAFT_OK,
              "cannot create the endpoint");
    haft_str address = haft__mcp_endpoint_address(c->http);
    (void)haft__str_split(&address, ':');
    uint64_t port = 0;
    CHECK(haft__str_to_u64(address, &port), "the address has no port");
    c->port = (uint16_t)port;
}

static void close_case(http_case *c)
{
    haft__mcp_endpoint_destroy(c->http);
    haft__mcp_server_destroy(c->server);
    haft__loop_destroy(c->loop);
    haft__buf_finish(&c->received);
}

static void step(http_case *c, int ms)
{
    CHECK_INT(haft__loop_step(c->loop, ms, NULL), HAFT_OK, "the loop step failed");
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

/* Receives receive_until the text arrives, in addition to earlier input; all input is in
 * c->received.
 */
static bool receive_more_until(http_case *c, int fd, const char *text)
{
    for (int rounds = 0; rounds < 20000; rounds++) {
        char bytes[4096];
        step(c, 0);
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
        if (got < 0) { /* waits receive_until one side has something to do, or a timer is due */
            struct pollfd both[2] = {{fd, POLLIN, 0}, {haft__loop_fd(c->loop), POLLIN, 0}};
            (void)poll(both, 2, 5);
        }
    }
    return false;
}

static bool receive_until(http_case *c, int fd, const char *text)
{
    haft__buf_clear(&c->received);
    return receive_more_until(c, fd, text);
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
    return send(fd, text, (size_t)length, MSG_NOSIGNAL) == length && receive_until(c, fd, wanted);
}

#define OPEN                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\"}}"

/* Opens a session and writes its header to `header`. */
static void open_session(http_case *c, char header[80])
{
    int fd = dial(c);
    CHECK(ask(c, fd, "POST", "", OPEN, "\"serverInfo\""), "the handshake failed: %s",
          c->received.ptr);
    const char *id = strcasestr(c->received.ptr, "mcp-session-id: ");
    (void)snprintf(header, 80, "Mcp-Session-Id: %.32s\r\n", id != NULL ? id + 16 : "");
    (void)close(fd);
}

static bool session_exists(http_case *c, const char *header)
{
    int fd = dial(c);
    bool answered = ask(c, fd, "POST", header, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                        "\r\n\r\n");
    CHECK(answered, "a ping got no response");
    bool known = strstr(c->received.ptr, "HTTP/1.1 200") != NULL;
    CHECK(known || strstr(c->received.ptr, "HTTP/1.1 404") != NULL, "%s", c->received.ptr);
    (void)close(fd);
    return known;
}

/* The head of a request is enough to reject it: its body of 32 MiB is neither awaited nor buffered.
 */
TEST(the_body_of_a_rejected_request_is_not_buffered)
{
    static const struct {
        const char *head, *status;
    } rows[] = {
        {"POST /mcp HTTP/1.1\r\nHost: evil.example\r\n", " 403 "},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n", " 403 "},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nOrigin: null\r\n", " 400 "},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n", " 415 "},
        {"POST /other HTTP/1.1\r\nHost: localhost\r\n", " 404 "},
        {"PUT /mcp HTTP/1.1\r\nHost: localhost\r\n", " 405 "},
        {"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n", " 400 "},
    };
    http_case c;
    open_case(&c, 0, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        int fd = dial(&c);
        int length = snprintf(text, sizeof(text), "%sContent-Length: %d\r\n\r\n{\"jsonrpc\"",
                              rows[i].head, HAFT__LIMIT_MCP_MESSAGE_BYTES);
        CHECK_INT(send(fd, text, (size_t)length, MSG_NOSIGNAL), length, "sending");
        CHECK(receive_until(&c, fd, rows[i].status), "row %zu: %s", i, c.received.ptr);
        (void)close(fd);
    }
    close_case(&c);
}

/* An error of the HTTP server itself is a JSON-RPC error, too. */
TEST(every_rejection_is_a_json_rpc_error)
{
    static const struct {
        const char *name, *line, *status;
        int fill, length; /* bytes of one more header, and of the body */
    } rows[] = {
        {"a body that is too long", "POST", " 413 ", 1, 2 * HAFT__LIMIT_MCP_MESSAGE_BYTES},
        {"headers that are too long", "POST", " 431 ", HAFT__LIMIT_SERVER_HEADER_BYTES, 0},
        {"an invalid method", "P(ST", " 501 ", 1, 0},
        {"two lengths", "POST", " 400 ", 1, -1},
    };
    http_case c;
    open_case(&c, 0, 0);
    char *text = test_alloc(2 * HAFT__LIMIT_SERVER_HEADER_BYTES);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int fd = dial(&c);
        int length =
            snprintf(text, 2 * HAFT__LIMIT_SERVER_HEADER_BYTES,
                     "%s" HEAD "X-Fill: %0*d\r\n%sContent-Length: %d\r\n\r\n", rows[i].line,
                     rows[i].fill, 0, rows[i].length < 0 ? "Content-Length: 0\r\n" : "",
                     rows[i].length < 0 ? 0 : rows[i].length);
        CHECK_INT(send(fd, text, (size_t)length, MSG_NOSIGNAL), length, "sending");
        CHECK(receive_until(&c, fd, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-326"),
              "%s: %s", rows[i].name, c.received.ptr);
        CHECK(strstr(c.received.ptr, rows[i].status) != NULL, "%s: %s", rows[i].name,
              c.received.ptr);
        (void)close(fd);
    }
    close_case(&c);
}

/* The reply to an unsupported method lists the supported methods. */
TEST(an_unsupported_method_lists_the_allowed_methods)
{
    static const struct {
        const char *method, *version, *allow;
    } rows[] = {
        {"GET", "MCP-Protocol-Version: 2026-07-28\r\n", "Allow: POST\r\n"},
        {"DELETE", "MCP-Protocol-Version: 2026-07-28\r\n", "Allow: POST\r\n"},
        {"PUT", "MCP-Protocol-Version: 2025-11-25\r\n", "Allow: POST, GET, DELETE\r\n"},
        {"PUT", "", "Allow: POST, GET, DELETE\r\n"},
    };
    http_case c;
    open_case(&c, 0, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int fd = dial(&c);
        CHECK(ask(&c, fd, rows[i].method, rows[i].version, "", rows[i].allow), "%s: %s",
              rows[i].method, c.received.ptr);
        CHECK(strstr(c.received.ptr, " 405 ") != NULL, "%s", c.received.ptr);
        (void)close(fd);
    }
    close_case(&c);
}

/* Each new GET stream of a session begins with an event, so that the client can resume it. */
TEST(a_stream_for_pushes_begins_with_an_event)
{
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    open_session(&c, header);
    for (int round = 0; round <= 1; round++) {
        int fd = dial(&c);
        CHECK(ask(&c, fd, "GET", header, "", "id: 2-0\nretry: 500\ndata: \n\n"), "round %d: %s",
              round, c.received.ptr);
        (void)close(fd);
        for (int i = 0; i < 20; i++) {
            step(&c, 1);
        }
    }
    int fd = dial(&c);
    (void)snprintf(again, sizeof(again), "%sLast-Event-ID: 2-0\r\n", header);
    CHECK(ask(&c, fd, "GET", again, "", "id: 2-0\nretry: 500\ndata: \n\n"), "%s", c.received.ptr);
    (void)close(fd);
    close_case(&c);
}

/* Sends a request without a handshake; returns its open connection. */
static int ask_without_handshake(http_case *c, const char *method, const char *params)
{
    char text[1024], body[512];
    int length =
        snprintf(body, sizeof(body),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s\"_meta\":{"
                 "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                 "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
                 method, params);
    length = snprintf(text, sizeof(text),
                      "POST" HEAD "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
                      "Mcp-Name: t2\r\nContent-Length: %d\r\n\r\n%s",
                      method, length, body);
    int fd = dial(c);
    CHECK_INT(send(fd, text, (size_t)length, MSG_NOSIGNAL), length, "sending");
    return fd;
}

static bool wait_for_calls(http_case *c, int many)
{
    for (int i = 0; i < 300000 && c->many != many; i++) {
        step(c, 1);
    }
    return c->many == many;
}

/* Clients without a handshake cannot be told apart, so they share one limit. Requests that only
 * listen are limited only by the number of connections. */
TEST(requests_without_a_handshake_are_bounded_in_number)
{
    http_case c;
    int fds[HAFT__LIMIT_MCP_REQUESTS];
    open_case(&c, 0, 0);
    for (int i = 0; i < HAFT__LIMIT_MCP_REQUESTS; i++) {
        fds[i] = ask_without_handshake(&c, "tools/call", "\"name\":\"t2\",");
        CHECK(wait_for_calls(&c, i + 1), "call %d", i);
    }
    for (int round = 0; round <= 1; round++) {
        int fd = ask_without_handshake(&c, "tools/call", "\"name\":\"t2\",");
        CHECK(receive_until(&c, fd, "too many requests are in progress"),
              "one request past the limit: %s", c.received.ptr);
        CHECK(strstr(c.received.ptr, " 503 ") != NULL, "%s", c.received.ptr);
        (void)close(fd);
        CHECK_INT(c.many, HAFT__LIMIT_MCP_REQUESTS, "running calls");
        (void)close(fds[round]);
        CHECK(wait_for_calls(&c, HAFT__LIMIT_MCP_REQUESTS - 1), "a call did not end");
        fd = ask_without_handshake(&c, "subscriptions/listen", "");
        CHECK(receive_until(&c, fd, "acknowledged"), "%s", c.received.ptr);
        fds[round] = ask_without_handshake(&c, "tools/call", "\"name\":\"t2\",");
        CHECK(wait_for_calls(&c, HAFT__LIMIT_MCP_REQUESTS), "another call did not start");
        (void)close(fd);
    }
    for (int i = 0; i < HAFT__LIMIT_MCP_REQUESTS; i++) {
        (void)close(fds[i]);
    }
    CHECK(wait_for_calls(&c, 0), "not all calls ended");
    close_case(&c);
}

TEST(sessions_are_bounded_in_number)
{
    CHECK(HAFT__LIMIT_MCP_SESSIONS >= 2, "the default limit is too small for this test");
    http_case c;
    char header[3][80];
    open_case(&c, 2, 0);
    open_session(&c, header[0]);
    open_session(&c, header[1]);
    CHECK_INT(haft__mcp_endpoint_session_count(c.http), 2, "sessions at the limit");
    haft__clock_sleep(5);
    step(&c, 0);
    CHECK(session_exists(&c, header[0]), "the first session is gone");
    open_session(&c, header[2]);
    CHECK_INT(haft__mcp_endpoint_session_count(c.http), 2, "sessions past the limit");
    CHECK(session_exists(&c, header[0]) && !session_exists(&c, header[1])
              && session_exists(&c, header[2]),
          "another session was ended than the one that was idle longest");
    close_case(&c);
}

TEST(idle_sessions_without_a_stream_end)
{
    CHECK(HAFT__LIMIT_MCP_SESSION_IDLE_MS > 60000, "the default limit is too small for this test");
    http_case c;
    char header[2][80];
    open_case(&c, 0, 20);
    open_session(&c, header[0]);
    int fd = dial(&c);
    CHECK(ask(&c, fd, "GET", header[0], "", "text/event-stream"), "the stream did not open");
    for (int i = 0; i < 10; i++) {
        step(&c, 10);
    }
    CHECK_INT(haft__mcp_endpoint_session_count(c.http), 1, "sessions: one has an open stream");
    (void)close(fd);
    for (int i = 0; i < 30000 && haft__mcp_endpoint_session_count(c.http) > 0; i++) {
        step(&c, 10);
    }
    CHECK_INT(haft__mcp_endpoint_session_count(c.http), 0, "sessions after the stream was closed");
    close_case(&c);
}

TEST(an_answer_waits_for_a_client_that_reconnects)
{
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    open_session(&c, header);
    int fd = dial(&c);
    CHECK(
        ask(&c, fd, "POST", header,
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"t1\"}}",
            "data: \n\n"),
        "the stream did not begin");
    const char *id = strstr(c.received.ptr, "id: ");
    (void)snprintf(again, sizeof(again), "%sLast-Event-ID: %.3s\r\n", header,
                   id != NULL ? id + 4 : "");
    (void)close(fd);
    for (int i = 0; i < 20; i++) {
        step(&c, 1);
    }
    CHECK(c.running != NULL, "the call ended with its connection");
    if (c.running != NULL) {
        haft__mcp_request *mcp_request = c.running;
        c.running = NULL;
        haft__mcp_request_reply_text(mcp_request, HAFT__LIT("late"), false);
    }
    fd = dial(&c);
    CHECK(ask(&c, fd, "GET", again, "", "late"), "%s", c.received.ptr);
    (void)close(fd);
    close_case(&c);
}

/* For every Last-Event-ID that a client sends, it gets the answer or an error that the answer is
 * gone. */
TEST(a_client_always_gets_the_answer_or_an_error)
{
    static const struct {
        int seen;
        const char *wanted, *absent;
    } rows[] = {
        {0, "late", "error"},
        {0, "late", "error"},
        {999, " 410 ", "late"},
        {2, " 410 ", "late"},
        {0, "late", "error"},
        {1, " 200 ", "late"},
        {0, "\"id\":5,\"error\"", "late"},
        {1, " 200 ", "error"},
    };
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    open_session(&c, header);
    int fd = dial(&c);
    CHECK(
        ask(&c, fd, "POST", header,
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"t1\"}}",
            "id: 2-0\n"),
        "the stream did not begin: %s", c.received.ptr);
    haft__mcp_request *mcp_request = c.running;
    c.running = NULL;
    haft__mcp_request_reply_text(mcp_request, HAFT__LIT("late"), false);
    CHECK(receive_until(&c, fd, "id: 2-1\n"), "%s", c.received.ptr);
    (void)close(fd);
    for (size_t i = 0; i < COUNT(rows); i++) {
        fd = dial(&c);
        (void)snprintf(again, sizeof(again), "%sLast-Event-ID: 2-%d\r\nConnection: close\r\n",
                       header, rows[i].seen);
        (void)ask(&c, fd, "GET", again, "", "(never, so receive_until its end)");
        CHECK(strstr(c.received.ptr, rows[i].wanted) != NULL
                  && strstr(c.received.ptr, rows[i].absent) == NULL,
              "row %zu: %s", i, c.received.ptr);
        (void)close(fd);
    }
    close_case(&c);
}

/* Events above the limit are discarded, the oldest first. */
TEST(stored_events_are_limited)
{
    static const size_t sizes[] = {HAFT__LIMIT_MCP_REPLAY_BYTES, HAFT__LIMIT_MCP_REPLAY_BYTES + 1};
    char *bytes = test_alloc(HAFT__LIMIT_MCP_REPLAY_BYTES + 1);
    memset(bytes, 'x', HAFT__LIMIT_MCP_REPLAY_BYTES + 1);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        haft__mcp_stream stream = {.number = 1};
        haft__mcp_stream_add(&stream, (haft_str){bytes, sizes[i]});
        CHECK_INT(stream.buffered_bytes, i == 0 ? sizes[i] : 0, "an event of %zu bytes", sizes[i]);
        haft__mcp_stream_add(&stream, (haft_str){bytes, 1});
        CHECK_INT(stream.buffered_bytes, 1,
                  "bytes after an event of one more byte, which replaces the first");
        haft__mcp_stream_finish(&stream);
    }
}

TEST(stored_streams_are_limited)
{
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    open_session(&c, header);
    for (int i = 0; i < HAFT__LIMIT_MCP_STREAMS + 1; i++) {
        int fd = dial(&c);
        CHECK(ask(&c, fd, "POST", header,
                  "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":"
                  "\"t1\"}}",
                  "data: \n\n"),
              "stream %d", i);
        haft__mcp_request *mcp_request = c.running;
        c.running = NULL;
        haft__mcp_request_reply_text(mcp_request, HAFT__LIT("said"), false);
        (void)close(fd);
    }
    for (int i = 2; i <= 3; i++) { /* request 1 was the handshake, which has no stream */
        int fd = dial(&c);
        (void)snprintf(again, sizeof(again), "%sLast-Event-ID: %d-0\r\n", header, i);
        CHECK(ask(&c, fd, "GET", again, "", i == 2 ? "410" : "said"), "stream %d: %s", i,
              c.received.ptr);
        (void)close(fd);
    }
    close_case(&c);
}

/* A client that resumes with discarded events gets an error. */
TEST(a_client_that_asks_for_discarded_events_gets_an_error)
{
    static const struct {
        bool over;
        const char *id;
        bool error;
    } rows[] = {{true, "5", true}, {true, "", false}, {false, "5", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__mcp_stream stream = {.number = 1, .request_id = haft__str(rows[i].id)};
        haft__mcp_stream_add(&stream, HAFT__LIT("one"));
        haft__mcp_stream_add(&stream, HAFT__LIT("two"));
        CHECK_INT(stream.dropped, 0, "discarded events");
        stream.ended = rows[i].over;
        haft__mcp_stream_discard_events(&stream);
        CHECK_INT(stream.buffered_bytes, 0, "stored bytes");
        CHECK_INT(stream.dropped, 2, "discarded events after two");
        haft__mcp_stream_finish(&stream);
    }
}

/* Makes one call with an answer of `bytes` bytes that no client reads. */
static void answer_long(http_case *c, const char *header, size_t bytes)
{
    char *text = test_alloc(bytes);
    memset(text, 'x', bytes);
    int fd = dial(c);
    CHECK(ask(c, fd, "POST", header,
              "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":"
              "\"t1\"}}",
              "data: \n\n"),
          "the call did not start");
    (void)close(fd);
    for (int i = 0; i < 20; i++) {
        step(c, 1);
    }
    haft__mcp_request *mcp_request = c->running;
    c->running = NULL;
    if (mcp_request != NULL) {
        haft__mcp_request_reply_text(mcp_request, (haft_str){text, bytes}, false);
    }
}

/* HAFT__LIMIT_MCP_REPLAY_SESSION_BYTES: the oldest answers of a session are discarded first, and a
 * client that asks for one of them gets an error with the id of the call. */
TEST(the_answers_of_a_session_are_limited)
{
    enum { BYTES = 900000, FIT = HAFT__LIMIT_MCP_REPLAY_SESSION_BYTES / BYTES };
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    open_session(&c, header);
    for (int i = 0; i < FIT; i++) {
        answer_long(&c, header, BYTES);
    }
    for (int round = 0; round <= 1; round++) {
        size_t kept = haft__mcp_endpoint_buffered_bytes(c.http);
        CHECK(kept > BYTES && kept <= HAFT__LIMIT_MCP_REPLAY_SESSION_BYTES, "%zu bytes", kept);
        int fd = dial(&c);
        (void)snprintf(again, sizeof(again), "%sLast-Event-ID: 2-0\r\n", header);
        CHECK(ask(&c, fd, "GET", again, "",
                  round == 0 ? "\"result\"" : "\"id\":5,\"error\":{\"code\":-32603"),
              "round %d: %.300s", round, c.received.ptr);
        (void)close(fd);
        answer_long(&c, header, BYTES); /* one more than the limit */
    }
    close_case(&c);
}

/* Events that the client has received are not stored. */
TEST(received_events_are_not_stored)
{
    http_case c;
    char header[80], again[160];
    open_case(&c, 0, 0);
    open_session(&c, header);
    answer_long(&c, header, 1000);
    CHECK(haft__mcp_endpoint_buffered_bytes(c.http) > 1000, "the answer is not stored");
    int fd = dial(&c);
    (void)snprintf(again, sizeof(again), "%sLast-Event-ID: 2-1\r\n", header);
    CHECK(ask(&c, fd, "GET", again, "", "text/event-stream"), "%s", c.received.ptr);
    (void)close(fd);
    CHECK_INT(haft__mcp_endpoint_buffered_bytes(c.http), 0,
              "stored bytes after the client received them");
    close_case(&c);
}

/* A running call has sent more progress than is stored: a client that reconnects gets a warning
 * that events are missing, and then the rest. */
TEST(missing_progress_events_are_reported)
{
    enum { BYTES = HAFT__LIMIT_MCP_REPLAY_BYTES / 2 + 1 };
    http_case c;
    char header[80], again[160];
    char *text = test_alloc(BYTES);
    memset(text, 'x', BYTES);
    open_case(&c, 0, 0);
    open_session(&c, header);
    int fd = dial(&c);
    CHECK(ask(&c, fd, "POST", header,
              "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"t1\","
              "\"_meta\":{\"progressToken\":1}}}",
              "data: \n\n"),
          "the call did not start");
    (void)close(fd);
    for (int i = 0; i < 20; i++) {
        step(&c, 1);
    }
    for (uint64_t i = 1; i <= 2 && c.running != NULL; i++) {
        haft__mcp_request_progress(c.running, i, 0, (haft_str){text, BYTES});
    }
    fd = dial(&c);
    (void)snprintf(again, sizeof(again), "%sLast-Event-ID: 2-0\r\n", header);
    CHECK(ask(&c, fd, "GET", again, "", "are missing here"), "%.300s", c.received.ptr);
    CHECK(receive_more_until(&c, fd, "\"progress\":2"), "the remaining events: %.300s",
          c.received.ptr);
    (void)close(fd);
    close_case(&c);
}

/* HAFT__LIMIT_MCP_REPLAY_ALL_BYTES: the sessions that were idle longest lose their events. */
TEST(the_answers_of_all_sessions_are_limited)
{
    enum {
        BYTES = 1000000,
        EACH = HAFT__LIMIT_MCP_REPLAY_SESSION_BYTES / BYTES,
        SESSIONS = HAFT__LIMIT_MCP_REPLAY_ALL_BYTES / (EACH * BYTES) + 2
    };
    http_case c;
    char header[80];
    size_t max = 0;
    open_case(&c, 0, 0);
    for (int i = 0; i < SESSIONS; i++) {
        open_session(&c, header);
        for (int k = 0; k < EACH; k++) {
            answer_long(&c, header, BYTES);
        }
        size_t kept = haft__mcp_endpoint_buffered_bytes(c.http);
        max = kept > max ? kept : max;
    }
    CHECK(max <= HAFT__LIMIT_MCP_REPLAY_ALL_BYTES, "%zu bytes", max);
    CHECK(max > HAFT__LIMIT_MCP_REPLAY_ALL_BYTES - EACH * BYTES, "only %zu bytes are used", max);
    close_case(&c);
    CHECK(SESSIONS * EACH * (size_t)BYTES > HAFT__LIMIT_MCP_REPLAY_ALL_BYTES,
          "the test sends less than the limit");
}

/* Opens as many streams as descriptors and the server's limit allow. Idle streams cost nothing. */
TEST(idle_streams_cost_nothing)
{
    struct rlimit limit;
    http_case c;
    char header[80];
    int fds[500], opened = 0;
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0, "the limit of descriptors cannot be read");
    bool many = getenv("HAFT_LONG") != NULL && limit.rlim_cur > 1200;
    int wanted = many ? (int)COUNT(fds) : 100;
    open_case(&c, 0, 0);
    for (int i = 0; i < wanted; i++) {
        open_session(&c, header);
        fds[opened] = dial(&c);
        opened += ask(&c, fds[opened], "GET", header, "", "text/event-stream");
    }
    CHECK_INT(opened, wanted, "open streams");
    for (int i = 0; i < 20; i++) {
        step(&c, 1);
    }
    struct pollfd loop = {haft__loop_fd(c.loop), POLLIN, 0};
    CHECK_INT(poll(&loop, 1, 20), 0, "the loop has something to do with %d idle streams", opened);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_TOOLS);
    for (int i = 0; i < opened; i++) {
        (void)close(fds[i]);
    }
    close_case(&c);
}
