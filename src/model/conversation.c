/* SPDX-License-Identifier: Apache-2.0 */
/* conversation.c - see conversation.h. Tests: tests/model/conversation_test.c and the tests of each
 * wire format. */
#include "model/conversation.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "prompt/prompt.h"
#include "tool/wire_name.h"
#include "json/object.h"

#define MAX_BYTES ((size_t)HAFT__LIMIT_RUN_BYTES)

/* Estimated bytes of a request besides messages and tools: model, choice, options. */
#define OTHER_BYTES 512

typedef haft__provider_conversation conversation;

haft_status haft__conversation_create(const haft__provider *provider,
                                      conversation **ret_conversation, haft_error *err)
{
    conversation *c = calloc(1, provider->api->conversation_size);
    if (c == NULL) {
        return haft__fail_no_memory(err);
    }
    c->provider = provider;
    haft__buf_init(&c->model, MAX_BYTES);
    haft__buf_init(&c->endpoint, MAX_BYTES);
    haft__buf_init(&c->system, MAX_BYTES);
    haft__buf_init(&c->messages, MAX_BYTES);
    haft__declared_tools_init(&c->own);
    haft__tool_prompt_init(&c->tool_prompt);
    *ret_conversation = c;
    return HAFT_OK;
}

void haft__conversation_destroy(conversation *c)
{
    if (c == NULL) {
        return;
    }
    haft__buf_finish(&c->model);
    haft__buf_finish(&c->endpoint);
    haft__buf_finish(&c->system);
    haft__buf_finish(&c->messages);
    haft__declared_tools_finish(&c->own);
    haft__tool_prompt_finish(&c->tool_prompt);
    free(c);
}

/* ---- kept text ---- */

static void clear_messages(conversation *c)
{
    haft__buf_clear(&c->messages);
    c->done = 0;
    c->unsent = 0;
}

/* Text that was kept for another format, model or endpoint cannot be used. */
static haft_status restart_if_changed(conversation *c, const haft__request *request,
                                      const haft__format *format, haft_error *err)
{
    if (format != c->format || !haft__str_equal(request->model, haft__buf_str(&c->model))
        || !haft__str_equal(request->endpoint, haft__buf_str(&c->endpoint))) {
        clear_messages(c);
        haft__tool_prompt_clear(&c->tool_prompt);
        haft__buf_clear(&c->model);
        haft__buf_add_str(&c->model, request->model);
        haft__buf_clear(&c->endpoint);
        haft__buf_add_str(&c->endpoint, request->endpoint);
        c->format = format;
    }
    if (c->rewrites != request->rewrites) {
        clear_messages(c);
        c->rewrites = request->rewrites;
    }
    haft_status status = haft__buf_check(&c->model, err);
    return status == HAFT_OK ? haft__buf_check(&c->endpoint, err) : status;
}

/* The tools: declared, or in the system prompt, which comes before the messages. */
static haft_status sync_tools(conversation *c, const haft__request *request,
                              const haft__provider_request_options *options, haft_error *err)
{
    bool changed = false;
    if (c->format == NULL) {
        const haft__provider_api *api = c->provider->api;
        haft__tool_writer *write =
            api->tool_writer != NULL ? api->tool_writer(c, request, options) : api->write_tool;
        haft__declared_tools *shared = options->shared_tools;
        c->tools = haft__declared_tools_can_share(shared, request, write) ? shared : &c->own;
        return haft__declared_tools_sync(c->tools, request, write, err);
    }
    haft_status status = haft__tool_prompt_sync(&c->tool_prompt, c->format, request, &changed, err);
    if (changed) {
        clear_messages(c);
    }
    return status;
}

static void add_text(conversation *c, haft__message_role role, const haft__buf *text)
{
    c->provider->api->add_text(c, role, haft__buf_str(text));
    c->last_role = role;
    if (text->status != HAFT_OK) {
        haft__buf_fail(&c->messages, text->status, text->why);
    }
}

