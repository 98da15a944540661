/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/gemini/request.h - requests of Gemini's generateContent as JSON text.
 *
 * The bytes of each message are written once and kept. So the request of a turn costs only the new
 * text, and begins with the bytes of the request before: system prompt, tools, contents. Members
 * that change from turn to turn follow them. The name of the model is in the URL.
 *
 * A model gets its own replies back part by part as it wrote them, with the thought signatures.
 * Signatures of other models are not sent.
 */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_H
#define HAFT_MODEL_PROVIDERS_GEMINI_REQUEST_H

#include "format/format.h"
#include "model/model.h"
#include "model/provider.h"
#include "model/text_messages.h"

typedef struct haft__gemini_chat {
    const haft__provider *provider;
    const haft__format *format;    /* of calls in the text; NULL: native calls */
    haft__buf model;               /* only this model gets its own parts back */
    haft__buf system;              /* the text of the system prompt */
    haft__buf contents;            /* the messages so far, separated by commas */
    size_t done;                   /* messages that were read: those kept, and the system prompt */
    haft__declared_tools own;      /* used if the shared ones have other tools */
    haft__declared_tools *tools;   /* of the request */
    haft__tool_prompt tool_prompt; /* of calls in the text */
} haft__gemini_chat;

/* `provider` must outlive the chat. */
void haft__gemini_chat_init(haft__gemini_chat *chat, const haft__provider *provider);
void haft__gemini_chat_finish(haft__gemini_chat *chat);

/* Appends a request, and keeps the bytes of its messages. *ret_stable: how many bytes the next
 * request should begin with. */
HAFT_MUST_USE haft_status haft__gemini_chat_write(haft__gemini_chat *chat,
                                                  const haft__request *request,
                                                  const haft__provider_request_options *options,
                                                  haft__buf *buf, size_t *ret_stable,
                                                  haft_error *err);

#endif
