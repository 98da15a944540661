/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/index_cache.h - indexes for tool search.
 *
 * Building an index costs more than searching it, and most runs of a runtime have the same tools.
 * The cache keeps HAFT__LIMIT_SEARCH_INDEXES indexes.
 */
#ifndef HAFT_ENGINE_INDEX_CACHE_H
#define HAFT_ENGINE_INDEX_CACHE_H

#include "base/limits.h"
#include "exec/embeddings/embedder.h"
#include "exec/embeddings/word_vectors.h"
#include "run/offer/index.h"

typedef struct haft__index_cache_entry {
    char key[HAFT__SHA256_HEX];
    haft__search_index *index;
    uint64_t last_used;  /* `search_count` at the last search */
    uint64_t generation; /* generation of the embedder of its embeddings; 0: no embeddings */
} haft__index_cache_entry;

/* Zero-initialised: empty. */
typedef struct haft__index_cache {
    haft__index_cache_entry items[HAFT__LIMIT_SEARCH_INDEXES];
    size_t count;
    uint64_t search_count; /* searches so far: the clock of `last_used` */
    uint64_t built;        /* indexes built so far */
    haft__word_vectors vectors;
    bool load_attempted; /* an attempt was made to load `vectors` */
} haft__index_cache;

void haft__index_cache_finish(haft__index_cache *cache);

/* Searches request->offer for request->query and puts the hits into `request`; they live in
 * `arena`. `embedder` is used only if request->query_embedding is set: the documents then have
 * embeddings of the same model. */
HAFT_MUST_USE haft_status haft__index_cache_search(haft__index_cache *cache,
                                                   haft__reveal_request *request,
                                                   haft__embedder *embedder,
                                                   haft__hash_key hash_key, haft__arena *arena,
                                                   haft_error *err);

#endif
