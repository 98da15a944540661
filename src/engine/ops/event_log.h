/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/event_log.h - folds and replays the events of a run in text form, with one event per
 * line.
 *
 * `name` is the name of the log in errors; err->where is NAME:LINE. */
#ifndef HAFT_ENGINE_OPS_EVENT_LOG_H
#define HAFT_ENGINE_OPS_EVENT_LOG_H

#include "run/replay/replay.h"
#include "run/run.h"

/* Folds the events up to and including number `last` (UINT64_MAX: all). */
HAFT_MUST_USE haft_status haft__event_log_fold(haft__arena *arena, const haft__spec *spec,
                                               const char *name, haft_str lines, uint64_t last,
                                               haft__hash_key hash_key, haft__run *ret_run,
                                               haft_error *err);

/* Checks that each line is an event, and recomputes every decision. UNSUPPORTED if the log has a
 * newer version. */
HAFT_MUST_USE haft_status haft__event_log_replay(haft__arena *arena, const haft__spec *spec,
                                                 const char *name, haft_str lines,
                                                 haft__hash_key hash_key, haft__replay *ret_replay,
                                                 haft_error *err);

#endif
