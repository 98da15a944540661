/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/client.c. */
#include "io/http/client.h"

#include "base/limits.h"
#include "io/http_help.h"
#include "test.h"

#define MANY 200

static const haft__http_client_options anywhere = {.public_only = false};

static web_record fetch(web_fixture *b, const char *path)
{
    web_record record;
    haft__http_request request = web_get(web_url(b->web, path));
    (void)web_fetch(b->loop, b->http, &request, &record);
    return record;
}

static haft__http_transfer *start(web_fixture *b, const haft__http_request *request,
                                  web_record *record)
{
    haft__http_transfer *transfer = NULL;
    memset(record, 0, sizeof(*record));
    CHECK_INT(haft__http_transfer_start(b->http, request, &web_handlers, record, &transfer, NULL),
              HAFT_OK, "the transfer did not start");
    return transfer;
}

static void check_end(const web_record *record, haft__http_outcome wanted, const char *what)
{
    CHECK_STR(haft__str(haft__http_outcome_name(record->end)),
              haft__str(haft__http_outcome_name(wanted)), "%s: %s", what, record->message);
}

/* ---- answers ---- */

TEST(a_response_is_reported)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(5) "hello");
    web_record record = fetch(&b, "/");
    check_end(&record, HAFT__HTTP_OK, "the response");
    CHECK_INT(record.status, 200, "status");
    CHECK_INT(record.heads, 1, "heads");
    CHECK_STR(haft__str(record.type), HAFT__LIT("text/plain"), "type");
    CHECK_STR(haft__str(record.body), HAFT__LIT("hello"), "body");
    CHECK(record.sent && record.delivered,
          "the request was not sent, or the response not delivered");
    CHECK_STR(haft__str(record.url), haft__str(web_url(b.web, "/")), "url");
    web_tear_down(&b);
}

TEST(every_status_is_a_response)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/204", "HTTP/1.1 204 No Content\r\n\r\n");
    web_route(b.web, "/302", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nno");
    web_route(b.web, "/404", "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nwho");
    web_route(b.web, "/503", "HTTP/1.1 503 \r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n");
    web_route(b.web, "/100",
              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n"
              "\r\n" WEB_OK(2) "ok");
    web_route(b.web, "/chunks",
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
    static const struct {
        const char *path;
        uint32_t status;
        const char *body;
    } rows[] = {{"/204", 204, ""},    {"/302", 302, "no"}, {"/404", 404, "who"},
                {"/503", 503, ""},    {"/100", 200, "ok"}, {"/chunks", 200, "abcde"},
                {"/nowhere", 404, ""}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        web_record record = fetch(&b, rows[i].path);
        check_end(&record, HAFT__HTTP_OK, rows[i].path);
        CHECK_INT(record.status, rows[i].status, "%s", rows[i].path);
        CHECK_INT(record.heads, 1, "%s: heads", rows[i].path);
        CHECK_STR(haft__str(record.body), haft__str(rows[i].body), "%s", rows[i].path);
        CHECK_INT(record.delivered, rows[i].body[0] != '\0', "%s: delivered", rows[i].path);
    }
    CHECK_INT(web_connections(b.web), 1, "connections");
    web_tear_down(&b);
}

TEST(headers_of_the_response_can_be_read)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/",
              "HTTP/1.1 200 OK\r\nlocation:  there \r\nLocation: two\r\n"
              "Content-Length: 0\r\n\r\n");
    web_record record = fetch(&b, "/");
    CHECK_STR(haft__str(record.location), HAFT__LIT("there"), "the first of two headers");
    record = fetch(&b, "/none");
    CHECK_STR(haft__str(record.location), HAFT__LIT(""), "a header that does not exist");
    CHECK_STR(haft__str(record.type), HAFT__LIT(""), "no type");
    web_tear_down(&b);
}

