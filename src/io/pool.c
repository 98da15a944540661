/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - a job queue and its threads.
 *
 * The pool has at most `max_threads` threads, plus one for each abandoned job up to the limit. A
 * thread that finds too many threads exits. Threads that have exited are joined when their slot is
 * needed again. Tests: tests/io/pool_test.c.
 */
#include "io/pool.h"

#include <pthread.h>
#include <signal.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"

enum {
    QUEUED,
    RUNNING,
    ABANDONED, /* running, but abandoned */
    DONE,      /* `work` has returned; the loop will call `done` */
};

typedef struct worker {
    haft__pool *pool;
    pthread_t thread;
    bool started; /* `thread` is valid and not joined */
    bool ended;   /* ... and it has exited */
} worker;

struct haft__pool {
    haft__loop *loop;
    pthread_mutex_t lock; /* protects everything below */
    pthread_cond_t wake;
    haft__pool_job *first, **end; /* the queue */
    uint32_t waiting;             /* its length */
    uint32_t max_threads, running, idle, abandoned;
    bool closing;
    worker workers[]; /* one for each thread that can exist at the same time */
};

static uint32_t allowed(const haft__pool *pool)
{
    uint32_t lost = pool->abandoned;
    return pool->max_threads
           + (lost < HAFT__LIMIT_POOL_ABANDONED ? lost : HAFT__LIMIT_POOL_ABANDONED);
}

/* ---- threads ---- */

static haft__pool_job *pop_job(haft__pool *pool)
{
    haft__pool_job *job = pool->first;
    pool->first = job->next;
    if (pool->first == NULL) {
        pool->end = &pool->first;
    }
    pool->waiting--;
    job->state = RUNNING;
    return job;
}

/* Called with the lock held; releases it while `work` runs. */
static void run(haft__pool *pool, haft__pool_job *job)
{
    (void)pthread_mutex_unlock(&pool->lock);
    job->work(job);
    (void)pthread_mutex_lock(&pool->lock);
    pool->abandoned -= job->state == ABANDONED;
    job->state = DONE;
    haft__loop_post_threadsafe(pool->loop, &job->task); /* the job may be freed from here on */
}

static void *work(void *context)
{
    worker *self = context;
    haft__pool *pool = self->pool;
    (void)pthread_mutex_lock(&pool->lock);
    while (pool->running <= allowed(pool)) {
        if (pool->first != NULL) {
            run(pool, pop_job(pool));
        } else if (pool->closing) {
            break;
        } else {
            pool->idle++;
            (void)pthread_cond_wait(&pool->wake, &pool->lock);
            pool->idle--;
        }
    }
    pool->running--;
    self->ended = true;
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* ---- starting threads ---- */

/* Blocks signals, which are for the program's threads, except those that a thread raises itself. */
static int start_thread(worker *self)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked, before;
    (void)sigfillset(&blocked);
    for (size_t i = 0; i < COUNT(own); i++) {
        (void)sigdelset(&blocked, own[i]);
    }
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int code = pthread_create(&self->thread, NULL, work, self);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* Starts a thread in a free slot. The caller has checked that a slot is free. */
static int start_worker(haft__pool *pool)
{
    worker *self = pool->workers;
    while (self->started && !self->ended) {
        self++;
    }
    if (self->started) {
        /* The ended thread needs the lock no more, so joining it while holding the lock cannot
         * block. */
        (void)pthread_join(self->thread, NULL);
    }
    *self = (worker){.pool = pool};
    int code = start_thread(self);
    self->started = code == 0;
    pool->running += code == 0;
    return code;
}

/* Ensures that a thread will run the queued jobs. Returns 0, or the error if no thread could be
 * started. A woken thread counts as idle until it has the lock, so the number of idle threads may
 * be less than `idle`. */
static int ensure_worker(haft__pool *pool)
{
    if (pool->waiting > pool->idle && pool->running < allowed(pool)) {
        return start_worker(pool);
    }
    (void)pthread_cond_signal(&pool->wake);
    return 0;
}

/* ---- jobs ---- */

static void on_done(haft__task *task)
{
    haft__pool_job *job = HAFT__CONTAINER(task, haft__pool_job, task);
    job->done(job);
}

static void remove_job(haft__pool *pool, haft__pool_job *job)
{
    haft__pool_job **at = &pool->first;
    while (*at != job) {
        at = &(*at)->next;
    }
    *at = job->next;
    if (*at == NULL) {
        pool->end = at;
    }
    pool->waiting--;
}

haft_status haft__pool_submit(haft__pool *pool, haft__pool_job *job, haft_error *err)
{
    job->task.run = on_done;
    job->state = QUEUED;
    job->next = NULL;
    (void)pthread_mutex_lock(&pool->lock);
    *pool->end = job;
    pool->end = &job->next;
    pool->waiting++;
    int code = ensure_worker(pool);
    bool stuck = code != 0 && pool->running == 0;
    if (stuck) {
        remove_job(pool, job);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    if (stuck) {
        return haft__fail(err, HAFT_IO, "", "cannot start a thread: %s", strerror(code));
    }
    return HAFT_OK;
}

bool haft__pool_cancel(haft__pool *pool, haft__pool_job *job)
{
    (void)pthread_mutex_lock(&pool->lock);
    bool waits = job->state == QUEUED;
    if (waits) {
        remove_job(pool, job);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return waits;
}

bool haft__pool_abandon(haft__pool *pool, haft__pool_job *job)
{
    (void)pthread_mutex_lock(&pool->lock);
    bool replaced = true;
    if (job->state == RUNNING) {
        job->state = ABANDONED;
        pool->abandoned++;
        replaced = pool->abandoned <= HAFT__LIMIT_POOL_ABANDONED && ensure_worker(pool) == 0;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return replaced;
}

uint32_t haft__pool_abandoned_count(haft__pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    uint32_t lost = pool->abandoned;
    (void)pthread_mutex_unlock(&pool->lock);
    return lost;
}

/* ---- the pool ---- */

haft_status haft__pool_create(haft__loop *loop, uint32_t threads, haft__pool **ret_pool,
                              haft_error *err)
{
    uint32_t max_threads = threads > 0 ? threads : HAFT__LIMIT_POOL_THREADS;
    size_t places = (size_t)max_threads + HAFT__LIMIT_POOL_ABANDONED;
    haft__pool *pool = calloc(1, sizeof(*pool) + places * sizeof(pool->workers[0]));
    if (pool == NULL) {
        return haft__fail_no_memory(err);
    }
    pool->loop = loop;
    pool->max_threads = max_threads;
    pool->end = &pool->first;
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->wake, NULL);
    *ret_pool = pool;
    return HAFT_OK;
}

void haft__pool_destroy(haft__pool *pool)
{
    if (pool == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    (void)pthread_cond_broadcast(&pool->wake);
    (void)pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < (size_t)pool->max_threads + HAFT__LIMIT_POOL_ABANDONED; i++) {
        if (pool->workers[i].started) {
            (void)pthread_join(pool->workers[i].thread, NULL);
        }
    }
    (void)pthread_cond_destroy(&pool->wake);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}
