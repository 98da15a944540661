/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mock/mock.h - plays a script over HTTP as a Chat Completions server, or as Ollama.
 * docs/script.md describes the replies to its entries. */
#ifndef HAFT_SERVE_MOCK_MOCK_H
#define HAFT_SERVE_MOCK_MOCK_H

#include "io/server/server.h"
#include "model/providers/openai_chat/parse_request.h"
#include "model/script/script.h"

typedef struct haft__mock_model {
    haft__loop *loop;
    haft__script *script;
    /* A request did not match the script, or the script is wrong. */
    void (*on_mismatch)(void *context, const char *message);
    void *context;
    haft__hash_key hash_key;
    bool repeat_script; /* restart after the last reply */
    haft__chat_server_kind like;
    bool ollama;       /* has Ollama's own API, too */
    bool require_key;  /* reject requests without a key */
    size_t dimensions; /* of the vectors of /v1/embeddings; 0: the path does not exist */
    const char *fault; /* simulated: "error", "slow", "garbage", "sizes"; or NULL */
    uint64_t requests; /* count so far, for ids */
    uint64_t calls;
} haft__mock_model;

/* A haft__http_server_handler; the context is the haft__mock_model. */
void haft__mock_handle(void *context, haft__http_server_request *request);

/* ---- for embeddings.c ---- */

/* Replies with the text and frees it. */
void haft__mock_reply(haft__mock_model *mock, haft__http_server_request *request, uint32_t status,
                      haft__buf *body);
void haft__mock_reply_error(haft__mock_model *mock, haft__http_server_request *request,
                            uint32_t status, const char *message);

/* POST /v1/embeddings */
void haft__mock_handle_embeddings(haft__mock_model *mock, haft__http_server_request *request);

#endif
