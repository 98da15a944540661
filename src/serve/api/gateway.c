/* SPDX-License-Identifier: Apache-2.0 */
/* gateway.c - the listener, and the dispatch of requests. Tests: tests/serve/guard_test.py,
 * tests/serve/api_test.py. */
#include "serve/api/gateway.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "io/random.h"
#include "io/server/listener.h"
#include "serve/api/gateway_int.h"

/* ---- CORS ---- */

#define ALLOWED_HEADERS                                                                            \
    "authorization, content-type, x-api-key, x-auth-scheme, last-event-id, prefer, "               \
    "idempotency-key, traceparent"
#define EXPOSED_HEADERS "content-location, location, retry-after, x-request-id"

size_t haft__api_cors_fields(const haft__api_gateway *gateway,
                             const haft__http_server_request *request,
                             haft__http_server_field fields[3])
{
    haft_str origin = haft__str_trim(haft__http_server_header(request, "origin"));
    if (gateway->options.allow_origin_count == 0) {
        return 0;
    }
    size_t count = 0;
    fields[count++] = (haft__http_server_field){HAFT__LIT("Vary"), HAFT__LIT("Origin")};
    if (origin.ptr != NULL && haft__api_is_listed_origin(gateway, origin)) {
        fields[count++] =
            (haft__http_server_field){HAFT__LIT("Access-Control-Allow-Origin"), origin};
        fields[count++] = (haft__http_server_field){HAFT__LIT("Access-Control-Expose-Headers"),
                                                    HAFT__LIT(EXPOSED_HEADERS)};
    }
    return count;
}

static void reply_preflight(haft__http_server_request *request, const haft__api_verdict *verdict)
{
    haft__http_server_field fields[] = {
        {HAFT__LIT("Access-Control-Allow-Origin"), verdict->origin},
        {HAFT__LIT("Access-Control-Allow-Methods"), HAFT__LIT("GET, POST, DELETE")},
        {HAFT__LIT("Access-Control-Allow-Headers"), HAFT__LIT(ALLOWED_HEADERS)},
        {HAFT__LIT("Access-Control-Max-Age"), HAFT__LIT("600")},
        {HAFT__LIT("Vary"), HAFT__LIT("Origin")}};
    haft__http_server_head head = {.status = 204,
                                   .content_type = HAFT__LIT(""),
                                   .fields = fields,
                                   .field_count = COUNT(fields)};
    haft__http_server_reply(request, &head, HAFT__LIT(""));
}

/* ---- rejected requests ---- */

static haft_status kind_of(uint32_t status)
{
    return status == 404                    ? HAFT_NOT_FOUND
           : status == 413 || status == 431 ? HAFT_TOO_BIG
           : status >= 500                  ? HAFT_IO
                                            : HAFT_BAD_INPUT;
}

/* Also called by the HTTP server for its own rejections. */
static void write_error(void *context, uint32_t status, const char *message, haft__buf *body)
{
    haft_error err = {0};
    (void)context;
    (void)haft__fail(&err, kind_of(status), "", "%s", message);
    haft__api_problem_write(body, status, &err, HAFT__LIT(""));
}

