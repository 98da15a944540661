/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/tool_definition.c. tests/cli/tools_test.py compares whole lists. */
#include "model/tool_definition.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "test.h"

TEST(tool_definition_has_the_shape_of_its_wire_format)
{
    static const struct {
        const char *format, *text;
    } rows[] = {
        {"openai", "[{\"type\":\"function\",\"function\":{\"name\":\"docs_-_find\",\"description\":"
                   "\"Finds.\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"},
        {"anthropic",
         "[{\"name\":\"docs_-_find\",\"description\":\"Finds.\",\"input_schema\":{\"type\":"
         "\"object\"}}]"},
        {"gemini",
         "{\"functionDeclarations\":[{\"name\":\"docs_-_find\",\"description\":\"Finds.\","
         "\"parametersJsonSchema\":{\"type\":\"object\"}}]}"},
    };
    haft__tool tool = {.name = HAFT__LIT("docs:find"),
                       .description = HAFT__LIT("Finds."),
                       .input_schema = haft__json_object(NULL, 0)};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const haft__tool_definition_format *format = haft__tool_definition_find(rows[i].format);
        haft__buf text;
        haft__json_writer w;
        haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
        haft__json_writer_init(&w, &text);
        CHECK(format != NULL, "%s", rows[i].format);
        haft__tool_definition_begin(&w, format);
        haft__tool_definition_write(&w, format, &tool);
        haft__tool_definition_end(&w, format);
        CHECK_STR(haft__buf_str(&text), haft__str(rows[i].text), "%s", rows[i].format);
        haft__buf_finish(&text);
    }
}

TEST(every_choice_of_a_tool_definition_format_has_a_row)
{
    haft_str rest = HAFT__LIT(HAFT__TOOL_DEFINITION_FORMATS);
    while (rest.len > 0) {
        haft_str name = haft__str_split(&rest, '|');
        char text[32] = {0};
        CHECK(name.len < sizeof(text), "%.*s", HAFT__ARG(name));
        for (size_t i = 0; i < name.len; i++) {
            text[i] = name.ptr[i];
        }
        CHECK(haft__tool_definition_find(text) != NULL, "%s", text);
    }
    CHECK(haft__tool_definition_find("other") == NULL, "an unknown format");
}
