/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executor.c - the executor of python_execution: code in; output, result and files out.
 *
 * The deadline of a call does not run while the code waits for its tool calls. Tests:
 * tests/exec/sandbox/python_test.c, tests/cli/code_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/sandbox/interpreters.h"
#include "run/decide/media_type.h"
#include "json/object.h"

#define NAME_BYTES 255       /* of an artifact */
#define TEXT_BYTES (4 << 20) /* above the output, the errors and the result together */

typedef struct code_job {
    haft__exec_job *job;
    haft__interpreter_waiter waiter;
    bool waits;
    haft__python *python;
    uint64_t calls; /* tool calls that the code has made */
} code_job;

/* ---- the result ---- */

static void add_part(haft__buf *buf, const char *title, haft_str text)
{
    if (text.len > 0) {
        haft__buf_addf(buf, "%s%s", buf->len > 0 ? "\n" : "", title);
        haft__buf_add_str(buf, text);
    }
}

static haft_str trim_line(haft_str text)
{
    text.len -= haft__str_ends_with(text, HAFT__LIT("\n"));
    return text;
}

/* {profile, landlock, python, cause, status, signal, cpu_ms, memory_kib, calls, limits} */
static void write_sandbox(const code_job *c, const haft__python_end *end, haft__buf *buf)
{
    const haft__sandbox *sandbox = haft__interpreters_sandbox(c->job->exec);
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_string(&w, "profile", haft__sandbox_profile_name(sandbox->profile));
    haft__field_number(&w, "landlock", (uint64_t)sandbox->landlock);
    haft__field_text(&w, "python", sandbox->version);
    haft__field_text(&w, "cause", end->cause);
    haft__field_number(&w, "status", (uint64_t)end->status);
    haft__field_number(&w, "signal", (uint64_t)end->signal);
    haft__field_number(&w, "cpu_ms", end->cpu_ms);
    haft__field_number(&w, "memory_kib", end->memory_kib);
    haft__field_number(&w, "calls", c->calls);
    haft__json_key(&w, "limits");
    haft__json_begin_object(&w);
    haft__field_number(&w, "memory_mib", HAFT__LIMIT_SANDBOX_MEMORY_MIB);
    haft__field_number(&w, "cpu_s", HAFT__LIMIT_SANDBOX_CPU_S);
    haft__field_number(&w, "output_bytes", HAFT__LIMIT_SANDBOX_OUTPUT_BYTES);
    haft__json_end_object(&w);
    haft__json_end_object(&w);
}

/* Why the code did not end by itself, for the model; NULL if it did. */
static const struct {
    const char *cause, *text, *hint;
} causes[] = {
    {"cpu", "the code used more than its CPU time", "do less at once"},
    {"memory", "the code used more than its memory", "keep less data at once"},
    {"output", "the code printed more than the limit", "print only what you need"},
    {"files", "the code wrote more or larger files than the limit", "write less"},
    {"signal", "the code was ended by a signal", ""},
    {"policy", "the code was ended because it broke the rules of the sandbox", ""},
    {"killed", "the code was ended from outside", "run it again"},
    {"setup", "the sandbox could not be started", ""},
};

static void write_failure(const haft__python_end *end, haft__buf *text, haft__exec_result *result)
{
    size_t i = 0;
    while (i < COUNT(causes) && !haft__str_equal(end->cause, haft__str(causes[i].cause))) {
        i++;
    }
    if (i < COUNT(causes)) {
        haft__buf_addf(text, "%s", causes[i].text);
        haft__buf_addf(text, end->why.len > 0 ? ": %.*s" : "%.*s", HAFT__ARG(end->why));
        result->hint = haft__str(causes[i].hint);
    } else {
        haft__buf_addf(text, "the code ended with %s%.*s",
                       end->error.len > 0 ? "" : "an exit status that is not 0",
                       HAFT__ARG(end->error));
    }
    add_part(text, "", trim_line(end->errors));
    add_part(text, "Output before that:\n", trim_line(end->output));
}

static void write_success(const haft__python_end *end, haft__buf *text)
{
    add_part(text, "", trim_line(end->output));
    add_part(text, "Standard error:\n", trim_line(end->errors));
    add_part(text, text->len > 0 ? "Result: " : "", end->result);
    if (end->left_files > 0) {
        haft__buf_addf(text, "%s%llu files were not kept: the limit is %d files with %d bytes.",
                       text->len > 0 ? "\n" : "", (unsigned long long)end->left_files,
                       HAFT__LIMIT_SANDBOX_KEPT_FILES, HAFT__LIMIT_SANDBOX_KEPT_BYTES);
    }
}

/* The files become artifacts, if the code has succeeded. */
static void add_files(code_job *c, const haft__python_end *end, haft__exec_result *result)
{
    haft__exec_blob *blobs = haft__arena_array(&c->job->arena, end->file_count, sizeof(*blobs));
    if (blobs == NULL) {
        return;
    }
    for (size_t i = 0; i < end->file_count; i++) {
        haft_str name = end->files[i].name;
        bool good = haft__utf8_valid(name) && name.len <= NAME_BYTES;
        blobs[i] = (haft__exec_blob){.bytes = end->files[i].bytes,
                                     .media_type = haft__media_type_of_name(name),
                                     .name = good ? name : HAFT__LIT("")};
    }
    result->blobs = blobs;
    result->blob_count = end->file_count;
}

