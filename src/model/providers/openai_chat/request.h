/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/request.h - requests as JSON text, in the format that most providers
 * share (Chat Completions).
 *
 * The bytes of each message are written once and kept. So the request of a turn costs only the new
 * text, and begins with exactly the bytes of the request before: model, tools, messages. Members
 * that change from turn to turn follow them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_H

#include "format/format.h"
#include "model/model.h"
#include "model/provider.h"
#include "model/text_messages.h"

typedef struct haft__chat {
    const haft__provider *provider;
    const haft__format *format;    /* of calls in the text; NULL: native calls */
    haft__buf messages;            /* the messages so far, separated by commas */
    size_t done;                   /* how many of them */
    haft__declared_tools own;      /* used if `shared` has other tools */
    haft__declared_tools *shared;  /* shared by chats with mostly the same tools; may be NULL */
    haft__tool_prompt tool_prompt; /* of calls in the text */
} haft__chat;

/* `provider` must outlive the chat; it decides how messages are written. */
void haft__chat_init(haft__chat *chat, const haft__provider *provider);
void haft__chat_finish(haft__chat *chat);

/* Updates the kept bytes with the messages and tools of the request. */
HAFT_MUST_USE haft_status haft__chat_sync(haft__chat *chat, const haft__request *request,
                                          haft_error *err);

/* The same; `format` is that of the request: haft__format_find(request->format). */
HAFT_MUST_USE haft_status haft__chat_sync_as(haft__chat *chat, const haft__request *request,
                                             const haft__format *format, haft_error *err);

/* The approximate size of the whole request. The chat must be in sync with it. */
size_t haft__chat_request_size(const haft__chat *chat, const haft__request *request);

/* Appends the whole request. The chat must be in sync with it. Reserved members of options->options
 * are not sent; one that is null removes a member that would be written otherwise. Returns how many
 * bytes of it the next request should begin with. */
size_t haft__chat_write(const haft__chat *chat, const haft__request *request,
                        const haft__provider_request_options *options, haft__buf *buf);

/* Appends one message. */
void haft__chat_write_message(const haft__provider *provider, haft__buf *buf,
                              const haft__message *message);

#endif
