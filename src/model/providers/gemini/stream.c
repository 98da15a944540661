/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the decoder of Gemini's generateContent: a whole reply, an event of a stream, or an
 * array of such events.
 *
 * Unknown members are ignored. The first of several candidates counts.
 * Tests: tests/model/providers/gemini/stream_test.c. Fuzzer: fuzz/gemini_stream.c.
 */
#include "model/providers/gemini/stream.h"

#include "base/limits.h"
#include "base/str.h"
#include "model/providers/gemini/stream_int.h"
#include "json/object.h"

/* ---- stop reason ---- */

/* A malformed call, or one that was not allowed, is not shown to the caller: it has to ask again.
 */
static const haft__stop_word stop_words[] = {
    {"STOP", HAFT__STOP_END, false},
    {"MAX_TOKENS", HAFT__STOP_LENGTH, false},
    {"SAFETY", HAFT__STOP_REFUSAL, false},
    {"RECITATION", HAFT__STOP_REFUSAL, false},
    {"LANGUAGE", HAFT__STOP_REFUSAL, false},
    {"BLOCKLIST", HAFT__STOP_REFUSAL, false},
    {"PROHIBITED_CONTENT", HAFT__STOP_REFUSAL, false},
    {"SPII", HAFT__STOP_REFUSAL, false},
    {"IMAGE_SAFETY", HAFT__STOP_REFUSAL, false},
    {"IMAGE_PROHIBITED_CONTENT", HAFT__STOP_REFUSAL, false},
    {"IMAGE_RECITATION", HAFT__STOP_REFUSAL, false},
    {"MALFORMED_FUNCTION_CALL", HAFT__STOP_END, true},
    {"MALFORMED_RESPONSE", HAFT__STOP_END, true},
    {"UNEXPECTED_TOOL_CALL", HAFT__STOP_END, true},
    {"TOO_MANY_TOOL_CALLS", HAFT__STOP_END, true},
    {"OTHER", HAFT__STOP_END, true},
    {0},
};

static haft_status read_stop(haft__gemini_stream *stream, haft__json candidate, haft_error *err)
{
    haft_str word = haft__object_string(candidate, "finishReason");
    if (haft__str_equal(word, HAFT__LIT("CONTINUATION"))) {
        haft__buf_clear(&stream->token);
        haft__buf_add_str(&stream->token, haft__object_string(candidate, "continuationToken"));
        stream->reader.has_stop = stream->continues = true;
    } else if (!haft__str_equal(word, HAFT__LIT("FINISH_REASON_UNSPECIFIED"))) {
        haft__reply_reader_set_stop(&stream->reader, stop_words, word);
    }
    return haft__buf_check(&stream->token, err);
}

/* ---- usage ---- */

