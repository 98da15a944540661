/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_items.c - the items of a reply's output: messages, reasoning and calls.
 *
 * Text and reasoning are emitted as they arrive. A call is emitted when its item is done: the item
 * has its name, its id and all arguments; the pieces before it count only if the reply was cut by
 * its token limit.
 *
 * A server sends an item up to three times: when it begins, when it is done, and in the whole
 * response at the end. `output_index` identifies it; some servers change its id from event to
 * event, and some have only ids.
 * Tests: tests/model/providers/openai_responses/stream_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/providers/openai_responses/stream_int.h"
#include "json/object.h"
#include "json/write.h"

#define SEPARATOR "\n\n" /* between two messages, or two parts of reasoning */

void haft__responses_items_finish(haft__responses_stream *stream)
{
    for (size_t i = 0; i < stream->item_count; i++) {
        haft__buf_finish(&stream->items[i].id);
        haft__buf_finish(&stream->items[i].call_id);
        haft__buf_finish(&stream->items[i].name);
        haft__buf_finish(&stream->items[i].pieces);
    }
    free(stream->items);
    stream->items = NULL;
    stream->item_count = stream->item_capacity = 0;
    haft__buf_finish(&stream->kept);
    haft__buf_finish(&stream->scratch);
}

/* ---- finding ---- */

static int64_t index_of(haft__json event)
{
    uint64_t index = haft__object_number(event, "output_index", UINT64_MAX);
    return index <= INT64_MAX ? (int64_t)index : HAFT__RESPONSES_NO_INDEX;
}

static bool has_id(const haft__responses_item *item, haft_str id)
{
    return haft__str_equal(haft__buf_str(&item->id), id);
}

/* The newest item with this index or, without an index, with this id; item_count if it does not
 * exist. */
static size_t find_item(const haft__responses_stream *stream, int64_t index, haft_str id)
{
    for (size_t i = stream->item_count; i > 0; i--) {
        const haft__responses_item *item = &stream->items[i - 1];
        bool same = index != HAFT__RESPONSES_NO_INDEX ? item->index == index
                    : id.len > 0                      ? has_id(item, id)
                                                      : !item->done;
        if (same) {
            return i - 1;
        }
    }
    return stream->item_count;
}

static haft_status add_item(haft__responses_stream *stream, int64_t index, haft_str id,
                            haft_error *err)
{
    if (stream->item_count == HAFT__LIMIT_REPLY_ITEMS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d items in a reply, found more",
                          HAFT__LIMIT_REPLY_ITEMS);
    }
    haft__responses_item *items = haft__vec_reserve(stream->items, &stream->item_capacity,
                                                    stream->item_count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__fail_no_memory(err);
    }
    stream->items = items;
    haft__responses_item *item = &stream->items[stream->item_count++];
    *item = (haft__responses_item){.index = index, .new_part = true};
    haft__buf_init(&item->id, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&item->call_id, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&item->name, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&item->pieces, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_add_str(&item->id, id);
    return haft__buf_check(&item->id, err);
}

haft_status haft__responses_item_of_piece(haft__responses_stream *stream, haft__json event,
                                          haft__responses_item **ret_item, haft_error *err)
{
    int64_t index = index_of(event);
    haft_str id = haft__object_string(event, "item_id");
    size_t at = find_item(stream, index, id);
    haft_status status = at == stream->item_count ? add_item(stream, index, id, err) : HAFT_OK;
    if (status == HAFT_OK) {
        *ret_item = &stream->items[at];
    }
    return status;
}

/* ---- pieces ---- */

static haft_status add_piece(haft__responses_item *item, haft_str text, haft_error *err)
{
    haft__buf_add_str(&item->pieces, text);
    return haft__buf_check(&item->pieces, err);
}

static haft_status emit_text(haft__responses_stream *stream, const haft__responses_item *item,
                             haft_str text, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (text.len > 0 && item->pieces.len == 0 && stream->has_text) {
        status = haft__reply_reader_add_text(&stream->reader, HAFT__LIT(SEPARATOR), err);
    }
    stream->has_text = stream->has_text || text.len > 0;
    return status == HAFT_OK ? haft__reply_reader_add_text(&stream->reader, text, err) : status;
}

