/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox_cache.c - messages and cached results, in PostgreSQL. Tests:
 * tests/store/store_keep_test.c.
 */
#include "base/error.h"
#include "store/postgres/postgres_int.h"

/* ---- messages ---- */

static haft__pg_step write_message;

haft_status haft__pg_send(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_job_query(job, HAFT__PG_MESSAGE_COUNT, &args);
    job->next = write_message;
    return HAFT_OK;
}

static haft_status write_message(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__pg_head head;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    uint64_t count = haft__pg_rows_next(&rows) ? haft__pg_rows_int(&rows) : 0;
    haft_status status = haft__pg_locked_head(job, &head, err);
    if (status == HAFT_OK) {
        status = haft__store_check_send(request, &head.run, count, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__pg_args add = {0}, wake = {0};
    haft__pg_arg(&add, request->run.id);
    haft__pg_arg(&add, request->text);
    haft__pg_job_modify(job, HAFT__PG_MESSAGE_ADD, &add);
    haft__pg_arg(&wake, request->run.id);
    haft__pg_arg_int(&wake, haft__store_now(&job->connection->pg->store));
    haft__pg_job_modify(job, HAFT__PG_MESSAGE_WAKE, &wake);
    return HAFT_OK;
}

/* ---- cached results ---- */

static haft__pg_step trim_cache;

haft_status haft__pg_cache_put(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    haft__pg_arg(&args, request->scope);
    haft__pg_arg(&args, request->name);
    haft__pg_arg_int(&args, haft__store_cache_expiry(request));
    haft__pg_arg(&args, request->text);
    haft__pg_job_modify(job, HAFT__PG_CACHE_PUT, &args);
    job->next = trim_cache;
    return HAFT_OK;
}

/* Numbers grow by at least one, so at most N results have one of the last N numbers. */
static haft_status trim_cache(haft__pg_job *job, haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    uint64_t last = haft__pg_rows_next(&rows) ? haft__pg_rows_int(&rows) : 0;
    haft_status status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK && last > HAFT__LIMIT_STORE_RESULTS) {
        haft__pg_args args = {0};
        haft__pg_arg_int(&args, last - HAFT__LIMIT_STORE_RESULTS);
        haft__pg_job_modify(job, HAFT__PG_CACHE_TRIM, &args);
    }
    return status;
}
