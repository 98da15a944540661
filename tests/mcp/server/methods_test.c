/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/methods.c: openings of both eras, lists and their pages. */
#include "base/limits.h"
#include "mcp/server_help.h"

#define V                   "\"jsonrpc\":\"2.0\","
#define INIT(params)        "{" V "\"id\":1,\"method\":\"initialize\",\"params\":{" params "}}"
#define NEW(method, params) "{" V "\"id\":1,\"method\":\"" method "\",\"params\":{" META params "}}"

TEST(a_handshake_chooses_a_version)
{
    static const struct {
        const char *text, *sent;
    } rows[] = {
        {INIT("\"protocolVersion\":\"2025-11-25\""), "\"protocolVersion\":\"2025-11-25\""},
        {INIT("\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}"),
         "\"protocolVersion\":\"2025-06-18\""},
        {INIT("\"protocolVersion\":\"2024-11-05\""), "\"protocolVersion\":\"2024-11-05\""},
        {INIT("\"protocolVersion\":\"2099-01-01\""), "\"protocolVersion\":\"2025-11-25\""},
        {INIT("\"protocolVersion\":\"\""), "\"protocolVersion\":\"2025-11-25\""},
        {INIT("\"protocolVersion\":\"2025-11-25\""), "\"listChanged\":true"},
        {INIT("\"protocolVersion\":\"2025-11-25\""), "\"instructions\":\"Be kind.\""},
        {INIT("\"protocolVersion\":\"2025-11-25\""), "\"subscribe\":true"},
        {INIT("\"protocolVersion\":3"), "-32602"},
        {INIT(""), "-32602"},
        {INIT("\"protocolVersion\":\"2025-11-25\",\"capabilities\":[]"), "-32602"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        mcp_case c;
        mcp_open(&c);
        haft_str sent = mcp_receive(&c, rows[i].text, NULL);
        CHECK(mcp_sent_contains(&c, rows[i].sent), "%s: %.*s", rows[i].text, HAFT__ARG(sent));
        bool open = haft__mcp_peer_version(c.peer).len > 0;
        CHECK(open != mcp_sent_contains(&c, "-32602"), "%s", rows[i].text);
        mcp_close(&c);
    }
}

TEST(a_session_is_opened_once)
{
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    (void)mcp_receive(&c, INIT("\"protocolVersion\":\"2025-11-25\""), NULL);
    CHECK(mcp_sent_contains(&c, "already initialized"), "a second initialize was accepted");
    mcp_close(&c);
}

#define CALL_OF(method, params) "{" V "\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"

/* With a handshake, invalid parameters are an error in an HTTP 200 response; without a handshake
 * the status is 400. */
TEST(the_status_of_invalid_parameters_depends_on_the_era)
{
    static const struct {
        const char *old, *new;
    } rows[] = {
        {CALL_OF("tools/list", "\"cursor\":\"x\""), NEW("tools/list", ",\"cursor\":\"x\"")},
        {CALL_OF("tools/call", ""), NEW("tools/call", "")},
        {CALL_OF("tools/call", "\"name\":\"t0\",\"arguments\":3"),
         NEW("tools/call", ",\"name\":\"t0\",\"arguments\":3")},
        {CALL_OF("resources/read", ""), NEW("resources/read", "")},
        {CALL_OF("logging/setLevel", "\"level\":\"loud\""), NULL},
    };
    mcp_case c;
    mcp_open(&c);
    (void)mcp_receive(&c, INIT(""), NULL);
    CHECK(c.http == 200 && mcp_sent_contains(&c, "-32602"), "initialize: %u", c.http);
    mcp_initialize(&c, "{}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)mcp_receive(&c, rows[i].old, NULL);
        CHECK(c.http == 200 && mcp_sent_contains(&c, "-32602"), "%s: %u", rows[i].old, c.http);
        if (rows[i].new != NULL) {
            (void)mcp_receive(&c, rows[i].new, NULL);
            CHECK(c.http == 400 && mcp_sent_contains(&c, "-32602"), "%s: %u", rows[i].new, c.http);
        }
    }
    mcp_close(&c);
}

/* An unknown version in the header is an error in both eras. */
TEST(an_unknown_version_in_a_header_is_rejected)
{
    mcp_case c;
    mcp_open(&c);
    haft__mcp_headers headers = {.version = HAFT__LIT("1999-01-01")};
    (void)mcp_receive(&c, CALL_OF("tools/list", ""), &headers);
    CHECK(mcp_sent_contains(
              &c, "\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\","
                  "\"2024-11-05\"],\"requested\":\"1999-01-01\""),
          "%.*s", HAFT__ARG(haft__buf_str(&c.sent)));
    CHECK_INT(c.http, 400, "HTTP status");
    mcp_close(&c);
}

TEST(requests_without_a_handshake_are_answered)
{
    static const struct {
        const char *text, *sent;
        uint32_t http;
    } rows[] = {
        {NEW("server/discover", ""), "\"supportedVersions\":[\"2026-07-28\"]", 200},
        {NEW("server/discover", ""), "\"resultType\":\"complete\"", 200},
        {NEW("server/discover", ""),
         "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"s\"", 200},
        {NEW("tools/list", ""), "\"ttlMs\":60000,\"cacheScope\":\"private\"", 200},
        {NEW("prompts/list", ""), "\"prompts\":[", 200},
        {NEW("resources/list", ""), "\"resources\":[", 200},
        {NEW("resources/templates/list", ""), "\"resourceTemplates\":[", 200},
        {NEW("ping", ""), "-32601", 404},
        {NEW("initialize", ""), "-32601", 404},
        {NEW("logging/setLevel", ""), "-32601", 404},
        {NEW("resources/subscribe", ""), "-32601", 404},
        {NEW("none", ""), "-32601", 404},
        {"{" V "\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"v9\","
         "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
         "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"v9\"}", 400},
        {"{" V "\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":7,"
         "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
         "-32602", 400},
        {"{" V "\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
         "\"io.modelcontextprotocol/clientCapabilities\":[]}}}",
         "-32602", 400},
    };
    mcp_case c;
    mcp_open(&c);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str sent = mcp_receive(&c, rows[i].text, NULL);
        CHECK(mcp_sent_contains(&c, rows[i].sent), "%s: %.*s", rows[i].text, HAFT__ARG(sent));
        CHECK_INT(c.http, rows[i].http, "%s", rows[i].text);
    }
    CHECK_INT(haft__mcp_peer_version(c.peer).len, 0,
              "the version of the peer, which must not be stored");
    mcp_close(&c);
}

