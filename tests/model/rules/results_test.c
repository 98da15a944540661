/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/results.c: earlier results as arguments of the next call. */
#include "base/str.h"
#include "model/rules/offline_help.h"

static haft__offline planner_of(haft__arena *arena, haft__offline_call *calls, size_t count)
{
    return (haft__offline){.arena = arena,
                           .history = {.calls = calls, .count = count},
                           .words = {.task = HAFT__LIT("Who is overdue?")}};
}

TEST(a_column_is_a_number_of_a_table)
{
    static const struct {
        const char *tool, *result;
        bool failed;
        unsigned nth;
        const char *column;
    } cases[] = {
        {"rows", "[{\"id\": 1, \"name\": \"Ada\", \"amount\": 100, \"due\": 3}]", false, 0,
         "amount"},
        {"rows", "[{\"id\": 1, \"name\": \"Ada\", \"amount\": 100, \"due\": 3}]", false, 1, "due"},
        {"rows", "[{\"id\": 1, \"name\": \"Ada\", \"amount\": 100, \"due\": 3}]", false, 2, ""},
        {"rows", " {\"customer_id\": 7, \"total\": 1.5}\n", false, 0, "total"},
        {"rows", "{\"column\": \"secret\", \"userId\": \"x\"}", false, 0, ""},
        {"rows", "[]", false, 0, ""},
        {"rows", "[[1]]", false, 0, ""},
        {"rows", "amount: 100", false, 0, ""},
        {"rows", "{\"amount\": 1", false, 0, ""},
        {"rows", "{\"amount\": 1}", true, 0, ""},
        {"read", "{\"amount\": 1}", false, 0, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__offline_call call = {.name = haft__str(cases[i].tool),
                                   .result = haft__str(cases[i].result),
                                   .answered = true,
                                   .failed = cases[i].failed};
        haft__arena_init(&arena, 0);
        haft__offline o = planner_of(&arena, &call, 1);
        CHECK_STR(haft__offline_result_column(&o, cases[i].nth), haft__str(cases[i].column),
                  "case %zu", i);
        CHECK_INT(o.status, HAFT_OK, "case %zu", i);
        haft__arena_finish(&arena);
    }
}

TEST(results_are_one_line_each)
{
    haft__arena arena;
    haft__offline_call calls[] = {
        {.name = HAFT__LIT("rows"), .result = HAFT__LIT("a\n\x1b[1mb\n"), .answered = true},
        {.name = HAFT__LIT("bad"), .result = HAFT__LIT("no"), .answered = true, .failed = true},
        {.name = HAFT__LIT("sum"), .result = HAFT__LIT("3"), .answered = true},
    };
    haft__arena_init(&arena, 0);
    haft__offline o = planner_of(&arena, calls, COUNT(calls));
    CHECK_STR(haft__offline_results_text(&o),
              HAFT__LIT("Who is overdue?\n- rows: a  [1mb\n- sum: 3"), "the text of two results");
    o.history.count = 0;
    CHECK_STR(haft__offline_results_text(&o), HAFT__LIT(""), "no results");
    o.history.calls++;
    o.history.count = 1;
    CHECK_STR(haft__offline_results_text(&o), HAFT__LIT(""), "a failed call");
    haft__arena_finish(&arena);
}
