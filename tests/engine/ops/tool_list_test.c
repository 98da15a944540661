/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tool_list.c; all its forms are in tests/cli/tools_test.py. */
#include "engine/ops/tool_list.h"

#include <string.h>

#include "base/str.h"
#include "run/run_help.h"

TEST(a_server_that_failed_to_list_its_tools_says_why)
{
    static const haft__mcp_refresh_failure failure = {
        {"nobody_asked_this_one", 21}, {"gone", 4}, {"one\ntwo", 7}};
    for (size_t count = 0; count < 2; count++) {
        haft__arena arena;
        help_spec s;
        haft__tool_list list;
        haft__mcp_refresh_result refreshed = {.failures = &failure, .count = count};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, HAFT__LIT("agent; tools=look; server=nobody_asked_this_one"));
        CHECK_INT(haft__tool_list_read(&arena, &s.spec, &refreshed, &list, &err), HAFT_OK, "%s",
                  err.message);
        CHECK_INT(list.preview.listing_count, 1, "servers");
        CHECK_STR(list.preview.listings[0].error, haft__str(count > 0 ? "gone" : ""), "error");
        CHECK_STR(list.preview.listings[0].stderr_lines, haft__str(count > 0 ? "one\ntwo" : ""),
                  "lines of stderr");
        size_t at = 0;
        CHECK(haft__tool_list_next_server_tool(&list, &at) == NULL, "the server has a tool");
        haft__arena_finish(&arena);
    }
}

TEST(tools_are_written_in_the_wire_format_of_a_provider)
{
    static const struct {
        const char *provider, *start;
    } rows[] = {
        {"openai", "[{\"type\":\"function\",\"function\":{\"name\":\"look\","},
        {"anthropic", "[{\"name\":\"look\","},
        {"gemini", "{\"functionDeclarations\":[{\"name\":\"look\","},
    };
    haft__arena arena;
    help_spec s;
    haft__tool_list list;
    haft__mcp_refresh_result none = {.count = 0};
    haft__arena_init(&arena, 0);
    help_spec_init(&s, &arena, HAFT__LIT("agent; tools=look"));
    CHECK_INT(haft__tool_list_read(&arena, &s.spec, &none, &list, NULL), HAFT_OK, "list");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf text;
        haft__json_writer w;
        haft__buf_init(&text, 1 << 16);
        haft__json_writer_init(&w, &text);
        haft__relax_report report;
        haft__relax_report_init(&report, &arena);
        const haft__tool_definition_format *format = haft__tool_definition_find(rows[i].provider);
        CHECK_INT(haft__tool_list_write_wire(&w, &list, format, &report, NULL), HAFT_OK, "%s",
                  rows[i].provider);
        CHECK(haft__str_starts_with(haft__buf_str(&text), haft__str(rows[i].start)), "%.*s",
              HAFT__ARG(haft__buf_str(&text)));
        haft__buf_finish(&text);
    }
    haft__arena_finish(&arena);
}
