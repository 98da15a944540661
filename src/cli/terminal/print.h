/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/print.h - text from outside, shown to people. */
#ifndef HAFT_CLI_TERMINAL_PRINT_H
#define HAFT_CLI_TERMINAL_PRINT_H

#include <stdio.h>

#include "haft.h"

/* Writes `text` so that a terminal shows it and obeys nothing in it: control characters come out as
 * \u001b, a byte that is no UTF-8 as \xff (cli/terminal/width.h). */
void haft__print_escaped(FILE *out, haft_str text);

/* Content of a run: as it is, but to a terminal so that it obeys nothing in it but line feeds and
 * tabs. An answer has a line feed behind it. */
void haft__print_content(FILE *out, haft_str text);
void haft__print_answer(FILE *out, haft_str text);

/* JSON text: as it is, but to a terminal with \uXXXX for what steers it (cli/terminal/width.h),
 * which is the same JSON. */
void haft__print_json(FILE *out, haft_str text);

/* The same as haft__print_escaped on one line of at most 70 characters: " / " where a line ends;
 * what is longer is cut, and "..." says so. */
void haft__print_excerpt(FILE *out, haft_str text);

/* "haft: where: message", and the hint on a line of its own. */
void haft__print_error(FILE *out, const haft_error *err);

#endif
