/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/wall_clock.h - enforces limits.wall of a run while this process owns it.
 *
 * The clock runs while the run calls the model, searches tools or runs calls, including retries and
 * delays. The clock stops while the run only waits for people. A new owner starts with the
 * durations in the log, so that the time between two owners is not counted.
 */
#ifndef HAFT_ENGINE_WALL_CLOCK_H
#define HAFT_ENGINE_WALL_CLOCK_H

#include "haft.h"
#include "io/loop.h"

typedef struct haft__wall_clock {
    haft__timer timer;
    uint64_t used_ms;  /* counted before since_ms */
    uint64_t since_ms; /* loop time of the last start; valid while the clock runs */
    bool running;
} haft__wall_clock;

/* Starts or stops the clock for the current effect of the run. When the clock reaches the limit,
 * the operations of the run are cancelled and the run ends. */
HAFT_MUST_USE haft_status haft__wall_clock_update(haft_run *run, haft_error *err);

/* Stops the clock; the counted time stays. */
void haft__wall_clock_stop(haft_run *run);

#endif
