/* SPDX-License-Identifier: Apache-2.0 */
/* engine/crash_guard.h - runs whose owners crashed, one after the other. */
#ifndef HAFT_ENGINE_CRASH_GUARD_H
#define HAFT_ENGINE_CRASH_GUARD_H

#include "haft.h"

/* Whether nothing may be started yet. A run with a crash count starts nothing before its latest
 * events are durable, so that the next owner knows how far it got. */
bool haft__crash_guard_must_wait(const haft_run *run);

/* Whether its owners crashed too often at this point. */
bool haft__crash_guard_limit_reached(const haft_run *run);

/* Ends such a run: records a failed model call, or a cancel command if no model call is due. */
HAFT_MUST_USE haft_status haft__crash_guard_end_run(haft_run *run, haft_error *err);

#endif
