/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/client/list.c: pages of lists, and notifications of changes. */
#include "base/limits.h"
#include "mcp/client_help.h"
#include "test.h"

static const test_client_case cases[] = {
    /* one page */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}},{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 2 docs:a docs:b\n"},
    /* three pages, one with an empty cursor */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[],\"nextCursor\":\"x\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[{\"name\":\"b\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":null}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}\n"
     "  tools 2 docs:a docs:b\n"},
    /* a list whose pages repeat */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"x\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":\"b\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"x\"}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}\n"
     "  tools 2 docs:a docs:b warning 'the list is incomplete: its pages repeat'\n"},
    /* an invalid cursor */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":7}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 1 docs:a warning 'the list is incomplete: its nextCursor is not valid'\n"},
    /* entries that cannot be used */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[7,{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}},{\"name\":\"b\"},{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}"
     ",{\"name\":\"\\u202ec\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"d\","
     "\"inputSchema\":{\"type\":\"object\"}}]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 2 docs:a docs:d warning 'expected an object, found number' warning 'b: /inputSchema: "
     "expected an object, found null' warning 'a: an earlier tool has the same name' warning "
     "'<U+202E>c: /name: tool name '<U+202E>c' has byte 0xe2 at 0'\n"},
    /* not a list */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":{}}}\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 0 error /tools: expected a list of tools, found object\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 0 error /tools: expected a list of tools, found null\n"},
    /* an error */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"oops\"}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 0 error oops\n"},
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"\"}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 0 error it gave no reason\n"},
    /* a second page fails */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"x\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"bad cursor\"}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}\n"
     "  tools 0 error bad cursor\n"},
    /* the connection is lost in the middle */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{"
     "\"type\":\"object\"}}],\"nextCursor\":\"x\"}}\n"
     "lost gone\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}\n"
     "  tools 0 error the connection to the server was lost: gone\n"},
    /* the lifetime of a list */
    {"",
     "start\n"
     "get $discovered(1)\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[],\"ttlMs\":500,\"nextCursor\":\"x\"}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[],\"ttlMs\":400,\"nextCursor\":\"y\"}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[],\"ttlMs\":-1}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{META}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{META,\"cursor\":\"x\"}}\n"
     "  send "
     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{META,\"cursor\":\"y\"}}\n"
     "  tools 0 ttl 400\n"},
    /* changes are reported once for each list */
    {"L",
     "start\n"
     "get $opened(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "list\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}\n",
     "  send $initialize(1)\n"
     "  send $initialized\n"
     "  ready legacy 2025-11-25 's' '1' '' tools\n"
     "  changed\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n"
     "  changed\n"
     "  tools 0\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}\n"
     "  tools 0\n"},
    /* a modern server notifies subscribers */
    {"l",
     "start\n"
     "get $discovered(1)\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
     "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":2}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
     "list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"2\"}}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
     "list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":2}}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\"}}\n"
     "list\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[]}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}}\n"
     "  changed\n"
     "  unwatched\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}}\n"
     "  send {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\",\"params\":{META}}\n"
     "  unwatched\n"
     "  tools 0\n"},
    /* a notification for another subscriber */
    {"l",
     "start\n"
     "get $discovered(1)\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n"
     "get "
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
     "list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7}}}\n",
     "  send $discover(1)\n"
     "  ready modern 2026-07-28 '' '' '' tools\n"
     "  send stream "
     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscriptions/"
     "listen\",\"params\":{META,\"notifications\":{\"toolsListChanged\":true}}}\n"},
    /* changes are ignored until the connection is open */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}\n",
     "  send $initialize(1)\n"},
    /* a list of a server that failed */
    {"L",
     "start\n"
     "get {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}\n"
     "list\n",
     "  send $initialize(1)\n"
     "  failed the server rejected initialize: no\n"
     "  tools 0 error the server cannot be used\n"},
};

TEST(lists_of_a_client_follow_the_cases)
{
    test_client_check_all(cases, COUNT(cases));
}

TEST(lists_of_a_client_survive_every_failed_allocation)
{
    test_client_fail_allocations(cases, COUNT(cases));
}

