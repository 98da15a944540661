/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.h - the measured texts; generated each time, always the same. */
#ifndef HAFT_BENCH_INPUTS_H
#define HAFT_BENCH_INPUTS_H

#include <stddef.h>

typedef struct bench_input {
    const char *name;
    char *text; /* from malloc */
    size_t length;
} bench_input;

typedef bench_input bench_make(void);

/* A chat completion with as many tool calls as fit into about `size` bytes. */
bench_input bench_reply(size_t size);

extern bench_make *const bench_typical[], *const bench_hostile[];
extern const size_t bench_typical_count, bench_hostile_count;

#endif
