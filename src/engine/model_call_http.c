/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_call_http.c - asks a model that is reached over HTTP: sends the request, reads the reply as
 * it arrives, tries again where that is right (model/retry.h).
 *
 * A reply that has begun to arrive is never asked for a second time. Tests:
 * tests/engine/model_call_test.c and tests/cli/model_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/endpoint.h"
#include "engine/model_call.h"
#include "io/random.h"
#include "model/provider.h"
#include "model/retry.h"
#include "run/redact/redact.h"

/* ---- the way to the model ---- */

haft_status haft__agent_prepare_model(haft_agent *agent, haft_error *err)
{
    const haft__model_spec *model = &agent->spec->model;
    haft__endpoint endpoint = haft__agent_endpoint(agent, model);
    if (haft__str_equal(model->provider, HAFT__LIT("offline"))) {
        return HAFT_OK;
    }
    agent->provider = endpoint.provider = haft__provider_for_model(model);
    if (agent->provider == NULL) {
        haft_status status = haft__fail(err, HAFT_UNSUPPORTED, "model",
                                        "models of \"%.*s\" cannot be asked in this version",
                                        HAFT__ARG(model->provider));
        return haft__hint(err, status,
                          "give a base_url that speaks OpenAI's Chat Completions, "
                          "with the provider openai");
    }
    haft_status status = haft__endpoint_resolve(&endpoint, HAFT__LIT("/chat/completions"), err);
    agent->url = endpoint.url;
    agent->key_header = endpoint.key_header;
    return status;
}

/* ---- an attempt ---- */

static haft_status start_attempt(haft__model_call *call, haft_error *err);

static void on_retry(void *context)
{
    haft__model_call *call = context;
    haft_error err = {0};
    if (start_attempt(call, &err) != HAFT_OK) {
        haft__model_call_fail(call, &err);
    }
}

static haft__retry_hints read_hints(const haft__model_call *call, const haft__http_result *result)
{
    static const char *const names[] = {"x-should-retry", "retry-after-ms", "retry-after",
                                        "x-request-id", "request-id"};
    haft__retry_hints hints = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str value = haft__http_result_header(result, names[i]);
        if (value.ptr != NULL) {
            haft__retry_read_header(&hints, haft__str(names[i]), value,
                                    haft__runtime_now(call->run->runtime));
        }
    }
    return hints;
}

/* It failed: once more, or the end. */
static haft_status retry_or_complete(haft__model_call *call, haft__model_outcome *answer,
                                     const haft__retry_hints *hints, haft_error *err)
{
    uint32_t random = 0;
    (void)haft__random_bytes(&random, sizeof(random));
    haft__retry_facts facts = {.kind = answer->failure.kind,
                               .hints = hints,
                               .made = call->attempt,
                               .delivered = call->stream.emitted,
                               .now_ms = haft__runtime_now(call->run->runtime),
                               .random = random};
    haft__retry retry = haft__retry_decide(&facts);
    if (retry.again) {
        call->attempt++;
        return haft__timer_start(call->run->runtime->loop, &call->timer, retry.wait_ms, on_retry,
                                 call, err);
    }
    if (retry.why[0] != '\0') {
        haft_str text =
            haft__arena_format(&call->arena, "%.*s (%s)", (int)answer->failure.message.len,
                               answer->failure.message.ptr, retry.why);
        if (text.ptr == NULL) {
            return haft__arena_fail(&call->arena, err);
        }
        answer->failure.message = text;
    }
    haft__model_call_complete(call, answer);
    return HAFT_OK;
}

/* A transfer that broke. */
static haft_status transport_failure(haft__model_call *call, const haft__http_result *result,
                                     haft__model_outcome *ret_answer, haft_error *err)
{
    bool passing = result->end != HAFT__HTTP_BAD_URL && result->end != HAFT__HTTP_BAD_HEADER
                   && result->end != HAFT__HTTP_TLS && result->end != HAFT__HTTP_TOO_BIG;
    haft_str message = haft__arena_copy(&call->arena, haft__str(result->message));
    *ret_answer = (haft__model_outcome){
        .failed = true,
        .failure = {.message = message,
                    .kind = passing ? HAFT__FAILURE_TRANSIENT : HAFT__FAILURE_OTHER}};
    return message.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
}

