/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - questions to the client during a request.
 *
 * If there was a handshake, a question is a JSON-RPC request of the server, and the client's
 * request stays open. Without a handshake the client's request ends with a result that contains the
 * questions, and the client sends a new request with the answers and the state.
 * Tests: tests/mcp/server/question_test.c.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "mcp/server/server_int.h"
#include "json/canonical.h"
#include "json/read.h"

/* ---- nonces: each state that a client stores is valid once ---- */

static uint64_t *nonce_word(haft__mcp_nonces *nonces, uint64_t number, uint64_t *ret_bit)
{
    uint64_t place = number % HAFT__LIMIT_MCP_STATES;
    *ret_bit = UINT64_C(1) << (place % 64);
    return &nonces->answered[place / 64];
}

static bool issue_number(haft__mcp_nonces *nonces, uint64_t *number)
{
    uint64_t bit;
    *number = ++nonces->last_issued;
    *nonce_word(nonces, *number, &bit) &= ~bit;
    return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the same type as issue_number */
static bool use_number(haft__mcp_nonces *nonces, uint64_t *number)
{
    uint64_t bit, *word = nonce_word(nonces, *number, &bit);
    bool open = *number > 0 && *number <= nonces->last_issued
                && nonces->last_issued - *number < HAFT__LIMIT_MCP_STATES && (*word & bit) == 0;
    *word |= open ? bit : 0;
    return open;
}

static bool update_nonces(haft__mcp_server *server, haft__mcp_nonces_update *how, uint64_t *number)
{
    const haft__mcp_server_options *options = &server->options;
    return options->share != NULL ? options->share(options->share_context, how, number)
                                  : how(&server->nonces, number);
}

bool haft__mcp_nonces_consume(haft__mcp_server *server, uint64_t number)
{
    return update_nonces(server, use_number, &number);
}

/* ---- asking ---- */

void haft__mcp_request_write_binding(const haft__mcp_request *request, haft__buf *buf)
{
    haft__buf_addf(buf, "%zu:", request->own->peer->principal.len);
    haft__buf_add_str(buf, request->own->peer->principal);
    haft__buf_add_str(buf, request->own->message.method);
    haft__buf_addf(buf, "\n%zu:", request->name.len);
    haft__buf_add_str(buf, request->name);
    if (haft__json_write_canonical(buf, request->arguments, NULL) != HAFT_OK) {
        haft__buf_fail(buf, HAFT_NO_MEMORY, NULL);
    }
}

/* Without a handshake: ends the request with a result that contains the questions. The state that
 * the client stores contains a nonce, so that one answer is never used for two calls. */
static void end_with_questions(haft__mcp_request *request,
                               const haft__mcp_server_question *questions, size_t count,
                               haft_str state, uint64_t now_ms)
{
    haft__mcp_server *server = request->own->server;
    uint64_t number = 0;
    haft__buf members, binding, state_text;
    if (!update_nonces(server, issue_number, &number)) {
        haft__mcp_request_fail(
            request, HAFT__RPC_INTERNAL,
            HAFT__LIT("the state of the question cannot be sealed, so the question is not sent"),
            HAFT__LIT(""));
        return;
    }
    haft__buf_init(&members, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_init(&binding, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&state_text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&state_text, "%" PRIu64 " ", number);
    haft__buf_add_str(&state_text, state);
    haft__buf_add_str(&members, HAFT__LIT("\"inputRequests\":{"));
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(&members, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__json_write_string(&members, questions[i].key);
        haft__buf_add_str(&members, HAFT__LIT(":{\"method\":"));
        haft__json_write_string(&members, questions[i].method);
        haft__buf_add_str(&members, HAFT__LIT(",\"params\":"));
        haft__buf_add_str(&members, questions[i].params);
        haft__buf_add_char(&members, '}');
    }
    haft__buf_add_str(&members, HAFT__LIT("},\"requestState\":\""));
    haft__mcp_request_write_binding(request, &binding);
    haft__seal_write(&members, &server->options.key, haft__buf_str(&binding),
                     haft__buf_str(&state_text), now_ms + HAFT__LIMIT_MCP_STATE_MS);
    haft__buf_add_char(&members, '"');
    if (haft__buf_check(&members, NULL) == HAFT_OK && haft__buf_check(&binding, NULL) == HAFT_OK
        && haft__buf_check(&state_text, NULL) == HAFT_OK) {
        haft__mcp_request_reply_kind(request, "input_required", haft__buf_str(&members));
    } else {
        haft__mcp_request_fail(request, HAFT__RPC_INTERNAL,
                               HAFT__LIT("a question is too long, or out of memory"),
                               HAFT__LIT(""));
    }
    haft__buf_finish(&state_text);
    haft__buf_finish(&binding);
    haft__buf_finish(&members);
}

/* Returns false if the question cannot be sent. */
static bool send_question(haft__mcp_request *request, const haft__mcp_server_question *question,
                          int64_t id)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":", id);
    haft__json_write_string(&text, question->method);
    haft__buf_add_str(&text, HAFT__LIT(",\"params\":"));
    haft__buf_add_str(&text, question->params);
    haft__buf_add_char(&text, '}');
    bool good = haft__buf_check(&text, NULL) == HAFT_OK;
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_PART, 200, &text);
    return good;
}

