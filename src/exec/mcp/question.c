/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - questions of servers to a person during a call.
 *
 * A server with a session keeps the call open until the answer arrives, and this process waits for
 * it. A server without a session ends the call with its questions. They are asked one after the
 * other, as durable questions; then any process can send the call again with the data in the state
 * of the question: {state, round, key, rest, answers}. Tests: tests/exec/mcp/mcp_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

/* {key, message, mode, schema, url, server} */
static void add_question(haft__json_writer *w, const haft__mcp_elicitation *question,
                         haft_str server)
{
    haft__json_begin_object(w);
    haft__field_text(w, "key", question->key);
    haft__field_text(w, "message", question->message);
    haft__field_text(w, "mode", question->url ? HAFT__LIT("url") : HAFT__LIT("form"));
    haft__field_value(w, "schema", question->url ? haft__json_null() : question->schema);
    haft__json_key(w, "url");
    if (question->url) {
        haft__json_add_str(w, question->address);
    } else {
        haft__json_add_null(w);
    }
    haft__field_text(w, "server", server);
    haft__json_end_object(w);
}

/* Parses the written text; false when out of memory. */
static bool read_back(haft__arena *arena, const haft__buf *text, haft__json *ret_value)
{
    haft_str copy = haft__arena_copy(arena, haft__buf_str(text));
    return haft__buf_check(text, NULL) == HAFT_OK && copy.ptr != NULL
           && haft__json_read(arena, copy, NULL, ret_value, NULL, NULL) == HAFT_OK;
}

/* ---- servers with a session ---- */

/* Answers `cancel`, not `decline`, because nobody was asked. */
static void dismiss(haft__mcp_connection *connection, uint64_t number)
{
    haft__mcp_connection_process_events(
        connection, haft__mcp_client_answer(connection->client, number, HAFT__MCP_CANCEL,
                                            haft__json_null(), NULL));
}

/* Asks the next question, if none is open. */
static void ask_next_queued(haft__mcp_tool_call *tool_call)
{
    while (tool_call->queue != NULL && tool_call->job->question == NULL) {
        haft__mcp_queued_question *next = tool_call->queue;
        tool_call->queue = next->next;
        if (haft__exec_ask(tool_call->job, next->question, false, haft__json_null())) {
            tool_call->question = next->number;
        } else {
            dismiss(tool_call->connection, next->number);
        }
    }
}

/* Adds a question to the queue of the call; false when out of memory. */ static bool
queue_question(haft__mcp_tool_call *tool_call, const haft__mcp_elicitation *question)
{
    haft__buf text;
    haft__json_writer w;
    haft__mcp_queued_question *queued =
        haft__arena_array(&tool_call->job->arena, 1, sizeof(*queued));
    haft__mcp_queued_question **at = &tool_call->queue;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    add_question(&w, question, tool_call->connection->server.name);
    bool good = queued != NULL && read_back(&tool_call->job->arena, &text, &queued->question);
    haft__buf_finish(&text);
    while (good && *at != NULL) {
        at = &(*at)->next;
    }
    if (good) {
        queued->number = question->number;
        queued->next = NULL;
        *at = queued;
        tool_call->question_count++;
    }
    return good;
}

/* The question cannot be assigned to a call: warns every call. */
static void warn_all(haft__mcp_connection *connection)
{
    for (haft__mcp_tool_call *tool_call = connection->tool_calls; tool_call != NULL;
         tool_call = tool_call->next) {
        if (tool_call->number != 0) {
            haft__mcp_tool_call_warn(
                tool_call,
                HAFT__LIT("a question of the server is not shown: calls of several runs are in "
                          "progress, and it does not say which one it belongs to"));
        }
    }
}

/* Assigns a question without a call id, if possible, to a call without an open question. */
static haft__mcp_tool_call *call_of_question(haft__mcp_connection *connection, uint64_t call)
{
    if (call != 0) {
        return haft__mcp_tool_call_find(connection, call);
    }
    haft__mcp_tool_call *first = haft__mcp_tool_call_of_message(connection, 0), *tool_call = first;
    while (tool_call != NULL && (tool_call->number == 0 || tool_call->job->question != NULL)) {
        tool_call = tool_call->next;
    }
    return tool_call != NULL ? tool_call : first;
}

void haft__mcp_tool_call_ask(haft__mcp_connection *connection,
                             const haft__mcp_elicitation *question)
{
    haft__mcp_tool_call *tool_call = call_of_question(connection, question->call);
    if (tool_call == NULL) {
        warn_all(connection);
    } else if (tool_call->question_count >= HAFT__LIMIT_MCP_ROUNDS) {
        haft__mcp_tool_call_warn(tool_call, HAFT__LIT("a question of the server is not shown: it "
                                                      "asks too often in one call (mcp.rounds)"));
    } else if (queue_question(tool_call, question)) {
        ask_next_queued(tool_call);
        return;
    }
    dismiss(connection, question->number);
}

/* Withdraws a question. If it was delivered, it ends without an answer; if it is queued, it is
 * dropped. */
static void withdraw_question(haft__mcp_tool_call *tool_call, uint64_t question)
{
    haft__mcp_queued_question **at = &tool_call->queue;
    if (tool_call->question == question) {
        tool_call->question = 0;
        haft__exec_withdraw(tool_call->job);
        return;
    }
    while (*at != NULL && (*at)->number != question) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = (*at)->next;
    }
}

