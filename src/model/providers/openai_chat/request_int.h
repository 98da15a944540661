/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/request_int.h - shared by the files of
 * model/providers/openai_chat/request.h. Private to src/model. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_INT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_INT_H

#include "model/providers/openai_chat/request.h"
#include "json/write.h"

/* Adds the wire name of a tool. */
void haft__chat_add_name(haft__json_writer *w, haft_str name);

/* ---- request_text.c: calls in the text ---- */

HAFT_MUST_USE haft_status haft__chat_text_sync(haft__chat *chat, const haft__request *request,
                                               haft_error *err);

/* Appends the system message: instructions and plan, followed by how to call tools. */
void haft__chat_text_system(const haft__chat *chat, haft__buf *buf, haft_str instructions);

/* Appends the correction, or the choice of the turn. `last` is the message before, or NULL. */
void haft__chat_text_final_message(const haft__chat *chat, haft__buf *buf,
                                   const haft__request *request, const haft__message *last);

/* ---- request_message.c ---- */

haft_str haft__chat_role_name(haft__message_role role);

/* Appends the separator of two messages: a comma and, if a user's message may not follow a tool's,
 * an assistant's message. `before` is NULL before the first one. */
void haft__chat_write_separator(const haft__provider *provider, haft__buf *buf,
                                const haft__message *before, const haft__message *next);

#endif
