/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/ecma.c: the grammar, rejected syntax, positions of callouts. */
#include "schema/regex/ecma.h"

#include "base/limits.h"
#include "schema/ecma_help.h"

TEST(expressions_are_translated_to_pcre2)
{
    static const help_case cases[] = {
        {"", "(?C)"},
        {"abc", "(?C)abc"},
        {"a-b c", "(?C)a\\x{2d}b\\x{20}c"},
        {"\xC3\xA9\xF0\x9F\x90\xB2", "(?C)\\x{e9}\\x{1f432}"},
        {"^a$", "(?C)^a$"},
        {"\\ba\\B", "(?C)\\ba\\B"},
        {"a|b|", "(?C)a|(?C)b|(?C)"},
        {"x.y", "(?C)x[^\\x{a}\\x{d}\\x{2028}\\x{2029}]y"},
        {"^a*$", "(?C)^a*(?C)$"},
        {"^a+?$", "(?C)^a+?(?C)$"},
        {"^a??$", "(?C)^a?\?(?C)$"},
        {"^a{3}$", "(?C)^a{3}$"},
        {"^a{3}?$", "(?C)^a{3}$"},
        {"^a{1}$", "(?C)^a$"},
        {"^a{0}$", "(?C)^$"},
        {"^a{2,}$", "(?C)^a{2,}(?C)$"},
        {"^a{1,}$", "(?C)^a+(?C)$"},
        {"^a{0,1}$", "(?C)^a?(?C)$"},
        {"^a{007,10}?$", "(?C)^a{7,10}?(?C)$"},
        {"^(a)$", "(?C)^(?:(?C)a)$"},
        {"^(?<n>a)$", "(?C)^(?:(?C)a)$"},
        {"^(?:a|b)+$", "(?C)^(?:(?C)a|(?C)b)+(?C)$"},
        {"^(?:ab){2}$", "(?C)^(?:(?C)ab){2}(?C)$"},
        {"^(?=a)b", "(*NO_START_OPT)(?C)^(?=(?C)a)(?C)b"},
        {"^(?!a)b", "(?C)^(?!(?C)a)(?C)b"},
        {"(?<=a|bc)d", "(?C)(?<=(?C)a|(?C)bc)(?C)d"},
        {"(?<!a{3})d", "(?C)(?<!(?C)a{3})(?C)d"},
        {"(?<=(?:a|b)c(?=d+))",
         "(*NO_START_OPT)(?C)(?<=(?C)(?:(?C)a|(?C)b)c(?=(?C)d+(?C))(?C))(?C)"},
    };
    help_check(cases, COUNT(cases));
}

TEST(repeats_at_either_end_are_reduced_to_their_minimum)
{
    static const help_case cases[] = {
        {".*foo.*", "(?C)foo"},
        {".+foo", "(?C)[^\\x{a}\\x{d}\\x{2028}\\x{2029}]foo"},
        {"a*b*c*d", "(?C)d"},
        {"a{2,9}b{3,}", "(?C)a{2}b{3}"},
        {"(?:ab|c)*d", "(?C)d"},
        {"(?:ab|c)+?d", "(?C)(?:(?C)ab|(?C)c)d"},
        {"ab*|b*", "(?C)a|(?C)"},
        {"x(a*b)", "(?C)x(?:(?C)a*(?C)b)"},
        {"x(?=a*)", "(*NO_START_OPT)(?C)x(?=(?C)a*(?C))(?C)"},
        {"(a*)\\1", "(?C)((?C)a*(?C))(?:(?C'1')\\g{1})(?C)"},
        {"a+(b)\\1c+", "(?C)a+(?C)((?C)b)(?:(?C'1')\\g{1})(?C)c+(?C)"},
    };
    help_check(cases, COUNT(cases));
}

