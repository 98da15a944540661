/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/anthropic/request.h - requests of Anthropic's Messages API as JSON text.
 *
 * A request begins with the bytes of the request before: model, system, tools, messages. Members
 * that change from turn to turn follow them. Only the marks for the provider's cache move: one on
 * the system prompt, one on the last tool, one on the last message that later requests repeat.
 *
 * Thinking blocks of some models are bound to everything that came before them (model_rules.h). A
 * hash of that is kept with the blocks of a reply; if a later request begins otherwise, the reply
 * is sent without them.
 */
#ifndef HAFT_MODEL_PROVIDERS_ANTHROPIC_REQUEST_H
#define HAFT_MODEL_PROVIDERS_ANTHROPIC_REQUEST_H

#include "model/conversation.h"

/* Adjacent messages with the same role are one message: Anthropic wants the results of a turn in
 * one message, before any text. The last of the kept messages is not closed. */
typedef struct haft__anthropic_chat {
    haft__provider_conversation head;
    haft__message_role role; /* of the last message */
    size_t turn;     /* bytes of messages before the last message of an assistant; 0: none */
    size_t blocks;   /* in the messages after these bytes */
    uint64_t base;   /* a hash of the system prompt and the tools */
    uint64_t prefix; /* a hash of these and of the first `hashed` bytes of messages */
    size_t hashed;
} haft__anthropic_chat;

haft__tool_writer haft__anthropic_write_tool;

HAFT_MUST_USE haft_status haft__anthropic_add_message(haft__provider_conversation *head,
                                                      const haft__request *request,
                                                      haft_error *err);

bool haft__anthropic_is_stale(haft__provider_conversation *head, const haft__request *request);

/* `prefix` of the head is a hash of everything before the reply, never 0; 0 if nothing is kept.
 * `stable` ends before the last mark, which moves. */
void haft__anthropic_write_body(haft__provider_conversation *head, const haft__request *request,
                                const haft__provider_request_options *options, haft_str last,
                                haft__buf *buf);

/* ---- request_message.c ---- */

/* Appends a block of text. The API rejects empty text: another text stands for it. */
void haft__anthropic_add_text(haft__provider_conversation *head, haft__message_role role,
                              haft_str text);

#endif
