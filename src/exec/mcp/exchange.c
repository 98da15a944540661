/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exchange.c - one HTTP request and its response: JSON or an event stream.
 *
 * If a stream breaks before the response and the session supports resumption, it is resumed after
 * the last event id. If the connection for a request fails, the request is sent again. Tests:
 * tests/mcp/web_test.py, tests/exec/mcp/connection_test.c, tests/mcp/conformance_client.py.
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
    haft__mcp_exchange *exchange = calloc(1, sizeof(*exchange));
    if (exchange != NULL) {
        exchange->connection = connection;
        exchange->next = connection->exchanges;
        connection->exchanges = exchange;
        haft__arena_init(&exchange->arena, 0);
        haft__sse_init(&exchange->sse);
        haft__buf_init(&exchange->text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    }
    return exchange;
}

void haft__mcp_exchange_destroy(haft__mcp_exchange *exchange)
{
    haft__mcp_exchange **at = &exchange->connection->exchanges;
    while (*at != exchange) {
        at = &(*at)->next;
    }
    *at = exchange->next;
    haft__timer_stop(loop_of(exchange->connection), &exchange->timer);
    if (exchange->transfer != NULL) {
        haft__http_transfer_cancel(exchange->transfer);
    }
    haft__sse_finish(&exchange->sse);
    haft__buf_finish(&exchange->text);
    haft__arena_finish(&exchange->arena);
    free(exchange);
}