TEST(groups_that_can_only_be_empty_are_not_repeated)
{
    static const help_case cases[] = {
        {"^(?:)*$", "(?C)^$"},
        {"^(?:){2,5}$", "(?C)^(?:(?C))$"},
        {"^(?:(?=a)){3}b", "(*NO_START_OPT)(?C)^(?:(?C)(?=(?C)a)(?C))b"},
        {"^(?:(?=(a)))?\\1$", "(*NO_START_OPT)(?C)^(?:)(?C)$"},
    };
    help_check(cases, COUNT(cases));
}

TEST(callouts_have_a_maximum_distance)
{
#define A16 "aaaaaaaaaaaaaaaa"
#define A64 A16 A16 A16 A16
    CHECK_STR(help_translate(help_repeat("a", 130)), HAFT__LIT("(?C)" A64 "(?C)" A64 "(?C)aa"),
              "a long literal");
    static const help_case cases[] = {
        {"^a{64}b", "(?C)^a{64}(?C)b"},
        {"^a{65}b", "(?C)^(?C1)a{65}b"},
        {"^a{256}b", "(?C)^(?C2)a{256}b"},
        {"^[a-z]{65535}b", "(?C)^(?C255)[a-z]{65535}b"},
        {"^a{100,200}b", "(?C)^(?C1)a{100,200}(?C)b"},
    };
    help_check(cases, COUNT(cases));
}

TEST(unambiguous_extensions_are_accepted)
{
    static const help_case cases[] = {
        {"a]", "(?C)a\\x{5d}"},
        {"a}", "(?C)a\\x{7d}"},
        {"{", "(?C)\\x{7b}"},
        {"a{b}", "(?C)a\\x{7b}b\\x{7d}"},
        {"a{,}", "(?C)a\\x{7b}\\x{2c}\\x{7d}"},
        {"a{,x", "(?C)a\\x{7b}\\x{2c}x"},
        {"a{1", "(?C)a\\x{7b}1"},
        {"a{1,2", "(?C)a\\x{7b}1\\x{2c}2"},
        {"[a:]]", "(?C)[a\\x{3a}]\\x{5d}"},
        {"[:]]", "(?C)[\\x{3a}]\\x{5d}"},
        {"[[:alpha:]", "(?C)[\\x{5b}\\x{3a}alpha\\x{3a}]"},
    };
    help_check(cases, COUNT(cases));
}

