/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - one HTTP request and its response: JSON or an event stream.
 *
 * If a stream breaks before the response and the session supports resumption, it is resumed after
 * the last event id. A request that could not connect is sent again. Tests: tests/mcp/web_test.py,
 * tests/exec/mcp/connection_test.c, tests/mcp/conformance_client.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "io/http/client.h"

static haft__loop *loop_of(const haft__mcp_connection *connection)
{
    return connection->exec->options.loop;
}

haft__mcp_exchange *haft__mcp_exchange_create(haft__mcp_connection *connection)
{
    haft__mcp_exchange *it = calloc(1, sizeof(*it));
    if (it != NULL) {
        it->connection = connection;
        it->next = connection->exchanges;
        connection->exchanges = it;
        haft__arena_init(&it->arena, 0);
        haft__sse_init(&it->sse);
        haft__buf_init(&it->text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    }
    return it;
}

void haft__mcp_exchange_destroy(haft__mcp_exchange *it)
{
    haft__mcp_exchange **at = &it->connection->exchanges;
    while (*at != it) {
        at = &(*at)->next;
    }
    *at = it->next;
    haft__timer_stop(loop_of(it->connection), &it->timer);
    if (it->transfer != NULL) {
        haft__http_transfer_cancel(it->transfer);
    }
    haft__sse_finish(&it->sse);
    haft__buf_finish(&it->text);
    haft__arena_finish(&it->arena);
    free(it);
}

void haft__mcp_exchange_end(haft__mcp_exchange *it, uint32_t http, haft_str body, haft_str why)
{
    haft__mcp_connection *connection = it->connection;
    uint64_t number = it->number;
    haft__buf clean;
    haft__mcp_exchange_failure broken = {.sent = it->sent};
    if (!it->taken) { /* else the rest is unavailable, but the call may have run */
        broken.http = http;
        broken.body = body;
    }
    haft__excerpt excerpt = {.text = why, .max_bytes = HAFT__LIMIT_MCP_LOG_BYTES};
    haft__buf_init(&clean, HAFT__LIMIT_MCP_LOG_BYTES);
    haft__excerpt_append(&clean, &excerpt, haft__redactor_cleaner(connection->redactor));
    bool whole = haft__buf_check(&clean, NULL) == HAFT_OK;
    broken.why = whole ? haft__buf_str(&clean) : HAFT__LIT("unknown (out of memory)");
    haft_status status = HAFT_OK;
    if (number != 0) {
        status = haft__mcp_client_exchange_failed(connection->client, number, &broken, NULL);
    }
    haft__buf_finish(&clean);
    haft__mcp_exchange_destroy(it); /* after the last use of `body` and `why` */
    haft__mcp_connection_process_events(connection, status);
}

/* ---- received messages ---- */

/* Whether a message is the response that the stream is for. */
static bool is_answer(const haft__mcp_connection *connection, haft_str text)
{
    haft__arena scratch;
    haft__rpc_message message;
    haft__rpc_fault fault = {0};
    haft__arena_init(&scratch, 0);
    haft_status status = haft__rpc_read(&scratch, text, connection->exec->connection_pool->hash_key,
                                        &message, &fault, NULL);
    bool answer = status == HAFT_OK
                      ? message.kind == HAFT__RPC_RESULT || message.kind == HAFT__RPC_ERROR
                      : fault.answer || fault.maybe_response;
    haft__arena_finish(&scratch);
    return answer;
}

/* Compares a Content-Type without case and parameters. */
static bool is_type(haft_str type, haft_str wanted)
{
    haft_str name = haft__str_trim(haft__str_split(&type, ';'));
    return haft__str_equal_ignore_case(name, wanted);
}

/* Whether a response is labelled as something else than JSON. Parseable bodies are accepted with
 * any type. */
static bool is_foreign(const haft__mcp_connection *connection, haft_str type, haft_str text)
{
    haft__arena scratch;
    haft__rpc_message message;
    haft__rpc_fault fault = {0};
    if (type.len == 0 || is_type(type, HAFT__LIT("application/json"))) {
        return false;
    }
    haft__arena_init(&scratch, 0);
    haft_status status = haft__rpc_read(&scratch, text, connection->exec->connection_pool->hash_key,
                                        &message, &fault, NULL);
    haft__arena_finish(&scratch);
    return status != HAFT_OK && status != HAFT_NO_MEMORY;
}

/* False if the exchange was freed. */
static bool handle_message(haft__mcp_exchange *it, haft_str text)
{
    haft__mcp_connection *connection = it->connection;
    it->tries = 0;
    it->answered = it->answered || (it->number != 0 && is_answer(connection, text));
    haft_status status = haft__mcp_client_receive(connection->client, it->number, text, NULL);
    haft__mcp_connection_process_events(connection, status);
    for (const haft__mcp_exchange *at = connection->exchanges; at != NULL; at = at->next) {
        if (at == it) {
            return true;
        }
    }
    return false;
}

static void on_head(void *context, const haft__http_result *so_far)
{
    haft__mcp_exchange *it = context;
    haft_str session = haft__http_result_header(so_far, "mcp-session-id");
    bool good = so_far->status >= 200 && so_far->status < 300;
    it->events = good && is_type(so_far->content_type, HAFT__LIT("text/event-stream"));
    it->sent = true;
    if (good && session.ptr != NULL && it->number != 0) {
        haft__mcp_connection *connection = it->connection;
        haft__mcp_connection_process_events(
            connection, haft__mcp_client_session(connection->client, it->number, session, NULL));
    }
}

static bool on_body(void *context, haft_str bytes)
{
    haft__mcp_exchange *it = context;
    haft__sse_event event;
    if (!it->events) {
        haft__buf_add_str(&it->text, bytes);
        return it->text.status == HAFT_OK;
    }
    while (haft__sse_next(&it->sse, &bytes, &event)) {
        if (haft__str_trim(event.data).len > 0 && !handle_message(it, event.data)) {
            return true; /* the transfer is freed too */
        }
    }
    return haft__sse_check(&it->sse, NULL) == HAFT_OK;
}

/* ---- resuming and resending ---- */

static void on_retry(void *context)
{
    haft__mcp_exchange_start(context, true);
}

static bool is_session(const haft__mcp_exchange *it)
{
    return haft__mcp_client_era(it->connection->client) == HAFT__MCP_ERA_LEGACY;
}

uint64_t haft__mcp_exchange_wait(const haft__sse *sse)
{
    uint64_t wait = sse->has_retry ? sse->retry_ms : HAFT__LIMIT_MCP_RETRY_MS;
    return wait < HAFT__LIMIT_MCP_RETRY_MAX_MS ? wait : HAFT__LIMIT_MCP_RETRY_MAX_MS;
}

/* Whether a call's stream has progressed since it was resumed: a server may close it on purpose and
 * say when to reconnect. The deadline of the call limits that. */
static bool made_progress(const haft__mcp_exchange *it)
{
    return it->call != 0 && it->events && it->sse.has_id
           && (it->sse.id_length != it->id_before_length
               || memcmp(it->sse.id, it->id_before, it->sse.id_length) != 0);
}

/* Resumes the stream if that is allowed; returns whether it did. */
static bool retry(haft__mcp_exchange *it)
{
    if (made_progress(it)) {
        it->tries = 0;
        it->polls++;
    }
    bool can =
        it->kind == HAFT__EXCHANGE_PUSH
        || (it->kind == HAFT__EXCHANGE_POST && it->events && it->sse.has_id && !it->answered);
    if (!can || !is_session(it) || it->tries >= HAFT__LIMIT_MCP_RESUMES) {
        return false;
    }
    it->tries++;
    uint64_t wait = haft__mcp_exchange_wait(&it->sse);
    if (it->polls > HAFT__LIMIT_MCP_RESUMES && wait < HAFT__LIMIT_MCP_BACKOFF_MS) {
        wait = HAFT__LIMIT_MCP_BACKOFF_MS; /* a minimum, to prevent a reconnect storm */
    }
    return haft__timer_start(loop_of(it->connection), &it->timer, wait, on_retry, it, NULL)
           == HAFT_OK;
}

static void on_send(void *context)
{
    haft__mcp_exchange_start(context, false);
}

bool haft__mcp_exchange_is_unsent(const haft__mcp_exchange *it)
{
    return it->kind == HAFT__EXCHANGE_POST && it->number != 0 && !it->sent
           && (it->transfer == NULL || !haft__http_transfer_is_sent(it->transfer));
}

/* Whether to send it again later because the connection failed: a call until its deadline, other
 * requests for as long as a server may take to start. While a connection is starting, the start is
 * repeated instead. */
static bool send_later(haft__mcp_exchange *it, const haft__http_result *result)
{
    haft__mcp_connection *connection = it->connection;
    bool unreachable = result->end == HAFT__HTTP_CONNECT
                       || result->end == HAFT__HTTP_CONNECT_TIMEOUT
                       || result->end == HAFT__HTTP_RESOLVE;
    uint32_t doublings =
        it->tries < HAFT__LIMIT_MCP_RESTARTS ? it->tries : HAFT__LIMIT_MCP_RESTARTS;
    uint64_t wait = (uint64_t)HAFT__LIMIT_MCP_BACKOFF_MS << doublings;
    uint64_t then = haft__loop_now(loop_of(connection)) + wait;
    bool wanted = it->call != 0 ? haft__mcp_tool_call_find(connection, it->call) != NULL
                                : then < it->began + HAFT__LIMIT_MCP_READY_MS;
    if (!unreachable || !haft__mcp_exchange_is_unsent(it) || !wanted
        || connection->state != HAFT__MCP_CONNECTION_OPEN) {
        return false;
    }
    it->tries++;
    (void)snprintf(it->why, sizeof(it->why), "%s", result->message);
    return haft__timer_start(loop_of(connection), &it->timer, wait, on_send, it, NULL) == HAFT_OK;
}

/* The response had no message, or none that was accepted. */
static void end_without_message(haft__mcp_exchange *it, const haft__http_result *result, bool fine)
{
    if (result->end == HAFT__HTTP_OK && !fine) {
        haft_str where = HAFT__LIT("");
        haft_str location = haft__str_trim(haft__http_result_header(result, "location"));
        if (result->status >= 300 && result->status < 400 && location.len > 0) {
            where = haft__arena_format(&it->arena, "to %.*s", HAFT__ARG(location));
            where.len = where.ptr != NULL ? where.len : 0;
        }
        haft__mcp_exchange_end(it, result->status, haft__buf_str(&it->text), where);
    } else {
        bool long_one = result->end == HAFT__HTTP_STOPPED;
        haft__mcp_exchange_end(it, 0, HAFT__LIT(""),
                               fine ? HAFT__LIT("the response ended without a message")
                               : long_one
                                   ? HAFT__LIT("the response is longer than a message may be")
                                   : haft__str(result->message));
    }
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__mcp_exchange *it = context;
    haft__sse_event event;
    it->transfer = NULL;
    it->sent = it->sent || result->sent;
    if (it->kind == HAFT__EXCHANGE_PUSH
        && it->connection->push_supported) { /* even a short gap loses */
        it->connection->push_rejected =
            result->status >= 400 && result->status < 500; /* notifications */
        haft__mcp_connection_watch_lost(it->connection);
    }
    bool fine = result->end == HAFT__HTTP_OK && result->status >= 200 && result->status < 300;
    if (it->events && haft__sse_end(&it->sse, &event) && haft__str_trim(event.data).len > 0
        && is_answer(it->connection, event.data) && !handle_message(it, event.data)) {
        return;
    }
    bool breaks = result->status == 0 || result->status >= 500 || fine || it->events;
    if (breaks && result->end != HAFT__HTTP_STOPPED && retry(it)) {
        return;
    }
    if (send_later(it, result)) {
        return;
    }
    if (fine && !it->events && it->number != 0
        && is_foreign(it->connection, result->content_type, haft__buf_str(&it->text))) {
        haft_str what = haft__arena_format(&it->arena, "the response (HTTP %u) is %.*s, not JSON",
                                           result->status, HAFT__ARG(result->content_type));
        haft__mcp_exchange_end(it, 0, HAFT__LIT(""),
                               what.ptr != NULL ? what : HAFT__LIT("the response is not JSON"));
        return;
    }
    if (fine && !it->events && it->number != 0 && haft__str_trim(haft__buf_str(&it->text)).len > 0
        && !handle_message(it, haft__buf_str(&it->text))) {
        return;
    }
    end_without_message(it, result, fine);
}

/* ---- requests ---- */

static const haft__http_handlers handlers = {.head = on_head, .body = on_body, .done = on_done};

/* Headers: those of the server's configuration, of the session, and ours. */
static haft_status make_headers(haft__mcp_exchange *it, bool resume, haft_str **ret_headers,
                                size_t *ret_count, haft_error *err)
{
    const haft__mcp_connection *connection = it->connection;
    bool get = resume || it->kind == HAFT__EXCHANGE_PUSH;
    size_t count = 0;
    haft_str *all = haft__arena_array(
        &it->arena, connection->header_count + it->header_count + COUNT(connection->session) + 4,
        sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(&it->arena, err);
    }
    for (size_t i = 0; i < connection->header_count; i++) {
        all[count++] = connection->headers[i];
    }
    if (it->kind == HAFT__EXCHANGE_POST && !get) {
        for (size_t i = 0; i < it->header_count; i++) {
            all[count++] = it->headers[i];
        }
        all[count++] = HAFT__LIT("Content-Type: application/json");
        all[count++] = HAFT__LIT("Accept: application/json, text/event-stream");
    } else {
        for (size_t i = 0; i < COUNT(connection->session); i++) {
            if (connection->session[i].len > 0) {
                all[count++] = connection->session[i];
            }
        }
        all[count++] = HAFT__LIT("Accept: text/event-stream");
    }
    if (get && it->sse.has_id) {
        all[count] = haft__arena_format(&it->arena, "Last-Event-ID: %.*s", (int)it->sse.id_length,
                                        it->sse.id);
        if (all[count++].ptr == NULL) {
            return haft__arena_fail(&it->arena, err);
        }
    }
    *ret_headers = all;
    *ret_count = count;
    return HAFT_OK;
}

/* Resets the parser: data of a broken stream does not belong to the next one. */
static void begin_stream(haft__mcp_exchange *it)
{
    haft__sse before = it->sse;
    haft__sse_finish(&it->sse);
    haft__sse_init(&it->sse);
    memcpy(it->sse.id, before.id, sizeof(before.id));
    it->sse.id_length = before.id_length;
    memcpy(it->id_before, before.id, sizeof(before.id));
    it->id_before_length = before.id_length;
    it->sse.has_id = before.has_id;
    it->sse.retry_ms = before.retry_ms;
    it->sse.has_retry = before.has_retry;
    haft__buf_clear(&it->text);
    it->events = false;
}

void haft__mcp_exchange_start(haft__mcp_exchange *it, bool resume)
{
    haft__mcp_connection *connection = it->connection;
    haft_str *headers = NULL;
    size_t count = 0;
    haft_error err = {0};
    bool get = resume || it->kind == HAFT__EXCHANGE_PUSH;
    it->taken = it->taken || resume;
    bool quick = !it->stream && it->call == 0 && !get;
    begin_stream(it);
    haft_status status = make_headers(it, resume, &headers, &count, &err);
    if (status == HAFT_OK) {
        haft__http_request request = {
            .method = get                                 ? HAFT__LIT("GET")
                      : it->kind == HAFT__EXCHANGE_DELETE ? HAFT__LIT("DELETE")
                                                          : HAFT__LIT("POST"),
            .url = connection->url,
            .headers = headers,
            .header_count = count,
            .body = get || it->kind == HAFT__EXCHANGE_DELETE ? (haft_str){NULL, 0} : it->body,
            .send_once = true,
            .connect_ms = HAFT__LIMIT_MCP_READY_MS,
            .total_ms = quick ? HAFT__LIMIT_MCP_READY_MS : 0,
            .max_bytes = SIZE_MAX};
        status = haft__http_transfer_start(connection->web, &request, &handlers, it, &it->transfer,
                                           &err);
    }
    if (status != HAFT_OK) {
        haft__mcp_exchange_end(it, 0, HAFT__LIT(""), HAFT__LIT("out of memory for the request"));
    }
}
