/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_block.c - one block of a reply: its pieces as deltas, and the whole block as the provider
 * gets it back.
 *
 * The item of a block has the members that came with its beginning, followed by those that came in
 * pieces. Strings are written again with the same characters; numbers are not changed.
 * Tests: tests/model/providers/anthropic/stream_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/call_arguments.h"
#include "model/providers/anthropic/items.h"
#include "model/providers/anthropic/stream_int.h"
#include "json/object.h"

/* The members of a block that come in pieces, and the name that their pieces have. */
static const struct {
    const char *member, *piece;
} parts[HAFT__ANTHROPIC_PART_COUNT] = {
    [HAFT__ANTHROPIC_TEXT] = {"text", "text"},
    [HAFT__ANTHROPIC_THINKING] = {"thinking", "thinking"},
    [HAFT__ANTHROPIC_SIGNATURE] = {"signature", "signature"},
    [HAFT__ANTHROPIC_INPUT] = {"input", "partial_json"},
    [HAFT__ANTHROPIC_CITATIONS] = {"citations", "citation"},
};

void haft__anthropic_block_init(haft__anthropic_stream *stream)
{
    haft__buf_init(&stream->items, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&stream->block.item, HAFT__LIMIT_REPLY_BYTES);
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__buf_init(&stream->block.parts[i], HAFT__LIMIT_REPLY_BYTES);
    }
}

void haft__anthropic_block_finish(haft__anthropic_stream *stream)
{
    haft__buf_finish(&stream->items);
    haft__buf_finish(&stream->block.item);
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__buf_finish(&stream->block.parts[i]);
    }
}

/* Items of a text format could not be sent back: calls and results are written differently there.
 */
static bool keeps_items(const haft__anthropic_stream *stream)
{
    return stream->reader.options.format == NULL;
}

/* ---- pieces ---- */

static haft_status give_arguments(haft__anthropic_stream *stream, haft_str text, haft_error *err)
{
    haft__delta delta = {.kind = HAFT__DELTA_ARGUMENTS, .index = stream->block.call, .text = text};
    return text.len > 0 ? haft__reply_reader_emit(&stream->reader, &delta, err) : HAFT_OK;
}

/* Reports a piece to the caller, in the neutral form. */
static haft_status give(haft__anthropic_stream *stream, haft__anthropic_part part, haft_str text,
                        haft_error *err)
{
    haft__anthropic_block_kind kind = stream->block.kind;
    if (part == HAFT__ANTHROPIC_TEXT && kind == HAFT__ANTHROPIC_BLOCK_TEXT) {
        return haft__reply_reader_add_text(&stream->reader, text, err);
    }
    if (part == HAFT__ANTHROPIC_THINKING && kind == HAFT__ANTHROPIC_BLOCK_THINKING) {
        return haft__reply_reader_add_reasoning(&stream->reader, text, err);
    }
    return part == HAFT__ANTHROPIC_INPUT && kind == HAFT__ANTHROPIC_BLOCK_CALL
               ? give_arguments(stream, text, err)
               : HAFT_OK;
}

static haft_status add_piece(haft__anthropic_stream *stream, haft__anthropic_part part,
                             haft_str text, haft_error *err)
{
    haft__buf *kept = &stream->block.parts[part];
    if (text.len == 0) {
        return HAFT_OK;
    }
    if (part == HAFT__ANTHROPIC_INPUT && !stream->block.has_pieces) {
        stream->block.has_pieces = true;
        haft__buf_clear(kept); /* a block begins with the input {}: the pieces replace it */
    }
    if (keeps_items(stream)) {
        haft__buf_add_str(kept, text);
    }
    haft_status status = haft__buf_check(kept, err);
    return status == HAFT_OK ? give(stream, part, text, err) : status;
}

static haft_status add_citation(haft__anthropic_stream *stream, haft__json citation,
                                haft_error *err)
{
    haft__buf *kept = &stream->block.parts[HAFT__ANTHROPIC_CITATIONS];
    haft__buf_add_str(kept, kept->len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
    haft__json_write(kept, citation);
    return haft__buf_check(kept, err);
}

haft_status haft__anthropic_add_to_block(haft__anthropic_stream *stream, haft__json delta,
                                         haft_error *err)
{
    const haft__json *citation = haft__object_find_kind(delta, "citation", HAFT__JSON_OBJECT);
    haft_status status = citation != NULL ? add_citation(stream, *citation, err) : HAFT_OK;
    for (size_t i = 0; i < HAFT__ANTHROPIC_CITATIONS && status == HAFT_OK; i++) {
        status = add_piece(stream, (haft__anthropic_part)i,
                           haft__object_string(delta, parts[i].piece), err);
    }
    return status;
}

/* ---- the beginning ---- */

static haft__anthropic_block_kind kind_of(haft__json block)
{
    static const struct {
        const char *type;
        haft__anthropic_block_kind kind;
    } kinds[] = {{"text", HAFT__ANTHROPIC_BLOCK_TEXT},
                 {"thinking", HAFT__ANTHROPIC_BLOCK_THINKING},
                 {"tool_use", HAFT__ANTHROPIC_BLOCK_CALL}};
    haft_str type = haft__object_string(block, "type");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(type, haft__str(kinds[i].type))) {
            return kinds[i].kind;
        }
    }
    return HAFT__ANTHROPIC_BLOCK_OTHER;
}

