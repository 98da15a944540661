/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/receive.c: valid and invalid messages. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* progress increases */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":0,\"total\":10,\"message\":"
     "\"be\\u001bgins\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":0}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":1e1,\"total\":\"x\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":2}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":\"11\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":"
     "10000000000000000000000000000000000000000000000000000000000000000000000}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":3,\"progress\":1}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":\"2\",\"progress\":12}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "progress\",\"params\":{\"progressToken\":2,\"progress\":12}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  progress 1 0 of 10 'be<U+001B>gins'\n"
     "  progress 1 1e1 of null ''\n"
     "  done 1 result sent {}\n"},
    /* log messages */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"info\",\"logger\":\"l\",\"data\":\"te\\u001bxt\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"error\",\"data\":{\"a\":[1]}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  log info l 'te<U+001B>xt'\n"
     "  log error  '{\"a\":[1]}'\n"
     "  log   'null'\n"},
    /* log messages of a modern server */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"info\",\"data\":\"unasked\"}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
    /* log messages of a modern server, if the client requests them */
    {"i",
     "start\n"
     "get $discovered(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"info\",\"data\":\"asked\"}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  log info  'asked'\n"},
    /* unknown notifications */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  log   'null'\n"},
    /* not a message */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get Server running on stdio\n"
     "get [1]\n"
     "get \n"
     "get {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'S''\n"
     "  log warning haft 'expected one message, found an array: batches are not supported'\n"
     "  log warning haft '1:1 (byte 0): expected a value, found the end of the text'\n"
     "  log warning haft '/method: expected a string, found number'\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,\"message\":\"expected a "
     "string, found number\"}}\n"
     "  log warning haft '/id: expected a string or an integer as the id, found null'\n"},
    /* not a message, modern */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  log warning haft '/method: expected a string, found number'\n"},
    /* garbage is reported ten times */
    {"L",
     "start\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n"
     "get x\n",
     "  send $initialize(1)\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'x''\n"},
    /* after the end, messages are ignored */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "lost x\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n"
     "fail y\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  failed the server cannot be used: y\n"},
};

TEST(messages_to_a_client_follow_the_cases)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(messages_to_a_client_survive_every_failed_allocation)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

static size_t log_length(int length)
{
    haft__mcp_client_options options = test_client_options_of("L");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event = {0};
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    haft__buf_addf(&text,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                   "{\"data\":\"%0*d\"}}",
                   length, 1);
    CHECK_INT(haft__mcp_client_receive(client, 0, haft__buf_str(&text), NULL), HAFT_OK,
              "receive a log message");
    CHECK(haft__mcp_client_next(client, &event) && event.kind == HAFT__MCP_EVENT_LOG,
          "the message was not reported");
    bool cut = haft__str_ends_with(event.log.text, HAFT__LIT("..."));
    size_t found = cut ? 0 : event.log.text.len;
    haft__mcp_client_destroy(client);
    haft__buf_finish(&text);
    return found;
}

TEST(a_long_log_message_is_cut)
{
    CHECK_INT(log_length(HAFT__LIMIT_MCP_LOG_BYTES), HAFT__LIMIT_MCP_LOG_BYTES, "at the limit");
    CHECK_INT(log_length(HAFT__LIMIT_MCP_LOG_BYTES + 1), 0, "past the limit");
}

TEST(a_message_that_is_too_big_is_not_copied)
{
    haft__mcp_client_options options = test_client_options_of("L");
    haft__mcp_client *client = NULL;
    size_t size = HAFT__LIMIT_MCP_MESSAGE_BYTES + 1;
    char *text = test_alloc(size);
    memset(text, ' ', size);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(haft__mcp_client_receive(client, 0, (haft_str){text, size}, NULL), HAFT_OK,
              "receive a message that is too big");
    haft__mcp_client_event event = {0};
    CHECK(haft__mcp_client_next(client, &event) && event.kind == HAFT__MCP_EVENT_LOG,
          "the message was not reported");
    haft__mcp_client_destroy(client);
}

/* ---- invalid responses ---- */

#define OPEN                                                                                       \
    "start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"                    \
    "\"2025-11-25\",\"capabilities\":{\"tools\":{}}}}\n"
#define J "{\"jsonrpc\":\"2.0\","

/* Whether the output of the steps after OPEN contains `wanted`. */
static bool output_contains(const char *letters, const char *steps, const char *wanted)
{
    haft__mcp_client_options options = test_client_options_of(letters);
    haft__mcp_client *client = NULL;
    haft__buf log;
    haft__buf_init(&log, 1 << 20);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(test_client_play(client, haft__str(steps), &log), HAFT_OK, "%s", steps);
    bool found = memmem(log.ptr, log.len, wanted, strlen(wanted)) != NULL;
    if (!found) {
        printf("# %.*s\n", HAFT__ARG(haft__buf_str(&log)));
    }
    haft__mcp_client_destroy(client);
    haft__buf_finish(&log);
    return found;
}

