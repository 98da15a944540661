/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/sanitize.c. */
#include "cli/terminal/sanitize.h"

#include "test.h"

#define BAD "\xef\xbf\xbd"

TEST(bytes_that_are_not_text_are_replaced)
{
    static const struct {
        const char *text;
        size_t length;
        const char *wanted;
        size_t replaced;
    } cases[] = {
        {"", 0, "", 0},
        {"a\tb\n", 4, "a\tb\n", 0},
        {"a\r\nb\rc", 6, "a\nb\nc", 0},
        {"\xc3\xa9\xe4\xb8\xad", 5, "\xc3\xa9\xe4\xb8\xad", 0},
        {"a\0b", 3, "a" BAD "b", 1},
        {"\x1b[31m\x7f", 6, BAD "[31m" BAD, 2},
        {"\xff\xfe", 2, BAD BAD, 2},
        {"x\xc3", 2, "x" BAD, 1},
        {"\xc2\x9b", 2, BAD, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf out;
        haft__buf_init(&out, 100);
        CHECK_INT(haft__sanitize_text((haft_str){cases[i].text, cases[i].length}, &out),
                  cases[i].replaced, "case %zu: replaced bytes", i);
        CHECK_STR(haft__buf_str(&out), haft__str(cases[i].wanted), "case %zu: text", i);
        haft__buf_finish(&out);
    }
}
