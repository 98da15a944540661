/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/pending.h - prints how to continue a run with pending calls. */
#ifndef HAFT_CLI_TERMINAL_PENDING_H
#define HAFT_CLI_TERMINAL_PENDING_H

#include <stdio.h>

#include "cli/args.h"
#include "engine/runtime.h"
#include "run/run.h"

/* Prints a line for each possible command to each pending call. The lines can be copied into a
 * shell; they contain the --store of this command line. */
void haft__pending_print(FILE *out, const haft__args *args, const haft_run *run);

/* Prints one pending call: path, kind, the agent that asks, deadline, question, and a line for each
 * possible command. */
void haft__pending_print_call(FILE *out, const haft__args *args, const haft_run *run,
                              const haft__run_call *call);

/* Calls `visit` for each possible command to the pending call, with a shell comment or "". */
void haft__pending_each_command(const haft__args *args, const haft_run *run,
                                const haft__run_call *call,
                                void (*visit)(void *context, haft_str command, const char *note),
                                void *context);

/* If the run is a child run, prints the name of the agent that asks. */
void haft__pending_print_agent(FILE *out, const haft_run *run);

/* Prints a word for a shell, quoted if needed. */
void haft__pending_print_quoted(FILE *out, const char *word);

#endif
