/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/width.h - escapes text from outside for a terminal, and measures and cuts it to
 * columns.
 *
 * Hidden characters are escaped (base/escape.h): the terminal interprets none of them, and a person
 * sees each.
 */
#ifndef HAFT_CLI_TERMINAL_WIDTH_H
#define HAFT_CLI_TERMINAL_WIDTH_H

#include <stdbool.h>

#include "base/escape.h"

/* The columns of a character: 0 for a combining one, 2 for a wide one. */
unsigned haft__width_of_code(uint32_t code);

/* One character, escaped. */
typedef struct haft__escaped_char {
    char bytes[HAFT__ESCAPE_BYTES];
    uint8_t length, columns;
} haft__escaped_char;

/* Escapes the first character of a text that is not empty. Returns the bytes of that character. */
size_t haft__escape_next(haft_str text, haft__escaped_char *ret_char);

/* The same for prose, text on which no approval depends: its usual marks, such as emoji joiners,
 * are not escaped. */
size_t haft__escape_next_prose(haft_str text, haft__escaped_char *ret_char);

/* Returns the columns of a text after escaping. */
size_t haft__width_of_text(haft_str text);

/* Appends the text as a part of a line, at most `columns` wide and with white space as single
 * spaces. If the text is cut, `mark` ends it. Returns the columns. */
size_t haft__escape_add_line(haft__buf *buf, haft_str text, size_t columns, haft_str mark);

#endif
