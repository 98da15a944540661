/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/visible.h - makes hidden characters in untrusted text visible.
 *
 * A hidden character (base/escape.h) is written as its code, such as <U+202E>, so that people and
 * models see it. Line feeds and tabs stay. Joiners and variation selectors (U+FE0F) count as
 * hidden, because they can encode hidden text. Some emoji contain them and become unreadable.
 */
#ifndef HAFT_MCP_VISIBLE_H
#define HAFT_MCP_VISIBLE_H

#include "base/arena.h"
#include "base/buf.h"

/* Whether a character is hidden. */
bool haft__visible_is_hidden(uint32_t code);

/* Appends the visible form of the text, with invalid UTF-8 bytes as <0xFF>. It has at most `max`
 * bytes, with "..." at the end if it was truncated. */
void haft__visible_append(haft__buf *buf, haft_str text, size_t max);

/* Returns the visible form in an arena, or `text` itself if it contains no hidden characters. */
HAFT_MUST_USE haft_status haft__visible_copy(haft__arena *arena, haft_str text, size_t max,
                                             haft_str *ret_text, haft_error *err);

#endif
