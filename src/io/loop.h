/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/loop.h - the event loop: everything the host does happens on the thread that steps it.
 *
 * Callbacks come only from haft__loop_step. Timers and tasks are structs of whoever uses them, so
 * that stopping one takes effect at once and nothing has to be waited for.
 */
#ifndef HAFT_IO_LOOP_H
#define HAFT_IO_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

typedef struct haft__loop haft__loop;

HAFT_MUST_USE haft_status haft__loop_create(haft__loop **ret_loop, haft_error *err);

/* Whoever uses the loop must be gone before: no timer runs, no thread sends. Tasks that are under
 * way are run, so that what they hold is given back. */
void haft__loop_destroy(haft__loop *loop);

/* Does what is ready; when nothing is, waits for it at most `timeout_ms`, without end when that is
 * negative. Returns after a few rounds of tasks and timers, even when there are more. */
HAFT_MUST_USE haft_status haft__loop_step(haft__loop *loop, int timeout_ms, haft_error *err);

/* For another loop: readable when there is something to step for, ... */
int haft__loop_fd(const haft__loop *loop);

/* ... and the most milliseconds to wait before the next step; -1 when there is no timer. */
int haft__loop_timeout(const haft__loop *loop);

/* Milliseconds of a clock that never goes back. */
uint64_t haft__loop_now(const haft__loop *loop);

/* ---- timers ---- */

typedef struct haft__timer {
    uint64_t due_ms;
    size_t slot; /* 1 + its place among the loop's timers, 0 when it is not set; zero it at first */
    void (*fire)(void *context);
    void *context;
} haft__timer;

/* Sets the timer, again if it is set. */
HAFT_MUST_USE haft_status haft__timer_start(haft__loop *loop, haft__timer *timer, uint64_t ms,
                                            void (*fire)(void *context), void *context,
                                            haft_error *err);

/* Fine when it is not set. */
void haft__timer_stop(haft__loop *loop, haft__timer *timer);

/* ---- tasks ---- */

/* Something to be done on the loop's thread. `next` belongs to the loop until it is run. */
typedef struct haft__task {
    void (*run)(struct haft__task *task);
    struct haft__task *next;
} haft__task;

/* Runs the task soon, in the order of arrival; from the loop's thread only. */
void haft__loop_post(haft__loop *loop, haft__task *task);

/* The same from any thread. */
void haft__loop_post_threadsafe(haft__loop *loop, haft__task *task);

/* Takes back a task that has not been run yet; fine when it is not there. From the loop's thread
 * only, and looks at every task that waits. */
void haft__loop_cancel_task(haft__loop *loop, haft__task *task);

#endif
