/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/gemini/request.h - requests of Gemini's generateContent as JSON text.
 *
 * A request begins with the bytes of the request before: system prompt, tools, contents. Members
 * that change from turn to turn follow them. The name of the model is in the URL.
 *
 * A model gets its own replies back part by part as it wrote them, with the thought signatures.
 * Signatures of other models are not sent.
 */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_H
#define HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_H

#include "model/conversation.h"

haft__tool_writer haft__gemini_write_tool;

void haft__gemini_write_body(haft__provider_conversation *chat, const haft__request *request,
                             const haft__provider_request_options *options, haft_str last,
                             haft__buf *buf);

/* ---- request_message.c ---- */

void haft__gemini_add_text(haft__provider_conversation *chat, haft__message_role role,
                           haft_str text);

HAFT_MUST_USE haft_status haft__gemini_add_message(haft__provider_conversation *chat,
                                                   const haft__request *request, haft_error *err);

#endif
