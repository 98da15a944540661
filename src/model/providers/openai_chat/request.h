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

/* Declared tools as text, with commas between. It only grows. */
typedef struct haft__chat_tools {
    haft__buf text;
    struct haft__chat_tool *items; /* whose, and where each ends */
    size_t count, capacity;
} haft__chat_tools;

typedef struct haft__chat {
    const haft__provider *provider;
    const haft__format *format; /* calls are written in the text; NULL: the provider's own way */
    haft__buf messages;         /* the messages so far, with commas between */
    size_t done;                /* how many of them */
    haft__chat_tools *shared;   /* of chats with mostly the same tools; may be NULL */
    haft__chat_tools own;       /* when those are others */
    haft__buf tool_prompt;      /* what teaches the format, with the tools */
    size_t tool_prompt_count;   /* how many of them, and which */
    uint64_t tool_prompt_hash;
} haft__chat;

/* `provider` outlives the chat; it decides how messages are written. `shared` may be NULL; it is
 * for chats with the same spec, which add to it, and outlives them. */
void haft__chat_init(haft__chat *chat, const haft__provider *provider, haft__chat_tools *shared);
void haft__chat_finish(haft__chat *chat);

void haft__chat_tools_init(haft__chat_tools *tools);
void haft__chat_tools_finish(haft__chat_tools *tools);

/* Brings the kept bytes up to date with what the request has. */
HAFT_MUST_USE haft_status haft__chat_sync(haft__chat *chat, const haft__request *request,
                                          haft_error *err);

typedef struct haft__chat_options {
    bool stream;        /* the reply is to come in pieces */
    bool serial;        /* at most one call in a reply, where the provider can be told */
    haft__json options; /* of the spec: further members of the request; an object, or null */
} haft__chat_options;

/* About the bytes of the whole request. The chat must be in sync with it. */
size_t haft__chat_request_size(const haft__chat *chat, const haft__request *request);

/* Appends the whole request. The chat must be in sync with it. Of options.options, those of
 * haft__chat_is_reserved_member are left out; one that is null takes away what would stand there
 * otherwise. */
void haft__chat_write(const haft__chat *chat, const haft__request *request,
                      const haft__chat_options *options, haft__buf *buf);

/* The tools of a request as a format needs them, with the names they have on the wire. They live in
 * `arena`. */
HAFT_MUST_USE haft_status haft__chat_format_tools(const haft__request *request, haft__arena *arena,
                                                  const haft__format_tool **ret_tools,
                                                  haft_error *err);

/* Whether a member of the request is made here and nobody else's business: model, messages, tools,
 * tool_choice, stream. */
bool haft__chat_is_reserved_member(haft_str key);

/* Appends one message. */
void haft__chat_write_message(const haft__provider *provider, haft__buf *buf,
                              const haft__message *message);

#endif
