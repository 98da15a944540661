/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.c - quotes untrusted text as data, on one line and up to a length.
 *
 * Files and results may contain escape sequences, bidirectional controls, Markdown or
 * instructions. Quoted text is plain and inside Markdown code, whose fence is longer than any run
 * of backquotes in it. Tests: tests/model/rules/quote_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"

/* Code points that change how the text around them is displayed. Tabs are not among them. */
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

void haft__offline_quote_line(haft__buf *buf, haft_str text, size_t chars)
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

size_t haft__offline_backquotes(haft_str text)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_backquotes(haft__buf *buf, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_char(buf, '`');
    }
}

void haft__offline_quote_code(haft__buf *buf, haft_str text, size_t chars)
{
    text = haft__str_trim(text);
    size_t backquotes =
        haft__offline_backquotes((haft_str){text.ptr, haft__utf8_offset(text, chars)});
    bool padded =
        haft__str_starts_with(text, HAFT__LIT("`")) || haft__str_ends_with(text, HAFT__LIT("`"));
    add_backquotes(buf, backquotes + 1);
    haft__buf_add_str(buf, padded || text.len == 0 ? HAFT__LIT(" ") : HAFT__LIT(""));
    haft__offline_quote_line(buf, text, chars);
    haft__buf_add_str(buf, padded ? HAFT__LIT(" ") : HAFT__LIT(""));
    add_backquotes(buf, backquotes + 1);
}

void haft__offline_add_fence(haft__buf *buf, size_t backquotes, const char *language)
{
    add_backquotes(buf, backquotes >= 3 ? backquotes + 1 : 3);
    haft__buf_addf(buf, "%s\n", language);
}

void haft__offline_quote_block(haft__buf *buf, haft_str text, size_t chars, size_t lines)
{
    haft_str shown = {text.ptr, haft__utf8_offset(text, chars)};
    size_t backquotes = haft__offline_backquotes(shown);
    bool cut = shown.len < text.len;
    haft__offline_add_fence(buf, backquotes, "text");
    for (size_t i = 0; shown.len > 0 && i < lines; i++) {
        haft__offline_quote_line(buf, haft__str_split(&shown, '\n'), chars);
        haft__buf_add_char(buf, '\n');
    }
    haft__buf_add_str(buf, cut || shown.len > 0 ? HAFT__LIT("... (cut)\n") : HAFT__LIT(""));
    haft__offline_add_fence(buf, backquotes, "");
}
