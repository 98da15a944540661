/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/abbreviations.c. */
#include "tool/index/abbreviations.h"

#include "test.h"
#include "tool/search_help.h"

TEST(abbreviations_are_expanded)
{
    static const struct {
        const char *stem, *whole;
    } rows[] = {{"addr", "address"},
                {"repo", "repository"},
                {"pr", "pull request"},
                {"vid", "video"},
                {"doc", ""},
                {"rep", ""},
                {"", ""},
                {"repositories", ""}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(haft__search_abbreviation(haft__str(rows[i].stem)), haft__str(rows[i].whole),
                  "%s", rows[i].stem);
    }
}

/* If many tools have a parameter `repo`, the one with the word in its name comes first. */
TEST(an_abbreviation_matches_its_long_form)
{
    static const char repo[] = "{\"properties\":{\"repo\":{}}}";
    static const search_tool tools[] = {
        {"a", "create_branch", "g", "Makes a branch.", repo},
        {"b", "create_pull_request", "g", "Proposes a change.", repo},
        {"c", "create_repository", "g", "Makes a place for code.", NULL},
        {"d", "create_entities", "m", "Makes entities.", NULL},
    };
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("create repo"), 1), HAFT__LIT("c:name"), "singular");
    CHECK_STR(search_ids(search, HAFT__LIT("create some repos"), 1), HAFT__LIT("c:name"), "plural");
    CHECK_STR(search_ids(search, HAFT__LIT("createPR"), 1), HAFT__LIT("b:name"), "in camel case");
    haft__search_destroy(search);
}
