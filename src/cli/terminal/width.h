/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/width.h - text from outside in lines of a terminal: harmless, and no wider than
 * there is room.
 *
 * Harmless: a control character, and a mark that turns the direction of text, comes out as \u001b;
 * a byte that is no UTF-8 as \xff. A terminal shows it and obeys nothing in it.
 */
#ifndef HAFT_CLI_TERMINAL_WIDTH_H
#define HAFT_CLI_TERMINAL_WIDTH_H

#include <stdbool.h>

#include "base/buf.h"

/* The columns of a character: 0 for what combines with the one before, 2 for wide ones. */
unsigned haft__width_of_code(uint32_t code);

/* Whether it steers a terminal, or changes the order of what is shown: never to be printed as it
 * is. */
bool haft__width_is_unsafe(uint32_t code);

/* One character as it is shown. */
typedef struct haft__escaped_char {
    char bytes[8];
    uint8_t length, columns;
} haft__escaped_char;

/* The first character of a text that is not empty; how many bytes of the text it takes. */
size_t haft__escape_next(haft_str text, haft__escaped_char *ret_char);
void haft__escape_add(haft__buf *buf, haft_str text);

/* The columns a text takes when it is shown like that. */
size_t haft__width_of_text(haft_str text);

/* Appends the text as a part of a line: at most `columns` wide, white space as single spaces; where
 * something had to be cut off stands `mark`. Returns the columns it takes. */
size_t haft__escape_add_line(haft__buf *buf, haft_str text, size_t columns, haft_str mark);

#endif
