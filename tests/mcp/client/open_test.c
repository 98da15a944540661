/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/open.c: the era of a server, and the negotiated version. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* a modern server */
    {"",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2024-01-01\",\"2026-07-"
     "28\"],\"capabilities\":{\"tools\":{}},\"instructions\":\"Be\\u202e "
     "kind.\",\"_meta\":{\"io.modelcontextprotocol/"
     "serverInfo\":{\"name\":\"n\",\"version\":\"2\"}}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 'n' '2' 'Be<U+202E> kind.' tools\n"},
    /* a modern server without tools gets no request for them */
    {"",
     "start\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2026-07-28\"],"
     "\"capabilities\":{}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' ''\n"
     "  tools 0\n"},
    /* modern errors to the probe */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32021,\"message\":\"cap\"}}\n"
     "lost x\n"
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32020,\"message\":\"head\"}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $discover(2)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
    /* another version is offered */
    {"",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2025-06-18\",\"1999-01-01\"]}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-06-18\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n",
     "  send $discover(1)\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2025-06-18 's' '1' '' tools\n"},
    /* a modern server with another version */
    {"",
     "start\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2030-01-01\"]}}}\n",
     "  send $discover(1)\n"
     "  done 1 error 0 http 0 null the server supports no version of MCP that haft supports (haft "
     "supports 2026-07-28 and, with initialize, 2025-11-25 and older)\n"
     "  failed the server supports no version of MCP that haft supports (haft supports 2026-07-28 "
     "and, "
     "with initialize, 2025-11-25 and older)\n"},
    /* a modern server with another version, as a result */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":[\"2030-01-01\"]}}\n",
     "  send $discover(1)\n"
     "  failed the server supports no version of MCP that haft supports (haft supports 2026-07-28 "
     "and, "
     "with initialize, 2025-11-25 and older)\n"},
    /* -32022 without a list */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\"}}\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"},
    /* any other error means a legacy server */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "get $opened(2)\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* an invalid result means a legacy server */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
     "get $opened(2)\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* no answer in time */
    {"",
     "start\n"
     "probe-timeout\n"
     "probe-timeout\n"
     "get $discovered(1)\n"
     "get $opened(2)\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* a known era is not probed */
    {"L",
     "start\n"
     "get $opened(1)\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* a known era may be wrong: modern */
    {"M",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "get $opened(2)\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* a known era may be wrong: legacy */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2026-07-28\"]}}}\n"
     "get $discovered(2)\n",
     "  send $initialize(1)\n"
     "  send $discover(2)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
    /* each era's error names the other era: modern first */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2026-07-28\"]}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n",
     "  send $initialize(1)\n"
     "  send $discover(2)\n"
     "  failed the server supports no version of MCP that haft supports (haft supports 2026-07-28 "
     "and, "
     "with initialize, 2025-11-25 and older)\n"},
    /* each era's error names the other era: legacy first */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2026-07-28\"]}}}\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"
     "  failed the server rejected initialize: v\n"},
    /* an error names an older version */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Unsupported "
     "protocol version\",\"data\":{\"supported\":[\"2024-11-05\"],\"requested\":\"2025-11-25\"}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2024-11-05\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n",
     "  send $initialize(1)\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  ready legacy 2024-11-05 's' '1' '' tools\n"},
    /* an older version is tried once */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\",\"data\":{"
     "\"supported\":[\"2024-11-05\"]}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"still "
     "no\",\"data\":{\"supported\":[\"2024-11-05\"]}}}\n",
     "  send $initialize(1)\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  failed the server rejected initialize: still no\n"},
    /* initialize is rejected */
    {"L",
     "call a\n"
     "list\n"
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"bad\\u001b "
     "luck\"}}\n"
     "call b\n"
     "list\n"
     "start\n",
     "  send $initialize(1)\n"
     "  done 1 error 0 http 0 null the server rejected initialize: bad<U+001B> luck\n"
     "  tools 0 error the server rejected initialize: bad<U+001B> luck\n"
     "  failed the server rejected initialize: bad<U+001B> luck\n"
     "  done 2 error 0 http 0 null the server cannot be used\n"
     "  tools 0 error the server cannot be used\n"
     "  send $discover(2)\n"},
    /* a detected era is not probed again until it fails */
    {"",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{}}}}\n"
     "lost it died\n"
     "start\n"
     "lost it hung\n"
     "start\n",
     "  send $discover(1)\n"
     "  send $initialize(2)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 '' '' '' tools\n"
     "  send $initialize(3)\n"
     "  send $discover(4)\n"},
    /* an unknown version */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"1999-01-01\"}}\n",
     "  send $initialize(1)\n"
     "  failed the server supports no version of MCP that haft supports: 1999-01-01\n"},
    /* a modern version in a legacy response */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2026-07-28\"}}\n",
     "  send $initialize(1)\n"
     "  failed the server supports no version of MCP that haft supports: 2026-07-28\n"},
    /* an invalid version */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":7}}\n",
     "  send $initialize(1)\n"
     "  failed the server supports no version of MCP that haft supports: 7\n"},
    /* no capabilities, wrong types everywhere */
    {"L",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-03-26\","
     "\"capabilities\":[],\"serverInfo\":\"x\",\"instructions\":{}}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-03-26 '' '' ''\n"},
    /* the capabilities that haft offers */
    {"Leri",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{\"roots\":{},\"elicitation\":{\"form\":{},\"url\":{}}},"
     "\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send $initialized\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"logging/"
     "setLevel\",\"params\":{\"level\":\"info\"}}\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* earlier calls are sent in order */
    {"L",
     "call a\n"
     "list\n"
     "call b\n"
     "start\n"
     "get $opened(1)\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  send $call(3,a) for 1\n"
     "  send $call(4,b) for 2\n"},
    /* listening */
    {"l",
     "start\n"
     "get $discovered(1)\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}}\n"},
    /* listening, a legacy server */
    {"lL",
     "start\n"
     "get $opened(1)\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
};

TEST(opening_a_client_follows_the_cases)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(opening_a_client_survives_every_failed_allocation)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

/* Every request of a modern connection contains version and capabilities. */
TEST(a_modern_request_has_version_and_capabilities)
{
    haft__mcp_client_options options = test_client_options_of("eri");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event = {0};
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(haft__mcp_client_era(client), HAFT__MCP_ERA_UNKNOWN, "the era before the start");
    CHECK_INT(haft__mcp_client_start(client, NULL), HAFT_OK, "start");
    CHECK(haft__mcp_client_next(client, &event), "no probe was sent");
    CHECK_STR(event.send.text,
              HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":"
                        "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                        "\"io.modelcontextprotocol/clientCapabilities\":{\"roots\":{},"
                        "\"elicitation\":{\"form\":{},\"url\":{}}},"
                        "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"haft\",\"version\":"
                        "\"1.0\"},\"io.modelcontextprotocol/logLevel\":\"info\"}}}"),
              "the probe");
    CHECK_INT(haft__mcp_client_receive(client, 0,
                                       HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                                                 "{\"supportedVersions\":[\"2026-07-28\"]}}"),
                                       NULL),
              HAFT_OK, "receive the response");
    CHECK_INT(haft__mcp_client_era(client), HAFT__MCP_ERA_MODERN, "the era after the response");
    haft__mcp_client_destroy(client);
}

