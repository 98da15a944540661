/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/pool.c. Most useful under `make tsan`. */
#include "io/pool.h"

#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "base/limits.h"
#include "test.h"

#define MANY 300

/* A job that may wait for others and records its outcome. */
typedef struct test_job {
    haft__pool_job job;
    sem_t *opens;  /* the job posts it first; may be NULL */
    sem_t *waits;  /* the job waits for it then; may be NULL */
    int *order;    /* counts the jobs that are done; may be NULL */
    int worked;    /* how often the job ran; read after `done` */
    int done;      /* its number in `order` */
    pthread_t at;  /* the thread of `done` */
    sigset_t mask; /* the signal mask of the thread */
} test_job;

static void work(haft__pool_job *job)
{
    test_job *e = (test_job *)job;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &e->mask);
    e->worked++;
    if (e->opens != NULL) {
        (void)sem_post(e->opens);
    }
    if (e->waits != NULL) {
        (void)sem_wait(e->waits);
    }
}

static void done(haft__pool_job *job)
{
    test_job *e = (test_job *)job;
    e->at = pthread_self();
    e->done = e->order != NULL ? ++*e->order : 1;
}

static test_job make_job(sem_t *opens, sem_t *waits, int *order)
{
    return (test_job){
        .job = {.work = work, .done = done}, .opens = opens, .waits = waits, .order = order};
}

typedef struct fixture {
    haft__loop *loop;
    haft__pool *pool;
    sem_t opens, waits;
    int order;
} fixture;

static void begin(fixture *f, uint32_t threads)
{
    *f = (fixture){.order = 0};
    (void)sem_init(&f->opens, 0, 0);
    (void)sem_init(&f->waits, 0, 0);
    CHECK_INT(haft__loop_create(&f->loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__pool_create(f->loop, threads, &f->pool, NULL), HAFT_OK, "no pool");
}

static void end(fixture *f)
{
    haft__pool_destroy(f->pool);
    haft__loop_destroy(f->loop);
    (void)sem_destroy(&f->opens);
    (void)sem_destroy(&f->waits);
}

static void submit(fixture *f, test_job *e)
{
    haft_error err = {0};
    CHECK_INT(haft__pool_submit(f->pool, &e->job, &err), HAFT_OK, "%s", err.message);
}

/* Steps until `wanted` jobs are done; the limit is far longer than they take. */
static void step_until(fixture *f, int wanted)
{
    uint64_t start = haft__loop_now(f->loop);
    while (f->order < wanted && haft__loop_now(f->loop) - start < 60000) {
        CHECK_INT(haft__loop_step(f->loop, 1000, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK(f->order >= wanted, "%d of %d are done", f->order, wanted);
}

static void wait_times(sem_t *sem, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        (void)sem_wait(sem);
    }
}

static void post_times(sem_t *sem, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        (void)sem_post(sem);
    }
}

TEST(jobs_of_one_thread_run_in_their_order_and_are_done_on_the_loop)
{
    fixture f;
    begin(&f, 1);
    test_job jobs[MANY];
    for (int i = 0; i < MANY; i++) {
        jobs[i] = make_job(NULL, NULL, &f.order);
        submit(&f, &jobs[i]);
    }
    CHECK_INT(f.order, 0, "jobs that were done before the loop was stepped");
    step_until(&f, MANY);
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(jobs[i].done, i + 1, "job %d: its position", i);
        CHECK_INT(jobs[i].worked, 1, "job %d: times that it ran", i);
        CHECK(pthread_equal(jobs[i].at, pthread_self()), "job %d: `done` ran on another thread", i);
    }
    end(&f);
}

/* Runs `count` jobs; each waits until all of them are running. */
static void run_together(fixture *f, uint32_t count)
{
    test_job jobs[64];
    f->order = 0;
    for (uint32_t i = 0; i < count; i++) {
        jobs[i] = make_job(&f->opens, &f->waits, &f->order);
        submit(f, &jobs[i]);
    }
    wait_times(&f->opens, count);
    post_times(&f->waits, count);
    step_until(f, (int)count);
}

TEST(as_many_jobs_run_together_as_there_are_threads)
{
    fixture f;
    begin(&f, 0);
    run_together(&f, HAFT__LIMIT_POOL_THREADS);
    run_together(&f, HAFT__LIMIT_POOL_THREADS); /* a second time, with the idle threads */
    end(&f);
    begin(&f, 3);
    for (int i = 0; i < 50; i++) {
        run_together(&f, 1 + (uint32_t)i % 3);
    }
    end(&f);
}

TEST(a_job_waits_if_all_threads_are_busy)
{
    fixture f;
    begin(&f, 0);
    test_job jobs[HAFT__LIMIT_POOL_THREADS + 1];
    for (uint32_t i = 0; i <= HAFT__LIMIT_POOL_THREADS; i++) {
        jobs[i] = make_job(&f.opens, &f.waits, &f.order);
        submit(&f, &jobs[i]);
    }
    wait_times(&f.opens, HAFT__LIMIT_POOL_THREADS);
    CHECK(haft__pool_cancel(f.pool, &jobs[HAFT__LIMIT_POOL_THREADS].job), "the job had started");
    post_times(&f.waits, HAFT__LIMIT_POOL_THREADS);
    step_until(&f, HAFT__LIMIT_POOL_THREADS);
    end(&f);
}

TEST(a_pool_thread_blocks_the_signals_of_the_program)
{
    fixture f;
    begin(&f, 1);
    test_job e = make_job(NULL, NULL, &f.order);
    submit(&f, &e);
    step_until(&f, 1);
    CHECK(sigismember(&e.mask, SIGTERM) == 1 && sigismember(&e.mask, SIGINT) == 1
              && sigismember(&e.mask, SIGPIPE) == 1 && sigismember(&e.mask, SIGCHLD) == 1,
          "a signal of the program is not blocked");
    CHECK(sigismember(&e.mask, SIGSEGV) == 0, "a signal of the thread itself is blocked");
    sigset_t mask;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &mask);
    CHECK(sigismember(&mask, SIGTERM) == 0, "the mask of the caller has changed");
    end(&f);
}

