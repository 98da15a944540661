/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/definition_schema.c. */
#include "base/macros.h"
#include "base/str.h"
#include "definition_help.h"
#include "mcp/visible.h"
#include "test.h"
#include "json/write.h"

#define TOOL(schema) "{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\"," schema "}}"
#define OUT(schema)                                                                                \
    "{\"name\":\"x\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{" schema "}}"
#define Z "\\u200b"
#define B "\\u202e"
#define T "\\udb40\\udc41" /* a tag, U+E0041 */

TEST(texts_of_a_schema_are_made_visible_at_every_depth)
{
    static const struct {
        const char *entry, *shown;
    } cases[] = {
        {TOOL("\"description\":\"a" Z "b\""), "a<U+200B>b"},
        {TOOL("\"title\":\"a" B "b\""), "a<U+202E>b"},
        {TOOL("\"$comment\":\"a" T "b\""), "a<U+E0041>b"},
        {TOOL("\"properties\":{\"p\":{\"description\":\"a" Z "b\"}}"), "a<U+200B>b"},
        {TOOL("\"properties\":{\"enum\":{\"description\":\"a" Z "b\"}}"), "a<U+200B>b"},
        {TOOL("\"properties\":{\"p\":{\"items\":{\"anyOf\":[{\"title\":\"a\\ufe0f\"}]}}}"),
         "a<U+FE0F>"},
        {TOOL("\"$defs\":{\"d\":{\"allOf\":[{\"description\":\"\\u001b[2J\"}]}}"), "<U+001B>[2J"},
        {TOOL("\"patternProperties\":{\"^a\":{\"description\":\"\\u180e\"}}"), "<U+180E>"},
        {TOOL("\"properties\":{\"p\":{\"examples\":[{\"q\":\"a" Z "\"}]}}"), "a<U+200B>"},
        {TOOL("\"properties\":{\"p\":{\"enumDescriptions\":[\"a" B "\"]}}"), "a<U+202E>"},
        {TOOL("\"properties\":{\"p\":{\"errorMessage\":{\"deep\":\"a\\u2066\"}}}"), "a<U+2066>"},
        {TOOL("\"if\":{\"not\":{\"description\":\"\\ufeff\"}}"), "<U+FEFF>"},
        {OUT("\"properties\":{\"p\":{\"description\":\"a" Z "b\"}}"), "a<U+200B>b"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft_error err = {0};
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 16);
        CHECK_INT(test_tool_read(&arena, haft__str(cases[i].entry), false, &tool, &err), HAFT_OK,
                  "%s: %s", cases[i].entry, err.message);
        haft__json_write(&buf, tool.input_schema);
        haft__json_write(&buf, tool.output_schema);
        haft__buf_add_char(&buf, '\0');
        CHECK(strstr(buf.ptr, cases[i].shown) != NULL, "%s became %s", cases[i].entry, buf.ptr);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(hidden_characters_in_compared_values_skip_a_tool)
{
    static const struct {
        const char *entry, *message;
    } cases[] = {
        {TOOL("\"properties\":{\"wo" Z "rd\":{}}"),
         "the name 'wo<U+200B>rd' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"properties\":{\"" B "\":{}}}}"),
         "the name '<U+202E>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"enum\":[\"a\",\"a" Z "\"]}}"),
         "the value 'a<U+200B>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"const\":{\"description\":\"" Z "\"}}}"),
         "the value '<U+200B>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"default\":\"" T "\"}}"),
         "the value '<U+E0041>' contains an invisible character"},
        {TOOL("\"required\":[\"" Z "\"]"), "the value '<U+200B>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"pattern\":\"" Z "\"}}"),
         "the value '<U+200B>' contains an invisible character"},
        {TOOL("\"$defs\":{\"" Z "\":{}}"), "the name '<U+200B>' contains an invisible character"},
        {TOOL("\"" Z "\":1"), "the name '<U+200B>' contains an invisible character"},
        {OUT("\"properties\":{\"" Z "\":{}}"),
         "the name '<U+200B>' contains an invisible character"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(test_tool_read(&arena, haft__str(cases[i].entry), false, &tool, &err),
                  HAFT_BAD_INPUT, "%s", cases[i].entry);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].entry);
        CHECK(strstr(err.where, "putSchema") != NULL, "where: %s", err.where);
        haft__arena_finish(&arena);
    }
}

TEST(visible_text_is_unchanged_and_not_copied)
{
    static const char entry[] = TOOL("\"properties\":{\"gr\\u00f6\\u00dfe\":{\"enum\":[\"\\u65e5"
                                     "\\n\\t\\r\\n\"],\"description\":\"\\ud83d\\ude00 1\"}}");
    haft__arena arena;
    haft__mcp_tool tool;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(test_tool_read(&arena, haft__str(entry), false, &tool, &err), HAFT_OK, "%s",
              err.message);
    const haft__json *sent = haft__json_get(tool.definition, HAFT__LIT("inputSchema"));
    CHECK(sent->members == tool.input_schema.members, "the visible schema was copied");
    haft__arena_finish(&arena);
}

TEST(the_hash_covers_the_text_that_was_sent)
{
    haft__arena arena;
    haft__mcp_tool hidden, shown;
    haft__arena_init(&arena, 0);
    CHECK_INT(test_tool_read(&arena, haft__str(TOOL("\"title\":\"a" Z "\"")), false, &hidden, NULL),
              HAFT_OK, "the tool with a hidden character");
    CHECK_INT(
        test_tool_read(&arena, haft__str(TOOL("\"title\":\"a<U+200B>\"")), false, &shown, NULL),
        HAFT_OK, "the tool with the visible form");
    bool same = false;
    CHECK_INT(haft__json_equal(hidden.input_schema, shown.input_schema, &same, NULL), HAFT_OK,
              "compare the schemas");
    CHECK(same && memcmp(hidden.hash, shown.hash, sizeof(shown.hash)) != 0,
          "the schemas differ, or both have one hash");
    haft__arena_finish(&arena);
}

TEST(showing_a_schema_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft__arena_init(&arena, 0);
        haft__json entry = test_json(
            &arena, haft__str(TOOL("\"anyOf\":[{\"title\":\"" Z "\"}],\"properties\":{}")));
        haft__mcp_origin origin = {.server = HAFT__LIT("docs")};
        test_fail_allocation(n);
        haft_status status = haft__mcp_tool_read(&arena, entry, &origin, &tool, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
