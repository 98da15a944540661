/* SPDX-License-Identifier: Apache-2.0 */
/* cli/runs/runs_fork.h - `haft runs fork`. */
#ifndef HAFT_CLI_RUNS_RUNS_FORK_H
#define HAFT_CLI_RUNS_RUNS_FORK_H

#include "cli/session.h"
#include "engine/ops/fork.h"

/* Creates the fork that --at, --turn, --call, --task and --answer describe. Prints its id (its
 * result with --json, its events if it is the fork of a file), or continues it. */
haft__exit_status haft__runs_fork(haft__cli *cli, const haft__args *args,
                                  const haft__fork_source *from, haft_error *err);

#endif
