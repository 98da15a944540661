/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_result.c - results of calls that are worth remembering, in memory.
 *
 * The last HAFT__LIMIT_STORE_RESULTS are kept: each is noted in a ring under its number, where the
 * next but so many finds it and takes its place. Tests: tests/store/store_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "store/memory/memory_int.h"

static haft__memory_result **place_of(haft__memory *memory, uint64_t number)
{
    return &memory->ring[number % HAFT__LIMIT_STORE_RESULTS];
}

static void forget(haft__memory *memory, haft__memory_result *result)
{
    bool found;
    haft__sorted_remove(&memory->results, haft__sorted_seek(&memory->results, result, &found));
    *place_of(memory, result->number) = NULL;
    free(result);
}

static bool too_old(const haft__memory_result *result, uint64_t now_ms)
{
    return result->until_ms > 0 && result->until_ms <= now_ms;
}

haft_status haft__memory_recall(haft__memory *memory, haft__store_request *request, haft_error *err)
{
    haft__memory_result key = {.scope = request->scope, .name = request->name};
    const haft__memory_result *result = haft__sorted_get(&memory->results, &key);
    if (result == NULL || too_old(result, request->now_ms)) {
        return haft__store_fail_result(err);
    }
    request->text = haft__arena_copy(request->arena, result->text);
    return request->text.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

static haft__memory_result *make_result(const haft__store_request *request)
{
    haft__memory_result *made =
        malloc(sizeof(*made) + request->scope.len + request->name.len + request->text.len);
    if (made == NULL) {
        return NULL;
    }
    char *end = made->bytes;
    *made = (haft__memory_result){.until_ms = haft__store_until(request)};
    made->scope = haft__memory_put(&end, request->scope);
    made->name = haft__memory_put(&end, request->name);
    made->text = haft__memory_put(&end, request->text);
    return made;
}

static bool make_ring(haft__memory *memory)
{
    if (memory->ring == NULL) {
        memory->ring = calloc(HAFT__LIMIT_STORE_RESULTS, sizeof(haft__memory_result *));
    }
    return memory->ring != NULL;
}

haft_status haft__memory_remember(haft__memory *memory, haft__store_request *request,
                                  haft_error *err)
{
    haft__memory_result *made = make_result(request);
    if (made == NULL || !make_ring(memory)
        || haft__sorted_reserve(&memory->results, NULL) != HAFT_OK) {
        free(made);
        return haft__fail_no_memory(err);
    }
    haft__memory_result *before = haft__sorted_get(&memory->results, made);
    if (before != NULL) {
        forget(memory, before);
    }
    made->number = ++memory->last_result;
    haft__memory_result **place = place_of(memory, made->number);
    if (*place != NULL) {
        forget(memory, *place);
    }
    *place = made;
    bool found;
    haft__sorted_insert(&memory->results, haft__sorted_seek(&memory->results, made, &found), made);
    return HAFT_OK;
}

void haft__memory_drop_results(haft__memory *memory, uint64_t now_ms)
{
    for (size_t i = memory->results.count; i > 0; i--) {
        haft__memory_result *result = memory->results.items[i - 1];
        if (too_old(result, now_ms)) {
            forget(memory, result);
        }
    }
}
