/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - libuv's loop with haft's own timer heap and task lists.
 *
 * Closing a handle of libuv takes a round of the loop. A timer of haft is stopped immediately, by
 * removing it from the heap. One async handle wakes the loop for tasks from other threads. One
 * libuv timer ends the wait when haft's earliest timer must fire. Tests: tests/io/loop_test.c.
 */
#include <pthread.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/vec.h"
#include "io/loop_uv.h"

/* Tasks and timers that others have started run in the same step without polling in between. The
 * number of such rounds is limited, so that sockets do not starve. */
#define MAX_ROUNDS 8

typedef struct tasks {
    haft__task *first, **end;
} tasks;

struct haft__loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t alarm;
    haft__timer **timers; /* a heap: no timer fires before its parent */
    size_t timer_count, timer_capacity;
    tasks posted, running;
    pthread_mutex_t lock; /* protects `sent` */
    tasks sent;
};

uv_loop_t *haft__loop_uv(haft__loop *loop)
{
    return &loop->uv;
}

static haft_status fail_uv(haft_error *err, int code)
{
    return haft__fail(err, code == UV_ENOMEM ? HAFT_NO_MEMORY : HAFT_IO, "", "the event loop: %s",
                      uv_strerror(code));
}

/* ---- timers ---- */

static void put(haft__loop *loop, size_t at, haft__timer *timer)
{
    loop->timers[at] = timer;
    timer->slot = at + 1;
}

