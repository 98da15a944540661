/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/child/child.c. */
#include "run/child/child.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "run/run.h"
#include "test.h"
#include "json/read.h"

TEST(the_id_of_a_child_follows_from_its_parent_and_call)
{
    char first[HAFT__ID_LENGTH + 1], again[HAFT__ID_LENGTH + 1], other[HAFT__ID_LENGTH + 1];
    haft_str parent = HAFT__LIT("01m7p3bc3sk9vry82361ksnghm");
    haft__child_make_id(parent, HAFT__LIT("c1.1"), 1000, first);
    haft__child_make_id(parent, HAFT__LIT("c1.1"), 1000, again);
    haft__child_make_id(parent, HAFT__LIT("c1.2"), 1000, other);
    CHECK(haft__id_valid(haft__str(first)), "not a valid id: %s", first);
    CHECK(strcmp(first, again) == 0, "%s, then %s", first, again);
    CHECK(strcmp(first, other) != 0, "another call has another child");
}

TEST(children_of_one_moment_are_listed_in_the_order_of_their_calls)
{
    static const char *const keys[] = {"c1.1", "c1.2", "c1.10", "c2.1", "c300.2", "c65535.65535"};
    char last[HAFT__ID_LENGTH + 1] = "";
    for (size_t i = 0; i < COUNT(keys); i++) {
        char id[HAFT__ID_LENGTH + 1];
        haft__child_make_id(HAFT__LIT("01m7p3bc3sk9vry82361ksnghm"), haft__str(keys[i]), 1000, id);
        CHECK(haft__id_valid(haft__str(id)), "%s: %s", keys[i], id);
        CHECK(strcmp(last, id) < 0, "%s: %s after %s", keys[i], id, last);
        memcpy(last, id, sizeof(last));
    }
    static const char *const others[] = {"", "c", "c1", "c1.", "c1.x", "c65536.1", "node"};
    for (size_t i = 0; i < COUNT(others); i++) { /* any other text is a key, too */
        char id[HAFT__ID_LENGTH + 1];
        haft__child_make_id(HAFT__LIT("01m7p3bc3sk9vry82361ksnghm"), haft__str(others[i]), 1000,
                            id);
        CHECK(haft__id_valid(haft__str(id)), "%s: %s", others[i], id);
    }
}

TEST(the_depth_is_the_number_of_calls)
{
    CHECK_INT(haft__child_depth(HAFT__LIT("")), 0, "a root run");
    CHECK_INT(haft__child_depth(HAFT__LIT("c1.1")), 1, "a child");
    CHECK_INT(haft__child_depth(HAFT__LIT("c3.1/c1.2/c2.1")), 3, "three levels");
}

TEST(costs_are_written_and_read_exactly)
{
    static const uint64_t costs[] = {0, 1, 999999999999U, 1000000000000U, 12345000000000006U};
    for (size_t i = 0; i < COUNT(costs); i++) {
        haft__buf text;
        uint64_t read = 7;
        haft__buf_init(&text, 1000);
        haft__cost_write(&text, costs[i]);
        CHECK(haft__cost_read(haft__buf_str(&text), &read) && read == costs[i], "%.*s",
              HAFT__ARG(haft__buf_str(&text)));
        haft__buf_finish(&text);
    }
    static const char *const bad[] = {"", "x", "1.1234567890123", "-1", ".5", "99999999999.0"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        uint64_t read = 0;
        CHECK(!haft__cost_read(haft__str(bad[i]), &read), "%s", bad[i]);
    }
}

/* ---- budgets ---- */

static haft__run run_with(haft__spec *spec)
{
    *spec = (haft__spec){.limits = {.turns = 12, .calls = 50, .tokens = 1000, .wall_ms = 6000}};
    return (haft__run){.spec = spec, .path = HAFT__LIT(""), .turn = 1};
}

TEST(children_share_what_is_left)
{
    haft__spec spec, agent = {.limits = {.turns = 8, .calls = 20, .tokens = 5000, .wall_ms = 9000}};
    haft__run run = run_with(&spec);
    haft__agent_tool tool = {.spec = &agent};
    haft__child_budget budget;
    CHECK_INT(haft__child_reserve(&run, &tool, 2, &budget), HAFT__CHILD_ALLOWED, "two children");
    CHECK_INT(budget.turns, 5, "the parent keeps one of 11 turns");
    CHECK_INT(budget.calls, 16, "a third of 50 calls");
    CHECK_INT(budget.tokens, 333, "a third of the tokens");
    CHECK_INT(budget.wall_ms, 6000, "time is not divided");
    CHECK(!budget.has_usd, "no limit in dollars");
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_ALLOWED, "one child");
    CHECK_INT(budget.turns, 8, "at most the limit of the child");
    tool.limits = (haft__agent_limits){.turns = 3, .tokens = 100000, .wall_ms = 100};
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_ALLOWED,
              "a tool with limits");
    CHECK_INT(budget.turns, 3, "turns that the tool sets");
    CHECK_INT(budget.tokens, 1000, "tokens that are left");
    CHECK_INT(budget.wall_ms, 100, "time that the tool sets");
}

