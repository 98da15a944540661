/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - requests of a legacy server: ping, roots, elicitation, sampling. Sampling is
 * rejected. Tests: tests/mcp/client/question_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/client/elicitation.h"

/* ---- questions ---- */

/* Unlinks the question and queues its final event. If the server gets a response, the caller has
 * queued it before. */
static void end_question(haft__mcp_client *client, haft__mcp_pending_question **at, bool notify)
{
    haft__mcp_pending_question *question = *at;
    haft__mcp_client_event_node *node = question->node;
    *at = question->next;
    client->question_count--;
    if (notify) {
        node->event.question =
            (haft__mcp_elicitation){.number = question->number, .call = question->call};
        haft__mcp_client_push_event(client, node);
    } else {
        haft__mcp_client_event_node_destroy(node);
    }
    haft__arena_finish(&question->arena);
    free(question);
}

void haft__mcp_client_questions_end(haft__mcp_client *client, uint64_t call)
{
    haft__mcp_pending_question **at = &client->questions;
    while (*at != NULL) {
        if (call == 0 || (*at)->call == call) {
            end_question(client, at, true);
        } else {
            at = &(*at)->next;
        }
    }
}

static haft__mcp_pending_question **find_question(haft__mcp_client *client, haft__json id)
{
    haft__mcp_pending_question **at = &client->questions;
    while (*at != NULL && !haft__rpc_id_equal((*at)->id, id)) {
        at = &(*at)->next;
    }
    return at;
}

void haft__mcp_client_question_withdrawn(haft__mcp_client *client, haft__json id)
{
    haft__mcp_pending_question **at = find_question(client, id);
    if (*at != NULL) {
        end_question(client, at, true);
    }
}

/* The call of a question: the call of its stream, or the only open call. */
static uint64_t call_of(haft__mcp_client *client, uint64_t exchange)
{
    const haft__mcp_pending_call *call = haft__mcp_client_call_find(client, exchange);
    uint64_t number = 0, count = 0;
    for (const haft__mcp_pending_call *p = client->calls; call == NULL && p != NULL; p = p->next) {
        if (p->state == HAFT__MCP_CALL_SENT) {
            number = p->number;
            count++;
        }
    }
    return call != NULL ? call->number : count == 1 ? number : 0;
}

static haft_status fill_question(haft__mcp_client *client, haft__mcp_pending_question *question,
                                 haft__mcp_client_event_node *node,
                                 const haft__rpc_message *message, haft_error *why)
{
    haft__json params;
    haft__hash_key key = client->options.origin.hash_key;
    haft_status status =
        haft__mcp_client_copy_json(&question->arena, message->id, key, &question->id, why);
    if (status == HAFT_OK) {
        status = haft__mcp_client_copy_json(&node->arena, message->params, key, &params, why);
    }
    node->event.question =
        (haft__mcp_elicitation){.number = question->number, .call = question->call};
    return status == HAFT_OK
               ? haft__mcp_elicitation_read(&node->arena, params, &node->event.question, why)
               : status;
}

static haft_status ask(haft__mcp_client *client, uint64_t exchange,
                       const haft__rpc_message *message, haft_error *err)
{
    haft_error why;
    haft__mcp_pending_question *question = calloc(1, sizeof(*question));
    haft__mcp_client_event_node *node =
        haft__mcp_client_event_node_create(HAFT__MCP_EVENT_QUESTION);
    haft__mcp_client_event_node *end_node =
        haft__mcp_client_event_node_create(HAFT__MCP_EVENT_QUESTION_WITHDRAWN);
    haft_status status =
        question != NULL && node != NULL && end_node != NULL ? HAFT_OK : HAFT_NO_MEMORY;
    if (status == HAFT_OK) {
        haft__arena_init(&question->arena, 0);
        question->node = end_node;
        question->number = ++client->last_question;
        question->call = call_of(client, exchange);
        status = fill_question(client, question, node, message, &why);
    }
    if (status == HAFT_OK) {
        question->next = client->questions;
        client->questions = question;
        client->question_count++;
        haft__mcp_client_push_event(client, node);
        return HAFT_OK;
    }
    if (question != NULL) {
        haft__arena_finish(&question->arena);
    }
    free(question);
    haft__mcp_client_event_node_destroy(node);
    haft__mcp_client_event_node_destroy(end_node);
    return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err)
                                    : haft__mcp_client_send_error(
                                        client, message->id, HAFT__RPC_PARAMS, why.message, err);
}

static haft_status handle_question(haft__mcp_client *client, uint64_t exchange,
                                   const haft__rpc_message *message, haft_error *err)
{
    if (!client->options.elicitation) {
        return haft__mcp_client_send_error(client, message->id, HAFT__RPC_METHOD,
                                           "no person is available to answer questions", err);
    }
    if (*find_question(client, message->id) != NULL) {
        return haft__mcp_client_send_error(client, message->id, HAFT__RPC_INVALID,
                                           "a question with this id is open", err);
    }
    if (client->question_count == HAFT__LIMIT_MCP_QUESTIONS) {
        return haft__mcp_client_send_error(client, message->id, HAFT__RPC_INTERNAL,
                                           "too many questions are open", err);
    }
    return ask(client, exchange, message, err);
}

haft_status haft__mcp_client_answer(haft__mcp_client *client, uint64_t question,
                                    haft__mcp_action action, haft__json content, haft_error *err)
{
    haft__mcp_pending_question **at = &client->questions;
    haft__mcp_client_outgoing out;
    while (*at != NULL && (*at)->number != question) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        return HAFT_OK;
    }
    haft__mcp_client_outgoing_begin_answer(&out, (*at)->id);
    haft__mcp_elicitation_write_answer(&out.w, action, content);
    haft_status status = haft__mcp_client_outgoing_end(client, &out, NULL, err);
    if (status == HAFT_OK) {
        end_question(client, at, false);
    }
    return haft__mcp_client_check(client, status);
}

/* ---- all requests ---- */

static haft_status answer_ping(haft__mcp_client *client, haft__json id, haft_error *err)
{
    haft__mcp_client_outgoing out;
    haft__mcp_client_outgoing_begin_answer(&out, id);
    haft__json_begin_object(&out.w);
    haft__json_end_object(&out.w);
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

static haft_status answer_roots(haft__mcp_client *client, haft__json id, haft_error *err)
{
    haft__mcp_client_outgoing out;
    if (client->options.root_count == 0) {
        return haft__mcp_client_send_error(client, id, HAFT__RPC_METHOD, "no roots are configured",
                                           err);
    }
    haft__mcp_client_outgoing_begin_answer(&out, id);
    haft__mcp_client_add_roots(client, &out.w);
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

haft_status haft__mcp_client_on_request(haft__mcp_client *client, uint64_t exchange,
                                        const haft__rpc_message *message, haft_error *err)
{
    if (haft__str_equal(message->method, HAFT__LIT("ping"))) {
        return answer_ping(client, message->id, err);
    }
    if (haft__str_equal(message->method, HAFT__LIT("roots/list"))) {
        return answer_roots(client, message->id, err);
    }
    if (haft__str_equal(message->method, HAFT__LIT("elicitation/create"))) {
        return handle_question(client, exchange, message, err);
    }
    if (haft__str_equal(message->method, HAFT__LIT("sampling/createMessage"))) {
        return haft__mcp_client_send_error(client, message->id, HAFT__RPC_METHOD,
                                           "haft does not offer sampling to servers", err);
    }
    return haft__mcp_client_send_error(client, message->id, HAFT__RPC_METHOD, "unknown method",
                                       err);
}
