/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/question.c: requests of servers to a client. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* ping */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\",\"params\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n"},
    /* ping before the connection is open */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"params\":{}}\n",
     "  send $initialize(1)\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n"},
    /* roots */
    {"Lr",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\",\"params\":{}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"roots\":{}},\"clientInfo\":{\"name\":\"haft\",\"version\":"
     "\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[{\"uri\":\"file:///"
     "data\",\"name\":\"data\"},{\"uri\":\"file:///x\"}]}}\n"},
    /* no roots */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\",\"params\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no roots are "
     "configured\"}}\n"},
    /* sampling is declined */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/"
     "createMessage\",\"params\":{\"messages\":[]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"haft does not "
     "offer sampling to servers\"}}\n"},
    /* unknown methods */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"unknown "
     "method\"}}\n"},
    /* a modern server may not ask */
    {"e",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n"
     "get $discovered(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"elicitation/create\",\"params\":{}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
    /* a question */
    {"Le",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"Who\\u202e?\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{\"n\":{\"type\":\"string\"}}}}}\n"
     "accept 1 {\"n\":\"me\"}\n"
     "accept 1 {\"n\":\"me\"}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  question 1  of 1: form 'Who<U+202E>?' "
     "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"action\":\"accept\",\"content\":{\"n\":"
     "\"me\"}}}\n"
     "  done 1 result sent {}\n"},
    /* decline and cancel */
    {"Le",
     "start\n"
     "get $opened(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"b\",\"mode\":\"url\",\"url\":\"http://h/\"}}\n"
     "decline 2\n"
     "dismiss 1\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  question 1  of 0: form 'a' {\"type\":\"object\",\"properties\":{}}\n"
     "  question 2  of 0: url 'b' http://h/\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"action\":\"decline\"}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"cancel\"}}\n"},
    /* the call that a question belongs to */
    {"LeH",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "call b\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n"
     "on 3 "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"b\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n"
     "lost x\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  send $call(3,b) for 2\n"
     "  question 1  of 0: form 'a' {\"type\":\"object\",\"properties\":{}}\n"
     "  question 2  of 2: form 'b' {\"type\":\"object\",\"properties\":{}}\n"
     "  question off 2\n"
     "  done 2 result sent {}\n"
     "  done 1 lost sent the connection to the server was lost: x\n"
     "  question off 1\n"},
    /* a question that is withdrawn */
    {"Le",
     "start\n"
     "get $opened(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "cancelled\",\"params\":{\"requestId\":\"r\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "cancelled\",\"params\":{\"requestId\":\"q\"}}\n"
     "accept 1 {}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  question 1  of 0: form 'a' {\"type\":\"object\",\"properties\":{}}\n"
     "  question off 1\n"},
    /* two questions with one id */
    {"Le",
     "start\n"
     "get $opened(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  question 1  of 0: form 'a' {\"type\":\"object\",\"properties\":{}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"a question "
     "with this id is open\"}}\n"},
    /* questions without a person to answer */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no person is "
     "available to answer questions\"}}\n"},
    /* invalid questions */
    {"Le",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"x\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"x\",\"mode\":\"url\",\"url\":\"javascript:alert(1)\"}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"expected a "
     "string, found null\"}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"expected an "
     "object, found null\"}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"expected an "
     "http or https URL, found 'javascript:alert(1)'\"}}\n"},
    /* a call that is cancelled ends its questions */
    {"Le",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"a\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}\n"
     "cancel 1\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"elicitation\":{\"form\":{},\"url\":{}}},\"clientInfo\":{"
     "\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  question 1  of 1: form 'a' {\"type\":\"object\",\"properties\":{}}\n"
     "  question off 1\n"
     "  done 1 cancelled sent the call was cancelled\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n"},
};

TEST(questions_to_a_client_follow_the_cases)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(questions_to_a_client_survive_every_failed_allocation)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

static size_t ask_many(int count)
{
    haft__mcp_client_options options = test_client_options_of("Le");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event;
    haft__buf text;
    size_t asked = 0;
    haft__buf_init(&text, 1 << 16);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(test_client_play(client,
                               HAFT__LIT("start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                                         "{\"protocolVersion\":\"2025-11-25\"}}\n"),
                               &text),
              HAFT_OK, "open");
    for (int i = 0; i < count; i++) {
        haft__buf_clear(&text);
        haft__buf_addf(&text,
                       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"elicitation/create\","
                       "\"params\":{\"message\":\"x\",\"mode\":\"url\",\"url\":"
                       "\"http://h\"}}",
                       i);
        CHECK_INT(haft__mcp_client_receive(client, 0, haft__buf_str(&text), NULL), HAFT_OK,
                  "receive a question");
        while (haft__mcp_client_next(client, &event)) {
            asked += event.kind == HAFT__MCP_EVENT_QUESTION;
        }
    }
    haft__mcp_client_destroy(client);
    haft__buf_finish(&text);
    return asked;
}

TEST(the_number_of_open_questions_is_bounded)
{
    CHECK_INT(ask_many(HAFT__LIMIT_MCP_QUESTIONS), HAFT__LIMIT_MCP_QUESTIONS, "at the limit");
    CHECK_INT(ask_many(HAFT__LIMIT_MCP_QUESTIONS + 1), HAFT__LIMIT_MCP_QUESTIONS, "past the limit");
}
