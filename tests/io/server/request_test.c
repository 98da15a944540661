/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/server/request.c: valid and invalid requests. */
#include "base/limits.h"
#include "io/server_help.h"

#include <sys/socket.h>
#include <unistd.h>

#define CLOSED  "Host: x\r\nConnection: close\r\n"
#define CHUNKED "POST / HTTP/1.1\r\n" CLOSED "Transfer-Encoding: chunked\r\n\r\n"

TEST(a_request_arrives_as_it_was_sent)
{
    static const struct {
        const char *request, *body;
    } cases[] = {
        {"GET / HTTP/1.1\r\n" CLOSED "\r\n", "GET|/|||"},
        {"GET /a%2Fb%00?q=%41&r HTTP/1.1\r\n" CLOSED "\r\n", "GET|/a%2Fb%00|q=%41&r||"},
        {"GET /? HTTP/1.1\r\n" CLOSED "\r\n", "GET|/|||"},
        {"GET http://x/a?b HTTP/1.1\r\n" CLOSED "\r\n", "GET|/a|b||"},
        {"GET HTTP://X:80 HTTP/1.1\r\n" CLOSED "\r\n", "GET|/|||"},
        {"GET http://x?/b HTTP/1.1\r\n" CLOSED "\r\n", "GET|/|/b||"},
        {"OPTIONS * HTTP/1.1\r\n" CLOSED "\r\n", "OPTIONS|*|||"},
        {"BREW /pot HTTP/1.1\r\n" CLOSED "x-TEST: 1\r\nX-Test: 2\r\n\r\n", "BREW|/pot||1|"},
        {"POST / HTTP/1.1\r\n" CLOSED "Content-Length: 0\r\n\r\n", "POST|/|||"},
        {"POST / HTTP/1.1\r\n" CLOSED "Content-Length: 4\r\n\r\nbody", "POST|/|||body"},
        {CHUNKED "4\r\nbody\r\n3\r\n, a\r\n0\r\n\r\n", "POST|/|||body, a"},
        {"POST / HTTP/1.1\r\n" CLOSED "Transfer-Encoding: Chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n",
         "POST|/|||"},
        {"GET /old HTTP/1.0\r\n\r\n", "GET|/old|||"},
    };
    server_case c;
    server_open(&c, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str answer = server_exchange(&c, cases[i].request);
        CHECK_INT(server_status(answer), 200, "%s", cases[i].request);
        CHECK_STR(server_body(answer), haft__str(cases[i].body), "%s", cases[i].request);
    }
    server_close(&c);
}

/* libmicrohttpd 0.9.75 ignores the extension of a chunk, 1.0.1 rejects the request. */
TEST(chunk_with_an_extension_is_read_correctly_or_rejected)
{
    static const char *const cases[] = {
        CHUNKED "3;x=y\r\nbod\r\n1\r\ny\r\n0\r\n\r\n",
        CHUNKED "4\r\nbody\r\n0;x=\"y\"\r\n\r\n",
    };
    server_case c;
    server_open(&c, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int handled = c.handled;
        haft_str answer = server_exchange(&c, cases[i]);
        if (c.handled > handled) {
            CHECK_STR(server_body(answer), HAFT__LIT("POST|/|||body"), "case %zu", i);
        } else {
            CHECK_INT(server_status(answer), 400, "case %zu", i);
        }
    }
    server_close(&c);
}

TEST(a_request_may_come_byte_by_byte)
{
    server_case c;
    server_open(&c, NULL);
    const char *request = "POST /echo?q HTTP/1.1\r\n" CLOSED
                          "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
    int fd = server_dial(&c);
    for (size_t i = 0; i < strlen(request); i++) {
        CHECK(server_send(&c, fd, (haft_str){request + i, 1}), "byte %zu", i);
    }
    CHECK(server_receive(&c, fd, NULL), "the connection was not closed");
    CHECK_STR(server_body(haft__buf_str(&c.received)), HAFT__LIT("POST|/echo|q||body"), "body");
    (void)close(fd);
    server_close(&c);
}

