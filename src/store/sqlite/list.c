/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - finds and lists runs, in SQLite. Tests: tests/store/store_find_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/row.h"
#include "store/sqlite/sqlite_int.h"

#define AFTER_EVERY_ID HAFT__LIT("~")

/* ---- rows ---- */

static uint64_t next_number(void *query)
{
    return haft__sqlite_query_int(query);
}

static haft_str next_text(void *query, size_t max_bytes, haft__arena *arena)
{
    return haft__sqlite_query_copy(query, max_bytes, arena);
}

static haft_str next_content(void *query, haft__arena *arena)
{
    return haft__sqlite_query_content(query, arena, NULL);
}

/* Copies the collected rows to the arena. */
static haft_status keep_rows(haft__store_request *request, haft__buf *rows, haft_error *err)
{
    haft_status status = haft__buf_check(rows, err);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(request->arena, haft__buf_str(rows));
        request->found = (const void *)copy.ptr;
        request->found_count = copy.len / sizeof(haft__store_run);
        status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
    }
    return status;
}

static haft_status read_rows(haft__sqlite_query *query, haft__store_request *request,
                             haft__row_reader *reader, haft_error *err)
{
    haft__row_columns columns = {query, next_number, next_text, next_content,
                                 &query->checks.invalid};
    haft__buf rows;
    haft__store_run run;
    haft__buf_init(&rows, (HAFT__LIMIT_STORE_LIST + 1) * sizeof(haft__store_run));
    while (haft__sqlite_query_next(query)) {
        haft__row_read(&columns, reader, request->arena, &run);
        haft__buf_add(&rows, (const char *)&run, sizeof(run));
    }
    haft_status status = haft__sqlite_query_end(query, err);
    if (status == HAFT_OK) {
        status = keep_rows(request, &rows, err);
    }
    haft__buf_finish(&rows);
    return status;
}

/* Fails if a run in `found` is damaged, unless the request accepts damaged runs. */
static haft_status reject_damaged(const haft__sqlite_worker *worker,
                                  const haft__store_request *request, haft_error *err)
{
    const haft__store_run *run = haft__row_first_damaged(request);
    return run != NULL ? haft__sqlite_fail_run(&worker->connection, run->id, err) : HAFT_OK;
}

/* ---- one run ---- */

haft_status haft__sqlite_return_run(haft__sqlite_worker *worker, haft__store_request *request,
                                    haft_error *err)
{
    if (request->arena == NULL) {
        return HAFT_OK;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_FIND_ID);
    haft__sqlite_query_bind(&query, request->run.id);
    haft_status status = read_rows(&query, request, haft__row_read_full, err);
    return status == HAFT_OK ? reject_damaged(worker, request, err) : status;
}

haft_status haft__sqlite_find(haft__sqlite_worker *worker, haft__store_request *request,
                              haft_error *err)
{
    bool last = haft__str_equal(request->name, HAFT__LIT("last"));
    if (request->name.len == 0) {
        return haft__store_fail_no_run(request->name, err);
    }
    haft__sqlite_query query = haft__sqlite_query_begin(
        &worker->connection, last ? HAFT__SQLITE_STMT_FIND_LAST : HAFT__SQLITE_STMT_FIND_PREFIX);
    if (!last) {
        haft__sqlite_query_bind(&query, request->name);
    }
    /* At most two rows: a second one means that the prefix is ambiguous. */
    haft_status status = read_rows(&query, request, haft__row_read_full, err);
    if (status == HAFT_OK && request->found_count == 0) {
        status = haft__store_fail_no_run(request->name, err);
    }
    if (status == HAFT_OK && request->found_count > 1) {
        status = haft__store_fail_ambiguous_id(request->name, request->found[0].id,
                                               request->found[1].id, err);
    }
    return status == HAFT_OK ? reject_damaged(worker, request, err) : status;
}

/* ---- several runs ---- */

/* The maximum number of runs to return. */
static uint64_t limit_of(const haft__store_request *request)
{
    uint64_t max_count = HAFT__LIMIT_STORE_LIST;
    return request->limit > 0 && request->limit < max_count ? request->limit : max_count;
}

haft_status haft__sqlite_list(haft__sqlite_worker *worker, haft__store_request *request,
                              haft_error *err)
{
    bool in_thread = request->thread.len > 0 && !request->blocked_only;
    haft__sqlite_query query = haft__sqlite_query_begin(
        &worker->connection, request->blocked_only ? HAFT__SQLITE_STMT_LIST_BLOCKED
                             : in_thread           ? HAFT__SQLITE_STMT_LIST_THREAD
                             : request->open_only  ? HAFT__SQLITE_STMT_LIST_OPEN
                                                   : HAFT__SQLITE_STMT_LIST);
    if (in_thread) {
        haft__sqlite_query_bind(&query, request->thread);
    }
    haft__sqlite_query_bind(&query, request->name.len > 0 ? request->name : AFTER_EVERY_ID);
    if (in_thread) { /* only runs whose state is less than this number */
        haft__sqlite_query_bind_int(&query, HAFT__RUN_STATE_ENDED + !request->open_only);
    }
    haft__sqlite_query_bind_int(&query, limit_of(request));
    return read_rows(&query, request,
                     request->blocked_only ? haft__row_read_ownership : haft__row_read_summary,
                     err);
}

haft_status haft__sqlite_predecessors(haft__sqlite_worker *worker, haft__store_request *request,
                                      haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_PREDECESSORS);
    haft__sqlite_query_bind_int(&query, head.number);
    haft__sqlite_query_bind_int(&query, limit_of(request));
    return read_rows(&query, request, haft__row_read_ownership, err);
}

haft_status haft__sqlite_thread_history(haft__sqlite_worker *worker, haft__store_request *request,
                                        haft_error *err)
{
    haft__sqlite_head head = {.number = INT64_MAX};
    haft_status status =
        request->name.len > 0 ? haft__sqlite_read_head(worker, request->name, &head, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_THREAD_HISTORY);
    haft__sqlite_query_bind(&query, request->thread);
    haft__sqlite_query_bind_int(&query, head.number);
    haft__sqlite_query_bind_int(&query, HAFT__LIMIT_STORE_LIST);
    status = read_rows(&query, request, haft__row_read_history, err);
    return status == HAFT_OK ? reject_damaged(worker, request, err) : status;
}
