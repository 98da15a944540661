/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/call.c: calls are sent, repeated if that is safe, and end once. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* a result */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a {\"x\":1.0}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{\"_meta\":{\"progressToken\":2},\"name\":\"a\",\"arguments\":{\"x\":1.0}}}"
     " for 1\n"
     "  done 1 result sent {\"content\":[]}\n"},
    /* two calls, answered in any order */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "call b\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"b\":1}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":1}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  send $call(3,b) for 2\n"
     "  done 2 result sent {\"b\":1}\n"
     "  done 1 result sent {\"a\":1}\n"},
    /* an error */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"no such\\u200b "
     "tool\",\"data\":{\"x\":1}}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  done 1 error sent -32602 http 0 {\"x\":1} the server answered with an error: no "
     "such<U+200B> tool\n"},
    /* responses without a request */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":-2,\"result\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"x\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  done 1 result sent {}\n"},
    /* a malformed response ends its call */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[]}\n"
     "call b\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"a\":1,\"a\":2}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  log warning haft '/result: expected an object, found array'\n"
     "  done 1 error sent 0 http 0 null the server sent an answer that is not valid: /result: "
     "expected an object, found array (the call may have had its effect)\n"
     "  send $call(3,b) for 2\n"
     "  log warning haft 'a key occurs twice in one object'\n"
     "  done 2 error sent 0 http 0 null the server sent an answer that is not valid: a key occurs "
     "twice in one object (the call may have had its effect)\n"},
    /* cancelled */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "cancel 1 too slow\n"
     "cancel 1 again\n"
     "cancel 7 nobody\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  done 1 cancelled sent the call was cancelled: too slow\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
     "cancelled\",\"params\":{\"requestId\":2,\"reason\":\"too slow\"}}\n"},
    /* cancelled over HTTP: the server is notified, and the stream is closed */
    {"hL",
     "start\n"
     "on 1 $opened_bare(1)\n"
     "call a\n"
     "cancel 1 too slow\n",
     "  send $initialize(1)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '' '' tools\n"
     "  send $call(2,a) for 1 [MCP-Protocol-Version: 2025-11-25]\n"
     "  done 1 cancelled sent the call was cancelled: too slow\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2,"
     "\"reason\":\"too slow\"}} [MCP-Protocol-Version: 2025-11-25]\n"
     "  close 2\n"},
    /* cancelled before it was sent */
    {"L",
     "call a\n"
     "cancel 1\n"
     "start\n"
     "get $opened(1)\n",
     "  done 1 cancelled the call was cancelled\n"
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* cancelled, modern */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "cancel 1\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1\n"
     "  done 1 cancelled sent the call was cancelled\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n"},
    /* cancelled, modern over HTTP */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "cancel 1 x\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1 $modern(tools/call) [Mcp-Name: a]\n"
     "  done 1 cancelled sent the call was cancelled: x\n"
     "  close 2\n"},
    /* the connection is lost */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "call b\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n"
     "lost it died\n"
     "call c\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"
     "start\n"
     "get $opened(4)\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"c\":1}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  send $call(3,b) for 2\n"
     "  done 2 result sent {}\n"
     "  done 1 lost sent the connection to the server was lost: it died\n"
     "  send $initialize(4)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(5,c) for 3\n"
     "  done 3 result sent {\"c\":1}\n"},
    /* a new connection without the end of the old one */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "list\n"
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"
     "get $opened(4)\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}\n"
     "  done 1 lost sent the connection to the server was replaced\n"
     "  tools 0 error the connection to the server was replaced\n"
     "  send $initialize(4)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"},
    /* the host aborts */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "list\n"
     "fail no use\n"
     "call b\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}\n"
     "  done 1 lost sent the server cannot be used: no use\n"
     "  tools 0 error the server cannot be used: no use\n"
     "  failed the server cannot be used: no use\n"
     "  done 2 error 0 http 0 null the server cannot be used\n"},
    /* a modern result */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "call a {}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n"
     "call b\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[]}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{}}} for 1\n"
     "  done 1 result sent {\"resultType\":\"complete\",\"content\":[]}\n"
     "  send $call_modern(3,b) for 2\n"
     "  done 2 result sent {\"content\":[]}\n"},
    /* unknown kinds of results */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "call a {}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"task\",\"taskId\":\"x\"}}\n"
     "call b\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":7}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{}}} for 1\n"
     "  done 1 error sent 0 http 0 null the server answered with an unknown kind of result: task\n"
     "  send $call_modern(3,b) for 2\n"
     "  done 2 error sent 0 http 0 null the server answered with an unknown kind of result: 7\n"},
    /* a legacy server may use any result type */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\"}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send $call(2,a) for 1\n"
     "  done 1 result sent {\"resultType\":\"input_required\"}\n"},
    /* a question */
    {"e",
     "start\n"
     "get $discovered(1)\n"
     "call a {\"x\":1}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":{\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{\"n\":{\"type\":\"string\"}}}}},\"u\":{\"method\":\"elicitation/"
     "create\",\"params\":{\"mode\":\"url\",\"message\":\"Go\",\"url\":\"https://x.org/"
     "\"}}},\"requestState\":\"s=\\u00e41\"}}\n"
     "again a 1 s=ä1 {\"k\":{\"action\":\"accept\",\"content\":{\"n\":\"me\"}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{\"x\":1}}} for 1\n"
     "  done 1 input sent round 1 state 's=ä1' answered {} | 0 k of 1: form 'Who?' "
     "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}} | 0 u of 1: url 'Go' "
     "https://x.org/\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"inputResponses\":{\"k\":{\"action\":\"accept\","
     "\"content\":{\"n\":\"me\"}}},\"requestState\":\"s=ä1\"}} for 2\n"
     "  done 2 result sent {\"resultType\":\"complete\",\"content\":[]}\n"},
    /* roots are answered without a person */
    {"er",
     "start\n"
     "get $discovered(1)\n"
     "call a {\"x\":1}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"r\":{\"method\":\"roots/list\"}},\"requestState\":\"one\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"r\":{\"method\":\"roots/list\"},\"k\":{\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{\"x\":1}}} for 1\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{\"x\":1},\"inputResponses\":{\"r\":{"
     "\"roots\":[{\"uri\":\"file:///data\",\"name\":\"data\"},{\"uri\":\"file:///"
     "x\"}]}},\"requestState\":\"one\"}} for 1\n"
     "  done 1 input sent round 2 state '' answered "
     "{\"r\":{\"roots\":[{\"uri\":\"file:///data\",\"name\":\"data\"},{\"uri\":\"file:///x\"}]}} | "
     "0 k of 1: form 'Who?' {\"type\":\"object\",\"properties\":{}}\n"},
    /* a server sends only a state */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\",\"requestState\":"
     "\"one\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\",\"requestState\":"
     "\"two\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"resultType\":\"complete\"}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"requestState\":\"one\"}} for 1\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"requestState\":\"two\"}} for 1\n"
     "  done 1 result sent {\"resultType\":\"complete\"}\n"},
    /* it requests nothing, or something invalid */
    {"e",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\"}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":[]}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"resultType\":\"input_required\",\"requestState\":"
     "7}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":{\"method\":\"elicitation/create\",\"params\":{}}}}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":7}}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1\n"
     "  done 1 error sent 0 http 0 null the server requests input, but does not say which\n"
     "  send $call_modern(3,a) for 2\n"
     "  done 2 error sent 0 http 0 null the server requests input, but does not say which\n"
     "  send $call_modern(4,a) for 3\n"
     "  done 3 error sent 0 http 0 null the server requests input, but does not say which\n"
     "  send $call_modern(5,a) for 4\n"
     "  done 4 error sent 0 http 0 null /message: expected a string, found null\n"
     "  send $call_modern(6,a) for 5\n"
     "  done 5 error sent 0 http 0 null the server requests something that haft does not offer\n"
     "  send $call_modern(7,a) for 6\n"
     "  done 6 error sent 0 http 0 null the server requests input, but does not say which\n"},
    /* it requests something that was not offered */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":{\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"x\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}}}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":{\"method\":\"sampling/createMessage\",\"params\":{}}}}}\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":{\"method\":\"roots/list\"}}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1\n"
     "  done 1 error sent 0 http 0 null the server requests something that haft does not offer: "
     "elicitation/create\n"
     "  send $call_modern(3,a) for 2\n"
     "  done 2 error sent 0 http 0 null the server requests something that haft does not offer: "
     "sampling/createMessage\n"
     "  send $call_modern(4,a) for 3\n"
     "  done 3 error sent 0 http 0 null the server requests something that haft does not offer: "
     "roots/list\n"},
    /* it asks again and again */
    {"e",
     "start\n"
     "get $discovered(1)\n"
     "again a 9 s\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\","
     "\"inputRequests\":{\"k\":{\"method\":\"elicitation/"
     "create\",\"params\":{\"message\":\"x\",\"requestedSchema\":{\"type\":\"object\","
     "\"properties\":{}}}}}}}\n"
     "again a 10 s\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"input_required\",\"requestState\":"
     "\"s\"}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"requestState\":\"s\"}} for 1\n"
     "  done 1 input sent round 10 state '' answered {} | 0 k of 1: form 'x' "
     "{\"type\":\"object\",\"properties\":{}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"requestState\":\"s\"}} for 2\n"
     "  done 2 error sent 0 http 0 null the server asked 10 times and asks again\n"},
    /* headers: the list is renewed and the call is repeated */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}]}}\n"
     "call a {\"region\":\"eu\",\"n\":{\"k\":7},\"b\":true}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32020,\"message\":\"header\"}}\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":"
     "\"Region\"},\"n\":{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"integer\",\"x-mcp-"
     "header\":\"K\"}}},\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},\"none\":{\"type\":"
     "\"string\",\"x-mcp-header\":\"None\"}}}}]}}\n"
     "call a {\"region\":\"eu\",\"n\":{\"k\":7},\"b\":true}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32020,\"message\":\"again\"}}\n"
     "call a {\"region\":\" \\u00e4\"}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{META}} "
     "$modern(tools/list)\n"
     "  tools 1 docs:a\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{\"region\":\"eu\",\"n\":{\"k\":7},"
     "\"b\":true}}} for 1 $modern(tools/call) [Mcp-Name: a]\n"
     "  done 1 again sent the server answered with an error: header\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{META}} "
     "$modern(tools/list)\n"
     "  tools 1 docs:a\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{\"region\":\"eu\",\"n\":{\"k\":7},"
     "\"b\":true}}} for 2 $modern(tools/call) [Mcp-Name: a] [Mcp-Param-Region: eu] [Mcp-Param-K: "
     "7] [Mcp-Param-B: true]\n"
     "  done 2 again sent the server answered with an error: again\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"a\",\"arguments\":{\"region\":\" ä\"}}} for 3 "
     "$modern(tools/call) [Mcp-Name: a] [Mcp-Param-Region: =?base64?IMOk?=]\n"},
    /* headers: two calls */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "call b\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32020,\"message\":\"x\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32020,\"message\":\"x\"}}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1 $modern(tools/call) [Mcp-Name: a]\n"
     "  send $call_modern(3,b) for 2 $modern(tools/call) [Mcp-Name: b]\n"
     "  done 1 again sent the server answered with an error: x\n"
     "  done 2 again sent the server answered with an error: x\n"},
    /* a version that is no longer supported */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2025-11-25\"]}}}\n"
     "get $opened(3)\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1 $modern(tools/call) [Mcp-Name: a]\n"
     "  done 1 again sent the server answered with an error: v\n"
     "  send $initialize(3)\n"
     "  send $initialized [MCP-Protocol-Version: 2025-11-25]\n"
     "  ready legacy 2025-11-25 's' '1' '' tools push\n"},
    /* a version that is no longer supported, without another one */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "call a\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":\"v\",\"data\":{"
     "\"supported\":[\"2026-07-28\"]}}}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send $call_modern(2,a) for 1 $modern(tools/call) [Mcp-Name: a]\n"
     "  done 1 error sent -32022 http 0 {\"supported\":[\"2026-07-28\"]} the server answered with "
     "an error: v\n"},
    /* names that do not fit into a header */
    {"h",
     "start\n"
     "get $discovered(1)\n"
     "call ä {}\n",
     "  send $discover(1) $modern(server/discover)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
     "call\",\"params\":{META,\"name\":\"ä\",\"arguments\":{}}} for 1 $modern(tools/call) "
     "[Mcp-Name: =?base64?w6Q=?=]\n"},
};

