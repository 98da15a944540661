/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/anthropic/stream_int.h - shared by the files of
 * model/providers/anthropic/stream.h. Private to its folder. */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_STREAM_INT_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_STREAM_INT_H

#include "model/providers/anthropic/stream.h"

/* ---- stream_block.c ---- */

void haft__anthropic_block_init(haft__anthropic_stream *stream);
void haft__anthropic_block_finish(haft__anthropic_stream *stream);

/* Begins a block, and ends the one before. Of a whole reply, the block has all its contents. */
HAFT_MUST_USE haft_status haft__anthropic_begin_block(haft__anthropic_stream *stream,
                                                      uint64_t index, haft__json block,
                                                      haft_error *err);

/* Reads the next piece of the open block. */
HAFT_MUST_USE haft_status haft__anthropic_add_to_block(haft__anthropic_stream *stream,
                                                       haft__json delta, haft_error *err);

/* Ends the open block, if there is one. */
HAFT_MUST_USE haft_status haft__anthropic_end_block(haft__anthropic_stream *stream,
                                                    haft_error *err);

/* Emits the items of the reply, if the neutral form does not express them all. */
HAFT_MUST_USE haft_status haft__anthropic_emit_items(haft__anthropic_stream *stream,
                                                     haft_error *err);

#endif
