/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/definition.c and definition_params.c: which entries of a list become tools,
 * and which of their hints are used. */
#include "mcp/definition.h"

#include "base/limits.h"
#include "mcp/definition_help.h"
#include "test.h"
#include "tool/registry.h"
#include "json/write.h"

#define OBJECT "\"inputSchema\":{\"type\":\"object\"}"

TEST(an_entry_becomes_a_tool)
{
    haft__arena arena;
    haft__mcp_tool tool;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft_status status = test_tool_read(
        &arena,
        HAFT__LIT("{\"name\":\"search\",\"title\":\"Search\",\"description\":\"Finds.\","
                  "\"inputSchema\":{\"type\":\"object\",\"$defs\":{\"a\":{}},\"x-own\":1},"
                  "\"outputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true},"
                  "\"icons\":[],\"_meta\":{}}"),
        true, &tool, &err);
    CHECK_INT(status, HAFT_OK, "%s", err.message);
    CHECK_STR(tool.name, HAFT__LIT("docs:search"), "name");
    CHECK_STR(tool.remote, HAFT__LIT("search"), "remote");
    CHECK_STR(tool.server, HAFT__LIT("docs"), "server");
    CHECK_STR(tool.title, HAFT__LIT("Search"), "title");
    CHECK_STR(tool.description, HAFT__LIT("Finds."), "description");
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__json_write(&buf, tool.input_schema);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("{\"type\":\"object\",\"$defs\":{\"a\":{}},\"x-own\":1}"),
              "the schema with every keyword");
    haft__buf_clear(&buf);
    haft__json_write(&buf, tool.definition);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("{\"name\":\"search\",\"title\":\"Search\",\"description\":\"Finds.\","
                        "\"inputSchema\":{\"type\":\"object\",\"$defs\":{\"a\":{}},\"x-own\":1},"
                        "\"outputSchema\":{\"type\":\"object\"},"
                        "\"annotations\":{\"readOnlyHint\":true}}"),
              "the definition");
    CHECK_INT(strlen(tool.hash), HAFT__SHA256_HEX, "the length of the hash");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

/* ---- entries that are left out ---- */

static const struct {
    const char *entry;
    haft_status status;
    const char *where, *message;
} bad[] = {
    {"7", HAFT_BAD_INPUT, "", "expected an object, found number"},
    {"{" OBJECT "}", HAFT_BAD_INPUT, "/name", "expected a string, found null"},
    {"{\"name\":7," OBJECT "}", HAFT_BAD_INPUT, "/name", "expected a string, found number"},
    {"{\"name\":\"\"," OBJECT "}", HAFT_BAD_INPUT, "/name", "the name of a tool is empty"},
    {"{\"name\":\"a:b\"," OBJECT "}", HAFT_BAD_INPUT, "/name", "tool name 'a:b' contains a ':'"},
    {"{\"name\":\"a b\"," OBJECT "}", HAFT_BAD_INPUT, "/name", "has byte 0x20"},
    {"{\"name\":\"a\\u0000b\"," OBJECT "}", HAFT_BAD_INPUT, "/name", "has byte 0x00"},
    {"{\"name\":\"\\u202e\"," OBJECT "}", HAFT_BAD_INPUT, "/name", "has byte"},
    {"{\"name\":\"a\"}", HAFT_BAD_INPUT, "/inputSchema", "expected an object, found null"},
    {"{\"name\":"
     "\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901"
     "23456789012345678901234567890123456789012345\"," OBJECT "}",
     HAFT_TOO_BIG, "/name", "more than 128"},
    {"{\"name\":\"a\",\"inputSchema\":true}", HAFT_BAD_INPUT, "/inputSchema", "found boolean"},
    {"{\"name\":\"a\",\"inputSchema\":{}}", HAFT_BAD_INPUT, "/inputSchema/type",
     "does not have \"type\": \"object\""},
    {"{\"name\":\"a\",\"inputSchema\":{\"type\":\"array\"}}", HAFT_BAD_INPUT, "/inputSchema/type",
     NULL},
    {"{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":7}}", HAFT_BAD_INPUT,
     "/inputSchema:/properties", NULL},
    {"{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":"
     "\"https://example.org/s.json\"}}}}",
     HAFT_BAD_INPUT, "/inputSchema:/properties/x/$ref", NULL},
    {"{\"name\":\"a\"," OBJECT ",\"outputSchema\":[]}", HAFT_BAD_INPUT, "/outputSchema",
     "expected an object, found array"},
    {"{\"name\":\"a\"," OBJECT ",\"outputSchema\":{\"type\":\"thing\"}}", HAFT_BAD_INPUT, NULL,
     NULL},
    {"{\"name\":\"a\"," OBJECT ",\"description\":7}", HAFT_BAD_INPUT, "/description",
     "expected a string, found number"},
    {"{\"name\":\"a\"," OBJECT ",\"title\":[]}", HAFT_BAD_INPUT, "/title", NULL},
    {"{\"name\":\"a\"," OBJECT ",\"annotations\":{\"title\":7}}", HAFT_BAD_INPUT,
     "/annotations/title", NULL},
};

