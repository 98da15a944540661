/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/stream.h - replies of servers that speak OpenAI's Chat Completions.
 * model/reply_reader.h reads them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H

#include "model/reply_reader.h"

typedef struct haft__openai_stream {
    haft__reply_reader reader;
    struct haft__openai_call *calls;
    size_t call_count, call_capacity, last_call;
} haft__openai_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__openai_stream_init(haft__openai_stream *stream,
                              const haft__provider_stream_options *options);

/* Reads a whole body. */
HAFT_MUST_USE haft_status haft__openai_read(const haft__provider_stream_options *options,
                                            haft_str body, haft__arena *arena,
                                            haft__model_outcome *ret_outcome, haft_error *err);

#endif
