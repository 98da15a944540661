/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/suggestion.c. */
#include "base/suggestion.h"

#include "test.h"

TEST(distances_count_edits_up_to_a_maximum)
{
    static const struct {
        const char *a, *b;
        size_t max, distance;
    } cases[] = {
        {"", "", 3, 0},
        {"", "", 0, 0},
        {"a", "", 3, 1},
        {"", "abc", 3, 3},
        {"", "abc", 2, 3},
        {"same", "same", 0, 0},
        {"serch", "search", 3, 1},
        {"serach", "search", 3, 1},
        {"searchh", "search", 3, 1},
        {"seaxch", "search", 3, 1},
        {"Search", "sEARCh", 0, 0},
        {"[", "{", 1, 1}, /* bytes that differ like the cases of a letter */
        {"max_results", "maxResults", 3, 1},
        {"ab", "ba", 3, 1},
        {"Ab", "bA", 3, 1},
        {"ca", "abc", 3, 3}, /* no edit between swapped letters */
        {"abc", "xyz", 3, 3},
        {"kitten", "sitting", 3, 3},
        {"kitten", "sitting", 2, 3},
        {"abcdef", "uvwxyz", 9, 6},
        {"abcdef", "uvwxyz", 3, 4},
        {"abcdef", "fedcba", 2, 3},
        {"abcdefgh", "badcfehg", 4, 4}, /* swaps all along: no row may give up too early */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str a = haft__str(cases[i].a), b = haft__str(cases[i].b);
        size_t max = cases[i].max;
        CHECK_INT(haft__suggestion_distance(a, b, max), cases[i].distance, "%s, %s", a.ptr, b.ptr);
        CHECK_INT(haft__suggestion_distance(b, a, max), cases[i].distance, "%s, %s", b.ptr, a.ptr);
    }
}

TEST(names_may_be_as_long_as_the_limit)
{
    char a[HAFT__LIMIT_SUGGESTION_BYTES + 1], b[HAFT__LIMIT_SUGGESTION_BYTES + 1];
    memset(a, 'a', sizeof(a));
    memset(b, 'b', sizeof(b));
    haft_str longest = {a, HAFT__LIMIT_SUGGESTION_BYTES}, other = {b, HAFT__LIMIT_SUGGESTION_BYTES};
    CHECK_INT(haft__suggestion_distance(longest, other, 1000), HAFT__LIMIT_SUGGESTION_BYTES,
              "at the limit");
    haft_str too_long = {a, sizeof(a)};
    CHECK_INT(haft__suggestion_distance(longest, too_long, 9), 10,
              "the second name is past the limit");
    CHECK_INT(haft__suggestion_distance(too_long, longest, 9), 10,
              "the first name is past the limit");
}

TEST(the_nearest_name_is_kept)
{
    static const struct {
        const char *word, *wanted; /* wanted NULL: nothing is near enough */
    } cases[] = {
        {"valdate", "validate"},
        {"vlaidate", "validate"},
        {"hlep", "help"},
        {"x", NULL},
        {"explode", NULL},
        {"hel", "help"},
        {"", NULL},
        {"helps", "help"},
        {"valid", NULL},
        {"HELP", "help"},
        {"HEPL", "help"},
        {"i", NULL},
        {"N", "n"},
        {"nn", "n"},
    };
    static const char *const names[] = {"validate", "help", "version", "heap", "n"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__suggestion near;
        haft__suggestion_init(&near, haft__str(cases[i].word));
        for (size_t n = 0; n < COUNT(names); n++) {
            haft__suggestion_offer(&near, haft__str(names[n]));
        }
        if (cases[i].wanted == NULL) {
            CHECK(near.best.ptr == NULL, "%s: found %.*s", cases[i].word, HAFT__ARG(near.best));
        } else {
            CHECK_STR(near.best, haft__str(cases[i].wanted), "%s", cases[i].word);
        }
    }
}

/* A long word may have more typos than a short one, but never more than three. */
TEST(a_name_with_more_than_three_typos_is_not_suggested)
{
    haft__suggestion near;
    haft__suggestion_init(&near, HAFT__LIT("abcdefghijklmnopqr"));
    haft__suggestion_offer(&near, HAFT__LIT("abcdefghijklmn1234"));
    CHECK(near.best.ptr == NULL, "four typos");
    haft__suggestion_offer(&near, HAFT__LIT("abcdefghijklmno123"));
    CHECK_STR(near.best, HAFT__LIT("abcdefghijklmno123"), "three typos");
}

TEST(only_a_limited_number_of_names_is_compared)
{
    haft__suggestion near;
    haft__suggestion_init(&near, HAFT__LIT("lmit"));
    for (size_t i = 0; i < HAFT__LIMIT_SUGGESTION_NAMES - 1; i++) {
        haft__suggestion_offer(&near, HAFT__LIT("zzzz"));
    }
    haft__suggestion before_last = near;
    haft__suggestion_offer(&before_last, HAFT__LIT("limit"));
    CHECK_STR(before_last.best, HAFT__LIT("limit"), "the last candidate before the limit");
    haft__suggestion_offer(&near, HAFT__LIT("zzzz"));
    CHECK_INT(near.left, 0, "names that may still be compared");
    haft__suggestion_offer(&near, HAFT__LIT("limit"));
    CHECK(near.best.ptr == NULL, "a candidate past the limit was compared");
    haft__suggestion_init(&near, HAFT__LIT("lmit"));
    haft__suggestion_offer(&near, HAFT__LIT("something else"));
    CHECK_INT(near.left, HAFT__LIMIT_SUGGESTION_NAMES, "a name of another length does not count");
}

TEST(an_equal_name_ends_the_comparison)
{
    haft__suggestion near;
    haft__suggestion_init(&near, HAFT__LIT("Query"));
    haft__suggestion_offer(&near, HAFT__LIT("query"));
    CHECK_INT(near.left, 0, "names that may still be compared");
    haft__suggestion_offer(&near, HAFT__LIT("Query"));
    CHECK_STR(near.best, HAFT__LIT("query"), "the first equal name is kept");
}
