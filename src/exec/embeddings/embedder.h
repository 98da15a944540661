/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/embeddings/embedder.h - vectors of tools and queries, from a /v1/embeddings server.
 *
 * Tools are requested in batches, one after the other, and cached (exec/embeddings/cache.h). The
 * query follows, with a short timeout. A server that fails gets no request for
 * HAFT__LIMIT_EMBED_COOLDOWN_MS, so that it does not slow down every search. If it was slow, other
 * processes send no requests either (exec/embeddings/backoff.h).
 */
#ifndef HAFT_EXEC_EMBEDDINGS_EMBEDDER_H
#define HAFT_EXEC_EMBEDDINGS_EMBEDDER_H

#include "io/http/client.h"
#include "run/redact/redact.h"
#include "tool/index/search.h"

typedef struct haft__embedder haft__embedder;
typedef struct haft__embedder_job haft__embedder_job;

/* All members are copied except the loop, the client and the redactor, which must outlive the
 * embedder. */
typedef struct haft__embedder_options {
    haft__loop *loop;
    haft__http_client *http;
    haft_str url; /* full URL of the endpoint */
    haft_str key; /* "": no key */
    haft_str model, query_prefix, document_prefix;
    uint64_t query_ms;
    uint64_t tools_ms;   /* timeout for the tools of one search; 0: HAFT__LIMIT_EMBED_TOOLS_MS */
    uint64_t first_ms;   /* first byte of a tool batch; 0: HAFT__LIMIT_EMBED_FIRST_MS */
    bool ignore_backoff; /* ignore the backoff that other processes recorded */
    const haft__redactor *redactor; /* applied to messages of the server; NULL: no redaction */
    haft__hash_key hash_key;
    bool in_memory; /* do not use a file */
} haft__embedder_options;

HAFT_MUST_USE haft_status haft__embedder_create(const haft__embedder_options *options,
                                                haft__embedder **ret_embedder, haft_error *err);

/* No job may be running; NULL is allowed. */
void haft__embedder_destroy(haft__embedder *embedder);

/* A number that changes when the cache is discarded, because the vectors in an index then belong to
 * another model. Two embedders never have the same number. */
uint64_t haft__embedder_generation(const haft__embedder *embedder);

/* On success `query` is the vector of the query, and all tools have vectors. On failure `query` is
 * NULL, and `error` is the reason. Both are borrowed until the callback returns; then the job is
 * freed. */
typedef void haft__embedder_done(void *context, const haft__search_embedding *query,
                                 haft_str error);

/* Requests the missing vectors. `docs` are not read after this returns. `done` is called later,
 * from the loop. BAD_STATE during the backoff; err->message is the reason of the failure. */
HAFT_MUST_USE haft_status haft__embedder_start(haft__embedder *embedder,
                                               const haft__search_doc *docs, size_t count,
                                               haft_str query, haft__embedder_done *done,
                                               void *context, haft__embedder_job **ret_job,
                                               haft_error *err);

/* Ends the job without calling `done`. */
void haft__embedder_cancel(haft__embedder_job *job);

/* Sets the vector of every document that is in the index. */
HAFT_MUST_USE haft_status haft__embedder_apply(haft__embedder *embedder,
                                               const haft__search_doc *docs, size_t count,
                                               haft__search_index *index, haft_error *err);

#endif
