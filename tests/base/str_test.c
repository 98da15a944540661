/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/str.c. */
#include "base/str.h"

#include "test.h"

TEST(compare_is_by_bytes_then_length)
{
    static const struct {
        const char *a, *b;
        int order;
    } cases[] = {
        {"", "", 0},    {"a", "", 1},   {"", "a", -1},
        {"a", "b", -1}, {"ab", "a", 1}, {"\xC3\xA9", "z", 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int order = haft__str_compare(haft__str(cases[i].a), haft__str(cases[i].b));
        CHECK_INT((order > 0) - (order < 0), cases[i].order, "'%s' compared with '%s'", cases[i].a,
                  cases[i].b);
    }
}

TEST(prefixes_and_suffixes_are_recognised)
{
    haft_str s = HAFT__LIT("haft.yaml");
    CHECK(haft__str_starts_with(s, HAFT__LIT("haft")), "prefix");
    CHECK(haft__str_starts_with(s, HAFT__LIT("")), "empty prefix");
    CHECK(!haft__str_starts_with(s, HAFT__LIT("haft.yaml.")), "longer prefix");
    CHECK(haft__str_ends_with(s, HAFT__LIT(".yaml")), "suffix");
    CHECK(haft__str_ends_with(s, HAFT__LIT("")), "empty suffix");
    CHECK(!haft__str_ends_with(s, HAFT__LIT(".json")), "other suffix");
    CHECK(!haft__str_ends_with(HAFT__LIT("l"), HAFT__LIT(".yaml")), "longer suffix");
}

TEST(trim_takes_ascii_white_space_only)
{
    CHECK_STR(haft__str_trim(HAFT__LIT(" \t\r\n a b \n")), HAFT__LIT("a b"), "both ends");
    CHECK_STR(haft__str_trim(HAFT__LIT(" \n")), HAFT__LIT(""), "nothing left");
    CHECK_STR(haft__str_trim(HAFT__LIT("\xC2\xA0")), HAFT__LIT("\xC2\xA0"), "no-break space stays");
}

TEST(duplicates_end_with_nul)
{
    char *copy = haft__str_duplicate((haft_str){"abc", 2});
    char *empty = haft__str_duplicate((haft_str){NULL, 0});
    CHECK(copy != NULL && strcmp(copy, "ab") == 0, "the first two bytes are copied");
    CHECK(empty != NULL && empty[0] == '\0', "the empty text is copied");
    free(copy);
    free(empty);
}

TEST(split_walks_over_fields)
{
    haft_str rest = HAFT__LIT("a,,b");
    CHECK_STR(haft__str_split(&rest, ','), HAFT__LIT("a"), "first field");
    CHECK_STR(haft__str_split(&rest, ','), HAFT__LIT(""), "empty field");
    CHECK_STR(haft__str_split(&rest, ','), HAFT__LIT("b"), "last field");
    CHECK_INT(rest.len, 0, "nothing left");
    CHECK_STR(haft__str_split(&rest, ','), HAFT__LIT(""), "past the end");
}

TEST(numbers_fit_or_are_refused)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t number;
    } cases[] = {
        {"0", true, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"184467440737095516150", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"1 ", false, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t number = 0;
        CHECK_INT(haft__str_to_u64(haft__str(cases[i].text), &number), cases[i].good,
                  "whether '%s' is a number", cases[i].text);
        CHECK(number == cases[i].number, "%s: found %llu", cases[i].text,
              (unsigned long long)number);
    }
}

TEST(a_text_is_one_of_some_words)
{
    static const char *const words[] = {"GET", "HEAD", ""};
    CHECK(haft__str_is_one_of(HAFT__LIT("HEAD"), words, COUNT(words)), "one of the words");
    CHECK(haft__str_is_one_of(HAFT__LIT(""), words, COUNT(words)), "the empty word");
    CHECK(!haft__str_is_one_of(HAFT__LIT(""), words, 2), "only the first `count` words are read");
    CHECK(!haft__str_is_one_of(HAFT__LIT("get"), words, COUNT(words)), "another case");
    CHECK(!haft__str_is_one_of(HAFT__LIT("HEA"), words, COUNT(words)), "the beginning of a word");
    CHECK(!haft__str_is_one_of(HAFT__LIT("GET"), words, 0), "no words");
}

TEST(equality_may_disregard_case)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {{"PureJson", "purejson", true},
                 {"", "", true},
                 {"a", "ab", false},
                 {"ab", "a", false},
                 {"@", "`", false},
                 {"[", "{", false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__str_equal_ignore_case(haft__str(cases[i].a), haft__str(cases[i].b)),
                  cases[i].equal, "%s and %s", cases[i].a, cases[i].b);
    }
}

TEST(words_are_found_in_any_case)
{
    static const struct {
        const char *text, *word;
        bool found;
    } rows[] = {{"a Session ended", "session", true},
                {"SESSION", "session", true},
                {"sessio", "session", false},
                {"", "x", false},
                {"x", "", true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str text = haft__str(rows[i].text), word = haft__str(rows[i].word);
        CHECK_INT(haft__str_contains_ignore_case(text, word), rows[i].found, "%s", rows[i].text);
    }
}

TEST(tokens_of_http_have_no_separators)
{
    CHECK(haft__str_is_token(HAFT__LIT("Content-Type")), "the name of a header");
    CHECK(haft__str_is_token(HAFT__LIT("!#$%&'*+-.^_`|~09azAZ")), "every character");
    static const char *const wrong[] = {"", "a b", "a:", "(a)", "\xC3\xA9", "a\n"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CHECK(!haft__str_is_token(haft__str(wrong[i])), "'%s' was accepted as a token", wrong[i]);
    }
    CHECK(!haft__str_is_token((haft_str){"a\0", 2}), "a NUL was accepted in a token");
}