/* The members that do not come in pieces. */
static void begin_item(haft__buf *item, haft__json block)
{
    haft__buf_clear(item);
    for (uint32_t i = 0; i < block.count; i++) {
        haft_str key = haft__json_text(block.members[i].key);
        bool in_pieces = false;
        for (size_t k = 0; k < COUNT(parts); k++) {
            in_pieces = in_pieces || haft__str_equal(key, haft__str(parts[k].member));
        }
        if (!in_pieces) {
            haft__buf_add_char(item, item->len > 0 ? ',' : '{');
            haft__json_write_string(item, key);
            haft__buf_add_char(item, ':');
            haft__json_write(item, block.members[i].value);
        }
    }
    haft__buf_add_str(item, item->len > 0 ? HAFT__LIT("") : HAFT__LIT("{"));
}

/* Whether the neutral form cannot express the block, as far as its beginning shows. */
static bool needs_item(haft__anthropic_block_kind kind, haft__json block)
{
    haft_str caller = haft__object_string(haft__object_object(block, "caller"), "type");
    return kind == HAFT__ANTHROPIC_BLOCK_OTHER
           || (caller.len > 0 && !haft__str_equal(caller, HAFT__LIT("direct")));
}

static haft_status begin_call(haft__anthropic_stream *stream, haft__json block, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    stream->block.call = reader->numbered++;
    haft__delta delta = {
        .kind = HAFT__DELTA_CALL,
        .index = stream->block.call,
        .id = haft__object_string(block, "id"),
        .text = haft__reply_reader_tool_name(reader, haft__object_string(block, "name"))};
    return haft__reply_reader_emit(reader, &delta, err);
}

/* The contents that came with the beginning: all of them in a whole reply, few in a stream. */
static haft_status add_contents(haft__anthropic_stream *stream, haft__json block, haft_error *err)
{
    const haft__json *input = haft__object_find(block, "input");
    haft__json citations = haft__object_array(block, "citations");
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < HAFT__ANTHROPIC_INPUT && status == HAFT_OK; i++) {
        status = add_piece(stream, (haft__anthropic_part)i,
                           haft__object_string(block, parts[i].member), err);
    }
    for (uint32_t i = 0; i < citations.count && status == HAFT_OK; i++) {
        status = add_citation(stream, citations.items[i], err);
    }
    if (status == HAFT_OK && input != NULL && input->kind != HAFT__JSON_NULL) {
        haft__json_write(&stream->block.parts[HAFT__ANTHROPIC_INPUT], *input);
        status = haft__buf_check(&stream->block.parts[HAFT__ANTHROPIC_INPUT], err);
    }
    return status;
}

haft_status haft__anthropic_begin_block(haft__anthropic_stream *stream, uint64_t index,
                                        haft__json block, haft_error *err)
{
    haft_status status = haft__anthropic_end_block(stream, err);
    if (status != HAFT_OK || block.kind != HAFT__JSON_OBJECT) {
        return status;
    }
    haft__anthropic_block *b = &stream->block;
    b->open = true;
    b->index = index;
    b->kind = kind_of(block);
    b->has_pieces = false;
    b->needs_item = needs_item(b->kind, block);
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__buf_clear(&b->parts[i]);
    }
    begin_item(&b->item, block);
    status = haft__buf_check(&b->item, err);
    if (status == HAFT_OK && b->kind == HAFT__ANTHROPIC_BLOCK_CALL) {
        status = begin_call(stream, block, err);
    }
    return status == HAFT_OK ? add_contents(stream, block, err) : status;
}

/* ---- the end ---- */

/* A text of white space is not sent back, because the API rejects it, and neither is thinking
 * without a signature. */
static bool has_item(const haft__anthropic_block *b)
{
    switch (b->kind) {
    case HAFT__ANTHROPIC_BLOCK_TEXT:
        return haft__str_trim(haft__buf_str(&b->parts[HAFT__ANTHROPIC_TEXT])).len > 0;
    case HAFT__ANTHROPIC_BLOCK_THINKING: return b->parts[HAFT__ANTHROPIC_SIGNATURE].len > 0;
    case HAFT__ANTHROPIC_BLOCK_CALL:
    case HAFT__ANTHROPIC_BLOCK_OTHER: return true;
    }
    HAFT__UNREACHABLE();
}

/* An input that was cut or is not an object is wrapped as in any history: thinking goes back only
 * together with the calls that follow it. */
