/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the messages of a conversation that are kept, and the request around them. Tests:
 * tests/model/providers/gemini/request_test.c. */
#include "model/providers/gemini/request.h"

#include "base/limits.h"
#include "base/str.h"
#include "model/call_results.h"
#include "model/providers/gemini/request_int.h"
#include "prompt/prompt.h"
#include "json/object.h"

#define MOST_BYTES ((size_t)HAFT__LIMIT_RUN_BYTES)

/* Estimated bytes of a request besides messages and tools: choice, options. */
#define OTHER_BYTES 512

void haft__gemini_chat_init(haft__gemini_chat *chat, const haft__provider *provider)
{
    *chat = (haft__gemini_chat){.provider = provider};
    haft__buf_init(&chat->model, MOST_BYTES);
    haft__buf_init(&chat->system, MOST_BYTES);
    haft__buf_init(&chat->contents, MOST_BYTES);
    haft__declared_tools_init(&chat->own);
    haft__tool_prompt_init(&chat->tool_prompt);
}

void haft__gemini_chat_finish(haft__gemini_chat *chat)
{
    haft__buf_finish(&chat->model);
    haft__buf_finish(&chat->system);
    haft__buf_finish(&chat->contents);
    haft__declared_tools_finish(&chat->own);
    haft__tool_prompt_finish(&chat->tool_prompt);
}

/* ---- tools ---- */

static void write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "name");
    haft__gemini_add_name(&w, tool->name);
    haft__field_text(&w, "description", tool->description);
    haft__json_key(&w, "parametersJsonSchema");
    haft__tool_schema_write(&w, &haft__tool_schema_gemini, tool->input_schema);
    haft__json_end_object(&w);
}

/* ---- kept text ---- */

static void clear_contents(haft__gemini_chat *chat)
{
    haft__buf_clear(&chat->contents);
    chat->done = 0;
}

/* Reads the system prompt, which is not a content of the API. */
static void begin(haft__gemini_chat *chat, const haft__messages *messages)
{
    bool has_system = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    if (chat->done == 0) {
        haft__buf_clear(&chat->system);
        haft__tool_prompt_write_system(&chat->tool_prompt,
                                       has_system ? messages->items[0].text : HAFT__LIT(""),
                                       &chat->system);
        chat->done = has_system ? 1 : 0;
    }
}

/* Adds the next message, or the results of a turn. */
static void add_next(haft__gemini_chat *chat, const haft__messages *messages)
{
    const haft__message *message = &messages->items[chat->done];
    const haft__message *turn = chat->done > 0 && message[-1].call_count > 0 ? message - 1 : NULL;
    size_t results = haft__call_results_count(messages, chat->done);
    if (turn != NULL || results > 0) {
        haft__gemini_add_results(chat, &chat->contents, turn, message, results);
    }
    if (results == 0 && message->role == HAFT__MESSAGE_ASSISTANT) {
        haft__gemini_add_turn(chat, &chat->contents, message);
    } else if (results == 0) {
        haft__gemini_add_text(&chat->contents, message->role, message->text);
    }
    chat->done += results > 0 ? results : 1;
}

/* Adds the next message, or the next few, if the calls are in the text. */
static haft_status add_next_text(haft__gemini_chat *chat, const haft__messages *messages,
                                 haft_error *err)
{
    const haft__message *message = &messages->items[chat->done];
    haft__buf text;
    size_t count = 1;
    haft__buf_init(&text, MOST_BYTES);
    haft_status status =
        haft__text_message_write(chat->format, messages, chat->done, &text, &count, err);
    haft__gemini_add_text(&chat->contents, haft__text_message_role(message), haft__buf_str(&text));
    status = status == HAFT_OK ? haft__buf_check(&text, err) : status;
    haft__buf_finish(&text);
    chat->done += count;
    return status;
}

static haft_status sync_messages(haft__gemini_chat *chat, const haft__messages *messages,
                                 haft_error *err)
{
    haft_status status = HAFT_OK;
    begin(chat, messages);
    while (status == HAFT_OK && chat->done < messages->count) {
        if (chat->format != NULL) {
            status = add_next_text(chat, messages, err);
        } else {
            add_next(chat, messages);
        }
    }
    return status;
}

/* The history of the planner shape: it is written anew for each request, because the task comes
 * last. */
static haft_status read_transcript(haft__gemini_chat *chat, const haft__request *request,
                                   haft_error *err)
{
    haft__arena arena;
    haft__messages list;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__prompt_transcript(request->messages, request->task, chat->format, &arena, &list, err);
    clear_contents(chat);
    if (status == HAFT_OK) {
        begin(chat, &list);
        for (size_t i = chat->done; i < list.count; i++) {
            haft__gemini_add_text(&chat->contents, list.items[i].role, list.items[i].text);
        }
        chat->done = 0;
    }
    haft__arena_finish(&arena);
    return status;
}

