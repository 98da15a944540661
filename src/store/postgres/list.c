/* SPDX-License-Identifier: Apache-2.0 */
/* pg_show.c - which runs there are, in PostgreSQL. Tests: tests/store/store_find_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"
#include "store/row.h"

#define AFTER_EVERY_ID HAFT__LIT("~")

/* ---- rows ---- */

static uint64_t next_number(void *rows)
{
    return haft__pg_int(rows);
}

static haft_str next_text(void *rows, size_t most, haft__arena *arena)
{
    return haft__pg_copy(rows, most, arena);
}

static haft_str next_content(void *rows, haft__arena *arena)
{
    return haft__pg_content(rows, arena, NULL);
}

/* All rows of an answer into found; `backwards`: the last one first. */
static haft_status take_all(haft__pg_job *job, unsigned answer, haft__row_take *take,
                            bool backwards, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_of(job, answer);
    haft__columns columns = {&rows, next_number, next_text, next_content, &rows.wrong};
    size_t count = (size_t)rows.pg->lib->ntuples(rows.result), at = 0;
    haft__store_run *found = haft__arena_array(request->arena, count, sizeof(*found));
    if (found == NULL) {
        return haft__arena_fail(request->arena, err);
    }
    for (; at < count && haft__pg_row(&rows); at++) {
        haft__row_read(&columns, take, request->arena, &found[backwards ? count - 1 - at : at]);
    }
    haft_status status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK) {
        request->found = found;
        request->found_count = count;
    }
    return status;
}

/* What is found must be whole, where it is not looked at as it is. */
static haft_status refuse_damaged(const haft__pg_job *job, haft_error *err)
{
    const haft__store_run *run = haft__row_refused(job->request);
    return run != NULL ? haft__pg_fail_run(job->link->pg, run->id, err) : HAFT_OK;
}

haft_status haft__pg_show(haft__pg_job *job, haft_error *err)
{
    if (job->request->arena == NULL) {
        return HAFT_OK;
    }
    haft_status status = take_all(job, 0, haft__row_whole, false, err);
    return status == HAFT_OK ? refuse_damaged(job, err) : status;
}

/* ---- one run ---- */

static haft__pg_step take_found;

haft_status haft__pg_find(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    if (request->name.len == 0) {
        return haft__store_fail_run(request->name, err);
    }
    if (haft__str_equal(request->name, HAFT__LIT("last"))) {
        haft__pg_ask(job, HAFT__PG_FIND_LAST, NULL);
    } else {
        haft__pg_arg(&args, request->name);
        haft__pg_ask(job, HAFT__PG_FIND_START, &args);
    }
    job->next = take_found;
    return HAFT_OK;
}

static haft_status take_found(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft_status status = take_all(job, 0, haft__row_whole, false, err);
    if (status == HAFT_OK && request->found_count == 0) {
        status = haft__store_fail_run(request->name, err);
    }
    if (status == HAFT_OK && request->found_count > 1) {
        status = haft__store_fail_several(request->name, request->found[0].id, request->found[1].id,
                                          err);
    }
    return status == HAFT_OK ? refuse_damaged(job, err) : status;
}

/* ---- several ---- */

static uint64_t most_of(const haft__store_request *request)
{
    uint64_t most = HAFT__LIMIT_STORE_LIST;
    return request->limit > 0 && request->limit < most ? request->limit : most;
}

static haft__pg_step take_list, take_ahead, take_thread;

haft_status haft__pg_list(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    bool in_thread = request->thread.len > 0 && !request->behind;
    haft__pg_args args = {0};
    if (in_thread) {
        haft__pg_arg(&args, request->thread);
    }
    haft__pg_arg(&args, request->name.len > 0 ? request->name : AFTER_EVERY_ID);
    if (in_thread) {
        haft__pg_arg_int(&args, HAFT__STATE_ENDED + !request->open_only);
    }
    haft__pg_arg_int(&args, most_of(request));
    haft__pg_ask(job,
                 request->behind      ? HAFT__PG_LIST_BEHIND
                 : in_thread          ? HAFT__PG_LIST_THREAD
                 : request->open_only ? HAFT__PG_LIST_OPEN
                                      : HAFT__PG_LIST,
                 &args);
    job->next = take_list;
    return HAFT_OK;
}

static haft_status take_list(haft__pg_job *job, haft_error *err)
{
    return take_all(job, 0, job->request->behind ? haft__row_owned : haft__row_listed, false, err);
}

haft_status haft__pg_ahead(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_ask_head(job, job->request->run.id);
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_arg_int(&args, most_of(job->request));
    haft__pg_ask(job, HAFT__PG_AHEAD, &args);
    job->next = take_ahead;
    return HAFT_OK;
}

static haft_status take_ahead(haft__pg_job *job, haft_error *err)
{
    haft__pg_head head;
    haft_status status = haft__pg_head_of(job, 0, job->request->run.id, &head, err);
    return status == HAFT_OK ? take_all(job, 1, haft__row_owned, false, err) : status;
}

haft_status haft__pg_thread(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    haft__pg_arg(&args, request->thread);
    haft__pg_arg(&args, request->name);
    haft__pg_arg_int(&args, INT64_MAX);
    haft__pg_arg_int(&args, HAFT__LIMIT_STORE_LIST);
    haft__pg_ask(job, HAFT__PG_THREAD_PAST, &args);
    if (request->name.len > 0) {
        haft__pg_ask_head(job, request->name);
    }
    job->next = take_thread;
    return HAFT_OK;
}

static haft_status take_thread(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__pg_head head;
    haft_status status =
        request->name.len > 0 ? haft__pg_head_of(job, 1, request->name, &head, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = take_all(job, 0, haft__row_past, true, err);
    }
    return status == HAFT_OK ? refuse_damaged(job, err) : status;
}
