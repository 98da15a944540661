/* SPDX-License-Identifier: Apache-2.0 */
/* durable_bench.h - the cost of durability: appends, waiting runs, recovery, bytes per turn. */
#ifndef HAFT_BENCH_DURABLE_BENCH_H
#define HAFT_BENCH_DURABLE_BENCH_H

/* Print their tables. Files go to $TMPDIR, or /var/tmp: a disk, not memory. */
void bench_appends(void);
void bench_paused(void);
void bench_recovery(void);
void bench_turns(void);

/* Makes HAFT_BENCH_COPIES copies of the run HAFT_BENCH_RUN in the measured store; does nothing if
 * they are not set. */
void bench_copies(void);

#endif
