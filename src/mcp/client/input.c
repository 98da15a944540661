/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - input_required: a modern server needs more input before it answers a call.
 *
 * If haft has the input itself (roots, the server's own state), it immediately sends the same call
 * with the input, under a new id. If a person must provide the input, the call ends: any process
 * can send it again when the answer is available. Tests: tests/mcp/client/call_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/client/elicitation.h"
#include "json/object.h"
#include "json/read.h"

/* The entries of inputRequests: questions to a person, and inputs that haft has answered. */
typedef struct inputs {
    haft__arena *arena;
    haft__mcp_elicitation *questions;
    size_t question_count;
    haft__json_member *answered;
    size_t answered_count;
    haft_error why; /* the reason why the request cannot be answered, if any */
} inputs;

static haft_status add_roots(haft__mcp_client *client, inputs *in, haft__json key, haft_error *err)
{
    haft__buf buf;
    haft__json_writer w;
    haft__json null = haft__json_null(), roots = null;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft__json_writer_init(&w, &buf);
    haft__mcp_client_add_roots(client, &w);
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

/* Adds one entry of inputRequests. The answer gets the original `key`; `request` is the redacted
 * entry. */
static haft_status add_input(haft__mcp_client *client, inputs *in, haft__json key,
                             haft__json request, haft_error *err)
{
    haft_str method = haft__json_text(haft__object_get(request, "method"));
    bool roots = haft__str_equal(method, HAFT__LIT("roots/list"));
    bool question = haft__str_equal(method, HAFT__LIT("elicitation/create"));
    if (roots && client->options.root_count > 0) {
        return add_roots(client, in, key, err);
    }
    if (!question || !client->options.elicitation) {
        haft__mcp_client_fail_text(&in->why, HAFT_UNSUPPORTED,
                                   "the server requests something that haft does not offer",
                                   method);
        return HAFT_OK;
    }
    haft__mcp_elicitation *q = &in->questions[in->question_count];
    *q = (haft__mcp_elicitation){.key = haft__json_text(key)};
    haft_status status =
        haft__mcp_elicitation_read(in->arena, haft__object_get(request, "params"), q, &in->why);
    in->question_count += status == HAFT_OK;
    return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
}

static haft_status add_inputs(haft__mcp_client *client, inputs *in, haft__json requests,
                              haft__json redacted, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (requests.count > HAFT__LIMIT_MCP_QUESTIONS) {
        (void)haft__fail(&in->why, HAFT_TOO_BIG, "",
                         "the server asks %u questions at once, more than %d", requests.count,
                         HAFT__LIMIT_MCP_QUESTIONS);
        return HAFT_OK;
    }
    if (redacted.kind != HAFT__JSON_OBJECT || redacted.count != requests.count) {
        (void)haft__fail(&in->why, HAFT_UNSUPPORTED, "", "the server's question contains a secret");
        return HAFT_OK;
    }
    in->questions = haft__arena_array(in->arena, requests.count, sizeof(*in->questions));
    in->answered = haft__arena_array(in->arena, requests.count, sizeof(*in->answered));
    if (in->questions == NULL || in->answered == NULL) {
        return haft__arena_fail(in->arena, err);
    }
    for (uint32_t i = 0; i < requests.count && status == HAFT_OK && in->why.status == HAFT_OK;
         i++) {
        status = add_input(client, in, requests.members[i].key, redacted.members[i].value, err);
    }
    return status;
}

static void check_input(haft__mcp_pending_call *call, haft__json requests, haft__json state,
                        haft_error *why)
{
    bool is_missing = requests.kind == HAFT__JSON_NULL, lacks_state = state.kind == HAFT__JSON_NULL;
    bool is_empty = is_missing || (requests.kind == HAFT__JSON_OBJECT && requests.count == 0);
    if ((is_empty && lacks_state) || (!is_missing && requests.kind != HAFT__JSON_OBJECT)
        || (!lacks_state && state.kind != HAFT__JSON_STRING)) {
        (void)haft__fail(why, HAFT_BAD_INPUT, "",
                         "the server requests input, but does not say which");
    } else if (state.count > HAFT__LIMIT_MCP_STATE_BYTES) {
        (void)haft__fail(why, HAFT_TOO_BIG, "/requestState",
                         "found a state of %u bytes, more than %d", state.count,
                         HAFT__LIMIT_MCP_STATE_BYTES);
    } else if (call->round >= HAFT__LIMIT_MCP_ROUNDS) {
        (void)haft__fail(why, HAFT_TOO_BIG, "", "the server asked %d times and asks again",
                         HAFT__LIMIT_MCP_ROUNDS);
    }
}

/* Sends the same call again with the requested input, for which no person was needed. */
static haft_status call_again(haft__mcp_client *client, haft__mcp_pending_call *call,
                              const inputs *in, haft__json state, haft_error *err)
{
    haft__json answers = in->answered_count > 0
                             ? haft__json_object(in->answered, in->answered_count)
                             : haft__json_null();
    haft_status status = haft__mcp_client_copy_json(
        &call->arena, answers, client->options.origin.hash_key, &call->answers, err);
    call->request_state = (haft_str){NULL, 0};
    if (status == HAFT_OK && state.kind == HAFT__JSON_STRING) {
        call->request_state = haft__arena_copy(&call->arena, haft__json_text(state));
        status = call->request_state.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
    }
    call->round++;
    return status == HAFT_OK ? haft__mcp_client_call_send(client, call, err) : status;
}

haft_status haft__mcp_client_on_input_required(haft__mcp_client *client,
                                               haft__mcp_pending_call *call,
                                               const haft__rpc_message *message,
                                               haft__arena *io_arena, haft_error *err)
{
    haft__json redacted = message->result;
    haft__json result = message->exact.kind != HAFT__JSON_NULL ? message->exact : redacted;
    haft__json requests = haft__object_get(result, "inputRequests");
    haft__json state = haft__object_get(result, "requestState");
    haft__mcp_call_done *done = &call->node->event.done;
    inputs in = {.arena = io_arena};
    check_input(call, requests, state, &in.why);
    haft_status status =
        in.why.status == HAFT_OK && requests.kind == HAFT__JSON_OBJECT
            ? add_inputs(client, &in, requests, haft__object_get(redacted, "inputRequests"), err)
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
    haft__mcp_client_call_end(client, call,
                              good ? HAFT__MCP_OUTCOME_INPUT_REQUIRED : HAFT__MCP_OUTCOME_ERROR,
                              good ? NULL : &in.why);
    return HAFT_OK;
}
