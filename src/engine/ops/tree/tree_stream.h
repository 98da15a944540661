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

/* Appends the events of all logs, one per line, each with `path`: the calls on the path from the
 * root to its run, or null. The first log belongs to the run above all other runs.
 *
 * The order depends only on the logs. The events of a run keep their order. All events of a child
 * are between its child_started and its child_finished. Otherwise events are sorted by time; events
 * with the same time are in the order of the logs. */
HAFT_MUST_USE haft_status haft__tree_stream_write(haft__buf *buf, const haft__tree_log *logs,
                                                  size_t count, haft__hash_key hash_key,
                                                  haft_error *err);

#endif
