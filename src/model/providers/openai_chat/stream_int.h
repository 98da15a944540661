/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/stream_int.h - shared by the files of
 * model/providers/openai_chat/stream.h. Private to src/model. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_STREAM_INT_H

#include "model/providers/openai_chat/stream.h"
#include "json/value.h"

/* ---- stream.c ---- */

/* Passes a delta to the assembly and to the `emit` callback. */
HAFT_MUST_USE haft_status haft__openai_emit_delta(haft__openai_stream *stream,
                                                  const haft__delta *delta, haft_error *err);

/* The call has failed, and later bytes are ignored. The caller appends the message to stream->text.
 */
void haft__openai_fail(haft__openai_stream *stream, haft__failure_kind kind, uint32_t status);

/* ---- stream_message.c, stream_calls.c: values to deltas ---- */

/* Reads a chunk of a stream, or a whole reply. A status other than NO_MEMORY reports, with `err`,
 * what is wrong with the value. */
HAFT_MUST_USE haft_status haft__openai_read_value(haft__openai_stream *stream, haft__json value,
                                                  haft_error *err);

/* Ends every call and sets the stop reason. */
HAFT_MUST_USE haft_status haft__openai_end_reply(haft__openai_stream *stream, haft_error *err);

/* Reads the calls of a piece of a message, or of a whole one, in which each entry is a call. */
HAFT_MUST_USE haft_status haft__openai_read_calls(haft__openai_stream *stream, haft__json message,
                                                  bool whole, haft_error *err);
HAFT_MUST_USE haft_status haft__openai_end_calls(haft__openai_stream *stream, haft_error *err);
void haft__openai_calls_finish(haft__openai_stream *stream);

/* ---- stream_text.c: text with calls in it ---- */

/* Reads the next piece of the text. */
HAFT_MUST_USE haft_status haft__openai_feed_text(haft__openai_stream *stream, haft_str text,
                                                 haft_error *err);
HAFT_MUST_USE haft_status haft__openai_end_text(haft__openai_stream *stream, haft_error *err);

/* The name of the tool with this wire name; unchanged if no tool has it. */
haft_str haft__openai_tool_name(const haft__openai_stream *stream, haft_str wire);

/* ---- error.c ---- */

/* An error as the server reports it. Texts are borrowed from the value. */
typedef struct haft__openai_error {
    haft_str message, type, code, param;
} haft__openai_error;

/* False if the value is not an error in any known form. */
bool haft__openai_error_find(haft__json value, haft__openai_error *ret_error);

/* `status` is 0 if the error came inside a reply. */
haft__failure_kind haft__openai_error_kind(uint32_t status, const haft__openai_error *error);

/* The status inside the error object, which some servers set; else 0. */
uint32_t haft__openai_error_status(const haft__openai_error *error);

/* Appends the message and, in parentheses, the other known details, each redacted and then cut. */
void haft__openai_error_write(haft__buf *buf, const haft__openai_error *error, haft_str request_id,
                              haft__cleaner cleaner);

/* Appends the start of a text on one line: white space becomes one space, HTML tags are left out if
 * `html`, and invalid UTF-8 becomes '?'. Redacted before it is cut. */
void haft__openai_add_excerpt(haft__buf *buf, haft_str text, bool html, haft__cleaner cleaner);

/* Appends the usual reason for a response that is not from a model server: a wrong URL. */
void haft__openai_add_endpoint_hint(haft__buf *buf);

#endif
