/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/http/http.c and result.c: calls of HTTP tools from start to end. */
#include "base/limits.h"
#include "exec/web_help.h"
#include "io/http_help.h"
#include "test.h"

typedef struct outcome {
    unsigned times;
    bool ok, started, transient, timed_out;
    char *text; /* valid until the test ends */
    size_t length;
    char where[128], hint[128];
    char type[64]; /* of the binary result; "" without one */
    size_t blob_bytes;
} outcome;

static void keep_outcome(void *context, const haft__exec_result *result)
{
    outcome *t = context;
    t->times++;
    t->ok = result->ok;
    t->started = result->started;
    t->transient = result->transient;
    t->timed_out = result->timed_out;
    t->length = result->text.len;
    t->text = test_alloc(result->text.len + 1);
    memcpy(t->text, result->text.len > 0 ? result->text.ptr : "", result->text.len);
    t->text[result->text.len] = '\0';
    (void)snprintf(t->where, sizeof(t->where), "%.*s", HAFT__ARG(result->where));
    (void)snprintf(t->hint, sizeof(t->hint), "%.*s", HAFT__ARG(result->hint));
    if (result->blob_count > 0) {
        (void)snprintf(t->type, sizeof(t->type), "%.*s", HAFT__ARG(result->blobs[0].media_type));
        t->blob_bytes = result->blobs[0].bytes.len;
    }
}

typedef struct setup {
    haft__loop *loop;
    haft__exec *exec;
    web *web;
    web_job job; /* its tool and arguments */
    unsigned fds;
} setup;

static void set_up(setup *b)
{
    memset(b, 0, sizeof(*b));
    CHECK_INT(haft__loop_create(&b->loop, NULL), HAFT_OK, "no loop");
    haft__loop_destroy(b->loop); /* the first one initializes shared state */
    b->fds = web_count_fds();
    b->web = web_start();
    CHECK_INT(haft__loop_create(&b->loop, NULL), HAFT_OK, "no loop");
    haft__exec_options options = {.loop = b->loop, .env = web_env};
    CHECK_INT(haft__exec_create(&options, &b->exec, NULL), HAFT_OK, "no exec");
}

static void tear_down(setup *b)
{
    haft__exec_destroy(b->exec);
    haft__loop_destroy(b->loop);
    web_stop(b->web);
    CHECK_INT(web_count_fds(), b->fds, "descriptors");
}

static haft__exec_job *start(setup *b, const char *http, const char *arguments, uint64_t ms,
                             outcome *ret_outcome)
{
    haft__exec_job *job = NULL;
    memset(ret_outcome, 0, sizeof(*ret_outcome));
    web_job_init(&b->job, http, arguments, "a");
    haft__exec_call call = b->job.job.call;
    call.timeout_ms = ms;
    CHECK_INT(haft__exec_start(b->exec, &call, keep_outcome, ret_outcome, &job, NULL), HAFT_OK,
              "the call did not start");
    CHECK_INT(ret_outcome->times, 0, "a result was reported before haft__exec_start returned");
    return job;
}

/* A call of a tool for that path, private addresses allowed. */
static outcome call(setup *b, const char *path, const char *more, const char *arguments)
{
    char http[512];
    outcome t;
    (void)snprintf(http, sizeof(http), "{\"url\":\"%s\",\"allow_private\":true%s}",
                   web_url(b->web, path), more);
    (void)start(b, http, arguments, 60000, &t);
    CHECK(web_step_until(b->loop, &t.times, 1), "%s: no result", path);
    web_job_finish(&b->job);
    return t;
}

TEST(the_body_is_the_result)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_OK(5) "sunny");
    outcome t = call(&b, "/w?city={a}", "", "{\"a\":\"New York\"}");
    CHECK(t.ok && t.started && !t.transient && !t.timed_out, "%s", t.text);
    CHECK_STR(haft__str(t.text), HAFT__LIT("sunny"), "text");
    haft_str request = web_request(b.web, 0);
    CHECK(haft__str_starts_with(request, HAFT__LIT("GET /w?city=New%20York HTTP/1.1\r\n")), "%.*s",
          HAFT__ARG(request));
    tear_down(&b);
}

