/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/document/problem.c. */
#include "spec/load/document/problem.h"

#include "base/limits.h"
#include "spec/spec_help.h"

TEST(locations_count_lines_and_characters)
{
    haft_str text = HAFT__LIT("\xEF\xBB\xBF"
                              "a\xC3\xA9z\r\n\nlast");
    static const struct {
        size_t offset;
        uint32_t line, column;
    } cases[] = {{0, 1, 1}, {3, 1, 1},  {4, 1, 2},  {6, 1, 3},   {8, 1, 5},
                 {9, 2, 1}, {10, 3, 1}, {14, 3, 5}, {9999, 3, 5}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t line, column;
        haft__spec_locate(text, cases[i].offset, &line, &column);
        CHECK(line == cases[i].line && column == cases[i].column, "%zu is at %u:%u",
              cases[i].offset, line, column);
    }
    CHECK_STR(haft__spec_line_text(text, 0), HAFT__LIT(""), "line 0");
    CHECK_STR(haft__spec_line_text(text, 1), HAFT__LIT("a\xC3\xA9z"), "the first line");
    CHECK_STR(haft__spec_line_text(text, 2), HAFT__LIT(""), "the second line");
    CHECK_STR(haft__spec_line_text(text, 3), HAFT__LIT("last"), "the third line");
    CHECK_STR(haft__spec_line_text(text, 4), HAFT__LIT(""), "after the last line");
}

TEST(problems_are_sorted_by_location_and_limited)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_problems problems;
    haft__spec_problems_init(&problems, &arena);
    for (uint32_t i = 0; i < HAFT__LIMIT_SPEC_PROBLEMS + 5; i++) {
        haft__spec_problem *problem = haft__spec_problem_add(&problems, i % 2 == 0, "number %u", i);
        bool error = i % 2 != 0; /* replaces the last warning if the list is full */
        CHECK((problem != NULL) == (i < HAFT__LIMIT_SPEC_PROBLEMS || error), "case %u", i);
        haft__spec_problem_hint(&problems, problem, "hint %u", i);
        if (problem != NULL) {
            problem->line = (HAFT__LIMIT_SPEC_PROBLEMS - i) / 10; /* the last have line 0 */
            problem->column = 7;
        }
    }
    CHECK_INT(problems.count, HAFT__LIMIT_SPEC_PROBLEMS, "problems that are kept");
    CHECK_INT(problems.errors + problems.warnings, HAFT__LIMIT_SPEC_PROBLEMS + 5,
              "problems that were counted");
    haft__spec_problems_sort(&problems);
    for (size_t i = 1; i < problems.count; i++) {
        const haft__spec_problem *a = &problems.items[i - 1], *b = &problems.items[i];
        CHECK(b->line == 0 || (a->line <= b->line && a->line != 0), "case %zu", i);
        CHECK(a->line != b->line || haft__str_compare(a->message, b->message) < 0
                  || a->message.len < b->message.len,
              "problems of one place keep their order: %s, %s", a->message.ptr, b->message.ptr);
    }
    haft__arena_finish(&arena);
}

TEST(warnings_give_way_to_errors)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_problems problems;
    haft__spec_problems_init(&problems, &arena);
    for (uint32_t i = 0; i < HAFT__LIMIT_SPEC_PROBLEMS; i++) {
        (void)haft__spec_problem_add(&problems, true, "warning %u", i);
    }
    for (uint32_t i = 0; i <= HAFT__LIMIT_SPEC_PROBLEMS; i++) {
        haft__spec_problem *problem = haft__spec_problem_add(&problems, false, "error %u", i);
        CHECK((problem != NULL) == (i < HAFT__LIMIT_SPEC_PROBLEMS), "case %u", i);
        CHECK_INT(problems.count, HAFT__LIMIT_SPEC_PROBLEMS, "problems that are kept");
        if (i == 1) {
            CHECK_STR(problems.items[0].message, HAFT__LIT("warning 0"), "first");
            CHECK_STR(problems.items[HAFT__LIMIT_SPEC_PROBLEMS - 2].message, HAFT__LIT("error 0"),
                      "next to last");
            CHECK_STR(problems.items[HAFT__LIMIT_SPEC_PROBLEMS - 1].message, HAFT__LIT("error 1"),
                      "last");
        }
    }
    CHECK_INT(problems.errors, HAFT__LIMIT_SPEC_PROBLEMS + 1, "errors that were counted");
    CHECK_INT(problems.warnings, HAFT__LIMIT_SPEC_PROBLEMS, "warnings that were counted");
    haft__arena_finish(&arena);
}

TEST(a_long_message_is_truncated_after_a_whole_character)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_problems problems;
    haft__spec_problems_init(&problems, &arena);
    char text[3000];
    for (size_t i = 0; i + 1 < sizeof(text); i += 2) {
        memcpy(text + i, "\xC3\xA9", 2);
    }
    haft__spec_problem *problem =
        haft__spec_problem_add(&problems, false, "x%.*s", (int)sizeof(text), text);
    CHECK(problem->message.len == 1023, "length %zu", problem->message.len);
    CHECK_STR(problem->message, ((haft_str){problem->message.ptr, 1023}), "whole characters");
    CHECK(problem->message.ptr[1022] == '\xA9', "the last character is truncated");
    haft__arena_finish(&arena);
}

TEST(a_token_ends_as_in_yaml_and_json)
{
    static const struct {
        const char *text;
        size_t offset, length;
    } cases[] = {
        {"model: offline", 0, 5},
        {"model: offline", 7, 7},
        {"a: two words  # why", 3, 9},
        {"a: b#c", 3, 3},
        {"a: x:y", 3, 3},
        {"a: one, two", 3, 8},
        {"{a: one, b: 2}", 4, 3},
        {"[one, two]", 6, 3},
        {"a: \"q, \\\" r\" x", 3, 9},
        {"a: 'q # r' x", 3, 7},
        {"a: \"open", 3, 5},
        {"a: \"open\nb: 1", 3, 5},
        {"a: -5", 3, 2},
        {"- a", 0, 1},
        {"a: {b: 1}", 3, 1},
        {"a: |\n  text", 3, 1},
        {"a: 1,\n", 3, 1},
        {"a", 1, 1},
        {"", 0, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__spec_token_length(haft__str(cases[i].text), cases[i].offset),
                  cases[i].length, "case %zu", i);
    }
}
