/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_http.c - asks a model that is reached over HTTP: sends the request, reads the reply as it
 * arrives, tries again where that is right (model/retry.h).
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

haft_status haft__ask_prepare(haft_agent *agent, haft_error *err)
{
    const haft__model_spec *model = &agent->spec->model;
    haft__way way = haft__agent_way(agent, model);
    if (haft__str_equal(model->provider, HAFT__LIT("offline"))) {
        return HAFT_OK;
    }
    agent->provider = way.provider = haft__provider_for_model(model);
    if (agent->provider == NULL) {
        haft_status status = haft__fail(err, HAFT_UNSUPPORTED, "model",
                                        "models of \"%.*s\" cannot be asked in this version",
                                        HAFT__ARG(model->provider));
        return haft__hint(err, status,
                          "give a base_url that speaks OpenAI's Chat Completions, "
                          "with the provider openai");
    }
    haft_status status = haft__way_find(&way, HAFT__LIT("/chat/completions"), err);
    agent->url = way.url;
    agent->key_header = way.key_header;
    return status;
}

/* ---- an attempt ---- */

static haft_status attempt(haft__ask *ask, haft_error *err);

static void on_again(void *context)
{
    haft__ask *ask = context;
    haft_error err = {0};
    if (attempt(ask, &err) != HAFT_OK) {
        haft__ask_fail(ask, &err);
    }
}

static haft__retry_hints read_hints(const haft__ask *ask, const haft__http_result *result)
{
    static const char *const names[] = {"x-should-retry", "retry-after-ms", "retry-after",
                                        "x-request-id", "request-id"};
    haft__retry_hints hints = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str value = haft__http_result_header(result, names[i]);
        if (value.ptr != NULL) {
            haft__retry_read_header(&hints, haft__str(names[i]), value,
                                    haft__runtime_now(ask->run->runtime));
        }
    }
    return hints;
}

/* It failed: once more, or the end. */
static haft_status give_up_or_retry(haft__ask *ask, haft__model_outcome *answer,
                                    const haft__retry_hints *hints, haft_error *err)
{
    uint32_t random = 0;
    (void)haft__random_bytes(&random, sizeof(random));
    haft__retry_facts facts = {.kind = answer->failure.kind,
                               .hints = hints,
                               .made = ask->attempt,
                               .delivered = ask->stream.emitted,
                               .now_ms = haft__runtime_now(ask->run->runtime),
                               .random = random};
    haft__retry retry = haft__retry_decide(&facts);
    if (retry.again) {
        ask->attempt++;
        return haft__timer_start(ask->run->runtime->loop, &ask->timer, retry.wait_ms, on_again, ask,
                                 err);
    }
    if (retry.why[0] != '\0') {
        haft_str text =
            haft__arena_format(&ask->arena, "%.*s (%s)", (int)answer->failure.message.len,
                               answer->failure.message.ptr, retry.why);
        if (text.ptr == NULL) {
            return haft__arena_fail(&ask->arena, err);
        }
        answer->failure.message = text;
    }
    haft__ask_finish(ask, answer);
    return HAFT_OK;
}

/* A transfer that broke. */
static haft_status transport_failure(haft__ask *ask, const haft__http_result *result,
                                     haft__model_outcome *ret_answer, haft_error *err)
{
    bool passing = result->end != HAFT__HTTP_BAD_URL && result->end != HAFT__HTTP_BAD_HEADER
                   && result->end != HAFT__HTTP_TLS && result->end != HAFT__HTTP_TOO_BIG;
    haft_str message = haft__arena_copy(&ask->arena, haft__str(result->message));
    *ret_answer = (haft__model_outcome){
        .failed = true,
        .failure = {.message = message,
                    .kind = passing ? HAFT__FAILURE_TRANSIENT : HAFT__FAILURE_OTHER}};
    return message.ptr != NULL ? HAFT_OK : haft__arena_fail(&ask->arena, err);
}

static haft_status read_answer(haft__ask *ask, const haft__http_result *result,
                               const haft__retry_hints *hints, haft__model_outcome *ret_answer,
                               haft_error *err)
{
    bool arrived = result->end == HAFT__HTTP_OK || result->end == HAFT__HTTP_STOPPED;
    bool good = ask->status >= 200 && ask->status < 300;
    if (arrived && !good) {
        ret_answer->failed = true;
        return haft__openai_read_failure(ask->status, haft__buf_str(&ask->refusal),
                                         haft__str(hints->request_id), ask->run->runtime->hash_key,
                                         &ask->arena, &ret_answer->failure, err);
    }
    if (arrived || (good && result->end == HAFT__HTTP_CUT)) {
        return haft__openai_stream_end(&ask->stream, &ask->arena, ret_answer, err);
    }
    return transport_failure(ask, result, ret_answer, err);
}

/* ---- what the transfer tells ---- */

static void on_head(void *context, const haft__http_result *so_far)
{
    haft__ask *ask = context;
    ask->status = so_far->status;
}

static void on_delta(void *context, const haft__delta *delta)
{
    haft__ask *ask = context;
    haft__teller_add(&ask->teller, delta);
}

