/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: the incremental reader, for every split of the text, and the strict reader accept the
 * same texts and give the same values; every split gives the same error.
 *
 * The first byte chooses the splits, the rest is the text.
 */
#include <stdint.h>

#include "base/str.h"
#include "fuzz.h"
#include "json/builder.h"
#include "json/read.h"
#include "json/stream.h"
#include "json/write.h"

typedef struct outcome {
    haft_status status;
    haft_error err;
    haft__buf text; /* the value, written */
} outcome;

static haft_status feed(haft__json_stream *stream, haft__json_builder *builder, haft_str piece,
                        haft_error *err)
{
    haft__json_event event;
    do {
        haft_status status = haft__json_stream_next(stream, &piece, &event, err);
        if (status == HAFT_OK) {
            status = haft__json_builder_add(builder, &event, err);
        }
        if (status != HAFT_OK) {
            return status;
        }
    } while (event.kind != HAFT__JSON_EVENT_MORE);
    return HAFT_OK;
}

static outcome read_in_pieces(haft_str text, size_t piece_size)
{
    outcome result = {.status = HAFT_OK};
    haft__buf_init(&result.text, HAFT__LIMIT_JSON_BYTES);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json_stream stream;
    haft__json_stream_init(&stream, NULL);
    haft__json_builder builder;
    haft__json_builder_init(&builder, &arena, NULL);
    for (size_t at = 0; at < text.len && result.status == HAFT_OK; at += piece_size) {
        size_t left = text.len - at, length = left < piece_size ? left : piece_size;
        result.status = feed(&stream, &builder, (haft_str){text.ptr + at, length}, &result.err);
    }
    if (result.status == HAFT_OK) {
        haft__json_stream_end(&stream);
        result.status = feed(&stream, &builder, (haft_str){NULL, 0}, &result.err);
    }
    if (result.status == HAFT_OK) {
        const haft__json *value = haft__json_builder_value(&builder);
        REQUIREF(value != NULL, "accepted without a value");
        haft__json_write(&result.text, *value);
    }
    haft__json_builder_finish(&builder);
    haft__json_stream_finish(&stream);
    haft__arena_finish(&arena);
    return result;
}

static outcome read_strictly(haft_str text)
{
    outcome result;
    haft__buf_init(&result.text, HAFT__LIMIT_JSON_BYTES);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    result.status = haft__json_read(&arena, text, NULL, &value, NULL, &result.err);
    if (result.status == HAFT_OK) {
        haft__json_write(&result.text, value);
    }
    haft__arena_finish(&arena);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    haft_str text = {(const char *)data + 1, size - 1};
    outcome strict = read_strictly(text);
    outcome pieces = read_in_pieces(text, 1U + data[0] % 16);
    outcome bytes = read_in_pieces(text, 1);
    REQUIREF(strict.status == pieces.status, "strict %d, in pieces %d", strict.status,
             pieces.status);
    REQUIREF(bytes.status == pieces.status, "the status depends on the splits: %d, %d",
             bytes.status, pieces.status);
    REQUIREF(haft__str_equal(haft__buf_str(&strict.text), haft__buf_str(&pieces.text)),
             "strict and incremental values differ");
    REQUIREF(haft__str_equal(haft__buf_str(&bytes.text), haft__buf_str(&pieces.text)),
             "the value depends on the splits");
    if (strict.status == HAFT_BAD_INPUT) {
        REQUIREF(strcmp(strict.err.where, bytes.err.where) == 0
                     && strcmp(strict.err.message, bytes.err.message) == 0,
                 "%s %s, in bytes %s %s", strict.err.where, strict.err.message, bytes.err.where,
                 bytes.err.message);
        REQUIREF(strcmp(pieces.err.where, bytes.err.where) == 0, "%s, in bytes %s",
                 pieces.err.where, bytes.err.where);
    }
    haft__buf_finish(&strict.text);
    haft__buf_finish(&pieces.text);
    haft__buf_finish(&bytes.text);
    return 0;
}
