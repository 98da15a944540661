/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/width.c. */
#include "cli/terminal/width.h"

#include "base/utf8.h"
#include "test.h"

TEST(characters_have_their_width_in_columns)
{
    static const struct {
        uint32_t code;
        unsigned columns;
    } cases[] = {
        {'a', 1},     {0xE9, 1},    {0x2FF, 1},    {0x300, 0},   {0x36F, 0},   {0x370, 1},
        {0x5B0, 0},   {0x200B, 0},  {0x200D, 0},   {0xFE0F, 0},  {0x1100, 2},  {0x1160, 0},
        {0x2026, 1},  {0x2713, 1},  {0x3042, 2},   {0x4E00, 2},  {0x9FFF, 2},  {0xAC00, 2},
        {0xD7A3, 2},  {0xFF01, 2},  {0xFF61, 1},   {0xFFE0, 2},  {0x1F600, 2}, {0x1F1E6, 1},
        {0x20000, 2}, {0x3FFFD, 1}, {0x10FFFF, 1}, {0xE0100, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__width_of_code(cases[i].code), cases[i].columns, "U+%04X", cases[i].code);
    }
}

TEST(lines_are_cut_by_columns)
{
    static const struct {
        haft_str text;
        size_t columns;
        haft_str mark, shown;
        size_t used;
    } cases[] = {
        {HAFT__LIT(""), 5, HAFT__LIT("..."), HAFT__LIT(""), 0},
        {HAFT__LIT("abcde"), 5, HAFT__LIT("..."), HAFT__LIT("abcde"), 5},
        {HAFT__LIT("abcdef"), 5, HAFT__LIT("..."), HAFT__LIT("ab..."), 5},
        {HAFT__LIT("abcdef"), 5, HAFT__LIT("\xE2\x80\xA6"), HAFT__LIT("abcd\xE2\x80\xA6"), 5},
        {HAFT__LIT("abcdef"), 2, HAFT__LIT("..."), HAFT__LIT(""), 0},
        {HAFT__LIT("abcdef"), 3, HAFT__LIT("..."), HAFT__LIT("..."), 3},
        {HAFT__LIT("abcdef"), 0, HAFT__LIT("..."), HAFT__LIT(""), 0},
        {HAFT__LIT("  a \n\t b\r\n c "), 9, HAFT__LIT("..."), HAFT__LIT("a b c"), 5},
        {HAFT__LIT("\xE4\xB8\x80\xE4\xB8\x80\xE4\xB8\x80"), 6, HAFT__LIT("."),
         HAFT__LIT("\xE4\xB8\x80\xE4\xB8\x80\xE4\xB8\x80"), 6},
        {HAFT__LIT("\xE4\xB8\x80\xE4\xB8\x80\xE4\xB8\x80"), 5, HAFT__LIT("."),
         HAFT__LIT("\xE4\xB8\x80\xE4\xB8\x80."), 5},
        {HAFT__LIT("\xE4\xB8\x80\xE4\xB8\x80\xE4\xB8\x80"), 4, HAFT__LIT("."),
         HAFT__LIT("\xE4\xB8\x80."), 3},
        {HAFT__LIT("e\xCC\x81"
                   "e\xCC\x81"
                   "e\xCC\x81"),
         3, HAFT__LIT("."),
         HAFT__LIT("e\xCC\x81"
                   "e\xCC\x81"
                   "e\xCC\x81"),
         3},
        {HAFT__LIT("e\xCC\x81"
                   "e\xCC\x81"
                   "e\xCC\x81"),
         2, HAFT__LIT("."), HAFT__LIT("e\xCC\x81."), 2},
        {HAFT__LIT("\x1b[31mx"), 20, HAFT__LIT("."), HAFT__LIT("\\u001b[31mx"), 11},
        {HAFT__LIT("\x1b[31mx"), 5, HAFT__LIT("."), HAFT__LIT("."), 1},
        {HAFT__LIT("\xFFx"), 5, HAFT__LIT("."), HAFT__LIT("\\xffx"), 5},
        {HAFT__LIT("a\xE2\x80\xAEz"), 9, HAFT__LIT("."), HAFT__LIT("a\\u202ez"), 8},
    };
    haft__buf out;
    haft__buf_init(&out, 1000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf_clear(&out);
        haft__buf_add_str(&out, HAFT__LIT("> "));
        size_t used = haft__escape_add_line(&out, cases[i].text, cases[i].columns, cases[i].mark);
        CHECK_STR(haft__str_skip(haft__buf_str(&out), 2), cases[i].shown, "text of case %zu", i);
        CHECK_INT(used, cases[i].used, "columns of case %zu", i);
        CHECK_INT(haft__width_of_text(cases[i].shown), cases[i].used, "width of case %zu", i);
    }
    haft__buf_finish(&out);
}

/* Random bytes and widths. */
TEST(no_line_exceeds_its_width)
{
    char text[48];
    uint32_t seed = 7;
    haft__buf out;
    haft__buf_init(&out, 1000);
    for (size_t round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525U + 1013904223U;
            text[i] = (char)(seed >> 24);
        }
        size_t columns = round % 60;
        haft__buf_clear(&out);
        size_t used = haft__escape_add_line(&out, (haft_str){text, sizeof(text)}, columns,
                                            HAFT__LIT("\xE2\x80\xA6"));
        haft_str shown = haft__buf_str(&out);
        CHECK(used <= columns && haft__width_of_text(shown) == used,
              "round %zu: the line is too wide", round);
        CHECK(haft__utf8_valid(shown), "round %zu: the line is not UTF-8", round);
        for (size_t i = 0; i < shown.len; i++) {
            CHECK((unsigned char)shown.ptr[i] >= 0x20 && shown.ptr[i] != 0x7F,
                  "round %zu: the line has a control character", round);
        }
    }
    haft__buf_finish(&out);
}

TEST(cutting_out_of_memory_does_not_crash)
{
    haft__buf out;
    haft__buf_init(&out, 4);
    (void)haft__escape_add_line(&out, HAFT__LIT("longer than there is room"), 20, HAFT__LIT("..."));
    CHECK_INT(out.status, HAFT_TOO_BIG, "the buffer reports the overflow");
    haft__buf_finish(&out);
}
