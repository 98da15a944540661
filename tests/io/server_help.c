/* SPDX-License-Identifier: Apache-2.0 */
#include "io/server_help.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMEOUT_MS 300000
#define STEP_MS    5

/* ---- the handler ---- */

typedef struct delayed_reply {
    server_case *c;
    haft__http_server_request *request;
    haft__timer timer;
    int piece;
} delayed_reply;

static const haft__http_server_head plain = {.status = 200,
                                             .content_type = HAFT__LIT("text/plain")};

static void echo(haft__http_server_request *request)
{
    haft__buf text;
    haft__buf_init(&text, 64U << 20);
    haft_str test = haft__http_server_header(request, "X-Test"),
             body = haft__http_server_body(request);
    haft__buf_addf(&text, "%.*s|%.*s|%.*s|%.*s|", HAFT__ARG(haft__http_server_method(request)),
                   HAFT__ARG(haft__http_server_path(request)),
                   HAFT__ARG(haft__http_server_query(request)), HAFT__ARG(test));
    haft__buf_add_str(&text, body);
    haft__http_server_reply(request, &plain, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static void wait_for(delayed_reply *l, void (*fire)(void *context))
{
    CHECK_INT(haft__timer_start(l->c->loop, &l->timer, (uint64_t)l->c->later_ms, fire, l, NULL),
              HAFT_OK, "cannot start the timer");
}

static void echo_now(void *context)
{
    delayed_reply *l = context;
    echo(l->request);
}

static void next_piece(void *context)
{
    static const char *const pieces[] = {"one ", "two ", "three"};
    delayed_reply *l = context;
    if (l->piece == COUNT(pieces)) {
        haft__http_server_end(l->request);
        return;
    }
    (void)haft__http_server_write(l->request, haft__str(pieces[l->piece++]));
    wait_for(l, next_piece);
}

static delayed_reply *delayed_reply_create(server_case *c, haft__http_server_request *request)
{
    delayed_reply *l = test_alloc(sizeof(*l));
    *l = (delayed_reply){.c = c, .request = request};
    return l;
}

static void on_disconnect(void *context, haft__http_server_request *request)
{
    server_case *c = context;
    c->disconnects++;
    CHECK(!haft__http_server_write(request, HAFT__LIT("x")),
          "a write succeeded after the client disconnected");
    if (c->abort_on_disconnect) {
        haft__http_server_abort(request);
    }
}

static void keep_open(server_case *c, haft__http_server_request *request)
{
    haft__http_server_on_disconnect(request, on_disconnect, c);
    if (c->open_request_count < MAX_OPEN_REQUESTS) {
        c->open_requests[c->open_request_count++] = request;
    }
}

static void add_fields(haft__http_server_request *request)
{
    static const haft__http_server_field fields[] = {
        {HAFT__LIT("X-Good"), HAFT__LIT("yes")},
        {HAFT__LIT("X-Bad"), HAFT__LIT("a\r\nX-Injected: 1")},
        {HAFT__LIT("X-Nul"), HAFT__LIT("a\0b")},
        {HAFT__LIT("Bad Name\n"), HAFT__LIT("x")},
        {HAFT__LIT("Content-Length"), HAFT__LIT("3")},
        {HAFT__LIT("Transfer-Encoding"), HAFT__LIT("gzip")},
    };
    haft__http_server_head head = {.status = 404, .fields = fields, .field_count = COUNT(fields)};
    haft__http_server_reply(request, &head, HAFT__LIT(""));
}

static haft_str make_big(size_t length)
{
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('a' + i % 23);
    }
    return (haft_str){text, length};
}

/* Writes SERVER_HELP_QUEUE_BYTES bytes, as many as the queue holds. With `flood`, also one byte
 * more, which must fail. */
static void fill(server_case *c, haft__http_server_request *request, bool flood)
{
    haft_str max = make_big(SERVER_HELP_QUEUE_BYTES);
    haft__http_server_begin(request, &plain);
    CHECK(haft__http_server_write(request, max), "the queue is too small");
    c->overflow_rejected = flood && !haft__http_server_write(request, HAFT__LIT("!"));
    if (c->overflow_rejected) {
        haft__http_server_abort(request);
    } else {
        haft__http_server_end(request);
    }
}

static void stream_big(haft__http_server_request *request)
{
    haft_str all = make_big(BIG_BYTES);
    haft__http_server_begin(request, &plain);
    for (size_t at = 0; at < all.len; at += 100000) {
        size_t left = all.len - at;
        CHECK(haft__http_server_write(request,
                                      (haft_str){all.ptr + at, left < 100000 ? left : 100000}),
              "the queue has no room for a chunk");
    }
    haft__http_server_end(request);
}

static void do_echo(server_case *c, haft__http_server_request *request)
{
    (void)c;
    echo(request);
}

static void do_later(server_case *c, haft__http_server_request *request)
{
    wait_for(delayed_reply_create(c, request), echo_now);
}

static void do_fields(server_case *c, haft__http_server_request *request)
{
    (void)c;
    add_fields(request);
}

static void begin(haft__http_server_request *request, const char *text)
{
    haft__http_server_begin(request, &plain);
    (void)haft__http_server_write(request, haft__str(text));
}

static void do_stream(server_case *c, haft__http_server_request *request)
{
    haft__http_server_begin(request, &plain);
    wait_for(delayed_reply_create(c, request), next_piece);
}

static void do_keep_open(server_case *c, haft__http_server_request *request)
{
    begin(request, "open");
    keep_open(c, request);
}

static void do_cut(server_case *c, haft__http_server_request *request)
{
    (void)c;
    begin(request, "half");
    haft__http_server_abort(request);
}

static void do_drop(server_case *c, haft__http_server_request *request)
{
    (void)c;
    haft__http_server_abort(request);
}

static void do_fill(server_case *c, haft__http_server_request *request)
{
    fill(c, request, false);
}

static void do_flood(server_case *c, haft__http_server_request *request)
{
    fill(c, request, true);
}

static void do_big(server_case *c, haft__http_server_request *request)
{
    (void)c;
    haft__http_server_reply(request, &plain, make_big(BIG_BYTES));
}

static void do_stream_big(server_case *c, haft__http_server_request *request)
{
    (void)c;
    stream_big(request);
}

static void do_invalid_status(server_case *c, haft__http_server_request *request)
{
    (void)c;
    haft__http_server_reply(request, &(haft__http_server_head){.status = 42}, HAFT__LIT("x"));
}

static void do_release_body(server_case *c, haft__http_server_request *request)
{
    keep_open(c, request);
    haft__http_server_release_body(request);
    CHECK_INT(haft__http_server_body(request).len, 0, "the body was not released");
}

static const struct {
    const char *path;
    void (*act)(server_case *c, haft__http_server_request *request);
} acts[] = {
    {"/later", do_later},
    {"/fields", do_fields},
    {"/stream", do_stream},
    {"/keep-open", do_keep_open},
    {"/wait", keep_open},
    {"/cut", do_cut},
    {"/drop", do_drop},
    {"/fill", do_fill},
    {"/flood", do_flood},
    {"/big", do_big},
    {"/big-stream", do_stream_big},
    {"/invalid-status", do_invalid_status},
    {"/release-body", do_release_body},
};

static void handle(void *context, haft__http_server_request *request)
{
    server_case *c = context;
    c->handled++;
    for (size_t i = 0; i < COUNT(acts); i++) {
        if (haft__str_equal(haft__http_server_path(request), haft__str(acts[i].path))) {
            acts[i].act(c, request);
            return;
        }
    }
    do_echo(c, request);
}

/* ---- the server ---- */

void server_open(server_case *c, const haft__http_server_options *options)
{
    haft__http_server_options own = options != NULL ? *options : (haft__http_server_options){0};
    haft_error err = {0};
    *c = (server_case){.later_ms = 1};
    haft__buf_init(&c->received, 64U << 20);
    own.address = own.address.len > 0 ? own.address : HAFT__LIT("127.0.0.1:0");
    CHECK_INT(haft__loop_create(&c->loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__http_server_create(c->loop, &own, handle, c, &c->server, &err), HAFT_OK, "%s",
              err.message);
}

void server_open_with(server_case *c, haft__http_server_handler *handler, void *context,
                      haft__loop **ret_loop)
{
    haft__http_server_options options = {.address = HAFT__LIT("127.0.0.1:0")};
    *c = (server_case){0};
    haft__buf_init(&c->received, 64U << 20);
    CHECK_INT(haft__loop_create(&c->loop, NULL), HAFT_OK, "cannot create the loop");
    *ret_loop = c->loop;
    CHECK_INT(haft__http_server_create(c->loop, &options, handler, context, &c->server, NULL),
              HAFT_OK, "cannot create the server");
}

void server_close(server_case *c)
{
    haft__http_server_destroy(c->server);
    haft__loop_destroy(c->loop);
    haft__buf_finish(&c->received);
}

static void step(const server_case *c)
{
    CHECK_INT(haft__loop_step(c->loop, STEP_MS, NULL), HAFT_OK, "the loop step failed");
}

bool server_wait_for_count(server_case *c, const int *number, int wanted)
{
    uint64_t end = haft__loop_now(c->loop) + TIMEOUT_MS;
    while (*number != wanted && haft__loop_now(c->loop) < end) {
        step(c);
    }
    return *number == wanted;
}

/* ---- clients ---- */

int server_dial(const server_case *c)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(haft__http_server_port(c->server))};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
        (void)close(fd);
        fd = -1;
    }
    CHECK(fd >= 0, "cannot connect: %s", strerror(errno));
    return fd;
}