TEST(the_request_is_sent_as_given)
{
    web_fixture b = web_set_up(&anywhere);
    haft_str headers[] = {HAFT__LIT("X-One: 1"), HAFT__LIT("X-Empty:"),
                          HAFT__LIT("Content-Type: application/json")};
    haft__http_request request = web_get(web_url(b.web, "/a%20b?c=d&e=%7B#f"));
    request.method = HAFT__LIT("POST");
    request.headers = headers;
    request.header_count = COUNT(headers);
    request.body = (haft_str){"{\"a\":1}no more", 7};
    web_record record;
    (void)web_fetch(b.loop, b.http, &request, &record);
    char wanted[512];
    (void)snprintf(wanted, sizeof(wanted),
                   "POST /a%%20b?c=d&e=%%7B HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                   "Accept: */*\r\nX-One: 1\r\nX-Empty:\r\nContent-Type: application/json\r\n"
                   "User-Agent: haft/%s\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
                   "Content-Length: 7\r\n\r\n{\"a\":1}",
                   web_port(b.web), HAFT_VERSION);
    CHECK_STR(web_request(b.web, 0), haft__str(wanted), "the request");
    web_tear_down(&b);
}

/* A transfer reuses the settings of its last request if the next one is equal. Every difference
 * must be noticed. */
TEST(a_request_does_not_depend_on_the_one_before)
{
    static const struct {
        const char *path, *method, *header, *body, *start, *has, *end;
    } rows[] = {
        {"/a", "POST", "X-One: 1", "one", "POST /a ", "\r\nX-One: 1\r\n", "\r\n\r\none"},
        {"/a", "POST", "X-One: 1", "second", "POST /a ", "\r\nContent-Length: 6\r\n", "\r\nsecond"},
        {"/a", "POST", "X-One: 2", "", "POST /a ", "\r\nX-One: 2\r\n", "\r\n\r\n"},
        {"/a", "PUT", "X-One: 2", "x", "PUT /a ", "\r\nX-One: 2\r\n", "\r\n\r\nx"},
        {"/a", "PUT", "X-One: 2", NULL, "PUT /a ", "\r\nX-One: 2\r\n", "\r\n\r\n"},
        {"/a", "POST", NULL, "y", "POST /a ", "\r\nAccept: */*\r\n", "\r\n\r\ny"},
        {"/from", "GET", "X-One: 3", NULL, "GET /from ", "\r\nX-One: 3\r\n", "\r\n\r\n"},
        {"/from", "GET", "X-One: 3", NULL, "GET /from ", "\r\nX-One: 3\r\n", "\r\n\r\n"},
        {"/b", "GET", "X-One: 3", NULL, "GET /b ", "\r\nX-One: 3\r\n", "\r\n\r\n"},
        {"/b", "GET", "X-One:\n3", NULL, NULL, NULL, NULL},
        {"/b", "GET", "X-One: 3", NULL, "GET /b ", "\r\nX-One: 3\r\n", "\r\n\r\n"},
    };
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/a", WEB_OK(2) "ok");
    web_route(b.web, "/b", WEB_OK(2) "ok");
    web_route(b.web, "/from", "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
    for (size_t i = 0, at = 0; i < COUNT(rows); i++) {
        haft_str header = haft__str(rows[i].header != NULL ? rows[i].header : "");
        haft__http_request request = web_get(web_url(b.web, rows[i].path));
        request.method = haft__str(rows[i].method);
        request.headers = &header;
        request.header_count = rows[i].header != NULL;
        request.body = rows[i].body != NULL ? haft__str(rows[i].body) : request.body;
        request.max_redirects = 1;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, rows[i].start != NULL ? HAFT__HTTP_OK : HAFT__HTTP_BAD_HEADER, "row");
        if (rows[i].start == NULL) {
            continue;
        }
        haft_str sent = web_request(b.web, (unsigned)at);
        CHECK(haft__str_starts_with(sent, haft__str(rows[i].start)), "%zu: %.*s", i,
              HAFT__ARG(sent));
        CHECK(memmem(sent.ptr, sent.len, rows[i].has, strlen(rows[i].has)) != NULL, "%zu: %.*s", i,
              HAFT__ARG(sent));
        haft_str end = haft__str(rows[i].end);
        CHECK(sent.len > end.len && memcmp(sent.ptr + sent.len - end.len, end.ptr, end.len) == 0,
              "%zu: %.*s", i, HAFT__ARG(sent));
        at += haft__str_starts_with(sent, HAFT__LIT("GET /from")) ? 2 : 1;
    }
    web_tear_down(&b);
}

static const struct method_row {
    const char *method, *body, *start, *end;
} methods[] = {
    {"GET", NULL, "GET / HTTP/1.1\r\n", "\r\n\r\n"},
    {"POST", "abc", "POST / HTTP/1.1\r\n", "Content-Length: 3\r\n\r\nabc"},
    {"HEAD", NULL, "HEAD / HTTP/1.1\r\n", "\r\n\r\n"},
    {"HEAD", "abc", "HEAD / HTTP/1.1\r\n", "\r\n\r\n"},
    {"PUT", "", "PUT / HTTP/1.1\r\n", "Content-Length: 0\r\n\r\n"},
    {"DELETE", NULL, "DELETE / HTTP/1.1\r\n", "\r\n\r\n"},
    {"DELETE", "x", "DELETE / HTTP/1.1\r\n", "Content-Length: 1\r\n\r\nx"},
    {"GET", "y", "GET / HTTP/1.1\r\n", "Content-Length: 1\r\n\r\ny"},
    {"PATCH", "z", "PATCH / HTTP/1.1\r\n", "Content-Length: 1\r\n\r\nz"},
    {"OPTIONS", NULL, "OPTIONS / HTTP/1.1\r\n", "\r\n\r\n"},
};

static bool has(haft_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static void try_method(web_fixture *b, const struct method_row *row, unsigned number)
{
    haft__http_request request = web_get(web_url(b->web, "/"));
    request.method = haft__str(row->method);
    if (row->body != NULL) {
        request.body = haft__str(row->body);
    }
    web_record record;
    (void)web_fetch(b->loop, b->http, &request, &record);
    check_end(&record, HAFT__HTTP_OK, row->method);
    haft_str sent = web_request(b->web, number);
    CHECK(haft__str_starts_with(sent, haft__str(row->start)), "%.*s", HAFT__ARG(sent));
    CHECK(haft__str_ends_with(sent, haft__str(row->end)), "%.*s", HAFT__ARG(sent));
    CHECK_INT(has(sent, "Content-Length"), row->end[0] == 'C', "%.*s", HAFT__ARG(sent));
    CHECK(!has(sent, "Content-Type"), "%.*s", HAFT__ARG(sent));
}

/* All requests use one handle, each after each other one. No request affects the next. */
TEST(methods_and_bodies_do_not_mix)
{
    for (size_t first = 0; first < COUNT(methods); first++) {
        web_fixture b = web_set_up(&anywhere);
        web_route(b.web, "/", "HTTP/1.1 204 No\r\n\r\n");
        unsigned number = 0;
        for (size_t second = 0; second < COUNT(methods); second++) {
            try_method(&b, &methods[first], number++);
            try_method(&b, &methods[second], number++);
        }
        CHECK_INT(web_connections(b.web), 1, "connections");
        web_tear_down(&b);
    }
}

TEST(a_long_body_is_sent_without_waiting_for_100_continue)
{
    web_fixture b = web_set_up(&anywhere);
    size_t size = (size_t)3 << 20;
    char *body = test_alloc(size);
    memset(body, 'x', size);
    web_route(b.web, "/", WEB_OK(2) "ok");
    haft__http_request request = web_get(web_url(b.web, "/"));
    request.method = HAFT__LIT("POST");
    request.body = (haft_str){body, size};
    web_record record;
    (void)web_fetch(b.loop, b.http, &request, &record);
    check_end(&record, HAFT__HTTP_OK, "the response");
    haft_str sent = web_request(b.web, 0);
    CHECK(memmem(sent.ptr, sent.len, "\r\nExpect", 8) == NULL, "the request has an Expect header");
    web_tear_down(&b);
}

TEST(connections_are_reused)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(2) "ok");
    web_route(b.web, "/close", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbye" WEB_CLOSE);
    for (int i = 0; i < 50; i++) {
        web_record record = fetch(&b, "/");
        check_end(&record, HAFT__HTTP_OK, "the response");
    }
    CHECK_INT(web_connections(b.web), 1, "connections");
    web_record record = fetch(&b, "/close");
    check_end(&record, HAFT__HTTP_OK, "a response that closes the connection");
    CHECK_STR(haft__str(record.body), HAFT__LIT("bye"), "body");
    (void)fetch(&b, "/");
    CHECK_INT(web_connections(b.web), 2, "connections");
    web_tear_down(&b);
}

TEST(a_request_allocates_nothing_but_its_socket)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(2) "ok");
    haft__http_request request = web_get(web_url(b.web, "/"));
    web_record record;
    for (int i = 0; i < 3; i++) {
        (void)web_fetch(b.loop, b.http, &request, &record);
    }
    size_t before = test_allocation_count();
    for (int i = 0; i < 10; i++) {
        (void)web_fetch(b.loop, b.http, &request, &record);
    }
    size_t each = (test_allocation_count() - before) / 10;
    CHECK(each <= (HAFT__ASAN ? 20 : 3), "%zu allocations for each request", each);
    web_tear_down(&b);
}

