/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/version.c. */
#include "mcp/version.h"

#include "mcp/definition_help.h"
#include "test.h"

TEST(the_best_version_is_chosen)
{
    static const struct {
        const char *list, *best;
    } cases[] = {
        {"[\"2025-03-26\",\"2026-07-28\",\"2025-11-25\"]", "2026-07-28"},
        {"[\"2024-11-05\",\"2025-06-18\"]", "2025-06-18"},
        {"[\"2024-10-07\"]", "2024-10-07"},
        {"[7,null,[],\"2030-01-01\"]", ""},
        {"[]", ""},
        {"\"2026-07-28\"", ""},
        {"null", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        CHECK_STR(haft__mcp_version_choose(test_json(&arena, haft__str(cases[i].list))),
                  haft__str(cases[i].best), "%s", cases[i].list);
        haft__arena_finish(&arena);
    }
}

TEST(a_version_is_of_one_era)
{
    CHECK(haft__mcp_version_modern(HAFT__LIT("2026-07-28")), "2026-07-28 is not modern");
    CHECK(!haft__mcp_version_legacy(HAFT__LIT("2026-07-28")), "2026-07-28 is legacy");
    CHECK(haft__mcp_version_legacy(HAFT__LIT("2025-11-25")), "2025-11-25 is not legacy");
    CHECK(!haft__mcp_version_modern(HAFT__LIT("2025-11-25")), "2025-11-25 is modern");
    CHECK(!haft__mcp_version_legacy(HAFT__LIT("")), "an empty version is legacy");
}
