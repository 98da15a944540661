/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lease.c - the owner of a run, in PostgreSQL: claim, renew, release, remove. Tests:
 * tests/store/store_test.c, tests/store/postgres/postgres_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/owner.h"
#include "store/postgres/postgres_int.h"
#include "store/row.h"

static uint64_t lease_of(const haft__pg_job *job)
{
    return haft__store_lease_end(&job->connection->pg->store, job->request->lease_ms);
}

/* ---- CLAIM ---- */

static haft__pg_step write_claim;

haft_status haft__pg_claim(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->next = write_claim;
    return HAFT_OK;
}

static haft_status write_claim(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft__pg_head head;
    haft_status status = haft__pg_locked_head(job, &head, err);
    if (status == HAFT_OK) {
        status = haft__store_check_claim(&job->connection->pg->store, request, &head.run, err);
    }
    if (status == HAFT_OK) {
        haft__pg_args args = {0};
        haft__pg_arg(&args, request->run.id);
        haft__pg_arg(&args, request->run.owner);
        haft__pg_arg_int(&args, lease_of(job));
        haft__pg_job_modify(job, HAFT__PG_CLAIM, &args);
        job->next = haft__pg_return_runs;
    }
    return status;
}

/* ---- CLAIM_NEXT ---- */

static bool has_row(const haft__pg_job *job)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    return haft__pg_rows_next(&rows);
}

static haft__pg_step find_orphaned, claim_orphaned, return_orphaned, claim_free, return_free;

/* The first stage sends nothing for the job: the claim needs the time, which that stage returns. */
haft_status haft__pg_claim_next(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->next = job->request->quick ? claim_free : find_orphaned;
    return HAFT_OK;
}

static haft_status find_orphaned(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg(&args, job->request->run.owner);
    haft__pg_arg_int(&args, haft__store_now(&job->connection->pg->store));
    haft__pg_arg_int(&args, HAFT__LIMIT_STORE_LIST);
    haft__pg_job_query(job, HAFT__PG_OWNERS, &args);
    job->next = claim_orphaned;
    return HAFT_OK;
}

/* Claims a run with the statement `sql` at the time `now`. `dead` lists dead owners; NULL for a
 * statement without that parameter. */
static haft_status query_claim(haft__pg_job *job, const char *sql, uint64_t now,
                               const haft__buf *dead, haft__pg_step *next, haft_error *err)
{
    haft__buf *skip = &job->connection->packed;
    haft__buf_clear(skip);
    haft__pg_write_array(skip, job->request->skip, job->request->skip_count);
    haft_status status = haft__buf_check(skip, err);
    if (status == HAFT_OK) {
        haft__pg_args args = {0};
        haft__pg_arg_int(&args, now);
        haft__pg_arg(&args, job->request->run.owner);
        haft__pg_arg_int(&args, lease_of(job));
        haft__pg_arg_literal(&args, skip->ptr);
        if (dead != NULL) {
            haft__pg_arg_literal(&args, dead->ptr);
        }
        haft__pg_job_modify(job, sql, &args);
        job->next = next;
    }
    return status;
}

