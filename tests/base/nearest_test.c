/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/nearest.c. */
#include "base/nearest.h"

#include "test.h"

TEST(distance_counts_edits)
{
    static const struct {
        const char *a, *b;
        size_t most, distance;
    } cases[] = {
        {"", "", 3, 0},
        {"", "abc", 3, 3},
        {"", "abc", 2, 3},
        {"limit", "limit", 0, 0},
        {"lmit", "limit", 3, 1},
        {"limmit", "limit", 3, 1},
        {"linit", "limit", 3, 1},
        {"ilmit", "limit", 3, 1},
        {"Limit", "limit", 3, 0},
        {"max_results", "maxResults", 3, 1},
        {"ca", "abc", 3, 3}, /* the restricted distance: no edit between swapped letters */
        {"kitten", "sitting", 3, 3},
        {"kitten", "sitting", 2, 3},
        {"abcdef", "uvwxyz", 3, 4},
        {"abcdef", "fedcba", 2, 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str a = haft__str(cases[i].a), b = haft__str(cases[i].b);
        CHECK_INT(haft__name_distance(a, b, cases[i].most), cases[i].distance, "%s %s", a.ptr,
                  b.ptr);
        CHECK_INT(haft__name_distance(b, a, cases[i].most), cases[i].distance, "%s %s", b.ptr,
                  a.ptr);
    }
}

TEST(long_names_are_compared_for_equality_only)
{
    char text[66];
    memset(text, 'a', sizeof(text));
    CHECK_INT(haft__name_distance((haft_str){text, 64}, (haft_str){text, 63}, 3), 1, "64 bytes");
    CHECK_INT(haft__name_distance((haft_str){text, 65}, (haft_str){text, 64}, 3), 4, "65 bytes");
    CHECK_INT(haft__name_distance((haft_str){text, 65}, (haft_str){text, 65}, 3), 0, "equal");
}

TEST(the_nearest_name_within_reach_is_found)
{
    static const haft_str names[] = {{"query", 5}, {"limit", 5}, {"limits", 6}, {"x", 1}};
    static const struct {
        const char *name;
        size_t index;
    } cases[] = {
        {"limit", 1},        {"lmit", 1},     {"limitss", 2}, {"qeury", 0},   {"QUERY", 0},
        {"qqqqq", SIZE_MAX}, {"y", SIZE_MAX}, {"X", 3},       {"", SIZE_MAX}, {"wholly", SIZE_MAX},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__nearest(haft__str(cases[i].name), names, COUNT(names)), cases[i].index,
                  "%s", cases[i].name);
    }
    CHECK(haft__nearest(HAFT__LIT("limit"), NULL, 0) == SIZE_MAX, "no names");
}

TEST(no_more_than_a_thousand_names_are_looked_at)
{
    haft_str *names = test_alloc(1001 * sizeof(*names));
    for (size_t i = 0; i < 1001; i++) {
        names[i] = HAFT__LIT("something-else");
    }
    names[1000] = HAFT__LIT("limit");
    CHECK(haft__nearest(HAFT__LIT("lmit"), names, 1001) == SIZE_MAX, "the last is past the end");
    names[999] = HAFT__LIT("limit");
    CHECK_INT(haft__nearest(HAFT__LIT("lmit"), names, 1001), 999, "the last that is looked at");
}
