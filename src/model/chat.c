/* SPDX-License-Identifier: Apache-2.0 */
/* chat.c - requests as JSON text. Tests: tests/model/chat_test.c. */
#include "model/chat.h"

#include "base/limits.h"
#include "base/str.h"
#include "prompt/prompt.h"
#include "tool/wire.h"
#include "json/write.h"

#define MOST_BYTES ((size_t)HAFT__LIMIT_RUN_BYTES)

void haft__chat_init(haft__chat *chat)
{
    *chat = (haft__chat){0};
    haft__buf_init(&chat->messages, MOST_BYTES);
    haft__buf_init(&chat->tools, MOST_BYTES);
}

void haft__chat_finish(haft__chat *chat)
{
    haft__buf_finish(&chat->messages);
    haft__buf_finish(&chat->tools);
}

/* The name as providers allow it. */
static void add_name(haft__json_writer *w, haft_str name)
{
    haft__wire wire = haft__wire_encode(name);
    haft__json_add_str(w, haft__wire_str(&wire));
}

static void add_calls(haft__json_writer *w, const haft__message *message)
{
    haft__json_key(w, "tool_calls");
    haft__json_begin_array(w);
    for (size_t i = 0; i < message->call_count; i++) {
        const haft__message_call *call = &message->calls[i];
        haft__json_begin_object(w);
        haft__json_key(w, "id");
        haft__json_add_str(w, call->id);
        haft__json_key(w, "type");
        haft__json_add_str(w, HAFT__LIT("function"));
        haft__json_key(w, "function");
        haft__json_begin_object(w);
        haft__json_key(w, "name");
        add_name(w, call->name);
        haft__json_key(w, "arguments");
        haft__json_add_str(w, call->arguments);
        haft__json_end_object(w);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

void haft__chat_message(haft__buf *buf, const haft__message *message)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "role");
    haft__json_add_str(&w, haft__str(roles[message->role]));
    if (message->role == HAFT__MESSAGE_TOOL) {
        haft__json_key(&w, "tool_call_id");
        haft__json_add_str(&w, message->call_id);
    }
    haft__json_key(&w, "content");
    haft__json_add_str(&w, message->text);
    if (message->call_count > 0) {
        add_calls(&w, message);
    }
    haft__json_end_object(&w);
}

static void add_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "type");
    haft__json_add_str(&w, HAFT__LIT("function"));
    haft__json_key(&w, "function");
    haft__json_begin_object(&w);
    haft__json_key(&w, "name");
    add_name(&w, tool->name);
    haft__json_key(&w, "description");
    haft__json_add_str(&w, tool->description);
    haft__json_key(&w, "parameters");
    haft__json_add(&w, tool->input_schema);
    haft__json_end_object(&w);
    haft__json_end_object(&w);
}

haft_status haft__chat_sync(haft__chat *chat, const haft__request *request, haft_error *err)
{
    for (; !request->transcript && chat->done < request->messages->count; chat->done++) {
        haft__buf_add_str(&chat->messages, chat->done > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__chat_message(&chat->messages, &request->messages->items[chat->done]);
    }
    for (; chat->tools_done < request->tool_count; chat->tools_done++) {
        haft__buf_add_str(&chat->tools, chat->tools_done > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        add_tool(&chat->tools, request->tools[chat->tools_done]);
    }
    haft_status status = haft__buf_check(&chat->messages, err);
    return status == HAFT_OK ? haft__buf_check(&chat->tools, err) : status;
}

/* The planner shape: what came first, then everything as one text with the task at its end. */
static void add_transcript(haft__buf *buf, const haft__request *request)
{
    haft__buf text;
    haft__buf_init(&text, MOST_BYTES);
    haft__prompt_transcript(&text, request->messages, request->task);
    const haft__message *first = request->messages->count > 0 ? request->messages->items : NULL;
    if (first != NULL && first->role == HAFT__MESSAGE_SYSTEM) {
        haft__chat_message(buf, first);
        haft__buf_add_char(buf, ',');
    }
    haft__message task = {.role = HAFT__MESSAGE_USER, .text = haft__buf_str(&text)};
    haft__chat_message(buf, &task);
    buf->status = text.status != HAFT_OK ? text.status : buf->status;
    haft__buf_finish(&text);
}

static void add_choice(haft__json_writer *w, const haft__request *request)
{
    haft__json_key(w, "tool_choice");
    switch (request->mode) {
    case HAFT__MODE_AUTO: haft__json_add_str(w, HAFT__LIT("auto")); return;
    case HAFT__MODE_ANY: haft__json_add_str(w, HAFT__LIT("required")); return;
    case HAFT__MODE_NONE: haft__json_add_str(w, HAFT__LIT("none")); return;
    case HAFT__MODE_TOOL:
        haft__json_begin_object(w);
        haft__json_key(w, "type");
        haft__json_add_str(w, HAFT__LIT("function"));
        haft__json_key(w, "function");
        haft__json_begin_object(w);
        haft__json_key(w, "name");
        add_name(w, request->tool);
        haft__json_end_object(w);
        haft__json_end_object(w);
        return;
    }
    HAFT__UNREACHABLE();
}

void haft__chat_write(const haft__chat *chat, const haft__request *request, haft__buf *buf)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "model");
    haft__json_add_str(&w, request->model);
    if (request->tool_count > 0) {
        haft__json_key(&w, "tools");
        haft__buf_add_char(buf, '[');
        haft__buf_add_str(buf, haft__buf_str(&chat->tools));
        haft__buf_add_char(buf, ']');
        w.after_key = false;
    }
    haft__json_key(&w, "messages");
    haft__buf_add_char(buf, '[');
    if (request->transcript) {
        add_transcript(buf, request);
    } else {
        haft__buf_add_str(buf, haft__buf_str(&chat->messages));
    }
    if (request->correction.len > 0) {
        haft__message correction = {.role = HAFT__MESSAGE_USER, .text = request->correction};
        haft__buf_add_char(buf, ',');
        haft__chat_message(buf, &correction);
    }
    haft__buf_add_char(buf, ']');
    w.after_key = false;
    if (request->tool_count > 0) {
        add_choice(&w, request);
    }
    haft__json_end_object(&w);
}