TEST(calls_of_a_client_follow_the_cases)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(calls_of_a_client_survive_every_failed_allocation)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

/* ---- limits ---- */

/* Opens a modern server, plays the steps and returns the result of the last call. */
static haft__mcp_call_done play(haft_str steps)
{
    haft__mcp_client_options options = test_client_options_of("e");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event;
    haft__mcp_call_done done = {.outcome = HAFT__MCP_OUTCOME_CANCELLED};
    haft__buf log;
    haft__buf_init(&log, 1 << 24);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create the client");
    CHECK_INT(test_client_play(client,
                               HAFT__LIT("start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                                         "{\"supportedVersions\":[\"2026-07-28\"]}}\n"),
                               &log),
              HAFT_OK, "open");
    while (steps.len > 0) {
        haft_str line = haft__str_split(&steps, '\n');
        haft__mcp_call call = {.tool = HAFT__LIT("a")};
        uint64_t number;
        haft_status status = haft__str_equal(line, HAFT__LIT("call"))
                                 ? haft__mcp_client_call(client, &call, &number, NULL)
                                 : haft__mcp_client_receive(client, 0, line, NULL);
        CHECK_INT(status, HAFT_OK, "step");
        while (haft__mcp_client_next(client, &event)) {
            done = event.kind == HAFT__MCP_EVENT_DONE ? event.done : done;
        }
    }
    haft__mcp_client_destroy(client);
    haft__buf_finish(&log);
    return done;
}

static haft_status call_many(int count)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "call\n");
    }
    haft__mcp_call_done done = play(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return done.error.status;
}

