/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - a store that lasts as long as the process.
 *
 * Requests are performed on submission and reported from the loop. Everything of a run is freed
 * when the run is removed. Equal specs and artifacts are stored once. Verbs are atomic: each
 * allocates all memory before it changes anything.
 * Tests: tests/store/store_test.c.
 */
#include "store/memory/memory_int.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"

/* ---- sort orders ---- */

static int compare_run(const void *key, const void *item)
{
    return haft__str_compare(*(const haft_str *)key, ((const haft__memory_run *)item)->row.id);
}

static int compare_place(const void *key, const void *item)
{
    const haft__memory_thread_key *thread_key = key;
    const haft__memory_run *run = item;
    int order = haft__str_compare(thread_key->thread, run->row.thread);
    return order != 0 ? order : haft__str_compare(thread_key->id, run->row.id);
}

static int compare_text(const void *key, const void *item)
{
    haft_str a = *(const haft_str *)key, b = ((const haft__memory_text *)item)->text;
    return a.len != b.len ? (a.len < b.len ? -1 : 1) : haft__str_compare(a, b);
}

static int compare_message(const void *key, const void *item)
{
    uint64_t a = *(const uint64_t *)key, b = ((const haft__memory_message *)item)->id;
    return (a > b) - (a < b);
}

static int compare_result(const void *key, const void *item)
{
    const haft__memory_cache_entry *searched = key, *result = item;
    int order = haft__str_compare(searched->scope, result->scope);
    return order != 0 ? order : haft__str_compare(searched->name, result->name);
}

/* ---- shared functions ---- */

haft__memory_run *haft__memory_find_run(const haft__memory_store *memory, haft_str id)
{
    return haft__sorted_array_get(&memory->runs, &id);
}

haft_str haft__memory_copy_text(char **at, haft_str text)
{
    char *to = *at;
    if (text.len > 0) {
        memcpy(to, text.ptr, text.len);
    }
    *at += text.len;
    return (haft_str){to, text.len};
}

haft__memory_text *haft__memory_text_acquire(haft__memory_store *memory, haft_str text)
{
    bool found;
    size_t at = haft__sorted_array_lower_bound(&memory->texts, &text, &found);
    if (found) {
        haft__memory_text *shared = memory->texts.items[at];
        shared->reference_count++;
        return shared;
    }
    haft__memory_text *shared = malloc(sizeof(*shared) + text.len);
    if (shared == NULL || haft__sorted_array_reserve(&memory->texts, NULL) != HAFT_OK) {
        free(shared);
        return NULL;
    }
    char *end = shared->bytes;
    shared->reference_count = 1;
    shared->text = haft__memory_copy_text(&end, text);
    haft__sorted_array_insert(&memory->texts, at, shared);
    return shared;
}

void haft__memory_text_release(haft__memory_store *memory, haft__memory_text *text)
{
    if (text == NULL || --text->reference_count > 0) {
        return;
    }
    bool found;
    haft__sorted_array_remove(&memory->texts,
                              haft__sorted_array_lower_bound(&memory->texts, &text->text, &found));
    free(text);
}

/* ---- the store ---- */

static haft_status open_memory(haft__loop *loop, const char *location, bool make_tables,
                               haft__store **ret_store, haft_error *err)
{
    (void)make_tables; /* the memory store has no tables */
    if (location[0] != '\0') {
        return haft__fail(err, HAFT_BAD_INPUT, "", "memory: takes no path, found '%s'", location);
    }
    haft__memory_store *memory = calloc(1, sizeof(*memory));
    if (memory == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__store_init(&memory->store, &haft__store_memory, loop);
    haft__sorted_array_init(&memory->runs, compare_run);
    haft__sorted_array_init(&memory->threads, compare_place);
    haft__sorted_array_init(&memory->texts, compare_text);
    haft__sorted_array_init(&memory->messages, compare_message);
    haft__sorted_array_init(&memory->results, compare_result);
    *ret_store = &memory->store;
    return HAFT_OK;
}

static haft__memory_verb *const verbs[] = {
    [HAFT__STORE_CREATE] = haft__memory_create,
    [HAFT__STORE_APPEND] = haft__memory_append,
    [HAFT__STORE_CLAIM] = haft__memory_claim,
    [HAFT__STORE_CLAIM_NEXT] = haft__memory_claim_next,
    [HAFT__STORE_RENEW] = haft__memory_renew,
    [HAFT__STORE_RELEASE] = haft__memory_release,
    [HAFT__STORE_READ_EVENTS] = haft__memory_read_events,
    [HAFT__STORE_FIND] = haft__memory_find,
    [HAFT__STORE_LIST] = haft__memory_list,
    [HAFT__STORE_THREAD_HISTORY] = haft__memory_thread_history,
    [HAFT__STORE_PREDECESSORS] = haft__memory_predecessors,
    [HAFT__STORE_SEND] = haft__memory_send,
    [HAFT__STORE_RECEIVE] = haft__memory_receive,
    [HAFT__STORE_READ_ARTIFACT] = haft__memory_read_artifact,
    [HAFT__STORE_CACHE_GET] = haft__memory_cache_get,
    [HAFT__STORE_CACHE_PUT] = haft__memory_cache_put,
    [HAFT__STORE_REMOVE] = haft__memory_remove,
    [HAFT__STORE_GC] = haft__memory_gc,
    [HAFT__STORE_DOCTOR] = haft__memory_doctor,
    [HAFT__STORE_TRY_WRITE] = haft__memory_try_write,
};

static void submit(haft__store *store, haft__store_request *request)
{
    haft__memory_store *memory = HAFT__CONTAINER(store, haft__memory_store, store);
    request->status = haft__store_check(request, &request->error);
    if (request->status == HAFT_OK) {
        request->status = verbs[request->verb](memory, request, &request->error);
    }
    haft__store_queue performed;
    haft__store_queue_init(&performed);
    haft__store_queue_push(&performed, request);
    haft__store_complete(store, &performed);
}

static void close_memory(haft__store *store)
{
    haft__memory_store *memory = HAFT__CONTAINER(store, haft__memory_store, store);
    for (size_t i = 0; i < memory->messages.count; i++) {
        free(memory->messages.items[i]);
    }
    for (size_t i = 0; i < memory->results.count; i++) {
        free(memory->results.items[i]);
    }
    for (size_t i = 0; i < memory->runs.count; i++) {
        haft__memory_free_run(memory, memory->runs.items[i]);
    }
    haft__sorted_array_finish(&memory->runs);
    haft__sorted_array_finish(&memory->threads);
    haft__sorted_array_finish(&memory->texts);
    haft__sorted_array_finish(&memory->messages);
    haft__sorted_array_finish(&memory->results);
    free(memory->ring);
    haft__store_finish(store);
    free(memory);
}

const haft__store_backend haft__store_memory = {open_memory, submit, close_memory, NULL, false};
