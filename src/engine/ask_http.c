/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_http.c - asks a model that is reached over HTTP: sends the request, reads the reply as it
 * arrives, tries again where that is right (model/retry.h).
 *
 * A reply that has begun to arrive is never asked for a second time. Tests: tests/engine/ask_test.c
 * and tests/cli/model_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/ask.h"
#include "io/environment.h"
#include "io/random.h"
#include "model/provider.h"
#include "model/retry.h"
#include "run/redact.h"

/* ---- the way to the model ---- */

/* The base URL of the spec, or the one that the environment has. */
static haft_str base_url_in(const haft_agent *agent, const haft__spec_env *env)
{
    const haft__model_spec *model = &agent->spec->model;
    if (model->base_url.len > 0 || !haft__str_equal(model->provider, HAFT__LIT("openai"))) {
        return model->base_url;
    }
    haft_str url = env->get(env->context, HAFT__LIT("OPENAI_BASE_URL")); /* as its clients do */
    return url.ptr != NULL ? url : HAFT__LIT("");
}

static haft_str base_url_of(const haft_agent *agent)
{
    return base_url_in(agent, &agent->runtime->env);
}

/* Whether the address, or a part of it, comes from a file and not from the spec or from the
 * environment of this process. Whoever wrote that file gets no key that is not in it. */
static bool is_named_elsewhere(haft_agent *agent)
{
    const haft__spec_env real = {haft__environment_get, NULL};
    const haft_runtime *runtime = agent->runtime;
    haft_str ours = {NULL, 0}, theirs = {NULL, 0};
    if (runtime->key_env.get == NULL) {
        return false;
    }
    return haft__spec_expand(&agent->arena, base_url_in(agent, &real), &real, &ours, NULL)
               != HAFT_OK
           || haft__spec_expand(&agent->arena, base_url_of(agent), &runtime->env, &theirs, NULL)
                  != HAFT_OK
           || !haft__str_equal(ours, theirs);
}

/* user:password@host:port */
static haft_str authority_of(haft_str url)
{
    (void)haft__str_split(&url, '/');
    (void)haft__str_split(&url, '/');
    haft_str authority = haft__str_split(&url, '/');
    return haft__str_split(&authority, '?');
}

/* What stands in front of the host; it is cut off. */
static haft_str split_user(haft_str *authority)
{
    const char *at = authority->len > 0 ? memrchr(authority->ptr, '@', authority->len) : NULL;
    if (at == NULL) {
        return HAFT__LIT("");
    }
    haft_str user = {authority->ptr, (size_t)(at - authority->ptr)};
    *authority = haft__str_skip(*authority, user.len + 1);
    return user;
}

/* The password of a base_url, or the user that is a token because there is none. */
static haft_status hide_password(haft_agent *agent, haft_error *err)
{
    haft_str authority = authority_of(agent->url);
    haft_str password = split_user(&authority);
    haft_str user = haft__str_split(&password, ':');
    bool added; /* one that is too short to be looked for is none */
    return haft__redactor_add(agent->redactor, password.len > 0 ? password : user, &added, err);
}

static haft_status take_url(haft_agent *agent, haft_error *err)
{
    haft__buf url;
    haft__buf_init(&url, HAFT__LIMIT_SPEC_BYTES);
    haft_str base = {NULL, 0};
    haft_status status =
        haft__spec_expand(&agent->arena, base_url_of(agent), &agent->runtime->env, &base, err);
    if (status == HAFT_OK) {
        status = haft__provider_url(agent->provider, base, &url, err);
    }
    if (status == HAFT_BAD_INPUT && agent->spec->model.base_url.len == 0 && base.len > 0) {
        haft__error_at(err, "OPENAI_BASE_URL"); /* the only other place */
    }
    if (status == HAFT_OK) {
        agent->url = haft__arena_copy(&agent->arena, haft__buf_str(&url));
        status = agent->url.ptr != NULL ? HAFT_OK : haft__arena_fail(&agent->arena, err);
    }
    haft__buf_finish(&url);
    return status == HAFT_OK ? hide_password(agent, err) : status;
}

/* Whether the server is of this machine, or named by the environment that has the key, too: then
 * OpenAI's key may go there without the spec's saying so. */
static bool is_trusted(const haft_agent *agent)
{
    haft_str host = authority_of(agent->url);
    bool has_user = split_user(&host).len > 0; /* then that is its key, and not OpenAI's */
    if (!haft__str_starts(host, HAFT__LIT("[::1]"))) {
        host = haft__str_split(&host, ':');
    }
    bool numeric = haft__str_starts(host, HAFT__LIT("127."));
    for (size_t i = 0; i < host.len; i++) {
        numeric = numeric && (host.ptr[i] == '.' || (host.ptr[i] >= '0' && host.ptr[i] <= '9'));
    }
    bool near = numeric || haft__str_equal(host, HAFT__LIT("localhost"))
                || haft__str_equal(host, HAFT__LIT("[::1]"))
                || haft__str_starts(host, HAFT__LIT("[::1]:"));
    return ((near && !has_user) || agent->spec->model.base_url.len == 0)
           && haft__str_equal(agent->spec->model.provider, HAFT__LIT("openai"));
}

