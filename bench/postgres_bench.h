/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_bench.h - many processes and one store: appends, and claiming runs. */
#ifndef HAFT_BENCH_POSTGRES_BENCH_H
#define HAFT_BENCH_POSTGRES_BENCH_H

/* Print operations per second, and p50 and p99 in milliseconds, for the store of HAFT_BENCH_STORE
 * and the processes of HAFT_BENCH_CROWD; print nothing if they are not set. bench/postgres.py makes
 * the stores and the claimable runs, and compares with pgbench. */
void bench_crowd_appends(void);
void bench_crowd_claims(void);

#endif