TEST(a_client_that_expects_100_may_continue)
{
    server_case c;
    server_open(&c, NULL);
    int fd = server_dial(&c);
    CHECK(server_send(&c, fd,
                      HAFT__LIT("POST / HTTP/1.1\r\n" CLOSED
                                "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n")),
          "the head cannot be sent");
    CHECK(server_receive(&c, fd, "100 Continue\r\n\r\n"), "no 100 Continue");
    CHECK(server_send(&c, fd, HAFT__LIT("body")) && server_receive(&c, fd, "|||body"), "no answer");
    (void)close(fd);
    server_close(&c);
}

/* libmicrohttpd 1.0 rejects more of these itself, with an HTML page, than 0.9.75. */
TEST(an_ambiguous_request_is_rejected)
{
    static const struct {
        const char *request, *why;
        int status;
    } cases[] = {
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
         "0\r\n\r\n",
         "exclude each other", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
         "0\r\n\r\n",
         "exclude each other", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "twice",
         400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na", "twice",
         400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na", "", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\na", "", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", "", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\na", "", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\na", "", 413},
        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
         "not chunked", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n", "not chunked", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         "not chunked", 400},
        {"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.0",
         400},
        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
         "a header name", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX Y: 1\r\n\r\n", "a header name", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX\x01: 1\r\n\r\n", "a header name", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX: a\x1b[2J\r\n\r\n", "a control character", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX: a\x7f\r\n\r\n", "a control character", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "twice", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n folded\r\n\r\n", "continued", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n\tfolded\r\nY: b\r\n\r\n", "continued", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\n: no name\r\n\r\n", "without a name", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nX: a\rY: b\r\n\r\n", "a control character", 400},
        {"GET http://other/a HTTP/1.1\r\nHost: x\r\n\r\n", "the same host", 400},
        {"GET HTTPS://other HTTP/1.1\r\nHost: x\r\n\r\n", "the same host", 400},
        {"GET http://x:81/ HTTP/1.1\r\nHost: x\r\n\r\n", "the same host", 400},
        {"GET http://x@other/ HTTP/1.1\r\nHost: x\r\n\r\n", "the same host", 400},
        {"GET http://other/ HTTP/1.0\r\n\r\n", "the same host", 400},
        {"GET http:///a HTTP/1.1\r\nHost:\r\n\r\n", "the same host", 400},
        {"GET ftp://x/a HTTP/1.1\r\nHost: x\r\n\r\n", "target is not valid", 400},
        {"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "target is not valid", 400},
        {"GET /a\x01 HTTP/1.1\r\nHost: x\r\n\r\n", "target is not valid", 400},
        {"GET / HTTP/1.1\r\n\r\n", "", 400},
        {"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", "", 400},
        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "", 400},
        {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", "", 505},
        {"G(T / HTTP/1.1\r\nHost: x\r\n\r\n", "unknown method", 501},
        {"AMETHODOFTHIRTYTWOCHARACTERSXXXX / HTTP/1.1\r\nHost: x\r\n\r\n", "unknown method", 501},
        {"PROPERTY-OF-THIRTYONE-CHARACTERS / HTTP/1.1\r\nHost: x\r\n\r\n", "unknown method", 501},
    };
    server_case c;
    server_open(&c, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str answer = server_exchange(&c, cases[i].request);
        CHECK_INT(server_status(answer), cases[i].status, "%s", cases[i].request);
        haft__buf_add_char(&c.received, '\0');
        CHECK(strstr(c.received.ptr, cases[i].why) != NULL
                  || strstr(c.received.ptr, "<html>") != NULL,
              "%s: %s", cases[i].request, c.received.ptr);
    }
    CHECK_INT(c.handled, 0, "requests that reached the handler");
    CHECK_INT(server_status(server_exchange(
                  &c, "AMETHODOFTHIRTYONECHARACTERSXXX / HTTP/1.1\r\n" CLOSED "\r\n")),
              200, "the longest method");
    server_close(&c);
}

/* Whether the server sends 400, or drops the connection, and does nothing else. */
static bool is_rejected(server_case *c, haft_str request)
{
    int handled = c->handled, fd = server_dial(c);
    bool closed = server_send(c, fd, request) && server_receive(c, fd, NULL);
    int status = server_status(haft__buf_str(&c->received));
    (void)close(fd);
    return closed && c->handled == handled && (status == 400 || status == 0);
}

/* libmicrohttpd 0.9.75 drops the rest of a text that contains a NUL; 1.0 sends 400 for a NUL in a
 * header, and drops the connection for one in the request line. */
TEST(a_nul_in_the_head_is_rejected)
{
    static const char request[] = "GET /path?query HTTP/1.1\r\n" CLOSED "X-Test:  value \r\n\r\n";
    server_case c;
    server_open(&c, NULL);
    for (size_t i = 1; i < strlen(request); i++) {
        char text[sizeof(request)];
        memcpy(text, request, i);
        text[i] = '\0';
        memcpy(text + i + 1, request + i, strlen(request) - i);
        CHECK(is_rejected(&c, (haft_str){text, sizeof(text)}), "a NUL at %zu", i);
        memcpy(text, request, sizeof(request));
        if (text[i] != '\r' && text[i] != '\n') {
            text[i] = '\0';
            CHECK(is_rejected(&c, (haft_str){text, strlen(request)}), "a NUL as byte %zu", i);
        }
    }
    CHECK_INT(c.handled, 0, "requests that reached the handler");
    server_close(&c);
}

/* The bytes after a line that begins with a NUL are not a second request. */
TEST(nothing_after_a_rejected_head_is_a_request)
{
    static const haft_str cases[] = {
        HAFT__LIT("GET / HTTP/1.1\r\nHost: x\r\n\0\r\nGET /b HTTP/1.1\r\n" CLOSED "\r\n"),
        HAFT__LIT("GET / HTTP/1.1\r\n\0Host: x\r\nGET /b HTTP/1.1\r\n" CLOSED "\r\n"),
        HAFT__LIT("GET / HTTP/1.1\r\nHost: x\r\nX: a\0\r\n\r\n"
                  "GET /b HTTP/1.1\r\n" CLOSED "\r\n"),
        HAFT__LIT("GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\n" CLOSED "\r\n"),
    };
    server_case c;
    server_open(&c, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK(is_rejected(&c, cases[i]), "case %zu: %.*s", i, (int)c.received.len, c.received.ptr);
    }
    server_close(&c);
}

/* Any input is answered or the connection is closed, and the server continues. */
TEST(malformed_input_does_not_stop_the_server)
{
    static const haft_str cases[] = {
        HAFT__LIT(""),
        HAFT__LIT("\r\n\r\n\r\n"),
        HAFT__LIT("\0\0\0\0\r\n\r\n"),
        HAFT__LIT("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        HAFT__LIT("GET\r\n\r\n"),
        HAFT__LIT("GET /\r\n\r\n"),
        HAFT__LIT(" / HTTP/1.1\r\n\r\n"),
        HAFT__LIT("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"),
        HAFT__LIT("GET / HTTP/1.1\nHost: x\nConnection: close\n\n"),
        HAFT__LIT("GET / HTTP/1.1\r\nHost: x\r\n folded\r\nConnection: close\r\n\r\n"),
        HAFT__LIT("GET / HTTP/1.1\r\nHost: x\r\n: no name\r\nConnection: close\r\n\r\n"),
        HAFT__LIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"),
        HAFT__LIT("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\na"),
        HAFT__LIT(
            "GET / HTTP/1.1\r\nHost: x\r\nCookie: a=\"b; c; =; ;;\r\nConnection: close\r\n\r\n"),
    };
    server_case c;
    server_open(&c, &(haft__http_server_options){.idle_ms = 1, .receive_ms = 100});
    for (size_t i = 0; i < COUNT(cases); i++) {
        int fd = server_dial(&c);
        (void)server_send(&c, fd, cases[i]);
        (void)shutdown(fd, SHUT_WR);
        CHECK(server_receive(&c, fd, NULL), "case %zu: the connection stays open", i);
        (void)close(fd);
    }
    CHECK_INT(server_status(server_exchange(&c, "GET / HTTP/1.1\r\n" CLOSED "\r\n")), 200,
              "the server still answers");
    server_close(&c);
}

/* ---- sizes ---- */

/* A request whose request line and headers have that many bytes. */
static haft_str headers_of(size_t length)
{
    const char *start = "GET / HTTP/1.1\r\n" CLOSED "X-Long: ", *end = "\r\n\r\n";
    char *text = test_alloc(length);
    memset(text, 'x', length);
    memcpy(text, start, strlen(start));
    memcpy(text + length - strlen(end), end, strlen(end));
    return (haft_str){text, length};
}

TEST(request_headers_are_bounded)
{
    static const struct {
        size_t length;
        int status;
    } cases[] = {
        {HAFT__LIMIT_SERVER_HEADER_BYTES, 200},
        {HAFT__LIMIT_SERVER_HEADER_BYTES + 1, 431},
        {3 * HAFT__LIMIT_SERVER_HEADER_BYTES, 431},
    };
    server_case c;
    server_open(&c, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int fd = server_dial(&c);
        (void)server_send(&c, fd, headers_of(cases[i].length));
        (void)server_receive(&c, fd, NULL);
        int status = server_status(haft__buf_str(&c.received));
        /* If libmicrohttpd does not read everything, a reset may discard the response. */
        CHECK(status == cases[i].status || (i == 2 && status == 0), "%zu bytes: %d",
              cases[i].length, status);
        (void)close(fd);
    }
    CHECK_INT(c.handled, 1, "requests that reached the handler");
    server_close(&c);
}

/* Sends a body of that many bytes, with a length or in chunks; returns the status of the
 * response. */
static int upload(server_case *c, size_t length, bool chunked)
{
    haft__buf request;
    haft__buf_init(&request, 16U << 20);
    haft__buf_addf(&request, "POST / HTTP/1.1\r\n" CLOSED);
    if (chunked) {
        haft__buf_addf(&request, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", length);
    } else {
        haft__buf_addf(&request, "Content-Length: %zu\r\n\r\n", length);
    }
    char *body = haft__buf_reserve(&request, length);
    if (length > 0) {
        memset(body, 'x', length);
    }
    haft__buf_advance(&request, length);
    haft__buf_add_str(&request, chunked ? HAFT__LIT("\r\n0\r\n\r\n") : HAFT__LIT(""));
    int fd = server_dial(c);
    (void)server_send(c, fd, haft__buf_str(&request));
    (void)server_receive(c, fd, NULL);
    (void)close(fd);
    haft__buf_finish(&request);
    return server_status(haft__buf_str(&c->received));
}

TEST(request_bodies_are_bounded)
{
    enum { MOST = 5000 };
    static const struct {
        size_t length;
        int status;
    } cases[] = {
        {0, 200},
        {MOST, 200},
        {MOST + 1, 413},
        {MOST + HAFT__LIMIT_SERVER_EXCESS_BYTES, 413},
        {MOST + HAFT__LIMIT_SERVER_EXCESS_BYTES + 1, 0},
    };
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_body = MOST});
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(upload(&c, cases[i].length, cases[i].length > 0), cases[i].status,
                  "%zu bytes in a chunk", cases[i].length);
        int status = upload(&c, cases[i].length, false);
        /* A declared length is rejected at once; a client that continues to send may not see the
         * response. */
        CHECK(status == cases[i].status || (cases[i].status == 0 && status == 413), "%zu bytes: %d",
              cases[i].length, status);
    }
    CHECK_INT(c.handled, 4, "requests that reached the handler");
    server_close(&c);
}

