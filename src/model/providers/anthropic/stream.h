/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/anthropic/stream.h - replies of Anthropic's Messages API. model/reply_reader.h
 * reads them.
 *
 * A reply is a list of blocks: text, thinking, calls, and blocks of tools that the server runs. A
 * stream sends each block in pieces, one block after the other.
 */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_STREAM_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_STREAM_H

#include "model/reply_reader.h"

/* The members of a block that arrive in pieces. */
typedef enum haft__anthropic_part {
    HAFT__ANTHROPIC_TEXT,
    HAFT__ANTHROPIC_THINKING,
    HAFT__ANTHROPIC_SIGNATURE,
    HAFT__ANTHROPIC_INPUT,     /* JSON text */
    HAFT__ANTHROPIC_CITATIONS, /* JSON values, separated by commas */
    HAFT__ANTHROPIC_PART_COUNT,
} haft__anthropic_part;

typedef enum haft__anthropic_block_kind {
    HAFT__ANTHROPIC_BLOCK_TEXT,
    HAFT__ANTHROPIC_BLOCK_THINKING,
    HAFT__ANTHROPIC_BLOCK_CALL,
    HAFT__ANTHROPIC_BLOCK_OTHER, /* only the provider reads it */
} haft__anthropic_block_kind;

/* A block that has begun. */
typedef struct haft__anthropic_block {
    bool open;
    haft__anthropic_block_kind kind;
    uint64_t index;  /* the server's */
    uint32_t call;   /* the number of the call */
    bool has_pieces; /* of the input: a piece has arrived, and replaces that of the beginning */
    bool needs_item; /* the neutral form cannot express it */
    haft__buf item;  /* the members that came with its beginning; not closed */
    haft__buf parts[HAFT__ANTHROPIC_PART_COUNT];
} haft__anthropic_block;

typedef struct haft__anthropic_stream {
    haft__reply_reader reader;
    haft__anthropic_block block;
    haft__buf items;  /* the blocks that ended, each on a line */
    bool needs_items; /* the neutral form cannot express all of them */
    size_t answered;  /* bytes of `items` before the last calls that the server runs, if nothing
                         follows them */
    haft__token_usage usage;
    uint64_t uncached; /* of usage.input */
} haft__anthropic_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__anthropic_stream_init(haft__anthropic_stream *stream,
                                 const haft__provider_stream_options *options);

#endif