/* ---- streaming ---- */

TEST(bytes_are_reported_as_they_arrive)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/",
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" WEB_WAIT
              "data: 1\n\n" WEB_WAIT "data: 2\n\n" WEB_WAIT "data: 3\n\n" WEB_CLOSE);
    haft__http_request request = web_get(web_url(b.web, "/"));
    web_record record;
    (void)start(&b, &request, &record);
    CHECK(web_step_until(b.loop, &record.heads, 1), "no head before the body");
    CHECK_STR(haft__str(record.type), HAFT__LIT("text/event-stream"), "type");
    static const char *const so_far[] = {"data: 1\n\n", "data: 1\n\ndata: 2\n\n",
                                         "data: 1\n\ndata: 2\n\ndata: 3\n\n"};
    for (unsigned i = 0; i < 3; i++) {
        CHECK_INT(record.bodies, i, "pieces");
        web_release(b.web, 1);
        CHECK(web_step_until(b.loop, &record.bodies, i + 1), "piece %u did not come", i);
        CHECK_STR(haft__str(record.body), haft__str(so_far[i]), "piece %u", i);
    }
    CHECK(web_step_until(b.loop, &record.dones, 1), "no end");
    check_end(&record, HAFT__HTTP_OK, "the response");
    web_tear_down(&b);
}

