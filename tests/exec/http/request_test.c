/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/http/request.c. */
#include "base/buf.h"
#include "base/limits.h"
#include "exec/web_help.h"
#include "test.h"

/* The request as "METHOD body|header|header". */
static haft_str show(haft__buf *buf, const haft__http_request *request)
{
    haft__buf_clear(buf);
    haft__buf_addf(buf, "%.*s %.*s", HAFT__ARG(request->method),
                   HAFT__ARG(request->body.ptr != NULL ? request->body : HAFT__LIT("-")));
    for (size_t i = 0; i < request->header_count; i++) {
        haft__buf_addf(buf, "|%.*s", HAFT__ARG(request->headers[i]));
    }
    return haft__buf_str(buf);
}

#define JSON "|Content-Type: application/json"
#define KEY  "|Idempotency-Key: run.c1.1|Haft-Epoch: 3"

static const struct {
    const char *more, *wanted;
} rows[] = {
    {"", "GET -"},
    {",\"method\":\"HEAD\"", "HEAD -"},
    {",\"method\":\"DELETE\"", "DELETE -" KEY},
    {",\"method\":\"POST\"", "POST {\"a\":1}" JSON KEY},
    {",\"method\":\"PUT\"", "PUT {\"a\":1}" JSON KEY},
    {",\"method\":\"PATCH\"", "PATCH {\"a\":1}" JSON KEY},
    {",\"body\":{\"x\":\"{a}\"}", "GET {\"x\":1}" JSON},
    {",\"method\":\"POST\",\"body\":null", "POST null" JSON KEY},
    {",\"method\":\"DELETE\",\"body\":[\"{a}\"]", "DELETE [1]" JSON KEY},
    {",\"headers\":{\"Authorization\":\"Bearer ${TOKEN}\",\"X\":\"\"}",
     "GET -|Authorization: Bearer s3cret|X: "},
    {",\"headers\":{\"X\":\"{a}\"}", "GET -|X: {a}"},
    {",\"method\":\"POST\",\"headers\":{\"content-type\":\"text/"
     "x\",\"idempotency-key\":\"mine\",\"haft-epoch\":\"0\"}",
     "POST {\"a\":1}|content-type: text/x|idempotency-key: mine|haft-epoch: 0"},
};

TEST(requests_follow_their_definition)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char http[256];
        web_job j;
        haft__http_request request = {.max_bytes = 0};
        haft_error err = {.status = HAFT_OK};
        (void)snprintf(http, sizeof(http), "{\"url\":\"https://h/\"%s}", rows[i].more);
        web_job_init(&j, http, "{\"a\":1}", "a");
        CHECK_INT(haft__http_tool_request(&j.job, &request, &err), HAFT_OK, "%s", err.message);
        CHECK_STR(show(&buf, &request), haft__str(rows[i].wanted), "%s", rows[i].more);
        CHECK_INT(request.max_bytes, HAFT__LIMIT_TOOL_RESULT_BYTES, "the limit of response bytes");
        CHECK_INT(request.max_redirects, HAFT__LIMIT_HTTP_REDIRECTS, "the limit of redirects");
        web_job_finish(&j);
    }
    haft__buf_finish(&buf);
}

TEST(only_repeatable_requests_are_sent_again)
{
    static const struct {
        const char *method;
        bool read_only, idempotent, once;
    } cases[] = {{"GET", false, false, false},
                 {"POST", false, false, true},
                 {"POST", true, false, false},
                 {"POST", false, true, false},
                 {"DELETE", false, false, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char http[64];
        web_job j;
        haft__http_request request = {.max_bytes = 0};
        (void)snprintf(http, sizeof(http), "{\"url\":\"https://h/\",\"method\":\"%s\"}",
                       cases[i].method);
        web_job_init(&j, http, "{}", "");
        j.tool.traits.read_only = cases[i].read_only;
        j.tool.traits.idempotent = cases[i].idempotent;
        CHECK_INT(haft__http_tool_request(&j.job, &request, NULL), HAFT_OK, "row %zu", i);
        CHECK_INT(request.send_once, cases[i].once, "row %zu", i);
        web_job_finish(&j);
    }
}

TEST(bad_headers_are_named_without_their_value)
{
    static const struct {
        const char *headers, *message;
    } cases[] = {
        {"{\"X-Token\":\"${BAD}\"}", "the header 'X-Token' has a line end or a NUL in its value"},
        {"{\"X-Token\":\"s3cret\\u0000\"}",
         "the header 'X-Token' has a line end or a NUL in its value"},
        {"{\"X-Token\":\"s3cret\\n\"}",
         "the header 'X-Token' has a line end or a NUL in its value"},
        {"{\"X-Token\":\"s3cret ${NOBODY}\"}", "the variable NOBODY is not set"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char http[128];
        web_job j;
        haft__http_request request;
        haft_error err = {.status = HAFT_OK};
        (void)snprintf(http, sizeof(http), "{\"url\":\"https://h/\",\"headers\":%s}",
                       cases[i].headers);
        web_job_init(&j, http, "{}", "");
        CHECK(haft__http_tool_request(&j.job, &request, &err) != HAFT_OK, "%s was accepted",
              cases[i].headers);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].headers);
        CHECK(strstr(err.hint, "s3cret") == NULL, "%s", err.hint);
        web_job_finish(&j);
    }
}

TEST(making_a_request_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        web_job j;
        haft__http_request request = {.max_bytes = 0};
        web_job_init(&j,
                     "{\"url\":\"https://h/{a}\",\"method\":\"POST\",\"body\":{\"x\":\"{a} {a}\"},"
                     "\"headers\":{\"X\":\"${TOKEN}\"}}",
                     "{\"a\":1}", "");
        test_fail_allocation(n);
        haft_status status = haft__http_tool_request(&j.job, &request, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        web_job_finish(&j);
        if (!failed) {
            break;
        }
    }
}
