/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/near.c. */
#include "base/near.h"

#include "test.h"

TEST(distances)
{
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"a", "", 1},
        {"same", "same", 0},
        {"serch", "search", 1},
        {"serach", "search", 1},
        {"searchh", "search", 1},
        {"seaxch", "search", 1},
        {"kitten", "sitting", 3},
        {"ab", "ba", 1},
        {"abc", "xyz", 3},
        {"ca", "abc", 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str a = haft__str(cases[i].a), b = haft__str(cases[i].b);
        CHECK_INT(haft__near_distance(a, b), cases[i].distance, "%s, %s", cases[i].a, cases[i].b);
        CHECK_INT(haft__near_distance(b, a), cases[i].distance, "%s, %s", cases[i].b, cases[i].a);
    }
}

TEST(names_may_be_as_long_as_the_limit)
{
    char a[HAFT__LIMIT_NEAR_BYTES + 1], b[HAFT__LIMIT_NEAR_BYTES + 1];
    memset(a, 'a', sizeof(a));
    memset(b, 'b', sizeof(b));
    haft_str longest = {a, HAFT__LIMIT_NEAR_BYTES}, other = {b, HAFT__LIMIT_NEAR_BYTES};
    CHECK_INT(haft__near_distance(longest, other), HAFT__LIMIT_NEAR_BYTES, "at the limit");
    haft_str too_long = {a, sizeof(a)};
    CHECK(haft__near_distance(longest, too_long) == SIZE_MAX, "the second past the limit");
    CHECK(haft__near_distance(too_long, longest) == SIZE_MAX, "the first past the limit");
}

TEST(the_nearest_name_is_kept)
{
    static const struct {
        const char *word, *wanted; /* wanted NULL: nothing is near enough */
    } cases[] = {
        {"valdate", "validate"}, {"vlaidate", "validate"}, {"hlep", "help"}, {"x", NULL},
        {"explode", NULL},       {"hel", "help"},          {"", NULL},       {"helps", "help"},
        {"valid", NULL},
    };
    static const char *const names[] = {"validate", "help", "version", "heap"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__near near;
        haft__near_init(&near, haft__str(cases[i].word));
        for (size_t n = 0; n < COUNT(names); n++) {
            haft__near_offer(&near, haft__str(names[n]));
        }
        if (cases[i].wanted == NULL) {
            CHECK(near.best.ptr == NULL, "%s: found %.*s", cases[i].word, HAFT__ARG(near.best));
        } else {
            CHECK_STR(near.best, haft__str(cases[i].wanted), "%s", cases[i].word);
        }
    }
}
