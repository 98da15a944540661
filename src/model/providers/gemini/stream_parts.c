/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_parts.c - the parts of a reply as deltas, and as items for the model that wrote them.
 *
 * A part with a signature is kept as it came: the signature is valid for this part only. Pieces of
 * text without a signature become one item. Thoughts without a signature are not sent back.
 * Tests: tests/model/providers/gemini/stream_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/providers/gemini/stream_int.h"
#include "json/object.h"
#include "json/write.h"

/* Items of a text format could not be sent back: calls and results are written differently there.
 */
static bool keeps_items(const haft__gemini_stream *stream)
{
    return stream->reader.options.format == NULL;
}

/* ---- items ---- */

static haft_status end_item(haft__gemini_stream *stream, haft_error *err)
{
    haft__buf_add_char(&stream->items, '\n');
    if (stream->count == HAFT__LIMIT_REPLY_ITEMS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d parts in a reply, found more",
                          HAFT__LIMIT_REPLY_ITEMS);
    }
    stream->count++;
    return haft__buf_check(&stream->items, err);
}

/* Adds the text since the last item. */
static haft_status flush_text(haft__gemini_stream *stream, haft_error *err)
{
    haft_status status = haft__buf_check(&stream->text, err);
    if (status != HAFT_OK || stream->text.len == 0) {
        return status;
    }
    haft__buf_add_str(&stream->items, HAFT__LIT("{\"text\":"));
    haft__json_write_string(&stream->items, haft__buf_str(&stream->text));
    haft__buf_add_char(&stream->items, '}');
    haft__buf_clear(&stream->text);
    return end_item(stream, err);
}

static haft_status add_item(haft__gemini_stream *stream, haft__json part, bool needed,
                            haft_error *err)
{
    if (!keeps_items(stream)) {
        return HAFT_OK;
    }
    haft_status status = flush_text(stream, err);
    if (status != HAFT_OK) {
        return status;
    }
    stream->needs_items = stream->needs_items || needed;
    haft__json_write(&stream->items, part);
    return end_item(stream, err);
}

haft_status haft__gemini_emit_items(haft__gemini_stream *stream, haft_error *err)
{
    haft_status status = keeps_items(stream) ? flush_text(stream, err) : HAFT_OK;
    haft_str rest = haft__buf_str(&stream->items);
    while (status == HAFT_OK && stream->needs_items && rest.len > 0) {
        haft__delta delta = {.kind = HAFT__DELTA_ITEM, .text = haft__str_split(&rest, '\n')};
        status = haft__reply_reader_emit(&stream->reader, &delta, err);
    }
    return status;
}

/* ---- parts ---- */

bool haft__gemini_read_provider_call(haft__json part, haft__provider_call *ret_call)
{
    const haft__json *call = haft__object_find_kind(part, "toolCall", HAFT__JSON_OBJECT);
    const haft__json *code = haft__object_find_kind(part, "executableCode", HAFT__JSON_OBJECT);
    if (call != NULL) {
        *ret_call = (haft__provider_call){.type = haft__object_string(*call, "toolType"),
                                          .id = haft__object_string(*call, "id"),
                                          .arguments = haft__object_get(*call, "args")};
    } else if (code != NULL) {
        *ret_call = (haft__provider_call){.type = HAFT__LIT("code_execution"), .arguments = *code};
    }
    return call != NULL || code != NULL;
}

/* Missing arguments are an empty object. */
static haft_status read_call(haft__gemini_stream *stream, haft__json call, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    const haft__json *args = haft__object_find(call, "args");
    uint32_t number = reader->numbered++;
    haft__delta begin = {
        .kind = HAFT__DELTA_CALL,
        .index = number,
        .id = haft__object_string(call, "id"),
        .text = haft__reply_reader_tool_name(reader, haft__object_string(call, "name"))};
    haft_status status = haft__reply_reader_emit(reader, &begin, err);
    if (status == HAFT_OK && args != NULL && args->kind != HAFT__JSON_NULL) {
        haft__buf_clear(&reader->text);
        haft__json_write(&reader->text, *args);
        haft__delta arguments = {
            .kind = HAFT__DELTA_ARGUMENTS, .index = number, .text = haft__buf_str(&reader->text)};
        status = haft__buf_check(&reader->text, err);
        status = status == HAFT_OK ? haft__reply_reader_emit(reader, &arguments, err) : status;
    }
    haft__delta end = {.kind = HAFT__DELTA_CALL_END, .index = number};
    return status == HAFT_OK ? haft__reply_reader_emit(reader, &end, err) : status;
}

static haft_status read_text(haft__gemini_stream *stream, haft__json part, haft_str text,
                             bool is_signed, haft_error *err)
{
    bool thought = haft__object_flag(part, "thought", false);
    haft_status status = thought ? haft__reply_reader_add_reasoning(&stream->reader, text, err)
                                 : haft__reply_reader_add_text(&stream->reader, text, err);
    if (status == HAFT_OK && is_signed) {
        return add_item(stream, part, true, err);
    }
    if (status == HAFT_OK && !thought && keeps_items(stream)) {
        haft__buf_add_str(&stream->text, text);
        status = haft__buf_check(&stream->text, err);
    }
    return status;
}

haft_status haft__gemini_read_part(haft__gemini_stream *stream, haft__json part, haft_error *err)
{
    const haft__json *call = haft__object_find_kind(part, "functionCall", HAFT__JSON_OBJECT);
    const haft__json *text = haft__object_find_kind(part, "text", HAFT__JSON_STRING);
    bool is_signed = haft__object_string(part, "thoughtSignature").len > 0;
    bool odd = call == NULL && haft__object_find(part, "functionCall") != NULL;
    if (part.kind != HAFT__JSON_OBJECT || part.count == 0 || odd) {
        return HAFT_OK;
    }
    if (call == NULL && text != NULL) {
        return read_text(stream, part, haft__json_text(*text), is_signed, err);
    }
    if (call == NULL) {
        return add_item(stream, part, true, err);
    }
    haft_status status = read_call(stream, *call, err);
    bool needed = is_signed || haft__object_string(*call, "id").len > 0;
    return status == HAFT_OK ? add_item(stream, part, needed, err) : status;
}
