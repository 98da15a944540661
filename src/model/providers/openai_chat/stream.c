/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the decoder of Chat Completions: the contents of a message or of a piece of one; its
 * stop reason; its usage.
 *
 * A whole message is a stream of one piece, so that one function reads both.
 * Tests: tests/model/providers/openai_chat/stream_test.c and stream_message_test.c there. Fuzzer:
 * fuzz/openai_stream.c.
 */
#include "base/str.h"
#include "model/providers/openai_chat/stream_int.h"
#include "json/number.h"
#include "json/object.h"

/* ---- contents ---- */

static haft_status give_refusal(haft__openai_stream *stream, haft_str text, haft_error *err)
{
    haft__delta delta = {.kind = HAFT__DELTA_TEXT, .text = text};
    stream->reader.refused = stream->reader.refused || text.len > 0;
    return text.len > 0 ? haft__reply_reader_emit(&stream->reader, &delta, err) : HAFT_OK;
}

/* {"type":"thinking","thinking": TEXT or a list of {"text":..}}. */
static haft_status take_thinking(haft__openai_stream *stream, haft__json thinking, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (thinking.kind == HAFT__JSON_STRING) {
        return haft__reply_reader_add_reasoning(&stream->reader, haft__json_text(thinking), err);
    }
    for (uint32_t i = 0;
         thinking.kind == HAFT__JSON_ARRAY && i < thinking.count && status == HAFT_OK; i++) {
        status = haft__reply_reader_add_reasoning(
            &stream->reader, haft__object_string(thinking.items[i], "text"), err);
    }
    return status;
}

static haft_status take_text(haft__openai_stream *stream, haft_str text, haft_error *err)
{
    haft_status status = haft__openai_keep_text(stream, text, err);
    return status == HAFT_OK ? haft__reply_reader_add_text(&stream->reader, text, err) : status;
}

static haft_status take_part(haft__openai_stream *stream, haft__json part, bool whole,
                             haft_error *err)
{
    const haft__json *thinking = haft__object_find(part, "thinking");
    if (part.kind == HAFT__JSON_STRING) {
        return take_text(stream, haft__json_text(part), err);
    }
    if (thinking != NULL) {
        haft_status kept = haft__openai_keep_thinking(stream, part, whole, err);
        return kept == HAFT_OK ? take_thinking(stream, *thinking, err) : kept;
    }
    haft_status status = take_text(stream, haft__object_string(part, "text"), err);
    return status == HAFT_OK ? give_refusal(stream, haft__object_string(part, "refusal"), err)
                             : status;
}

/* A text, or a list of parts. */
static haft_status take_content(haft__openai_stream *stream, haft__json content, bool whole,
                                haft_error *err)
{
    haft_status status = HAFT_OK;
    if (content.kind != HAFT__JSON_ARRAY) {
        return take_part(stream, content, whole, err);
    }
    for (uint32_t i = 0; i < content.count && status == HAFT_OK; i++) {
        status = take_part(stream, content.items[i], whole, err);
    }
    return status;
}

static haft_status take_message(haft__openai_stream *stream, haft__json message, bool whole,
                                haft_error *err)
{
    /* Some servers send both names; they mean the same. */
    haft_str reasoning = haft__object_string(message, "reasoning_content");
    const haft__json *content = haft__object_find(message, "content");
    stream->reader.has_message = true;
    reasoning = reasoning.len > 0 ? reasoning : haft__object_string(message, "reasoning");
    haft_status status = haft__reply_reader_add_reasoning(&stream->reader, reasoning, err);
    if (status == HAFT_OK) {
        status = haft__openai_read_details(stream, message, whole, reasoning.len == 0, err);
    }
    if (status == HAFT_OK && content != NULL) {
        status = take_content(stream, *content, whole, err);
    }
    if (status == HAFT_OK) {
        status = give_refusal(stream, haft__object_string(message, "refusal"), err);
    }
    return status == HAFT_OK ? haft__openai_read_calls(stream, message, whole, err) : status;
}

/* ---- stop reason ---- */

static const haft__stop_word stop_words[] = {
    {"stop", HAFT__STOP_END, false},
    {"tool_calls", HAFT__STOP_CALLS, false},
    {"function_call", HAFT__STOP_CALLS, false},
    {"length", HAFT__STOP_LENGTH, false},
    {"model_length", HAFT__STOP_LENGTH, false},
    {"content_filter", HAFT__STOP_REFUSAL, false},
    {"error", HAFT__STOP_END, true},
    {"abort", HAFT__STOP_END, true},
    {"insufficient_system_resource", HAFT__STOP_END, true},
    {0},
};

/* ---- usage ---- */

