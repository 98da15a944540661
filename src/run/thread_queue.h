/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/thread_queue.h - decides the next step of a new run whose thread has other open runs.
 *
 * Runs of a thread execute one after the other, in the order of their creation. `multitask` of the
 * spec decides what happens to a new run while another run is open. A decision depends only on data
 * of the store, so that every owner of the run decides the same.
 */
#ifndef HAFT_RUN_THREAD_QUEUE_H
#define HAFT_RUN_THREAD_QUEUE_H

#include <stdbool.h>

#include "haft.h"

#define HAFT__MULTITASKS(X)                                                                        \
    X(ENQUEUE, "enqueue")                                                                          \
    X(REJECT, "reject")                                                                            \
    X(INTERRUPT, "interrupt")

typedef enum haft__multitask {
#define X(name, text) HAFT__MULTITASK_##name,
    HAFT__MULTITASKS(X)
#undef X
} haft__multitask;

/* The value of `multitask`; ENQUEUE for any other text. */
haft__multitask haft__multitask_of(haft_str text);

/* Whether a new run may only be created if no other run of its thread is open. */
bool haft__queue_requires_exclusive(haft__multitask multitask);

/* A run of the same thread that was created earlier and has not ended. */
typedef struct haft__queue_ahead {
    bool here;             /* the run is in this process */
    bool owned;            /* the run has an owner that may still work */
    bool cancel_requested; /* a cancel command for the run is stored */
} haft__queue_ahead;

typedef enum haft__queue_step {
    HAFT__QUEUE_WAIT,             /* check again later */
    HAFT__QUEUE_CANCEL_LOCAL,     /* cancel the earlier run in this process */
    HAFT__QUEUE_SEND_CANCEL,      /* send a cancel command to the owner of the earlier run */
    HAFT__QUEUE_CLAIM_AND_CANCEL, /* the earlier run has no owner: claim and cancel it */
} haft__queue_step;

/* Decides the next step of a new run that has `ahead` before it in the thread. */
haft__queue_step haft__queue_decide(haft__multitask multitask, haft__queue_ahead ahead);

#endif
