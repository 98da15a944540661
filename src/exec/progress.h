/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/progress.h - progress of a call on its way from the thread of the tool to the loop. Private
 * to src/exec.
 */
#ifndef HAFT_EXEC_PROGRESS_H
#define HAFT_EXEC_PROGRESS_H

#include <stdatomic.h>

#include "io/loop.h"

/* The progress of one call. It must exist until the loop has run all its tasks. */
typedef struct haft__progress {
    void (*deliver)(struct haft__progress *progress, haft_str json); /* on the loop */
    atomic_size_t bytes;                                             /* in transit */
} haft__progress;

/* Makes a task that delivers a copy of `json` and frees itself; the caller posts it. NULL: the
 * progress is dropped, because the loop cannot keep up (exec.progress_bytes) or memory is used up.
 * From any thread. */
haft__task *haft__progress_send(haft__progress *progress, haft_str json);

/* Frees a task that cannot be posted. */
void haft__progress_drop(haft__task *task);

#endif
