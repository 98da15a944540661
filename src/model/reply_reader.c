/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_reader.c - the body of a response, as it arrives: an event stream, lines of JSON, one JSON
 * value, or something that is not a reply.
 *
 * Servers answer a request for a stream with a whole reply, with an error in a 200, or with a
 * proxy's HTML. The first byte is more reliable than the content type.
 * Tests: tests/model/reply_reader_test.c and tests/model/providers/. Fuzzer: fuzz/openai_stream.c.
 */

#include "model/reply_reader.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/read.h"
#include "json/stream.h"

/* Bytes of a body without events that are kept for the error message. */
#define BEGINNING_BYTES 512

#define CUT "the reply was cut off before its end"

void haft__reply_reader_init(haft__reply_reader *reader, const haft__reply_decoder *decoder,
                             const haft__provider_stream_options *options)
{
    *reader = (haft__reply_reader){.decoder = decoder, .options = *options};
    haft__sse_init(&reader->sse);
    haft__arena_init(&reader->scratch, 0);
    haft__assembly_init(&reader->assembly);
    haft__buf_init(&reader->body, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&reader->text, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&reader->model, HAFT__LIMIT_REPLY_BYTES);
}

void haft__reply_reader_finish(haft__reply_reader *reader)
{
    haft__sse_finish(&reader->sse);
    haft__arena_finish(&reader->scratch);
    haft__assembly_finish(&reader->assembly);
    haft__buf_finish(&reader->body);
    haft__buf_finish(&reader->text);
    haft__buf_finish(&reader->model);
    haft__parser_destroy(reader->parser);
    reader->parser = NULL;
    if (reader->decoder->finish != NULL) {
        reader->decoder->finish(reader);
    }
}

haft_status haft__reply_reader_emit(haft__reply_reader *reader, const haft__delta *delta,
                                    haft_error *err)
{
    haft_status status = haft__assembly_add(&reader->assembly, delta, err);
    if (status == HAFT_OK && reader->options.emit != NULL) {
        reader->options.emit(reader->options.context, delta);
    }
    return status;
}

void haft__reply_reader_fail(haft__reply_reader *reader, haft__failure_kind kind, uint32_t status)
{
    haft__buf_clear(&reader->text);
    reader->failure = (haft__model_failure){.status = status, .kind = kind};
    reader->failed = reader->over = true;
}

/* Turns an error in the bytes into the failure; only out of memory is an error status. */
static haft_status judge(haft__reply_reader *reader, haft_status status, const haft_error *found,
                         haft_error *err)
{
    if (status == HAFT_OK) {
        return HAFT_OK;
    }
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    haft__reply_reader_fail(reader, HAFT__FAILURE_GARBLED, 0);
    haft__buf_addf(&reader->text, "the model server's reply cannot be used: %s%s%s", found->message,
                   found->where[0] != '\0' ? ", at " : "", found->where);
    return HAFT_OK;
}

/* ---- values ---- */

static haft_status read_value(haft__reply_reader *reader, haft_str text, haft__json *ret_value,
                              haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = reader->options.hash_key;
    haft__arena_reset(&reader->scratch);
    return haft__json_read(&reader->scratch, text, &options, ret_value, NULL, err);
}

void haft__reply_reader_fail_with(haft__reply_reader *reader, const haft__server_error *error)
{
    uint32_t status = haft__server_error_status(error);
    haft__reply_reader_fail(reader, haft__server_error_kind(status, error), status);
    reader->failure.has_wait = error->has_wait;
    reader->failure.wait_ms = error->wait_ms;
    haft__buf_add_str(&reader->text, HAFT__LIT("the model server reported an error: "));
    haft__server_error_write(&reader->text, error, HAFT__LIT(""), reader->options.cleaner);
}

static haft_status take_value(haft__reply_reader *reader, haft_str name, haft__json value,
                              haft_error *err)
{
    haft__server_error error;
    if (reader->decoder->find_error(value, &error)) {
        haft__reply_reader_fail_with(reader, &error);
        return HAFT_OK;
    }
    haft_error found = {0};
    return judge(reader, reader->decoder->read_value(reader, name, value, &found), &found, err);
}

/* ---- events ---- */

static haft_status take_event(haft__reply_reader *reader, haft_str name, haft_str data,
                              haft_error *err)
{
    haft__json value;
    haft_error found = {0};
    data = haft__str_trim(data);
    if (data.len == 0) {
        return HAFT_OK; /* a keep-alive */
    }
    if (haft__str_equal(data, HAFT__LIT("[DONE]"))) {
        reader->over = true;
        return HAFT_OK;
    }
    haft_status status = read_value(reader, data, &value, &found);
    if (status != HAFT_OK) {
        return judge(reader, status, &found, err);
    }
    reader->has_event = true;
    return take_value(reader, name, value, err);
}

