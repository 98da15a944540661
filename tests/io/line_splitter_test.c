/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/line_splitter.c. */
#include "io/line_splitter.h"

#include "test.h"

/* Splits the text in pieces of `step` bytes, and writes all lines with a bar after each. */
static haft_status split(const char *text, size_t step, size_t max, haft__buf *ret_lines)
{
    haft__line_splitter lines;
    haft_str rest = haft__str(text), line;
    haft__line_splitter_init(&lines, max);
    while (rest.len > 0) {
        size_t length = rest.len < step ? rest.len : step;
        haft_str piece = {rest.ptr, length};
        rest = haft__str_skip(rest, length);
        while (haft__line_splitter_next(&lines, &piece, &line)) {
            haft__buf_add_str(ret_lines, line);
            haft__buf_add_char(ret_lines, '|');
        }
    }
    haft_status status = haft__line_splitter_check(&lines, NULL);
    haft__line_splitter_finish(&lines);
    return status;
}

TEST(lines_do_not_depend_on_the_pieces)
{
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {"", ""},          {"a", ""},
        {"a\n", "a|"},     {"a\r\nb\n", "a|b|"},
        {"\n\n", "||"},    {"one\ntwo\nthree", "one|two|"},
        {"\r\r\n", "\r|"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t step = 1; step < 20; step++) {
            haft__buf found;
            haft__buf_init(&found, 1000);
            CHECK_INT(split(cases[i].text, step, 100, &found), HAFT_OK, "case %zu", i);
            CHECK_STR(haft__buf_str(&found), haft__str(cases[i].lines), "case %zu step %zu", i,
                      step);
            haft__buf_finish(&found);
        }
    }
}

TEST(the_length_of_a_line_is_bounded)
{
    for (size_t step = 1; step < 12; step++) {
        haft__buf found;
        haft__buf_init(&found, 1000);
        CHECK_INT(split("12345\n1\n", step, 5, &found), HAFT_OK, "step %zu", step);
        CHECK_STR(haft__buf_str(&found), HAFT__LIT("12345|1|"), "step %zu", step);
        haft__buf_clear(&found);
        CHECK_INT(split("1\n123456\n1\n", step, 5, &found), HAFT_TOO_BIG, "step %zu", step);
        CHECK_STR(haft__buf_str(&found), HAFT__LIT("1|"), "step %zu", step);
        haft__buf_finish(&found);
    }
}

TEST(a_failed_allocation_reports_no_line)
{
    for (unsigned n = 0;; n++) {
        char kept[64];
        haft__buf found = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
        test_fail_allocation(n);
        haft_status status = split("12\n34\n", 1, 5, &found);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
