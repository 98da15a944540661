/* SPDX-License-Identifier: Apache-2.0 */
/* cli/completion/completion.h - completion scripts for shells, generated from the command table. */
#ifndef HAFT_CLI_COMPLETION_COMPLETION_H
#define HAFT_CLI_COMPLETION_COMPLETION_H

#include <stdio.h>

#include "cli/command.h"
#include "cli/completion/placeholder.h"

void haft__completion_print_bash(FILE *out);
void haft__completion_print_zsh(FILE *out);
void haft__completion_print_fish(FILE *out);

/* ---- shared by the three shells ---- */

/* Returns the kind of an option's value; ANY for a flag. */
haft__placeholder_kind haft__completion_value_kind(const haft__option *option);

/* Returns true if the next word is the value of the option. */
bool haft__completion_takes_value(const haft__option *option);

/* Prints the choices of "one|two", with `separator` instead of the bars. */
void haft__completion_print_choices(FILE *out, haft_str choices, char separator);

#endif
