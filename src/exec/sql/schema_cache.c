/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_cache.c - reads the schemas of databases, and keeps the index of each spec as long as the
 * schemas do not change. Tests: tests/exec/sql/schema_cache_test.c.
 *
 * One lock covers the whole search: reading a schema and building an index take a fraction of a
 * second, and two calls that need the same index would otherwise build it twice.
 */
#include "exec/sql/schema_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "database/catalog_search.h"
#include "exec/embeddings/word_vectors.h"
#include "io/random.h"

/* The index of one spec. */
typedef struct schema_entry {
    uint8_t key[HAFT__SHA256_BYTES];     /* of everything that selects the schemas */
    uint8_t version[HAFT__SHA256_BYTES]; /* of the schemas when they were read */
    haft__arena arena;                   /* of the sources */
    haft__catalog_source *sources;
    size_t count;
    haft__search_index *index;
    struct schema_entry *next; /* the most recently used is the first */
} schema_entry;

struct haft__schema_cache {
    pthread_mutex_t lock;
    schema_entry *first;
    haft__word_vectors vectors;
    bool vectors_loaded;
};

haft_status haft__schema_cache_create(haft__schema_cache **ret_cache, haft_error *err)
{
    haft__schema_cache *cache = calloc(1, sizeof(*cache));
    if (cache == NULL || pthread_mutex_init(&cache->lock, NULL) != 0) {
        free(cache);
        return haft__fail_no_memory(err);
    }
    *ret_cache = cache;
    return HAFT_OK;
}

static void destroy_entry(schema_entry *entry)
{
    haft__search_destroy(entry->index);
    haft__arena_finish(&entry->arena);
    free(entry);
}

void haft__schema_cache_destroy(haft__schema_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    while (cache->first != NULL) {
        schema_entry *entry = cache->first;
        cache->first = entry->next;
        destroy_entry(entry);
    }
    haft__word_vectors_finish(&cache->vectors);
    (void)pthread_mutex_destroy(&cache->lock);
    free(cache);
}

/* ---- keys and versions ---- */

static void add_text(haft__sha256 *hash, haft_str text)
{
    char length[32];
    haft__sha256_add(
        hash, (haft_str){length, (size_t)snprintf(length, sizeof(length), "%zu:", text.len)});
    haft__sha256_add(hash, text);
}

static void add_filter(haft__sha256 *hash, const haft__database_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        add_text(hash, filter->patterns[i]);
    }
    add_text(hash, HAFT__LIT(""));
}

static void make_key(const haft__schema_query *query, uint8_t ret_key[HAFT__SHA256_BYTES])
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    for (size_t i = 0; i < query->count; i++) {
        const haft__sql_request *request = &query->requests[i];
        add_text(&hash, request->database->name);
        add_text(&hash, request->url);
        add_text(&hash, request->spec_path);
        add_text(&hash, request->database->samples ? HAFT__LIT("samples") : HAFT__LIT(""));
        add_filter(&hash, &request->database->tables);
        add_filter(&hash, &request->database->columns);
    }
    haft__sha256_end(&hash, ret_key);
}

/* The version of all schemas. A database that cannot be read has the version of its error, so that
 * it is read again when it is back. */
static void make_version(const haft__schema_query *query, uint8_t ret_version[HAFT__SHA256_BYTES])
{
    haft__sha256 hash;
    haft__sha256_init(&hash);
    for (size_t i = 0; i < query->count; i++) {
        char version[HAFT__SQL_VERSION_BYTES] = "";
        haft_error failed = {.status = HAFT_OK};
        haft_status status = haft__sql_read_version(&query->requests[i], version, &failed);
        add_text(&hash, haft__str(status == HAFT_OK ? version : failed.message));
    }
    haft__sha256_end(&hash, ret_version);
}

/* ---- building ---- */

/* Reads one schema. An error becomes the problem of the source, except out of memory. */
static haft_status read_source(const haft__sql_request *request, haft__arena *arena,
                               haft__catalog_source *source, haft_error *err)
{
    haft_error failed = {.status = HAFT_OK};
    *source = (haft__catalog_source){.database = haft__arena_copy(arena, request->database->name)};
    haft_status status = haft__sql_read_catalog(request, arena, &source->catalog, &failed);
    if (status == HAFT_NO_MEMORY || source->database.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (status == HAFT_BAD_STATE) { /* it was cancelled */
        return haft__fail(err, status, "", "%s", failed.message);
    }
    if (status != HAFT_OK) {
        source->catalog = (haft__catalog){.tables = NULL};
        source->problem = haft__arena_copy(arena, haft__str(failed.message));
    }
    return HAFT_OK;
}

static haft_status create_index(haft__schema_cache *cache, haft__search_index **ret_index,
                                haft_error *err)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    if (!cache->vectors_loaded) { /* without a table, words are compared as words */
        haft_status status = haft__word_vectors_load(NULL, &cache->vectors, err);
        if (status != HAFT_OK) {
            return status;
        }
        cache->vectors_loaded = true;
    }
    options.hash_key = haft__random_hash_key();
    options.vectors = cache->vectors.found ? &cache->vectors.table : NULL;
    return haft__search_create(&options, ret_index, err);
}

