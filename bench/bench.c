/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c - the measuring loop. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPETITIONS 9

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds for `rounds` repetitions of the work. */
static double measure(const bench_contender *contender, size_t rounds)
{
    double start = now();
    for (size_t i = 0; i < rounds; i++) {
        if (!contender->work(contender->context)) {
            (void)fprintf(stderr, "bench: %s failed\n", contender->name);
            exit(1);
        }
    }
    return now() - start;
}

static size_t rounds_for(const bench_contender *contender, double slice)
{
    size_t rounds = 1;
    double taken = measure(contender, rounds);
    while (taken < slice / 4) {
        rounds *= taken > slice / 64 ? 2 : 8;
        taken = measure(contender, rounds);
    }
    double wanted = (double)rounds * slice / taken;
    return wanted < 1 ? 1 : (size_t)wanted;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_compare(bench_contender *contenders, size_t count, double slice)
{
    double times[BENCH_CONTENDERS][REPETITIONS];
    size_t rounds[BENCH_CONTENDERS];
    for (size_t i = 0; i < count; i++) {
        rounds[i] = rounds_for(&contenders[i], slice);
    }
    for (size_t repetition = 0; repetition < REPETITIONS; repetition++) {
        for (size_t i = 0; i < count; i++) {
            times[i][repetition] = measure(&contenders[i], rounds[i]) / (double)rounds[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        qsort(times[i], REPETITIONS, sizeof(times[i][0]), by_size);
        contenders[i].seconds = times[i][REPETITIONS / 2];
    }
}
