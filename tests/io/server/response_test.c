/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/server/response.c: whole responses, streams, and clients that do not read
 * them. */
#include "io/server_help.h"

#include <sys/socket.h>
#include <unistd.h>

#define GET(path)   "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define CLOSE(path) "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static bool has(haft_str text, const char *part)
{
    return text.ptr != NULL && memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

TEST(an_answer_has_status_type_and_fields)
{
    server_case c;
    server_open(&c, NULL);
    haft_str answer = server_exchange(&c, CLOSE("/echo"));
    CHECK(has(answer, "Content-Type: text/plain\r\n"), "%.*s", HAFT__ARG(answer));
    CHECK(has(answer, "Content-Length: 12\r\n"), "%.*s", HAFT__ARG(answer));
    answer = server_exchange(&c, CLOSE("/fields"));
    CHECK_INT(server_status(answer), 404, "status");
    CHECK(has(answer, "X-Good: yes\r\n"), "%.*s", HAFT__ARG(answer));
    static const char *const absent[] = {
        "X-Injected", "X-Bad", "X-Nul", "Bad Name", "gzip", "Content-Length: 3", "Content-Type"};
    for (size_t i = 0; i < COUNT(absent); i++) {
        CHECK(!has(answer, absent[i]), "%s: %.*s", absent[i], HAFT__ARG(answer));
    }
    server_close(&c);
}

TEST(an_answer_to_HEAD_has_no_body)
{
    server_case c;
    server_open(&c, NULL);
    haft_str answer =
        server_exchange(&c, "HEAD /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    CHECK_INT(server_status(answer), 200, "status");
    CHECK(has(answer, "Content-Length: 13\r\n"), "%.*s", HAFT__ARG(answer));
    CHECK_STR(server_body(answer), HAFT__LIT(""), "body");
    server_close(&c);
}

TEST(an_answer_may_come_later)
{
    server_case c;
    server_open(&c, NULL);
    CHECK_STR(server_body(server_exchange(&c, CLOSE("/later?x"))), HAFT__LIT("GET|/later|x||"),
              "body");
    server_close(&c);
}

TEST(a_stream_is_sent_in_pieces)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    for (int i = 0; i < 3; i++) {
        CHECK(server_send(&c, fd, HAFT__LIT(GET("/stream"))), "sending");
        CHECK(server_receive(&c, fd, "\r\n0\r\n\r\n"), "no end");
        haft_str answer = haft__buf_str(&c.received);
        CHECK(has(answer, "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n"), "%.*s",
              HAFT__ARG(answer));
        CHECK_STR(server_body(answer), HAFT__LIT("one two three"), "body");
    }
    (void)close(fd);
    server_close(&c);
}

TEST(a_stream_to_an_old_client_ends_with_the_connection)
{
    server_case c;
    server_open(&c, NULL);
    haft_str answer = server_exchange(&c, "GET /stream HTTP/1.0\r\n\r\n");
    CHECK(!has(answer, "chunked"), "%.*s", HAFT__ARG(answer));
    CHECK_STR(server_body(answer), HAFT__LIT("one two three"), "body");
    server_close(&c);
}

TEST(a_stream_can_be_cut)
{
    server_case c;
    server_open(&c, NULL);
    haft_str answer = server_exchange(&c, CLOSE("/cut"));
    CHECK(haft__str_ends_with(answer, HAFT__LIT("\r\n\r\n4\r\nhalf\r\n")), "%.*s",
          HAFT__ARG(answer));
    CHECK_STR(server_exchange(&c, CLOSE("/drop")), HAFT__LIT(""),
              "the response of a dropped request");
    CHECK_STR(server_exchange(&c, CLOSE("/invalid-status")), HAFT__LIT(""),
              "the response with an invalid status");
    for (int i = 0; i < 2; i++) {
        int fd = server_dial(&c);
        CHECK(server_send(&c, fd, i == 0 ? HAFT__LIT(GET("/wait")) : HAFT__LIT(GET("/keep-open"))),
              "sending");
        CHECK(server_wait_for_count(&c, &c.handled, 4 + i), "the handler got no request");
        CHECK(i == 0 || server_receive(&c, fd, "open\r\n"), "the stream did not begin");
        haft__http_server_abort(c.open_requests[i]);
        CHECK(server_receive(&c, fd, NULL) && c.received.len == 0,
              "bytes after the request was dropped: %.*s", HAFT__ARG(haft__buf_str(&c.received)));
        (void)close(fd);
    }
    CHECK_INT(c.disconnects, 0, "disconnects of aborted requests");
    server_close(&c);
}

TEST(a_client_that_disconnects_is_noticed)
{
    static const char *const requests[] = {GET("/wait"), GET("/keep-open")};
    for (int finish = 0; finish <= 1; finish++) {
        for (size_t i = 0; i < COUNT(requests); i++) {
            server_case c;
            server_open(&c, NULL);
            c.abort_on_disconnect = finish;
            int fd = server_dial(&c);
            CHECK(server_send(&c, fd, haft__str(requests[i])), "sending");
            CHECK(server_wait_for_count(&c, &c.handled, 1), "the handler got no request");
            CHECK(i == 0 || server_receive(&c, fd, "open\r\n"), "the stream did not begin");
            (void)close(fd);
            CHECK(server_wait_for_count(&c, &c.disconnects, 1), "no disconnect was reported");
            for (int round = 0; round < 5; round++) {
                CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
            }
            if (!finish) {
                CHECK(!haft__http_server_write(c.open_requests[0], HAFT__LIT("x")),
                      "a write succeeded after the client disconnected");
                haft__http_server_end(c.open_requests[0]);
            }
            CHECK_INT(c.disconnects, 1, "reported disconnects");
            server_close(&c);
        }
    }
}

TEST(a_client_that_resets_the_connection_is_noticed)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    CHECK(server_send(&c, fd, HAFT__LIT(GET("/keep-open"))) && server_receive(&c, fd, "open\r\n"),
          "the stream did not begin");
    struct linger reset = {.l_onoff = 1};
    CHECK_INT(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0, "no linger");
    (void)close(fd);
    CHECK(server_wait_for_count(&c, &c.disconnects, 1), "no disconnect was reported");
    haft__http_server_abort(c.open_requests[0]);
    server_close(&c);
}

