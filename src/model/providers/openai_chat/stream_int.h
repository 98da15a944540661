/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/stream_int.h - what the files of model/providers/openai_chat/stream.h
 * share. Private to src/model. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_INT_H

#include "model/providers/openai_chat/stream.h"
#include "json/value.h"

/* ---- stream.c ---- */

/* Gives a piece of the reply to the assembly and to who listens. */
HAFT_MUST_USE haft_status haft__openai_emit_delta(haft__openai_stream *stream,
                                                  const haft__delta *delta, haft_error *err);

/* The call has failed, and what follows does not count. Its message is what is then appended to
 * stream->text. */
void haft__openai_fail(haft__openai_stream *stream, haft__failure_kind kind, uint32_t status);

/* ---- stream_message.c, stream_calls.c: values to pieces of a reply ---- */

/* Takes a chunk of a stream, or a whole reply. A status other than NO_MEMORY says, with `err`, what
 * is wrong with the value. */
HAFT_MUST_USE haft_status haft__openai_read_value(haft__openai_stream *stream, haft__json value,
                                                  haft_error *err);

/* Ends every call and says why the reply stopped. */
HAFT_MUST_USE haft_status haft__openai_end_reply(haft__openai_stream *stream, haft_error *err);

/* The calls of a message, or of a piece of one. */
HAFT_MUST_USE haft_status haft__openai_read_calls(haft__openai_stream *stream, haft__json message,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__openai_end_calls(haft__openai_stream *stream, haft_error *err);
void haft__openai_calls_finish(haft__openai_stream *stream);

/* ---- stream_text.c: text with calls in it ---- */

/* The next piece of the text. */
HAFT_MUST_USE haft_status haft__openai_feed_text(haft__openai_stream *stream, haft_str text,
                                                 haft_error *err);
HAFT_MUST_USE haft_status haft__openai_end_text(haft__openai_stream *stream, haft_error *err);

/* The name of the tool that has this one on the wire; the same when there is none. */
haft_str haft__openai_tool_name(const haft__openai_stream *stream, haft_str wire);

/* ---- error.c ---- */

/* What a server said about an error. Texts are borrowed from the value. */
typedef struct haft__openai_error {
    haft_str message, type, code, param;
} haft__openai_error;

/* False when the value is no error in any of the shapes that are known. */
bool haft__openai_error_find(haft__json value, haft__openai_error *ret_error);

/* `status` may be 0, when the error came inside a reply. */
haft__failure_kind haft__openai_error_kind(uint32_t status, const haft__openai_error *error);

/* The status that the error itself has, as some servers put it there; else 0. */
uint32_t haft__openai_error_status(const haft__openai_error *error);

/* Appends the message and, in brackets, what else is known. */
void haft__openai_error_write(haft__buf *buf, const haft__openai_error *error, haft_str request_id);

/* Appends the beginning of a text on one line: white space is one space, tags of HTML are left
 * out if `html`, and what is not UTF-8 is '?'. */
void haft__openai_add_excerpt(haft__buf *buf, haft_str text, bool html);

/* What is usually wrong when a server has something else at the place that was asked. */
void haft__openai_add_endpoint_hint(haft__buf *buf);

#endif