TEST(the_number_of_open_calls_is_bounded)
{
    CHECK_INT(call_many(HAFT__LIMIT_MCP_CALLS), HAFT_OK, "calls at the limit");
    CHECK_INT(call_many(HAFT__LIMIT_MCP_CALLS + 1), HAFT_TOO_BIG, "one call past the limit");
}

static haft_status ask_with(int state_bytes, int questions)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf,
                   "call\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":"
                   "\"input_required\",\"requestState\":\"%0*d\",\"inputRequests\":{",
                   state_bytes, 1);
    for (int i = 0; i < questions; i++) {
        haft__buf_addf(&buf,
                       "%s\"q%d\":{\"method\":\"elicitation/create\",\"params\":{\"message\":"
                       "\"x\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}",
                       i > 0 ? "," : "", i);
    }
    haft__buf_addf(&buf, "}}}\n");
    haft__mcp_call_done done = play(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return done.outcome == HAFT__MCP_OUTCOME_INPUT_REQUIRED ? HAFT_OK : done.error.status;
}

TEST(states_and_questions_of_a_server_are_bounded)
{
    CHECK_INT(ask_with(HAFT__LIMIT_MCP_STATE_BYTES, 1), HAFT_OK, "a state at the limit");
    CHECK_INT(ask_with(HAFT__LIMIT_MCP_STATE_BYTES + 1, 1), HAFT_TOO_BIG, "a state past the limit");
    CHECK_INT(ask_with(1, HAFT__LIMIT_MCP_QUESTIONS), HAFT_OK, "questions at the limit");
    CHECK_INT(ask_with(1, HAFT__LIMIT_MCP_QUESTIONS + 1), HAFT_TOO_BIG, "questions past the limit");
}

