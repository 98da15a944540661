/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/gemini/request_int.h - declarations shared by request.c, request_message.c and
 * request_options.c. */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_INT_H

#include "model/providers/gemini/request.h"
#include "json/write.h"

/* ---- request_message.c ---- */

/* Appends a content with one part of text; for empty text, which the API rejects, a placeholder. */
void haft__gemini_write_text(haft__buf *buf, bool first, haft__message_role role, haft_str text);

/* ---- request_options.c ---- */

/* Writes toolConfig. */
void haft__gemini_write_choice(haft__json_writer *w, const haft__request *request,
                               const haft__provider_request_options *options);

/* Writes generationConfig, which includes the constraint, then the other options of the spec. */
void haft__gemini_write_options(const haft__provider *provider, haft__json_writer *w,
                                const haft__request *request,
                                const haft__provider_request_options *options);

#endif
