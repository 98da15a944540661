/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - runs of the agent for an MCP client: events become progress, the answer becomes the
 * result. A question to a person becomes a question to the client (question.c).
 *
 * The runs are in the store like any other. If its client disconnects, a run is cancelled and kept
 * until that is durable. Without a handshake, a paused run is released when its question is sent,
 * and the request with the answer opens it again. The run stays in this process only if one of its
 * MCP servers waits here for the answer. Tests: tests/cli/mcp_test.py.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/run.h"
#include "run/host.h"
#include "run/trace.h"
#include "serve/mcp/spec_int.h"
#include "json/object.h"
#include "json/read.h"

/* ---- progress ---- */

static void add_event(haft__buf *line, haft__json event)
{
    haft_str kind = haft__object_text(event, "kind"), tool = haft__object_text(event, "tool");
    if (haft__str_equal(kind, HAFT__LIT("turn_started"))) {
        haft__buf_add_str(line, HAFT__LIT("turn "));
        haft__buf_add_str(line, haft__object_text(event, "turn"));
        return;
    }
    for (size_t i = 0; i < kind.len; i++) {
        haft__buf_add_char(line, kind.ptr[i] == '_' ? ' ' : kind.ptr[i]);
    }
    if (tool.len > 0) {
        haft__buf_add_str(line, HAFT__LIT(": "));
        haft__buf_add_str(line, tool);
    }
}

/* Events are redacted before they are recorded. */
static void notify_event(haft__mcp_spec_job *job, const haft_event *event)
{
    haft__arena scratch;
    haft__buf line;
    haft__json object;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = job->spec_server->options.runtime->hash_key;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    if (haft__json_read(&scratch, event->json, &options, &object, NULL, NULL) == HAFT_OK) {
        add_event(&line, object);
    }
    if (line.len > 0 && haft__buf_check(&line, NULL) == HAFT_OK) {
        haft__mcp_request_progress(job->request, event->seq, 0, haft__buf_str(&line));
        haft__mcp_request_log(job->request, HAFT__MCP_LEVEL_DEBUG, haft__buf_str(&line));
    }
    haft__buf_finish(&line);
    haft__arena_finish(&scratch);
}

static void notify_events(haft__mcp_spec_job *job)
{
    haft_event event;
    while (haft_run_next_event(job->run, &event)) {
        if (event.seq > 0 && job->request != NULL) {
            notify_event(job, &event);
        }
    }
    job->run->log.reader.attached = false; /* progress events are not used here */
}

/* ---- results ---- */

static void reply_end(haft__mcp_spec_job *job)
{
    const haft__run *state = &job->run->state;
    haft_str answer = haft_run_answer_text(job->run);
    bool good = state->end == HAFT__END_DONE || state->end == HAFT__END_DIRECT
                || (state->end == HAFT__END_EXHAUSTED && state->forced_final);
    if (good) {
        haft__mcp_spec_job_reply(job, answer, false);
        return;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "the run %s ended: %s: %.*s", haft_run_id(job->run),
                   haft_run_end(job->run), HAFT__ARG(state->end_reason));
    if (answer.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT("\n\n"));
        haft__buf_add_str(&text, answer);
    }
    haft__mcp_spec_job_reply(job, haft__buf_str(&text), true);
    haft__buf_finish(&text);
}

void haft__mcp_run_fail(haft__mcp_spec_job *job, const haft_error *error)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "%s%s%s%s", error->message, error->hint[0] != '\0' ? "\nhint: " : "",
                   error->hint, "");
    haft__mcp_spec_job_reply(job, haft__buf_str(&text), true);
    haft__buf_finish(&text);
}

/* ---- state of the run ---- */

/* Another server has started the run of its key. */
static void schedule_update(haft__mcp_spec_job *job)
{
    haft_error err = {0};
    haft_run_release(job->run);
    job->run = NULL;
    if (haft__mcp_idempotency_begin(job, &err) != HAFT_OK) {
        haft__mcp_run_fail(job, &err);
    }
}

