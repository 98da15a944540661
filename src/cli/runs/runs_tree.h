/* SPDX-License-Identifier: Apache-2.0 */
/* cli/runs/runs_tree.h - `haft runs show --tree`, `haft runs events --tree`, and replays of
 * trees. */
#ifndef HAFT_CLI_RUNS_RUNS_TREE_H
#define HAFT_CLI_RUNS_RUNS_TREE_H

#include "cli/session.h"
#include "engine/ops/stored_run.h"
#include "engine/ops/tree/tree_report.h"
#include "run/replay/replay.h"

/* Appends a line for each run, without control characters, and a line with the sum. */
void haft__runs_tree_add_lines(haft__buf *buf, const haft__tree_entry *entries, size_t count);

/* Prints the run `root`, which the caller has read and folded, and all runs below it. The line of a
 * run has its id, state or end, turns, calls, tokens, cost, call, agent and task; the last line has
 * the sums. With `json` prints one object. */
HAFT_MUST_USE haft_status haft__runs_tree_show(haft__cli *cli, haft_runtime *runtime,
                                               const haft__stored_run *stored,
                                               const haft__run *root, bool json, haft_error *err);

/* Prints the events of the run and of all runs below it as one stream. */
HAFT_MUST_USE haft_status haft__runs_tree_events(haft__cli *cli, haft_runtime *runtime,
                                                 const haft__stored_run *stored,
                                                 const haft__run *root, haft_error *err);

/* The replay of a run and of the runs below it. */
typedef struct haft__tree_replay {
    haft__replay found; /* the sums; or the first difference */
    haft_str run;       /* the last run that was compared */
    uint64_t runs;
} haft__tree_replay;

/* Recomputes the decisions of all runs below the stored run, and adds them to *io_tree. Stops at
 * the first difference. */
HAFT_MUST_USE haft_status haft__runs_tree_replay(haft__cli *cli, haft_runtime *runtime,
                                                 const haft__stored_run *stored,
                                                 haft__tree_replay *io_tree, haft_error *err);

/* Prints an SVG picture of the times in which the run `root` and the runs below it worked. `lines`
 * are the events of `root`. If `runtime` is NULL, the picture has only `root`. */
HAFT_MUST_USE haft_status haft__runs_tree_svg(haft__cli *cli, haft_runtime *runtime, haft_str lines,
                                              const haft__run *root, haft__hash_key hash_key,
                                              haft_error *err);

#endif
