/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupts.h - whether a signal asks the command to stop.
 *
 * Signals are counted on the loop and wake it, so that nothing has to poll for them.
 */
#ifndef HAFT_CLI_INTERRUPTS_H
#define HAFT_CLI_INTERRUPTS_H

#include "io/signals.h"

typedef struct haft__interrupts {
    unsigned sigint_count;  /* SIGINT: Ctrl-C */
    unsigned sigterm_count; /* SIGTERM and SIGHUP */
    haft__signals *signals;
} haft__interrupts;

/* From now on these signals are only counted. The struct must not move. */
HAFT_MUST_USE haft_status haft__interrupts_watch(haft__interrupts *interrupts, haft__loop *loop,
                                                 haft_error *err);

/* Restores the previous handling, unless others count them, too. */
void haft__interrupts_release(haft__interrupts *interrupts);

static inline bool haft__interrupts_pending(const haft__interrupts *interrupts)
{
    return interrupts->sigint_count > 0 || interrupts->sigterm_count > 0;
}

#endif