/* Reads the system prompt. If it teaches tools, it is needed even without instructions. */
static void begin(conversation *c, const haft__messages *messages)
{
    bool has_system = messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM;
    if (c->done > 0) {
        return;
    }
    haft__buf_clear(&c->system);
    haft__tool_prompt_write_system(
        &c->tool_prompt, has_system ? messages->items[0].text : HAFT__LIT(""), &c->system);
    bool needed = messages->count > 0 && (has_system || c->tool_prompt.text.len > 0);
    if (needed && !c->provider->api->system_apart) {
        add_text(c, HAFT__MESSAGE_SYSTEM, &c->system);
    }
    c->done = has_system ? 1 : 0;
}

/* Adds the next message, or the next few, if the calls are in the text. */
static haft_status add_next_text(conversation *c, const haft__messages *messages, haft_error *err)
{
    haft__buf text;
    size_t count = 1;
    haft__buf_init(&text, MAX_BYTES);
    haft_status status = haft__text_message_write(c->format, messages, c->done, &text, &count, err);
    add_text(c, haft__text_message_role(&messages->items[c->done]), &text);
    haft__buf_finish(&text);
    c->done += count;
    c->last_role = messages->items[c->done - 1].role;
    return status;
}

static haft_status add_next(conversation *c, const haft__request *request, haft_error *err)
{
    haft_status status = c->provider->api->add_message(c, request, err);
    c->last_role = request->messages->items[c->done - 1].role;
    return status;
}

static haft_status sync_messages(conversation *c, const haft__request *request, haft_error *err)
{
    const haft__provider_api *api = c->provider->api;
    haft_status status = HAFT_OK;
    begin(c, request->messages);
    if (c->format == NULL && api->is_stale != NULL && api->is_stale(c, request)) {
        clear_messages(c);
        begin(c, request->messages);
    }
    while (status == HAFT_OK && c->done < request->messages->count) {
        status = c->format != NULL ? add_next_text(c, request->messages, err)
                                   : add_next(c, request, err);
    }
    return status;
}

/* Stands before a transcript, which begins with the assistant, if the API requires that the user
 * begins. */
#define BEGINNING "The calls so far:"

/* The history of the planner shape: it is written anew for each request, because the task comes
 * last. */
static haft_status read_transcript(conversation *c, const haft__request *request, haft_error *err)
{
    haft__arena arena;
    haft__messages list;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__prompt_transcript(request->messages, request->task, c->format, &arena, &list, err);
    clear_messages(c);
    if (status == HAFT_OK) {
        begin(c, &list);
        if (c->provider->api->user_first && c->done < list.count
            && list.items[c->done].role == HAFT__MESSAGE_ASSISTANT) {
            c->provider->api->add_text(c, HAFT__MESSAGE_USER, HAFT__LIT(BEGINNING));
        }
        for (size_t i = c->done; i < list.count; i++) {
            c->provider->api->add_text(c, list.items[i].role, list.items[i].text);
            c->last_role = list.items[i].role;
        }
        c->done = 0;
    }
    haft__arena_finish(&arena);
    return status;
}

static haft_status sync(conversation *c, const haft__request *request,
                        const haft__provider_request_options *options, haft_error *err)
{
    haft_status status = restart_if_changed(c, request, haft__format_find(request->format), err);
    status = status == HAFT_OK ? sync_tools(c, request, options, err) : status;
    if (status == HAFT_OK) {
        status =
            request->transcript ? read_transcript(c, request, err) : sync_messages(c, request, err);
    }
    status = status == HAFT_OK ? haft__buf_check(&c->system, err) : status;
    return status == HAFT_OK ? haft__buf_check(&c->messages, err) : status;
}

/* ---- requests ---- */

