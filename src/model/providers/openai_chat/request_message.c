/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_message.c - one message as JSON text, in a form that the provider accepts.
 *
 * The output depends only on the message and the provider: a history always gives the same bytes.
 * Tests: tests/model/providers/openai_chat/request_message_test.c.
 */
#include "base/id.h"
#include "base/str.h"
#include "model/call_arguments.h"
#include "model/providers/openai_chat/request.h"
#include "model/providers/openai_chat/stream.h"

static void add_id(const haft__provider *provider, haft__json_writer *w, haft_str id)
{
    char short_id[HAFT__ID_SHORT_LENGTH];
    if (provider->chat.short_ids) {
        haft__id_short(id, short_id);
        id = (haft_str){short_id, sizeof(short_id)};
    }
    haft__json_add_str(w, id);
}

/* ---- arguments ---- */

static void add_arguments(const haft__provider *provider, haft__json_writer *w, haft_str text)
{
    haft__buf object;
    if (provider->chat.any_arguments && haft__str_trim(text).len > 0) {
        haft__json_add_str(w, text);
        return;
    }
    haft__buf_init(&object, w->buf->max);
    haft__call_arguments_write(&object, text);
    haft__json_add_str(w, haft__buf_str(&object));
    w->buf->status = object.status != HAFT_OK ? object.status : w->buf->status;
    haft__buf_finish(&object);
}

/* ---- messages ---- */

static void add_call(const haft__provider *provider, haft__json_writer *w,
                     const haft__message_call *call)
{
    haft__json_begin_object(w);
    haft__json_key(w, "id");
    add_id(provider, w, call->id);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("function"));
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    haft__json_key(w, "name");
    haft__conversation_add_name(w, call->name);
    haft__json_key(w, "arguments");
    add_arguments(provider, w, call->arguments);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void add_calls(const haft__provider *provider, haft__json_writer *w,
                      const haft__message *message)
{
    haft__json_key(w, "tool_calls");
    haft__json_begin_array(w);
    for (size_t i = 0; i < message->call_count; i++) {
        add_call(provider, w, &message->calls[i]);
    }
    haft__json_end_array(w);
    /* Signed or encrypted reasoning is another model's, or goes back as `reasoning_details`. */
    haft_str reasoning = message->items.len > 0 ? HAFT__LIT("") : message->reasoning;
    if (provider->chat.reasoning[0] != '\0'
        && (reasoning.len > 0 || provider->chat.needs_reasoning)) {
        haft__json_key(w, provider->chat.reasoning);
        haft__json_add_str(w, reasoning);
    }
}

static haft_str role_name(haft__message_role role)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    return haft__str(roles[role]);
}

/* The parts of the content among the items of a reply, as a JSON array; "" if the items are
 * `reasoning_details`. */
static haft_str content_parts(haft_str items)
{
    static const char start[] = "[" HAFT__OPENAI_CONTENT_ITEM;
    size_t begin = sizeof(start) - 2; /* at the "[" of the parts */
    bool found = haft__str_starts_with(items, haft__str(start));
    return found ? (haft_str){items.ptr + begin, items.len - begin - strlen("}]")} : HAFT__LIT("");
}

/* Appends a message; `items` are those of a reply of the same model, or "". */
static void write_message(const haft__provider *provider, haft__buf *buf,
                          const haft__message *message, haft_str items)
{
    haft_str parts = content_parts(items);
    haft_str details = parts.len > 0 ? HAFT__LIT("") : items;
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "role");
    haft__json_add_str(&w, role_name(message->role));
    if (message->role == HAFT__MESSAGE_TOOL) {
        haft__json_key(&w, "tool_call_id");
        add_id(provider, &w, message->call_id);
    }
    haft__json_key(&w, "content");
    if (parts.len > 0) {
        haft__buf_add_str(buf, parts);
        w.after_key = false;
    } else if (message->call_count > 0 && message->text.len == 0) {
        haft__json_add_null(&w);
    } else {
        haft__json_add_str(&w, message->text);
    }
    if (message->call_count > 0) {
        add_calls(provider, &w, message);
    }
    if (details.len > 0) {
        haft__json_key(&w, "reasoning_details");
        haft__buf_add_str(buf, details);
        w.after_key = false;
    }
    haft__json_end_object(&w);
}

void haft__chat_write_message(const haft__provider *provider, haft__buf *buf,
                              const haft__message *message)
{
    write_message(provider, buf, message, HAFT__LIT(""));
}

/* ---- the messages of a conversation ---- */

/* Appends the separator before a message with this role: a comma and, if a user's message must not
 * follow a tool's, an assistant's message. */
static void add_separator(const haft__provider_conversation *chat, haft__buf *buf,
                          haft__message_role role)
{
    static const haft__message read = {.role = HAFT__MESSAGE_ASSISTANT,
                                       .text = {"I have read the results.", 24}};
    if (chat->messages.len == 0) {
        return;
    }
    haft__buf_add_char(buf, ',');
    if (chat->provider->chat.strict_order && chat->last_role == HAFT__MESSAGE_TOOL
        && role == HAFT__MESSAGE_USER) {
        haft__chat_write_message(chat->provider, buf, &read);
        haft__buf_add_char(buf, ',');
    }
}

static void add_message(haft__provider_conversation *chat, const haft__message *message)
{
    bool own = haft__conversation_owns_items(chat, message);
    add_separator(chat, &chat->messages, message->role);
    write_message(chat->provider, &chat->messages, message, own ? message->items : HAFT__LIT(""));
}

void haft__chat_add_text(haft__provider_conversation *chat, haft__message_role role, haft_str text)
{
    add_message(chat, &(haft__message){.role = role, .text = text});
}

haft_status haft__chat_add_message(haft__provider_conversation *chat, const haft__request *request,
                                   haft_error *err)
{
    (void)err;
    add_message(chat, &request->messages->items[chat->done++]);
    return HAFT_OK;
}

/* The bytes at the end of a message, which a text is inserted before. */
#define OPEN_END "\"}"

/* Appends to an existing user's message: templates need user and assistant in turns. */
static void grow_last(haft__buf *buf, haft_str text)
{
    haft__buf quoted;
    haft__buf_init(&quoted, buf->max);
    haft__json_write_string(&quoted, text);
    if (quoted.status == HAFT_OK && buf->status == HAFT_OK) {
        buf->len -= strlen(OPEN_END);
        haft__buf_add_str(buf, HAFT__LIT("\\n\\n"));
        haft__buf_add(buf, quoted.ptr + 1, quoted.len - 1);
        haft__buf_add_char(buf, '}');
    } else {
        haft__buf_fail(buf, quoted.status, quoted.why);
    }
    haft__buf_finish(&quoted);
}

/* Whether a text of the user continues the last message. */
static bool grows(const haft__provider_conversation *chat)
{
    return chat->format != NULL && chat->messages.len > 0
           && (chat->last_role == HAFT__MESSAGE_USER || chat->last_role == HAFT__MESSAGE_TOOL);
}

size_t haft__chat_stable_size(const haft__provider_conversation *chat)
{
    return chat->messages.len - (grows(chat) ? strlen(OPEN_END) : 0);
}

void haft__chat_end_with(const haft__provider_conversation *chat, haft_str text, haft__buf *buf)
{
    haft__message message = {.role = HAFT__MESSAGE_USER, .text = text};
    if (text.len > 0 && grows(chat)) {
        grow_last(buf, text);
    } else if (text.len > 0) {
        add_separator(chat, buf, message.role);
        haft__chat_write_message(chat->provider, buf, &message);
    }
}
