/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/stream.h - replies of servers that speak OpenAI's Chat Completions.
 * model/reply_reader.h reads them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_H

#include "model/reply_reader.h"

/* `reasoning_details` of a reply: its blocks, and the one whose text still grows. */
typedef struct haft__openai_details {
    haft__buf items;           /* blocks as JSON, one a line */
    size_t count;              /* of them */
    const char *open;          /* the member with the text of the open block; NULL without one */
    haft__buf key;             /* its type and index */
    haft__buf members;         /* its other members as JSON, each with a comma */
    haft__buf text, signature; /* so far */
} haft__openai_details;

typedef struct haft__openai_stream {
    haft__reply_reader reader;
    haft__openai_details details;
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
