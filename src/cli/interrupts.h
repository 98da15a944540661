/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupts.h - counts the signals that ask the command to stop.
 *
 * A signal wakes the loop, so that no code has to poll for signals.
 */
#ifndef HAFT_CLI_INTERRUPTS_H
#define HAFT_CLI_INTERRUPTS_H

#include "io/signals.h"

typedef struct haft__interrupts {
    unsigned sigint_count;  /* SIGINT: Ctrl-C */
    unsigned sigterm_count; /* SIGTERM and SIGHUP */
    haft__signals *signals;
} haft__interrupts;

/* Counts these signals from now on; they no longer end the process. The struct must not move. */
HAFT_MUST_USE haft_status haft__interrupts_watch(haft__interrupts *interrupts, haft__loop *loop,
                                                 haft_error *err);

/* Stops counting. Restores the previous signal handling, unless another haft__interrupts is active.
 */
void haft__interrupts_release(haft__interrupts *interrupts);

static inline bool haft__interrupts_pending(const haft__interrupts *interrupts)
{
    return interrupts->sigint_count > 0 || interrupts->sigterm_count > 0;
}

#endif
