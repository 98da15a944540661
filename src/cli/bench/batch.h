/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench/batch.h - many runs of one agent, a fixed number at a time; each result is checked. */
#ifndef HAFT_CLI_BENCH_BATCH_H
#define HAFT_CLI_BENCH_BATCH_H

#include "cli/bench/options.h"
#include "engine/runtime.h"

typedef struct haft__bench_batch {
    const haft__bench_options *words;
    haft_agent *agent;
    uint64_t left; /* runs still to start */
    double *times; /* milliseconds of each finished run; may be NULL */
    size_t over;
    uint64_t bytes; /* of events, in all */
    /* set by the caller */
    uint64_t results;   /* of tools */
    long long start_kb; /* of memory before the first request */
    /* private */
    size_t removals_pending; /* runs that are being removed from the store */
    haft_error *err;
} haft__bench_batch;

/* Milliseconds of a monotonic clock. */
double haft__bench_now_ms(void);

/* Runs `left` runs, at most words->conc at a time. BAD_STATE with the first run that did not end as
 * expected. */
HAFT_MUST_USE haft_status haft__bench_batch_run(haft__bench_batch *batch, haft_error *err);

#endif
