/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/gemini/request_int.h - shared by the files of model/providers/gemini/request.h.
 * Private to src/model. */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_INT_H

#include "model/providers/gemini/request.h"
#include "json/write.h"

/* ---- request_message.c ---- */

/* Appends a content with one part of text. The API rejects empty text: another text stands for it.
 */
void haft__gemini_write_text(haft__buf *buf, bool first, haft__message_role role, haft_str text);

/* ---- request_options.c ---- */

/* Writes toolConfig. */
void haft__gemini_write_choice(haft__json_writer *w, const haft__request *request,
                               const haft__provider_request_options *options);

/* Writes generationConfig, with the constraint, and the other options of the spec. */
void haft__gemini_write_options(const haft__provider *provider, haft__json_writer *w,
                                const haft__request *request, haft__json options);

#endif