haft_status haft__responses_add_text(haft__responses_stream *stream, haft__responses_item *item,
                                     haft_str text, haft_error *err)
{
    if (item->done) {
        return HAFT_OK;
    }
    haft_status status = emit_text(stream, item, text, err);
    return status == HAFT_OK ? add_piece(item, text, err) : status;
}

haft_status haft__responses_add_refusal(haft__responses_stream *stream, haft__responses_item *item,
                                        haft_str text, haft_error *err)
{
    haft__delta delta = {.kind = HAFT__DELTA_TEXT, .text = text};
    if (item->done || text.len == 0) {
        return HAFT_OK;
    }
    stream->reader.refused = stream->has_text = true;
    return haft__reply_reader_emit(&stream->reader, &delta, err);
}

static haft_status emit_reasoning(haft__responses_stream *stream, haft__responses_item *item,
                                  haft_str text, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (text.len == 0) {
        return HAFT_OK;
    }
    if (item->new_part && stream->has_reasoning) {
        status = haft__reply_reader_add_reasoning(&stream->reader, HAFT__LIT(SEPARATOR), err);
    }
    item->new_part = false;
    stream->has_reasoning = true;
    return status == HAFT_OK ? haft__reply_reader_add_reasoning(&stream->reader, text, err)
                             : status;
}

haft_status haft__responses_add_reasoning(haft__responses_stream *stream,
                                          haft__responses_item *item, haft_str text,
                                          haft_error *err)
{
    if (item->done) {
        return HAFT_OK;
    }
    item->streamed = item->streamed || text.len > 0;
    return emit_reasoning(stream, item, text, err);
}

haft_status haft__responses_add_arguments(haft__responses_stream *stream,
                                          haft__responses_item *item, haft_str text,
                                          haft_error *err)
{
    (void)stream;
    return item->done ? HAFT_OK : add_piece(item, text, err);
}

/* ---- messages and reasoning ---- */

/* Emits the part of the text that did not arrive in pieces. If the pieces are not the beginning of
 * the text, they count: they have been emitted already. */
static haft_status end_text(haft__responses_stream *stream, haft__responses_item *item,
                            haft__json content, haft_error *err)
{
    haft__buf *all = &stream->scratch;
    haft__buf_clear(all);
    for (uint32_t i = 0; content.kind == HAFT__JSON_ARRAY && i < content.count; i++) {
        haft__buf_add_str(all, haft__object_string(content.items[i], "text"));
    }
    if (content.kind == HAFT__JSON_STRING) { /* of some servers */
        haft__buf_add_str(all, haft__json_text(content));
    }
    haft_status status = haft__buf_check(all, err);
    haft_str text = haft__buf_str(all), seen = haft__buf_str(&item->pieces);
    if (status != HAFT_OK || !haft__str_starts_with(text, seen)) {
        return status;
    }
    return haft__responses_add_text(stream, item, haft__str_skip(text, seen.len), err);
}

static haft_status end_message(haft__responses_stream *stream, haft__responses_item *item,
                               haft__json value, haft_error *err)
{
    haft__json content = haft__object_get(value, "content");
    bool refused = stream->reader.refused;
    haft_status status = end_text(stream, item, content, err);
    for (uint32_t i = 0; content.kind == HAFT__JSON_ARRAY && i < content.count; i++) {
        haft_str refusal = haft__object_string(content.items[i], "refusal");
        if (status == HAFT_OK && !refused) {
            status = haft__responses_add_refusal(stream, item, refusal, err);
        }
    }
    return status;
}

static haft_status add_parts(haft__responses_stream *stream, haft__responses_item *item,
                             haft__json parts, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < parts.count; i++) {
        item->new_part = true;
        status = emit_reasoning(stream, item, haft__object_string(parts.items[i], "text"), err);
    }
    return status;
}

