/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_chat/parse_request.h - reads the body of a Chat Completions request as
 * strictly as OpenAI does.
 *
 * For servers of that API. A request that OpenAI rejects is rejected here, with its messages if
 * they are known, so that a client which works here works there. There are two differences: the
 * members `reasoning_content` and `reasoning` of an assistant's message are accepted, because other
 * providers need them; custom tools, `n` above 1 and the old `functions` are not.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_PARSE_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_PARSE_REQUEST_H

#include "model/model.h"

/* Why a request is rejected, as in the error object of the response. */
typedef struct haft__chat_rejection {
    haft_str message; /* .ptr is NULL if the request is valid */
    haft_str param;   /* "messages[0].role"; empty for none */
    const char *code; /* "invalid_value"; NULL for none */
} haft__chat_rejection;

/* The server to imitate. */
typedef enum haft__chat_server_kind {
    HAFT__CHAT_SERVER_OPENAI,
    HAFT__CHAT_SERVER_LLAMACPP, /* accepts `grammar` */
    HAFT__CHAT_SERVER_OTHER,    /* vLLM, Ollama: a schema need not follow OpenAI's rules */
} haft__chat_server_kind;

typedef struct haft__chat_parsed {
    haft__chat_rejection problem; /* if it is set, the members below are not valid */
    haft__request request;
    bool stream, include_usage;
    bool parallel; /* a reply may have several calls */
    haft__json raw;
    haft__json schema; /* of the constraint, if it is a schema */
    /* The tools' names as in the request. In `request` they are decoded (tool/wire_name.h) if
     * possible, in messages and choices too. */
    const haft_str *wire_names;
    haft__messages messages; /* `request` points to it */
} haft__chat_parsed;

/* Reads into *ret_asked, which must not move while its request is used. Everything lives in `arena`
 * and in `body`. Fails only if out of memory; an invalid request is reported in ret_asked->problem.
 */
HAFT_MUST_USE haft_status haft__chat_read(haft__arena *arena, haft_str body,
                                          haft__hash_key hash_key, haft__chat_parsed *ret_asked,
                                          haft_error *err);

/* The same, as another server reads it. */
HAFT_MUST_USE haft_status haft__chat_read_as(haft__arena *arena, haft_str body,
                                             haft__chat_server_kind like, haft__hash_key hash_key,
                                             haft__chat_parsed *ret_asked, haft_error *err);

/* Whether a reply satisfies the constraint of the request; if the reply was cut, whether it can be
 * the start of one that does. Fails if out of memory. */
HAFT_MUST_USE haft_status haft__chat_reply_conforms(const haft__chat_parsed *asked,
                                                    const haft__reply *reply, haft__arena *arena,
                                                    bool *ret_keeps, haft_error *err);

#endif
