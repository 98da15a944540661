/* SPDX-License-Identifier: Apache-2.0 */
/* durable_bench.h - what surviving costs: appends, runs that wait, recovery, bytes a turn. */
#ifndef HAFT_BENCH_DURABLE_BENCH_H
#define HAFT_BENCH_DURABLE_BENCH_H

/* Print their tables. Files go to $TMPDIR, or /var/tmp: a disk, and not memory. */
void bench_appends(void);
void bench_paused(void);
void bench_recovery(void);
void bench_turns(void);

/* Makes HAFT_BENCH_COPIES copies of the run HAFT_BENCH_RUN in the store that is measured; nothing
 * without. */
void bench_copies(void);

#endif
