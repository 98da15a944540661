/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/escape.c: a person sees every character of what they decide on. */
#include "base/escape.h"

#include "base/utf8.h"
#include "test.h"

TEST(hidden_characters_are_escaped)
{
    static const struct {
        haft_str text, line, lines;
    } cases[] = {
        {HAFT__LIT(""), HAFT__LIT(""), HAFT__LIT("")},
        {HAFT__LIT("plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 \\u200b"),
         HAFT__LIT("plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 \\u200b"),
         HAFT__LIT("plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 \\u200b")},
        {HAFT__LIT("a\n\tb\r\n\0"), HAFT__LIT("a\\u000a\\u0009b\\u000d\\u000a\\u0000"),
         HAFT__LIT("a\n\tb\\u000d\n\\u0000")},
        {HAFT__LIT("\x1b[2J\x7f\xC2\x9B"), HAFT__LIT("\\u001b[2J\\u007f\\u009b"),
         HAFT__LIT("\\u001b[2J\\u007f\\u009b")},
        {HAFT__LIT("rm\xE2\x80\x8B -rf"), HAFT__LIT("rm\\u200b -rf"),
         HAFT__LIT("rm\\u200b -rf")}, /* zero width */
        {HAFT__LIT("\xE2\x9A\xA0\xEF\xB8\x8F"), HAFT__LIT("\xE2\x9A\xA0\\ufe0f"),
         HAFT__LIT("\xE2\x9A\xA0\\ufe0f")}, /* a variation selector, also after an emoji */
        {HAFT__LIT("\xEE\x80\x80\xF4\x8F\xBF\xBF"), HAFT__LIT("\\ue000\\udbff\\udfff"),
         HAFT__LIT("\\ue000\\udbff\\udfff")}, /* private use */
        {HAFT__LIT("\xF3\xA0\x81\x81"), HAFT__LIT("\\udb40\\udc41"),
         HAFT__LIT("\\udb40\\udc41")}, /* a tag */
        {HAFT__LIT("\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F\xD8\x9C"),
         HAFT__LIT("\\u202e\\u2066\\u200f\\u061c"),
         HAFT__LIT("\\u202e\\u2066\\u200f\\u061c")}, /* direction */
        {HAFT__LIT("\xE3\x85\xA4\xC2\xAD\xEF\xBB\xBF"), HAFT__LIT("\\u3164\\u00ad\\ufeff"),
         HAFT__LIT("\\u3164\\u00ad\\ufeff")},
        {HAFT__LIT("\xE2\xA0\x80\xE2\xA0\x81"), HAFT__LIT("\\u2800\xE2\xA0\x81"),
         HAFT__LIT("\\u2800\xE2\xA0\x81")}, /* blank braille; a dot is visible */
        {HAFT__LIT("\xFF\xC3"), HAFT__LIT("\\xff\\xc3"), HAFT__LIT("\\xff\\xc3")},
    };
    haft__buf out;
    haft__buf_init(&out, 1000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf_clear(&out);
        haft__escape_add(&out, cases[i].text);
        CHECK_STR(haft__buf_str(&out), cases[i].line, "case %zu", i);
        haft__buf_clear(&out);
        haft__escape_add_lines(&out, cases[i].text);
        CHECK_STR(haft__buf_str(&out), cases[i].lines, "lines of case %zu", i);
    }
    haft__buf_finish(&out);
}

/* For every code point: the escape is visible ASCII, and nothing hidden is left. */
TEST(no_escape_contains_a_hidden_character)
{
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char text[HAFT__UTF8_MAX_BYTES], shown[HAFT__ESCAPE_BYTES];
        size_t used = 0;
        if (code >= 0xD800 && code <= 0xDFFF) {
            continue;
        }
        haft_str one = {text, haft__utf8_encode(code, text)};
        size_t length = haft__escape_first(one, shown, &used);
        bool same = length == one.len && memcmp(shown, text, length) == 0;
        bool good = used == one.len && same == !haft__escape_is_hidden(code);
        for (size_t i = 0; !same && i < length; i++) {
            good = good && shown[i] > 0x20 && shown[i] < 0x7F;
        }
        good = good && (!haft__escape_is_prose_mark(code) || haft__escape_is_hidden(code));
        if (!good) {
            CHECK(good, "U+%04X", (unsigned)code);
        }
    }
}
