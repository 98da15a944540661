/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_text.c - requests to a model whose calls are written in its text: the system prompt
 * teaches the tools; calls and results are ordinary messages.
 *
 * Results are sent in a user's message: a server rejects a tool message that does not follow native
 * calls. Tests: tests/model/providers/openai_chat/request_text_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "format/render.h"
#include "model/providers/openai_chat/request_int.h"
#include "tool/wire_name.h"

/* Added if a server constrains a reply to JSON although another format is taught. */
#define JSON_ALONE                                                                                 \
    " Write the call in this reply as JSON alone, with the name and the arguments, and nothing "   \
    "around it."

/* ---- names ---- */

static haft_str wire_name(haft__arena *arena, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name.len > 0 ? name : HAFT__LIT("_"));
    return haft__arena_copy(arena, haft__wire_name_str(&wire));
}

/* ---- messages ---- */

static void add_message(haft__buf *buf, const char *role, const haft__buf *text)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "role");
    haft__json_add_str(&w, haft__str(role));
    haft__json_key(&w, "content");
    haft__json_add_str(&w, haft__buf_str(text));
    haft__json_end_object(&w);
    if (text->status != HAFT_OK) {
        haft__buf_fail(buf, text->status, text->why);
    }
}

/* Instructions and plan, followed by how to call tools. */
void haft__chat_text_system(const haft__chat *chat, haft__buf *buf, haft_str instructions)
{
    haft__buf text;
    haft__buf_init(&text, buf->max);
    haft__buf_add_str(&text, instructions);
    if (instructions.len > 0 && chat->tool_prompt.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT("\n\n"));
    }
    haft__buf_add_str(&text, haft__buf_str(&chat->tool_prompt));
    add_message(buf, "system", &text);
    haft__buf_finish(&text);
}

/* The number of calls before the next message: some formats count them (%f of format/state.h). */
static size_t count_calls(const haft__chat *chat, const haft__messages *messages)
{
    size_t calls = 0;
    for (size_t i = 0; i < chat->done; i++) {
        calls += messages->items[i].call_count;
    }
    return calls;
}

/* The number of the call with this id, which is in the last turn with calls. */
static size_t find_number(const haft__message *next, size_t made, haft_str id, size_t otherwise)
{
    while (made > 0 && next[-1].call_count == 0) {
        next--;
    }
    size_t count = made > 0 ? next[-1].call_count : 0;
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(next[-1].calls[i].id, id)) {
            return made - count + i;
        }
    }
    return otherwise;
}

static haft_status add_turn(haft__chat *chat, const haft__message *message, size_t made_before,
                            haft__arena *arena, haft_error *err)
{
    haft__format_call *calls = haft__arena_array(arena, message->call_count, sizeof(*calls));
    bool made = calls != NULL;
    for (size_t i = 0; made && i < message->call_count; i++) {
        const haft__message_call *call = &message->calls[i];
        calls[i] = (haft__format_call){.id = call->id,
                                       .name = wire_name(arena, call->name),
                                       .arguments = call->arguments,
                                       .malformed = call->malformed.len > 0,
                                       .number = made_before + i};
        made = calls[i].name.ptr != NULL;
    }
    if (!made) {
        return haft__arena_fail(arena, err);
    }
    haft__buf text;
    haft__buf_init(&text, chat->messages.max);
    haft__format_write_calls(&text, chat->format, message->text, calls, message->call_count);
    add_message(&chat->messages, "assistant", &text);
    haft__buf_finish(&text);
    return HAFT_OK;
}

/* Adds consecutive results as one message. */
static haft_status add_results(haft__chat *chat, const haft__message *first, size_t count,
                               size_t made_before, haft__arena *arena, haft_error *err)
{
    haft__format_result *results = haft__arena_array(arena, count, sizeof(*results));
    bool made = results != NULL;
    for (size_t i = 0; made && i < count; i++) {
        results[i] =
            (haft__format_result){.id = first[i].call_id,
                                  .name = wire_name(arena, first[i].call_name),
                                  .text = first[i].text,
                                  .number = find_number(first, made_before, first[i].call_id, i)};
        made = results[i].name.ptr != NULL;
    }
    if (!made) {
        return haft__arena_fail(arena, err);
    }
    haft__buf text;
    haft__buf_init(&text, chat->messages.max);
    haft__format_write_results(&text, chat->format, results, count);
    add_message(&chat->messages, "user", &text);
    haft__buf_finish(&text);
    return HAFT_OK;
}

static size_t count_results(const haft__messages *messages, size_t first)
{
    size_t i = first;
    while (i < messages->count && messages->items[i].role == HAFT__MESSAGE_TOOL) {
        i++;
    }
    return i - first;
}

