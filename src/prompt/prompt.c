/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.c - system prompt, and history of the planner shape. Tests: tests/prompt/prompt_test.c. */
#include "prompt/prompt.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "format/render.h"
#include "prompt/memory.h"
#include "tool/wire_name.h"
#include "json/write.h"

void haft__prompt_add_plan(haft__buf *buf, haft__json plan)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write_pretty(&text, plan, 2);
    if (haft__buf_check(&text, NULL) == HAFT_OK && text.ptr != NULL) {
        haft__buf_add_str(buf, HAFT__LIT(HAFT__PROMPT_PLAN));
        haft__buf_add(buf, text.ptr,
                      haft__utf8_offset(haft__buf_str(&text), HAFT__LIMIT_PLAN_CHARS));
    } else {
        buf->status = text.status;
    }
    haft__buf_finish(&text);
}

void haft__prompt_system(haft__buf *buf, const haft__spec *spec)
{
    haft_str instructions = haft__str_trim(spec->instructions);
    haft__buf_add_str(buf, instructions);
    if (spec->plan.kind != HAFT__JSON_NULL) {
        haft__buf_add_str(buf, instructions.len > 0 ? HAFT__LIT("\n\n") : HAFT__LIT(""));
        haft__prompt_add_plan(buf, spec->plan);
    }
    haft__prompt_add_memory(buf, spec);
}

/* ---- the history of the planner shape ---- */

typedef struct transcript {
    haft__messages *list;
    const haft__format *format;
    haft__buf text; /* text of the current message */
    haft_error *err;
} transcript;

/* Adds the text as a message, and begins the next message. */
static haft_status add_message(transcript *t, haft__message_role role)
{
    haft__arena *arena = t->list->arena;
    haft_status status = haft__buf_check(&t->text, t->err);
    haft__message message = {.role = role};
    if (status == HAFT_OK) {
        message.text = haft__arena_copy(arena, haft__buf_str(&t->text));
        status = message.text.ptr != NULL ? haft__messages_add(t->list, message, t->err)
                                          : haft__arena_fail(arena, t->err);
    }
    haft__buf_clear(&t->text);
    return status;
}

static void add_written(transcript *t, haft_str text)
{
    if (t->format != NULL) {
        haft__format_neutralise_turn(&t->text, NULL, text);
    } else {
        haft__buf_add_str(&t->text, text);
    }
}

static haft_status add_result(transcript *t, haft_str text)
{
    haft__buf_add_str(&t->text, HAFT__LIT("Tool result: "));
    if (t->format != NULL) {
        haft__format_neutralise(&t->text, t->format, text);
    } else {
        haft__buf_add_str(&t->text, text);
    }
    return add_message(t, HAFT__MESSAGE_USER);
}

static haft_status add_call(transcript *t, const haft__message_call *call)
{
    haft_str arguments = haft__str_trim(call->arguments);
    haft__wire_name name = haft__wire_name_encode(call->name.len > 0 ? call->name : HAFT__LIT("_"));
    haft__buf_add_str(&t->text, HAFT__LIT("Calling tool: "));
    haft__buf_add_str(&t->text, haft__wire_name_str(&name));
    haft__buf_add_str(&t->text, HAFT__LIT(" with args: "));
    add_written(t, arguments.len > 0 ? arguments : HAFT__LIT("{}"));
    return add_message(t, HAFT__MESSAGE_ASSISTANT);
}

/* Finds the result of a call, which usually has the same index; NULL if the call has no result. */
static const haft__message *find_result(const haft__message *results, size_t count, size_t index,
                                        haft_str id)
{
    if (index < count && haft__str_equal(results[index].call_id, id)) {
        return &results[index];
    }
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(results[i].call_id, id)) {
            return &results[i];
        }
    }
    return NULL;
}

static bool has_call(const haft__message *turn, haft_str id)
{
    for (size_t i = 0; i < turn->call_count; i++) {
        if (haft__str_equal(turn->calls[i].id, id)) {
            return true;
        }
    }
    return false;
}

/* Adds a turn of the assistant. Each call is followed by its result, because the text contains no
 * ids. */
static haft_status add_turn(transcript *t, const haft__message *message, size_t result_count)
{
    haft_status status = HAFT_OK;
    add_written(t, message->text);
    if (message->call_count == 0) {
        return add_message(t, HAFT__MESSAGE_ASSISTANT);
    }
    haft__buf_add_str(&t->text, message->text.len > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
    for (size_t i = 0; i < message->call_count && status == HAFT_OK; i++) {
        const haft__message *result =
            find_result(message + 1, result_count, i, message->calls[i].id);
        status = add_call(t, &message->calls[i]);
        if (status == HAFT_OK && result != NULL) {
            status = add_result(t, result->text);
        }
    }
    for (size_t i = 1; i <= result_count && status == HAFT_OK; i++) {
        if (!has_call(message, message[i].call_id)) {
            status = add_result(t, message[i].text);
        }
    }
    return status;
}

static size_t count_results(const haft__messages *messages, size_t first)
{
    size_t i = first;
    while (i < messages->count && messages->items[i].role == HAFT__MESSAGE_TOOL) {
        i++;
    }
    return i - first;
}

/* The index of the task of this run. Searches from the end, because an earlier run of the thread
 * may have had the same task. */
static size_t find_task(const haft__messages *messages, haft_str task)
{
    size_t i = messages->count;
    while (i > 0) {
        const haft__message *message = &messages->items[--i];
        bool same = message->role == HAFT__MESSAGE_USER && haft__str_equal(message->text, task);
        if (message->is_task || same) {
            return i;
        }
    }
    return messages->count;
}

/* The task comes last. A text below it that replaces old turns stays at its place. */
static haft_status add_below_task(transcript *t, const haft__message *message, haft_str task)
{
    haft_str rest = haft__str_starts_with(message->text, task)
                        ? haft__str_trim(haft__str_skip(message->text, task.len))
                        : HAFT__LIT("");
    haft__message below = {.role = HAFT__MESSAGE_USER, .text = rest};
    return rest.len > 0 ? haft__messages_add(t->list, below, t->err) : HAFT_OK;
}

haft_status haft__prompt_transcript(const haft__messages *messages, haft_str task,
                                    const haft__format *format, haft__arena *arena,
                                    haft__messages *ret_messages, haft_error *err)
{
    transcript t = {.list = ret_messages, .format = format, .err = err};
    size_t task_index = find_task(messages, task), results = 0;
    haft_status status = HAFT_OK;
    haft__messages_init(ret_messages, arena);
    haft__buf_init(&t.text, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < messages->count && status == HAFT_OK; i += 1 + results) {
        const haft__message *message = &messages->items[i];
        results = message->call_count > 0 ? count_results(messages, i + 1) : 0;
        switch (message->role) {
        case HAFT__MESSAGE_SYSTEM: status = haft__messages_add(ret_messages, *message, err); break;
        case HAFT__MESSAGE_USER:
            status = i == task_index ? add_below_task(&t, message, task)
                                     : haft__messages_add(ret_messages, *message, err);
            break;
        case HAFT__MESSAGE_ASSISTANT: status = add_turn(&t, message, results); break;
        case HAFT__MESSAGE_TOOL: status = add_result(&t, message->text); break;
        }
    }
    if (status == HAFT_OK) {
        haft__message last = {.role = HAFT__MESSAGE_USER, .text = task};
        status = haft__messages_add(ret_messages, last, err);
    }
    haft__buf_finish(&t.text);
    return status;
}
