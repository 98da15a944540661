/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_stream.h - the property of every reader of replies: a body gives the same reply, however it
 * is split, and so do the deltas that are emitted while it arrives. Every text is UTF-8. The items
 * of a reply are a JSON array.
 *
 * The first byte of an input chooses the splits, the rest is the body.
 */
#ifndef HAFT_FUZZ_REPLY_STREAM_H
#define HAFT_FUZZ_REPLY_STREAM_H

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "model/provider.h"
#include "json/read.h"
#include "json/write.h"

typedef struct outcome {
    haft__buf text;  /* the reply, as text */
    haft__buf heard; /* the same from the emitted deltas, without failures */
} outcome;

static inline void require_array(haft_str items)
{
    haft__json value;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    REQUIRE(haft__json_read(&arena, items, NULL, &value, NULL, NULL) == HAFT_OK);
    REQUIRE(value.kind == HAFT__JSON_ARRAY);
    haft__arena_finish(&arena);
}

static inline void write_reply(haft__buf *buf, const haft__reply *reply)
{
    haft__json_write_string(buf, reply->content);
    haft__json_write_string(buf, reply->reasoning);
    haft__buf_addf(buf, "%s %llu %llu %llu", haft__stop_reason_name(reply->stop),
                   (unsigned long long)reply->usage.input, (unsigned long long)reply->usage.output,
                   (unsigned long long)reply->usage.cached);
    for (size_t i = 0; i < reply->call_count; i++) {
        REQUIRE(haft__utf8_valid(reply->calls[i].arguments));
        REQUIRE(haft__utf8_valid(reply->calls[i].name));
        haft__json_write_string(buf, reply->calls[i].id);
        haft__json_write_string(buf, reply->calls[i].name);
        haft__json_write_string(buf, reply->calls[i].arguments);
    }
    haft__json_write_string(buf, reply->items);
    if (reply->items.len > 0) {
        require_array(reply->items);
    }
    REQUIRE(haft__utf8_valid(reply->content) && haft__utf8_valid(reply->model));
}

static inline void write_failure(haft__buf *buf, const haft__model_failure *failure)
{
    REQUIRE(haft__utf8_valid(failure->message));
    haft__buf_addf(buf, "%s %u ", haft__failure_name(failure->kind), failure->status);
    haft__json_write_string(buf, failure->message);
}

static inline void listen_to_delta(void *context, const haft__delta *delta)
{
    REQUIRE(haft__assembly_add(context, delta, NULL) == HAFT_OK);
}

static inline outcome read_in_pieces(const haft__provider_api *api, haft_str body, size_t size)
{
    outcome result;
    haft__assembly heard;
    haft__provider_stream_options options = {
        .emit = listen_to_delta, .context = &heard, .prefix = 7, .hash_key = {1, 2}};
    haft__provider_stream *stream = malloc(api->stream_size);
    haft__model_outcome answer;
    haft__arena arena;
    REQUIRE(stream != NULL);
    haft__arena_init(&arena, 0);
    haft__assembly_init(&heard);
    haft__buf_init(&result.text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&result.heard, HAFT__LIMIT_JSON_BYTES);
    api->init_stream(stream, &options);
    for (size_t at = 0; at < body.len; at += size) {
        size_t left = body.len - at;
        haft_str piece = {body.ptr + at, left < size ? left : size};
        bool over = false;
        REQUIRE(api->feed(stream, piece, &over, NULL) == HAFT_OK);
    }
    REQUIRE(api->end(stream, &arena, &answer, NULL) == HAFT_OK);
    if (answer.failed) {
        write_failure(&result.text, &answer.failure);
        write_failure(&result.heard, &answer.failure);
    } else {
        haft__reply reply;
        write_reply(&result.text, &answer.reply);
        REQUIRE(haft__assembly_reply(&heard, &arena, &reply, NULL) == HAFT_OK);
        write_reply(&result.heard, &reply);
    }
    api->finish_stream(stream);
    free(stream);
    haft__assembly_finish(&heard);
    haft__arena_finish(&arena);
    return result;
}

static inline void finish_outcome(outcome *result)
{
    haft__buf_finish(&result->text);
    haft__buf_finish(&result->heard);
}

static inline void require_same(const haft__buf *a, const haft__buf *b, const char *what)
{
    haft_str one = haft__buf_str(a), other = haft__buf_str(b);
    REQUIREF(haft__str_equal(one, other), "whole: %.*s, %s: %.*s", HAFT__ARG(one), what,
             HAFT__ARG(other));
}

/* The body of LLVMFuzzerTestOneInput, for the reader of one wire format. */
static inline int check_reply_stream(const haft__provider_api *api, const uint8_t *data,
                                     size_t size)
{
    if (size == 0) {
        return 0;
    }
    haft_str body = {(const char *)data + 1, size - 1};
    outcome whole = read_in_pieces(api, body, size);
    outcome pieces = read_in_pieces(api, body, 1U + data[0] % 32);
    outcome bytes = read_in_pieces(api, body, 1);
    require_same(&whole.text, &pieces.text, "in pieces");
    require_same(&whole.text, &bytes.text, "in bytes");
    require_same(&whole.text, &whole.heard, "emitted");
    finish_outcome(&whole);
    finish_outcome(&pieces);
    finish_outcome(&bytes);
    return 0;
}

#endif