static haft_status build_entry(haft__schema_cache *cache, const haft__schema_query *query,
                               schema_entry *entry, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__arena_init(&entry->arena, HAFT__LIMIT_SQL_CATALOG_BYTES);
    entry->count = query->count;
    entry->sources = haft__arena_array(&entry->arena, query->count, sizeof(*entry->sources));
    if (entry->sources == NULL) {
        return haft__arena_fail(&entry->arena, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < query->count; i++) {
        status = read_source(&query->requests[i], &entry->arena, &entry->sources[i], err);
    }
    if (status == HAFT_OK) {
        status = create_index(cache, &entry->index, err);
    }
    return status == HAFT_OK ? haft__catalog_index(entry->sources, entry->count, entry->index, err)
                             : status;
}

/* Removes the entry with this key, and the oldest one if there are too many. */
static void remove_old(haft__schema_cache *cache, const uint8_t *key)
{
    size_t count = 0;
    schema_entry **at = &cache->first;
    while (*at != NULL) {
        schema_entry *entry = *at;
        bool same = memcmp(entry->key, key, HAFT__SHA256_BYTES) == 0;
        if (same || ++count >= HAFT__LIMIT_SQL_DATABASES) {
            *at = entry->next;
            destroy_entry(entry);
        } else {
            at = &entry->next;
        }
    }
}

static haft_status find_entry(haft__schema_cache *cache, const haft__schema_query *query,
                              schema_entry **ret_entry, haft_error *err)
{
    uint8_t key[HAFT__SHA256_BYTES], version[HAFT__SHA256_BYTES];
    make_key(query, key);
    make_version(query, version);
    for (schema_entry *entry = cache->first; entry != NULL; entry = entry->next) {
        if (memcmp(entry->key, key, sizeof(key)) == 0
            && memcmp(entry->version, version, sizeof(version)) == 0) {
            *ret_entry = entry;
            return HAFT_OK;
        }
    }
    schema_entry *entry = calloc(1, sizeof(*entry));
    haft_status status =
        entry != NULL ? build_entry(cache, query, entry, err) : haft__fail_no_memory(err);
    if (status != HAFT_OK) {
        if (entry != NULL) {
            destroy_entry(entry);
        }
        return status;
    }
    memcpy(entry->key, key, sizeof(key));
    memcpy(entry->version, version, sizeof(version));
    remove_old(cache, key);
    entry->next = cache->first;
    cache->first = entry;
    *ret_entry = entry;
    return HAFT_OK;
}

/* The error if no database could be read. */
static haft_status check_sources(const schema_entry *entry, haft_error *err)
{
    if (entry->count == 0) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the spec has no database");
    }
    for (size_t i = 0; i < entry->count; i++) {
        if (entry->sources[i].problem.len == 0) {
            return HAFT_OK;
        }
    }
    return haft__fail(err, HAFT_IO, "", "the database %.*s cannot be read: %.*s",
                      HAFT__ARG(entry->sources[0].database), HAFT__ARG(entry->sources[0].problem));
}

static size_t count_columns(const schema_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->count; i++) {
        count += entry->sources[i].catalog.column_count;
    }
    return count;
}

haft_status haft__schema_cache_search(haft__schema_cache *cache, const haft__schema_query *query,
                                      haft__buf *result, size_t *ret_columns, haft_error *err)
{
    schema_entry *entry = NULL;
    (void)pthread_mutex_lock(&cache->lock);
    haft_status status = find_entry(cache, query, &entry, err);
    if (status == HAFT_OK) {
        status = check_sources(entry, err);
    }
    if (status == HAFT_OK) {
        status = haft__catalog_search(entry->sources, entry->count, entry->index, query->query,
                                      query->limit, result, err);
    }
    if (status == HAFT_OK && ret_columns != NULL) {
        *ret_columns = count_columns(entry);
    }
    (void)pthread_mutex_unlock(&cache->lock);
    return status;
}