static haft_status end_reasoning(haft__responses_stream *stream, haft__responses_item *item,
                                 haft__json value, haft_error *err)
{
    if (item->streamed) {
        return HAFT_OK;
    }
    haft_status status = add_parts(stream, item, haft__object_array(value, "summary"), err);
    return status == HAFT_OK ? add_parts(stream, item, haft__object_array(value, "content"), err)
                             : status;
}

/* ---- calls ---- */

static haft_status emit_call(haft__responses_stream *stream, haft__responses_item *item,
                             haft_str arguments, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    item->begun = true;
    item->number = reader->numbered++;
    haft__delta delta = {.kind = HAFT__DELTA_CALL,
                         .index = item->number,
                         .id = haft__buf_str(&item->call_id),
                         .text = haft__reply_reader_tool_name(reader, haft__buf_str(&item->name))};
    haft_status status = haft__reply_reader_emit(reader, &delta, err);
    delta = (haft__delta){.kind = HAFT__DELTA_ARGUMENTS, .index = item->number, .text = arguments};
    return status == HAFT_OK && arguments.len > 0 ? haft__reply_reader_emit(reader, &delta, err)
                                                  : status;
}

/* Replaces a text that was received before, unless the new one is empty. */
static haft_status set_text(haft__buf *buf, haft_str text, haft_error *err)
{
    if (text.len > 0) {
        haft__buf_clear(buf);
        haft__buf_add_str(buf, text);
    }
    return haft__buf_check(buf, err);
}

static haft_status read_names(haft__responses_item *item, haft__json value, haft_error *err)
{
    haft_status status = set_text(&item->call_id, haft__object_string(value, "call_id"), err);
    return status == HAFT_OK ? set_text(&item->name, haft__object_string(value, "name"), err)
                             : status;
}

/* Arguments are a JSON text; some servers send an object. */
static haft_status end_call(haft__responses_stream *stream, haft__responses_item *item,
                            haft__json value, haft_error *err)
{
    haft__buf *text = &stream->reader.text;
    haft__json arguments = haft__object_get(value, "arguments");
    haft_status status = read_names(item, value, err);
    if (status != HAFT_OK || arguments.kind == HAFT__JSON_STRING) {
        return status == HAFT_OK ? emit_call(stream, item, haft__json_text(arguments), err)
                                 : status;
    }
    if (arguments.kind == HAFT__JSON_NULL) {
        return emit_call(stream, item, haft__buf_str(&item->pieces), err);
    }
    haft__buf_clear(text);
    haft__json_write(text, arguments);
    status = haft__buf_check(text, err);
    return status == HAFT_OK ? emit_call(stream, item, haft__buf_str(text), err) : status;
}

/* ---- the forms of an item ---- */

static const struct {
    const char *type;
    haft__responses_item_kind kind;
} kinds[] = {
    {"message", HAFT__RESPONSES_MESSAGE},
    {"reasoning", HAFT__RESPONSES_REASONING},
    {"function_call", HAFT__RESPONSES_CALL},
};

static haft__responses_item_kind kind_of(haft__json value)
{
    haft_str type = haft__object_string(value, "type");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(type, haft__str(kinds[i].type))) {
            return kinds[i].kind;
        }
    }
    return HAFT__RESPONSES_OTHER;
}

/* web_search_call, file_search_call ...: the provider ran it. Its input has another name in each.
 */
bool haft__responses_read_provider_call(haft__json item, haft__provider_call *ret_call)
{
    static const haft_str suffix = HAFT__LIT("_call");
    static const char *const own[] = {"function_call",    "custom_tool_call", "computer_call",
                                      "local_shell_call", "shell_call",       "apply_patch_call"};
    static const char *const asked[] = {"action", "queries", "code", "arguments"};
    haft_str type = haft__object_string(item, "type");
    if (!haft__str_ends_with(type, suffix) || haft__str_is_one_of(type, own, COUNT(own))) {
        return false;
    }
    *ret_call = (haft__provider_call){.type = {type.ptr, type.len - suffix.len},
                                      .id = haft__object_string(item, "id"),
                                      .arguments = haft__json_null()};
    for (size_t i = 0; i < COUNT(asked) && ret_call->arguments.kind == HAFT__JSON_NULL; i++) {
        ret_call->arguments = haft__object_get(item, asked[i]);
    }
    return true;
}

