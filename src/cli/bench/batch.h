/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench/batch.h - executes many runs of one agent, a fixed number at a time, and checks each
 * result. */
#ifndef HAFT_CLI_BENCH_BATCH_H
#define HAFT_CLI_BENCH_BATCH_H

#include "cli/bench/options.h"
#include "engine/runtime.h"

typedef struct haft__bench_batch {
    const haft__bench_options *options;
    haft_agent *agent;
    uint64_t remaining; /* runs still to start */
    double *times;      /* milliseconds of each finished run; may be NULL */
    size_t finished_count;
    uint64_t bytes; /* total size of all events */
    /* set by the caller */
    uint64_t results;   /* number of tool results */
    long long start_kb; /* resident memory before the first request */
    /* private */
    size_t removals_pending; /* runs that are being removed from the store */
    haft_error *err;
} haft__bench_batch;

/* Returns the milliseconds of a monotonic clock. */
double haft__bench_now_ms(void);

/* Executes `remaining` runs, at most options->conc at a time. Fails with BAD_STATE if a run did not
 * end as expected; the message names the first such run. */
HAFT_MUST_USE haft_status haft__bench_batch_run(haft__bench_batch *batch, haft_error *err);

#endif
