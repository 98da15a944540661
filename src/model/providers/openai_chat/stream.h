/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/stream.h - replies and errors of servers that speak OpenAI's Chat
 * Completions: bytes in, neutral replies out.
 *
 *     haft__openai_stream_init(&stream, &options);
 *     for each piece of the body of a 2xx answer:
 *         status = haft__openai_stream_feed(&stream, piece, err);
 *     status = haft__openai_stream_end(&stream, arena, &answer, err);
 *     haft__openai_stream_finish(&stream);
 *
 * The same reader takes a whole reply and a streamed one, whichever was asked for: what the body
 * begins with says which it is. However it is cut up, the answer is the same. Answers that are not
 * 2xx go to haft__openai_read_failure.
 *
 * What a server says may repeat a secret of the request: redact it (run/redact/redact.h) before it
 * is kept or shown.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H

#include "model/model.h"
#include "model/provider.h"
#include "model/sse.h"

/* What a body turns out to be, by its first byte that is not white space. */
typedef enum haft__openai_body {
    HAFT__OPENAI_BODY_UNKNOWN, /* nothing but white space so far */
    HAFT__OPENAI_BODY_EVENTS,
    HAFT__OPENAI_BODY_JSON, /* a whole reply, or an error */
    HAFT__OPENAI_BODY_HTML,
} haft__openai_body;

typedef struct haft__openai_stream {
    haft__provider_stream_options options;
    haft__openai_body kind;
    haft__sse sse;
    haft__buf body;      /* a body that is no event stream; of one that is, its beginning */
    haft__arena scratch; /* one event's value */
    haft__buf text;      /* arguments that came as an object; a failure's message */
    haft__buf model;     /* that answers */
    haft__assembly assembly;
    struct haft__openai_call *calls;
    size_t call_count, call_capacity, last_call;
    uint32_t numbered;    /* calls, the server's and those in the text */
    haft__parser *parser; /* of the text; NULL until there is any */
    bool text_bracket;    /* all of it so far is a "[", which may begin JSON or not */
    bool text_call_open;  /* the last call of the text has not ended */
    uint32_t text_call;   /* its number */
    haft__stop_reason stop;
    bool has_stop;    /* a finish_reason has come */
    bool has_message; /* something of the reply has come */
    bool has_event;   /* an event that is JSON has come */
    bool refused;     /* a refusal has come */
    bool over;        /* nothing that follows counts: it has failed, or its end was announced */
    bool failed;
    haft__model_failure failure; /* its message is in `text` */
} haft__openai_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__openai_stream_init(haft__openai_stream *stream,
                              const haft__provider_stream_options *options);
void haft__openai_stream_finish(haft__openai_stream *stream);

/* Takes the next piece of the body. Fails only for want of memory: whatever is wrong with the
 * bytes becomes the failure that haft__openai_stream_end gives. Once stream->over is set nobody
 * needs to go on reading. */
HAFT_MUST_USE haft_status haft__openai_stream_feed(haft__openai_stream *stream, haft_str bytes,
                                                   haft_error *err);

/* The body is over, whole or not. The answer lives in `arena`. A reply without a finish_reason was
 * cut: HAFT__FAILURE_CUT, and nothing of it is made up for. */
HAFT_MUST_USE haft_status haft__openai_stream_end(haft__openai_stream *stream, haft__arena *arena,
                                                  haft__model_outcome *ret_answer, haft_error *err);

/* All of a body at once: feed and end. */
HAFT_MUST_USE haft_status haft__openai_read(const haft__provider_stream_options *options,
                                            haft_str body, haft__arena *arena,
                                            haft__model_outcome *ret_answer, haft_error *err);

/* What an answer that is not 2xx says: "HTTP 401 from the model server: Incorrect API key
 * (invalid_request_error, invalid_api_key)". `request_id` may be empty. The message lives in
 * `arena` and has at most HAFT__LIMIT_MODEL_ERROR_CHARS code points of the server's. Of the body
 * the first HAFT__LIMIT_MODEL_ERROR_BYTES are enough. */
HAFT_MUST_USE haft_status haft__openai_read_failure(uint32_t status, haft_str body,
                                                    haft_str request_id, haft__hash_key hash_key,
                                                    haft__arena *arena,
                                                    haft__model_failure *ret_failure,
                                                    haft_error *err);

#endif
