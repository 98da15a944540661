/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/declaration_print.h - prints the parts of the declared tools that are not sent to the
 * provider. */
#ifndef HAFT_CLI_EXPLAIN_DECLARATION_PRINT_H
#define HAFT_CLI_EXPLAIN_DECLARATION_PRINT_H

#include <stdio.h>

#include "engine/ops/declaration_report.h"

/* Prints a section with one line for each keyword that is not sent; nothing if all are sent. */
void haft__declaration_print(FILE *out, const haft__declaration_report *report);

/* Prints a note with all keywords, and a warning about too many tools. */
void haft__declaration_print_notes(FILE *out, const haft__declaration_report *report);

/* Prints a note with the keywords that are not sent to the provider `name`; nothing if all are
 * sent. */
void haft__declaration_print_left_out(FILE *out, const char *name,
                                      const haft__relax_report *left_out);

#endif
