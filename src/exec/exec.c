/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - which executor runs a call, its deadline, and its one report.
 *
 * A report is handed on by a task, so that nobody is called back while it still starts something.
 * Tests: tests/exec/exec_test.c.
 */
#include "exec/exec_int.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "io/http.h"

static const struct {
    haft__tool_source source;
    const char *name; /* of a built-in; NULL: every tool of that source */
    const haft__executor *executor;
} executors[] = {
    {HAFT__TOOL_HTTP, NULL, &haft__executor_http},
    {HAFT__TOOL_FUNCTION, NULL, &haft__executor_function},
    {HAFT__TOOL_COMMAND, NULL, &haft__executor_command},
    {HAFT__TOOL_BUILTIN, "glob", &haft__executor_glob},
    {HAFT__TOOL_BUILTIN, "grep", &haft__executor_grep},
    {HAFT__TOOL_BUILTIN, "read", &haft__executor_read},
    {HAFT__TOOL_PROVIDER, NULL, NULL}, /* runs at the provider, never here */
};

static const haft__executor *find_executor(const haft__tool *tool)
{
    for (size_t i = 0; i < COUNT(executors); i++) {
        if (executors[i].source == tool->source
            && (executors[i].name == NULL
                || haft__str_equal(tool->name, haft__str(executors[i].name)))) {
            return executors[i].executor;
        }
    }
    return NULL;
}

haft_status haft__exec_create(const haft__exec_options *options, haft__exec **ret_exec,
                              haft_error *err)
{
    haft__exec *exec = calloc(1, sizeof(*exec));
    if (exec == NULL) {
        return haft__fail_no_memory(err);
    }
    exec->options = *options;
    exec->options.guard = NULL; /* it may not live as long as we do */
    haft_status status = haft__guard_find(options->guard, &exec->guard, &exec->no_guard);
    if (status == HAFT_OK || status == HAFT_NOT_FOUND) { /* only commands cannot do without it */
        status = haft__pool_create(options->loop, options->threads, &exec->pool, err);
    } else {
        status = haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        haft__exec_destroy(exec);
        return status;
    }
    *ret_exec = exec;
    return HAFT_OK;
}

void haft__exec_destroy(haft__exec *exec)
{
    if (exec == NULL) {
        return;
    }
    haft__http_destroy(exec->open_web);
    haft__http_destroy(exec->any_web);
    haft__children_finish(&exec->children);
    haft__pool_destroy(exec->pool);
    free(exec->guard);
    free(exec);
}

const haft__json *haft__exec_definition(const haft__exec_job *job, const char *key)
{
    return haft__json_get(job->call.tool->definition, haft__str(key));
}

void haft__exec_free(haft__exec_job *job)
{
    if (--job->holds == 0) {
        haft__arena_finish(&job->arena);
        free(job);
    }
}

/* ---- reports ---- */

static void hand_on(haft__task *task)
{
    haft__exec_job *job = HAFT__CONTAINER(task, haft__exec_job, task);
    if (job->done != NULL) {
        job->done(job->context, &job->result);
    }
    haft__exec_free(job);
}

/* The text in the job's arena; a static one when there is no memory. */
static haft_str keep(haft__exec_job *job, haft_str text)
{
    if (text.len == 0) {
        return HAFT__LIT("");
    }
    char *copy = haft__arena_alloc(&job->arena, text.len);
    if (copy == NULL) {
        return HAFT__LIT("(there was no memory for this text)");
    }
    memcpy(copy, text.ptr, text.len);
    haft__utf8_mask(copy, text.len);
    return (haft_str){copy, text.len};
}

void haft__exec_report(haft__exec_job *job, const haft__exec_result *result)
{
    if (job->reported) {
        return; /* the deadline was first */
    }
    haft__timer_stop(job->exec->options.loop, &job->timer);
    job->reported = true;
    job->result = *result;
    job->result.text = keep(job, result->text);
    job->result.where = keep(job, result->where);
    job->result.hint = keep(job, result->hint);
    job->result.ms = haft__loop_now(job->exec->options.loop) - job->started_ms;
    job->task.run = hand_on;
    haft__loop_post(job->exec->options.loop, &job->task);
}

static void report_failure(haft__exec_job *job, const haft_error *error)
{
    haft__exec_result result = {.text = haft__str(error->message),
                                .where = haft__str(error->where),
                                .hint = haft__str(error->hint),
                                .transient =
                                    error->status == HAFT_IO || error->status == HAFT_NO_MEMORY};
    haft__exec_report(job, &result);
}

/* ---- the end of a call before its time ---- */

static void abandon(haft__exec_job *job)
{
    if (job->executor == NULL) {
        return;
    }
    job->holds++;
    if (!job->executor->abandon(job)) {
        job->holds--;
    }
}

/* One that still waited for its turn cannot have had any effect. */
static void on_deadline(void *context)
{
    haft__exec_job *job = context;
    abandon(job);
    char text[96];
    (void)snprintf(text, sizeof(text), "the call %s longer than the %llu ms it may take",
                   job->waiting ? "would have to wait" : "took",
                   (unsigned long long)job->call.timeout_ms);
    haft__exec_result result = {.text = haft__str(text),
                                .hint = HAFT__LIT("ask for less at once, or raise `timeout`"),
                                .timed_out = true,
                                .started = !job->waiting,
                                .transient = true};
    haft__exec_report(job, &result);
}

void haft__exec_cancel(haft__exec_job *job)
{
    if (job->reported) {
        job->done = NULL; /* the task that would call it gives the job back */
        return;
    }
    job->reported = true;
    haft__timer_stop(job->exec->options.loop, &job->timer);
    abandon(job);
    haft__exec_free(job);
}

/* ---- starting ---- */

static haft_status start(haft__exec_job *job, haft_error *err)
{
    job->executor = find_executor(job->call.tool);
    if (job->executor == NULL) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, "", "this tool has no implementation here");
        return haft__hint(err, status, "do without it");
    }
    haft_status status = haft__timer_start(job->exec->options.loop, &job->timer,
                                           job->call.timeout_ms, on_deadline, job, err);
    return status == HAFT_OK ? job->executor->start(job, err) : status;
}

haft_status haft__exec_start(haft__exec *exec, const haft__exec_call *call, haft__exec_done *done,
                             void *context, haft__exec_job **ret_job, haft_error *err)
{
    haft__exec_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        return haft__fail_no_memory(err);
    }
    *job = (haft__exec_job){.exec = exec,
                            .call = *call,
                            .done = done,
                            .context = context,
                            .holds = 1,
                            .started_ms = haft__loop_now(exec->options.loop)};
    haft__arena_init(&job->arena, HAFT__LIMIT_ARENA_BYTES);
    haft_error failed = {0};
    if (start(job, &failed) != HAFT_OK) {
        job->executor = NULL;
        report_failure(job, &failed);
    }
    *ret_job = job;
    return HAFT_OK;
}
