/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/ollama/request.h - requests of Ollama's own API as JSON text.
 *
 * The API has no tool_choice: a tool that must be called is declared alone, no tool is declared if
 * none may be called, and a last line of the request says that a call is required. The run checks
 * the reply, and asks again with a JSON Schema (`format`).
 */
#ifndef HAFT_MODEL_PROVIDERS_OLLAMA_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OLLAMA_REQUEST_H

#include "model/conversation.h"

haft__tool_writer haft__ollama_write_tool;

void haft__ollama_write_body(haft__provider_conversation *chat, const haft__request *request,
                             const haft__provider_request_options *options, haft_str last,
                             haft__buf *buf);

/* ---- request_messages.c ---- */

void haft__ollama_add_text(haft__provider_conversation *chat, haft__message_role role,
                           haft_str text);

HAFT_MUST_USE haft_status haft__ollama_add_message(haft__provider_conversation *chat,
                                                   const haft__request *request, haft_error *err);

/* Appends the messages that are for this request only: `last`, or the choice of the turn. */
void haft__ollama_end_with(const haft__provider_conversation *chat, const haft__request *request,
                           haft_str last, haft__buf *buf);

#endif