TEST(a_body_that_is_too_big_is_rejected_before_it_is_sent)
{
    server_case c;
    server_open(&c, NULL);
    haft_str answer = server_exchange(&c, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                                          "Content-Length: 1000000000000\r\n\r\n");
    CHECK_INT(server_status(answer), 413, "%.*s", HAFT__ARG(answer));
    server_close(&c);
}

TEST(a_connection_continues_after_a_body_that_was_too_big)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_body = 3});
    int fd = server_dial(&c);
    CHECK(server_send(&c, fd,
                      HAFT__LIT("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
                                "GET /next HTTP/1.1\r\n" CLOSED "\r\n")),
          "sending");
    CHECK(server_receive(&c, fd, "GET|/next|||"), "no answer");
    CHECK_INT(server_status(haft__buf_str(&c.received)), 413, "the status of the first response");
    (void)close(fd);
    server_close(&c);
}

TEST(a_long_body_arrives_whole)
{
    server_case c;
    server_open(&c, NULL);
    CHECK_INT(upload(&c, BIG_BYTES, false), 200, "a body with a length");
    CHECK_INT(server_body(haft__buf_str(&c.received)).len, BIG_BYTES + strlen("POST|/|||"),
              "bytes of the response");
    CHECK_INT(upload(&c, BIG_BYTES, true), 200, "a body in chunks");
    server_close(&c);
}