void haft__mcp_run_update(haft__mcp_spec_job *job)
{
    notify_events(job);
    haft_state state = haft_run_state(job->run);
    bool here = haft__mcp_run_waits_here(job);
    switch (state) {
    case HAFT_RUNNING:
        if (job->request != NULL) {
            haft__mcp_run_handle_questions(job, false);
        }
        return;
    case HAFT_ENDED:
    case HAFT_STOPPED:
        if (job->request == NULL) {
            haft__mcp_spec_job_destroy(job);
        } else if (state == HAFT_STOPPED && job->run->queue.state == HAFT__THREAD_QUEUE_REJECTED
                   && job->key.len > 0) {
            schedule_update(job);
        } else if (state == HAFT_ENDED) {
            reply_end(job);
        } else {
            haft__mcp_run_fail(job, haft_run_error(job->run));
        }
        return;
    case HAFT_WAITING:
        if (job->request != NULL) {
            haft__mcp_run_handle_questions(job, true);
        } else if (!here) { /* else until the answer arrives, or the question expires */
            haft__mcp_spec_job_destroy(job);
        }
        return;
    }
}

void haft__mcp_run_resume(haft__mcp_spec_job *job)
{
    job->answers = job->request->answers;
}

/* The request has answers for a run that is paused in the store. */
static haft_status resume_run(haft__mcp_spec_job *job, haft_error *err)
{
    job->answers = job->request->answers;
    for (haft__mcp_spec_job *other = job->spec_server->jobs; other != NULL; other = other->next) {
        if (other->run != NULL && other->request == NULL
            && haft__str_equal(haft__str(other->run->id), job->request->state)) {
            job->run = other->run; /* it waits in this process */
            other->run = NULL;
            haft__mcp_spec_job_destroy(other);
            return HAFT_OK;
        }
    }
    return haft__run_open_by_name(job->spec_server->options.runtime, job->request->state, false,
                                  &job->run, err);
}

/* The trace context of the client, from `_meta`; NULL without a valid one. */
static const char *read_traceparent(const haft__mcp_request *request,
                                    char text[HAFT__TRACE_PARENT_LENGTH + 1])
{
    haft__json meta = haft__object_get(request->params, "_meta");
    haft__trace_context caller;
    if (!haft__trace_parse(haft__object_string(meta, "traceparent"), &caller)) {
        return NULL;
    }
    haft__trace_write(&caller, text);
    return text;
}

haft_status haft__mcp_run_start(haft__mcp_spec_job *job, const char *thread, haft_error *err)
{
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.user = job->user.ptr != NULL ? job->user.ptr : "mcp";
    char traceparent[HAFT__TRACE_PARENT_LENGTH + 1];
    options.thread = thread;
    options.traceparent = read_traceparent(job->request, traceparent);
    haft_status status =
        haft_run_start(job->spec_server->options.agent, job->task.ptr, &options, &job->run, err);
    if (status == HAFT_OK) {
        haft__buf line;
        haft__buf_init(&line, HAFT__LIMIT_MCP_MESSAGE_BYTES);
        haft__buf_addf(&line, "run %s has started", haft_run_id(job->run));
        haft__mcp_request_log(job->request, HAFT__MCP_LEVEL_INFO, haft__buf_str(&line));
        haft__buf_finish(&line);
    }
    return status;
}

/* With a key it is the run of that key, which may already exist. */
static haft_status start(haft__mcp_spec_job *job, haft_error *err)
{
    const haft__json *task = haft__json_get(job->request->arguments, HAFT__LIT("task"));
    if (task == NULL || task->kind != HAFT__JSON_STRING || task->count == 0
        || job->request->arguments.count != 1) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected one argument, \"task\", with a text that is not empty");
    }
    job->task = haft__arena_copy(&job->arena, haft__json_text(*task));
    if (job->task.ptr == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    if (strlen(job->task.ptr) != job->task.len) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the task contains the character U+0000");
    }
    haft_status status = haft__mcp_idempotency_read_key(job, err);
    if (status == HAFT_OK) {
        status = job->key.len > 0 ? haft__mcp_idempotency_begin(job, err)
                                  : haft__mcp_run_start(job, NULL, err);
    }
    return status;
}

void haft__mcp_run_begin(haft__mcp_spec_job *job)
{
    haft_error err = {0};
    bool again = job->request->state.len > 0;
    haft_status status = again ? resume_run(job, &err) : start(job, &err);
    if (status != HAFT_OK) {
        haft__mcp_run_fail(job, &err);
    }
}

void haft__mcp_run_cancel(haft__mcp_spec_job *job)
{
    job->request = NULL;
    if (job->run == NULL || haft__mcp_idempotency_transfer(job)) {
        haft__mcp_spec_job_destroy(job);
    } else {
        (void)!haft_run_cancel(job->run, NULL); /* it may have ended since */
    }
}