TEST(methods_that_are_not_served_are_unknown)
{
    static const char *const methods[] = {"prompts/list", "prompts/get", "resources/list",
                                          "resources/read", "completion/complete"};
    mcp_case c;
    mcp_open(&c);
    c.served.prompts = c.served.resources = c.served.completions = c.served.logging = false;
    c.served.changes = false;
    for (size_t i = 0; i < COUNT(methods); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "{" V "\"id\":1,\"method\":\"%s\",\"params\":{" META "}}", methods[i]);
        (void)mcp_receive(&c, text, NULL);
        CHECK(mcp_sent_contains(&c, "-32601"), "%s", methods[i]);
    }
    (void)mcp_receive(&c, NEW("server/discover", ""), NULL);
    CHECK(mcp_sent_contains(&c, "\"capabilities\":{\"tools\":{}}"),
          "another capability is offered");
    mcp_initialize(&c, "{}");
    (void)mcp_receive(&c,
                      "{" V "\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":"
                      "\"info\"}}",
                      NULL);
    CHECK(mcp_sent_contains(&c, "-32601"), "a log level can be set");
    mcp_close(&c);
}

/* The cursor of the last message; "" without one. */
static void take_cursor(const mcp_case *c, char cursor[256])
{
    haft_str text = haft__buf_str(&c->sent), key = HAFT__LIT("\"nextCursor\":\"");
    cursor[0] = '\0';
    for (size_t i = 0; i + key.len < text.len; i++) {
        if (memcmp(text.ptr + i, key.ptr, key.len) == 0) {
            haft_str rest = haft__str_skip(text, i + key.len);
            haft_str value = haft__str_split(&rest, '"');
            (void)snprintf(cursor, 256, "%.*s", HAFT__ARG(value));
        }
    }
}