/* ---- bodies that are not wanted ---- */

static bool wants_good(void *context, const haft__http_server_request *request)
{
    (void)context;
    return haft__str_equal(haft__http_server_header(request, "X-Test"), HAFT__LIT("good"));
}

#define LONG_LENGTH "Content-Length: 1048577\r\n" /* one byte more than the server discards */

/* The handler replies to the head; it sees nothing of a body that it does not want, and the
 * server does not wait for a long one. */
TEST(a_body_that_the_handler_does_not_want_is_not_stored)
{
    static const struct {
        const char *request, *end;
        bool keeps_open;
    } cases[] = {
        {"POST / HTTP/1.1\r\n" CLOSED "X-Test: good\r\nContent-Length: 4\r\n\r\nbody",
         "POST|/||good|body", false},
        {"POST / HTTP/1.1\r\n" CLOSED "X-Test: bad\r\nContent-Length: 4\r\n\r\nbody",
         "POST|/||bad|", false},
        {"POST / HTTP/1.1\r\n" CLOSED "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
         "POST|/|||", false},
        {"POST / HTTP/1.1\r\nHost: x\r\n" LONG_LENGTH "\r\n", "POST|/|||", false},
        {"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n",
         "POST|/|||", false},
        {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbodyGET /next HTTP/1.1\r\n"
         "Host: x\r\n\r\n",
         "GET|/next|||", true},
    };
    CHECK_INT(HAFT__LIMIT_SERVER_EXCESS_BYTES, 1048576, "LONG_LENGTH is not one past the limit");
    server_case c;
    server_open(&c, &(haft__http_server_options){.accept_body = wants_good});
    for (size_t i = 0; i < COUNT(cases); i++) {
        int fd = server_dial(&c);
        CHECK(server_send(&c, fd, haft__str(cases[i].request)), "case %zu", i);
        CHECK(server_receive(&c, fd, cases[i].end), "case %zu: %.*s", i, (int)c.received.len,
              c.received.ptr);
        CHECK(cases[i].keeps_open || server_receive(&c, fd, NULL),
              "case %zu: the connection stays open", i);
        (void)close(fd);
    }
    server_close(&c);
}