static uint64_t add_counts(uint64_t a, uint64_t b)
{
    return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

static haft__gemini_usage add_usage(const haft__gemini_usage *a, const haft__gemini_usage *b)
{
    return (haft__gemini_usage){.prompt = add_counts(a->prompt, b->prompt),
                                .tool_prompt = add_counts(a->tool_prompt, b->tool_prompt),
                                .cached = add_counts(a->cached, b->cached),
                                .candidates = add_counts(a->candidates, b->candidates),
                                .thoughts = add_counts(a->thoughts, b->thoughts)};
}

static haft_status read_usage(haft__gemini_stream *stream, haft__json value, haft_error *err)
{
    const haft__json *found = haft__object_find_kind(value, "usageMetadata", HAFT__JSON_OBJECT);
    haft__gemini_usage *usage = &stream->usage;
    if (found == NULL) {
        return HAFT_OK;
    }
    usage->prompt = haft__object_number(*found, "promptTokenCount", usage->prompt);
    usage->tool_prompt = haft__object_number(*found, "toolUsePromptTokenCount", usage->tool_prompt);
    usage->cached = haft__object_number(*found, "cachedContentTokenCount", usage->cached);
    usage->candidates = haft__object_number(*found, "candidatesTokenCount", usage->candidates);
    usage->thoughts = haft__object_number(*found, "thoughtsTokenCount", usage->thoughts);
    const haft__gemini_usage all = add_usage(&stream->earlier, usage);
    uint64_t input = add_counts(all.prompt, all.tool_prompt);
    haft__delta delta = {.kind = HAFT__DELTA_USAGE,
                         .usage = {.input = input > all.cached ? input : all.cached,
                                   .output = add_counts(all.candidates, all.thoughts),
                                   .cached = all.cached,
                                   .reasoning = all.thoughts}};
    return haft__reply_reader_emit(&stream->reader, &delta, err);
}

/* ---- a reply, or an event ---- */

static haft_status read_candidate(haft__gemini_stream *stream, haft__json candidate,
                                  haft_error *err)
{
    haft__json content = haft__object_object(candidate, "content");
    haft__json parts = haft__object_array(content, "parts");
    haft_status status = HAFT_OK;
    stream->reader.has_message = true;
    for (uint32_t i = 0; i < parts.count && status == HAFT_OK; i++) {
        status = haft__gemini_read_part(stream, parts.items[i], err);
    }
    return status == HAFT_OK ? read_stop(stream, candidate, err) : status;
}

/* A prompt that was blocked has no candidates. */
static void read_feedback(haft__reply_reader *reader, haft__json value)
{
    haft_str reason =
        haft__object_string(haft__object_object(value, "promptFeedback"), "blockReason");
    if (reason.len > 0) {
        haft__reply_reader_fail(reader, HAFT__FAILURE_POLICY, 0);
        haft__buf_add_str(&reader->text, HAFT__LIT("the provider blocked the request: "));
        haft__server_error_add_excerpt(&reader->text, reason, false, reader->options.cleaner);
    }
}

static haft_status read_reply(haft__gemini_stream *stream, haft__json value, haft_error *err)
{
    haft__json candidates = haft__object_array(value, "candidates");
    haft_status status = haft__reply_reader_set_model(
        &stream->reader, haft__object_string(value, "modelVersion"), err);
    status = status == HAFT_OK ? read_usage(stream, value, err) : status;
    if (status == HAFT_OK && candidates.count > 0) {
        return read_candidate(stream, candidates.items[0], err);
    }
    if (status == HAFT_OK) {
        read_feedback(&stream->reader, value);
    }
    return status;
}

/* A stream without alt=sse: one array of events. The body is complete JSON, but the reply may have
 * been cut before that. */
static haft_status read_events(haft__gemini_stream *stream, haft__json list, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < list.count && status == HAFT_OK && !reader->failed; i++) {
        haft__server_error error;
        if (haft__server_error_find_wrapped(list.items[i], &error)) {
            haft__reply_reader_fail_with(reader, &error);
        } else {
            status = read_reply(stream, list.items[i], err);
        }
    }
    if (status == HAFT_OK && !reader->failed && reader->has_message && !reader->has_stop) {
        haft__reply_reader_fail(reader, HAFT__FAILURE_CUT, 0);
        haft__buf_add_str(&reader->text, HAFT__LIT("the reply was cut off before its end"));
    }
    return status;
}

static haft_status read_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    haft__gemini_stream *stream = (haft__gemini_stream *)reader;
    (void)name;
    return value.kind == HAFT__JSON_ARRAY ? read_events(stream, value, err)
                                          : read_reply(stream, value, err);
}

/* ---- replies in several responses ---- */

haft_status haft__gemini_continue_reply(haft__provider_stream *stream, haft__buf *token,
                                        haft_error *err)
{
    haft__gemini_stream *gemini = (haft__gemini_stream *)stream;
    haft_status status = haft__reply_reader_end_body(&gemini->reader, err);
    if (status != HAFT_OK || gemini->reader.failed || gemini->token.len == 0) {
        return status;
    }
    haft__buf_add_str(token, haft__buf_str(&gemini->token));
    haft__buf_clear(&gemini->token);
    gemini->continues = false;
    gemini->earlier = add_usage(&gemini->earlier, &gemini->usage);
    gemini->usage = (haft__gemini_usage){.prompt = 0};
    haft__reply_reader_begin_body(&gemini->reader);
    return haft__buf_check(token, err);
}

/* ---- the decoder ---- */

static haft_status end_calls(haft__reply_reader *reader, haft_error *err)
{
    haft__gemini_stream *stream = (haft__gemini_stream *)reader;
    if (stream->continues) {
        haft__reply_reader_fail(reader, HAFT__FAILURE_OTHER, 0);
        haft__buf_addf(&reader->text,
                       stream->token.len > 0
                           ? "the model server wants to continue its reply in more than %d requests"
                           : "the model server wants to continue its reply (stop reason "
                             "CONTINUATION), but sent no continuationToken",
                       HAFT__LIMIT_MODEL_CONTINUATIONS);
        return HAFT_OK;
    }
    return haft__gemini_emit_items(stream, err);
}

static void finish(haft__reply_reader *reader)
{
    haft__gemini_stream *stream = (haft__gemini_stream *)reader;
    haft__buf_finish(&stream->items);
    haft__buf_finish(&stream->text);
    haft__buf_finish(&stream->token);
}

static const haft__reply_decoder decoder = {.find_error = haft__server_error_find_wrapped,
                                            .read_value = read_value,
                                            .end_calls = end_calls,
                                            .finish = finish};

void haft__gemini_stream_init(haft__gemini_stream *stream,
                              const haft__provider_stream_options *options)
{
    *stream = (haft__gemini_stream){.count = 0};
    haft__buf_init(&stream->items, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&stream->text, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&stream->token, HAFT__LIMIT_REPLY_BYTES);
    haft__reply_reader_init(&stream->reader, &decoder, options);
}
