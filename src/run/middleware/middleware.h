/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/middleware/middleware.h - the way of a call, and of a request to the model, through the
 * middleware of a spec.
 *
 *     before_model   1 -> 2 -> 3 -> model        before_tool   1 -> 2 -> 3 -> tool
 *     after_model    1 <- 2 <- 3 <- model        after_tool    1 <- 2 <- 3 <- tool
 *
 * A rule is evaluated at each decision. A hook is a program: `hook_started` is recorded before it
 * runs, and `intervention` has its reply. Both are found by the name of the entry, so that a spec
 * whose entries have changed never runs a hook again for the same call.
 */
#ifndef HAFT_RUN_MIDDLEWARE_MIDDLEWARE_H
#define HAFT_RUN_MIDDLEWARE_MIDDLEWARE_H

#include "run/run.h"

/* Whether the entry with this name has decided at this place. */
bool haft__passage_has(const haft__passage *passage, haft_str name, haft__hook_point at);

/* The entry with this name; NULL if the spec has none. */
const haft__middleware *haft__middleware_find(const haft__spec *spec, haft_str name);

/* Whether the entry applies to the call. An entry that names no tools does not apply to control
 * tools: a limit or a veto for all tools must not keep a run from ending. */
bool haft__middleware_concerns(const haft__middleware *entry, const haft__run_call *call);

/* The next entry, from the innermost to the outermost, that changes or checks the result of the
 * call; NULL if none is left. `ok`: the call has a result, not an error. */
const haft__middleware *haft__middleware_next_after(const haft__run *run,
                                                    const haft__run_call *call, bool ok);

/* Whether no entry is left after this one. */
bool haft__middleware_is_last(const haft__run *run, const haft__run_call *call,
                              const haft__middleware *entry, bool ok);

/* The next hook of the open request or of its reply; NULL if none is left. */
const haft__middleware *haft__middleware_next_for_model(const haft__run *run, haft__hook_point at);

/* Whether the limit does not allow another call. */
bool haft__call_limit_is_reached(const haft__run *run, const haft__middleware *entry,
                                 const haft__run_call *call);

/* The earliest time at which the rate limits allow the call to start, in milliseconds; 0: now. If
 * it is not 0, *ret_entry is the entry with that limit. */
uint64_t haft__rate_limit_at(const haft__run *run, const haft__run_call *call,
                             const haft__middleware **ret_entry);

/* Whether an entry `select_tools` leaves the tool out of the next turn. */
const haft__middleware *haft__selection_find(const haft__run *run, const haft__tool *tool);

/* Whether the entry applies to the next turn. */
bool haft__selection_is_active(const haft__run *run, const haft__middleware *entry);

/* Appends what a result of an error becomes: `text` of the entry, with {tool} and {error}. */
void haft__error_text_write(haft__buf *buf, haft_str text, haft_str tool, haft_str error);

#endif
