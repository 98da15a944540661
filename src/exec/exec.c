/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - selects the executor of a call, and handles its deadline and its single report.
 *
 * A task delivers the report, so that a caller never gets a callback while it is still starting a
 * call. Tests: tests/exec/exec_test.c.
 */
#include "exec/executor.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/mcp/mcp.h"
#include "exec/sandbox/interpreters.h"
#include "exec/sql/schema_cache.h"
#include "io/http/client.h"
#include "run/binary.h"
#include "tool/builtin.h"
#include "json/read.h"
#include "json/write.h"

/* The built-ins of HAFT__BUILTIN_IN_EXEC. */
static const haft__executor *const builtin_executors[HAFT__BUILTIN_COUNT] = {
    [HAFT__BUILTIN_GLOB] = &haft__executor_glob,
    [HAFT__BUILTIN_GREP] = &haft__executor_grep,
    [HAFT__BUILTIN_READ] = &haft__executor_read,
    [HAFT__BUILTIN_EXECUTE_SQL] = &haft__executor_execute_sql,
    [HAFT__BUILTIN_SEARCH_SCHEMAS] = &haft__executor_search_schemas,
    [HAFT__BUILTIN_PYTHON_EXECUTION] = &haft__executor_python,
};

static const haft__executor *find_executor(const haft__exec *exec, const haft__tool *tool)
{
    const haft__builtin *builtin = haft__builtin_of(tool);
    switch (tool->source) {
    case HAFT__TOOL_FUNCTION:
        return tool->function->run != NULL ? &haft__executor_function : &haft__executor_queued;
    case HAFT__TOOL_COMMAND: return &haft__executor_command;
    case HAFT__TOOL_HTTP: return &haft__executor_http;
    case HAFT__TOOL_MCP: return exec->mcp;
    case HAFT__TOOL_BUILTIN:
        return builtin != NULL ? builtin_executors[haft__builtin_id_of(builtin)] : NULL;
    case HAFT__TOOL_SKILL: return &haft__executor_skill;
    case HAFT__TOOL_AGENT:
    case HAFT__TOOL_HANDOFF:
    case HAFT__TOOL_HEADLESS:
    case HAFT__TOOL_PROVIDER: return NULL; /* the provider runs it */
    }
    HAFT__UNREACHABLE();
}

