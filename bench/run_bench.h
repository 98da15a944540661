/* SPDX-License-Identifier: Apache-2.0 */
/* run_bench.h - the part of the benchmark about runs. */
#ifndef HAFT_BENCH_RUN_BENCH_H
#define HAFT_BENCH_RUN_BENCH_H

void bench_runs(void);
void bench_context(void);

#endif
