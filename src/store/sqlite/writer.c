/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - performs many requests in one transaction, so that they share one disk sync.
 *
 * Only the changes of a rejected request are rolled back. If the transaction itself fails, all its
 * requests fail. No request is reported before the commit. Tests: tests/store/sqlite/sqlite_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "store/sqlite/sqlite_int.h"

static haft_status perform_verb(haft__sqlite_worker *worker, haft__store_request *request,
                                bool *ret_more, haft_error *err)
{
    switch (request->verb) {
    case HAFT__STORE_CREATE: return haft__sqlite_create(worker, request, err);
    case HAFT__STORE_APPEND: return haft__sqlite_append(worker, request, err);
    case HAFT__STORE_CLAIM: return haft__sqlite_claim(worker, request, err);
    case HAFT__STORE_CLAIM_NEXT: return haft__sqlite_claim_next(worker, request, err);
    case HAFT__STORE_RENEW: return haft__sqlite_renew(worker, request, err);
    case HAFT__STORE_RELEASE: return haft__sqlite_release(worker, request, err);
    case HAFT__STORE_SEND: return haft__sqlite_send(worker, request, err);
    case HAFT__STORE_CACHE_PUT: return haft__sqlite_cache_put(worker, request, err);
    case HAFT__STORE_REMOVE: return haft__sqlite_remove(worker, request, err);
    case HAFT__STORE_GC: return haft__sqlite_gc(worker, request, ret_more, err);
    case HAFT__STORE_TRY_WRITE: return HAFT_OK; /* the transaction has begun */
    case HAFT__STORE_READ_EVENTS:
    case HAFT__STORE_FIND:
    case HAFT__STORE_LIST:
    case HAFT__STORE_THREAD_HISTORY:
    case HAFT__STORE_PREDECESSORS:
    case HAFT__STORE_RECEIVE:
    case HAFT__STORE_READ_ARTIFACT:
    case HAFT__STORE_DOCTOR:
    case HAFT__STORE_CACHE_GET: break; /* the reader performs these */
    }
    HAFT__UNREACHABLE();
}

/* Whether the transaction is still open: some SQLite failures end it. */
static bool in_transaction(const haft__sqlite_worker *worker)
{
    return sqlite3_get_autocommit(worker->connection.db) == 0;
}

/* Performs a request in a savepoint and rolls back to it on failure. Returns the status of the
 * transaction. */
static haft_status perform_in_savepoint(haft__sqlite_worker *worker, haft__store_request *request,
                                        bool *ret_more, haft_error *err)
{
    haft__sqlite_connection *connection = &worker->connection;
    haft_status status = haft__sqlite_query_exec(connection, HAFT__SQLITE_STMT_SAVEPOINT_SET, err);
    if (status != HAFT_OK) {
        return status;
    }
    request->status = perform_verb(worker, request, ret_more, &request->error);
    if (!in_transaction(worker)) {
        *err = request->error;
        return request->status;
    }
    if (request->status != HAFT_OK) {
        status = haft__sqlite_query_exec(connection, HAFT__SQLITE_STMT_SAVEPOINT_ROLLBACK, err);
    }
    return status == HAFT_OK
               ? haft__sqlite_query_exec(connection, HAFT__SQLITE_STMT_SAVEPOINT_RELEASE, err)
               : status;
}

static haft_status perform_all(haft__sqlite_worker *worker, haft__store_queue *batch,
                               haft_error *err)
{
    haft__store_queue todo, performed;
    haft__store_queue_init(&todo);
    haft__store_queue_init(&performed);
    haft__store_queue_append(batch, &todo);
    haft_status status = HAFT_OK;
    for (haft__store_request *request; (request = haft__store_queue_pop(&todo)) != NULL;) {
        bool more = false;
        if (status == HAFT_OK) {
            status = perform_in_savepoint(worker, request, &more, err);
        }
        haft__store_queue_push(more ? &worker->unfinished : &performed, request);
    }
    haft__store_queue_append(&performed, batch);
    return status;
}

/* Performs all requests without savepoints, which cost as much as an append. *ret_whole is false if
 * a failed request may have left changes, or if a request counts its work and must not be repeated.
 * Returns the status of the transaction. If a failure ended it, even one of a read, further writes
 * would each be a separate transaction. */
static haft_status perform_in_transaction(haft__sqlite_worker *worker, haft__store_queue *batch,
                                          bool *ret_whole, haft_error *err)
{
    *ret_whole = false;
    for (haft__store_request *one = batch->first; one != NULL; one = one->next) {
        bool more = false;
        if (one->verb == HAFT__STORE_GC) {
            return HAFT_OK;
        }
        worker->connection.modified = false;
        one->status = perform_verb(worker, one, &more, &one->error);
        if (!in_transaction(worker)) {
            *err = one->error;
            return one->status;
        }
        if (one->status != HAFT_OK && worker->connection.modified) {
            return HAFT_OK;
        }
    }
    *ret_whole = true;
    return HAFT_OK;
}

/* Removes invalid requests before the transaction begins, because other processes wait for the
 * transaction. */
