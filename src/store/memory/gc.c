/* SPDX-License-Identifier: Apache-2.0 */
/* gc.c - removes expired runs and results from the memory store. Tests:
 * tests/store/store_gc_test.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "store/memory/memory_int.h"

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Finds the end time of the oldest run that `keep` protects. Children are removed with their tree
 * and do not count. Runs that ended in the same millisecond are kept, too. */
static haft_status begin(const haft__memory_store *memory, haft__store_request *request,
                         haft_error *err)
{
    request->gc.before = request->before_ms;
    if (request->keep == 0 || request->before_ms == 0) {
        return HAFT_OK;
    }
    size_t count = 0;
    uint64_t *times = malloc((memory->runs.count + 1) * sizeof(*times));
    if (times == NULL) {
        return haft__fail_no_memory(err);
    }
    for (size_t i = 0; i < memory->runs.count; i++) {
        const haft__memory_run *run = memory->runs.items[i];
        if (run->row.state == HAFT__RUN_STATE_ENDED && !haft__store_run_is_child(&run->row)) {
            times[count++] = run->row.updated_ms;
        }
    }
    qsort(times, count, sizeof(*times), compare_times);
    uint64_t last = request->keep <= count ? times[request->keep - 1] : 0;
    request->gc.before = last < request->gc.before ? last : request->gc.before;
    free(times);
    return HAFT_OK;
}

static bool is_expired(const haft__memory_store *memory, const haft__store_request *request,
                       const haft__memory_run *run)
{
    const haft__memory_run *parent = haft__memory_find_run(memory, run->row.parent);
    bool needed =
        parent != NULL
        && (parent->row.state != HAFT__RUN_STATE_ENDED || haft__store_run_is_child(&run->row));
    bool child = haft__store_run_is_child(&run->row);
    return !needed
           && haft__store_is_expired(request, run->row.state, run->row.updated_ms, run->row.end,
                                     child);
}

/* Marks the runs of one thread, from `at` on, if all of them may be removed. Returns the index of
 * the next thread. */
static size_t mark_thread(const haft__memory_store *memory, haft__store_request *request, size_t at)
{
    const haft__sorted_array *threads = &memory->threads;
    haft_str thread = ((const haft__memory_run *)threads->items[at])->row.thread;
    bool alone = thread.len == 0, expired = true;
    size_t end = at;
    do {
        expired = expired && is_expired(memory, request, threads->items[end]);
        end++;
    } while (
        end < threads->count && !alone
        && haft__str_equal(((const haft__memory_run *)threads->items[end])->row.thread, thread));
    for (size_t i = at; i < end; i++) {
        ((haft__memory_run *)threads->items[i])->marked = expired;
        request->count += expired;
    }
    return end;
}

static bool is_unmarked(void *item, void *context)
{
    (void)context;
    return !((const haft__memory_run *)item)->marked;
}

static bool keep_or_free(void *item, void *context)
{
    bool marked = ((const haft__memory_run *)item)->marked;
    if (marked) {
        haft__memory_free_run(context, item);
    }
    return !marked;
}

haft_status haft__memory_gc(haft__memory_store *memory, haft__store_request *request,
                            haft_error *err)
{
    haft_status status = begin(memory, request, err);
    if (status != HAFT_OK) {
        return status;
    }
    for (size_t i = 0; i < memory->threads.count;) {
        i = mark_thread(memory, request, i);
    }
    if (request->dry_run) {
        return HAFT_OK;
    }
    if (request->count > 0) {
        haft__sorted_array_filter(&memory->threads, is_unmarked, NULL);
        haft__sorted_array_filter(&memory->runs, keep_or_free, memory);
    }
    haft__memory_cache_expire(memory, request->now_ms);
    return HAFT_OK;
}
