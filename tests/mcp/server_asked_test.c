/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server_asked.c: progress, log, questions and answers of a request. */
#include "base/limits.h"
#include "server_help.h"
#include "json/read.h"

#define V "\"jsonrpc\":\"2.0\","
#define OLD_CALL(more)                                                                             \
    "{" V "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"" more "}}"
#define NEW_CALL(more)                                                                             \
    "{" V "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"," META more "}}"

static const haft__mcp_question one = {
    .key = {"k", 1}, .method = {"elicitation/create", 18}, .params = {"{\"a\":1}", 7}};

static haft__mcp_asked *take_held(mcp_case *c)
{
    if (c->held_count == 0) {
        CHECK(false, "nothing is under way");
        abort();
    }
    return c->held[--c->held_count];
}

TEST(progress_goes_on_only)
{
    mcp_case c;
    mcp_open(&c);
    mcp_greet(&c, "{}");
    (void)mcp_take(&c, OLD_CALL(",\"_meta\":{\"progressToken\":\"p\"}"), NULL);
    haft__mcp_asked *asked = take_held(&c);
    static const uint64_t steps[] = {0, 0, 5, 3, 5, 6};
    for (size_t i = 0; i < COUNT(steps); i++) {
        haft__mcp_asked_progress(asked, steps[i], 10, HAFT__LIT("so far"));
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
              "each step once");
    haft__mcp_asked_say(asked, HAFT__LIT("a\"b"), true);
    CHECK(mcp_sent(&c, "{\"type\":\"text\",\"text\":\"a\\\"b\"}],\"isError\":true}"), "the answer");
    mcp_close(&c);
}

TEST(progress_that_nobody_wants)
{
    static const char *const tokens[] = {"",
                                         ",\"_meta\":{}",
                                         ",\"_meta\":{\"progressToken\":null}",
                                         ",\"_meta\":{\"progressToken\":1.5}",
                                         ",\"_meta\":{\"progressToken\":{}}",
                                         ",\"_meta\":3"};
    mcp_case c;
    mcp_open(&c);
    mcp_greet(&c, "{}");
    for (size_t i = 0; i < COUNT(tokens); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), OLD_CALL("%s"), tokens[i]);
        (void)mcp_take(&c, text, NULL);
        haft__mcp_asked *asked = take_held(&c);
        haft__mcp_asked_progress(asked, 1, 0, HAFT__LIT(""));
        CHECK_INT(c.sent.len, 0, "%s", tokens[i]);
        haft__mcp_asked_answer(asked, HAFT__LIT(""));
    }
    mcp_close(&c);
}

TEST(the_log_is_for_those_who_want_it)
{
    mcp_case c;
    mcp_open(&c);
    (void)mcp_take(&c, NEW_CALL(""), NULL);
    haft__mcp_asked *asked = take_held(&c);
    haft__mcp_asked_log(asked, HAFT__MCP_EMERGENCY, HAFT__LIT("x"));
    CHECK_INT(c.sent.len, 0, "no level was named");
    haft__mcp_asked_answer(asked, HAFT__LIT("\"content\":[]"));
    (void)mcp_take(&c,
                   "{" V
                   "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\",\"_meta\":{"
                   "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                   "\"io.modelcontextprotocol/clientCapabilities\":{},"
                   "\"io.modelcontextprotocol/logLevel\":\"warning\"}}}",
                   NULL);
    asked = take_held(&c);
    haft__mcp_asked_log(asked, HAFT__MCP_NOTICE, HAFT__LIT("x"));
    CHECK_INT(c.sent.len, 0, "it is not bad enough");
    haft__mcp_asked_log(asked, HAFT__MCP_WARNING, HAFT__LIT("x"));
    CHECK(mcp_sent(&c, "\"level\":\"warning\",\"logger\":\"s\",\"data\":\"x\""), "this is");
    haft__mcp_asked_fail(asked, HAFT__RPC_CAPABILITY, HAFT__LIT("no"), HAFT__LIT("{\"a\":1}"));
    CHECK(mcp_sent(&c, "\"code\":-32021,\"message\":\"no\",\"data\":{\"a\":1}"), "the error");
    CHECK_INT(c.http, 400, "of a capability");
    mcp_close(&c);
}

