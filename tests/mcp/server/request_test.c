/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/request.c: progress, log and answers of a request. */
#include "base/limits.h"
#include "mcp/server_help.h"

#define V "\"jsonrpc\":\"2.0\","
#define OLD_CALL(more)                                                                             \
    "{" V "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"" more "}}"
#define NEW_CALL(more)                                                                             \
    "{" V "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"," META more "}}"

TEST(progress_only_increases)
{
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    (void)mcp_receive(&c, OLD_CALL(",\"_meta\":{\"progressToken\":\"p\"}"), NULL);
    haft__mcp_request *mcp_request = mcp_pop_request(&c);
    static const uint64_t steps[] = {0, 0, 5, 3, 5, 6};
    for (size_t i = 0; i < COUNT(steps); i++) {
        haft__mcp_request_progress(mcp_request, steps[i], 10, HAFT__LIT("so far"));
    }
    CHECK_STR(haft__buf_str(&c.sent),
              HAFT__LIT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                        "\"progressToken\":\"p\",\"progress\":0,\"total\":10,\"message\":\"so "
                        "far\"}}\n"
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                        "\"progressToken\":\"p\",\"progress\":5,\"total\":10,\"message\":\"so "
                        "far\"}}\n"
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                        "\"progressToken\":\"p\",\"progress\":6,\"total\":10,\"message\":\"so "
                        "far\"}}\n"),
              "each step of the progress once");
    haft__mcp_request_reply_text(mcp_request, HAFT__LIT("a\"b"), true);
    CHECK(mcp_sent_contains(&c, "{\"type\":\"text\",\"text\":\"a\\\"b\"}],\"isError\":true}"),
          "the answer was not sent");
    mcp_close(&c);
}

TEST(progress_without_a_token_is_not_sent)
{
    static const char *const tokens[] = {"",
                                         ",\"_meta\":{}",
                                         ",\"_meta\":{\"progressToken\":null}",
                                         ",\"_meta\":{\"progressToken\":1.5}",
                                         ",\"_meta\":{\"progressToken\":{}}",
                                         ",\"_meta\":3"};
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    for (size_t i = 0; i < COUNT(tokens); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), OLD_CALL("%s"), tokens[i]);
        (void)mcp_receive(&c, text, NULL);
        haft__mcp_request *mcp_request = mcp_pop_request(&c);
        haft__mcp_request_progress(mcp_request, 1, 0, HAFT__LIT(""));
        CHECK_INT(c.sent.len, 0, "bytes sent: %s", tokens[i]);
        haft__mcp_request_reply(mcp_request, HAFT__LIT(""));
    }
    mcp_close(&c);
}

/* HAFT__LIMIT_MCP_MESSAGE_BYTES: clients accept no longer message, so the call reports that
 * instead. */
TEST(a_result_that_exceeds_a_message_is_an_error)
{
    static const char *const calls[] = {OLD_CALL(""), NEW_CALL("")};
    char *text = test_alloc(HAFT__LIMIT_MCP_MESSAGE_BYTES);
    memset(text, 'x', HAFT__LIMIT_MCP_MESSAGE_BYTES);
    for (size_t i = 0; i < COUNT(calls); i++) {
        mcp_case c;
        mcp_open(&c);
        mcp_initialize(&c, "{}");
        (void)mcp_receive(&c, calls[i], NULL);
        haft__mcp_request_reply_text(mcp_pop_request(&c), HAFT__LIT(""), false);
        size_t max = HAFT__LIMIT_MCP_MESSAGE_BYTES - (c.sent.len - 1);
        for (size_t more = 0; more <= 1; more++) {
            (void)mcp_receive(&c, calls[i], NULL);
            haft__mcp_request_reply_text(mcp_pop_request(&c), (haft_str){text, max + more}, false);
            haft_str start = {c.sent.ptr, c.sent.len < 300 ? c.sent.len : 300};
            CHECK_INT(mcp_sent_contains(&c, "\"isError\":true"), more, "%.*s", HAFT__ARG(start));
            CHECK_INT(mcp_sent_contains(&c, "the result is too long"), more, "%.*s",
                      HAFT__ARG(start));
            CHECK(mcp_sent_contains(&c, "\"id\":7,"), "%.*s", HAFT__ARG(start));
            CHECK_INT(c.sent.len - 1 == HAFT__LIMIT_MCP_MESSAGE_BYTES, more == 0,
                      "the size of the message");
        }
        (void)mcp_receive(&c, calls[i], NULL);
        haft__mcp_request_reply_text(mcp_pop_request(&c),
                                     (haft_str){text, HAFT__LIMIT_MCP_MESSAGE_BYTES}, false);
        CHECK(mcp_sent_contains(&c, "\"isError\":true"),
              "a text that is too long without its envelope was sent");
        mcp_close(&c);
    }
}

/* Only a tool call has a text result; other methods report it as an error. */
TEST(an_answer_that_exceeds_a_message_is_an_error)
{
    mcp_case c;
    char *text = test_alloc(HAFT__LIMIT_MCP_MESSAGE_BYTES);
    memset(text, ' ', HAFT__LIMIT_MCP_MESSAGE_BYTES);
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    (void)mcp_receive(&c, "{" V "\"id\":7,\"method\":\"prompts/get\",\"params\":{\"name\":\"p\"}}",
                      NULL);
    haft__mcp_request_reply(mcp_pop_request(&c), (haft_str){text, HAFT__LIMIT_MCP_MESSAGE_BYTES});
    CHECK(mcp_sent_contains(
              &c, "\"id\":7,\"error\":{\"code\":-32603,\"message\":\"the result is too long"),
          "%.*s", HAFT__ARG(haft__buf_str(&c.sent)));
    mcp_close(&c);
}

