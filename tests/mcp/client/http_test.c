/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/http.c: sessions, and responses that are not messages. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

/* A call in the session s1, and a new session in its place: input and output. */
#define CALL_BARE       "start\nsession 1 s1\nget $opened_bare(1)\ncall a\n"
#define OPEN_BARE_AGAIN "session 3 s2\nget $opened_bare(3)\n"
#define CALLED_BARE                                                                                \
    "  send $initialize(1)\n"                                                                      \
    "  send $initialized $in_session(s1)\n"                                                        \
    "  ready legacy 2025-11-25 's' '' '' tools\n"                                                  \
    "  send $call(2,a) for 1 $in_session(s1)\n"
#define OPENED_BARE_AGAIN                                                                          \
    "  send $initialize(3)\n"                                                                      \
    "  send $initialized $in_session(s2)\n"                                                        \
    "  ready legacy 2025-11-25 's' '' '' tools\n"

static const test_client_case cases[] = {
    /* a session */
    {"hL",
     "start\n"
     "session 1 abc-1\n"
     "get $opened(1)\n"
     "call a\n"
     "session 2 other\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"
     "list\n",
     "  send $initialize(1)\n"
     "  send $initialized $in_session(abc-1)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send $call(2,a) for 1 $in_session(abc-1)\n"
     "  done 1 result sent {}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(abc-1)\n"},
    /* a log message belongs to the call in whose answer it came */
    {"hL",
     "start\n"
     "get $opened_bare(1)\n"
     "call a\n"
     "call b\n"
     "on 3 $logged\n"
     "on 2 $logged\n"
     "get $logged\n"
     "on 9 $logged\n"
     "on 1 $logged\n",
     "  send $initialize(1)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send $call(2,a) for 1 [MCP-Protocol-Version: 2025-11-25]\n"
     "  send $call(3,b) for 2 [MCP-Protocol-Version: 2025-11-25]\n"
     "  log info db 'x' of 2\n"
     "  log info db 'x' of 1\n"
     "  log info db 'x'\n"
     "  log info db 'x'\n"
     "  log info db 'x'\n"},
    /* an invalid session id */
    {"hL",
     "start\n"
     "call a\n"
     "session 1 a b\n",
     "  send $initialize(1)\n"
     "  done 1 error 0 http 0 null the server gave a session id of 3 bytes that is not visible "
     "ASCII of at most 1024\n"
     "  failed the server gave a session id of 3 bytes that is not visible ASCII of at most "
     "1024\n"},
    /* a session id of no bytes */
    {"hL",
     "start\n"
     "session 1 \n",
     "  send $initialize(1)\n"
     "  failed the server gave a session id of 0 bytes that is not visible ASCII of at most "
     "1024\n"},
    /* a modern server: the session id is ignored */
    {"h",
     "start\n"
     "session 1 abc\n"
     "get $discovered(1)\n"
     "call a\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1 $modern(tools/call) [Mcp-Name: a]\n"},
    /* an old server: the probe gets 400 */
    {"h",
     "start\n"
     "broken 1 400 Bad Request\n"
     "session 2 s\n"
     "get $opened(2)\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  send $initialize(2)\n"
     "  send $initialized $in_session(s)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"},
    /* an old server: the probe gets 404 and an error */
    {"h",
     "start\n"
     "broken 1 404 "
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "broken 1 400\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  send $initialize(2)\n"},
    /* a modern server refuses the version */
    {"h",
     "start\n"
     "broken 1 400 "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2025-11-25\"]}}}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  send $initialize(2)\n"},
    /* authentication is required */
    {"h",
     "start\n"
     "broken 1 401 "
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,\"message\":\"no\"}}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  failed the server answered with HTTP 401 (it requires authentication: headers: "
     "{Authorization: \"Bearer ${..}\"})\n"},
    /* the connection fails */
    {"h",
     "start\n"
     "unsent 1 cannot connect\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  failed the exchange with the server was interrupted: cannot connect (check that it is "
     "running "
     "and that `url` is correct)\n"},
    /* no response to the probe: a legacy server, or no server */
    {"h",
     "start\n"
     "cut 1 the response ended without a message\n"
     "cut 2 the response ended without a message\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  send $initialize(2)\n"
     "  failed the exchange with the server was interrupted: the response ended without a message "
     "(check that `url` is an MCP server, and what it logs)\n"},
    {"h",
     "start\n"
     "probe-timeout\n"
     "cut 1 late\n"
     "probe-timeout\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  close 1\n"
     "  send $initialize(2)\n"},
    /* the connection fails at initialize */
    {"hL",
     "start\n"
     "unsent 1 cannot connect\n",
     "  send $initialize(1)\n"
     "  failed the exchange with the server was interrupted: cannot connect (check that it is "
     "running "
     "and that `url` is correct)\n"},
    /* a server with an older transport */
    {"hL",
     "start\n"
     "broken 1 405\n",
     "  send $initialize(1)\n"
     "  failed the server answered with HTTP 405 (check the path; the HTTP+SSE transport of 2024 "
     "is not supported)\n"},
    /* initialize is rejected with an error */
    {"hL",
     "start\n"
     "broken 1 400 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}\n",
     "  send $initialize(1)\n"
     "  failed the server rejected initialize: no\n"},
    /* the session has expired */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get $opened(1)\n"
     "call a\n"
     "call b\n"
     "broken 2 404 "
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,\"message\":\"Session not "
     "found\"}}\n"
     "broken 3 404\n"
     "session 4 s2\n"
     "get $opened(4)\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":1}}\n"
     "call b\n"
     "broken 6 404\n",
     "  send $initialize(1)\n"
     "  send $initialized $in_session(s1)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send $call(2,a) for 1 $in_session(s1)\n"
     "  send $call(3,b) for 2 $in_session(s1)\n"
     "  done 1 again the server answered with HTTP 404\n"
     "  send $initialize(4)\n"
     "  done 2 again the server answered with HTTP 404\n"
     "  send $initialized $in_session(s2)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send $call(5,a) for 3 $in_session(s2)\n"
     "  done 3 result sent {\"a\":1}\n"
     "  send $call(6,b) for 4 $in_session(s2)\n"
     "  done 4 again the server answered with HTTP 404\n"
     "  send $initialize(7)\n"},
    /* the session expires during a list */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"x\"}}\n"
     "broken 3 404\n"
     "session 4 s2\n"
     "get $opened(4)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}]}}\n"
     "list\n"
     "broken 6 500 oops\n",
     "  send $initialize(1)\n"
     "  send $initialized $in_session(s1)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(s1)\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}} "
     "$in_session(s1)\n"
     "  send $initialize(4)\n"
     "  send $initialized $in_session(s2)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(s2)\n"
     "  tools 1 docs:a\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(s2)\n"
     "  tools 0 error the server answered with HTTP 500 (the server failed: check its log)\n"},
    /* the session has expired and a new one fails */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get $opened(1)\n"
     "call a\n"
     "broken 2 404\n"
     "broken 3 503\n",
     "  send $initialize(1)\n"
     "  send $initialized $in_session(s1)\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send $call(2,a) for 1 $in_session(s1)\n"
     "  done 1 again the server answered with HTTP 404\n"
     "  send $initialize(3)\n"
     "  failed the server answered with HTTP 503 (the server failed: check its log)\n"},
    /* 404 without a session is an error */
    {"hL",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "broken 2 404 nothing here\n",
     "  send $initialize(1)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send $call(2,a) for 1 [MCP-Protocol-Version: 2025-11-25]\n"
     "  done 1 error sent 0 http 404 null the server answered with HTTP 404\n"},
    /* 400 with an error about the session, with the id of this request */
    {"hL",
     CALL_BARE
     "broken 2 400 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32000,\"message\":\"Bad "
     "Request: No valid Session ID provided\"}}\n" OPEN_BARE_AGAIN
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":1}}\n",
     CALLED_BARE "  done 1 again the server answered with an error: Bad Request: No valid Session "
                 "ID provided\n" OPENED_BARE_AGAIN},
    /* 400 with any error without an id */
    {"hL",
     CALL_BARE
     "broken 2 400 {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"Bad "
     "Request: Server not ready\"}}\n" OPEN_BARE_AGAIN
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":1}}\n",
     CALLED_BARE "  done 1 again the server answered with an error: Bad Request: Server not "
                 "ready\n" OPENED_BARE_AGAIN},
    /* 400 with the id of this request, if there is no session */
    {"hL",
     CALL_BARE
     "broken 2 400 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32600,\"message\":\"Server "
     "not initialized\"}}\n" OPEN_BARE_AGAIN
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":1}}\n",
     CALLED_BARE "  done 1 again the server answered with an error: Server not "
                 "initialized\n" OPENED_BARE_AGAIN},
    /* 400 with a body that is not a message */
    {"hL",
     CALL_BARE "broken 2 400 Bad Request\n" OPEN_BARE_AGAIN
               "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":1}}\n",
     CALLED_BARE "  done 1 again the server answered with HTTP 400\n" OPENED_BARE_AGAIN},
    /* a new session is opened once for each call */
    {"hL",
     CALL_BARE
     "broken 2 400 Bad Request\n" OPEN_BARE_AGAIN
     "broken 4 400 {\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32000,\"message\":\"no "
     "session\"}}\n",
     CALLED_BARE "  done 1 again the server answered with HTTP 400\n" OPENED_BARE_AGAIN},
    /* 400 with an error about the request itself */
    {"hL",
     CALL_BARE
     "broken 2 400 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"the "
     "session argument is wrong\"}}\n",
     CALLED_BARE
     "  done 1 error sent -32602 http 400 null the server answered with an error: the session "
     "argument is wrong\n"},
    /* 400 with an error of the transport about something else */
    {"hL",
     CALL_BARE
     "broken 2 400 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32000,\"message\":\"too "
     "much\"}}\n",
     CALLED_BARE
     "  done 1 error sent -32000 http 400 null the server answered with an error: too much\n"},
    /* 400 without a session */
    {"hL",
     "start\n"
     "get $opened_bare(1)\n"
     "call a\n"
     "broken 2 400 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32000,\"message\":\"No valid "
     "session ID provided\"}}\n",
     "  send $initialize(1)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send $call(2,a) for 1 [MCP-Protocol-Version: 2025-11-25]\n"
     "  done 1 error sent -32000 http 400 null the server answered with an error: No valid session "
     "ID provided\n"},
    /* 400 while listing */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get $opened_bare(1)\n"
     "list\n"
     "broken 2 400 no\n" OPEN_BARE_AGAIN "broken 4 400 no\n",
     "  send $initialize(1)\n"
     "  send $initialized $in_session(s1)\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(s1)\n" OPENED_BARE_AGAIN
     "  send {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(s2)\n"
     "  tools 0 error the server answered with HTTP 400\n"},
    /* errors of calls */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "broken 2 404 "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":1}}\n"
     "call b\n"
     "broken 3 500 <html>\n"
     "call c\n"
     "cut 4 it broke\n"
     "call d\n"
     "broken 5 400 {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n"
     "cut 5 again\n"
     "cut 0 x\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1 $modern(tools/call) [Mcp-Name: a]\n"
     "  done 1 error sent -32601 http 404 1 the server answered with an error: no\n"
     "  send $call_modern(3,b) for 2 $modern(tools/call) [Mcp-Name: b]\n"
     "  done 2 lost sent the server answered with HTTP 500 (the server failed: check its log)\n"
     "  send $call_modern(4,c) for 3 $modern(tools/call) [Mcp-Name: c]\n"
     "  done 3 lost sent the exchange with the server was interrupted: it broke (check that `url` "
     "is an MCP server, and what it logs)\n"
     "  send $call_modern(5,d) for 4 $modern(tools/call) [Mcp-Name: d]\n"
     "  done 4 error sent 0 http 400 null the server answered with HTTP 400\n"},
    /* errors of lists */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "list\n"
     "broken 2 404 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "list\n"
     "cut 3 it broke\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{META}} "
     "$modern(tools/list)\n"
     "  tools 0 error no\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{META}} "
     "$modern(tools/list)\n"
     "  tools 0 error the exchange with the server was interrupted: it broke (check that `url` is "
     "an MCP server, and what it logs)\n"},
    /* the lifetime of a list ends with its session */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "on 1 $opened_bare(1)\n"
     "list\n"
     "on 2 "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[],\"nextCursor\":\"c\",\"ttlMs\":5}}\n"
     "broken 3 404\n"
     "on 4 $opened_bare(4)\n"
     "on 5 {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized $in_session(s1)\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}} "
     "$in_session(s1)\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"c\"}} "
     "$in_session(s1)\n"
     "  send $initialize(4)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25]\n"
     "  tools 0\n"},
    /* streams end */
    {"hl",
     "start\n"
     "get $discovered(1)\n"
     "cut 2 it broke\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[]}}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}} "
     "$modern(subscriptions/listen)\n"
     "  unwatched\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}} "
     "$modern(subscriptions/listen)\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{META}} "
     "$modern(tools/list)\n"
     "  tools 0\n"},
    /* setting a level may fail */
    {"hLi",
     "start\n"
     "get $opened(1)\n"
     "broken 2 404\n",
     "  send $initialize(1)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"logging/"
     "setLevel\",\"params\":{\"level\":\"info\"}} [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"},
    /* a broken exchange is finished */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "cut 77 x\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
};

