/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/pool.h - a thread pool for blocking work: C functions, file searches.
 *
 * The caller owns the struct of a job. A pool thread runs `work`, then the loop runs `done`. A job
 * that takes too long cannot be stopped, but it can be abandoned: its thread then no longer counts
 * as a thread of the pool, and up to a limit another thread may be started in its place.
 */
#ifndef HAFT_IO_POOL_H
#define HAFT_IO_POOL_H

#include "io/loop.h"

typedef struct haft__pool haft__pool;

/* Zero it, then set the two functions. The pool owns it from submit until `done` is called. */
typedef struct haft__pool_job {
    void (*work)(struct haft__pool_job *job); /* on a pool thread, with signals blocked */
    void (*done)(struct haft__pool_job *job); /* on the loop, once, after `work` */
    struct haft__pool_job *next;              /* used by the pool */
    haft__task task;
    int state;
} haft__pool_job;

/* Creates a pool of at most `threads` threads (0: HAFT__LIMIT_POOL_THREADS), which are started on
 * demand. Only the loop's thread may call the functions below. */
HAFT_MUST_USE haft_status haft__pool_create(haft__loop *loop, uint32_t threads,
                                            haft__pool **ret_pool, haft_error *err);

/* Waits until the `work` of all submitted jobs has returned. The loop still calls their `done`
 * later, without the pool. */
void haft__pool_destroy(haft__pool *pool);

/* Jobs start in order of arrival. Fails only if no thread exists and none can be started. */
HAFT_MUST_USE haft_status haft__pool_submit(haft__pool *pool, haft__pool_job *job, haft_error *err);

/* Removes a job that has not started: returns true, and neither function is called. False if the
 * job has started. */
bool haft__pool_cancel(haft__pool *pool, haft__pool_job *job);

/* Abandons a job that has started: until its `work` returns, its thread does not count. `done` is
 * still called. False if too many jobs are abandoned already to replace its thread. */
bool haft__pool_abandon(haft__pool *pool, haft__pool_job *job);

/* The number of abandoned jobs that have not returned; the pool can start new threads in place of
 * HAFT__LIMIT_POOL_ABANDONED of them. */
uint32_t haft__pool_abandoned_count(haft__pool *pool);

#endif
