/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_call.c - calls of tools: sent, sent again where the server has not taken them, ended once.
 *
 * A call is sent again only after the server itself has refused it: for its headers (-32020), its
 * version (-32022), its session (404), or because it wants to know more (input_required). A call
 * whose answer was lost is never sent again here. Tests: tests/mcp/client_call_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client_int.h"
#include "mcp/elicit.h"
#include "mcp/version.h"
#include "json/read.h"

haft__mcp_pending *haft__mcp_call_find(haft__mcp_client *client, uint64_t id)
{
    haft__mcp_pending *call = client->calls;
    while (call != NULL && (id == 0 || call->state != HAFT__MCP_CALL_SENT || call->id != id)) {
        call = call->next;
    }
    return call;
}

static void destroy(haft__mcp_pending *call)
{
    haft__mcp_node_destroy(call->node);
    haft__arena_finish(&call->arena);
    free(call);
}

void haft__mcp_call_end(haft__mcp_client *client, haft__mcp_pending *call,
                        haft__mcp_outcome outcome, const haft_error *error)
{
    haft__mcp_node *node = call->node;
    haft__mcp_pending **at = &client->calls;
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
    haft__mcp_questions_end(client, call->number);
    haft__mcp_push(client, node);
    destroy(call);
}

/* ---- making a call ---- */

static haft_status copy_params(haft__mcp_pending *call, const haft__mcp_param *params, size_t count,
                               haft_error *err)
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

static haft_status copy_call(haft__mcp_client *client, haft__mcp_pending *call,
                             const haft__mcp_call *given, haft_error *err)
{
    haft__hash_key key = client->options.origin.hash_key;
    call->tool = haft__arena_copy(&call->arena, given->tool);
    call->round = given->round;
    call->params_known = given->known != NULL;
    if (given->state.ptr != NULL) {
        call->request_state = haft__arena_copy(&call->arena, given->state);
    }
    call->key = haft__arena_copy(&call->arena, given->idempotency_key);
    if (call->tool.ptr == NULL || call->key.ptr == NULL
        || (given->state.ptr != NULL && call->request_state.ptr == NULL)) {
        return haft__arena_fail(&call->arena, err);
    }
    haft_status status = haft__mcp_copy(&call->arena, given->arguments, key, &call->arguments, err);
    if (status == HAFT_OK) {
        status = haft__mcp_copy(&call->arena, given->answers, key, &call->answers, err);
    }
    if (status == HAFT_OK && given->known != NULL) {
        status = copy_params(call, given->known->params, given->known->param_count, err);
    }
    return status;
}

static void append(haft__mcp_client *client, haft__mcp_pending *call)
{
    haft__mcp_pending **at = &client->calls;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = call;
    client->call_count++;
    call->number = ++client->last_call;
}

static haft_status begin(haft__mcp_client *client, haft__mcp_pending *call,
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
        haft__mcp_call_end(client, call, HAFT__MCP_ERROR, &error);
    } else if (client->call_count > HAFT__LIMIT_MCP_CALLS) {
        (void)haft__fail(&error, HAFT_TOO_BIG, "", "more than %d calls of the server are under way",
                         HAFT__LIMIT_MCP_CALLS);
        haft__mcp_call_end(client, call, HAFT__MCP_ERROR, &error);
    } else if (client->state == HAFT__MCP_BAD) {
        (void)haft__fail(&error, HAFT_BAD_STATE, "", "the server cannot be used");
        haft__mcp_call_end(client, call, HAFT__MCP_ERROR, &error);
    } else if (client->state == HAFT__MCP_OPEN) {
        return haft__mcp_call_send(client, call, err);
    }
    return HAFT_OK;
}

haft_status haft__mcp_client_call(haft__mcp_client *client, const haft__mcp_call *given,
                                  uint64_t *ret_call, haft_error *err)
{
    haft__mcp_pending *call = calloc(1, sizeof(*call));
    haft__mcp_node *node = haft__mcp_node_create(HAFT__MCP_EVENT_DONE);
    if (call == NULL || node == NULL) {
        free(call);
        haft__mcp_node_destroy(node);
        return haft__mcp_guard(client, haft__fail_no_memory(err));
    }
    haft__arena_init(&call->arena, 0);
    call->node = node;
    haft_status status = begin(client, call, given, err);
    if (status == HAFT_OK) {
        *ret_call = client->last_call;
    }
    return haft__mcp_guard(client, status);
}

/* ---- sending ---- */

/* The headers of the tool as it was last listed. */
static haft_status find_params(haft__mcp_client *client, haft__mcp_pending *call, haft_error *err)
{
    const haft__mcp_listing_work *listed = client->newest;
    for (size_t i = 0; listed != NULL && i < listed->count; i++) {
        if (haft__str_equal(listed->tools[i].remote, call->tool)) {
            return copy_params(call, listed->tools[i].params, listed->tools[i].param_count, err);
        }
    }
    return HAFT_OK;
}