static haft__mcp_call_outcome ask_rounds(int rounds)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "call\n");
    for (int i = 0; i < rounds; i++) {
        haft__buf_addf(&buf,
                       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"resultType\":"
                       "\"input_required\",\"requestState\":\"x\"}}\n",
                       i + 2);
    }
    haft__buf_addf(&buf, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", rounds + 2);
    haft__mcp_call_done done = play(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return done.outcome;
}

TEST(the_rounds_of_questions_are_bounded)
{
    CHECK_INT(ask_rounds(HAFT__LIMIT_MCP_ROUNDS), HAFT__MCP_OUTCOME_RESULT, "at the limit");
    CHECK_INT(ask_rounds(HAFT__LIMIT_MCP_ROUNDS + 1), HAFT__MCP_OUTCOME_ERROR, "past the limit");
}

/* Only the call that cannot be sent ends. */
TEST(arguments_that_are_too_big_end_their_call)
{
    haft__mcp_client_options options = test_client_options_of("L");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event;
    haft__buf log;
    uint64_t number;
    char *text = test_alloc(HAFT__LIMIT_MCP_MESSAGE_BYTES);
    memset(text, 'x', HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__json_member member = {haft__json_string(HAFT__LIT("x")),
                                haft__json_string((haft_str){text, HAFT__LIMIT_MCP_MESSAGE_BYTES})};
    haft__buf_init(&log, 1 << 20);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(test_client_play(client,
                               HAFT__LIT("start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                                         "{\"protocolVersion\":\"2025-11-25\"}}\ncall a\n"),
                               &log),
              HAFT_OK, "open");
    haft__mcp_call call = {.tool = HAFT__LIT("b"), .arguments = haft__json_object(&member, 1)};
    CHECK_INT(haft__mcp_client_call(client, &call, &number, NULL), HAFT_OK, "call");
    CHECK(haft__mcp_client_next(client, &event) && event.kind == HAFT__MCP_EVENT_DONE
              && event.done.call == number && event.done.error.status == HAFT_TOO_BIG,
          "the call has not ended");
    CHECK(!haft__mcp_client_next(client, &event), "the other call has ended, too");
    haft__mcp_client_destroy(client);
    haft__buf_finish(&log);
}

/* The header parameters of a known tool are used without a list. */
TEST(a_known_tool_has_its_headers)
{
    haft__mcp_client_options options = test_client_options_of("h");
    haft__mcp_client *client = NULL;
    haft__mcp_client_event event = {0};
    haft__buf log;
    uint64_t number;
    haft_str path[] = {HAFT__LIT("r")};
    haft__mcp_param param = {.name = HAFT__LIT("Region"), .path = path, .depth = 1};
    haft__mcp_tool tool = {.params = &param, .param_count = 1};
    haft__json_member member = {haft__json_string(HAFT__LIT("r")),
                                haft__json_string(HAFT__LIT("eu"))};
    haft__buf_init(&log, 1 << 20);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(test_client_play(client,
                               HAFT__LIT("start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                                         "{\"supportedVersions\":[\"2026-07-28\"]}}\n"),
                               &log),
              HAFT_OK, "open");
    haft__mcp_call call = {
        .tool = HAFT__LIT("b"), .arguments = haft__json_object(&member, 1), .known = &tool};
    CHECK_INT(haft__mcp_client_call(client, &call, &number, NULL), HAFT_OK, "call");
    CHECK(haft__mcp_client_next(client, &event) && event.send.header_count == 4,
          "expected a call with four headers");
    CHECK_STR(event.send.headers[3], HAFT__LIT("Mcp-Param-Region: eu"), "the fourth header");
    haft__mcp_client_destroy(client);
    haft__buf_finish(&log);
}
