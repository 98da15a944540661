/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/parse_request.h - the body of a Chat Completions request, read as
 * strictly as its inventor does.
 *
 * For whoever serves that interface. What the provider refuses is refused here, in its words where
 * they are known, so that a client which works here works there. Two things are our own: the
 * members `reasoning_content` and `reasoning` of an assistant's message are taken, as other
 * providers want them; custom tools, `n` above 1 and the old `functions` are not.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_PARSE_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_PARSE_REQUEST_H

#include "model/model.h"

/* Why a request is refused, as the error object of the answer has it. */
typedef struct haft__chat_rejection {
    haft_str message; /* .ptr is NULL when there is nothing wrong */
    haft_str param;   /* "messages[0].role"; empty for none */
    const char *code; /* "invalid_value"; NULL for none */
} haft__chat_rejection;

/* Whose server is played. */
typedef enum haft__chat_server_kind {
    HAFT__CHAT_SERVER_OPENAI,
    HAFT__CHAT_SERVER_LLAMACPP, /* takes `grammar` */
    HAFT__CHAT_SERVER_OTHER,    /* vLLM, Ollama: a schema need not keep to OpenAI's rules */
} haft__chat_server_kind;

typedef struct haft__chat_parsed {
    haft__chat_rejection problem; /* when there is one, nothing below counts */
    haft__request request;
    bool stream, include_usage;
    bool parallel; /* more than one call in a reply is fine */
    haft__json raw;
    haft__json schema; /* of a constraint that is one */
    /* The tools' names as the request has them. In `request` they are decoded (tool/wire_name.h)
     * where they can be, in messages and choices too. */
    const haft_str *wire_names;
    haft__messages messages; /* what `request` points to */
} haft__chat_parsed;

/* Reads into *ret_asked, which must stay where it is as long as its request is used. Everything
 * lives in `arena`, and in `body`. Fails for want of memory alone; what is wrong with the request
 * is ret_asked->problem. */
HAFT_MUST_USE haft_status haft__chat_read(haft__arena *arena, haft_str body,
                                          haft__hash_key hash_key, haft__chat_parsed *ret_asked,
                                          haft_error *err);

/* The same, as another server reads it. */
HAFT_MUST_USE haft_status haft__chat_read_as(haft__arena *arena, haft_str body,
                                             haft__chat_server_kind like, haft__hash_key hash_key,
                                             haft__chat_parsed *ret_asked, haft_error *err);

/* Whether a reply keeps to what the request holds it to; of one that was cut, whether it can be the
 * beginning of one that does. Fails for want of memory. */
HAFT_MUST_USE haft_status haft__chat_reply_conforms(const haft__chat_parsed *asked,
                                                    const haft__reply *reply, haft__arena *arena,
                                                    bool *ret_keeps, haft_error *err);

#endif
