/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/escape.h - text from outside in the form in which a person decides on it.
 *
 * Every place where a person decides (prompts of a terminal, pending calls, forms of an MCP client,
 * lists of approvals) escapes with these functions. A hidden character becomes \u202e, one above
 * U+FFFF two such escapes as in JSON, a byte that is not UTF-8 \xff. Joiners and variation
 * selectors (U+200D, U+FE0F) are hidden characters too, also inside emoji: they can carry text that
 * only a program sees.
 */
#ifndef HAFT_BASE_ESCAPE_H
#define HAFT_BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The longest escape: two surrogates. */
#define HAFT__ESCAPE_BYTES 12

/* Whether a person cannot see the character, or sees other text in a different order because of
 * it: control characters, line and paragraph separators, direction marks, default-ignorable
 * characters of Unicode (zero width, variation selectors, tags), the blank braille pattern, private
 * use, noncharacters. Combining marks are visible. */
bool haft__escape_is_hidden(uint32_t code);

/* Whether the character belongs to ordinary prose although it is hidden: joiners, direction marks
 * without an embedding, the soft hyphen, and the selectors of text and emoji style. A text
 * that a person must approve must not keep it. */
bool haft__escape_is_prose_mark(uint32_t code);

/* Writes the escape of a code point. Returns its length. */
size_t haft__escape_code(uint32_t code, char to[HAFT__ESCAPE_BYTES]);

/* Writes the first character of a text that is not empty, escaped if it is hidden or not UTF-8.
 * Returns its length; *ret_used is its length in the text. */
size_t haft__escape_first(haft_str text, char to[HAFT__ESCAPE_BYTES], size_t *ret_used);

/* Appends a text in one line: line feeds and tabs are escaped too. */
void haft__escape_add(haft__buf *buf, haft_str text);

/* The same with line feeds and tabs unchanged. */
void haft__escape_add_lines(haft__buf *buf, haft_str text);

#endif