TEST(arguments_are_sent_as_json)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_OK(2) "ok");
    outcome t = call(&b, "/w", ",\"method\":\"POST\",\"headers\":{\"Authorization\":\"${TOKEN}\"}",
                     "{\"a\":[1]}");
    CHECK(t.ok, "%s", t.text);
    haft_str request = web_request(b.web, 0);
    CHECK(haft__str_ends_with(request, HAFT__LIT("\r\n\r\n{\"a\":[1]}")), "%.*s",
          HAFT__ARG(request));
    static const char *const headers[] = {"\r\nAuthorization: s3cret\r\n",
                                          "\r\nContent-Type: application/json\r\n",
                                          "\r\nIdempotency-Key: run.c1.1\r\n"};
    for (size_t i = 0; i < COUNT(headers); i++) {
        CHECK(memmem(request.ptr, request.len, headers[i], strlen(headers[i])) != NULL, "%.*s",
              HAFT__ARG(request));
    }
    tear_down(&b);
}

#define TYPE(type, length)                                                                         \
    "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nContent-Length: " length "\r\n\r\n"

TEST(results_are_text_or_binary)
{
    static const struct {
        const char *answer, *wanted, *type;
    } rows[] = {
        {"HTTP/1.1 204 No Content\r\n\r\n", "", ""},
        {TYPE("application/json", "7") "{\"a\":1}", "{\"a\":1}", ""},
        {TYPE("Text/Html; charset=iso-8859-1", "5") "caf\xe9!", "caf?!", ""},
        {TYPE("application/problem+json", "2") "\xff{", "?{", ""},
        {TYPE("image/svg+xml", "6") "<svg/>", "<svg/>", ""},
        {TYPE("application/octet-stream", "5") "plain", "plain", ""},
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xc3\xa4!", "\xc3\xa4!", ""},
        {TYPE("image/png", "5") "\x89PNG\r", "", "image/png"},
        {TYPE("Audio/X-Y; q=1", "2") "\xff\xfe", "", "Audio/X-Y"},
        {TYPE("image/png", "6") "GIF89a\xff", "GIF89a", ""},
        {TYPE("image/png", "7") "GIF89a\xff", "", "image/gif"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe", "", "application/octet-stream"},
        {"HTTP/1.1 302 Found\r\nContent-Length: 3\r\n\r\nfar", "far", ""},
    };
    setup b;
    set_up(&b);
    for (size_t i = 0; i < COUNT(rows); i++) {
        web_route(b.web, "/w", rows[i].answer);
        outcome t = call(&b, "/w", "", "{}");
        CHECK(t.ok, "row %zu: %s", i, t.text);
        CHECK(t.started && !t.transient, "row %zu", i);
        CHECK_STR(haft__str(t.text), haft__str(rows[i].wanted), "row %zu", i);
        CHECK_STR(haft__str(t.type), haft__str(rows[i].type), "row %zu", i);
    }
    static const char zeros[] = {'a', 0, 'b'};
    web_route_bytes(b.web, "/w", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n",
                    (haft_str){zeros, sizeof(zeros)});
    outcome t = call(&b, "/w", "", "{}");
    CHECK(t.ok && t.text[0] == '\0', "%s", t.text);
    CHECK_STR(haft__str(t.type), HAFT__LIT("application/octet-stream"),
              "the type of bytes that are not text");
    CHECK_INT(t.blob_bytes, sizeof(zeros), "bytes of the result");
    tear_down(&b);
}

TEST(the_result_of_head_is_the_headers)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w",
              "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 9\r\n"
              "Set-Cookie: s3cret\r\nETag: \"1\"\r\n\r\n");
    outcome t = call(&b, "/w", ",\"method\":\"HEAD\"", "{}");
    CHECK(t.ok, "%s", t.text);
    CHECK_STR(haft__str(t.text),
              HAFT__LIT("HTTP 200\ncontent-type: text/x\ncontent-length: 9\netag: \"1\""), "text");
    tear_down(&b);
}

