/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executor.c - the executors of execute_sql and search_schemas: queries on threads of the pool,
 * each with its own connection. Cancelling a call interrupts its query. The job's memory, which has
 * copies of everything that the query needs, stays allocated until the query has ended. Tests:
 * tests/exec/sql/executor_test.c.
 */
#include "exec/executor.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/sql/call.h"
#include "exec/sql/schema_cache.h"
#include "json/object.h"

typedef struct sql_call {
    haft__pool_job pooled;
    haft__exec_job *job;
    haft__sql_request *requests; /* of execute_sql: one; of search_schemas: one a database */
    haft__schema_query search;
    haft__schema_cache *cache;
    haft__sql_stop stop;
    /* Written by the thread, read after the thread is done. */
    haft__buf result;
    haft_status status;
    haft_error err;
} sql_call;

static void run_query(haft__pool_job *pooled)
{
    sql_call *call = HAFT__CONTAINER(pooled, sql_call, pooled);
    const haft__database *database = call->requests->database;
    haft__rows rows;
    haft__rows_init(&rows, HAFT__ROWS_TABLE, &call->result, database->rows, database->bytes);
    call->status = haft__sql_query(call->requests, &rows, &call->err);
}

static void run_search(haft__pool_job *pooled)
{
    sql_call *call = HAFT__CONTAINER(pooled, sql_call, pooled);
    call->status =
        haft__schema_cache_search(call->cache, &call->search, &call->result, NULL, &call->err);
}

static void report(sql_call *call)
{
    haft__exec_result result = {.ok = true, .text = haft__buf_str(&call->result), .started = true};
    if (call->status != HAFT_OK) {
        result = (haft__exec_result){
            .text = haft__str(call->err.message),
            .where = haft__str(call->err.where),
            .hint = haft__str(call->err.hint),
            .started = true,
            .transient = call->status == HAFT_IO || call->status == HAFT_NO_MEMORY,
        };
    }
    haft__exec_report(call->job, &result);
}

static void done(haft__pool_job *pooled)
{
    sql_call *call = HAFT__CONTAINER(pooled, sql_call, pooled);
    haft__exec_job *job = call->job;
    bool abandoned = atomic_load(&call->stop.requested);
    if (!abandoned) {
        report(call);
    }
    haft__buf_finish(&call->result);
    (void)pthread_mutex_destroy(&call->stop.lock);
    if (abandoned) {
        haft__exec_job_release(job);
    }
}

static haft_status prepare_query(haft__exec_job *job, sql_call *call, haft_error *err)
{
    call->pooled.work = run_query;
    call->requests = haft__arena_array(&job->arena, 1, sizeof(*call->requests));
    if (call->requests == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    call->requests->stop = &call->stop;
    return haft__sql_call_prepare(&job->arena, job->call.spec, &job->exec->options.env,
                                  job->call.arguments, call->requests, err);
}

static haft_status prepare_search(haft__exec_job *job, sql_call *call, haft_error *err)
{
    const haft__spec *spec = job->call.spec;
    haft_str query = haft__object_string(job->call.arguments, "query");
    haft_status status = HAFT_OK;
    if (job->exec->schemas == NULL) {
        status = haft__schema_cache_create(&job->exec->schemas, err);
    }
    call->pooled.work = run_search;
    call->cache = job->exec->schemas;
    call->requests = haft__arena_array(&job->arena, spec->database_count, sizeof(*call->requests));
    call->search = (haft__schema_query){
        .requests = call->requests,
        .count = spec->database_count,
        .query = haft__arena_copy(&job->arena, query),
        .limit = haft__object_number(job->call.arguments, "limit", 0),
    };
    if (status == HAFT_OK && (call->requests == NULL || call->search.query.ptr == NULL)) {
        status = haft__arena_fail(&job->arena, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < spec->database_count; i++) {
        call->requests[i].stop = &call->stop;
        status = haft__sql_request_init(&job->arena, spec, &job->exec->options.env,
                                        &spec->databases[i], &call->requests[i], err);
    }
    return status;
}

typedef haft_status prepare_function(haft__exec_job *job, sql_call *call, haft_error *err);

static haft_status start(haft__exec_job *job, prepare_function *prepare, size_t result_bytes,
                         haft_error *err)
{
    sql_call *call = haft__arena_array(&job->arena, 1, sizeof(*call));
    if (call == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    call->pooled = (haft__pool_job){.done = done};
    call->job = job;
    haft_status status = prepare(job, call, err);
    if (status != HAFT_OK) {
        return status;
    }
    (void)pthread_mutex_init(&call->stop.lock, NULL);
    haft__buf_init(&call->result, result_bytes);
    job->state = call;
    return haft__pool_submit(job->exec->pool, &call->pooled, err);
}

static haft_status start_query(haft__exec_job *job, haft_error *err)
{
    return start(job, prepare_query, HAFT__LIMIT_SQL_BYTES + HAFT__ROWS_BUFFER_BYTES, err);
}

static haft_status start_search(haft__exec_job *job, haft_error *err)
{
    return start(job, prepare_search, HAFT__LIMIT_SQL_CATALOG_BYTES, err);
}

static bool abandon(haft__exec_job *job)
{
    sql_call *call = job->state;
    haft__sql_stop_request(&call->stop);
    if (haft__pool_cancel(job->exec->pool, &call->pooled)) {
        job->waiting = true;
        return false;
    }
    (void)haft__pool_abandon(job->exec->pool, &call->pooled);
    return true;
}

const haft__executor haft__executor_execute_sql = {.start = start_query, .abandon = abandon},
                     haft__executor_search_schemas = {.start = start_search, .abandon = abandon};
