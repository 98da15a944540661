/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the declared tools, and the request around the serialized messages of the
 * conversation. Tests: tests/model/providers/gemini/request_test.c. */
#include "model/providers/gemini/request.h"

#include "base/str.h"
#include "model/providers/gemini/request_int.h"
#include "json/object.h"

/* ---- tools ---- */

void haft__gemini_write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__conversation_write_tool(&w, tool, "parametersJsonSchema", &haft__tool_schema_gemini);
}

/* ---- the request ---- */

static void write_system(const haft__provider_conversation *chat, haft__json_writer *w)
{
    haft_str system = haft__buf_str(&chat->system);
    if (haft__str_trim(system).len == 0) {
        return;
    }
    haft__json_key(w, "systemInstruction");
    haft__buf_add_str(w->buf, HAFT__LIT("{\"parts\":[{\"text\":"));
    haft__json_write_string(w->buf, system);
    haft__buf_add_str(w->buf, HAFT__LIT("}]}"));
    w->after_key = false;
}

/* Writes the serialized messages, then `last`, a text for this request only. Returns the end of
 * the serialized messages. */
static size_t write_contents(const haft__provider_conversation *chat, haft__json_writer *w,
                             haft_str last)
{
    haft__json_key(w, "contents");
    haft__buf_add_char(w->buf, '[');
    haft__buf_add_str(w->buf, haft__buf_str(&chat->messages));
    size_t end = w->buf->len;
    if (last.len > 0) {
        haft__gemini_write_text(w->buf, chat->messages.len == 0, HAFT__MESSAGE_USER, last);
    }
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
    return end;
}

static void write_provider_tool(haft__json_writer *w, const haft__provider_tool *row,
                                const haft__tool *tool)
{
    haft__json_begin_object(w);
    haft__json_key(w, row->wire);
    haft__json_begin_object(w);
    haft__provider_tool_add_members(w, tool);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

void haft__gemini_write_body(haft__provider_conversation *chat, const haft__request *request,
                             const haft__provider_request_options *options, haft_str last,
                             haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    write_system(chat, &w);
    bool any_tools =
        haft__conversation_add_tools(chat, &w, request, write_provider_tool,
                                     HAFT__LIT("{\"functionDeclarations\":["), HAFT__LIT("]}"));
    size_t contents = buf->len;
    size_t stable = write_contents(chat, &w, last);
    chat->stable = (request->transcript ? contents : stable) - start;
    if (any_tools) {
        haft__gemini_write_choice(&w, request, options);
    }
    haft__gemini_write_options(chat->provider, &w, request, options);
    if (options->continuation.len > 0) {
        haft__field_text(&w, "continuationToken", options->continuation);
    }
    haft__json_end_object(&w);
}
