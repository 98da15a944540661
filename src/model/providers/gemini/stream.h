/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/gemini/stream.h - replies of Gemini's generateContent. model/reply_reader.h reads
 * them.
 *
 * A reply is a list of parts: text, thoughts, calls, and parts that only Gemini reads. Each event
 * of a stream is a reply with the next parts; calls arrive whole.
 */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_STREAM_H
#define HAFT_MODEL_PROVIDERS_GEMINI_STREAM_H

#include "model/reply_reader.h"

/* Counts of tokens; those of an event replace earlier ones. */
typedef struct haft__gemini_usage {
    uint64_t prompt;      /* includes `cached` */
    uint64_t tool_prompt; /* results of tools that the server ran */
    uint64_t cached;
    uint64_t candidates; /* without the thoughts */
    uint64_t thoughts;
} haft__gemini_usage;

typedef struct haft__gemini_stream {
    haft__reply_reader reader;
    haft__buf items;  /* the parts as the model wrote them, each on a line */
    haft__buf text;   /* unsigned text that is not in `items` yet */
    size_t count;     /* of items */
    bool needs_items; /* the neutral form cannot express all parts */
    bool continues;   /* the reply goes on in another response */
    haft__gemini_usage usage;
    haft__gemini_usage earlier; /* of the responses that this one continues */
    haft__buf token;            /* with which the reply goes on in another response */
} haft__gemini_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__gemini_stream_init(haft__gemini_stream *stream,
                              const haft__provider_stream_options *options);

/* haft__provider_api.continue_reply */
haft_status haft__gemini_continue_reply(haft__provider_stream *stream, haft__buf *token,
                                        haft_error *err);

/* haft__provider_api.read_provider_call */
bool haft__gemini_read_provider_call(haft__json part, haft__provider_call *ret_call);

#endif
