/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_cache.c - one index for each set of deferred tools, shared by all runs of the runtime.
 *
 * Tests: tests/engine/index_cache_test.c.
 */
#include "engine/index_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void haft__index_cache_finish(haft__index_cache *cache)
{
    for (size_t i = 0; i < cache->count; i++) {
        haft__search_destroy(cache->items[i].index);
    }
    haft__word_vectors_finish(&cache->vectors);
    *cache = (haft__index_cache){.count = 0};
}

/* Loads the table of word vectors. If it cannot be read, searches work without it. */
static const haft__search_word_vectors *load_vectors(haft__index_cache *cache)
{
    if (!cache->load_attempted) {
        cache->load_attempted = true;
        cache->vectors.found =
            haft__word_vectors_load(NULL, &cache->vectors, NULL) == HAFT_OK && cache->vectors.found;
    }
    return cache->vectors.found ? &cache->vectors.table : NULL;
}

static haft_status build_index(haft__index_cache *cache, const haft__offer *offer,
                               haft__hash_key hash_key, haft__search_index **ret_index,
                               haft_error *err)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *index = NULL;
    options.hash_key = hash_key;
    options.vectors = load_vectors(cache);
    haft_status status = haft__search_create(&options, &index, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__offer_index_fill(index, offer, err);
    if (status != HAFT_OK) {
        haft__search_destroy(index);
        return status;
    }
    *ret_index = index;
    return HAFT_OK;
}

/* If the cache is full, evicts the entry that was least recently used. */
static haft__index_cache_entry *allocate_entry(haft__index_cache *cache)
{
    if (cache->count < HAFT__LIMIT_SEARCH_INDEXES) {
        return &cache->items[cache->count++];
    }
    haft__index_cache_entry *oldest = &cache->items[0];
    for (size_t i = 1; i < cache->count; i++) {
        oldest = cache->items[i].last_used < oldest->last_used ? &cache->items[i] : oldest;
    }
    haft__search_destroy(oldest->index);
    return oldest;
}

/* The index of these tools; builds it if it is not cached. */
static haft_status find_or_build(haft__index_cache *cache, const haft__offer *offer,
                                 haft__hash_key hash_key, haft__index_cache_entry **ret_index,
                                 haft_error *err)
{
    char key[HAFT__SHA256_HEX];
    haft__search_index *index = NULL;
    haft_status status = haft__offer_index_key(offer, key, err);
    if (status != HAFT_OK) {
        return status;
    }
    cache->search_count++;
    for (size_t i = 0; i < cache->count; i++) {
        if (memcmp(cache->items[i].key, key, sizeof(key)) == 0) {
            cache->items[i].last_used = cache->search_count;
            *ret_index = &cache->items[i];
            return HAFT_OK;
        }
    }
    status = build_index(cache, offer, hash_key, &index, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__index_cache_entry *entry = allocate_entry(cache);
    *entry = (haft__index_cache_entry){.index = index, .last_used = cache->search_count};
    memcpy(entry->key, key, sizeof(key));
    cache->built++;
    *ret_index = entry;
    return HAFT_OK;
}

/* Replaces the embeddings of the documents by embeddings of this embedder. */
static haft_status apply_embeddings(haft__index_cache_entry *item, const haft__offer *offer,
                                    haft__embedder *embedder, haft__arena *arena, haft_error *err)
{
    haft__search_doc *docs = NULL;
    size_t count = 0;
    uint64_t generation = haft__embedder_generation(embedder);
    if (item->generation == generation) {
        return HAFT_OK;
    }
    haft__search_drop_embeddings(item->index);
    item->generation = 0;
    haft_status status = haft__offer_index_docs(offer, arena, &docs, &count, err);
    status =
        status == HAFT_OK ? haft__embedder_apply(embedder, docs, count, item->index, err) : status;
    item->generation = status == HAFT_OK ? generation : 0;
    return status;
}

haft_status haft__index_cache_search(haft__index_cache *cache, haft__reveal_request *request,
                                     haft__embedder *embedder, haft__hash_key hash_key,
                                     haft__arena *arena, haft_error *err)
{
    haft__index_cache_entry *item = NULL;
    haft_status status = find_or_build(cache, request->offer, hash_key, &item, err);
    if (status == HAFT_OK && request->query_embedding != NULL) {
        status = apply_embeddings(item, request->offer, embedder, arena, err);
    }
    return status == HAFT_OK ? haft__offer_index_search(item->index, request, arena, err) : status;
}