static void reject_failed(haft__sqlite_worker *worker, haft__store_queue *batch,
                          haft__store_queue *ret_refused)
{
    haft__store_queue todo;
    haft__store_queue_init(&todo);
    haft__store_queue_init(ret_refused);
    haft__store_queue_append(batch, &todo);
    for (haft__store_request *request; (request = haft__store_queue_pop(&todo)) != NULL;) {
        request->status = haft__sqlite_reserve_rejects(worker, request->verb)
                              ? haft__sqlite_fail_disk_full(&worker->connection, &request->error)
                              : haft__store_check(request, &request->error);
        haft__store_queue_push(request->status == HAFT_OK ? batch : ret_refused, request);
    }
}

static void fail_all(haft__store_queue *batch, haft_status status, const haft_error *error)
{
    for (haft__store_request *request = batch->first; request != NULL; request = request->next) {
        request->status = status;
        request->error = *error;
        request->found = NULL;
        request->found_count = 0;
    }
}

static haft_status begin(haft__sqlite_worker *worker, haft_error *err)
{
    haft_status status =
        haft__sqlite_query_exec(&worker->connection, HAFT__SQLITE_STMT_BEGIN_WRITE, err);
    return status == HAFT_OK ? haft__sqlite_connection_check(&worker->connection, err) : status;
}

/* Usually each request succeeds, or fails without any change. If not, the transaction is repeated
 * with savepoints. */
static haft_status perform(haft__sqlite_worker *worker, haft__store_queue *batch, haft_error *err)
{
    bool whole = false;
    haft_status status = begin(worker, err);
    if (status == HAFT_OK) {
        status = perform_in_transaction(worker, batch, &whole, err);
    }
    if (status != HAFT_OK || whole) {
        return status;
    }
    if (batch->first->next == NULL && batch->first->status != HAFT_OK) {
        *err = batch->first->error; /* there is no other request to protect */
        return batch->first->status;
    }
    haft__sqlite_connection_rollback(&worker->connection);
    for (haft__store_request *request = batch->first; request != NULL; request = request->next) {
        request->status = HAFT_OK;
        request->found = NULL;
        request->found_count = 0;
    }
    status = begin(worker, err);
    return status == HAFT_OK ? perform_all(worker, batch, err) : status;
}

static void try_batch(haft__sqlite_worker *worker, haft__store_queue *batch)
{
    haft__sqlite_connection *connection = &worker->connection;
    haft_error err = {0};
    connection->full = false;
    haft_status status = perform(worker, batch, &err);
    if (status == HAFT_OK) {
        status = haft__sqlite_query_exec(connection, HAFT__SQLITE_STMT_COMMIT, &err);
        worker->commits++;
    }
    if (status != HAFT_OK) {
        haft__sqlite_connection_rollback(connection);
        haft__store_queue_append(&worker->unfinished, batch);
        fail_all(batch, status, &err);
    }
}

/* Removes the failed requests that may be retried. */
static void remove_failed(haft__sqlite_worker *worker, haft__store_queue *batch,
                          haft__store_queue *ret_failed)
{
    haft__store_queue todo;
    haft__store_queue_init(&todo);
    haft__store_queue_init(ret_failed);
    haft__store_queue_append(batch, &todo);
    for (haft__store_request *request; (request = haft__store_queue_pop(&todo)) != NULL;) {
        bool retry =
            request->status == HAFT_IO && !haft__sqlite_reserve_rejects(worker, request->verb);
        if (retry) {
            haft__store_reset_result(request);
        }
        haft__store_queue_push(retry ? ret_failed : batch, request);
    }
}

/* If the disk is full, releases the reserve and retries. */
static void write_batch(haft__sqlite_worker *worker, haft__store_queue *batch)
{
    haft__store_queue failed;
    try_batch(worker, batch);
    if (!worker->connection.full || !haft__sqlite_reserve_release(worker)) {
        return;
    }
    remove_failed(worker, batch, &failed);
    if (failed.first != NULL) {
        try_batch(worker, &failed);
        haft__store_queue_append(&failed, batch);
    }
}

void haft__sqlite_perform_writes(haft__sqlite_worker *worker, haft__store_queue *batch)
{
    haft__store_queue refused;
    reject_failed(worker, batch, &refused);
    if (batch->first != NULL) {
        write_batch(worker, batch);
    }
    haft__store_queue_append(&refused, batch);
    for (haft__store_request *request = batch->first; request != NULL; request = request->next) {
        request->low = worker->low;
    }
}

/* Moves the log into the database while no request is pending. If this fails, no data is lost: the
 * log has all data, and the next commit tries again. */
void haft__sqlite_checkpoint(haft__sqlite_worker *worker)
{
    haft__sqlite_reserve_allocate(worker);
    if (worker->connection.wal_pages >= HAFT__LIMIT_STORE_WAL_PAGES) {
        worker->connection.wal_pages = 0;
        (void)sqlite3_wal_checkpoint_v2(worker->connection.db, NULL, SQLITE_CHECKPOINT_PASSIVE,
                                        NULL, NULL);
    }
}
