/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mock.c - replies to HTTP requests from a script.
 *
 * Each valid chat request gets the script's next reply, in order of arrival; a delay applies only
 * to its own reply. Tests: tests/cli/mock_model_test.py, tests/serve/mock/mock_test.c.
 */
#include "serve/mock/mock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "model/providers/openai_chat/write_reply.h"
#include "serve/mock/ollama.h"

#define ID_SIZE     32
#define OLLAMA_CHAT "/api/chat"

/* One chat request, from its arrival to its reply. */
typedef struct exchange {
    haft__mock_model *mock;
    haft__http_server_request *request;
    uint64_t number;
    bool ollama; /* in Ollama's own API */
    haft__arena arena;
    haft__chat_parsed parsed;
    haft__script_answer answer;
    haft__timer timer;
} exchange;

/* ---- replies ---- */

/* Every reply has an id, like the provider's. */
static haft__http_server_field id_field(uint64_t number, char text[ID_SIZE])
{
    (void)snprintf(text, ID_SIZE, "req_%" PRIu64, number);
    return (haft__http_server_field){HAFT__LIT("x-request-id"), haft__str(text)};
}

void haft__mock_reply(haft__mock_model *mock, haft__http_server_request *request, uint32_t status,
                      haft__buf *body)
{
    char id[ID_SIZE];
    haft__http_server_field field = id_field(mock->requests, id);
    haft__http_server_head head = {status, HAFT__LIT("application/json"), &field, 1};
    if (body->status == HAFT_OK) {
        haft__http_server_reply(request, &head, haft__buf_str(body));
    } else {
        haft__http_server_abort(request);
    }
    haft__buf_finish(body);
}

static void reply_error(haft__mock_model *mock, haft__http_server_request *request, uint32_t status,
                        haft__chat_rejection problem)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_REPLY_BYTES);
    haft__chat_write_error(&body, problem.message,
                           status < 500 ? "invalid_request_error" : "server_error", problem.param,
                           problem.code);
    haft__mock_reply(mock, request, status, &body);
}

/* An error in the form of the API that the path belongs to. */
static void reject(haft__mock_model *mock, haft__http_server_request *request, uint32_t status,
                   haft__chat_rejection problem)
{
    if (!haft__str_starts_with(haft__http_server_path(request), HAFT__LIT("/api/"))) {
        reply_error(mock, request, status, problem);
        return;
    }
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_REPLY_BYTES);
    haft__mock_ollama_write_error(&body, problem.message);
    haft__mock_reply(mock, request, status, &body);
}

void haft__mock_reply_error(haft__mock_model *mock, haft__http_server_request *request,
                            uint32_t status, const char *message)
{
    reject(mock, request, status, (haft__chat_rejection){.message = haft__str(message)});
}

/* ---- exchanges ---- */

static void finish(exchange *e)
{
    haft__timer_stop(e->mock->loop, &e->timer);
    haft__arena_finish(&e->arena);
    free(e);
}

static void on_disconnect(void *context, haft__http_server_request *request)
{
    haft__http_server_abort(request);
    finish(context);
}

static bool has_name(haft_str name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.ptr, wanted, name.len) == 0;
}

/* Our own header field and the script's; NULL when out of memory. */
static haft__http_server_field *make_fields(exchange *e, haft__http_server_field own,
                                            bool *ret_typed)
{
    haft__json headers = e->answer.headers;
    haft__http_server_field *fields =
        haft__arena_array(&e->arena, (size_t)headers.count + 1, sizeof(*fields));
    for (uint32_t i = 0; fields != NULL && i < headers.count; i++) {
        haft_str name = haft__json_text(headers.members[i].key);
        fields[i + 1] = (haft__http_server_field){name, haft__json_text(headers.members[i].value)};
        *ret_typed = *ret_typed || has_name(name, "content-type");
    }
    if (fields != NULL) {
        fields[0] = own;
    }
    return fields;
}

