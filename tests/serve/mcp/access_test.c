/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/serve/mcp/access.c: which requests are accepted. */
#include "serve/mcp/access.h"

#include "base/limits.h"
#include "test.h"

#define BOTH "application/json, text/event-stream"

static const char *const names[] = {"tools.example.org"};

/* Each row is a request. If a header is not set in a row, the request has a valid one; "-" means
 * that the header is missing. */
static const struct {
    const char *host, *origin, *authorization, *accept, *type, *method;
    const char *listen; /* the address that the server listens on */
    bool everywhere;    /* the server listens on more than loopback */
    bool token;         /* the server requires a token */
    uint32_t status;    /* of the rejection; 0: accepted */
} rows[] = {
    {.status = 0},
    {.host = "localhost", .status = 0},
    {.host = "LOCALHOST:1", .status = 0},
    {.host = "127.0.0.1:65535", .status = 0},
    {.host = "[::1]:80", .status = 0},
    {.host = "[::1]", .status = 0},
    {.host = "-", .status = 403},
    {.host = "", .status = 403},
    {.host = ":80", .status = 403},
    {.host = "evil.com", .status = 403},
    {.host = "localhost.evil.com", .status = 403},
    {.host = "localhost:80:80", .status = 403},
    {.host = "localhost:http", .status = 403},
    {.host = "[::1", .status = 403},
    {.host = "[::1]x", .status = 403},
    {.host = "[]", .status = 403},
    {.host = "127.0.0.2", .status = 403},
    {.host = "127.0.0.2:80", .listen = "127.0.0.2:80", .status = 0},
    {.host = "127.0.0.2", .listen = "127.0.0.2:80", .status = 0},
    {.host = "127.0.0.3:80", .listen = "127.0.0.2:80", .status = 403},
    {.host = "127.0.0.1:80", .listen = "127.0.0.2:80", .status = 0},
    {.host = "evil.com:80", .listen = "evil.com:80", .status = 403},
    {.host = "127.0.0.2:80",
     .origin = "http://127.0.0.2:80",
     .listen = "127.0.0.2:80",
     .status = 0},
    {.host = "127.0.0.2:80",
     .origin = "http://127.0.0.3:80",
     .listen = "127.0.0.2:80",
     .status = 403},
    {.host = "192.168.1.1:80", .status = 403},
    {.host = "192.168.1.1:80", .everywhere = true, .token = true, .status = 0},
    {.host = "evil.com", .everywhere = true, .token = true, .status = 403},
    {.host = "Tools.Example.org:80", .status = 0},
    {.origin = "http://localhost:3000", .status = 0},
    {.origin = "https://127.0.0.1", .status = 0},
    {.origin = "http://tools.example.org", .status = 0},
    {.origin = "http://evil.com", .status = 403},
    {.origin = "http://localhost.evil.com", .status = 403},
    {.origin = "http://localhost@evil.com", .status = 403},
    {.origin = "localhost", .status = 403},
    {.origin = "null", .status = 403},
    {.origin = "", .status = 403},
    {.origin = "file://", .status = 403},
    {.host = "10.0.0.1:80",
     .origin = "http://10.0.0.1:80",
     .everywhere = true,
     .token = true,
     .status = 0},
    {.host = "10.0.0.1:80",
     .origin = "http://10.0.0.2",
     .everywhere = true,
     .token = true,
     .status = 403},
    {.token = true, .status = 0},
    {.token = true, .authorization = "-", .status = 401},
    {.token = true, .authorization = "", .status = 401},
    {.token = true, .authorization = "Bearer", .status = 401},
    {.token = true, .authorization = "Bearer secre", .status = 401},
    {.token = true, .authorization = "Bearer secrets", .status = 401},
    {.token = true, .authorization = "Basic secret", .status = 401},
    {.token = true, .authorization = "  bearer   secret  ", .status = 0},
    {.accept = "-", .status = 406},
    {.accept = "application/json", .status = 406},
    {.accept = "text/event-stream", .status = 406},
    {.accept = "text/event-stream;q=0.5,application/json;q=1", .status = 0},
    {.accept = "*/*", .status = 0},
    {.accept = "application/*, text/*", .status = 0},
    {.accept = "application/*", .status = 406},
    {.accept = "text/event-stream", .method = "GET", .status = 0},
    {.accept = "application/json", .method = "GET", .status = 406},
    {.accept = "-", .method = "DELETE", .status = 0},
    {.type = "-", .status = 415},
    {.type = "application/json; charset=utf-8", .status = 0},
    {.type = "Application/JSON", .status = 0},
    {.type = "text/plain", .status = 415},
    {.type = "application/x-www-form-urlencoded", .status = 415},
    {.type = "application/jsonp", .status = 415},
};

