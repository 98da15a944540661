/* SPDX-License-Identifier: Apache-2.0 */
/* visible.c - the table of hidden characters, and texts without them. Tests:
 * tests/mcp/visible_test.c. */
#include "mcp/visible.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#define CUT HAFT__LIT("...")

/* First and last of each range; sorted. */
static const uint32_t hidden[][2] = {
    {0x0000, 0x0008},   {0x000B, 0x001F},     {0x007F, 0x009F},   {0x00AD, 0x00AD},
    {0x034F, 0x034F},   {0x061C, 0x061C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},     {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164},   {0xE000, 0xF8FF},     {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},     {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},   {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    {0xF0000, 0xFFFFF}, {0x100000, 0x10FFFF},
};

bool haft__visible_is_hidden(uint32_t code)
{
    for (size_t i = 0; i < COUNT(hidden) && hidden[i][0] <= code; i++) {
        if (code <= hidden[i][1]) {
            return true;
        }
    }
    return false;
}

/* The visible form of one character. */
typedef struct shown {
    char made[16];
    haft_str text; /* points into the text, or to `made` */
    size_t bytes;  /* its length in the text */
} shown;

static void show(haft_str text, shown *ret)
{
    uint32_t code = 0;
    size_t length = haft__utf8_decode(text, &code);
    bool line_end = text.len > 1 && text.ptr[0] == '\r' && text.ptr[1] == '\n';
    ret->bytes = length > 0 ? length : 1;
    if (length > 0 && (line_end || !haft__visible_is_hidden(code))) {
        ret->text = (haft_str){text.ptr, length};
        return;
    }
    int made = length > 0
                   ? snprintf(ret->made, sizeof ret->made, "<U+%04X>", (unsigned)code)
                   : snprintf(ret->made, sizeof ret->made, "<0x%02X>", (unsigned char)text.ptr[0]);
    ret->text = (haft_str){ret->made, (size_t)made};
}

/* The length of the visible form, up to just past `most`, and whether it equals the text. */
static size_t measure(haft_str text, size_t most, bool *ret_same)
{
    size_t total = 0;
    shown s;
    *ret_same = true;
    while (text.len > 0 && total <= most) {
        show(text, &s);
        *ret_same = *ret_same && s.text.ptr == text.ptr;
        total += s.text.len;
        text = haft__str_skip(text, s.bytes);
    }
    return total;
}

void haft__visible_append(haft__buf *buf, haft_str text, size_t most)
{
    bool same;
    bool cut = measure(text, most, &same) > most;
    size_t room = !cut ? most : most > CUT.len ? most - CUT.len : 0;
    shown s;
    while (text.len > 0) {
        show(text, &s);
        if (s.text.len > room) {
            break;
        }
        haft__buf_add_str(buf, s.text);
        room -= s.text.len;
        text = haft__str_skip(text, s.bytes);
    }
    if (cut) {
        haft__buf_add(buf, CUT.ptr, most < CUT.len ? most : CUT.len);
    }
}

haft_status haft__visible_copy(haft__arena *arena, haft_str text, size_t most, haft_str *ret_text,
                               haft_error *err)
{
    bool same;
    if (measure(text, most, &same) <= most && same) {
        *ret_text = text;
        return HAFT_OK;
    }
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__visible_append(&buf, text, most);
    haft_status status = haft__buf_check(&buf, err);
    haft_str made = status == HAFT_OK ? haft__arena_copy(arena, haft__buf_str(&buf)) : text;
    haft__buf_finish(&buf);
    if (made.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_text = made;
    return status;
}
