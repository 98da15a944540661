/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_responses/request_int.h - shared by the files of
 * model/providers/openai_responses/request.h. Private to src/model. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_REQUEST_INT_H

#include "model/providers/openai_responses/request.h"
#include "json/write.h"

/* Adds the wire name of a tool. */
void haft__responses_add_name(haft__json_writer *w, haft_str name);

/* ---- request_text.c: the input of a conversation ---- */

/* Appends the missing messages to the kept input. */
HAFT_MUST_USE haft_status haft__responses_sync_input(haft__responses_text *text,
                                                     const haft__request *request, haft_error *err);

/* Appends the items of `input`: all messages, and those for this request only. */
void haft__responses_write_input(const haft__responses_text *text, haft__buf *buf,
                                 const haft__request *request);

#endif