/* The server discards enough of it that a response arrives, and no more. */
TEST(a_body_that_the_handler_does_not_want_is_read_for_a_while)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.accept_body = wants_good});
    CHECK_INT(upload(&c, HAFT__LIMIT_SERVER_EXCESS_BYTES, false), 200, "a body with a length");
    CHECK_INT(upload(&c, HAFT__LIMIT_SERVER_EXCESS_BYTES, true), 200, "a body in chunks");
    CHECK_INT(c.handled, 2, "requests that reached the handler");
    CHECK_INT(upload(&c, HAFT__LIMIT_SERVER_EXCESS_BYTES + 1, true), 0, "too many chunks");
    CHECK_INT(c.handled, 2, "requests that reached the handler");
    server_close(&c);
}

/* ---- all bodies together ---- */

enum { ALL = 5000 };

/* Opens a connection and sends `part` bytes of a body of `length` bytes. */
static int send_part(server_case *c, const char *path, size_t length, size_t part)
{
    haft__buf text;
    haft__buf_init(&text, 1U << 20);
    haft__buf_addf(&text, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n", path,
                   length);
    memset(haft__buf_reserve(&text, part), 'x', part);
    haft__buf_advance(&text, part);
    int fd = server_dial(c);
    CHECK(server_send(c, fd, haft__buf_str(&text)), "sending");
    haft__buf_finish(&text);
    return fd;
}

/* Waits until a body of `length` bytes gets that status, as other bodies start and end. */
static bool wait_for_status(server_case *c, size_t length, int status)
{
    int found = 0;
    for (int i = 0; i < 1000 && found != status; i++) {
        found = upload(c, length, false);
    }
    return found == status;
}

/* A declared length that does not fit next to the others is rejected at its head; chunks are
 * rejected when they no longer fit. */
