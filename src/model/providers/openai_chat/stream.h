/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/stream.h - replies and errors of servers that speak OpenAI's Chat
 * Completions: bytes in, neutral replies out.
 *
 *     haft__openai_stream_init(&stream, &options);
 *     for each piece of the body of a 2xx response:
 *         status = haft__openai_stream_feed(&stream, piece, err);
 *     status = haft__openai_stream_end(&stream, arena, &answer, err);
 *     haft__openai_stream_finish(&stream);
 *
 * The same reader accepts a whole reply and a streamed one, whichever was requested: the start of
 * the body says which it is. The outcome does not depend on how the body is split. Responses that
 * are not 2xx go to haft__openai_read_failure.
 *
 * A server's text may repeat a secret of the request: redact it (run/redact/redact.h) before it is
 * stored or shown.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H

#include "model/model.h"
#include "model/provider.h"
#include "model/sse.h"

/* The kind of a body, by its first byte that is not white space. */
typedef enum haft__openai_body {
    HAFT__OPENAI_BODY_UNKNOWN, /* only white space so far */
    HAFT__OPENAI_BODY_EVENTS,
    HAFT__OPENAI_BODY_JSON, /* a whole reply, or an error */
    HAFT__OPENAI_BODY_HTML,
} haft__openai_body;

typedef struct haft__openai_stream {
    haft__provider_stream_options options;
    haft__openai_body kind;
    haft__sse sse;
    haft__buf body;      /* a body that is not an event stream; of an event stream, its start */
    haft__arena scratch; /* the value of one event */
    haft__buf text;      /* arguments that came as an object; the message of a failure */
    haft__buf model;     /* that replies */
    haft__assembly assembly;
    struct haft__openai_call *calls;
    size_t call_count, call_capacity, last_call;
    uint32_t numbered;    /* number of calls, native and in the text */
    haft__parser *parser; /* of the text; NULL until text arrives */
    bool text_bracket;    /* the text so far is "[", which may begin JSON or not */
    bool text_call_open;  /* the last call in the text has not ended */
    uint32_t text_call;   /* its number */
    haft__stop_reason stop;
    bool has_stop;    /* a finish_reason has arrived */
    bool has_message; /* some part of the reply has arrived */
    bool has_event;   /* an event that is JSON has arrived */
    bool refused;     /* a refusal has arrived */
    bool over;        /* later bytes are ignored: the call failed, or its end was announced */
    bool failed;
    haft__model_failure failure; /* its message is in `text` */
} haft__openai_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__openai_stream_init(haft__openai_stream *stream,
                              const haft__provider_stream_options *options);
void haft__openai_stream_finish(haft__openai_stream *stream);

/* Reads the next piece of the body. Fails only if out of memory: any error in the bytes becomes the
 * failure that haft__openai_stream_end returns. Once stream->over is set, the rest of the body need
 * not be read. */
HAFT_MUST_USE haft_status haft__openai_stream_feed(haft__openai_stream *stream, haft_str bytes,
                                                   haft_error *err);

/* The body has ended, complete or not. The outcome lives in `arena`. A reply without a
 * finish_reason was cut: HAFT__FAILURE_CUT; nothing of it is completed. */
HAFT_MUST_USE haft_status haft__openai_stream_end(haft__openai_stream *stream, haft__arena *arena,
                                                  haft__model_outcome *ret_answer, haft_error *err);

/* Reads a whole body: feed and end. */
HAFT_MUST_USE haft_status haft__openai_read(const haft__provider_stream_options *options,
                                            haft_str body, haft__arena *arena,
                                            haft__model_outcome *ret_answer, haft_error *err);

/* The failure of a response that is not 2xx: "HTTP 401 from the model server: Incorrect API key
 * (invalid_request_error, invalid_api_key)". `request_id` may be empty. The message lives in
 * `arena` and has at most HAFT__LIMIT_MODEL_ERROR_CHARS code points from the server. The first
 * HAFT__LIMIT_MODEL_ERROR_BYTES of the body are enough. */
HAFT_MUST_USE haft_status haft__openai_read_failure(uint32_t status, haft_str body,
                                                    haft_str request_id, haft__hash_key hash_key,
                                                    haft__cleaner cleaner, haft__arena *arena,
                                                    haft__model_failure *ret_failure,
                                                    haft_error *err);

#endif
