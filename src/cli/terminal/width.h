/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/width.h - escapes text for a terminal, measures its width, and shortens it.
 *
 * Hidden characters are escaped (base/escape.h), so that the terminal does not interpret them and a
 * person sees them.
 */
#ifndef HAFT_CLI_TERMINAL_WIDTH_H
#define HAFT_CLI_TERMINAL_WIDTH_H

#include <stdbool.h>

#include "base/escape.h"

/* Returns the width of a character: 0 for a combining character, 2 for a wide character. */
unsigned haft__width_of_code(uint32_t code);

/* An escaped character. */
typedef struct haft__escaped_char {
    char bytes[HAFT__ESCAPE_BYTES];
    uint8_t length, columns;
} haft__escaped_char;

/* Escapes the first character of a text that is not empty. Returns the bytes of that character. */
size_t haft__escape_next(haft_str text, haft__escaped_char *ret_char);

/* The same for text on which no approval depends: usual hidden characters, such as emoji joiners,
 * are not escaped. */
size_t haft__escape_next_prose(haft_str text, haft__escaped_char *ret_char);

/* Returns the width of a text after escaping. */
size_t haft__width_of_text(haft_str text);

/* Appends the text as a part of a line, at most `columns` wide, with single spaces for white space.
 * A text that does not fit is shortened and ends with `mark`. Returns the width. */
size_t haft__escape_add_line(haft__buf *buf, haft_str text, size_t columns, haft_str mark);

#endif
