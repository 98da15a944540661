/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.c - removes expired runs and results, in SQLite.
 *
 * Runs are removed in parts, each in its own transaction, so that other transactions do not wait
 * long. An index finds the runs that are old enough; each run is checked once. Tests:
 * tests/store/store_gc_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

/* A run that is old enough. */
typedef struct candidate {
    uint64_t number, updated;
    bool expired; /* it may be removed if its whole thread may */
    size_t thread_len;
    char thread[64]; /* if the name fits */
} candidate;

/* The end of a run. It is compared with the requested ends, which are short. */
static haft_str read_end(haft__sqlite_query *query)
{
    return haft__sqlite_query_text(query, HAFT__LIMIT_STORE_NAME_BYTES);
}

/* Runs that ended in the same millisecond as the last run that is kept are kept, too. Children are
 * removed with their tree and do not count. */
static haft_status begin(haft__sqlite_worker *worker, haft__store_request *request, haft_error *err)
{
    request->gc.begun = true;
    request->gc.before = request->before_ms;
    if (request->keep == 0 || request->before_ms == 0) {
        return HAFT_OK;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RUNS_KEPT);
    haft__sqlite_query_bind_int(&query, request->keep - 1);
    uint64_t last = haft__sqlite_query_next(&query) ? haft__sqlite_query_int(&query) : 0;
    request->gc.before = last < request->gc.before ? last : request->gc.before;
    return haft__sqlite_query_end(&query, err);
}

/* Reads the next candidates. All are read before the first is removed, because rows must not change
 * while a statement reads them. */
static haft_status find_some(haft__sqlite_worker *worker, haft__store_request *request,
                             candidate *candidates, size_t *ret_count, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RUNS_OLD);
    haft__sqlite_query_bind_int(&query, request->gc.before);
    haft__sqlite_query_bind_int(&query, request->gc.updated);
    haft__sqlite_query_bind_int(&query, request->gc.number);
    haft__sqlite_query_bind_int(&query, HAFT__LIMIT_STORE_GC_RUNS);
    *ret_count = 0;
    while (haft__sqlite_query_next(&query)) {
        candidate *one = &candidates[(*ret_count)++];
        one->number = haft__sqlite_query_int(&query);
        one->updated = haft__sqlite_query_int(&query);
        haft_str end = read_end(&query);
        haft_str thread = haft__sqlite_query_text(&query, HAFT__LIMIT_STORE_NAME_BYTES);
        one->thread_len = thread.len;
        if (thread.len <= sizeof(one->thread)) {
            memcpy(one->thread, thread.ptr, thread.len);
        }
        bool child = haft__sqlite_query_int(&query) != 0;
        one->expired =
            haft__store_is_expired(request, HAFT__RUN_STATE_ENDED, one->updated, end, child);
    }
    return haft__sqlite_query_end(&query, err);
}

/* Sets *ret_expired: whether all runs of the thread of run `number` may be removed. */
static haft_status is_thread_expired(haft__sqlite_worker *worker,
                                     const haft__store_request *request, uint64_t number,
                                     bool *ret_expired, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_THREAD_RUNS);
    haft__sqlite_query_bind_int(&query, number);
    *ret_expired = true;
    while (*ret_expired && haft__sqlite_query_next(&query)) {
        uint64_t state = haft__sqlite_query_int(&query), updated = haft__sqlite_query_int(&query);
        bool ended = state == HAFT__RUN_STATE_ENDED;
        haft_str end = read_end(&query);
        bool needed_by_parent = haft__sqlite_query_int(&query) != 0;
        bool child = haft__sqlite_query_int(&query) != 0;
        *ret_expired =
            ended && !needed_by_parent
            && haft__store_is_expired(request, HAFT__RUN_STATE_ENDED, updated, end, child);
    }
    return haft__sqlite_query_end(&query, err);
}

static bool same_thread(const candidate *one, const candidate *other)
{
    return other != NULL && one->thread_len > 0 && one->thread_len <= sizeof(one->thread)
           && one->thread_len == other->thread_len
           && memcmp(one->thread, other->thread, one->thread_len) == 0;
}

/* Removes the candidates that may be removed. Consecutive candidates are often of the same thread,
 * which is then checked only once. */
static haft_status remove_some(haft__sqlite_worker *worker, const haft__store_request *request,
                               const candidate *candidates, size_t count, uint64_t *ret_removed,
                               haft_error *err)
{
    haft_status status = HAFT_OK;
    const candidate *before = NULL;
    bool expired = false;
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        if (candidates[i].expired && !same_thread(&candidates[i], before)) {
            expired = true;
            status = candidates[i].thread_len > 0
                         ? is_thread_expired(worker, request, candidates[i].number, &expired, err)
                         : HAFT_OK;
            before = &candidates[i];
        }
        if (status == HAFT_OK && candidates[i].expired && expired) {
            *ret_removed += 1;
            status = request->dry_run ? HAFT_OK
                                      : haft__sqlite_delete_run(worker, candidates[i].number, err);
        }
    }
    return status;
}

static haft_status expire_cache(haft__sqlite_worker *worker, const haft__store_request *request,
                                haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CACHE_EXPIRE);
    haft__sqlite_query_bind_int(&query, request->now_ms);
    return haft__sqlite_query_run(&query, err);
}

haft_status haft__sqlite_gc(haft__sqlite_worker *worker, haft__store_request *request,
                            bool *ret_more, haft_error *err)
{
    candidate candidates[HAFT__LIMIT_STORE_GC_RUNS];
    size_t count = 0;
    uint64_t removed = 0;
    haft_status status = request->gc.begun ? HAFT_OK : begin(worker, request, err);
    if (status == HAFT_OK) {
        status = find_some(worker, request, candidates, &count, err);
    }
    if (status == HAFT_OK) {
        status = remove_some(worker, request, candidates, count, &removed, err);
    }
    if (status == HAFT_OK && !request->dry_run) {
        status = expire_cache(worker, request, err);
    }
    if (status == HAFT_OK) {
        request->count += removed;
        *ret_more = count == HAFT__LIMIT_STORE_GC_RUNS;
    }
    if (status == HAFT_OK && count > 0) {
        request->gc.updated = candidates[count - 1].updated;
        request->gc.number = candidates[count - 1].number;
    }
    return status;
}
