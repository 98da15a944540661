/* SPDX-License-Identifier: Apache-2.0 */
/* search_bench.h - the part of the benchmark about file searches. */
#ifndef HAFT_BENCH_SEARCH_BENCH_H
#define HAFT_BENCH_SEARCH_BENCH_H

void bench_search(void);

#endif
