/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tree/tree_rows.h - sorts a list of runs into trees: each run precedes the runs below
 * it. */
#ifndef HAFT_ENGINE_OPS_TREE_TREE_ROWS_H
#define HAFT_ENGINE_OPS_TREE_TREE_ROWS_H

#include "engine/ops/run_list.h"

/* Orders `runs` (the newest first) as trees: the newest root first, and below each run its children
 * in the order of their ids, which begin with the time of the start. A child whose parent is not in
 * the list is a root. Stops after `roots` roots. *ret_depths has the depth of each run; a root has
 * the depth 0. Both lists live in `arena`. */
HAFT_MUST_USE haft_status haft__tree_rows_arrange(haft__arena *arena, const haft__run_list *runs,
                                                  uint64_t roots, haft__run_list *ret_runs,
                                                  const uint32_t **ret_depths, haft_error *err);

/* Reads the newest `limit` trees of a store (0: as many as a list has); with `open_only` only runs
 * that have not ended. */
HAFT_MUST_USE haft_status haft__tree_rows_read(haft_runtime *runtime, haft__arena *arena,
                                               uint64_t limit, bool open_only,
                                               haft__run_list *ret_runs,
                                               const uint32_t **ret_depths, haft_error *err);

#endif
