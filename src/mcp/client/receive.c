/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receive.c - dispatches a received message: a response, a request or a notification.
 *
 * The server is not trusted: a response must belong to an open request, a notification to an open
 * call or subscription. Other messages are dropped. Tests: tests/mcp/client/receive_test.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/visible.h"
#include "json/number.h"
#include "json/object.h"

#define REPORTED_FAULTS 10  /* number of faults that are reported as log messages */
#define BEGINNING       200 /* inspected bytes of an unreadable message */
#define SUBSCRIPTION    "io.modelcontextprotocol/subscriptionId"

/* ---- the request of a response ---- */

static bool is_pending(haft__mcp_client *client, uint64_t id)
{
    return id != 0
           && (id == client->discover_id || id == client->initialize_id || id == client->list_id
               || id == client->listen_id || id == client->level_id
               || haft__mcp_client_call_find(client, id) != NULL);
}

/* The only open request; 0 if there are several. */
static uint64_t only_request(const haft__mcp_client *client)
{
    const uint64_t ids[] = {client->discover_id, client->initialize_id, client->list_id,
                            client->level_id};
    uint64_t only = 0, count = 0;
    for (size_t i = 0; i < COUNT(ids); i++) {
        count += ids[i] != 0;
        only = ids[i] != 0 ? ids[i] : only;
    }
    for (const haft__mcp_pending_call *call = client->calls; call != NULL; call = call->next) {
        count += call->state == HAFT__MCP_CALL_SENT;
        only = call->state == HAFT__MCP_CALL_SENT ? call->id : only;
    }
    return count == 1 ? only : 0;
}

/* The request for a response without an id. Over HTTP it is the request of the exchange. On stdio,
 * such a response must not end the list or a call, because some servers also respond to
 * notifications. */
static uint64_t request_without_id(haft__mcp_client *client, uint64_t exchange)
{
    uint64_t only = exchange != 0 ? exchange : only_request(client);
    bool clear = exchange != 0 || (only != client->list_id && !client->cancels);
    return clear && is_pending(client, only) ? only : 0;
}

/* The number of the request for a response; 0 if the client sent no such request. *ret_why is the
 * problem with its id. */
static uint64_t request_of(haft__mcp_client *client, uint64_t exchange, haft__json id,
                           const char **ret_why)
{
    uint64_t number = haft__mcp_client_id_number(id);
    *ret_why = NULL;
    if (id.kind == HAFT__JSON_STRING && haft__str_to_u64(haft__json_text(id), &number)
        && is_pending(client, number)) {
        *ret_why = "its id is a string, and that of the request a number";
    } else if (id.kind == HAFT__JSON_NULL) {
        number = request_without_id(client, exchange);
    }
    return is_pending(client, number) ? number : 0;
}

/* ---- responses ---- */

static haft_status dispatch_answer(haft__mcp_client *client, uint64_t id,
                                   const haft__rpc_message *message, size_t bytes,
                                   haft__arena *io_arena, haft_error *err)
{
    haft__mcp_pending_call *call = haft__mcp_client_call_find(client, id);
    if (client->options.transport == HAFT__MCP_STDIO && id > client->level_id) {
        client->level_id =
            0; /* a response to a later request implies that this request gets no response */
    }
    if (call != NULL) {
        return haft__mcp_client_call_answer(client, call, message, 0, io_arena, err);
    }
    if (id != 0 && id == client->discover_id) {
        return haft__mcp_client_on_discovered(client, message, err);
    }
    if (id != 0 && id == client->initialize_id) {
        return haft__mcp_client_on_initialized(client, message, err);
    }
    if (id != 0 && id == client->list_id) {
        return haft__mcp_client_list_answer(client, message, bytes, io_arena, err);
    }
    if (id != 0 && id == client->listen_id) {
        return haft__mcp_client_watch_lost(client, err);
    }
    client->level_id = id == client->level_id ? 0 : client->level_id;
    return HAFT_OK; /* the response is late or was never requested */
}

static haft_status handle_response(haft__mcp_client *client, uint64_t exchange,
                                   const haft__rpc_message *message, size_t bytes,
                                   haft__arena *io_arena, haft_error *err)
{
    const char *why;
    uint64_t id = request_of(client, exchange, message->id, &why);
    if (why == NULL) {
        return dispatch_answer(client, id, message, bytes, io_arena, err);
    }
    haft__rpc_message malformed = {
        .kind = HAFT__RPC_ERROR, .id = message->id, .message = haft__str(why), .malformed = true};
    return dispatch_answer(client, id, &malformed, 0, io_arena, err);
}

/* ---- notifications ---- */

