/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the messages of a conversation that are kept, and the request around them. Tests:
 * tests/model/providers/anthropic/request_test.c. */
#include "model/providers/anthropic/request.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/call_results.h"
#include "model/model_rules.h"
#include "model/providers/anthropic/request_int.h"
#include "prompt/prompt.h"
#include "json/object.h"

/* Estimated bytes of a request besides messages and tools: model, choice, options. */
#define OTHER_BYTES 512

/* The provider caches everything up to a block with this member. */
#define MARK "\"cache_control\":{\"type\":\"ephemeral\"}"

void haft__anthropic_chat_init(haft__anthropic_chat *chat, const haft__provider *provider)
{
    *chat = (haft__anthropic_chat){.provider = provider};
    haft__buf_init(&chat->system, (size_t)HAFT__LIMIT_RUN_BYTES);
    haft__anthropic_messages_init(&chat->messages);
    haft__declared_tools_init(&chat->own);
    haft__tool_prompt_init(&chat->tool_prompt);
}

void haft__anthropic_chat_finish(haft__anthropic_chat *chat)
{
    haft__buf_finish(&chat->system);
    haft__anthropic_messages_finish(&chat->messages);
    haft__declared_tools_finish(&chat->own);
    haft__tool_prompt_finish(&chat->tool_prompt);
}

static void clear_messages(haft__anthropic_chat *chat)
{
    haft__anthropic_messages_clear(&chat->messages);
    chat->done = 0;
    chat->base = 0;
    chat->unsent = 0;
}

/* ---- tools ---- */

static void write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "name");
    haft__anthropic_add_name(&w, tool->name);
    haft__field_text(&w, "description", tool->description);
    haft__json_key(&w, "input_schema");
    haft__tool_schema_write(&w, &haft__tool_schema_anthropic, tool->input_schema);
    haft__json_end_object(&w);
}

static haft_str tools_text(const haft__anthropic_chat *chat, const haft__request *request)
{
    bool declares = chat->format == NULL && request->tool_count > 0;
    return declares ? haft__declared_tools_text(chat->tools, request->tool_count)
                    : (haft_str){NULL, 0};
}

/* ---- kept text ---- */

/* A hash that depends on `before` and on the text; never 0. It is stored with replies: it is the
 * same in every process. */
static uint64_t mix(uint64_t before, haft_str text)
{
    uint64_t hash = haft__hash((haft__hash_key){before, 1}, text);
    return hash != 0 ? hash : 1;
}

static uint64_t prefix_of(const haft__anthropic_chat *chat)
{
    return mix(chat->prefix, haft__str_skip(haft__buf_str(&chat->messages.text), chat->hashed));
}

/* Reads the system prompt, which is not a message of the API. */
static void begin(haft__anthropic_chat *chat, const haft__messages *messages)
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

static haft_status add_turn(haft__anthropic_chat *chat, const haft__request *request,
                            const haft__message *message, haft_error *err)
{
    haft_str items = {NULL, 0};
    chat->prefix = prefix_of(chat);
    chat->hashed = chat->messages.text.len;
    haft_status status = haft__anthropic_find_items(chat, request, message, &items, err);
    if (items.len > 0) {
        haft__anthropic_add_items(&chat->messages, items);
    } else {
        chat->unsent += haft__anthropic_is_own(chat, request, message) ? 1 : 0;
        haft__anthropic_add_turn(&chat->messages, message);
    }
    return status;
}

/* Adds the next message, or the results of a turn. */
static haft_status add_next(haft__anthropic_chat *chat, const haft__request *request,
                            haft_error *err)
{
    const haft__messages *messages = request->messages;
    const haft__message *message = &messages->items[chat->done];
    bool after_calls = chat->done > 0 && message[-1].call_count > 0;
    size_t results = haft__call_results_count(messages, chat->done);
    haft_status status = HAFT_OK;
    if (after_calls || results > 0) {
        haft__anthropic_add_results(&chat->messages, after_calls ? message - 1 : NULL, message,
                                    results);
    }
    if (results == 0 && message->role == HAFT__MESSAGE_ASSISTANT) {
        status = add_turn(chat, request, message, err);
    } else if (results == 0) {
        haft__anthropic_add_text(&chat->messages, message->role, message->text);
    }
    chat->done += results > 0 ? results : 1;
    return status;
}

