/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - the system's clocks. Tests: tests/io/clock_test.c. */
#include "io/clock.h"

#include <errno.h>
#include <time.h>

static uint64_t read_clock(clockid_t which)
{
    struct timespec now = {0};
    (void)clock_gettime(which, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t haft__clock_now(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t haft__clock_monotonic(void)
{
    return read_clock(CLOCK_BOOTTIME); /* CLOCK_MONOTONIC stops while the machine is suspended */
}

void haft__clock_sleep(uint64_t ms)
{
    struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        /* interrupted by a signal: sleep for the rest */
    }
}
