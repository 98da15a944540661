/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/event_rewrite.h - turns an event of one run into an event of its copy. */
#ifndef HAFT_ENGINE_OPS_EVENT_REWRITE_H
#define HAFT_ENGINE_OPS_EVENT_REWRITE_H

#include "base/arena.h"
#include "run/event.h"

typedef struct haft__event_rewrite {
    haft_str run, thread; /* run and thread of the copy */
    const char *task;     /* task of the copy; NULL: the same task */
    uint64_t shift_ms;    /* added to the time of the event */
} haft__event_rewrite;

/* Replaces all values that depend on the run (thread and task in run_started, and the idempotency
 * keys of calls), so that the copy replays. Shifts the time of the event and the deadline of a
 * pause. `event->run` stays unchanged. */
HAFT_MUST_USE haft_status haft__event_rewrite_for_run(haft__arena *arena,
                                                      const haft__event_rewrite *rewrite,
                                                      haft__event *event, haft_error *err);

#endif
