/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - steps and responses of calls. Tests: tests/serve/api/call_test.c,
 * tests/serve/api_test.py. */
#include "serve/api/call.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "run/event_body.h"
#include "serve/api/gateway_int.h"

#define MAX_FIELDS 16

/* ---- steps ---- */

void haft__api_continue(haft__api_call *call, haft__api_step *next)
{
    haft__api_gateway *gateway = call->gateway;
    call->next = next;
    if (call->queued) {
        return;
    }
    call->queued = true;
    call->queue_next = NULL;
    if (gateway->last != NULL) {
        gateway->last->queue_next = call;
    } else {
        gateway->first = call;
    }
    gateway->last = call;
}

static void on_stored(haft__store_request *request)
{
    haft__api_call *call = request->context;
    call->busy = false;
    call->gateway->busy--;
    haft__api_continue(call, call->next);
}

void haft__api_submit(haft__api_call *call, haft__api_step *next)
{
    haft_runtime *runtime = call->gateway->options.runtime;
    call->next = next;
    call->busy = true;
    call->gateway->busy++;
    call->store.arena = &call->arena;
    call->store.now_ms = haft__runtime_now(runtime);
    call->store.done = on_stored;
    call->store.context = call;
    haft__store_submit(runtime->store, &call->store);
}

void haft__api_release(haft__api_call *call)
{
    if (call->request != NULL || call->queued || call->running || call->busy || call->holds > 0) {
        return;
    }
    *call->all_link = call->all_next;
    if (call->all_next != NULL) {
        call->all_next->all_link = call->all_link;
    }
    haft__arena_finish(&call->arena);
    free(call);
}

void haft__api_gateway_run(haft__api_gateway *gateway)
{
    while (gateway->first != NULL) {
        haft__api_call *call = gateway->first;
        gateway->first = call->queue_next;
        gateway->last = gateway->first != NULL ? gateway->last : NULL;
        call->queued = false;
        call->running = true;
        if (call->request != NULL) {
            call->next(call);
        }
        call->running = false;
        haft__api_release(call);
    }
}

/* ---- the query ---- */

haft_str haft__api_query(haft__api_call *call, const char *name)
{
    haft_str value = {NULL, 0};
    /* The guard has rejected malformed queries. */
    return haft__query_find(call->query, name, &call->arena, &value) ? value : (haft_str){NULL, 0};
}

bool haft__api_query_number(haft__api_call *call, const char *name, uint64_t least, uint64_t most,
                            uint64_t fallback, uint64_t *ret_number)
{
    haft_str text = haft__api_query(call, name);
    haft_error err = {0};
    *ret_number = fallback;
    if (text.ptr == NULL
        || (haft__str_to_u64(text, ret_number) && *ret_number >= least && *ret_number <= most)) {
        return true;
    }
    (void)haft__fail(&err, HAFT_BAD_INPUT, name,
                     "expected a number from %llu to %llu, found '%.*s'", (unsigned long long)least,
                     (unsigned long long)most, HAFT__ARG(text));
    haft__api_fail(call, &err);
    return false;
}

bool haft__api_query_flag(haft__api_call *call, const char *name)
{
    haft_str text = haft__api_query(call, name);
    return haft__str_equal(text, HAFT__LIT("1")) || haft__str_equal(text, HAFT__LIT("true"));
}

/* ---- responses ---- */

static void finished(haft__api_call *call, uint32_t status, bool stream)
{
    const haft__api_gateway_options *options = &call->gateway->options;
    if (options->finished != NULL) {
        haft__api_finished done = {.stream = stream,
                                   .route = call->route,
                                   .method = haft__str(call->route->method),
                                   .status = status,
                                   .ms = haft__clock_monotonic() - call->started_ms,
                                   .request_id = call->request_id};
        options->finished(options->context, &done);
    }
}

/* The fields of every response, after those of the reply. Nothing is cached, unless the reply says
 * otherwise. */
static size_t add_fields(haft__api_call *call, const haft__api_reply *reply,
                         haft__http_server_field fields[MAX_FIELDS])
{
    size_t count = 0;
    bool has_caching = false;
    assert(reply->field_count <= MAX_FIELDS - 5);
    for (size_t i = 0; i < reply->field_count; i++) {
        has_caching |= haft__str_equal(reply->fields[i].name, HAFT__LIT("Cache-Control"));
        fields[count++] = reply->fields[i];
    }
    fields[count++] =
        (haft__http_server_field){HAFT__LIT("X-Request-Id"), haft__str(call->request_id)};
    fields[count++] =
        (haft__http_server_field){HAFT__LIT("X-Content-Type-Options"), HAFT__LIT("nosniff")};
    if (!has_caching) {
        fields[count++] =
            (haft__http_server_field){HAFT__LIT("Cache-Control"), HAFT__LIT("no-store")};
    }
    return count + haft__api_cors_fields(call->gateway, call->request, fields + count);
}