static size_t instructions_length(int length)
{
    haft__mcp_client_options options = test_client_options_of("L");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event = {0};
    haft__buf text;
    size_t found = 0;
    haft__buf_init(&text, 1 << 16);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(haft__mcp_client_start(client, NULL), HAFT_OK, "start");
    haft__buf_addf(&text,
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
                   "\"instructions\":\"%0*d\"}}",
                   length, 1);
    CHECK_INT(haft__mcp_client_receive(client, 0, haft__buf_str(&text), NULL), HAFT_OK, "open");
    while (haft__mcp_client_next(client, &event)) {
        if (event.kind == HAFT__MCP_EVENT_READY) {
            bool cut = haft__str_ends_with(event.ready.instructions, HAFT__LIT("..."));
            found = cut ? 0 : event.ready.instructions.len;
        }
    }
    haft__mcp_client_destroy(client);
    haft__buf_finish(&text);
    return found;
}

TEST(the_length_of_instructions_is_bounded)
{
    CHECK_INT(instructions_length(HAFT__LIMIT_MCP_INSTRUCTIONS_BYTES),
              HAFT__LIMIT_MCP_INSTRUCTIONS_BYTES, "at the limit");
    CHECK_INT(instructions_length(HAFT__LIMIT_MCP_INSTRUCTIONS_BYTES + 1), 0, "past the limit");
}
