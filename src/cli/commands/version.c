/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - `haft version`, also `haft --version`. Tests: tests/cli/command_test.c. */
#include "cli/command.h"

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    (void)args;
    (void)err;
    (void)fprintf(cli->out, "haft %s\n", haft_version());
    return HAFT__EXIT_DONE;
}

const haft__command haft__cmd_version = {
    .name = "version",
    .usage = "",
    .summary = "print the version",
    .help = "",
    .run = run,
};
