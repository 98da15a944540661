/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/runs/runs_list.c. */
#include "cli/runs/runs_list.h"

#include "base/str.h"
#include "cli/terminal/width.h"
#include "test.h"

#define ID    "01m7f695e3nrwbnz5x52brkr9g"
#define NOW   1000000000000
#define SHORT ((haft_str){"go", 2})

TEST(a_run_is_one_line)
{
    static const struct {
        const char *what;
        haft__store_run row;
        bool owned;
        size_t width;
        const char *line;
    } cases[] = {
        {"a process works on it",
         {.state = HAFT__RUN_STATE_RUNNING, .seq = 5, .created_ms = NOW - 5000, .task = SHORT},
         true,
         80,
         ID "     5 s  running     go\n"},
        {"no process works on it",
         {.state = HAFT__RUN_STATE_RUNNING, .seq = 5, .created_ms = NOW - 60000, .task = SHORT},
         false,
         80,
         ID "   1 min  stopped     go\n"},
        {"it has not started",
         {.state = HAFT__RUN_STATE_RUNNING, .seq = 1, .created_ms = NOW + 9, .task = SHORT},
         false,
         80,
         ID "     0 s  queued      go\n"},
        {"it waits for a person",
         {.state = HAFT__RUN_STATE_WAITING,
          .seq = 5,
          .created_ms = NOW - 7200000,
          .task = SHORT,
          .turns = 1,
          .calls = 2},
         false,
         100,
         ID "     2 h  waiting       1 turn     2 calls  go\n"},
        {"it has ended",
         {.state = HAFT__RUN_STATE_ENDED,
          .end = {"incomplete", 10},
          .created_ms = NOW - 259200000,
          .task = {"one\ntwo \x1b", 9}},
         false,
         0,
         ID "     3 d  incomplete    0 turns    0 calls  one two \\u001b\n"},
        {"it does not fit",
         {.state = HAFT__RUN_STATE_WAITING,
          .created_ms = NOW,
          .task = {"a task that is longer than the line", 35}},
         false,
         70,
         ID "     0 s  waiting     a task that is lon...\n"},
        {"no room for the task",
         {.state = HAFT__RUN_STATE_WAITING, .created_ms = NOW, .task = SHORT},
         false,
         40,
         ID "     0 s  waiting     \n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__store_run row = cases[i].row;
        haft__runs_list_view view = {.now_ms = NOW, .width = cases[i].width};
        haft__buf line;
        haft__buf_init(&line, 1000);
        row.id = haft__str(ID);
        haft__runs_list_add_line(&line, &row, cases[i].owned, &view);
        CHECK_STR(haft__buf_str(&line), haft__str(cases[i].line), "%s", cases[i].what);
        haft__buf_finish(&line);
    }
}
