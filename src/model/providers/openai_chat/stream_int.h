/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/stream_int.h - declarations shared by stream.c, stream_calls.c and
 * stream_details.c. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_INT_H

#include "model/providers/openai_chat/stream.h"

/* Reads the calls of a message, or of a piece of one. `whole`: it is a whole message, so each entry
 * is a whole call. */
HAFT_MUST_USE haft_status haft__openai_read_calls(haft__openai_stream *stream, haft__json message,
                                                  bool whole, haft_error *err);
HAFT_MUST_USE haft_status haft__openai_end_calls(haft__openai_stream *stream, haft_error *err);
void haft__openai_calls_finish(haft__openai_stream *stream);

/* ---- stream_content.c ---- */

void haft__openai_content_init(haft__openai_content *content);
void haft__openai_content_finish(haft__openai_content *content);

/* Keeps a part with thinking, or a piece of one. */
HAFT_MUST_USE haft_status haft__openai_keep_thinking(haft__openai_stream *stream, haft__json part,
                                                     bool whole, haft_error *err);

/* Keeps the next piece of the text, if the reply has thinking. */
HAFT_MUST_USE haft_status haft__openai_keep_text(haft__openai_stream *stream, haft_str text,
                                                 haft_error *err);

/* Emits the parts as the item of the reply, if they have to be sent back. */
HAFT_MUST_USE haft_status haft__openai_end_content(haft__openai_stream *stream, bool *ret_kept,
                                                   haft_error *err);

/* ---- stream_details.c ---- */

void haft__openai_details_init(haft__openai_details *details);
void haft__openai_details_finish(haft__openai_details *details);

/* Reads `reasoning_details` of a message, or of a piece of one. `shows_text`: the reasoning is
 * taken from them, because the message has no other member with it. */
HAFT_MUST_USE haft_status haft__openai_read_details(haft__openai_stream *stream, haft__json message,
                                                    bool whole, bool shows_text, haft_error *err);

/* Emits the blocks as items of the reply. */
HAFT_MUST_USE haft_status haft__openai_end_details(haft__openai_stream *stream, haft_error *err);

#endif
