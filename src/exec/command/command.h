/* SPDX-License-Identifier: Apache-2.0 */
/* exec/command/command.h - parts of the command executor. Private to src/exec. */
#ifndef HAFT_EXEC_COMMAND_COMMAND_H
#define HAFT_EXEC_COMMAND_COMMAND_H

#include "exec/executor.h"
#include "io/child.h"

/* Checks the path arguments that `root` of the tool lists, and prepends the directory of each to
 * its path in job->call.arguments. BAD_INPUT, with a message for the model, if a path leads outside
 * its directory or through a symbolic link. */
HAFT_MUST_USE haft_status haft__command_confine(haft__exec_job *job, haft_error *err);

/* The standard input: the tool's `stdin` with {arg} replaced or, without `stdin`, the arguments as
 * one JSON object and a newline. The text lives in the arena of the job. */
HAFT_MUST_USE haft_status haft__command_input(haft__exec_job *job, haft_str *ret_input,
                                              haft_error *err);

/* Reports how the program ended. `program` is its name in the spec. */
void haft__command_report(haft__exec_job *job, haft_str program, const haft__child_result *ended);

#endif
