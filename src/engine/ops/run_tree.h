/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/run_tree.h - reads the runs below a run from the store, without claiming them. */
#ifndef HAFT_ENGINE_OPS_RUN_TREE_H
#define HAFT_ENGINE_OPS_RUN_TREE_H

#include "engine/run.h"

typedef struct haft__run_tree {
    haft_run **runs; /* read-only, in the order of their starts; a run precedes the runs below it */
    size_t count, capacity;
} haft__run_tree;

/* Reads the runs below `root`; with `open_only`, only runs that have not ended. Omits runs that no
 * longer exist. Call haft__run_tree_finish also after a failure. */
HAFT_MUST_USE haft_status haft__run_tree_read(haft_runtime *runtime, const haft__run *root,
                                              bool open_only, haft__run_tree *ret_tree,
                                              haft_error *err);
void haft__run_tree_finish(haft__run_tree *tree);

/* Opens a run of a tree read-only. *ret_run is NULL if it does not exist. */
HAFT_MUST_USE haft_status haft__run_tree_open(haft_runtime *runtime, haft_str id,
                                              haft_run **ret_run, haft_error *err);

/* Whether a call of the run or of a run below it waits for an answer; false if the runs cannot be
 * read. */
bool haft__run_tree_has_pending(const haft_run *root);

/* Finds the run and the call that `call` names: an id of a call, or a path of ids such as
 * c3.1/c1.2, from the run `root`. If `call` is empty, finds the only pending call of the tree. Both
 * results live in `arena`. NOT_FOUND if no run has the path; BAD_INPUT if several calls are
 * pending; the hint lists them. */
HAFT_MUST_USE haft_status haft__run_tree_resolve_call(haft_runtime *runtime, haft__arena *arena,
                                                      haft_str root, haft_str call,
                                                      haft_str *ret_run, haft_str *ret_call,
                                                      haft_error *err);

/* Finds the id of the root of the run's tree. It lives in `arena`. */
HAFT_MUST_USE haft_status haft__run_tree_find_root(haft_runtime *runtime, haft__arena *arena,
                                                   haft_str run, haft_str *ret_root,
                                                   haft_error *err);

/* Appends the id of a call with the path of its run: c3.1/c1.2. */
void haft__run_tree_add_call(haft__buf *buf, const haft__run *run, haft_str call);

#endif