/* The tools: declared, or in the system prompt, which comes before the messages. */
static haft_status sync_tools(haft__gemini_chat *chat, const haft__request *request,
                              haft__declared_tools *shared, haft_error *err)
{
    bool changed = false;
    haft_status status;
    if (chat->format == NULL) {
        chat->tools = haft__declared_tools_can_share(shared, request) ? shared : &chat->own;
        return haft__declared_tools_sync(chat->tools, request, write_tool, err);
    }
    status = haft__tool_prompt_sync(&chat->tool_prompt, chat->format, request, &changed, err);
    if (changed) {
        clear_contents(chat);
    }
    return status;
}

static haft_status sync(haft__gemini_chat *chat, const haft__request *request,
                        haft__declared_tools *shared, haft_error *err)
{
    const haft__format *format = haft__format_find(request->format);
    if (format != chat->format || !haft__str_equal(request->model, haft__buf_str(&chat->model))) {
        clear_contents(chat); /* the kept text cannot be used */
        haft__tool_prompt_clear(&chat->tool_prompt);
        haft__buf_clear(&chat->model);
        haft__buf_add_str(&chat->model, request->model);
        chat->format = format;
    }
    haft_status status = haft__buf_check(&chat->model, err);
    status = status == HAFT_OK ? sync_tools(chat, request, shared, err) : status;
    if (status == HAFT_OK) {
        status = request->transcript ? read_transcript(chat, request, err)
                                     : sync_messages(chat, request->messages, err);
    }
    status = status == HAFT_OK ? haft__buf_check(&chat->system, err) : status;
    return status == HAFT_OK ? haft__buf_check(&chat->contents, err) : status;
}

/* ---- the request ---- */

static haft_str tools_text(const haft__gemini_chat *chat, const haft__request *request)
{
    bool declares = chat->format == NULL && request->tool_count > 0;
    return declares ? haft__declared_tools_text(chat->tools, request->tool_count)
                    : (haft_str){NULL, 0};
}

static void write_system(const haft__gemini_chat *chat, haft__json_writer *w)
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

static void write_tools(haft__json_writer *w, haft_str tools)
{
    haft__json_key(w, "tools");
    haft__buf_add_str(w->buf, HAFT__LIT("[{\"functionDeclarations\":["));
    haft__buf_add_str(w->buf, tools);
    haft__buf_add_str(w->buf, HAFT__LIT("]}]"));
    w->after_key = false;
}

/* The kept messages, and a last text for this request only. Returns the end of the kept ones. */
static size_t write_contents(const haft__gemini_chat *chat, haft__json_writer *w, haft_str last)
{
    haft__json_key(w, "contents");
    haft__buf_add_char(w->buf, '[');
    haft__buf_add_str(w->buf, haft__buf_str(&chat->contents));
    size_t end = w->buf->len;
    if (last.len > 0) {
        haft__buf text;
        haft__buf_init(&text, MOST_BYTES);
        haft__gemini_add_text(&text, HAFT__MESSAGE_USER, last);
        haft__buf_add_str(w->buf, chat->contents.len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__buf_add_str(w->buf, haft__buf_str(&text));
        if (text.status != HAFT_OK) {
            haft__buf_fail(w->buf, text.status, text.why);
        }
        haft__buf_finish(&text);
    }
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
    return end;
}

static size_t write_body(const haft__gemini_chat *chat, const haft__request *request,
                         const haft__provider_request_options *options, haft_str last,
                         haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    haft_str tools = tools_text(chat, request);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    write_system(chat, &w);
    if (tools.len > 0) {
        write_tools(&w, tools);
    }
    size_t contents = buf->len;
    size_t stable = write_contents(chat, &w, last);
    if (tools.len > 0) {
        haft__gemini_write_choice(&w, request, options);
    }
    haft__gemini_write_options(chat->provider, &w, request, options->options);
    haft__json_end_object(&w);
    return (request->transcript ? contents : stable) - start;
}

haft_status haft__gemini_chat_write(haft__gemini_chat *chat, const haft__request *request,
                                    const haft__provider_request_options *options, haft__buf *buf,
                                    size_t *ret_stable, haft_error *err)
{
    haft_status status = sync(chat, request, options->shared_tools, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf last;
    haft__buf_init(&last, MOST_BYTES);
    if (chat->format != NULL) {
        haft__text_turn_write(chat->format, request, &last);
    } else {
        haft__buf_add_str(&last, request->correction);
    }
    /* Most of the request is kept text. If the buffer cannot grow, haft__buf_check reports it
     * later. */
    (void)!haft__buf_reserve(buf, chat->contents.len + chat->system.len
                                      + tools_text(chat, request).len + last.len
                                      + request->constraint.text.len + OTHER_BYTES);
    *ret_stable = write_body(chat, request, options, haft__buf_str(&last), buf);
    status = haft__buf_check(&last, err);
    haft__buf_finish(&last);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
