/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/config_import.c: files of other programs become servers of a spec. */
#include "base/buf.h"
#include "base/limits.h"
#include "mcp/definition_help.h"
#include "mcp/server_config.h"
#include "test.h"
#include "json/write.h"

static const haft__hash_key key = {1, 2};

static const struct {
    const char *text, *servers, *notes;
} good[] = {
    /* Claude Desktop */
    {"{\"mcpServers\":{\"files\":{\"command\":\"npx\",\"args\":[\"-y\",\"server-filesystem\","
     "\"/data\"],\"env\":{\"LEVEL\":3,\"ON\":true,\"OFF\":false,\"NONE\":null}}},"
     "\"globalShortcut\":\"\"}",
     "{\"files\":{\"command\":[\"npx\",\"-y\",\"server-filesystem\",\"/data\"],"
     "\"env\":{\"LEVEL\":\"3\",\"ON\":\"true\",\"OFF\":\"false\"},\"enabled\":true,"
     "\"imported\":true}}",
     ""},
    /* Claude Code: http, variables with defaults */
    {"{\"mcpServers\":{\"api\":{\"type\":\"http\",\"url\":\"${BASE:-https://x.org}/mcp\","
     "\"headers\":{\"Authorization\":\"Bearer ${TOKEN}\"}}}}",
     "{\"api\":{\"url\":\"${BASE:-https://x.org}/mcp\",\"headers\":{\"Authorization\":"
     "\"Bearer ${TOKEN}\"},\"enabled\":true,\"imported\":true}}",
     ""},
    /* VS Code, with comments, inputs and a trailing comma */
    {"{ // servers of this folder\n\"inputs\":[{\"id\":\"api-key\",\"type\":\"promptString\"}],\n"
     "\"servers\":{\"My Server\":{\"type\":\"stdio\",\"command\":\"${workspaceFolder}/s\","
     "\"args\":[\"--home\",\"${userHome}\"],\"cwd\":\"${workspaceFolder}\","
     "\"env\":{\"KEY\":\"${input:api-key}\",\"P\":\"${env:PATH}x\"},\"envFile\":\".env\"},},}",
     "{\"My-Server\":{\"command\":[\"./s\",\"--home\",\"${HOME}\"],\"cwd\":\".\","
     "\"env\":{\"KEY\":\"${HAFT_INPUT_API_KEY}\",\"P\":\"${PATH}x\"},\"enabled\":true,"
     "\"imported\":true}}",
     "My Server: envFile is not read; list its variables in env, or put them into .env\n"},
    {"{\"mcp\":{\"servers\":{\"a\":{\"command\":\"x\"}}}}",
     "{\"a\":{\"command\":[\"x\"],\"enabled\":true,\"imported\":true}}", ""},
    /* Cursor and others */
    {"{\"mcpServers\":{\"a\":{\"url\":\"http://h/sse\",\"type\":\"sse\",\"disabled\":true},"
     "\"b\":{\"serverUrl\":\"http://h\",\"timeout\":5},\"c\":{\"httpUrl\":\"http://h\","
     "\"transport\":\"streamable-http\",\"enabled\":false,\"autoApprove\":[]},"
     "\"d\":{\"command\":[\"x\",\"y\"],\"args\":[]}}}",
     "{\"a\":{\"url\":\"http://h/sse\",\"enabled\":false,\"imported\":true},"
     "\"b\":{\"url\":\"http://h\",\"enabled\":true,\"imported\":true},"
     "\"c\":{\"url\":\"http://h\",\"enabled\":false,\"imported\":true},"
     "\"d\":{\"command\":[\"x\",\"y\"],\"enabled\":true,\"imported\":true}}",
     "b: timeout is not imported: programs use different units for it\n"},
    {"{\"servers\":{}}", "{}", ""},
    /* an input that the file does not list; a sign-in that haft does not have */
    {"{\"mcpServers\":{\"a\":{\"url\":\"http://h\",\"headers\":{\"K\":\"${input:my-key}\"},"
     "\"auth\":{\"CLIENT_ID\":\"x\"}}}}",
     "{\"a\":{\"url\":\"http://h\",\"headers\":{\"K\":\"${HAFT_INPUT_MY_KEY}\"},\"enabled\":true,"
     "\"imported\":true}}",
     "a: the file has no `inputs` for an ${input:..} of it; the variable HAFT_INPUT_.. is used\n"
     "a: auth is ignored: OAuth is not supported yet; put a token into headers\n"},
    /* a text that only looks like a variable */
    {"{\"mcpServers\":{\"a\":{\"command\":\"$x ${ $\",\"args\":[\"a$\",\"${/}\"]}}}",
     "{\"a\":{\"command\":[\"$x ${ $\",\"a$\",\"/\"],\"enabled\":true,\"imported\":true}}", ""},
};

