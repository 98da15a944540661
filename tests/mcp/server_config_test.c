/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server_config.c: `mcp` of a spec, and the hash of a server's configuration. */
#include "mcp/server_config.h"

#include "base/buf.h"
#include "base/limits.h"
#include "mcp/definition_help.h"
#include "test.h"

TEST(servers_are_read_without_expanding_variables)
{
    haft__arena arena;
    haft__mcp_server_configs servers = {0};
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__json mcp = test_json(
        &arena, HAFT__LIT("{\"servers\":{"
                          "\"docs\":{\"command\":[\"npx\",\"-y\"],\"args\":[\"some\"],"
                          "\"env\":{\"TOKEN\":\"${T}\"},\"cwd\":\"sub\",\"timeout\":\"5s\","
                          "\"trust\":true,\"roots\":[\".\",\"/data\"],\"polls\":[\"job_*\"]},"
                          "\"remote\":{\"url\":\"https://example.org/mcp\",\"headers\":"
                          "{\"Authorization\":\"Bearer ${T}\"},\"enabled\":false},"
                          "\"plain\":{\"command\":\"server\",\"imported\":true,\"cwd\":null}},"
                          "\"allow\":[\"docs:*\"],\"deny\":\"*:delete_*\"}"));
    CHECK_INT(haft__mcp_server_configs_read(&arena, mcp, &servers, &err), HAFT_OK, "%s %s",
              err.where, err.message);
    CHECK_INT(servers.count, 3, "servers");
    const haft__mcp_server_config *docs =
        haft__mcp_server_configs_find(&servers, HAFT__LIT("docs"));
    const haft__mcp_server_config *remote =
        haft__mcp_server_configs_find(&servers, HAFT__LIT("remote"));
    const haft__mcp_server_config *plain =
        haft__mcp_server_configs_find(&servers, HAFT__LIT("plain"));
    CHECK(haft__mcp_server_configs_find(&servers, HAFT__LIT("doc")) == NULL,
          "a prefix of a name was found");
    if (docs == NULL || remote == NULL || plain == NULL) {
        test_fail(__FILE__, __LINE__, "docs, remote and plain", "not all are found");
        return;
    }
    CHECK_INT(docs->command_count, 3, "words of the command");
    CHECK_STR(docs->command[2], HAFT__LIT("some"), "the last word of the command");
    CHECK_STR(docs->env[0].name, HAFT__LIT("TOKEN"), "the name of a variable");
    CHECK_STR(docs->env[0].value, HAFT__LIT("${T}"),
              "the value of a variable, which is not expanded");
    CHECK_STR(docs->cwd, HAFT__LIT("sub"), "cwd");
    CHECK_INT(docs->timeout_ms, 5000, "timeout");
    CHECK_INT(docs->root_count, 2, "roots");
    CHECK_INT(docs->poll_count, 1, "tools that poll");
    CHECK_STR(docs->polls[0], HAFT__LIT("job_*"), "a tool that polls");
    CHECK(docs->enabled && docs->trusted && !docs->imported, "the flags of docs");
    CHECK(!remote->enabled && !remote->trusted, "the flags of remote");
    CHECK_STR(remote->url, HAFT__LIT("https://example.org/mcp"), "url");
    CHECK_STR(remote->headers[0].name, HAFT__LIT("Authorization"), "the name of the header");
    CHECK_INT(remote->command_count, 0, "words of the command of remote");
    CHECK_INT(plain->command_count, 1, "words of the command of plain");
    CHECK(plain->imported, "plain is not imported");
    CHECK(haft__mcp_server_configs_allow(&servers, HAFT__LIT("docs:search")),
          "an allowed tool is denied");
    CHECK(!haft__mcp_server_configs_allow(&servers, HAFT__LIT("docs:delete_all")),
          "a denied tool is allowed");
    CHECK(!haft__mcp_server_configs_allow(&servers, HAFT__LIT("remote:search")),
          "a tool that is not in the list is allowed");
    haft__arena_finish(&arena);
}

TEST(a_spec_without_servers_is_valid)
{
    static const char *const texts[] = {"null", "{}", "{\"servers\":{}}", "{\"servers\":null}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena arena;
        haft__mcp_server_configs servers = {.count = 7};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__mcp_server_configs_read(&arena, test_json(&arena, haft__str(texts[i])),
                                                &servers, NULL),
                  HAFT_OK, "%s", texts[i]);
        CHECK_INT(servers.count, 0, "%s", texts[i]);
        CHECK(haft__mcp_server_configs_allow(&servers, HAFT__LIT("a:b")), "%s: a tool is denied",
              texts[i]);
        haft__arena_finish(&arena);
    }
}

