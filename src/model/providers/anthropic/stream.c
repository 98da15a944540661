/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the decoder of Anthropic's Messages API: message_start, content_block_start, _delta
 * and _stop, message_delta, message_stop; or a whole message.
 *
 * Unknown events are ignored. A delta without its block makes the reply unusable.
 * Tests: tests/model/providers/anthropic/stream_test.c. Fuzzer: fuzz/anthropic_stream.c.
 */
#include "model/providers/anthropic/stream.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/providers/anthropic/stream_int.h"
#include "json/object.h"

/* ---- stop reason ---- */

static const haft__stop_word stop_words[] = {
    {"end_turn", HAFT__STOP_END, false},
    {"stop_sequence", HAFT__STOP_END, false},
    {"tool_use", HAFT__STOP_CALLS, false},
    {"pause_turn", HAFT__STOP_PAUSE, false},
    {"max_tokens", HAFT__STOP_LENGTH, false},
    {"model_context_window_exceeded", HAFT__STOP_LENGTH, false},
    {"refusal", HAFT__STOP_REFUSAL, false},
    {0},
};

/* ---- usage ---- */

static uint64_t add_counts(uint64_t a, uint64_t b)
{
    return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* The counts of an event replace earlier ones; one that is missing does not. Anthropic's input does
 * not include the tokens of the cache. */
static haft_status read_usage(haft__anthropic_stream *stream, haft__json holder, haft_error *err)
{
    const haft__json *found = haft__object_find_kind(holder, "usage", HAFT__JSON_OBJECT);
    haft__token_usage *usage = &stream->usage;
    if (found == NULL) {
        return HAFT_OK;
    }
    stream->uncached = haft__object_number(*found, "input_tokens", stream->uncached);
    usage->cached = haft__object_number(*found, "cache_read_input_tokens", usage->cached);
    usage->cache_write =
        haft__object_number(*found, "cache_creation_input_tokens", usage->cache_write);
    haft__json writes = haft__object_object(*found, "cache_creation");
    usage->cache_write_1h =
        haft__object_number(writes, "ephemeral_1h_input_tokens", usage->cache_write_1h);
    usage->cache_write_1h =
        usage->cache_write_1h < usage->cache_write ? usage->cache_write_1h : usage->cache_write;
    usage->output = haft__object_number(*found, "output_tokens", usage->output);
    usage->reasoning = haft__object_number(haft__object_object(*found, "output_tokens_details"),
                                           "thinking_tokens", usage->reasoning);
    usage->input = add_counts(stream->uncached, add_counts(usage->cached, usage->cache_write));
    usage->output = usage->output > usage->reasoning ? usage->output : usage->reasoning;
    haft__delta delta = {.kind = HAFT__DELTA_USAGE, .usage = *usage};
    return haft__reply_reader_emit(&stream->reader, &delta, err);
}

/* ---- a message ---- */

static haft_status read_content(haft__anthropic_stream *stream, haft__json content, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (content.kind == HAFT__JSON_STRING) {
        return haft__reply_reader_add_text(&stream->reader, haft__json_text(content), err);
    }
    for (uint32_t i = 0; content.kind == HAFT__JSON_ARRAY && i < content.count && status == HAFT_OK;
         i++) {
        status = haft__anthropic_begin_block(stream, i, content.items[i], err);
        status = status == HAFT_OK ? haft__anthropic_end_block(stream, err) : status;
    }
    return status;
}

/* The beginning of a message, or a whole one. */
static haft_status read_message(haft__anthropic_stream *stream, haft__json message, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    reader->has_message = true;
    haft_status status =
        haft__reply_reader_set_model(reader, haft__object_string(message, "model"), err);
    /* First, because the token limit says whether an empty input is whole. */
    haft__reply_reader_set_stop(reader, stop_words, haft__object_string(message, "stop_reason"));
    if (status == HAFT_OK) {
        status = read_content(stream, haft__object_get(message, "content"), err);
    }
    return status == HAFT_OK ? read_usage(stream, message, err) : status;
}

/* ---- events ---- */

static haft_status on_message_start(haft__anthropic_stream *stream, haft__json event,
                                    haft_error *err)
{
    return read_message(stream, haft__object_object(event, "message"), err);
}

static haft_status on_block_start(haft__anthropic_stream *stream, haft__json event, haft_error *err)
{
    stream->reader.has_message = true;
    return haft__anthropic_begin_block(stream, haft__object_number(event, "index", 0),
                                       haft__object_object(event, "content_block"), err);
}

static bool is_of_block(const haft__anthropic_stream *stream, haft__json event)
{
    const haft__anthropic_block *block = &stream->block;
    return block->open && haft__object_number(event, "index", block->index) == block->index;
}

static haft_status on_block_delta(haft__anthropic_stream *stream, haft__json event, haft_error *err)
{
    if (!is_of_block(stream, event)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "a part of a block that is not open");
    }
    return haft__anthropic_add_to_block(stream, haft__object_object(event, "delta"), err);
}

static haft_status on_block_stop(haft__anthropic_stream *stream, haft__json event, haft_error *err)
{
    return is_of_block(stream, event) ? haft__anthropic_end_block(stream, err) : HAFT_OK;
}

static haft_status on_message_delta(haft__anthropic_stream *stream, haft__json event,
                                    haft_error *err)
{
    haft__reply_reader_set_stop(
        &stream->reader, stop_words,
        haft__object_string(haft__object_object(event, "delta"), "stop_reason"));
    return read_usage(stream, event, err);
}

static haft_status on_message_stop(haft__anthropic_stream *stream, haft__json event,
                                   haft_error *err)
{
    (void)event;
    (void)err;
    stream->reader.over = true;
    return HAFT_OK;
}

static const struct {
    const char *type;
    haft_status (*read)(haft__anthropic_stream *stream, haft__json event, haft_error *err);
} events[] = {
    {"message_start", on_message_start},
    {"content_block_start", on_block_start},
    {"content_block_delta", on_block_delta},
    {"content_block_stop", on_block_stop},
    {"message_delta", on_message_delta},
    {"message_stop", on_message_stop},
    {"message", read_message},
};

static haft_status read_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    haft__anthropic_stream *stream = (haft__anthropic_stream *)reader;
    haft_str type = haft__object_string(value, "type");
    type = type.len > 0 ? type : name;
    for (size_t i = 0; i < COUNT(events); i++) {
        if (haft__str_equal(type, haft__str(events[i].type))) {
            return events[i].read(stream, value, err);
        }
    }
    bool message = type.len == 0 && haft__object_find(value, "content") != NULL;
    return message ? read_message(stream, value, err) : HAFT_OK;
}

/* ---- the decoder ---- */

static haft_status end_calls(haft__reply_reader *reader, haft_error *err)
{
    haft__anthropic_stream *stream = (haft__anthropic_stream *)reader;
    haft_status status = haft__anthropic_end_block(stream, err);
    return status == HAFT_OK ? haft__anthropic_emit_items(stream, err) : status;
}

static void finish(haft__reply_reader *reader)
{
    haft__anthropic_block_finish((haft__anthropic_stream *)reader);
}

static const haft__reply_decoder decoder = {.find_error = haft__server_error_find_wrapped,
                                            .read_value = read_value,
                                            .end_calls = end_calls,
                                            .finish = finish};

void haft__anthropic_stream_init(haft__anthropic_stream *stream,
                                 const haft__provider_stream_options *options)
{
    *stream = (haft__anthropic_stream){.uncached = 0};
    haft__anthropic_block_init(stream);
    haft__reply_reader_init(&stream->reader, &decoder, options);
}
