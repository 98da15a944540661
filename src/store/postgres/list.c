/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - finds and lists runs, in PostgreSQL. Tests: tests/store/store_find_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"
#include "store/row.h"

#define AFTER_EVERY_ID HAFT__LIT("~")

/* ---- rows ---- */

static uint64_t next_number(void *rows)
{
    return haft__pg_rows_int(rows);
}

static haft_str next_text(void *rows, size_t max_bytes, haft__arena *arena)
{
    return haft__pg_rows_copy(rows, max_bytes, arena);
}

static haft_str next_content(void *rows, haft__arena *arena)
{
    return haft__pg_rows_content(rows, arena, NULL);
}

/* Stores all rows of an answer in `found`; `backwards`: last row first. */
static haft_status read_runs(haft__pg_job *job, unsigned answer, haft__row_reader *reader,
                             bool backwards, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_begin(job, answer);
    haft__row_columns columns = {&rows, next_number, next_text, next_content, &rows.checks.invalid};
    size_t count = (size_t)rows.pg->lib->ntuples(rows.result), at = 0;
    haft__store_run *found = haft__arena_array(request->arena, count, sizeof(*found));
    if (found == NULL) {
        return haft__arena_fail(request->arena, err);
    }
    for (; at < count && haft__pg_rows_next(&rows); at++) {
        haft__row_read(&columns, reader, request->arena, &found[backwards ? count - 1 - at : at]);
    }
    haft_status status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK) {
        request->found = found;
        request->found_count = count;
    }
    return status;
}

/* Fails if a run in `found` is damaged, unless the request accepts damaged runs. */
static haft_status reject_damaged(const haft__pg_job *job, haft_error *err)
{
    const haft__store_run *run = haft__row_first_damaged(job->request);
    return run != NULL ? haft__pg_fail_run(job->connection->pg, run->id, err) : HAFT_OK;
}

haft_status haft__pg_return_runs(haft__pg_job *job, haft_error *err)
{
    if (job->request->arena == NULL) {
        return HAFT_OK;
    }
    haft_status status = read_runs(job, 0, haft__row_read_full, false, err);
    return status == HAFT_OK ? reject_damaged(job, err) : status;
}

/* ---- one run ---- */

static haft__pg_step return_found;

haft_status haft__pg_find(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    if (request->name.len == 0) {
        return haft__store_fail_no_run(request->name, err);
    }
    if (haft__str_equal(request->name, HAFT__LIT("last"))) {
        haft__pg_job_query(job, HAFT__PG_FIND_LAST, NULL);
    } else {
        haft__pg_arg(&args, request->name);
        haft__pg_job_query(job, HAFT__PG_FIND_PREFIX, &args);
    }
    job->next = return_found;
    return HAFT_OK;
}

static haft_status return_found(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft_status status = read_runs(job, 0, haft__row_read_full, false, err);
    if (status == HAFT_OK && request->found_count == 0) {
        status = haft__store_fail_no_run(request->name, err);
    }
    if (status == HAFT_OK && request->found_count > 1) {
        status = haft__store_fail_ambiguous_id(request->name, request->found[0].id,
                                               request->found[1].id, err);
    }
    return status == HAFT_OK ? reject_damaged(job, err) : status;
}

/* ---- several runs ---- */

static uint64_t limit_of(const haft__store_request *request)
{
    uint64_t max_count = HAFT__LIMIT_STORE_LIST;
    return request->limit > 0 && request->limit < max_count ? request->limit : max_count;
}

static haft__pg_step return_list, return_predecessors, return_thread;

haft_status haft__pg_list(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    bool in_thread = request->thread.len > 0 && !request->blocked_only;
    haft__pg_args args = {0};
    if (in_thread) {
        haft__pg_arg(&args, request->thread);
    }
    haft__pg_arg(&args, request->name.len > 0 ? request->name : AFTER_EVERY_ID);
    if (in_thread) { /* $3: only runs whose state is less than this number */
        haft__pg_arg_int(&args, HAFT__RUN_STATE_ENDED + !request->open_only);
    }
    haft__pg_arg_int(&args, limit_of(request));
    haft__pg_job_query(job,
                       request->blocked_only ? HAFT__PG_LIST_BLOCKED
                       : in_thread           ? HAFT__PG_LIST_THREAD
                       : request->open_only  ? HAFT__PG_LIST_OPEN
                                             : HAFT__PG_LIST,
                       &args);
    job->next = return_list;
    return HAFT_OK;
}

static haft_status return_list(haft__pg_job *job, haft_error *err)
{
    return read_runs(job, 0,
                     job->request->blocked_only ? haft__row_read_ownership : haft__row_read_summary,
                     false, err);
}

haft_status haft__pg_predecessors(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_query_head(job, job->request->run.id);
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_arg_int(&args, limit_of(job->request));
    haft__pg_job_query(job, HAFT__PG_PREDECESSORS, &args);
    job->next = return_predecessors;
    return HAFT_OK;
}

static haft_status return_predecessors(haft__pg_job *job, haft_error *err)
{
    haft__pg_head head;
    haft_status status = haft__pg_read_head(job, 0, job->request->run.id, &head, err);
    return status == HAFT_OK ? read_runs(job, 1, haft__row_read_ownership, false, err) : status;
}

haft_status haft__pg_thread_history(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    haft__pg_arg(&args, request->thread);
    haft__pg_arg(&args, request->name);
    haft__pg_arg_int(&args, INT64_MAX);
    haft__pg_arg_int(&args, HAFT__LIMIT_STORE_LIST);
    haft__pg_job_query(job, HAFT__PG_THREAD_HISTORY, &args);
    if (request->name.len > 0) {
        haft__pg_query_head(job, request->name);
    }
    job->next = return_thread;
    return HAFT_OK;
}

static haft_status return_thread(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__pg_head head;
    haft_status status =
        request->name.len > 0 ? haft__pg_read_head(job, 1, request->name, &head, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = read_runs(job, 0, haft__row_read_history, true, err);
    }
    return status == HAFT_OK ? reject_damaged(job, err) : status;
}