TEST(request_bodies_are_bounded_together)
{
    static const struct {
        size_t open_bytes, length;
        int status;
    } cases[] = {
        {ALL - 1000, 1000, 200}, {ALL - 1000, 1001, 503}, {0, ALL, 200},
        {0, ALL + 1, 503},       {ALL, 0, 200},           {ALL, 1, 503},
    };
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_bodies = ALL});
    c.abort_on_disconnect = true;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int handled = c.handled, disconnects = c.disconnects;
        int fd = cases[i].open_bytes > 0
                     ? send_part(&c, "/wait", cases[i].open_bytes, cases[i].open_bytes)
                     : -1;
        CHECK(fd < 0 || server_wait_for_count(&c, &c.handled, handled + 1),
              "case %zu: the handler got no request", i);
        CHECK_INT(upload(&c, cases[i].length, false), cases[i].status, "case %zu: a length", i);
        CHECK_INT(upload(&c, cases[i].length, cases[i].length > 0), cases[i].status,
                  "case %zu: chunks", i);
        (void)(fd >= 0 && close(fd));
        CHECK(fd < 0 || server_wait_for_count(&c, &c.disconnects, disconnects + 1),
              "case %zu: no disconnect was reported", i);
        CHECK(wait_for_status(&c, ALL, 200), "case %zu: the memory was not released", i);
    }
    server_close(&c);
}

TEST(incoming_bodies_count_until_their_client_disconnects)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_bodies = ALL});
    int fd = send_part(&c, "/", ALL, ALL - 1);
    CHECK(wait_for_status(&c, 2, 503), "two bytes were accepted, but there is room for one");
    CHECK_INT(upload(&c, 1, false), 200, "the last byte");
    (void)close(fd);
    CHECK(wait_for_status(&c, ALL, 200), "the body of a client that disconnected still counts");
    server_close(&c);
}

TEST(a_released_body_no_longer_counts)
{
    server_case c;
    server_open(&c, &(haft__http_server_options){.max_bodies = ALL});
    int fd = send_part(&c, "/release-body", ALL, ALL);
    CHECK(server_wait_for_count(&c, &c.handled, 1), "the handler got no request");
    CHECK_INT(upload(&c, ALL, false), 200, "a body after the release");
    (void)close(fd);
    CHECK(server_wait_for_count(&c, &c.disconnects, 1), "no disconnect was reported");
    haft__http_server_release_body(c.open_requests[0]); /* allowed after the disconnect */
    haft__http_server_abort(c.open_requests[0]);
    server_close(&c);
}

/* ---- memory ---- */

TEST(requests_survive_every_failed_allocation)
{
    static const char *const requests[] = {
        "POST /echo HTTP/1.1\r\n" CLOSED "Content-Length: 4\r\n\r\nbody",
        "GET /fields HTTP/1.1\r\n" CLOSED "\r\n",
        "GET /cut HTTP/1.1\r\n" CLOSED "\r\n",
        "GET /wait HTTP/1.1\r\n" CLOSED "\r\n",
    };
    server_case c;
    server_open(&c, NULL);
    haft__buf_add(&c.received, "", 1); /* allocates the memory of the client first */
    haft__buf_clear(&c.received);
    for (size_t i = 0; i < COUNT(requests); i++) {
        for (unsigned n = 0;; n++) {
            int fd = server_dial(&c), before = c.handled;
            test_fail_allocation(n);
            bool sent = server_send(&c, fd, haft__str(requests[i]));
            for (int round = 0; round < 10; round++) {
                CHECK_INT(haft__loop_step(c.loop, 1, NULL), HAFT_OK, "the loop step failed");
            }
            bool failed = test_allow_allocations();
            CHECK(sent || failed, "request %zu", i);
            while (c.open_request_count > 0) {
                haft__http_server_abort(c.open_requests[--c.open_request_count]);
            }
            CHECK(server_receive(&c, fd, NULL),
                  "request %zu, allocation %u: the connection stays open", i, n);
            (void)close(fd);
            if (!failed) {
                CHECK(n > 0 && c.handled == before + 1,
                      "request %zu: no allocation failed, or the request was not handled", i);
                break;
            }
        }
    }
    server_close(&c);
}
