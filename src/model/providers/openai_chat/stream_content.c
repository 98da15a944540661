/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_content.c - a content with parts of thinking, as Mistral writes it: text, and thinking
 * that may be signed. The server wants the parts of its reply back as they came.
 *
 * A stream sends a part in pieces: thinking that is not closed yet grows, and so does text. All
 * parts become one item, {"content":[..]}; a reply without thinking has none.
 * Tests: tests/model/providers/openai_chat/stream_content_test.c. Fuzzer: fuzz/openai_stream.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/providers/openai_chat/stream_int.h"
#include "json/object.h"
#include "json/write.h"

void haft__openai_content_init(haft__openai_content *content)
{
    haft__buf *const all[] = {&content->parts, &content->inner, &content->text,
                              &content->signature};
    for (size_t i = 0; i < COUNT(all); i++) {
        haft__buf_init(all[i], HAFT__LIMIT_REPLY_BYTES);
    }
}

void haft__openai_content_finish(haft__openai_content *content)
{
    haft__buf *const all[] = {&content->parts, &content->inner, &content->text,
                              &content->signature};
    for (size_t i = 0; i < COUNT(all); i++) {
        haft__buf_finish(all[i]);
    }
}

/* ---- the open part ---- */

static void add_separator(haft__buf *list)
{
    haft__buf_add_str(list, list->len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
}

/* A failure must not be lost when the buffer is cleared. */
static void clear_into(haft__buf *to, haft__buf *buf)
{
    if (buf->status != HAFT_OK) {
        haft__buf_fail(to, buf->status, buf->why);
    }
    haft__buf_clear(buf);
}

static void add_text(haft__buf *list, haft__buf *text)
{
    if (text->len > 0) {
        add_separator(list);
        haft__buf_add_str(list, HAFT__LIT("{\"type\":\"text\",\"text\":"));
        haft__json_write_string(list, haft__buf_str(text));
        haft__buf_add_char(list, '}');
    }
    clear_into(list, text);
}

static void close_thinking(haft__openai_content *content)
{
    add_text(&content->inner, &content->text);
    add_separator(&content->parts);
    haft__buf_add_str(&content->parts, HAFT__LIT("{\"type\":\"thinking\",\"thinking\":["));
    haft__buf_add_str(&content->parts, haft__buf_str(&content->inner));
    haft__buf_add_char(&content->parts, ']');
    if (content->signature.len > 0) {
        haft__buf_add_str(&content->parts, HAFT__LIT(",\"signature\":"));
        haft__json_write_string(&content->parts, haft__buf_str(&content->signature));
    }
    if (content->closed != NULL) {
        haft__buf_addf(&content->parts, ",\"closed\":%s", content->closed);
    }
    haft__buf_add_char(&content->parts, '}');
    clear_into(&content->parts, &content->inner);
    clear_into(&content->parts, &content->signature);
    content->closed = NULL;
}

static void close_part(haft__openai_content *content)
{
    if (content->open == HAFT__OPENAI_PART_THINKING) {
        close_thinking(content);
    } else if (content->open == HAFT__OPENAI_PART_TEXT) {
        add_text(&content->parts, &content->text);
    }
    content->open = HAFT__OPENAI_PART_NONE;
}

static haft_status check(const haft__openai_content *content, haft_error *err)
{
    const haft__buf *const all[] = {&content->parts, &content->inner, &content->text,
                                    &content->signature};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(all) && status == HAFT_OK; i++) {
        status = haft__buf_check(all[i], err);
    }
    return status;
}

/* ---- pieces ---- */

/* {"type":"thinking","thinking":[{"type":"text","text":..} ..],"signature":..,"closed":..}; some
 * servers have a text in place of the list. */
static void add_thinking_piece(haft__openai_content *content, haft__json part)
{
    haft__json thinking = haft__object_get(part, "thinking");
    const haft__json *closed = haft__object_find(part, "closed");
    haft__buf_add_str(&content->text, thinking.kind == HAFT__JSON_STRING ? haft__json_text(thinking)
                                                                         : HAFT__LIT(""));
    for (uint32_t i = 0; thinking.kind == HAFT__JSON_ARRAY && i < thinking.count; i++) {
        haft__json chunk = thinking.items[i];
        bool text = haft__str_equal(haft__object_string(chunk, "type"), HAFT__LIT("text"))
                    && chunk.count == 2;
        if (text) {
            haft__buf_add_str(&content->text, haft__object_string(chunk, "text"));
        } else {
            add_text(&content->inner, &content->text);
            add_separator(&content->inner);
            haft__json_write(&content->inner, chunk);
        }
    }
    haft__buf_add_str(&content->signature, haft__object_string(part, "signature"));
    if (closed != NULL && closed->kind != HAFT__JSON_NULL) {
        content->closed = closed->kind == HAFT__JSON_TRUE ? "true" : "false";
    }
}

haft_status haft__openai_keep_thinking(haft__openai_stream *stream, haft__json part, bool whole,
                                       haft_error *err)
{
    haft__openai_content *content = &stream->content;
    bool ended = content->signature.len > 0
                 || (content->closed != NULL && strcmp(content->closed, "true") == 0);
    if (!content->has_thinking) { /* the text before it was not kept */
        haft__buf_add_str(&content->text, haft__buf_str(&stream->reader.assembly.content));
        content->open = HAFT__OPENAI_PART_TEXT;
        content->has_thinking = true;
    }
    if (whole || content->open != HAFT__OPENAI_PART_THINKING || ended) {
        close_part(content);
    }
    if (whole) {
        add_separator(&content->parts);
        haft__json_write(&content->parts, part);
    } else {
        content->open = HAFT__OPENAI_PART_THINKING;
        add_thinking_piece(content, part);
    }
    return check(content, err);
}

haft_status haft__openai_keep_text(haft__openai_stream *stream, haft_str text, haft_error *err)
{
    haft__openai_content *content = &stream->content;
    if (!content->has_thinking || text.len == 0) {
        return HAFT_OK;
    }
    if (content->open != HAFT__OPENAI_PART_TEXT) {
        close_part(content);
        content->open = HAFT__OPENAI_PART_TEXT;
    }
    haft__buf_add_str(&content->text, text);
    return check(content, err);
}

haft_status haft__openai_end_content(haft__openai_stream *stream, bool *ret_kept, haft_error *err)
{
    haft__openai_content *content = &stream->content;
    /* A text format writes calls in the text: its parts could not be sent back. */
    *ret_kept = content->has_thinking && stream->reader.options.format == NULL;
    close_part(content);
    haft_status status = check(content, err);
    if (status != HAFT_OK || !*ret_kept) {
        return status;
    }
    haft__buf *item = &content->inner;
    haft__buf_clear(item);
    haft__buf_add_str(item, HAFT__LIT(HAFT__OPENAI_CONTENT_ITEM));
    haft__buf_add_str(item, haft__buf_str(&content->parts));
    haft__buf_add_str(item, HAFT__LIT("]}"));
    status = haft__buf_check(item, err);
    haft__delta delta = {.kind = HAFT__DELTA_ITEM, .text = haft__buf_str(item)};
    return status == HAFT_OK ? haft__reply_reader_emit(&stream->reader, &delta, err) : status;
}