static haft_status write_from(conversation *c, const haft__request *request,
                              const haft__provider_request_options *options, haft__buf *buf,
                              haft_error *err)
{
    haft__buf turn;
    haft__buf_init(&turn, MAX_BYTES);
    haft_status status = sync(c, request, options, err);
    if (status == HAFT_OK && c->format != NULL) {
        haft__text_turn_write(c->format, request, &turn);
        status = haft__buf_check(&turn, err);
    }
    haft_str last = c->format != NULL ? haft__buf_str(&turn) : request->correction;
    if (status == HAFT_OK) {
        /* Most of the request is kept text. If the buffer cannot grow, haft__buf_check reports it
         * later. */
        (void)!haft__buf_reserve(buf, c->messages.len + c->system.len
                                          + haft__conversation_tools(c, request).len + last.len
                                          + request->constraint.text.len + OTHER_BYTES);
        c->provider->api->write_body(c, request, options, last, buf);
        status = haft__buf_check(buf, err);
    }
    haft__buf_finish(&turn);
    return status;
}

haft_status haft__conversation_write(conversation *c, const haft__request *request,
                                     const haft__provider_request_options *options, haft__buf *buf,
                                     haft_error *err)
{
    conversation *single = NULL;
    c->apart = c->done > 0 && haft__format_find(request->format) != c->format;
    if (!c->apart) {
        return write_from(c, request, options, buf, err);
    }
    haft_status status = haft__conversation_create(c->provider, &single, err);
    if (single == NULL) {
        return status;
    }
    single->context = c->context;
    status = write_from(single, request, options, buf, err);
    c->prefix = single->prefix;
    c->stable = single->stable;
    c->context = single->context;
    haft__conversation_destroy(single);
    return status;
}

/* ---- for wire formats ---- */

bool haft__conversation_owns_items(const conversation *c, const haft__message *message)
{
    return message->items.len > 0
           && haft__str_equal(message->items_provider, haft__str(c->provider->name))
           && haft__str_equal(message->items_model, haft__buf_str(&c->model))
           && haft__str_equal(message->items_endpoint, haft__buf_str(&c->endpoint));
}

haft_str haft__conversation_tools(const conversation *c, const haft__request *request)
{
    bool declares = c->format == NULL && request->tool_count > 0;
    return declares ? haft__declared_tools_text(c->tools, request->tool_count)
                    : (haft_str){NULL, 0};
}

bool haft__conversation_add_tools(const conversation *c, haft__json_writer *w,
                                  const haft__request *request, haft__provider_tool_writer *write,
                                  haft_str before, haft_str after)
{
    haft_str declared = haft__conversation_tools(c, request);
    size_t hosted = c->format == NULL ? request->provider_tool_count : 0;
    if (declared.len == 0 && hosted == 0) {
        return false;
    }
    haft__json_key(w, "tools");
    haft__buf_add_char(w->buf, '[');
    if (hosted > 0) {
        haft__provider_tools_write(c->provider, request, write, w->buf);
    }
    if (declared.len > 0) {
        haft__buf_add_str(w->buf, hosted > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__buf_add_str(w->buf, before);
        haft__buf_add_str(w->buf, declared);
        haft__buf_add_str(w->buf, after);
    }
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
    return true;
}

void haft__conversation_add_name(haft__json_writer *w, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name.len > 0 ? name : HAFT__LIT("_"));
    haft__json_add_str(w, haft__wire_name_str(&wire));
}

void haft__conversation_write_tool(haft__json_writer *w, const haft__tool *tool,
                                   const char *schema_key, const haft__tool_schema_rules *rules)
{
    haft__json_begin_object(w);
    haft__json_key(w, "name");
    haft__conversation_add_name(w, tool->name);
    haft__field_text(w, "description", tool->description);
    haft__json_key(w, schema_key);
    haft__tool_schema_write(w, rules, tool->input_schema);
    haft__json_end_object(w);
}

void haft__conversation_write_function(haft__buf *buf, const haft__tool *tool,
                                       const haft__tool_schema_rules *rules)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "type", HAFT__LIT("function"));
    haft__json_key(&w, "function");
    haft__conversation_write_tool(&w, tool, "parameters", rules);
    haft__json_end_object(&w);
}

const haft__tool *haft__conversation_named_tool(const haft__request *request)
{
    for (size_t i = 0; request->mode == HAFT__MODE_TOOL && i < request->tool_count; i++) {
        if (haft__str_equal(request->tools[i]->name, request->tool)) {
            return request->tools[i];
        }
    }
    return NULL;
}
