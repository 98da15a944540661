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
#define ZERO_WIDTH "\\u200b"
#define BIDI       "\\u202e"
#define TAG        "\\udb40\\udc41" /* U+E0041 */

TEST(texts_of_a_schema_are_made_visible_at_every_depth)
{
    static const struct {
        const char *entry, *shown;
    } cases[] = {
        {TOOL("\"description\":\"a" ZERO_WIDTH "b\""), "a<U+200B>b"},
        {TOOL("\"title\":\"a" BIDI "b\""), "a<U+202E>b"},
        {TOOL("\"$comment\":\"a" TAG "b\""), "a<U+E0041>b"},
        {TOOL("\"properties\":{\"p\":{\"description\":\"a" ZERO_WIDTH "b\"}}"), "a<U+200B>b"},
        {TOOL("\"properties\":{\"enum\":{\"description\":\"a" ZERO_WIDTH "b\"}}"), "a<U+200B>b"},
        {TOOL("\"properties\":{\"p\":{\"items\":{\"anyOf\":[{\"title\":\"a\\ufe0f\"}]}}}"),
         "a<U+FE0F>"},
        {TOOL("\"$defs\":{\"d\":{\"allOf\":[{\"description\":\"\\u001b[2J\"}]}}"), "<U+001B>[2J"},
        {TOOL("\"patternProperties\":{\"^a\":{\"description\":\"\\u180e\"}}"), "<U+180E>"},
        {TOOL("\"properties\":{\"p\":{\"examples\":[{\"q\":\"a" ZERO_WIDTH "\"}]}}"), "a<U+200B>"},
        {TOOL("\"properties\":{\"p\":{\"enumDescriptions\":[\"a" BIDI "\"]}}"), "a<U+202E>"},
        {TOOL("\"properties\":{\"p\":{\"errorMessage\":{\"deep\":\"a\\u2066\"}}}"), "a<U+2066>"},
        {TOOL("\"if\":{\"not\":{\"description\":\"\\ufeff\"}}"), "<U+FEFF>"},
        {OUT("\"properties\":{\"p\":{\"description\":\"a" ZERO_WIDTH "b\"}}"), "a<U+200B>b"},
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
        {TOOL("\"properties\":{\"wo" ZERO_WIDTH "rd\":{}}"),
         "the name 'wo<U+200B>rd' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"properties\":{\"" BIDI "\":{}}}}"),
         "the name '<U+202E>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"enum\":[\"a\",\"a" ZERO_WIDTH "\"]}}"),
         "the value 'a<U+200B>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"const\":{\"description\":\"" ZERO_WIDTH "\"}}}"),
         "the value '<U+200B>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"default\":\"" TAG "\"}}"),
         "the value '<U+E0041>' contains an invisible character"},
        {TOOL("\"required\":[\"" ZERO_WIDTH "\"]"),
         "the value '<U+200B>' contains an invisible character"},
        {TOOL("\"properties\":{\"p\":{\"pattern\":\"" ZERO_WIDTH "\"}}"),
         "the value '<U+200B>' contains an invisible character"},
        {TOOL("\"$defs\":{\"" ZERO_WIDTH "\":{}}"),
         "the name '<U+200B>' contains an invisible character"},
        {TOOL("\"" ZERO_WIDTH "\":1"), "the name '<U+200B>' contains an invisible character"},
        {OUT("\"properties\":{\"" ZERO_WIDTH "\":{}}"),
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
    CHECK_INT(test_tool_read(&arena, haft__str(TOOL("\"title\":\"a" ZERO_WIDTH "\"")), false,
                             &hidden, NULL),
              HAFT_OK, "the tool with a hidden character");
    CHECK_INT(
        test_tool_read(&arena, haft__str(TOOL("\"title\":\"a<U+200B>\"")), false, &shown, NULL),
        HAFT_OK, "the tool with the visible form");
    bool same = false;
    CHECK_INT(haft__json_equal(hidden.input_schema, shown.input_schema, &same, NULL), HAFT_OK,
              "compare the schemas");
    CHECK(same && memcmp(hidden.hash, shown.hash, sizeof(shown.hash)) != 0,
          "expected equal schemas with different hashes");
    haft__arena_finish(&arena);
}

TEST(showing_a_schema_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__mcp_tool tool;
        haft__arena_init(&arena, 0);
        haft__json entry = test_json(&arena, haft__str(TOOL("\"anyOf\":[{\"title\":\"" ZERO_WIDTH
                                                            "\"}],\"properties\":{}")));
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
