/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/escape.h - escapes hidden characters in foreign text that a person reads before a decision.
 *
 * All texts for decisions (prompts of a terminal, pending calls, forms of an MCP client, lists of
 * approvals) are escaped with these functions. A hidden character becomes an escape such as \u202e;
 * above U+FFFF, it becomes two such escapes as in JSON. A byte that is not UTF-8 becomes an escape
 * such as \xff. Joiners and variation selectors (U+200D, U+FE0F) are also hidden characters, even
 * inside emoji, because they can encode text that only a program sees.
 */
#ifndef HAFT_BASE_ESCAPE_H
#define HAFT_BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The longest escape: two surrogates. */
#define HAFT__ESCAPE_BYTES 12

/* Whether the character is invisible, or changes the order of visible text: control characters,
 * line and paragraph separators, direction marks, default-ignorable characters of Unicode (zero
 * width, variation selectors, tags), the blank braille pattern, private use, noncharacters.
 * Combining marks are visible. */
bool haft__escape_is_hidden(uint32_t code);

/* Whether the hidden character occurs in ordinary prose: joiners, direction marks without an
 * embedding, the soft hyphen, and the selectors of text and emoji style. In a text that a person
 * must approve, it must still be escaped. */
bool haft__escape_is_prose_mark(uint32_t code);

/* Writes the escape of a code point. Returns its length. */
size_t haft__escape_code(uint32_t code, char to[HAFT__ESCAPE_BYTES]);

/* Writes the first character of a text that is not empty, escaped if it is hidden or not UTF-8.
 * Returns its length; *ret_used is its length in the text. */
size_t haft__escape_first(haft_str text, char to[HAFT__ESCAPE_BYTES], size_t *ret_used);

/* Appends a text as one line: also escapes line feeds and tabs. */
void haft__escape_add(haft__buf *buf, haft_str text);

/* Like haft__escape_add, with line feeds and tabs unchanged. */
void haft__escape_add_lines(haft__buf *buf, haft_str text);

#endif
