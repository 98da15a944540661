/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/context/context_view.h - the history of a run as the model sees it after a part gave way, and
 * the request for a summary.
 *
 * run->messages is a view over the log: observations that were cleared are stubs in it, and old
 * turns are a text below the task. The results themselves stay in run->calls and in the log, where
 * read_result finds them.
 */
#ifndef HAFT_RUN_CONTEXT_CONTEXT_VIEW_H
#define HAFT_RUN_CONTEXT_CONTEXT_VIEW_H

#include "model/model.h"
#include "prompt/context.h"
#include "run/run.h"

/* The messages of the run by their size, run->messages.count of them, in `arena`; NULL when out of
 * memory. Without `stubs`, stub_tokens is 0. */
haft__context_part *haft__context_parts(const haft__run *run, haft__arena *arena, bool stubs);

/* The text of a cleared observation, in `arena`; .ptr is NULL when out of memory. */
haft_str haft__context_stub(const haft__run *run, const haft__message *message, haft__arena *arena);

/* The task with the text in place of old turns below it, in `arena`; .ptr is NULL when out of
 * memory. */
haft_str haft__context_task(const haft__run *run, haft_str text, haft__arena *arena);

/* Which messages a REPLACE up to `end` removes, in `arena`; NULL when out of memory. */
bool *haft__context_removed(const haft__run *run, size_t end, haft__arena *arena,
                            size_t *ret_count);

/* Appends the text that lists the removed messages: which calls were made, and their results. It
 * begins with the text that stood there before; the oldest lines are left out if it has more than
 * `most` tokens. */
void haft__context_list(haft__buf *buf, const haft__run *run, const bool *removed, uint64_t most);

/* Appends a line with the first and the last of the removed calls; nothing without any. */
void haft__context_add_range(haft__buf *buf, const haft__run *run, const bool *removed);

/* The size of the removed messages, and of the text that stands in place of earlier ones. */
uint64_t haft__context_removed_size(const haft__run *run, const bool *removed);

/* The request for a summary: no tools, a system prompt, and the removed messages as one text. */
HAFT_MUST_USE haft_status haft__context_summary_request(const haft__run *run, haft__arena *arena,
                                                        haft__request *ret_request,
                                                        haft_error *err);

#endif