/* An error of the script; without a status it is a broken connection. */
static void send_failure(exchange *e)
{
    const haft__model_failure *failure = &e->answer.failure;
    char id[ID_SIZE];
    bool typed = failure->message.len == 0;
    haft__http_server_field *fields = make_fields(e, id_field(e->number, id), &typed);
    if (failure->status == 0 || fields == NULL) {
        haft__http_server_abort(e->request);
        return;
    }
    bool json = haft__str_starts_with(failure->message, HAFT__LIT("{"));
    haft_str type = json ? HAFT__LIT("application/json") : HAFT__LIT("text/plain; charset=utf-8");
    haft__http_server_head head = {.status = failure->status,
                                   .content_type = typed ? HAFT__LIT("") : type,
                                   .fields = fields,
                                   .field_count = (size_t)e->answer.headers.count + 1};
    haft__http_server_reply(e->request, &head, failure->message);
}

/* Sends a reply, up to the script's cut. */
static void send_body(exchange *e, haft_str body)
{
    char id[ID_SIZE];
    haft__http_server_field fields[] = {id_field(e->number, id),
                                        {HAFT__LIT("cache-control"), HAFT__LIT("no-cache")}};
    bool stream = e->parsed.stream;
    haft__http_server_head head = {
        .status = 200,
        .content_type = !stream     ? HAFT__LIT("application/json")
                        : e->ollama ? HAFT__LIT("application/x-ndjson")
                                    : HAFT__LIT("text/event-stream"),
        .fields = fields,
        .field_count = stream ? 2 : 1,
    };
    bool cut = e->answer.has_cut && e->answer.cut < body.len;
    if (!stream && !cut) {
        haft__http_server_reply(e->request, &head, body);
        return;
    }
    body.len = cut ? (size_t)e->answer.cut : body.len;
    haft__http_server_begin(e->request, &head);
    bool written = haft__http_server_write(e->request, body);
    if (cut || !written) {
        haft__http_server_abort(e->request);
    } else {
        haft__http_server_end(e->request);
    }
}

static void send_reply(exchange *e)
{
    char id[ID_SIZE];
    (void)snprintf(id, sizeof(id), "chatcmpl-%" PRIu64, e->number);
    haft__chat_reply_header head = {.id = haft__str(id),
                                    .model = e->parsed.request.model,
                                    .created = haft__clock_now() / 1000,
                                    .include_usage = e->parsed.include_usage};
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_SERVER_QUEUE_BYTES);
    haft_error err = {0};
    haft_status status =
        haft__chat_prepare_reply(&e->arena, &e->parsed, &e->mock->calls, &e->answer.reply, &err);
    if (status == HAFT_OK && e->ollama) {
        haft__mock_ollama_write(&body, head.model, haft__clock_now(), &e->answer.reply,
                                e->parsed.stream);
    } else if (status == HAFT_OK && e->parsed.stream) {
        haft__chat_write_stream(&body, &head, &e->answer.reply);
    } else if (status == HAFT_OK) {
        haft__chat_write_reply(&body, &head, &e->answer.reply);
    }
    status = status == HAFT_OK ? haft__buf_check(&body, &err) : status;
    if (status == HAFT_OK) {
        send_body(e, haft__buf_str(&body));
    } else {
        haft__mock_reply_error(e->mock, e->request, 500, err.message);
    }
    haft__buf_finish(&body);
}

static void send_answer(void *context)
{
    exchange *e = context;
    if (e->answer.failed && !e->answer.has_cut) {
        send_failure(e);
    } else {
        send_reply(e);
    }
    finish(e);
}

/* Whether the reply satisfies the constraint of the request, as a real server would ensure. Reports
 * a mismatch: the script is wrong. */
