/* SPDX-License-Identifier: Apache-2.0 */
/* cli/models/price_print.h - prints the price of a model for people. */
#ifndef HAFT_CLI_MODELS_PRICE_PRINT_H
#define HAFT_CLI_MODELS_PRICE_PRINT_H

#include <stdio.h>

#include "spec/spec.h"

/* Prints "$0.75 input, $4.5 output, $0.075 cached per million tokens (built in)". */
void haft__price_print(FILE *out, const haft__price *price);

#endif
