/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the body of a response, as it arrives: an event stream, one JSON value, or something
 * that is not a reply.
 *
 * Servers answer a request for a stream with a whole reply, with an error in a 200, or with a
 * proxy's HTML. The first byte is more reliable than the content type.
 * Tests: tests/model/providers/openai_chat/stream_test.c. Fuzzer: fuzz/openai_stream.c.
 */
#include "json/stream.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/providers/openai_chat/stream_int.h"
#include "json/read.h"

/* Bytes of a body without events that are kept for the error message. */
#define BEGINNING_BYTES 512

#define CUT "the reply was cut off before its end"

void haft__openai_stream_init(haft__openai_stream *stream,
                              const haft__provider_stream_options *options)
{
    *stream = (haft__openai_stream){.options = *options};
    haft__sse_init(&stream->sse);
    haft__arena_init(&stream->scratch, 0);
    haft__assembly_init(&stream->assembly);
    haft__buf_init(&stream->body, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&stream->text, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&stream->model, HAFT__LIMIT_REPLY_BYTES);
}

void haft__openai_stream_finish(haft__openai_stream *stream)
{
    haft__sse_finish(&stream->sse);
    haft__arena_finish(&stream->scratch);
    haft__assembly_finish(&stream->assembly);
    haft__buf_finish(&stream->body);
    haft__buf_finish(&stream->text);
    haft__buf_finish(&stream->model);
    haft__openai_calls_finish(stream);
    haft__parser_destroy(stream->parser);
    stream->parser = NULL;
}

haft_status haft__openai_emit_delta(haft__openai_stream *stream, const haft__delta *delta,
                                    haft_error *err)
{
    haft_status status = haft__assembly_add(&stream->assembly, delta, err);
    if (status == HAFT_OK && stream->options.emit != NULL) {
        stream->options.emit(stream->options.context, delta);
    }
    return status;
}

void haft__openai_fail(haft__openai_stream *stream, haft__failure_kind kind, uint32_t status)
{
    haft__buf_clear(&stream->text);
    stream->failure = (haft__model_failure){.status = status, .kind = kind};
    stream->failed = stream->over = true;
}

/* Turns an error in the bytes into the failure; only out of memory is an error status. */
static haft_status judge(haft__openai_stream *stream, haft_status status, const haft_error *found,
                         haft_error *err)
{
    if (status == HAFT_OK) {
        return HAFT_OK;
    }
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    haft__openai_fail(stream, HAFT__FAILURE_GARBLED, 0);
    haft__buf_addf(&stream->text, "the model server's reply cannot be used: %s%s%s", found->message,
                   found->where[0] != '\0' ? ", at " : "", found->where);
    return HAFT_OK;
}

/* ---- values ---- */

static haft_status read_value(haft__openai_stream *stream, haft_str text, haft__json *ret_value,
                              haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = stream->options.hash_key;
    haft__arena_reset(&stream->scratch);
    return haft__json_read(&stream->scratch, text, &options, ret_value, NULL, err);
}

static void take_error(haft__openai_stream *stream, const haft__openai_error *error)
{
    uint32_t status = haft__openai_error_status(error);
    haft__openai_fail(stream, haft__openai_error_kind(status, error), status);
    haft__buf_add_str(&stream->text, HAFT__LIT("the model server reported an error: "));
    haft__openai_error_write(&stream->text, error, HAFT__LIT(""), stream->options.cleaner);
}

static haft_status take_value(haft__openai_stream *stream, haft__json value, haft_error *err)
{
    haft__openai_error error;
    if (haft__openai_error_find(value, &error)) {
        take_error(stream, &error);
        return HAFT_OK;
    }
    haft_error found = {0};
    return judge(stream, haft__openai_read_value(stream, value, &found), &found, err);
}

/* ---- events ---- */

static haft_status take_event(haft__openai_stream *stream, haft_str data, haft_error *err)
{
    haft__json value;
    haft_error found = {0};
    data = haft__str_trim(data);
    if (data.len == 0) {
        return HAFT_OK; /* a keep-alive */
    }
    if (haft__str_equal(data, HAFT__LIT("[DONE]"))) {
        stream->over = true;
        return HAFT_OK;
    }
    haft_status status = read_value(stream, data, &value, &found);
    if (status != HAFT_OK) {
        return judge(stream, status, &found, err);
    }
    stream->has_event = true;
    return take_value(stream, value, err);
}