TEST(questions_with_a_handshake)
{
    mcp_case c;
    mcp_open(&c);
    mcp_greet(&c, "{\"elicitation\":{}}");
    (void)mcp_take(&c, OLD_CALL(""), NULL);
    haft__mcp_asked *asked = c.held[0];
    CHECK(haft__mcp_asked_can(asked, "elicitation"), "it can be asked");
    CHECK(!haft__mcp_asked_can(asked, "sampling"), "not for that");
    haft__mcp_question two[] = {one, one};
    two[1].key = HAFT__LIT("l");
    haft__mcp_asked_ask(asked, two, 2, HAFT__LIT("state"), c.now);
    CHECK(mcp_sent(&c, "\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"a\":1}"), "first");
    CHECK(mcp_sent(&c, "\"id\":2,\"method\":\"elicitation/create\""), "second");
    (void)mcp_take(&c, "{" V "\"id\":3,\"result\":{}}", NULL);
    (void)mcp_take(&c, "{" V "\"id\":\"1\",\"result\":{}}", NULL);
    (void)mcp_take(&c, "{" V "\"id\":2,\"result\":{\"action\":\"accept\"}}", NULL);
    (void)mcp_take(&c, "{" V "\"id\":2,\"result\":{\"action\":\"decline\"}}", NULL);
    CHECK_INT(c.went_on, 0, "one is missing");
    (void)mcp_take(&c, "{" V "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}", NULL);
    CHECK_INT(c.went_on, 1, "all are there");
    const haft__json *none = haft__json_get(asked->answers, HAFT__LIT("k"));
    const haft__json *some = haft__json_get(asked->answers, HAFT__LIT("l"));
    CHECK(none != NULL && none->kind == HAFT__JSON_NULL, "an error is no answer");
    CHECK(some != NULL && haft__json_get(*some, HAFT__LIT("action")) != NULL, "this is one");
    CHECK_STR(asked->state, HAFT__LIT("state"), "it is kept here");
    (void)mcp_take(&c, "{" V "\"id\":1,\"result\":{}}", NULL);
    CHECK_INT(c.went_on, 1, "too late");
    c.held_count--;
    haft__mcp_asked_answer(asked, HAFT__LIT("\"content\":[]"));
    mcp_close(&c);
}

/* The state of the question that was sent last. */
static haft_str take_state(const mcp_case *c)
{
    haft_str text = haft__buf_str(&c->sent), key = HAFT__LIT("\"requestState\":\"");
    for (size_t i = 0; i + key.len < text.len; i++) {
        if (memcmp(text.ptr + i, key.ptr, key.len) == 0) {
            haft_str rest = haft__str_skip(text, i + key.len);
            haft_str state = haft__str_split(&rest, '"');
            char *copy = test_alloc(state.len + 1);
            memcpy(copy, state.ptr, state.len);
            copy[state.len] = '\0';
            return (haft_str){copy, state.len};
        }
    }
    return HAFT__LIT("");
}

static void call_with(mcp_case *c, const char *name, const char *arguments, haft_str state)
{
    char text[2048];
    (void)snprintf(text, sizeof(text),
                   "{" V "\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                   "\"arguments\":%s,\"inputResponses\":{\"k\":{}},\"requestState\":\"%.*s\"," META
                   "}}",
                   name, arguments, HAFT__ARG(state));
    (void)mcp_take(c, text, NULL);
}

TEST(questions_without_a_handshake)
{
    mcp_case c;
    mcp_open(&c);
    (void)mcp_take(&c, NEW_CALL(",\"arguments\":{\"x\":1,\"y\":2}"), NULL);
    haft__mcp_asked_ask(take_held(&c), &one, 1, HAFT__LIT("my state"), c.now);
    CHECK(mcp_sent(&c, "\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{\"method\":"
                       "\"elicitation/create\",\"params\":{\"a\":1}}}"),
          "the question");
    haft_str state = take_state(&c);
    CHECK(state.len > 0, "the state");
    call_with(&c, "t0", "{\"y\":2,\"x\":1.0}", state);
    haft__mcp_asked *asked = take_held(&c);
    CHECK_STR(asked->state, HAFT__LIT("my state"), "it comes back, for the same arguments");
    CHECK(haft__json_get(asked->answers, HAFT__LIT("k")) != NULL, "with the answers");
    haft__mcp_asked_answer(asked, HAFT__LIT(""));
    call_with(&c, "t1", "{\"x\":1,\"y\":2}", state);
    CHECK(mcp_sent(&c, "-32602"), "for another tool");
    call_with(&c, "t0", "{\"x\":1}", state);
    CHECK(mcp_sent(&c, "-32602"), "for other arguments");
    c.now += HAFT__LIMIT_MCP_STATE_MS;
    call_with(&c, "t0", "{\"x\":1,\"y\":2}", state);
    CHECK_INT(c.held_count, 1, "just in time");
    haft__mcp_asked_answer(take_held(&c), HAFT__LIT(""));
    c.now++;
    call_with(&c, "t0", "{\"x\":1,\"y\":2}", state);
    CHECK(mcp_sent(&c, "-32602"), "a millisecond too late");
    mcp_close(&c);
}

TEST(changes_are_told_to_those_who_listen)
{
    mcp_case c;
    mcp_open(&c);
    (void)mcp_take(&c,
                   "{" V "\"id\":\"s\",\"method\":\"subscriptions/listen\",\"params\":{" META
                   ",\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":false,"
                   "\"resourcesListChanged\":1,\"other\":true}}}",
                   NULL);
    CHECK(mcp_sent(&c, "\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
                       "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"
                       "\"io.modelcontextprotocol/subscriptionId\":\"s\"}}"),
          "%.*s", HAFT__ARG(haft__buf_str(&c.sent)));
    haft__buf_clear(&c.sent);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_PROMPTS);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_TEMPLATES);
    CHECK_INT(c.sent.len, 0, "nobody asked for those");
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_TOOLS);
    CHECK(mcp_sent(&c, "notifications/tools/list_changed"), "but for these");
    mcp_greet(&c, "{}");
    haft__buf_clear(&c.sent);
    haft__mcp_server_changed(c.server, HAFT__MCP_LIST_PROMPTS);
    CHECK(mcp_sent(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\"}"),
          "a session is told");
    mcp_close(&c);
}
