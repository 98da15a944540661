/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_details.c - `reasoning_details` of gateways: the reasoning in blocks, some of them signed
 * or encrypted. The gateway wants the blocks of its reply back unchanged.
 *
 * A stream sends a block of text in pieces with the same type and index; they become one block.
 * Tests: tests/model/providers/openai_chat/stream_details_test.c. Fuzzer: fuzz/openai_stream.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/providers/openai_chat/stream_int.h"
#include "json/object.h"
#include "json/write.h"

/* ---- the open block ---- */

void haft__openai_details_init(haft__openai_details *details)
{
    haft__buf *const all[] = {&details->items, &details->key,  &details->members,
                              &details->id,    &details->text, &details->signature};
    for (size_t i = 0; i < COUNT(all); i++) {
        haft__buf_init(all[i], HAFT__LIMIT_REPLY_BYTES);
    }
}

void haft__openai_details_finish(haft__openai_details *details)
{
    haft__buf *const all[] = {&details->items, &details->key,  &details->members,
                              &details->id,    &details->text, &details->signature};
    for (size_t i = 0; i < COUNT(all); i++) {
        haft__buf_finish(all[i]);
    }
}

/* The member with the text of a block that may come in pieces; NULL for other blocks. */
static const char *text_member(haft__json block)
{
    haft_str type = haft__object_string(block, "type");
    return haft__str_equal(type, HAFT__LIT("reasoning.text"))      ? "text"
           : haft__str_equal(type, HAFT__LIT("reasoning.summary")) ? "summary"
                                                                   : NULL;
}

static haft_status end_item(haft__openai_details *details, haft_error *err)
{
    haft__buf_add_char(&details->items, '\n');
    if (details->count == HAFT__LIMIT_REPLY_ITEMS) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "expected at most %d blocks of reasoning in a reply, found more",
                          HAFT__LIMIT_REPLY_ITEMS);
    }
    details->count++;
    return haft__buf_check(&details->items, err);
}

static haft_status close_block(haft__openai_details *details, haft_error *err)
{
    haft__json_writer w;
    if (details->open == NULL) {
        return HAFT_OK;
    }
    haft__buf_add_char(&details->items, '{');
    haft__buf_add_str(&details->items, haft__buf_str(&details->members));
    haft__buf_addf(&details->items, "\"%s\":", details->open);
    haft__json_writer_init(&w, &details->items);
    haft__json_add_str(&w, haft__buf_str(&details->text));
    if (details->signature.len > 0) {
        haft__buf_add_str(&details->items, HAFT__LIT(",\"signature\":"));
        haft__json_writer_init(&w, &details->items);
        haft__json_add_str(&w, haft__buf_str(&details->signature));
    }
    haft__buf_add_char(&details->items, '}');
    details->open = NULL;
    haft_status status = haft__buf_check(&details->text, err);
    status = status == HAFT_OK ? haft__buf_check(&details->signature, err) : status;
    status = status == HAFT_OK ? haft__buf_check(&details->members, err) : status;
    return status == HAFT_OK ? end_item(details, err) : status;
}

/* Whether the block has a member already. A nested member with the name counts, too: it is rare,
 * and the first piece has nearly all members. */
static bool has_member(haft__openai_details *details, haft__json key)
{
    haft__buf name;
    haft__buf_init(&name, HAFT__LIMIT_REPLY_BYTES);
    haft__json_write(&name, key);
    haft__buf_add_char(&name, ':');
    bool found = false;
    haft_str rest = haft__buf_str(&details->members);
    for (; !found && rest.len > 0; rest = haft__str_skip(rest, 1)) {
        found = haft__str_starts_with(rest, haft__buf_str(&name));
    }
    if (name.status != HAFT_OK) {
        haft__buf_fail(&details->members, name.status, name.why);
    }
    haft__buf_finish(&name);
    return found;
}