TEST(an_unusable_entry_is_reported_with_the_reason)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(test_tool_read(&arena, haft__str(bad[i].entry), false, &tool, &err),
                  bad[i].status, "%s", bad[i].entry);
        if (bad[i].where != NULL) {
            CHECK_STR(haft__str(err.where), haft__str(bad[i].where), "%s", bad[i].entry);
        }
        CHECK(bad[i].message == NULL || strstr(err.message, bad[i].message) != NULL, "%s: %s",
              bad[i].entry, err.message);
        haft__arena_finish(&arena);
    }
}

/* Each level refers to the next one twice: 2^100 values if expanded. */
TEST(nested_references_are_not_expanded)
{
    haft__arena arena;
    haft__buf buf;
    haft__mcp_tool tool;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                         "{\"x\":{\"$ref\":\"#/$defs/d0\"}},\"$defs\":{");
    for (int i = 0; i < 100; i++) {
        haft__buf_addf(&buf,
                       "\"d%d\":{\"allOf\":[{\"$ref\":\"#/$defs/d%d\"},"
                       "{\"$ref\":\"#/$defs/d%d\"}]},",
                       i, i + 1, i + 1);
    }
    haft__buf_addf(&buf, "\"d100\":{\"$ref\":\"#/$defs/d0\"}}}}");
    haft_status status = test_tool_read(&arena, haft__buf_str(&buf), false, &tool, &err);
    CHECK(status == HAFT_OK || status == HAFT_TOO_BIG || status == HAFT_BAD_INPUT, "%s",
          err.message);
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

static haft_status read_padded(size_t bytes, haft_error *err)
{
    static const char head[] = "{\"description\":\"", tail[] = "\",\"inputSchema\":{\"type\":"
                                                               "\"object\"},\"name\":\"a\"}";
    size_t pad = bytes - (sizeof head - 1) - (sizeof tail - 1);
    char *text = test_alloc(bytes);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, 'x', pad);
    memcpy(text + sizeof head - 1 + pad, tail, sizeof tail - 1);
    haft__arena arena;
    haft__mcp_tool tool;
    haft__arena_init(&arena, 0);
    haft_status status = test_tool_read(&arena, (haft_str){text, bytes}, false, &tool, err);
    if (status == HAFT_OK) {
        CHECK_INT(tool.description.len, HAFT__LIMIT_TOOL_DESCRIPTION_BYTES,
                  "the length of a description that was cut");
        CHECK(haft__str_ends_with(tool.description, HAFT__LIT("...")), "the cut is not marked");
    }
    haft__arena_finish(&arena);
    return status;
}

TEST(the_size_of_a_definition_is_bounded)
{
    haft_error err = {0};
    CHECK_INT(read_padded(HAFT__LIMIT_MCP_DEFINITION_BYTES, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(read_padded(HAFT__LIMIT_MCP_DEFINITION_BYTES + 1, &err), HAFT_TOO_BIG,
              "past the limit");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the definition has more than 262144 bytes"),
              "the message");
}

/* ---- texts ---- */

static const struct {
    const char *entry, *title, *description;
} texts[] = {
    {"{\"name\":\"a\"," OBJECT "}", "", "A tool of docs, which does not describe it."},
    {"{\"name\":\"a\"," OBJECT ",\"description\":\" \\n\"}", "",
     "A tool of docs, which does not describe it."},
    {"{\"name\":\"a\"," OBJECT ",\"title\":\"Look\"}", "Look", "Look"},
    {"{\"name\":\"a\"," OBJECT ",\"title\":null,\"annotations\":{\"title\":\"Look\"}}", "Look",
     "Look"},
    {"{\"name\":\"a\"," OBJECT ",\"description\":\"Finds\\u202e.\\u200b<b>\",\"annotations\":7}",
     "", "Finds<U+202E>.<U+200B><b>"},
};

TEST(invisible_characters_in_a_description_are_escaped)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(test_tool_read(&arena, haft__str(texts[i].entry), false, &tool, &err), HAFT_OK,
                  "%s: %s", texts[i].entry, err.message);
        CHECK_STR(tool.title, haft__str(texts[i].title), "%s", texts[i].entry);
        CHECK_STR(tool.description, haft__str(texts[i].description), "%s", texts[i].entry);
        haft__arena_finish(&arena);
    }
}

