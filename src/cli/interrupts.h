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
    unsigned keys;     /* SIGINT: Ctrl-C */
    unsigned requests; /* SIGTERM and SIGHUP */
    haft__signals *signals;
} haft__interrupts;

/* From now on these signals are counted and do nothing else. The struct must stay where it is. */
HAFT_MUST_USE haft_status haft__interrupts_catch(haft__interrupts *interrupts, haft__loop *loop,
                                                 haft_error *err);

/* They do again what they did before, unless others count them, too. */
void haft__interrupts_release(haft__interrupts *interrupts);

static inline bool haft__interrupted(const haft__interrupts *interrupts)
{
    return interrupts->keys > 0 || interrupts->requests > 0;
}

#endif