TEST(a_status_of_400_and_more_is_an_error)
{
    static const struct {
        const char *answer, *wanted;
        bool transient;
        const char *hint;
    } rows[] = {
        {"400 Bad\r\nContent-Length: 5\r\n\r\n no \n", "HTTP 400 from %s: no", false, ""},
        {"404 Not Found\r\nContent-Length: 0\r\n\r\n", "HTTP 404 from %s", false, ""},
        {"408 Slow\r\nContent-Length: 0\r\n\r\n", "HTTP 408 from %s", true, ""},
        {"425 Early\r\nContent-Length: 0\r\n\r\n", "HTTP 425 from %s", true, ""},
        {"429 Many\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", "HTTP 429 from %s", true,
         "the server asks to wait 7 seconds"},
        {"429 Many\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
         "HTTP 429 from %s", true, ""},
        {"500 Oops\r\nContent-Length: 0\r\n\r\n", "HTTP 500 from %s", true, ""},
        {"503 Busy\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>busy\n",
         "HTTP 503 from %s: <p>busy", true, ""},
        {"418 Pot\r\nContent-Type: image/x\r\nContent-Length: 2\r\n\r\n\xff\xfe",
         "HTTP 418 from %s: 2 bytes of image/x, which is not text", false, ""},
    };
    setup b;
    set_up(&b);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char answer[256], wanted[256] = "";
        (void)snprintf(answer, sizeof(answer), "HTTP/1.1 %s", rows[i].answer);
        web_route(b.web, "/w", answer);
        outcome t = call(&b, "/w?key=s3cret", "", "{}");
        const char *at = strstr(rows[i].wanted, "%s");
        (void)snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(at - rows[i].wanted),
                       rows[i].wanted, web_url(b.web, ""), at + 2);
        CHECK_STR(haft__str(t.text), haft__str(wanted), "row %zu", i);
        CHECK(!t.ok && t.started, "row %zu", i);
        CHECK_INT(t.transient, rows[i].transient, "row %zu: transient", i);
        CHECK_STR(haft__str(t.hint), haft__str(rows[i].hint), "row %zu", i);
        web_route(b.web, "/w", WEB_CLOSE); /* `answer` goes out of scope */
    }
    tear_down(&b);
}

TEST(errors_show_the_start_of_a_body)
{
    setup b;
    set_up(&b);
    for (size_t size = HAFT__LIMIT_HTTP_ERROR_BYTES; size <= HAFT__LIMIT_HTTP_ERROR_BYTES + 1;
         size++) {
        char *body = test_alloc(size);
        memset(body, 'x', size);
        memcpy(body + size - 2, "\xc3\xa4", 2); /* the limit cuts this character in two */
        web_route_bytes(b.web, "/w", "HTTP/1.1 400 Bad\r\n", (haft_str){body, size});
        outcome t = call(&b, "/w", "", "{}");
        const char *shown = strstr(t.text, ": x");
        bool fits = size == HAFT__LIMIT_HTTP_ERROR_BYTES;
        CHECK(shown != NULL && strlen(shown) == 2 + (fits ? size : size - 2), "%s", t.text);
    }
    tear_down(&b);
}

TEST(the_bytes_of_an_http_result_are_bounded)
{
    setup b;
    set_up(&b);
    size_t max = HAFT__LIMIT_TOOL_RESULT_BYTES;
    char *body = test_alloc(max + 1);
    memset(body, 'x', max + 1);
    for (size_t size = max; size <= max + 1; size++) {
        web_route_bytes(b.web, "/w", "HTTP/1.1 200 OK\r\n", (haft_str){body, size});
        outcome t = call(&b, "/w", "", "{}");
        CHECK_INT(t.ok, size == max, "%zu bytes: %.100s", size, t.text);
        CHECK(size > max || t.length == size, "%zu bytes", t.length);
        CHECK(size == max || strstr(t.text, "the response is too long (more than 16777216 bytes)"),
              "%.100s", t.text);
    }
    tear_down(&b);
}

TEST(redirects_are_followed_up_to_the_limit)
{
    setup b;
    set_up(&b);
    static char paths[HAFT__LIMIT_HTTP_REDIRECTS + 2][8];
    for (int i = 0; i <= HAFT__LIMIT_HTTP_REDIRECTS; i++) {
        (void)snprintf(paths[i], sizeof(paths[i]), "/%d", i);
    }
    (void)snprintf(paths[HAFT__LIMIT_HTTP_REDIRECTS + 1], sizeof(paths[0]), "/end");
    for (int i = 0; i <= HAFT__LIMIT_HTTP_REDIRECTS; i++) {
        web_route_redirect(b.web, paths[i], "302 Found", paths[i + 1]);
    }
    web_route(b.web, "/end", WEB_OK(3) "end");
    outcome t = call(&b, "/1", "", "{}");
    CHECK(t.ok, "%d redirects: %s", HAFT__LIMIT_HTTP_REDIRECTS, t.text);
    t = call(&b, "/0", "", "{}");
    CHECK(!t.ok && strstr(t.text, "too many redirects") != NULL, "one more: %s", t.text);
    tear_down(&b);
}

