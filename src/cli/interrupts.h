/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/interrupts.h - whether somebody wants the command to stop.
 *
 * Signals are counted on the loop, which they wake: nobody has to look for them in between.
 */
#ifndef HAFT_CLI_INTERRUPTS_H
#define HAFT_CLI_INTERRUPTS_H

#include "io/signals.h"

typedef struct haft__interrupts {
    unsigned sigint_count;  /* SIGINT: Ctrl-C */
    unsigned sigterm_count; /* SIGTERM and SIGHUP */
    haft__signals *signals;
} haft__interrupts;

/* From now on these signals are counted and do nothing else. The struct must stay where it is. */
HAFT_MUST_USE haft_status haft__interrupts_watch(haft__interrupts *interrupts, haft__loop *loop,
                                                 haft_error *err);

/* They do again what they did before, unless others count them, too. */
void haft__interrupts_release(haft__interrupts *interrupts);

static inline bool haft__interrupts_pending(const haft__interrupts *interrupts)
{
    return interrupts->sigint_count > 0 || interrupts->sigterm_count > 0;
}

#endif
