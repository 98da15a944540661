/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_message.c - messages as JSON text, in a form that the API accepts whatever model wrote
 * them.
 *
 * The output depends only on the messages: a history always gives the same bytes.
 * Tests: tests/model/providers/anthropic/request_test.c.
 */
#include "base/ascii.h"
#include "base/str.h"
#include "model/call_arguments.h"
#include "model/providers/anthropic/request_int.h"
#include "tool/wire_name.h"
#include "json/object.h"

/* Stands for a text without any characters that can be seen, which the API rejects. */
#define EMPTY "(empty)"

/* Continues a message that has the role, or closes it and begins another one. A block must follow.
 */
static void begin_in(haft__buf *buf, bool first, haft__message_role last, haft__message_role role)
{
    static const char *const roles[] = {[HAFT__MESSAGE_SYSTEM] = "system",
                                        [HAFT__MESSAGE_USER] = "user",
                                        [HAFT__MESSAGE_ASSISTANT] = "assistant"};
    if (!first && last == role) {
        haft__buf_add_char(buf, ',');
        return;
    }
    haft__buf_addf(buf, "%s{\"role\":\"%s\",\"content\":[", first ? "" : "]},", roles[role]);
}

static void begin_blocks(haft__anthropic_chat *chat, haft__message_role role)
{
    role = role == HAFT__MESSAGE_TOOL ? HAFT__MESSAGE_USER : role;
    bool begins_turn =
        chat->head.messages.len == 0 || (role == HAFT__MESSAGE_ASSISTANT && chat->role != role);
    chat->turn = begins_turn ? chat->head.messages.len : chat->turn;
    chat->blocks = begins_turn ? 1 : chat->blocks + 1;
    begin_in(&chat->head.messages, chat->head.messages.len == 0, chat->role, role);
    chat->role = role;
}

static void write_text(haft__json_writer *w, haft_str text)
{
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("text"));
    haft__field_text(w, "text", haft__str_trim(text).len > 0 ? text : HAFT__LIT(EMPTY));
    haft__json_end_object(w);
}

static void add_text_block(haft__buf *buf, haft_str text)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    write_text(&w, text);
}

void haft__anthropic_add_text(haft__provider_conversation *head, haft__message_role role,
                              haft_str text)
{
    begin_blocks((haft__anthropic_chat *)head, role);
    add_text_block(&head->messages, text);
}

void haft__anthropic_end_with(haft__buf *buf, const haft__anthropic_chat *chat, haft_str text)
{
    begin_in(buf, chat->head.messages.len == 0, chat->role, HAFT__MESSAGE_USER);
    add_text_block(buf, text);
}

/* ---- calls ---- */

/* Ids of other providers, and those that haft makes, may have bytes that the API rejects. The names
 * of tools are restricted in the same way, and their encoding is unique. */
static void add_id(haft__json_writer *w, const char *key, haft_str id)
{
    bool valid = id.len > 0;
    for (size_t i = 0; i < id.len; i++) {
        valid = valid
                && (haft__ascii_is_alphanumeric(id.ptr[i]) || id.ptr[i] == '_' || id.ptr[i] == '-');
    }
    haft__wire_name wire = haft__wire_name_encode(id.len > 0 ? id : HAFT__LIT("_"));
    haft__field_text(w, key, valid ? id : haft__wire_name_str(&wire));
}

static void add_call(haft__anthropic_chat *chat, const haft__message_call *call)
{
    haft__json_writer w;
    begin_blocks(chat, HAFT__MESSAGE_ASSISTANT);
    haft__json_writer_init(&w, &chat->head.messages);
    haft__json_begin_object(&w);
    haft__field_text(&w, "type", HAFT__LIT("tool_use"));
    add_id(&w, "id", call->id);
    haft__json_key(&w, "name");
    haft__conversation_add_name(&w, call->name);
    haft__json_key(&w, "input");
    haft__call_arguments_write(&chat->head.messages, call->arguments);
    w.after_key = false;
    haft__json_end_object(&w);
}

