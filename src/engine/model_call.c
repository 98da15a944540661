/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_call.c - calls the model of a run: a script, the rule planner, or a server
 * (model_call_http.c).
 *
 * Tests: tests/engine/model_call_test.c.
 */
#include "engine/model_call.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/crash_guard.h"
#include "engine/runtime.h"
#include "model/provider_tool.h"
#include "model/rules/offline.h"

/* ---- lifetime ---- */

static void destroy_call(haft__model_call *call)
{
    haft__timer_stop(call->run->runtime->loop, &call->timer);
    haft__model_call_http_stop(call);
    haft__model_progress_finish(&call->progress);
    haft__arena_finish(&call->arena);
    free(call);
}

void haft__model_call_stop(haft_run *run)
{
    if (run->model_call != NULL) {
        destroy_call(run->model_call);
        run->model_call = NULL;
    }
}

void haft__model_call_fail(haft__model_call *call, const haft_error *error)
{
    haft__run_fail(call->run, error); /* this also stops the call */
}

/* Records the input in runtime->body, destroys the call, and continues the run. */
static void record(haft__model_call *call)
{
    haft_run *run = call->run;
    haft_error err = {0};
    haft_status status = haft__buf_check(&run->runtime->body, &err);
    haft__model_call_stop(run);
    if (status == HAFT_OK) {
        haft__run_record_input(run, haft__buf_str(&run->runtime->body));
    } else {
        haft__run_fail(run, &err);
    }
}

static uint64_t elapsed_ms(const haft__model_call *call)
{
    return haft__loop_now(call->run->runtime->loop) - call->started_ms;
}

void haft__model_call_refuse_member(haft__model_call *call, const haft__optional_member *member,
                                    const haft__model_failure *failure, bool remembered)
{
    haft_run *run = call->run;
    haft__buf *body = &run->runtime->body;
    haft__model_failure refused = *failure;
    refused.retries = haft__buf_str(&call->retries);
    run->refused_texts.hash[member->member] = call->texts.hash[member->member];
    run->failed_attempts = call->attempt;
    haft__buf_clear(body);
    haft__input_option_refused(body, member, &refused, remembered, elapsed_ms(call));
    record(call);
}

static const haft__optional_member *find_refused(const haft__model_call *call,
                                                 const haft__model_failure *failure)
{
    if (call->provider != NULL) {
        return haft__model_call_http_find_refused(call, failure);
    }
    return haft__input_find_refused(&call->run->state, &call->request, failure);
}

void haft__model_call_complete(haft__model_call *call, const haft__model_outcome *outcome)
{
    haft_run *run = call->run;
    haft__buf *body = &run->runtime->body;
    const haft__optional_member *refused =
        outcome->failed && !call->delivered ? find_refused(call, &outcome->failure) : NULL;
    if (refused != NULL) {
        haft__model_call_refuse_member(call, refused, &outcome->failure, false);
        return;
    }
    haft__buf_clear(body);
    haft_str retries = haft__buf_str(&call->retries);
    if (outcome->failed) {
        haft__model_failure failure = outcome->failure;
        failure.retries = retries;
        failure.delivered = call->delivered;
        haft__input_model_failed(body, &failure, elapsed_ms(call));
    } else {
        haft__reply reply = outcome->reply;
        const haft__cache_finding *cache = call->provider != NULL ? &call->cache : NULL;
        reply.retries = retries;
        reply.endpoint = run->agent->endpoint;
        reply.unsent = call->provider != NULL ? run->conversation->unsent : 0;
        haft__buf ran;
        haft__buf_init(&ran, HAFT__LIMIT_REPLY_BYTES);
        if (call->provider != NULL
            && haft__provider_calls_write(call->provider, reply.items, &ran, NULL) == HAFT_OK) {
            reply.provider_calls = haft__buf_str(&ran);
        }
        haft__input_model_replied_with(body, &run->state, &reply, cache, elapsed_ms(call));
        haft__buf_finish(&ran);
    }
    record(call);
}

/* ---- models that are part of this program ---- */

static void on_outcome_timer(void *context)
{
    haft__model_call *call = context;
    const haft__reply *reply = &call->outcome.reply;
    haft__delta reasoning = {.kind = HAFT__DELTA_REASONING, .text = reply->reasoning};
    haft__delta text = {.kind = HAFT__DELTA_TEXT, .text = reply->content};
    if (!call->outcome.failed) {
        haft__model_progress_add(&call->progress, &reasoning);
        haft__model_progress_add(&call->progress, &text);
        haft__model_progress_flush(&call->progress, true);
    }
    haft__model_call_complete(call, &call->outcome);
}

/* If the script does not expect the request, the model call fails. */
static haft_status call_script(haft__model_call *call, uint64_t *ret_delay, haft_error *err)
{
    haft_error refused = {0};
    haft__script_answer answer = {0};
    haft_status status =
        haft__script_ask(&call->run->script, &call->request, &call->arena, &answer, &refused);
    call->outcome = (haft__model_outcome){
        .failed = answer.failed, .reply = answer.reply, .failure = answer.failure};
    *ret_delay = answer.delay_ms;
    if (status == HAFT_BAD_STATE) {
        haft_str text =
            haft__arena_format(&call->arena, "script %s: %s", refused.where, refused.message);
        call->outcome = (haft__model_outcome){.failed = true, .failure = {.message = text}};
        return text.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = refused;
    }
    return status;
}

static haft_status call_builtin_model(haft__model_call *call, haft_error *err)
{
    haft_run *run = call->run;
    uint64_t delay = 0;
    haft_status status = run->agent->scripted ? call_script(call, &delay, err)
                                              : haft__offline_ask(&call->request, &call->arena,
                                                                  &call->outcome.reply, err);
    return status == HAFT_OK ? haft__timer_start(run->runtime->loop, &call->timer, delay,
                                                 on_outcome_timer, call, err)
                             : status;
}

/* ---- starting ---- */

haft_status haft__model_call_start(haft_run *run, haft_error *err)
{
    if (haft__crash_guard_must_wait(run)) {
        return HAFT_OK;
    }
    if (haft__crash_guard_limit_reached(run)) {
        return haft__crash_guard_end_run(run, err);
    }
    const haft__provider *provider = run->agent->provider;
    size_t stream_size = provider != NULL ? provider->api->stream_size : 0;
    haft__model_call *call = calloc(1, sizeof(*call) + stream_size);
    if (call == NULL) {
        return haft__fail_no_memory(err);
    }
    call->run = run;
    call->provider = provider;
    call->started_ms = haft__loop_now(run->runtime->loop);
    run->telemetry.has_first_chunk = false;
    call->attempt = run->state.sent_again ? run->failed_attempts : 0;
    haft__arena_init(&call->arena, HAFT__LIMIT_RUN_BYTES);
    haft__model_progress_init(&call->progress, run);
    haft__buf_init(&call->body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&call->error_body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&call->retries, HAFT__LIMIT_RUN_BYTES);
    run->model_call = call;
    haft_status status = haft__decide_request(&run->state, &call->arena, &call->request, err);
    if (status != HAFT_OK) {
        return status; /* the caller stops the call */
    }
    return provider != NULL ? haft__model_call_http_start(call, err)
                            : call_builtin_model(call, err);
}