static haft_str header(const char *given, const char *fallback)
{
    const char *text = given != NULL ? given : fallback;
    return strcmp(text, "-") == 0 ? (haft_str){NULL, 0} : haft__str(text);
}

TEST(requests_are_accepted_or_rejected_by_their_headers)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *why = NULL;
        haft__mcp_access_rules rules = {
            .loopback = !rows[i].everywhere,
            .address = haft__str(rows[i].listen != NULL ? rows[i].listen : ""),
            .token = rows[i].token ? HAFT__LIT("secret") : HAFT__LIT(""),
            .allowed_hosts = names,
            .allowed_host_count = COUNT(names)};
        haft__mcp_access_request request = {
            .method = header(rows[i].method, "POST"),
            .host = header(rows[i].host, "127.0.0.1:80"),
            .origin = header(rows[i].origin, "-"),
            .authorization = header(rows[i].authorization, rows[i].token ? "Bearer secret" : "-"),
            .accept = header(rows[i].accept, BOTH),
            .content_type = header(rows[i].type, "application/json")};
        CHECK_INT(haft__mcp_access_check(&rules, &request, &why), rows[i].status, "row %zu: %s", i,
                  why != NULL ? why : "");
        CHECK((why != NULL) == (rows[i].status != 0),
              "row %zu: a reason without a rejection, or a rejection without a reason", i);
    }
}

TEST(loopback_addresses_are_detected)
{
    static const struct {
        const char *address;
        bool loopback;
    } at[] = {{"127.0.0.1:80", true},   {"127.9.9.9:80", true},    {"localhost:0", true},
              {"[::1]:80", true},       {"0.0.0.0:80", false},     {"[::]:80", false},
              {"192.168.0.1:1", false}, {"127.evil.com:1", false}, {"", false}};
    for (size_t i = 0; i < COUNT(at); i++) {
        CHECK_INT(haft__mcp_access_is_loopback(haft__str(at[i].address)), at[i].loopback, "%s",
                  at[i].address);
    }
}

/* The limit of the token file also bounds the token of a request. */
TEST(the_length_of_a_token_is_bounded)
{
    char text[7 + HAFT__LIMIT_MCP_TOKEN_FILE_BYTES + 1];
    memset(text, 't', sizeof(text));
    memcpy(text, "Bearer ", 7);
    haft__mcp_access_rules rules = {.loopback = true,
                                    .token = {text + 7, HAFT__LIMIT_MCP_TOKEN_FILE_BYTES}};
    haft__mcp_access_request request = {.method = HAFT__LIT("DELETE"),
                                        .host = HAFT__LIT("localhost")};
    for (size_t more = 0; more < 2; more++) {
        const char *why = NULL;
        request.authorization = (haft_str){text, 7 + HAFT__LIMIT_MCP_TOKEN_FILE_BYTES + more};
        CHECK_INT(haft__mcp_access_check(&rules, &request, &why), more == 0 ? 0 : 401,
                  "%zu bytes past the limit", more);
    }
}

TEST(a_token_has_a_minimum_length)
{
    char token[HAFT__LIMIT_MCP_TOKEN_MIN_BYTES];
    memset(token, 't', sizeof(token));
    CHECK(!haft__mcp_access_is_weak_token((haft_str){token, HAFT__LIMIT_MCP_TOKEN_MIN_BYTES}),
          "a token of the minimum length is weak");
    CHECK(haft__mcp_access_is_weak_token((haft_str){token, HAFT__LIMIT_MCP_TOKEN_MIN_BYTES - 1}),
          "a token one byte shorter is not weak");
}

TEST(only_short_keys_of_visible_characters_are_accepted)
{
    char key[HAFT__LIMIT_MCP_KEY_BYTES + 1];
    memset(key, 'k', sizeof(key));
    CHECK(haft__mcp_access_accepts_key((haft_str){key, HAFT__LIMIT_MCP_KEY_BYTES}),
          "a key at the limit was rejected");
    CHECK(!haft__mcp_access_accepts_key((haft_str){key, sizeof(key)}),
          "a key past the limit was accepted");
    static const char *const bad[] = {"", " ", "a b", "a\x7f", "\xc3\xa4", "\n", "mcp:", "mcp:x"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        CHECK(!haft__mcp_access_accepts_key(haft__str(bad[i])), "'%s'", bad[i]);
    }
    CHECK(!haft__mcp_access_accepts_key((haft_str){"a\0b", 3}), "a key with a NUL was accepted");
    CHECK(haft__mcp_access_accepts_key(HAFT__LIT("!~"))
              && haft__mcp_access_accepts_key(HAFT__LIT("mcp")),
          "a key of visible characters was rejected");
}