TEST(files_of_other_programs_become_servers)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        haft__arena arena;
        haft__buf buf;
        haft__mcp_import import = {0};
        haft__mcp_server_configs servers;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 16);
        CHECK_INT(haft__mcp_import_read(&arena, haft__str(good[i].text), key, &import, &err),
                  HAFT_OK, "%s: %s", good[i].text, err.message);
        haft__json_write(&buf, import.servers);
        CHECK_STR(haft__buf_str(&buf), haft__str(good[i].servers), "%s", good[i].text);
        haft__buf_clear(&buf);
        for (size_t j = 0; j < import.note_count; j++) {
            haft__buf_addf(&buf, "%.*s\n", HAFT__ARG(import.notes[j]));
        }
        CHECK_STR(haft__buf_str(&buf), haft__str(good[i].notes), "%s", good[i].text);
        haft__json_member member = {haft__json_string(HAFT__LIT("servers")), import.servers};
        CHECK_INT(
            haft__mcp_server_configs_read(&arena, haft__json_object(&member, 1), &servers, &err),
            HAFT_OK, "%s: a spec rejects the servers: %s", good[i].text, err.message);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

static const struct {
    const char *text, *message;
} bad_files[] = {
    {"", "expected a value"},
    {"[]", "found no mcpServers and no servers"},
    {"{\"mcpServers\":[]}", "found no mcpServers and no servers"},
    {"{\"mcp\":7}", "found no mcpServers and no servers"},
    {"{\"mcpServers\":{\"a\":1,\"a\":2}}", "a"},
};

/* One server is invalid and skipped. */
static const struct {
    const char *text, *why;
} bad_servers[] = {
    {"{\"mcpServers\":{\"a\":7}}", "the server 'a': expected an object"},
    {"{\"mcpServers\":{\"\":{}}}", "it has no name"},
    {"{\"mcpServers\":{\"a b\":{\"command\":\"x\"},\"a-b\":{\"command\":\"x\"}}}",
     "the server 'a-b': another server gets the same name when it is imported: 'a-b'"},
    {"{\"mcpServers\":{\"a\":{}}}", "the server 'a': it has no command and no url"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"x\",\"url\":\"http://h\"}}}",
     "it has both a command and a url"},
    {"{\"mcpServers\":{\"a\":{\"command\":7}}}", "expected a string as command and a list as args"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":\"y\"}}}",
     "expected a string as command and a list as args"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[7]}}}",
     "expected strings in command and args"},
    {"{\"mcpServers\":{\"a\":{\"url\":7}}}", "expected a string as 'url'"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"x\",\"cwd\":[]}}}", "expected a string as 'cwd'"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"x\",\"env\":[]}}}",
     "expected an object of strings as 'env'"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"x\",\"env\":{\"A\":{}}}}}",
     "expected an object of strings as 'env'"},
    {"{\"mcpServers\":{\"a\":{\"url\":\"http://h\",\"headers\":\"x\"}}}",
     "expected an object of strings as 'headers'"},
    {"{\"mcpServers\":{\"a\":{\"type\":\"carrier-pigeon\",\"command\":\"x\"}}}",
     "expected stdio or http as its type, found 'carrier-pigeon'"},
    {"{\"mcpServers\":{\"a\":{\"command\":\"${input:}\"}}}", "without the id of an input"},
    {"{\"mcpServers\":{\"a\":{\"command\":[]}}}", "the server 'a': "},
    {"{\"servers\":{\"a\":{\"command\":\"${command:pick}\"}}}",
     "cannot expand the variable 'command:pick'"},
    {"{\"servers\":{\"a\":{\"command\":\"${}\"}}}", "cannot expand the variable"},
    {"{\"servers\":{\"a\":{\"command\":\"${1A}\"}}}", "cannot expand the variable '1A'"},
    {"{\"servers\":{\"a\\u202e\":{}}}", "the server 'a<U+202E>': it has no command"},
};