TEST(a_body_can_be_stopped)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(8) "abcd" WEB_WAIT "efgh");
    web_route(b.web, "/all", WEB_OK(4) "abcd");
    haft__http_request request = web_get(web_url(b.web, "/"));
    for (int i = 0; i < 2; i++) {
        web_record record;
        (void)start(&b, &request, &record);
        record.stop_at = 4;
        CHECK(web_step_until(b.loop, &record.dones, 1), "no end");
        check_end(&record, HAFT__HTTP_STOPPED, "the stopped response");
        CHECK(record.delivered && record.status == 200, "the response was not delivered");
        request =
            web_get(web_url(b.web, "/all")); /* here the end arrives together with the bytes */
    }
    web_tear_down(&b);
}

TEST(many_transfers_run_at_once)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(2) "o" WEB_WAIT "k");
    haft__http_request request = web_get(web_url(b.web, "/"));
    static web_record record[MANY];
    for (int i = 0; i < MANY; i++) {
        (void)start(&b, &request, &record[i]);
    }
    for (int i = 0; i < MANY; i++) {
        CHECK(web_step_until(b.loop, &record[i].bodies, 1), "%d did not begin", i);
    }
    CHECK_INT(web_connections(b.web), MANY, "connections");
    web_release(b.web, MANY);
    for (int i = 0; i < MANY; i++) {
        CHECK(web_step_until(b.loop, &record[i].dones, 1), "%d did not end", i);
        check_end(&record[i], HAFT__HTTP_OK, "one of many");
        CHECK_STR(haft__str(record[i].body), HAFT__LIT("ok"), "%d", i);
    }
    web_tear_down(&b);
}

/* Idle connections are kept up to the limit. With one more, the first request that ends closes the
 * surplus connection. */
TEST(idle_connections_are_bounded)
{
    for (unsigned count = HAFT__LIMIT_HTTP_IDLE; count <= HAFT__LIMIT_HTTP_IDLE + 1; count++) {
        web_fixture b = web_set_up(&anywhere);
        web_route(b.web, "/", WEB_OK(2) "o" WEB_WAIT "k");
        haft__http_request request = web_get(web_url(b.web, "/"));
        static web_record record[HAFT__LIMIT_HTTP_IDLE + 1];
        unsigned idle = web_count_fds();
        for (unsigned i = 0; i < count; i++) {
            (void)start(&b, &request, &record[i]);
        }
        for (unsigned i = 0; i < count; i++) {
            CHECK(web_step_until(b.loop, &record[i].bodies, 1), "%u did not begin", i);
        }
        web_release(b.web, count);
        for (unsigned i = 0; i < count; i++) {
            CHECK(web_step_until(b.loop, &record[i].dones, 1), "%u did not end", i);
        }
        web_release(b.web, 1);
        web_record one;
        CHECK(web_fetch(b.loop, b.http, &request, &one), "one more request");
        unsigned open = 0;
        for (int i = 0; i < 300000 && open != HAFT__LIMIT_HTTP_IDLE; i++) {
            open = web_open(b.web); /* the server notices a closed connection later */
            CHECK_INT(haft__loop_step(b.loop, 1, NULL), HAFT_OK, "the loop step failed");
        }
        CHECK_INT(open, HAFT__LIMIT_HTTP_IDLE, "kept connections of %u", count);
        CHECK_INT(web_count_fds(), idle + 2 * HAFT__LIMIT_HTTP_IDLE, "descriptors");
        haft__http_transfer *transfers[HAFT__LIMIT_HTTP_IDLE + 1];
        size_t before = test_allocation_count();
        for (unsigned i = 0; i < HAFT__LIMIT_HTTP_IDLE; i++) {
            transfers[i] = start(&b, &request, &record[i]);
        }
        size_t spare = test_allocation_count() - before;
        CHECK(HAFT__ASAN || spare <= 2, "%zu allocations for the kept connections", spare);
        before = test_allocation_count();
        transfers[HAFT__LIMIT_HTTP_IDLE] = start(&b, &request, &record[HAFT__LIMIT_HTTP_IDLE]);
        CHECK(test_allocation_count() > before, "more connections were kept");
        for (unsigned i = 0; i <= HAFT__LIMIT_HTTP_IDLE; i++) {
            haft__http_transfer_cancel(transfers[i]);
        }
        web_tear_down(&b);
    }
}

/* ---- cancelling ---- */