static haft_status claim_orphaned(haft__pg_job *job, haft_error *err)
{
    haft_str names[HAFT__LIMIT_STORE_LIST + 1];
    size_t count = 0;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    while (count < HAFT__LIMIT_STORE_LIST && haft__pg_rows_next(&rows)) {
        names[count] = haft__pg_rows_text(&rows, HAFT__LIMIT_STORE_NAME_BYTES);
        count += !rows.checks.invalid && haft__owner_is_dead(names[count]);
        rows.checks.invalid = false; /* the owner of a damaged run does not matter here */
    }
    if (job->request->reclaim_own) {
        names[count++] = job->request->run.owner;
    }
    haft__buf dead;
    haft__buf_init(&dead, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft__pg_write_array(&dead, names, count);
    haft_status status = haft__buf_check(&dead, err);
    if (status == HAFT_OK) {
        status =
            query_claim(job, HAFT__PG_CLAIM_ORPHANED, haft__store_now(&job->connection->pg->store),
                        &dead, return_orphaned, err);
    }
    haft__buf_finish(&dead);
    return status;
}

static haft_str claimed_id(const haft__pg_job *job)
{
    return (haft_str){job->claimed.id, job->claimed.id_len};
}

/* Stores the claimed run, because if the answer to the commit is lost, this process may own a run
 * without knowing which. */
static haft_status return_claimed(haft__pg_job *job, haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    if (haft__pg_rows_next(&rows)) {
        haft_str id = haft__pg_rows_text(&rows, sizeof(job->claimed.id));
        memcpy(job->claimed.id, id.ptr, id.len);
        job->claimed.id_len = id.len;
        rows.column = 3;
        job->claimed.epoch = haft__pg_rows_int(&rows);
    }
    haft_status status = haft__pg_return_runs(job, err);
    if (status == HAFT_BAD_INPUT) {
        haft__row_report_damaged(job->request, claimed_id(job));
    }
    return status;
}

static haft_status return_orphaned(haft__pg_job *job, haft_error *err)
{
    job->request->lost = has_row(job);
    return job->request->lost ? return_claimed(job, err) : claim_free(job, err);
}

static haft_status claim_free(haft__pg_job *job, haft_error *err)
{
    uint64_t now = haft__store_claim_time(&job->connection->pg->store, job->request);
    return query_claim(job, HAFT__PG_CLAIM_FREE, now, NULL, return_free, err);
}

static haft_status return_free(haft__pg_job *job, haft_error *err)
{
    if (has_row(job)) {
        return return_claimed(job, err);
    }
    job->modified = false; /* no run was claimed */
    return haft__store_fail_nothing_to_claim(err);
}

/* Sends no statement: the transaction itself shows that the connection works. */
haft_status haft__pg_probe_reader(haft__pg_job *job, haft_error *err)
{
    (void)job;
    (void)err;
    return HAFT_OK;
}

static haft__pg_step inspect_claimed, return_reclaimed;

/* Runs after a lost commit. It locks the row first: the server may notice the disconnect later than
 * this process, and until then the lost transaction can still be committed. */
haft_status haft__pg_reclaim(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg(&args, claimed_id(job));
    haft__pg_job_query(job, HAFT__PG_RECLAIM_LOCK, &args);
    job->next = inspect_claimed;
    return HAFT_OK;
}

/* Checks whether the claim was committed: then this owner has the run in that epoch. */
static haft_status inspect_claimed(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg(&args, claimed_id(job));
    haft__pg_arg_int(&args, job->claimed.epoch);
    haft__pg_arg(&args, job->request->run.owner);
    haft__pg_job_query(job, HAFT__PG_RECLAIM, &args);
    job->next = return_reclaimed;
    return HAFT_OK;
}

static haft_status return_reclaimed(haft__pg_job *job, haft_error *err)
{
    if (has_row(job)) {
        return haft__pg_return_runs(job, err);
    }
    job->start = haft__pg_claim_next;
    job->claimed.epoch = 0;
    return haft__pg_claim_next(job, err);
}

/* ---- RENEW and RELEASE ---- */

static haft__pg_step write_renewal, count_renewed, count_changed;

haft_status haft__pg_renew(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->next = write_renewal;
    return HAFT_OK;
}

static haft_status write_renewal(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg(&args, job->request->run.owner);
    haft__pg_arg_int(&args, lease_of(job));
    haft__pg_job_modify(job, HAFT__PG_RENEW, &args);
    job->next = count_renewed;
    return HAFT_OK;
}

/* Returns the number of renewed leases and their end: a run whose lease ends earlier was skipped
 * because it was locked. */
static haft_status count_renewed(haft__pg_job *job, haft_error *err)
{
    job->request->run.lease_ms = lease_of(job);
    return count_changed(job, err);
}

static haft_status count_changed(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->request->count = haft__pg_affected_rows(job, 0);
    return HAFT_OK;
}

static haft__pg_step write_release;

/* Locks the row first, so that the next statement sees a message that another transaction is
 * sending. */
haft_status haft__pg_release(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->next = write_release;
    return HAFT_OK;
}

static haft_status write_release(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_arg_int(&args, job->request->run.epoch);
    haft__pg_arg_int(&args, haft__store_now(&job->connection->pg->store));
    haft__pg_job_modify(job, HAFT__PG_RELEASE, &args);
    job->next = count_changed;
    return HAFT_OK;
}

/* ---- REMOVE ---- */

static haft__pg_step write_removal;

haft_status haft__pg_remove(haft__pg_job *job, haft_error *err)
{
    (void)err;
    job->next = write_removal;
    return HAFT_OK;
}

void haft__pg_delete_runs(haft__pg_job *job, const char *ids)
{
    static const char *const drops[] = {
#define X(sql) sql,
        HAFT__PG_DELETE_RUN(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(drops); i++) {
        haft__pg_args args = {0};
        haft__pg_arg_literal(&args, ids);
        haft__pg_job_modify(job, drops[i], &args);
    }
}

void haft__pg_wake_next_in_thread(haft__pg_job *job, const haft__pg_head *head)
{
    haft__pg_args args = {0};
    haft__pg_arg(&args, head->run.id);
    if (head->in_thread) {
        haft__pg_bulk_add_row(job, HAFT__PG_LOCK_THREADS, &args);
        haft__pg_bulk_add_row(job, HAFT__PG_SET_DUE, &args);
    }
}

static haft__pg_step drop_removed;

/* The rows are deleted in the next stage, because they contain the thread of the run. */
static haft_status write_removal(haft__pg_job *job, haft_error *err)
{
    haft__pg_head head;
    haft_status status = haft__pg_locked_head_or_damaged(job, &head, err);
    if (status == HAFT_OK) {
        status =
            haft__store_check_remove(&job->connection->pg->store, job->request, &head.run, err);
    }
    if (status == HAFT_OK) {
        haft__pg_wake_next_in_thread(job, &head);
        job->next = drop_removed;
    }
    return status;
}

static haft_status drop_removed(haft__pg_job *job, haft_error *err)
{
    haft__buf *ids = &job->connection->packed;
    haft__buf_clear(ids);
    haft__pg_write_array(ids, &job->request->run.id, 1);
    haft_status status = haft__buf_check(ids, err);
    if (status == HAFT_OK) {
        haft__pg_delete_runs(job, ids->ptr);
    }
    return status;
}