void haft__api_reject_request(haft__api_gateway *gateway, haft__http_server_request *request,
                              const haft__api_verdict *verdict, uint64_t retry_after_s)
{
    haft__buf body;
    haft_error err = {0};
    char seconds[24];
    haft__http_server_field fields[8];
    size_t count = haft__api_cors_fields(gateway, request, fields);
    haft__buf_init(&body, HAFT__LIMIT_SERVE_PROBLEM_BYTES);
    (void)haft__fail(&err, kind_of(verdict->status), "", "%s", verdict->message);
    (void)haft__hint(&err, err.status, "%s", verdict->hint);
    haft__api_problem_write(&body, verdict->status, &err, HAFT__LIT(""));
    if (verdict->status == 401) {
        fields[count++] =
            (haft__http_server_field){HAFT__LIT("WWW-Authenticate"), HAFT__LIT("Bearer")};
    }
    if (verdict->status == 405) {
        fields[count++] = (haft__http_server_field){HAFT__LIT("Allow"), haft__str(verdict->allow)};
    }
    if (verdict->status == 429 || verdict->status == 503) {
        (void)snprintf(seconds, sizeof(seconds), "%llu", (unsigned long long)retry_after_s);
        fields[count++] = (haft__http_server_field){HAFT__LIT("Retry-After"), haft__str(seconds)};
    }
    haft__http_server_head head = {.status = verdict->status,
                                   .content_type = HAFT__LIT("application/problem+json"),
                                   .fields = fields,
                                   .field_count = count};
    haft_str method = haft__http_server_method(request);
    if (gateway->options.finished != NULL) {
        haft__api_finished done = {
            .route = verdict->route, .method = method, .status = verdict->status, .request_id = ""};
        gateway->options.finished(gateway->options.context, &done);
    }
    haft__http_server_reply(request, &head,
                            haft__buf_check(&body, NULL) == HAFT_OK ? haft__buf_str(&body)
                                                                    : HAFT__LIT(""));
    haft__buf_finish(&body);
}

/* ---- calls ---- */

static void on_disconnect(void *context, haft__http_server_request *request)
{
    haft__api_call *call = context;
    haft__http_server_abort(request);
    call->request = NULL;
    if (call->on_gone != NULL) {
        haft__api_step *on_gone = call->on_gone;
        call->on_gone = NULL;
        on_gone(call);
        return; /* it releases its holds, and with the last one the call */
    }
    haft__api_release(call);
}

static void make_request_id(haft__api_call *call)
{
    uint8_t random[(HAFT__REQUEST_ID_SIZE - 1) / 2] = {0};
    (void)!haft__random_bytes(random, sizeof(random));
    haft__hex_write(call->request_id, random, sizeof(random));
    call->request_id[HAFT__REQUEST_ID_SIZE - 1] = '\0';
}

/* Copies what belongs to the token file, which may be read again. */
static bool keep_principal(haft__api_call *call, const haft__principal *who)
{
    call->who = *who;
    call->who.name = haft__arena_copy(&call->arena, who->name);
    call->who.user = haft__arena_copy(&call->arena, who->user);
    return call->who.name.ptr != NULL && call->who.user.ptr != NULL;
}

static void begin_call(haft__api_call *call)
{
    if (haft__api_body_read(call)) {
        call->route->handle(call);
    }
}

/* Whether the query can be read, and has only parameters of the route. */
typedef struct query_check {
    const haft__route *route;
    haft_str unknown;
} query_check;

static bool is_known_parameter(void *context, haft_str name)
{
    query_check *check = context;
    for (const haft__route_parameter *one = check->route->query; one != NULL && one->name != NULL;
         one++) {
        if (haft__str_equal(name, haft__str(one->name))) {
            return true;
        }
    }
    check->unknown = name;
    return false;
}

static bool check_query(haft__api_call *call)
{
    query_check check = {.route = call->route, .unknown = {NULL, 0}};
    if (call->route->any_query) {
        return true;
    }
    haft_error err = {0};
    bool good = haft__query_each(call->query, &call->arena, is_known_parameter, &check);
    for (const haft__route_parameter *one = call->route->query;
         good && one != NULL && one->name != NULL; one++) {
        haft_str unused;
        good = haft__query_find(call->query, one->name, &call->arena, &unused);
    }
    if (!good) {
        (void)haft__fail(&err, HAFT_BAD_INPUT, "",
                         "the query is malformed, or has a parameter twice");
    } else if (check.unknown.ptr != NULL) {
        (void)haft__fail(&err, HAFT_BAD_INPUT, "", "unknown parameter '%.*s'",
                         HAFT__ARG(check.unknown));
    } else {
        return true;
    }
    haft__api_fail(call, &err);
    return false;
}

