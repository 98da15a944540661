/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the decoder of the Responses API: its events, and whole responses.
 *
 * A stream ends with the whole response: its status, its usage, and its items once more. A whole
 * reply is that response alone, so that one function reads both.
 * Tests: tests/model/providers/openai_responses/stream_test.c. Fuzzer:
 * fuzz/openai_responses_stream.c.
 */
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/providers/openai_responses/stream_int.h"
#include "json/object.h"

/* ---- errors ---- */

/* {"type":"error","code":..,"message":..}: here `type` is that of the event. */
static void read_error_event(haft__json event, haft__server_error *ret_error)
{
    *ret_error = (haft__server_error){.message = haft__object_text(event, "message"),
                                      .code = haft__object_text(event, "code"),
                                      .param = haft__object_text(event, "param")};
}

/* An event may have an `error` of a tool that the server runs: the reply does not fail with it. */
static bool find_error(haft__json value, haft__server_error *ret_error)
{
    haft_str type = haft__object_string(value, "type");
    if (haft__str_equal(type, HAFT__LIT("response.failed"))) {
        return haft__server_error_find_wrapped(haft__object_get(value, "response"), ret_error);
    }
    if (haft__str_starts_with(type, HAFT__LIT("response."))) {
        return false;
    }
    if (haft__server_error_find_wrapped(value, ret_error)) {
        return true;
    }
    bool is_error = haft__str_equal(type, HAFT__LIT("error"));
    if (is_error) {
        read_error_event(value, ret_error);
    }
    return is_error;
}

/* ---- the whole response ---- */

static const haft__stop_word stop_words[] = {
    {"completed", HAFT__STOP_END, false},
    {"incomplete", HAFT__STOP_LENGTH, false}, /* the token limit, or another one */
    {"content_filter", HAFT__STOP_REFUSAL, false},
    {"failed", HAFT__STOP_END, true},
    {"cancelled", HAFT__STOP_END, true},
    {0},
};

static uint64_t at_most(uint64_t number, uint64_t max)
{
    return number < max ? number : max;
}

static haft_status read_usage(haft__responses_stream *stream, haft__json usage, haft_error *err)
{
    haft__json input = haft__object_get(usage, "input_tokens_details");
    haft__json output = haft__object_get(usage, "output_tokens_details");
    haft__delta delta = {.kind = HAFT__DELTA_USAGE};
    haft__token_usage *u = &delta.usage;
    u->input = haft__object_number(usage, "input_tokens", 0);
    u->output = haft__object_number(usage, "output_tokens", 0);
    u->cached = at_most(haft__object_number(input, "cached_tokens", 0), u->input);
    u->cache_write = at_most(haft__object_number(input, "cache_write_tokens", 0), u->input);
    u->reasoning = at_most(haft__object_number(output, "reasoning_tokens", 0), u->output);
    return usage.kind == HAFT__JSON_OBJECT ? haft__reply_reader_emit(&stream->reader, &delta, err)
                                           : HAFT_OK;
}

static void read_status(haft__responses_stream *stream, haft__json response, haft_str status)
{
    haft__reply_reader *reader = &stream->reader;
    haft__json details = haft__object_get(response, "incomplete_details");
    haft_str reason = haft__object_string(details, "reason");
    if (haft__str_equal(status, HAFT__LIT("queued"))
        || haft__str_equal(status, HAFT__LIT("in_progress"))) {
        haft__reply_reader_fail(reader, HAFT__FAILURE_GARBLED, 0);
        haft__buf_addf(&reader->text, "expected a complete reply, found one that is %.*s",
                       HAFT__ARG(status));
        return;
    }
    bool filtered = haft__str_equal(reason, HAFT__LIT("content_filter"));
    haft__reply_reader_set_stop(reader, stop_words, filtered ? reason : status);
}

static haft_status read_response(haft__responses_stream *stream, haft__json response,
                                 haft_str response_status, haft_error *err)
{
    haft__reply_reader *reader = &stream->reader;
    reader->has_message = true;
    haft_status status =
        haft__reply_reader_set_model(reader, haft__object_string(response, "model"), err);
    if (status == HAFT_OK) {
        status = haft__responses_read_output(stream, haft__object_array(response, "output"), err);
    }
    if (status == HAFT_OK) {
        status = read_usage(stream, haft__object_get(response, "usage"), err);
    }
    if (status == HAFT_OK) {
        read_status(stream, response, response_status);
    }
    return status;
}

/* ---- events ---- */

typedef haft_status read_event(haft__responses_stream *stream, haft__json event, haft_error *err);

