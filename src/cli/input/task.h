/* SPDX-License-Identifier: Apache-2.0 */
/* cli/input/task.h - the task of `haft run`: from the command line, standard input and files. */
#ifndef HAFT_CLI_INPUT_TASK_H
#define HAFT_CLI_INPUT_TASK_H

#include "base/buf.h"
#include "cli/command.h"

/* Appends the task with a final NUL: TASK ("-" is standard input), then each --input file with its
 * name. Without TASK and --input the task is standard input, if that is a pipe or a file. Fails
 * with BAD_INPUT if the task is empty, or if standard input would be read twice. */
HAFT_MUST_USE haft_status haft__task_read(haft__cli *cli, const haft__args *args, haft__buf *task,
                                          haft_error *err);

#endif
