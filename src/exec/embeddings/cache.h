/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/embeddings/cache.h - vectors of one model by the hash of their texts, in memory and in a
 * file in the state directory. A cached vector is not requested again.
 *
 *     "haft-vectors 1\n", dimensions, rows: 4 bytes each, little-endian;
 *     for each row the SHA-256 of its text and its numbers as signed bytes;
 *     the SHA-256 of all that.
 *
 * The file contains no text and no key. An unusable file is ignored.
 */
#ifndef HAFT_EXEC_EMBEDDINGS_CACHE_H
#define HAFT_EXEC_EMBEDDINGS_CACHE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/sha256.h"

typedef struct haft__embedding_cache {
    haft__arena arena;
    haft__map rows; /* from digests to signed bytes */
    haft_str path;  /* "": memory only */
    haft__hash_key hash_key;
    uint32_t dimensions; /* 0: not known yet */
    bool changed;        /* since the last read or write */
} haft__embedding_cache;

/* `name` is 64 hex digits: the hash of the endpoint's URL and the model. Reads the file unless
 * `in_memory`. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__embedding_cache_open(haft__embedding_cache *cache, haft_str name,
                                                     bool in_memory, haft__hash_key hash_key,
                                                     haft_error *err);
void haft__embedding_cache_finish(haft__embedding_cache *cache);

/* Drops all vectors and removes the file. */
void haft__embedding_cache_clear(haft__embedding_cache *cache);

/* The vector of a text, cache->dimensions bytes; or NULL. */
const int8_t *haft__embedding_cache_get(const haft__embedding_cache *cache, haft_str text);

/* Stores the vector of a text. BAD_STATE if the cached vectors have another number of
 * dimensions. */
HAFT_MUST_USE haft_status haft__embedding_cache_put(haft__embedding_cache *cache, haft_str text,
                                                    const float *numbers, size_t dimensions,
                                                    haft_error *err);

/* Writes the file if something has changed: the newest rows, up to HAFT__LIMIT_EMBED_CACHE_BYTES.
 * Ignores write errors: the vectors are requested again later. */
void haft__embedding_cache_save(haft__embedding_cache *cache);

#endif
