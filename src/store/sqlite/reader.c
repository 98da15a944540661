/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_read.c - requests that only read, each in a transaction of its own: whatever it looks at
 * is of one moment. Tests: tests/store/store_find_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "store/sqlite/sqlite_int.h"

static haft_status perform_verb(haft__worker *worker, haft__store_request *request, haft_error *err)
{
    switch (request->verb) {
    case HAFT__STORE_READ: return haft__sqlite_events(worker, request, err);
    case HAFT__STORE_FIND: return haft__sqlite_find(worker, request, err);
    case HAFT__STORE_LIST: return haft__sqlite_list(worker, request, err);
    case HAFT__STORE_THREAD: return haft__sqlite_thread(worker, request, err);
    case HAFT__STORE_AHEAD: return haft__sqlite_ahead(worker, request, err);
    case HAFT__STORE_RECEIVE: return haft__sqlite_receive(worker, request, err);
    case HAFT__STORE_ARTIFACT: return haft__sqlite_artifact(worker, request, err);
    case HAFT__STORE_DOCTOR: return haft__sqlite_doctor(worker, request, err);
    case HAFT__STORE_RECALL: return haft__sqlite_recall(worker, request, err);
    case HAFT__STORE_CREATE:
    case HAFT__STORE_APPEND:
    case HAFT__STORE_CLAIM:
    case HAFT__STORE_TAKE:
    case HAFT__STORE_RENEW:
    case HAFT__STORE_RELEASE:
    case HAFT__STORE_SEND:
    case HAFT__STORE_REMEMBER:
    case HAFT__STORE_REMOVE:
    case HAFT__STORE_GC: break; /* never come here */
    }
    HAFT__UNREACHABLE();
}

static haft_status perform(haft__worker *worker, haft__store_request *request, haft_error *err)
{
    haft_status status = haft__store_check(request, err);
    if (status == HAFT_OK) {
        status = haft__query_plain(&worker->link, HAFT__SQL_BEGIN_READ, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__link_check(&worker->link, err);
    if (status == HAFT_OK) {
        status = perform_verb(worker, request, err);
    }
    haft__link_roll_back(&worker->link); /* there is nothing to commit */
    return status;
}

void haft__sqlite_read(haft__worker *worker, haft__requests *batch)
{
    for (haft__store_request *request = batch->first; request != NULL; request = request->next) {
        request->status = perform(worker, request, &request->error);
        if (request->status != HAFT_OK) {
            request->found = NULL;
            request->found_count = 0;
        }
    }
}