static haft_status feed_events(haft__reply_reader *reader, haft_str bytes, haft_error *err)
{
    haft__sse_event event;
    haft_error found = {0};
    haft_status status = HAFT_OK;
    size_t room = reader->has_event ? 0 : BEGINNING_BYTES - reader->body.len;
    haft__buf_add(&reader->body, bytes.ptr, bytes.len < room ? bytes.len : room);
    while (status == HAFT_OK && !reader->over && haft__sse_next(&reader->sse, &bytes, &event)) {
        status = take_event(reader, event.name, event.data, err);
    }
    if (status == HAFT_OK && !reader->over) {
        status = judge(reader, haft__sse_check(&reader->sse, &found), &found, err);
    }
    return status == HAFT_OK ? haft__buf_check(&reader->body, err) : status;
}

/* The end of the connection may have removed the last event's empty line; the JSON shows whether
 * the event is complete. */
static haft_status end_events(haft__reply_reader *reader, haft_error *err)
{
    haft__sse_event event;
    haft__json value;
    haft_error found = {0};
    if (reader->over) {
        return HAFT_OK;
    }
    if (!haft__sse_end(&reader->sse, &event)) {
        return judge(reader, haft__sse_check(&reader->sse, &found), &found, err);
    }
    haft_status status = read_value(reader, haft__str_trim(event.data), &value, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    return status == HAFT_OK ? take_event(reader, event.name, event.data, err) : HAFT_OK;
}

/* ---- bodies ---- */

/* Skips white space and a byte order mark. */
static haft__body_kind kind_of(haft_str *io_bytes, bool lines)
{
    for (; io_bytes->len > 0; *io_bytes = haft__str_skip(*io_bytes, 1)) {
        char c = io_bytes->ptr[0];
        if (memchr(" \t\r\n\xEF\xBB\xBF", c, 7) == NULL) {
            return c == '{' && lines      ? HAFT__BODY_LINES
                   : c == '{' || c == '[' ? HAFT__BODY_JSON
                   : c == '<'             ? HAFT__BODY_HTML
                                          : HAFT__BODY_EVENTS;
        }
    }
    return HAFT__BODY_UNKNOWN;
}

static haft_status feed_body(haft__reply_reader *reader, haft_str bytes, haft_error *err)
{
    haft_error found = {0};
    haft__buf_add_str(&reader->body, bytes);
    return judge(reader, haft__buf_check(&reader->body, &found), &found, err);
}

static haft_status feed_lines(haft__reply_reader *reader, haft_str bytes, haft_error *err)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && !reader->over && bytes.len > 0) {
        bool complete = memchr(bytes.ptr, '\n', bytes.len) != NULL;
        haft_str line = haft__str_split(&bytes, '\n');
        status = feed_body(reader, line, err);
        if (status == HAFT_OK && complete && !reader->over) {
            status = take_event(reader, HAFT__LIT(""), haft__buf_str(&reader->body), err);
            haft__buf_clear(&reader->body);
        }
    }
    return status;
}

haft_status haft__reply_reader_feed(haft__reply_reader *reader, haft_str bytes, haft_error *err)
{
    if (reader->kind == HAFT__BODY_UNKNOWN) {
        reader->kind = kind_of(&bytes, reader->decoder->lines);
    }
    if (reader->over || bytes.len == 0) {
        return HAFT_OK;
    }
    size_t room = HAFT__LIMIT_MODEL_ERROR_BYTES;
    switch (reader->kind) {
    case HAFT__BODY_UNKNOWN: return HAFT_OK;
    case HAFT__BODY_EVENTS: return feed_events(reader, bytes, err);
    case HAFT__BODY_LINES: return feed_lines(reader, bytes, err);
    case HAFT__BODY_JSON: return feed_body(reader, bytes, err);
    case HAFT__BODY_HTML:
        room -= reader->body.len;
        bytes.len = bytes.len < room ? bytes.len : room;
        return feed_body(reader, bytes, err);
    }
    HAFT__UNREACHABLE();
}

static void fail_cut(haft__reply_reader *reader, const char *message)
{
    haft__reply_reader_fail(reader, HAFT__FAILURE_CUT, 0);
    haft__buf_addf(&reader->text, "%s", message);
}

