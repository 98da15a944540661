/* SPDX-License-Identifier: Apache-2.0 */
/* sql_bench.h - the part of the benchmark about databases. */
#ifndef HAFT_BENCH_SQL_BENCH_H
#define HAFT_BENCH_SQL_BENCH_H

void bench_sql(void);

#endif
