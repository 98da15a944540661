/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/stored_run.h - reads a run from the store: its row, its events, its state. Does not
 * claim the run. */
#ifndef HAFT_ENGINE_OPS_STORED_RUN_H
#define HAFT_ENGINE_OPS_STORED_RUN_H

#include "engine/runtime.h"

typedef struct haft__stored_run {
    haft__store_run row;
    haft_str lines;    /* the events */
    haft_agent *agent; /* the agent of its spec, without key and script; NULL: not loaded */
} haft__stored_run;

/* Finds the row of the run that `name` selects: an id, the beginning of an id, or "last". The row
 * lives in `arena`. Fails with NOT_FOUND; with BAD_INPUT if several ids have that beginning; with
 * IO if the run is damaged, unless `include_damaged`. */
HAFT_MUST_USE haft_status haft__stored_run_find(haft_runtime *runtime, haft__arena *arena,
                                                haft_str name, bool include_damaged,
                                                haft__store_run *ret_row, haft_error *err);

/* Reads the row and the events into `arena`, and loads the spec on request. A damaged run can be
 * read without the spec. Call haft__stored_run_finish also after a failure. */
HAFT_MUST_USE haft_status haft__stored_run_read(haft_runtime *runtime, haft__arena *arena,
                                                haft_str name, bool with_spec,
                                                haft__stored_run *ret_run, haft_error *err);
void haft__stored_run_finish(haft__stored_run *run);

/* Folds the events of a run that was read with its spec. `name` is for errors. The state is valid
 * as long as the run and the arena. */
HAFT_MUST_USE haft_status haft__stored_run_fold(haft_runtime *runtime, haft__arena *arena,
                                                const haft__stored_run *run, const char *name,
                                                haft__run *ret_state, haft_error *err);

/* Adds data of the row to a folded state: whether the run was opened, and whether the process that
 * asked its questions has ended. */
void haft__stored_run_apply_row(const haft__store_run *row, haft__run *state);

/* Whether a process owns the run: the lease has not expired, and the owner may be alive. */
bool haft__stored_run_is_owned(const haft_runtime *runtime, const haft__store_run *row);

#endif
