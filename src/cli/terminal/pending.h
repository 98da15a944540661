/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/pending.h - prints how to continue a run with pending calls. */
#ifndef HAFT_CLI_TERMINAL_PENDING_H
#define HAFT_CLI_TERMINAL_PENDING_H

#include <stdio.h>

#include "cli/args.h"
#include "engine/runtime.h"

/* Prints a line for each possible command on each pending call. The lines can be copied into a
 * shell; they have the --store of this command line. */
void haft__pending_print(FILE *out, const haft__args *args, const haft_run *run);

/* If the run is a child run, prints the name of its agent, so that a person knows who asks. */
void haft__pending_print_agent(FILE *out, const haft_run *run);

/* Prints a word for a shell, quoted if needed. */
void haft__pending_print_quoted(FILE *out, const char *word);

#endif
