/* SPDX-License-Identifier: Apache-2.0 */
/* cli/ops/thread_copy.h - a run of one thread again in another: what undoing is made of. */
#ifndef HAFT_CLI_OPS_THREAD_COPY_H
#define HAFT_CLI_OPS_THREAD_COPY_H

#include "cli/session.h"

/* Puts the run `id`, which has ended, into `thread` as a run of its own: the same events, answer
 * and artifacts, with the other as its parent. It is there whole or not at all, and nobody goes on
 * with it. `ret_id`, of HAFT__ID_LENGTH + 1 bytes, is its id, or NULL. BAD_STATE when the other has
 * not ended. */
HAFT_MUST_USE haft_status haft__thread_copy_run(haft__cli *cli, haft_runtime *runtime, haft_str id,
                                                haft_str thread, char *ret_id, haft_error *err);

#endif
