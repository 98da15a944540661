/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/question.c: questions to the client, and its answers. */
#include "base/limits.h"
#include "mcp/server_help.h"

#define V "\"jsonrpc\":\"2.0\","
#define OLD_CALL(more)                                                                             \
    "{" V "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"" more "}}"
#define NEW_CALL(more)                                                                             \
    "{" V "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t0\"," META more "}}"

static const haft__mcp_server_question one = {
    .key = {"k", 1}, .method = {"elicitation/create", 18}, .params = {"{\"a\":1}", 7}};

TEST(questions_with_a_handshake_are_requests)
{
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{\"elicitation\":{}}");
    (void)mcp_receive(&c, OLD_CALL(""), NULL);
    haft__mcp_request *mcp_request = c.open[0];
    CHECK(haft__mcp_request_client_supports(mcp_request, "elicitation"),
          "the client does not support elicitation");
    CHECK(!haft__mcp_request_client_supports(mcp_request, "sampling"),
          "the client supports sampling");
    haft__mcp_server_question two[] = {one, one};
    two[1].key = HAFT__LIT("l");
    haft__mcp_request_ask(mcp_request, two, 2, HAFT__LIT("state"), c.now);
    CHECK(mcp_sent_contains(&c, "\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"a\":1}"),
          "the first question was not sent");
    CHECK(mcp_sent_contains(&c, "\"id\":2,\"method\":\"elicitation/create\""),
          "the second question was not sent");
    (void)mcp_receive(&c, "{" V "\"id\":3,\"result\":{}}", NULL);
    (void)mcp_receive(&c, "{" V "\"id\":\"1\",\"result\":{}}", NULL);
    (void)mcp_receive(&c, "{" V "\"id\":2,\"result\":{\"action\":\"accept\"}}", NULL);
    (void)mcp_receive(&c, "{" V "\"id\":2,\"result\":{\"action\":\"decline\"}}", NULL);
    CHECK_INT(c.resumed, 1, "times that the handler was resumed: after the first valid answer");
    CHECK_INT(haft__mcp_request_open_questions(mcp_request), 1, "open questions");
    CHECK(haft__json_get(mcp_request->answers, HAFT__LIT("k")) == NULL,
          "the missing answer exists");
    (void)mcp_receive(&c, "{" V "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}", NULL);
    CHECK_INT(c.resumed, 2, "times that the handler was resumed: after both answers");
    CHECK_INT(haft__mcp_request_open_questions(mcp_request), 0, "open questions");
    const haft__json *none = haft__json_get(mcp_request->answers, HAFT__LIT("k"));
    const haft__json *some = haft__json_get(mcp_request->answers, HAFT__LIT("l"));
    CHECK(none != NULL && none->kind == HAFT__JSON_NULL, "an error counts as an answer");
    CHECK(some != NULL && haft__json_get(*some, HAFT__LIT("action")) != NULL,
          "the answer is missing");
    CHECK_STR(mcp_request->state, HAFT__LIT("state"), "the state that the server keeps");
    (void)mcp_receive(&c, "{" V "\"id\":1,\"result\":{}}", NULL);
    CHECK_INT(c.resumed, 2, "times that the handler was resumed: an answer that is too late");
    c.open_count--;
    haft__mcp_request_reply(mcp_request, HAFT__LIT("\"content\":[]"));
    CHECK(!mcp_sent_contains(&c, "notifications/cancelled"),
          "a question that is not open was cancelled");
    mcp_close(&c);
}

#define CANCELLED(id) "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id ","