TEST(syntax_outside_ecma_262_is_rejected)
{
    static const help_case cases[] = {
        {"*",
         "BAD_INPUT at character 1: nothing to repeat before `*` | write \\* for the character "
         "itself"},
        {"a|+", "BAD_INPUT at character 3: nothing to repeat before `+` | write \\+ for the "
                "character itself"},
        {"(?)", "BAD_INPUT at character 1: `(?)` does not begin an ECMA-262 group"},
        {"a**", "BAD_INPUT at character 3: nothing to repeat before `*` | write \\* for the "
                "character itself"},
        {"a*+", "BAD_INPUT at character 3: nothing to repeat before `+` | ECMA-262 has no "
                "possessive quantifiers"},
        {"a{2}{3}", "BAD_INPUT at character 5: nothing to repeat before `{` | write \\{ for the "
                    "character itself"},
        {"{2}", "BAD_INPUT at character 1: nothing to repeat before `{` | write \\{ for the "
                "character itself"},
        {"\xC3\xA9{2,1}", "BAD_INPUT at character 2: the counts in `{2,1}` are in the wrong order"},
        {"a{,5}", "BAD_INPUT at character 2: a repeat needs a minimum count | write {0,5}"},
        {"(*FAIL)",
         "BAD_INPUT at character 2: nothing to repeat before `*` | ECMA-262 has no verbs "
         "such as (*FAIL)"},
        {"^*",
         "BAD_INPUT at character 2: an assertion (^ $ \\b \\B) cannot be repeated | leave the "
         "quantifier out, or put the part in (?:...)"},
        {"\\b+", "BAD_INPUT at character 3: an assertion (^ $ \\b \\B) cannot be repeated | leave "
                 "the quantifier out, or put the part in (?:...)"},
        {"(?=a){2}", "BAD_INPUT at character 6: a look-ahead or look-behind cannot be repeated | "
                     "leave the quantifier out, or put the part in (?:...)"},
        {"(?<!a)?", "BAD_INPUT at character 7: a look-ahead or look-behind cannot be repeated | "
                    "leave the quantifier out, or put the part in (?:...)"},
        {"a(b", "BAD_INPUT at character 2: unterminated group: `(` without `)`"},
        {"(?:", "BAD_INPUT at character 1: unterminated group: `(` without `)`"},
        {"(?", "BAD_INPUT at character 1: unterminated group: `(?` at the end"},
        {"a)", "BAD_INPUT at character 2: `)` without `(` | write \\) for the character itself"},
        {"^(abc]", "BAD_INPUT at character 2: unterminated group: `(` without `)`"},
        {"[[:alpha:]]", "BAD_INPUT at character 11: ECMA-262 has no classes such as [:alpha:] | "
                        "write [A-Za-z] or \\p{L} for letters, \\d for digits"},
        {"^[[:alnum:]_-]+$",
         "BAD_INPUT at character 14: ECMA-262 has no classes such as [:alpha:] | "
         "write [A-Za-z] or \\p{L} for letters, \\d for digits"},
        {"(?i)a", "BAD_INPUT at character 1: `(?i` does not begin an ECMA-262 group | ECMA-262 has "
                  "no flags inside an expression: write [Aa] for both cases"},
        {"(?P<n>a)", "BAD_INPUT at character 1: `(?P` does not begin an ECMA-262 group | write "
                     "(?<name>...) for a named group and \\k<name> for a reference to it"},
        {"(?'n'a)", "BAD_INPUT at character 1: `(?'` does not begin an ECMA-262 group | write "
                    "(?<name>...) for a named group"},
        {"(?>a)", "BAD_INPUT at character 1: `(?>` does not begin an ECMA-262 group | ECMA-262 has "
                  "no atomic groups: write (?:...)"},
        {"(?#a)", "BAD_INPUT at character 1: `(?#` does not begin an ECMA-262 group | ECMA-262 has "
                  "no comments inside an expression"},
        {"(?|a)", "BAD_INPUT at character 1: `(?|` does not begin an ECMA-262 group | ECMA-262 has "
                  "no branch reset: write (?:...)"},
        {"(?(1)a)", "BAD_INPUT at character 1: `(?(` does not begin an ECMA-262 group | ECMA-262 "
                    "has no conditions"},
        {"x(?R)", "BAD_INPUT at character 2: `(?R` does not begin an ECMA-262 group | ECMA-262 has "
                  "no recursion"},
        {"(?\xC3\xA9)", "BAD_INPUT at character 1: `(?\xC3\xA9` does not begin an ECMA-262 group"},
        {"a\xFF", "BAD_INPUT at character 2: the expression is not valid UTF-8"},
    };
    help_check(cases, COUNT(cases));
}

TEST(look_behinds_pcre2_cannot_do_are_refused)
{
#define VARIABLE                                                                                   \
    "UNSUPPORTED at character 1: a look-behind of variable length is not supported | write "       \
    "alternatives of fixed length: (?<=a|bc)"
    static const help_case cases[] = {
        {"(?<=a+)b", VARIABLE},
        {"(?<!a?)b", VARIABLE},
        {"(?<=(?:a|bc)d)", VARIABLE},
        {"(?<=a|b{1,2})", VARIABLE},
    };
    help_check(cases, COUNT(cases));
}