TEST(a_file_without_servers_is_rejected)
{
    for (size_t i = 0; i < COUNT(bad_files); i++) {
        haft__arena arena;
        haft__mcp_import import;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__mcp_import_read(&arena, haft__str(bad_files[i].text), key, &import, &err),
                  HAFT_BAD_INPUT, "%s", bad_files[i].text);
        CHECK(strstr(err.message, bad_files[i].message) != NULL, "%s: %s", bad_files[i].text,
              err.message);
        haft__arena_finish(&arena);
    }
}

TEST(a_wrong_server_is_skipped)
{
    for (size_t i = 0; i < COUNT(bad_servers); i++) {
        haft__arena arena;
        haft__mcp_import import = {0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__mcp_import_read(&arena, haft__str(bad_servers[i].text), key, &import, &err),
                  HAFT_OK, "%s: %s", bad_servers[i].text, err.message);
        CHECK_INT(import.skipped_count, 1, "%s", bad_servers[i].text);
        if (import.skipped_count == 1) {
            haft_str why = import.skipped[0].why;
            CHECK(memmem(why.ptr, why.len, bad_servers[i].why, strlen(bad_servers[i].why)) != NULL,
                  "%s: %.*s", bad_servers[i].text, HAFT__ARG(why));
        }
        CHECK_INT(err.status, HAFT_OK, "%s: a skipped server is an error", bad_servers[i].text);
        haft__arena_finish(&arena);
    }
}

TEST(the_other_servers_are_imported)
{
    haft__arena arena;
    haft__mcp_import import = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__mcp_import_read(&arena,
                                    HAFT__LIT("{\"servers\":{\"x\":7,\"a\":{\"command\":\"a\"},"
                                              "\"y\":{},\"b\":{\"url\":\"http://h\"}}}"),
                                    key, &import, NULL),
              HAFT_OK, "the file cannot be read");
    CHECK_INT(import.servers.count, 2, "imported servers");
    CHECK_INT(import.skipped_count, 2, "skipped servers");
    CHECK_STR(import.skipped[1].name, HAFT__LIT("y"), "the second skipped server");
    haft__arena_finish(&arena);
}

TEST(no_error_contains_a_value_of_an_environment)
{
    haft__arena arena;
    haft__mcp_import import = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__mcp_import_read(&arena,
                                    HAFT__LIT("{\"servers\":{\"a\":{\"command\":\"x\",\"env\":"
                                              "{\"K\":\"hunter2 ${config:x}\"}}}}"),
                                    key, &import, NULL),
              HAFT_OK, "a file with an unknown variable");
    CHECK_INT(import.skipped_count, 1, "skipped servers");
    haft_str why = import.skipped_count == 1 ? import.skipped[0].why : HAFT__LIT("hunter2");
    CHECK(memmem(why.ptr, why.len, "hunter2", 7) == NULL, "%.*s", HAFT__ARG(why));
    haft__arena_finish(&arena);
}

static haft_status import_many(int count, size_t *ret_notes)
{
    haft__arena arena;
    haft__buf buf;
    haft__mcp_import import = {0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s\"s%d\":{\"command\":\"x\",\"timeout\":1}",
                       i > 0 ? "," : "{\"servers\":{", i);
    }
    haft__buf_addf(&buf, "}}");
    haft_status status = haft__mcp_import_read(&arena, haft__buf_str(&buf), key, &import, NULL);
    *ret_notes = import.note_count;
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    return status;
}

TEST(notes_and_servers_of_an_import_are_bounded)
{
    size_t notes;
    CHECK_INT(import_many(HAFT__LIMIT_MCP_WARNINGS, &notes), HAFT_OK,
              "a file with notes at the limit");
    CHECK_INT(notes, HAFT__LIMIT_MCP_WARNINGS, "notes at the limit");
    CHECK_INT(import_many(HAFT__LIMIT_MCP_WARNINGS + 1, &notes), HAFT_OK,
              "a file with notes past the limit");
    CHECK_INT(notes, HAFT__LIMIT_MCP_WARNINGS, "notes past the limit");
    CHECK_INT(import_many(HAFT__LIMIT_MCP_SERVERS, &notes), HAFT_OK, "servers at the limit");
    CHECK_INT(import_many(HAFT__LIMIT_MCP_SERVERS + 1, &notes), HAFT_TOO_BIG,
              "servers past the limit");
}

TEST(importing_a_file_reports_a_failed_allocation)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__mcp_import import;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status =
                haft__mcp_import_read(&arena, haft__str(good[i].text), key, &import, NULL);
            bool failed = test_allow_allocations();
            haft__arena_finish(&arena);
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
            if (!failed) {
                break;
            }
        }
    }
}