static void start_call(haft__api_gateway *gateway, haft__http_server_request *request,
                       haft__api_verdict *verdict)
{
    haft__api_call *call = calloc(1, sizeof(*call));
    if (call == NULL) {
        verdict->status = 503;
        verdict->message = "out of memory";
        verdict->hint = "";
        haft__api_reject_request(gateway, request, verdict, 1);
        return;
    }
    call->gateway = gateway;
    call->context = gateway->options.context;
    call->request = request;
    call->route = verdict->route;
    call->body = haft__json_null();
    call->started_ms = haft__clock_monotonic();
    call->all_link = &gateway->all;
    call->all_next = gateway->all;
    if (gateway->all != NULL) {
        gateway->all->all_link = &call->all_next;
    }
    gateway->all = call;
    haft__arena_init(&call->arena, HAFT__LIMIT_SERVE_CALL_BYTES);
    make_request_id(call);
    haft__http_server_on_disconnect(request, on_disconnect, call);
    call->query = haft__arena_copy(&call->arena, haft__http_server_query(request));
    if (call->query.ptr == NULL || !keep_principal(call, &verdict->who)
        || !haft__path_match(call->route->path, haft__http_server_path(request), &call->arena,
                             &call->params)) {
        haft__api_reject(call, 400, HAFT_BAD_INPUT, "the path is not text in UTF-8");
    } else if (check_query(call)) {
        haft__api_continue(call, begin_call);
    }
    haft__api_release(call);
}

/* The client of a request for its rate. */
static haft_str client_of(const haft__api_verdict *verdict)
{
    return verdict->who.name.len > 0 ? verdict->who.name : HAFT__LIT("*");
}

static void handle(void *context, haft__http_server_request *request)
{
    haft__api_gateway *gateway = context;
    haft__api_verdict verdict;
    uint64_t wait_s = 1;
    haft__api_guard_reload(gateway);
    haft__api_guard_check(gateway, request, &verdict);
    if (verdict.preflight) {
        reply_preflight(request, &verdict);
        return;
    }
    if (verdict.status == 0
        && !haft__rate_take(&gateway->rates, client_of(&verdict), haft__clock_monotonic(),
                            &wait_s)) {
        verdict.status = 429;
        verdict.message = "too many requests in a second";
        verdict.hint = "--rate sets the number";
    }
    if (verdict.status != 0) {
        haft__api_reject_request(gateway, request, &verdict, wait_s);
    } else if (verdict.mount != NULL) {
        verdict.mount->handle(verdict.mount->context, request, &verdict.who);
    } else {
        start_call(gateway, request, &verdict);
    }
}

/* The body of a rejected request, and of a route without a body, is not read. */
static bool accept_body(void *context, const haft__http_server_request *request)
{
    haft__api_verdict verdict;
    haft__api_guard_check(context, request, &verdict);
    if (verdict.status != 0 || verdict.preflight) {
        return false;
    }
    return verdict.mount != NULL ? verdict.mount->accept_body(verdict.mount->context, request)
                                 : verdict.route->body != NULL;
}

/* ---- create and destroy ---- */

/* Only this machine, or only this user, can reach the server without a token. */
static haft_status check_tokens(haft__api_gateway *gateway, haft_error *err)
{
    const haft__api_gateway_options *options = &gateway->options;
    if (options->token_file != NULL) {
        gateway->has_tokens = true;
        return haft__api_guard_load(gateway, err);
    }
    if (!gateway->loopback) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "",
                       "'%.*s' can be reached from other machines, but no token is set",
                       HAFT__ARG(options->address));
        return haft__hint(err, status,
                          "`haft token create` makes one for --token-file; or listen at 127.0.0.1");
    }
    return HAFT_OK;
}

