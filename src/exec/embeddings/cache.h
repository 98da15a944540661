/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/embeddings/cache.h - vectors of one model by the hash of their texts, in memory and in a
 * file beside those of MCP servers: what has a vector is not asked for again.
 *
 *     "haft-vectors 1\n", numbers of a vector, rows: 4 bytes each, the low ones first;
 *     for each row the SHA-256 of its text and its numbers as signed bytes;
 *     the SHA-256 of all that.
 *
 * A file that cannot be used is as if it were not there. No text is in it, and no key.
 */
#ifndef HAFT_EXEC_EMBEDDINGS_CACHE_H
#define HAFT_EXEC_EMBEDDINGS_CACHE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/sha256.h"

typedef struct haft__embedding_cache {
    haft__arena arena;
    haft__map rows; /* from digests to signed bytes */
    haft_str path;  /* "": only in memory */
    haft__hash_key hash_key;
    uint32_t dimensions; /* 0: there is none yet */
    bool changed;        /* since it was read or written */
} haft__embedding_cache;

/* `name` is 64 hex digits: of the model and where it is. Reads the file unless `in_memory`; only
 * want of memory is a failure. */
HAFT_MUST_USE haft_status haft__embedding_cache_open(haft__embedding_cache *kept, haft_str name,
                                                     bool in_memory, haft__hash_key hash_key,
                                                     haft_error *err);
void haft__embedding_cache_finish(haft__embedding_cache *kept);

/* Forgets all of them, and removes the file. */
void haft__embedding_cache_clear(haft__embedding_cache *kept);

/* The vector of a text, kept->dimensions bytes; or NULL. */
const int8_t *haft__embedding_cache_get(const haft__embedding_cache *kept, haft_str text);

/* BAD_STATE when the others have other dimensions. */
HAFT_MUST_USE haft_status haft__embedding_cache_put(haft__embedding_cache *kept, haft_str text,
                                                    const float *numbers, size_t dimensions,
                                                    haft_error *err);

/* Writes the file if something has changed: the newest, up to HAFT__LIMIT_EMBED_KEPT_BYTES. What
 * cannot be written is asked for again another time. */
void haft__embedding_cache_save(haft__embedding_cache *kept);

#endif
