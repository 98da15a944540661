/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tool_report.c: verdicts as JSON. */
#include "engine/ops/tool_report.h"

#include <string.h>

#include "base/str.h"
#include "engine/ops/preview_help.h"

TEST(servers_are_written_as_json)
{
    static const struct {
        const char *spec, *json;
    } rows[] = {
        {"agent; tools=look", "[]"},
        {"agent; max_mcp=1; server=docs,search,write; server=dead!error; server=off!disabled",
         "[{\"name\":\"docs\",\"state\":\"started\",\"tools\":2,\"means\":\"the server is running "
         "and has "
         "listed its "
         "tools\",\"warning\":null,\"left_out\":[],\"left_out_all\":0,\"code\":null,\"reason\":"
         "null},{\"name\":\"dead\",\"state\":\"configured\",\"tools\":0,\"means\":\"configured in "
         "the spec; the server failed to list its "
         "tools\",\"warning\":null,\"left_out\":[],\"left_out_all\":0,\"code\":\"server_error\","
         "\"reason\":\"it does not "
         "answer\"},{\"name\":\"off\",\"state\":\"started\",\"tools\":0,\"means\":\"the server is "
         "running "
         "and has listed its "
         "tools\",\"warning\":null,\"left_out\":[],\"left_out_all\":0,\"code\":\"server_disabled\","
         "\"reason\":\"the server is disabled\"}]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        help_spec s;
        haft__first_turn_preview first;
        haft__buf json;
        haft__json_writer w;
        haft__arena_init(&arena, 0);
        haft__buf_init(&json, 1 << 16);
        haft__json_writer_init(&w, &json);
        help_preview(rows[i].spec, "docs write", &arena, &s, &first);
        haft__tool_report_write_servers(&w, &first);
        CHECK_STR(haft__buf_str(&json), haft__str(rows[i].json), "row %zu", i);
        haft__buf_finish(&json);
        haft__arena_finish(&arena);
    }
}

TEST(tools_as_json_have_a_code_and_a_reason)
{
    haft__arena arena;
    help_spec s;
    haft__first_turn_preview first;
    haft__buf json;
    haft__json_writer w;
    haft__arena_init(&arena, 0);
    haft__buf_init(&json, 1 << 16);
    haft__json_writer_init(&w, &json);
    help_preview("agent; tools=look,tool_search; server=docs,search", "search", &arena, &s, &first);
    haft__tool_report_write_tools(&w, &first);
    haft_str text = help_without_scores(haft__buf_str(&json));
    CHECK(strstr(text.ptr,
                 "{\"name\":\"docs:search\",\"source\":\"mcp\",\"role\":\"data\","
                 "\"server\":\"docs\",\"offered\":true,\"sight\":\"declared\",\"code\":"
                 "\"revealed\",\"reason\":\"shown: found by the search, rank 1, score N (exact "
                 "name)\",\"search\":{\"rank\":1,\"score\":N,\"why\":\"exact name\"},"
                 "\"denied_by\":null}")
              != NULL,
          "docs:search is missing or differs: %s", text.ptr);
    CHECK(strstr(text.ptr, "glob") == NULL, "a tool that is not enabled must not be listed: %s",
          text.ptr);
    haft__buf_clear(&json);
    haft__json_writer_init(&w, &json);
    haft__tool_report_write_not_enabled(&w, &first);
    text = help_keep(haft__buf_str(&json));
    CHECK(strncmp(text.ptr, "[\"glob\",", 8) == 0 && strstr(text.ptr, "tool_search") == NULL, "%s",
          text.ptr);
    haft__buf_finish(&json);
    haft__arena_finish(&arena);
}
