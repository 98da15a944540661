/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox_cache.c - blobs, messages and cached results, in SQLite. Tests:
 * tests/store/store_keep_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

/* ---- blobs ---- */

static haft_status add_blob(haft__sqlite_worker *worker, haft_str sha256, haft_str content,
                            uint64_t *ret_id, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_BLOB_ADD);
    haft__sqlite_query_bind(&query, sha256);
    haft__sqlite_query_bind_blob(&query, content);
    haft_status status = haft__sqlite_query_run(&query, err);
    *ret_id = (uint64_t)sqlite3_last_insert_rowid(worker->connection.db);
    return status;
}

haft_status haft__sqlite_put_blob(haft__sqlite_worker *worker, haft_str sha256, haft_str content,
                                  uint64_t *ret_id, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_BLOB_GET);
    haft__sqlite_query_bind(&query, sha256);
    bool found = haft__sqlite_query_next(&query);
    *ret_id = found ? haft__sqlite_query_int(&query) : 0;
    haft_status status = haft__sqlite_query_end(&query, err);
    return status == HAFT_OK && !found ? add_blob(worker, sha256, content, ret_id, err) : status;
}

haft_status haft__sqlite_delete_run(haft__sqlite_worker *worker, uint64_t number, haft_error *err)
{
    static const haft__sqlite_statement steps[] = {HAFT__SQLITE_STMT_BLOBS_DROP,
                                                   HAFT__SQLITE_STMT_RUN_DROP};
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(steps); i++) {
        haft__sqlite_query query = haft__sqlite_query_begin(&worker->connection, steps[i]);
        haft__sqlite_query_bind_int(&query, number);
        status = haft__sqlite_query_run(&query, err);
    }
    return status;
}

/* ---- messages ---- */

static haft_status count_messages(haft__sqlite_worker *worker, uint64_t number, uint64_t *ret_count,
                                  haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_MESSAGE_COUNT);
    haft__sqlite_query_bind_int(&query, number);
    *ret_count = haft__sqlite_query_next(&query) ? haft__sqlite_query_int(&query) : 0;
    return haft__sqlite_query_end(&query, err);
}

haft_status haft__sqlite_add_message(haft__sqlite_worker *worker, uint64_t number, haft_str body,
                                     haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_MESSAGE_ADD);
    haft__sqlite_query_bind_int(&query, number);
    haft__sqlite_query_bind(&query, body);
    return haft__sqlite_query_run(&query, err);
}

haft_status haft__sqlite_send(haft__sqlite_worker *worker, haft__store_request *request,
                              haft_error *err)
{
    haft__sqlite_head head;
    uint64_t count = 0;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status == HAFT_OK) {
        status = count_messages(worker, head.number, &count, err);
    }
    if (status == HAFT_OK) {
        status = haft__store_check_send(request, &head.run, count, err);
    }
    return status == HAFT_OK ? haft__sqlite_add_message(worker, head.number, request->text, err)
                             : status;
}

/* ---- cached results ---- */

static haft_status delete_cached(haft__sqlite_worker *worker, const haft__store_request *request,
                                 haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CACHE_DELETE);
    haft__sqlite_query_bind(&query, request->scope);
    haft__sqlite_query_bind(&query, request->name);
    return haft__sqlite_query_run(&query, err);
}

/* Numbers grow by one, so at most N results have one of the last N numbers. */
static haft_status trim_cache(haft__sqlite_worker *worker, haft_error *err)
{
    int64_t last = sqlite3_last_insert_rowid(worker->connection.db);
    if (last <= HAFT__LIMIT_STORE_RESULTS) {
        return HAFT_OK;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CACHE_TRIM);
    haft__sqlite_query_bind_int(&query, (uint64_t)last - HAFT__LIMIT_STORE_RESULTS);
    return haft__sqlite_query_run(&query, err);
}

haft_status haft__sqlite_cache_put(haft__sqlite_worker *worker, haft__store_request *request,
                                   haft_error *err)
{
    haft_status status = delete_cached(worker, request, err);
    if (status == HAFT_OK) {
        haft__sqlite_query query =
            haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CACHE_PUT);
        haft__sqlite_query_bind_int(&query, haft__store_cache_expiry(request));
        haft__sqlite_query_bind(&query, request->scope);
        haft__sqlite_query_bind(&query, request->name);
        haft__sqlite_query_bind(&query, request->text);
        status = haft__sqlite_query_run(&query, err);
    }
    return status == HAFT_OK ? trim_cache(worker, err) : status;
}
