/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/thread_copy.h - copies runs that have ended into another thread. */
#ifndef HAFT_ENGINE_OPS_THREAD_COPY_H
#define HAFT_ENGINE_OPS_THREAD_COPY_H

#include "engine/runtime.h"

/* Copies the ended run `id` into `thread`. The copy has the same events, answer and artifacts, a
 * new id, and the original as its parent. It is written in one transaction, and no worker continues
 * it. `ret_id` (HAFT__ID_LENGTH + 1 bytes, or NULL) receives the id of the copy. Results live in
 * `arena`. BAD_STATE if the run has not ended. */
HAFT_MUST_USE haft_status haft__thread_copy_run(haft_runtime *runtime, haft__arena *arena,
                                                haft_str id, haft_str thread, char *ret_id,
                                                haft_error *err);

/* Starts a thread with copies of `runs` except the last `without` runs, so that a chat can undo
 * exchanges. `runs` are the runs of one thread, the newest first, as HAFT__STORE_LIST returns them;
 * open runs are skipped. On failure the copies are removed. */
HAFT_MUST_USE haft_status haft__thread_copy_without_last(haft_runtime *runtime, haft__arena *arena,
                                                         const haft__store_run *runs, size_t count,
                                                         uint64_t without,
                                                         char ret_thread[HAFT__ID_LENGTH + 1],
                                                         haft_error *err);

#endif
