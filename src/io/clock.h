/* SPDX-License-Identifier: Apache-2.0 */
/* io/clock.h - what time it is, and letting it pass. */
#ifndef HAFT_IO_CLOCK_H
#define HAFT_IO_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, from the system's clock. */
uint64_t haft__clock_now(void);

/* Milliseconds of a clock that only goes on: nobody sets it, and it counts the time in which this
 * process, or the machine, is stopped. */
uint64_t haft__clock_monotonic(void);

/* Stops the calling thread for at least this long. */
void haft__clock_sleep(uint64_t ms);

#endif
