/* SPDX-License-Identifier: Apache-2.0 */
/* cli/runs/runs_fork.h - `haft runs fork`. */
#ifndef HAFT_CLI_RUNS_RUNS_FORK_H
#define HAFT_CLI_RUNS_RUNS_FORK_H

#include "cli/session.h"
#include "engine/ops/fork.h"

/* Creates the fork that --at, --turn, --step, --call, --task and --answer describe. Prints its id
 * (its result with --json, its events if it is the fork of a file), or continues it. `edit`:
 * continues a fork at the end of the run, in which --set and --as have changed the state of its
 * graph. */
haft__exit_status haft__runs_fork(haft__cli *cli, const haft__args *args,
                                  const haft__fork_source *from, bool edit, haft_error *err);

/* The arguments without --set, which means the state of a graph for some subcommands. */
HAFT_MUST_USE haft_status haft__runs_drop_sets(haft__cli *cli, const haft__args *args,
                                               haft__args *ret_args, haft_error *err);

/* If the run is one of a graph that has failed, continues it in a fork, in which only the nodes
 * that failed run again; *ret_continued says so. */
haft__exit_status haft__runs_fork_failed(haft__cli *cli, const haft__args *args,
                                         haft__spec_drift *drift, const char *id,
                                         bool *ret_continued, haft_error *err);

#endif
