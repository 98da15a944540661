/* SPDX-License-Identifier: Apache-2.0 */
/* cli/print.h - text from outside, shown to people. */
#ifndef HAFT_CLI_PRINT_H
#define HAFT_CLI_PRINT_H

#include <stdio.h>

#include "haft.h"

/* Writes `text` so that a terminal shows it and obeys nothing in it: control characters come out as
 * \u001b, a byte that is no UTF-8 as \xff (cli/width.h). */
void haft__print_text(FILE *out, haft_str text);

/* The answer of a run, with a line feed: as it is, but to a terminal so that it obeys nothing in it
 * but line feeds and tabs. */
void haft__print_answer(FILE *out, haft_str text);

/* The same as haft__print_text on one line of at most 70 characters; what is longer is cut, and
 * "..." says so. */
void haft__print_short(FILE *out, haft_str text);

/* "haft: where: message", and the hint on a line of its own. */
void haft__print_error(FILE *out, const haft_error *err);

#endif
