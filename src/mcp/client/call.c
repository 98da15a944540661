/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - tool calls: sends a call, sends it again if the server requests input, and ends it once.
 *
 * The client sends a call again only after input_required. A call that the server did not accept,
 * because of its headers (-32020), its version (-32022) or its session (404, 400), ends as RETRY:
 * the caller checks the current tools before it sends the call again. The client never sends a call
 * again if its response was lost. Tests: tests/mcp/client/call_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/version.h"
#include "json/object.h"

haft__mcp_pending_call *haft__mcp_client_call_find(haft__mcp_client *client, uint64_t id)
{
    haft__mcp_pending_call *call = client->calls;
    while (call != NULL && (id == 0 || call->state != HAFT__MCP_CALL_SENT || call->id != id)) {
        call = call->next;
    }
    return call;
}

static void destroy(haft__mcp_pending_call *call)
{
    haft__mcp_client_event_node_destroy(call->node);
    haft__arena_finish(&call->arena);
    free(call);
}

void haft__mcp_client_call_end(haft__mcp_client *client, haft__mcp_pending_call *call,
                               haft__mcp_call_outcome outcome, const haft_error *error)
{
    haft__mcp_client_event_node *node = call->node;
    haft__mcp_pending_call **at = &client->calls;
    while (*at != call) {
        at = &(*at)->next;
    }
    *at = call->next;
    client->call_count--;
    node->event.done.call = call->number;
    node->event.done.outcome = outcome;
    if (error != NULL) {
        node->event.done.error = *error;
    }
    call->node = NULL;
    haft__mcp_client_questions_end(client, call->number);
    haft__mcp_client_push_event(client, node);
    destroy(call);
}

/* ---- making a call ---- */

static haft_status copy_params(haft__mcp_pending_call *call, const haft__mcp_param *params,
                               size_t count, haft_error *err)
{
    haft__mcp_param *copy = haft__arena_array(&call->arena, count, sizeof(*copy));
    for (size_t i = 0; copy != NULL && i < count; i++) {
        haft_str *path = haft__arena_array(&call->arena, params[i].depth, sizeof(*path));
        copy[i].name = haft__arena_copy(&call->arena, params[i].name);
        bool whole = path != NULL && copy[i].name.ptr != NULL;
        for (size_t j = 0; whole && j < params[i].depth; j++) {
            path[j] = haft__arena_copy(&call->arena, params[i].path[j]);
            whole = path[j].ptr != NULL;
        }
        copy[i].path = path;
        copy[i].depth = params[i].depth;
        copy = whole ? copy : NULL;
    }
    call->params = copy;
    call->param_count = copy != NULL ? count : 0;
    return copy != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
}

static haft_status copy_meta(haft__mcp_pending_call *call, const haft__mcp_meta *meta, size_t count,
                             haft_error *err)
{
    haft__mcp_meta *copy = haft__arena_array(&call->arena, count, sizeof(*copy));
    for (size_t i = 0; copy != NULL && i < count; i++) {
        bool has_text = meta[i].text.ptr != NULL;
        copy[i] = meta[i];
        copy[i].key = haft__arena_copy(&call->arena, meta[i].key);
        copy[i].text = has_text ? haft__arena_copy(&call->arena, meta[i].text) : meta[i].text;
        bool whole = copy[i].key.ptr != NULL && (copy[i].text.ptr != NULL || !has_text);
        copy = whole ? copy : NULL;
    }
    call->meta = copy;
    call->meta_count = copy != NULL ? count : 0;
    return copy != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
}

static haft_status copy_call(haft__mcp_client *client, haft__mcp_pending_call *call,
                             const haft__mcp_call *given, haft_error *err)
{
    haft__hash_key key = client->options.origin.hash_key;
    call->tool = haft__arena_copy(&call->arena, given->tool);
    call->round = given->round;
    call->params_known = given->known != NULL;
    if (given->state.ptr != NULL) {
        call->request_state = haft__arena_copy(&call->arena, given->state);
    }
    if (call->tool.ptr == NULL || (given->state.ptr != NULL && call->request_state.ptr == NULL)) {
        return haft__arena_fail(&call->arena, err);
    }
    haft_status status = copy_meta(call, given->meta, given->meta_count, err);
    if (status == HAFT_OK) {
        status =
            haft__mcp_client_copy_json(&call->arena, given->arguments, key, &call->arguments, err);
    }
    if (status == HAFT_OK) {
        status = haft__mcp_client_copy_json(&call->arena, given->answers, key, &call->answers, err);
    }
    if (status == HAFT_OK && given->known != NULL) {
        status = copy_params(call, given->known->params, given->known->param_count, err);
    }
    return status;
}

static void append(haft__mcp_client *client, haft__mcp_pending_call *call)
{
    haft__mcp_pending_call **at = &client->calls;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = call;
    client->call_count++;
    call->number = ++client->last_call;
}

