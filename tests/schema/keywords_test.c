/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/keywords.c. */
#include "schema/compile_int.h"
#include "test.h"

TEST(the_table_of_keywords_is_sorted)
{
    size_t count;
    const haft__schema_keyword *rows = haft__keywords(&count);
    for (size_t i = 1; i < count; i++) {
        int order = haft__str_compare(rows[i - 1].name, rows[i].name);
        CHECK(order < 0 || (order == 0 && (rows[i - 1].drafts & rows[i].drafts) == 0),
              "%s stands before %s", rows[i - 1].name.ptr, rows[i].name.ptr);
    }
}

TEST(every_keyword_is_found_in_its_drafts_only)
{
    size_t count;
    const haft__schema_keyword *rows = haft__keywords(&count);
    static const unsigned drafts[] = {HAFT__DRAFT_07, HAFT__DRAFT_2019, HAFT__DRAFT_2020};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < COUNT(drafts); k++) {
            const haft__schema_keyword *found = haft__keyword_find(rows[i].name, drafts[k]);
            if ((rows[i].drafts & drafts[k]) != 0) {
                CHECK(found == &rows[i], "%s", rows[i].name.ptr);
            } else {
                CHECK(found != &rows[i], "%s", rows[i].name.ptr);
            }
        }
    }
    CHECK(haft__keyword_find(HAFT__LIT("prefixItems"), HAFT__DRAFT_07) == NULL,
          "a keyword that draft-07 does not have");
    CHECK(haft__keyword_find(HAFT__LIT("additionalItems"), HAFT__DRAFT_2020) == NULL,
          "a keyword that 2020-12 does not have");
    CHECK(haft__keyword_find(HAFT__LIT("zzz"), HAFT__DRAFT_2020) == NULL, "an unknown keyword");
    CHECK(haft__keyword_find(HAFT__LIT(""), HAFT__DRAFT_2020) == NULL, "an empty name");
}
