/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_responses/stream.h - replies of the Responses API. model/reply_reader.h
 * reads them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_STREAM_H
#define HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_STREAM_H

#include "model/reply_reader.h"

typedef struct haft__responses_stream {
    haft__reply_reader reader;
    struct haft__responses_item *items;
    size_t item_count, item_capacity;
    size_t done_count;  /* complete items */
    haft__buf kept;     /* complete items as JSON text, for the items of the reply */
    haft__buf scratch;  /* the text of a message */
    bool needs_items;   /* the reply has parts that only its items express */
    bool has_text;      /* some message has text, */
    bool has_reasoning; /* some reasoning has: the next one is separated from it */
} haft__responses_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__responses_stream_init(haft__responses_stream *stream,
                                 const haft__provider_stream_options *options);

/* haft__provider_api.read_provider_call */
bool haft__responses_read_provider_call(haft__json item, haft__provider_call *ret_call);

#endif