static const struct {
    const char *mcp, *where, *message;
} bad[] = {
    {"{\"servers\":[]}", "/servers", "expected an object of servers, found array"},
    {"{\"servers\":{\"\":{\"url\":\"http://x\"}}}", "/servers", "found ''"},
    {"{\"servers\":{\"a b\":{\"url\":\"http://x\"}}}", "/servers", "found 'a b'"},
    {"{\"servers\":{\"a\":7}}", "/servers/a/", "expected an object, found number"},
    {"{\"servers\":{\"a\":{}}}", "/servers/a/command", "expected a command or a url, found null"},
    {"{\"servers\":{\"a\":{\"args\":[\"x\"]}}}", "/servers/a/command", NULL},
    {"{\"servers\":{\"a\":{\"command\":[]}}}", "/servers/a/command", NULL},
    {"{\"servers\":{\"a\":{\"command\":[\"x\"],\"url\":\"http://x\"}}}", "/servers/a/command",
     "expected a command or a url, not both"},
    {"{\"servers\":{\"a\":{\"command\":7}}}", "/servers/a/command", "a list of strings"},
    {"{\"servers\":{\"a\":{\"command\":[7]}}}", "/servers/a/command", "found number"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"args\":{}}}}", "/servers/a/args", NULL},
    {"{\"servers\":{\"a\":{\"url\":7}}}", "/servers/a/url", "expected a text, found number"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"cwd\":7}}}", "/servers/a/cwd", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"env\":[]}}}", "/servers/a/env", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"env\":{\"A\":1}}}}", "/servers/a/env", NULL},
    {"{\"servers\":{\"a\":{\"url\":\"http://x\",\"headers\":{\"A\":null}}}}", "/servers/a/headers",
     NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"enabled\":1}}}", "/servers/a/enabled",
     "expected true or false, found number"},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"trust\":\"yes\"}}}", "/servers/a/trust", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"imported\":1}}}", "/servers/a/imported", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"timeout\":\"soon\"}}}", "/servers/a/timeout", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"timeout\":0}}}", "/servers/a/timeout", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"timeout\":\"25h\"}}}", "/servers/a/timeout", NULL},
    {"{\"servers\":{\"a\":{\"command\":\"x\",\"roots\":7}}}", "/servers/a/roots", NULL},
    {"{\"allow\":7}", "", "expected a list of strings as allow"},
    {"{\"deny\":[7]}", "", "expected a list of strings as deny"},
};

TEST(a_wrong_server_is_named_with_its_key)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        haft__arena arena;
        haft__mcp_server_configs servers;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__mcp_server_configs_read(&arena, test_json(&arena, haft__str(bad[i].mcp)),
                                                &servers, &err),
                  HAFT_BAD_INPUT, "%s", bad[i].mcp);
        CHECK_STR(haft__str(err.where), haft__str(bad[i].where), "%s", bad[i].mcp);
        CHECK(bad[i].message == NULL || strstr(err.message, bad[i].message) != NULL, "%s: %s",
              bad[i].mcp, err.message);
        haft__arena_finish(&arena);
    }
}

static haft_status read_many(int count)
{
    haft__arena arena;
    haft__buf buf;
    haft__mcp_server_configs servers;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s\"s%d\":{\"command\":\"x\"}", i > 0 ? "," : "{\"servers\":{", i);
    }
    haft__buf_addf(&buf, "}}");
    haft_status status = haft__mcp_server_configs_read(
        &arena, test_json(&arena, haft__buf_str(&buf)), &servers, NULL);
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    return status;
}

TEST(the_number_of_servers_is_bounded)
{
    CHECK_INT(read_many(HAFT__LIMIT_MCP_SERVERS), HAFT_OK, "at the limit");
    CHECK_INT(read_many(HAFT__LIMIT_MCP_SERVERS + 1), HAFT_TOO_BIG, "past the limit");
}

TEST(the_length_of_a_server_name_is_bounded)
{
    char text[256];
    for (int more = 0; more < 2; more++) {
        haft__arena arena;
        haft__mcp_server_configs servers;
        haft__arena_init(&arena, 0);
        (void)snprintf(text, sizeof text, "{\"servers\":{\"%0*d\":{\"command\":\"x\"}}}",
                       HAFT__MCP_SERVER_NAME_BYTES + more, 1);
        CHECK_INT(haft__mcp_server_configs_read(&arena, test_json(&arena, haft__str(text)),
                                                &servers, NULL),
                  more == 0 ? HAFT_OK : HAFT_BAD_INPUT, "%d bytes past the limit", more);
        haft__arena_finish(&arena);
    }
}

