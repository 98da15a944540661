/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - the messages of a conversation that are kept, and the request around them. Tests:
 * tests/model/providers/anthropic/request_test.c. */
#include "model/providers/anthropic/request.h"

#include "base/hash.h"
#include "base/str.h"
#include "model/call_results.h"
#include "model/model_rules.h"
#include "model/providers/anthropic/request_int.h"
#include "json/object.h"

/* The provider caches everything up to a block with this member. */
#define MARK "\"cache_control\":{\"type\":\"ephemeral\"}"

/* So many blocks before a mark the provider looks for the mark of an earlier request. A request may
 * have four marks: at the tools, at the system prompt, and two in the messages. */
#define LOOKBACK 20

/* ---- tools ---- */

void haft__anthropic_write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__conversation_write_tool(&w, tool, "input_schema", &haft__tool_schema_anthropic);
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
    return mix(chat->prefix, haft__str_skip(haft__buf_str(&chat->head.messages), chat->hashed));
}

static haft_status add_turn(haft__anthropic_chat *chat, const haft__request *request,
                            const haft__message *message, haft_error *err)
{
    haft_str items = {NULL, 0};
    chat->prefix = prefix_of(chat);
    chat->hashed = chat->head.messages.len;
    haft_status status = haft__anthropic_find_items(chat, request, message, &items, err);
    if (items.len > 0) {
        haft__anthropic_add_items(chat, items);
    } else {
        chat->head.unsent += haft__conversation_owns_items(&chat->head, message) ? 1 : 0;
        haft__anthropic_add_turn(chat, message);
    }
    return status;
}

haft_status haft__anthropic_add_message(haft__provider_conversation *head,
                                        const haft__request *request, haft_error *err)
{
    haft__anthropic_chat *chat = (haft__anthropic_chat *)head;
    haft__call_batch batch = haft__call_results_at(request->messages, head->done);
    haft_status status = HAFT_OK;
    if (batch.turn != NULL || batch.count > 0) {
        haft__anthropic_add_results(chat, request, &batch);
    }
    if (batch.message != NULL && batch.message->role == HAFT__MESSAGE_ASSISTANT) {
        status = add_turn(chat, request, batch.message, err);
    } else if (batch.message != NULL) {
        haft__anthropic_add_text(head, batch.message->role, batch.message->text);
    }
    head->done += batch.count > 0 ? batch.count : 1;
    return status;
}

/* If thinking is bound to its prefix, messages after other tools have to be written again. */
bool haft__anthropic_is_stale(haft__provider_conversation *head, const haft__request *request)
{
    haft__anthropic_chat *chat = (haft__anthropic_chat *)head;
    bool empty = head->messages.len == 0;
    uint64_t base =
        mix(mix(0, haft__buf_str(&head->system)), haft__conversation_tools(head, request));
    if (base == chat->base && !empty) {
        return false;
    }
    chat->base = chat->prefix = base;
    chat->hashed = 0;
    return !empty && haft__model_rules_find(request->model)->binds_reasoning;
}

/* ---- the request ---- */

/* The end of a block: with a mark for the cache, unless the server rejects them. */
static haft_str block_end(bool marks)
{
    return marks ? HAFT__LIT("," MARK "}") : HAFT__LIT("}");
}

static void write_system(const haft__provider_conversation *chat, haft__json_writer *w, bool marks)
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

/* A dated type is sent as it is. */
static void write_provider_tool(haft__json_writer *w, const haft__provider_tool *row,
                                const haft__tool *tool)
{
    haft_str type = haft__provider_tool_type(tool);
    bool dated = !haft__str_equal(type, haft__str(row->type));
    haft__json_begin_object(w);
    haft__field_text(w, "type", dated ? type : haft__str(row->wire));
    haft__field_string(w, "name", row->type);
    haft__provider_tool_add_members(w, tool);
    haft__json_end_object(w);
}