static bool has_member(haft__json value, const char *key)
{
    return haft__object_get(value, key).kind != HAFT__JSON_NULL;
}

/* Whether the neutral form of a reply has no place for something in this item. */
static bool needs_own_form(haft__responses_item_kind kind, haft__json value)
{
    switch (kind) {
    case HAFT__RESPONSES_MESSAGE: return has_member(value, "phase");
    case HAFT__RESPONSES_REASONING: return haft__object_string(value, "encrypted_content").len > 0;
    case HAFT__RESPONSES_CALL:
        return has_member(value, "namespace") || has_member(value, "caller")
               || has_member(value, "async");
    case HAFT__RESPONSES_OTHER: return true;
    }
    HAFT__UNREACHABLE();
}

/* Keeps the JSON of an item. Reasoning that is not encrypted is not kept: the server knows it only
 * by its id, and stores nothing. */
static haft_status keep(haft__responses_stream *stream, haft__responses_item *item,
                        haft__json value, haft_error *err)
{
    bool own = needs_own_form(item->kind, value);
    item->kept_start = item->kept_end = stream->kept.len;
    if (own || item->kind != HAFT__RESPONSES_REASONING) {
        haft__json_write(&stream->kept, value);
        item->kept_end = stream->kept.len;
    }
    stream->needs_items = stream->needs_items || own;
    return haft__buf_check(&stream->kept, err);
}

static haft_status end_item(haft__responses_stream *stream, haft__responses_item *item,
                            haft__json value, haft_error *err)
{
    haft_status status = HAFT_OK;
    item->kind = kind_of(value);
    switch (item->kind) {
    case HAFT__RESPONSES_MESSAGE: status = end_message(stream, item, value, err); break;
    case HAFT__RESPONSES_REASONING: status = end_reasoning(stream, item, value, err); break;
    case HAFT__RESPONSES_CALL: status = end_call(stream, item, value, err); break;
    case HAFT__RESPONSES_OTHER: break;
    }
    item->done = true;
    stream->done_count++;
    return status == HAFT_OK ? keep(stream, item, value, err) : status;
}

/* Whether an event is about another item than this one, which has its index: some servers use the
 * same index, or none, for every item. */
static bool is_other(const haft__responses_item *item, haft_str id, bool begins)
{
    bool known = id.len > 0 && item->id.len > 0, differs = known && !has_id(item, id);
    bool closed = item->done || item->index == HAFT__RESPONSES_NO_INDEX;
    return begins ? differs || (closed && !known) : item->done && differs;
}

static haft_status find_or_add(haft__responses_stream *stream, haft__json event, haft__json value,
                               bool begins, haft__responses_item **ret_item, haft_error *err)
{
    int64_t index = index_of(event);
    haft_str id = haft__object_string(value, "id");
    size_t at = find_item(stream, index, id);
    bool known = at < stream->item_count && !is_other(&stream->items[at], id, begins);
    haft_status status = known ? HAFT_OK : add_item(stream, index, id, err);
    if (status == HAFT_OK) {
        *ret_item = &stream->items[known ? at : stream->item_count - 1];
    }
    return status;
}

