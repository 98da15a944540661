/* SPDX-License-Identifier: Apache-2.0 */
/* cli/print.h - text from outside, shown to people. */
#ifndef HAFT_CLI_PRINT_H
#define HAFT_CLI_PRINT_H

#include <stdio.h>

#include "haft.h"

/* Writes `text` so that a terminal shows it and obeys nothing in it: control characters come out as
 * \u001b, a byte that is no UTF-8 as \xff. */
void haft__print_text(FILE *out, haft_str text);

/* The same on one line of at most 70 characters; what is longer is cut, and "..." says so. */
void haft__print_short(FILE *out, haft_str text);

/* "haft: where: message", and the hint on a line of its own. */
void haft__print_error(FILE *out, const haft_error *err);

#endif
