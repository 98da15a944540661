/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.c - tools that are C functions of the program, on threads of the pool.
 *
 * A function cannot be terminated. If it exceeds its timeout, haft_cancelled returns true and the
 * function is detached. Its call, its facts and its arguments are copies in the memory of the job,
 * and this memory is kept until the function returns.
 * At most HAFT__LIMIT_POOL_ABANDONED functions are detached at a time; above that, no function
 * starts until one returns.
 *
 * A function that the program declares as HAFT_COST_FREE returns immediately and runs on the loop's
 * thread: two thread switches would cost more than the call. A spec cannot declare this, because it
 * does not know what the code does. Tests: tests/exec/function_test.c.
 */
#include <stdatomic.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/executor.h"
#include "exec/progress.h"
#include "io/random.h"
#include "tool/call.h"
#include "json/read.h"
#include "json/write.h"

typedef struct function {
    haft__pool_job pooled;
    haft__exec_job *job;
    haft__loop *loop;
    haft_tool tool; /* a copy: only the code and the argument table of the original are used */
    haft_call call;
    haft__json arguments;
    uint64_t deadline_ms;
    atomic_bool cancelled;
    atomic_bool saw_deadline; /* haft_cancelled was true because of the deadline */
    haft__progress progress;
    bool on_loop; /* runs on the loop's thread, inside start */
    /* Written by the thread, read after the thread is done. */
    haft_status status;
    haft_reply reply;
    haft_error err;
} function;

/* ---- on the thread ---- */

static bool is_cancelled(void *host)
{
    function *f = host;
    if (haft__loop_now(f->loop) >= f->deadline_ms) {
        atomic_store(&f->saw_deadline, true);
    }
    return atomic_load(&f->cancelled) || atomic_load(&f->saw_deadline);
}

static void emit(void *host, haft_str json)
{
    function *f = host;
    haft__task *task = haft__progress_send(&f->progress, json);
    if (task != NULL && f->on_loop) {
        haft__loop_post(f->loop, task);
    } else if (task != NULL) {
        haft__loop_post_threadsafe(f->loop, task);
    }
}

static void work(haft__pool_job *pooled)
{
    function *f = HAFT__CONTAINER(pooled, function, pooled);
    f->status = haft__call_run(&f->call, &f->tool, f->arguments, &f->reply, &f->err);
}

/* ---- on the loop ---- */

/* The job still exists: the loop runs tasks in the order in which they were posted, and the task
 * that completes the job is posted after this one. A function on the loop's thread has reported its
 * result before its progress is delivered, so `reported` is not checked for it. `done` is NULL if
 * the caller has dropped the job. */
static void deliver_progress(haft__progress *progress, haft_str json)
{
    const function *f = HAFT__CONTAINER(progress, function, progress);
    haft__exec_job *job = f->job;
    if (f->on_loop ? job->done != NULL : !job->reported) {
        job->call.progress(job->context, json);
    }
}

static void report(function *f)
{
    if (f->status == HAFT_OK) {
        haft__exec_report_reply(f->job, f->reply);
        return;
    }
    haft__exec_result result = {.text = haft__str(f->err.message),
                                .where = haft__str(f->err.where),
                                .hint = haft__str(f->err.hint),
                                .transient = f->status == HAFT_NO_MEMORY};
    haft__exec_report(f->job, &result);
}

static void done(haft__pool_job *pooled)
{
    function *f = HAFT__CONTAINER(pooled, function, pooled);
    haft__exec_job *job = f->job;
    if (!atomic_load(&f->cancelled)) {
        /* The thread may see the deadline before the loop's timer fires. */
        if (atomic_load(&f->saw_deadline)) {
            haft__exec_report_timeout(job);
        } else {
            report(f);
        }
        haft__call_finish(&f->call);
        return;
    }
    haft__call_finish(&f->call);
    haft__exec_job_release(job);
}

/* ---- starting ---- */

/* Copies a value: writes it as text and parses the text, which keeps numbers exactly. */
static haft_status copy_json(haft__arena *arena, haft__json value, haft__json *ret_copy,
                             haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = haft__random_hash_key(); /* the keys come from a model: not trusted */
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&buf, value);
    haft_status status = haft__buf_check(&buf, err);
    haft_str text = {NULL, 0};
    if (status == HAFT_OK) {
        text = haft__arena_copy(arena, haft__buf_str(&buf));
        status = text.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&buf);
    return status == HAFT_OK ? haft__json_read(arena, text, &options, ret_copy, NULL, err) : status;
}

static bool is_free(const haft__exec_job *job)
{
    return (job->call.tool->function->traits & HAFT_COST_FREE) != 0;
}

/* Whether another function may start. If not, reports an error as the result of the job. */
static bool is_allowed(haft__exec_job *job)
{
    if (is_free(job) || haft__pool_abandoned_count(job->exec->pool) < HAFT__LIMIT_POOL_ABANDONED) {
        return true;
    }
    char text[128];
    (void)snprintf(text, sizeof(text),
                   "%d function calls that timed out have not returned; no more calls are started",
                   HAFT__LIMIT_POOL_ABANDONED);
    haft__exec_report(
        job, &(haft__exec_result){.text = haft__str(text),
                                  .hint = HAFT__LIT("try again later; such a function should look "
                                                    "at haft_cancelled"),
                                  .transient = true});
    return false;
}

static haft_status make(haft__exec_job *job, function **ret_function, haft_error *err)
{
    function *f = haft__arena_array(&job->arena, 1, sizeof(*f));
    if (f == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_call_facts facts = job->call.facts;
    f->job = job;
    f->loop = job->exec->options.loop;
    f->tool = *job->call.tool->function;
    f->on_loop = is_free(job);
    f->progress.deliver = deliver_progress;
    f->arguments = job->call.arguments;
    bool overflows = job->call.timeout_ms > UINT64_MAX - job->started_ms;
    f->deadline_ms = overflows ? UINT64_MAX : job->started_ms + job->call.timeout_ms;
    f->pooled = (haft__pool_job){.work = work, .done = done};
    /* A function on the loop's thread returns while the caller's facts are still valid. */
    haft_status status = f->on_loop ? HAFT_OK : haft__call_facts_copy(&job->arena, &facts, err);
    if (status == HAFT_OK && !f->on_loop) {
        status = copy_json(&job->arena, job->call.arguments, &f->arguments, err);
    }
    haft__call_init(&f->call, &facts);
    f->call.cancelled = is_cancelled;
    f->call.emit = job->call.progress != NULL ? emit : NULL;
    f->call.host = f;
    *ret_function = f;
    return status;
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    function *f = NULL;
    if (!is_allowed(job)) {
        return HAFT_OK;
    }
    haft_status status = make(job, &f, err);
    job->state = f;
    if (status == HAFT_OK && f->on_loop) {
        work(&f->pooled);
        done(&f->pooled);
        return HAFT_OK;
    }
    return status == HAFT_OK ? haft__pool_submit(job->exec->pool, &f->pooled, err) : status;
}

static bool abandon(haft__exec_job *job)
{
    function *f = job->state;
    atomic_store(&f->cancelled, true);
    if (haft__pool_cancel(job->exec->pool, &f->pooled)) {
        job->waiting = true;
        return false;
    }
    (void)haft__pool_abandon(job->exec->pool, &f->pooled);
    return true;
}

const haft__executor haft__executor_function = {.start = start, .abandon = abandon};
