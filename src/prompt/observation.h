/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/observation.h - truncates an observation: how much of a result the model sees.
 *
 * The limit is `limits.observation_chars` of the spec, in code points. The log keeps the whole
 * result; the tool `read_result` pages through it.
 */
#ifndef HAFT_PROMPT_OBSERVATION_H
#define HAFT_PROMPT_OBSERVATION_H

#include "base/arena.h"

/* The end of a truncated result. */
#define HAFT__OBSERVATION_MARK "\n\xE2\x80\xA6 (observation truncated)"

/* The longest line about a page, with the mark. */
#define HAFT__OBSERVATION_LINE_CHARS 512

/* Whether the result is longer than `chars`. */
bool haft__observation_is_cut(haft_str result, uint32_t chars);

/* Returns the result, or its first `chars` code points, the mark, and a line with the id of the
 * call and the number of code points; with `pages` it also says how read_result returns the rest. A
 * truncated text lives in `arena`; .ptr is NULL when out of memory. */
haft_str haft__observation_cut(haft__arena *arena, haft_str result, uint32_t chars, haft_str call,
                               bool pages);

/* Returns at most `limit` code points of a result, starting at the code point `offset`, and never
 * more than `chars`. If more follows, the page ends with the mark and a line with the numbers and
 * the next offset, and with `filtered` it says that the same `grep` is needed. An offset past the
 * end gives a line that says so. The line has at most HAFT__OBSERVATION_LINE_CHARS code points. A
 * text with a line lives in `arena`; .ptr is NULL when out of memory. */
haft_str haft__observation_page(haft__arena *arena, haft_str result, uint64_t offset,
                                uint64_t limit, uint32_t chars, haft_str call, bool filtered);

/* Finds the mark near the end of a text that was shown to the model; a short note may follow it.
 * Returns the text before the mark, or the whole text. *ret_cut says whether there is a mark. */
haft_str haft__observation_unmark(haft_str shown, bool *ret_cut);

#endif
