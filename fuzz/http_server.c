/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of the HTTP server. The input is a byte for the size of pieces, then the bytes that
 * one client sends.
 *   - the handler gets the same requests for every split of the bytes; if the server closes the
 *     connection, only the last ones may be missing;
 *   - no request has a control character in its target or in a header, and its target is a path or
 *     "*";
 *   - a head with a NUL never reaches the handler (except before a bare LF, see
 * io/server/server.h);
 *   - what the client receives begins with a status line.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "fuzz.h"
#include "io/server/server.h"

/* Steps without progress after which the server has handled all bytes. */
#define QUIET_STEPS 4

/* The result of a connection. */
typedef struct outcome {
    haft__buf requests, received;
    size_t handled;
    bool closed; /* the server closed the connection */
} outcome;

static haft__loop *loop;
static haft__http_server *server;
static outcome *current;

static bool is_clean(haft_str text, bool target)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == 0x7F || (byte < ' ' && (target || byte != '\t')) || (target && byte == ' ')) {
            return false;
        }
    }
    return true;
}

static void handle(void *context, haft__http_server_request *request)
{
    static const char *const headers[] = {"Host", "X-Test", "Content-Type", "Content-Length"};
    (void)context;
    haft_str path = haft__http_server_path(request), query = haft__http_server_query(request);
    REQUIREF(path.len > 0 && (path.ptr[0] == '/' || haft__str_equal(path, HAFT__LIT("*"))),
             "the path is \"%.*s\"", HAFT__ARG(path));
    REQUIRE(is_clean(path, true) && is_clean(query, true));
    REQUIRE(haft__http_server_header_count(request, "Content-Length") <= 1);
    haft__buf_addf(&current->requests, "%.*s %.*s?%.*s\n",
                   HAFT__ARG(haft__http_server_method(request)), HAFT__ARG(path), HAFT__ARG(query));
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        haft_str value = haft__http_server_header(request, headers[i]);
        REQUIREF(is_clean(value, false), "%s", headers[i]);
        haft__buf_addf(&current->requests, "%s: %.*s\n", headers[i], HAFT__ARG(value));
    }
    haft__buf_add_str(&current->requests, haft__http_server_body(request));
    current->handled++;
    haft__http_server_head head = {.status = 200, .content_type = HAFT__LIT("text/plain")};
    haft__http_server_reply(request, &head, HAFT__LIT("ok"));
}

static void start_server(void)
{
    haft__http_server_options options = {.address = HAFT__LIT("127.0.0.1:0")};
    REQUIRE(haft__loop_create(&loop, NULL) == HAFT_OK);
    REQUIRE(haft__http_server_create(loop, &options, handle, NULL, &server, NULL) == HAFT_OK);
}

static int dial(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(haft__http_server_port(server))};
    static uint32_t dialled;
    struct sockaddr_in from = {.sin_family = AF_INET};
    /* Thousands of connections per second would use up all ports of one address. A reset frees the
     * port at once, unless the server has closed the connection first. */
    struct linger reset = {.l_onoff = 1};
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + dialled++ % 4096);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
    /* Each piece is sent at once. */
    REQUIRE(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) == 0);
    REQUIRE(bind(fd, (struct sockaddr *)&from, sizeof(from)) == 0);
    REQUIRE(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
    return fd;
}

/* Steps the loop until no more data arrives. */
static void step_until_quiet(int fd, outcome *out)
{
    for (int quiet = 0; quiet < QUIET_STEPS; quiet++) {
        char bytes[4096];
        REQUIRE(haft__loop_step(loop, 0, NULL) == HAFT_OK);
        ssize_t count = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (count > 0) {
            haft__buf_add_str(&out->received, (haft_str){bytes, (size_t)count});
            quiet = 0;
        }
        out->closed = out->closed || count == 0;
    }
}

/* Sends in pieces of `piece` bytes, or as a whole if it is 0. */
static void converse(haft_str bytes, size_t piece, outcome *out)
{
    haft__buf_init(&out->requests, 1U << 20);
    haft__buf_init(&out->received, 1U << 20);
    out->handled = 0;
    out->closed = false;
    current = out;
    int fd = dial();
    while (bytes.len > 0) {
        size_t count = piece > 0 && piece < bytes.len ? piece : bytes.len;
        ssize_t sent = send(fd, bytes.ptr, count, MSG_DONTWAIT | MSG_NOSIGNAL);
        step_until_quiet(fd, out);
        if (sent < 0) {
            break;
        }
        bytes = haft__str_skip(bytes, (size_t)sent);
    }
    (void)close(fd);
    REQUIRE(haft__loop_step(loop, 0, NULL) == HAFT_OK);
    REQUIRE(haft__loop_step(loop, 0, NULL) == HAFT_OK);
}

/* The bytes after the lines that libmicrohttpd skips in front of a request. */
static haft_str skip_empty_lines(haft_str bytes)
{
    while (bytes.len > 0 && memchr("\0\r\n", bytes.ptr[0], 3) != NULL) {
        (void)haft__str_split(&bytes, '\n');
    }
    return bytes;
}

/* Whether the first head has a NUL that must be detected: no line of the head ends with a bare LF.
 */
static bool has_nul(haft_str bytes)
{
    haft_str rest = skip_empty_lines(bytes);
    bool found = false;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        if (line.len == 0 || line.ptr[line.len - 1] != '\r') {
            return false;
        }
        if (line.len == 1) {
            return found;
        }
        found = found || memchr(line.ptr, '\0', line.len) != NULL;
    }
    return false;
}

/* libmicrohttpd may close earlier if it has read more bytes of an invalid request. */
static void check_same(const outcome *a, const outcome *b)
{
    haft_str first = haft__buf_str(&a->requests), second = haft__buf_str(&b->requests);
    bool same = haft__str_equal(first, second);
    bool lacks_end = (a->closed && haft__str_starts_with(second, first))
                     || (b->closed && haft__str_starts_with(first, second));
    REQUIREF(same || lacks_end, "whole: %.*s\nreceived: %.*s\nsplit: %.*s\nreceived: %.*s",
             HAFT__ARG(first), HAFT__ARG(haft__buf_str(&a->received)), HAFT__ARG(second),
             HAFT__ARG(haft__buf_str(&b->received)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    outcome whole, split;
    if (size == 0) {
        return 0;
    }
    if (server == NULL) {
        start_server();
    }
    haft_str bytes = {(const char *)data + 1, size - 1};
    converse(bytes, 0, &whole);
    converse(bytes, data[0] + (size_t)1, &split);
    check_same(&whole, &split);
    REQUIREF(whole.handled == 0 || !has_nul(bytes), "%.*s",
             HAFT__ARG(haft__buf_str(&whole.requests)));
    REQUIRE(whole.received.len == 0
            || haft__str_starts_with(haft__buf_str(&whole.received), HAFT__LIT("HTTP/1.")));
    haft__buf_finish(&whole.requests);
    haft__buf_finish(&whole.received);
    haft__buf_finish(&split.requests);
    haft__buf_finish(&split.received);
    return 0;
}
