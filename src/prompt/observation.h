/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/observation.h - truncates a result to the observation that the model sees.
 *
 * The limit is `limits.observation_chars` of the spec, in code points. The log contains the whole
 * result; the tool `read_result` returns its parts.
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

/* Returns the result. If the result is too long, returns its first `chars` code points, the mark,
 * and a line with the id of the call and the number of code points. With `pages`, the line also
 * explains how read_result returns the rest. A truncated text lives in `arena`; .ptr is NULL when
 * out of memory. */
haft_str haft__observation_cut(haft__arena *arena, haft_str result, uint32_t chars, haft_str call,
                               bool pages);

/* Returns a page of a result: at most `limit` and at most `chars` code points from the code point
 * `offset` on. If the result continues after the page, the page ends with the mark and a line with
 * the numbers and the next offset; with `filtered`, the line says that the same `grep` is needed.
 * If the offset is past the end, returns only a line that reports this. The line has at most
 * HAFT__OBSERVATION_LINE_CHARS code points. A text with a line lives in `arena`; .ptr is NULL when
 * out of memory. */
haft_str haft__observation_page(haft__arena *arena, haft_str result, uint64_t offset,
                                uint64_t limit, uint32_t chars, haft_str call, bool filtered);

/* Finds the mark near the end of a text that was shown to the model; a short note may follow it.
 * Returns the text before the mark, or the whole text. *ret_cut is true if the text has a mark. */
haft_str haft__observation_unmark(haft_str shown, bool *ret_cut);

#endif
