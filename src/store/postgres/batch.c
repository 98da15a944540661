/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.c - runs many jobs in one PostgreSQL transaction, so that they share one disk sync.
 *
 * A transaction has stages. In each stage every job sends the statements that do not depend on
 * unread answers; all of them go to the server as one pipeline. A job that is rejected before it
 * has modified anything does not affect the others. If a statement fails, the whole transaction is
 * rolled back, and each of its jobs is retried in a transaction of its own. The outcome of a
 * transaction is unknown only if the connection is lost after the commit was sent.
 * Tests: tests/store/postgres/postgres_test.c.
 */
#include <assert.h>

#include "base/error.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"

/* ---- forming a batch ---- */

static bool needs_own_transaction(const haft__pg_job *job)
{
    const haft__store_request *request = job->request;
    return request == NULL || job->own_transaction
           || haft__pg_verb_of(request->verb)->own_transaction
           || (request->verb == HAFT__STORE_CREATE && request->alone);
}

/* Whether the job may join the current transaction. A write transaction has at most one job per
 * run, so that each job sees the state of its run before the transaction. */
static bool may_join(const haft__pg_connection *connection, const haft__pg_job *job)
{
    if (connection->batch.first == NULL) {
        return true;
    }
    if (needs_own_transaction(job) || needs_own_transaction(connection->batch.first)) {
        return false;
    }
    haft_str run = job->request->run.id;
    bool unique = true;
    for (const haft__pg_job *other = connection->batch.first;
         connection->writes && run.len > 0 && unique && other != NULL; other = other->next_job) {
        unique = !haft__str_equal(run, other->request->run.id);
    }
    return unique;
}

static uint64_t bytes_of(const haft__pg_job *job)
{
    const haft__store_request *request = job->request;
    uint64_t bytes = request != NULL ? haft__store_line_bytes(request) : 0;
    for (size_t i = 0; request != NULL && i < request->artifact_count; i++) {
        bytes += request->artifacts[i].content.len;
    }
    for (size_t i = 0; request != NULL && i < request->child_count; i++) {
        bytes += request->children[i].line.len + request->children[i].run.spec.len;
    }
    return bytes;
}

static void fill_batch(haft__pg_connection *connection)
{
    uint64_t bytes = 0;
    haft__pg_jobs *from =
        connection->urgent.first != NULL ? &connection->urgent : &connection->queue;
    for (int left = HAFT__LIMIT_STORE_BATCH;
         left > 0 && bytes < HAFT__LIMIT_STORE_TEXT_BYTES && from->first != NULL
         && may_join(connection, from->first);
         left--) {
        haft__pg_job *job = haft__pg_jobs_pop(from);
        bytes += bytes_of(job);
        job->next = job->finished ? NULL : job->start;
        haft__pg_jobs_push(&connection->batch, job);
    }
}

/* ---- stages ---- */

/* Performs one step of a job. If the step fails, haft__pg_job_fail resets sent_count. But the
 * server still answers the statements that were sent, so their number is restored. */
static void step(haft__pg_connection *connection, haft__pg_job *job)
{
    haft__pg_step *next = job->next;
    haft_error err = {0};
    job->next = NULL;
    job->sent_count = job->answer_count = 0;
    haft_status status = next(job, &err);
    unsigned sent_count = job->sent_count;
    if (status != HAFT_OK) {
        connection->partly_applied = connection->partly_applied || job->modified;
        haft__pg_job_fail(job, status, &err);
    }
    for (size_t i = 0; i < HAFT__PG_ANSWERS; i++) {
        connection->pg->lib->clear(job->answers[i]);
        job->answers[i] = NULL;
    }
    job->sent_count = sent_count;
    job->finished = job->next == NULL;
}

static void end_stage(haft__pg_connection *connection)
{
    connection->reading = connection->batch.first;
    if (!connection->broken && connection->pg->lib->pipelineSync(connection->conn) == 0) {
        connection->broken = true;
    }
    haft__pg_connection_flush(connection);
}