TEST(lists_are_sent_in_pages)
{
    static const size_t counts[] = {0, 1, HAFT__LIMIT_MCP_PAGE, HAFT__LIMIT_MCP_PAGE + 1,
                                    2 * HAFT__LIMIT_MCP_PAGE + 1};
    for (size_t i = 0; i < COUNT(counts); i++) {
        mcp_case c;
        char cursor[256], text[768];
        size_t pages = 1;
        mcp_open(&c);
        c.tools = counts[i];
        (void)mcp_receive(&c, NEW("tools/list", ""), NULL);
        for (take_cursor(&c, cursor); cursor[0] != '\0'; take_cursor(&c, cursor)) {
            (void)snprintf(text, sizeof(text), NEW("tools/list", ",\"cursor\":\"%s\""), cursor);
            (void)mcp_receive(&c, text, NULL);
            CHECK(!mcp_sent_contains(&c, "error"), "page %zu of %zu", pages, counts[i]);
            pages++;
        }
        size_t wanted = counts[i] == 0 ? 1 : (counts[i] - 1) / HAFT__LIMIT_MCP_PAGE + 1;
        CHECK_INT(pages, wanted, "%zu entries", counts[i]);
        mcp_close(&c);
    }
}

TEST(invalid_cursors_are_rejected)
{
    static const char *const cursors[] = {"\"\"", "\"0\"", "\"1.2.3\"", "7", "{}"};
    mcp_case c;
    char cursor[256], text[768];
    mcp_open(&c);
    c.tools = HAFT__LIMIT_MCP_PAGE + 1;
    for (size_t i = 0; i < COUNT(cursors); i++) {
        (void)snprintf(text, sizeof(text), NEW("tools/list", ",\"cursor\":%s"), cursors[i]);
        (void)mcp_receive(&c, text, NULL);
        CHECK(mcp_sent_contains(&c, "-32602"), "%s", cursors[i]);
    }
    (void)mcp_receive(&c, NEW("tools/list", ""), NULL);
    take_cursor(&c, cursor);
    (void)snprintf(text, sizeof(text), NEW("prompts/list", ",\"cursor\":\"%s\""), cursor);
    (void)mcp_receive(&c, text, NULL);
    CHECK(mcp_sent_contains(&c, "-32602"), "the cursor of another list was accepted");
    c.tools = 1; /* the list has shrunk */
    (void)snprintf(text, sizeof(text), NEW("tools/list", ",\"cursor\":\"%s\""), cursor);
    (void)mcp_receive(&c, text, NULL);
    CHECK(mcp_sent_contains(&c, "-32602"), "a cursor past the end was accepted");
    (void)mcp_receive(&c, NEW("tools/list", ",\"cursor\":null"), NULL);
    CHECK(!mcp_sent_contains(&c, "error"), "null as a cursor was rejected");
    mcp_close(&c);
}

TEST(valid_log_levels_can_be_set)
{
    mcp_case c;
    mcp_open(&c);
    mcp_initialize(&c, "{}");
    static const struct {
        const char *params;
        bool good;
    } rows[] = {{"{\"level\":\"debug\"}", true},
                {"{\"level\":\"emergency\"}", true},
                {"{\"level\":\"loud\"}", false},
                {"{\"level\":1}", false},
                {"{}", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "{" V "\"id\":1,\"method\":\"logging/setLevel\",\"params\":%s}",
                       rows[i].params);
        (void)mcp_receive(&c, text, NULL);
        CHECK_INT(mcp_sent_contains(&c, "\"result\":{}"), rows[i].good, "%s", rows[i].params);
    }
    mcp_close(&c);
}
