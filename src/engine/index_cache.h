/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/index_cache.h - searching the deferred tools of a run.
 *
 * Making an index costs more than searching it, and most runs of a runtime have the same tools:
 * what was made is kept, HAFT__LIMIT_SEARCH_INDEXES of them.
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
    uint64_t used;       /* when, as `time` counts */
    uint64_t generation; /* of the embedder whose vectors it has; 0: none */
} haft__index_cache_entry;

/* Zero is an empty one. */
typedef struct haft__index_cache {
    haft__index_cache_entry items[HAFT__LIMIT_SEARCH_INDEXES];
    size_t count;
    uint64_t time;  /* searches so far */
    uint64_t built; /* indexes so far */
    haft__word_vectors vectors;
    bool loaded; /* they have been looked for */
} haft__index_cache;

void haft__index_cache_finish(haft__index_cache *cache);

/* Searches ask->offer for ask->query and puts the hits into `request`; they live in `arena`. With
 * ask->given, documents have the vectors of `embedder`, which is not looked at otherwise. */
HAFT_MUST_USE haft_status haft__index_cache_search(haft__index_cache *cache,
                                                   haft__reveal_request *request,
                                                   haft__embedder *embedder,
                                                   haft__hash_key hash_key, haft__arena *arena,
                                                   haft_error *err);

#endif