/* ---- hints ---- */

static const struct {
    const char *annotations;
    bool trusted, read_only, destructive, idempotent, open;
} hints[] = {
    {"null", true, false, true, false, true},
    {"{\"readOnlyHint\":true}", true, true, false, false, true},
    {"{\"readOnlyHint\":true,\"openWorldHint\":false}", true, true, false, false, false},
    {"{\"readOnlyHint\":true,\"destructiveHint\":true}", true, false, true, false, true},
    {"{\"destructiveHint\":false,\"idempotentHint\":true}", true, false, false, true, true},
    {"{\"readOnlyHint\":\"yes\",\"openWorldHint\":0}", true, false, true, false, true},
    {"{\"readOnlyHint\":true,\"openWorldHint\":false,\"idempotentHint\":true}", false, false, true,
     false, true},
};

TEST(hints_count_only_if_the_server_is_trusted)
{
    for (size_t i = 0; i < COUNT(hints); i++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft__arena_init(&arena, 0);
        haft_str text = haft__arena_format(&arena, "{\"name\":\"a\"," OBJECT ",\"annotations\":%s}",
                                           hints[i].annotations);
        CHECK_INT(test_tool_read(&arena, text, hints[i].trusted, &tool, NULL), HAFT_OK, "%s",
                  hints[i].annotations);
        CHECK_INT(tool.trusted, hints[i].trusted, "%s: trusted", hints[i].annotations);
        CHECK_INT(tool.traits.read_only, hints[i].read_only, "%s: read_only", hints[i].annotations);
        CHECK_INT(tool.traits.destructive, hints[i].destructive, "%s: destructive",
                  hints[i].annotations);
        CHECK_INT(tool.traits.idempotent, hints[i].idempotent, "%s: idempotent",
                  hints[i].annotations);
        CHECK_INT(tool.open_world, hints[i].open, "%s: open_world", hints[i].annotations);
        CHECK_STR(tool.traits.lane, hints[i].read_only ? HAFT__LIT("") : HAFT__LIT("docs"),
                  "%s: lane", hints[i].annotations);
        haft__arena_finish(&arena);
    }
}

TEST(a_server_may_have_a_timeout_of_its_own)
{
    haft__arena arena;
    haft__mcp_tool tool;
    haft__mcp_origin origin = {.server = HAFT__LIT("docs"), .timeout_ms = 1234};
    haft__arena_init(&arena, 0);
    haft__json entry = test_json(&arena, HAFT__LIT("{\"name\":\"a\"," OBJECT "}"));
    CHECK_INT(haft__mcp_tool_read(&arena, entry, &origin, &tool, NULL), HAFT_OK, "read");
    CHECK_INT(tool.traits.timeout_ms, 1234, "the timeout of the server");
    origin.timeout_ms = 0;
    CHECK_INT(haft__mcp_tool_read(&arena, entry, &origin, &tool, NULL), HAFT_OK, "read");
    CHECK_INT(tool.traits.timeout_ms, HAFT__TRAITS_TIMEOUT_MS, "the default timeout");
    haft__arena_finish(&arena);
}

TEST(a_spec_names_the_tools_that_poll)
{
    static const struct {
        const char *pattern;
        bool polls;
    } rows[] = {{"job_status", true},       {"job_*", true}, {"*", true}, {"job", false},
                {"docs:job_status", false}, {"", false}};
    haft__arena arena;
    haft__mcp_tool tool;
    haft__arena_init(&arena, 0);
    haft__json entry = test_json(&arena, HAFT__LIT("{\"name\":\"job_status\"," OBJECT "}"));
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str patterns[] = {HAFT__LIT("other"), haft__str(rows[i].pattern)};
        haft__mcp_origin origin = {
            .server = HAFT__LIT("docs"), .polls = patterns, .poll_count = COUNT(patterns)};
        CHECK_INT(haft__mcp_tool_read(&arena, entry, &origin, &tool, NULL), HAFT_OK, "read");
        CHECK_INT(tool.traits.polls, rows[i].polls, "the pattern '%s'", rows[i].pattern);
    }
    haft__arena_finish(&arena);
}