bool server_send(server_case *c, int fd, haft_str bytes)
{
    uint64_t end = haft__loop_now(c->loop) + TIMEOUT_MS;
    while (bytes.len > 0 && haft__loop_now(c->loop) < end) {
        ssize_t count = send(fd, bytes.ptr, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) {
            bytes = haft__str_skip(bytes, (size_t)count);
        } else if (errno != EAGAIN) {
            return false;
        }
        CHECK_INT(haft__loop_step(c->loop, 0, NULL), HAFT_OK, "the loop step failed");
    }
    return bytes.len == 0;
}

static bool has_end(const haft__buf *text, const char *end)
{
    return end != NULL && text->len >= strlen(end)
           && memcmp(text->ptr + text->len - strlen(end), end, strlen(end)) == 0;
}

bool server_receive(server_case *c, int fd, const char *end)
{
    static char piece[65536];
    haft__buf_clear(&c->received);
    uint64_t give_up = haft__loop_now(c->loop) + TIMEOUT_MS;
    while (!has_end(&c->received, end) && haft__loop_now(c->loop) < give_up) {
        ssize_t count = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EAGAIN)) {
            return end == NULL;
        }
        if (count > 0) {
            haft__buf_add(&c->received, piece, (size_t)count);
        } else {
            step(c);
        }
    }
    return has_end(&c->received, end);
}

