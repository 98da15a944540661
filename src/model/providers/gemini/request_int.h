/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/gemini/request_int.h - shared by the files of model/providers/gemini/request.h.
 * Private to src/model. */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_INT_H

#include "model/providers/gemini/request.h"
#include "json/write.h"

/* ---- request_message.c: one message as a content ---- */

/* Appends a content with one part of text. The API rejects empty text: another text stands for it.
 */
void haft__gemini_add_text(haft__buf *contents, haft__message_role role, haft_str text);

/* Appends an assistant's message: the parts that this model wrote, or its neutral form. */
void haft__gemini_add_turn(const haft__gemini_chat *chat, haft__buf *contents,
                           const haft__message *message);

/* Appends the results of a turn: one for each call, in the order of the calls. `turn` may be NULL:
 * the calls are not known. */
void haft__gemini_add_results(const haft__gemini_chat *chat, haft__buf *contents,
                              const haft__message *turn, const haft__message *results,
                              size_t count);

/* Adds the wire name of a tool. */
void haft__gemini_add_name(haft__json_writer *w, haft_str name);

/* ---- request_options.c ---- */

/* Writes toolConfig. */
void haft__gemini_write_choice(haft__json_writer *w, const haft__request *request,
                               const haft__provider_request_options *options);

/* Writes generationConfig, with the constraint, and the other options of the spec. */
void haft__gemini_write_options(const haft__provider *provider, haft__json_writer *w,
                                const haft__request *request, haft__json options);

#endif
