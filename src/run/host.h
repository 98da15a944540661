/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/host.h - functions for a host that performs a run: which calls may start now, which calls a
 * stopped host left unfinished, and when to decide again. No I/O.
 */
#ifndef HAFT_RUN_HOST_H
#define HAFT_RUN_HOST_H

#include "run/run.h"

/* Whether a call may run twice. If so, an interrupted call runs again without asking a person. */
bool haft__call_is_repeatable(const haft__run_call *call);

/* Whether the recorded attempt of a call may start now. `durable`: all events are durable. A call
 * with effects waits until all events are durable, so that after a crash the log shows that the
 * call may have run. */
bool haft__call_may_start(const haft__run_call *call, bool durable);

/* Iterates over the calls that a stopped host left unfinished, for haft__decide_recovery. Returns
 * the first such call at index *at or later and sets *at to the index after it; NULL at the end.
 * Start with *at = 0. */
const haft__run_call *haft__run_next_interrupted_call(const haft__run *run, size_t *at);

/* Whether answers can still change the run: the run has not ended, and it does not only wait for
 * its child runs before it ends. */
bool haft__run_takes_answers(const haft__run *run);

/* The earliest deadline of the paused calls; 0 if none has a deadline, or the run takes no answers.
 */
uint64_t haft__run_deadline(const haft__run *run);

/* The seq of the event that opened the newest local question; 0 if there is none. Only the process
 * that runs the call can deliver the answer to a local question. Such a question therefore does not
 * wait for the other calls of the turn. */
uint64_t haft__run_local_question_seq(const haft__run *run);

/* Whether the call is paused and any later owner of the run can apply an answer, because no process
 * has state of the call. */
bool haft__call_is_pending(const haft__run_call *call);

/* The first pending call whose deadline has passed; NULL if there is none. */
const haft__run_call *haft__run_find_overdue(const haft__run *run, uint64_t now_ms);

/* The answer to a tool's question in the form that the tool receives: {action, content}. */
haft__json haft__call_elicitation_answer(const haft__run_call *call);

/* Appends the idempotency key of a call, the same for all attempts: RUN:CALL. */
void haft__run_add_idempotency_key(haft__buf *buf, haft_str run, haft_str call);

#endif