TEST(a_graph_keeps_nothing_for_itself)
{
    static const haft__graph_rules rules = {.fold = NULL};
    haft__spec spec,
        agent = {.limits = {.turns = 99, .calls = 99, .tokens = 9999, .wall_ms = 9000}};
    haft__run run = run_with(&spec);
    haft__agent_tool tool = {.spec = &agent};
    haft__child_budget budget, one;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &one), HAFT__CHILD_ALLOWED, "of an agent");
    spec.graph_rules = &rules;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_ALLOWED, "of a graph");
    CHECK_INT(budget.turns, (long long)one.turns + 1, "all turns");
    CHECK_INT(budget.calls, 50, "all calls");
    CHECK_INT(budget.tokens, 1000, "all tokens");
    CHECK_INT(haft__child_reserve(&run, &tool, 2, &budget), HAFT__CHILD_ALLOWED, "two children");
    CHECK_INT(budget.calls, 25, "half of the calls");
}

TEST(open_children_hold_their_budgets_and_finished_ones_return_the_rest)
{
    haft__spec spec,
        agent = {.limits = {.turns = 12, .calls = 50, .tokens = 1000, .wall_ms = 9000}};
    haft__run run = run_with(&spec);
    haft__agent_tool tool = {.spec = &agent};
    haft__child child = {.key = HAFT__LIT("c1.1"),
                         .limits = {.turns = 6, .calls = 40, .tokens = 900}};
    haft__child *children[] = {&child};
    haft__child_budget budget;
    run.children = children;
    run.child_count = run.open_children = 1;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_ALLOWED,
              "while the first child runs");
    CHECK_INT(budget.turns, 4, "10 less 6");
    CHECK_INT(budget.calls, 5, "half of 10");
    CHECK_INT(budget.tokens, 50, "half of 100");
    child.finished = true;
    run.open_children = 0;
    run.child_usage = (haft__tree_usage){.runs = 1, .turns = 2, .calls = 4, .input_tokens = 100};
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_ALLOWED,
              "after the first child is done");
    CHECK_INT(budget.turns, 8, "10 less the 2 that it used");
    CHECK_INT(budget.tokens, 450, "half of 900");
}

TEST(a_child_without_a_budget_is_refused)
{
    haft__spec spec, agent = {.limits = {.turns = 5, .calls = 5, .tokens = 50, .wall_ms = 50}};
    haft__run run = run_with(&spec);
    haft__agent_tool tool = {.spec = &agent};
    haft__child_budget budget;
    run.turn = 11;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_NO_BUDGET, "no turns left");
    run = run_with(&spec);
    run.worked_ms = 6000;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_NO_BUDGET, "no time left");
    run = run_with(&spec);
    spec.limits.has_usd = true;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_NO_BUDGET,
              "no dollars left");
    CHECK_INT(haft__child_reserve(&run, NULL, 1, &budget), HAFT__CHILD_NO_AGENT,
              "the tool is not an agent");
    run = run_with(&spec);
    CHECK_INT(HAFT__LIMIT_CHILD_DEPTH, 4, "the paths below have this depth");
    run.path = HAFT__LIT("c1.1/c1.1/c1.1");
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_ALLOWED,
              "at the depth limit");
    run.path = HAFT__LIT("c1.1/c1.1/c1.1/c1.1");
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_TOO_DEEP,
              "past the depth limit");
    run = run_with(&spec);
    run.child_count = HAFT__LIMIT_CHILD_COUNT;
    CHECK_INT(haft__child_reserve(&run, &tool, 1, &budget), HAFT__CHILD_TOO_MANY,
              "past the limit of children");
}

TEST(one_process_can_perform_all_children_of_a_run)
{
    CHECK(HAFT__LIMIT_CHILD_OPEN >= HAFT__LIMIT_CHILD_COUNT,
          "a process performs only %d children at once", HAFT__LIMIT_CHILD_OPEN);
    CHECK(HAFT__LIMIT_CHILD_POLL_MS <= 1000, "children of other processes are polled every second");
}

/* ---- the task ---- */

TEST(the_task_of_a_child_is_made_of_the_arguments)
{
    static const struct {
        const char *arguments, *task;
    } cases[] = {
        {"{\"task\":\"dig\"}", "dig"},
        {"{\"task\":\"dig\",\"depth\":3}", "dig\n\n{\"depth\":3}"},
        {"{\"what\":\"gold\"}", "{\"what\":\"gold\"}"},
        {"{\"task\":7}", "{\"task\":7}"},
        {"{}", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf text;
        haft__json value;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1000);
        CHECK_INT(haft__json_read(&arena, haft__str(cases[i].arguments), NULL, &value, NULL, NULL),
                  HAFT_OK, "%s", cases[i].arguments);
        haft__child_write_task(&text, value);
        CHECK_STR(haft__buf_str(&text), haft__str(cases[i].task), "%s", cases[i].arguments);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}
