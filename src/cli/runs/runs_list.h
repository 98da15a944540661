/* SPDX-License-Identifier: Apache-2.0 */
/* cli/runs/runs_list.h - a line of `haft runs list`. */
#ifndef HAFT_CLI_RUNS_RUNS_LIST_H
#define HAFT_CLI_RUNS_RUNS_LIST_H

#include "base/buf.h"
#include "store/store.h"

typedef struct haft__runs_list_view {
    uint64_t now_ms;
    size_t width;   /* columns of the terminal; 0: not a terminal */
    uint32_t depth; /* number of runs above the run in its tree; 0 if trees are not shown */
} haft__runs_list_view;

/* Appends the line of a run: id, age, state or end, turns and calls if there is room, agent, task.
 * The agent and the task of a child run are indented. They are shortened so that the line is
 * narrower than the terminal; the columns before them are not. `owned`: a process owns the run. */
void haft__runs_list_add_line(haft__buf *buf, const haft__store_run *row, bool owned,
                              const haft__runs_list_view *view);

#endif
