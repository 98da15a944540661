/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench/batch.h - many runs of one agent, so many at a time; each is checked. */
#ifndef HAFT_CLI_BENCH_BATCH_H
#define HAFT_CLI_BENCH_BATCH_H

#include "cli/bench/options.h"
#include "engine/runtime.h"

typedef struct haft__bench_batch {
    const haft__bench_options *words;
    haft_agent *agent;
    uint64_t left; /* runs that are still to be started */
    double *times; /* milliseconds of those that are over; NULL: nobody wants them */
    size_t over;
    uint64_t bytes; /* of their events */
    /* Whoever measures sets these. */
    uint64_t results;   /* of tools */
    long long start_kb; /* of memory before the first request */
    /* its own */
    size_t removals_pending; /* runs on their way out of the store */
    haft_error *err;
} haft__bench_batch;

/* Milliseconds of a clock that only goes forward. */
double haft__bench_now_ms(void);

/* Starts `left` runs, at most words->conc at a time, until all are over. BAD_STATE with the first
 * that did not end as it should. */
HAFT_MUST_USE haft_status haft__bench_batch_run(haft__bench_batch *batch, haft_error *err);

#endif