void haft__mcp_exchange_end(haft__mcp_exchange *exchange, uint32_t http, haft_str body,
                            haft_str why)
{
    haft__mcp_connection *connection = exchange->connection;
    uint64_t number = exchange->number;
    haft__buf clean;
    haft__mcp_exchange_failure broken = {.sent = exchange->sent};
    if (!exchange->resumed) { /* else only the rest of the response is missing, and the call may
                                 have run */
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
    haft__mcp_exchange_destroy(exchange); /* after the last use of `body` and `why` */
    haft__mcp_connection_process_events(connection, status);
}

/* ---- received messages ---- */

/* Whether a message is the response to the request of the stream. */
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
static bool is_type(haft_str type, haft_str expected)
{
    haft_str name = haft__str_trim(haft__str_split(&type, ';'));
    return haft__str_equal_ignore_case(name, expected);
}

/* Whether the Content-Type of a response is not JSON and its body is not a message either. A body
 * that is a message is accepted with any type. */
static bool is_not_json(const haft__mcp_connection *connection, haft_str type, haft_str text)
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

/* Passes a message to the session. False if that freed the exchange. */
static bool handle_message(haft__mcp_exchange *exchange, haft_str text)
{
    haft__mcp_connection *connection = exchange->connection;
    exchange->tries = 0;
    exchange->answered =
        exchange->answered || (exchange->number != 0 && is_answer(connection, text));
    haft_status status = haft__mcp_client_receive(connection->client, exchange->number, text, NULL);
    haft__mcp_connection_process_events(connection, status);
    for (const haft__mcp_exchange *at = connection->exchanges; at != NULL; at = at->next) {
        if (at == exchange) {
            return true;
        }
    }
    return false;
}

static void on_head(void *context, const haft__http_result *so_far)
{
    haft__mcp_exchange *exchange = context;
    haft_str session = haft__http_result_header(so_far, "mcp-session-id");
    bool good = so_far->status >= 200 && so_far->status < 300;
    exchange->events = good && is_type(so_far->content_type, HAFT__LIT("text/event-stream"));
    exchange->sent = true;
    if (good && session.ptr != NULL && exchange->number != 0) {
        haft__mcp_connection *connection = exchange->connection;
        haft__mcp_connection_process_events(
            connection,
            haft__mcp_client_session(connection->client, exchange->number, session, NULL));
    }
}

static bool on_body(void *context, haft_str bytes)
{
    haft__mcp_exchange *exchange = context;
    haft__sse_event event;
    if (!exchange->events) {
        haft__buf_add_str(&exchange->text, bytes);
        return exchange->text.status == HAFT_OK;
    }
    while (haft__sse_next(&exchange->sse, &bytes, &event)) {
        if (haft__str_trim(event.data).len > 0 && !handle_message(exchange, event.data)) {
            return true; /* the transfer is freed too */
        }
    }
    return haft__sse_check(&exchange->sse, NULL) == HAFT_OK;
}

/* ---- resuming and resending ---- */

static void on_retry(void *context)
{
    haft__mcp_exchange_start(context, true);
}

static bool is_session(const haft__mcp_exchange *exchange)
{
    return haft__mcp_client_era(exchange->connection->client) == HAFT__MCP_ERA_LEGACY;
}

uint64_t haft__mcp_exchange_wait(const haft__sse *sse)
{
    uint64_t wait = sse->has_retry ? sse->retry_ms : HAFT__LIMIT_MCP_RETRY_MS;
    return wait < HAFT__LIMIT_MCP_RETRY_MAX_MS ? wait : HAFT__LIMIT_MCP_RETRY_MAX_MS;
}

/* Whether the stream of a call has received an event after it was resumed. A server may close the
 * stream on purpose and set the time to reconnect; only the deadline of the call limits such
 * reconnects. */
static bool made_progress(const haft__mcp_exchange *exchange)
{
    return exchange->call != 0 && exchange->events && exchange->sse.has_id
           && (exchange->sse.id_length != exchange->id_before_length
               || memcmp(exchange->sse.id, exchange->id_before, exchange->sse.id_length) != 0);
}

/* Resumes the stream if that is allowed. Returns whether it was resumed. */
static bool retry(haft__mcp_exchange *exchange)
{
    if (made_progress(exchange)) {
        exchange->tries = 0;
        exchange->polls++;
    }
    bool can = exchange->kind == HAFT__EXCHANGE_PUSH
               || (exchange->kind == HAFT__EXCHANGE_POST && exchange->events && exchange->sse.has_id
                   && !exchange->answered);
    if (!can || !is_session(exchange) || exchange->tries >= HAFT__LIMIT_MCP_RESUMES) {
        return false;
    }
    exchange->tries++;
    uint64_t wait = haft__mcp_exchange_wait(&exchange->sse);
    if (exchange->polls > HAFT__LIMIT_MCP_RESUMES && wait < HAFT__LIMIT_MCP_BACKOFF_MS) {
        wait = HAFT__LIMIT_MCP_BACKOFF_MS; /* a minimum, to prevent a reconnect storm */
    }
    return haft__timer_start(loop_of(exchange->connection), &exchange->timer, wait, on_retry,
                             exchange, NULL)
           == HAFT_OK;
}

static void on_send(void *context)
{
    haft__mcp_exchange_start(context, false);
}

bool haft__mcp_exchange_is_unsent(const haft__mcp_exchange *exchange)
{
    return exchange->kind == HAFT__EXCHANGE_POST && exchange->number != 0 && !exchange->sent
           && (exchange->transfer == NULL || !haft__http_transfer_is_sent(exchange->transfer));
}

/* Sends the request again later if the server could not be reached: a call until its deadline,
 * another request for as long as a server may take to start. Returns false if the request is not
 * repeated, for example while the session is starting: then the whole start is repeated. */
static bool send_later(haft__mcp_exchange *exchange, const haft__http_result *result)
{
    haft__mcp_connection *connection = exchange->connection;
    bool unreachable = result->end == HAFT__HTTP_CONNECT
                       || result->end == HAFT__HTTP_CONNECT_TIMEOUT
                       || result->end == HAFT__HTTP_RESOLVE;
    uint32_t doublings =
        exchange->tries < HAFT__LIMIT_MCP_RESTARTS ? exchange->tries : HAFT__LIMIT_MCP_RESTARTS;
    uint64_t wait = (uint64_t)HAFT__LIMIT_MCP_BACKOFF_MS << doublings;
    uint64_t retry_ms = haft__loop_now(loop_of(connection)) + wait;
    bool needed = exchange->call != 0 ? haft__mcp_tool_call_find(connection, exchange->call) != NULL
                                      : retry_ms < exchange->began + HAFT__LIMIT_MCP_READY_MS;
    if (!unreachable || !haft__mcp_exchange_is_unsent(exchange) || !needed
        || connection->state != HAFT__MCP_CONNECTION_OPEN) {
        return false;
    }
    exchange->tries++;
    (void)snprintf(exchange->why, sizeof(exchange->why), "%s", result->message);
    return haft__timer_start(loop_of(connection), &exchange->timer, wait, on_send, exchange, NULL)
           == HAFT_OK;
}

/* Ends the exchange if the response had no message, or only messages that were not accepted. */
static void end_without_message(haft__mcp_exchange *exchange, const haft__http_result *result,
                                bool succeeded)
{
    if (result->end == HAFT__HTTP_OK && !succeeded) {
        haft_str where = HAFT__LIT("");
        haft_str location = haft__str_trim(haft__http_result_header(result, "location"));
        if (result->status >= 300 && result->status < 400 && location.len > 0) {
            where = haft__arena_format(&exchange->arena, "to %.*s", HAFT__ARG(location));
            where.len = where.ptr != NULL ? where.len : 0;
        }
        haft__mcp_exchange_end(exchange, result->status, haft__buf_str(&exchange->text), where);
    } else {
        bool long_one = result->end == HAFT__HTTP_STOPPED;
        haft__mcp_exchange_end(exchange, 0, HAFT__LIT(""),
                               succeeded ? HAFT__LIT("the response ended without a message")
                               : long_one
                                   ? HAFT__LIT("the response is longer than a message may be")
                                   : haft__str(result->message));
    }
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__mcp_exchange *exchange = context;
    haft__sse_event event;
    exchange->transfer = NULL;
    exchange->sent = exchange->sent || result->sent;
    if (exchange->kind == HAFT__EXCHANGE_PUSH
        && exchange->connection->push_supported) { /* notifications are lost even in a short gap */
        exchange->connection->push_rejected =
            result->status >= 400 && result->status < 500; /* notifications */
        haft__mcp_connection_watch_lost(exchange->connection);
    }
    bool succeeded = result->end == HAFT__HTTP_OK && result->status >= 200 && result->status < 300;
    if (exchange->events && haft__sse_end(&exchange->sse, &event)
        && haft__str_trim(event.data).len > 0 && is_answer(exchange->connection, event.data)
        && !handle_message(exchange, event.data)) {
        return;
    }
    bool breaks = result->status == 0 || result->status >= 500 || succeeded || exchange->events;
    if (breaks && result->end != HAFT__HTTP_STOPPED && retry(exchange)) {
        return;
    }
    if (send_later(exchange, result)) {
        return;
    }
    if (succeeded && !exchange->events && exchange->number != 0
        && is_not_json(exchange->connection, result->content_type,
                       haft__buf_str(&exchange->text))) {
        haft_str what =
            haft__arena_format(&exchange->arena, "the response (HTTP %u) is %.*s, not JSON",
                               result->status, HAFT__ARG(result->content_type));
        haft__mcp_exchange_end(exchange, 0, HAFT__LIT(""),
                               what.ptr != NULL ? what : HAFT__LIT("the response is not JSON"));
        return;
    }
    if (succeeded && !exchange->events && exchange->number != 0
        && haft__str_trim(haft__buf_str(&exchange->text)).len > 0
        && !handle_message(exchange, haft__buf_str(&exchange->text))) {
        return;
    }
    end_without_message(exchange, result, succeeded);
}

/* ---- requests ---- */

static const haft__http_handlers handlers = {.head = on_head, .body = on_body, .done = on_done};

/* The headers: of the server's configuration, of the session, and haft's own. */
static haft_status make_headers(haft__mcp_exchange *exchange, bool resume, haft_str **ret_headers,
                                size_t *ret_count, haft_error *err)
{
    const haft__mcp_connection *connection = exchange->connection;
    bool get = resume || exchange->kind == HAFT__EXCHANGE_PUSH;
    size_t count = 0;
    haft_str *all = haft__arena_array(&exchange->arena,
                                      connection->header_count + exchange->header_count
                                          + COUNT(connection->session) + 4,
                                      sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(&exchange->arena, err);
    }
    for (size_t i = 0; i < connection->header_count; i++) {
        all[count++] = connection->headers[i];
    }
    if (exchange->kind == HAFT__EXCHANGE_POST && !get) {
        for (size_t i = 0; i < exchange->header_count; i++) {
            all[count++] = exchange->headers[i];
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
    if (get && exchange->sse.has_id) {
        all[count] = haft__arena_format(&exchange->arena, "Last-Event-ID: %.*s",
                                        (int)exchange->sse.id_length, exchange->sse.id);
        if (all[count++].ptr == NULL) {
            return haft__arena_fail(&exchange->arena, err);
        }
    }
    *ret_headers = all;
    *ret_count = count;
    return HAFT_OK;
}

/* Resets the parser: data of a broken stream does not belong to the next one. */
static void begin_stream(haft__mcp_exchange *exchange)
{
    haft__sse before = exchange->sse;
    haft__sse_finish(&exchange->sse);
    haft__sse_init(&exchange->sse);
    memcpy(exchange->sse.id, before.id, sizeof(before.id));
    exchange->sse.id_length = before.id_length;
    memcpy(exchange->id_before, before.id, sizeof(before.id));
    exchange->id_before_length = before.id_length;
    exchange->sse.has_id = before.has_id;
    exchange->sse.retry_ms = before.retry_ms;
    exchange->sse.has_retry = before.has_retry;
    haft__buf_clear(&exchange->text);
    exchange->events = false;
}

void haft__mcp_exchange_start(haft__mcp_exchange *exchange, bool resume)
{
    haft__mcp_connection *connection = exchange->connection;
    haft_str *headers = NULL;
    size_t count = 0;
    haft_error err = {0};
    bool get = resume || exchange->kind == HAFT__EXCHANGE_PUSH;
    exchange->resumed = exchange->resumed || resume;
    bool is_short = !exchange->stream && exchange->call == 0 && !get;
    begin_stream(exchange);
    haft_status status = make_headers(exchange, resume, &headers, &count, &err);
    if (status == HAFT_OK) {
        haft__http_request request = {
            .method = get                                       ? HAFT__LIT("GET")
                      : exchange->kind == HAFT__EXCHANGE_DELETE ? HAFT__LIT("DELETE")
                                                                : HAFT__LIT("POST"),
            .url = connection->url,
            .headers = headers,
            .header_count = count,
            .body = get || exchange->kind == HAFT__EXCHANGE_DELETE ? (haft_str){NULL, 0}
                                                                   : exchange->body,
            .send_once = true,
            .connect_ms = HAFT__LIMIT_MCP_READY_MS,
            .total_ms = is_short ? HAFT__LIMIT_MCP_READY_MS : 0,
            .max_bytes = SIZE_MAX};
        status = haft__http_transfer_start(connection->web, &request, &handlers, exchange,
                                           &exchange->transfer, &err);
    }
    if (status != HAFT_OK) {
        haft__mcp_exchange_end(exchange, 0, HAFT__LIT(""),
                               HAFT__LIT("out of memory for the request"));
    }
}
