/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/redirect.c. */
#include "io/http_help.h"
#include "test.h"

typedef struct pair {
    haft__loop *loop;
    haft__http_client *http;
    web *near, *far; /* two origins */
} pair;

static pair set_up(bool public_only)
{
    pair p = {.near = web_start(), .far = web_start()};
    char allow[64];
    (void)snprintf(allow, sizeof(allow), "127.0.0.1:%u", web_port(p.near));
    haft__http_client_options options = {.public_only = public_only, .test_allow = allow};
    CHECK_INT(haft__loop_create(&p.loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__http_client_create(p.loop, &options, &p.http, NULL), HAFT_OK, "no client");
    web_route(p.near, "/end", WEB_OK(4) "near");
    web_route(p.far, "/end", WEB_OK(3) "far");
    return p;
}

static void tear_down(pair *p)
{
    haft__http_client_destroy(p->http);
    haft__loop_destroy(p->loop);
    web_stop(p->near);
    web_stop(p->far);
}

static web_record fetch_with(pair *p, const char *method, const char *url, uint32_t max)
{
    static const haft_str headers[] = {
        HAFT__LIT("Authorization: Bearer s3cret"), HAFT__LIT("Cookie: s3cret"),
        HAFT__LIT("Content-Type: application/json"), HAFT__LIT("X-Api-Key: s3cret")};
    haft__http_request request = {.method = haft__str(method),
                                  .url = haft__str(url),
                                  .headers = headers,
                                  .header_count = COUNT(headers),
                                  .max_bytes = 1000,
                                  .max_redirects = max};
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        request.body = HAFT__LIT("{}");
    }
    web_record record;
    (void)web_fetch(p->loop, p->http, &request, &record);
    return record;
}

static web_record fetch(pair *p, const char *url)
{
    return fetch_with(p, "GET", url, 5);
}