/* Performs the next step of every job. Sends the commit after the last step of all jobs. A write
 * transaction never commits in the first stage, because only the answer to that stage shows whether
 * the version of the tables is supported. */
static void run_stage(haft__pg_connection *connection)
{
    bool finished = true;
    for (haft__pg_job *job = connection->batch.first; job != NULL; job = job->next_job) {
        if (!job->finished) {
            step(connection, job);
        } else {
            job->sent_count = job->answer_count = 0;
        }
        finished = finished && job->finished;
    }
    haft__pg_bulk_send(connection);
    bool good = !connection->partly_applied && !connection->failed;
    if (connection->writes ? finished && !connection->first_stage && good
                           : connection->first_stage) {
        haft__pg_connection_query(connection, HAFT__PG_COMMIT, NULL);
        connection->commit_sent = true;
        connection->phase = HAFT__PG_COMMITTING;
    }
    connection->first_stage = false;
}

/* The time limit of a statement. A CLAIM_NEXT gets less time, so that it does not block the jobs of
 * running runs. */
static uint64_t statement_ms(const haft__pg_connection *connection)
{
    const haft__pg *pg = connection->pg;
    const haft__store_request *request = connection->batch.first->request;
    bool claims = request != NULL && request->verb == HAFT__STORE_CLAIM_NEXT;
    return claims && pg->claim_ms < pg->request_ms ? pg->claim_ms : pg->request_ms;
}

/* Sends the clock and the time limits of the transaction. Leases use the clock of the database
 * unless a test sets another clock. */
static void send_settings(haft__pg_connection *connection)
{
    const haft__pg *pg = connection->pg;
    bool creates_tables = connection->batch.first->request == NULL;
    haft__pg_args args = {0};
    if (haft__pg_uses_database_clock(pg)) {
        haft__pg_arg_null(&args);
    } else {
        haft__pg_arg_int(&args, haft__store_now(&pg->store));
    }
    haft__pg_arg_int(&args, creates_tables ? HAFT__LIMIT_STORE_BUSY_MS : pg->lock_ms);
    haft__pg_arg_int(&args, statement_ms(connection));
    haft__pg_arg_int(&args,
                     pg->idle_ms); /* a process that does not respond must not block others */
    bool no_tables = creates_tables || !pg->tables_exist;
    haft__pg_connection_query(connection, no_tables ? HAFT__PG_BEGIN_INFO : HAFT__PG_META, &args);
}

void haft__pg_batch_start(haft__pg_connection *connection)
{
    fill_batch(connection);
    connection->phase = HAFT__PG_WORKING;
    connection->first_stage = true;
    connection->commit_sent = connection->failed = connection->concerns_all =
        connection->partly_applied = connection->committed = connection->retryable =
            connection->locked = false;
    connection->own_received = 0;
    connection->pg->lib->clear(connection->heads);
    connection->heads = NULL;
    haft__pg_connection_query(
        connection, connection->writes ? HAFT__PG_BEGIN_WRITE : HAFT__PG_BEGIN_READ, NULL);
    send_settings(connection);
    connection->own_expected = haft__pg_lock_heads(connection) ? 3 : 2;
    run_stage(connection);
    end_stage(connection);
}

/* ---- the end of a transaction ---- */

/* After a transaction without effect: requeues every job that was not rejected. `tried` is true if
 * the transaction counts as an attempt of its jobs; each then gets its own transaction. */
static void return_jobs(haft__pg_connection *connection, bool tried)
{
    haft__pg_jobs finished, again;
    haft__pg_jobs_init(&finished);
    haft__pg_jobs_init(&again);
    for (haft__pg_job *job; (job = haft__pg_jobs_pop(&connection->batch)) != NULL;) {
        if (job->status != HAFT_OK) {
            haft__pg_jobs_push(&finished, job);
            continue;
        }
        haft__pg_job_reset(job);
        job->tries += tried;
        job->own_transaction = job->own_transaction || tried;
        haft__pg_jobs_push(&again, job);
    }
    /* An urgent job is alone in its transaction. */
    haft__pg_jobs_requeue(&again, haft__pg_connection_queue(connection, again.first));
    haft__pg_jobs_report(connection, &finished);
}