static haft_status on_start(haft__responses_stream *stream, haft__json event, haft_error *err)
{
    haft__json response = haft__object_get(event, "response");
    stream->reader.has_message = true;
    return haft__reply_reader_set_model(&stream->reader, haft__object_string(response, "model"),
                                        err);
}

/* The name of the event says more than the status: "response.completed". */
static haft_status end_with(haft__responses_stream *stream, haft__json event, const char *status,
                            haft_error *err)
{
    haft__json response = haft__object_get(event, "response");
    if (response.kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    haft_status read = read_response(stream, response, haft__str(status), err);
    stream->reader.over = true;
    return read;
}

static haft_status on_completed(haft__responses_stream *stream, haft__json event, haft_error *err)
{
    return end_with(stream, event, "completed", err);
}

static haft_status on_incomplete(haft__responses_stream *stream, haft__json event, haft_error *err)
{
    return end_with(stream, event, "incomplete", err);
}

static haft_status on_failed(haft__responses_stream *stream, haft__json event, haft_error *err)
{
    return end_with(stream, event, "failed", err);
}

static haft_status on_cancelled(haft__responses_stream *stream, haft__json event, haft_error *err)
{
    return end_with(stream, event, "cancelled", err);
}

static haft_status on_part(haft__responses_stream *stream, haft__json event, haft_error *err)
{
    haft__responses_item *item = NULL;
    haft_status status = haft__responses_item_of_piece(stream, event, &item, err);
    if (status == HAFT_OK) {
        item->new_part = true;
    }
    return status;
}

typedef haft_status add_piece(haft__responses_stream *stream, haft__responses_item *item,
                              haft_str text, haft_error *err);

static haft_status on_piece(haft__responses_stream *stream, haft__json event, add_piece *add,
                            haft_error *err)
{
    haft__responses_item *item = NULL;
    haft_status status = haft__responses_item_of_piece(stream, event, &item, err);
    return status == HAFT_OK ? add(stream, item, haft__object_string(event, "delta"), err) : status;
}

/* Other events repeat the pieces, or report tools that the server runs. */
static const struct {
    const char *type;
    read_event *read;
    add_piece *add;
} events[] = {
    {"response.created", on_start, NULL},
    {"response.in_progress", on_start, NULL},
    {"response.output_item.added", haft__responses_item_begin, NULL},
    {"response.output_item.done", haft__responses_item_end, NULL},
    {"response.output_text.delta", NULL, haft__responses_add_text},
    {"response.refusal.delta", NULL, haft__responses_add_refusal},
    {"response.reasoning_summary_part.added", on_part, NULL},
    {"response.reasoning_summary_text.delta", NULL, haft__responses_add_reasoning},
    {"response.reasoning_text.delta", NULL, haft__responses_add_reasoning},
    {"response.function_call_arguments.delta", NULL, haft__responses_add_arguments},
    {"response.completed", on_completed, NULL},
    {"response.incomplete", on_incomplete, NULL},
    {"response.failed", on_failed, NULL},
    {"response.cancelled", on_cancelled, NULL},
};

static haft_status read_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    haft__responses_stream *stream = (haft__responses_stream *)reader;
    haft_str type = haft__object_string(value, "type");
    type = type.len > 0 ? type : name;
    for (size_t i = 0; i < COUNT(events); i++) {
        if (haft__str_equal(type, haft__str(events[i].type))) {
            return events[i].read != NULL ? events[i].read(stream, value, err)
                                          : on_piece(stream, value, events[i].add, err);
        }
    }
    bool whole = haft__object_find_kind(value, "output", HAFT__JSON_ARRAY) != NULL;
    return type.len == 0 && whole
               ? read_response(stream, value, haft__object_string(value, "status"), err)
               : HAFT_OK;
}

/* ---- the decoder ---- */

static haft_status end_calls(haft__reply_reader *reader, haft_error *err)
{
    return haft__responses_end_items((haft__responses_stream *)reader, err);
}

static void finish(haft__reply_reader *reader)
{
    haft__responses_items_finish((haft__responses_stream *)reader);
}

static const haft__reply_decoder decoder = {
    .find_error = find_error, .read_value = read_value, .end_calls = end_calls, .finish = finish};

void haft__responses_stream_init(haft__responses_stream *stream,
                                 const haft__provider_stream_options *options)
{
    *stream = (haft__responses_stream){.items = NULL};
    haft__buf_init(&stream->kept, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&stream->scratch, HAFT__LIMIT_REPLY_BYTES);
    haft__reply_reader_init(&stream->reader, &decoder, options);
}