haft_status haft__exec_create(const haft__exec_options *options, haft__exec **ret_exec,
                              haft_error *err)
{
    haft__exec *exec = calloc(1, sizeof(*exec));
    if (exec == NULL) {
        return haft__fail_no_memory(err);
    }
    exec->options = *options;
    exec->mcp = &haft__executor_mcp;
    exec->options.guard = NULL; /* the caller's string might not outlive the exec */
    haft_status status = haft__guard_find(options->guard, &exec->guard, &exec->guard_error);
    if (status == HAFT_OK || status == HAFT_NOT_FOUND) { /* only commands need the guard */
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
    if (exec->starts.count > 0) {
        haft__loop_cancel_task(exec->options.loop, &exec->starts.next_step);
    }
    haft__mcp_connection_pool_destroy(exec);
    haft__http_client_destroy(exec->public_http);
    haft__http_client_destroy(exec->private_http);
    haft__interpreters_release(exec->interpreters);
    haft__child_group_finish(&exec->children);
    haft__pool_destroy(exec->pool);
    haft__schema_cache_destroy(exec->schemas);
    haft__call_queue_close(exec->call_queue);
    free(exec->guard);
    free(exec);
}

const haft__json *haft__exec_definition(const haft__exec_job *job, const char *key)
{
    return haft__json_get(job->call.tool->definition, haft__str(key));
}

void haft__exec_job_release(haft__exec_job *job)
{
    if (--job->references == 0) {
        haft__arena_finish(&job->arena);
        free(job);
    }
}

/* ---- reports ---- */

static void deliver_result(haft__task *task)
{
    haft__exec_job *job = HAFT__CONTAINER(task, haft__exec_job, task);
    if (job->done != NULL) {
        job->done(job->context, &job->result);
    }
    haft__exec_job_release(job);
}

/* Copies the text to the job's arena; a static text when out of memory. */
static haft_str keep(haft__exec_job *job, haft_str text)
{
    if (text.len == 0) {
        return HAFT__LIT("");
    }
    char *copy = haft__arena_alloc(&job->arena, text.len);
    if (copy == NULL) {
        return HAFT__LIT("(out of memory for this text)");
    }
    memcpy(copy, text.ptr, text.len);
    haft__utf8_replace_invalid(copy, text.len);
    return (haft_str){copy, text.len};
}

/* The text of the result. An error also gets an excerpt of the tool's output, which is redacted
 * before it is cut. */
static haft_str keep_text(haft__exec_job *job, const haft__exec_result *result)
{
    haft__buf buf;
    if (result->detail.text.len == 0) {
        return keep(job, result->text);
    }
    haft__buf_init(&buf, SIZE_MAX / 2);
    haft__buf_add_str(&buf, result->text);
    haft__buf_add_str(&buf, HAFT__LIT(": "));
    size_t before = buf.len;
    haft__excerpt_append(&buf, &result->detail, job->call.cleaner);
    bool shown = buf.status == HAFT_OK && buf.len > before;
    haft_str kept = keep(job, shown ? haft__buf_str(&buf) : result->text);
    haft__buf_finish(&buf);
    return kept;
}

/* Copies the parts that are not text to the job's arena, with their media types. */
static void keep_blobs(haft__exec_job *job, const haft__exec_result *given)
{
    size_t count = given->ok ? given->blob_count : 0;
    haft__exec_blob *blobs =
        count > 0 ? haft__arena_array(&job->arena, count, sizeof(*blobs)) : NULL;
    bool kept = blobs != NULL;
    for (size_t i = 0; kept && i < count; i++) {
        haft_str bytes = given->blobs[i].bytes;
        haft_str type = haft__binary_media_type(bytes, given->blobs[i].media_type);
        blobs[i].bytes = haft__arena_copy(&job->arena, bytes);
        blobs[i].media_type = haft__arena_copy(&job->arena, type);
        blobs[i].name = haft__arena_copy(&job->arena, given->blobs[i].name);
        kept = blobs[i].bytes.ptr != NULL && blobs[i].media_type.ptr != NULL
               && blobs[i].name.ptr != NULL;
    }
    job->result.blobs = kept ? blobs : NULL;
    job->result.blob_count = kept ? count : 0;
    if (count > 0 && !kept) {
        job->result.ok = false;
        job->result.text = HAFT__LIT("out of memory for this result");
    }
}

void haft__exec_report(haft__exec_job *job, const haft__exec_result *result)
{
    if (job->reported) {
        return; /* the deadline came first */
    }
    haft__timer_stop(job->exec->options.loop, &job->timer);
    job->reported = true;
    job->result = *result;
    job->result.text = keep_text(job, result);
    keep_blobs(job, result);
    job->result.detail = (haft__excerpt){0};
    job->result.where = keep(job, result->where);
    job->result.hint = keep(job, result->hint);
    job->result.sandbox = keep(job, result->sandbox.len > 0 ? result->sandbox : job->sandbox);
    job->result.ms = haft__loop_now(job->exec->options.loop) - job->started_ms;
    job->task.run = deliver_result;
    haft__loop_post(job->exec->options.loop, &job->task);
}

void haft__exec_report_failure(haft__exec_job *job, const haft_error *error)
{
    haft__exec_result result = {.text = haft__str(error->message),
                                .where = haft__str(error->where),
                                .hint = haft__str(error->hint),
                                .transient =
                                    error->status == HAFT_IO || error->status == HAFT_NO_MEMORY};
    haft__exec_report(job, &result);
}

void haft__exec_report_reply(haft__exec_job *job, haft_reply reply)
{
    haft__exec_result result = {.ok = reply.kind != HAFT_REPLY_ERROR,
                                .command = reply.kind == HAFT_REPLY_COMMAND,
                                .text = reply.text,
                                .started = true};
    char text[96];
    if (result.command && !job->call.takes_command) {
        result = (haft__exec_result){
            .text = HAFT__LIT("the tool replied with a command, and only a node of a graph whose "
                              "tool it is can follow one"),
            .hint = HAFT__LIT("it cannot be used here; continue without it"),
            .started = true};
    } else if (reply.text.len > HAFT__LIMIT_TOOL_RESULT_BYTES) {
        (void)snprintf(text, sizeof(text),
                       "the tool replied with %zu bytes, more than the limit of %d", reply.text.len,
                       HAFT__LIMIT_TOOL_RESULT_BYTES);
        result = (haft__exec_result){.text = haft__str(text), .started = true};
    }
    haft__exec_report(job, &result);
}

/* ---- abandoning ---- */

static void abandon(haft__exec_job *job)
{
    if (job->executor == NULL) {
        return;
    }
    job->references++;
    if (!job->executor->abandon(job)) {
        job->references--;
    }
}

/* ---- questions ---- */

struct haft__exec_question {
    haft__exec_job *job;
    haft__task task, withdrawal; /* deliver the question and its withdrawal */
    haft__json question, state;
    bool durable;
    bool withdrawn;
    bool delivered;     /* call.ask was called */
    uint64_t left_ms;   /* remaining time of the call when the question was asked */
    uint64_t within_ms; /* maximum time to wait for an answer */
    uint64_t since_ms;  /* time of the question */
};

static void on_deadline(void *context);

static void deliver_question(haft__task *task)
{
    struct haft__exec_question *q = HAFT__CONTAINER(task, struct haft__exec_question, task);
    haft__exec_job *job = q->job;
    if (job->done != NULL && (q->durable || !job->reported)) {
        q->delivered = true;
        job->call.ask(job->context, q->question, q->durable, q->state,
                      q->durable ? 0 : q->within_ms);
    }
    haft__exec_job_release(job);
}

/* Suspends the deadline while a person is asked. A tenth of the call's remaining time is reserved:
 * the tool may have work to do if nobody answers. */
static void stop_clock(haft__exec_job *job)
{
    struct haft__exec_question *q = job->question;
    uint64_t now = haft__loop_now(job->exec->options.loop);
    q->left_ms = job->deadline_ms > now ? job->deadline_ms - now : 1;
    q->within_ms = q->left_ms - q->left_ms / 10;
    q->since_ms = now;
    haft__timer_stop(job->exec->options.loop, &job->timer);
}

/* The call's remaining time after a question. The time until a person answers does not count. The
 * time of a wait without an answer counts, because otherwise a tool that asks repeatedly would
 * never end. */
static uint64_t time_left(const haft__exec_job *job, haft__json answer)
{
    const struct haft__exec_question *q = job->question;
    const haft__json *action = haft__json_get(answer, HAFT__LIT("action"));
    haft_str chosen = action != NULL ? haft__json_text(*action) : HAFT__LIT("");
    if (haft__str_equal(chosen, HAFT__LIT("accept"))
        || haft__str_equal(chosen, HAFT__LIT("decline"))) {
        return q->left_ms;
    }
    uint64_t spent = haft__loop_now(job->exec->options.loop) - q->since_ms;
    spent = spent < q->within_ms ? spent : q->within_ms;
    return q->left_ms > spent ? q->left_ms - spent : 1;
}

/* Makes a deep copy of the value, with its texts, in the job's arena. */
static bool keep_json(haft__exec_job *job, haft__json value, haft__json *ret_kept)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, value);
    haft_str kept = haft__arena_copy(&job->arena, haft__buf_str(&text));
    bool good = haft__buf_check(&text, NULL) == HAFT_OK && kept.ptr != NULL
                && haft__json_read(&job->arena, kept, NULL, ret_kept, NULL, NULL) == HAFT_OK;
    haft__buf_finish(&text);
    return good;
}

