/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/nested.h - calls that code makes (python_execution): calls of the batch with a parent.
 *
 * After an interruption the code runs again from its beginning. Its n-th call then gets the result
 * of the n-th recorded call, if tool and arguments have the same hash; otherwise the code has taken
 * another way, and its outcome is unknown.
 */
#ifndef HAFT_RUN_NESTED_H
#define HAFT_RUN_NESTED_H

#include "run/run.h"

bool haft__call_runs_code(const haft__run_call *call);

/* The id of the next call of the code: c3.1.2. */
haft_str haft__nested_id(haft__arena *arena, const haft__run_call *parent);

/* The recorded call with this number, from 1; NULL if the code has not made it yet. */
const haft__run_call *haft__nested_find(const haft__run *run, size_t parent, uint32_t number);

/* The hash of a call as the code wrote it. */
HAFT_MUST_USE haft_status haft__nested_hash(haft_str tool, haft__json arguments, uint64_t *ret_hash,
                                            haft_error *err);

/* Whether the call has a result for the code: it has finished or was refused. */
bool haft__call_is_over(const haft__run_call *call);

/* Writes the body of call_requested. `redacted`: the arguments contain a secret. */
void haft__input_call_requested(haft__buf *buf, const haft__run_call *parent, haft_str id,
                                haft_str tool, haft__json arguments, uint64_t hash, bool redacted);

#endif
