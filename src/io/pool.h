/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/pool.h - threads of our own for work that blocks: C functions, file searches.
 *
 * A job is a struct of whoever submits it. It is worked on by some thread and then done on the
 * loop. A job that takes too long cannot be ended; it can be given up: then its thread no longer
 * counts and others may be started in its place, up to a limit.
 */
#ifndef HAFT_IO_POOL_H
#define HAFT_IO_POOL_H

#include "io/loop.h"

typedef struct haft__pool haft__pool;

/* Zero it but for the two functions. Belongs to the pool from submit until `done` is called. */
typedef struct haft__pool_job {
    void (*work)(struct haft__pool_job *job); /* on a thread of the pool, signals blocked */
    void (*done)(struct haft__pool_job *job); /* on the loop, once, after `work` */
    struct haft__pool_job *next;              /* these are the pool's */
    haft__task task;
    int state;
} haft__pool_job;

/* `threads` at most, 0 for HAFT__LIMIT_POOL_THREADS; they are started when there is work. The
 * functions below are for the loop's thread. */
HAFT_MUST_USE haft_status haft__pool_create(haft__loop *loop, uint32_t threads,
                                            haft__pool **ret_pool, haft_error *err);

/* Waits for all that was submitted. What has been worked on and not yet been done will be, by the
 * loop, for which the pool is not needed any more. */
void haft__pool_destroy(haft__pool *pool);

/* Jobs are begun in the order of arrival. Fails only when there is no thread and none can be
 * started. */
HAFT_MUST_USE haft_status haft__pool_submit(haft__pool *pool, haft__pool_job *job, haft_error *err);

/* Takes a job back that has not begun: true, and neither function will be called. False: too late.
 */
bool haft__pool_cancel(haft__pool *pool, haft__pool_job *job);

/* Gives a job up that has begun: until its `work` returns, its thread does not count. `done` comes
 * all the same. False when so many are given up already that its thread cannot be replaced. */
bool haft__pool_abandon(haft__pool *pool, haft__pool_job *job);

/* Jobs that were given up and have not returned; HAFT__LIMIT_POOL_LOST of them can be replaced. */
uint32_t haft__pool_abandoned_count(haft__pool *pool);

#endif
