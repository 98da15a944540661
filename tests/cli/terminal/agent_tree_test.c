/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/agent_tree.c: the lines of a tree, and what is folded. */
#include "cli/terminal/agent_tree.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

static const haft__terminal_caps plain = {.live = true, .width = 60};

TEST(each_agent_has_a_line_with_its_turns_cost_and_state)
{
    static const haft__agent_row rows[] = {
        {.name = {"search", 6}, .tokens = 120, .cost_parts = 1500000000000U},
        {.name = {"worker", 6},
         .task = {"the gate\nnow", 12},
         .note = {"grep", 4},
         .depth = 1,
         .turns = 3,
         .most_turns = 8},
        {.name = {"", 0}, .note = {"done", 4}, .state = HAFT__AGENT_DONE, .depth = 2},
        {.name = {"a name that is longer than the line, which has only sixty columns", 65},
         .state = HAFT__AGENT_FAILED,
         .depth = 1},
        {.name = {"asks", 4}, .state = HAFT__AGENT_WAITS, .depth = 1},
    };
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    CHECK_INT(haft__agent_tree_draw(&buf, rows, COUNT(rows), &plain), COUNT(rows), "lines");
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("* search, 120 tokens, $1.5\n"
                        "  * worker, turn 3/8, grep: the gate now\n"
                        "    + agent, done\n"
                        "  x a name that is longer than the line, which has only ...\n"
                        "  ? asks\n"),
              "the tree");
    haft__buf_finish(&buf);
}

TEST(a_terminal_with_colours_shows_symbols)
{
    haft__agent_row row = {.name = {"a", 1}, .state = HAFT__AGENT_DONE};
    haft__terminal_caps caps = {.live = true, .colour = true, .symbols = true, .width = 60};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    CHECK_INT(haft__agent_tree_draw(&buf, &row, 1, &caps), 1, "lines");
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("\x1b[32m\xE2\x9C\x93\x1b[0m a\n"), "the line");
    haft__buf_finish(&buf);
}

TEST(many_agents_are_folded_and_those_that_fail_or_work_stay)
{
    haft__agent_row rows[HAFT__LIMIT_AGENT_ROWS + 20];
    haft__buf buf;
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i] = (haft__agent_row){.name = HAFT__LIT("done"), .state = HAFT__AGENT_DONE};
    }
    rows[0] = (haft__agent_row){.name = HAFT__LIT("root")};
    haft__buf_init(&buf, 1 << 16);
    CHECK_INT(haft__agent_tree_draw(&buf, rows, HAFT__LIMIT_AGENT_ROWS, &plain),
              HAFT__LIMIT_AGENT_ROWS, "at the limit nothing is folded");
    haft__buf_clear(&buf);
    rows[COUNT(rows) - 1] =
        (haft__agent_row){.name = HAFT__LIT("broken"), .state = HAFT__AGENT_FAILED};
    for (size_t i = COUNT(rows) - 12; i < COUNT(rows) - 1; i++) {
        rows[i] = (haft__agent_row){.name = HAFT__LIT("busy")};
    }
    CHECK_INT(haft__agent_tree_draw(&buf, rows, COUNT(rows), &plain), HAFT__LIMIT_AGENT_ROWS + 1,
              "one line more for the others");
    haft_str text = haft__buf_str(&buf);
    CHECK(haft__str_starts_with(text, HAFT__LIT("* root\n* busy\n")), "%.*s", HAFT__ARG(text));
    CHECK(haft__str_ends_with(text, HAFT__LIT("x broken\n  ... and 20 more: 1 at work, 19 done\n")),
          "%.*s", HAFT__ARG(text));
    haft__buf_finish(&buf);
}
