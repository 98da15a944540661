/* SPDX-License-Identifier: Apache-2.0 */
/* escape.c - the table of hidden characters, and their escapes. Tests: tests/base/escape_test.c. */
#include "base/escape.h"

#include <string.h>

#include "base/hex.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

/* First and last of each range; sorted. */
static const uint32_t hidden[][2] = {
    {0x0000, 0x001F},    {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
    {0x061C, 0x061C},    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
    {0x200B, 0x200F},    {0x2028, 0x202E},   {0x2060, 0x206F},   {0x2800, 0x2800},
    {0x3164, 0x3164},    {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
    {0x13430, 0x1343F},  {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    {0xF0000, 0x10FFFF},
};

bool haft__escape_is_hidden(uint32_t code)
{
    for (size_t i = 0; i < COUNT(hidden) && hidden[i][0] <= code; i++) {
        if (code <= hidden[i][1]) {
            return true;
        }
    }
    return false;
}

bool haft__escape_is_prose_mark(uint32_t code)
{
    return code == 0x00AD || code == 0x061C || (code >= 0x200C && code <= 0x200F) || code == 0xFE0E
           || code == 0xFE0F;
}

/* Writes \uXXXX, or \xXX with two digits. */
static size_t write_escape(char *to, char letter, unsigned digits, uint32_t value)
{
    to[0] = '\\';
    to[1] = letter;
    for (unsigned i = 0; i < digits; i++) {
        to[2 + i] = haft__hex_digit(value >> (4 * (digits - 1 - i)));
    }
    return 2 + (size_t)digits;
}

size_t haft__escape_code(uint32_t code, char to[HAFT__ESCAPE_BYTES])
{
    if (code <= 0xFFFF) {
        return write_escape(to, 'u', 4, code);
    }
    size_t length = write_escape(to, 'u', 4, 0xD800 + ((code - 0x10000) >> 10));
    return length + write_escape(to + length, 'u', 4, 0xDC00 + ((code - 0x10000) & 0x3FF));
}

size_t haft__escape_first(haft_str text, char to[HAFT__ESCAPE_BYTES], size_t *ret_used)
{
    uint32_t code = 0;
    size_t length = haft__utf8_decode(text, &code);
    *ret_used = length > 0 ? length : 1;
    if (length == 0) {
        return write_escape(to, 'x', 2, (unsigned char)text.ptr[0]);
    }
    if (haft__escape_is_hidden(code)) {
        return haft__escape_code(code, to);
    }
    memcpy(to, text.ptr, length);
    return length;
}

static void add(haft__buf *buf, haft_str text, bool lines)
{
    while (text.len > 0) {
        char shown[HAFT__ESCAPE_BYTES];
        size_t used = 1;
        if (lines && (text.ptr[0] == '\n' || text.ptr[0] == '\t')) {
            haft__buf_add_char(buf, text.ptr[0]);
        } else {
            haft__buf_add(buf, shown, haft__escape_first(text, shown, &used));
        }
        text = haft__str_skip(text, used);
    }
}

void haft__escape_add(haft__buf *buf, haft_str text)
{
    add(buf, text, false);
}

void haft__escape_add_lines(haft__buf *buf, haft_str text)
{
    add(buf, text, true);
}
