/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/output.c: results are checked against the output_schema of their tool. */
#include "run/output.h"

#include "run_help.h"
#include "json/read.h"

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    CHECK_INT(haft__json_read(arena, haft__str(text), &options, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

/* A tool with this output_schema; NULL: without one. */
static const haft__tool *make_tool(haft__arena *arena, haft__tools *tools, const char *schema,
                                   haft__tool_source source)
{
    haft__tool tool = {.name = HAFT__LIT("count"),
                       .description = HAFT__LIT("Counts the words of a text."),
                       .input_schema = read_json(arena, "{\"type\":\"object\"}"),
                       .source = source};
    if (schema != NULL) {
        tool.output_schema = read_json(arena, schema);
    }
    haft__traits_init(&tool.traits);
    haft__tools_init(tools, arena, HELP_KEY);
    CHECK_INT(haft__tools_add(tools, &tool, NULL), HAFT_OK, "%s", schema != NULL ? schema : "");
    return haft__tools_find(tools, tool.name);
}

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}"
#define START "count ran, but its result does not match its output_schema: "
#define GIVEN "the result provided for count does not match its output_schema: "

TEST(results_are_checked_against_the_schema)
{
    static const struct {
        const char *text;
        bool secret;
        const char *why;
    } rows[] = {
        {"{\"n\":3}", false, ""},
        {"{\"n\":3,\"more\":true}", false, ""},
        {"{\"n\":3}", true, ""},
        {"{\"n\":\"3\"}", false, START "/n: Expected integer, found string"},
        {"{}", false, START "Missing member: n"},
        {"{\"n\":\"s3cret\"}", true, START "it contains a secret, so no part of it is shown"},
        {"three", false, START "expected JSON, found other text"},
        {"", false, START "expected JSON, found no text"},
        {"{\"n\":3} {\"n\":4}", false, START "expected JSON, found other text"},
    };
    haft__arena arena;
    haft__tools tools;
    haft__buf why;
    haft__arena_init(&arena, 0);
    haft__buf_init(&why, 1 << 16);
    haft__checker *checker = haft__checker_create();
    const haft__tool *tool = make_tool(&arena, &tools, SCHEMA, HAFT__TOOL_COMMAND);
    CHECK(haft__output_is_checked(tool), "a tool with a schema is checked");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf_clear(&why);
        CHECK_INT(haft__output_check_text(tool, haft__str(rows[i].text), rows[i].secret, checker,
                                          &arena, HELP_KEY, &why, NULL),
                  HAFT_OK, "%s", rows[i].text);
        haft_str found = haft__str_trim(haft__buf_str(&why));
        CHECK(haft__str_starts_with(found, haft__str(rows[i].why))
                  && (found.len > 0) == (rows[i].why[0] != '\0'),
              "%s: %.*s", rows[i].text, HAFT__ARG(found));
    }
    haft__checker_destroy(checker);
    haft__buf_finish(&why);
    haft__arena_finish(&arena);
}

TEST(tools_without_a_schema_and_tools_of_servers_are_not_checked)
{
    haft__arena arena;
    haft__tools tools;
    haft__arena_init(&arena, 0);
    CHECK(!haft__output_is_checked(make_tool(&arena, &tools, NULL, HAFT__TOOL_COMMAND)),
          "a tool without a schema");
    CHECK(!haft__output_is_checked(make_tool(&arena, &tools, SCHEMA, HAFT__TOOL_MCP)),
          "a tool of a server");
    haft__arena_finish(&arena);
}

/* A person or client may answer in place of any tool, also one of a server. */
TEST(results_from_commands_are_checked_too)
{
    static const struct {
        const char *schema;
        haft__tool_source source;
        const char *value, *why;
    } rows[] = {
        {SCHEMA, HAFT__TOOL_COMMAND, "{\"n\":3}", ""},
        {SCHEMA, HAFT__TOOL_COMMAND, "{\"n\":\"3\"}", GIVEN "/n: Expected integer, found string"},
        {SCHEMA, HAFT__TOOL_MCP, "{\"n\":3}", ""},
        {SCHEMA, HAFT__TOOL_MCP, "\"three\"", GIVEN "Expected object, found string"},
        {"{\"$ref\":\"#/$defs/none\"}", HAFT__TOOL_MCP, "3", GIVEN "the schema cannot be used: "},
        {NULL, HAFT__TOOL_COMMAND, "3", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__tools tools;
        haft__buf why;
        haft__arena_init(&arena, 0);
        haft__buf_init(&why, 1 << 16);
        haft__checker *checker = haft__checker_create();
        const haft__tool *tool = make_tool(&arena, &tools, rows[i].schema, rows[i].source);
        haft__json value = read_json(&arena, rows[i].value);
        CHECK_INT(haft__output_check_given(tool, value, checker, &arena, HELP_KEY, &why, NULL),
                  HAFT_OK, "%s", rows[i].value);
        haft_str found = haft__buf_str(&why);
        CHECK(haft__str_starts_with(found, haft__str(rows[i].why))
                  && (found.len > 0) == (rows[i].why[0] != '\0'),
              "%s: %.*s", rows[i].value, HAFT__ARG(found));
        haft__checker_destroy(checker);
        haft__buf_finish(&why);
        haft__arena_finish(&arena);
    }
}
