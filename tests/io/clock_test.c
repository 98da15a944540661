/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/clock.c. */
#include "io/clock.h"

#include <time.h>

#include "test.h"

TEST(the_clock_shows_a_plausible_time)
{
    uint64_t first = haft__clock_now();
    CHECK(first > 1700000000000U, "the time is before the year 2024: %llu",
          (unsigned long long)first);
    CHECK(haft__clock_now() >= first, "the clock went back");
}

TEST(sleeping_takes_the_given_time)
{
    struct timespec start, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    haft__clock_sleep(0);
    haft__clock_sleep(20);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t taken = (int64_t)(end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec;
    CHECK(taken >= 20000000, "%lld ns", (long long)taken);
}
