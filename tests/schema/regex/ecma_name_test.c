/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/ecma_name.c. */
#include "schema/ecma_help.h"

TEST(names_are_identifiers)
{
    static const char *const names[] = {
        "a",
        "$",
        "_",
        "a1",
        "\xC3\xA9",
        "\\u00e9",
        "\\u{61}b",
        "a\xE2\x80\x8D" /* zero width joiner */,
        "\xE5\xB9\xB4",
        "a\xCC\x81" /* combining acute */,
        "\xF0\x9D\x92\x9C",
        "\\ud835\\udc9c",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str source = help_join(HAFT__LIT("(?<"), haft__str(names[i]));
        source = help_join(source, HAFT__LIT(">x)"));
        CHECK_STR(help_translate(source), HAFT__LIT("(?C)(?:(?C)x)"), "%s", names[i]);
    }
}

TEST(names_are_compared_without_their_escapes)
{
    static const help_case cases[] = {
        {"(?<a>x)\\k<\\u0061>", "(?C)((?C)x)(?:(?C'1')\\g{1})(?C)"},
        {"(?<\\u{1d49c}>x)\\k<\\ud835\\udc9c>", "(?C)((?C)x)(?:(?C'1')\\g{1})(?C)"},
        {"(?<a>x)(?<ab>y)\\k<ab>", "(?C)((?C)x)((?C)y)(?:(?C'2')\\g{2})(?C)"},
        {"(?<ab>x)(?<a>y)\\k<a>", "(?C)((?C)x)((?C)y)(?:(?C'2')\\g{2})(?C)"},
        {"(?<a>x)|(?<\\x61>y)", "BAD_INPUT at character 12: `\\` cannot begin the name of a group"},
        {"(?<a>x)|(?<\\u0061>y)", "BAD_INPUT at character 12: two groups have the name `\\u0061`"},
    };
    help_check(cases, COUNT(cases));
}

TEST(other_names_are_refused)
{
    static const help_case cases[] = {
        {"(?<>x)", "BAD_INPUT at character 4: the name of a group is empty"},
        {"(?<a", "BAD_INPUT at character 4: the name of a group must end with `>`"},
        {"(?<1a>x)", "BAD_INPUT at character 4: `1` cannot begin the name of a group"},
        {"(?<a-b>x)", "BAD_INPUT at character 5: `-` cannot be in the name of a group"},
        {"(?<a\xE2\x82\xAC>x)",
         "BAD_INPUT at character 5: `\xE2\x82\xAC` cannot be in the name of a group"},
        {"(?<\xCC\x81>x)", "BAD_INPUT at character 4: `\xCC\x81` cannot begin the name of a group"},
        {"(?<\xE2\x80\x8C>x)",
         "BAD_INPUT at character 4: `\xE2\x80\x8C` cannot begin the name of a group"},
        {"(?<a\\ud83d>x)", "BAD_INPUT at character 5: `\\ud83d` cannot be in the name of a group"},
        {"(?<a\\u12>x)",
         "BAD_INPUT at character 5: `\\u` must be followed by four hexadecimal digits or `{...}`"},
    };
    help_check(cases, COUNT(cases));
}