/* ---- hashes ---- */

static const struct {
    const char *a, *b;
    bool same;
} hashes[] = {
    {"{\"command\":[\"a\",\"b\"]}", "{\"command\":\"a\",\"args\":[\"b\"]}", true},
    {"{\"command\":[\"a\",\"b\"]}", "{\"command\":[\"a b\"]}", false},
    {"{\"command\":\"a\"}", "{\"command\":\"a\",\"enabled\":false,\"trust\":true}", true},
    {"{\"command\":\"a\"}", "{\"command\":\"a\",\"cwd\":\"x\"}", false},
    {"{\"command\":\"a\",\"env\":{\"DIR\":\"x\"}}", "{\"command\":\"a\",\"env\":{\"DIR\":\"y\"}}",
     false},
    /* a literal secret does not count; its name and a variable do */
    {"{\"command\":\"a\",\"env\":{\"API_KEY\":\"x\"}}",
     "{\"command\":\"a\",\"env\":{\"API_KEY\":\"y\"}}", true},
    {"{\"command\":\"a\",\"env\":{\"API_KEY\":\"x\"}}",
     "{\"command\":\"a\",\"env\":{\"TOKEN\":\"x\"}}", false},
    {"{\"command\":\"a\",\"env\":{\"API_KEY\":\"${X}\"}}",
     "{\"command\":\"a\",\"env\":{\"API_KEY\":\"${Y}\"}}", false},
    {"{\"url\":\"http://h/p\",\"headers\":{\"X\":\"1\"}}",
     "{\"url\":\"http://h/p\",\"headers\":{\"X\":\"2\"}}", true},
    {"{\"url\":\"http://h/p\",\"headers\":{\"X\":\"1\"}}",
     "{\"url\":\"http://h/p\",\"headers\":{\"Y\":\"1\"}}", false},
    {"{\"url\":\"http://h/p?key=1\"}", "{\"url\":\"http://h/p?key=2\"}", true},
    {"{\"url\":\"http://h/p#1\"}", "{\"url\":\"http://h/p\"}", true},
    {"{\"url\":\"http://me:pw@h/p\"}", "{\"url\":\"http://me:other@h/p\"}", true},
    {"{\"url\":\"http://h/p@1\"}", "{\"url\":\"http://h/p@2\"}", false},
    {"{\"url\":\"http://h/p\"}", "{\"url\":\"http://h/q\"}", false},
    {"{\"url\":\"http://h/p\"}", "{\"url\":\"http://g/p\"}", false},
};

static void hash_of(const char *server, char ret_hash[HAFT__SHA256_HEX + 1])
{
    haft__arena arena;
    haft__mcp_server_configs servers;
    haft__arena_init(&arena, 0);
    haft_str text = haft__arena_format(&arena, "{\"servers\":{\"s\":%s}}", server);
    CHECK_INT(haft__mcp_server_configs_read(&arena, test_json(&arena, text), &servers, NULL),
              HAFT_OK, "%s", server);
    memcpy(ret_hash, servers.items[0].hash, HAFT__SHA256_HEX + 1);
    haft__arena_finish(&arena);
}

TEST(a_configuration_has_a_hash_without_secrets)
{
    char a[HAFT__SHA256_HEX + 1], b[HAFT__SHA256_HEX + 1];
    for (size_t i = 0; i < COUNT(hashes); i++) {
        hash_of(hashes[i].a, a);
        hash_of(hashes[i].b, b);
        CHECK_INT(strlen(a), HAFT__SHA256_HEX, "the length of the hash");
        CHECK_INT(strcmp(a, b) == 0, hashes[i].same, "%s and %s", hashes[i].a, hashes[i].b);
    }
}

TEST(reading_servers_reports_a_failed_allocation)
{
    haft__arena values;
    haft__arena_init(&values, 0);
    haft__json mcp = test_json(&values, HAFT__LIT("{\"servers\":{\"a\":{\"command\":[\"x\"],"
                                                  "\"env\":{\"A\":\"b\"}}},\"allow\":[\"a\"]}"));
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__mcp_server_configs servers;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__mcp_server_configs_read(&arena, mcp, &servers, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
    haft__arena_finish(&values);
}