static bool has(haft_str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

TEST(a_redirect_is_followed_without_a_report)
{
    pair p = set_up(false);
    static const char *const places[] = {"/end", "end", "./end?a=b#c", "  /end  "};
    for (size_t i = 0; i < COUNT(places); i++) {
        web_route_redirect(p.near, "/go", "302 Found", places[i]);
        web_record record = fetch(&p, web_url(p.near, "/go"));
        CHECK_INT(record.end, HAFT__HTTP_OK, "%s: %s", places[i], record.message);
        CHECK_INT(record.heads, 1, "%s: heads", places[i]);
        CHECK_STR(haft__str(record.body), HAFT__LIT("near"), "%s", places[i]);
        CHECK(haft__str_starts_with(haft__str(record.url), haft__str(web_url(p.near, "/end"))),
              "%s", record.url);
    }
    CHECK_INT(web_connections(p.near), 1, "connections");
    tear_down(&p);
}

TEST(a_target_with_spaces_and_umlauts_is_encoded)
{
    pair p = set_up(false);
    web_route_redirect(p.near, "/go", "302 Found", "/a b\xc3\xa4");
    (void)fetch(&p, web_url(p.near, "/go"));
    haft_str second = web_request(p.near, 1);
    CHECK(haft__str_starts_with(second, HAFT__LIT("GET /a%20b%c3%a4 HTTP/1.1\r\n")), "%.*s",
          HAFT__ARG(second));
    tear_down(&p);
}

TEST(redirects_are_counted)
{
    pair p = set_up(false);
    web_route_redirect(p.near, "/1", "301 Moved", "/2");
    web_route_redirect(p.near, "/2", "302 Found", "/3");
    web_route_redirect(p.near, "/3", "307 Temporary", "/end");
    web_route_redirect(p.near, "/loop", "308 Permanent", "/loop");
    for (uint32_t max = 1; max <= 4; max++) {
        web_record record = fetch_with(&p, "GET", web_url(p.near, "/1"), max);
        CHECK_INT(record.end, max < 3 ? HAFT__HTTP_TOO_MANY_REDIRECTS : HAFT__HTTP_OK, "%u: %s",
                  max, record.message);
        CHECK_INT(record.heads, max >= 3, "heads");
    }
    unsigned before = web_requests(p.near);
    web_record record = fetch(&p, web_url(p.near, "/loop"));
    CHECK_INT(record.end, HAFT__HTTP_TOO_MANY_REDIRECTS, "a loop");
    CHECK_INT(web_requests(p.near) - before, 6, "requests");
    record = fetch_with(&p, "GET", web_url(p.near, "/1"), 0);
    CHECK_INT(record.end, HAFT__HTTP_OK, "a limit of no redirects");
    CHECK_INT(record.status, 301, "status");
    CHECK_STR(haft__str(record.location), HAFT__LIT("/2"), "location");
    tear_down(&p);
}

TEST(a_redirect_without_a_target_is_a_response)
{
    pair p = set_up(false);
    web_route(p.near, "/none", "HTTP/1.1 302 Found\r\nContent-Length: 1\r\n\r\nx");
    web_route(p.near, "/empty", "HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 1\r\n\r\nx");
    web_route(p.near, "/304", "HTTP/1.1 304 Same\r\nLocation: /end\r\n\r\n");
    web_route(p.near, "/201", "HTTP/1.1 201 Made\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n");
    static const struct {
        const char *path;
        uint32_t status;
    } rows[] = {{"/none", 302}, {"/empty", 302}, {"/304", 304}, {"/201", 201}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        web_record record = fetch(&p, web_url(p.near, rows[i].path));
        CHECK_INT(record.end, HAFT__HTTP_OK, "%s: %s", rows[i].path, record.message);
        CHECK_INT(record.status, rows[i].status, "%s", rows[i].path);
    }
    tear_down(&p);
}

TEST(redirects_change_methods_as_browsers_do)
{
    static const struct {
        const char *status, *method, *wanted;
        bool body;
    } rows[] = {
        {"301 Moved", "GET", "GET", false},      {"301 Moved", "HEAD", "HEAD", false},
        {"301 Moved", "POST", "GET", false},     {"301 Moved", "PUT", "PUT", true},
        {"302 Found", "POST", "GET", false},     {"302 Found", "DELETE", "DELETE", true},
        {"303 See", "POST", "GET", false},       {"303 See", "PUT", "GET", false},
        {"303 See", "DELETE", "GET", false},     {"303 See", "HEAD", "HEAD", false},
        {"307 Temporary", "POST", "POST", true}, {"307 Temporary", "GET", "GET", false},
        {"308 Permanent", "PUT", "PUT", true},   {"308 Permanent", "HEAD", "HEAD", false},
    };
    pair p = set_up(false);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        web_route_redirect(p.near, "/go", rows[i].status, "/end");
        web_record record = fetch_with(&p, rows[i].method, web_url(p.near, "/go"), 5);
        CHECK_INT(record.end, HAFT__HTTP_OK, "row %u: %s", i, record.message);
        haft_str second = web_request(p.near, 2 * i + 1);
        char start[32];
        (void)snprintf(start, sizeof(start), "%s /end ", rows[i].wanted);
        CHECK(haft__str_starts_with(second, haft__str(start)), "row %u: %.*s", i,
              HAFT__ARG(second));
        CHECK_INT(haft__str_ends_with(second, HAFT__LIT("{}")), rows[i].body, "row %u: body", i);
        CHECK_INT(has(second, "Content-Length"), rows[i].body, "row %u: length", i);
    }
    tear_down(&p);
}

TEST(another_origin_gets_no_headers)
{
    pair p = set_up(false);
    char named[64];
    (void)snprintf(named, sizeof(named), "http://inside.test:%u/end", web_port(p.near));
    web_route_redirect(p.near, "/same", "302 Found", web_url(p.near, "/end"));
    web_route_redirect(p.near, "/port", "302 Found", web_url(p.far, "/end"));
    web_route_redirect(p.near, "/name", "302 Found", named);
    web_route_redirect(p.near, "/keep", "307 Temporary", web_url(p.far, "/end"));
    (void)fetch(&p, web_url(p.near, "/same"));
    haft_str request = web_request(p.near, 1);
    CHECK(has(request, "s3cret") && has(request, "X-Api-Key"),
          "the same origin did not get the headers");
    (void)fetch(&p, web_url(p.near, "/port"));
    request = web_request(p.far, 0);
    CHECK(has(request, "GET /end") && !has(request, "s3cret"), "%.*s", HAFT__ARG(request));
    CHECK(!has(request, "Content-Type"), "%.*s", HAFT__ARG(request));
    (void)fetch(&p, web_url(p.near, "/name"));
    request = web_request(p.near, 4);
    CHECK(has(request, "Host: inside.test") && !has(request, "s3cret"), "%.*s", HAFT__ARG(request));
    (void)fetch_with(&p, "POST", web_url(p.near, "/keep"), 5);
    request = web_request(p.far, 1);
    CHECK(has(request, "POST /end") && has(request, "\r\nContent-Type: application/json\r\n"),
          "%.*s", HAFT__ARG(request));
    CHECK(!has(request, "s3cret"), "%.*s", HAFT__ARG(request));
    tear_down(&p);
}