void haft__api_reply_with(haft__api_call *call, const haft__api_reply *reply, haft_str body)
{
    haft__http_server_field fields[MAX_FIELDS];
    haft__http_server_request *request = call->request;
    if (request == NULL) {
        return;
    }
    haft__http_server_head head = {.status = reply->status,
                                   .content_type = reply->content_type,
                                   .fields = fields,
                                   .field_count = add_fields(call, reply, fields)};
    call->request = NULL;
    haft__http_server_reply(request, &head, body);
    finished(call, reply->status, false);
    if (call->on_gone != NULL) {
        haft__api_step *on_gone = call->on_gone;
        call->on_gone = NULL;
        on_gone(call);
    }
}

void haft__api_begin(haft__api_call *call, const haft__api_reply *reply)
{
    haft__http_server_field fields[MAX_FIELDS];
    haft__http_server_head head = {.status = reply->status,
                                   .content_type = reply->content_type,
                                   .fields = fields,
                                   .field_count = add_fields(call, reply, fields)};
    haft__http_server_begin(call->request, &head);
    finished(call, reply->status, true);
}

void haft__api_end(haft__api_call *call, bool cut)
{
    haft__http_server_request *request = call->request;
    if (request == NULL) {
        return;
    }
    call->request = NULL;
    if (cut) {
        haft__http_server_abort(request);
    } else {
        haft__http_server_end(request);
    }
}

void haft__api_reply_json(haft__api_call *call, uint32_t status, const haft__buf *body)
{
    haft_error err = {0};
    haft__api_reply reply = {.status = status, .content_type = HAFT__LIT("application/json")};
    if (haft__buf_check(body, &err) != HAFT_OK) {
        haft__api_fail(call, &err);
        return;
    }
    haft__api_reply_with(call, &reply, haft__buf_str(body));
}

void haft__api_reply_empty(haft__api_call *call)
{
    haft__api_reply reply = {.status = 204, .content_type = HAFT__LIT("")};
    haft__api_reply_with(call, &reply, HAFT__LIT(""));
}

/* ---- problems ---- */

uint32_t haft__api_http_status(haft_status status)
{
    switch (status) {
    case HAFT_BAD_INPUT: return 400;
    case HAFT_NOT_FOUND: return 404;
    case HAFT_BAD_STATE: return 409;
    case HAFT_TOO_BIG: return 413;
    case HAFT_UNSUPPORTED: return 422;
    case HAFT_NO_MEMORY:
    case HAFT_IO: return 503;
    default: return 500;
    }
}

const char *haft__api_phrase(uint32_t status)
{
    static const struct {
        uint32_t status;
        const char *phrase;
    } phrases[] = {
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < COUNT(phrases); i++) {
        if (phrases[i].status == status) {
            return phrases[i].phrase;
        }
    }
    return "Error";
}

void haft__api_problem_write(haft__buf *buf, uint32_t status, const haft_error *error,
                             haft_str instance)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_string(&w, "type", "about:blank");
    haft__field_string(&w, "title", haft__api_phrase(status));
    haft__field_number(&w, "status", status);
    haft__field_string(&w, "detail", error->message);
    haft__field_text_or_null(&w, "instance", instance);
    haft__field_error(&w, error);
    haft__json_end_object(&w);
}

void haft__api_problem(haft__api_call *call, uint32_t status, const haft_error *error)
{
    if (call->intercept != NULL) {
        call->intercept(call, status, error);
        return;
    }
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_SERVE_PROBLEM_BYTES);
    haft__api_problem_write(&body, status, error, haft__str(call->request_id));
    haft__http_server_field retry = {HAFT__LIT("Retry-After"), HAFT__LIT("1")};
    haft__api_reply reply = {.status = status,
                             .content_type = HAFT__LIT("application/problem+json"),
                             .fields = &retry,
                             .field_count = status == 503};
    haft__api_reply_with(call, &reply,
                         haft__buf_check(&body, NULL) == HAFT_OK ? haft__buf_str(&body)
                                                                 : HAFT__LIT(""));
    haft__buf_finish(&body);
}

void haft__api_fail(haft__api_call *call, const haft_error *error)
{
    haft__api_problem(call, haft__api_http_status(error->status), error);
}

void haft__api_reject(haft__api_call *call, uint32_t status, haft_status kind, const char *message)
{
    haft_error err = {0};
    (void)haft__fail(&err, kind, "", "%s", message);
    haft__api_problem(call, status, &err);
}
