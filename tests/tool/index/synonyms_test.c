/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/synonyms.c. */
#include "tool/index/synonyms.h"

#include "test.h"
#include "tool/index/stem.h"
#include "tool/search_help.h"

TEST(the_rows_of_a_synonym_are_found)
{
    size_t at = 0;
    CHECK_STR(haft__search_synonyms(HAFT__LIT("url"), &at), HAFT__LIT("url link"),
              "the row of a word");
    CHECK_STR(haft__search_synonyms(HAFT__LIT("url"), &at), HAFT__LIT(""), "a word with one row");
    at = 0;
    CHECK_STR(haft__search_synonyms(HAFT__LIT("lin"), &at), HAFT__LIT(""), "a part of a word");
    at = 0;
    size_t rows = 0;
    while (haft__search_synonyms(HAFT__LIT("fetch"), &at).len > 0) {
        rows++;
    }
    CHECK_INT(rows, 2, "number of rows of a word");
}

TEST(tools_are_found_by_synonyms)
{
    static const search_tool tools[] = {
        {"a", "create_directory", "", "", NULL}, {"b", "create_pull_request", "", "", NULL},
        {"c", "send_email", "", "", NULL},       {"d", "refund_payment", "", "", NULL},
        {"e", "top_headlines", "", "", NULL},
    };
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    CHECK_STR(search_ids(search, HAFT__LIT("a folder"), 1), HAFT__LIT("a:name"),
              "a synonym of directory");
    CHECK_STR(search_ids(search, HAFT__LIT("open a PR"), 1), HAFT__LIT("b:name"),
              "an abbreviation");
    CHECK_STR(search_ids(search, HAFT__LIT("mails"), 1), HAFT__LIT("c:name"), "a plural");
    CHECK_STR(search_ids(search, HAFT__LIT("my money back"), 5), HAFT__LIT("d:name"),
              "a synonym in a sentence");
    CHECK_STR(search_ids(search, HAFT__LIT("latest news"), 5), HAFT__LIT("e:name"),
              "news is not new");
    haft__search_destroy(search);
}
