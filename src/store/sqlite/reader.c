/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - requests that only read. Each request has its own transaction, so that it sees one
 * snapshot. Tests: tests/store/store_find_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "store/sqlite/sqlite_int.h"

static haft_status perform_verb(haft__sqlite_worker *worker, haft__store_request *request,
                                haft_error *err)
{
    switch (request->verb) {
    case HAFT__STORE_READ_EVENTS: return haft__sqlite_read_events(worker, request, err);
    case HAFT__STORE_FIND: return haft__sqlite_find(worker, request, err);
    case HAFT__STORE_LIST: return haft__sqlite_list(worker, request, err);
    case HAFT__STORE_THREAD_HISTORY: return haft__sqlite_thread_history(worker, request, err);
    case HAFT__STORE_PREDECESSORS: return haft__sqlite_predecessors(worker, request, err);
    case HAFT__STORE_RECEIVE: return haft__sqlite_receive(worker, request, err);
    case HAFT__STORE_READ_ARTIFACT: return haft__sqlite_read_artifact(worker, request, err);
    case HAFT__STORE_DOCTOR: return haft__sqlite_doctor(worker, request, err);
    case HAFT__STORE_CACHE_GET: return haft__sqlite_cache_get(worker, request, err);
    case HAFT__STORE_CREATE:
    case HAFT__STORE_APPEND:
    case HAFT__STORE_CLAIM:
    case HAFT__STORE_CLAIM_NEXT:
    case HAFT__STORE_RENEW:
    case HAFT__STORE_RELEASE:
    case HAFT__STORE_SEND:
    case HAFT__STORE_CACHE_PUT:
    case HAFT__STORE_REMOVE:
    case HAFT__STORE_GC:
    case HAFT__STORE_TRY_WRITE: break; /* the writer performs these */
    }
    HAFT__UNREACHABLE();
}

static haft_status perform(haft__sqlite_worker *worker, haft__store_request *request,
                           haft_error *err)
{
    haft_status status = haft__store_check(request, err);
    if (status == HAFT_OK) {
        status = haft__sqlite_query_exec(&worker->connection, HAFT__SQLITE_STMT_BEGIN_READ, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__sqlite_connection_check(&worker->connection, err);
    if (status == HAFT_OK) {
        status = perform_verb(worker, request, err);
    }
    haft__sqlite_connection_rollback(&worker->connection); /* there is nothing to commit */
    return status;
}

void haft__sqlite_perform_reads(haft__sqlite_worker *worker, haft__store_queue *batch)
{
    for (haft__store_request *request = batch->first; request != NULL; request = request->next) {
        request->status = perform(worker, request, &request->error);
        if (request->status != HAFT_OK) {
            request->found = NULL;
            request->found_count = 0;
        }
    }
}
