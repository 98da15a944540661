/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/request.h - a request as JSON text, in the shape most providers share
 * (Chat Completions).
 *
 * The bytes of each message are made once and kept, so that the request of turn n costs what is
 * new in turn n, and begins with exactly the bytes of the request before: model, tools, messages.
 * What changes from turn to turn stands behind them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_REQUEST_H

#include "format/format.h"
#include "model/model.h"
#include "model/provider.h"

typedef struct haft__chat {
    const haft__provider *provider;
    const haft__format *format;   /* calls are written in the text; NULL: the provider's own way */
    haft__buf messages;           /* the messages so far, with commas between */
    size_t done;                  /* how many of them */
    haft__declared_tools own;     /* when `shared` has other tools */
    haft__declared_tools *shared; /* of chats with mostly the same tools; may be NULL */
    haft__buf tool_prompt;        /* what teaches the format, with the tools */
    size_t tool_prompt_count;     /* how many of them, and which */
    uint64_t tool_prompt_hash;
} haft__chat;

/* `provider` outlives the chat; it decides how messages are written. */
void haft__chat_init(haft__chat *chat, const haft__provider *provider);
void haft__chat_finish(haft__chat *chat);

/* Brings the kept bytes up to date with the messages and tools of the request. */
HAFT_MUST_USE haft_status haft__chat_sync(haft__chat *chat, const haft__request *request,
                                          haft_error *err);

/* The same; `format` is that of the request: haft__format_find(request->format). */
HAFT_MUST_USE haft_status haft__chat_sync_as(haft__chat *chat, const haft__request *request,
                                             const haft__format *format, haft_error *err);

/* About the bytes of the whole request. The chat must be in sync with it. */
size_t haft__chat_request_size(const haft__chat *chat, const haft__request *request);

/* Appends the whole request. The chat must be in sync with it. Reserved members of options->options
 * are not sent; one that is null removes the member that would be written otherwise. */
void haft__chat_write(const haft__chat *chat, const haft__request *request,
                      const haft__provider_request_options *options, haft__buf *buf);

/* Appends one message. */
void haft__chat_write_message(const haft__provider *provider, haft__buf *buf,
                              const haft__message *message);

#endif
