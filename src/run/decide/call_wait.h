/* SPDX-License-Identifier: Apache-2.0 */
/* run/decide/call_wait.h - calls that could run and do not yet: which wait for others, and for
 * which. */
#ifndef HAFT_RUN_DECIDE_CALL_WAIT_H
#define HAFT_RUN_DECIDE_CALL_WAIT_H

#include "run/run.h"

/* What keeps a call from running. */
typedef enum haft__held_by {
    HAFT__HELD_NOT,
    HAFT__HELD_LANE,   /* another call of its lane is under way */
    HAFT__HELD_ROOM,   /* as many calls run as may at once: limits.parallel */
    HAFT__HELD_OTHERS, /* it is decided about when the other calls of its turn are over */
} haft__held_by;

typedef struct haft__held {
    haft__held_by by;
    const haft__run_call *behind; /* of a lane: the one that is under way; else NULL */
    haft_str lane;                /* its name; "" for that of destructive tools without one */
} haft__held;

/* What keeps the call from running now, by what is in the log. */
haft__held haft__held_look(const haft__run *run, const haft__run_call *call);

/* "lane", "room", "others", "". */
const char *haft__held_name(haft__held_by by);

/* ---- for deciding ---- */

/* The call that is under way in the lane of `call`; NULL: it is free, or there is none. */
const haft__run_call *haft__held_behind(const haft__run *run, const haft__run_call *call);

/* Whether every place of limits.parallel is taken. */
bool haft__held_is_full(const haft__run *run);

/* Whether what a person has said to the call makes it run. */
bool haft__held_may_start(const haft__run_call *call);

#endif