static void fail_jobs(haft__pg_connection *connection)
{
    for (haft__pg_job *job = connection->batch.first; job != NULL; job = job->next_job) {
        if (job->status == HAFT_OK) {
            haft__pg_job_abort(job, connection->status, &connection->error);
        }
    }
    haft__pg_jobs_report(connection, &connection->batch);
}

/* Whether another transaction with only this job may succeed. The lock that blocks it may belong to
 * a lost transaction of this process. The server releases such a lock when it notices the
 * disconnect, or when its standby is back, and only then the outcome of the lost transaction is
 * visible. So a job whose commit is uncertain waits until its deadline. */
static bool may_retry(const haft__pg_connection *connection, haft__pg_job *job)
{
    uint64_t now = haft__loop_now(connection->pg->store.loop);
    if (connection->locked && job->request != NULL) {
        job->locked_ms = job->locked_ms > 0 ? job->locked_ms : now + HAFT__LIMIT_STORE_BUSY_MS;
        return now < (job->commit_uncertain ? job->deadline_ms : job->locked_ms);
    }
    return connection->retryable && job->tries < HAFT__LIMIT_STORE_PG_TRIES;
}

static bool has_job_of_run(const haft__pg_jobs *jobs, haft_str run)
{
    const haft__pg_job *job = jobs->first;
    while (job != NULL && !haft__str_equal(job->request->run.id, run)) {
        job = job->next_job;
    }
    return job != NULL;
}

/* Moves a job that waits for a lock to the end of the queue, unless other jobs of the same run are
 * queued. */
static void defer_locked(haft__pg_connection *connection)
{
    haft__pg_job *job = connection->batch.first;
    if (has_job_of_run(&connection->queue, job->request->run.id)
        || haft__pg_connection_queue(connection, job) != &connection->queue) {
        return_jobs(connection, true);
        return;
    }
    haft__pg_jobs_init(&connection->batch);
    haft__pg_job_reset(job);
    job->tries++;
    job->own_transaction = true;
    haft__pg_jobs_push(&connection->queue, job);
}

/* Ends a transaction that is certainly rolled back. */
static void end_rolled_back(haft__pg_connection *connection)
{
    haft__pg_job *first = connection->batch.first;
    bool single = first->next_job == NULL;
    connection->phase = HAFT__PG_IDLE;
    if (!connection->failed) {
        return_jobs(connection, false);
    } else if (!single && !connection->concerns_all) {
        return_jobs(connection, true);
    } else if (may_retry(connection, first)) {
        if (single && connection->locked) {
            defer_locked(connection);
        } else {
            return_jobs(connection, !connection->concerns_all);
        }
    } else {
        fail_jobs(connection);
    }
}

static void roll_back(haft__pg_connection *connection)
{
    if (connection->pg->lib->transactionStatus(connection->conn) == PQTRANS_IDLE) {
        end_rolled_back(connection);
        return;
    }
    connection->phase = HAFT__PG_ROLLING_BACK;
    haft__pg_connection_query(connection, HAFT__PG_ROLLBACK, NULL);
    end_stage(connection);
}

/* Queues the rest of a job for another transaction, after the jobs that are already queued. */
static void continue_job(haft__pg_connection *connection, haft__pg_job *job)
{
    haft__store_request *request = job->request;
    request->count += job->gc.removed;
    request->gc.updated = job->gc.updated;
    request->gc.number = job->gc.number;
    haft__pg_job_reset(job);
    job->tries = 0;
    job->deadline_ms = haft__loop_now(connection->pg->store.loop) + connection->pg->request_ms;
    haft__pg_jobs_push(&connection->queue, job);
}

static void end_committed(haft__pg_connection *connection)
{
    haft__pg_jobs finished;
    haft__pg_jobs_init(&finished);
    connection->phase = HAFT__PG_IDLE;
    connection->pg->commits += connection->writes;
    for (haft__pg_job *job; (job = haft__pg_jobs_pop(&connection->batch)) != NULL;) {
        if (job->continues && job->status == HAFT_OK) {
            continue_job(connection, job);
        } else {
            haft__pg_jobs_push(&finished, job);
        }
    }
    haft__pg_jobs_report(connection, &finished);
}

