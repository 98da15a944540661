/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/server/tool_name.c: names that are sent unchanged, and names that are escaped.
 */
#include "mcp/server/tool_name.h"

#include "base/limits.h"
#include "test.h"

TEST(unusual_characters_of_names_are_escaped)
{
    static const struct {
        const char *name, *wire;
    } rows[] = {
        {"add", "add"},
        {"v1.read", "v1.read"},
        {"9to5", "9to5"},
        {"a-b_c", "a-b_c"},
        {"docs:look", "docs_-_look"},
        {"a/b", "a_-h2fb"},
        {"a_-b", "a_-ub"},
        {"-x", "-x"},
        {"run_My agent", "run_My_-h20agent"},
        {"\xc3\xbc", "_-hc3_-hbc"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        CHECK_STR(haft__mcp_tool_name(&arena, haft__str(rows[i].name)), haft__str(rows[i].wire),
                  "%s", rows[i].name);
        haft__arena_finish(&arena);
    }
}

TEST(names_above_the_limit_are_shortened)
{
    char name[HAFT__LIMIT_TOOL_NAME_BYTES + 2];
    haft__arena arena;
    haft__arena_init(&arena, 0);
    memset(name, 'a', sizeof(name));
    haft_str max = {name, HAFT__LIMIT_TOOL_NAME_BYTES};
    CHECK_STR(haft__mcp_tool_name(&arena, max), max, "a name at the limit is unchanged");
    haft_str wire = haft__mcp_tool_name(&arena, (haft_str){name, max.len + 1});
    CHECK(wire.len <= HAFT__LIMIT_TOOL_NAME_BYTES && wire.len > 0,
          "a name one byte above the limit is shortened");
    haft__arena_finish(&arena);
}
