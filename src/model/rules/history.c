/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - reads the calls of this run and their results from the messages.
 *
 * A result belongs to the call with its id, wherever it is in the list. Messages of haft itself (a
 * rejection of complete_workflow, a reminder) are kept apart from results of tools: only haft may
 * name tools to call next. Tests: tests/model/rules/history_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "prompt/observation.h"
#include "json/canonical.h"
#include "json/read.h"

/* The start of haft's message when a turn has too many calls. */
#define TOO_MANY "Not run: at most "

haft_status haft__offline_call_key(haft__arena *arena, haft_str name, haft__json arguments,
                                   haft_str *ret_key, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, name);
    haft__buf_add_char(&text, '\n');
    haft_status status = haft__json_write_canonical(&text, arguments, err);
    if (status == HAFT_OK) {
        *ret_key = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_key->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

bool haft__offline_is_call_of(const haft__offline_call *call, const char *tool)
{
    return haft__str_equal(call->name, haft__str(tool));
}

haft_str haft__offline_argument(const haft__offline_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->arguments, haft__str(key));
    haft_str text = value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
    return text.ptr != NULL ? text : HAFT__LIT("");
}

/* The index after the task. Messages before it belong to earlier runs of the thread. */
static size_t find_start(const haft__request *request)
{
    const haft__messages *messages = request->messages;
    for (size_t i = messages->count; i > 0; i--) {
        const haft__message *message = &messages->items[i - 1];
        if (message->role == HAFT__MESSAGE_USER && haft__str_equal(message->text, request->task)) {
            return i;
        }
    }
    size_t first = 0;
    while (first < messages->count && messages->items[first].role != HAFT__MESSAGE_USER) {
        first++;
    }
    return first < messages->count ? first + 1 : 0;
}

static size_t count_calls(const haft__messages *messages, size_t start)
{
    size_t count = 0;
    for (size_t i = start; i < messages->count; i++) {
        count += messages->items[i].call_count;
    }
    return count;
}

static haft_status read_call(const haft__message_call *made, haft__arena *arena,
                             haft__offline_call *ret_call, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = HAFT__OFFLINE_KEY;
    *ret_call = (haft__offline_call){.name = made->name, .result = HAFT__LIT("")};
    haft_status status =
        haft__json_read(arena, made->arguments, &options, &ret_call->arguments, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        ret_call->arguments = haft__json_null();
    }
    return HAFT_OK;
}

/* Removes the mark of a cut result, and its last line, which may be cut. */
static haft_str remove_mark(haft_str text, bool *ret_cut)
{
    text = haft__observation_unmark(text, ret_cut);
    while (*ret_cut && text.len > 0 && text.ptr[text.len - 1] != '\n') {
        text.len--;
    }
    return text;
}

static void set_result(haft__offline_call *call, const haft__message *message)
{
    call->answered = true;
    call->failed = message->is_error;
    call->not_run = message->is_error && haft__str_starts_with(message->text, HAFT__LIT(TOO_MANY));
    haft_str whole = message->text.ptr != NULL ? message->text : HAFT__LIT("");
    call->result = remove_mark(whole, &call->cut);
    if (call->cut && call->result.len == 0) { /* a single long line is kept */
        call->result = whole;
    }
}

static void add_result(haft__offline_history *history, haft__offline_call *call,
                       const haft__message *message)
{
    bool completion = haft__offline_is_call_of(call, "complete_workflow");
    set_result(call, message);
    history->one_at_a_time = history->one_at_a_time || call->not_run;
    history->since_completion = completion ? 0 : history->since_completion + 1;
    history->missing = completion && call->failed ? message->text : history->missing;
}

/* Reads a message after the task: calls, a result, or a message of haft. */
static haft_status read_message(haft__offline_history *history, haft__map *by_id,
                                const haft__message *message, haft__arena *arena, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < message->call_count && status == HAFT_OK; i++) {
        haft__offline_call *call = &history->calls[history->count++];
        status = read_call(&message->calls[i], arena, call, err);
        if (status == HAFT_OK) {
            status = haft__map_put(by_id, message->calls[i].id, call, err);
        }
    }
    if (message->role == HAFT__MESSAGE_USER) {
        history->missing = message->text;
        history->since_completion++;
    }
    haft__offline_call *call =
        message->role == HAFT__MESSAGE_TOOL ? haft__map_get(by_id, message->call_id) : NULL;
    if (call != NULL && !call->answered) {
        add_result(history, call, message);
    }
    return status;
}

static haft_status add_keys(haft__offline_history *history, haft__arena *arena, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < history->count && status == HAFT_OK; i++) {
        haft__offline_call *call = &history->calls[i];
        haft_str key = {NULL, 0};
        if (!call->not_run) {
            status = haft__offline_call_key(arena, call->name, call->arguments, &key, err);
            if (status == HAFT_OK) {
                status = haft__map_put(&history->made, key, call, err);
            }
        }
    }
    return status;
}

haft_status haft__offline_history_read(const haft__request *request, haft__arena *arena,
                                       haft__offline_history *ret_history, haft_error *err)
{
    const haft__messages *messages = request->messages;
    size_t start = find_start(request);
    bool named = request->task.len > 0 || start == 0;
    haft__offline_history history = {
        .task = named ? request->task : messages->items[start - 1].text, .missing = HAFT__LIT("")};
    haft__map by_id;
    haft__map_init(&by_id, arena, HAFT__OFFLINE_KEY);
    haft__map_init(&history.made, arena, HAFT__OFFLINE_KEY);
    history.calls = haft__arena_array(arena, count_calls(messages, start), sizeof(*history.calls));
    if (history.calls == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = start; i < messages->count && status == HAFT_OK; i++) {
        status = read_message(&history, &by_id, &messages->items[i], arena, err);
    }
    if (status == HAFT_OK) {
        status = add_keys(&history, arena, err);
    }
    if (status == HAFT_OK) {
        *ret_history = history;
    }
    return status;
}