static haft_status feed_events(haft__openai_stream *stream, haft_str bytes, haft_error *err)
{
    haft__sse_event event;
    haft_error found = {0};
    haft_status status = HAFT_OK;
    size_t room = stream->has_event ? 0 : BEGINNING_BYTES - stream->body.len;
    haft__buf_add(&stream->body, bytes.ptr, bytes.len < room ? bytes.len : room);
    while (status == HAFT_OK && !stream->over && haft__sse_next(&stream->sse, &bytes, &event)) {
        status = take_event(stream, event.data, err);
    }
    if (status == HAFT_OK && !stream->over) {
        status = judge(stream, haft__sse_check(&stream->sse, &found), &found, err);
    }
    return status == HAFT_OK ? haft__buf_check(&stream->body, err) : status;
}

/* The end of the connection may have removed the last event's empty line; the JSON shows whether
 * the event is complete. */
static haft_status end_events(haft__openai_stream *stream, haft_error *err)
{
    haft__sse_event event;
    haft__json value;
    haft_error found = {0};
    if (stream->over) {
        return HAFT_OK;
    }
    if (!haft__sse_end(&stream->sse, &event)) {
        return judge(stream, haft__sse_check(&stream->sse, &found), &found, err);
    }
    haft_status status = read_value(stream, haft__str_trim(event.data), &value, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    return status == HAFT_OK ? take_event(stream, event.data, err) : HAFT_OK;
}

/* ---- bodies ---- */

/* Skips white space and a byte order mark. */
static haft__openai_body kind_of(haft_str *io_bytes)
{
    for (; io_bytes->len > 0; *io_bytes = haft__str_skip(*io_bytes, 1)) {
        char c = io_bytes->ptr[0];
        if (memchr(" \t\r\n\xEF\xBB\xBF", c, 7) == NULL) {
            return c == '{' || c == '[' ? HAFT__OPENAI_BODY_JSON
                   : c == '<'           ? HAFT__OPENAI_BODY_HTML
                                        : HAFT__OPENAI_BODY_EVENTS;
        }
    }
    return HAFT__OPENAI_BODY_UNKNOWN;
}

static haft_status feed_body(haft__openai_stream *stream, haft_str bytes, haft_error *err)
{
    haft_error found = {0};
    haft__buf_add_str(&stream->body, bytes);
    return judge(stream, haft__buf_check(&stream->body, &found), &found, err);
}

haft_status haft__openai_stream_feed(haft__openai_stream *stream, haft_str bytes, haft_error *err)
{
    if (stream->kind == HAFT__OPENAI_BODY_UNKNOWN) {
        stream->kind = kind_of(&bytes);
    }
    if (stream->over || bytes.len == 0) {
        return HAFT_OK;
    }
    size_t room = HAFT__LIMIT_MODEL_ERROR_BYTES;
    switch (stream->kind) {
    case HAFT__OPENAI_BODY_UNKNOWN: return HAFT_OK;
    case HAFT__OPENAI_BODY_EVENTS: return feed_events(stream, bytes, err);
    case HAFT__OPENAI_BODY_JSON: return feed_body(stream, bytes, err);
    case HAFT__OPENAI_BODY_HTML:
        room -= stream->body.len;
        bytes.len = bytes.len < room ? bytes.len : room;
        return feed_body(stream, bytes, err);
    }
    HAFT__UNREACHABLE();
}

static void fail_cut(haft__openai_stream *stream, const char *message)
{
    haft__openai_fail(stream, HAFT__FAILURE_CUT, 0);
    haft__buf_addf(&stream->text, "%s", message);
}

static void fail_found(haft__openai_stream *stream, const char *message)
{
    haft__openai_fail(stream, HAFT__FAILURE_GARBLED, 0);
    haft__buf_addf(&stream->text, "%s", message);
    haft__openai_add_excerpt(&stream->text, haft__buf_str(&stream->body),
                             stream->kind == HAFT__OPENAI_BODY_HTML, stream->options.cleaner);
    if (stream->kind == HAFT__OPENAI_BODY_HTML) { /* an HTML page, from another URL */
        haft__openai_add_endpoint_hint(&stream->text);
    }
}

/* The failure for a value that is not JSON: truncated or invalid. */
static haft_status judge_json(haft__openai_stream *stream, haft_status status,
                              const haft_error *found, haft_error *err)
{
    bool cut = false;
    if (status == HAFT_BAD_INPUT
        && haft__json_is_truncated(haft__buf_str(&stream->body), &cut) != HAFT_OK) {
        status = HAFT_NO_MEMORY;
    }
    if (cut) {
        fail_cut(stream, CUT);
        return HAFT_OK;
    }
    return judge(stream, status, found, err);
}

static haft_status end_json(haft__openai_stream *stream, haft_error *err)
{
    haft__json value;
    haft_error found = {0};
    haft_status status = read_value(stream, haft__buf_str(&stream->body), &value, &found);
    if (status != HAFT_OK) {
        return judge_json(stream, status, &found, err);
    }
    status = take_value(stream, value, err);
    if (status == HAFT_OK && !stream->failed && !stream->has_message) {
        fail_found(stream, "expected a reply with choices, found ");
    }
    return status;
}

/* An event stream that did not end: the server disconnected, or it was not an event stream. */
static void judge_events(haft__openai_stream *stream)
{
    static const char *const starts[] = {":", "data:", "event:", "id:", "retry:"};
    haft_str body = haft__buf_str(&stream->body);
    bool events = stream->has_event || stream->over;
    for (size_t i = 0; i < COUNT(starts); i++) {
        haft_str start = haft__str(starts[i]);
        events = events || haft__str_starts_with(body, start) || haft__str_starts_with(start, body);
    }
    if (events) {
        fail_cut(stream, CUT);
    } else {
        fail_found(stream, "expected a reply, found ");
    }
}

static haft_status end_body(haft__openai_stream *stream, haft_error *err)
{
    haft_status status = HAFT_OK;
    switch (stream->kind) {
    case HAFT__OPENAI_BODY_UNKNOWN:
        fail_cut(stream, "the model server ended its response before a reply began");
        break;
    case HAFT__OPENAI_BODY_HTML: fail_found(stream, "expected a reply, found HTML: "); break;
    case HAFT__OPENAI_BODY_JSON: /* it is complete: a finish_reason may be missing */
        status = end_json(stream, err);
        break;
    case HAFT__OPENAI_BODY_EVENTS:
        status = end_events(stream, err);
        if (status == HAFT_OK && !stream->failed && !stream->has_stop) {
            judge_events(stream);
        }
        break;
    }
    return status;
}

/* ---- the outcome ---- */

static haft_status copy_failure(const haft__openai_stream *stream, haft__arena *arena,
                                haft__model_outcome *ret_answer, haft_error *err)
{
    haft__model_failure failure = stream->failure;
    haft_status status = haft__buf_check(&stream->text, err);
    if (status != HAFT_OK) {
        return status;
    }
    failure.message = haft__arena_copy(arena, haft__buf_str(&stream->text));
    if (failure.message.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_answer = (haft__model_outcome){.failed = true, .failure = failure};
    return HAFT_OK;
}

static haft_status copy_reply(const haft__openai_stream *stream, haft__arena *arena,
                              haft__model_outcome *ret_answer, haft_error *err)
{
    haft__model_outcome answer = {.failed = false};
    haft_status status = haft__assembly_reply(&stream->assembly, arena, &answer.reply, err);
    if (status != HAFT_OK) {
        return status;
    }
    answer.reply.model = haft__arena_copy(arena, haft__buf_str(&stream->model));
    if (answer.reply.model.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_answer = answer;
    return HAFT_OK;
}

haft_status haft__openai_stream_end(haft__openai_stream *stream, haft__arena *arena,
                                    haft__model_outcome *ret_answer, haft_error *err)
{
    haft_error found = {0};
    haft_status status = stream->failed ? HAFT_OK : end_body(stream, err);
    if (status == HAFT_OK && !stream->failed) {
        status = judge(stream, haft__openai_end_reply(stream, &found), &found, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return stream->failed ? copy_failure(stream, arena, ret_answer, err)
                          : copy_reply(stream, arena, ret_answer, err);
}

haft_status haft__openai_read(const haft__provider_stream_options *options, haft_str body,
                              haft__arena *arena, haft__model_outcome *ret_answer, haft_error *err)
{
    haft__openai_stream stream;
    haft__openai_stream_init(&stream, options);
    haft_status status = haft__openai_stream_feed(&stream, body, err);
    if (status == HAFT_OK) {
        status = haft__openai_stream_end(&stream, arena, ret_answer, err);
    }
    haft__openai_stream_finish(&stream);
    return status;
}
