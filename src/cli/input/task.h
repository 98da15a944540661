/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/task.h - the task of `haft run`: from the command line, standard input and files. */
#ifndef HAFT_CLI_INPUT_TASK_H
#define HAFT_CLI_INPUT_TASK_H

#include "base/buf.h"
#include "cli/command.h"

/* Appends the task, its final NUL included: TASK ("-" is standard input), then each --input file
 * with its name. Without both, standard input if it is a pipe or a file. Standard input is read at
 * most once, and only for one of these. BAD_INPUT if the task is empty. */
HAFT_MUST_USE haft_status haft__task_read(haft__cli *cli, const haft__args *args, haft__buf *task,
                                          haft_error *err);

#endif
