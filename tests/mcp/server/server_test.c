/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/server.c: which messages are accepted, and the responses to them. */
#include "mcp/server/server.h"

#include "base/limits.h"
#include "mcp/server_help.h"

#define V "\"jsonrpc\":\"2.0\","

static const struct {
    const char *text;
    const char *sent; /* a part of the response; "": no response */
    uint32_t http;
} before[] = {
    {"", "-32700", 400},
    {"{", "-32700", 400},
    {"[]", "-32600", 400},
    {"{" V "\"id\":null,\"method\":\"ping\"}", "-32600", 400},
    {"{" V "\"id\":1}", "\"id\":1,\"error\":{\"code\":-32600", 400},
    {"{" V "\"id\":1,\"result\":3}", "", 400},
    {"{" V "\"id\":1,\"result\":{}}", "", 202},
    {"{" V "\"id\":1,\"error\":{\"code\":1,\"message\":\"\"}}", "", 202},
    {"{" V "\"method\":\"notifications/initialized\"}", "", 202},
    {"{" V "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}", "", 202},
    {"{" V "\"method\":\"notifications/cancelled\"}", "", 202},
    {"{" V "\"method\":\"whatever\"}", "", 202},
    {"{" V "\"id\":1,\"method\":\"ping\"}", "\"id\":1,\"result\":{}", 200},
    {"{" V "\"id\":\"1\",\"method\":\"ping\"}", "\"id\":\"1\",\"result\":{}", 200},
    {"{" V "\"id\":1,\"method\":\"nobody\"}", "-32601", 200},
    {"{" V "\"id\":1,\"method\":\"tools/list\"}", "expected initialize first", 400},
    {"{" V "\"id\":1,\"method\":\"server/discover\"}", "-32602", 400},
    {"{" V "\"id\":1,\"method\":\"tools/list\",\"params\":{" META "}}", "\"tools\":[", 200},
};

TEST(messages_before_a_handshake_are_checked)
{
    for (size_t i = 0; i < COUNT(before); i++) {
        mcp_case c;
        mcp_open(&c);
        haft_str sent = mcp_receive(&c, before[i].text, NULL);
        CHECK(mcp_sent_contains(&c, before[i].sent), "%s: %.*s", before[i].text, HAFT__ARG(sent));
        CHECK_INT(c.http, before[i].http, "%s", before[i].text);
        CHECK_INT(c.answers + c.ends, 1, "%s: responses and ends", before[i].text);
        CHECK((before[i].sent[0] == '\0') == (c.ends == 1), "%s: whether there is a response",
              before[i].text);
        mcp_close(&c);
    }
}

TEST(the_era_of_a_message_is_detected)
{
    static const struct {
        const char *text, *version;
        haft__mcp_request_kind era;
    } rows[] = {
        {"{" V "\"id\":1,\"method\":\"initialize\"}", NULL, HAFT__MCP_REQUEST_INITIALIZE},
        {"{" V "\"id\":1,\"method\":\"initialize\"}", "2025-06-18", HAFT__MCP_REQUEST_INITIALIZE},
        {"{" V "\"id\":1,\"method\":\"initialize\"}", "2026-07-28", HAFT__MCP_REQUEST_MODERN},
        {"{" V "\"id\":1,\"method\":\"initialize\",\"params\":{" META "}}", NULL,
         HAFT__MCP_REQUEST_MODERN},
        {"{" V "\"method\":\"initialize\"}", NULL, HAFT__MCP_REQUEST_LEGACY},
        {"{" V "\"id\":1,\"method\":\"tools/list\"}", " 2025-11-25 ", HAFT__MCP_REQUEST_LEGACY},
        {"{" V "\"id\":1,\"method\":\"tools/list\"}", "v9", HAFT__MCP_REQUEST_MODERN},
        {"{" V "\"id\":1,\"result\":{}}", "2026-07-28", HAFT__MCP_REQUEST_LEGACY},
        {"nothing", NULL, HAFT__MCP_REQUEST_INVALID},
    };
    mcp_case c;
    mcp_open(&c);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__mcp_headers headers = {.version = {rows[i].version, 0}};
        headers.version.len = rows[i].version != NULL ? strlen(rows[i].version) : 0;
        haft__mcp_request *mcp_request = NULL;
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        CHECK_INT(
            haft__mcp_request_read(c.server, haft__str(rows[i].text), &headers, &mcp_request, NULL),
            HAFT_OK, "%s", rows[i].text);
        CHECK_INT(haft__mcp_request_kind_of(mcp_request), rows[i].era, "%s", rows[i].text);
        haft__mcp_request_reject_message(mcp_request, -32600, "no", &buf);
        CHECK(haft__buf_str(&buf).len > 0, "the rejection has no message");
        haft__buf_finish(&buf);
    }
    mcp_close(&c);
}

