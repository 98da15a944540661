/* SPDX-License-Identifier: Apache-2.0 */
/* io/clock.h - what time it is. */
#ifndef HAFT_IO_CLOCK_H
#define HAFT_IO_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, from the system's clock. */
uint64_t haft__clock_now(void);

#endif