/* The deferred tools, with the comma before them. */
static haft_str deferred_tools(const haft__provider_conversation *head,
                               const haft__request *request)
{
    haft_str all = haft__conversation_tools(head, request);
    size_t loaded = request->tool_count - request->deferred_count;
    return all.len == 0 || request->deferred_count == 0
               ? HAFT__LIT("")
               : haft__str_skip(all, haft__declared_tools_text(head->tools, loaded).len);
}

/* The last tool that is not deferred ends with a mark: the API caches no others. */
static void write_tools(const haft__provider_conversation *head, haft__json_writer *w,
                        const haft__request *request, const haft__provider_request_options *options,
                        bool marks)
{
    haft_str deferred = deferred_tools(head, request);
    bool written = haft__conversation_add_tools(head, w, request, write_provider_tool,
                                                HAFT__LIT(""), HAFT__LIT(""));
    if (deferred.len > 0) {
        (void)haft__provider_use_member(options, HAFT__MEMBER_DEFER);
    }
    if (written && marks && w->buf->status == HAFT_OK) {
        w->buf->len -= strlen("}]") + deferred.len;
        haft__buf_add_str(w->buf, block_end(true));
        haft__buf_add_str(w->buf, deferred);
        haft__buf_add_char(w->buf, ']');
    }
}

/* The kept messages, and a last text for this request only. Thinking cannot be marked, and the last
 * message of an assistant may end with it. If the last turn is long, the mark of the request before
 * is repeated. Returns the end of what the next request repeats. */
static size_t write_messages(const haft__anthropic_chat *chat, haft__json_writer *w, haft_str last,
                             bool marks)
{
    haft_str kept = haft__buf_str(&chat->head.messages);
    bool marked = kept.len > 0 && chat->role == HAFT__MESSAGE_USER;
    bool long_turn = marks && marked && chat->turn > 0 && chat->blocks > LOOKBACK;
    haft__json_key(w, "messages");
    haft__buf_add_char(w->buf, '[');
    size_t start = w->buf->len, stable = start + kept.len - (marked ? 1 : 0);
    if (long_turn) {
        add_marked(w->buf, (haft_str){kept.ptr, chat->turn}, true);
        kept = haft__str_skip(kept, chat->turn);
        stable = start + chat->turn - 1;
    }
    if (marked) {
        add_marked(w->buf, kept, marks);
    } else {
        haft__buf_add_str(w->buf, kept);
    }
    if (last.len > 0) {
        haft__anthropic_end_with(w->buf, chat, last);
    }
    haft__buf_add_str(w->buf, kept.len + last.len > 0 ? HAFT__LIT("]}]") : HAFT__LIT("]"));
    w->after_key = false;
    return stable;
}

/* A hash of everything before the reply; 0 if nothing is kept. */
static uint64_t reply_prefix(const haft__anthropic_chat *chat, const haft__request *request,
                             haft_str last)
{
    if (chat->head.format != NULL || request->transcript) {
        return 0;
    }
    return last.len > 0 ? mix(prefix_of(chat), last) : prefix_of(chat);
}

void haft__anthropic_write_body(haft__provider_conversation *head, const haft__request *request,
                                const haft__provider_request_options *options, haft_str last,
                                haft__buf *buf)
{
    haft__anthropic_chat *chat = (haft__anthropic_chat *)head;
    haft__json_writer w;
    size_t start = buf->len;
    haft_str tools = haft__conversation_tools(head, request);
    bool marks = haft__provider_use_member(options, HAFT__MEMBER_CACHE);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "model", request->model);
    write_system(head, &w, marks);
    write_tools(head, &w, request, options, marks);
    size_t messages = w.buf->len;
    size_t stable = write_messages(chat, &w, last, marks);
    head->stable = (request->transcript ? messages : stable) - start;
    head->prefix = reply_prefix(chat, request, last);
    if (tools.len > 0) {
        haft__anthropic_write_choice(head->provider, &w, request, options);
    }
    haft__anthropic_write_options(head->provider, &w, request, options);
    haft__json_end_object(&w);
}