haft_str server_exchange(server_case *c, const char *request)
{
    int fd = server_dial(c);
    (void)server_send(c, fd, haft__str(request));
    CHECK(server_receive(c, fd, NULL), "the connection was not closed: %.80s", request);
    (void)close(fd);
    return haft__buf_str(&c->received);
}

int server_status(haft_str answer)
{
    int status = 0;
    if (haft__str_starts_with(answer, HAFT__LIT("HTTP/1.1 ")) && answer.len > 12) {
        for (int i = 9; i < 12; i++) {
            status = 10 * status + (answer.ptr[i] - '0');
        }
    }
    return status;
}

static haft_str find(haft_str text, const char *what)
{
    for (; text.len >= strlen(what); text = haft__str_skip(text, 1)) {
        if (memcmp(text.ptr, what, strlen(what)) == 0) {
            return text;
        }
    }
    return (haft_str){NULL, 0};
}

haft_str server_body(haft_str answer)
{
    haft_str rest = haft__str_skip(find(answer, "\r\n\r\n"), 4);
    haft_str head = {answer.ptr, answer.len - rest.len};
    if (find(head, "Transfer-Encoding: chunked").ptr == NULL) {
        return rest;
    }
    char *text = test_alloc(rest.len + 1);
    size_t length = 0;
    for (unsigned long size; rest.len > 0; length += size) {
        char *end = NULL;
        size = strtoul(rest.ptr, &end, 16);
        rest = haft__str_skip(rest, (size_t)(end - rest.ptr) + 2);
        size = size < rest.len ? size : rest.len;
        memcpy(text + length, rest.ptr, size);
        rest = haft__str_skip(rest, size + 2);
    }
    return (haft_str){text, length};
}