/* An invalid response is the response: the call does not wait for another one. */
TEST(an_invalid_response_ends_its_call)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {J "\"id\":2}", "found neither a method nor a result or error"},
        {"{\"id\":2}", "found neither a method nor a result or error"},
        {J "\"id\":2,\"result\":7}", "/result: expected an object, found number"},
        {J "\"id\":2,\"result\":null}", "/result: expected an object, found null"},
        {J "\"id\":2,\"error\":{}}", "/error/code: expected an integer of 64 bits, found nothing"},
        {J "\"id\":2,\"error\":{\"code\":\"x\",\"message\":\"m\"}}", "/error/code: expected"},
        {J "\"id\":2,\"error\":{\"code\":1}}", "/error/message: expected a string, found nothing"},
        {J "\"id\":2,\"error\":\"no\"}", "/error: expected an object, found string"},
        {J "\"id\":2,\"error\":null}", "/error: expected an object, found null"},
        {J "\"id\":2,\"result\":{},\"error\":{\"code\":1,\"message\":\"m\"}}", "found both"},
        {J "\"id\":2,\"method\":\"m\",\"result\":{}}", "found a method together with a result"},
        {"{\"id\":2,\"result\":{}}", "/jsonrpc: expected \"2.0\", found nothing"},
        {J "\"id\":\"2\",\"result\":{}}", "its id is a string, and that of the request a number"},
        {J "\"id\":2.5,\"result\":{}}", "/id: expected an integer"},
        {J "\"id\":[2],\"result\":{}}", "/id: expected a string or an integer"},
        {J "\"id\":null,\"result\":{}}", "/id: expected the id of a request, found null"},
        {J "\"result\":{}}", "/id: expected the id of a request, found nothing"},
        {J "\"id\":2,\"result\":{\"x\":NaN}}", "expected a value"},
        {J "\"id\":2,\"result\":{\"x\":\"\xff\"}}", "UTF-8"},
        {J "\"id\":2,\"result\":{\"content\":[", "the end"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char steps[1024], wanted[256];
        (void)snprintf(steps, sizeof(steps), OPEN "call a\nget %s\n", rows[i].text);
        CHECK(output_contains(
                  "L", steps,
                  "done 1 error sent 0 http 0 null the server sent an answer that is not valid"),
              "%s", rows[i].text);
        (void)snprintf(wanted, sizeof(wanted), "%s", rows[i].why);
        CHECK(output_contains("L", steps, wanted), "%s", rows[i].text);
        (void)snprintf(steps, sizeof(steps), OPEN "call a\non 2 %s\n", rows[i].text);
        CHECK(output_contains("Lh", steps, "not valid: "), "over HTTP: %s", rows[i].text);
    }
}

/* An error without an id belongs to the only request that is open. */
TEST(an_error_without_an_id_belongs_to_the_only_request)
{
#define LOST J "\"id\":null,\"error\":{\"code\":-32700,\"message\":\"what?\"}}\n"
    static const struct {
        const char *options, *steps, *wanted;
    } rows[] = {
        {"L", OPEN "call a\nget " LOST, "done 1 error sent -32700"},
        {"L", "start\nget " LOST, "failed the server rejected initialize: what?"},
        {"", "start\nget " LOST, "\"method\":\"initialize\""},
        {"Lh", OPEN "call a\ncall b\non 3 " LOST, "done 2 error sent -32700"},
        {"Lh", OPEN "list\non 2 " LOST, "tools 0 error what?"},
        /* ambiguous: a second call, a response to a notification */
        {"L", OPEN "call a\ncall b\nget " LOST "get " J "\"id\":2,\"result\":{}}\n",
         "done 1 result"},
        {"L", OPEN "list\nget " LOST "get " J "\"id\":2,\"result\":{\"tools\":[]}}\n", "tools 0\n"},
        {"L", OPEN "call a\ncall b\ncancel 1 no\nget " LOST "get " J "\"id\":3,\"result\":{}}\n",
         "done 2 result"},
        /* a message that is not a response */
        {"L",
         OPEN "call a\nget {\"level\":30,\nget {}\nget " J "\nget " J "\"method\":\"x\",\nget " J
              "\"id\":2,\"result\":{}}\n",
         "done 1 "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK(output_contains(rows[i].options, rows[i].steps, rows[i].wanted), "%s", rows[i].steps);
    }
}

/* Whether the output contains `wanted` if a response that is too deep follows the steps `begin`. */
static bool deep_response_causes(const char *begin, const char *wanted)
{
    haft__buf steps;
    haft__buf_init(&steps, 1 << 20);
    haft__buf_addf(&steps, "%sget " J "\"id\":2,\"result\":{\"x\":", begin);
    for (int i = 0; i < HAFT__LIMIT_MCP_DEPTH; i++) {
        haft__buf_add_char(&steps, '[');
    }
    haft__buf_add_char(&steps, '\n');
    haft__buf_add_char(&steps, '\0');
    bool found = output_contains("L", steps.ptr, wanted);
    haft__buf_finish(&steps);
    return found;
}

TEST(a_response_that_nests_too_deep_ends_its_request)
{
    CHECK(deep_response_causes(OPEN "call a\n", "done 1 error sent 0 http 0 null"), "a call");
    CHECK(deep_response_causes(OPEN "call a\ncall b\n", "done 1 error sent 0 http 0 null"),
          "one of two calls");
    CHECK(deep_response_causes(OPEN "list\n", "tools 0 error 1:165 (byte 164): expected at most"),
          "a list");
    CHECK(deep_response_causes(OPEN "list\ncall a\n",
                               "tools 0 error 1:165 (byte 164): expected at most"),
          "a list next to a call");
}
