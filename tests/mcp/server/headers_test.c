/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/headers.c: headers that match the body, and those that do not. */
#include "base/limits.h"
#include "mcp/server_help.h"
#include "json/read.h"

#define V "\"jsonrpc\":\"2.0\","
#define SCHEMA                                                                                     \
    "{\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"               \
    "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"                                         \
    "\"flag\":{\"x-mcp-header\":\"Flag\"},\"odd\":{\"x-mcp-header\":\"\"},"                        \
    "\"in\":{\"properties\":{\"deep\":{\"x-mcp-header\":\"Deep\"}}}}}"

/* Finds a header in a row of names and values. */
static haft_str get(void *context, const char *name)
{
    const char *const *rows = context;
    for (; rows[0] != NULL; rows += 2) {
        if (strcmp(rows[0], name) == 0) {
            return haft__str(rows[1]);
        }
    }
    return (haft_str){NULL, 0};
}

#define HEADERS_MOST 7

static const struct {
    const char *arguments;
    const char *headers[HEADERS_MOST];
    bool good;
} arguments[] = {
    {"{}", {NULL}, true},
    {"{\"region\":null}", {NULL}, true},
    {"{\"region\":\"eu\"}", {"Mcp-Param-Region", "eu"}, true},
    {"{\"region\":\"eu\"}", {"Mcp-Param-Region", " eu\t"}, true},
    {"{\"region\":\"eu\"}", {"Mcp-Param-Region", "EU"}, false},
    {"{\"region\":\"eu\"}", {NULL}, false},
    {"{}", {"Mcp-Param-Region", "eu"}, false},
    {"{\"region\":\"Hello\"}", {"Mcp-Param-Region", "=?base64?SGVsbG8=?="}, true},
    {"{\"region\":\"a\"}", {"Mcp-Param-Region", "=?base64?YQ==?="}, true},
    {"{\"region\":\"\"}",
     {"Mcp-Param-Region", "=?base64?"
                          "?="},
     true},
    {"{\"region\":\"Hello\"}", {"Mcp-Param-Region", "=?base64?SGVsbG8?="}, false},
    {"{\"region\":\"Hello\"}", {"Mcp-Param-Region", "=?base64?SGVs!!!bG8=?="}, false},
    {"{\"region\":\"x\"}", {"Mcp-Param-Region", "=?base64?Y===?="}, false},
    {"{\"region\":\"x\"}", {"Mcp-Param-Region", "=?base64?eA==eA==?="}, false},
    {"{\"region\":\"=?base64?eA==\"}", {"Mcp-Param-Region", "=?base64?eA=="}, true},
    {"{\"n\":1}", {"Mcp-Param-N", "1"}, true},
    {"{\"n\":1.0}", {"Mcp-Param-N", "1"}, true},
    {"{\"n\":1}", {"Mcp-Param-N", "2"}, false},
    {"{\"n\":1}", {"Mcp-Param-N", "one"}, false},
    {"{\"n\":1}", {"Mcp-Param-N", "\"1\""}, false},
    {"{\"flag\":true}", {"Mcp-Param-Flag", "true"}, true},
    {"{\"flag\":false}", {"Mcp-Param-Flag", "false"}, true},
    {"{\"flag\":false}", {"Mcp-Param-Flag", "true"}, false},
    {"{\"flag\":[1]}", {"Mcp-Param-Flag", "[1]"}, false},
    {"{\"odd\":\"x\"}", {NULL}, true},
    {"{\"in\":{\"deep\":\"d\"}}", {"Mcp-Param-Deep", "d"}, true},
    {"{\"in\":{\"deep\":\"d\"}}", {NULL}, false},
    {"{\"in\":7}", {NULL}, true},
};

TEST(arguments_in_headers_must_match_the_body)
{
    for (size_t i = 0; i < COUNT(arguments); i++) {
        mcp_case c;
        char text[512];
        mcp_open(&c);
        CHECK_INT(haft__json_read(&c.arena, HAFT__LIT(SCHEMA), NULL, &c.schema, NULL, NULL),
                  HAFT_OK, "the schema cannot be read");
        (void)snprintf(text, sizeof(text),
                       "{" V "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\","
                       "\"arguments\":%s," META "}}",
                       arguments[i].arguments);
        const char *rows[HEADERS_MOST];
        memcpy(rows, arguments[i].headers, sizeof(rows));
        haft__mcp_headers headers = {.version = HAFT__LIT("2026-07-28"),
                                     .method = HAFT__LIT("tools/call"),
                                     .name = HAFT__LIT("t0"),
                                     .get = get,
                                     .context = rows};
        haft_str sent = mcp_receive(&c, text, &headers);
        CHECK_INT(c.open_count, arguments[i].good, "row %zu: %s: %.*s", i, arguments[i].arguments,
                  HAFT__ARG(sent));
        CHECK_INT(mcp_sent_contains(&c, "-32020"), !arguments[i].good, "%s",
                  arguments[i].arguments);
        mcp_close(&c);
    }
}

TEST(headers_of_a_request_must_match_the_body)
{
    static const struct {
        const char *method, *params, *version, *head, *name;
        bool good;
    } rows[] = {
        {"tools/list", "", "2026-07-28", "tools/list", NULL, true},
        {"tools/list", "", " 2026-07-28 ", "\ttools/list", NULL, true},
        {"tools/list", "", NULL, "tools/list", NULL, false},
        {"tools/list", "", "2025-11-25", "tools/list", NULL, false},
        {"tools/list", "", "2026-07-28", NULL, NULL, false},
        {"tools/list", "", "2026-07-28", "Tools/List", NULL, false},
        {"resources/read", "\"uri\":\"u\",", "2026-07-28", "resources/read", "u", true},
        {"resources/read", "\"uri\":\"u\",", "2026-07-28", "resources/read", NULL, false},
        {"prompts/get", "\"name\":\"p\",", "2026-07-28", "prompts/get", "q", false},
        {"prompts/get", "\"name\":\"\xc3\xbc\",", "2026-07-28", "prompts/get",
         "=?base64?w7w=?=", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        mcp_case c;
        char text[512];
        const char *none[] = {NULL};
        mcp_open(&c);
        (void)snprintf(text, sizeof(text),
                       "{" V "\"id\":1,\"method\":\"%s\",\"params\":{%s" META "}}", rows[i].method,
                       rows[i].params);
        haft_str missing = {NULL, 0};
        haft__mcp_headers headers = {
            .version = rows[i].version != NULL ? haft__str(rows[i].version) : missing,
            .method = rows[i].head != NULL ? haft__str(rows[i].head) : missing,
            .name = rows[i].name != NULL ? haft__str(rows[i].name) : missing,
            .get = get,
            .context = none};
        haft_str sent = mcp_receive(&c, text, &headers);
        CHECK_INT(mcp_sent_contains(&c, "-32020"), !rows[i].good, "row %zu: %.*s", i,
                  HAFT__ARG(sent));
        mcp_close(&c);
    }
}