static void add_part(haft__buf *item, haft__anthropic_part part, haft_str text)
{
    haft__buf_addf(item, "%s\"%s\":", item->len > 1 ? "," : "", parts[part].member);
    if (part == HAFT__ANTHROPIC_INPUT) {
        haft__call_arguments_write(item, text);
    } else if (part == HAFT__ANTHROPIC_CITATIONS) {
        haft__buf_add_char(item, '[');
        haft__buf_add_str(item, text);
        haft__buf_add_char(item, ']');
    } else {
        haft__json_write_string(item, text);
    }
}

/* Whether the block has the member even if it is empty. */
static bool requires(haft__anthropic_block_kind kind, haft__anthropic_part part)
{
    return (kind == HAFT__ANTHROPIC_BLOCK_CALL && part == HAFT__ANTHROPIC_INPUT)
           || (kind == HAFT__ANTHROPIC_BLOCK_THINKING && part == HAFT__ANTHROPIC_THINKING);
}

/* Items are lines, so white space of the input must not have line ends. */
static void add_item(haft__anthropic_stream *stream)
{
    haft__anthropic_block *b = &stream->block;
    bool hosted_call =
        b->kind == HAFT__ANTHROPIC_BLOCK_OTHER && b->parts[HAFT__ANTHROPIC_INPUT].len > 0;
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (b->parts[i].len > 0 || requires(b->kind, (haft__anthropic_part)i)) {
            add_part(&b->item, (haft__anthropic_part)i, haft__buf_str(&b->parts[i]));
        }
    }
    haft__buf_add_char(&b->item, '}');
    for (size_t i = 0; i < b->item.len; i++) {
        char *c = &b->item.ptr[i];
        *c = (char)(*c == '\n' || *c == '\r' ? ' ' : *c);
    }
    haft__buf_add_str(&stream->items, haft__buf_str(&b->item));
    haft__buf_add_char(&stream->items, '\n');
    stream->answered = hosted_call ? stream->answered : stream->items.len;
    stream->needs_items = stream->needs_items || b->needs_item
                          || b->kind == HAFT__ANTHROPIC_BLOCK_THINKING
                          || b->parts[HAFT__ANTHROPIC_CITATIONS].len > 0;
}

/* In a stream, and in a reply that the token limit cut, the input {} may stand for one that has not
 * arrived. */
static haft_status end_call(haft__anthropic_stream *stream, haft_error *err)
{
    haft__anthropic_block *b = &stream->block;
    haft_status status = HAFT_OK;
    haft_str input = haft__buf_str(&b->parts[HAFT__ANTHROPIC_INPUT]);
    bool may_be_missing = stream->reader.has_event || stream->reader.stop == HAFT__STOP_LENGTH;
    bool empty = haft__str_equal(input, HAFT__LIT("{}")) && may_be_missing;
    if (!b->has_pieces && !empty) {
        status = give_arguments(stream, input, err);
    }
    haft__delta delta = {.kind = HAFT__DELTA_CALL_END, .index = b->call};
    return status == HAFT_OK ? haft__reply_reader_emit(&stream->reader, &delta, err) : status;
}

haft_status haft__anthropic_end_block(haft__anthropic_stream *stream, haft_error *err)
{
    haft__anthropic_block *b = &stream->block;
    haft_status status = HAFT_OK;
    if (!b->open) {
        return HAFT_OK;
    }
    b->open = false;
    if (b->kind == HAFT__ANTHROPIC_BLOCK_CALL) {
        status = end_call(stream, err);
    }
    if (status == HAFT_OK && keeps_items(stream) && has_item(b)) {
        add_item(stream);
        status = haft__buf_check(&b->item, err);
    }
    return status == HAFT_OK ? haft__buf_check(&stream->items, err) : status;
}

/* ---- items ---- */

static haft_status emit_item(haft__anthropic_stream *stream, haft_str item, haft_error *err)
{
    haft__delta delta = {.kind = HAFT__DELTA_ITEM, .text = item};
    return haft__reply_reader_emit(&stream->reader, &delta, err);
}

haft_status haft__anthropic_emit_items(haft__anthropic_stream *stream, haft_error *err)
{
    haft_str rest = haft__buf_str(&stream->items);
    haft__buf *first = &stream->block.item;
    haft_status status = HAFT_OK;
    if (stream->reader.stop == HAFT__STOP_LENGTH) {
        rest.len = stream->answered; /* the API rejects a call of its own without a result */
    }
    if (!stream->needs_items || rest.len == 0) {
        return HAFT_OK;
    }
    haft__buf_clear(first);
    if (stream->reader.options.prefix != 0) {
        haft__anthropic_write_prefix(first, stream->reader.options.prefix);
        status = haft__buf_check(first, err);
        status = status == HAFT_OK ? emit_item(stream, haft__buf_str(first), err) : status;
    }
    while (status == HAFT_OK && rest.len > 0) {
        status = emit_item(stream, haft__str_split(&rest, '\n'), err);
    }
    return status;
}