static haft_status begin(haft__mcp_client *client, haft__mcp_pending_call *call,
                         const haft__mcp_call *given, haft_error *err)
{
    haft_error error;
    haft_status status = copy_call(client, call, given, &error);
    if (status == HAFT_NO_MEMORY) {
        destroy(call);
        return haft__fail_no_memory(err);
    }
    append(client, call);
    if (status != HAFT_OK) {
        haft__mcp_client_call_end(client, call, HAFT__MCP_OUTCOME_ERROR, &error);
    } else if (client->call_count > HAFT__LIMIT_MCP_CALLS) {
        (void)haft__fail(&error, HAFT_TOO_BIG, "",
                         "more than %d calls of the server are in progress", HAFT__LIMIT_MCP_CALLS);
        haft__mcp_client_call_end(client, call, HAFT__MCP_OUTCOME_ERROR, &error);
    } else if (client->state == HAFT__MCP_CLIENT_FAILED) {
        (void)haft__fail(&error, HAFT_BAD_STATE, "", "the server cannot be used");
        haft__mcp_client_call_end(client, call, HAFT__MCP_OUTCOME_ERROR, &error);
    } else if (client->state == HAFT__MCP_CLIENT_OPEN) {
        return haft__mcp_client_call_send(client, call, err);
    }
    return HAFT_OK;
}

haft_status haft__mcp_client_call(haft__mcp_client *client, const haft__mcp_call *given,
                                  uint64_t *ret_call, haft_error *err)
{
    haft__mcp_pending_call *call = calloc(1, sizeof(*call));
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_DONE);
    if (call == NULL || node == NULL) {
        free(call);
        haft__mcp_client_event_node_destroy(node);
        return haft__mcp_client_check(client, haft__fail_no_memory(err));
    }
    haft__arena_init(&call->arena, 0);
    call->node = node;
    haft_status status = begin(client, call, given, err);
    if (status == HAFT_OK) {
        *ret_call = client->last_call;
    }
    return haft__mcp_client_check(client, status);
}

/* ---- sending ---- */

/* The header parameters of the tool in the last list. */
static haft_status find_params(haft__mcp_client *client, haft__mcp_pending_call *call,
                               haft_error *err)
{
    const haft__mcp_tool_listing *listed = client->newest;
    for (size_t i = 0; listed != NULL && i < listed->count; i++) {
        if (haft__str_equal(listed->tools[i].remote, call->tool)) {
            return copy_params(call, listed->tools[i].params, listed->tools[i].param_count, err);
        }
    }
    return HAFT_OK;
}

static void add_call(haft__mcp_client_outgoing *out, const haft__mcp_pending_call *call)
{
    haft__field_text(&out->w, "name", call->tool);
    if (call->arguments.kind != HAFT__JSON_NULL) {
        haft__field_value(&out->w, "arguments", call->arguments);
    }
    if (call->answers.kind != HAFT__JSON_NULL) {
        haft__field_value(&out->w, "inputResponses", call->answers);
    }
    if (call->request_state.ptr != NULL) {
        haft__field_text(&out->w, "requestState", call->request_state);
    }
}

