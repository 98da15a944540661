/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/retention.h - removes one run by name, or all runs that retention rules select. */
#ifndef HAFT_ENGINE_OPS_RETENTION_H
#define HAFT_ENGINE_OPS_RETENTION_H

#include "engine/runtime.h"

/* Removes the run that `name` selects, even if it is damaged. BAD_STATE if a live process owns the
 * run. */
HAFT_MUST_USE haft_status haft__retention_remove_run(haft_runtime *runtime, haft__arena *arena,
                                                     haft_str name, haft_error *err);

/* Rules that select the runs to remove. Runs that have not ended are never removed. Without any
 * rule no run is removed, but caches are cleaned. */
typedef struct haft__retention_rules {
    bool has_age, has_keep;
    uint64_t age_ms;      /* if has_age: only runs that ended longer ago than this */
    uint64_t keep;        /* if has_keep: the last `keep` ended runs are not removed */
    const haft_str *ends; /* only runs with these ends; see haft__retention_is_end */
    size_t end_count;
    bool dry_run; /* count the runs, but do not remove them */
} haft__retention_rules;

/* Applies the rules. *ret_count is the number of runs that were removed, or would be. */
HAFT_MUST_USE haft_status haft__retention_apply(haft_runtime *runtime, haft__arena *arena,
                                                const haft__retention_rules *rules,
                                                uint64_t *ret_count, haft_error *err);

/* Whether this is the name of an end: "done", "failed", ... */
bool haft__retention_is_end(haft_str word);

#endif