static bool is_done(const haft__pg_job *job, const haft__pg_connection *connection)
{
    return job->status != HAFT_OK || (connection->committed && job->finished);
}

void haft__pg_batch_disconnected(haft__pg_connection *connection)
{
    bool unknown = connection->writes && connection->commit_sent && !connection->failed;
    uint64_t now = haft__loop_now(connection->pg->store.loop);
    for (haft__pg_job *job = connection->batch.first; job != NULL; job = job->next_job) {
        bool given_up = job->request == NULL || connection->pg->closing || job->deadline_ms <= now
                        || job->tries >= HAFT__LIMIT_STORE_PG_TRIES;
        if (is_done(job, connection)) {
            continue;
        }
        if (unknown && job->claimed.epoch > 0 && !given_up) {
            job->start = haft__pg_reclaim; /* checks whether the claim was committed */
        } else if (unknown && !given_up && job->request->verb == HAFT__STORE_CREATE) {
            job->commit_uncertain = true; /* the id is unique: the retry recognises its own run */
        } else if (unknown) {
            haft_error err = {0};
            haft__pg_fail_commit_unknown(connection->pg, job->request, &connection->last_error,
                                         &err);
            haft__pg_job_fail(job, HAFT_IO, &err);
        } else if (given_up) {
            haft__pg_job_abort(job, connection->last_status, &connection->last_error);
        }
    }
    if (connection->writes && connection->committed) {
        end_committed(connection);
    } else {
        return_jobs(connection, !connection->wrong_server);
    }
}

/* ---- answers ---- */

static void fail_transaction(haft__pg_connection *connection, haft_status status)
{
    connection->failed = connection->concerns_all = true;
    connection->status = status;
}

/* Returns false if the connection must not stay on this server. It is then marked as broken, so
 * that it reconnects to another host. */
static bool check_server(haft__pg_connection *connection, uint64_t server, bool standby)
{
    haft_error err = {0};
    haft_status status = haft__pg_connection_check_server(connection, server, standby, &err);
    if (status != HAFT_OK) {
        connection->broken = connection->try_next_host = connection->wrong_server = true;
        connection->last_status = status;
        connection->last_error = err;
    }
    return status == HAFT_OK;
}

/* Reads the answer to send_settings: the time, the server, the version of the tables. */
static void read_settings(haft__pg_connection *connection, PGresult *result)
{
    haft__pg_rows rows = {.pg = connection->pg, .result = result};
    if (!haft__pg_rows_next(&rows)) {
        fail_transaction(connection, haft__pg_fail_damaged(connection->pg, &connection->error,
                                                           "its version is missing"));
        return;
    }
    connection->pg->now_ms = haft__pg_rows_int(&rows);
    rows.column = 5;
    uint64_t server = haft__pg_rows_int(&rows);
    bool standby = haft__pg_rows_int(&rows) != 0;
    uint64_t version = haft__pg_rows_int(&rows), oldest = haft__pg_rows_int(&rows);
    haft_status status = haft__pg_rows_end(&rows, &connection->error);
    if (status == HAFT_OK && !check_server(connection, server, standby)) {
        return;
    }
    if (status == HAFT_OK && oldest > HAFT__PG_VERSION) {
        status = haft__pg_fail_version(connection->pg, version, &connection->error);
    }
    if (status != HAFT_OK) {
        fail_transaction(connection, status);
    }
    connection->attempts = 0; /* the answer shows that the connection works */
}

/* The job that the next answer belongs to; NULL if it belongs to the transaction itself. */
static haft__pg_job *job_of_answer(haft__pg_connection *connection)
{
    if (connection->own_received < connection->own_expected) {
        return NULL;
    }
    while (connection->reading != NULL
           && connection->reading->answer_count >= connection->reading->sent_count) {
        connection->reading = connection->reading->next_job;
    }
    return connection->reading;
}

