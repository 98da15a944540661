/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - a thread that owns a connection and performs the requests of a queue.
 *
 * At the end of each round, the loop queues the requests that were submitted in that round, and
 * wakes the thread once. The thread takes all queued requests, up to HAFT__LIMIT_STORE_BATCH,
 * performs them and reports them together. So the longer a batch takes, the bigger the next one is.
 * Tests: tests/store/sqlite/sqlite_test.c.
 */
#include <unistd.h>

#include <signal.h>

#include "base/error.h"
#include "base/macros.h"
#include "store/sqlite/sqlite_int.h"

/* Waits for requests and moves them to *ret_batch, which is empty if the worker must stop. */
static void take_batch(haft__sqlite_worker *worker, haft__store_queue *ret_batch)
{
    haft__store_queue_init(ret_batch);
    (void)pthread_mutex_lock(&worker->lock);
    haft__store_queue_append(&worker->unfinished, &worker->queue);
    while (worker->queue.first == NULL && !worker->closing) {
        (void)pthread_cond_wait(&worker->wake, &worker->lock);
    }
    for (int left = HAFT__LIMIT_STORE_BATCH; left > 0 && worker->queue.first != NULL; left--) {
        haft__store_queue_push(ret_batch, haft__store_queue_pop(&worker->queue));
    }
    (void)pthread_mutex_unlock(&worker->lock);
}

static void *work(void *context)
{
    haft__sqlite_worker *worker = context;
    haft__store_queue batch;
    for (take_batch(worker, &batch); batch.first != NULL; take_batch(worker, &batch)) {
        worker->perform(worker, &batch);
        haft__store_complete_threadsafe(worker->store, &batch);
        worker->idle(worker);
    }
    return NULL;
}

/* Starts the thread with all signals blocked, because the threads of the program handle them. */
static int start_thread(haft__sqlite_worker *worker)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&worker->thread, NULL, work, worker);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Queues the submitted requests. Called on the loop's thread at the end of a round. */
static void hand_over(haft__task *task)
{
    haft__sqlite_worker *worker = HAFT__CONTAINER(task, haft__sqlite_worker, handover);
    (void)pthread_mutex_lock(&worker->lock);
    haft__store_queue_append(&worker->submitted, &worker->queue);
    (void)pthread_cond_signal(&worker->wake);
    (void)pthread_mutex_unlock(&worker->lock);
}

haft_status haft__sqlite_worker_start(haft__sqlite_worker *worker, haft_error *err)
{
    worker->handover.run = hand_over;
    haft__buf_init(&worker->packed, HAFT__SQLITE_ROW_BYTES);
    haft__store_queue_init(&worker->submitted);
    haft__store_queue_init(&worker->queue);
    haft__store_queue_init(&worker->unfinished);
    (void)pthread_mutex_init(&worker->lock, NULL);
    (void)pthread_cond_init(&worker->wake, NULL);
    worker->started = start_thread(worker) == 0;
    if (!worker->started) {
        (void)pthread_cond_destroy(&worker->wake);
        (void)pthread_mutex_destroy(&worker->lock);
        return haft__fail(err, HAFT_IO, "", "cannot start a thread");
    }
    return HAFT_OK;
}

void haft__sqlite_worker_submit(haft__sqlite_worker *worker, haft__store_request *request)
{
    bool first = worker->submitted.first == NULL;
    haft__store_queue_push(&worker->submitted, request);
    if (first) {
        haft__loop_post(worker->store->loop, &worker->handover);
    }
}

void haft__sqlite_worker_stop(haft__sqlite_worker *worker)
{
    if (worker->started) {
        haft__loop_cancel_task(worker->store->loop, &worker->handover);
        (void)pthread_mutex_lock(&worker->lock);
        haft__store_queue_append(&worker->submitted, &worker->queue);
        worker->closing = true;
        (void)pthread_cond_signal(&worker->wake);
        (void)pthread_mutex_unlock(&worker->lock);
        (void)pthread_join(worker->thread, NULL);
        (void)pthread_cond_destroy(&worker->wake);
        (void)pthread_mutex_destroy(&worker->lock);
    }
    if (worker->reserve != 0) {
        (void)close(worker->reserve);
    }
    haft__buf_finish(&worker->packed);
    haft__sqlite_connection_close(&worker->connection);
}
