/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - identifies a database and creates the tables.
 *
 * All objects are in the schema `haft`. Any number of processes may open a new database at the same
 * time: one creates the tables, in one transaction and under a lock; the others wait and check
 * again. Tests: tests/store/postgres/postgres_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "store/postgres/postgres_int.h"

static haft__pg_step set_created, inspect_schema, inspect_schema_locked, check_version,
    finish_create;

static haft_status query_identity(haft__pg_job *job, haft__pg_step *next)
{
    haft__pg_job_query(job, HAFT__PG_IDENTIFY, NULL);
    job->next = next;
    return HAFT_OK;
}

haft_status haft__pg_schema_create(haft__pg_job *job, haft_error *err)
{
    (void)err;
    return query_identity(job, inspect_schema);
}

typedef struct identity {
    uint64_t schema, meta, others;
} identity;

static haft_status read_identity(const haft__pg_job *job, unsigned answer, identity *ret_identity,
                                 haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, answer);
    if (haft__pg_rows_next(&rows)) {
        ret_identity->schema = haft__pg_rows_int(&rows);
        ret_identity->meta = haft__pg_rows_int(&rows);
        ret_identity->others = haft__pg_rows_int(&rows);
    }
    return haft__pg_rows_end(&rows, err);
}

static haft_status query_version(haft__pg_job *job)
{
    haft__pg_job_query(job, HAFT__PG_READ_META, NULL);
    job->next = check_version;
    return HAFT_OK;
}

haft_status haft__pg_schema_identify(haft__pg_job *job, haft_error *err)
{
    (void)err;
    return query_identity(job, set_created);
}

static haft_status set_created(haft__pg_job *job, haft_error *err)
{
    identity found = {0};
    haft_status status = read_identity(job, 0, &found, err);
    job->connection->pg->tables_exist = found.meta != 0;
    return status;
}

haft_status haft__pg_schema_check(haft__pg_job *job, haft_error *err)
{
    (void)err;
    return query_version(job);
}

static haft_status inspect_schema(haft__pg_job *job, haft_error *err)
{
    identity found = {0};
    haft_status status = read_identity(job, 0, &found, err);
    if (status != HAFT_OK || found.meta != 0) {
        return status == HAFT_OK ? query_version(job) : status;
    }
    haft__pg_job_query(job, HAFT__PG_SCHEMA_LOCK, NULL);
    return query_identity(job, inspect_schema_locked);
}

/* Inspects the schema again while this session holds the lock. */
static haft_status inspect_schema_locked(haft__pg_job *job, haft_error *err)
{
    static const char *const tables[] = {
#define X(sql) sql,
        HAFT__PG_TABLES(X)
#undef X
    };
    identity found = {0};
    haft_status status = read_identity(job, 1, &found, err);
    if (status != HAFT_OK || found.meta != 0) {
        return status == HAFT_OK ? query_version(job) : status;
    }
    if (found.others > 0) {
        return haft__fail(err, HAFT_BAD_INPUT, job->connection->pg->display_name,
                          "the schema haft of this database belongs to another program");
    }
    if (found.schema == 0) {
        haft__pg_job_modify(job, HAFT__PG_CREATE_SCHEMA, NULL);
    }
    for (size_t i = 0; i < COUNT(tables); i++) {
        haft__pg_job_modify(job, tables[i], NULL);
    }
    job->next = finish_create;
    return HAFT_OK;
}

static haft_status finish_create(haft__pg_job *job, haft_error *err)
{
    (void)err;
    return query_version(job);
}

static haft_status check_version(haft__pg_job *job, haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    if (!haft__pg_rows_next(&rows)) {
        return haft__pg_fail_damaged(job->connection->pg, err, "its version is missing");
    }
    uint64_t version = haft__pg_rows_int(&rows);
    uint64_t oldest_reader = haft__pg_rows_int(&rows); /* the oldest version that can use them */
    haft_status status = haft__pg_rows_end(&rows, err);
    bool known = version >= HAFT__PG_VERSION && oldest_reader <= HAFT__PG_VERSION;
    return status == HAFT_OK && !known ? haft__pg_fail_version(job->connection->pg, version, err)
                                       : status;
}
