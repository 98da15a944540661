/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/grapheme.h - finds the bytes of a text that share a cell of a terminal; see
 * cli/terminal/width.h. */
#ifndef HAFT_CLI_TERMINAL_GRAPHEME_H
#define HAFT_CLI_TERMINAL_GRAPHEME_H

#include <stddef.h>
#include <stdint.h>

#include "haft.h"

/* Returns the bytes of the first character of `text` with all its combining marks (0 at the end),
 * and its width in cells. A byte that is not UTF-8 counts as a character; a control character has
 * no marks. */
size_t haft__grapheme_next(haft_str text, unsigned *ret_cells);

#endif
