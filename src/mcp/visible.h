/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/visible.h - text of somebody else with nothing hidden in it.
 *
 * Control characters, marks that turn the direction of writing, characters without width, tags and
 * private characters are written out as <U+202E>: a person and a model see that they are there.
 * Line feeds and tabs stay. A joiner between two signs of an emoji or of a script that needs it,
 * and what chooses how a sign looks (U+FE0F), are written out too: a text can be spelt with them,
 * and hiding is worse than an ugly emoji.
 */
#ifndef HAFT_MCP_VISIBLE_H
#define HAFT_MCP_VISIBLE_H

#include "base/arena.h"
#include "base/buf.h"

/* Whether a character is one of those. */
bool haft__visible_is_hidden(uint32_t code);

/* Appends the text made visible; bytes that are no UTF-8 as <0xFF>. At most `most` bytes of it,
 * with
 * "..." as the last of them when something was cut. */
void haft__visible_append(haft__buf *buf, haft_str text, size_t most);

/* The same in an arena: `text` itself where nothing has to be changed. */
HAFT_MUST_USE haft_status haft__visible_copy(haft__arena *arena, haft_str text, size_t most,
                                             haft_str *ret_text, haft_error *err);

#endif
