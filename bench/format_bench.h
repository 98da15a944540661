/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HAFT_BENCH_FORMAT_BENCH_H
#define HAFT_BENCH_FORMAT_BENCH_H

/* Prints the tables about parsing calls in text. */
void bench_formats(void);

#endif
