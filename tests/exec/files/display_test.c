/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/display.h"

#include "base/utf8.h"
#include "test.h"

TEST(line_feeds_in_names_are_escaped)
{
    static const struct {
        haft_str name;
        const char *shown;
    } cases[] = {
        {HAFT__LIT("a b.c"), "a b.c"},
        {HAFT__LIT("a\nb"), "a\\nb"},
        {HAFT__LIT("a\r\tb"), "a\\r\\tb"},
        {HAFT__LIT("a\\b"), "a\\\\b"},
        {HAFT__LIT("\x1b[31m"), "\\u001b[31m"},
        {HAFT__LIT("a\0b"), "a\\u0000b"},
        {HAFT__LIT("\x7f"), "\\u007f"},
        {HAFT__LIT("caf\xc3\xa9"), "caf\xc3\xa9"},
        {HAFT__LIT("\xff\xc3"), "\\xff\\xc3"},
        {HAFT__LIT("\xc2\x85"), "\\u0085"},
        {HAFT__LIT("\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6"), "\\u2028\\u202e\\u2066"},
        {HAFT__LIT("\xf0\x9f\x8c\xb1"), "\xf0\x9f\x8c\xb1"},
        {HAFT__LIT(""), ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 100);
        char cut[HAFT__FILES_SHORT_NAME_BYTES];
        haft__files_display_name(&buf, cases[i].name);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].shown), "case %zu", i);
        CHECK_STR(haft__str(haft__files_display_short_name(cases[i].name, cut)),
                  haft__str(cases[i].shown), "case %zu, short", i);
        haft__buf_finish(&buf);
    }
}

TEST(a_long_name_is_cut_in_an_error)
{
    char name[300], cut[HAFT__FILES_SHORT_NAME_BYTES];
    for (size_t length = HAFT__FILES_SHORT_NAME_BYTES - 10; length < sizeof(name); length++) {
        memset(name, 'a', sizeof(name));
        name[length - 1] = '\n';
        haft_str shown = haft__str(haft__files_display_short_name((haft_str){name, length}, cut));
        CHECK(shown.len < HAFT__FILES_SHORT_NAME_BYTES, "a name of %zu bytes is too long", length);
        bool whole = haft__str_ends_with(shown, HAFT__LIT("\\n"));
        CHECK(whole || haft__str_ends_with(shown, HAFT__LIT("...")), "%zu: %s", length, cut);
        CHECK(whole || length > HAFT__FILES_SHORT_NAME_BYTES - 5, "%zu is cut early", length);
    }
}

TEST(lines_are_cut_and_made_valid)
{
    static const struct {
        haft_str line;
        size_t max, at;
        const char *shown;
    } cases[] = {
        {HAFT__LIT("abc"), 10, 0, "abc"},
        {HAFT__LIT("abc\r"), 10, 0, "abc"},
        {HAFT__LIT(""), 10, 0, ""},
        {HAFT__LIT("\r"), 10, 0, ""},
        {HAFT__LIT("0123456789"), 10, 0, "0123456789"},
        {HAFT__LIT("0123456789"), 10, 9, "0123456789"},
        {HAFT__LIT("0123456789a"), 10, 0, "0123456789..."},
        {HAFT__LIT("0123456789a"), 9, 2, "012345678..."},
        {HAFT__LIT("0123456789abcdef"), 9, 12, "...9abcdef"},
        {HAFT__LIT("0123456789abcdefghijkl"), 9, 10, "...789abcdef..."},
        {HAFT__LIT("a\xff"
                   "b"),
         10, 0, "a?b"},
        {HAFT__LIT("a\0b\0"), 10, 0, "a?b?"},
        {HAFT__LIT("1234567\xc3\xa9"), 8, 0, "1234567..."},
        {HAFT__LIT("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"), 3, 5, "...\xc3\xa9..."},
        {HAFT__LIT("\x80\x80\x80\x80\x80\x80\x80\x80"), 6, 0, "??????..."},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 100);
        haft__files_display_line(&buf, cases[i].line, cases[i].max, cases[i].at);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].shown), "case %zu", i);
        CHECK(haft__utf8_valid(haft__buf_str(&buf)), "case %zu: invalid UTF-8", i);
        haft__buf_finish(&buf);
    }
}

TEST(displaying_past_the_capacity_is_an_error)
{
    haft__buf buf;
    haft__buf_init(&buf, 2);
    haft__files_display_line(&buf, HAFT__LIT("abc"), 10, 0);
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_TOO_BIG, "a line");
    haft__buf_clear(&buf);
    haft__files_display_name(&buf, HAFT__LIT("\n\n"));
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_TOO_BIG, "a name");
    haft__buf_finish(&buf);
}
