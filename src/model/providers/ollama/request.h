/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/ollama/request.h - requests of Ollama's own API as JSON text.
 *
 * The API has no tool_choice: a tool that must be called is declared alone, no tool is declared if
 * none may be called, and a last line of the request says that a call is required. The run checks
 * the reply, and asks again with a JSON Schema (`format`).
 *
 * As in every wire format, the bytes of each message are written once and kept.
 */
#ifndef HAFT_MODEL_PROVIDERS_OLLAMA_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OLLAMA_REQUEST_H

#include "model/provider.h"
#include "model/text_messages.h"

typedef struct haft__ollama_chat {
    const haft__format *format;    /* of calls in the text; NULL: native calls */
    haft__buf messages;            /* the messages so far, separated by commas */
    size_t done;                   /* how many of them */
    haft__declared_tools own;      /* used if `shared` has other tools */
    haft__declared_tools *shared;  /* shared by chats with mostly the same tools; may be NULL */
    haft__tool_prompt tool_prompt; /* of calls in the text */
    uint64_t context;              /* tokens of the context that the last request asked for */
} haft__ollama_chat;

void haft__ollama_chat_init(haft__ollama_chat *chat);
void haft__ollama_chat_finish(haft__ollama_chat *chat);

/* Updates the kept bytes with the messages and tools of the request, whose format is `format`. */
HAFT_MUST_USE haft_status haft__ollama_sync(haft__ollama_chat *chat, const haft__request *request,
                                            const haft__format *format, haft_error *err);

/* Appends the whole request. The chat must be in sync with it. Returns how many of its bytes the
 * next request repeats. */
size_t haft__ollama_write(haft__ollama_chat *chat, const haft__request *request,
                          const haft__provider_request_options *options, haft__buf *buf);

/* ---- request_messages.c ---- */

/* Adds the messages of the request that are not kept yet. */
HAFT_MUST_USE haft_status haft__ollama_sync_messages(haft__ollama_chat *chat,
                                                     const haft__request *request, haft_error *err);

/* Appends the messages, and those that are for this request only. */
void haft__ollama_write_messages(const haft__ollama_chat *chat, haft__buf *buf,
                                 const haft__request *request);

#endif
