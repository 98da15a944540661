/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/thread/thread_queue.h - the place of a run in the queue of its thread.
 *
 * A run of a thread begins when no earlier run of the thread is open. run/thread_queue.h
 * decides whether the run waits for earlier runs or cancels them.
 */
#ifndef HAFT_ENGINE_THREAD_THREAD_QUEUE_H
#define HAFT_ENGINE_THREAD_THREAD_QUEUE_H

#include "base/arena.h"
#include "base/id.h"
#include "io/loop.h"
#include "store/store.h"

/* UNKNOWN --> WAITING <--> FIRST --> NONE. A cancelled run ends in any of these states. */
typedef enum haft__thread_queue_state {
    HAFT__THREAD_QUEUE_NONE,     /* the run may begin, or has begun */
    HAFT__THREAD_QUEUE_UNKNOWN,  /* the store has not replied yet whether other runs are ahead */
    HAFT__THREAD_QUEUE_WAITING,  /* other runs are ahead */
    HAFT__THREAD_QUEUE_FIRST,    /* no run is ahead: the run begins when messages and history have
                                  * been read */
    HAFT__THREAD_QUEUE_REJECTED, /* the run was not created, because the thread is busy and the run
                                  * must not wait */
} haft__thread_queue_state;

/* The first run of the thread that is ahead. */
typedef struct haft__run_ahead {
    char id[HAFT__ID_LENGTH + 1]; /* "": no run is ahead */
    haft__run_state state;
    bool abandoned; /* no live process owns the run */
} haft__run_ahead;

typedef struct haft__thread_queue {
    haft__thread_queue_state state;
    bool exclusive; /* option: the run must not wait, regardless of its spec */
    haft__run_ahead ahead;
    struct haft__cancel_sent *cancels_sent; /* runs ahead that were sent a cancel command; in the
                                             * run's arena */
    haft_run *interrupted; /* an abandoned run ahead that this process has opened to cancel it; or
                            * NULL */
    haft__timer timer;     /* the next query */
    haft__arena arena;     /* results of queries */
} haft__thread_queue;

void haft__queue_init(haft__thread_queue *queue);
void haft__queue_finish(haft__thread_queue *queue);

/* The run belongs to a thread whose other runs are not known yet. */
void haft__queue_set_unknown(haft__thread_queue *queue);

/* The store did not create the run because its thread is busy. */
void haft__queue_reject(haft__thread_queue *queue);

/* Whether the run waits for earlier runs. A queued run makes no decisions, except that it can be
 * cancelled. */
bool haft__queue_is_queued(const haft__thread_queue *queue);

/* Queues a run that is in the store and has not begun: queries the store for the runs ahead. The
 * run begins when no run is ahead. */
void haft__queue_enter(haft_run *run);

/* Schedules another query after a store query of a queued run failed. Returns false if the run is
 * not queued, or the error is permanent. */
bool haft__queue_retry(haft_run *run, haft_status status);

/* Cancels `run` because the run with the id `interrupter` takes its place in the thread. */
void haft__queue_cancel(haft_run *run, const char *interrupter);

/* Stops waiting in this process. */
void haft__queue_leave(haft_run *run);

/* Called when a run of the thread has ended in this process: waiting runs query the store
 * immediately. */
void haft__queue_wake(haft_runtime *runtime, haft_str thread);

/* Whether other runs are ahead, and the run only waits for them. */
bool haft__queue_is_waiting(const haft_run *run);

#endif
