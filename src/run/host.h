/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/host.h - decisions that a host needs while it performs a run: which calls may start now,
 * which calls a stopped host left unfinished, and when to decide again. No I/O.
 */
#ifndef HAFT_RUN_HOST_H
#define HAFT_RUN_HOST_H

#include "run/run.h"

/* Whether a call may run twice. If so, an interrupted attempt needs no decision of a person. */
bool haft__call_is_repeatable(const haft__run_call *call);

/* Whether a recorded attempt may start now; `durable` says that all events are durable. A call with
 * effects waits for that: after a crash the log must show that it may have run. */
bool haft__call_may_start(const haft__run_call *call, bool durable);

/* Returns the next call, starting at index *at, that a stopped host left unfinished, for
 * haft__decide_recovery. Advances *at past it. NULL: no more. Start with *at = 0. */
const haft__run_call *haft__run_next_orphan(const haft__run *run, size_t *at);

/* The earliest deadline of the pending calls; 0 if there is no deadline. */
uint64_t haft__run_deadline(const haft__run *run);

/* The seq of the newest event that opened a question that only the process of its call can answer;
 * 0 if there is no such question. Such a question cannot wait for the other calls of the turn. */
uint64_t haft__run_local_question_seq(const haft__run *run);

/* Whether the call is pending and no host holds a part of it, so that any later owner of the run
 * can apply an answer. */
bool haft__call_is_pending(const haft__run_call *call);

/* The first pending call whose deadline has passed; NULL if there is none. */
const haft__run_call *haft__run_find_overdue(const haft__run *run, uint64_t now_ms);

/* The answer to a tool's question as the tool receives it: {action, content}. */
haft__json haft__call_elicitation_answer(const haft__run_call *call);

/* Appends the idempotency key of a call, the same for all attempts: RUN:CALL. */
void haft__run_idempotency_key(haft__buf *buf, haft_str run, haft_str call);

#endif