void haft__anthropic_add_turn(haft__anthropic_chat *chat, const haft__message *message)
{
    if (message->call_count == 0 || haft__str_trim(message->text).len > 0) {
        haft__anthropic_add_text(&chat->head, HAFT__MESSAGE_ASSISTANT, message->text);
    }
    for (size_t i = 0; i < message->call_count; i++) {
        add_call(chat, &message->calls[i]);
    }
}

/* The number of values in JSON text that commas separate. */
static size_t count_items(haft_str text)
{
    size_t count = 1, depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
        } else {
            in_string = c == '"';
            depth += c == '{' || c == '[' ? 1 : 0;
            depth -= c == '}' || c == ']' ? 1 : 0;
            count += c == ',' && depth == 0 ? 1 : 0;
        }
    }
    return count;
}

void haft__anthropic_add_items(haft__anthropic_chat *chat, haft_str items)
{
    begin_blocks(chat, HAFT__MESSAGE_ASSISTANT);
    chat->blocks += count_items(items) - 1;
    haft__buf_add_str(&chat->head.messages, items);
}

/* ---- results ---- */

static bool is_deferred(const haft__request *request, const haft__tool *tool)
{
    size_t loaded = request->tool_count - request->deferred_count;
    for (size_t i = loaded; i < request->tool_count; i++) {
        if (haft__str_equal(request->tools[i]->name, tool->name)) {
            return true;
        }
    }
    return false;
}

/* The name of a deferred tool stands for its definition, which the API puts in its place. */
static void add_references(haft__json_writer *w, const haft__request *request,
                           const haft__message *result)
{
    for (size_t i = 0; i < result->revealed_count; i++) {
        if (is_deferred(request, result->revealed[i])) {
            haft__json_begin_object(w);
            haft__field_text(w, "type", HAFT__LIT("tool_reference"));
            haft__json_key(w, "tool_name");
            haft__conversation_add_name(w, result->revealed[i]->name);
            haft__json_end_object(w);
        }
    }
}

static bool reveals_deferred(const haft__request *request, const haft__message *result)
{
    bool found = false;
    for (size_t i = 0; i < result->revealed_count && !found; i++) {
        found = is_deferred(request, result->revealed[i]);
    }
    return found;
}

static void add_result(haft__anthropic_chat *chat, const haft__request *request, haft_str id,
                       const haft__message *result)
{
    haft__json_writer w;
    begin_blocks(chat, HAFT__MESSAGE_USER);
    haft__json_writer_init(&w, &chat->head.messages);
    haft__json_begin_object(&w);
    haft__field_text(&w, "type", HAFT__LIT("tool_result"));
    add_id(&w, "tool_use_id", id);
    if (reveals_deferred(request, result)) {
        haft__json_key(&w, "content");
        haft__json_begin_array(&w);
        write_text(&w, result->text);
        add_references(&w, request, result);
        haft__json_end_array(&w);
    } else if (result->text.len > 0) {
        haft__field_text(&w, "content", result->text);
    }
    if (result->is_error) {
        haft__field_flag(&w, "is_error", true);
    }
    haft__json_end_object(&w);
}

/* A result without its call is text: the API would reject it. */
void haft__anthropic_add_results(haft__anthropic_chat *chat, const haft__request *request,
                                 const haft__call_batch *batch)
{
    static const haft__message none = {
        .text = {HAFT__CALL_WITHOUT_RESULT, sizeof(HAFT__CALL_WITHOUT_RESULT) - 1},
        .is_error = true};
    for (size_t i = 0; batch->turn != NULL && i < batch->turn->call_count; i++) {
        haft_str id = batch->turn->calls[i].id;
        const haft__message *result = haft__call_results_find(batch->results, batch->count, id);
        add_result(chat, request, id, result != NULL ? result : &none);
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (!haft__call_results_has_call(batch->turn, &batch->results[i])) {
            haft__anthropic_add_text(&chat->head, HAFT__MESSAGE_USER, batch->results[i].text);
        }
    }
}