/* Adds the members of a piece that are new, except for those that grow. */
static void add_members(haft__openai_details *details, haft__json block)
{
    for (uint32_t i = 0; i < block.count; i++) {
        haft_str name = haft__json_text(block.members[i].key);
        if (!haft__str_equal(name, haft__str(details->open))
            && !haft__str_equal(name, HAFT__LIT("signature"))
            && !has_member(details, block.members[i].key)) {
            haft__json_write(&details->members, block.members[i].key);
            haft__buf_add_char(&details->members, ':');
            haft__json_write(&details->members, block.members[i].value);
            haft__buf_add_char(&details->members, ',');
        }
    }
}

static void open_block(haft__openai_details *details, haft__json block, haft_str key)
{
    details->open = text_member(block);
    haft__buf_clear(&details->key);
    haft__buf_add_str(&details->key, key);
    haft__buf_clear(&details->members);
    haft__buf_clear(&details->id);
    haft__buf_clear(&details->text);
    haft__buf_clear(&details->signature);
}

/* ---- pieces ---- */

/* Without an index, a block ends with its signature, and another id is another block. */
static bool begins_block(const haft__openai_details *details, haft__json block)
{
    haft_str id = haft__object_string(block, "id");
    bool indexed = haft__object_find_kind(block, "index", HAFT__JSON_NUMBER) != NULL;
    bool ended = details->signature.len > 0 && haft__object_string(block, details->open).len > 0;
    bool other =
        id.len > 0 && details->id.len > 0 && !haft__str_equal(id, haft__buf_str(&details->id));
    return !indexed && (ended || other);
}

static haft_status add_piece(haft__openai_details *details, haft__json block, haft_error *err)
{
    haft__buf key;
    haft_status status = HAFT_OK;
    haft__buf_init(&key, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_addf(&key, "%.*s %.*s", HAFT__ARG(haft__object_string(block, "type")),
                   HAFT__ARG(haft__object_text(block, "index")));
    if (details->open == NULL || !haft__str_equal(haft__buf_str(&key), haft__buf_str(&details->key))
        || begins_block(details, block)) {
        status = close_block(details, err);
        open_block(details, block, haft__buf_str(&key));
    }
    add_members(details, block);
    if (details->id.len == 0) {
        haft__buf_add_str(&details->id, haft__object_string(block, "id"));
    }
    haft__buf_add_str(&details->text, haft__object_string(block, details->open));
    haft__buf_add_str(&details->signature, haft__object_string(block, "signature"));
    status = status == HAFT_OK ? haft__buf_check(&key, err) : status;
    status = status == HAFT_OK ? haft__buf_check(&details->key, err) : status;
    status = status == HAFT_OK ? haft__buf_check(&details->id, err) : status;
    haft__buf_finish(&key);
    return status;
}

haft_status haft__openai_read_details(haft__openai_stream *stream, haft__json message, bool whole,
                                      bool shows_text, haft_error *err)
{
    haft__openai_details *details = &stream->details;
    haft__json blocks = haft__object_array(message, "reasoning_details");
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < blocks.count && status == HAFT_OK; i++) {
        const char *text = text_member(blocks.items[i]);
        if (text != NULL && !whole) {
            status = add_piece(details, blocks.items[i], err);
        } else if (blocks.items[i].kind == HAFT__JSON_OBJECT) {
            status = close_block(details, err);
            haft__json_write(&details->items, blocks.items[i]);
            status = status == HAFT_OK ? end_item(details, err) : status;
        }
        if (text != NULL && shows_text && status == HAFT_OK) {
            status = haft__reply_reader_add_reasoning(
                &stream->reader, haft__object_string(blocks.items[i], text), err);
        }
    }
    return status;
}

haft_status haft__openai_end_details(haft__openai_stream *stream, haft_error *err)
{
    haft_status status = close_block(&stream->details, err);
    haft_str rest = haft__buf_str(&stream->details.items);
    /* A text format writes calls and results differently: its items could not be sent back. */
    bool keeps = stream->reader.options.format == NULL;
    while (status == HAFT_OK && keeps && rest.len > 0) {
        haft__delta delta = {.kind = HAFT__DELTA_ITEM, .text = haft__str_split(&rest, '\n')};
        status = haft__reply_reader_emit(&stream->reader, &delta, err);
    }
    return status;
}
