/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/ecma_class.c. */
#include "schema/ecma_help.h"

#define NO_WORDS "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}"

TEST(classes_are_translated_member_by_member)
{
    static const help_case cases[] = {
        {"[abc]", "(?C)[abc]"},
        {"[^a-z0-9_]", "(?C)[^a-z0-9\\x{5f}]"},
        {"[a-a]", "(?C)[a]"},
        {"[-a-c-]", "(?C)[\\x{2d}a-c\\x{2d}]"},
        {"[a-c-e]", "(?C)[a-c\\x{2d}e]"},
        {"[+--]", "(?C)[\\x{2b}-\\x{2d}]"},
        {"[\\b\\-\\]]", "(?C)[\\x{8}\\x{2d}\\x{5d}]"},
        {"[.^$*(|[]", "(?C)[\\x{2e}\\x{5e}\\x{24}\\x{2a}\\x{28}\\x{7c}\\x{5b}]"},
        {"[\\u{1f300}-\xF0\x9F\x90\xB2]", "(?C)[\\x{1f300}-\\x{1f432}]"},
        {"[\\d\\w\\p{L}\\P{Lu}]", "(?C)[\\d\\w\\p{L}\\P{Lu}]"},
        {"[^\\W]", "(?C)[^" NO_WORDS "]"},
        {"[\\D]", "(?C)[\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}]"},
        {"[\\d\\da\\d]", "(?C)[\\da]"},
        {"[]", "(?C)\\P{Any}"},
        {"[^]", "(?C)\\p{Any}"},
    };
    help_check(cases, COUNT(cases));
}

TEST(a_hyphen_next_to_a_set_is_a_hyphen)
{
    static const help_case cases[] = {
        {"[\\w-.]", "(?C)[\\w\\x{2d}\\x{2e}]"}, {"[a-\\d]", "(?C)[\\da\\x{2d}]"},
        {"[\\d-\\w]", "(?C)[\\d\\w\\x{2d}]"},   {"[\\w-]", "(?C)[\\w\\x{2d}]"},
        {"[\\@\\_]", "(?C)[\\x{40}\\x{5f}]"},
    };
    help_check(cases, COUNT(cases));
}

TEST(surrogates_are_left_out)
{
    static const help_case cases[] = {
        {"[\\ud83d\\udc32]", "(?C)[\\x{1f432}]"},
        {"[a\\ud83d]", "(?C)[a]"},
        {"[\\ud83d]", "(?C)\\P{Any}"},
        {"[^\\ud83d]", "(?C)\\p{Any}"},
        {"[\\ud800-\\udfff]", "(?C)\\P{Any}"},
        {"[a-\\ud900]", "(?C)[a-\\x{d7ff}]"},
        {"[\\udc00-\\uffff]", "(?C)[\\x{e000}-\\x{ffff}]"},
        {"[\\0-\\uffff]", "(?C)[\\x{0}-\\x{ffff}]"},
    };
    help_check(cases, COUNT(cases));
}

TEST(bad_classes_are_refused)
{
    static const help_case cases[] = {
        {"a[b", "BAD_INPUT at character 2: unterminated character class: `[` without `]`"},
        {"[a-", "BAD_INPUT at character 1: unterminated character class: `[` without `]`"},
        {"[^", "BAD_INPUT at character 1: unterminated character class: `[` without `]`"},
        {"[]a", "(?C)\\P{Any}a"},
        {"[z-a]", "BAD_INPUT at character 2: the range `z-a` is in reverse order"},
        {"[\\x62-\\x61]", "BAD_INPUT at character 2: the range `\\x62-\\x61` is in reverse order"},
        {"[\\", "BAD_INPUT at character 2: a lone `\\` at the end of the expression"},
        {"[\\B]", "BAD_INPUT at character 2: `\\B` is not an ECMA-262 escape"},
        {"[\\1]", "BAD_INPUT at character 2: `\\1` is not an ECMA-262 escape"},
        {"[\\k<a>]", "BAD_INPUT at character 2: `\\k` is not an ECMA-262 escape"},
        {"[a-\\z]",
         "BAD_INPUT at character 4: `\\z` is not an ECMA-262 escape | write $ instead of "
         "\\z"},
        {"[\\p{x}]", "BAD_INPUT at character 2: `x` is not a Unicode property of ECMA-262 | "
                     "names are spelled as in Unicode: \\p{Letter}, \\p{L}, \\p{Script=Greek}"},
    };
    help_check(cases, COUNT(cases));
}
