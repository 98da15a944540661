/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/grapheme.c. */
#include "cli/terminal/grapheme.h"
#include "cli/terminal/width.h"

#include "test.h"

TEST(characters_have_the_width_that_terminals_give_them)
{
    static const struct {
        uint32_t code;
        unsigned cells;
    } cases[] = {
        {'a', 1},     {' ', 1},    {0x7f, 1},    {0xe9, 1},     {0xad, 1},   {0x300, 0},
        {0x36f, 0},   {0x370, 1},  {0x200d, 0},  {0xfe0f, 0},   {0x4e00, 2}, {0x3042, 2},
        {0xac00, 2},  {0xff21, 2}, {0xff71, 1},  {0x1f600, 2},  {0x2500, 1}, {0x2026, 1},
        {0x20000, 2}, {0x1160, 0}, {0xe0100, 0}, {0x10ffff, 1}, {0xfffd, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__width_of_code(cases[i].code), cases[i].cells, "U+%04X", cases[i].code);
    }
}

TEST(a_character_includes_its_combining_marks)
{
    static const struct {
        const char *text;
        size_t length;
        unsigned cells;
    } cases[] = {
        {"", 0, 0},
        {"ab", 1, 1},
        {"e\xcc\x81x", 3, 1},
        {"e\xcc\x81\xcc\x82", 5, 1},
        {"\xe4\xb8\xad\xe6\x96\x87", 3, 2},
        {"\xcc\x81x", 2, 0},
        {"\xff\xcc\x81", 3, 1},
        {"\xff\xff", 1, 1},
        {"\n\xcc\x81", 1, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned cells = 99;
        CHECK_INT(haft__grapheme_next(haft__str(cases[i].text), &cells), cases[i].length,
                  "case %zu: length", i);
        CHECK_INT(cells, cases[i].cells, "case %zu: cells", i);
    }
}
