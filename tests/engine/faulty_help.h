/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_help.h - a runtime whose store fails as it is told to, and whose clocks are the test's.
 *
 * The store is that of memory:, taken for one that other processes use too: it has leases.
 */
#ifndef HAFT_TESTS_FAULTY_HELP_H
#define HAFT_TESTS_FAULTY_HELP_H

#include "engine_help.h"
#include "store/backend.h"

/* What happens to requests that write events. */
typedef enum help_faulty {
    HELP_FINE,
    HELP_NOT_KEPT,  /* nothing is done, and IO is reported */
    HELP_KEPT,      /* it is done, and IO is reported */
    HELP_KEPT_LATE, /* once: nothing is done and IO is reported; what comes next is done and said to
                       be refused */
    HELP_STOPPED,   /* once: it is done, and the process stopped for the length of a lease */
    HELP_TAKEN,     /* once: a run is taken, and IO is reported */
    HELP_TAKEN_LATE, /* once: a run is taken, and that took as long as a lease */
    HELP_DOWN,       /* every request fails */
    HELP_PASSED,     /* renewals pass over every run: somebody has them locked */
    HELP_LOW,        /* it is done, and there is hardly room for more */
    HELP_FORGETS,    /* results are neither recalled nor remembered */
    HELP_HELD,       /* messages are looked for, and what was found is not told yet */
} help_faulty;

/* Leases of `lease_ms`. One at a time. */
void help_faulty_init(help_host *h, uint64_t lease_ms);
void help_faulty_finish(help_host *h);

/* From the next request on. */
void help_faulty_set(help_faulty what);

/* What the clocks say is later by this: the steady one, and the one on the wall. */
void help_faulty_wait(int64_t ms);
void help_faulty_jump(int64_t ms);

/* What was found and is not told yet; NULL: nothing was looked for. And tells it. */
const haft__store_request *help_faulty_held(void);
void help_faulty_tell(void);

/* How often a request of this kind was made. */
unsigned help_faulty_count(haft__store_verb verb);

/* What the store was last told to hurry to; 0: it was not. */
uint64_t help_faulty_hurry(void);

/* What the store knows of a run. */
haft__store_run help_faulty_find(help_host *h, const haft_run *run);

/* Another process takes the run, whoever has it. */
void help_faulty_take(help_host *h, const haft_run *run);

/* Steps for so long, or until the run is not RUNNING any more. */
void help_faulty_step(help_host *h, const haft_run *run, uint64_t ms);

#endif
