/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - measures several contenders and compares their median times.
 *
 * Every repetition measures all contenders in turn, so that other load on the machine slows them
 * equally. The reported value is the median of each contender.
 */
#ifndef HAFT_BENCH_BENCH_H
#define HAFT_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_CONTENDERS 16 /* the most that one comparison can have */

/* Does the work once; false if it failed. */
typedef bool bench_work(void *context);

typedef struct bench_contender {
    const char *name;
    bench_work *work;
    void *context;
    double seconds; /* result: median time of one repetition of the work */
} bench_contender;

/* Measures all contenders; each repetition of each takes at least `slice` seconds. Exits with a
 * message if a contender fails. */
void bench_compare(bench_contender *contenders, size_t count, double slice);

/* The interface to a JSON library. Texts are valid and do not move. */
typedef struct bench_library {
    const char *name;
    void *(*create)(void);
    void (*destroy)(void *state);
    bool (*parse)(void *state, const char *text, size_t length); /* stores the value in the state */
    size_t (*write)(void *state); /* writes the last parsed value; returns its length */
} bench_library;

extern const bench_library bench_haft, bench_jansson, bench_jsonc, bench_cjson, bench_simdjson;

#ifdef __cplusplus
}
#endif

#endif
