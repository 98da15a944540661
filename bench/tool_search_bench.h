/* SPDX-License-Identifier: Apache-2.0 */
/* tool_search_bench.h - the part of the benchmark about tool search. */
#ifndef HAFT_BENCH_TOOL_SEARCH_BENCH_H
#define HAFT_BENCH_TOOL_SEARCH_BENCH_H

void bench_tool_search(void);

#endif
