/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/mcp/visible.c: texts of servers contain no invisible characters. */
#include "mcp/visible.h"

#include "base/utf8.h"
#include "test.h"

static const struct {
    const char *text, *shown;
} cases[] = {
    {"", ""},
    {"plain, \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "plain, \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
    {"two\nlines\tand a tab", "two\nlines\tand a tab"},
    {"windows\r\nline", "windows\r\nline"},
    {"over\rwritten", "over<U+000D>written"},
    {"\x1b[2J", "<U+001B>[2J"},
    {"\x7f", "<U+007F>"},
    {"\xC2\x9B", "<U+009B>"},
    {"a\xC2\xAD"
     "b",
     "a<U+00AD>b"},
    {"a\xE2\x80\x8B"
     "b",
     "a<U+200B>b"},
    {"\xE2\x80\xAE"
     "evil",
     "<U+202E>evil"},
    {"\xE2\x81\xA6\xE2\x81\xA9", "<U+2066><U+2069>"},
    {"\xEF\xBB\xBF", "<U+FEFF>"},
    {"\xF3\xA0\x81\x81", "<U+E0041>"}, /* a tag character, with which text can be hidden */
    {"\xF3\xA0\x84\x80", "<U+E0100>"}, /* a variation selector, with which text can be hidden */
    {"\xE2\x9A\xA0\xEF\xB8\x8F", "\xE2\x9A\xA0<U+FE0F>"}, /* also after an emoji */
    {"\xEF\xB8\x8E\xEF\xB8\x80", "<U+FE0E><U+FE00>"},
    {"\xE1\xA0\x8E", "<U+180E>"},
    {"\xE2\x81\xA0\xE2\x80\x8D", "<U+2060><U+200D>"},
    {"\xEF\xBF\xBE", "<U+FFFE>"}, /* not a character */
    {"\xEE\x80\x80", "<U+E000>"},
    {"\xff\xC3", "<0xFF><0xC3>"},
};

TEST(invisible_characters_are_escaped)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf buf;
        haft_str text = haft__str(cases[i].text), shown = {NULL, 0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 16);
        haft__visible_append(&buf, text, 1000);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].shown), "case %zu", i);
        CHECK_INT(haft__visible_copy(&arena, text, 1000, &shown, NULL), HAFT_OK, "case %zu", i);
        CHECK_STR(shown, haft__str(cases[i].shown), "case %zu", i);
        bool same = haft__str_equal(text, shown);
        CHECK(same == (shown.ptr == text.ptr),
              "case %zu: an unchanged text was copied, or a changed one was not", i);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(a_nul_is_escaped)
{
    haft__buf buf;
    haft__buf_init(&buf, 100);
    haft__visible_append(&buf, HAFT__LIT("a\0b"), 100);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("a<U+0000>b"), "NUL");
    haft__buf_finish(&buf);
}

TEST(a_long_text_is_truncated_with_a_note)
{
    static const struct {
        const char *text;
        size_t max;
        const char *shown;
    } cuts[] = {
        {"abcdef", 6, "abcdef"},
        {"abcdefg", 6, "abc..."},
        {"abcdef", 5, "ab..."},
        {"abcdef", 3, "..."},
        {"abcdef", 2, ".."},
        {"abcdef", 0, ""},
        {"\xC3\xA4xyzu", 5, "\xC3\xA4..."},
        {"ab\x1b", 10, "ab<U+001B>"},
        {"ab\x1b", 9, "ab..."},
    };
    for (size_t i = 0; i < COUNT(cuts); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 100);
        haft__visible_append(&buf, haft__str(cuts[i].text), cuts[i].max);
        CHECK_STR(haft__buf_str(&buf), haft__str(cuts[i].shown), "%s to %zu", cuts[i].text,
                  cuts[i].max);
        haft__buf_finish(&buf);
    }
}

TEST(every_character_becomes_valid_visible_text)
{
    for (uint32_t code = 0; code < 0x110000; code += code < 0x10000 ? 1 : 7) {
        char text[HAFT__UTF8_MAX_BYTES];
        if (code >= 0xD800 && code < 0xE000) {
            continue;
        }
        haft__buf buf;
        haft__buf_init(&buf, 100);
        haft__visible_append(&buf, (haft_str){text, haft__utf8_encode(code, text)}, 100);
        uint32_t first = 0;
        CHECK(haft__utf8_decode(haft__buf_str(&buf), &first) > 0, "U+%04X: invalid UTF-8", code);
        CHECK(!haft__visible_is_hidden(first), "U+%04X is hidden", code);
        haft__buf_finish(&buf);
    }
}

TEST(escaping_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft_str shown;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__visible_copy(&arena, HAFT__LIT("\x1b"), 100, &shown, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