TEST(an_id_in_use_is_rejected_and_can_be_cancelled)
{
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    (void)mcp_receive(&c, "{" V "\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"}}",
                      NULL);
    CHECK_INT(c.open_count, 1, "open requests");
    (void)mcp_receive(&c, "{" V "\"id\":5,\"method\":\"ping\"}", NULL);
    CHECK(mcp_sent_contains(&c, "already in progress"), "an id in use was accepted");
    (void)mcp_receive(&c, "{" V "\"id\":\"5\",\"method\":\"ping\"}", NULL);
    CHECK(mcp_sent_contains(&c, "\"result\":{}"), "a string as another id was rejected");
    (void)mcp_receive(
        &c, "{" V "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"5\"}}", NULL);
    CHECK_INT(c.dropped, 0, "dropped requests: a request that is not running was cancelled");
    (void)mcp_receive(
        &c, "{" V "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}", NULL);
    CHECK_INT(c.dropped, 1, "dropped requests: the running request was cancelled");
    mcp_close(&c);
}

TEST(requests_in_progress_are_bounded)
{
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    for (int i = 1; i <= HAFT__LIMIT_MCP_REQUESTS + 1; i++) {
        char text[128];
        (void)snprintf(text, sizeof(text),
                       "{" V "\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"}}",
                       i);
        (void)mcp_receive(&c, text, NULL);
        CHECK_INT(mcp_sent_contains(&c, "too many"), i > HAFT__LIMIT_MCP_REQUESTS, "request %d", i);
    }
    CHECK_INT(c.open_count, HAFT__LIMIT_MCP_REQUESTS, "open requests");
    mcp_close(&c);
    CHECK_INT(c.dropped, HAFT__LIMIT_MCP_REQUESTS, "requests that are dropped at the end");
}

/* Whichever allocation fails, every readable message gets a response. */
TEST(messages_get_a_response_if_an_allocation_fails)
{
    static const char *const texts[] = {
        "{" V "\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\","
        "\"capabilities\":{\"roots\":{}}}}",
        "{" V "\"id\":1,\"method\":\"tools/list\",\"params\":{" META "}}",
        "{" V "\"id\":1,\"method\":\"server/discover\",\"params\":{" META "}}",
        "{" V "\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{" META
        ",\"notifications\":{\"toolsListChanged\":true}}}",
        "{" V "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"," META "}}",
        "{" V "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"requestState\":"
        "\"1.2.3\"," META "}}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (unsigned n = 0;; n++) {
            mcp_case c;
            mcp_open(&c);
            char *room = haft__buf_reserve(&c.sent, 1 << 16); /* memory of the test itself */
            CHECK(room != NULL, "no memory for the test itself");
            haft__mcp_request *mcp_request = NULL;
            test_fail_allocation(n);
            haft_status status =
                haft__mcp_request_read(c.server, haft__str(texts[i]), NULL, &mcp_request, NULL);
            if (status == HAFT_OK) {
                haft__mcp_peer_receive(c.peer, mcp_request, NULL, NULL, c.now);
            }
            bool failed = test_allow_allocations();
            CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY),
                  "message %zu, allocation %u", i, n);
            mcp_close(&c);
            if (!failed) {
                break;
            }
        }
    }
}