/* The response was already finished, so there is no callback. */
TEST(a_client_may_disconnect_after_the_end)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    CHECK(server_send(&c, fd, HAFT__LIT(GET("/wait"))) && server_wait_for_count(&c, &c.handled, 1),
          "the stream did not begin");
    haft__http_server_reply(c.open_requests[0], &(haft__http_server_head){.status = 204},
                            HAFT__LIT(""));
    (void)close(fd);
    for (int round = 0; round < 10; round++) {
        CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_INT(c.disconnects, 0, "reported disconnects");
    server_close(&c);
}

TEST(the_queue_of_a_stream_is_bounded)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_queue = 1000});
    haft_str answer = server_exchange(&c, CLOSE("/fill"));
    CHECK_INT(server_body(answer).len, 1000, "bytes of a full queue");
    answer = server_exchange(&c, CLOSE("/flood"));
    CHECK(c.overflow_rejected, "one byte above the limit of the queue was accepted");
    CHECK(!has(answer, "0\r\n\r\n"), "%.*s", HAFT__ARG(answer));
    server_close(&c);
}

static bool is_big(haft_str body)
{
    bool same = body.len == BIG_BYTES;
    for (size_t i = 0; same && i < body.len; i++) {
        same = body.ptr[i] == (char)('a' + i % 23);
    }
    return same;
}

TEST(long_answers_arrive_whole)
{
    server_case c;
    server_open(&c, NULL);
    CHECK(is_big(server_body(server_exchange(&c, CLOSE("/big")))), "a whole response differs");
    CHECK(is_big(server_body(server_exchange(&c, CLOSE("/big-stream")))),
          "a streamed response differs");
    server_close(&c);
}

/* A stream whose pieces are added while others are being sent, so that the queue moves. */
typedef struct slow {
    server_case c;
    int fd;
    haft__buf taken, written;
} slow;

/* Writes 60,000 bytes; false if they were rejected. */
static bool write_more(slow *s, int letter)
{
    char text[1000];
    memset(text, letter, sizeof(text));
    for (int i = 0; i < 60; i++) {
        if (!haft__http_server_write(s->c.open_requests[0], (haft_str){text, sizeof(text)})) {
            return false;
        }
        haft__buf_add(&s->written, text, sizeof(text));
    }
    return true;
}

static void take_some(slow *s, size_t min)
{
    static char piece[1 << 16];
    uint64_t end = haft__loop_now(s->c.loop) + 20000;
    for (size_t got = 0; got < min && haft__loop_now(s->c.loop) < end;) {
        CHECK_INT(haft__loop_step(s->c.loop, 0, NULL), HAFT_OK, "the loop step failed");
        ssize_t count = recv(s->fd, piece, min - got, MSG_DONTWAIT);
        if (count > 0) {
            haft__buf_add(&s->taken, piece, (size_t)count);
            got += (size_t)count;
        }
    }
}