static void on_end(void *context, const haft__python_end *end)
{
    code_job *c = context;
    haft__buf text, sandbox;
    haft__exec_result result = {.started = true};
    haft__buf_init(&text, TEXT_BYTES);
    haft__buf_init(&sandbox, TEXT_BYTES);
    c->python = NULL;
    result.ok = haft__str_equal(end->cause, HAFT__LIT("exit")) && end->status == 0;
    if (result.ok) {
        write_success(end, &text);
        add_files(c, end, &result);
    } else {
        write_failure(end, &text, &result);
    }
    write_sandbox(c, end, &sandbox);
    bool whole = haft__buf_check(&text, NULL) == HAFT_OK;
    result.text = whole ? haft__buf_str(&text) : HAFT__LIT("(out of memory for the output)");
    result.sandbox =
        haft__buf_check(&sandbox, NULL) == HAFT_OK ? haft__buf_str(&sandbox) : HAFT__LIT("");
    haft__exec_report(c->job, &result);
    haft__buf_finish(&text);
    haft__buf_finish(&sandbox);
}

/* ---- the calls of the code ---- */

static void fail_job(code_job *c, const haft_error *error)
{
    haft__python_kill(c->python);
    c->python = NULL;
    haft__exec_report_failure(c->job, error);
}

static void reply(haft__exec_job *job, haft_str answer)
{
    code_job *c = job->state;
    haft_error err = {0};
    if (c->python == NULL) {
        return;
    }
    haft_status status = haft__exec_resume_time(job, &err);
    status = status == HAFT_OK ? haft__python_reply(c->python, answer, &err) : status;
    if (status != HAFT_OK) {
        fail_job(c, &err);
    }
}

/* Nobody runs the calls: each one fails. */
static void refuse_calls(code_job *c, haft__json calls)
{
    haft__buf answer;
    haft__buf_init(&answer, TEXT_BYTES);
    haft__buf_add_str(&answer, HAFT__LIT("{\"results\":["));
    for (uint32_t i = 0; i < calls.count; i++) {
        haft__buf_add_str(&answer, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__buf_add_str(&answer, HAFT__LIT("{\"ok\":false,\"text\":\"no tools can be called "
                                             "here\"}"));
    }
    haft__buf_add_str(&answer, HAFT__LIT("]}"));
    reply(c->job, haft__buf_str(&answer));
    haft__buf_finish(&answer);
}

static void on_called(void *context, haft__json calls)
{
    code_job *c = context;
    c->calls += calls.count;
    haft__exec_suspend_time(c->job);
    if (c->job->call.called == NULL) {
        refuse_calls(c, calls);
    } else {
        c->job->call.called(c->job->context, calls);
    }
}

/* ---- start and end ---- */

static haft_status begin(code_job *c, haft_error *err)
{
    const haft__python_user user = {.called = on_called, .ended = on_end, .context = c};
    haft_str code = haft__object_text(c->job->call.arguments, "code");
    haft_str functions = c->job->call.functions;
    if (code.len > HAFT__LIMIT_SANDBOX_MESSAGE_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "/code", "the code has more than %d bytes",
                          HAFT__LIMIT_SANDBOX_MESSAGE_BYTES);
    }
    haft_status status = haft__interpreters_take(c->job->exec, &c->python, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__python_run(c->python, code, functions.len > 0 ? functions : HAFT__LIT("[]"),
                              &user, err);
    if (status != HAFT_OK) {
        haft__python_kill(c->python);
        c->python = NULL;
    }
    return status;
}

static void on_probed(haft__interpreter_waiter *waiter)
{
    code_job *c = HAFT__CONTAINER(waiter, code_job, waiter);
    haft_error err = {0};
    c->waits = false;
    haft_status status = haft__exec_begin_time(c->job, &err);
    status = status == HAFT_OK ? begin(c, &err) : status;
    if (status != HAFT_OK) {
        c->job->executor = NULL; /* nothing has to be ended */
        haft__exec_report_failure(c->job, &err);
    }
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    code_job *c = haft__arena_array(&job->arena, 1, sizeof(*c));
    bool done = false;
    if (c == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    *c = (code_job){.job = job, .waiter.probed = on_probed};
    job->state = c;
    haft_status status = haft__interpreters_probe(job->exec, &c->waiter, &done, err);
    if (status == HAFT_OK && !done) {
        c->waits = true;
        haft__exec_hold_time(job);
        return HAFT_OK;
    }
    return status == HAFT_OK ? begin(c, err) : status;
}

/* The deadline has passed, or the call was cancelled. */
static bool abandon(haft__exec_job *job)
{
    code_job *c = job->state;
    if (c->waits) {
        haft__interpreters_forget(job->exec, &c->waiter);
    } else if (c->python != NULL) {
        haft__buf sandbox;
        haft__buf_init(&sandbox, TEXT_BYTES);
        write_sandbox(c, &(haft__python_end){.cause = HAFT__LIT("wall")}, &sandbox);
        haft_str kept = haft__arena_copy(&job->arena, haft__buf_str(&sandbox));
        bool whole = haft__buf_check(&sandbox, NULL) == HAFT_OK && kept.ptr != NULL;
        job->sandbox = whole ? kept : HAFT__LIT("");
        haft__buf_finish(&sandbox);
    }
    haft__python_kill(c->python);
    c->python = NULL;
    return false;
}

const haft__executor haft__executor_python = {.start = start, .abandon = abandon, .reply = reply};
