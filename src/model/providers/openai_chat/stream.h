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
    haft__buf id;              /* of the open block; "" if it has none */
    haft__buf text, signature; /* so far */
} haft__openai_details;

typedef enum haft__openai_part {
    HAFT__OPENAI_PART_NONE,
    HAFT__OPENAI_PART_TEXT,
    HAFT__OPENAI_PART_THINKING,
} haft__openai_part;

/* The parts of a content with thinking: those that are complete, and the one that still grows. */
typedef struct haft__openai_content {
    bool has_thinking; /* nothing is kept before that */
    haft__openai_part open;
    haft__buf parts;     /* as JSON, separated by commas */
    haft__buf inner;     /* of open thinking: its chunks before `text` */
    haft__buf text;      /* of the open part, so far */
    haft__buf signature; /* of open thinking */
    const char *closed;  /* of open thinking: "true", "false", or NULL */
} haft__openai_content;

/* The beginning of the item with these parts; the parts and "]}" follow. */
#define HAFT__OPENAI_CONTENT_ITEM "{\"content\":["

typedef struct haft__openai_stream {
    haft__reply_reader reader;
    haft__openai_details details;
    haft__openai_content content;
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