TEST(a_cancelled_transfer_makes_no_callback)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(4) "ab" WEB_WAIT "cd");
    haft__http_request request = web_get(web_url(b.web, "/"));
    web_record record, other;
    haft__http_transfer *at_once = start(&b, &request, &record);
    CHECK(!haft__http_transfer_is_sent(at_once), "the request was sent");
    haft__http_transfer_cancel(at_once);
    CHECK_INT(haft__loop_step(b.loop, 0, NULL), HAFT_OK, "the loop step failed");
    CHECK_INT(record.heads + record.bodies + record.dones, 0, "callbacks");
    haft__http_transfer *later = start(&b, &request, &record);
    CHECK(web_step_until(b.loop, &record.bodies, 1), "no body");
    CHECK(haft__http_transfer_is_sent(later), "the request was not sent");
    haft__http_transfer_cancel(later);
    web_release(b.web, 2);
    (void)start(&b, &request, &other);
    CHECK(web_step_until(b.loop, &other.dones, 1), "no end");
    check_end(&other, HAFT__HTTP_OK, "the next transfer");
    CHECK_INT(record.bodies + record.dones, 1, "callbacks of the cancelled transfer");
    web_tear_down(&b);
}

TEST(handlers_may_cancel_themselves_and_others)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(4) WEB_WAIT "abcd");
    haft__http_request request = web_get(web_url(b.web, "/"));
    web_record first, second, third;
    haft__http_transfer *transfers[] = {start(&b, &request, &first), start(&b, &request, &second),
                                        start(&b, &request, &third)};
    CHECK(web_step_until(b.loop, &third.heads, 1) && web_step_until(b.loop, &second.heads, 1)
              && web_step_until(b.loop, &first.heads, 1),
          "no heads");
    first.cancel_at = transfers[0];
    second.cancel_at = transfers[0];
    third.cancel_at = transfers[0];
    /* The first transfer to finish cancels the first one; it must not be cancelled twice. */
    for (int i = 0; i < 3000 && first.bodies + second.bodies + third.bodies == 0; i++) {
        web_release(b.web, i == 0 ? 1 : 0);
        CHECK_INT(haft__loop_step(b.loop, 100, NULL), HAFT_OK, "the loop step failed");
    }
    first.cancel_at = second.cancel_at = third.cancel_at = NULL;
    web_release(b.web, 2);
    CHECK(web_step_until(b.loop, &second.dones, 1) && web_step_until(b.loop, &third.dones, 1),
          "the other transfers did not end");
    CHECK_INT(first.dones, 0, "the end of the cancelled transfer was reported");
    web_tear_down(&b);
}

typedef struct again {
    web_fixture *b;
    web_record next;
    unsigned dones;
    bool cancel;
    haft__http_transfer *itself;
} again;

static void start_again(void *context, const haft__http_result *result)
{
    again *a = context;
    (void)result;
    a->dones++;
    if (a->cancel) {
        haft__http_transfer_cancel(a->itself);
    }
    haft__http_request request = web_get(web_url(a->b->web, "/"));
    (void)start(a->b, &request, &a->next);
}

TEST(the_end_of_a_transfer_may_start_the_next)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(2) "ok");
    for (int i = 0; i < 2; i++) {
        again a = {.b = &b, .cancel = i == 1};
        haft__http_handlers handlers = {.done = start_again};
        haft__http_request request = web_get(web_url(b.web, "/"));
        CHECK_INT(haft__http_transfer_start(b.http, &request, &handlers, &a, &a.itself, NULL),
                  HAFT_OK, "the transfer did not start");
        CHECK(web_step_until(b.loop, &a.next.dones, 1), "the next transfer did not end");
        check_end(&a.next, HAFT__HTTP_OK, "the next transfer");
        CHECK_INT(a.dones, 1, "reported ends");
    }
    web_tear_down(&b);
}

TEST(a_client_can_be_destroyed_during_transfers)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(4) "ab" WEB_WAIT "cd");
    haft__http_request request = web_get(web_url(b.web, "/"));
    web_record record[3];
    for (int i = 0; i < 3; i++) {
        (void)start(&b, &request, &record[i]);
    }
    CHECK(web_step_until(b.loop, &record[0].bodies, 1), "no body");
    web_tear_down(&b);
    CHECK_INT(record[0].dones + record[1].dones + record[2].dones, 0, "reported ends");
}

