/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_help.h - a runtime with a store that fails on command and with clocks of the test.
 *
 * The store is memory:, marked as shared with other processes, so that it has leases.
 */
#ifndef HAFT_TESTS_FAULTY_HELP_H
#define HAFT_TESTS_FAULTY_HELP_H

#include "engine_help.h"
#include "store/backend.h"

/* The outcome of requests that write events. */
typedef enum help_faulty {
    HELP_FINE,
    HELP_NOT_KEPT,  /* it is not performed, and IO is reported */
    HELP_KEPT,      /* it is performed, and IO is reported */
    HELP_KEPT_LATE, /* once: it is not performed and IO is reported; the next one is performed and
                       reported as rejected */
    HELP_STOPPED, /* once: it is performed, and the process is stopped for the length of a lease */
    HELP_CLAIMED, /* once: a run is claimed, and IO is reported */
    HELP_CLAIMED_LATE, /* once: a run is claimed, and that took as long as a lease */
    HELP_DOWN,         /* every request fails */
    HELP_PASSED,       /* renewals skip every run: their rows are locked */
    HELP_LOW,          /* it is performed, and the store is low on space */
    HELP_FORGETS,      /* cached results are neither read nor written */
    HELP_BUFFERED,     /* messages are read, and the result is not reported yet */
} help_faulty;

/* Leases of `lease_ms`. Only one such runtime at a time. */
void help_faulty_init(help_host *h, uint64_t lease_ms);
void help_faulty_finish(help_host *h);

/* From the next request on. */
void help_faulty_set(help_faulty what);

/* Advances both clocks: the monotonic one, and the wall clock. */
void help_faulty_wait(int64_t ms);
void help_faulty_jump(int64_t ms);

/* The messages that were read and are not reported yet; NULL: none were requested. Then reports
 * them. */
const haft__store_request *help_faulty_buffered(void);
void help_faulty_report(void);

/* The number of requests of this kind. */
unsigned help_faulty_count(haft__store_verb verb);

/* The last timeout that the store was given; 0: none. */
uint64_t help_faulty_hurry(void);

/* The row of a run. */
haft__store_run help_faulty_find(help_host *h, const haft_run *run);
haft__store_run help_faulty_find_by_id(help_host *h, haft_str id);

/* Another process claims the run from its owner. */
void help_faulty_take(help_host *h, const haft_run *run);

/* Steps for that long, or until the run is no longer RUNNING. */
void help_faulty_step(help_host *h, const haft_run *run, uint64_t ms);

#endif
