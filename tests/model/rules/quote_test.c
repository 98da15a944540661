/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/quote.c: foreign text is quoted as data. */
#include "model/rules/offline_help.h"

TEST(a_quoted_line_stays_on_one_line)
{
    static const struct {
        const char *text;
        size_t chars;
        const char *shown;
    } cases[] = {
        {"plain", 10, "plain"},
        {"plain", 5, "plain"},
        {"plain", 4, "plai\xE2\x80\xA6"},
        {"a\nb\tc\rd", 10, "a b\tc d"},
        {"\x1b[31mred\x1b[0m", 20, " [31mred [0m"},
        {"a\x7f"
         "b\xC2\x9B"
         "c",
         10, "a b c"},
        {"\xE2\x80\xAE"
         "evil\xE2\x80\xAC",
         10, " evil "},
        {"\xE2\x80\xA8x\xEF\xBB\xBF", 10, " x "},
        {"\xF3\xA0\x81\x81tag", 10, " tag"},
        {"\xC3\xA4\xC3\xB6\xC3\xBC", 2, "\xC3\xA4\xC3\xB6\xE2\x80\xA6"},
        {"bad \xFF\xFE bytes \xC3", 20, "bad ?? bytes ?"},
        {"", 5, ""},
        {"x", 0, "\xE2\x80\xA6"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__offline_quote_line(&buf, haft__str(cases[i].text), cases[i].chars);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].shown), "case %zu", i);
        haft__buf_finish(&buf);
    }
}

TEST(quoted_code_cannot_end_its_backquotes)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"x", "`x`"},
        {"  x ", "`x`"},
        {"a`b", "``a`b``"},
        {"`a`", "`` `a` ``"},
        {"a``b`c", "```a``b`c```"},
        {"", "` `"},
        {"a\n`b", "``a `b``"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__offline_quote_code(&buf, haft__str(cases[i].text), 100);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].shown), "case %zu", i);
        haft__buf_finish(&buf);
    }
}

TEST(a_fence_is_longer_than_any_in_its_text)
{
    static const struct {
        const char *text, *fence;
    } cases[] = {
        {"", "```text\n"},
        {"a ` b", "```text\n"},
        {"```", "````text\n"},
        {"x`````", "``````text\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__offline_add_fence(&buf, haft__offline_backquotes(haft__str(cases[i].text)), "text");
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].fence), "%s", cases[i].text);
        haft__buf_finish(&buf);
    }
}
