/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client_http.c: sessions, and answers that are none. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* a session */
    {"hL",
     "start\n"
     "session 1 abc-1\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "call a\n"
     "session 2 other\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"
     "list\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: abc-1]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":2},\"name\":\"a\"}} for 1 "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: abc-1]\n"
     "  done 1 result sent {}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: abc-1]\n"},
    /* a session id that is none */
    {"hL",
     "start\n"
     "call a\n"
     "session 1 a b\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  done 1 error 0 http 0 null the server gave a session id of 3 bytes that is no visible "
     "ASCII of at most 1024\n"
     "  failed the server gave a session id of 3 bytes that is no visible ASCII of at most 1024\n"},
    /* ... of no bytes */
    {"hL",
     "start\n"
     "session 1 \n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  failed the server gave a session id of 0 bytes that is no visible ASCII of at most 1024\n"},
    /* a modern server: a session means nothing */
    {"h",
     "start\n"
     "session 1 abc\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "call a\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{META,\"name\":\"a\"}} "
     "for 1 [MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/call] [Mcp-Name: a]\n"},
    /* an old server: the probe gets 400 */
    {"h",
     "start\n"
     "broken 1 400 Bad Request\n"
     "session 2 s\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"},
    /* an old server: the probe gets 404 and an error */
    {"h",
     "start\n"
     "broken 1 404 "
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "broken 1 400\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}"
     "\n"},
    /* a modern server refuses the version */
    {"h",
     "start\n"
     "broken 1 400 "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2025-11-25\"]}}}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}"
     "\n"},
    /* who are you? */
    {"h",
     "start\n"
     "broken 1 401 "
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,\"message\":\"no\"}}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  failed the server answered with HTTP 401 (it wants to know who asks: headers: "
     "{Authorization: \"Bearer ${..}\"})\n"},
    /* nobody there */
    {"h",
     "start\n"
     "cut 1 no connection could be made\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  failed the exchange with the server broke off: no connection could be made\n"},
    /* nobody there at initialize */
    {"hL",
     "start\n"
     "cut 1 no connection could be made\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  failed the exchange with the server broke off: no connection could be made\n"},
    /* an older transport */
    {"hL",
     "start\n"
     "broken 1 405\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  failed the server answered with HTTP 405 (is the path right? The HTTP+SSE transport of "
     "2024 is not spoken)\n"},
    /* initialize is refused with an error */
    {"hL",
     "start\n"
     "broken 1 400 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  failed the server refused to initialize: no\n"},
    /* the session is over */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "call a\n"
     "call b\n"
     "broken 2 404 "
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32001,\"message\":\"Session not "
     "found\"}}\n"
     "broken 3 404\n"
     "session 4 s2\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":1}}\n"
     "broken 6 404\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":2},\"name\":\"a\"}} for 1 "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":3},\"name\":\"b\"}} for 2 "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s2]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":5},\"name\":\"a\"}} for 1 "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s2]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":6},\"name\":\"b\"}} for 2 "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s2]\n"
     "  done 1 result sent {\"a\":1}\n"
     "  done 2 error sent 0 http 404 null the server answered with HTTP 404\n"},
    /* the session is over while listing */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"x\"}}\n"
     "broken 3 404\n"
     "session 4 s2\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}]}}\n"
     "list\n"
     "broken 6 500 oops\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s2]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s2]\n"
     "  tools 1 docs:a\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/list\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s2]\n"
     "  tools 0 error the server answered with HTTP 500\n"},
    /* the session is over and there is no other */
    {"hL",
     "start\n"
     "session 1 s1\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "call a\n"
     "broken 2 404\n"
     "broken 3 503\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":2},\"name\":\"a\"}} for 1 "
     "[MCP-Protocol-Version: 2025-11-25] [MCP-Session-Id: s1]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  done 1 error 0 http 0 null the server answered with HTTP 503\n"
     "  failed the server answered with HTTP 503\n"},
    /* 404 without a session is an error */
    {"hL",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "call a\n"
     "broken 2 404 nothing here\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":2},\"name\":\"a\"}} for 1 "
     "[MCP-Protocol-Version: 2025-11-25]\n"
     "  done 1 error sent 0 http 404 null the server answered with HTTP 404\n"},
    /* errors of calls */
    {"h",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
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
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{META,\"name\":\"a\"}} "
     "for 1 [MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/call] [Mcp-Name: a]\n"
     "  done 1 error sent -32601 http 404 1 the server answered with an error: no\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{META,\"name\":\"b\"}} "
     "for 2 [MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/call] [Mcp-Name: b]\n"
     "  done 2 lost sent the server answered with HTTP 500\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{META,\"name\":\"c\"}} "
     "for 3 [MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/call] [Mcp-Name: c]\n"
     "  done 3 lost sent the exchange with the server broke off: it broke\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{META,\"name\":\"d\"}} "
     "for 4 [MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/call] [Mcp-Name: d]\n"
     "  done 4 error sent 0 http 400 null the server answered with HTTP 400\n"},
    /* errors of lists */
    {"h",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "list\n"
     "broken 2 404 {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n"
     "list\n"
     "cut 3 it broke\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/list]\n"
     "  tools 0 error the server did not list its tools: no\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/list]\n"
     "  tools 0 error the exchange with the server broke off: it broke\n"},
    /* streams end */
    {"hl",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "cut 2 it broke\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[]}}\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: subscriptions/listen]\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: subscriptions/listen]\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: tools/list]\n"
     "  tools 0\n"},
    /* setting a level may fail */
    {"hLi",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
     "\"capabilities\":{\"tools\":{\"listChanged\":true},\"logging\":{}},\"serverInfo\":{\"name\":"
     "\"s\",\"version\":\"1\"}}}\n"
     "broken 2 404\n",
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"haft\",\"version\":\"1.0\"}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}} "
     "[MCP-Protocol-Version: 2025-11-25]\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"logging/"
     "setLevel\",\"params\":{\"level\":\"info\"}} [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"},
    /* what broke is over */
    {"h",
     "start\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"supportedVersions\":["
     "\"2026-07-28\"],\"capabilities\":{\"tools\":{\"listChanged\":true}},\"ttlMs\":1,"
     "\"cacheScope\":\"public\"}}\n"
     "cut 77 x\n",
     "  send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{META}} "
     "[MCP-Protocol-Version: 2026-07-28] [Mcp-Method: server/discover]\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"},
};

TEST(client_http_steps_happen)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(client_http_steps_survive_without_memory)
{
    test_client_starve(cases, COUNT(cases));
}

static bool takes_session(size_t length)
{
    haft__mcp_client_options options = test_client_options_of("hL");
    haft__mcp_client *client = NULL;
    haft__mcp_event event;
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

TEST(a_session_id_has_a_greatest_length)
{
    CHECK(takes_session(HAFT__LIMIT_MCP_SESSION_BYTES), "at the limit");
    CHECK(!takes_session(HAFT__LIMIT_MCP_SESSION_BYTES + 1), "past it");
}