haft_status haft__responses_item_begin(haft__responses_stream *stream, haft__json event,
                                       haft_error *err)
{
    haft__json value = haft__object_get(event, "item");
    haft__responses_item *item = NULL;
    if (value.kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    haft_status status = find_or_add(stream, event, value, true, &item, err);
    if (status != HAFT_OK || item->done) {
        return status;
    }
    item->kind = kind_of(value);
    return read_names(item, value, err);
}

haft_status haft__responses_item_end(haft__responses_stream *stream, haft__json event,
                                     haft_error *err)
{
    haft__json value = haft__object_get(event, "item");
    haft__responses_item *item = NULL;
    if (value.kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    haft_status status = find_or_add(stream, event, value, false, &item, err);
    return status == HAFT_OK && !item->done ? end_item(stream, item, value, err) : status;
}

/* ---- the whole response ---- */

/* Reads the item at `index` of a whole response, unless it has arrived before. */
static haft_status read_item(haft__responses_stream *stream, uint32_t index, haft__json value,
                             haft_error *err)
{
    haft_str id = haft__object_string(value, "id");
    size_t at = find_item(stream, index, HAFT__LIT(""));
    if (at == stream->item_count && id.len > 0) {
        at = find_item(stream, HAFT__RESPONSES_NO_INDEX, id);
    }
    haft_status status = at == stream->item_count ? add_item(stream, index, id, err) : HAFT_OK;
    return status == HAFT_OK && !stream->items[at].done
               ? end_item(stream, &stream->items[at], value, err)
               : status;
}

haft_status haft__responses_read_output(haft__responses_stream *stream, haft__json output,
                                        haft_error *err)
{
    haft_status status = HAFT_OK;
    if (stream->done_count >= output.count) {
        return HAFT_OK; /* all have arrived: the end of a stream repeats them */
    }
    for (uint32_t i = 0; status == HAFT_OK && i < output.count; i++) {
        if (output.items[i].kind == HAFT__JSON_OBJECT) {
            status = read_item(stream, i, output.items[i], err);
        }
    }
    return status;
}

/* ---- the end ---- */

/* Whether the server accepts the items: all are complete and in their order, and reasoning is
 * followed by what it led to. */
static bool can_send_items(const haft__responses_stream *stream)
{
    bool can =
        stream->needs_items
        && (stream->reader.stop == HAFT__STOP_END || stream->reader.stop == HAFT__STOP_CALLS);
    haft__responses_item_kind last = HAFT__RESPONSES_REASONING;
    int64_t index = HAFT__RESPONSES_NO_INDEX;
    for (size_t i = 0; can && i < stream->item_count; i++) {
        const haft__responses_item *item = &stream->items[i];
        can = item->done && item->index >= index;
        index = item->index;
        last = item->kept_end > item->kept_start ? item->kind : last;
    }
    return can && last != HAFT__RESPONSES_REASONING;
}

static haft_status emit_items(haft__responses_stream *stream, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < stream->item_count; i++) {
        const haft__responses_item *item = &stream->items[i];
        haft__delta delta = {
            .kind = HAFT__DELTA_ITEM,
            .text = {stream->kept.ptr + item->kept_start, item->kept_end - item->kept_start}};
        if (delta.text.len > 0) {
            status = haft__reply_reader_emit(&stream->reader, &delta, err);
        }
    }
    return status;
}

/* A call that never ended. If the token limit has cut the reply, its arguments are those that
 * arrived; a refusal drops it. */
static haft_status end_open_call(haft__responses_stream *stream, haft__responses_item *item,
                                 haft_error *err)
{
    switch (stream->reader.stop) {
    case HAFT__STOP_LENGTH: return emit_call(stream, item, haft__buf_str(&item->pieces), err);
    case HAFT__STOP_REFUSAL: return HAFT_OK;
    case HAFT__STOP_END:
    case HAFT__STOP_PAUSE:
    case HAFT__STOP_CALLS: break;
    }
    return haft__fail(err, HAFT_BAD_INPUT, "", "a call has no end");
}

haft_status haft__responses_end_items(haft__responses_stream *stream, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < stream->item_count; i++) {
        haft__responses_item *item = &stream->items[i];
        if (item->kind == HAFT__RESPONSES_CALL && !item->begun) {
            status = end_open_call(stream, item, err);
        }
        haft__delta delta = {.kind = HAFT__DELTA_CALL_END, .index = item->number};
        if (status == HAFT_OK && item->begun) {
            status = haft__reply_reader_emit(&stream->reader, &delta, err);
        }
    }
    return status == HAFT_OK && can_send_items(stream) ? emit_items(stream, err) : status;
}
