/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/request.h - requests as JSON text, in the format that most providers
 * share (Chat Completions).
 *
 * A request begins with exactly the bytes of the request before: model, tools, messages. Members
 * that change from turn to turn follow them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_H

#include "model/conversation.h"

haft__tool_writer *haft__chat_tool_writer(const haft__provider_conversation *chat,
                                          const haft__request *request,
                                          const haft__provider_request_options *options);

void haft__chat_write_body(haft__provider_conversation *chat, const haft__request *request,
                           const haft__provider_request_options *options, haft_str last,
                           haft__buf *buf);

/* ---- request_message.c ---- */

void haft__chat_add_text(haft__provider_conversation *chat, haft__message_role role, haft_str text);

HAFT_MUST_USE haft_status haft__chat_add_message(haft__provider_conversation *chat,
                                                 const haft__request *request, haft_error *err);

/* How many bytes of the kept messages every later request begins with. */
size_t haft__chat_stable_size(const haft__provider_conversation *chat);

/* Appends a text of the user to messages that were written to `buf`; none if it is empty. */
void haft__chat_end_with(const haft__provider_conversation *chat, haft_str text, haft__buf *buf);

/* Appends one message. */
void haft__chat_write_message(const haft__provider *provider, haft__buf *buf,
                              const haft__message *message);

#endif
