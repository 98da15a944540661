/* SPDX-License-Identifier: Apache-2.0 */
/* schema_bench.h - the parts of the benchmark about JSON Schema. */
#ifndef HAFT_BENCH_SCHEMA_BENCH_H
#define HAFT_BENCH_SCHEMA_BENCH_H

void bench_schema(void);
void bench_schema_hostile(void);

#endif