haft_status haft__mcp_client_call_send(haft__mcp_client *client, haft__mcp_pending_call *call,
                                       haft_error *err)
{
    haft__mcp_client_outgoing out;
    haft_error error = {.status = HAFT_OK};
    haft_status status = call->params_known ? HAFT_OK : find_params(client, call, err);
    if (status != HAFT_OK) {
        return status;
    }
    call->id = ++client->last_id;
    call->state = HAFT__MCP_CALL_SENT;
    call->progress[0] = '\0';
    haft__mcp_client_outgoing_begin_call(client, &out, call);
    add_call(&out, call);
    status = haft__mcp_client_outgoing_end(client, &out, call, &error);
    if (status == HAFT_TOO_BIG) { /* nothing was sent */
        haft__mcp_client_call_end(client, call, HAFT__MCP_OUTCOME_ERROR, &error);
        return HAFT_OK;
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail_no_memory(err);
}

haft_status haft__mcp_client_calls_send(haft__mcp_client *client, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__mcp_pending_call *next;
    for (haft__mcp_pending_call *call = client->calls; call != NULL && status == HAFT_OK;
         call = next) {
        next = call->next;
        if (call->state == HAFT__MCP_CALL_WAITING) {
            status = haft__mcp_client_call_send(client, call, err);
        }
    }
    return status;
}

/* ---- errors ---- */

/* Whether the error reports that the server no longer supports the version, and lists a usable
 * one. */
static bool is_older(const haft__mcp_client *client, const haft__rpc_message *message)
{
    haft_str version = haft__mcp_version_choose(haft__object_get(message->data, "supported"));
    return message->code == HAFT__RPC_VERSION && client->era == HAFT__MCP_ERA_MODERN
           && haft__mcp_version_legacy(version);
}

static haft_status handle_error(haft__mcp_client *client, haft__mcp_pending_call *call,
                                const haft__rpc_message *message, uint32_t http,
                                haft__arena *io_arena, haft_error *err)
{
    bool modern = client->era == HAFT__MCP_ERA_MODERN;
    bool header = modern && message->code == HAFT__RPC_HEADER, older = is_older(client, message);
    haft__mcp_call_done *event = &call->node->event.done;
    haft_error error;
    const char *name = haft__rpc_code_name(message->code);
    haft_str text = message->message.len > 0 || name == NULL ? message->message : haft__str(name);
    haft__mcp_client_fail_text(&error, HAFT_IO,
                               message->malformed ? "the server sent an answer that is not valid"
                                                  : "the server answered with an error",
                               text);
    if (message->malformed) {
        (void)haft__hint(&error, HAFT_IO, "the call may have had its effect");
    }
    event->code = message->code;
    event->data = message->data;
    event->http = http;
    event->sent = true;
    call->node->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    haft__mcp_client_call_end(
        client, call, header || older ? HAFT__MCP_OUTCOME_RETRY : HAFT__MCP_OUTCOME_ERROR, &error);
    return older ? haft__mcp_client_reopen(client, err) : HAFT_OK;
}

/* ---- responses ---- */

haft_status haft__mcp_client_call_answer(haft__mcp_client *client, haft__mcp_pending_call *call,
                                         const haft__rpc_message *message, uint32_t http,
                                         haft__arena *io_arena, haft_error *err)
{
    haft_error error = {.status = HAFT_OK};
    if (message->kind == HAFT__RPC_ERROR) {
        return handle_error(client, call, message, http, io_arena, err);
    }
    haft__json type = client->era == HAFT__MCP_ERA_MODERN
                          ? haft__object_get(message->result, "resultType")
                          : haft__json_null();
    if (haft__str_equal(haft__json_text(type), HAFT__LIT("input_required"))) {
        return haft__mcp_client_on_input_required(client, call, message, io_arena, err);
    }
    if (type.kind != HAFT__JSON_NULL
        && !haft__str_equal(haft__json_text(type), HAFT__LIT("complete"))) {
        haft__mcp_client_fail_text(&error, HAFT_UNSUPPORTED,
                                   "the server answered with an unknown kind of result",
                                   haft__json_text(type));
    }
    call->node->event.done.sent = true;
    call->node->event.done.result = message->result;
    call->node->event.done.exact = message->exact;
    call->node->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    bool good = error.status == HAFT_OK;
    haft__mcp_client_call_end(client, call,
                              good ? HAFT__MCP_OUTCOME_RESULT : HAFT__MCP_OUTCOME_ERROR,
                              good ? NULL : &error);
    return HAFT_OK;
}

/* ---- cancelling ---- */

static haft_status notify_cancelled(haft__mcp_client *client, uint64_t id, haft_str reason,
                                    haft_error *err)
{
    haft__mcp_client_outgoing out;
    client->cancels = true;
    haft__mcp_client_outgoing_begin(client, &out, 0, "notifications/cancelled", false);
    haft__field_number(&out.w, "requestId", id);
    if (reason.len > 0) {
        haft__field_text(&out.w, "reason", reason);
    }
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

haft_status haft__mcp_client_close_exchange(haft__mcp_client *client, uint64_t id, haft_error *err)
{
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_CLOSE);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    node->event.exchange = id;
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

haft_status haft__mcp_client_cancel(haft__mcp_client *client, uint64_t number, haft_str reason,
                                    haft_error *err)
{
    haft__mcp_pending_call *call = client->calls;
    haft_error error;
    while (call != NULL && call->number != number) {
        call = call->next;
    }
    if (call == NULL) {
        return HAFT_OK;
    }
    uint64_t id = call->id;
    bool sent = call->state == HAFT__MCP_CALL_SENT;
    haft__mcp_client_fail_text(&error, HAFT_BAD_STATE, "the call was cancelled", reason);
    call->node->event.done.sent = sent;
    haft__mcp_client_call_end(client, call, HAFT__MCP_OUTCOME_CANCELLED, &error);
    if (!sent || client->state != HAFT__MCP_CLIENT_OPEN) {
        return HAFT_OK;
    }
    /* A modern server over HTTP detects the cancellation when its stream closes. A server with a
     * session gets a notification; its stream is closed because it is no longer needed. */
    bool http = client->options.transport == HAFT__MCP_HTTP;
    haft_status status = http && client->era == HAFT__MCP_ERA_MODERN
                             ? HAFT_OK
                             : notify_cancelled(client, id, reason, err);
    if (status == HAFT_OK && http) {
        status = haft__mcp_client_close_exchange(client, id, err);
    }
    return haft__mcp_client_check(client, status);
}
