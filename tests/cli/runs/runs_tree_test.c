/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/runs/runs_tree.c. tests/cli/trees_test.py tests it with a store. */
#include "cli/runs/runs_tree.h"

#include "base/str.h"
#include "test.h"

#define ID   "01m7p3bc3sk9vry82361ksnghm"
#define TEN  "0123456789"
#define WIDE TEN TEN TEN TEN TEN TEN

static const haft__spec boss = {.name = {"boss", 4}};

TEST(a_run_of_a_tree_is_one_line)
{
    static const struct {
        const char *what;
        haft__run run;
        const char *state;
        uint32_t depth;
        const char *line;
    } rows[] = {
        {"a root that waits",
         {.stage = HAFT__RUN_CALLING, .task = {"go", 2}, .turn = 1, .usage = {.calls = 2}},
         "waiting",
         0,
         ID "  waiting        1 turn     2 calls         0 tokens         0.0 USD  boss: go"},
        {"a child that has ended",
         {.stage = HAFT__RUN_ENDED,
          .end = HAFT__END_DONE,
          .path = {"c1.1", 4},
          .task = {" dig ", 5},
          .turn = 2,
          .usage = {.calls = 1, .input_tokens = 90, .output_tokens = 9},
          .cost_parts = 2500000000000U},
         "ended",
         1,
         ID "  done           2 turns    1 call         99 tokens         2.5 USD    c1.1 "
            "boss: dig"},
        {"two levels below, with control characters",
         {.stage = HAFT__RUN_CALLING, .path = {"c1.1/c2.3", 9}, .task = {"a\x1b[1m\nb", 7}},
         "running",
         2,
         ID "  running        0 turns    0 calls         0 tokens         0.0 USD      c1.1/c2.3 "
            "boss: a\\u001b[1m b"},
        {"a long task",
         {.stage = HAFT__RUN_CALLING, .task = {WIDE "more", 64}},
         "running",
         0,
         ID "  running        0 turns    0 calls         0 tokens         0.0 USD  boss: "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run run = rows[i].run;
        haft__tree_entry entry = {
            .run = &run, .state = haft__str(rows[i].state), .depth = rows[i].depth};
        haft__buf text;
        run.id = HAFT__LIT(ID);
        run.spec = &boss;
        haft__buf_init(&text, 1 << 20);
        haft__runs_tree_add_lines(&text, &entry, 1);
        haft_str rest = haft__buf_str(&text), line = haft__str_split(&rest, '\n');
        haft_str wanted = haft__str(rows[i].line);
        bool cut = run.task.len > sizeof(WIDE);
        haft_str found = {line.ptr, cut ? wanted.len : line.len};
        CHECK_STR(found, wanted, "%s", rows[i].what);
        CHECK(!cut || haft__str_ends_with(line, HAFT__LIT("...")), "%s: it is cut", rows[i].what);
        CHECK(haft__str_starts_with(rest, HAFT__LIT("1                           run ")),
              "%s: the sum: %.*s", rows[i].what, HAFT__ARG(rest));
        haft__buf_finish(&text);
    }
}
