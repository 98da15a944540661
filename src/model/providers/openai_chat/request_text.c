/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_text.c - requests to a model whose calls are written in its text (model/text_messages.h),
 * as messages of Chat Completions.
 *
 * Tests: tests/model/providers/openai_chat/request_text_test.c.
 */
#include "base/str.h"
#include "model/providers/openai_chat/request_int.h"

/* ---- messages ---- */

static void add_message(haft__buf *buf, haft__message_role role, const haft__buf *text)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "role");
    haft__json_add_str(&w, haft__chat_role_name(role));
    haft__json_key(&w, "content");
    haft__json_add_str(&w, haft__buf_str(text));
    haft__json_end_object(&w);
    if (text->status != HAFT_OK) {
        haft__buf_fail(buf, text->status, text->why);
    }
}

void haft__chat_text_system(const haft__chat *chat, haft__buf *buf, haft_str instructions)
{
    haft__buf text;
    haft__buf_init(&text, buf->max);
    haft__tool_prompt_write_system(&chat->tool_prompt, instructions, &text);
    add_message(buf, HAFT__MESSAGE_SYSTEM, &text);
    haft__buf_finish(&text);
}

/* Adds the next message, or the next few. */
static haft_status add_next(haft__chat *chat, const haft__messages *messages, haft_error *err)
{
    const haft__message *message = &messages->items[chat->done];
    size_t count = 1;
    haft_status status = HAFT_OK;
    if (chat->done > 0) {
        haft__chat_write_separator(chat->provider, &chat->messages, message - 1, message);
    }
    if (chat->done == 0 && message->role == HAFT__MESSAGE_SYSTEM) {
        haft__chat_text_system(chat, &chat->messages, message->text);
    } else {
        haft__buf text;
        haft__buf_init(&text, chat->messages.max);
        status = haft__text_message_write(chat->format, messages, chat->done, &text, &count, err);
        add_message(&chat->messages, haft__text_message_role(message), &text);
        haft__buf_finish(&text);
    }
    chat->done += count;
    return status;
}

/* Without instructions the tools need a system message. */
static void begin(haft__chat *chat, const haft__messages *messages)
{
    bool has_system = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    if (chat->done == 0 && !has_system && messages->count > 0 && chat->tool_prompt.text.len > 0) {
        haft__chat_text_system(chat, &chat->messages, HAFT__LIT(""));
        haft__buf_add_char(&chat->messages, ',');
    }
}

haft_status haft__chat_text_sync(haft__chat *chat, const haft__request *request, haft_error *err)
{
    bool changed = false;
    haft_status status =
        haft__tool_prompt_sync(&chat->tool_prompt, chat->format, request, &changed, err);
    if (changed) { /* the tools come before the messages */
        haft__buf_clear(&chat->messages);
        chat->done = 0;
    }
    if (status == HAFT_OK && !request->transcript) {
        begin(chat, request->messages);
        while (status == HAFT_OK && chat->done < request->messages->count) {
            status = add_next(chat, request->messages, err);
        }
    }
    return status;
}

/* ---- the final message ---- */

/* Appends to an existing user's message: templates need user and assistant in turns. */
static void grow_last(haft__buf *buf, haft_str text)
{
    haft__buf quoted;
    haft__buf_init(&quoted, buf->max);
    haft__json_write_string(&quoted, text);
    if (quoted.status == HAFT_OK && buf->status == HAFT_OK) {
        buf->len -= strlen("\"}");
        haft__buf_add_str(buf, HAFT__LIT("\\n\\n"));
        haft__buf_add(buf, quoted.ptr + 1, quoted.len - 1);
        haft__buf_add_char(buf, '}');
    } else {
        haft__buf_fail(buf, quoted.status, quoted.why);
    }
    haft__buf_finish(&quoted);
}

void haft__chat_text_final_message(const haft__chat *chat, haft__buf *buf,
                                   const haft__request *request, const haft__message *last)
{
    haft__buf text;
    haft__buf_init(&text, buf->max);
    haft__text_turn_write(chat->format, request, &text);
    bool grows = last != NULL && haft__text_message_role(last) == HAFT__MESSAGE_USER;
    if (text.len > 0 && grows) {
        grow_last(buf, haft__buf_str(&text));
    } else if (text.len > 0) {
        haft__message message = {.role = HAFT__MESSAGE_USER, .text = haft__buf_str(&text)};
        haft__chat_write_separator(chat->provider, buf, last, &message);
        haft__chat_write_message(chat->provider, buf, &message);
    }
    if (text.status != HAFT_OK) {
        haft__buf_fail(buf, text.status, text.why);
    }
    haft__buf_finish(&text);
}