static haft_status read_answer(haft__model_call *call, const haft__http_result *result,
                               const haft__retry_hints *hints, haft__model_outcome *ret_answer,
                               haft_error *err)
{
    bool arrived = result->end == HAFT__HTTP_OK || result->end == HAFT__HTTP_STOPPED;
    bool good = call->status >= 200 && call->status < 300;
    if (arrived && !good) {
        ret_answer->failed = true;
        return haft__openai_read_failure(call->status, haft__buf_str(&call->error_body),
                                         haft__str(hints->request_id), call->run->runtime->hash_key,
                                         &call->arena, &ret_answer->failure, err);
    }
    if (arrived || (good && result->end == HAFT__HTTP_CUT)) {
        return haft__openai_stream_end(&call->stream, &call->arena, ret_answer, err);
    }
    return transport_failure(call, result, ret_answer, err);
}

/* ---- what the transfer tells ---- */

static void on_head(void *context, const haft__http_result *so_far)
{
    haft__model_call *call = context;
    call->status = so_far->status;
}

static void on_delta(void *context, const haft__delta *delta)
{
    haft__model_call *call = context;
    haft__model_progress_add(&call->progress, delta);
}

static bool on_body(void *context, haft_str bytes)
{
    haft__model_call *call = context;
    if (call->status < 200 || call->status >= 300) {
        size_t room = HAFT__LIMIT_MODEL_ERROR_BYTES - call->error_body.len;
        haft__buf_add(&call->error_body, bytes.ptr, bytes.len < room ? bytes.len : room);
        return call->error_body.len < HAFT__LIMIT_MODEL_ERROR_BYTES;
    }
    if (call->failed == HAFT_OK) {
        call->failed = haft__openai_stream_feed(&call->stream, bytes, &call->error);
        haft__model_progress_flush(&call->progress, false);
    }
    return call->failed == HAFT_OK && !call->stream.over;
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__model_call *call = context;
    haft__model_outcome answer = {0};
    haft__retry_hints hints = read_hints(call, result);
    haft_error err = call->error;
    haft_status status = call->failed;
    call->transfer = NULL;
    if (status == HAFT_OK) {
        status = read_answer(call, result, &hints, &answer, &err);
        haft__model_progress_flush(&call->progress, true);
    }
    if (status != HAFT_OK) {
        haft__model_call_fail(call, &err);
    } else if (!answer.failed) {
        haft__model_call_complete(call, &answer);
    } else if (retry_or_complete(call, &answer, call->status > 0 ? &hints : NULL, &err)
               != HAFT_OK) {
        haft__model_call_fail(call, &err);
    }
}

/* ---- sending ---- */

haft__http_client *haft__runtime_http_client(haft_runtime *runtime, haft_error *err)
{
    haft__http_client_options options = {.proxy = true};
    if (runtime->http == NULL
        && haft__http_client_create(runtime->loop, &options, &runtime->http, err) != HAFT_OK) {
        return NULL;
    }
    return runtime->http;
}

static void reset_stream(haft__model_call *call)
{
    const haft__format *own = call->chat->format,
                       *reply = haft__format_find(call->request.reply_format);
    if (call->streaming) {
        haft__openai_stream_finish(&call->stream);
    }
    const haft__model_spec *model = &call->run->agent->spec->model;
    haft__openai_options options = {
        .tools = call->run->state.tools,
        .format = reply != NULL ? reply : own,
        .fallback_format = reply != NULL && reply != own ? own : NULL,
        .format_tools = call->format_tools,
        .format_tool_count = call->request.callable_count,
        .may_reason = model->family.reasoning_open != NULL || model->starts_in_reasoning,
        .starts_in_reasoning = model->starts_in_reasoning,
        .json_only = call->request.constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA,
        .emit = on_delta,
        .context = call,
        .hash_key = call->run->runtime->hash_key};
    haft__openai_stream_init(&call->stream, &options);
    haft__buf_clear(&call->error_body);
    call->streaming = true;
    call->status = 0;
}

