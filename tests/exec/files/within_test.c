/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/files/within.c: which paths of a root may be seen. */
#include "exec/files/within.h"

#include "test.h"

static const haft_str parts[] = {{"src/a", 5}, {"./docs/x.md", 11}, {"lib/", 4}};

static const struct {
    const char *path;
    haft__within_place want;
} cases[] = {
    {".", HAFT__WITHIN_ABOVE},          {"", HAFT__WITHIN_ABOVE},
    {"src", HAFT__WITHIN_ABOVE},        {"src/a", HAFT__WITHIN_INSIDE},
    {"src/a/b.c", HAFT__WITHIN_INSIDE}, {"src/ab", HAFT__WITHIN_OUTSIDE},
    {"src/b", HAFT__WITHIN_OUTSIDE},    {"docs", HAFT__WITHIN_ABOVE},
    {"docs/x.md", HAFT__WITHIN_INSIDE}, {"docs/y.md", HAFT__WITHIN_OUTSIDE},
    {"lib", HAFT__WITHIN_INSIDE},       {"lib/z", HAFT__WITHIN_INSIDE},
    {"other", HAFT__WITHIN_OUTSIDE},
};

TEST(paths_are_inside_above_or_outside_of_the_parts)
{
    haft__files_within within = {parts, COUNT(parts)}, all = {NULL, 0};
    haft__files_within root = {(const haft_str[]){{".", 1}}, 1};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str path = haft__str(cases[i].path);
        CHECK_INT(haft__files_within_place(&within, path), cases[i].want, "%s", cases[i].path);
        CHECK_INT(haft__files_within_place(&all, path), HAFT__WITHIN_INSIDE, "%s", cases[i].path);
        CHECK_INT(haft__files_within_place(&root, path), HAFT__WITHIN_INSIDE, "%s", cases[i].path);
    }
    CHECK(haft__files_within_names(&within, HAFT__LIT("docs/x.md")), "a part itself");
    CHECK(!haft__files_within_names(&within, HAFT__LIT("src/a/b.c")), "a file below a part");
}

TEST(a_path_outside_of_the_parts_is_an_error_with_a_hint)
{
    haft__files_within within = {parts, COUNT(parts)};
    haft_error err = {0};
    CHECK_INT(haft__files_within_check(&within, HAFT__LIT("src"), false, &err), HAFT_OK, "above");
    CHECK_INT(haft__files_within_check(&within, HAFT__LIT("src"), true, &err), HAFT_BAD_INPUT,
              "above, and must be inside");
    CHECK_INT(haft__files_within_check(&within, HAFT__LIT("x"), false, &err), HAFT_BAD_INPUT,
              "outside");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/path"), "where");
    CHECK_STR(haft__str(err.message), HAFT__LIT("'x' is outside of the files that may be read"),
              "message");
}