TEST(private_addresses_need_to_be_allowed)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_OK(2) "ok");
    for (int allowed = 0; allowed < 2; allowed++) {
        char http[256];
        outcome t;
        (void)snprintf(http, sizeof(http), "{\"url\":\"%s\",\"allow_private\":%s}",
                       web_url(b.web, "/w"), allowed ? "true" : "false");
        (void)start(&b, http, "{}", 60000, &t);
        CHECK(web_step_until(b.loop, &t.times, 1), "no result");
        web_job_finish(&b.job);
        CHECK_INT(t.ok, allowed, "%s", t.text);
        CHECK_INT(t.started, allowed, "started");
        CHECK_INT(strstr(t.hint, "allow_private") != NULL, !allowed, "%s", t.hint);
    }
    CHECK_INT(web_connections(b.web), 1, "connections: one, of the allowed call");
    tear_down(&b);
}

TEST(a_redirect_to_a_private_address_is_rejected)
{
    setup b;
    set_up(&b);
    web *inside = web_start();
    char allow[64], http[128];
    outcome t;
    (void)snprintf(allow, sizeof(allow), "127.0.0.1:%u", web_port(b.web));
    haft__http_client_options options = {.public_only = true, .test_allow = allow};
    CHECK_INT(haft__http_client_create(b.loop, &options, &b.exec->public_http, NULL), HAFT_OK,
              "no client");
    web_route_redirect(b.web, "/w", "302 Found", web_url(inside, "/"));
    (void)snprintf(http, sizeof(http), "{\"url\":\"%s\"}", web_url(b.web, "/w"));
    (void)start(&b, http, "{}", 60000, &t);
    CHECK(web_step_until(b.loop, &t.times, 1), "no result");
    CHECK(!t.ok && t.started && !t.transient, "%s", t.text);
    CHECK(strstr(t.text, "not allowed") != NULL, "%s", t.text);
    CHECK_INT(web_connections(inside), 0, "connections");
    web_job_finish(&b.job);
    web_stop(inside);
    tear_down(&b);
}

TEST(a_request_that_was_never_sent_was_not_started)
{
    setup b;
    set_up(&b);
    char http[5][160];
    (void)snprintf(http[0], sizeof(http[0]),
                   "{\"url\":\"http://127.0.0.1:%u/?s3cret\",\"allow_private\":true}",
                   web_dead_port());
    (void)snprintf(http[1], sizeof(http[1]), "{\"url\":\"http://gone.test/?s3cret\"}");
    (void)snprintf(http[2], sizeof(http[2]), "{\"url\":\"http://s3cret@/\"}");
    (void)snprintf(http[3], sizeof(http[3]),
                   "{\"url\":\"http://h/\",\"headers\":{\"X\":\"${BAD}\"}}");
    (void)snprintf(http[4], sizeof(http[4]), "{\"url\":\"http://h/{a}?s3cret\"}");
    static const bool transient[] = {true, true, false, false, false};
    for (size_t i = 0; i < COUNT(http); i++) {
        outcome t;
        (void)start(&b, http[i], "{}", 60000, &t);
        CHECK(web_step_until(b.loop, &t.times, 1), "no result");
        web_job_finish(&b.job);
        CHECK(!t.ok && !t.started && !t.timed_out, "%s: %s", http[i], t.text);
        CHECK_INT(t.transient, transient[i], "%s: %s", http[i], t.text);
        CHECK(strstr(t.text, "s3cret") == NULL, "%s", t.text);
        CHECK(t.text[0] != '\0', "%s: no text", http[i]);
    }
    tear_down(&b);
}