/* `exchange` is the exchange in which the message arrived, of a call or of another request. */
static haft_status notify_log(haft__mcp_client *client, uint64_t exchange, haft_str level,
                              haft_str logger, haft_str text, haft_error *err)
{
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_LOG);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__mcp_log *log = &node->event.log;
    const haft__mcp_pending_call *call = haft__mcp_client_call_find(client, exchange);
    log->call = call != NULL ? call->number : 0;
    haft_str *to[] = {&log->level, &log->logger, &log->text};
    const haft_str from[] = {level, logger, text};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(to) && status == HAFT_OK; i++) {
        haft_str shown;
        status = haft__visible_copy(&node->arena, from[i], HAFT__LIMIT_MCP_LOG_BYTES, &shown, err);
        if (status == HAFT_OK) {
            *to[i] = haft__arena_copy(&node->arena, shown);
            status = to[i]->ptr != NULL ? HAFT_OK : haft__arena_fail(&node->arena, err);
        }
    }
    if (status != HAFT_OK) {
        haft__mcp_client_event_node_destroy(node);
        return status;
    }
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

static haft_status handle_log(haft__mcp_client *client, uint64_t exchange, haft__json params,
                              haft_error *err)
{
    haft__json data = haft__object_get(params, "data");
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    if (data.kind == HAFT__JSON_STRING) {
        haft__buf_add_str(&buf, haft__json_text(data));
    } else {
        haft__json_write(&buf, data);
    }
    haft_status status = haft__buf_check(&buf, err);
    if (status == HAFT_OK) {
        status = notify_log(client, exchange, haft__json_text(haft__object_get(params, "level")),
                            haft__json_text(haft__object_get(params, "logger")),
                            haft__buf_str(&buf), err);
    }
    haft__buf_finish(&buf);
    return status == HAFT_TOO_BIG ? HAFT_OK : status;
}

/* Whether the progress has increased. A number that is too long to be stored is dropped. */
static bool advances(haft__mcp_pending_call *call, haft__json progress)
{
    haft_str text = haft__json_text(progress), before = haft__str(call->progress);
    if (progress.kind != HAFT__JSON_NUMBER || text.len >= sizeof(call->progress)
        || (before.len > 0 && haft__number_compare(text, before) <= 0)) {
        return false;
    }
    memcpy(call->progress, text.ptr, text.len);
    call->progress[text.len] = '\0';
    return true;
}

