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
typedef struct errand {
    haft__pool_job job;
    sem_t *opens;  /* posted when it runs; may be NULL */
    sem_t *waits;  /* waited for then; may be NULL */
    int *order;    /* counts what is done; may be NULL */
    int worked;    /* by the thread, read after `done` */
    int done;      /* its number in `order` */
    pthread_t at;  /* where it was done */
    sigset_t mask; /* of the thread */
} errand;

static void work(haft__pool_job *job)
{
    errand *e = (errand *)job;
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
    errand *e = (errand *)job;
    e->at = pthread_self();
    e->done = e->order != NULL ? ++*e->order : 1;
}

static errand make_errand(sem_t *opens, sem_t *waits, int *order)
{
    return (errand){
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

static void submit(fixture *f, errand *e)
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
    errand errands[MANY];
    for (int i = 0; i < MANY; i++) {
        errands[i] = make_errand(NULL, NULL, &f.order);
        submit(&f, &errands[i]);
    }
    CHECK_INT(f.order, 0, "done before the loop was stepped");
    step_until(&f, MANY);
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(errands[i].done, i + 1, "errand %d", i);
        CHECK_INT(errands[i].worked, 1, "errand %d", i);
        CHECK(pthread_equal(errands[i].at, pthread_self()), "errand %d: done elsewhere", i);
    }
    end(&f);
}

/* Each waits until all of them are running. */
static void run_together(fixture *f, uint32_t count)
{
    errand errands[64];
    f->order = 0;
    for (uint32_t i = 0; i < count; i++) {
        errands[i] = make_errand(&f->opens, &f->waits, &f->order);
        submit(f, &errands[i]);
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
    run_together(&f, HAFT__LIMIT_POOL_THREADS); /* idle threads do not count twice */
    end(&f);
    begin(&f, 3);
    for (int i = 0; i < 50; i++) {
        run_together(&f, 1 + (uint32_t)i % 3);
    }
    end(&f);
}

TEST(one_job_more_than_there_are_threads_waits)
{
    fixture f;
    begin(&f, 0);
    errand errands[HAFT__LIMIT_POOL_THREADS + 1];
    for (uint32_t i = 0; i <= HAFT__LIMIT_POOL_THREADS; i++) {
        errands[i] = make_errand(&f.opens, &f.waits, &f.order);
        submit(&f, &errands[i]);
    }
    wait_times(&f.opens, HAFT__LIMIT_POOL_THREADS);
    CHECK(haft__pool_cancel(f.pool, &errands[HAFT__LIMIT_POOL_THREADS].job), "it had begun");
    post_times(&f.waits, HAFT__LIMIT_POOL_THREADS);
    step_until(&f, HAFT__LIMIT_POOL_THREADS);
    end(&f);
}

TEST(a_thread_gets_no_signals_but_its_own)
{
    fixture f;
    begin(&f, 1);
    errand e = make_errand(NULL, NULL, &f.order);
    submit(&f, &e);
    step_until(&f, 1);
    CHECK(sigismember(&e.mask, SIGTERM) == 1 && sigismember(&e.mask, SIGINT) == 1
              && sigismember(&e.mask, SIGPIPE) == 1 && sigismember(&e.mask, SIGCHLD) == 1,
          "signals of the program");
    CHECK(sigismember(&e.mask, SIGSEGV) == 0, "its own");
    sigset_t mask;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &mask);
    CHECK(sigismember(&mask, SIGTERM) == 0, "the caller's are as they were");
    end(&f);
}

TEST(a_job_that_has_not_begun_can_be_cancelled)
{
    fixture f;
    begin(&f, 1);
    errand errands[4];
    for (int i = 0; i < 4; i++) {
        bool first = i == 0;
        errands[i] = make_errand(first ? &f.opens : NULL, first ? &f.waits : NULL, &f.order);
        submit(&f, &errands[i]);
    }
    (void)sem_wait(&f.opens);
    CHECK(!haft__pool_cancel(f.pool, &errands[0].job), "it had begun");
    CHECK(haft__pool_cancel(f.pool, &errands[3].job), "the last");
    CHECK(haft__pool_cancel(f.pool, &errands[1].job), "the first of those that wait");
    submit(&f, &errands[3]);
    (void)sem_post(&f.waits);
    step_until(&f, 3);
    CHECK_INT(errands[0].done, 1, "order");
    CHECK_INT(errands[1].worked + errands[1].done, 0, "it was taken back");
    CHECK_INT(errands[2].done, 2, "order");
    CHECK_INT(errands[3].done, 3, "order");
    CHECK(!haft__pool_cancel(f.pool, &errands[3].job), "it is done");
    end(&f);
}

TEST(an_abandoned_job_does_not_block_others)
{
    fixture f;
    begin(&f, 1);
    errand stuck = make_errand(&f.opens, &f.waits, &f.order);
    errand next = make_errand(NULL, NULL, &f.order), last = make_errand(NULL, NULL, &f.order);
    submit(&f, &stuck);
    submit(&f, &next);
    (void)sem_wait(&f.opens);
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "before");
    CHECK(haft__pool_abandon(f.pool, &stuck.job), "it was not replaced");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 1, "after");
    step_until(&f, 1);
    CHECK_INT(next.done, 1, "the next");
    submit(&f, &last);
    step_until(&f, 2);
    (void)sem_post(&f.waits);
    step_until(&f, 3);
    CHECK_INT(stuck.done, 3, "it is done when it returns");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "at the end");
    CHECK(haft__pool_abandon(f.pool, &stuck.job), "nothing to give up");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "nothing to give up");
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