TEST(a_job_that_has_not_started_can_be_cancelled)
{
    fixture f;
    begin(&f, 1);
    test_job jobs[4];
    for (int i = 0; i < 4; i++) {
        bool first = i == 0;
        jobs[i] = make_job(first ? &f.opens : NULL, first ? &f.waits : NULL, &f.order);
        submit(&f, &jobs[i]);
    }
    (void)sem_wait(&f.opens);
    CHECK(!haft__pool_cancel(f.pool, &jobs[0].job), "a running job was cancelled");
    CHECK(haft__pool_cancel(f.pool, &jobs[3].job), "the last waiting job was not cancelled");
    CHECK(haft__pool_cancel(f.pool, &jobs[1].job), "the first waiting job was not cancelled");
    submit(&f, &jobs[3]);
    (void)sem_post(&f.waits);
    step_until(&f, 3);
    CHECK_INT(jobs[0].done, 1, "order");
    CHECK_INT(jobs[1].worked + jobs[1].done, 0, "a cancelled job ran");
    CHECK_INT(jobs[2].done, 2, "order");
    CHECK_INT(jobs[3].done, 3, "order");
    CHECK(!haft__pool_cancel(f.pool, &jobs[3].job), "a job that is done was cancelled");
    end(&f);
}

TEST(an_abandoned_job_does_not_block_others)
{
    fixture f;
    begin(&f, 1);
    test_job stuck = make_job(&f.opens, &f.waits, &f.order);
    test_job next = make_job(NULL, NULL, &f.order), last = make_job(NULL, NULL, &f.order);
    submit(&f, &stuck);
    submit(&f, &next);
    (void)sem_wait(&f.opens);
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "abandoned jobs before");
    CHECK(haft__pool_abandon(f.pool, &stuck.job), "the thread was not replaced");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 1, "abandoned jobs after");
    step_until(&f, 1);
    CHECK_INT(next.done, 1, "the position of the next job");
    submit(&f, &last);
    step_until(&f, 2);
    (void)sem_post(&f.waits);
    step_until(&f, 3);
    CHECK_INT(stuck.done, 3, "the position of the abandoned job");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "abandoned jobs at the end");
    CHECK(haft__pool_abandon(f.pool, &stuck.job), "a job that is done cannot be abandoned");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "abandoned jobs");
    end(&f);
}

static int count_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) {
        return 0;
    }
    while (readdir(tasks) != NULL) {
        count++;
    }
    (void)closedir(tasks);
    return count;
}

