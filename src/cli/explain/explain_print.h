/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain/explain_print.h - prints the output of `haft explain` as text. */
#ifndef HAFT_CLI_EXPLAIN_EXPLAIN_PRINT_H
#define HAFT_CLI_EXPLAIN_EXPLAIN_PRINT_H

#include <stdio.h>

#include "engine/ops/explain.h"

void haft__explain_print(FILE *out, const haft__explanation *e);

#endif