/* If thinking is bound to its prefix, messages after other tools have to be written again. */
static void check_base(haft__anthropic_chat *chat, const haft__request *request)
{
    uint64_t base = mix(mix(0, haft__buf_str(&chat->system)), tools_text(chat, request));
    if (base == chat->base) {
        return;
    }
    if (chat->messages.text.len > 0 && haft__model_rules_find(request->model)->binds_reasoning) {
        clear_messages(chat);
        begin(chat, request->messages);
    }
    chat->base = chat->prefix = base;
    chat->hashed = 0;
}

static haft_status sync_native(haft__anthropic_chat *chat, const haft__request *request,
                               haft__declared_tools *shared, haft_error *err)
{
    chat->tools = haft__declared_tools_can_share(shared, request) ? shared : &chat->own;
    haft_status status = haft__declared_tools_sync(chat->tools, request, write_tool, err);
    if (status != HAFT_OK || request->transcript) {
        return status;
    }
    begin(chat, request->messages);
    check_base(chat, request);
    while (status == HAFT_OK && chat->done < request->messages->count) {
        status = add_next(chat, request, err);
    }
    return status;
}

static haft_status add_next_text(haft__anthropic_chat *chat, const haft__messages *messages,
                                 haft_error *err)
{
    haft__buf text;
    size_t count = 1;
    haft__buf_init(&text, chat->messages.text.max);
    haft_status status =
        haft__text_message_write(chat->format, messages, chat->done, &text, &count, err);
    haft__anthropic_add_text(&chat->messages, messages->items[chat->done].role,
                             haft__buf_str(&text));
    haft__buf_finish(&text);
    chat->done += count;
    return status;
}

static haft_status sync_text(haft__anthropic_chat *chat, const haft__request *request,
                             haft_error *err)
{
    bool changed = false;
    haft_status status =
        haft__tool_prompt_sync(&chat->tool_prompt, chat->format, request, &changed, err);
    if (changed) { /* the tools come before the messages */
        clear_messages(chat);
    }
    if (status != HAFT_OK || request->transcript) {
        return status;
    }
    begin(chat, request->messages);
    while (status == HAFT_OK && chat->done < request->messages->count) {
        status = add_next_text(chat, request->messages, err);
    }
    return status;
}

static haft_status sync(haft__anthropic_chat *chat, const haft__request *request,
                        haft__declared_tools *shared, haft_error *err)
{
    const haft__format *format = haft__format_find(request->format);
    if (format != chat->format) { /* the kept text cannot be used */
        clear_messages(chat);
        haft__tool_prompt_clear(&chat->tool_prompt);
        chat->format = format;
    }
    haft_status status =
        format != NULL ? sync_text(chat, request, err) : sync_native(chat, request, shared, err);
    status = status == HAFT_OK ? haft__buf_check(&chat->system, err) : status;
    return status == HAFT_OK ? haft__buf_check(&chat->messages.text, err) : status;
}

/* The history of the planner shape: it is written anew for each request, because the task comes
 * last. */
static haft_status read_transcript(haft__anthropic_chat *chat, const haft__request *request,
                                   haft_error *err)
{
    haft__arena arena;
    haft__messages list;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__prompt_transcript(request->messages, request->task, chat->format, &arena, &list, err);
    clear_messages(chat);
    if (status == HAFT_OK) {
        begin(chat, &list);
        for (size_t i = chat->done; i < list.count; i++) {
            haft__anthropic_add_text(&chat->messages, list.items[i].role, list.items[i].text);
        }
        chat->done = 0;
        status = haft__buf_check(&chat->messages.text, err);
    }
    status = status == HAFT_OK ? haft__buf_check(&chat->system, err) : status;
    haft__arena_finish(&arena);
    return status;
}

/* ---- the request ---- */

/* The end of a block: with a mark for the cache, unless the server rejects them. */
static haft_str block_end(bool marks)
{
    return marks ? HAFT__LIT("," MARK "}") : HAFT__LIT("}");
}

