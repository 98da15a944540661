/* SPDX-License-Identifier: Apache-2.0 */
/* provider_bench.h - requests and replies in the wire format of each provider. */
#ifndef HAFT_BENCH_PROVIDER_BENCH_H
#define HAFT_BENCH_PROVIDER_BENCH_H

void bench_providers(void);

#endif
