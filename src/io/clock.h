/* SPDX-License-Identifier: Apache-2.0 */
/* io/clock.h - reads the clocks, and sleeps. */
#ifndef HAFT_IO_CLOCK_H
#define HAFT_IO_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, from the system clock. */
uint64_t haft__clock_now(void);

/* Milliseconds of a monotonic clock. It cannot be set, and it includes the time in which this
 * process or the machine is suspended. */
uint64_t haft__clock_monotonic(void);

/* Blocks the calling thread for at least this long. */
void haft__clock_sleep(uint64_t ms);

#endif