static void sift_up(haft__loop *loop, size_t at, haft__timer *timer)
{
    while (at > 0 && loop->timers[(at - 1) / 2]->due_ms > timer->due_ms) {
        put(loop, at, loop->timers[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(loop, at, timer);
}

static void sift_down(haft__loop *loop, size_t at, haft__timer *timer)
{
    for (size_t child; (child = 2 * at + 1) < loop->timer_count; at = child) {
        bool right = child + 1 < loop->timer_count
                     && loop->timers[child + 1]->due_ms < loop->timers[child]->due_ms;
        child += right;
        if (loop->timers[child]->due_ms >= timer->due_ms) {
            break;
        }
        put(loop, at, loop->timers[child]);
    }
    put(loop, at, timer);
}

static bool grow(haft__loop *loop)
{
    haft__timer **timers = haft__vec_reserve(loop->timers, &loop->timer_capacity,
                                             loop->timer_count + 1, sizeof(haft__timer *));
    loop->timers = timers != NULL ? timers : loop->timers;
    return timers != NULL;
}

haft_status haft__timer_start(haft__loop *loop, haft__timer *timer, uint64_t ms,
                              void (*fire)(void *context), void *context, haft_error *err)
{
    haft__timer_stop(loop, timer);
    if (!grow(loop)) {
        return haft__fail_no_memory(err);
    }
    uint64_t now = haft__loop_now(loop);
    timer->due_ms = ms < UINT64_MAX - now ? now + ms : UINT64_MAX;
    timer->fire = fire;
    timer->context = context;
    sift_up(loop, loop->timer_count++, timer);
    return HAFT_OK;
}

void haft__timer_stop(haft__loop *loop, haft__timer *timer)
{
    if (timer->slot == 0) {
        return;
    }
    size_t at = timer->slot - 1;
    haft__timer *last = loop->timers[--loop->timer_count];
    timer->slot = 0;
    if (last == timer) {
        return;
    }
    if (at > 0 && loop->timers[(at - 1) / 2]->due_ms > last->due_ms) {
        sift_up(loop, at, last);
    } else {
        sift_down(loop, at, last);
    }
}

/* Fires the timers whose time has come. A timer that a callback sets waits for the next round. */
static void fire_timers(haft__loop *loop)
{
    uint64_t now = haft__loop_now(loop);
    for (size_t remaining = loop->timer_count; remaining > 0 && loop->timer_count > 0;
         remaining--) {
        haft__timer *first = loop->timers[0];
        if (first->due_ms > now) {
            return;
        }
        haft__timer_stop(loop, first);
        first->fire(first->context);
    }
}

uint64_t haft__loop_now(const haft__loop *loop)
{
    (void)loop;
    return uv_hrtime() / 1000000;
}

/* ---- tasks ---- */

static void tasks_init(tasks *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void tasks_add(tasks *list, haft__task *task)
{
    task->next = NULL;
    *list->end = task;
    list->end = &task->next;
}

/* Does nothing if the task is not in the list. */
static void tasks_remove(tasks *list, haft__task *task)
{
    haft__task **at = &list->first;
    while (*at != NULL && *at != task) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = task->next;
        list->end = task->next == NULL ? at : list->end;
    }
}

/* Moves all tasks of `from` to the end of `to`. */
static void tasks_move(tasks *from, tasks *to)
{
    if (from->first != NULL) {
        *to->end = from->first;
        to->end = from->end;
        tasks_init(from);
    }
}

void haft__loop_post(haft__loop *loop, haft__task *task)
{
    tasks_add(&loop->posted, task);
}

void haft__loop_post_threadsafe(haft__loop *loop, haft__task *task)
{
    /* Wakes the loop while holding the lock: as soon as the task can run, its sender may free the
     * loop. */
    (void)pthread_mutex_lock(&loop->lock);
    tasks_add(&loop->sent, task);
    (void)uv_async_send(&loop->wake);
    (void)pthread_mutex_unlock(&loop->lock);
}

static void collect_posted(haft__loop *loop)
{
    (void)pthread_mutex_lock(&loop->lock);
    tasks_move(&loop->sent, &loop->posted);
    (void)pthread_mutex_unlock(&loop->lock);
}

/* Runs the posted tasks. Tasks that are posted in the meantime wait for the next round, so that
 * sockets and timers do not starve. */
static void run_tasks(haft__loop *loop)
{
    tasks_move(&loop->posted, &loop->running);
    while (loop->running.first != NULL) {
        haft__task *task = loop->running.first;
        tasks_remove(&loop->running, task);
        task->run(task);
    }
}

void haft__loop_cancel_task(haft__loop *loop, haft__task *task)
{
    collect_posted(loop);
    tasks_remove(&loop->posted, task);
    tasks_remove(&loop->running, task);
}

/* ---- the loop ---- */

static void on_wake(uv_async_t *wake)
{
    collect_posted(wake->data);
}

/* Ends the wait, or prevents it: libuv also runs its timers before it waits, and would afterwards
 * wait without a limit. */
static void on_alarm(uv_timer_t *alarm)
{
    uv_stop(alarm->loop);
}

haft_status haft__loop_create(haft__loop **ret_loop, haft_error *err)
{
    haft__loop *loop = calloc(1, sizeof(*loop));
    if (loop == NULL) {
        return haft__fail_no_memory(err);
    }
    int code = uv_loop_init(&loop->uv);
    if (code != 0) {
        free(loop);
        return fail_uv(err, code);
    }
    (void)pthread_mutex_init(&loop->lock, NULL);
    tasks_init(&loop->posted);
    tasks_init(&loop->running);
    tasks_init(&loop->sent);
    (void)uv_timer_init(&loop->uv, &loop->alarm);
    loop->wake.data = loop;
    code = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (code != 0) {
        uv_close((uv_handle_t *)&loop->alarm, NULL);
        (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
        (void)uv_loop_close(&loop->uv);
        (void)pthread_mutex_destroy(&loop->lock);
        free(loop);
        return fail_uv(err, code);
    }
    (void)uv_run(&loop->uv, UV_RUN_NOWAIT); /* so that haft__loop_fd includes the handles */
    *ret_loop = loop;
    return HAFT_OK;
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

void haft__loop_destroy(haft__loop *loop)
{
    if (loop == NULL) {
        return;
    }
    do { /* senders rely on their tasks being run, and a task may post another task */
        collect_posted(loop);
        run_tasks(loop);
    } while (loop->posted.first != NULL);
    uv_walk(&loop->uv, close_handle, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    (void)uv_loop_close(&loop->uv);
    (void)pthread_mutex_destroy(&loop->lock);
    free(loop->timers);
    free(loop);
}

int haft__loop_fd(const haft__loop *loop)
{
    return uv_backend_fd(&loop->uv);
}

int haft__loop_timeout(const haft__loop *loop)
{
    if (loop->posted.first != NULL || uv_backend_timeout(&loop->uv) == 0) {
        return 0;
    }
    if (loop->timer_count == 0) {
        return -1;
    }
    uint64_t now = haft__loop_now(loop), due = loop->timers[0]->due_ms;
    uint64_t left = due > now ? due - now : 0;
    return left < INT32_MAX ? (int)left : INT32_MAX;
}

static bool has_more(const haft__loop *loop)
{
    return loop->posted.first != NULL
           || (loop->timer_count > 0 && loop->timers[0]->due_ms <= haft__loop_now(loop));
}

haft_status haft__loop_step(haft__loop *loop, int timeout_ms, haft_error *err)
{
    int own = haft__loop_timeout(loop);
    int wait = own >= 0 && (timeout_ms < 0 || own < timeout_ms) ? own : timeout_ms;
    if (wait > 0) {
        uv_update_time(&loop->uv); /* the base of libuv's timers */
        int code = uv_timer_start(&loop->alarm, on_alarm, (uint64_t)wait, 0);
        if (code != 0) {
            return fail_uv(err, code);
        }
    }
    (void)uv_run(&loop->uv, wait == 0 ? UV_RUN_NOWAIT : UV_RUN_ONCE);
    (void)uv_timer_stop(&loop->alarm);
    int rounds = 0;
    do {
        fire_timers(loop);
        run_tasks(loop);
    } while (++rounds < MAX_ROUNDS && has_more(loop));
    return HAFT_OK;
}
