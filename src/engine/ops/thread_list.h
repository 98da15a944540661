/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/thread_list.h - lists and finds the threads of a store. */
#ifndef HAFT_ENGINE_OPS_THREAD_LIST_H
#define HAFT_ENGINE_OPS_THREAD_LIST_H

#include "engine/runtime.h"

typedef struct haft__thread_summary {
    haft_str thread;     /* the id */
    haft_str name, task; /* agent's name and task of the first run */
    uint64_t updated_ms; /* time of the newest run's last change */
    size_t run_count;
} haft__thread_summary;

typedef struct haft__thread_list {
    const haft__thread_summary *items; /* the thread with the newest run first */
    size_t count;
} haft__thread_list;

/* Lists at most `limit` threads (0: all) of the newest HAFT__LIMIT_STORE_LIST runs. The list lives
 * in `arena`. */
HAFT_MUST_USE haft_status haft__thread_list_read(haft_runtime *runtime, haft__arena *arena,
                                                 size_t limit, haft__thread_list *ret_list,
                                                 haft_error *err);

/* Finds the thread that `name` selects: an id, or the beginning of an id. *ret_thread lives in
 * `arena`. Fails with NOT_FOUND, or with BAD_INPUT if several ids have that beginning. */
HAFT_MUST_USE haft_status haft__thread_find(haft_runtime *runtime, haft__arena *arena,
                                            haft_str name, haft_str *ret_thread, haft_error *err);

/* Finds the thread of the newest run of an agent with this name. Fails with NOT_FOUND. */
HAFT_MUST_USE haft_status haft__thread_find_last(haft_runtime *runtime, haft__arena *arena,
                                                 haft_str agent, haft_str *ret_thread,
                                                 haft_error *err);

/* Finds the newest run of the thread that has not ended; *ret_open is NULL if all have ended. The
 * row lives in `arena`. */
HAFT_MUST_USE haft_status haft__thread_find_open_run(haft_runtime *runtime, haft__arena *arena,
                                                     haft_str thread,
                                                     const haft__store_run **ret_open,
                                                     haft_error *err);

#endif
