/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/wall_clock.h - enforces limits.wall of a run while this process owns it.
 *
 * The clock runs while the run calls the model, searches tools or runs calls, with all retries and
 * delays in between. It stands still while only people are waited for. A new owner continues from
 * the durations in the log, so that the time between two owners does not count.
 */
#ifndef HAFT_ENGINE_WALL_CLOCK_H
#define HAFT_ENGINE_WALL_CLOCK_H

#include "haft.h"
#include "io/loop.h"

typedef struct haft__wall_clock {
    haft__timer timer;
    uint64_t used_ms;  /* counted before since_ms */
    uint64_t since_ms; /* on the loop's clock, while it runs */
    bool running;
} haft__wall_clock;

/* Starts or stops the clock for the effect that the run performs now. When the clock reaches the
 * limit, the operations of the run are cancelled and it ends. */
HAFT_MUST_USE haft_status haft__wall_clock_update(haft_run *run, haft_error *err);

/* Stops the clock; the counted time is kept. */
void haft__wall_clock_stop(haft_run *run);

#endif
