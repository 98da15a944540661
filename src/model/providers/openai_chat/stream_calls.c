/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_calls.c - assigns each piece of a call to its call.
 *
 * OpenAI keys the pieces by `index` and sends id and name once. Other servers omit the index, use
 * the same index for every call, start at 1, repeat id and name with each piece, or send whole
 * calls. So:
 *   1. A piece with a known index continues that call; but if it has a name and an id that differs,
 *      it begins a call.
 *   2. A piece without an index continues the call with its id.
 *   3. A piece without index and id begins a call if it has a name; otherwise it continues the last
 *      call.
 * Calls are numbered in the order in which they began, not by the server's index.
 * Tests: tests/model/providers/openai_chat/stream_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/providers/openai_chat/stream_int.h"
#include "json/number.h"
#include "json/object.h"
#include "json/write.h"

#define NO_INDEX     (-1)
#define LEGACY_INDEX (-2) /* of `function_call`, which occurs at most once */

typedef struct haft__openai_call {
    int64_t index;   /* the server's */
    uint32_t number; /* ours */
    bool begun;      /* its name is known and was emitted */
    haft__buf id;
    haft__buf buffered; /* arguments that arrived before the name */
} openai_call;

/* A piece of a call, as received. */
typedef struct piece {
    int64_t index;
    haft_str id, name;
    const haft__json *arguments; /* NULL if absent */
    bool whole;                  /* a whole call, even if its id or index is that of another */
} piece;

void haft__openai_calls_finish(haft__openai_stream *stream)
{
    for (size_t i = 0; i < stream->call_count; i++) {
        haft__buf_finish(&stream->calls[i].id);
        haft__buf_finish(&stream->calls[i].buffered);
    }
    free(stream->calls);
    stream->calls = NULL;
    stream->call_count = stream->call_capacity = 0;
}

/* ---- finding ---- */

static bool has_id(const openai_call *call, haft_str id)
{
    return haft__str_equal(haft__buf_str(&call->id), id);
}

/* The newest call with that index or, without an index, with that id; call_count if there is none.
 * Tries the call of the last piece first, because pieces of one call are consecutive. */
static size_t find_known(const haft__openai_stream *stream, const piece *p)
{
    bool by_index = p->index != NO_INDEX;
    for (size_t i = 0; i <= stream->call_count && stream->call_count > 0; i++) {
        size_t at = i == 0 ? stream->last_call : stream->call_count - i;
        const openai_call *call = &stream->calls[at];
        if (by_index ? call->index == p->index : has_id(call, p->id)) {
            return at;
        }
    }
    return stream->call_count;
}

/* The call that the piece continues; call_count if it begins a call. */
static size_t find_call(const haft__openai_stream *stream, const piece *p)
{
    if (p->whole) {
        return stream->call_count;
    }
    if (p->index == NO_INDEX && p->id.len == 0) {
        return p->name.len == 0 && stream->call_count > 0 ? stream->last_call : stream->call_count;
    }
    size_t at = find_known(stream, p);
    if (at < stream->call_count && p->index != NO_INDEX && p->id.len > 0 && p->name.len > 0) {
        const openai_call *call = &stream->calls[at];
        at = call->id.len == 0 || has_id(call, p->id) ? at : stream->call_count;
    }
    return at;
}

static haft_status add_call(haft__openai_stream *stream, const piece *p, haft_error *err)
{
    if (stream->call_count == HAFT__LIMIT_REPLY_CALLS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d calls in a reply, found more",
                          HAFT__LIMIT_REPLY_CALLS);
    }
    openai_call *calls = haft__vec_reserve(stream->calls, &stream->call_capacity,
                                           stream->call_count + 1, sizeof(*calls));
    if (calls == NULL) {
        return haft__fail_no_memory(err);
    }
    stream->calls = calls;
    openai_call *call = &stream->calls[stream->call_count++];
    *call = (openai_call){.index = p->index, .number = stream->reader.numbered++};
    haft__buf_init(&call->id, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_init(&call->buffered, HAFT__LIMIT_REPLY_BYTES);
    return HAFT_OK;
}

/* ---- pieces ---- */

static haft_status begin(haft__openai_stream *stream, size_t at, haft_str name, haft_error *err)
{
    openai_call *call = &stream->calls[at];
    haft__delta delta = {.kind = HAFT__DELTA_CALL,
                         .index = call->number,
                         .id = haft__buf_str(&call->id),
                         .text = haft__reply_reader_tool_name(&stream->reader, name)};
    haft_status status = haft__reply_reader_emit(&stream->reader, &delta, err);
    call->begun = true;
    if (status == HAFT_OK && call->buffered.len > 0) {
        delta = (haft__delta){.kind = HAFT__DELTA_ARGUMENTS,
                              .index = call->number,
                              .text = haft__buf_str(&call->buffered)};
        status = haft__reply_reader_emit(&stream->reader, &delta, err);
        haft__buf_finish(&call->buffered);
    }
    return status;
}