static uint64_t min_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static haft_status take_usage(haft__openai_stream *stream, haft__json usage, haft_error *err)
{
    const haft__json *details = haft__object_find(usage, "prompt_tokens_details");
    haft__delta delta = {.kind = HAFT__DELTA_USAGE};
    delta.usage.input = haft__object_number(usage, "prompt_tokens", 0);
    delta.usage.output = haft__object_number(usage, "completion_tokens", 0);
    uint64_t cached = details != NULL ? haft__object_number(*details, "cached_tokens", 0) : 0;
    cached = cached > 0 ? cached : haft__object_number(usage, "prompt_cache_hit_tokens", 0);
    uint64_t written = details != NULL ? haft__object_number(*details, "cache_write_tokens", 0) : 0;
    uint64_t reasoning = haft__object_number(
        haft__object_object(usage, "completion_tokens_details"), "reasoning_tokens", 0);
    delta.usage.cached = min_of(cached, delta.usage.input);
    delta.usage.cache_write = min_of(written, delta.usage.input - delta.usage.cached);
    delta.usage.reasoning = min_of(reasoning, delta.usage.output);
    return haft__reply_reader_emit(&stream->reader, &delta, err);
}

/* ---- the message ---- */

static haft_status take_choice(haft__openai_stream *stream, haft__json choice, haft_error *err)
{
    const haft__json *message = haft__object_find(choice, "delta");
    haft_status status = HAFT_OK;
    bool whole = false;
    if (message == NULL || message->kind != HAFT__JSON_OBJECT) {
        message = haft__object_find(choice, "message");
        whole = !stream->reader.has_event; /* some servers stream messages */
    }
    if (message != NULL && message->kind == HAFT__JSON_OBJECT) {
        status = take_message(stream, *message, whole, err);
    }
    if (status == HAFT_OK) {
        haft__reply_reader_set_stop(&stream->reader, stop_words,
                                    haft__object_string(choice, "finish_reason"));
    }
    return status;
}

/* One reply was requested; if there are several, the first counts. */
static bool is_first(haft__json choice, uint32_t at)
{
    const haft__json *index = haft__object_find(choice, "index");
    bool said = index != NULL && index->kind == HAFT__JSON_NUMBER;
    return said ? haft__number_compare(haft__json_text(*index), HAFT__LIT("0")) == 0 : at == 0;
}

static haft_status read_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    haft__openai_stream *stream = (haft__openai_stream *)reader;
    const haft__json *choices = haft__object_find(value, "choices"),
                     *usage = haft__object_find(value, "usage");
    (void)name;
    haft_status status =
        haft__reply_reader_set_model(reader, haft__object_string(value, "model"), err);
    if (choices != NULL && choices->kind == HAFT__JSON_ARRAY) {
        for (uint32_t i = 0; i < choices->count && status == HAFT_OK; i++) {
            if (is_first(choices->items[i], i)) {
                status = take_choice(stream, choices->items[i], err);
            }
        }
    }
    if (status == HAFT_OK && usage != NULL && usage->kind == HAFT__JSON_OBJECT) {
        status = take_usage(stream, *usage, err);
    }
    return status;
}

/* ---- the decoder ---- */

static haft_status end_calls(haft__reply_reader *reader, haft_error *err)
{
    haft__openai_stream *stream = (haft__openai_stream *)reader;
    bool kept = false;
    haft_status status = haft__openai_end_calls(stream, err);
    status = status == HAFT_OK ? haft__openai_end_content(stream, &kept, err) : status;
    return status == HAFT_OK && !kept ? haft__openai_end_details(stream, err) : status;
}

static void finish(haft__reply_reader *reader)
{
    haft__openai_stream *stream = (haft__openai_stream *)reader;
    haft__openai_calls_finish(stream);
    haft__openai_details_finish(&stream->details);
    haft__openai_content_finish(&stream->content);
}

static const haft__reply_decoder decoder = {.find_error = haft__server_error_find,
                                            .read_value = read_value,
                                            .end_calls = end_calls,
                                            .finish = finish};

void haft__openai_stream_init(haft__openai_stream *stream,
                              const haft__provider_stream_options *options)
{
    *stream = (haft__openai_stream){.calls = NULL};
    haft__openai_details_init(&stream->details);
    haft__openai_content_init(&stream->content);
    haft__reply_reader_init(&stream->reader, &decoder, options);
}

haft_status haft__openai_read(const haft__provider_stream_options *options, haft_str body,
                              haft__arena *arena, haft__model_outcome *ret_outcome, haft_error *err)
{
    haft__openai_stream stream;
    haft__openai_stream_init(&stream, options);
    return haft__reply_reader_read(&stream.reader, body, arena, ret_outcome, err);
}