/* The handler gives all open questions: others are withdrawn, and no question is asked twice. */
TEST(questions_that_are_not_repeated_are_withdrawn)
{
    static const struct {
        const char *name, *keys, *sent, *not_sent; /* `keys`: a letter for each question */
    } rounds[] = {
        {"two", "ab", "\"id\":2,", "cancelled"},
        {"one goes", "b", CANCELLED("1"), CANCELLED("2")},
        {"nothing new", "b", "", "elicitation/create"},
        {"another comes first", "cb", "\"id\":3,", "cancelled"},
        {"all are others", "de", CANCELLED("2"), CANCELLED("1")},
        {"none is left", "", CANCELLED("5"), "elicitation/create"},
        {"the first again", "a", "\"id\":6,", "cancelled"},
    };
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{\"elicitation\":{}}");
    (void)mcp_receive(&c, OLD_CALL(""), NULL);
    haft__mcp_request *mcp_request = c.open[0];
    for (size_t i = 0; i < COUNT(rounds); i++) {
        haft__mcp_server_question questions[] = {one, one};
        size_t count = strlen(rounds[i].keys);
        for (size_t k = 0; k < count; k++) {
            questions[k].key = (haft_str){rounds[i].keys + k, 1};
        }
        haft__buf_clear(&c.sent);
        haft__mcp_request_ask(mcp_request, questions, count, HAFT__LIT("s"), c.now);
        CHECK(mcp_sent_contains(&c, rounds[i].sent) && !mcp_sent_contains(&c, rounds[i].not_sent),
              "%s: %.*s", rounds[i].name, HAFT__ARG(haft__buf_str(&c.sent)));
        CHECK_INT(haft__mcp_request_open_questions(mcp_request), count, "%s", rounds[i].name);
    }
    (void)mcp_receive(&c, "{" V "\"id\":2,\"result\":{\"action\":\"accept\"}}", NULL);
    CHECK_INT(c.resumed, 0,
              "times that the handler was resumed: an answer to a withdrawn question");
    (void)mcp_receive(&c, "{" V "\"id\":6,\"result\":{\"action\":\"cancel\"}}", NULL);
    haft__mcp_server_question again = one;
    again.key = HAFT__LIT("a");
    haft__buf_clear(&c.sent);
    haft__mcp_request_ask(mcp_request, &again, 1, HAFT__LIT("s"), c.now);
    CHECK_INT(c.sent.len, 0, "bytes sent: an answered question was asked again: %.*s",
              HAFT__ARG(haft__buf_str(&c.sent)));
    mcp_close(&c);
}

/* The questions of a request end with it, in each way in which a request can end. */
TEST(questions_end_with_their_request)
{
    static const char *const cancel = "{" V "\"method\":\"notifications/cancelled\",\"params\":{"
                                      "\"requestId\":7}}";
    for (int way = 0; way < 3; way++) {
        mcp_case c;
        mcp_open(&c);
        mcp_initialize(&c, "{\"elicitation\":{}}");
        (void)mcp_receive(&c, OLD_CALL(""), NULL);
        haft__mcp_request_ask(c.open[0], &one, 1, HAFT__LIT("s"), c.now);
        haft__buf_clear(&c.sent);
        if (way == 0) {
            haft__mcp_request_reply_text(mcp_pop_request(&c), HAFT__LIT("done"), false);
        } else if (way == 1) {
            haft__mcp_request_fail(mcp_pop_request(&c), HAFT__RPC_INTERNAL, HAFT__LIT("no"),
                                   HAFT__LIT(""));
        } else {
            (void)mcp_receive(&c, cancel, NULL);
        }
        haft_str sent = haft__buf_str(&c.sent);
        CHECK(mcp_sent_contains(&c, CANCELLED("1")), "end %d: %.*s", way, HAFT__ARG(sent));
        haft_str first = haft__str_split(&sent, '\n');
        CHECK(memmem(first.ptr, first.len, "cancelled", 9) != NULL,
              "end %d: the question was not cancelled before the answer", way);
        mcp_close(&c);
    }
}

/* The state of the last question. */
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
    (void)mcp_receive(c, text, NULL);
}

TEST(questions_without_a_handshake_are_results)
{
    mcp_case c;
    mcp_open(&c);
    (void)mcp_receive(&c, NEW_CALL(",\"arguments\":{\"x\":1,\"y\":2}"), NULL);
    haft__mcp_request_ask(mcp_pop_request(&c), &one, 1, HAFT__LIT("my state"), c.now);
    CHECK(mcp_sent_contains(
              &c, "\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{\"method\":"
                  "\"elicitation/create\",\"params\":{\"a\":1}}}"),
          "the question was not sent");
    haft_str state = take_state(&c);
    CHECK(state.len > 0, "the response has no state");
    call_with(&c, "t1", "{\"x\":1,\"y\":2}", state);
    CHECK(mcp_sent_contains(&c, "-32602"), "the state was accepted for another tool");
    haft__buf_clear(&c.sent);
    call_with(&c, "t0", "{\"x\":1}", state);
    CHECK(mcp_sent_contains(&c, "-32602"), "the state was accepted for other arguments");
    c.now += HAFT__LIMIT_MCP_STATE_MS;
    call_with(&c, "t0", "{\"y\":2,\"x\":1.0}", state); /* just before it expires */
    haft__mcp_request *mcp_request = mcp_pop_request(&c);
    CHECK_STR(mcp_request->state, HAFT__LIT("my state"), "the state for the same arguments");
    CHECK(haft__json_get(mcp_request->answers, HAFT__LIT("k")) != NULL, "the answers are missing");
    haft__mcp_request_reply(mcp_request, HAFT__LIT(""));
    haft__buf_clear(&c.sent);
    call_with(&c, "t0", "{\"x\":1,\"y\":2}", state);
    CHECK(mcp_sent_contains(&c, "the state was used before"), "the state was accepted twice");
    (void)mcp_receive(&c, NEW_CALL(""), NULL);
    haft__mcp_request_ask(mcp_pop_request(&c), &one, 1, HAFT__LIT("my state"), c.now);
    state = take_state(&c);
    c.now += HAFT__LIMIT_MCP_STATE_MS + 1;
    haft__buf_clear(&c.sent);
    call_with(&c, "t0", "{}", state);
    CHECK(mcp_sent_contains(&c, "or it has expired"),
          "the state was accepted a millisecond too late");
    mcp_close(&c);
}

