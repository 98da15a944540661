/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client_receive.c: messages that make sense, and those that do not. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* progress goes forward */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
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
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":2},\"name\":\"a\"}} for 1\n"
     "  progress 1 0 of 10 'be<U+001B>gins'\n"
     "  progress 1 1e1 of null ''\n"
     "  done 1 result sent {}\n"},
    /* log messages */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"info\",\"logger\":\"l\",\"data\":\"te\\u001bxt\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"error\",\"data\":{\"a\":[1]}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  log info l 'te<U+001B>xt'\n"
     "  log error  '{\"a\":[1]}'\n"
     "  log   'null'\n"},
    /* log messages of a modern server */
    {"",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"info\",\"data\":\"unasked\"}}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}}\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
    /* log messages of a modern server that was asked */
    {"i",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "message\",\"params\":{\"level\":\"info\",\"data\":\"asked\"}}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}}\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  log info  'asked'\n"},
    /* notifications nobody knows */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  log   'null'\n"},
    /* what is no message */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "get Server running on stdio\n"
     "get [1]\n"
     "get \n"
     "get {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  log warning haft '1:1 (byte 0): expected a value, found 'S''\n"
     "  log warning haft 'expected one message, found an array: there are no batches'\n"
     "  log warning haft '1:1 (byte 0): expected a value, found the end of the text'\n"
     "  log warning haft '/method: expected a string, found number'\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,\"message\":\"expected a "
     "string, found number\"}}\n"
     "  log warning haft '/id: expected a string or an integer as the id, found null'\n"},
    /* what is no message, modern */
    {"",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":5}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}}\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  log warning haft '/method: expected a string, found number'\n"},
    /* garbage is told ten times */
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
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
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
    /* after the end nobody listens */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "lost x\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n"
     "fail y\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  failed the server cannot be used: y\n"},
};

TEST(client_receive_steps_happen)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(client_receive_steps_survive_without_memory)
{
    test_client_starve(cases, COUNT(cases));
}

static size_t log_length(int length)
{
    haft__mcp_client_options options = test_client_options_of("L");
    haft__mcp_client *client = NULL;
    haft__mcp_event event = {0};
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    haft__buf_addf(&text,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                   "{\"data\":\"%0*d\"}}",
                   length, 1);
    CHECK_INT(haft__mcp_client_receive(client, 0, haft__buf_str(&text), NULL), HAFT_OK, "log");
    CHECK(haft__mcp_client_next(client, &event) && event.kind == HAFT__MCP_EVENT_LOG, "told");
    bool cut = haft__str_ends(event.log.text, HAFT__LIT("..."));
    size_t found = cut ? 0 : event.log.text.len;
    haft__mcp_client_destroy(client);
    haft__buf_finish(&text);
    return found;
}

TEST(a_log_message_is_cut_where_it_gets_long)
{
    CHECK_INT(log_length(HAFT__LIMIT_MCP_LOG_BYTES), HAFT__LIMIT_MCP_LOG_BYTES, "at the limit");
    CHECK_INT(log_length(HAFT__LIMIT_MCP_LOG_BYTES + 1), 0, "past it");
}

TEST(a_message_that_is_too_big_is_not_even_copied)
{
    haft__mcp_client_options options = test_client_options_of("L");
    haft__mcp_client *client = NULL;
    size_t size = HAFT__LIMIT_MCP_MESSAGE_BYTES + 1;
    char *text = test_alloc(size);
    memset(text, ' ', size);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(haft__mcp_client_receive(client, 0, (haft_str){text, size}, NULL), HAFT_OK, "big");
    CHECK_INT(haft__mcp_client_counts(client).faults, 1, "it is a fault");
    haft__mcp_client_destroy(client);
}