bool haft__exec_ask(haft__exec_job *job, haft__json question, bool durable, haft__json state)
{
    struct haft__exec_question *q = haft__arena_alloc(&job->arena, sizeof(*q));
    if (job->reported || job->question != NULL || job->call.ask == NULL || q == NULL) {
        return false;
    }
    *q = (struct haft__exec_question){.job = job, .durable = durable, .task.run = deliver_question};
    if (!keep_json(job, question, &q->question) || !keep_json(job, state, &q->state)) {
        return false;
    }
    job->question = q;
    job->reported = durable;
    /* The task drops a reference when it has run. A durable question ends the job, so its task
     * drops the reference of the job itself. */
    job->references += !durable;
    stop_clock(job);
    haft__loop_post(job->exec->options.loop, &q->task);
    return true;
}

static void deliver_withdrawal(haft__task *task)
{
    struct haft__exec_question *q = HAFT__CONTAINER(task, struct haft__exec_question, withdrawal);
    haft__exec_job *job = q->job;
    if (!job->reported && job->question == q) {
        job->call.withdraw(job->context);
    }
    haft__exec_job_release(job);
}

void haft__exec_withdraw(haft__exec_job *job)
{
    struct haft__exec_question *q = job->question;
    if (job->reported || q == NULL || q->withdrawn || job->call.withdraw == NULL) {
        return;
    }
    q->withdrawn = true;
    q->withdrawal.run = deliver_withdrawal;
    job->references++; /* until the task has run */
    haft__loop_post(job->exec->options.loop, &q->withdrawal);
}

