/* SPDX-License-Identifier: Apache-2.0 */
/* engine/crash_guard.h - ends a run whose owners crash again and again. */
#ifndef HAFT_ENGINE_CRASH_GUARD_H
#define HAFT_ENGINE_CRASH_GUARD_H

#include "haft.h"

/* Whether the run must wait until its latest events are durable before it starts a model call or a
 * tool call. A run with a crash count waits, so that the next owner can see at which event the run
 * crashed. */
bool haft__crash_guard_must_wait(const haft_run *run);

/* Whether too many owners of the run crashed at its current event. */
bool haft__crash_guard_limit_reached(const haft_run *run);

/* Ends such a run: records a failed model call, or a cancel command if the next step is not a model
 * call. */
HAFT_MUST_USE haft_status haft__crash_guard_end_run(haft_run *run, haft_error *err);

#endif