/* ---- hashes ---- */

static void hash_of(const char *entry, char ret_hash[HAFT__SHA256_HEX + 1])
{
    haft__arena arena;
    haft__mcp_tool tool = {.hash = "none"};
    haft__arena_init(&arena, 0);
    CHECK_INT(test_tool_read(&arena, haft__str(entry), false, &tool, NULL), HAFT_OK, "%s", entry);
    memcpy(ret_hash, tool.hash, sizeof tool.hash);
    haft__arena_finish(&arena);
}

TEST(the_hash_depends_on_the_meaning_of_the_definition)
{
    static const struct {
        const char *entry;
        bool same;
    } others[] = {
        {"{\"inputSchema\":{\"type\":\"object\"},\"description\":\"d\",\"name\":\"a\"}", true},
        {"{\"name\":\"a\",\"description\":\"d\"," OBJECT ",\"_meta\":{\"x\":1},\"icons\":[1]}",
         true},
        {"{\"name\":\"a\",\"description\":\"d\"," OBJECT ",\"title\":null}", true},
        {"{\"name\":\"b\",\"description\":\"d\"," OBJECT "}", false},
        {"{\"name\":\"a\",\"description\":\"D\"," OBJECT "}", false},
        {"{\"name\":\"a\",\"description\":\"d\\u200b\"," OBJECT "}", false},
        {"{\"name\":\"a\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"x\":1}}",
         false},
        {"{\"name\":\"a\",\"description\":\"d\"," OBJECT ",\"outputSchema\":{}}", false},
        {"{\"name\":\"a\",\"description\":\"d\"," OBJECT ",\"annotations\":{}}", false},
    };
    char first[HAFT__SHA256_HEX + 1], other[HAFT__SHA256_HEX + 1];
    hash_of("{\"name\":\"a\",\"description\":\"d\"," OBJECT "}", first);
    for (size_t i = 0; i < COUNT(others); i++) {
        hash_of(others[i].entry, other);
        CHECK_INT(strcmp(first, other) == 0, others[i].same, "%s", others[i].entry);
    }
}

/* ---- x-mcp-header ---- */

static haft_status read_schema(haft__arena *arena, const char *schema, haft__mcp_tool *ret_tool,
                               haft_error *err)
{
    haft_str text = haft__arena_format(arena, "{\"name\":\"a\",\"inputSchema\":%s}", schema);
    return test_tool_read(arena, text, false, ret_tool, err);
}

TEST(arguments_can_be_headers)
{
    haft__arena arena;
    haft__mcp_tool tool = {0};
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft_status status = read_schema(
        &arena,
        "{\"type\":\"object\",\"properties\":{"
        "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
        "\"deep\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":[\"integer\",\"null\"],"
        "\"x-mcp-header\":\"N!\"}}},"
        "\"x-mcp-header\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},"
        "\"other\":{\"default\":{\"x-mcp-header\":1},\"enum\":[{\"x-mcp-header\":1}]}}}",
        &tool, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s", err.where, err.message);
    CHECK_INT(tool.param_count, 3, "the number of header parameters");
    if (tool.param_count == 3) {
        CHECK_STR(tool.params[0].name, HAFT__LIT("Region"), "the name of parameter 0");
        CHECK_INT(tool.params[0].depth, 1, "the depth of parameter 0");
        CHECK_STR(tool.params[0].path[0], HAFT__LIT("region"), "the path of parameter 0");
        CHECK_INT(tool.params[1].depth, 2, "the depth of parameter 1");
        CHECK_STR(tool.params[1].path[0], HAFT__LIT("deep"),
                  "the first part of the path of parameter 1");
        CHECK_STR(tool.params[1].path[1], HAFT__LIT("n"),
                  "the second part of the path of parameter 1");
        CHECK_STR(tool.params[2].path[0], HAFT__LIT("x-mcp-header"), "the path of parameter 2");
    }
    haft__arena_finish(&arena);
}

#define HEADER "\"type\":\"string\",\"x-mcp-header\":\"A\""

static const struct {
    const char *schema, *where, *message;
} headers[] = {
    {"{\"type\":\"object\",\"x-mcp-header\":\"A\"}", "/inputSchema", "is not on an argument"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}",
     "/inputSchema:/properties/a", "is not a valid header name"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A B\"}}}",
     "/inputSchema:/properties/a", "the x-mcp-header 'A B' is not a valid header name"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\\n\"}}}",
     NULL, "is not a valid header name"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":7}}}", NULL,
     "is not a valid header name"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}",
     NULL, "not a string, integer or boolean"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"x-mcp-header\":\"A\"}}}", NULL, "not a string"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"string\",\"integer\"],"
     "\"x-mcp-header\":\"A\"}}}",
     NULL, "not a string"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}}}",
     NULL, "not a string"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{" HEADER "},\"b\":{\"type\":\"string\","
     "\"x-mcp-header\":\"a\"}}}",
     "/inputSchema:/properties/b", "the x-mcp-header 'a' is used for two arguments"},
    {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{" HEADER "}}}}",
     NULL, "is not on an argument"},
    {"{\"type\":\"object\",\"anyOf\":[{\"properties\":{\"a\":{" HEADER "}}}]}", NULL,
     "is not on an argument"},
    {"{\"type\":\"object\",\"$defs\":{\"x\":{" HEADER "}}}", NULL, "is not on an argument"},
    {"{\"type\":\"object\",\"additionalProperties\":{" HEADER "}}", NULL, "is not on an argument"},
};

