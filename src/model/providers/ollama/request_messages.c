/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_messages.c - the messages of a request, of which only the new ones are written.
 *
 * Arguments of calls are objects. A result names its tool; old servers know no ids.
 * Tests: tests/model/providers/ollama/request_test.c.
 */
#include "base/str.h"
#include "model/call_arguments.h"
#include "model/providers/ollama/request.h"
#include "prompt/prompt.h"
#include "tool/wire_name.h"
#include "json/object.h"

/* ---- one message ---- */

static void add_name(haft__json_writer *w, const char *key, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name);
    haft__field_text(w, key, haft__wire_name_str(&wire));
}

static void add_call(haft__json_writer *w, const haft__message_call *call)
{
    haft__json_begin_object(w);
    haft__field_text(w, "id", call->id);
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    add_name(w, "name", call->name);
    haft__json_key(w, "arguments");
    haft__call_arguments_write(w->buf, call->arguments);
    w->after_key = false;
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_message(haft__buf *buf, const haft__message *message)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "role", haft__str(roles[message->role]));
    if (message->role == HAFT__MESSAGE_TOOL) {
        add_name(&w, "tool_name", message->call_name);
        haft__field_text(&w, "tool_call_id", message->call_id);
    }
    haft__field_text(&w, "content", message->text);
    /* Replies of this server have no items: signed or encrypted reasoning is another model's. */
    if (message->call_count > 0 && message->reasoning.len > 0 && message->items.len == 0) {
        haft__field_text(&w, "thinking", message->reasoning);
    }
    if (message->call_count > 0) {
        haft__json_key(&w, "tool_calls");
        haft__json_begin_array(&w);
        for (size_t i = 0; i < message->call_count; i++) {
            add_call(&w, &message->calls[i]);
        }
        haft__json_end_array(&w);
    }
    haft__json_end_object(&w);
}

/* Appends a message of text, and takes over a failure to write that text. */
static void write_text(haft__buf *buf, haft__message_role role, const haft__buf *content)
{
    haft__message message = {.role = role, .text = haft__buf_str(content)};
    write_message(buf, &message);
    if (content->status != HAFT_OK) {
        haft__buf_fail(buf, content->status, content->why);
    }
}

static void write_system(const haft__ollama_chat *chat, haft__buf *buf, haft_str instructions)
{
    haft__buf content;
    haft__buf_init(&content, buf->max);
    haft__tool_prompt_write_system(&chat->tool_prompt, instructions, &content);
    write_text(buf, HAFT__MESSAGE_SYSTEM, &content);
    haft__buf_finish(&content);
}

/* ---- kept messages ---- */

/* Appends the next message, or the next few, if the calls are in the text. */
static haft_status add_as_text(haft__ollama_chat *chat, const haft__messages *messages,
                               haft_error *err)
{
    const haft__message *message = &messages->items[chat->done];
    haft__buf content;
    size_t count = 1;
    if (chat->done == 0 && message->role == HAFT__MESSAGE_SYSTEM) {
        write_system(chat, &chat->messages, message->text);
        chat->done = 1;
        return HAFT_OK;
    }
    haft__buf_init(&content, chat->messages.max);
    haft_status status =
        haft__text_message_write(chat->format, messages, chat->done, &content, &count, err);
    write_text(&chat->messages, haft__text_message_role(message), &content);
    haft__buf_finish(&content);
    chat->done += count;
    return status;
}

/* Without instructions the tools need a system message. */
static void begin_text(haft__ollama_chat *chat, const haft__messages *messages)
{
    bool has_system = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    if (chat->done == 0 && messages->count > 0 && !has_system && chat->tool_prompt.text.len > 0) {
        write_system(chat, &chat->messages, HAFT__LIT(""));
    }
}

haft_status haft__ollama_sync_messages(haft__ollama_chat *chat, const haft__request *request,
                                       haft_error *err)
{
    const haft__messages *messages = request->messages;
    haft_status status = HAFT_OK;
    bool changed = false;
    if (chat->format != NULL) {
        status = haft__tool_prompt_sync(&chat->tool_prompt, chat->format, request, &changed, err);
    }
    if (changed) { /* the tools come before the messages */
        haft__buf_clear(&chat->messages);
        chat->done = 0;
    }
    if (request->transcript || status != HAFT_OK) {
        return status;
    }
    if (chat->format != NULL) {
        begin_text(chat, messages);
    }
    while (status == HAFT_OK && chat->done < messages->count) {
        haft__buf_add_str(&chat->messages, chat->messages.len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        if (chat->format != NULL) {
            status = add_as_text(chat, messages, err);
        } else {
            write_message(&chat->messages, &messages->items[chat->done++]);
        }
    }
    return status == HAFT_OK ? haft__buf_check(&chat->messages, err) : status;
}

/* ---- messages of one request ---- */

/* Appends the history of the planner shape: it is written anew for each request, because the task
 * comes last. */
static haft_status write_transcript(const haft__ollama_chat *chat, haft__buf *buf,
                                    const haft__request *request, haft__arena *arena)
{
    haft__messages list;
    haft_status status =
        haft__prompt_transcript(request->messages, request->task, chat->format, arena, &list, NULL);
    bool has_system = status == HAFT_OK && list.items[0].role == HAFT__MESSAGE_SYSTEM;
    bool teaches = chat->format != NULL && (has_system || chat->tool_prompt.text.len > 0);
    size_t first = 0;
    if (status == HAFT_OK && teaches) {
        write_system(chat, buf, has_system ? list.items[0].text : HAFT__LIT(""));
        first = has_system ? 1 : 0;
    }
    for (size_t i = first; status == HAFT_OK && i < list.count; i++) {
        haft__buf_add_str(buf, i > first || teaches ? HAFT__LIT(",") : HAFT__LIT(""));
        write_message(buf, &list.items[i]);
    }
    return status;
}

/* The line for this request only: the correction; the choice of the turn, if the calls are in the
 * text; or that a call is required, which the API cannot express. */
static void write_line(const haft__ollama_chat *chat, const haft__request *request, haft__buf *line)
{
    haft__wire_name tool = haft__wire_name_encode(request->tool);
    if (chat->format != NULL) {
        haft__text_turn_write(chat->format, request, line);
    } else if (request->correction.len > 0) {
        haft__buf_add_str(line, request->correction);
    } else if (request->mode == HAFT__MODE_TOOL) {
        haft__buf_addf(line, "Call the tool %.*s now.", HAFT__ARG(haft__wire_name_str(&tool)));
    } else if (request->mode == HAFT__MODE_ANY && request->tool_count > 0) {
        haft__buf_add_str(line, HAFT__LIT("Call a tool now; do not answer in text yet."));
    }
}

void haft__ollama_write_messages(const haft__ollama_chat *chat, haft__buf *buf,
                                 const haft__request *request)
{
    size_t start = buf->len;
    haft__buf line;
    if (request->transcript) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_status status = write_transcript(chat, buf, request, &arena);
        if (status != HAFT_OK) {
            haft__buf_fail(buf, status, haft_status_text(status));
        }
        haft__arena_finish(&arena);
    } else {
        haft__buf_add_str(buf, haft__buf_str(&chat->messages));
    }
    haft__buf_init(&line, buf->max);
    write_line(chat, request, &line);
    if (line.len > 0 || line.status != HAFT_OK) {
        haft__buf_add_str(buf, buf->len > start ? HAFT__LIT(",") : HAFT__LIT(""));
        write_text(buf, HAFT__MESSAGE_USER, &line);
    }
    haft__buf_finish(&line);
}
