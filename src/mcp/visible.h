/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/visible.h - makes hidden characters in untrusted text visible.
 *
 * Hidden characters (base/escape.h) are written as <U+202E>, so that people and models see them.
 * Line feeds and tabs stay. Joiners inside emoji or scripts, and variation selectors (U+FE0F), are
 * written out too, because they can encode hidden text, even if that makes some emoji unreadable.
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