static bool keeps(exchange *e)
{
    haft_error err = {0};
    bool good = e->answer.failed || e->answer.ignores_constraint;
    if (good) {
        return true;
    }
    if (haft__chat_reply_conforms(&e->parsed, &e->answer.reply, &e->arena, &good, &err)
        != HAFT_OK) {
        haft__mock_reply_error(e->mock, e->request, 500, err.message);
        return false;
    }
    if (!good) {
        char message[256];
        (void)snprintf(message, sizeof(message),
                       "script /replies/%zu: the reply does not conform to the %s of the request; "
                       "set ignores_constraint: true for a server that ignores it",
                       e->mock->script->next - 1,
                       haft__constraint_name(e->parsed.request.constraint.kind));
        e->mock->on_mismatch(e->mock->context, message);
        haft__mock_reply_error(e->mock, e->request, 500, message);
    }
    return good;
}

/* Takes the next reply of the script. False if the request did not match and was answered. */
static bool ask_script(exchange *e)
{
    haft__mock_model *mock = e->mock;
    haft_error err = {0};
    if (mock->repeat_script && mock->script->next == mock->script->replies.count) {
        mock->script->next = 0;
    }
    haft_status status =
        haft__script_ask(mock->script, &e->parsed.request, &e->arena, &e->answer, &err);
    if (status == HAFT_OK) {
        return keeps(e);
    }
    char message[sizeof(err.where) + sizeof(err.message) + 16];
    (void)snprintf(message, sizeof(message), "script %s: %s", err.where, err.message);
    mock->on_mismatch(mock->context, message);
    haft__mock_reply_error(mock, e->request, status == HAFT_BAD_STATE ? 400 : 500, message);
    return false;
}

/* Reads the request. False if it was answered. */
static bool read_request(exchange *e)
{
    haft_error err = {0};
    haft_str body = haft__http_server_body(e->request);
    haft_status status = HAFT_OK;
    haft__buf made;
    haft__buf_init(&made, HAFT__LIMIT_JSON_BYTES);
    if (e->ollama) {
        status = haft__mock_ollama_translate(body, e->mock->hash_key, &made, &err);
        body = haft__arena_copy(&e->arena, haft__buf_str(&made));
    }
    haft__buf_finish(&made);
    if (status == HAFT_OK && body.ptr != NULL) {
        status =
            haft__chat_read_as(&e->arena, body, e->mock->like, e->mock->hash_key, &e->parsed, &err);
    }
    if (status != HAFT_OK || body.ptr == NULL) {
        bool bad = status == HAFT_BAD_INPUT;
        haft__mock_reply_error(e->mock, e->request, bad ? 400 : 500, err.message);
        return false;
    }
    if (e->parsed.problem.message.ptr != NULL) {
        reject(e->mock, e->request, 400, e->parsed.problem);
    }
    return e->parsed.problem.message.ptr == NULL;
}

static void answer(exchange *e)
{
    haft_error err = {0};
    if (read_request(e) && ask_script(e)) {
        haft__http_server_on_disconnect(e->request, on_disconnect, e);
        if (e->answer.delay_ms == 0) {
            send_answer(e);
            return;
        }
        if (haft__timer_start(e->mock->loop, &e->timer, e->answer.delay_ms, send_answer, e, &err)
            == HAFT_OK) {
            return;
        }
        haft__mock_reply_error(e->mock, e->request, 500, err.message);
    }
    finish(e);
}

/* ---- routes ---- */

static bool is_json(const haft__http_server_request *request)
{
    haft_str type = haft__http_server_header(request, "content-type");
    haft_str name = haft__str_trim(haft__str_split(&type, ';'));
    return name.len == 0 || has_name(name, "application/json");
}

