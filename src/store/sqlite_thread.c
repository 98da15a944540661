/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_thread.c - a thread that owns a connection and performs the requests of a queue.
 *
 * It takes all that wait, up to HAFT__LIMIT_STORE_BATCH, performs them and reports them together:
 * the longer a batch takes, the more the next one has in it. Tests: tests/store/sqlite_test.c.
 */
#include <signal.h>

#include "base/error.h"
#include "store/sqlite_int.h"

/* What waits, or nothing when the end has come. */
static void take_batch(haft__worker *worker, haft__requests *ret_batch)
{
    haft__requests_init(ret_batch);
    (void)pthread_mutex_lock(&worker->lock);
    haft__requests_move(&worker->again, &worker->queue);
    while (worker->queue.first == NULL && !worker->closing) {
        (void)pthread_cond_wait(&worker->wake, &worker->lock);
    }
    for (int left = HAFT__LIMIT_STORE_BATCH; left > 0 && worker->queue.first != NULL; left--) {
        haft__requests_add(ret_batch, haft__requests_take(&worker->queue));
    }
    (void)pthread_mutex_unlock(&worker->lock);
}

static void *work(void *context)
{
    haft__worker *worker = context;
    haft__requests batch;
    for (take_batch(worker, &batch); batch.first != NULL; take_batch(worker, &batch)) {
        worker->perform(worker, &batch);
        haft__store_send(worker->store, &batch);
        worker->idle(worker);
    }
    return NULL;
}

/* Signals are for the threads of whoever uses us. */
static int start_thread(haft__worker *worker)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&worker->thread, NULL, work, worker);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

haft_status haft__worker_start(haft__worker *worker, haft_error *err)
{
    haft__requests_init(&worker->queue);
    haft__requests_init(&worker->again);
    (void)pthread_mutex_init(&worker->lock, NULL);
    (void)pthread_cond_init(&worker->wake, NULL);
    worker->started = start_thread(worker) == 0;
    if (!worker->started) {
        (void)pthread_cond_destroy(&worker->wake);
        (void)pthread_mutex_destroy(&worker->lock);
        return haft__fail(err, HAFT_IO, "", "no thread can be started");
    }
    return HAFT_OK;
}

void haft__worker_submit(haft__worker *worker, haft__store_request *request)
{
    (void)pthread_mutex_lock(&worker->lock);
    haft__requests_add(&worker->queue, request);
    (void)pthread_cond_signal(&worker->wake);
    (void)pthread_mutex_unlock(&worker->lock);
}

void haft__worker_stop(haft__worker *worker)
{
    if (worker->started) {
        (void)pthread_mutex_lock(&worker->lock);
        worker->closing = true;
        (void)pthread_cond_signal(&worker->wake);
        (void)pthread_mutex_unlock(&worker->lock);
        (void)pthread_join(worker->thread, NULL);
        (void)pthread_cond_destroy(&worker->wake);
        (void)pthread_mutex_destroy(&worker->lock);
    }
    haft__link_close(&worker->link);
}
