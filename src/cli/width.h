/* SPDX-License-Identifier: Apache-2.0 */
/* cli/width.h - how many columns of a terminal a character takes. */
#ifndef HAFT_CLI_WIDTH_H
#define HAFT_CLI_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

/* 0 for marks that stand on the character before them, 2 for wide ones (East Asian Wide and
 * Fullwidth, emoji), else 1. What a terminal obeys instead of showing is 1, too: see below. */
unsigned haft__width(uint32_t code);

/* Whether it steers a terminal or changes the order of what is shown: never to be printed as it
 * is. */
bool haft__width_hidden(uint32_t code);

#endif
