/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/ecma_escape.c. */
#include "schema/ecma_help.h"

#define SPACES                                                                                     \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"  \
    "\\x{3000}\\x{feff}"

TEST(escapes_of_characters_are_translated)
{
    static const help_case cases[] = {
        {"\\t\\n\\v\\f\\r", "(?C)\\x{9}\\x{a}\\x{b}\\x{c}\\x{d}"},
        {"\\cA\\cz\\cZ", "(?C)\\x{1}\\x{1a}\\x{1a}"},
        {"\\0", "(?C)\\x{0}"},
        {"\\0a", "(?C)\\x{0}a"},
        {"\\x41\\x7e\\xFf", "(?C)A\\x{7e}\\x{ff}"},
        {"\\u0041\\u2028", "(?C)A\\x{2028}"},
        {"\\u{41}\\u{0000001F432}", "(?C)A\\x{1f432}"},
        {"\\u{10ffff}", "(?C)\\x{10ffff}"},
        {"\\uD83D\\uDC32", "(?C)\\x{1f432}"},
        {"\\ud83d", "(?C)\\P{Any}"},
        {"\\udc32\\ud83d", "(?C)\\P{Any}\\P{Any}"},
        {"\\ud83d\\u0041", "(?C)\\P{Any}A"},
        {"\\ud83d\\n", "(?C)\\P{Any}\\x{a}"},
        {"\\u{d83d}\\u{dc32}", "(?C)\\P{Any}\\P{Any}"},
        {"\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/",
         "(?C)\\x{5e}\\x{24}\\x{5c}\\x{2e}\\x{2a}\\x{2b}\\x{3f}\\x{28}\\x{29}\\x{5b}\\x{5d}\\x{7b}"
         "\\x{7d}\\x{7c}\\x{2f}"},
        {"\\-\\_\\@\\\"\\'\\ \\#", "(?C)\\x{2d}\\x{5f}\\x{40}\\x{22}\\x{27}\\x{20}\\x{23}"},
    };
    help_check(cases, COUNT(cases));
    CHECK_STR(help_translate((haft_str){"a\0b", 3}), HAFT__LIT("(?C)a\\x{0}b"), "a NUL byte");
}

TEST(escapes_of_sets_are_translated)
{
    static const help_case cases[] = {
        {"\\d\\D\\w\\W", "(?C)\\d\\D\\w\\W"},
        {"\\s", "(?C)[" SPACES "]"},
        {"\\S", "(?C)[^" SPACES "]"},
        {"\\p{L}\\P{Lu}", "(?C)\\p{L}\\P{Lu}"},
        {"\\p{Script=Greek}", "(?C)\\p{sc:Grek}"},
    };
    help_check(cases, COUNT(cases));
}

TEST(other_escapes_are_refused)
{
    static const help_case cases[] = {
        {"\\", "BAD_INPUT at character 1: a lone `\\` at the end of the expression"},
        {"\\j", "BAD_INPUT at character 1: `\\j` is not an ECMA-262 escape"},
        {"\\A",
         "BAD_INPUT at character 1: `\\A` is not an ECMA-262 escape | write ^ instead of \\A"},
        {"^\\S(|(.|\\n)*\\S)\\Z",
         "BAD_INPUT at character 16: `\\Z` is not an ECMA-262 escape | write $ instead of \\Z"},
        {"\\z",
         "BAD_INPUT at character 1: `\\z` is not an ECMA-262 escape | write $ instead of \\z"},
        {"a\\a",
         "BAD_INPUT at character 2: `\\a` is not an ECMA-262 escape | write \\x07 instead of \\a"},
        {"\\e",
         "BAD_INPUT at character 1: `\\e` is not an ECMA-262 escape | write \\x1B instead of \\e"},
        {"\\h",
         "BAD_INPUT at character 1: `\\h` is not an ECMA-262 escape | write [ \\t] instead of "
         "\\h"},
        {"\\R", "BAD_INPUT at character 1: `\\R` is not an ECMA-262 escape | write \\r?\\n instead "
                "of \\R"},
        {"\\K", "BAD_INPUT at character 1: `\\K` is not an ECMA-262 escape | use a look-behind, "
                "(?<=...), instead of \\K"},
        {"\\G",
         "BAD_INPUT at character 1: `\\G` is not an ECMA-262 escape | write ^ instead of \\G"},
        {"\\Qa\\E", "BAD_INPUT at character 1: `\\Q` is not an ECMA-262 escape | put a backslash "
                    "before each special character instead of \\Q"},
        {"\\\xC3\xA9",
         "BAD_INPUT at character 1: `\\\xC3\xA9` is not an ECMA-262 escape | leave the "
         "backslash out: only ASCII needs it"},
        {"\\c", "BAD_INPUT at character 1: `\\c` must be followed by a letter from A to Z"},
        {"\\c1", "BAD_INPUT at character 1: `\\c` must be followed by a letter from A to Z"},
        {"\\00", "BAD_INPUT at character 1: octal escapes such as `\\00` are not allowed | write "
                 "\\xHH with hexadecimal digits"},
        {"\\x", "BAD_INPUT at character 1: `\\x` must be followed by two hexadecimal digits"},
        {"\\x4g", "BAD_INPUT at character 1: `\\x` must be followed by two hexadecimal digits"},
        {"\\x{41}", "BAD_INPUT at character 1: `\\x` must be followed by two hexadecimal digits | "
                    "write \\u{...} "
                    "instead"},
        {"\\u12",
         "BAD_INPUT at character 1: `\\u` must be followed by four hexadecimal digits or `{...}`"},
        {"\\u{}",
         "BAD_INPUT at character 1: `\\u{` must be followed by hexadecimal digits and `}`"},
        {"\\u{12",
         "BAD_INPUT at character 1: `\\u{` must be followed by hexadecimal digits and `}`"},
        {"\\u{110000}",
         "BAD_INPUT at character 1: `\\u{...}` is greater than 10FFFF, the last code point"},
        {"\\u{fffffffffffffffff}",
         "BAD_INPUT at character 1: `\\u{...}` is greater than 10FFFF, the last code point"},
        {"\\p", "BAD_INPUT at character 1: `\\p` must be followed by the name of a property in "
                "braces | write "
                "\\p{L} for letters, \\p{Script=Greek} for Greek"},
        {"\\PL}", "BAD_INPUT at character 1: `\\P` must be followed by the name of a property in "
                  "braces | write "
                  "\\p{L} for letters, \\p{Script=Greek} for Greek"},
        {"\\p{L", "BAD_INPUT at character 1: `\\p` must be followed by the name of a property in "
                  "braces | write "
                  "\\p{L} for letters, \\p{Script=Greek} for Greek"},
        {"\\p{letter}", "BAD_INPUT at character 1: `letter` is not a Unicode property of ECMA-262 "
                        "| did you mean \\p{Letter}?"},
    };
    help_check(cases, COUNT(cases));
}
