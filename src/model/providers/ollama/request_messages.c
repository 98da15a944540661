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

/* ---- the messages of a conversation ---- */

static void add_message(haft__buf *buf, bool first, const haft__message *message)
{
    haft__buf_add_str(buf, first ? HAFT__LIT("") : HAFT__LIT(","));
    write_message(buf, message);
}

void haft__ollama_add_text(haft__provider_conversation *chat, haft__message_role role,
                           haft_str text)
{
    add_message(&chat->messages, chat->messages.len == 0,
                &(haft__message){.role = role, .text = text});
}

haft_status haft__ollama_add_message(haft__provider_conversation *chat,
                                     const haft__request *request, haft_error *err)
{
    (void)err;
    add_message(&chat->messages, chat->messages.len == 0, &request->messages->items[chat->done++]);
    return HAFT_OK;
}

/* The line for a request without a correction: that a call is required, which the API cannot
 * express. */
static void write_demand(const haft__request *request, haft__buf *line)
{
    haft__wire_name tool = haft__wire_name_encode(request->tool);
    if (request->mode == HAFT__MODE_TOOL) {
        haft__buf_addf(line, "Call the tool %.*s now.", HAFT__ARG(haft__wire_name_str(&tool)));
    } else if (request->mode == HAFT__MODE_ANY && request->tool_count > 0) {
        haft__buf_add_str(line, HAFT__LIT("Call a tool now; do not answer in text yet."));
    }
}

void haft__ollama_end_with(const haft__provider_conversation *chat, const haft__request *request,
                           haft_str last, haft__buf *buf)
{
    haft__buf line;
    haft__buf_init(&line, buf->max);
    haft__buf_add_str(&line, last);
    if (chat->format == NULL && last.len == 0) {
        write_demand(request, &line);
    }
    if (line.len > 0) {
        add_message(buf, chat->messages.len == 0,
                    &(haft__message){.role = HAFT__MESSAGE_USER, .text = haft__buf_str(&line)});
    }
    if (line.status != HAFT_OK) {
        haft__buf_fail(buf, line.status, line.why);
    }
    haft__buf_finish(&line);
}