static void lose_and_come_back(uint32_t most)
{
    fixture f;
    begin(&f, most);
    int threads = count_threads();
    for (int round = 0; round < 20; round++) {
        errand stuck = make_errand(&f.opens, &f.waits, &f.order);
        errand other = make_errand(NULL, NULL, &f.order);
        f.order = 0;
        submit(&f, &stuck);
        (void)sem_wait(&f.opens);
        CHECK(haft__pool_abandon(f.pool, &stuck.job), "round %d", round);
        submit(&f, &other);
        step_until(&f, 1);
        (void)sem_post(&f.waits);
        step_until(&f, 2);
        run_together(&f, most);
    }
    uint64_t start = haft__loop_now(f.loop);
    while (count_threads() > threads + (int)most && haft__loop_now(f.loop) - start < 60000) {
        CHECK_INT(haft__loop_step(f.loop, 1, NULL), HAFT_OK, "the loop step failed");
    }
    int more = count_threads() - threads;
    CHECK(more <= (int)most, "%d threads, not %u", more, most);
    end(&f);
}

TEST(a_thread_that_comes_back_is_not_one_too_many)
{
    lose_and_come_back(1);
    lose_and_come_back(2);
}

TEST(only_so_many_are_replaced)
{
    fixture f;
    begin(&f, 1);
    errand stuck[HAFT__LIMIT_POOL_ABANDONED + 1], next = make_errand(NULL, NULL, &f.order);
    for (uint32_t i = 0; i <= HAFT__LIMIT_POOL_ABANDONED; i++) {
        stuck[i] = make_errand(&f.opens, &f.waits, &f.order);
        submit(&f, &stuck[i]);
        (void)sem_wait(&f.opens);
        bool last = i == HAFT__LIMIT_POOL_ABANDONED;
        CHECK_INT(haft__pool_abandon(f.pool, &stuck[i].job), !last, "job %u", i);
        CHECK_INT(haft__pool_abandoned_count(f.pool), i + 1, "job %u", i);
    }
    submit(&f, &next); /* no thread is left */
    CHECK_INT(next.job.state, 0, "it waits");
    (void)sem_post(&f.waits);
    step_until(&f, 2); /* a stuck thread came back and took it */
    CHECK(next.done > 0, "no thread ran it");
    post_times(&f.waits, HAFT__LIMIT_POOL_ABANDONED);
    step_until(&f, HAFT__LIMIT_POOL_ABANDONED + 2);
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "all are back");
    run_together(&f, 1);
    end(&f);
}

TEST(shutdown_waits_for_all_jobs_and_the_loop_delivers_them)
{
    fixture f;
    begin(&f, 2);
    errand errands[MANY];
    for (int i = 0; i < MANY; i++) {
        errands[i] = make_errand(NULL, NULL, &f.order);
        submit(&f, &errands[i]);
    }
    haft__pool_destroy(f.pool);
    f.pool = NULL;
    int worked = 0;
    for (int i = 0; i < MANY; i++) {
        worked += errands[i].worked;
    }
    CHECK_INT(worked, MANY, "worked");
    CHECK_INT(f.order, 0, "done");
    end(&f);
    CHECK_INT(f.order, MANY, "done");
}

TEST(jobs_cancelled_and_abandoned_at_any_moment_are_done_once)
{
    fixture f;
    begin(&f, 3);
    static errand errands[MANY];
    int wanted = 0;
    for (int i = 0; i < MANY; i++) {
        errands[i] = make_errand(NULL, NULL, &f.order);
        submit(&f, &errands[i]);
        int other = i / 2;
        if (i % 3 == 0 && errands[other].done == 0 && errands[other].job.work != NULL) {
            if (haft__pool_cancel(f.pool, &errands[other].job)) {
                errands[other].job.work = NULL;
                wanted--;
            } else {
                (void)haft__pool_abandon(f.pool, &errands[other].job);
            }
        }
        wanted++;
        CHECK_INT(haft__loop_step(f.loop, 0, NULL), HAFT_OK, "the loop step failed");
    }
    step_until(&f, wanted);
    CHECK_INT(f.order, wanted, "done");
    CHECK_INT(haft__pool_abandoned_count(f.pool), 0, "given up");
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
    errand refused = make_errand(NULL, NULL, &f.order);
    haft_error err = {0};
    CHECK_INT(haft__pool_submit(f.pool, &refused.job, &err), HAFT_IO, "it was taken");
    CHECK(strstr(err.message, "cannot start a thread: ") == err.message, "%s", err.message);
    set_stack(usual);
    errand first = make_errand(&f.opens, &f.waits, &f.order), second = first;
    submit(&f, &first);
    (void)sem_wait(&f.opens);
    set_stack((size_t)1 << 47);
    submit(&f, &second); /* the first thread will do it */
    CHECK(!haft__pool_abandon(f.pool, &first.job), "it was replaced");
    set_stack(usual);
    post_times(&f.waits, 2);
    step_until(&f, 2);
    end(&f);
}

TEST(a_pool_without_memory_reports_it)
{
    haft__pool *pool = NULL;
    test_fail_allocation(0);
    haft_status status = haft__pool_create(NULL, 0, &pool, NULL);
    CHECK(test_allow_allocations(), "nothing was allocated");
    CHECK_INT(status, HAFT_NO_MEMORY, "status");
    haft__pool_destroy(NULL);
}