static haft_status handle_progress(haft__mcp_client *client, haft__json params,
                                   haft__arena *io_arena, haft_error *err)
{
    haft__mcp_pending_call *call = haft__mcp_client_call_find(
        client, haft__mcp_client_id_number(haft__object_get(params, "progressToken")));
    haft__json progress = haft__object_get(params, "progress"),
               total = haft__object_get(params, "total");
    if (call == NULL || !advances(call, progress)) {
        return HAFT_OK;
    }
    haft__mcp_client_event_node *node =
        haft__mcp_client_event_node_create(HAFT__MCP_EVENT_PROGRESS);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__mcp_progress *event = &node->event.progress;
    event->call = call->number;
    event->progress = progress;
    event->total = total.kind == HAFT__JSON_NUMBER ? total : haft__json_null();
    haft_status status =
        haft__visible_copy(io_arena, haft__json_text(haft__object_get(params, "message")),
                           HAFT__LIMIT_MCP_LOG_BYTES, &event->message, err);
    if (status != HAFT_OK) {
        haft__mcp_client_event_node_destroy(node);
        return status;
    }
    node->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

/* Legacy servers send this notification without a subscription, modern servers only to
 * subscribers. */
static haft_status handle_tools_changed(haft__mcp_client *client, haft__json params,
                                        haft_error *err)
{
    haft__json id = haft__object_get(haft__object_get(params, "_meta"), SUBSCRIPTION);
    bool expected =
        client->era == HAFT__MCP_ERA_LEGACY
        || (client->listen_id != 0 && haft__mcp_client_id_number(id) == client->listen_id);
    if (client->state != HAFT__MCP_CLIENT_OPEN || !expected) {
        return HAFT_OK;
    }
    return haft__mcp_client_tools_changed(client, err);
}

static haft_status handle_cancelled(haft__mcp_client *client, haft__json params, haft_error *err)
{
    haft__json id = haft__object_get(params, "requestId");
    uint64_t number = haft__mcp_client_id_number(id);
    if (number != 0 && number == client->listen_id) {
        return haft__mcp_client_watch_lost(client, err);
    }
    haft__mcp_client_question_withdrawn(client, id);
    return HAFT_OK;
}

static haft_status handle_notification(haft__mcp_client *client, uint64_t exchange,
                                       const haft__rpc_message *message, haft__arena *io_arena,
                                       haft_error *err)
{
    haft_str method = message->method;
    bool logs = client->era != HAFT__MCP_ERA_MODERN || client->options.log_level.len > 0;
    if (haft__str_equal(method, HAFT__LIT("notifications/progress"))) {
        return handle_progress(client, message->params, io_arena, err);
    }
    if (haft__str_equal(method, HAFT__LIT("notifications/message")) && logs) {
        return handle_log(client, exchange, message->params, err);
    }
    if (haft__str_equal(method, HAFT__LIT("notifications/tools/list_changed"))) {
        return handle_tools_changed(client, message->params, err);
    }
    if (haft__str_equal(method, HAFT__LIT("notifications/cancelled"))) {
        return handle_cancelled(client, message->params, err);
    }
    return HAFT_OK;
}

/* ---- messages ---- */

static haft_status handle_request(haft__mcp_client *client, uint64_t exchange,
                                  const haft__rpc_message *message, haft_error *err)
{
    bool modern =
        client->state == HAFT__MCP_CLIENT_PROBING || client->state == HAFT__MCP_CLIENT_IDLE
        || client->state == HAFT__MCP_CLIENT_FAILED || client->era == HAFT__MCP_ERA_MODERN;
    if (modern) { /* a modern server must not send requests, so it gets no response */
        return HAFT_OK;
    }
    return haft__mcp_client_on_request(client, exchange, message, err);
}

static bool contains(haft_str text, haft_str part)
{
    while (text.len >= part.len && !haft__str_starts_with(text, part)) {
        text = haft__str_skip(text, 1);
    }
    return text.len >= part.len;
}

/* Whether an unreadable text was meant as a response: it has "jsonrpc", and no method near its
 * beginning. */
static bool looks_like_response(haft_str text)
{
    size_t size = text.len < BEGINNING ? text.len : BEGINNING;
    haft_str begin = haft__str_trim((haft_str){text.ptr, size});
    return haft__str_starts_with(begin, HAFT__LIT("{")) && contains(begin, HAFT__LIT("\"jsonrpc\""))
           && !contains(begin, HAFT__LIT("\"method\""));
}

/* The request for an invalid response; 0 for none. */
static uint64_t request_of_fault(haft__mcp_client *client, uint64_t exchange, haft_str text,
                                 const haft__rpc_fault *fault, haft_status status)
{
    const char *why = NULL;
    if (fault->id.kind != HAFT__JSON_NULL) {
        return fault->answer || fault->maybe_response
                   ? request_of(client, exchange, fault->id, &why)
                   : 0;
    }
    bool unread = fault->code == HAFT__RPC_PARSE || status == HAFT_TOO_BIG;
    return fault->answer || (unread && looks_like_response(text))
               ? request_without_id(client, exchange)
               : 0;
}

/* An invalid response ends its request; an invalid request gets an error response. */
static haft_status handle_fault(haft__mcp_client *client, uint64_t exchange, haft_str given,
                                const haft__rpc_fault *fault, const haft_error *why,
                                haft__arena *io_arena, haft_error *err)
{
    char text[sizeof(why->where) + sizeof(why->message) + 8];
    bool legacy = client->state == HAFT__MCP_CLIENT_OPEN && client->era == HAFT__MCP_ERA_LEGACY;
    haft_status status = HAFT_OK;
    (void)snprintf(text, sizeof text, "%s%s%s", why->where, why->where[0] != '\0' ? ": " : "",
                   why->message);
    if (client->faults++ < REPORTED_FAULTS) {
        status = notify_log(client, exchange, HAFT__LIT("warning"), HAFT__LIT("haft"),
                            haft__str(text), err);
    }
    uint64_t id = request_of_fault(client, exchange, given, fault, why->status);
    if (status == HAFT_OK && (id != 0 || fault->answer)) {
        haft__rpc_message message = {
            .kind = HAFT__RPC_ERROR, .message = haft__str(text), .malformed = true};
        return dispatch_answer(client, id, &message, 0, io_arena, err);
    }
    if (status == HAFT_OK && !fault->answer && legacy && fault->id.kind != HAFT__JSON_NULL) {
        return haft__mcp_client_send_error(client, fault->id, fault->code, why->message, err);
    }
    return status;
}

static haft_status handle_message(haft__mcp_client *client, uint64_t exchange,
                                  const haft__rpc_message *message, size_t bytes,
                                  haft__arena *io_arena, haft_error *err)
{
    switch (message->kind) {
    case HAFT__RPC_REQUEST: return handle_request(client, exchange, message, err);
    case HAFT__RPC_NOTIFICATION:
        return handle_notification(client, exchange, message, io_arena, err);
    case HAFT__RPC_RESULT:
    case HAFT__RPC_ERROR: return handle_response(client, exchange, message, bytes, io_arena, err);
    }
    HAFT__UNREACHABLE();
}

haft_status haft__mcp_client_receive(haft__mcp_client *client, uint64_t exchange, haft_str text,
                                     haft_error *err)
{
    haft__arena arena;
    haft__rpc_message message;
    haft__rpc_fault fault = {0};
    haft_error why = {.status = HAFT_OK};
    haft__arena_init(&arena, 0);
    bool fits =
        text.len
        <= HAFT__LIMIT_MCP_MESSAGE_BYTES; /* a text that is too long is rejected without a copy */
    haft_str copy = fits ? haft__arena_copy(&arena, text) : text;
    haft_status status =
        copy.ptr != NULL || text.len == 0
            ? haft__mcp_client_read_message(client, &arena, copy, &message, &fault, &why)
            : haft__arena_fail(&arena, &why);
    if (status == HAFT_OK) {
        status = handle_message(client, exchange, &message, text.len, &arena, err);
    } else if (status == HAFT_NO_MEMORY) {
        status = haft__fail_no_memory(err);
    } else {
        status = handle_fault(client, exchange, text, &fault, &why, &arena, err);
    }
    haft__arena_finish(&arena);
    return haft__mcp_client_check(client, status);
}
