/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tree/tree_waterfall.h - draws a picture of the times and kinds of work of the runs of
 * a tree. */
#ifndef HAFT_ENGINE_OPS_TREE_TREE_WATERFALL_H
#define HAFT_ENGINE_OPS_TREE_TREE_WATERFALL_H

#include "engine/ops/tree/tree_stream.h"

/* A run of the picture. */
typedef struct haft__waterfall_run {
    haft__tree_log log;
    haft_str name;  /* name of its agent */
    uint32_t depth; /* levels below the first run */
} haft__waterfall_run;

/* Writes an SVG: a row for each run, in the given order, with its requests to models, its calls and
 * its pauses on a common time axis. The row of a run that has not ended extends to the last event
 * of the tree. Past HAFT__LIMIT_WATERFALL_RUNS, a last row has the number of omitted runs. */
HAFT_MUST_USE haft_status haft__tree_waterfall_write(haft__buf *buf, haft_str title,
                                                     const haft__waterfall_run *runs, size_t count,
                                                     haft__hash_key hash_key, haft_error *err);

#endif