static bool on_body(void *context, haft_str bytes)
{
    haft__ask *ask = context;
    if (ask->status < 200 || ask->status >= 300) {
        size_t room = HAFT__LIMIT_MODEL_ERROR_BYTES - ask->refusal.len;
        haft__buf_add(&ask->refusal, bytes.ptr, bytes.len < room ? bytes.len : room);
        return ask->refusal.len < HAFT__LIMIT_MODEL_ERROR_BYTES;
    }
    if (ask->failed == HAFT_OK) {
        ask->failed = haft__openai_stream_feed(&ask->stream, bytes, &ask->error);
        haft__teller_tell(&ask->teller, false);
    }
    return ask->failed == HAFT_OK && !ask->stream.over;
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__ask *ask = context;
    haft__model_outcome answer = {0};
    haft__retry_hints hints = read_hints(ask, result);
    haft_error err = ask->error;
    haft_status status = ask->failed;
    ask->transfer = NULL;
    if (status == HAFT_OK) {
        status = read_answer(ask, result, &hints, &answer, &err);
        haft__teller_tell(&ask->teller, true);
    }
    if (status != HAFT_OK) {
        haft__ask_fail(ask, &err);
    } else if (!answer.failed) {
        haft__ask_finish(ask, &answer);
    } else if (give_up_or_retry(ask, &answer, ask->status > 0 ? &hints : NULL, &err) != HAFT_OK) {
        haft__ask_fail(ask, &err);
    }
}

/* ---- sending ---- */

haft__http_client *haft__runtime_web(haft_runtime *runtime, haft_error *err)
{
    haft__http_client_options options = {.proxy = true};
    if (runtime->web == NULL
        && haft__http_client_create(runtime->loop, &options, &runtime->web, err) != HAFT_OK) {
        return NULL;
    }
    return runtime->web;
}

static void reset_stream(haft__ask *ask)
{
    const haft__format *own = ask->chat->format,
                       *reply = haft__format_find(ask->request.reply_format);
    if (ask->streaming) {
        haft__openai_stream_finish(&ask->stream);
    }
    const haft__model_spec *model = &ask->run->agent->spec->model;
    haft__openai_options options = {
        .tools = ask->run->state.tools,
        .format = reply != NULL ? reply : own,
        .fallback_format = reply != NULL && reply != own ? own : NULL,
        .format_tools = ask->format_tools,
        .format_tool_count = ask->request.callable_count,
        .may_reason = model->family.reasoning_open != NULL || model->starts_in_reasoning,
        .starts_in_reasoning = model->starts_in_reasoning,
        .json_only = ask->request.constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA,
        .emit = on_delta,
        .context = ask,
        .hash_key = ask->run->runtime->hash_key};
    haft__openai_stream_init(&ask->stream, &options);
    haft__buf_clear(&ask->refusal);
    ask->streaming = true;
    ask->status = 0;
}

static haft_status attempt(haft__ask *ask, haft_error *err)
{
    static const haft__http_handlers handlers = {on_head, on_body, on_done};
    const haft_agent *agent = ask->run->agent;
    haft__model_timeouts times = haft__model_timeouts_default();
    haft__http_client *http = haft__runtime_web(ask->run->runtime, err);
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
                                  .body = haft__buf_str(&ask->body),
                                  .connect_ms = times.connect_ms,
                                  .first_byte_ms = times.first_byte_ms,
                                  .idle_ms = times.idle_ms,
                                  .total_ms = times.total_ms,
                                  .max_bytes = HAFT__LIMIT_REPLY_BYTES};
    reset_stream(ask);
    return haft__http_transfer_start(http, &request, &handlers, ask, &ask->transfer, err);
}

static bool wants_stream(const haft__spec *spec)
{
    const haft__json *stream = haft__json_get(spec->model.options, HAFT__LIT("stream"));
    return stream == NULL || stream->kind != HAFT__JSON_FALSE;
}

/* What is kept of the conversation stays as it is when one request is in another format. */
static haft__chat *chat_for(haft__ask *ask)
{
    haft__chat *own = &ask->run->chat;
    bool other = own->done > 0 && haft__format_find(ask->request.format) != own->format;
    return other ? &ask->once : own;
}

haft_status haft__ask_http_start(haft__ask *ask, haft_error *err)
{
    haft_run *run = ask->run;
    const haft__spec *spec = run->agent->spec;
    haft__chat_options options = {.stream = wants_stream(spec),
                                  .serial = spec->limits.parallel == 1,
                                  .options = spec->model.options};
    haft__chat_init(&ask->once, run->chat.provider, NULL);
    if (run->state.more_tools != NULL) {
        run->chat.shared = NULL; /* tools of this run alone, which go with it */
    }
    haft__chat *chat = ask->chat = chat_for(ask);
    haft_status status = haft__chat_sync(chat, &ask->request, err);
    if (status == HAFT_OK && chat->format != NULL) {
        /* Some formats tell a call from text by the names that there are: also of tools that are
         * not taught any more. */
        haft__request known = ask->request;
        known.tool_count = known.callable_count;
        status = haft__chat_format_tools(&known, &ask->arena, &ask->format_tools, err);
    }
    if (status == HAFT_OK) {
        /* Nearly all of it is kept text. What cannot be had is noted by the buffer. */
        (void)!haft__buf_reserve(&ask->body, haft__chat_request_size(chat, &ask->request));
        haft__chat_write(chat, &ask->request, &options, &ask->body);
        status = haft__buf_check(&ask->body, err);
    }
    return status == HAFT_OK ? attempt(ask, err) : status;
}

void haft__ask_http_stop(haft__ask *ask)
{
    if (ask->transfer != NULL) {
        haft__http_transfer_cancel(ask->transfer);
    }
    if (ask->streaming) {
        haft__openai_stream_finish(&ask->stream);
    }
    if (ask->chat != NULL) {
        haft__chat_finish(&ask->once);
    }
    haft__buf_finish(&ask->body);
    haft__buf_finish(&ask->refusal);
}
