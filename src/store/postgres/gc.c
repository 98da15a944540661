/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.c - removes expired runs and results, in PostgreSQL.
 *
 * Runs are removed in parts, each in its own transaction, so that other transactions do not wait
 * long. An index finds the runs that are old enough; each run is checked once, together with its
 * thread. Tests: tests/store/store_gc_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"

static haft__pg_step find_kept, find_some, lock_threads, recheck_expired, remove_some,
    count_removed;

haft_status haft__pg_gc(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    if (request->gc.begun) {
        return find_some(job, err);
    }
    request->gc.before = request->before_ms;
    if (request->keep == 0 || request->before_ms == 0) {
        return find_some(job, err);
    }
    haft__pg_args args = {0};
    haft__pg_arg_int(&args, request->keep - 1);
    haft__pg_job_query(job, HAFT__PG_RUNS_KEPT, &args);
    job->next = find_kept;
    return HAFT_OK;
}

/* Runs that ended in the same millisecond as the last run that is kept are kept, too. Children are
 * removed with their tree and do not count. */
static haft_status find_kept(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    uint64_t last = haft__pg_rows_next(&rows) ? haft__pg_rows_int(&rows) : 0;
    haft_status status = haft__pg_rows_end(&rows, err);
    request->gc.before = last < request->gc.before ? last : request->gc.before;
    return status == HAFT_OK ? find_some(job, err) : status;
}

/* Appends the requested ends to the scratch buffer, and adds the time and the ends as arguments. */
static haft_status arg_filters(haft__pg_job *job, haft__pg_args *args, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__buf *packed = &job->connection->packed;
    size_t at = packed->len;
    haft__pg_write_array(packed, request->ends, request->end_count);
    haft_status status = haft__buf_check(packed, err);
    if (status == HAFT_OK) {
        haft__pg_arg_int(args, request->gc.before);
        haft__pg_arg_literal(args, packed->ptr + at);
    }
    return status;
}

static haft_status find_some(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_args args = {0};
    request->gc.begun = true;
    haft__buf_clear(&job->connection->packed);
    haft_status status = arg_filters(job, &args, err);
    if (status == HAFT_OK) {
        haft__pg_arg_int(&args, request->gc.updated);
        haft__pg_arg_int(&args, request->gc.number);
        haft__pg_arg_int(&args, HAFT__LIMIT_STORE_GC_RUNS);
        haft__pg_job_query(job, HAFT__PG_RUNS_NEXT, &args);
        job->next = lock_threads;
    }
    return status;
}

/* Writes an array with the ids of the runs that may be removed to the scratch buffer. *ret_expired
 * is their number. */
static haft_status list_expired(haft__pg_job *job, size_t *ret_expired, haft_error *err)
{
    haft_str ids[HAFT__LIMIT_STORE_GC_RUNS];
    size_t expired = 0;
    haft__buf *packed = &job->connection->packed;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    job->gc.found = 0;
    for (; job->gc.found < HAFT__LIMIT_STORE_GC_RUNS && haft__pg_rows_next(&rows);
         job->gc.found++) {
        ids[expired] = haft__pg_rows_text(&rows, HAFT__LIMIT_STORE_NAME_BYTES);
        job->gc.updated = haft__pg_rows_int(&rows);
        job->gc.number = haft__pg_rows_int(&rows);
        expired += haft__pg_rows_int(&rows) != 0;
    }
    haft__buf_clear(packed);
    haft__pg_write_array(packed, ids, expired);
    *ret_expired = expired;
    haft_status status = haft__pg_rows_end(&rows, err);
    return status == HAFT_OK ? haft__buf_check(packed, err) : status;
}

/* Locks the threads of the expired runs, because a run that is being created in such a thread needs
 * its history. Until the end of this transaction no run is created there; the recheck finds runs
 * that were created before the lock. */
static haft_status lock_threads(haft__pg_job *job, haft_error *err)
{
    size_t expired = 0;
    haft_status status = list_expired(job, &expired, err);
    job->continues = job->gc.found == HAFT__LIMIT_STORE_GC_RUNS;
    if (status == HAFT_OK && job->request->dry_run) {
        job->gc.removed = expired;
    } else if (status == HAFT_OK) {
        haft__pg_args args = {0};
        haft__pg_arg_literal(&args, job->connection->packed.ptr);
        haft__pg_job_query(job, HAFT__PG_THREADS_LOCK, &args);
        job->next = recheck_expired;
    }
    return status;
}

/* Checks the runs again whose threads are locked now, and no other runs. */
static haft_status recheck_expired(haft__pg_job *job, haft_error *err)
{
    haft__pg_args args = {0};
    /* The ends are written after the ids; nothing else uses the scratch buffer. */
    haft_status status = arg_filters(job, &args, err);
    if (status == HAFT_OK) {
        haft__pg_arg_literal(&args, job->connection->packed.ptr);
        haft__pg_job_query(job, HAFT__PG_RUNS_RECHECK, &args);
        job->next = remove_some;
    }
    return status;
}

static haft_status remove_some(haft__pg_job *job, haft_error *err)
{
    uint64_t updated = job->gc.updated, number = job->gc.number;
    size_t expired = 0;
    haft_status status = list_expired(job, &expired, err);
    job->gc.updated = updated; /* the next part continues after all runs of the first check */
    job->gc.number = number;
    if (status == HAFT_OK) {
        haft__pg_args args = {0};
        haft__pg_delete_runs(job, job->connection->packed.ptr);
        haft__pg_arg_int(&args, job->request->now_ms);
        haft__pg_job_modify(job, HAFT__PG_CACHE_EXPIRE, &args);
        job->next = count_removed;
    }
    return status;
}

/* Counts only the runs that this transaction deleted, not those of a concurrent GC. */
static haft_status count_removed(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->gc.removed = haft__pg_affected_rows(job, 0);
    return HAFT_OK;
}