static haft_status open_server(haft__api_gateway *gateway, haft_error *err)
{
    const haft__api_gateway_options *options = &gateway->options;
    haft_status status = haft__listener_check_address(options->address, err);
    if (status != HAFT_OK) {
        return status;
    }
    bool is_unix = haft__str_starts_with(options->address, HAFT__LIT("unix:"));
    gateway->loopback = is_unix || haft__mcp_access_is_loopback(options->address);
    gateway->rules = (haft__mcp_access_rules){.loopback = gateway->loopback,
                                              .address = options->address,
                                              .token = HAFT__LIT(""),
                                              .allowed_hosts = options->allow_hosts,
                                              .allowed_host_count = options->allow_host_count};
    status = check_tokens(gateway, err);
    if (status == HAFT_OK) {
        status = haft__api_bodies_compile(gateway, err);
    }
    haft__http_server_options server = {.address = options->address,
                                        .accept_body = accept_body,
                                        .write_error = write_error,
                                        .max_body = HAFT__LIMIT_SERVE_BODY_BYTES,
                                        .max_queue = HAFT__LIMIT_SERVE_STREAM_BYTES};
    return status == HAFT_OK ? haft__http_server_create(options->runtime->loop, &server, handle,
                                                        gateway, &gateway->server, err)
                             : status;
}

haft_status haft__api_gateway_create(const haft__api_gateway_options *options,
                                     haft__api_gateway **ret_gateway, haft_error *err)
{
    haft__api_gateway *gateway = calloc(1, sizeof(*gateway));
    if (gateway == NULL) {
        return haft__fail_no_memory(err);
    }
    gateway->options = *options;
    assert(options->mount_count <= COUNT(gateway->mounts));
    for (size_t i = 0; i < options->mount_count; i++) {
        gateway->mounts[i] = options->mounts[i];
    }
    gateway->options.mounts = gateway->mounts;
    gateway->rates.key = options->runtime->hash_key;
    gateway->rates.rate = options->rate > 0 ? options->rate : HAFT__LIMIT_SERVE_RATE;
    haft__arena_init(&gateway->arena, 0);
    haft__arena_init(&gateway->token_arena, 0);
    gateway->checker = haft__checker_create();
    haft_status status =
        gateway->checker != NULL ? open_server(gateway, err) : haft__fail_no_memory(err);
    if (status != HAFT_OK) {
        haft__api_gateway_destroy(gateway);
        return status;
    }
    *ret_gateway = gateway;
    return HAFT_OK;
}

void haft__api_gateway_drop_calls(haft__api_gateway *gateway)
{
    haft__api_call *call = gateway->all;
    while (call != NULL) {
        haft__api_call *next = call->all_next;
        if (call->request != NULL) {
            on_disconnect(call, call->request);
            call = gateway->all; /* others may have been freed with it */
        } else {
            call = next;
        }
    }
}

bool haft__api_gateway_is_idle(const haft__api_gateway *gateway)
{
    return gateway->busy == 0;
}

void haft__api_gateway_destroy(haft__api_gateway *gateway)
{
    if (gateway == NULL) {
        return;
    }
    haft__api_gateway_drop_calls(gateway);
    haft__api_gateway_run(gateway); /* frees the calls that were queued */
    haft__http_server_destroy(gateway->server);
    haft__checker_destroy(gateway->checker);
    haft__arena_finish(&gateway->token_arena);
    haft__arena_finish(&gateway->arena);
    free(gateway);
}

/* ---- state ---- */

haft_str haft__api_gateway_address(const haft__api_gateway *gateway)
{
    return haft__http_server_address(gateway->server);
}

void haft__api_gateway_drain(haft__api_gateway *gateway)
{
    gateway->draining = true;
}

bool haft__api_gateway_is_draining(const haft__api_gateway *gateway)
{
    return gateway->draining;
}

haft_runtime *haft__api_gateway_runtime(const haft__api_gateway *gateway)
{
    return gateway->options.runtime;
}

const haft__api_gateway_options *haft__api_gateway_options_of(const haft__api_gateway *gateway)
{
    return &gateway->options;
}