static void add_call(haft__mcp_out *out, const haft__mcp_pending *call)
{
    haft__json_key(&out->w, "name");
    haft__json_add_str(&out->w, call->tool);
    if (call->arguments.kind != HAFT__JSON_NULL) {
        haft__json_key(&out->w, "arguments");
        haft__json_add(&out->w, call->arguments);
    }
    if (call->answers.kind != HAFT__JSON_NULL) {
        haft__json_key(&out->w, "inputResponses");
        haft__json_add(&out->w, call->answers);
    }
    if (call->request_state.ptr != NULL) {
        haft__json_key(&out->w, "requestState");
        haft__json_add_str(&out->w, call->request_state);
    }
}

haft_status haft__mcp_call_send(haft__mcp_client *client, haft__mcp_pending *call, haft_error *err)
{
    haft__mcp_out out;
    haft_error error = {.status = HAFT_OK};
    haft_status status = call->params_known ? HAFT_OK : find_params(client, call, err);
    if (status != HAFT_OK) {
        return status;
    }
    call->id = ++client->last_id;
    call->state = HAFT__MCP_CALL_SENT;
    call->progress[0] = '\0';
    haft__mcp_out_begin_call(client, &out, call);
    add_call(&out, call);
    status = haft__mcp_out_end(client, &out, call, &error);
    if (status == HAFT_TOO_BIG) { /* nothing went out */
        haft__mcp_call_end(client, call, HAFT__MCP_ERROR, &error);
        return HAFT_OK;
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail_no_memory(err);
}

/* Sends the calls in one state. */
static haft_status send_all(haft__mcp_client *client, haft__mcp_call_state state, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__mcp_pending *next;
    for (haft__mcp_pending *call = client->calls; call != NULL && status == HAFT_OK; call = next) {
        next = call->next;
        if (call->state == state) {
            status = haft__mcp_call_send(client, call, err);
        }
    }
    return status;
}

haft_status haft__mcp_calls_send(haft__mcp_client *client, haft_error *err)
{
    return send_all(client, HAFT__MCP_CALL_WAITING, err);
}

haft_status haft__mcp_calls_refreshed(haft__mcp_client *client, haft_error *err)
{
    return send_all(client, HAFT__MCP_CALL_REFRESHING, err);
}

/* ---- errors ---- */

/* A server that no longer speaks the version: the one it names, and the call again. */
static haft_status change_version(haft__mcp_client *client, haft__mcp_pending *call,
                                  haft__json data, bool *ret_done, haft_error *err)
{
    haft_str version = haft__mcp_version_choose(haft__mcp_get(data, "supported"));
    *ret_done =
        client->era == HAFT__MCP_ERA_MODERN && haft__mcp_version_legacy(version) && !call->reopened;
    if (!*ret_done) {
        return HAFT_OK;
    }
    call->reopened = true;
    call->state = HAFT__MCP_CALL_WAITING;
    return haft__mcp_reopen(client, err);
}

static haft_status refresh(haft__mcp_client *client, haft__mcp_pending *call, haft_error *err)
{
    call->refreshed = true;
    call->params_known = false;
    call->state = HAFT__MCP_CALL_REFRESHING;
    return haft__mcp_list_begin(client, err);
}

static haft_status take_error(haft__mcp_client *client, haft__mcp_pending *call,
                              const haft__rpc_message *message, uint32_t http,
                              haft__arena *io_arena, haft_error *err)
{
    bool modern = client->era == HAFT__MCP_ERA_MODERN, done = false;
    haft__mcp_done *event = &call->node->event.done;
    haft_error error;
    if (modern && message->code == HAFT__RPC_HEADER && !call->refreshed) {
        return refresh(client, call, err);
    }
    if (message->code == HAFT__RPC_VERSION) {
        haft_status status = change_version(client, call, message->data, &done, err);
        if (status != HAFT_OK || done) {
            return status;
        }
    }
    haft__mcp_fail_text(&error, HAFT_IO, "the server answered with an error", message->message);
    event->code = message->code;
    event->data = message->data;
    event->http = http;
    event->sent = true;
    call->node->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    haft__mcp_call_end(client, call, HAFT__MCP_ERROR, &error);
    return HAFT_OK;
}

/* ---- input_required ---- */

/* What one entry of inputRequests comes to. */
typedef struct inputs {
    haft__arena *arena;
    haft__mcp_question *questions;
    size_t question_count;
    haft__json_member *answered;
    size_t answered_count;
    haft_error why; /* it cannot be answered */
} inputs;

static haft_status add_roots(haft__mcp_client *client, inputs *in, haft__json key, haft_error *err)
{
    haft__buf buf;
    haft__json_writer w;
    haft__json none = haft__json_null(), roots = none;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft__json_writer_init(&w, &buf);
    haft__mcp_add_roots(client, &w);
    haft_status status = haft__buf_check(&buf, err);
    haft_str text =
        status == HAFT_OK ? haft__arena_copy(in->arena, haft__buf_str(&buf)) : HAFT__LIT("");
    haft__buf_finish(&buf);
    if (status != HAFT_OK || text.ptr == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    status = haft__json_read(in->arena, text, &options, &roots, NULL, err);
    in->answered[in->answered_count++] = (haft__json_member){key, roots};
    return status;
}

static haft_status take_input(haft__mcp_client *client, inputs *in, const haft__json_member *entry,
                              haft_error *err)
{
    haft_str method = haft__json_text(haft__mcp_get(entry->value, "method"));
    bool roots = haft__str_equal(method, HAFT__LIT("roots/list"));
    bool question = haft__str_equal(method, HAFT__LIT("elicitation/create"));
    if (roots && client->options.root_count > 0) {
        return add_roots(client, in, entry->key, err);
    }
    if (!question || !client->options.elicitation) {
        haft__mcp_fail_text(&in->why, HAFT_UNSUPPORTED,
                            "the server asks for what haft does not offer it", method);
        return HAFT_OK;
    }
    haft__mcp_question *q = &in->questions[in->question_count];
    *q = (haft__mcp_question){.key = haft__json_text(entry->key)};
    haft_status status =
        haft__mcp_question_read(in->arena, haft__mcp_get(entry->value, "params"), q, &in->why);
    in->question_count += status == HAFT_OK;
    return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
}

static haft_status take_inputs(haft__mcp_client *client, inputs *in, haft__json requests,
                               haft_error *err)
{
    haft_status status = HAFT_OK;
    if (requests.count > HAFT__LIMIT_MCP_QUESTIONS) {
        (void)haft__fail(&in->why, HAFT_TOO_BIG, "", "the server asks %u things at once, not %d",
                         requests.count, HAFT__LIMIT_MCP_QUESTIONS);
        return HAFT_OK;
    }
    in->questions = haft__arena_array(in->arena, requests.count, sizeof(*in->questions));
    in->answered = haft__arena_array(in->arena, requests.count, sizeof(*in->answered));
    if (in->questions == NULL || in->answered == NULL) {
        return haft__arena_fail(in->arena, err);
    }
    for (uint32_t i = 0; i < requests.count && status == HAFT_OK && in->why.status == HAFT_OK;
         i++) {
        status = take_input(client, in, &requests.members[i], err);
    }
    return status;
}

static void check_input(haft__mcp_pending *call, haft__json requests, haft__json state,
                        haft_error *why)
{
    bool no_requests = requests.kind == HAFT__JSON_NULL, no_state = state.kind == HAFT__JSON_NULL;
    if ((no_requests && no_state) || (!no_requests && requests.kind != HAFT__JSON_OBJECT)
        || (!no_state && state.kind != HAFT__JSON_STRING)) {
        (void)haft__fail(why, HAFT_BAD_INPUT, "", "the server wants input, but does not say which");
    } else if (state.count > HAFT__LIMIT_MCP_STATE_BYTES) {
        (void)haft__fail(why, HAFT_TOO_BIG, "/requestState", "a state of %u bytes, more than %d",
                         state.count, HAFT__LIMIT_MCP_STATE_BYTES);
    } else if (call->round >= HAFT__LIMIT_MCP_ROUNDS) {
        (void)haft__fail(why, HAFT_TOO_BIG, "", "the server has asked %d times and asks again",
                         HAFT__LIMIT_MCP_ROUNDS);
    }
}

/* Nobody has to be asked: the same call again, with what the server wants back. */
static haft_status call_again(haft__mcp_client *client, haft__mcp_pending *call, const inputs *in,
                              haft__json state, haft_error *err)
{
    haft__json answers = in->answered_count > 0
                             ? haft__json_object(in->answered, in->answered_count)
                             : haft__json_null();
    haft_status status =
        haft__mcp_copy(&call->arena, answers, client->options.origin.hash_key, &call->answers, err);
    call->request_state = (haft_str){NULL, 0};
    if (status == HAFT_OK && state.kind == HAFT__JSON_STRING) {
        call->request_state = haft__arena_copy(&call->arena, haft__json_text(state));
        status = call->request_state.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
    }
    call->round++;
    return status == HAFT_OK ? haft__mcp_call_send(client, call, err) : status;
}

static haft_status take_input_required(haft__mcp_client *client, haft__mcp_pending *call,
                                       haft__json result, haft__arena *io_arena, haft_error *err)
{
    haft__json requests = haft__mcp_get(result, "inputRequests");
    haft__json state = haft__mcp_get(result, "requestState");
    haft__mcp_done *done = &call->node->event.done;
    inputs in = {.arena = io_arena};
    check_input(call, requests, state, &in.why);
    haft_status status = in.why.status == HAFT_OK && requests.kind == HAFT__JSON_OBJECT
                             ? take_inputs(client, &in, requests, err)
                             : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    if (in.why.status == HAFT_OK && in.question_count == 0) {
        return call_again(client, call, &in, state, err);
    }
    done->sent = true;
    done->round = call->round + 1;
    done->questions = in.questions;
    done->question_count = in.question_count;
    done->answered = haft__json_object(in.answered, in.answered_count);
    done->state = state.kind == HAFT__JSON_STRING ? haft__json_text(state) : (haft_str){NULL, 0};
    for (size_t i = 0; i < in.question_count; i++) {
        in.questions[i].call = call->number;
    }
    call->node->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    bool good = in.why.status == HAFT_OK;
    haft__mcp_call_end(client, call, good ? HAFT__MCP_INPUT : HAFT__MCP_ERROR,
                       good ? NULL : &in.why);
    return HAFT_OK;
}

/* ---- answers ---- */

haft_status haft__mcp_call_answer(haft__mcp_client *client, haft__mcp_pending *call,
                                  const haft__rpc_message *message, uint32_t http,
                                  haft__arena *io_arena, haft_error *err)
{
    haft_error error = {.status = HAFT_OK};
    if (message->kind == HAFT__RPC_ERROR) {
        return take_error(client, call, message, http, io_arena, err);
    }
    haft__json type = client->era == HAFT__MCP_ERA_MODERN
                          ? haft__mcp_get(message->result, "resultType")
                          : haft__json_null();
    if (haft__str_equal(haft__json_text(type), HAFT__LIT("input_required"))) {
        return take_input_required(client, call, message->result, io_arena, err);
    }
    if (type.kind != HAFT__JSON_NULL
        && !haft__str_equal(haft__json_text(type), HAFT__LIT("complete"))) {
        haft__mcp_fail_text(&error, HAFT_UNSUPPORTED,
                            "the server answered with a kind of result that haft does not know",
                            haft__json_text(type));
    }
    call->node->event.done.sent = true;
    call->node->event.done.result = message->result;
    call->node->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    bool good = error.status == HAFT_OK;
    haft__mcp_call_end(client, call, good ? HAFT__MCP_RESULT : HAFT__MCP_ERROR,
                       good ? NULL : &error);
    return HAFT_OK;
}

/* ---- cancelling ---- */

static haft_status tell_cancelled(haft__mcp_client *client, uint64_t id, haft_str reason,
                                  haft_error *err)
{
    haft__mcp_out out;
    haft__mcp_out_begin(client, &out, 0, "notifications/cancelled", false);
    haft__json_key(&out.w, "requestId");
    haft__json_add_int(&out.w, (int64_t)id);
    if (reason.len > 0) {
        haft__json_key(&out.w, "reason");
        haft__json_add_str(&out.w, reason);
    }
    return haft__mcp_out_end(client, &out, NULL, err);
}

static haft_status tell_close(haft__mcp_client *client, uint64_t id, haft_error *err)
{
    haft__mcp_node *node = haft__mcp_node_create(HAFT__MCP_EVENT_CLOSE);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    node->event.exchange = id;
    haft__mcp_push(client, node);
    return HAFT_OK;
}

haft_status haft__mcp_client_cancel(haft__mcp_client *client, uint64_t number, haft_str reason,
                                    haft_error *err)
{
    haft__mcp_pending *call = client->calls;
    haft_error error;
    while (call != NULL && call->number != number) {
        call = call->next;
    }
    if (call == NULL) {
        return HAFT_OK;
    }
    uint64_t id = call->id;
    bool sent = call->state == HAFT__MCP_CALL_SENT;
    haft__mcp_fail_text(&error, HAFT_BAD_STATE, "the call was cancelled", reason);
    call->node->event.done.sent = sent;
    haft__mcp_call_end(client, call, HAFT__MCP_CANCELLED, &error);
    if (!sent || client->state != HAFT__MCP_OPEN) {
        return HAFT_OK;
    }
    bool close = client->era == HAFT__MCP_ERA_MODERN && client->options.transport == HAFT__MCP_HTTP;
    return haft__mcp_guard(client, close ? tell_close(client, id, err)
                                         : tell_cancelled(client, id, reason, err));
}