static void read_transaction_result(haft__pg_connection *connection, PGresult *result)
{
    if (connection->own_received == 2 && connection->own_received < connection->own_expected) {
        connection->heads = result;
        return;
    }
    if (connection->own_received == 1) {
        read_settings(connection, result);
    } else if (connection->own_received > 1 && connection->phase == HAFT__PG_COMMITTING) {
        connection->committed =
            strcmp(connection->pg->lib->cmdStatus(result), HAFT__PG_COMMIT) == 0;
    }
    connection->pg->lib->clear(result);
}

static void read_failure(haft__pg_connection *connection, PGresult *result, bool concerns_all)
{
    if (!connection->failed && connection->phase != HAFT__PG_ROLLING_BACK) {
        haft__pg_failure failure;
        connection->status = haft__pg_fail_result(
            connection->pg, result, connection->own_received == 0, &failure, &connection->error);
        connection->retryable = failure.retryable;
        connection->locked = failure.locked;
        connection->failed = failure.certain;
        connection->concerns_all = concerns_all;
        if (failure.broken) {
            connection->broken = true;
            connection->try_next_host = failure.try_next_host;
            connection->last_status = connection->status;
            connection->last_error = connection->error;
        }
    }
    connection->pg->lib->clear(result);
}

static void handle_result(haft__pg_connection *connection, PGresult *result)
{
    haft__pg_job *job = job_of_answer(connection);
    switch (connection->pg->lib->resultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
        if (job == NULL) {
            read_transaction_result(connection, result);
        } else if (job->answer_count < HAFT__PG_ANSWERS && job->status == HAFT_OK) {
            job->answers[job->answer_count] = result;
        } else {
            connection->pg->lib->clear(result);
        }
        return;
    case PGRES_PIPELINE_ABORTED: connection->pg->lib->clear(result); return;
    default: read_failure(connection, result, connection->own_received < 2); return;
    }
}

/* Counts a complete answer. */
static void count_answer(haft__pg_connection *connection)
{
    haft__pg_job *job = job_of_answer(connection);
    if (job != NULL) {
        job->answer_count++;
    } else if (connection->own_received < connection->own_expected) {
        connection->own_received++;
    }
}

/* A CLAIM_NEXT is rolled back and repeated later if urgent jobs (lease renewals) are queued. */
static bool yields_to_urgent(const haft__pg_connection *connection)
{
    const haft__store_request *request = connection->batch.first->request;
    return connection->phase == HAFT__PG_WORKING && connection->urgent.first != NULL
           && request != NULL && request->verb == HAFT__STORE_CLAIM_NEXT;
}

/* Begins the next stage or ends the transaction, when all answers of a stage have arrived. */
static void on_stage_answered(haft__pg_connection *connection)
{
    if (connection->phase == HAFT__PG_ROLLING_BACK) {
        end_rolled_back(connection);
    } else if (connection->failed || connection->partly_applied || yields_to_urgent(connection)) {
        roll_back(connection);
    } else if (connection->phase == HAFT__PG_WORKING) {
        run_stage(connection);
        end_stage(connection);
    } else if (!connection->committed) {
        fail_transaction(connection, haft__pg_fail_damaged(connection->pg, &connection->error,
                                                           "nothing was committed"));
        roll_back(connection);
    } else {
        if (!connection->writes) {
            run_stage(connection); /* the last step of a read comes after its commit */
        }
        end_committed(connection);
    }
}

void haft__pg_batch_read(haft__pg_connection *connection)
{
    const haft__libpq *lib = connection->pg->lib;
    while (!connection->broken && connection->phase >= HAFT__PG_WORKING
           && lib->isBusy(connection->conn) == 0) {
        PGresult *result = lib->getResult(connection->conn);
        if (result == NULL) {
            if (lib->status(connection->conn) != CONNECTION_OK) {
                connection->broken = true;
            }
            count_answer(connection);
        } else if (lib->resultStatus(result) == PGRES_PIPELINE_SYNC) {
            lib->clear(result);
            on_stage_answered(connection);
        } else {
            handle_result(connection, result);
        }
    }
}
