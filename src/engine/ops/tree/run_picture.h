/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tree/run_picture.h - the waterfall of a run and of the runs below it. */
#ifndef HAFT_ENGINE_OPS_TREE_RUN_PICTURE_H
#define HAFT_ENGINE_OPS_TREE_RUN_PICTURE_H

#include "engine/runtime.h"
#include "run/run.h"

/* Writes an SVG (engine/ops/tree/tree_waterfall.h). `lines` are the events of `root`. The runs
 * below it are read from the store of `runtime`; NULL: only the root is drawn. */
HAFT_MUST_USE haft_status haft__run_picture_write(haft__buf *buf, haft_runtime *runtime,
                                                  haft__arena *arena, haft_str lines,
                                                  const haft__run *root, haft__hash_key hash_key,
                                                  haft_error *err);

#endif
