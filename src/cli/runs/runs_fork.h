/* SPDX-License-Identifier: Apache-2.0 */
/* cli/runs/runs_fork.h - `haft runs fork`. */
#ifndef HAFT_CLI_RUNS_RUNS_FORK_H
#define HAFT_CLI_RUNS_RUNS_FORK_H

#include "cli/session.h"
#include "engine/ops/fork.h"

/* Creates the fork that --at, --turn, --step, --call, --task and --answer describe, and continues
 * it if the options request that. Otherwise prints its id; with --json its result; for a fork of a
 * file its events. With `edit` the fork starts at the end of the run, --set and --as change the
 * state of its graph, and it continues. */
haft__exit_status haft__runs_fork(haft__cli *cli, const haft__args *args,
                                  const haft__fork_source *source, bool edit, haft_error *err);

/* Returns the arguments without --set, for subcommands in which --set changes the state of a graph
 * and not the spec. */
HAFT_MUST_USE haft_status haft__runs_drop_sets(haft__cli *cli, const haft__args *args,
                                               haft__args *ret_args, haft_error *err);

/* Continues a run of a graph in a fork; *ret_continued says so. If the run has failed, only the
 * nodes that failed run again. With --steps N, a run that has ended at its recursion limit gets N
 * further steps; it is an error if the run has not. */
haft__exit_status haft__runs_fork_ended(haft__cli *cli, const haft__args *args,
                                        haft__spec_drift *drift, const char *id,
                                        bool *ret_continued, haft_error *err);

#endif
