/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_call_http.c - calls a model over HTTP: sends the request, reads the reply as it arrives,
 * and retries if model/retry.h allows it. The provider's functions (model/provider.h) implement the
 * wire format.
 *
 * A request is never sent again after its reply has begun to arrive. Tests:
 * tests/engine/model_call_test.c and tests/cli/model_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/endpoint.h"
#include "engine/members/refusal_file.h"
#include "engine/model_call.h"
#include "engine/runtime.h"
#include "io/random.h"
#include "model/conversation.h"
#include "model/retry.h"
#include "run/redact/redact.h"
#include "json/object.h"

/* ---- the endpoint of the model ---- */

haft_status haft__agent_prepare_model(haft_agent *agent, haft_error *err)
{
    const haft__model_spec *model = &agent->spec->model;
    haft__endpoint endpoint = haft__agent_endpoint(agent, model);
    if (haft__provider_is_offline(model)) {
        return HAFT_OK;
    }
    agent->provider = endpoint.provider = haft__provider_for_model(model);
    if (agent->provider == NULL) {
        haft_status status = haft__fail(err, HAFT_UNSUPPORTED, "model",
                                        "the provider \"%.*s\" is not supported in this version",
                                        HAFT__ARG(model->provider));
        return haft__hint(
            err, status,
            "use the provider openai with a base_url that serves OpenAI's Chat Completions API");
    }
    haft_status status = haft__endpoint_resolve(&endpoint, err);
    agent->url = endpoint.url;
    if (status == HAFT_OK) {
        agent->endpoint = haft__endpoint_id(&agent->arena, agent->url);
        status = agent->endpoint.ptr != NULL ? haft__refusal_key(
                     agent->url, model->model, model->options, agent->refusal_key, err)
                                             : haft__arena_fail(&agent->arena, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < endpoint.variables.count; i++) {
        status = haft__agent_add_variable(agent, endpoint.variables.names[i], err);
    }
    return status == HAFT_OK ? agent->provider->api->write_headers(endpoint.key, &agent->arena,
                                                                   &agent->headers, err)
                             : status;
}

/* ---- an attempt ---- */

static haft_status start_attempt(haft__model_call *call, haft_error *err);
static haft_status continue_reply(haft__model_call *call, bool *ret_continued, haft_error *err);

/* Records a failed attempt, for the event of the outcome. */
static void add_retry(haft__model_call *call, const haft__model_failure *failure, uint64_t wait_ms)
{
    haft__json_writer w;
    haft__buf_add_str(&call->retries, call->retries.len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
    haft__json_writer_init(&w, &call->retries);
    haft__json_begin_object(&w);
    haft__field_number(&w, "status", failure->status);
    haft__field_text(&w, "message", failure->message);
    haft__field_number(&w, "wait_ms", wait_ms);
    haft__json_end_object(&w);
}

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

/* After a failed attempt: starts another attempt, or completes the call. */
static haft_status retry_or_complete(haft__model_call *call, haft__model_outcome *outcome,
                                     const haft__retry_hints *hints, haft_error *err)
{
    uint32_t random = 0;
    (void)haft__random_bytes(&random, sizeof(random));
    haft__retry_facts facts = {.kind = outcome->failure.kind,
                               .hints = hints,
                               .made = call->attempt,
                               .delivered = call->delivered,
                               .has_wait = outcome->failure.has_wait,
                               .wait_ms = outcome->failure.wait_ms,
                               .now_ms = haft__runtime_now(call->run->runtime),
                               .random = random};
    haft__retry retry = haft__retry_decide(&facts);
    if (retry.server_wait_ms > 0) {
        uint64_t now = haft__loop_now(call->run->runtime->loop);
        haft__model_server_block(call->server, now, retry.server_wait_ms);
    }
    if (retry.again) {
        call->attempt++;
        add_retry(call, &outcome->failure, retry.wait_ms);
        haft__model_progress_report_retry(call->run, call->attempt + 1, outcome->failure.message,
                                          retry.wait_ms);
        return haft__timer_start(call->run->runtime->loop, &call->timer, retry.wait_ms, on_retry,
                                 call, err);
    }
    if (retry.why[0] != '\0') {
        haft_str text =
            haft__arena_format(&call->arena, "%.*s (%s)", (int)outcome->failure.message.len,
                               outcome->failure.message.ptr, retry.why);
        if (text.ptr == NULL) {
            return haft__arena_fail(&call->arena, err);
        }
        outcome->failure.message = text;
    }
    haft__model_call_complete(call, outcome);
    return HAFT_OK;
}

/* Handles a transfer that broke. */
static haft_status transport_failure(haft__model_call *call, const haft__http_result *result,
                                     haft__model_outcome *ret_outcome, haft_error *err)
{
    bool transient = result->end != HAFT__HTTP_BAD_URL && result->end != HAFT__HTTP_BAD_HEADER
                     && result->end != HAFT__HTTP_TOO_BIG;
    haft_str message = haft__arena_copy(&call->arena, haft__str(result->message));
    *ret_outcome =
        (haft__model_outcome){.failed = true,
                              .failure = {.message = message,
                                          .kind = result->end == HAFT__HTTP_TLS ? HAFT__FAILURE_AUTH
                                                  : transient ? HAFT__FAILURE_TRANSIENT
                                                              : HAFT__FAILURE_OTHER}};
    return message.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
}

static haft_status read_outcome(haft__model_call *call, const haft__http_result *result,
                                const haft__retry_hints *hints, haft__model_outcome *ret_outcome,
                                haft_error *err)
{
    bool arrived = result->end == HAFT__HTTP_OK || result->end == HAFT__HTTP_STOPPED;
    bool good = call->status >= 200 && call->status < 300;
    const haft__provider_api *api = call->provider->api;
    if (call->status > 0 && !good) { /* the status counts even if its body is cut */
        ret_outcome->failed = true;
        return api->read_failure(call->status, haft__buf_str(&call->error_body),
                                 haft__str(hints->request_id), call->run->runtime->hash_key,
                                 haft__redactor_cleaner(call->run->agent->redactor), &call->arena,
                                 &ret_outcome->failure, err);
    }
    if (arrived || (good && result->end == HAFT__HTTP_CUT)) {
        return api->end(call->stream, &call->arena, ret_outcome, err);
    }
    return transport_failure(call, result, ret_outcome, err);
}

/* ---- transfer callbacks ---- */

static void on_head(void *context, const haft__http_result *head)
{
    haft__model_call *call = context;
    call->status = head->status;
}

static void on_delta(void *context, const haft__delta *delta)
{
    haft__model_call *call = context;
    if (!call->delivered && haft__delta_is_output(delta)) {
        call->delivered = true;
        call->run->telemetry.has_first_chunk = true;
        call->run->telemetry.first_chunk_ms =
            haft__loop_now(call->run->runtime->loop) - call->started_ms;
    }
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
    bool over = false;
    if (call->read_status == HAFT_OK) {
        const haft__provider_api *api = call->provider->api;
        call->read_status = api->feed(call->stream, bytes, &over, &call->error);
        haft__model_progress_flush(&call->progress, false);
    }
    return call->read_status == HAFT_OK && !over;
}

static haft_str key_of(const haft_agent *agent)
{
    return (haft_str){agent->refusal_key, sizeof(agent->refusal_key)};
}

/* Records the members that the server accepted, and the omitted members without which it
 * answered. */
static void learn_members(haft__model_call *call)
{
    haft__member_memory *memory = call->memory;
    const haft_run *run = call->run;
    const haft__left_out left_out = {.members = run->state.refused,
                                     .statuses = run->state.refused_statuses,
                                     .texts = &run->refused_texts};
    if (haft__member_memory_learn(memory, call->sent, &left_out, haft__runtime_now(run->runtime))) {
        haft__refusal_file_write(key_of(run->agent), &memory->refused);
    }
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__model_call *call = context;
    haft__model_outcome outcome = {0};
    haft__retry_hints hints = read_hints(call, result);
    haft_error err = call->error;
    haft_status status = call->read_status;
    bool continued = false;
    call->transfer = NULL;
    if (status == HAFT_OK && (result->end == HAFT__HTTP_OK || result->end == HAFT__HTTP_STOPPED)) {
        status = continue_reply(call, &continued, &err);
    }
    if (continued && status == HAFT_OK) {
        return; /* the next request uses the same slot */
    }
    haft__model_server_release(call->server, &call->slot);
    if (status == HAFT_OK) {
        status = read_outcome(call, result, &hints, &outcome, &err);
        haft__model_progress_flush(&call->progress, true);
    }
    if (status != HAFT_OK) {
        haft__model_call_fail(call, &err);
    } else if (!outcome.failed) {
        learn_members(call);
        haft__model_call_complete(call, &outcome);
    } else if (retry_or_complete(call, &outcome, call->status > 0 ? &hints : NULL, &err)
               != HAFT_OK) {
        haft__model_call_fail(call, &err);
    }
}

/* ---- the body of a request ---- */

/* Writes the body. `continuation`: a token of an earlier response to this request, with which the
 * reply continues; or "". */
static haft_status write_body(haft__model_call *call, haft_str continuation, haft_error *err)
{
    haft_run *run = call->run;
    haft_agent *agent = run->agent;
    /* The agent must not store tools that only this run has, because they are freed with the
     * run. */
    bool own_tools = run->state.more_tools != NULL;
    haft__provider_request_options options = {
        .stream = haft__provider_wants_stream(&agent->spec->model),
        .serial = agent->spec->limits.parallel == 1,
        .options = agent->spec->model.options,
        .shared_tools = own_tools ? NULL : &agent->declared_tools,
        .continuation = continuation,
        .without = run->state.refused,
        .sent = &call->sent};
    call->sent = haft__member_of_constraint(&call->request);
    haft__buf_clear(&call->body);
    haft_status status = run->conversation == NULL
                             ? haft__conversation_create(call->provider, &run->conversation, err)
                             : HAFT_OK;
    return status == HAFT_OK ? haft__conversation_write(run->conversation, &call->request, &options,
                                                        &call->body, err)
                             : status;
}

/* ---- sending ---- */

haft__http_client *haft__runtime_http_client(haft_runtime *runtime, haft_error *err)
{
    const haft__http_client_options options = haft__endpoint_http_options();
    if (runtime->http == NULL
        && haft__http_client_create(runtime->loop, &options, &runtime->http, err) != HAFT_OK) {
        return NULL;
    }
    return runtime->http;
}

static void finish_stream(haft__model_call *call)
{
    if (call->stream != NULL) {
        call->provider->api->finish_stream(call->stream);
        call->stream = NULL;
    }
}

static void reset_stream(haft__model_call *call)
{
    const haft__format *own = call->format, *reply = haft__format_find(call->request.reply_format);
    const haft__model_spec *model = &call->run->agent->spec->model;
    haft__provider_stream_options options = {
        .tools = call->run->state.tools,
        .format = reply != NULL ? reply : own,
        .fallback_format = reply != NULL && reply != own ? own : NULL,
        .format_tools = call->format_tools,
        .format_tool_count = call->request.callable_count,
        .may_reason = model->family.reasoning_open != NULL || model->starts_in_reasoning,
        .starts_in_reasoning = model->starts_in_reasoning,
        .json_only = call->request.constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA,
        .prefix = call->run->conversation->prefix,
        .emit = on_delta,
        .context = call,
        .hash_key = call->run->runtime->hash_key,
        .cleaner = haft__redactor_cleaner(call->run->agent->redactor)};
    finish_stream(call);
    call->stream = (haft__provider_stream *)call->stream_memory;
    call->provider->api->init_stream(call->stream, &options);
}

static haft_status send_body(haft__model_call *call, haft_error *err)
{
    static const haft__http_handlers handlers = {on_head, on_body, on_done};
    const haft_agent *agent = call->run->agent;
    haft__model_timeouts times = haft__model_timeouts_resolve(agent->spec->model.timeouts);
    haft__http_client *http = haft__runtime_http_client(call->run->runtime, err);
    if (http == NULL) {
        return HAFT_NO_MEMORY;
    }
    haft_str headers[3 + HAFT__PROVIDER_MAX_HEADERS] = {
        HAFT__LIT("Content-Type: application/json"),
        HAFT__LIT("Accept: application/json, text/event-stream"),
        HAFT__LIT("User-Agent: haft/" HAFT_VERSION)};
    memcpy(headers + 3, agent->headers.lines, agent->headers.count * sizeof(headers[0]));
    haft__http_request request = {.method = HAFT__LIT("POST"),
                                  .url = agent->url,
                                  .headers = headers,
                                  .header_count = 3 + agent->headers.count,
                                  .body = haft__buf_str(&call->body),
                                  .connect_ms = times.connect_ms,
                                  .first_byte_ms = times.first_byte_ms,
                                  .idle_ms = times.idle_ms,
                                  .total_ms = times.total_ms,
                                  .max_bytes = HAFT__LIMIT_REPLY_BYTES};
    haft__buf_clear(&call->error_body);
    call->status = 0;
    return haft__http_transfer_start(http, &request, &handlers, call, &call->transfer, err);
}

static haft_status send_request(haft__model_call *call, haft_error *err)
{
    bool rewrite = call->continuations > 0; /* a retry starts again with the first request */
    call->continuations = 0;
    reset_stream(call);
    haft_status status = rewrite ? write_body(call, HAFT__LIT(""), err) : HAFT_OK;
    return status == HAFT_OK ? send_body(call, err) : status;
}

/* If the response has a continuation token, sends the request again with this token. The next
 * response continues the reply. */
static haft_status continue_reply(haft__model_call *call, bool *ret_continued, haft_error *err)
{
    const haft__provider_api *api = call->provider->api;
    haft__buf token;
    if (api->continue_reply == NULL || call->status < 200 || call->status >= 300
        || call->continuations == HAFT__LIMIT_MODEL_CONTINUATIONS) {
        return HAFT_OK;
    }
    haft__buf_init(&token, HAFT__LIMIT_REPLY_BYTES);
    haft_status status = api->continue_reply(call->stream, &token, err);
    if (status == HAFT_OK && token.len > 0) {
        *ret_continued = true;
        call->continuations++;
        status = write_body(call, haft__buf_str(&token), err);
        status = status == HAFT_OK ? send_body(call, err) : status;
    }
    haft__buf_finish(&token);
    return status;
}

/* The server has asked haft to wait longer than haft waits, so the call fails without a request. */
static void on_blocked(void *context)
{
    haft__model_call *call = context;
    uint64_t now = haft__loop_now(call->run->runtime->loop);
    uint64_t left = haft__model_server_wait_ms(call->server, now);
    haft_str message = haft__arena_format(
        &call->arena, "not sent: the model server asked to wait, and %llu s are left",
        (unsigned long long)left / 1000 + 1);
    haft__model_outcome outcome = {
        .failed = true,
        .failure = {.message = message.ptr != NULL ? message : HAFT__LIT("not sent"),
                    .kind = HAFT__FAILURE_TRANSIENT}};
    haft__model_call_complete(call, &outcome);
}

/* Another request has ended. Continues on the loop, not inside the callback of the other call. */
static void on_slot_ready(void *context)
{
    haft__model_call *call = context;
    haft_error err = {0};
    if (haft__timer_start(call->run->runtime->loop, &call->timer, 0, on_retry, call, &err)
        != HAFT_OK) {
        haft__model_call_fail(call, &err);
    }
}

/* Sends the request, or waits: until the time before which the server asked this process not to
 * send requests, and until fewer than the maximum number of requests are open. */
static haft_status start_attempt(haft__model_call *call, haft_error *err)
{
    haft_runtime *runtime = call->run->runtime;
    uint32_t max = call->run->agent->spec->model.requests;
    uint64_t wait = haft__model_server_wait_ms(call->server, haft__loop_now(runtime->loop));
    if (wait > 0) {
        haft__model_server_release(call->server, &call->slot);
        bool too_long = wait > HAFT__LIMIT_MODEL_RETRY_MS;
        return haft__timer_start(runtime->loop, &call->timer, too_long ? 0 : wait,
                                 too_long ? on_blocked : on_retry, call, err);
    }
    call->slot.ready = on_slot_ready;
    call->slot.context = call;
    bool may_send = call->slot.in_use
                    || haft__model_server_acquire(call->server, &call->slot,
                                                  max > 0 ? max : HAFT__LIMIT_MODEL_REQUESTS);
    return may_send ? send_request(call, err) : HAFT_OK;
}

/* Collects the tools for the parser of the format. Some formats use the names of tools, including
 * tools that are no longer in the prompt, to distinguish a call from text. */
static haft_status find_format_tools(haft__model_call *call, haft_error *err)
{
    haft__request known = call->request;
    known.tool_count = known.callable_count;
    haft__format_tool *tools = NULL;
    call->format = haft__format_find(call->request.format);
    haft_status status = call->format != NULL
                             ? haft__request_format_tools(&known, &call->arena, &tools, err)
                             : HAFT_OK;
    call->format_tools = tools;
    return status;
}

static haft_status audit_request(haft__model_call *call, haft_error *err)
{
    haft_run *run = call->run;
    haft__cache_request sent = {.request = &call->request,
                                .body = haft__buf_str(&call->body),
                                .stable = run->conversation->stable,
                                .apart = run->conversation->apart,
                                .has_earlier = run->state.turn > 1 || run->state.violations > 0
                                               || run->state.continuations > 0};
    return haft__cache_audit_compare(&run->cache_audit, &sent, &call->cache, err);
}

static haft_status write_request(haft__model_call *call, haft_error *err)
{
    haft_run *run = call->run;
    haft_status status = write_body(call, HAFT__LIT(""), err);
    if (status == HAFT_OK) {
        call->texts = haft__member_texts_of(
            &call->request, haft__conversation_tools(run->conversation, &call->request));
    }
    bool audited = !run->state.context.summarising;
    return status == HAFT_OK && audited ? audit_request(call, err) : status;
}

/* ---- optional members that the server rejects ---- */

const haft__optional_member *haft__model_call_http_find_refused(const haft__model_call *call,
                                                                const haft__model_failure *failure)
{
    haft__member_refusal refusal = {.failure = failure,
                                    .body = haft__buf_str(&call->error_body),
                                    .sent = call->sent,
                                    .accepted = call->memory->accepted,
                                    .again = call->run->state.sent_again,
                                    .options = call->run->agent->spec->model.options,
                                    .required = call->provider->api->reserved_options};
    return haft__member_find_refused(call->provider->api->optional_members, &refusal);
}

/* Reads the refusals that earlier processes have recorded. Ignores them for a server on this
 * machine, because its requests cost nothing and it may often be replaced. */
static void load_refusals(haft__model_call *call)
{
    haft__member_memory *memory = call->memory;
    const haft_agent *agent = call->run->agent;
    if (!memory->loaded && !haft__endpoint_is_loopback(agent->url)) {
        memory->refused = haft__refusal_file_read(key_of(agent));
    }
    memory->loaded = true;
}

/* The members of the request that the server rejected in an earlier run of this or another
 * process. */
static haft__member_set known_refusals(const haft__model_call *call)
{
    uint64_t now = haft__runtime_now(call->run->runtime);
    return haft__refusals_of(&call->memory->refused, &call->texts, now) & call->sent;
}

/* Does not send a request that the server rejected in an earlier run. */
static void on_known_refusal(void *context)
{
    haft__model_call *call = context;
    const haft__optional_member *member =
        haft__member_find_row(call->provider->api->optional_members, call->known);
    const haft__refusal *known =
        haft__refusals_find(&call->memory->refused, member->member, &call->texts,
                            haft__runtime_now(call->run->runtime));
    haft__model_failure failure = {.status = known != NULL ? known->status : 0,
                                   .message = HAFT__LIT("in an earlier run")};
    haft__model_call_refuse_member(call, member, &failure, true);
}

haft_status haft__model_call_http_start(haft__model_call *call, haft_error *err)
{
    haft_runtime *runtime = call->run->runtime;
    call->request.endpoint = call->run->agent->endpoint;
    haft_status status = haft__member_memory_find(&runtime->member_memory, key_of(call->run->agent),
                                                  &call->memory, err);
    if (status == HAFT_OK) {
        load_refusals(call);
        status = haft__model_server_find(&runtime->model_servers, call->run->agent->url,
                                         &call->server, err);
    }
    if (status == HAFT_OK) {
        status = write_request(call, err);
    }
    call->known = status == HAFT_OK ? known_refusals(call) : 0;
    if (call->known != 0) {
        return haft__timer_start(runtime->loop, &call->timer, 0, on_known_refusal, call, err);
    }
    if (status == HAFT_OK) {
        status = find_format_tools(call, err);
    }
    return status == HAFT_OK ? start_attempt(call, err) : status;
}

void haft__model_call_http_stop(haft__model_call *call)
{
    if (call->transfer != NULL) {
        haft__http_transfer_cancel(call->transfer);
    }
    if (call->server != NULL) {
        haft__model_server_release(call->server, &call->slot);
    }
    finish_stream(call);
    haft__buf_finish(&call->body);
    haft__buf_finish(&call->error_body);
    haft__buf_finish(&call->retries);
}
