/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/anthropic/request.h - requests of Anthropic's Messages API as JSON text.
 *
 * The bytes of each message are written once and kept. So the request of a turn costs only the new
 * text, and begins with the bytes of the request before: model, system, tools, messages. Members
 * that change from turn to turn follow them. Only the marks for the provider's cache move: one on
 * the system prompt, one on the last tool, one on the last message that later requests repeat.
 *
 * Thinking blocks of some models are bound to everything that came before them (model_rules.h). A
 * hash of that is kept with the blocks of a reply; if a later request begins otherwise, the reply
 * is sent without them.
 */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_REQUEST_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_REQUEST_H

#include "format/format.h"
#include "model/model.h"
#include "model/provider.h"
#include "model/text_messages.h"

/* Messages as JSON text. Adjacent messages with the same role are one message: Anthropic wants the
 * results of a turn in one message, before any text. */
typedef struct haft__anthropic_messages {
    haft__buf text;          /* separated by commas; the last one is not closed */
    haft__message_role role; /* of the last one */
} haft__anthropic_messages;

typedef struct haft__anthropic_chat {
    const haft__provider *provider;
    const haft__format *format; /* of calls in the text; NULL: native calls */
    haft__buf system;           /* the text of the system prompt */
    haft__anthropic_messages messages;
    size_t done;                   /* messages that were read: those kept, and the system prompt */
    haft__declared_tools own;      /* used if the shared ones have other tools */
    haft__declared_tools *tools;   /* of the request */
    haft__tool_prompt tool_prompt; /* of calls in the text */
    uint64_t base;                 /* a hash of the system prompt and the tools */
    uint64_t prefix;               /* a hash of these and of the first `hashed` bytes of messages */
    size_t hashed;
    uint32_t unsent; /* kept replies of this model that are sent without their items */
} haft__anthropic_chat;

/* `provider` must outlive the chat. */
void haft__anthropic_chat_init(haft__anthropic_chat *chat, const haft__provider *provider);
void haft__anthropic_chat_finish(haft__anthropic_chat *chat);

/* Appends a request, and keeps the bytes of its messages. In `head`: `prefix` is a hash of
 * everything before the reply, never 0; 0 if nothing is kept. `stable` ends before the last mark,
 * which moves. */
HAFT_MUST_USE haft_status haft__anthropic_chat_write(haft__anthropic_chat *chat,
                                                     const haft__request *request,
                                                     const haft__provider_request_options *options,
                                                     haft__buf *buf,
                                                     haft__provider_conversation *head,
                                                     haft_error *err);

#endif