/* A question that cannot be sent gets no answer: the call ends with an error, and its handler is
 * notified. */
TEST(a_question_that_cannot_be_sent_ends_the_call)
{
    static const char *const calls[] = {OLD_CALL(""), NEW_CALL("")};
    char *text = test_alloc(HAFT__LIMIT_MCP_MESSAGE_BYTES);
    memset(text, ' ', HAFT__LIMIT_MCP_MESSAGE_BYTES);
    for (size_t i = 0; i < COUNT(calls); i++) {
        mcp_case c;
        mcp_open(&c);
        mcp_initialize(&c, "{\"elicitation\":{}}");
        haft__mcp_server_question huge[] = {
            {HAFT__LIT("a"), HAFT__LIT("elicitation/create"), HAFT__LIT("{}")},
            {HAFT__LIT("b"),
             HAFT__LIT("elicitation/create"),
             {text, HAFT__LIMIT_MCP_MESSAGE_BYTES}}};
        (void)mcp_receive(&c, calls[i], NULL);
        haft__mcp_request *mcp_request = i == 0 ? c.open[0] : mcp_pop_request(&c);
        haft__mcp_request_ask(mcp_request, huge, 2, HAFT__LIT("s"), c.now);
        CHECK(mcp_sent_contains(&c, "\"id\":7,\"error\"")
                  && mcp_sent_contains(&c, "a question is too long"),
              "%.*s", HAFT__ARG(haft__buf_str(&c.sent)));
        CHECK_INT(c.dropped, i == 0,
                  "dropped requests: with a handshake, the request was still open");
        mcp_close(&c);
    }
}

/* If an allocation fails, the result is the same. */
TEST(a_failed_allocation_of_a_question_ends_the_call)
{
    for (unsigned n = 0;; n++) {
        mcp_case c;
        mcp_open(&c);
        mcp_initialize(&c, "{\"elicitation\":{}}");
        CHECK(haft__buf_reserve(&c.sent, 1 << 16) != NULL, "no memory for the test itself");
        (void)mcp_receive(&c, OLD_CALL(""), NULL);
        test_fail_allocation(n);
        haft__mcp_request_ask(c.open[0], &one, 1, HAFT__LIT("s"), c.now);
        bool failed = test_allow_allocations();
        CHECK_INT(mcp_sent_contains(&c, "\"id\":7,\"error\""), failed, "allocation %u: %.*s", n,
                  HAFT__ARG(haft__buf_str(&c.sent)));
        CHECK_INT(c.dropped, failed, "allocation %u", n);
        mcp_close(&c);
        if (!failed) {
            CHECK(n > 0, "no allocation failed");
            break;
        }
    }
}

/* HAFT__LIMIT_MCP_STATES: the maximum of open questions; beyond it the oldest cannot be
 * answered. None can be answered twice, whatever came in between. */
TEST(open_questions_without_a_handshake_are_bounded)
{
    for (int more = 0; more <= 1; more++) {
        mcp_case c;
        haft_str first = HAFT__LIT("");
        mcp_open(&c);
        for (int i = 0; i < HAFT__LIMIT_MCP_STATES + more; i++) {
            haft__buf_clear(&c.sent);
            (void)mcp_receive(&c, NEW_CALL(""), NULL);
            haft__mcp_request_ask(mcp_pop_request(&c), &one, 1, HAFT__LIT("s"), c.now);
            first = i == 0 ? take_state(&c) : first;
        }
        haft_str last = take_state(&c);
        for (int again = 0; again <= 1; again++) {
            haft__buf_clear(&c.sent);
            call_with(&c, "t0", "{}", first);
            bool taken = c.open_count == 1;
            CHECK(taken == (more == 0 && again == 0),
                  "the first question, %d more questions, repeated %d", more, again);
            if (taken) {
                haft__mcp_request_reply(mcp_pop_request(&c), HAFT__LIT(""));
            }
        }
        call_with(&c, "t0", "{}", last);
        CHECK_INT(c.open_count, 1, "open requests: the last question can be answered");
        haft__mcp_request_reply(mcp_pop_request(&c), HAFT__LIT(""));
        mcp_close(&c);
    }
}
