/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - cached results of calls, in memory.
 *
 * The last HAFT__LIMIT_STORE_RESULTS results are kept. Each has a number and a slot in a ring; a
 * newer result that gets the same slot replaces it.
 * Tests: tests/store/store_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/memory/memory_int.h"

static haft__memory_cache_entry **slot_of(haft__memory_store *memory, uint64_t number)
{
    return &memory->ring[number % HAFT__LIMIT_STORE_RESULTS];
}

static void remove_entry(haft__memory_store *memory, haft__memory_cache_entry *result)
{
    bool found;
    haft__sorted_array_remove(&memory->results,
                              haft__sorted_array_lower_bound(&memory->results, result, &found));
    *slot_of(memory, result->number) = NULL;
    free(result);
}

static bool is_expired(const haft__memory_cache_entry *result, uint64_t now_ms)
{
    return result->until_ms > 0 && result->until_ms <= now_ms;
}

haft_status haft__memory_cache_get(haft__memory_store *memory, haft__store_request *request,
                                   haft_error *err)
{
    haft__memory_cache_entry key = {.scope = request->scope, .name = request->name};
    const haft__memory_cache_entry *result = haft__sorted_array_get(&memory->results, &key);
    if (result == NULL || is_expired(result, request->now_ms)) {
        return haft__store_fail_cache_miss(err);
    }
    request->text = haft__arena_copy(request->arena, result->text);
    return request->text.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

static haft__memory_cache_entry *make_entry(const haft__store_request *request)
{
    haft__memory_cache_entry *entry =
        malloc(sizeof(*entry) + request->scope.len + request->name.len + request->text.len);
    if (entry == NULL) {
        return NULL;
    }
    char *end = entry->bytes;
    *entry = (haft__memory_cache_entry){.until_ms = haft__store_cache_expiry(request)};
    entry->scope = haft__memory_copy_text(&end, request->scope);
    entry->name = haft__memory_copy_text(&end, request->name);
    entry->text = haft__memory_copy_text(&end, request->text);
    return entry;
}

static bool make_ring(haft__memory_store *memory)
{
    if (memory->ring == NULL) {
        memory->ring = calloc(HAFT__LIMIT_STORE_RESULTS, sizeof(haft__memory_cache_entry *));
    }
    return memory->ring != NULL;
}

haft_status haft__memory_cache_put(haft__memory_store *memory, haft__store_request *request,
                                   haft_error *err)
{
    haft__memory_cache_entry *entry = make_entry(request);
    if (entry == NULL || !make_ring(memory)
        || haft__sorted_array_reserve(&memory->results, NULL) != HAFT_OK) {
        free(entry);
        return haft__fail_no_memory(err);
    }
    haft__memory_cache_entry *old_entry = haft__sorted_array_get(&memory->results, entry);
    if (old_entry != NULL) {
        remove_entry(memory, old_entry);
    }
    entry->number = ++memory->last_result;
    haft__memory_cache_entry **slot = slot_of(memory, entry->number);
    if (*slot != NULL) {
        remove_entry(memory, *slot);
    }
    *slot = entry;
    bool found;
    haft__sorted_array_insert(
        &memory->results, haft__sorted_array_lower_bound(&memory->results, entry, &found), entry);
    return HAFT_OK;
}

void haft__memory_cache_expire(haft__memory_store *memory, uint64_t now_ms)
{
    for (size_t i = memory->results.count; i > 0; i--) {
        haft__memory_cache_entry *result = memory->results.items[i - 1];
        if (is_expired(result, now_ms)) {
            remove_entry(memory, result);
        }
    }
}
