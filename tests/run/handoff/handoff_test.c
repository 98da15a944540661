/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/handoff/handoff.c. The events are tested by tests/cli/handoffs_test.py. */
#include "run/handoff/handoff.h"

#include "base/str.h"
#include "test.h"

TEST(the_first_accepted_transfer_of_the_last_reply_is_due)
{
    static const haft__tool transfer = {.source = HAFT__TOOL_HANDOFF},
                            other = {.source = HAFT__TOOL_COMMAND};
    static const struct {
        const char *what;
        haft__run_call calls[3];
        size_t batch;
        const char *last; /* the call of the last handoff */
        const char *due;
    } rows[] = {
        {"no transfer",
         {{.id = {"c1.1", 4}, .tool = &other, .stage = HAFT__CALL_FINISHED, .ok = true}},
         0,
         "",
         ""},
        {"a transfer",
         {{.id = {"c1.1", 4}, .tool = &other, .stage = HAFT__CALL_FINISHED, .ok = true},
          {.id = {"c1.2", 4}, .tool = &transfer, .stage = HAFT__CALL_FINISHED, .ok = true}},
         0,
         "",
         "c1.2"},
        {"the first of two",
         {{.id = {"c1.1", 4}, .tool = &transfer, .stage = HAFT__CALL_FINISHED, .ok = true},
          {.id = {"c1.2", 4}, .tool = &transfer, .stage = HAFT__CALL_FINISHED}},
         0,
         "",
         "c1.1"},
        {"a failed one, and one that was refused",
         {{.id = {"c1.1", 4}, .tool = &transfer, .stage = HAFT__CALL_FINISHED},
          {.id = {"c1.2", 4}, .tool = &transfer, .stage = HAFT__CALL_REFUSED}},
         0,
         "",
         ""},
        {"it has been handed over",
         {{.id = {"c1.1", 4}, .tool = &transfer, .stage = HAFT__CALL_FINISHED, .ok = true}},
         0,
         "c1.1",
         ""},
        {"only the last reply counts",
         {{.id = {"c1.1", 4}, .tool = &transfer, .stage = HAFT__CALL_FINISHED, .ok = true},
          {.id = {"c2.1", 4}, .tool = &other, .stage = HAFT__CALL_FINISHED, .ok = true}},
         1,
         "",
         ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run_call calls[3];
        size_t count = 0;
        while (count < COUNT(calls) && rows[i].calls[count].id.len > 0) {
            calls[count] = rows[i].calls[count];
            count++;
        }
        haft__run run = {.calls = calls,
                         .call_count = count,
                         .batch = rows[i].batch,
                         .stage = HAFT__RUN_IDLE,
                         .handoff_call = haft__str(rows[i].last)};
        const haft__run_call *due = haft__handoff_due(&run);
        CHECK_STR(due != NULL ? due->id : HAFT__LIT(""), haft__str(rows[i].due), "%s",
                  rows[i].what);
        run.stage = HAFT__RUN_CALLING;
        CHECK(haft__handoff_due(&run) == NULL, "%s: only between turns", rows[i].what);
    }
}