TEST(a_lost_connection_may_have_had_its_effect)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_CLOSE);
    outcome t = call(&b, "/w", ",\"method\":\"POST\"", "{}");
    CHECK(!t.ok && t.started && t.transient && !t.timed_out, "%s", t.text);
    CHECK_INT(web_requests(b.web), 1, "requests");
    tear_down(&b);
}

/* After the deadline, the result reports whether the request was sent. */
TEST(a_deadline_reports_whether_a_request_was_sent)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_HANG);
    char http[2][160];
    (void)snprintf(http[0], sizeof(http[0]), "{\"url\":\"%s\",\"allow_private\":true}",
                   web_url(b.web, "/w"));
    /* The server waits for a request, and so never begins with TLS. */
    (void)snprintf(http[1], sizeof(http[1]),
                   "{\"url\":\"https://127.0.0.1:%u/\",\"allow_private\":true}", web_port(b.web));
    for (int i = 0; i < 2; i++) {
        outcome t;
        (void)start(&b, http[i], "{}", 300, &t);
        CHECK(web_step_until(b.loop, &t.times, 1), "no result");
        web_job_finish(&b.job);
        CHECK(!t.ok && t.timed_out && t.transient, "%s", t.text);
        CHECK(t.started == (i == 0) || (i == 0 && web_waiting(b.web) == 0),
              "row %d: whether the request was sent", i);
    }
    tear_down(&b);
}

TEST(a_cancelled_call_aborts_its_request)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_OK(4) "ab" WEB_WAIT "cd");
    char http[160];
    outcome t;
    (void)snprintf(http, sizeof(http), "{\"url\":\"%s\",\"allow_private\":true}",
                   web_url(b.web, "/w"));
    haft__exec_job *job = start(&b, http, "{}", 60000, &t);
    while (web_waiting(b.web) == 0) {
        CHECK_INT(haft__loop_step(b.loop, 10, NULL), HAFT_OK, "no step");
    }
    haft__exec_cancel(job);
    for (int i = 0; i < 6000 && web_open(b.web) > 0; i++) {
        CHECK_INT(haft__loop_step(b.loop, 10, NULL), HAFT_OK, "no step");
    }
    CHECK_INT(web_open(b.web), 0, "open connections");
    CHECK_INT(t.times, 0, "reports");
    web_job_finish(&b.job);
    tear_down(&b);
}

TEST(many_calls_share_one_connection)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_OK(2) "ok");
    for (int i = 0; i < 20; i++) {
        outcome t = call(&b, "/w", "", "{}");
        CHECK(t.ok, "%s", t.text);
    }
    CHECK_INT(web_connections(b.web), 1, "connections");
    tear_down(&b);
}

TEST(http_calls_report_a_failed_allocation)
{
    setup b;
    set_up(&b);
    web_route(b.web, "/w", WEB_OK(2) "ok");
    web_route(b.web, "/e", "HTTP/1.1 400 Bad\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
    web_route(b.web, "/b", TYPE("image/png", "1") "\xff");
    static const char *const paths[] = {"/w", "/e", "/b"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        bool failed = true;
        for (unsigned n = 0; failed && n < 200; n++) {
            char http[160];
            outcome t = {.times = 0};
            haft__exec_job *job = NULL;
            (void)snprintf(http, sizeof(http), "{\"url\":\"%s\",\"allow_private\":true}",
                           web_url(b.web, paths[i]));
            web_job_init(&b.job, http, "{}", "");
            haft__exec_call one = b.job.job.call;
            one.timeout_ms = 60000;
            test_fail_allocation(n);
            haft_status status = haft__exec_start(b.exec, &one, keep_outcome, &t, &job, NULL);
            bool ended = status != HAFT_OK || web_step_until(b.loop, &t.times, 1);
            failed = test_allow_allocations();
            CHECK(ended, "allocation %u: no result", n);
            CHECK(status == HAFT_OK || failed, "allocation %u", n);
            CHECK(status != HAFT_OK || t.ok || t.text[0] != '\0', "allocation %u: no text", n);
            CHECK(failed || t.ok == (i != 1), "%s", t.text);
            CHECK(!t.ok || (t.blob_bytes == 1) == (i == 2), "allocation %u: no result", n);
            web_job_finish(&b.job);
        }
        CHECK(!failed, "the call still fails after many allocations");
    }
    tear_down(&b);
}