/* ---- limits ---- */

static haft__mcp_client *open_client(const char *letters)
{
    haft__mcp_client_options options = test_client_options_of(letters);
    haft__mcp_client *client = NULL;
    haft__buf log;
    haft__buf_init(&log, 1 << 16);
    CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
    CHECK_INT(test_client_play(client,
                               HAFT__LIT("start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                                         "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                                         "{\"tools\":{}}}}\nlist\n"),
                               &log),
              HAFT_OK, "open");
    haft__buf_finish(&log);
    return client;
}

/* Reads events up to the end of the listing, if it has ended. */
static bool take_tools(haft__mcp_client *client, haft__mcp_tools *ret_tools)
{
    haft__mcp_client_event event;
    bool found = false;
    while (!found && haft__mcp_client_next(client, &event)) {
        found = event.kind == HAFT__MCP_EVENT_TOOLS;
        *ret_tools = event.tools;
    }
    return found;
}

static void receive(haft__mcp_client *client, const haft__buf *text)
{
    CHECK_INT(haft__buf_check(text, NULL), HAFT_OK, "the message cannot be made");
    CHECK_INT(haft__mcp_client_receive(client, 0, haft__buf_str(text), NULL), HAFT_OK, "receive");
}

static void add_head(haft__buf *buf, int id)
{
    haft__buf_clear(buf);
    haft__buf_addf(buf, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[", id);
}

static size_t list_many(int count, bool good, size_t *ret_warnings)
{
    haft__mcp_client *client = open_client("L");
    haft__mcp_tools tools = {0};
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    add_head(&buf, 2);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s{\"name\":\"t%d\"%s}", i > 0 ? "," : "", i,
                       good ? ",\"inputSchema\":{\"type\":\"object\"}" : "");
    }
    haft__buf_addf(&buf, "]}}");
    receive(client, &buf);
    CHECK(take_tools(client, &tools), "the listing has not ended");
    size_t found = tools.count;
    *ret_warnings = tools.left_out_count;
    CHECK(tools.left_out_all == (good ? tools.left_out_count : (size_t)count),
          "not all skipped tools are counted");
    haft__mcp_client_destroy(client);
    haft__buf_finish(&buf);
    return found;
}

TEST(the_tools_of_a_list_are_bounded)
{
    size_t warnings;
    CHECK_INT(list_many(HAFT__LIMIT_MCP_TOOLS, true, &warnings), HAFT__LIMIT_MCP_TOOLS,
              "tools at the limit");
    CHECK_INT(warnings, 0, "warnings at the limit");
    CHECK_INT(list_many(HAFT__LIMIT_MCP_TOOLS + 1, true, &warnings), HAFT__LIMIT_MCP_TOOLS,
              "tools past the limit");
    CHECK_INT(warnings, 1, "warnings past the limit");
}

TEST(the_warnings_of_a_list_are_bounded)
{
    size_t warnings;
    CHECK_INT(list_many(HAFT__LIMIT_MCP_WARNINGS, false, &warnings), 0, "usable tools");
    CHECK_INT(warnings, HAFT__LIMIT_MCP_WARNINGS, "warnings at the limit");
    CHECK_INT(list_many(HAFT__LIMIT_MCP_WARNINGS + 1, false, &warnings), 0, "usable tools");
    CHECK_INT(warnings, HAFT__LIMIT_MCP_WARNINGS, "warnings past the limit");
}

TEST(the_pages_of_a_list_are_bounded)
{
    haft__mcp_client *client = open_client("L");
    haft__mcp_tools tools = {0};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    for (int page = 1; page <= HAFT__LIMIT_MCP_PAGES; page++) {
        CHECK(!take_tools(client, &tools), "page %d was not requested", page);
        add_head(&buf, page + 1);
        haft__buf_addf(&buf, "],\"nextCursor\":\"%d\"}}", page);
        receive(client, &buf);
    }
    CHECK(take_tools(client, &tools), "a page past the limit was requested");
    CHECK_INT(tools.left_out_count, 1, "warnings");
    haft__mcp_client_destroy(client);
    haft__buf_finish(&buf);
}

/* Pages of the maximum message length, the last one shorter by `less`. */
static bool list_bytes(size_t less)
{
    haft__mcp_client *client = open_client("L");
    haft__mcp_tools tools = {0};
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    size_t pages = HAFT__LIMIT_MCP_LIST_BYTES / HAFT__LIMIT_MCP_MESSAGE_BYTES;
    for (size_t page = 1; page <= pages; page++) {
        add_head(&buf, (int)page + 1);
        haft__buf_addf(&buf, "],\"nextCursor\":\"%zu\"}}", page);
        size_t pad = HAFT__LIMIT_MCP_MESSAGE_BYTES - buf.len - (page == pages ? less : 0);
        char *blanks = haft__buf_reserve(&buf, pad);
        if (blanks != NULL) {
            memset(blanks, ' ', pad);
            haft__buf_advance(&buf, pad);
        }
        receive(client, &buf);
    }
    bool ended = take_tools(client, &tools);
    haft__mcp_client_destroy(client);
    haft__buf_finish(&buf);
    return ended;
}

TEST(the_bytes_of_a_list_are_bounded)
{
    CHECK(!list_bytes(1), "one byte below the limit: the next page was not requested");
    CHECK(list_bytes(0), "at HAFT__LIMIT_MCP_LIST_BYTES: the list was not cut");
}

static size_t list_cursor(int length)
{
    haft__mcp_client *client = open_client("L");
    haft__mcp_tools tools = {0};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    add_head(&buf, 2);
    haft__buf_addf(&buf, "],\"nextCursor\":\"%0*d\"}}", length, 1);
    receive(client, &buf);
    size_t warnings = take_tools(client, &tools) ? tools.left_out_count : 0;
    haft__mcp_client_destroy(client);
    haft__buf_finish(&buf);
    return warnings;
}

TEST(the_length_of_a_cursor_is_bounded)
{
    CHECK_INT(list_cursor(HAFT__LIMIT_MCP_CURSOR_BYTES), 0, "warnings for a cursor at the limit");
    CHECK_INT(list_cursor(HAFT__LIMIT_MCP_CURSOR_BYTES + 1), 1,
              "warnings for a cursor past the limit");
}

/* A tool that can be called only as a task is skipped; one that may be called as a task is not. */
TEST(tools_that_need_tasks_are_skipped)
{
    static const struct {
        const char *execution;
        bool there;
    } rows[] = {{"{\"taskSupport\":\"required\"}", false},
                {"{\"taskSupport\":\"optional\"}", true},
                {"{\"taskSupport\":\"forbidden\"}", true},
                {"{\"taskSupport\":7}", true},
                {"{}", true},
                {"null", true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char steps[1024];
        haft__mcp_client_options options = test_client_options_of("L");
        haft__mcp_client *client = NULL;
        haft__buf log;
        haft__buf_init(&log, 1 << 16);
        CHECK_INT(haft__mcp_client_create(&options, &client, NULL), HAFT_OK, "create");
        (void)snprintf(steps, sizeof(steps),
                       "start\nget {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":"
                       "\"2025-11-25\",\"capabilities\":{\"tools\":{}}}}\nlist\nget {\"jsonrpc\":"
                       "\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"a\",\"execution\":%s,"
                       "\"inputSchema\":{\"type\":\"object\"}}]}}\n",
                       rows[i].execution);
        CHECK_INT(test_client_play(client, haft__str(steps), &log), HAFT_OK, "%s", steps);
        haft__buf_add_char(&log, '\0');
        CHECK(strstr(log.ptr, rows[i].there
                                  ? "  tools 1 docs:a\n"
                                  : "  tools 0 warning 'a: /execution/taskSupport: it can be "
                                    "called only as a task, and haft does not support tasks'\n")
                  != NULL,
              "%s: %s", rows[i].execution, log.ptr);
        haft__mcp_client_destroy(client);
        haft__buf_finish(&log);
    }
}