TEST(a_stream_that_is_read_slowly_arrives_in_order)
{
    slow s = {0};
    server_open(&s.c, &(haft__http_server_options){.max_queue = 4000000});
    haft__buf_init(&s.taken, 64U << 20);
    haft__buf_init(&s.written, 64U << 20);
    s.fd = server_dial(&s.c);
    int small = 65536;
    CHECK_INT(setsockopt(s.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0, "no buffer");
    CHECK(server_send(&s.c, s.fd, HAFT__LIT(GET("/keep-open"))), "not sent");
    CHECK(server_receive(&s.c, s.fd, "open\r\n"), "the stream did not begin");
    haft__buf_addf(&s.taken, "Transfer-Encoding: chunked\r\n\r\n");
    bool refused = false;
    for (int i = 0; i < 1000 && !refused; i++) {
        refused = !write_more(&s, 'a' + i % 26);
        take_some(&s, 40000);
    }
    CHECK(refused, "the queue was never full");
    CHECK(!haft__http_server_write(s.c.open_requests[0], HAFT__LIT("x")),
          "a write succeeded after the request was dropped");
    haft__http_server_abort(s.c.open_requests[0]);
    CHECK(server_receive(&s.c, s.fd, NULL), "the connection was not closed");
    haft__buf_add_str(&s.taken, haft__buf_str(&s.c.received));
    haft_str body = server_body(haft__buf_str(&s.taken));
    CHECK(body.len > 1000000 && haft__str_starts_with(haft__buf_str(&s.written), body),
          "%zu bytes of %zu arrived, or the bytes differ", body.len, s.written.len);
    haft__buf_finish(&s.taken);
    haft__buf_finish(&s.written);
    (void)close(s.fd);
    server_close(&s.c);
}

/* Sends a request and reads no response, so the buffers of the system fill up. */
static int send_and_read_nothing(server_case *c, const char *request)
{
    int fd = server_dial(c), handled = c->handled;
    CHECK(server_send(c, fd, haft__str(request)), "not sent");
    CHECK(server_wait_for_count(c, &c->handled, handled + 1), "not handled");
    return fd;
}

/* Three whole responses fit together; the first is dropped for a fourth. */
TEST(unread_responses_are_bounded_together)
{
    for (size_t less = 0; less <= 1; less++) {
        server_case c;
        int fds[3];
        server_open(&c, &(haft__http_server_options){.max_queues = 3 * BIG_BYTES - less});
        for (size_t i = 0; i < COUNT(fds); i++) {
            fds[i] = send_and_read_nothing(&c, CLOSE("/big"));
        }
        for (size_t i = 0; i < COUNT(fds); i++) {
            bool whole =
                server_receive(&c, fds[i], NULL) && is_big(server_body(haft__buf_str(&c.received)));
            CHECK_INT(whole, less == 0 || i > 0,
                      "limit reduced by %zu bytes: response %zu is whole", less, i);
            (void)close(fds[i]);
        }
        CHECK(is_big(server_body(server_exchange(&c, CLOSE("/big")))),
              "no room after the responses were dropped");
        server_close(&c);
    }
}

/* Of two streams, the client that has read most recently stays; the handler of the other one is
 * notified of a disconnect. */
TEST(an_unread_stream_is_dropped_for_others)
{
    static char much[16 << 20];
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_queues = 5 * sizeof(much) / 4});
    int stuck = send_and_read_nothing(&c, GET("/keep-open"));
    CHECK(haft__http_server_write(c.open_requests[0], (haft_str){much, sizeof(much)}),
          "no room for the first request");
    CHECK_STR(server_body(server_exchange(&c, CLOSE("/echo"))), HAFT__LIT("GET|/echo|||"),
              "another request");
    int other = send_and_read_nothing(&c, GET("/keep-open"));
    CHECK(haft__http_server_write(c.open_requests[1], (haft_str){much, sizeof(much)}),
          "no room for the newer request");
    CHECK(!haft__http_server_write(c.open_requests[0], HAFT__LIT("x")),
          "the older request was not dropped");
    CHECK(server_wait_for_count(&c, &c.disconnects, 1),
          "the disconnect of the older request was not reported");
    CHECK(!haft__http_server_write(c.open_requests[1], (haft_str){much, sizeof(much)}),
          "a write past the limit succeeded");
    haft__http_server_abort(c.open_requests[0]);
    haft__http_server_abort(c.open_requests[1]);
    (void)close(stuck);
    (void)close(other);
    server_close(&c);
}

/* A client that reads nothing at all is disconnected when it has been idle for long enough. */
TEST(a_client_that_reads_nothing_is_disconnected)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.idle_ms = 1});
    int fd = server_dial(&c), small = 2048;
    CHECK_INT(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0, "no small buffer");
    CHECK(server_send(&c, fd, HAFT__LIT(GET("/keep-open"))) && server_receive(&c, fd, "open\r\n"),
          "the stream did not begin");
    static char much[8 << 20];
    CHECK(haft__http_server_write(c.open_requests[0], (haft_str){much, sizeof(much)}),
          "no room for the bytes");
    CHECK(server_wait_for_count(&c, &c.disconnects, 1), "no disconnect was reported");
    haft__http_server_end(c.open_requests[0]);
    (void)close(fd);
    server_close(&c);
}

static void finish_twice(void)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    (void)server_send(&c, fd, HAFT__LIT(GET("/wait")));
    (void)server_wait_for_count(&c, &c.handled, 1);
    haft__http_server_reply(c.open_requests[0], &(haft__http_server_head){.status = 200},
                            HAFT__LIT(""));
    haft__http_server_end(c.open_requests[0]);
}

TEST(a_request_is_finished_once)
{
    CHECK(test_aborts(finish_twice), "a request was finished twice");
}
