/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/begin.c: checks before a request is performed. */
#include "mcp/server_help.h"

#define V "\"jsonrpc\":\"2.0\","

TEST(requests_are_checked_before_they_begin)
{
    static const struct {
        const char *method, *params;
        bool begun;
    } rows[] = {
        {"tools/call", "\"name\":\"t0\"", true},
        {"tools/call", "\"name\":\"t0\",\"arguments\":null", true},
        {"tools/call", "\"name\":\"t0\",\"arguments\":{\"a\":1}", true},
        {"tools/call", "\"name\":\"t0\",\"arguments\":[]", false},
        {"tools/call", "\"name\":\"t0\",\"arguments\":\"{}\"", false},
        {"tools/call", "\"name\":\"x\"", false},
        {"tools/call", "\"name\":\"\"", false},
        {"tools/call", "\"name\":1", false},
        {"tools/call", "\"nom\":\"t0\"", false},
        {"prompts/get", "\"name\":\"p\"", true},
        {"prompts/get", "\"uri\":\"p\"", false},
        {"resources/read", "\"uri\":\"u\"", true},
        {"resources/read", "\"name\":\"u\"", false},
        {"completion/complete", "\"ref\":{}", true},
    };
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        mcp_case c;
        char text[512];
        bool modern = i >= COUNT(rows);
        size_t row = i % COUNT(rows);
        mcp_open(&c);
        if (!modern) {
            mcp_initialize(&c, "{}");
        }
        (void)snprintf(text, sizeof(text), "{" V "\"id\":1,\"method\":\"%s\",\"params\":{%s%s}}",
                       rows[row].method, rows[row].params, modern ? "," META : "");
        haft_str sent = mcp_receive(&c, text, NULL);
        CHECK_INT(c.open_count, rows[row].begun, "%s: requests that began; sent: %.*s", text,
                  HAFT__ARG(sent));
        CHECK_INT(mcp_sent_contains(&c, "-32602"), !rows[row].begun, "%s: whether it was rejected",
                  text);
        mcp_close(&c);
    }
}

TEST(input_responses_must_be_an_object)
{
    static const char *const rows[] = {"\"inputResponses\":null", "\"inputResponses\":[]",
                                       "\"requestState\":\"\"", "\"requestState\":null",
                                       "\"requestState\":\"1.61.00\""};
    for (size_t i = 0; i < COUNT(rows); i++) {
        mcp_case c;
        char text[512];
        mcp_open(&c);
        (void)snprintf(
            text, sizeof(text),
            "{" V "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\",%s," META "}}",
            rows[i]);
        (void)mcp_receive(&c, text, NULL);
        CHECK(mcp_sent_contains(&c, "-32602"), "%s", rows[i]);
        CHECK_INT(c.http, 400, "%s", rows[i]);
        mcp_close(&c);
    }
}
