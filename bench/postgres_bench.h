/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_bench.h - many processes and one store: appends, and taking runs. */
#ifndef HAFT_BENCH_POSTGRES_BENCH_H
#define HAFT_BENCH_POSTGRES_BENCH_H

/* Print how many a second, and p50 and p99 in milliseconds, for the store of HAFT_BENCH_STORE and
 * the processes of HAFT_BENCH_CROWD; nothing without. bench/postgres.py makes the stores, the runs
 * that can be taken, and puts pgbench beside them. */
void bench_crowd_appends(void);
void bench_crowd_takes(void);

#endif