void haft__exec_answer(haft__exec_job *job, haft__json answer)
{
    struct haft__exec_question *q = job->question;
    if (job->reported || q == NULL || !q->delivered) {
        return;
    }
    uint64_t left = time_left(job, answer);
    job->question = NULL;
    job->deadline_ms = haft__loop_now(job->exec->options.loop) + left;
    haft_error failed = {0};
    if (haft__timer_start(job->exec->options.loop, &job->timer, left, on_deadline, job, &failed)
        != HAFT_OK) {
        abandon(job);
        haft__exec_report_failure(job, &failed);
        return;
    }
    job->executor->answer(job, answer);
}

/* ---- deadline and cancellation ---- */

/* A call that was still waiting for its turn cannot have had an effect. */
void haft__exec_report_timeout(haft__exec_job *job)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), "the call%.*s %s longer than its timeout of %llu ms%.*s",
                   HAFT__ARG(job->subject), job->waiting ? "would have to wait" : "took",
                   (unsigned long long)job->call.timeout_ms, HAFT__ARG(job->why));
    haft__exec_result result = {.text = haft__str(text),
                                .hint = job->advice.len > 0
                                            ? job->advice
                                            : HAFT__LIT("ask for less at once, or raise `timeout`"),
                                .timed_out = true,
                                .started = !job->waiting,
                                .transient = true};
    haft__exec_report(job, &result);
}

static void on_deadline(void *context)
{
    haft__exec_job *job = context;
    abandon(job);
    haft__exec_report_timeout(job);
}

void haft__exec_cancel(haft__exec_job *job)
{
    if (job->reported) {
        job->done = NULL; /* the pending task frees the job */
        return;
    }
    job->reported = true;
    haft__timer_stop(job->exec->options.loop, &job->timer);
    abandon(job);
    haft__exec_job_release(job);
}

/* ---- starting ---- */

void haft__exec_hold_time(haft__exec_job *job)
{
    haft__timer_stop(job->exec->options.loop, &job->timer);
}

haft_status haft__exec_begin_time(haft__exec_job *job, haft_error *err)
{
    haft__loop *loop = job->exec->options.loop;
    job->started_ms = haft__loop_now(loop);
    job->deadline_ms = job->started_ms + job->call.timeout_ms;
    return haft__timer_start(loop, &job->timer, job->call.timeout_ms, on_deadline, job, err);
}

void haft__exec_suspend_time(haft__exec_job *job)
{
    uint64_t now = haft__loop_now(job->exec->options.loop);
    job->left_ms = job->deadline_ms > now ? job->deadline_ms - now : 1;
    haft__timer_stop(job->exec->options.loop, &job->timer);
}

haft_status haft__exec_resume_time(haft__exec_job *job, haft_error *err)
{
    haft__loop *loop = job->exec->options.loop;
    job->deadline_ms = haft__loop_now(loop) + job->left_ms;
    return haft__timer_start(loop, &job->timer, job->left_ms, on_deadline, job, err);
}

void haft__exec_reply(haft__exec_job *job, haft_str answer)
{
    if (!job->reported && job->executor != NULL && job->executor->reply != NULL) {
        job->executor->reply(job, answer);
    }
}

void haft__exec_reject(haft__exec_job *job, haft_str why)
{
    if (job->reported) {
        return;
    }
    haft__exec_result result = {
        .text = why,
        .hint = HAFT__LIT("its earlier calls have had their effects; look at their results before "
                          "you run code again"),
        .started = true,
        .lost = true,
        .diverged = true};
    abandon(job);
    haft__exec_report(job, &result);
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    job->executor = find_executor(job->exec, job->call.tool);
    if (job->executor == NULL) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, "", "this tool has no implementation here");
        return haft__hint(err, status, "continue without it");
    }
    haft_status status = haft__exec_begin_time(job, err);
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
                            .references = 1,
                            .started_ms = haft__loop_now(exec->options.loop)};
    haft__arena_init(&job->arena, HAFT__LIMIT_ARENA_BYTES);
    haft_error failed = {0};
    if (start(job, &failed) != HAFT_OK) {
        job->executor = NULL;
        haft__exec_report_failure(job, &failed);
    }
    *ret_job = job;
    return HAFT_OK;
}
