/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/pending.h - how to go on with a run that waits. */
#ifndef HAFT_CLI_TERMINAL_PENDING_H
#define HAFT_CLI_TERMINAL_PENDING_H

#include <stdio.h>

#include "cli/args.h"
#include "engine/runtime.h"

/* A line for each thing that can be done about each call that waits: the command as it is to be
 * typed, with the store that was named on this command line. */
void haft__pending_print(FILE *out, const haft__args *args, const haft_run *run);

/* A word as a shell takes it, in quotes where it needs them. */
void haft__pending_print_quoted(FILE *out, const char *word);

#endif