/* A client matches a response by its id. */
TEST(an_answer_has_its_id_even_if_an_allocation_fails)
{
    for (unsigned n = 0;; n++) {
        mcp_case c;
        mcp_open(&c);
        CHECK(haft__buf_reserve(&c.sent, 1 << 16) != NULL, "no memory for the test itself");
        (void)mcp_receive(&c, NEW_CALL(""), NULL);
        haft__mcp_request *mcp_request = mcp_pop_request(&c);
        test_fail_allocations_from(n);
        haft__mcp_request_reply_text(mcp_request, HAFT__LIT("done"), false);
        bool failed = test_allow_allocations();
        CHECK(mcp_sent_contains(&c, "\"id\":7,"), "allocation %u: %.*s", n,
              HAFT__ARG(haft__buf_str(&c.sent)));
        CHECK(failed == !mcp_sent_contains(&c, "done"),
              "allocation %u: the answer is lost without a failure, or sent despite one", n);
        mcp_close(&c);
        if (!failed) {
            CHECK(n > 0, "no allocation failed");
            break;
        }
    }
}

TEST(log_messages_go_only_to_subscribers)
{
    mcp_case c;
    mcp_open(&c);
    (void)mcp_receive(&c, NEW_CALL(""), NULL);
    haft__mcp_request *mcp_request = mcp_pop_request(&c);
    haft__mcp_request_log(mcp_request, HAFT__MCP_LEVEL_EMERGENCY, HAFT__LIT("x"));
    CHECK_INT(c.sent.len, 0, "bytes sent before a level was set");
    haft__mcp_request_reply(mcp_request, HAFT__LIT("\"content\":[]"));
    (void)mcp_receive(&c,
                      "{" V
                      "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\",\"_meta\":{"
                      "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                      "\"io.modelcontextprotocol/clientCapabilities\":{},"
                      "\"io.modelcontextprotocol/logLevel\":\"warning\"}}}",
                      NULL);
    mcp_request = mcp_pop_request(&c);
    haft__mcp_request_log(mcp_request, HAFT__MCP_LEVEL_NOTICE, HAFT__LIT("x"));
    CHECK_INT(c.sent.len, 0, "bytes sent for a message below the level");
    haft__mcp_request_log(mcp_request, HAFT__MCP_LEVEL_WARNING, HAFT__LIT("x"));
    CHECK(mcp_sent_contains(&c, "\"level\":\"warning\",\"logger\":\"s\",\"data\":\"x\""),
          "a message at the level was not sent");
    haft__mcp_request_fail(mcp_request, HAFT__RPC_CAPABILITY, HAFT__LIT("no"),
                           HAFT__LIT("{\"a\":1}"));
    CHECK(mcp_sent_contains(&c, "\"code\":-32021,\"message\":\"no\",\"data\":{\"a\":1}"),
          "the error was not sent");
    CHECK_INT(c.http, 400, "HTTP status of a missing capability");
    mcp_close(&c);
}

TEST(client_capabilities_are_detected)
{
    static const struct {
        const char *can;
        bool form, page;
    } rows[] = {
        {"{}", false, false},
        {"{\"elicitation\":{}}", true, false},
        {"{\"elicitation\":{\"form\":{}}}", true, false},
        {"{\"elicitation\":{\"url\":{}}}", false, true},
        {"{\"elicitation\":{\"form\":{},\"url\":{}}}", true, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        mcp_case c;
        mcp_open(&c);
        mcp_initialize(&c, rows[i].can);
        (void)mcp_receive(&c, OLD_CALL(""), NULL);
        haft__mcp_request *mcp_request = mcp_pop_request(&c);
        CHECK(haft__mcp_request_client_can_elicit(mcp_request, false) == rows[i].form, "%s: a form",
              rows[i].can);
        CHECK(haft__mcp_request_client_can_elicit(mcp_request, true) == rows[i].page, "%s: a page",
              rows[i].can);
        haft__mcp_request_reply(mcp_request, HAFT__LIT(""));
        mcp_close(&c);
    }
}

TEST(changes_are_sent_to_subscribers)
{
    mcp_case c;
    mcp_open(&c);
    (void)mcp_receive(&c,
                      "{" V "\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{" META
                      ",\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":false,"
                      "\"resourcesListChanged\":1,\"other\":true}}}",
                      NULL);
    CHECK(mcp_sent_contains(&c,
                            "\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
                            "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"
                            "\"io.modelcontextprotocol/subscriptionId\":\"s\"}}"),
          "%.*s", HAFT__ARG(haft__buf_str(&c.sent)));
    haft__buf_clear(&c.sent);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_PROMPTS);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_TEMPLATES);
    CHECK_INT(c.sent.len, 0, "bytes sent for a change without a subscription");
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_TOOLS);
    CHECK(mcp_sent_contains(&c, "notifications/tools/list_changed"),
          "a change with a subscription was not sent");
    mcp_initialize(&c, "{}");
    haft__buf_clear(&c.sent);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_PROMPTS);
    CHECK(mcp_sent_contains(
              &c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\"}"),
          "a session was not notified");
    mcp_close(&c);
}