/* Fails a request because a question cannot be asked or answered. Before that, the application
 * drops the request. */
static void give_up(haft__mcp_request *request, const char *why)
{
    const haft__mcp_server_options *options = &request->own->server->options;
    options->served->drop(options->context, request);
    haft__mcp_request_fail(request, HAFT__RPC_INTERNAL, haft__str(why), HAFT__LIT(""));
}

/* Notifies the client that the answer is no longer needed. When out of memory, no message is sent:
 * the client may still answer, and the answer is ignored. */
static void withdraw(haft__mcp_request *request, int64_t id)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__buf_addf(&text,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                   "\"requestId\":%" PRId64 ",\"reason\":\"the answer is no longer needed\"}}",
                   id);
    haft__mcp_request_send(request, HAFT__MCP_MESSAGE_PART, 200, &text);
}

void haft__mcp_request_withdraw_questions(haft__mcp_request *request)
{
    haft__mcp_request_internal *own = request->own;
    size_t count = own->waiting_count;
    own->waiting_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!own->waiting[i].answered) {
            withdraw(request, own->waiting[i].id);
        }
    }
}

static bool is_among(const haft__mcp_server_question *questions, size_t count, haft_str key)
{
    size_t i = 0;
    while (i < count && !haft__str_equal(questions[i].key, key)) {
        i++;
    }
    return i < count;
}

/* Withdraws the open questions that are not among `questions`. */
static void withdraw_others(haft__mcp_request *request, const haft__mcp_server_question *questions,
                            size_t count)
{
    haft__mcp_request_internal *own = request->own;
    size_t remaining = 0;
    for (size_t i = 0; i < own->waiting_count; i++) {
        haft__mcp_open_question waiting = own->waiting[i];
        if (is_among(questions, count, waiting.key)) {
            own->waiting[remaining++] = waiting;
        } else if (!waiting.answered) {
            withdraw(request, waiting.id);
        }
    }
    own->waiting_count = remaining;
}

/* Makes room for `count` questions; false when out of memory. */
static bool make_room(haft__mcp_request_internal *own, size_t count)
{
    if (count <= own->waiting_capacity) {
        return true;
    }
    haft__mcp_open_question *more = haft__arena_array(&own->arena, count, sizeof(*more));
    for (size_t i = 0; i < own->waiting_count && more != NULL; i++) {
        more[i] = own->waiting[i];
    }
    own->waiting = more != NULL ? more : own->waiting;
    own->waiting_capacity = more != NULL ? count : own->waiting_capacity;
    return more != NULL;
}

static bool was_asked(const haft__mcp_request_internal *own, haft_str key)
{
    size_t i = 0;
    while (i < own->waiting_count && !haft__str_equal(own->waiting[i].key, key)) {
        i++;
    }
    return i < own->waiting_count;
}