static void abandon_and_return(uint32_t max)
{
    fixture f;
    begin(&f, max);
    int threads = count_threads();
    for (int round = 0; round < 20; round++) {
        test_job stuck = make_job(&f.opens, &f.waits, &f.order);
        test_job other = make_job(NULL, NULL, &f.order);
        f.order = 0;
        submit(&f, &stuck);
        (void)sem_wait(&f.opens);
        CHECK(haft__pool_abandon(f.pool, &stuck.job), "round %d", round);
        submit(&f, &other);
        step_until(&f, 1);
        (void)sem_post(&f.waits);
        step_until(&f, 2);
        run_together(&f, max);
    }
    uint64_t start = haft__loop_now(f.loop);
    while (count_threads() > threads + (int)max && haft__loop_now(f.loop) - start < 60000) {
        CHECK_INT(haft__loop_step(f.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    int more = count_threads() - threads;
    CHECK(more <= (int)max, "%d threads instead of %u", more, max);
    end(&f);
}

TEST(a_thread_that_returns_does_not_exceed_the_limit)
{
    abandon_and_return(1);
    abandon_and_return(2);
}

TEST(the_number_of_replaced_threads_is_bounded)
{
    fixture f;
    begin(&f, 1);
    test_job stuck[HAFT__LIMIT_POOL_ABANDONED + 1], next = make_job(NULL, NULL, &f.order);
    for (uint32_t i = 0; i <= HAFT__LIMIT_POOL_ABANDONED; i++) {
        stuck[i] = make_job(&f.opens, &f.waits, &f.order);
        submit(&f, &stuck[i]);
        (void)sem_wait(&f.opens);
        bool last = i == HAFT__LIMIT_POOL_ABANDONED;
        CHECK_INT(haft__pool_abandon(f.pool, &stuck[i].job), !last,
                  "job %u: its thread is replaced", i);
        CHECK_INT(haft__pool_abandoned_count(f.pool), i + 1, "job %u: abandoned jobs", i);
    }
    submit(&f, &next); /* no thread is free */
    CHECK_INT(next.job.state, 0, "the state of the next job");
    (void)sem_post(&f.waits);
    step_until(&f, 2); /* a stuck thread returned and ran the job */
    CHECK(next.done > 0, "no thread ran the job");
    post_times(&f.waits, HAFT__LIMIT_POOL_ABANDONED);
    step_until(&f, HAFT__LIMIT_POOL_ABANDONED + 2);
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "abandoned jobs");
    run_together(&f, 1);
    end(&f);
}

TEST(shutdown_waits_for_all_jobs_and_the_loop_delivers_them)
{
    fixture f;
    begin(&f, 2);
    test_job jobs[MANY];
    for (int i = 0; i < MANY; i++) {
        jobs[i] = make_job(NULL, NULL, &f.order);
        submit(&f, &jobs[i]);
    }
    haft__pool_destroy(f.pool);
    f.pool = NULL;
    int worked = 0;
    for (int i = 0; i < MANY; i++) {
        worked += jobs[i].worked;
    }
    CHECK_INT(worked, MANY, "jobs that ran");
    CHECK_INT(f.order, 0, "jobs that are done before the loop is stepped");
    end(&f);
    CHECK_INT(f.order, MANY, "jobs that are done");
}

TEST(jobs_cancelled_and_abandoned_at_any_moment_are_done_once)
{
    fixture f;
    begin(&f, 3);
    static test_job jobs[MANY];
    int wanted = 0;
    for (int i = 0; i < MANY; i++) {
        jobs[i] = make_job(NULL, NULL, &f.order);
        submit(&f, &jobs[i]);
        int other = i / 2;
        if (i % 3 == 0 && jobs[other].done == 0 && jobs[other].job.work != NULL) {
            if (haft__pool_cancel(f.pool, &jobs[other].job)) {
                jobs[other].job.work = NULL;
                wanted--;
            } else {
                (void)haft__pool_abandon(f.pool, &jobs[other].job);
            }
        }
        wanted++;
        CHECK_INT(haft__loop_step(f.loop, 0, NULL), HAFT_OK, "the loop step failed");
    }
    step_until(&f, wanted);
    CHECK_INT(f.order, wanted, "jobs that are done");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "abandoned jobs");
    end(&f);
}

/* Makes every new thread request `bytes` for its stack. */
static void set_stack(size_t bytes)
{
    pthread_attr_t attributes;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, bytes);
    CHECK_INT(pthread_setattr_default_np(&attributes), 0, "stack size");
    (void)pthread_attr_destroy(&attributes);
}

TEST(without_any_thread_a_job_is_rejected)
{
    fixture f;
    begin(&f, 2);
    pthread_attr_t before;
    size_t usual = 0;
    (void)pthread_getattr_default_np(&before);
    (void)pthread_attr_getstacksize(&before, &usual);
    (void)pthread_attr_destroy(&before);
    set_stack((size_t)1 << 47);
    test_job refused = make_job(NULL, NULL, &f.order);
    haft_error err = {0};
    CHECK_INT(haft__pool_submit(f.pool, &refused.job, &err), HAFT_IO, "a job without a thread");
    CHECK(strstr(err.message, "cannot start a thread: ") == err.message, "%s", err.message);
    set_stack(usual);
    test_job first = make_job(&f.opens, &f.waits, &f.order), second = first;
    submit(&f, &first);
    (void)sem_wait(&f.opens);
    set_stack((size_t)1 << 47);
    submit(&f, &second); /* the first thread will run it */
    CHECK(!haft__pool_abandon(f.pool, &first.job), "the thread was replaced");
    set_stack(usual);
    post_times(&f.waits, 2);
    step_until(&f, 2);
    end(&f);
}

TEST(a_pool_reports_a_failed_allocation)
{
    haft__pool *pool = NULL;
    test_fail_allocation(0);
    haft_status status = haft__pool_create(NULL, 0, &pool, NULL);
    CHECK(test_allow_allocations(), "no allocation failed");
    CHECK_INT(status, HAFT_NO_MEMORY, "status");
    haft__pool_destroy(NULL);
}
