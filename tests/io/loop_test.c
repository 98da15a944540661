/* SPDX-License-Identifier: Apache-2.0 */
#include "io/loop.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "io/clock.h"
#include "test.h"

#define MANY 200

typedef struct counted {
    haft__task task;
    haft__loop *loop;
    int *order;
    int number;
    bool again;
} counted;

static haft__loop *make(void)
{
    haft__loop *loop = NULL;
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    return loop;
}

static void step(haft__loop *loop, int ms)
{
    CHECK_INT(haft__loop_step(loop, ms, NULL), HAFT_OK, "the loop step failed");
}

static void run_counted(haft__task *task)
{
    counted *c = (counted *)task;
    c->number = ++*c->order;
    if (c->again) {
        c->again = false;
        haft__loop_post(c->loop, task);
    }
}

TEST(tasks_run_in_the_order_of_arrival)
{
    haft__loop *loop = make();
    int order = 0;
    counted tasks[3];
    for (int i = 0; i < 3; i++) {
        tasks[i] = (counted){.task = {.run = run_counted}, .loop = loop, .order = &order};
        haft__loop_post(loop, &tasks[i].task);
    }
    CHECK_INT(haft__loop_timeout(loop), 0, "the timeout with a task");
    step(loop, -1);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(tasks[i].number, i + 1, "task %d", i);
    }
    CHECK_INT(haft__loop_timeout(loop), -1, "the timeout without a task");
    haft__loop_destroy(loop);
}

TEST(follow_up_tasks_run_in_the_same_step)
{
    haft__loop *loop = make();
    int order = 0;
    counted task = {.task = {.run = run_counted}, .loop = loop, .order = &order, .again = true};
    counted other = {.task = {.run = run_counted}, .loop = loop, .order = &order};
    haft__loop_post(loop, &task.task);
    haft__loop_post(loop, &other.task);
    step(loop, -1);
    CHECK_INT(order, 3, "tasks that ran");
    CHECK_INT(other.number, 2, "the position of the other task");
    CHECK_INT(haft__loop_timeout(loop), -1, "the timeout without a task");
    haft__loop_destroy(loop);
}

typedef struct endless {
    haft__task task;
    haft__loop *loop;
    int rounds;
} endless;

static void run_endless(haft__task *task)
{
    endless *e = (endless *)task;
    e->rounds++;
    haft__loop_post(e->loop, task);
}

TEST(a_step_ends_even_if_tasks_never_end)
{
    haft__loop *loop = make();
    endless task = {.task = {.run = run_endless}, .loop = loop};
    haft__loop_post(loop, &task.task);
    step(loop, -1);
    CHECK(task.rounds > 1 && task.rounds < 100, "%d rounds in a step", task.rounds);
    CHECK_INT(haft__loop_timeout(loop), 0, "the timeout of the next step");
    haft__loop_cancel_task(loop, &task.task);
    haft__loop_destroy(loop);
}

TEST(a_cancelled_task_does_not_run)
{
    for (int taken = 0; taken < 4; taken++) {
        haft__loop *loop = make();
        int order = 0;
        counted tasks[3];
        for (int i = 0; i < 3; i++) {
            tasks[i] = (counted){.task = {.run = run_counted}, .loop = loop, .order = &order};
            if (taken % 2 == 0) {
                haft__loop_post(loop, &tasks[i].task);
            } else {
                haft__loop_post_threadsafe(loop, &tasks[i].task);
            }
        }
        if (taken < 3) {
            haft__loop_cancel_task(loop, &tasks[taken].task);
            haft__loop_cancel_task(loop, &tasks[taken].task);
        }
        counted last = {.task = {.run = run_counted}, .loop = loop, .order = &order};
        haft__loop_post(loop, &last.task);
        step(loop, 0);
        CHECK_INT(order, taken < 3 ? 3 : 4, "tasks run without task %d", taken);
        CHECK(last.number > 0, "without task %d: the last task did not run", taken);
        haft__loop_destroy(loop);
    }
}

typedef struct taker {
    haft__task task;
    haft__loop *loop;
    haft__task *other;
} taker;

static void take_other(haft__task *task)
{
    taker *t = (taker *)task;
    haft__loop_cancel_task(t->loop, t->other);
}

TEST(a_task_can_cancel_one_of_the_same_round)
{
    haft__loop *loop = make();
    int order = 0;
    counted other = {.task = {.run = run_counted}, .loop = loop, .order = &order};
    taker first = {.task = {.run = take_other}, .loop = loop, .other = &other.task};
    haft__loop_post(loop, &first.task);
    haft__loop_post(loop, &other.task);
    step(loop, -1);
    CHECK_INT(order, 0, "tasks run");
    haft__loop_post(loop, &other.task);
    step(loop, -1);
    CHECK_INT(order, 1, "tasks run after they are posted again");
    haft__loop_destroy(loop);
}

typedef struct fired {
    haft__timer timer;
    haft__loop *loop;
    int *order;
    int number;
    struct fired *stops;
} fired;

static void on_fire(void *context)
{
    fired *f = context;
    f->number = ++*f->order;
    if (f->stops != NULL) {
        haft__timer_stop(f->loop, &f->stops->timer);
    }
}

static void set(haft__loop *loop, fired *f, uint64_t ms)
{
    f->loop = loop;
    CHECK_INT(haft__timer_start(loop, &f->timer, ms, on_fire, f, NULL), HAFT_OK,
              "the timer cannot be set");
}

static void step_until(haft__loop *loop, const int *count, int wanted)
{
    uint64_t start = haft__loop_now(loop);
    while (*count < wanted && haft__loop_now(loop) - start < 300000) {
        step(loop, 1000);
    }
}