/* Sends the question unless it was sent before. */
static bool ask_new(haft__mcp_request *request, const haft__mcp_server_question *question)
{
    haft__mcp_request_internal *own = request->own;
    if (was_asked(own, question->key)) {
        return true;
    }
    haft__mcp_open_question waiting = {.key = haft__arena_copy(&own->arena, question->key),
                                       .id = ++own->peer->questions};
    if (waiting.key.ptr == NULL || !send_question(request, question, waiting.id)) {
        return false;
    }
    own->waiting[own->waiting_count++] = waiting;
    return true;
}

void haft__mcp_request_ask(haft__mcp_request *request, const haft__mcp_server_question *questions,
                           size_t count, haft_str state, uint64_t now_ms)
{
    haft__mcp_request_internal *own = request->own;
    if (request->modern) {
        end_with_questions(request, questions, count, state, now_ms);
        return;
    }
    withdraw_others(request, questions, count);
    if (!haft__str_equal(request->state, state)) {
        request->state = haft__arena_copy(&own->arena, state);
    }
    bool good = request->state.ptr != NULL && make_room(own, count);
    for (size_t i = 0; i < count && good; i++) {
        good = ask_new(request, &questions[i]);
    }
    if (!good) {
        give_up(request, "a question is too long, or out of memory");
    }
}

size_t haft__mcp_request_open_questions(const haft__mcp_request *request)
{
    size_t open = 0;
    for (size_t i = 0; i < request->own->waiting_count; i++) {
        open += !request->own->waiting[i].answered;
    }
    return open;
}

/* ---- answers ---- */

/* Copies the answer to the memory of its request. An error of the client becomes the answer null.
 */
static bool keep_answer(haft__mcp_request *request, haft__mcp_open_question *waiting,
                        const haft__rpc_message *message)
{
    haft__mcp_request_internal *own = request->own;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = own->server->options.hash_key;
    waiting->answer = haft__json_null();
    if (message->kind != HAFT__RPC_RESULT) {
        return true;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, message->result);
    haft_str copy = haft__arena_copy(&own->arena, haft__buf_str(&text));
    bool good =
        haft__buf_check(&text, NULL) == HAFT_OK && copy.ptr != NULL
        && haft__json_read(&own->arena, copy, &options, &waiting->answer, NULL, NULL) == HAFT_OK;
    haft__buf_finish(&text);
    return good;
}

/* Continues the request with one object of all answers so far. */
static void resume(haft__mcp_request *request)
{
    haft__mcp_request_internal *own = request->own;
    const haft__mcp_server_options *options = &own->server->options;
    haft__json_member *members =
        haft__arena_array(&own->arena, own->waiting_count, sizeof(*members));
    uint32_t count = 0;
    if (members == NULL) {
        give_up(request, "out of memory for an answer");
        return;
    }
    for (size_t i = 0; i < own->waiting_count; i++) {
        const haft__mcp_open_question *waiting = &own->waiting[i];
        if (waiting->answered) {
            members[count++] =
                (haft__json_member){haft__json_string(waiting->key), waiting->answer};
        }
    }
    request->answers = haft__json_object(members, count);
    options->served->resume(options->context, request);
}

static haft__mcp_open_question *find_waiting(haft__mcp_request_internal *own, haft__json id)
{
    for (size_t i = 0; i < own->waiting_count; i++) {
        char text[24];
        int length = snprintf(text, sizeof(text), "%" PRId64, own->waiting[i].id);
        if (id.kind == HAFT__JSON_NUMBER && !own->waiting[i].answered
            && haft__str_equal(haft__json_text(id), (haft_str){text, (size_t)length})) {
            return &own->waiting[i];
        }
    }
    return NULL;
}

bool haft__mcp_peer_handle_answer(haft__mcp_peer *peer, const haft__rpc_message *message)
{
    for (haft__mcp_request *request = peer->request; request != NULL;
         request = request->own->next) {
        haft__mcp_open_question *waiting = find_waiting(request->own, message->id);
        if (waiting == NULL) {
            continue;
        }
        if (!keep_answer(request, waiting, message)) {
            waiting->answer = haft__json_null(); /* treated as no answer */
        }
        waiting->answered = true;
        resume(request);
        return true;
    }
    return false;
}
