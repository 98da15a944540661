/* SPDX-License-Identifier: Apache-2.0 */
/* cli/commands/resume_all.h - `haft resume --all`: goes on with what is due, several runs at once.
 */
#ifndef HAFT_CLI_COMMANDS_RESUME_ALL_H
#define HAFT_CLI_COMMANDS_RESUME_ALL_H

#include "cli/session.h"

/* Until nothing is left that can be done here. Prints what comes of each run, and with --json one
 * object in the end. The exit is the worst of them. */
haft__exit_status haft__resume_all(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                   haft_error *err);

#endif
