/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/http/body.c. */
#include "base/limits.h"
#include "exec/web_help.h"
#include "test.h"

static const struct {
    const char *body, *arguments, *wanted;
} rows[] = {
    {"{\"q\":\"{a}\"}", "{\"a\":\"x\"}", "{\"q\":\"x\"}"},
    {"{\"q\":\"{a}\"}", "{\"a\":1.50}", "{\"q\":1.50}"},
    {"{\"q\":\"{a}\"}", "{\"a\":{\"k\":[true,null]}}", "{\"q\":{\"k\":[true,null]}}"},
    {"{\"q\":\"{a}\"}", "{\"a\":null}", "{\"q\":null}"},
    {"{\"q\":\"{a} and {b}\"}", "{\"a\":\"x\",\"b\":[1]}", "{\"q\":\"x and [1]\"}"},
    {"{\"q\":\"say \\\"{a}\\\"\"}", "{\"a\":\"\\\"},{\\\"\"}",
     "{\"q\":\"say \\\"\\\"},{\\\"\\\"\"}"},
    {"\"{a}\"", "{\"a\":[1,2]}", "[1,2]"},
    {"\"text {a}\"", "{\"a\":\"x\"}", "\"text x\""},
    {"[\"{a}\",1,true,false,null,\"{b}\"]", "{\"a\":2}", "[2,1,true,false,null,null]"},
    {"{\"deep\":[{\"x\":{\"y\":\"{a}\"}}]}", "{\"a\":1}", "{\"deep\":[{\"x\":{\"y\":1}}]}"},
    /* A missing argument is left out, or is an empty text. */
    {"{\"q\":\"{a}\",\"r\":1}", "{}", "{\"r\":1}"},
    {"{\"q\":\"<{a}>\"}", "{}", "{\"q\":\"<>\"}"},
    {"\"{a}\"", "{}", "null"},
    /* Braces that are not arguments stay. */
    {"{\"q\":\"{citty}\"}", "{}", "{\"q\":\"{citty}\"}"},
    {"{\"q\":\"query { user(id: 1) {name} }\"}", "{}", "{\"q\":\"query { user(id: 1) {name} }\"}"},
    {"{\"q\":\"${TOKEN}\"}", "{}", "{\"q\":\"${TOKEN}\"}"},
    {"{\"{a}\":1}", "{\"a\":\"x\"}", "{\"{a}\":1}"},
    {"{\"q\":\"{a}\"}", "{\"a\":\"{b}\",\"b\":1}", "{\"q\":\"{b}\"}"},
    {"{}", "{\"a\":1}", "{}"},
    {"[]", "{}", "[]"},
    {"7", "{}", "7"},
};

TEST(bodies_are_filled_in)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        char http[256];
        web_job j;
        haft_str body = HAFT__LIT("");
        (void)snprintf(http, sizeof(http), "{\"body\":%s}", rows[i].body);
        web_job_init(&j, http, rows[i].arguments, "a b");
        const haft__json *template = haft__http_tool_definition(&j.job, "body");
        CHECK_INT(haft__http_tool_body(&j.job, *template, &body, NULL), HAFT_OK, "%s",
                  rows[i].body);
        CHECK_STR(body, haft__str(rows[i].wanted), "%s with %s", rows[i].body, rows[i].arguments);
        web_job_finish(&j);
    }
}

TEST(a_body_that_nests_too_deep_is_rejected)
{
    char arguments[2 * HAFT__LIMIT_JSON_DEPTH + 32] = "{\"a\":";
    size_t at = strlen(arguments), depth = HAFT__LIMIT_JSON_DEPTH - 1;
    memset(arguments + at, '[', depth);
    memset(arguments + at + depth, ']', depth);
    arguments[at + 2 * depth] = '}';
    web_job j;
    haft_str body = HAFT__LIT("");
    web_job_init(&j, "{\"body\":[[[\"{a}\"]]]}", arguments, "");
    const haft__json *template = haft__http_tool_definition(&j.job, "body");
    CHECK_INT(haft__http_tool_body(&j.job, *template, &body, NULL), HAFT_TOO_BIG,
              "a body that nests too deep");
    web_job_finish(&j);
}

TEST(making_a_body_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        web_job j;
        haft_str body = HAFT__LIT("");
        web_job_init(&j, "{\"body\":{\"x\":[\"{a}\",\"text {b}\"]}}", "{\"a\":1,\"b\":2}", "");
        const haft__json *template = haft__http_tool_definition(&j.job, "body");
        test_fail_allocation(n);
        haft_status status = haft__http_tool_body(&j.job, *template, &body, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        web_job_finish(&j);
        if (!failed) {
            break;
        }
    }
}