TEST(timers_fire_in_the_order_they_are_due)
{
    haft__loop *loop = make();
    int order = 0;
    fired timers[MANY] = {{.order = NULL}};
    for (int i = 0; i < MANY; i++) {
        timers[i].order = &order;
        set(loop, &timers[i], (uint64_t)(i * 7919 % MANY) / 4);
    }
    for (int i = 0; i < MANY; i += 3) {
        haft__timer_stop(loop, &timers[i].timer);
    }
    step_until(loop, &order, MANY - (MANY + 2) / 3);
    for (int i = 0; i < MANY; i++) {
        CHECK_INT(timers[i].number > 0, i % 3 != 0, "timer %d", i);
        for (int k = 0; k < MANY; k++) {
            bool wrong = i % 3 != 0 && k % 3 != 0 && timers[i].timer.due_ms < timers[k].timer.due_ms
                         && timers[i].number > timers[k].number;
            CHECK(!wrong, "timer %d after timer %d", i, k);
        }
    }
    haft__loop_destroy(loop);
}

TEST(a_timer_can_stop_another_that_is_due)
{
    haft__loop *loop = make();
    int order = 0;
    fired second = {.order = &order}, first = {.order = &order, .stops = &second};
    set(loop, &first, 0);
    set(loop, &second, 0);
    step(loop, 0);
    step(loop, 0);
    CHECK_INT(first.number, 1, "the position of the first timer");
    CHECK_INT(second.number, 0, "the position of the stopped timer");
    haft__timer_stop(loop, &second.timer);
    haft__loop_destroy(loop);
}

/* The time since the last step does not count as waiting time of this step. */
TEST(an_idle_loop_waits_no_longer_than_its_timers)
{
    haft__loop *loop = make();
    step(loop, 0);
    for (int i = 0; i < 20; i++) {
        haft__clock_sleep(3);
        step(loop, 1); /* would wait forever if the event that ends the wait came before it */
    }
    haft__loop_destroy(loop);
}

TEST(a_timer_set_again_fires_once)
{
    haft__loop *loop = make();
    int order = 0;
    fired one = {.order = &order};
    set(loop, &one, 0);
    set(loop, &one, 5);
    CHECK(haft__loop_timeout(loop) > 0, "the timer is due at once");
    step_until(loop, &order, 1);
    step(loop, 10);
    CHECK_INT(order, 1, "times that the timer fired");
    haft__loop_destroy(loop);
}

typedef struct sender {
    haft__loop *loop;
    counted tasks[MANY];
} sender;

static void *send_all(void *context)
{
    sender *s = context;
    for (int i = 0; i < MANY; i++) {
        haft__loop_post_threadsafe(s->loop, &s->tasks[i].task);
    }
    return NULL;
}

TEST(tasks_from_other_threads_wake_the_loop)
{
    haft__loop *loop = make();
    int order = 0;
    static sender senders[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        senders[i].loop = loop;
        for (int k = 0; k < MANY; k++) {
            senders[i].tasks[k] = (counted){.task = {.run = run_counted}, .order = &order};
        }
        CHECK_INT(pthread_create(&threads[i], NULL, send_all, &senders[i]), 0, "no thread");
    }
    step_until(loop, &order, 2 * MANY);
    CHECK_INT(order, 2 * MANY, "tasks run");
    for (int i = 0; i < 2; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    haft__loop_destroy(loop);
}

/* Ends the wait of a loop that would otherwise wait forever. */
typedef struct waker {
    counted task;
    atomic_bool over;
} waker;

static void *wake_at_the_end(void *context)
{
    waker *r = context;
    for (int i = 0; i < 60000 && !r->over; i++) {
        haft__clock_sleep(5);
    }
    haft__loop_post_threadsafe(r->task.loop, &r->task.task);
    return NULL;
}

TEST(a_step_after_a_long_pause_obeys_its_timeout)
{
    haft__loop *loop = make();
    int order = 0;
    waker r = {.task = {.task = {.run = run_counted}, .loop = loop, .order = &order}};
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, wake_at_the_end, &r), 0, "no thread");
    haft__clock_sleep(5); /* now the cached time of libuv is older than the timeout */
    step(loop, 1);
    CHECK_INT(order, 0, "tasks that ran: the step waited for the other thread");
    r.over = true;
    (void)pthread_join(thread, NULL);
    haft__loop_destroy(loop);
    CHECK_INT(order, 1, "tasks that ran in the end");
}

TEST(another_loop_can_wait_for_this_one)
{
    haft__loop *loop = make();
    int order = 0;
    static sender s;
    s.loop = loop;
    for (int k = 0; k < MANY; k++) {
        s.tasks[k] = (counted){.task = {.run = run_counted}, .order = &order};
    }
    (void)send_all(&s);
    struct pollfd fd = {.fd = haft__loop_fd(loop), .events = POLLIN};
    CHECK_INT(poll(&fd, 1, 10000), 1, "readable descriptors");
    step(loop, 0);
    CHECK_INT(order, MANY, "tasks run");
    haft__loop_destroy(loop);
}

TEST(a_loop_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__loop *loop = NULL;
        fired one = {.number = 0};
        test_fail_allocation(n);
        haft_status status = haft__loop_create(&loop, NULL);
        if (status == HAFT_OK) {
            status = haft__timer_start(loop, &one.timer, 1, on_fire, &one, NULL);
            haft__timer_stop(loop, &one.timer);
        }
        bool failed = test_allow_allocations();
        haft__loop_destroy(loop);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
