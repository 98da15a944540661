/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the decoder of Ollama's own API.
 *
 * A whole reply is a stream of one line, so that one function reads both. Each call comes whole, in
 * one line. The line with `done` ends the reply, and has its usage.
 * Tests: tests/model/providers/ollama/stream_test.c. Fuzzer: fuzz/ollama_stream.c.
 */
#include "model/providers/ollama/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/object.h"
#include "json/write.h"

/* ---- calls ---- */

static haft_status add_number(haft__ollama_stream *stream, haft_error *err)
{
    if (stream->call_count == HAFT__LIMIT_REPLY_CALLS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d calls in a reply, found more",
                          HAFT__LIMIT_REPLY_CALLS);
    }
    uint32_t *calls = haft__vec_reserve(stream->calls, &stream->call_capacity,
                                        stream->call_count + 1, sizeof(*calls));
    if (calls == NULL) {
        return haft__fail_no_memory(err);
    }
    stream->calls = calls;
    stream->calls[stream->call_count++] = stream->reader.numbered++;
    return HAFT_OK;
}

/* The arguments are an object; a text is accepted, too. */
static haft_status read_arguments(haft__ollama_stream *stream, const haft__json *arguments,
                                  haft_error *err)
{
    haft__delta delta = {.kind = HAFT__DELTA_ARGUMENTS,
                         .index = stream->calls[stream->call_count - 1]};
    if (arguments == NULL || arguments->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    delta.text = haft__json_text(*arguments);
    if (arguments->kind != HAFT__JSON_STRING) {
        haft__buf *text = &stream->reader.text;
        haft__buf_clear(text);
        haft__json_write(text, *arguments);
        haft_status status = haft__buf_check(text, err);
        if (status != HAFT_OK) {
            return status;
        }
        delta.text = haft__buf_str(text);
    }
    return delta.text.len > 0 ? haft__reply_reader_emit(&stream->reader, &delta, err) : HAFT_OK;
}

static haft_status read_call(haft__ollama_stream *stream, haft__json call, haft_error *err)
{
    haft__json function = haft__object_object(call, "function");
    haft_status status = add_number(stream, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str name = haft__object_string(function, "name");
    haft__delta delta = {.kind = HAFT__DELTA_CALL,
                         .index = stream->calls[stream->call_count - 1],
                         .id = haft__object_string(call, "id"),
                         .text = haft__reply_reader_tool_name(&stream->reader, name)};
    status = haft__reply_reader_emit(&stream->reader, &delta, err);
    return status == HAFT_OK ? read_arguments(stream, haft__object_find(function, "arguments"), err)
                             : status;
}

static haft_status end_calls(haft__reply_reader *reader, haft_error *err)
{
    haft__ollama_stream *stream = (haft__ollama_stream *)reader;
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < stream->call_count && status == HAFT_OK; i++) {
        haft__delta delta = {.kind = HAFT__DELTA_CALL_END, .index = stream->calls[i]};
        status = haft__reply_reader_emit(reader, &delta, err);
    }
    return status;
}

/* ---- the reply ---- */

static haft_status read_message(haft__ollama_stream *stream, haft__json message, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    haft__json calls = haft__object_array(message, "tool_calls");
    reader->has_message = true;
    haft_status status =
        haft__reply_reader_add_reasoning(reader, haft__object_string(message, "thinking"), err);
    if (status == HAFT_OK) {
        status = haft__reply_reader_add_text(reader, haft__object_string(message, "content"), err);
    }
    for (uint32_t i = 0; i < calls.count && status == HAFT_OK; i++) {
        status = read_call(stream, calls.items[i], err);
    }
    return status;
}

/* `done_reason` is `stop` with calls, too, and missing in replies of old servers. `load` and
 * `unload` answer requests without messages. */
static const haft__stop_word stop_words[] = {
    {"stop", HAFT__STOP_END, false},
    {"length", HAFT__STOP_LENGTH, false},
    {0},
};

/* prompt_eval_count is missing if the whole prompt was in the server's cache. */
static haft_status read_end(haft__reply_reader *reader, haft__json value, haft_error *err)
{
    haft_str reason = haft__object_string(value, "done_reason");
    haft__delta delta = {.kind = HAFT__DELTA_USAGE,
                         .usage = {.input = haft__object_number(value, "prompt_eval_count", 0),
                                   .output = haft__object_number(value, "eval_count", 0)}};
    haft__reply_reader_set_stop(reader, stop_words, reason.len > 0 ? reason : HAFT__LIT("stop"));
    return haft__reply_reader_emit(reader, &delta, err);
}

static haft_status read_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    const haft__json *message = haft__object_find_kind(value, "message", HAFT__JSON_OBJECT);
    (void)name;
    haft_status status =
        haft__reply_reader_set_model(reader, haft__object_string(value, "model"), err);
    if (status == HAFT_OK && message != NULL) {
        status = read_message((haft__ollama_stream *)reader, *message, err);
    }
    return status == HAFT_OK && haft__object_flag(value, "done", false)
               ? read_end(reader, value, err)
               : status;
}

/* ---- the decoder ---- */

static void finish(haft__reply_reader *reader)
{
    haft__ollama_stream *stream = (haft__ollama_stream *)reader;
    free(stream->calls);
    stream->calls = NULL;
    stream->call_count = stream->call_capacity = 0;
}

static const haft__reply_decoder decoder = {.lines = true,
                                            .find_error = haft__server_error_find_wrapped,
                                            .read_value = read_value,
                                            .end_calls = end_calls,
                                            .finish = finish};

void haft__ollama_stream_init(haft__ollama_stream *stream,
                              const haft__provider_stream_options *options)
{
    *stream = (haft__ollama_stream){.calls = NULL};
    haft__reply_reader_init(&stream->reader, &decoder, options);
}
