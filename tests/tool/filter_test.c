/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/filter.c. */
#include "base/limits.h"
#include "test.h"
#include "tool/registry.h"

TEST(patterns_match_names)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        {"grep", "grep", true},
        {"grep", "Grep", false},
        {"grep", "grep2", false},
        {"grep", "gre", false},
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "anything", true},
        {"**", "anything", true},
        {"docs:*", "docs:search", true},
        {"docs:*", "docs:", true},
        {"docs:*", "docs", false},
        {"docs:*", "mydocs:search", false},
        {"*:delete_*", "docs:delete_page", true},
        {"*:delete_*", "docs:undelete", false},
        {"*:delete_*", "delete_page", false},
        {"*_page", "docs:delete_page", true},
        {"*_page", "docs:delete_pages", false},
        {"a*b", "ab", true},
        {"a*b", "a", false},
        {"a*a", "a", false},
        {"a*a", "aa", true},
        {"ab*ba", "aba", false},
        {"ab*ba", "abba", true},
        {"*aab*", "aaab", true},
        {"*abab*c", "abaababc", true},
        {"*abab*c", "abaabac", false},
        {"*abcabd*", "abcabcabd", true},
        {"a*b*c", "axbxc", true},
        {"a*b*c", "axcxb", false},
        {"*a*b*a*", "aab", false},
        {"*a*b*a*", "abab", true},
        {"a**b", "ab", true},
        {"*longer than the name*", "name", false},
        {"?", "a", false},
        {"[a]", "a", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool found = haft__filter_matches(haft__str(cases[i].pattern), haft__str(cases[i].name));
        CHECK_INT(found, cases[i].matches, "%s, %s", cases[i].pattern, cases[i].name);
    }
}

/* A naive matcher that tries everything. */
static bool slow_match(const char *pattern, const char *name)
{
    if (*pattern == '\0') {
        return *name == '\0';
    }
    if (*pattern == '*') {
        return slow_match(pattern + 1, name) || (*name != '\0' && slow_match(pattern, name + 1));
    }
    return *name == *pattern && slow_match(pattern + 1, name + 1);
}

/* All patterns over {a, b, *} of up to 6 bytes against all names over {a, b} of up to 6. */
TEST(patterns_agree_with_a_naive_matcher)
{
    unsigned wrong = 0;
    for (unsigned p = 0; p < 4096; p++) {
        char pattern[7], name[7];
        size_t length = 0;
        for (unsigned rest = p; rest > 0; rest /= 4) {
            pattern[length] = "-ab*"[rest % 4];
            length += rest % 4 != 0;
        }
        pattern[length] = '\0';
        for (unsigned n = 1; n < 128; n++) { /* the bits of n after its first 1 are the name */
            size_t used = 0;
            for (unsigned rest = n; rest > 1; rest /= 2) {
                name[used++] = rest % 2 == 1 ? 'a' : 'b';
            }
            name[used] = '\0';
            bool found = haft__filter_matches(haft__str(pattern), haft__str(name));
            wrong += found != slow_match(pattern, name);
        }
    }
    CHECK_INT(wrong, 0, "number of different results");
}

TEST(names_longer_than_the_limit_match_nothing)
{
    char name[HAFT__LIMIT_TOOL_NAME_BYTES + 1], pattern[HAFT__LIMIT_TOOL_NAME_BYTES + 2];
    memset(name, 'n', sizeof(name));
    memset(pattern, 'n', sizeof(pattern));
    pattern[0] = pattern[sizeof(pattern) - 1] = '*';
    haft_str longest = {name, HAFT__LIMIT_TOOL_NAME_BYTES}, longer = {name, sizeof(name)};
    CHECK(haft__filter_matches((haft_str){pattern, sizeof(pattern)}, longest), "at the limit");
    CHECK(haft__filter_matches(HAFT__LIT("*"), longest), "at the limit");
    CHECK(!haft__filter_matches(HAFT__LIT("*"), longer), "past the limit");
    CHECK(!haft__filter_matches(longer, longer), "past the limit, equal to the pattern");
}

TEST(allow_and_deny_lists_are_applied)
{
    const haft_str allow[] = {HAFT__LIT("docs:*"), HAFT__LIT("grep")};
    const haft_str deny[] = {HAFT__LIT("*:delete_*"), HAFT__LIT("gr?p")};
    CHECK(haft__filter_passes(HAFT__LIT("docs:search"), allow, 2, deny, 2), "allowed");
    CHECK(haft__filter_passes(HAFT__LIT("grep"), allow, 2, deny, 2),
          "allowed by the second pattern");
    CHECK(!haft__filter_passes(HAFT__LIT("docs:delete_x"), allow, 2, deny, 2), "denied");
    CHECK(!haft__filter_passes(HAFT__LIT("read"), allow, 2, deny, 2), "not allowed");
    CHECK(haft__filter_passes(HAFT__LIT("read"), NULL, 0, deny, 2), "an empty list allows all");
    CHECK(!haft__filter_passes(HAFT__LIT("a:delete_b"), NULL, 0, deny, 2),
          "denied although all are allowed");
    CHECK(haft__filter_passes(HAFT__LIT("read"), NULL, 0, NULL, 0), "no filter");
}
