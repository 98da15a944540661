/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seek.c - one index for each set of deferred tools, kept for all runs of the runtime.
 *
 * Tests: tests/engine/index_cache_test.c.
 */
#include "engine/index_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void haft__seek_finish(haft__seek *seek)
{
    for (size_t i = 0; i < seek->count; i++) {
        haft__search_destroy(seek->items[i].index);
    }
    haft__word_vectors_finish(&seek->vectors);
    *seek = (haft__seek){.count = 0};
}

/* A table that cannot be read is one that is not there: searches do without. */
static const haft__search_word_vectors *vectors_of(haft__seek *seek)
{
    if (!seek->loaded) {
        seek->loaded = true;
        seek->vectors.found =
            haft__word_vectors_load(NULL, &seek->vectors, NULL) == HAFT_OK && seek->vectors.found;
    }
    return seek->vectors.found ? &seek->vectors.table : NULL;
}

static haft_status make(haft__seek *seek, const haft__offer *offer, haft__hash_key hash_key,
                        haft__search_index **ret_index, haft_error *err)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *index = NULL;
    options.hash_key = hash_key;
    options.vectors = vectors_of(seek);
    haft_status status = haft__search_create(&options, &index, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__find_fill(index, offer, err);
    if (status != HAFT_OK) {
        haft__search_destroy(index);
        return status;
    }
    *ret_index = index;
    return HAFT_OK;
}

/* The one that was not used for longest goes when there is no place. */
static haft__seek_index *place_for(haft__seek *seek)
{
    if (seek->count < HAFT__LIMIT_SEARCH_INDEXES) {
        return &seek->items[seek->count++];
    }
    haft__seek_index *oldest = &seek->items[0];
    for (size_t i = 1; i < seek->count; i++) {
        oldest = seek->items[i].used < oldest->used ? &seek->items[i] : oldest;
    }
    haft__search_destroy(oldest->index);
    return oldest;
}

/* The index of these tools, made if there is none yet. */
static haft_status index_of(haft__seek *seek, const haft__offer *offer, haft__hash_key hash_key,
                            haft__seek_index **ret_index, haft_error *err)
{
    char key[HAFT__SHA256_HEX];
    haft__search_index *index = NULL;
    haft_status status = haft__find_key(offer, key, err);
    if (status != HAFT_OK) {
        return status;
    }
    seek->time++;
    for (size_t i = 0; i < seek->count; i++) {
        if (memcmp(seek->items[i].key, key, sizeof(key)) == 0) {
            seek->items[i].used = seek->time;
            *ret_index = &seek->items[i];
            return HAFT_OK;
        }
    }
    status = make(seek, offer, hash_key, &index, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__seek_index *place = place_for(seek);
    *place = (haft__seek_index){.index = index, .used = seek->time};
    memcpy(place->key, key, sizeof(key));
    seek->made++;
    *ret_index = place;
    return HAFT_OK;
}

/* Gives the documents the vectors of this embedder, in place of another's. */
static haft_status embed(haft__seek_index *item, const haft__offer *offer, haft__embedder *embedder,
                         haft__arena *arena, haft_error *err)
{
    haft__search_doc *docs = NULL;
    size_t count = 0;
    uint64_t generation = haft__embedder_generation(embedder);
    if (item->generation == generation) {
        return HAFT_OK;
    }
    haft__search_drop_embeddings(item->index);
    item->generation = 0;
    haft_status status = haft__find_docs(offer, arena, &docs, &count, err);
    status =
        status == HAFT_OK ? haft__embedder_apply(embedder, docs, count, item->index, err) : status;
    item->generation = status == HAFT_OK ? generation : 0;
    return status;
}

haft_status haft__seek_find(haft__seek *seek, haft__reveal_ask *ask, haft__embedder *embedder,
                            haft__hash_key hash_key, haft__arena *arena, haft_error *err)
{
    haft__seek_index *item = NULL;
    haft_status status = index_of(seek, ask->offer, hash_key, &item, err);
    if (status == HAFT_OK && ask->given != NULL) {
        status = embed(item, ask->offer, embedder, arena, err);
    }
    return status == HAFT_OK ? haft__find(item->index, ask, arena, err) : status;
}
