/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/call_wait.h - calls that could run and do not yet: which wait for others, and for
 * which. */
#ifndef HAFT_RUN_DECIDE_CALL_WAIT_H
#define HAFT_RUN_DECIDE_CALL_WAIT_H

#include "run/run.h"

/* What keeps a call from running. */
typedef enum haft__call_wait_reason {
    HAFT__CALL_WAIT_NONE,
    HAFT__CALL_WAIT_LANE,     /* another call of its lane is under way */
    HAFT__CALL_WAIT_PARALLEL, /* as many calls run as may at once: limits.parallel */
    HAFT__CALL_WAIT_OTHERS,   /* it is decided about when the other calls of its turn are over */
} haft__call_wait_reason;

typedef struct haft__call_wait {
    haft__call_wait_reason by;
    const haft__run_call *holder; /* of a lane: the one that is under way; else NULL */
    haft_str lane;                /* its name; "" for that of destructive tools without one */
} haft__call_wait;

/* What keeps the call from running now, by what is in the log. */
haft__call_wait haft__call_wait_find(const haft__run *run, const haft__run_call *call);

/* "lane", "room", "others", "". */
const char *haft__call_wait_reason_name(haft__call_wait_reason by);

/* ---- for deciding ---- */

/* The call that is under way in the lane of `call`; NULL: it is free, or there is none. */
const haft__run_call *haft__call_wait_lane_holder(const haft__run *run, const haft__run_call *call);

/* Whether every place of limits.parallel is taken. */
bool haft__call_wait_parallel_full(const haft__run *run);

/* Whether what a person has said to the call makes it run. */
bool haft__call_wait_answer_starts(const haft__run_call *call);

#endif