static haft_status start_attempt(haft__model_call *call, haft_error *err)
{
    static const haft__http_handlers handlers = {on_head, on_body, on_done};
    const haft_agent *agent = call->run->agent;
    haft__model_timeouts times = haft__model_timeouts_default();
    haft__http_client *http = haft__runtime_http_client(call->run->runtime, err);
    if (http == NULL) {
        return HAFT_NO_MEMORY;
    }
    haft_str headers[] = {HAFT__LIT("Content-Type: application/json"),
                          HAFT__LIT("Accept: application/json, text/event-stream"),
                          HAFT__LIT("User-Agent: haft/" HAFT_VERSION), agent->key_header};
    haft__http_request request = {.method = HAFT__LIT("POST"),
                                  .url = agent->url,
                                  .headers = headers,
                                  .header_count = agent->key_header.len > 0 ? 4 : 3,
                                  .body = haft__buf_str(&call->body),
                                  .connect_ms = times.connect_ms,
                                  .first_byte_ms = times.first_byte_ms,
                                  .idle_ms = times.idle_ms,
                                  .total_ms = times.total_ms,
                                  .max_bytes = HAFT__LIMIT_REPLY_BYTES};
    reset_stream(call);
    return haft__http_transfer_start(http, &request, &handlers, call, &call->transfer, err);
}

static bool wants_stream(const haft__spec *spec)
{
    const haft__json *stream = haft__json_get(spec->model.options, HAFT__LIT("stream"));
    return stream == NULL || stream->kind != HAFT__JSON_FALSE;
}

/* What is kept of the conversation stays as it is when one request is in another format. */
static haft__chat *chat_for(haft__model_call *call)
{
    haft__chat *own = &call->run->chat;
    bool other = own->done > 0 && haft__format_find(call->request.format) != own->format;
    return other ? &call->single_chat : own;
}

haft_status haft__model_call_http_start(haft__model_call *call, haft_error *err)
{
    haft_run *run = call->run;
    const haft__spec *spec = run->agent->spec;
    haft__chat_options options = {.stream = wants_stream(spec),
                                  .serial = spec->limits.parallel == 1,
                                  .options = spec->model.options};
    haft__chat_init(&call->single_chat, run->chat.provider, NULL);
    if (run->state.more_tools != NULL) {
        run->chat.shared = NULL; /* tools of this run alone, which go with it */
    }
    haft__chat *chat = call->chat = chat_for(call);
    haft_status status = haft__chat_sync(chat, &call->request, err);
    if (status == HAFT_OK && chat->format != NULL) {
        /* Some formats tell a call from text by the names that there are: also of tools that are
         * not taught any more. */
        haft__request known = call->request;
        known.tool_count = known.callable_count;
        status = haft__chat_format_tools(&known, &call->arena, &call->format_tools, err);
    }
    if (status == HAFT_OK) {
        /* Nearly all of it is kept text. What cannot be had is noted by the buffer. */
        (void)!haft__buf_reserve(&call->body, haft__chat_request_size(chat, &call->request));
        haft__chat_write(chat, &call->request, &options, &call->body);
        status = haft__buf_check(&call->body, err);
    }
    return status == HAFT_OK ? start_attempt(call, err) : status;
}

void haft__model_call_http_stop(haft__model_call *call)
{
    if (call->transfer != NULL) {
        haft__http_transfer_cancel(call->transfer);
    }
    if (call->streaming) {
        haft__openai_stream_finish(&call->stream);
    }
    if (call->chat != NULL) {
        haft__chat_finish(&call->single_chat);
    }
    haft__buf_finish(&call->body);
    haft__buf_finish(&call->error_body);
}
