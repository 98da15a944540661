/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/ecma_group.c: groups and references to them. */
#include "schema/ecma_help.h"

TEST(references_are_translated_with_a_callout_for_their_cost)
{
    static const help_case cases[] = {
        {"(a)\\1", "(?C)((?C)a)(?:(?C'1')\\g{1})(?C)"},
        {"(?<n>a)\\k<n>", "(?C)((?C)a)(?:(?C'1')\\g{1})(?C)"},
        {"(?:x)(a)(b)\\2*c", "(?C)(?:(?C)x)((?C)a)((?C)b)(?:(?C'2')\\g{2})*(?C)c"},
        {"(\\d)(?=\\1)", "(*NO_START_OPT)(?C)((?C)\\d)(?=(?C)(?:(?C'1')\\g{1})(?C))(?C)"},
        {"\\\\1", "(?C)\\x{5c}1"},
    };
    help_check(cases, COUNT(cases));
}

TEST(references_that_can_only_match_nothing_are_left_out)
{
    static const help_case cases[] = {
        {"\\1(a)", "(?C)(?:)(?C)((?C)a)"},
        {"\\k<n>(?<n>a)", "(?C)(?:)(?C)((?C)a)"},
        {"(a\\1)", "(?C)((?C)a(?:)(?C))"},
        {"(?:\\1(a))*", "(?C)(?:(?C)(?:)(?C)((?C)a))*(?C)"},
        {"(a){0}b(c)\\1\\2", "(?C)b((?C)c)(?:)(?C)(?:(?C'1')\\g{1})(?C)"},
    };
    help_check(cases, COUNT(cases));
}

/* Each of these means the same in PCRE2 although its group is repeated. */
TEST(references_that_keep_their_meaning_are_accepted)
{
    static const char *const sources[] = {
        "(a)+\\1",
        "(?:(a)b)*\\1",
        "(?:(a)\\1)*",
        "(?:(?:(a)b)+\\1)*",
        "(?:(a)|b)\\1",
        "(a)?\\1",
        "(a)|\\1",
        "(?=(a))\\1",
        "(?!(a))\\1",
        "(a|b)+\\1",
        "(?<=(a|b))\\1",
        "(a*)\\1",
        "(?:(a*)\\1b)*",
        "(a)(?:\\1|b)*",
        "(?:(a)|(b))(?:\\1c)*",
        "(?:x(?:(a)|b)|y)\\1",
    };
    for (size_t i = 0; i < COUNT(sources); i++) {
        haft_str found = help_translate(haft__str(sources[i]));
        CHECK(haft__str_starts_with(found, HAFT__LIT("(")), "%s: %.*s", sources[i],
              HAFT__ARG(found));
    }
}

TEST(references_that_would_change_their_meaning_are_refused)
{
    static const struct {
        const char *source;
        int at;
    } cases[] = {
        {"(?:(a)|b)*\\1", 11},      /* (a) is reset in an iteration with b */
        {"(?:(a)?b)*\\1", 11},      /* the same */
        {"(?:(a)|b\\1)*", 9},       /* (a) matched in another iteration */
        {"(?:(?:(a)|b)c)+\\1", 16}, /* the group is in an outer repetition */
        {"(?:(a)*b)*\\1", 11},      /* (a) may not match in the last iteration */
        {"(a*)*\\1", 6},            /* PCRE2 makes one more, empty iteration */
        {"(?:(?=(a))){0,1}b|(a?)?\\2", 24},
        {"(?:(?=(a))b?)?\\1", 15}, /* the optional iteration must not be empty */
        {"(?<=(a|b){2})\\1", 14},  /* matched backwards */
        {"(?:x(?<=(a){2}))\\1", 17},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char want[256];
        int length = snprintf(want, sizeof(want),
                              "UNSUPPORTED at character %d: a back reference to a group in a part "
                              "that is repeated and may leave the group out is not supported | put "
                              "the group outside the repeat",
                              cases[i].at);
        CHECK_STR(help_translate(haft__str(cases[i].source)), ((haft_str){want, (size_t)length}),
                  "%s", cases[i].source);
    }
}

TEST(other_references_are_refused)
{
    static const help_case cases[] = {
        {"\\1", "BAD_INPUT at character 1: a back reference to a group that does not exist: the "
                "expression has 0 | write \\xHH for the character with that code"},
        {"(a)\\2", "BAD_INPUT at character 4: a back reference to a group that does not exist: the "
                   "expression has 1 | write \\xHH for the character with that code"},
        {"(a)\\10000000000000", "BAD_INPUT at character 4: a back reference to a group that does "
                                "not exist: the expression has 1 | write \\xHH for the character "
                                "with that code"},
        {"(?<n>a)\\k<m>", "BAD_INPUT at character 8: there is no group named `m`"},
        {"\\k",
         "BAD_INPUT at character 1: `\\k` must be followed by the name of a group: `\\k<name>`"},
        {"\\k<", "BAD_INPUT at character 4: the name of a group must end with `>`"},
        {"(a)(?<=\\1)", "UNSUPPORTED at character 8: a back reference in a look-behind is not "
                        "supported"},
    };
    help_check(cases, COUNT(cases));
}