TEST(http_sessions_of_a_client_follow_the_cases)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(http_sessions_of_a_client_survive_every_failed_allocation)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

TEST(an_unsent_call_is_not_cancelled_at_the_server)
{
    haft__mcp_client_options options = test_client_options_of("hL");
    haft__mcp_client *client = NULL;
    haft__buf log;
    haft__buf_init(&log, 1 << 16);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    haft_str open = HAFT__LIT("start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
                              "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}\n"
                              "call a\ncall b\n");
    CHECK_INT(test_client_play(client, open, &log), HAFT_OK, "the client did not open");
    haft__buf_clear(&log);
    haft__mcp_client_exchange_unsent(client, 2);
    haft__mcp_client_exchange_unsent(client, 77);
    CHECK_INT(test_client_play(client, HAFT__LIT("cancel 1 x\nlost y\n"), &log), HAFT_OK,
              "the connection did not end");
    CHECK_STR(haft__buf_str(&log),
              HAFT__LIT("  done 1 cancelled the call was cancelled: x\n"
                        "  done 2 lost sent the connection to the server was lost: y\n"),
              "events: no cancellation is sent for a call that may not have arrived");
    haft__mcp_client_destroy(client);
    haft__buf_finish(&log);
}

static bool takes_session(size_t length)
{
    haft__mcp_client_options options = test_client_options_of("hL");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event;
    char id[HAFT__LIMIT_MCP_SESSION_BYTES + 1];
    bool failed = false;
    memset(id, '!', sizeof id);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(haft__mcp_client_start(client, NULL), HAFT_OK, "start");
    CHECK_INT(haft__mcp_client_session(client, 1, (haft_str){id, length}, NULL), HAFT_OK, "id");
    while (haft__mcp_client_next(client, &event)) {
        failed |= event.kind == HAFT__MCP_EVENT_FAILED;
    }
    haft__mcp_client_destroy(client);
    return !failed;
}

TEST(the_length_of_a_session_id_is_bounded)
{
    CHECK(takes_session(HAFT__LIMIT_MCP_SESSION_BYTES), "at the limit");
    CHECK(!takes_session(HAFT__LIMIT_MCP_SESSION_BYTES + 1), "past the limit");
}
