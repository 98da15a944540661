/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/embeddings/embedder.h - vectors of tools and of queries, from a server of /v1/embeddings.
 *
 * Tools are asked about in batches, one after the other, and remembered (exec/embeddings/cache.h);
 * then the query is, with a short time limit. One that fails is left alone for
 * HAFT__LIMIT_EMBED_REST_MS, so that it does not slow down every search; one that was slow, by
 * other processes, too (exec/embeddings/backoff.h).
 */
#ifndef HAFT_EXEC_EMBEDDINGS_EMBEDDER_H
#define HAFT_EXEC_EMBEDDINGS_EMBEDDER_H

#include "io/http/client.h"
#include "run/redact/redact.h"
#include "tool/index/search.h"

typedef struct haft__embedder haft__embedder;
typedef struct haft__embedder_job haft__embedder_job;

/* Everything is copied but the loop, the client and the redactor, which must outlive it. */
typedef struct haft__embedder_options {
    haft__loop *loop;
    haft__http_client *http;
    haft_str url; /* of the endpoint itself */
    haft_str key; /* "": none */
    haft_str model, query_prefix, document_prefix;
    uint64_t query_ms;
    uint64_t tools_ms;   /* for those of one search; 0: HAFT__LIMIT_EMBED_TOOLS_MS */
    uint64_t first_ms;   /* for the first byte about tools; 0: HAFT__LIMIT_EMBED_FIRST_MS */
    bool ignore_backoff; /* what other processes had to wait for does not matter */
    const haft__redactor *redactor; /* what a server says goes through it; NULL: none */
    haft__hash_key hash_key;
    bool in_memory; /* no file */
} haft__embedder_options;

HAFT_MUST_USE haft_status haft__embedder_create(const haft__embedder_options *options,
                                                haft__embedder **ret_embedder, haft_error *err);

/* Nothing of it may be under way any more; NULL is fine. */
void haft__embedder_destroy(haft__embedder *embedder);

/* Changes when what was remembered was thrown away: vectors in an index are then another model's.
 * Two embedders never have the same one. */
uint64_t haft__embedder_generation(const haft__embedder *embedder);

/* `query` is the vector of the query, and all tools have theirs; or it is NULL, and `error` says
 * why. Both are borrowed until this returns; the job is gone then. */
typedef void haft__embedder_done(void *context, const haft__search_embedding *query,
                                 haft_str error);

/* Asks for what is missing. `docs` are only looked at before this returns. Never calls `done`
 * itself. BAD_STATE while the server is left alone: err->message is why it failed. */
HAFT_MUST_USE haft_status haft__embedder_start(haft__embedder *embedder,
                                               const haft__search_doc *docs, size_t count,
                                               haft_str query, haft__embedder_done *done,
                                               void *context, haft__embedder_job **ret_job,
                                               haft_error *err);

/* `done` will not be called. */
void haft__embedder_cancel(haft__embedder_job *job);

/* Gives every document its vector, of those that are in the index. */
HAFT_MUST_USE haft_status haft__embedder_apply(haft__embedder *embedder,
                                               const haft__search_doc *docs, size_t count,
                                               haft__search_index *index, haft_error *err);

#endif
