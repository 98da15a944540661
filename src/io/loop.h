/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/loop.h - the event loop: all work of the host happens on the thread that steps the loop.
 *
 * Callbacks are called only from haft__loop_step. The user owns the structs of timers and tasks, so
 * that stopping a timer or task takes effect immediately.
 */
#ifndef HAFT_IO_LOOP_H
#define HAFT_IO_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

typedef struct haft__loop haft__loop;

HAFT_MUST_USE haft_status haft__loop_create(haft__loop **ret_loop, haft_error *err);

/* Must be called after all use of the loop: no timer is set, and no thread posts a task. Posted
 * tasks are run, so that they can free their resources. */
void haft__loop_destroy(haft__loop *loop);

/* Runs ready callbacks. If none is ready, waits at most `timeout_ms`, or forever if that is
 * negative. Returns after a few rounds of tasks and timers, even if more are ready. */
HAFT_MUST_USE haft_status haft__loop_step(haft__loop *loop, int timeout_ms, haft_error *err);

/* A descriptor for use inside another loop: it is readable if a step has work to do. */
int haft__loop_fd(const haft__loop *loop);

/* The maximum milliseconds to wait before the next step; -1 without a timer. */
int haft__loop_timeout(const haft__loop *loop);

/* Milliseconds of a monotonic clock. */
uint64_t haft__loop_now(const haft__loop *loop);

/* ---- timers ---- */

typedef struct haft__timer {
    uint64_t due_ms; /* the time to fire, on the clock of haft__loop_now */
    size_t slot;     /* 1 + its index among the loop's timers; 0: not set. Initialised with 0 */
    void (*fire)(void *context);
    void *context;
} haft__timer;

/* Starts the timer, or restarts it with the new time. */
HAFT_MUST_USE haft_status haft__timer_start(haft__loop *loop, haft__timer *timer, uint64_t ms,
                                            void (*fire)(void *context), void *context,
                                            haft_error *err);

/* Stops the timer; does nothing if it is not set. */
void haft__timer_stop(haft__loop *loop, haft__timer *timer);

/* ---- tasks ---- */

/* A function to run on the loop's thread. `next` belongs to the loop until the task has run. */
typedef struct haft__task {
    void (*run)(struct haft__task *task);
    struct haft__task *next;
} haft__task;

/* Runs the task soon, in order of arrival; from the loop's thread only. */
void haft__loop_post(haft__loop *loop, haft__task *task);

/* Like haft__loop_post, from any thread. */
void haft__loop_post_threadsafe(haft__loop *loop, haft__task *task);

/* Removes a task that has not run yet; does nothing if it is not posted. From the loop's thread
 * only. Scans all posted tasks. */
void haft__loop_cancel_task(haft__loop *loop, haft__task *task);

#endif