static void write_system(const haft__anthropic_chat *chat, haft__json_writer *w, bool marks)
{
    if (haft__str_trim(haft__buf_str(&chat->system)).len == 0) {
        return;
    }
    haft__json_key(w, "system");
    haft__buf_add_str(w->buf, HAFT__LIT("[{\"type\":\"text\",\"text\":"));
    haft__json_write_string(w->buf, haft__buf_str(&chat->system));
    haft__buf_add_str(w->buf, block_end(marks));
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
}

/* Appends JSON text that ends in an object, and marks that object. */
static void add_marked(haft__buf *buf, haft_str text, bool marks)
{
    haft__buf_add(buf, text.ptr, text.len - 1);
    haft__buf_add_str(buf, block_end(marks));
}

static void write_tools(haft__json_writer *w, haft_str tools, bool marks)
{
    haft__json_key(w, "tools");
    haft__buf_add_char(w->buf, '[');
    add_marked(w->buf, tools, marks);
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
}

/* The kept messages, and a last text for this request only. Thinking cannot be marked, and the last
 * message of an assistant may end with it. Returns the end of what the next request repeats. */
static size_t write_messages(const haft__anthropic_chat *chat, haft__json_writer *w, haft_str last,
                             bool marks)
{
    haft_str kept = haft__buf_str(&chat->messages.text);
    bool marked = kept.len > 0 && chat->messages.role == HAFT__MESSAGE_USER;
    haft__json_key(w, "messages");
    haft__buf_add_char(w->buf, '[');
    size_t start = w->buf->len;
    if (marked) {
        add_marked(w->buf, kept, marks);
    } else {
        haft__buf_add_str(w->buf, kept);
    }
    if (last.len > 0) {
        haft__anthropic_end_with(w->buf, &chat->messages, last);
    }
    haft__buf_add_str(w->buf, kept.len + last.len > 0 ? HAFT__LIT("]}]") : HAFT__LIT("]"));
    w->after_key = false;
    return start + kept.len - (marked ? 1 : 0);
}

static size_t write_body(const haft__anthropic_chat *chat, const haft__request *request,
                         const haft__provider_request_options *options, haft_str last,
                         haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    haft_str tools = tools_text(chat, request);
    bool marks = haft__provider_use_member(options, HAFT__MEMBER_CACHE);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "model", request->model);
    write_system(chat, &w, marks);
    if (tools.len > 0) {
        write_tools(&w, tools, marks);
    }
    size_t messages = w.buf->len;
    size_t stable = write_messages(chat, &w, last, marks);
    if (tools.len > 0) {
        haft__anthropic_write_choice(chat->provider, &w, request, options);
    }
    haft__anthropic_write_options(chat->provider, &w, request, options);
    haft__json_end_object(&w);
    return (request->transcript ? messages : stable) - start;
}

haft_status haft__anthropic_chat_write(haft__anthropic_chat *chat, const haft__request *request,
                                       const haft__provider_request_options *options,
                                       haft__buf *buf, haft__provider_conversation *head,
                                       haft_error *err)
{
    haft_status status = sync(chat, request, options->shared_tools, err);
    if (status == HAFT_OK && request->transcript) {
        status = read_transcript(chat, request, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf last;
    haft__buf_init(&last, buf->max);
    if (chat->format != NULL) {
        haft__text_turn_write(chat->format, request, &last);
    } else {
        haft__buf_add_str(&last, request->correction);
    }
    /* Most of the request is kept text. If the buffer cannot grow, haft__buf_check reports it
     * later. */
    (void)!haft__buf_reserve(buf, chat->messages.text.len + chat->system.len
                                      + tools_text(chat, request).len + last.len
                                      + request->constraint.text.len + OTHER_BYTES);
    head->stable = write_body(chat, request, options, haft__buf_str(&last), buf);
    bool keeps = chat->format == NULL && !request->transcript;
    uint64_t prefix = keeps ? prefix_of(chat) : 0;
    head->prefix = keeps && last.len > 0 ? mix(prefix, haft__buf_str(&last)) : prefix;
    status = haft__buf_check(&last, err);
    haft__buf_finish(&last);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
