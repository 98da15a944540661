/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/host.h - what whoever performs a run has to know of it: which calls may start now, which were
 * left by a host that is no more, when to look again. Decisions, so they are here, without a host.
 */
#ifndef HAFT_RUN_HOST_H
#define HAFT_RUN_HOST_H

#include "run/run.h"

/* Whether a call may be made twice: then nobody has to be asked what became of the first time. */
bool haft__call_is_repeatable(const haft__run_call *call);

/* Whether an attempt that was recorded may be made now; `durable` says that all events are. What
 * has effects waits for that: after a crash nobody would know of the effect. */
bool haft__call_may_start(const haft__run_call *call, bool durable);

/* The next call from the *at-th on that a host left in the middle, for haft__decide_recovery; *at
 * is then behind it. NULL: no more. Begin with 0. */
const haft__run_call *haft__run_next_orphan(const haft__run *run, size_t *at);

/* The first deadline of what waits for people; 0: none. */
uint64_t haft__run_deadline(const haft__run *run);

/* The newest question that is open in the process that runs its call and goes with it, as the event
 * that says so; 0: there is none. Such a question cannot wait for the other calls of the turn. */
uint64_t haft__run_local_question_seq(const haft__run *run);

/* Whether the call waits for somebody, with nothing of it left in a host: whoever takes the run up
 * can take an answer to it. */
bool haft__call_is_pending(const haft__run_call *call);

/* The first such call whose deadline has passed; NULL: none. */
const haft__run_call *haft__run_find_overdue(const haft__run *run, uint64_t now_ms);

/* What a tool is told of the answer to its question: {action, content}. */
haft__json haft__call_elicitation_answer(const haft__run_call *call);

/* Appends what a tool knows all attempts of a call by: RUN:CALL. */
void haft__run_idempotency_key(haft__buf *buf, haft_str run, haft_str call);

#endif
