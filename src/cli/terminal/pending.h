/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/pending.h - prints how to continue a run with pending calls. */
#ifndef HAFT_CLI_TERMINAL_PENDING_H
#define HAFT_CLI_TERMINAL_PENDING_H

#include <stdio.h>

#include "cli/args.h"
#include "engine/runtime.h"

/* A line for each possible command on each pending call, ready to be typed, with the --store of
 * this command line. */
void haft__pending_print(FILE *out, const haft__args *args, const haft_run *run);

/* Prints which agent asks, for a run below another one. */
void haft__pending_print_agent(FILE *out, const haft_run *run);

/* Prints a word for a shell, quoted if needed. */
void haft__pending_print_quoted(FILE *out, const char *word);

#endif
