/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - the vector file. Concurrent writers need no lock: if one overwrites vectors of another,
 * they are requested again. Tests: tests/exec/embeddings/cache_test.c.
 */
#include "exec/embeddings/cache.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/state_file.h"
#include "io/file.h"
#include "tool/index/math.h"

#define MAGIC      "haft-vectors 1\n"
#define HEAD_BYTES (sizeof(MAGIC) - 1 + 8)
/* The text of the file, the rows that were added after reading it, and the map. */
#define MAX_MEMORY (3 * (size_t)HAFT__LIMIT_EMBED_CACHE_BYTES)

static void add_u32(haft__buf *buf, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++) {
        haft__buf_add_char(buf, (char)(uint8_t)(number >> (8 * i)));
    }
}

static uint32_t read_u32(const char *at)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < 4; i++) {
        number |= (uint32_t)(uint8_t)at[i] << (8 * i);
    }
    return number;
}

static haft_str digest_of(haft_str text, uint8_t to[HAFT__SHA256_BYTES])
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, text);
    haft__sha256_end(&hash, to);
    return (haft_str){(const char *)to, HAFT__SHA256_BYTES};
}

void haft__embedding_cache_clear(haft__embedding_cache *cache)
{
    haft_str path = cache->path;
    haft__arena fresh;
    haft__arena_init(&fresh, MAX_MEMORY);
    cache->path = haft__arena_copy(&fresh, path);
    cache->path = cache->path.ptr != NULL ? cache->path : HAFT__LIT(""); /* "": memory only */
    haft__arena_finish(&cache->arena);
    cache->arena = fresh;
    haft__map_init(&cache->rows, &cache->arena, cache->hash_key);
    cache->changed = false;
    cache->dimensions = 0;
    if (cache->path.len > 0) {
        (void)unlink(cache->path.ptr);
    }
}

void haft__embedding_cache_finish(haft__embedding_cache *cache)
{
    haft__arena_finish(&cache->arena);
}

/* ---- reading ---- */

static bool is_intact(haft_str text, uint32_t *ret_dimensions, uint32_t *ret_count)
{
    uint8_t digest[HAFT__SHA256_BYTES];
    if (text.len < HEAD_BYTES + sizeof(digest) || !haft__str_starts_with(text, HAFT__LIT(MAGIC))) {
        return false;
    }
    uint32_t dimensions = read_u32(text.ptr + sizeof(MAGIC) - 1);
    uint32_t count = read_u32(text.ptr + sizeof(MAGIC) + 3);
    size_t length = text.len - sizeof(digest);
    (void)digest_of((haft_str){text.ptr, length}, digest);
    *ret_dimensions = dimensions;
    *ret_count = count;
    return dimensions > 0 && dimensions <= HAFT__LIMIT_SEARCH_DIMENSIONS
           && length == HEAD_BYTES + (uint64_t)count * (dimensions + HAFT__SHA256_BYTES)
           && memcmp(digest, text.ptr + length, sizeof(digest)) == 0;
}

static haft_status read_file(haft__embedding_cache *cache, haft_error *err)
{
    haft_str text = {NULL, 0};
    uint32_t dimensions = 0, count = 0;
    haft_status status = haft__state_file_read(&cache->arena, cache->path.ptr,
                                               HAFT__LIMIT_EMBED_CACHE_BYTES, &text, NULL);
    if (status != HAFT_OK || !is_intact(text, &dimensions, &count)) {
        return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
    }
    const char *at = text.ptr + HEAD_BYTES;
    cache->dimensions = dimensions;
    for (uint32_t i = 0; i < count; i++) {
        haft_str digest = {at, HAFT__SHA256_BYTES};
        /* Maps store non-const pointers; no code writes to the row.
         * NOLINTNEXTLINE(performance-no-int-to-ptr) */
        void *row = (void *)(uintptr_t)(at + HAFT__SHA256_BYTES);
        if (haft__map_put(&cache->rows, digest, row, err) != HAFT_OK) {
            return HAFT_NO_MEMORY;
        }
        at += HAFT__SHA256_BYTES + dimensions;
    }
    return HAFT_OK;
}

haft_status haft__embedding_cache_open(haft__embedding_cache *cache, haft_str name, bool in_memory,
                                       haft__hash_key hash_key, haft_error *err)
{
    *cache = (haft__embedding_cache){.path = HAFT__LIT(""), .hash_key = hash_key};
    haft__arena_init(&cache->arena, MAX_MEMORY);
    haft__map_init(&cache->rows, &cache->arena, hash_key);
    haft_str place = in_memory ? (haft_str){NULL, 0} : haft__state_file_directory(&cache->arena);
    if (place.ptr == NULL) {
        return HAFT_OK;
    }
    cache->path =
        haft__arena_format(&cache->arena, "%.*s/vectors-%.*s", HAFT__ARG(place), HAFT__ARG(name));
    return cache->path.ptr != NULL ? read_file(cache, err) : haft__arena_fail(&cache->arena, err);
}

/* ---- changing ---- */

const int8_t *haft__embedding_cache_get(const haft__embedding_cache *cache, haft_str text)
{
    uint8_t digest[HAFT__SHA256_BYTES];
    return haft__map_get(&cache->rows, digest_of(text, digest));
}

haft_status haft__embedding_cache_put(haft__embedding_cache *cache, haft_str text,
                                      const float *numbers, size_t dimensions, haft_error *err)
{
    uint8_t digest[HAFT__SHA256_BYTES];
    if (cache->dimensions > 0 && cache->dimensions != dimensions) {
        return haft__fail(err, HAFT_BAD_STATE, "",
                          "found a vector of %zu numbers, the earlier ones have %u", dimensions,
                          cache->dimensions);
    }
    haft_str name = haft__arena_copy(&cache->arena, digest_of(text, digest));
    int8_t *row = haft__arena_alloc(&cache->arena, dimensions);
    if (name.ptr == NULL || row == NULL) {
        return haft__arena_fail(&cache->arena, err);
    }
    haft__search_pack(numbers, dimensions, row);
    haft_status status = haft__map_put(&cache->rows, name, row, err);
    if (status == HAFT_OK) {
        cache->dimensions = (uint32_t)dimensions;
        cache->changed = true;
    }
    return status;
}

/* ---- writing ---- */

void haft__embedding_cache_save(haft__embedding_cache *cache)
{
    if (!cache->changed || cache->path.len == 0 || cache->dimensions == 0) {
        return;
    }
    size_t row = cache->dimensions + (size_t)HAFT__SHA256_BYTES;
    size_t max = (HAFT__LIMIT_EMBED_CACHE_BYTES - HEAD_BYTES - HAFT__SHA256_BYTES) / row;
    uint32_t count = cache->rows.count < max ? cache->rows.count : (uint32_t)max;
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_EMBED_CACHE_BYTES);
    haft__buf_add_str(&text, HAFT__LIT(MAGIC));
    add_u32(&text, cache->dimensions);
    add_u32(&text, count);
    for (uint32_t i = cache->rows.count - count; i < cache->rows.count; i++) {
        haft__buf_add_str(&text, cache->rows.entries[i].key);
        haft__buf_add(&text, cache->rows.entries[i].value, cache->dimensions);
    }
    haft__buf_add_str(&text, digest_of(haft__buf_str(&text), digest));
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        haft__state_file_create_directory(cache->path.ptr);
        cache->changed = haft__file_replace(cache->path.ptr, haft__buf_str(&text), NULL) != HAFT_OK;
    }
    haft__buf_finish(&text);
}