TEST(a_slow_name_lookup_does_not_block_other_transfers)
{
    web_fixture b = web_set_up(&anywhere);
    haft__http_request request = web_get("http://slow.test/");
    web_record record, other;
    haft__http_transfer *transfer = start(&b, &request, &record);
    web_route(b.web, "/", WEB_OK(2) "ok");
    request = web_get(web_url(b.web, "/"));
    (void)web_fetch(b.loop, b.http, &request, &other);
    check_end(&other, HAFT__HTTP_OK, "the other transfer");
    haft__http_transfer_cancel(transfer); /* would wait for web_finish_slow_lookup if it blocked */
    request = web_get("http://slow.test/");
    request.total_ms = 30;
    (void)web_fetch(b.loop, b.http, &request, &record);
    check_end(&record, HAFT__HTTP_TOTAL_TIMEOUT, "a lookup past the time limit");
    CHECK(!record.sent, "the request was sent");
    web_finish_slow_lookup();
    web_finish_slow_lookup();
    haft__http_client_destroy(b.http);
    haft__loop_destroy(b.loop);
    web_stop(b.web);
}

/* ---- outcomes ---- */

TEST(bad_requests_are_reported_as_outcomes)
{
    static const struct {
        const char *method, *url, *header;
        haft__http_outcome wanted;
    } rows[] = {
        {"GET", "", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "nothing", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "/path", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "http://", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "http:///x", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "http://a b/", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "http://a:99999/", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "http://a/\r\nX: y", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "file:///etc/passwd", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "ftp://127.0.0.1/", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "gopher://127.0.0.1/", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "dict://127.0.0.1/", NULL, HAFT__HTTP_BAD_URL},
        {"GET", "javascript:alert(1)", NULL, HAFT__HTTP_BAD_URL},
        {"", "http://gone.test/", NULL, HAFT__HTTP_BAD_HEADER},
        {"GET /x HTTP/1.1\r\nA: b\r\n\r\nGET", "http://gone.test/", NULL, HAFT__HTTP_BAD_HEADER},
        {"GET", "http://gone.test/", "X: a\r\nY: b", HAFT__HTTP_BAD_HEADER},
        {"GET", "http://gone.test/", NULL, HAFT__HTTP_RESOLVE},
    };
    web_fixture b = web_set_up(&anywhere);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__http_request request = web_get(rows[i].url);
        haft_str header = haft__str(rows[i].header != NULL ? rows[i].header : "");
        request.method = haft__str(rows[i].method);
        request.headers = &header;
        request.header_count = rows[i].header != NULL;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, rows[i].wanted, rows[i].url);
        CHECK(!record.sent && !record.delivered && record.status == 0, "%s: sent", rows[i].url);
        CHECK_INT(record.heads, 0, "%s: heads", rows[i].url);
    }
    web_tear_down(&b);
}

TEST(a_url_with_a_nul_is_rejected)
{
    web_fixture b = web_set_up(&anywhere);
    haft__http_request request = web_get("http://gone.test/");
    request.url = (haft_str){"http://gone.test/\0x", 19};
    web_record record;
    (void)web_fetch(b.loop, b.http, &request, &record);
    check_end(&record, HAFT__HTTP_BAD_URL, "a URL with a NUL");
    web_tear_down(&b);
}

