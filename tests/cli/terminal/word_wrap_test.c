/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/word_wrap.c. */
#include "cli/terminal/word_wrap.h"

#include "cli/terminal/width.h"
#include "test.h"

/* The text as it appears on the screen when it is added in pieces. */
static void wrap(haft__buf *out, haft_str text, size_t width, size_t indent, size_t piece)
{
    haft__word_wrap flow;
    haft__word_wrap_init(&flow);
    flow.indent = indent;
    haft__buf_clear(out);
    while (text.len > 0) {
        size_t length = text.len < piece ? text.len : piece;
        haft__word_wrap_add(&flow, out, width, (haft_str){text.ptr, length});
        text = haft__str_skip(text, length);
    }
    haft__word_wrap_end(&flow, out, width);
    haft__word_wrap_finish(&flow);
}

TEST(text_is_wrapped_at_words)
{
    static const struct {
        const char *text;
        size_t width, indent;
        const char *shown;
    } cases[] = {
        {"", 10, 0, ""},
        {"one two", 10, 0, "one two\n"},
        {"one two three", 10, 0, "one two\nthree\n"},
        {"one two 345", 11, 0, "one two 345\n"},
        {"one two 345", 10, 0, "one two\n345\n"},
        {"a\nb\n\nc\n", 10, 0, "a\nb\n\nc\n"},
        {"  indented code", 40, 0, "  indented code\n"},
        {"one   two", 40, 0, "one   two\n"},
        {"12345678901234", 5, 0, "12345\n67890\n1234\n"},
        {"ab 12345678901234", 5, 0, "ab\n12345\n67890\n1234\n"},
        {"one two", 5, 2, "  one\n  two\n"},
        {"a\tb", 40, 0, "a       b\n"},
        {"a\r\nb\rc", 40, 0, "a\nbc\n"},
        {"x \x1b[2J\x07 y", 40, 0, "x \\u001b[2J\\u0007 y\n"},
        {"\xE4\xB8\x80\xE4\xB8\x81\xE4\xB8\x83", 5, 0, "\xE4\xB8\x80\xE4\xB8\x81\n\xE4\xB8\x83\n"},
        {"trailing   ", 40, 0, "trailing\n"},
    };
    haft__buf out;
    haft__buf_init(&out, 1000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str text = haft__str(cases[i].text);
        for (size_t piece = 1; piece <= text.len + 1; piece++) {
            if (memchr(cases[i].text, '\xB8', text.len) != NULL && piece % 3 != 0) {
                continue; /* pieces are whole characters */
            }
            wrap(&out, text, cases[i].width, cases[i].indent, piece);
            CHECK_STR(haft__buf_str(&out), haft__str(cases[i].shown), "case %zu in pieces of %zu",
                      i, piece);
        }
    }
    haft__buf_finish(&out);
}

TEST(a_word_is_shown_when_it_is_complete)
{
    haft__word_wrap flow;
    haft__buf out;
    haft__word_wrap_init(&flow);
    haft__buf_init(&out, 100);
    haft__word_wrap_add(&flow, &out, 20, HAFT__LIT("one tw"));
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("one"), "the first word");
    haft__word_wrap_add(&flow, &out, 20, HAFT__LIT("o three"));
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("one two"), "the first two words");
    haft__word_wrap_end(&flow, &out, 20);
    haft__word_wrap_end(&flow, &out, 20);
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("one two three\n"), "the whole text");
    flow.exact = true;
    haft__buf_clear(&out);
    haft__word_wrap_add(&flow, &out, 20, HAFT__LIT("a\rb\n"));
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("a\\u000db\n"), "exact text");
    haft__word_wrap_finish(&flow);
    haft__buf_finish(&out);
}

/* Prose keeps its emoji; text that a person must approve shows every hidden character. */
TEST(exact_text_has_no_hidden_character)
{
    static const char text[] = "\xE2\x9A\xA0\xEF\xB8\x8F \xE2\x80\x8B\r";
    static const char *const shown[] = {"\xE2\x9A\xA0\xEF\xB8\x8F \\u200b\n",
                                        "\xE2\x9A\xA0\\ufe0f \\u200b\\u000d\n"};
    haft__buf out;
    haft__buf_init(&out, 1000);
    for (size_t exact = 0; exact < COUNT(shown); exact++) {
        haft__word_wrap flow;
        haft__word_wrap_init(&flow);
        flow.exact = exact == 1;
        haft__buf_clear(&out);
        haft__word_wrap_add(&flow, &out, 40, haft__str(text));
        haft__word_wrap_end(&flow, &out, 40);
        haft__word_wrap_finish(&flow);
        CHECK_STR(haft__buf_str(&out), haft__str(shown[exact]), "exact %zu", exact);
    }
    haft__buf_finish(&out);
}