/* The key: as the spec has it, or from the variable that has it. */
static haft_status find_key(haft_agent *agent, haft_str *ret_key, haft_error *err)
{
    const haft__model_spec *model = &agent->spec->model;
    const haft__spec_env *env =
        is_named_elsewhere(agent) ? &agent->runtime->key_env : &agent->runtime->env;
    if (model->api_key.len > 0) {
        return haft__spec_expand(&agent->arena, model->api_key, env, ret_key, err);
    }
    haft_str name = haft__provider_key_env(agent->provider, model);
    name = name.len == 0 && is_trusted(agent) ? HAFT__LIT("OPENAI_API_KEY") : name;
    haft_str key = name.len > 0 ? env->get(env->context, name) : (haft_str){NULL, 0};
    bool own_host = base_url_of(agent).len == 0;
    if (key.len == 0 && (model->api_key_env.len > 0 || (own_host && agent->provider->needs_key))) {
        haft_status status = haft__fail(
            err, HAFT_BAD_INPUT, "model", "the model %.*s:%.*s needs a key, and %.*s is not set",
            HAFT__ARG(model->provider), HAFT__ARG(model->model), HAFT__ARG(name));
        return haft__hint(err, status,
                          "set %.*s, or try --model offline, which needs no key and no network",
                          HAFT__ARG(name));
    }
    *ret_key = key;
    return HAFT_OK;
}

haft_status haft__ask_prepare(haft_agent *agent, haft_error *err)
{
    const haft__model_spec *model = &agent->spec->model;
    haft_str key = {NULL, 0};
    if (haft__str_equal(model->provider, HAFT__LIT("offline"))) {
        return HAFT_OK;
    }
    agent->provider = haft__provider_of(model);
    if (agent->provider == NULL) {
        haft_status status = haft__fail(err, HAFT_UNSUPPORTED, "model",
                                        "models of \"%.*s\" cannot be asked in this version",
                                        HAFT__ARG(model->provider));
        return haft__hint(err, status,
                          "give a base_url that speaks OpenAI's Chat Completions, "
                          "with the provider openai");
    }
    haft_status status = take_url(agent, err);
    if (status == HAFT_OK) {
        status = find_key(agent, &key, err);
    }
    if (status == HAFT_OK && key.len > 0) {
        agent->key_header =
            haft__arena_format(&agent->arena, "Authorization: Bearer %.*s", (int)key.len, key.ptr);
        bool added; /* a key that is too short to be looked for is none */
        status = agent->key_header.ptr != NULL
                     ? haft__redactor_add(agent->redactor, key, &added, err)
                     : haft__arena_fail(&agent->arena, err);
    }
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

static haft__answer_hints read_hints(const haft__ask *ask, const haft__http_result *result)
{
    static const char *const names[] = {"x-should-retry", "retry-after-ms", "retry-after",
                                        "x-request-id", "request-id"};
    haft__answer_hints hints = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str value = haft__http_header(result, names[i]);
        if (value.ptr != NULL) {
            haft__answer_header(&hints, haft__str(names[i]), value,
                                haft__runtime_now(ask->run->runtime));
        }
    }
    return hints;
}

/* It failed: once more, or the end. */
static haft_status give_up_or_retry(haft__ask *ask, haft__model_answer *answer,
                                    const haft__answer_hints *hints, haft_error *err)
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
                                     haft__model_answer *ret_answer, haft_error *err)
{
    bool passing = result->end != HAFT__HTTP_BAD_URL && result->end != HAFT__HTTP_BAD_HEADER
                   && result->end != HAFT__HTTP_TLS && result->end != HAFT__HTTP_TOO_BIG;
    haft_str message = haft__arena_copy(&ask->arena, haft__str(result->message));
    *ret_answer = (haft__model_answer){
        .failed = true,
        .failure = {.message = message,
                    .kind = passing ? HAFT__FAILURE_TRANSIENT : HAFT__FAILURE_OTHER}};
    return message.ptr != NULL ? HAFT_OK : haft__arena_fail(&ask->arena, err);
}

static haft_status read_answer(haft__ask *ask, const haft__http_result *result,
                               const haft__answer_hints *hints, haft__model_answer *ret_answer,
                               haft_error *err)
{
    bool arrived = result->end == HAFT__HTTP_OK || result->end == HAFT__HTTP_STOPPED;
    bool good = ask->status >= 200 && ask->status < 300;
    if (arrived && !good) {
        ret_answer->failed = true;
        return haft__openai_failure(ask->status, haft__buf_str(&ask->refusal),
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
    haft__model_answer answer = {0};
    haft__answer_hints hints = read_hints(ask, result);
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

static haft__http *client(haft_runtime *runtime, haft_error *err)
{
    haft__http_options options = {.proxy = true};
    if (runtime->web == NULL
        && haft__http_create(runtime->loop, &options, &runtime->web, err) != HAFT_OK) {
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
    haft__openai_options options = {.tools = ask->run->state.tools,
                                    .format = reply != NULL ? reply : own,
                                    .otherwise = reply != NULL && reply != own ? own : NULL,
                                    .format_tools = ask->format_tools,
                                    .format_tool_count = ask->request.tool_count,
                                    .thinks =
                                        model->family.think != NULL || model->starts_in_reasoning,
                                    .starts_in_reasoning = model->starts_in_reasoning,
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
    haft__model_times times = haft__model_times_default();
    haft__http *http = client(ask->run->runtime, err);
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
    return haft__http_start(http, &request, &handlers, ask, &ask->transfer, err);
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
        status = haft__chat_format_tools(&ask->request, &ask->arena, &ask->format_tools, err);
    }
    if (status == HAFT_OK) {
        /* Nearly all of it is kept text. What cannot be had is noted by the buffer. */
        (void)!haft__buf_reserve(&ask->body, haft__chat_bytes(chat, &ask->request));
        haft__chat_write(chat, &ask->request, &options, &ask->body);
        status = haft__buf_check(&ask->body, err);
    }
    return status == HAFT_OK ? attempt(ask, err) : status;
}

void haft__ask_http_stop(haft__ask *ask)
{
    if (ask->transfer != NULL) {
        haft__http_cancel(ask->transfer);
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
