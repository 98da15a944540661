/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/call_wait.h - finds the reason why an accepted call does not run yet, and the call
 * that it waits for. */
#ifndef HAFT_RUN_DECIDE_CALL_WAIT_H
#define HAFT_RUN_DECIDE_CALL_WAIT_H

#include "run/run.h"

/* The reason why a call does not run yet. */
typedef enum haft__call_wait_reason {
    HAFT__CALL_WAIT_NONE,
    HAFT__CALL_WAIT_LANE,     /* another call of its lane is running */
    HAFT__CALL_WAIT_PARALLEL, /* limits.parallel calls are running */
    HAFT__CALL_WAIT_OTHERS,   /* it is decided after the other calls of its turn */
    HAFT__CALL_WAIT_DELAY,    /* its tool's poll_delay, or the period of a rate limit,
                                has not passed */
} haft__call_wait_reason;

typedef struct haft__call_wait {
    haft__call_wait_reason by;
    const haft__run_call *holder; /* for LANE: the running call; else NULL */
    haft_str lane;                /* its name; "" for the common lane of destructive tools */
} haft__call_wait;

/* Returns why the call cannot run now, according to the log. */
haft__call_wait haft__call_wait_find(const haft__run *run, const haft__run_call *call);

/* Whether the call is a control call: it is judged after the other calls of its turn. Calls of
 * nodes are never control calls. */
bool haft__call_is_control(const haft__run_call *call);

/* "lane", "room", "others", "delay", "". */
const char *haft__call_wait_reason_name(haft__call_wait_reason by);

/* ---- used by decide ---- */

/* Returns the running call in the lane of `call`; NULL if the lane is free or the call has no
 * lane. */
const haft__run_call *haft__call_wait_lane_holder(const haft__run *run, const haft__run_call *call);

/* Whether limits.parallel calls are running. */
bool haft__call_wait_parallel_full(const haft__run *run);

/* The time in milliseconds before which the call must not start, because its tool polls or because
 * of a rate limit; UINT64_MAX while another call of a tool that polls is running, 0 without a
 * delay. */
uint64_t haft__call_wait_poll_at(const haft__run *run, const haft__run_call *call);

/* The earliest time after `now_ms` at which a delay ends; 0 if no call waits for one. */
uint64_t haft__call_wait_next_poll(const haft__run *run, uint64_t now_ms);

/* Whether a person's answer to the call makes it start. */
bool haft__call_wait_answer_starts(const haft__run_call *call);

#endif