TEST(limits_hold_at_their_value_and_not_past_it)
{
    size_t depth = HAFT__LIMIT_PATTERN_NESTING;
    haft_str nested = help_join(help_repeat("(?:", depth), help_repeat(")", depth));
    CHECK(help_translate(nested).ptr[0] == '(', "%zu nested groups are rejected", depth);
    nested = help_join(help_repeat("(?:", depth + 1), help_repeat(")", depth + 1));
    CHECK_STR(help_translate(nested),
              HAFT__LIT("TOO_BIG at character 385: groups are nested more than 128 deep"),
              "groups past the nesting limit");
    haft_str wide = help_repeat("()", HAFT__LIMIT_PATTERN_BYTES / 2);
    CHECK(help_translate(wide).ptr[0] == '(', "groups that are not nested are rejected");
    CHECK(help_translate(help_repeat("a", HAFT__LIMIT_PATTERN_BYTES)).ptr[0] == '(',
          "an expression at the length limit");
    CHECK_STR(help_translate(help_repeat("a", HAFT__LIMIT_PATTERN_BYTES + 1)),
              HAFT__LIT("TOO_BIG at : the expression has 4097 bytes, more than 4096"),
              "an expression past the length limit");
    static const char too_many[] = "TOO_BIG at character 3: a repeat count is greater than the "
                                   "limit of 65535 | use minLength and maxLength for the length "
                                   "of a text";
    static const help_case cases[] = {
        {"^a{65535}b", "(?C)^(?C255)a{65535}b"},
        {"^a{65536}b", too_many},
        {"^a{0,65536}b", too_many},
        {"^a{65536,}b", too_many},
        {"^a{0,99999999999999999999}b", too_many},
        {"(?<=a{255})", "(?C)(?<=(?C)(?C1)a{255})(?C)"},
        {"(?<=a{256})", "TOO_BIG at character 1: a look-behind is longer than 255 characters"},
        {"(?<=(?:a{65535}){65535}{65535})", "BAD_INPUT at character 24: nothing to repeat before "
                                            "`{` | write \\{ for the character itself"},
        {"(?<=(?:(?:a{65535}){65535}){65535})",
         "TOO_BIG at character 1: a look-behind is longer than 255 characters"},
    };
    help_check(cases, COUNT(cases));
}

TEST(no_translation_grows_by_more_than_the_growth_factor)
{
    static const char *const parts[] = {".",        "\\S", "[\\S]",    "[\\s\\S]", "()",
                                        "|",        "-",   "\\1",      "[^\\W]",   "(?=)",
                                        "\xC3\xA9", ".?",  "\\s{65,}", "\\p{LC}"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft_str source = help_repeat(parts[i], 1000 / strlen(parts[i]));
        source = help_join(HAFT__LIT("()^"), source);
        haft_str found = help_translate(source);
        CHECK(found.ptr[0] == '(', "%s: %.*s", parts[i], HAFT__ARG(found));
        CHECK(found.len < source.len * HAFT__ECMA_GROWTH, "%s: from %zu to %zu", parts[i],
              source.len, found.len);
    }
}

TEST(a_full_buffer_and_a_null_error_are_handled)
{
    haft__buf buf;
    haft__buf_init(&buf, 8);
    haft_error err = {0};
    CHECK_INT(haft__ecma_translate(HAFT__LIT("^a{70}(b|c){2}\\.$"), &buf, &err), HAFT_TOO_BIG,
              "a small buffer");
    CHECK_INT(err.status, HAFT_TOO_BIG, "status in the error");
    haft__buf_clear(&buf);
    CHECK_INT(haft__ecma_translate(HAFT__LIT("\\a"), &buf, NULL), HAFT_BAD_INPUT,
              "an invalid expression without an error to fill in");
    haft__buf_finish(&buf);
}

TEST(translating_survives_every_failed_allocation)
{
    haft_str source = HAFT__LIT("^(?<a>x{70})(?<\xC3\xA9>[^\\s]|\\d)\\1\\k<\xC3\xA9>(?=[a-z]+)$");
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, HELP_BYTES);
        test_fail_allocation(n);
        haft_status status = haft__ecma_translate(source, &buf, NULL);
        bool failed = test_allow_allocations();
        haft__buf_finish(&buf);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "status without a failed allocation");
            CHECK(n > 5, "only %u allocations", n);
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}
