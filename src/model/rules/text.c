/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - quoting what others wrote: as data, on one line, and not too much of it.
 *
 * Files and tools may hold anything: escape sequences, marks that turn the direction of writing,
 * Markdown, whole instructions. What is quoted is plain text and stands in code, whose fence is
 * longer than any in it. Tests: tests/model/rules/text_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"

/* Code points that would change how the text around them is shown. A tab is no such one. */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x00, 0x08},     {0x0a, 0x1f},     {0x7f, 0x9f},     {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

static bool is_hidden(uint32_t code)
{
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (code >= hidden[i].first && code <= hidden[i].last) {
            return true;
        }
    }
    return false;
}

void haft__offline_add_line(haft__buf *buf, haft_str text, size_t chars)
{
    for (size_t i = 0; text.len > 0 && i < chars; i++) {
        uint32_t code = HAFT__UTF8_REPLACEMENT;
        size_t length = haft__utf8_decode(text, &code);
        if (length == 0) {
            haft__buf_add_char(buf, '?');
        } else if (is_hidden(code)) {
            haft__buf_add_char(buf, ' ');
        } else {
            haft__buf_add(buf, text.ptr, length);
        }
        text = haft__str_skip(text, length > 0 ? length : 1);
    }
    if (text.len > 0) {
        haft__buf_add_str(buf, HAFT__LIT("\xE2\x80\xA6"));
    }
}

size_t haft__offline_ticks(haft_str text)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_ticks(haft__buf *buf, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_char(buf, '`');
    }
}

void haft__offline_add_code(haft__buf *buf, haft_str text, size_t chars)
{
    text = haft__str_trim(text);
    size_t ticks = haft__offline_ticks((haft_str){text.ptr, haft__utf8_offset(text, chars)});
    bool apart =
        haft__str_starts_with(text, HAFT__LIT("`")) || haft__str_ends_with(text, HAFT__LIT("`"));
    add_ticks(buf, ticks + 1);
    haft__buf_add_str(buf, apart || text.len == 0 ? HAFT__LIT(" ") : HAFT__LIT(""));
    haft__offline_add_line(buf, text, chars);
    haft__buf_add_str(buf, apart ? HAFT__LIT(" ") : HAFT__LIT(""));
    add_ticks(buf, ticks + 1);
}

void haft__offline_add_fence(haft__buf *buf, size_t ticks, const char *language)
{
    add_ticks(buf, ticks >= 3 ? ticks + 1 : 3);
    haft__buf_addf(buf, "%s\n", language);
}