void haft__mcp_tool_call_withdraw_question(haft__mcp_connection *connection, uint64_t question)
{
    for (haft__mcp_tool_call *tool_call = connection->tool_calls; tool_call != NULL;
         tool_call = tool_call->next) {
        withdraw_question(tool_call, question);
    }
}

void haft__mcp_tool_call_drop_questions(haft__mcp_tool_call *tool_call)
{
    uint64_t open = tool_call->question;
    haft__mcp_queued_question *queued = tool_call->queue;
    tool_call->question = 0;
    tool_call->queue = NULL;
    if (open != 0) {
        dismiss(tool_call->connection, open);
    }
    for (; queued != NULL; queued = queued->next) {
        dismiss(tool_call->connection, queued->number);
    }
}

static haft__mcp_action action_of(haft__json value)
{
    haft_str action = haft__json_text(haft__object_get(value, "action"));
    if (haft__str_equal(action, HAFT__LIT("accept"))) {
        return HAFT__MCP_ACCEPT;
    }
    return haft__str_equal(action, HAFT__LIT("decline")) ? HAFT__MCP_DECLINE : HAFT__MCP_CANCEL;
}

void haft__mcp_tool_call_answer(haft__mcp_tool_call *tool_call, haft__json value)
{
    haft__mcp_connection *connection = tool_call->connection;
    uint64_t number = tool_call->question;
    haft__mcp_action action = action_of(value);
    tool_call->question = 0;
    if (number != 0) {
        haft__json content =
            action == HAFT__MCP_ACCEPT ? haft__object_get(value, "content") : haft__json_null();
        haft__mcp_connection_process_events(
            connection, haft__mcp_client_answer(connection->client, number, action, content, NULL));
    }
    ask_next_queued(tool_call);
}

/* ---- servers without a session ---- */

/* Asks the first question of `rest`. Its state has the data to continue. */
static bool ask_first(haft__mcp_tool_call *tool_call, haft__json rest, haft__json answers,
                      haft__json state, haft__json round)
{
    haft__buf text;
    haft__json_writer w;
    haft__json value = haft__json_null();
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_value(&w, "key", haft__object_get(rest.items[0], "key"));
    haft__field_value(&w, "state", state);
    haft__field_value(&w, "round", round);
    haft__field_value(&w, "rest", haft__json_array(rest.items + 1, rest.count - 1));
    haft__field_value(&w, "answers", answers);
    haft__json_end_object(&w);
    bool delivered = read_back(&tool_call->job->arena, &text, &value)
                     && haft__exec_ask(tool_call->job, rest.items[0], true, value);
    haft__buf_finish(&text);
    return delivered;
}

static uint64_t round_of(const haft__mcp_tool_call *tool_call)
{
    uint64_t round = 0;
    haft__json given =
        haft__object_get(haft__object_get(tool_call->job->call.resume, "state"), "round");
    return haft__str_to_u64(haft__json_text(given), &round) ? round : 0;
}

bool haft__mcp_tool_call_suspend(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done)
{
    haft__arena *arena = &tool_call->job->arena;
    haft__buf text;
    haft__json_writer w;
    haft__json rest = haft__json_null();
    if (done->question_count == 0) {
        return false;
    }
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_array(&w);
    for (size_t i = 0; i < done->question_count; i++) {
        add_question(&w, &done->questions[i], tool_call->connection->server.name);
    }
    haft__json_end_array(&w);
    bool good = read_back(arena, &text, &rest);
    haft__buf_finish(&text);
    haft__json state = done->state.ptr != NULL ? haft__json_string(done->state) : haft__json_null();
    haft__json round = haft__json_int(arena, (int64_t)round_of(tool_call) + 1);
    return good && round.kind == HAFT__JSON_NUMBER
           && ask_first(tool_call, rest, done->answered, state, round);
}

/* The earlier answers and the new one, by their keys. */
static haft_status join_answers(haft__mcp_tool_call *tool_call, haft__json state,
                                haft__json *ret_answers, haft_error *err)
{
    haft__json before = haft__object_get(state, "answers"),
               value = haft__object_get(tool_call->job->call.resume, "answers");
    haft__json_member *all =
        haft__arena_array(&tool_call->job->arena, (size_t)before.count + 1, sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(&tool_call->job->arena, err);
    }
    size_t count = before.kind == HAFT__JSON_OBJECT ? before.count : 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = before.members[i];
    }
    all[count] = (haft__json_member){haft__object_get(state, "key"), value};
    *ret_answers = haft__json_object(all, count + 1);
    return HAFT_OK;
}

haft_status haft__mcp_tool_call_resume(haft__mcp_tool_call *tool_call, bool *ret_asks,
                                       haft_error *err)
{
    haft__json state = haft__object_get(tool_call->job->call.resume, "state");
    if (state.kind != HAFT__JSON_OBJECT
        || haft__object_get(state, "key").kind != HAFT__JSON_STRING) {
        return HAFT_OK;
    }
    haft_status status = join_answers(tool_call, state, &tool_call->answers, err);
    haft__json rest = haft__object_get(state, "rest");
    if (status == HAFT_OK && rest.kind == HAFT__JSON_ARRAY && rest.count > 0) {
        *ret_asks = ask_first(tool_call, rest, tool_call->answers, haft__object_get(state, "state"),
                              haft__object_get(state, "round"));
    }
    return status;
}
