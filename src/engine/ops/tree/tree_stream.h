/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tree/tree_stream.h - the events of all runs of a tree as one stream. */
#ifndef HAFT_ENGINE_OPS_TREE_TREE_STREAM_H
#define HAFT_ENGINE_OPS_TREE_TREE_STREAM_H

#include "base/buf.h"
#include "base/hash.h"

/* The events of one run of a tree. */
typedef struct haft__tree_log {
    haft_str run, path; /* path: "" for the first run of the tree */
    haft_str lines;
} haft__tree_log;

/* Appends the events of all logs, one a line, each with `path`: the calls from the root to its run,
 * or null. The first log is that of the run that all others are below.
 *
 * The order depends on the logs alone. The events of a run keep their order; those of a child come
 * after its child_started, and all of them before its child_finished. Otherwise the earlier event
 * comes first, and of two at the same time that of the log that is given first. */
HAFT_MUST_USE haft_status haft__tree_stream_write(haft__buf *buf, const haft__tree_log *logs,
                                                  size_t count, haft__hash_key hash_key,
                                                  haft_error *err);

#endif