static const struct {
    const char *script;
    haft__http_outcome wanted;
    const char *body;
} broken[] = {
    {WEB_CLOSE, HAFT__HTTP_CUT, ""},
    {WEB_RESET, HAFT__HTTP_CUT, ""},
    {"HTTP/1.1 200 OK\r\nContent-Len" WEB_CLOSE, HAFT__HTTP_CUT, ""},
    {WEB_OK(10) "short" WEB_CLOSE, HAFT__HTTP_CUT, "short"},
    {WEB_OK(10) WEB_CLOSE, HAFT__HTTP_CUT, ""},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab" WEB_CLOSE, HAFT__HTTP_CUT,
     "ab"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab" WEB_CLOSE, HAFT__HTTP_CUT, ""},
    {"<html>no HTTP at all</html>" WEB_CLOSE, HAFT__HTTP_BAD_ANSWER, ""},
    {"220 mail.example ESMTP\r\n" WEB_CLOSE, HAFT__HTTP_BAD_ANSWER, ""},
    {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" WEB_CLOSE, HAFT__HTTP_BAD_ANSWER, ""},
    {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain",
     HAFT__HTTP_BAD_ANSWER, ""},
};

TEST(malformed_responses_are_reported)
{
    web_fixture b = web_set_up(&anywhere);
    for (size_t i = 0; i < COUNT(broken); i++) {
        web_route(b.web, "/", broken[i].script);
        web_record record = fetch(&b, "/");
        check_end(&record, broken[i].wanted, broken[i].script);
        CHECK_STR(haft__str(record.body), haft__str(broken[i].body), "row %zu", i);
        CHECK_INT(record.delivered, broken[i].body[0] != '\0', "row %zu: delivered", i);
        CHECK(record.sent, "row %zu: not sent", i);
    }
    web_tear_down(&b);
}

TEST(an_unreachable_server_is_a_failed_connection)
{
    web_fixture b = web_set_up(&anywhere);
    char url[64], wanted[128];
    uint16_t port = web_dead_port();
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u/secret?key=secret", port);
    (void)snprintf(wanted, sizeof(wanted),
                   "http://127.0.0.1:%u: cannot connect: connection refused", port);
    haft__http_request request = web_get(url);
    web_record record;
    (void)web_fetch(b.loop, b.http, &request, &record);
    check_end(&record, HAFT__HTTP_CONNECT, "an unreachable server");
    CHECK_STR(haft__str(record.message), haft__str(wanted), "message");
    CHECK(!record.sent, "the request was sent");
    web_tear_down(&b);
}

TEST(each_time_limit_has_its_outcome)
{
    web_fixture b = web_set_up(&anywhere);
    char secure[64];
    (void)snprintf(secure, sizeof(secure), "https://127.0.0.1:%u/", web_port(b.web));
    web_route(b.web, "/hang", WEB_HANG);
    web_route(b.web, "/head", WEB_OK(4) WEB_HANG);
    web_route(b.web, "/part", WEB_OK(4) "ab" WEB_HANG);
    const struct {
        const char *url;
        uint64_t connect, first, idle, total;
        haft__http_outcome wanted;
    } rows[] = {
        /* The server waits for a plain request, so TLS never begins. */
        {secure, 30, 0, 0, 0, HAFT__HTTP_CONNECT_TIMEOUT},
        {secure, 0, 1, 1, 30, HAFT__HTTP_TOTAL_TIMEOUT},
        {web_url(b.web, "/hang"), 0, 30, 0, 0, HAFT__HTTP_FIRST_BYTE_TIMEOUT},
        {web_url(b.web, "/hang"), 0, 0, 1, 30, HAFT__HTTP_TOTAL_TIMEOUT},
        {web_url(b.web, "/head"), 0, 0, 30, 0, HAFT__HTTP_IDLE_TIMEOUT},
        {web_url(b.web, "/part"), 0, 0, 30, 0, HAFT__HTTP_IDLE_TIMEOUT},
        {web_url(b.web, "/part"), 0, 0, 0, 30, HAFT__HTTP_TOTAL_TIMEOUT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__http_request request = web_get(rows[i].url);
        request.connect_ms = rows[i].connect;
        request.first_byte_ms = rows[i].first;
        request.idle_ms = rows[i].idle;
        request.total_ms = rows[i].total;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, rows[i].wanted, rows[i].url);
        bool late = rows[i].total > 0;
        CHECK(late || record.sent == (rows[i].connect == 0), "row %zu: sent", i);
    }
    web_tear_down(&b);
}

/* Three pauses that together are longer than the limit, each shorter. False if one of them was
 * longer because the machine was busy. */
static bool try_pauses(web_fixture *b)
{
    haft__http_request request = web_get(web_url(b->web, "/"));
    request.idle_ms = 400;
    web_record record;
    (void)start(b, &request, &record);
    uint64_t longest = 0, last = haft__loop_now(b->loop);
    for (unsigned i = 1; i <= 4 && record.dones == 0; i++) {
        while (record.dones == 0
               && (record.bodies < i || (i < 4 && haft__loop_now(b->loop) - last < 150))) {
            CHECK_INT(haft__loop_step(b->loop, 10, NULL), HAFT_OK, "the loop step failed");
        }
        web_release(b->web, i < 4 ? 1 : 0);
        uint64_t now = haft__loop_now(b->loop);
        longest = now - last > longest ? now - last : longest;
        last = now;
    }
    CHECK(web_step_until(b->loop, &record.dones, 1), "no end");
    CHECK(record.end == HAFT__HTTP_OK || longest > 300, "%s", record.message);
    return record.end == HAFT__HTTP_OK;
}

TEST(arriving_bytes_extend_the_idle_limit)
{
    bool shown = false;
    for (int i = 0; i < 10 && !shown; i++) {
        web_fixture b = web_set_up(&anywhere);
        web_route(b.web, "/", WEB_OK(4) "a" WEB_WAIT "b" WEB_WAIT "c" WEB_WAIT "d");
        shown = try_pauses(&b);
        web_tear_down(&b);
    }
    if (!shown) {
        test_skip("the machine is too busy to tell pauses apart");
    }
}

TEST(the_bytes_of_a_response_body_are_bounded)
{
    web_fixture b = web_set_up(&anywhere);
    web_route(b.web, "/", WEB_OK(10) "0123456789");
    for (size_t max = 9; max <= 11; max++) {
        haft__http_request request = web_get(web_url(b.web, "/"));
        request.max_bytes = max;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, max < 10 ? HAFT__HTTP_TOO_BIG : HAFT__HTTP_OK, "a body of 10 bytes");
        CHECK_INT(record.body_bytes, max < 10 ? 0 : 10, "bytes");
    }
    web_tear_down(&b);
}