static void fail_found(haft__reply_reader *reader, const char *message)
{
    haft__reply_reader_fail(reader, HAFT__FAILURE_GARBLED, 0);
    haft__buf_addf(&reader->text, "%s", message);
    haft__server_error_add_excerpt(&reader->text, haft__buf_str(&reader->body),
                                   reader->kind == HAFT__BODY_HTML, reader->options.cleaner);
    if (reader->kind == HAFT__BODY_HTML) { /* an HTML page, from another URL */
        haft__server_error_add_endpoint_hint(&reader->text);
    }
}

/* The failure for a value that is not JSON: truncated or invalid. */
static haft_status judge_json(haft__reply_reader *reader, haft_status status,
                              const haft_error *found, haft_error *err)
{
    bool cut = false;
    if (status == HAFT_BAD_INPUT
        && haft__json_is_truncated(haft__buf_str(&reader->body), &cut) != HAFT_OK) {
        status = HAFT_NO_MEMORY;
    }
    if (cut) {
        fail_cut(reader, CUT);
        return HAFT_OK;
    }
    return judge(reader, status, found, err);
}

static haft_status end_json(haft__reply_reader *reader, haft_error *err)
{
    haft__json value;
    haft_error found = {0};
    haft_status status = read_value(reader, haft__buf_str(&reader->body), &value, &found);
    if (status != HAFT_OK) {
        return judge_json(reader, status, &found, err);
    }
    status = take_value(reader, HAFT__LIT(""), value, err);
    if (status == HAFT_OK && !reader->failed && !reader->has_message) {
        fail_found(reader, "expected a reply, found ");
    }
    return status;
}

/* An event reader that did not end: the server disconnected, or it was not an event reader. */
static void judge_events(haft__reply_reader *reader)
{
    static const char *const starts[] = {":", "data:", "event:", "id:", "retry:"};
    haft_str body = haft__buf_str(&reader->body);
    bool events = reader->has_event || reader->over;
    for (size_t i = 0; i < COUNT(starts); i++) {
        haft_str start = haft__str(starts[i]);
        events = events || haft__str_starts_with(body, start) || haft__str_starts_with(start, body);
    }
    if (events) {
        fail_cut(reader, CUT);
    } else {
        fail_found(reader, "expected a reply, found ");
    }
}

/* The last line may lack its line end; a whole reply is a single line. */
static haft_status end_lines(haft__reply_reader *reader, haft_error *err)
{
    haft__json value;
    haft_error found = {0};
    haft_str line = haft__str_trim(haft__buf_str(&reader->body));
    if (line.len == 0) {
        return HAFT_OK;
    }
    haft_status status = read_value(reader, line, &value, &found);
    return status == HAFT_OK ? take_event(reader, HAFT__LIT(""), line, err)
                             : judge_json(reader, status, &found, err);
}

static haft_status end_body(haft__reply_reader *reader, haft_error *err)
{
    haft_status status = HAFT_OK;
    switch (reader->kind) {
    case HAFT__BODY_UNKNOWN:
        fail_cut(reader, "the model server ended its response before a reply began");
        break;
    case HAFT__BODY_HTML: fail_found(reader, "expected a reply, found HTML: "); break;
    case HAFT__BODY_JSON: /* it is complete: a stop reason may be missing */
        status = end_json(reader, err);
        break;
    case HAFT__BODY_LINES:
        status = end_lines(reader, err);
        if (status == HAFT_OK && !reader->failed && !reader->has_stop) {
            fail_cut(reader, CUT);
        }
        break;
    case HAFT__BODY_EVENTS:
        status = end_events(reader, err);
        if (status == HAFT_OK && !reader->failed && !reader->has_stop) {
            judge_events(reader);
        }
        break;
    }
    return status;
}

/* ---- the outcome ---- */

