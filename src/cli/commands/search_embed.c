/* SPDX-License-Identifier: Apache-2.0 */
/* search_embed.c - steps its own loop until the vectors have arrived. Tests:
 * tests/cli/search_test.py. */
#include "cli/commands/search_embed.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/endpoint.h"
#include "io/environment.h"

#define EMBED_TOOLS_TIMEOUT_MS 3600000U /* a file may have many tools */

static haft_status resolve_endpoint(haft__search_embed *embed, const haft__args *args,
                                    haft__endpoint *endpoint, haft_error *err)
{
    const haft__embeddings_spec spec = {
        .base_url = haft__str(haft__args_text(args, "embeddings", "")),
        .model = haft__str(haft__args_text(args, "embeddings-model", "")),
        .api_key_env = haft__str(haft__args_text(args, "embeddings-key-env", ""))};
    *endpoint = (haft__endpoint){
        .env = {haft__environment_get, NULL}, .arena = &embed->arena, .redactor = &embed->redactor};
    if (spec.model.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "--embeddings",
                          "expected --embeddings-model NAME too, found none");
    }
    haft__redactor_init(&embed->redactor, &embed->arena);
    haft_status status = haft__endpoint_resolve_embeddings(endpoint, &spec, err);
    return status == HAFT_OK ? haft__redactor_seal(&embed->redactor, err) : status;
}

haft_status haft__search_embed_open(haft__search_embed *embed, const haft__args *args,
                                    haft__hash_key hash_key, haft_error *err)
{
    haft__endpoint endpoint;
    const haft__http_client_options web = haft__endpoint_http_options();
    haft__arena_init(&embed->arena, 0);
    if (!haft__args_has(args, "embeddings")) {
        return HAFT_OK;
    }
    haft_status status = resolve_endpoint(embed, args, &endpoint, err);
    status = status == HAFT_OK ? haft__loop_create(&embed->loop, err) : status;
    if (status == HAFT_OK) {
        status = haft__http_client_create(embed->loop, &web, &embed->http, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__embedder_options options = {
        .loop = embed->loop,
        .http = embed->http,
        .url = endpoint.url,
        .key = endpoint.key,
        .model = haft__str(haft__args_text(args, "embeddings-model", "")),
        .query_prefix = haft__str(haft__args_text(args, "query-prefix", "")),
        .document_prefix = haft__str(haft__args_text(args, "document-prefix", "")),
        .query_ms = HAFT__LIMIT_EMBED_QUERY_MAX_MS,
        .tools_ms = EMBED_TOOLS_TIMEOUT_MS,
        .first_ms = HAFT__LIMIT_EMBED_QUERY_MAX_MS,
        .ignore_backoff = true,
        .redactor = &embed->redactor,
        .hash_key = hash_key};
    return haft__embedder_create(&options, &embed->embedder, err);
}

void haft__search_embed_close(haft__search_embed *embed)
{
    haft__embedder_destroy(embed->embedder);
    if (embed->http != NULL) {
        haft__http_client_destroy(embed->http);
    }
    if (embed->loop != NULL) {
        haft__loop_destroy(embed->loop);
    }
    haft__arena_finish(&embed->arena);
}

static void on_embedded(void *context, const haft__search_embedding *query, haft_str error)
{
    haft__search_embed *embed = context;
    embed->done = true;
    if (query == NULL) {
        embed->status =
            haft__fail(&embed->error, HAFT_IO, "--embeddings", "%.*s", HAFT__ARG(error));
        return;
    }
    float *numbers = haft__arena_array(embed->query_arena, query->dimensions, sizeof(*numbers));
    embed->status = numbers != NULL ? HAFT_OK : haft__arena_fail(embed->query_arena, &embed->error);
    if (numbers != NULL) {
        memcpy(numbers, query->numbers, query->dimensions * sizeof(*numbers));
        embed->embedding = (haft__search_embedding){query->model, numbers, query->dimensions};
    }
}

haft_status haft__search_embed_query(haft__search_embed *embed, haft_str query,
                                     const haft__search_doc *docs, size_t count,
                                     haft__search_index *index, haft__arena *arena,
                                     haft__search_embedding *ret_embedding, haft_error *err)
{
    haft__embedder_job *job = NULL;
    embed->query_arena = arena;
    embed->done = false;
    haft_status status = haft__embedder_start(embed->embedder, docs, embed->applied ? 0 : count,
                                              query, on_embedded, embed, &job, err);
    while (status == HAFT_OK && !embed->done) {
        status = haft__loop_step(embed->loop, -1, err);
    }
    if (status != HAFT_OK || embed->status != HAFT_OK) {
        *err = status == HAFT_OK ? embed->error : *err;
        return status == HAFT_OK ? embed->status : status;
    }
    *ret_embedding = embed->embedding;
    if (!embed->applied) {
        status = haft__embedder_apply(embed->embedder, docs, count, index, err);
        embed->applied = status == HAFT_OK;
    }
    return status;
}
