/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/width.c. */
#include "cli/width.h"

#include "test.h"

TEST(characters_have_their_width)
{
    static const struct {
        uint32_t code;
        unsigned width;
        bool hidden;
    } cases[] = {
        {'a', 1, false},     {' ', 1, false},      {'\n', 1, true},     {0x1F, 1, true},
        {0x20, 1, false},    {0x7E, 1, false},     {0x7F, 1, true},     {0x9F, 1, true},
        {0xA0, 1, false},    {0xE9, 1, false},     {0x2FF, 1, false},   {0x300, 0, false},
        {0x36F, 0, false},   {0x370, 1, false},    {0x10FF, 1, false},  {0x1100, 2, false},
        {0x115F, 2, false},  {0x1160, 1, false},   {0x200B, 0, false},  {0x200E, 1, true},
        {0x2028, 1, true},   {0x202E, 1, true},    {0x202F, 1, false},  {0x2066, 1, true},
        {0x2069, 1, true},   {0x206A, 1, false},   {0x4E2D, 2, false},  {0xAC00, 2, false},
        {0xFE0F, 0, false},  {0xFEFF, 1, true},    {0xFF01, 2, false},  {0xFF61, 1, false},
        {0x1F600, 2, false}, {0x1F3FB, 0, false},  {0x2FFFD, 2, false}, {0x3FFFD, 2, false},
        {0x3FFFE, 1, false}, {0x10FFFF, 1, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__width(cases[i].code), cases[i].width, "U+%04X", cases[i].code);
        CHECK_INT(haft__width_hidden(cases[i].code), cases[i].hidden, "U+%04X", cases[i].code);
    }
}
