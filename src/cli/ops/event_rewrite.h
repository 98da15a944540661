/* SPDX-License-Identifier: Apache-2.0 */
/* cli/ops/event_rewrite.h - an event of one run as one of another that begins with it. */
#ifndef HAFT_CLI_OPS_EVENT_REWRITE_H
#define HAFT_CLI_OPS_EVENT_REWRITE_H

#include "base/arena.h"
#include "run/event.h"

typedef struct haft__event_rewrite {
    haft_str run, thread; /* the new ones */
    const char *task;     /* the new one; NULL: as it was */
    uint64_t shift_ms;    /* than it was */
} haft__event_rewrite;

/* Changes what names the run: its thread and task where it is started, and the idempotency keys of
 * its calls, so that the other run replays like any; and when it happens, with the deadline that is
 * counted from there. The event's own `run` stays. */
HAFT_MUST_USE haft_status haft__event_rewrite_for_run(haft__arena *arena,
                                                      const haft__event_rewrite *move,
                                                      haft__event *event, haft_error *err);

#endif
