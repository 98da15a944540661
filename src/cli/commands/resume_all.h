/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands/resume_all.h - `haft resume --all`: continues all runs that are due, several at
 * once. */
#ifndef HAFT_CLI_COMMANDS_RESUME_ALL_H
#define HAFT_CLI_COMMANDS_RESUME_ALL_H

#include "cli/session.h"

/* Continues runs until no run can be continued here. Prints the outcome of each run, or with --json
 * one object at the end. Returns the worst exit status of the runs. */
haft__exit_status haft__resume_all(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                   haft_error *err);

#endif