static void handle_chat(haft__mock_model *mock, haft__http_server_request *request)
{
    if (!is_json(request)) {
        haft__chat_rejection problem = {
            .message = HAFT__LIT("Unsupported content type. This API method only accepts "
                                 "'application/json' requests."),
            .code = "unsupported_content_type"};
        reject(mock, request, 400, problem);
        return;
    }
    exchange *e = calloc(1, sizeof(*e));
    if (e == NULL) {
        haft__mock_reply_error(mock, request, 500, "out of memory");
        return;
    }
    e->mock = mock;
    e->request = request;
    e->number = mock->requests;
    e->ollama = haft__str_equal(haft__http_server_path(request), HAFT__LIT(OLLAMA_CHAT));
    haft__arena_init(&e->arena, 0);
    answer(e);
}

static void handle_models(haft__mock_model *mock, haft__http_server_request *request)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_addf(&body, "{\"object\":\"list\",\"data\":[{\"id\":\"script\",\"object\":\"model\","
                          "\"created\":0,\"owned_by\":\"haft\"}]}");
    haft__mock_reply(mock, request, 200, &body);
}

static void handle_tags(haft__mock_model *mock, haft__http_server_request *request)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_addf(&body, "{\"models\":[{\"name\":\"script\",\"model\":\"script\"}]}");
    haft__mock_reply(mock, request, 200, &body);
}

static void handle_health(haft__mock_model *mock, haft__http_server_request *request)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_addf(&body, "{\"status\":\"ok\"}");
    haft__mock_reply(mock, request, 200, &body);
}

static const struct route {
    const char *path, *method;
    bool open;   /* does not require a key */
    bool ollama; /* only Ollama has it */
    void (*act)(haft__mock_model *mock, haft__http_server_request *request);
} routes[] = {
    {"/v1/chat/completions", "POST", false, false, handle_chat},
    {"/chat/completions", "POST", false, false, handle_chat},
    {"/v1/embeddings", "POST", false, false, haft__mock_handle_embeddings},
    {"/v1/models", "GET", false, false, handle_models},
    {"/health", "GET", true, false, handle_health},
    {OLLAMA_CHAT, "POST", true, true, handle_chat},
    {"/api/tags", "GET", true, true, handle_tags},
};

static bool has_key(const haft__http_server_request *request)
{
    haft_str authorization = haft__http_server_header(request, "authorization");
    haft_str scheme = haft__str_split(&authorization, ' ');
    return has_name(scheme, "bearer") && haft__str_trim(authorization).len > 0;
}

static bool fits(const struct route *route, haft_str method)
{
    return haft__str_equal(method, haft__str(route->method))
           || (haft__str_equal(method, HAFT__LIT("HEAD")) && strcmp(route->method, "GET") == 0);
}

static const struct route *find_route(const haft__mock_model *mock, haft_str path)
{
    for (size_t i = 0; i < COUNT(routes); i++) {
        if (haft__str_equal(path, haft__str(routes[i].path))
            && (mock->ollama || !routes[i].ollama)) {
            return &routes[i];
        }
    }
    return NULL;
}

void haft__mock_handle(void *context, haft__http_server_request *request)
{
    haft__mock_model *mock = context;
    haft_str path = haft__http_server_path(request), method = haft__http_server_method(request);
    const struct route *route = find_route(mock, path);
    char message[512];
    mock->requests++;
    if (route == NULL) {
        (void)snprintf(message, sizeof(message), "Invalid URL (%.*s %.*s)", HAFT__ARG(method),
                       HAFT__ARG(path));
        haft__mock_reply_error(mock, request, 404, message);
    } else if (!fits(route, method)) {
        (void)snprintf(message, sizeof(message),
                       "Not allowed to %.*s on %.*s (HINT: Perhaps you meant to use a different "
                       "HTTP method?)",
                       HAFT__ARG(method), HAFT__ARG(path));
        haft__mock_reply_error(mock, request, 405, message);
    } else if (mock->require_key && !route->open && !has_key(request)) {
        haft__mock_reply_error(
            mock, request, 401,
            "You didn't provide an API key. You need to provide your API key in an "
            "Authorization header using Bearer auth (i.e. Authorization: Bearer "
            "YOUR_KEY).");
    } else {
        route->act(mock, request);
    }
}