/* A text unchanged; anything else as JSON text. */
static haft_status arguments_text(haft__openai_stream *stream, const haft__json *arguments,
                                  haft_str *ret_text, haft_error *err)
{
    *ret_text = (haft_str){NULL, 0};
    if (arguments == NULL || arguments->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (arguments->kind == HAFT__JSON_STRING) {
        *ret_text = haft__json_text(*arguments);
        return HAFT_OK;
    }
    haft__buf_clear(&stream->reader.text);
    haft__json_write(&stream->reader.text, *arguments);
    *ret_text = haft__buf_str(&stream->reader.text);
    return haft__buf_check(&stream->reader.text, err);
}

static haft_status add_arguments(haft__openai_stream *stream, size_t at, haft_str text,
                                 haft_error *err)
{
    openai_call *call = &stream->calls[at];
    if (text.len == 0) {
        return HAFT_OK;
    }
    if (!call->begun) {
        haft__buf_add_str(&call->buffered, text);
        return haft__buf_check(&call->buffered, err);
    }
    haft__delta delta = {.kind = HAFT__DELTA_ARGUMENTS, .index = call->number, .text = text};
    return haft__reply_reader_emit(&stream->reader, &delta, err);
}

static haft_status take_piece(haft__openai_stream *stream, const piece *p, haft_error *err)
{
    size_t at = find_call(stream, p);
    haft_status status = at == stream->call_count ? add_call(stream, p, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    openai_call *call = &stream->calls[at];
    stream->last_call = at;
    if (call->id.len == 0 && p->id.len > 0) {
        haft__buf_add_str(&call->id, p->id);
        status = haft__buf_check(&call->id, err);
    }
    if (status == HAFT_OK && !call->begun && p->name.len > 0) {
        status = begin(stream, at, p->name, err);
    }
    haft_str text;
    if (status == HAFT_OK) {
        status = arguments_text(stream, p->arguments, &text, err);
    }
    return status == HAFT_OK ? add_arguments(stream, at, text, err) : status;
}

/* {"name":..,"arguments":..}; of a custom tool {"name":..,"input":..}. */
static haft_status take_function(haft__openai_stream *stream, haft__json function, piece *p,
                                 haft_error *err)
{
    const haft__json *arguments = haft__json_get(function, HAFT__LIT("arguments"));
    p->name = haft__object_string(function, "name");
    p->arguments = arguments != NULL ? arguments : haft__json_get(function, HAFT__LIT("input"));
    return take_piece(stream, p, err);
}

static haft_status take_entry(haft__openai_stream *stream, haft__json entry, bool whole,
                              haft_error *err)
{
    piece p = {.index = NO_INDEX, .id = haft__object_string(entry, "id"), .whole = whole};
    const haft__json *index = haft__json_get(entry, HAFT__LIT("index"));
    const haft__json *function = haft__json_get(entry, HAFT__LIT("function"));
    int64_t number = NO_INDEX;
    if (index != NULL && index->kind == HAFT__JSON_NUMBER
        && haft__number_to_int64(haft__json_text(*index), &number) && number >= 0) {
        p.index = number;
    }
    if (function == NULL) {
        function = haft__json_get(entry, HAFT__LIT("custom"));
    }
    return take_function(stream, function != NULL ? *function : haft__json_null(), &p, err);
}

haft_status haft__openai_read_calls(haft__openai_stream *stream, haft__json message, bool whole,
                                    haft_error *err)
{
    const haft__json *calls = haft__json_get(message, HAFT__LIT("tool_calls"));
    const haft__json *legacy = haft__json_get(message, HAFT__LIT("function_call"));
    haft_status status = HAFT_OK;
    if (calls != NULL && calls->kind == HAFT__JSON_ARRAY) {
        for (uint32_t i = 0; i < calls->count && status == HAFT_OK; i++) {
            status = take_entry(stream, calls->items[i], whole, err);
        }
    }
    if (status == HAFT_OK && legacy != NULL && legacy->kind == HAFT__JSON_OBJECT) {
        piece p = {.index = LEGACY_INDEX};
        status = take_function(stream, *legacy, &p, err);
    }
    return status;
}

haft_status haft__openai_end_calls(haft__openai_stream *stream, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < stream->call_count && status == HAFT_OK; i++) {
        /* A call without a name still counts as a call, so that it gets a result. */
        status = stream->calls[i].begun ? HAFT_OK : begin(stream, i, HAFT__LIT(""), err);
        haft__delta delta = {.kind = HAFT__DELTA_CALL_END, .index = stream->calls[i].number};
        if (status == HAFT_OK) {
            status = haft__reply_reader_emit(&stream->reader, &delta, err);
        }
    }
    return status;
}
