/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/thread_queue.h - what a run does whose thread has other runs that have not ended.
 *
 * Runs of a thread go one after the other, in the order in which they were created. What a spec
 * says under `multitask` decides what becomes of a new one while another is under way. A decision
 * needs only what a store knows, so that whoever takes a run up decides the same.
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

/* What a spec says; ENQUEUE for anything else. */
haft__multitask haft__multitask_of(haft_str text);

/* Whether a new run is only to be created when no other of its thread is open. */
bool haft__queue_requires_exclusive(haft__multitask multitask);

/* A run of the same thread that was created earlier and has not ended. */
typedef struct haft__queue_ahead {
    bool here;             /* it goes on in this process */
    bool owned;            /* somebody has it, and is not known to be gone */
    bool cancel_requested; /* it has been asked to end */
} haft__queue_ahead;

typedef enum haft__queue_step {
    HAFT__QUEUE_WAIT,             /* look again later */
    HAFT__QUEUE_CANCEL_LOCAL,     /* cancel it here, where it runs */
    HAFT__QUEUE_SEND_CANCEL,      /* ask whoever has it to cancel it */
    HAFT__QUEUE_CLAIM_AND_CANCEL, /* nobody has it: take it up and cancel it */
} haft__queue_step;

/* What a run that has been created does about one that is ahead of it. */
haft__queue_step haft__queue_decide(haft__multitask multitask, haft__queue_ahead ahead);

#endif
