/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queued.c - calls of tools without a function, which the program takes from a queue and finishes
 * itself: haft_runtime_next_call and haft_call_finish.
 *
 * A call is in the queue, or the program has taken it, or it is finished and its task is on its way
 * to the loop. The program may hold a call longer than the job, the run or the runtime exist, and
 * may finish it on any thread. So a call has its own memory. Only the loop's thread uses the queue
 * and `job`. The thread of the program uses `call` and `reply`, and posts tasks under the lock, so
 * that the loop exists meanwhile.
 *
 * A call that was cancelled has no job any more. If the program has taken it, it exists until the
 * program finishes it: at most HAFT__LIMIT_EXEC_UNFINISHED of these. Tests:
 * tests/exec/queued_test.c, tests/engine/queued_calls_test.c.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/executor.h"
#include "exec/progress.h"
#include "tool/call.h"

typedef struct haft__call_queue call_queue;

struct haft__queued_call {
    haft_call call;
    atomic_uint references; /* of the call itself, and one for each progress on its way */
    call_queue *queue;
    haft__exec_job *job; /* NULL after the call was cancelled */
    struct haft__queued_call *next;
    bool taken;
    atomic_bool cancelled;
    haft__progress progress;
    haft_reply reply;
    haft__task finished;
};

typedef struct haft__queued_call queued_call;

struct haft__call_queue {
    pthread_mutex_t lock; /* protects the next two */
    haft__loop *loop;     /* NULL after the queue was closed */
    size_t references;    /* of haft__exec, and one for each call */
    queued_call *first, **end;
    uint32_t unfinished; /* cancelled calls that the program has taken */
};

/* ---- on any thread ---- */

