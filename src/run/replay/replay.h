/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/replay/replay.h - recomputes every decision of a log from its inputs and compares byte for
 * byte. Tools never run in a replay.
 */
#ifndef HAFT_RUN_REPLAY_REPLAY_H
#define HAFT_RUN_REPLAY_REPLAY_H

#include "run/decide/decide.h"

typedef struct haft__replay {
    bool identical;
    uint64_t events, decisions; /* events compared, and decisions recomputed among them */
    uint64_t differs_at;        /* seq of the first difference */
    haft_str recorded, decided; /* the two bodies, in the arena; `decided` may be empty */
} haft__replay;

/* Replays `lines`, a whole log. BAD_INPUT if the log cannot be folded. If the log is truncated,
 * compares it up to its end. */
HAFT_MUST_USE haft_status haft__replay_log(haft__arena *arena, const haft__spec *spec,
                                           haft_str lines, haft__hash_key hash_key,
                                           haft__replay *ret_replay, haft_error *err);

/* Like haft__replay_log, for a run that may have continued with other specs. */
HAFT_MUST_USE haft_status haft__replay_specs(haft__arena *arena, const haft__spec *spec,
                                             haft__run_specs specs, haft_str lines,
                                             haft__hash_key hash_key, haft__replay *ret_replay,
                                             haft_error *err);

#endif
