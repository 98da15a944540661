/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/context/context_view.h - writes the parts of a shortened history, and the request for a
 * summary.
 *
 * In run->messages, cleared observations are stubs, and a text below the task replaces old turns.
 * The whole results stay in run->calls and in the log, where read_result finds them.
 */
#ifndef HAFT_RUN_CONTEXT_CONTEXT_VIEW_H
#define HAFT_RUN_CONTEXT_CONTEXT_VIEW_H

#include "model/model.h"
#include "prompt/context.h"
#include "run/run.h"

/* Makes an array with the sizes of all messages of the run, in `arena`; NULL when out of memory.
 * Without `stubs`, stub_tokens is 0. */
haft__context_part *haft__context_parts(const haft__run *run, haft__arena *arena, bool stubs);

/* Whether the message is the result of a call and not a stub. */
bool haft__context_is_observation(const haft__run *run, const haft__message *message);

/* Whether the history may begin with the message at this index: it begins a turn, or before the
 * task a run of the thread. */
bool haft__context_begins_turn(const haft__run *run, size_t index);

/* The size that a stub of an old observation saves; 0 for a spared tool. */
uint64_t haft__context_saved_by_stub(const haft__run *run, const haft__message *message);

/* The text of a cleared observation, in `arena`; .ptr is NULL when out of memory. */
haft_str haft__context_stub(const haft__run *run, const haft__message *message, haft__arena *arena);

/* The task, followed by the text that replaces old turns, in `arena`; .ptr is NULL when out of
 * memory. */
haft_str haft__context_task(const haft__run *run, haft_str text, haft__arena *arena);

/* Makes an array that marks the messages that a REPLACE up to `end` removes, in `arena`; NULL when
 * out of memory. */
bool *haft__context_removed(const haft__run *run, size_t end, haft__arena *arena,
                            size_t *ret_count);

/* Appends the text that lists the removed messages: the calls and their results. The text begins
 * with the current text that replaces earlier turns. If it has more than `max` tokens, the oldest
 * lines are omitted. */
void haft__context_list(haft__buf *buf, const haft__run *run, const bool *removed, uint64_t max);

/* Appends a line with the first and the last removed call; nothing if no call is removed. */
void haft__context_add_range(haft__buf *buf, const haft__run *run, const bool *removed);

/* The size of the removed messages and of the current text that replaces earlier turns. */
uint64_t haft__context_removed_size(const haft__run *run, const bool *removed);

/* Makes the request for a summary: a system prompt and the removed messages as one text, without
 * tools. */
HAFT_MUST_USE haft_status haft__context_summary_request(const haft__run *run, haft__arena *arena,
                                                        haft__request *ret_request,
                                                        haft_error *err);

#endif