/* The headers stay dropped if a redirect leads back to the first origin. */
TEST(headers_that_were_dropped_stay_dropped)
{
    pair p = set_up(false);
    web_route_redirect(p.near, "/go", "302 Found", web_url(p.far, "/back"));
    web_route_redirect(p.far, "/back", "302 Found", web_url(p.near, "/end"));
    web_record record = fetch(&p, web_url(p.near, "/go"));
    CHECK_INT(record.end, HAFT__HTTP_OK, "%s", record.message);
    haft_str last = web_request(p.near, 1);
    CHECK(has(last, "GET /end") && !has(last, "s3cret"), "%.*s", HAFT__ARG(last));
    tear_down(&p);
}

TEST(another_origin_gets_no_user)
{
    pair p = set_up(false);
    char with_user[96], far_user[96];
    (void)snprintf(with_user, sizeof(with_user), "http://user:word@127.0.0.1:%u/go",
                   web_port(p.near));
    (void)snprintf(far_user, sizeof(far_user), "http://user:word@127.0.0.1:%u/end",
                   web_port(p.far));
    web_route_redirect(p.near, "/go", "302 Found", far_user);
    haft__http_request request = {.method = HAFT__LIT("GET"),
                                  .url = haft__str(with_user),
                                  .max_bytes = 1000,
                                  .max_redirects = 5};
    web_record record;
    (void)web_fetch(p.loop, p.http, &request, &record);
    CHECK_INT(record.end, HAFT__HTTP_OK, "%s", record.message);
    CHECK(has(web_request(p.near, 0), "Authorization: Basic dXNlcjp3b3Jk"),
          "the first origin did not get the user");
    CHECK(!has(web_request(p.far, 0), "Authorization"), "%.*s", HAFT__ARG(web_request(p.far, 0)));
    tear_down(&p);
}

TEST(other_schemes_are_rejected)
{
    pair p = set_up(false);
    static const struct {
        const char *place;
        haft__http_outcome wanted;
    } rows[] = {
        {"file:///etc/passwd", HAFT__HTTP_REFUSED},  {"ftp://127.0.0.1/x", HAFT__HTTP_REFUSED},
        {"gopher://127.0.0.1/", HAFT__HTTP_REFUSED}, {"dict://127.0.0.1/", HAFT__HTTP_REFUSED},
        {"nobody://x/", HAFT__HTTP_BAD_URL},         {"http://", HAFT__HTTP_BAD_URL},
        {"http://a:b:c/", HAFT__HTTP_BAD_URL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        web_route_redirect(p.near, "/go", "302 Found", rows[i].place);
        web_record record = fetch(&p, web_url(p.near, "/go"));
        CHECK_INT(record.end, rows[i].wanted, "%s: %s", rows[i].place, record.message);
        CHECK(record.sent && !record.delivered && record.heads == 0, "%s", rows[i].place);
    }
    tear_down(&p);
}

/* The first address is allowed for tests; the target is private like any other. */
TEST(redirects_to_private_addresses_are_rejected)
{
    pair p = set_up(true);
    web_record record = fetch(&p, web_url(p.near, "/end"));
    CHECK_INT(record.end, HAFT__HTTP_OK, "the first request must succeed: %s", record.message);
    char name[64], number[64];
    (void)snprintf(name, sizeof(name), "http://inside.test:%u/end", web_port(p.far));
    (void)snprintf(number, sizeof(number), "http://2130706433:%u/end", web_port(p.far));
    const char *const places[] = {web_url(p.far, "/end"),
                                  name,
                                  number,
                                  "http://169.254.169.254/latest/meta-data",
                                  "//[::1]/",
                                  "http://localhost/",
                                  "https://10.0.0.1/"};
    for (size_t i = 0; i < COUNT(places); i++) {
        web_route_redirect(p.near, "/go", "302 Found", places[i]);
        record = fetch(&p, web_url(p.near, "/go"));
        CHECK_INT(record.end, HAFT__HTTP_REFUSED, "%s: %s", places[i], record.message);
    }
    CHECK_INT(web_connections(p.far), 0, "connections");
    tear_down(&p);
}

TEST(an_endless_redirect_page_is_not_read)
{
    pair p = set_up(false);
    haft_str zeros = web_gzip_zeros(100000);
    web_route_bytes(p.near, "/go",
                    "HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Encoding: gzip\r\n", zeros);
    web_record record = fetch(&p, web_url(p.near, "/go"));
    CHECK_INT(record.end, HAFT__HTTP_TOO_BIG, "%s", record.message);
    tear_down(&p);
}
