/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_keep.c - what is kept beside the events, in SQLite: contents, messages, results. Tests:
 * tests/store/store_keep_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

/* ---- contents ---- */

static haft_status add_blob(haft__worker *worker, haft_str sha256, haft_str content,
                            uint64_t *ret_id, haft_error *err)
{
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_BLOB_ADD);
    haft__query_bind(&query, sha256);
    haft__query_bind_blob(&query, content);
    haft_status status = haft__query_run(&query, err);
    *ret_id = (uint64_t)sqlite3_last_insert_rowid(worker->link.db);
    return status;
}

haft_status haft__sqlite_blob(haft__worker *worker, haft_str sha256, haft_str content,
                              uint64_t *ret_id, haft_error *err)
{
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_BLOB_GET);
    haft__query_bind(&query, sha256);
    bool found = haft__query_row(&query);
    *ret_id = found ? haft__query_int(&query) : 0;
    haft_status status = haft__query_end(&query, err);
    return status == HAFT_OK && !found ? add_blob(worker, sha256, content, ret_id, err) : status;
}

haft_status haft__sqlite_drop_run(haft__worker *worker, uint64_t number, haft_error *err)
{
    static const haft__sql steps[] = {HAFT__SQL_BLOBS_DROP, HAFT__SQL_RUN_DROP};
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(steps); i++) {
        haft__query query = haft__query_begin(&worker->link, steps[i]);
        haft__query_bind_int(&query, number);
        status = haft__query_run(&query, err);
    }
    return status;
}

/* ---- messages ---- */

static haft_status count_messages(haft__worker *worker, uint64_t number, uint64_t *ret_count,
                                  haft_error *err)
{
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_MESSAGE_COUNT);
    haft__query_bind_int(&query, number);
    *ret_count = haft__query_row(&query) ? haft__query_int(&query) : 0;
    return haft__query_end(&query, err);
}

haft_status haft__sqlite_send(haft__worker *worker, haft__store_request *request, haft_error *err)
{
    haft__sqlite_head head;
    uint64_t count = 0;
    haft_status status = haft__sqlite_head_of(worker, request->run.id, &head, err);
    if (status == HAFT_OK) {
        status = count_messages(worker, head.number, &count, err);
    }
    if (status == HAFT_OK) {
        status = haft__store_check_send(request, &head.run, count, err);
    }
    if (status == HAFT_OK) {
        haft__query query = haft__query_begin(&worker->link, HAFT__SQL_MESSAGE_ADD);
        haft__query_bind_int(&query, head.number);
        haft__query_bind(&query, request->text);
        status = haft__query_run(&query, err);
    }
    return status;
}

/* ---- results ---- */

static haft_status drop_result(haft__worker *worker, const haft__store_request *request,
                               haft_error *err)
{
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_RESULT_DROP);
    haft__query_bind(&query, request->scope);
    haft__query_bind(&query, request->name);
    return haft__query_run(&query, err);
}

/* Numbers grow by one, so that the last so many are at most so many. */
static haft_status trim_results(haft__worker *worker, haft_error *err)
{
    int64_t last = sqlite3_last_insert_rowid(worker->link.db);
    if (last <= HAFT__LIMIT_STORE_RESULTS) {
        return HAFT_OK;
    }
    haft__query query = haft__query_begin(&worker->link, HAFT__SQL_RESULTS_TRIM);
    haft__query_bind_int(&query, (uint64_t)last - HAFT__LIMIT_STORE_RESULTS);
    return haft__query_run(&query, err);
}

haft_status haft__sqlite_remember(haft__worker *worker, haft__store_request *request,
                                  haft_error *err)
{
    haft_status status = drop_result(worker, request, err);
    if (status == HAFT_OK) {
        haft__query query = haft__query_begin(&worker->link, HAFT__SQL_RESULT_ADD);
        haft__query_bind_int(&query, haft__store_until(request));
        haft__query_bind(&query, request->scope);
        haft__query_bind(&query, request->name);
        haft__query_bind(&query, request->text);
        status = haft__query_run(&query, err);
    }
    return status == HAFT_OK ? trim_results(worker, err) : status;
}