/* Adds the next message, or the next few. */
static haft_status add_next(haft__chat *chat, const haft__messages *messages, haft__arena *arena,
                            haft_error *err)
{
    const haft__message *message = &messages->items[chat->done];
    size_t results = count_results(messages, chat->done);
    haft_status status = HAFT_OK;
    if (chat->done > 0) {
        haft__chat_write_separator(chat->provider, &chat->messages, message - 1, message);
    }
    if (chat->done == 0 && message->role == HAFT__MESSAGE_SYSTEM) {
        haft__chat_text_system(chat, &chat->messages, message->text);
    } else if (results > 0) {
        status = add_results(chat, message, results, count_calls(chat, messages), arena, err);
    } else if (message->role == HAFT__MESSAGE_ASSISTANT) {
        status = add_turn(chat, message, count_calls(chat, messages), arena, err);
    } else {
        haft__chat_write_message(chat->provider, &chat->messages, message);
    }
    chat->done += results > 0 ? results : 1;
    return status;
}

/* Without instructions the tools need a system message. */
static void begin(haft__chat *chat, const haft__messages *messages)
{
    bool has_system = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    if (chat->done == 0 && !has_system && messages->count > 0 && chat->tool_prompt.len > 0) {
        haft__chat_text_system(chat, &chat->messages, HAFT__LIT(""));
        haft__buf_add_char(&chat->messages, ',');
    }
}

/* ---- synchronising ---- */

/* A hash of the tools. Their count is not enough: one may be removed and another added. */
static uint64_t mark_of(const haft__request *request)
{
    uint64_t mark = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        mark = (mark ^ (uintptr_t)request->tools[i]) * 1099511628211U;
    }
    return mark;
}

static haft_status teach(haft__chat *chat, const haft__request *request, haft__arena *arena,
                         haft_error *err)
{
    const haft__format_tool *tools = NULL;
    haft_status status = haft__request_format_tools(request, arena, &tools, err);
    if (status == HAFT_OK) {
        haft__buf_clear(&chat->tool_prompt);
        haft__history history =
            request->transcript ? HAFT__HISTORY_TRANSCRIPT : HAFT__HISTORY_NATIVE;
        haft__format_write_tools(&chat->tool_prompt, chat->format, history, tools,
                                 request->tool_count);
        chat->tool_prompt_count = request->tool_count;
        chat->tool_prompt_hash = mark_of(request);
        haft__buf_clear(&chat->messages); /* the tools come before them */
        chat->done = 0;
    }
    return status;
}

haft_status haft__chat_text_sync(haft__chat *chat, const haft__request *request, haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = HAFT_OK;
    if (chat->tool_prompt_count != request->tool_count
        || chat->tool_prompt_hash != mark_of(request)) {
        status = teach(chat, request, &arena, err);
    }
    if (status == HAFT_OK && !request->transcript) {
        begin(chat, request->messages);
        while (status == HAFT_OK && chat->done < request->messages->count) {
            status = add_next(chat, request->messages, &arena, err);
        }
    }
    haft__arena_finish(&arena);
    return status;
}

/* ---- the final message ---- */

/* The tools that may be called now, if they differ from those taught. */
static void add_choice(haft__buf *text, const haft__request *request)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__wire_name tool =
        haft__wire_name_encode(request->tool.len > 0 ? request->tool : HAFT__LIT("_"));
    haft__format_choice choice = {.mode = request->mode, .tool = haft__wire_name_str(&tool)};
    haft_str *names = haft__arena_array(&arena, request->tool_count, sizeof(*names));
    bool made = names != NULL;
    for (size_t i = 0; made && i < request->tool_count; i++) {
        if (request->allowed[i]) {
            names[choice.allowed_count] = wire_name(&arena, request->tools[i]->name);
            made = names[choice.allowed_count++].ptr != NULL;
        }
    }
    if (!made) {
        haft__buf_fail(text, HAFT_NO_MEMORY, "out of memory");
    }
    choice.allowed = choice.allowed_count < request->tool_count ? names : NULL;
    haft__format_write_choice(text, &choice);
    haft__arena_finish(&arena);
}

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
    haft__buf_add_str(&text, request->correction);
    if (request->correction.len == 0 && request->tool_count > 0) {
        add_choice(&text, request);
    }
    if (text.len > 0 && request->reply_format.len > 0
        && haft__format_find(request->reply_format) != chat->format) {
        haft__buf_add_str(&text, HAFT__LIT(JSON_ALONE)); /* not with the marks that were taught */
    }
    bool grows =
        last != NULL && (last->role == HAFT__MESSAGE_USER || last->role == HAFT__MESSAGE_TOOL);
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
