/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/http/request.c. */
#include "io/http_help.h"
#include "test.h"

typedef struct header_row {
    haft_str header;
    bool fine;
} header_row;

static const header_row rows[] = {
    {HAFT__LIT("X: y"), true},
    {HAFT__LIT("X:y"), true},
    {HAFT__LIT("X:"), true},
    {HAFT__LIT("X: a:b"), true},
    {HAFT__LIT("X: \xc3\xa4\t!"), true},
    {HAFT__LIT("!#$%&'*+-.^_`|~09azAZ: v"), true},
    {HAFT__LIT("Host: elsewhere.example"), true},
    {HAFT__LIT(""), false},
    {HAFT__LIT("X"), false},
    {HAFT__LIT("X;"), false},
    {HAFT__LIT(": v"), false},
    {HAFT__LIT("X : v"), false},
    {HAFT__LIT(" X: v"), false},
    {HAFT__LIT("X\0Y: v"), false},
    {HAFT__LIT("@file"), false},
    {HAFT__LIT("X\xc3\xa4: v"), false},
    {HAFT__LIT("X(: v"), false},
    {HAFT__LIT("X: a\r\nY: b"), false},
    {HAFT__LIT("X: a\nY: b"), false},
    {HAFT__LIT("X: a\rY: b"), false},
    {HAFT__LIT("X: a\r\n\r\nGET / HTTP/1.1"), false},
    {HAFT__LIT("X: a\0b"), false},
    {HAFT__LIT("X: a\x7f"), false},
    {HAFT__LIT("X: a\x1b[31m"), false},
    {HAFT__LIT("Content-Length: 3"), false},
    {HAFT__LIT("content-length:0"), false},
    {HAFT__LIT("Transfer-Encoding: chunked"), false},
    {HAFT__LIT("Connection: close"), false},
    {HAFT__LIT("Upgrade: h2c"), false},
};

TEST(headers_are_checked)
{
    haft__loop *loop = NULL;
    haft__http_client *http = NULL;
    web *w = web_start();
    web_route(w, "/", WEB_OK(2) "ok");
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(
        haft__http_client_create(loop, &(haft__http_client_options){.proxy = false}, &http, NULL),
        HAFT_OK, "no client");
    unsigned sent = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__http_request request = {.method = HAFT__LIT("GET"),
                                      .url = haft__str(web_url(w, "/")),
                                      .headers = &rows[i].header,
                                      .header_count = 1,
                                      .max_bytes = 100};
        web_record record;
        (void)web_fetch(loop, http, &request, &record);
        CHECK_INT(record.end, rows[i].fine ? HAFT__HTTP_OK : HAFT__HTTP_BAD_HEADER, "%.*s: %s",
                  HAFT__ARG(rows[i].header), record.message);
        sent += rows[i].fine;
        CHECK_INT(web_requests(w), sent, "%.*s", HAFT__ARG(rows[i].header));
    }
    haft_str empty = web_request(w, 2);
    CHECK(memmem(empty.ptr, empty.len, "\r\nX:\r\n", 6) != NULL, "the empty header was not sent");
    haft__http_client_destroy(http);
    haft__loop_destroy(loop);
    web_stop(w);
}

TEST(a_header_error_does_not_quote_the_header)
{
    haft__loop *loop = NULL;
    haft__http_client *http = NULL;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(
        haft__http_client_create(loop, &(haft__http_client_options){.proxy = false}, &http, NULL),
        HAFT_OK, "no client");
    haft_str header = HAFT__LIT("Authorization: s3cret\r\n");
    haft__http_request request = {.method = HAFT__LIT("GET"),
                                  .url = HAFT__LIT("https://user:s3cret@gone.test:81/s3cret"),
                                  .headers = &header,
                                  .header_count = 1,
                                  .max_bytes = 100};
    web_record record;
    (void)web_fetch(loop, http, &request, &record);
    CHECK_STR(haft__str(record.message),
              HAFT__LIT("https://gone.test:81: the method or a header is not valid: "
                        "a header contains a line end or another control character"),
              "message");
    haft__http_client_destroy(http);
    haft__loop_destroy(loop);
}