static haft_status copy_failure(const haft__reply_reader *reader, haft__arena *arena,
                                haft__model_outcome *ret_answer, haft_error *err)
{
    haft__model_failure failure = reader->failure;
    haft_status status = haft__buf_check(&reader->text, err);
    if (status != HAFT_OK) {
        return status;
    }
    failure.message = haft__arena_copy(arena, haft__buf_str(&reader->text));
    if (failure.message.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_answer = (haft__model_outcome){.failed = true, .failure = failure};
    return HAFT_OK;
}

static haft_status copy_reply(const haft__reply_reader *reader, haft__arena *arena,
                              haft__model_outcome *ret_answer, haft_error *err)
{
    haft__model_outcome answer = {.failed = false};
    haft_status status = haft__assembly_reply(&reader->assembly, arena, &answer.reply, err);
    if (status != HAFT_OK) {
        return status;
    }
    answer.reply.model = haft__arena_copy(arena, haft__buf_str(&reader->model));
    if (answer.reply.model.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_answer = answer;
    return HAFT_OK;
}

/* The calls in the reply decide, not the stop reason: with a named tool OpenAI says "stop", and
 * others say "tool_calls" without any. */
static haft_status end_reply(haft__reply_reader *reader, haft_error *err)
{
    haft_status status = haft__reply_reader_end_text(reader, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__stop_reason stop = reader->refused ? HAFT__STOP_REFUSAL : reader->stop;
    if (stop == HAFT__STOP_END || stop == HAFT__STOP_CALLS) {
        stop = reader->numbered > 0 ? HAFT__STOP_CALLS : HAFT__STOP_END;
    }
    haft__delta delta = {.kind = HAFT__DELTA_STOP, .stop = stop};
    if (reader->decoder->end_calls != NULL) {
        status = reader->decoder->end_calls(reader, err);
    }
    return status == HAFT_OK ? haft__reply_reader_emit(reader, &delta, err) : status;
}

haft_status haft__reply_reader_end_body(haft__reply_reader *reader, haft_error *err)
{
    bool ended = reader->failed || reader->body_ended;
    reader->body_ended = true;
    return ended ? HAFT_OK : end_body(reader, err);
}

void haft__reply_reader_begin_body(haft__reply_reader *reader)
{
    haft__sse_finish(&reader->sse);
    haft__sse_init(&reader->sse);
    haft__buf_clear(&reader->body);
    reader->kind = HAFT__BODY_UNKNOWN;
    reader->has_stop = reader->has_event = reader->over = reader->body_ended = false;
}

haft_status haft__reply_reader_end(haft__reply_reader *reader, haft__arena *arena,
                                   haft__model_outcome *ret_outcome, haft_error *err)
{
    haft_error found = {0};
    haft_status status = haft__reply_reader_end_body(reader, err);
    if (status == HAFT_OK && !reader->failed) {
        status = judge(reader, end_reply(reader, &found), &found, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return reader->failed ? copy_failure(reader, arena, ret_outcome, err)
                          : copy_reply(reader, arena, ret_outcome, err);
}

haft_status haft__reply_reader_read(haft__reply_reader *reader, haft_str body, haft__arena *arena,
                                    haft__model_outcome *ret_outcome, haft_error *err)
{
    haft_status status = haft__reply_reader_feed(reader, body, err);
    if (status == HAFT_OK) {
        status = haft__reply_reader_end(reader, arena, ret_outcome, err);
    }
    haft__reply_reader_finish(reader);
    return status;
}

/* ---- functions for the table of a provider ---- */

haft_status haft__reply_reader_feed_stream(haft__provider_stream *stream, haft_str bytes,
                                           bool *ret_over, haft_error *err)
{
    haft__reply_reader *reader = (haft__reply_reader *)stream;
    haft_status status = haft__reply_reader_feed(reader, bytes, err);
    *ret_over = reader->over;
    return status;
}

haft_status haft__reply_reader_end_stream(haft__provider_stream *stream, haft__arena *arena,
                                          haft__model_outcome *ret_outcome, haft_error *err)
{
    return haft__reply_reader_end((haft__reply_reader *)stream, arena, ret_outcome, err);
}

void haft__reply_reader_finish_stream(haft__provider_stream *stream)
{
    haft__reply_reader_finish((haft__reply_reader *)stream);
}

/* ---- for decoders ---- */

haft_status haft__reply_reader_add_reasoning(haft__reply_reader *reader, haft_str text,
                                             haft_error *err)
{
    haft__delta delta = {.kind = HAFT__DELTA_REASONING, .text = text};
    return text.len > 0 ? haft__reply_reader_emit(reader, &delta, err) : HAFT_OK;
}

haft_status haft__reply_reader_set_model(haft__reply_reader *reader, haft_str model,
                                         haft_error *err)
{
    if (reader->model.len == 0) {
        haft__buf_add_str(&reader->model, model);
    }
    return haft__buf_check(&reader->model, err);
}

void haft__reply_reader_set_stop(haft__reply_reader *reader, const haft__stop_word *words,
                                 haft_str word)
{
    if (word.len == 0) {
        return;
    }
    reader->has_stop = true;
    reader->stop = HAFT__STOP_END;
    for (; words->word != NULL; words++) {
        if (!haft__str_equal(word, haft__str(words->word))) {
            continue;
        }
        reader->stop = words->stop;
        if (words->failed) {
            haft__reply_reader_fail(reader, HAFT__FAILURE_TRANSIENT, 0);
            haft__buf_addf(&reader->text, "the model server aborted the reply (stop reason %s)",
                           words->word);
        }
    }
}