/* Posts a task. False if no loop exists any more. */
static bool post(call_queue *queue, haft__task *task)
{
    (void)pthread_mutex_lock(&queue->lock);
    bool posted = queue->loop != NULL;
    if (posted) {
        haft__loop_post_threadsafe(queue->loop, task);
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return posted;
}

static void release_queue(call_queue *queue)
{
    (void)pthread_mutex_lock(&queue->lock);
    bool last = --queue->references == 0;
    (void)pthread_mutex_unlock(&queue->lock);
    if (last) {
        (void)pthread_mutex_destroy(&queue->lock);
        free(queue);
    }
}

static void release_call(queued_call *c)
{
    if (atomic_fetch_sub(&c->references, 1) == 1) {
        call_queue *queue = c->queue;
        haft__call_finish(&c->call);
        free(c);
        release_queue(queue);
    }
}

static bool is_cancelled(void *host)
{
    const queued_call *c = host;
    return atomic_load(&c->cancelled);
}

static void emit(void *host, haft_str json)
{
    queued_call *c = host;
    haft__task *task = !is_cancelled(c) ? haft__progress_send(&c->progress, json) : NULL;
    if (task == NULL) {
        return;
    }
    (void)atomic_fetch_add(&c->references, 1);
    if (!post(c->queue, task)) {
        haft__progress_drop(task);
        release_call(c);
    }
}

haft_status haft_call_finish(haft_call *call, haft_reply_kind kind, const char *text,
                             haft_error *err)
{
    if (call == NULL || text == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a call and a text, found NULL");
    }
    queued_call *c = call->queued;
    if (c == NULL) {
        haft_status status =
            haft__fail(err, HAFT_BAD_STATE, "", "this call ends when its function returns");
        return haft__hint(err, status,
                          "only calls of haft_runtime_next_call are finished by the program");
    }
    haft_status status = haft__call_make_reply(call, kind, haft__str(text), &c->reply, err);
    if (status == HAFT_OK && !post(c->queue, &c->finished)) {
        release_call(c);
    }
    return status;
}

/* ---- on the loop ---- */

static void deliver_progress(haft__progress *progress, haft_str json)
{
    queued_call *c = HAFT__CONTAINER(progress, queued_call, progress);
    if (c->job != NULL && c->job->call.progress != NULL) {
        c->job->call.progress(c->job->context, json);
    }
    release_call(c);
}

static void on_finished(haft__task *task)
{
    queued_call *c = HAFT__CONTAINER(task, queued_call, finished);
    if (c->job != NULL) {
        haft__exec_report_reply(c->job, c->reply);
    } else {
        c->queue->unfinished--;
    }
    release_call(c);
}

static void append(call_queue *queue, queued_call *c)
{
    *queue->end = c;
    queue->end = &c->next;
}

static queued_call *unlink_call(call_queue *queue, queued_call **at)
{
    queued_call *c = *at;
    *at = c->next;
    if (queue->end == &c->next) {
        queue->end = at;
    }
    c->next = NULL;
    return c;
}

haft_call *haft__exec_next_call(haft__exec *exec)
{
    call_queue *queue = exec->call_queue;
    if (queue == NULL || queue->first == NULL) {
        return NULL;
    }
    queued_call *c = unlink_call(queue, &queue->first);
    c->taken = true;
    return &c->call;
}

void haft__call_queue_close(struct haft__call_queue *queue)
{
    if (queue == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&queue->lock);
    queue->loop = NULL;
    (void)pthread_mutex_unlock(&queue->lock);
    release_queue(queue);
}

/* ---- starting ---- */

/* The queue, which the first call makes. NULL when out of memory. */
static call_queue *queue_of(haft__exec *exec)
{
    if (exec->call_queue == NULL) {
        call_queue *queue = calloc(1, sizeof(*queue));
        if (queue == NULL || pthread_mutex_init(&queue->lock, NULL) != 0) {
            free(queue);
            return NULL;
        }
        queue->loop = exec->options.loop;
        queue->references = 1;
        queue->end = &queue->first;
        exec->call_queue = queue;
    }
    return exec->call_queue;
}

/* Fills in the parts that the program sees; all are copies. */
static haft_status copy_call(const haft__exec_job *job, queued_call *c, haft_error *err)
{
    haft_call_facts facts = job->call.facts;
    const haft_tool *tool = job->call.tool->function;
    facts.tool = tool->name;
    facts.context = tool->context;
    haft__call_init(&c->call, NULL);
    haft_status status = haft__call_facts_copy(&c->call.arena, &facts, err);
    if (status == HAFT_OK) {
        status = haft__call_write_arguments(&c->call, job->call.arguments, &facts.arguments, err);
    }
    facts.struct_size = sizeof(facts);
    c->references = 1;
    c->call.facts = facts;
    c->call.cancelled = is_cancelled;
    c->call.emit = emit;
    c->call.host = c;
    c->call.queued = c;
    c->progress.deliver = deliver_progress;
    c->finished.run = on_finished;
    return status;
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    call_queue *queue = queue_of(job->exec);
    if (queue != NULL && queue->unfinished >= HAFT__LIMIT_EXEC_UNFINISHED) {
        haft_status status = haft__fail(
            err, HAFT_TOO_BIG, "", "%d calls were cancelled, and the program has not finished them",
            HAFT__LIMIT_EXEC_UNFINISHED);
        return haft__hint(err, status, "try again later");
    }
    queued_call *c = queue != NULL ? calloc(1, sizeof(*c)) : NULL;
    if (c == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = copy_call(job, c, err);
    if (status != HAFT_OK) {
        haft__call_finish(&c->call);
        free(c);
        return status;
    }
    (void)pthread_mutex_lock(&queue->lock);
    queue->references++;
    (void)pthread_mutex_unlock(&queue->lock);
    c->queue = queue;
    c->job = job;
    job->state = c;
    append(queue, c);
    return HAFT_OK;
}

static bool abandon(haft__exec_job *job)
{
    queued_call *c = job->state;
    c->job = NULL;
    if (c->taken) {
        atomic_store(&c->cancelled, true);
        c->queue->unfinished++;
        return false;
    }
    queued_call **at = &c->queue->first;
    while (*at != c) {
        at = &(*at)->next;
    }
    release_call(unlink_call(c->queue, at));
    job->waiting = true;
    return false;
}

const haft__executor haft__executor_queued = {.start = start, .abandon = abandon};