TEST(compressed_bodies_count_with_their_decompressed_size)
{
    web_fixture b = web_set_up(&anywhere);
    size_t size = (size_t)8 << 20;
    const char *head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";
    haft_str bomb = web_gzip_zeros(size);
    CHECK(bomb.len < size / 100, "%zu compressed bytes are too many for this test", bomb.len);
    web_route_bytes(b.web, "/", head, bomb);
    for (size_t max = size - 1; max <= size; max++) {
        haft__http_request request = web_get(web_url(b.web, "/"));
        request.max_bytes = max;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, max < size ? HAFT__HTTP_TOO_BIG : HAFT__HTTP_OK, "the compressed body");
        CHECK(record.body_bytes <= max, "%zu bytes", record.body_bytes);
        CHECK(max < size || record.body_bytes == size, "%zu bytes", record.body_bytes);
    }
    web_tear_down(&b);
}

/* A response head of `size` bytes. */
static const char *long_head(size_t size)
{
    static const char start[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", end[] = "\r\n\r\n";
    char *text = test_alloc(size + 1);
    (void)snprintf(text, size + 1, "%s", start);
    size_t at = strlen(start);
    while (at < size - 2) { /* lines of at most 1000 bytes */
        size_t line = size - 2 - at < 1000 ? size - 2 - at : 900;
        (void)snprintf(text + at, size + 1 - at, "X: ");
        memset(text + at + 3, 'x', line - 5);
        memcpy(text + at + line - 2, end, 2);
        at += line;
    }
    memcpy(text + at, end, 2);
    text[size] = '\0';
    return text;
}

TEST(the_bytes_of_response_headers_are_bounded)
{
    web_fixture b = web_set_up(&anywhere);
    for (size_t size = HAFT__LIMIT_HTTP_HEADER_BYTES; size <= HAFT__LIMIT_HTTP_HEADER_BYTES + 1;
         size++) {
        web_route(b.web, "/", long_head(size));
        web_record record = fetch(&b, "/");
        bool fits = size == HAFT__LIMIT_HTTP_HEADER_BYTES;
        check_end(&record, fits ? HAFT__HTTP_OK : HAFT__HTTP_TOO_BIG, "a long head");
    }
    web_tear_down(&b);
}

/* The server reads the request and closes the connection, which was used before. */
TEST(a_request_is_sent_once_if_requested)
{
    for (int once = 0; once < 2; once++) {
        web_fixture b = web_set_up(&anywhere);
        web_route(b.web, "/", WEB_OK(2) "ok");
        web_route(b.web, "/broken", WEB_CLOSE);
        (void)fetch(&b, "/");
        haft__http_request request = web_get(web_url(b.web, "/broken"));
        request.method = HAFT__LIT("POST");
        request.body = HAFT__LIT("x");
        request.send_once = once == 1;
        web_record record;
        (void)web_fetch(b.loop, b.http, &request, &record);
        check_end(&record, HAFT__HTTP_CUT, "the request");
        CHECK(record.sent, "the request was not sent");
        CHECK_INT(web_requests(b.web), once == 1 ? 2 : 3, "requests");
        web_tear_down(&b);
    }
}

/* ---- memory ---- */

TEST(transfers_survive_every_failed_allocation)
{
    web *w = web_start();
    web_route(w, "/", WEB_OK(2) "ok");
    web_route_redirect(w, "/moved", "302 Found", "/");
    haft_str header = HAFT__LIT("X-Empty:");
    haft__http_request request = web_get(web_url(w, "/moved"));
    request.headers = &header;
    request.header_count = 1;
    request.max_redirects = 1;
    bool ended = false;
    for (unsigned n = 0; !ended && n < 200; n++) {
        haft__loop *loop = NULL;
        haft__http_client *http = NULL;
        haft__http_transfer *transfer = NULL;
        web_record record = {0};
        test_fail_allocation(n);
        haft_status status = haft__loop_create(&loop, NULL);
        if (status == HAFT_OK) {
            status = haft__http_client_create(loop, &(haft__http_client_options){.ca_file = "none"},
                                              &http, NULL);
        }
        if (status == HAFT_OK) {
            status =
                haft__http_transfer_start(http, &request, &web_handlers, &record, &transfer, NULL);
        }
        if (status == HAFT_OK) {
            CHECK(web_step_until(loop, &record.dones, 1), "no end, allocation %u", n);
        }
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u", n);
        if (status == HAFT_OK) {
            check_end(&record, failed ? HAFT__HTTP_OTHER : HAFT__HTTP_OK,
                      "the transfer with a failed allocation");
        }
        haft__http_client_destroy(http);
        haft__loop_destroy(loop);
        ended = !failed;
    }
    CHECK(ended, "the transfer still fails after many allocations");
    web_stop(w);
}