TEST(a_tool_with_a_wrong_header_is_skipped)
{
    for (size_t i = 0; i < COUNT(headers); i++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(read_schema(&arena, headers[i].schema, &tool, &err), HAFT_BAD_INPUT, "%s",
                  headers[i].schema);
        CHECK(strstr(err.message, headers[i].message) != NULL, "%s: %s", headers[i].schema,
              err.message);
        if (headers[i].where != NULL) {
            CHECK_STR(haft__str(err.where), haft__str(headers[i].where), "%s", headers[i].schema);
        }
        haft__arena_finish(&arena);
    }
}

static haft_status read_many_headers(int count)
{
    haft__arena arena;
    haft__buf buf;
    haft__mcp_tool tool;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "{\"type\":\"object\",\"properties\":{");
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s\"p%d\":{\"type\":\"string\",\"x-mcp-header\":\"H%d\"}",
                       i > 0 ? "," : "", i, i);
    }
    haft__buf_add(&buf, "}}\0", 3);
    haft_status status = read_schema(&arena, buf.ptr, &tool, NULL);
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    return status;
}

TEST(the_headers_of_a_tool_are_bounded)
{
    CHECK_INT(read_many_headers(HAFT__LIMIT_MCP_PARAMS), HAFT_OK, "at the limit");
    CHECK_INT(read_many_headers(HAFT__LIMIT_MCP_PARAMS + 1), HAFT_TOO_BIG, "past the limit");
}

/* ---- in a registry ---- */

TEST(a_tool_can_be_registered)
{
    haft__arena arena;
    haft__mcp_tool tool;
    haft__tool made;
    haft__tools tools;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__tools_init(&tools, &arena, (haft__hash_key){1, 2});
    CHECK_INT(test_tool_read(&arena, HAFT__LIT("{\"name\":\"a\"," OBJECT "}"), false, &tool, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(haft__mcp_tool_to_registry(&arena, &tool, &made, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__tools_add(&tools, &made, &err), HAFT_OK, "%s: %s", err.where, err.message);
    CHECK_INT(made.source, HAFT__TOOL_MCP, "source");
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    haft__json_write(&buf, made.definition);
    haft_str wanted = haft__arena_format(
        &arena, "{\"server\":\"docs\",\"tool\":\"a\",\"hash\":\"%s\"}", tool.hash);
    CHECK_STR(haft__buf_str(&buf), wanted, "definition");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(reading_a_definition_reports_a_failed_allocation)
{
    static const char entry[] = "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\","
                                "\"properties\":{\"r\":{" HEADER "}}},\"description\":\"\\u200b\","
                                "\"outputSchema\":{}}";
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft__tool made;
        haft__mcp_origin origin = {.server = HAFT__LIT("docs")};
        haft__arena_init(&arena, 0);
        haft__json value = test_json(&arena, haft__str(entry));
        test_fail_allocation(n);
        haft_status status = haft__mcp_tool_read(&arena, value, &origin, &tool, NULL);
        if (status == HAFT_OK) {
            status = haft__mcp_tool_to_registry(&arena, &tool, &made, NULL);
        }
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
