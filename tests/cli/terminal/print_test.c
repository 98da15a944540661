/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/print.c. */
#include "cli/terminal/print.h"

#include "test.h"

TEST(a_short_text_is_one_line)
{
    static const struct {
        haft_str text, shown;
    } cases[] = {
        {{"", 0}, {"", 0}},
        {HAFT__LIT("one"), HAFT__LIT("one")},
        {HAFT__LIT("\none\r\ntwo\n\nfour\n"), HAFT__LIT("one / two / four")},
        {HAFT__LIT("a\x1b[2Jb"), HAFT__LIT("a\\u001b[2Jb")},
        {HAFT__LIT("0123456789012345678901234567890123456789012345678901234567890123456789"),
         HAFT__LIT("0123456789012345678901234567890123456789012345678901234567890123456789")},
        {HAFT__LIT("0123456789012345678901234567890123456789012345678901234567890123456789x"),
         HAFT__LIT("0123456789012345678901234567890123456789012345678901234567890123456789...")},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char shown[256];
        FILE *out = fmemopen(shown, sizeof(shown), "w");
        CHECK(out != NULL, "fmemopen failed");
        if (out != NULL) {
            haft__print_excerpt(out, cases[i].text);
            size_t length = (size_t)ftell(out);
            (void)fclose(out);
            CHECK_STR(((haft_str){shown, length}), cases[i].shown, "case %zu", i);
        }
    }
}

TEST(output_cannot_control_the_terminal)
{
    static const struct {
        haft_str text, shown;
    } cases[] = {
        {{"", 0}, {"", 0}},
        {{NULL, 0}, {"", 0}},
        {HAFT__LIT("plain /a~1b: \"x\""), HAFT__LIT("plain /a~1b: \"x\"")},
        {HAFT__LIT("\x1b[31mred"), HAFT__LIT("\\u001b[31mred")},
        {HAFT__LIT("a\nb\tc\0d\x7f"), HAFT__LIT("a\\u000ab\\u0009c\\u0000d\\u007f")},
        {HAFT__LIT("\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0"), HAFT__LIT("\\u0080\\u009b\\u009f\xC2\xA0")},
        {HAFT__LIT("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
         HAFT__LIT("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80")},
        {HAFT__LIT("\x9B\xC3"), HAFT__LIT("\\x9b\\xc3")},
        {HAFT__LIT("\xE2\x80\x8B\xEF\xB8\x8F\xF3\xA0\x81\x81"),
         HAFT__LIT("\\u200b\\ufe0f\\udb40\\udc41")},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char shown[256];
        FILE *out = fmemopen(shown, sizeof(shown), "w");
        CHECK(out != NULL, "fmemopen failed");
        if (out != NULL) {
            haft__print_escaped(out, cases[i].text);
            size_t length = (size_t)ftell(out);
            (void)fclose(out);
            CHECK_STR(((haft_str){shown, length}), cases[i].shown, "case %zu", i);
        }
    }
}

TEST(a_json_line_is_all_or_nothing)
{
    static const struct {
        size_t max; /* bytes of the buffer */
        haft_status status;
        haft_str shown;
    } cases[] = {
        {64, HAFT_OK, HAFT__LIT("{\"a\":1}\n")},
        {4, HAFT_TOO_BIG, {"", 0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char shown[256];
        haft__buf text;
        FILE *out = fmemopen(shown, sizeof(shown), "w");
        CHECK(out != NULL, "fmemopen failed");
        haft__buf_init(&text, cases[i].max);
        haft__buf_add_str(&text, HAFT__LIT("{\"a\":1}"));
        if (out != NULL) {
            CHECK_INT(haft__print_json_line(out, &text, NULL), cases[i].status, "case %zu: status",
                      i);
            size_t length = (size_t)ftell(out);
            (void)fclose(out);
            CHECK_STR(((haft_str){shown, length}), cases[i].shown, "case %zu", i);
        }
        haft__buf_finish(&text);
    }
}

TEST(markdown_is_rendered_on_a_terminal_with_colours)
{
    static const struct {
        haft__terminal_caps caps;
        haft_str shown;
    } cases[] = {
        {{.width = 80}, HAFT__LIT("a *b*\n")},
        {{.width = 80, .live = true}, HAFT__LIT("a *b*\n")},
        {{.width = 80, .live = true, .colour = true}, HAFT__LIT("a \x1b[3mb\x1b[0m\n")},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char shown[256];
        FILE *out = fmemopen(shown, sizeof(shown), "w");
        CHECK(out != NULL, "fmemopen failed");
        if (out != NULL) {
            haft__print_markdown(out, HAFT__LIT("a *b*"), &cases[i].caps);
            size_t length = (size_t)ftell(out);
            (void)fclose(out);
            CHECK_STR(((haft_str){shown, length}), cases[i].shown, "case %zu", i);
        }
    }
}
