/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_batch.c - many jobs in one transaction of PostgreSQL, and so with one sync of its disk.
 *
 * A stage is what all jobs ask before any of them needs an answer: it goes to the server at once.
 * One that is refused before it has changed anything harms nobody. When a statement fails, the
 * transaction is rolled back, which is certain, and each job is performed apart. Only behind a
 * commit that was sent and not answered is it unknown what became of them.
 * Tests: tests/store/postgres/postgres_test.c.
 */
#include <assert.h>

#include "base/error.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"

/* ---- who goes together ---- */

static bool is_alone(const haft__pg_job *job)
{
    const haft__store_request *request = job->request;
    return request == NULL || job->apart || haft__pg_verb_of(request->verb)->apart
           || (request->verb == HAFT__STORE_CREATE && request->alone);
}

/* A transaction has one job for each run at most: what it finds is then what was there before. */
static bool fits(const haft__pg_link *link, const haft__pg_job *job)
{
    if (link->batch.first == NULL) {
        return true;
    }
    if (is_alone(job) || is_alone(link->batch.first)) {
        return false;
    }
    haft_str run = job->request->run.id;
    bool fit = true;
    for (const haft__pg_job *other = link->batch.first;
         link->writes && run.len > 0 && fit && other != NULL; other = other->next_job) {
        fit = !haft__str_equal(run, other->request->run.id);
    }
    return fit;
}

static uint64_t bytes_of(const haft__pg_job *job)
{
    const haft__store_request *request = job->request;
    uint64_t bytes = request != NULL ? haft__store_line_bytes(request) : 0;
    for (size_t i = 0; request != NULL && i < request->artifact_count; i++) {
        bytes += request->artifacts[i].content.len;
    }
    return bytes;
}

static void gather(haft__pg_link *link)
{
    uint64_t bytes = 0;
    haft__pg_jobs *from = link->urgent.first != NULL ? &link->urgent : &link->queue;
    for (int left = HAFT__LIMIT_STORE_BATCH; left > 0 && bytes < HAFT__LIMIT_STORE_TEXT_BYTES
                                             && from->first != NULL && fits(link, from->first);
         left--) {
        haft__pg_job *job = haft__pg_jobs_take(from);
        bytes += bytes_of(job);
        job->next = job->finished ? NULL : job->start;
        haft__pg_jobs_add(&link->batch, job);
    }
}

/* ---- a stage ---- */

/* One step of a job. What it has asked will be answered, whether it goes well or not. */
static void step(haft__pg_link *link, haft__pg_job *job)
{
    haft__pg_step *next = job->next;
    haft_error err = {0};
    job->next = NULL;
    job->asked = job->answered = 0;
    haft_status status = next(job, &err);
    unsigned asked = job->asked;
    if (status != HAFT_OK) {
        link->spoilt = link->spoilt || job->touched;
        haft__pg_job_fail(job, status, &err);
    }
    for (size_t i = 0; i < HAFT__PG_ANSWERS; i++) {
        link->pg->lib->clear(job->answers[i]);
        job->answers[i] = NULL;
    }
    job->asked = asked;
    job->finished = job->next == NULL;
}

static void end_stage(haft__pg_link *link)
{
    link->reading = link->batch.first;
    if (!link->broken && link->pg->lib->pipelineSync(link->conn) == 0) {
        link->broken = true;
    }
    haft__pg_link_flush(link);
}

/* The next step of every job, and the commit behind them when it is the last. It never goes with
 * the first stage of what writes: before that it is not known whether the tables are ours. */
static void run_stage(haft__pg_link *link)
{
    bool finished = true;
    for (haft__pg_job *job = link->batch.first; job != NULL; job = job->next_job) {
        if (!job->finished) {
            step(link, job);
        } else {
            job->asked = job->answered = 0;
        }
        finished = finished && job->finished;
    }
    haft__pg_share_all(link);
    bool good = !link->spoilt && !link->failed;
    if (link->writes ? finished && !link->first_stage && good : link->first_stage) {
        haft__pg_say(link, HAFT__PG_COMMIT, NULL);
        link->sent = true;
        link->phase = HAFT__PG_COMMITTING;
    }
    link->first_stage = false;
}

/* Whoever looks for work must not keep those from the connection who have some. */
static uint64_t statement_ms(const haft__pg_link *link)
{
    const haft__pg *pg = link->pg;
    const haft__store_request *request = link->batch.first->request;
    bool takes = request != NULL && request->verb == HAFT__STORE_TAKE;
    return takes && pg->take_ms < pg->request_ms ? pg->take_ms : pg->request_ms;
}

/* The clock that leases are measured with: the database's, unless a test has its own. */
static void say_settings(haft__pg_link *link)
{
    const haft__pg *pg = link->pg;
    bool own = link->batch.first->request == NULL, first = own || !pg->made;
    haft__pg_args args = {0};
    if (haft__pg_own_clock(pg)) {
        haft__pg_arg_null(&args);
    } else {
        haft__pg_arg_int(&args, haft__store_now(&pg->store));
    }
    haft__pg_arg_int(&args, own ? HAFT__LIMIT_STORE_BUSY_MS : HAFT__LIMIT_STORE_PG_LOCK_MS);
    haft__pg_arg_int(&args, statement_ms(link));
    haft__pg_arg_int(&args, HAFT__LIMIT_STORE_BUSY_MS); /* who stands still lets others go on */
    haft__pg_say(link, first ? HAFT__PG_FIRST : HAFT__PG_META, &args);
}

void haft__pg_batch_start(haft__pg_link *link)
{
    gather(link);
    link->phase = HAFT__PG_WORKING;
    link->first_stage = true;
    link->sent = link->failed = link->whole = link->spoilt = link->committed = link->again =
        link->locked = false;
    link->opened = 0;
    link->pg->lib->clear(link->heads);
    link->heads = NULL;
    haft__pg_say(link, link->writes ? HAFT__PG_BEGIN_WRITE : HAFT__PG_BEGIN_READ, NULL);
    say_settings(link);
    link->opening = haft__pg_lock_heads(link) ? 3 : 2;
    run_stage(link);
    end_stage(link);
}

/* ---- the end of a transaction ---- */

/* It is as if it had never been; every job that was not refused is done again. */
static void return_jobs(haft__pg_link *link, bool tried)
{
    haft__pg_jobs told, again;
    haft__pg_jobs_init(&told);
    haft__pg_jobs_init(&again);
    for (haft__pg_job *job; (job = haft__pg_jobs_take(&link->batch)) != NULL;) {
        if (job->status != HAFT_OK) {
            haft__pg_jobs_add(&told, job);
            continue;
        }
        haft__pg_job_reset(job);
        job->tries += tried;
        job->apart = job->apart || tried;
        haft__pg_jobs_add(&again, job);
    }
    /* An urgent one is alone in its transaction. */
    haft__pg_jobs_return(&again, haft__pg_queue_of(link, again.first));
    haft__pg_report(link, &told);
}

static void fail_jobs(haft__pg_link *link)
{
    for (haft__pg_job *job = link->batch.first; job != NULL; job = job->next_job) {
        if (job->status == HAFT_OK) {
            haft__pg_job_give_up(job, link->status, &link->error);
        }
    }
    haft__pg_report(link, &link->batch);
}

/* Whether a transaction with this job alone may still go well. A lock that a lost one has is let go
 * when the server sees that it is lost, or when its standby is back: only then it can be seen what
 * became of it. */
static bool may_go_well(const haft__pg_link *link, haft__pg_job *job)
{
    uint64_t now = haft__loop_now(link->pg->store.loop);
    if (link->locked && job->request != NULL) {
        job->locked_ms = job->locked_ms > 0 ? job->locked_ms : now + HAFT__LIMIT_STORE_BUSY_MS;
        return now < (job->perhaps ? job->due_ms : job->locked_ms);
    }
    return link->again && job->tries < HAFT__LIMIT_STORE_PG_TRIES;
}

static bool has_other(const haft__pg_jobs *jobs, haft_str run)
{
    const haft__pg_job *job = jobs->first;
    while (job != NULL && !haft__str_equal(job->request->run.id, run)) {
        job = job->next_job;
    }
    return job != NULL;
}

/* One that waits for a lock lets all others go before it, but for those of the same run. */
static void let_pass(haft__pg_link *link)
{
    haft__pg_job *job = link->batch.first;
    if (has_other(&link->queue, job->request->run.id)
        || haft__pg_queue_of(link, job) != &link->queue) {
        return_jobs(link, true);
        return;
    }
    haft__pg_jobs_init(&link->batch);
    haft__pg_job_reset(job);
    job->tries++;
    job->apart = true;
    haft__pg_jobs_add(&link->queue, job);
}

/* Rolled back, for sure. */
static void undone(haft__pg_link *link)
{
    haft__pg_job *first = link->batch.first;
    bool one = first->next_job == NULL;
    link->phase = HAFT__PG_IDLE;
    if (!link->failed) {
        return_jobs(link, false);
    } else if (!one && !link->whole) {
        return_jobs(link, true);
    } else if (may_go_well(link, first)) {
        if (one && link->locked) {
            let_pass(link);
        } else {
            return_jobs(link, !link->whole);
        }
    } else {
        fail_jobs(link);
    }
}

static void undo(haft__pg_link *link)
{
    if (link->pg->lib->transactionStatus(link->conn) == PQTRANS_IDLE) {
        undone(link);
        return;
    }
    link->phase = HAFT__PG_UNDOING;
    haft__pg_say(link, HAFT__PG_ROLLBACK, NULL);
    end_stage(link);
}

/* There is more of it to do, in a transaction of its own and behind what waits. */
static void go_on(haft__pg_link *link, haft__pg_job *job)
{
    haft__store_request *request = job->request;
    request->count += job->gc.removed;
    request->gc.updated = job->gc.updated;
    request->gc.number = job->gc.number;
    haft__pg_job_reset(job);
    job->tries = 0;
    job->due_ms = haft__loop_now(link->pg->store.loop) + link->pg->request_ms;
    haft__pg_jobs_add(&link->queue, job);
}

static void committed(haft__pg_link *link)
{
    haft__pg_jobs told;
    haft__pg_jobs_init(&told);
    link->phase = HAFT__PG_IDLE;
    link->pg->commits += link->writes;
    for (haft__pg_job *job; (job = haft__pg_jobs_take(&link->batch)) != NULL;) {
        if (job->again && job->status == HAFT_OK) {
            go_on(link, job);
        } else {
            haft__pg_jobs_add(&told, job);
        }
    }
    haft__pg_report(link, &told);
}

static bool is_done(const haft__pg_job *job, const haft__pg_link *link)
{
    return job->status != HAFT_OK || (link->committed && job->finished);
}

void haft__pg_batch_lost(haft__pg_link *link)
{
    bool unknown = link->writes && link->sent && !link->failed;
    uint64_t now = haft__loop_now(link->pg->store.loop);
    for (haft__pg_job *job = link->batch.first; job != NULL; job = job->next_job) {
        bool given_up = job->request == NULL || link->pg->closing || job->due_ms <= now
                        || job->tries >= HAFT__LIMIT_STORE_PG_TRIES;
        if (is_done(job, link)) {
            continue;
        }
        if (unknown && job->taken.epoch > 0 && !given_up) {
            job->start = haft__pg_retake; /* it can be seen whether it was */
        } else if (unknown && !given_up && job->request->verb == HAFT__STORE_CREATE) {
            job->perhaps = true; /* the id is its own: the same */
        } else if (unknown) {
            haft_error err = {0};
            haft__pg_unknown(link->pg, job->request, &link->why, &err);
            haft__pg_job_fail(job, HAFT_IO, &err);
        } else if (given_up) {
            haft__pg_job_give_up(job, link->why_status, &link->why);
        }
    }
    if (link->writes && link->committed) {
        committed(link);
    } else {
        return_jobs(link, !link->astray);
    }
}

/* ---- answers ---- */

static void fail_whole(haft__pg_link *link, haft_status status)
{
    link->failed = link->whole = true;
    link->status = status;
}

/* False when it may not stay there: the connection is made again. */
static bool meet(haft__pg_link *link, uint64_t server, bool standby)
{
    haft_error err = {0};
    haft_status status = haft__pg_link_meet(link, server, standby, &err);
    if (status != HAFT_OK) {
        link->broken = link->elsewhere = link->astray = true;
        link->why_status = status;
        link->why = err;
    }
    return status == HAFT_OK;
}

/* What the transaction was told about itself: the time, the server, the version of the tables. */
static void take_settings(haft__pg_link *link, PGresult *result)
{
    haft__pg_rows rows = {.pg = link->pg, .result = result};
    if (!haft__pg_row(&rows)) {
        fail_whole(link, haft__pg_fail_damaged(link->pg, &link->error, "its version is gone"));
        return;
    }
    link->pg->now_ms = haft__pg_int(&rows);
    rows.column = 5;
    uint64_t server = haft__pg_int(&rows);
    bool standby = haft__pg_int(&rows) != 0;
    uint64_t version = haft__pg_int(&rows), oldest = haft__pg_int(&rows);
    haft_status status = haft__pg_rows_end(&rows, &link->error);
    if (status == HAFT_OK && !meet(link, server, standby)) {
        return;
    }
    if (status == HAFT_OK && oldest > HAFT__PG_VERSION) {
        status = haft__pg_fail_version(link->pg, version, &link->error);
    }
    if (status != HAFT_OK) {
        fail_whole(link, status);
    }
    link->attempts = 0; /* only now it is known to be of use */
}

/* Whose answer comes next; NULL for that of the transaction itself. */
static haft__pg_job *reader_of(haft__pg_link *link)
{
    if (link->opened < link->opening) {
        return NULL;
    }
    while (link->reading != NULL && link->reading->answered >= link->reading->asked) {
        link->reading = link->reading->next_job;
    }
    return link->reading;
}

static void take_own(haft__pg_link *link, PGresult *result)
{
    if (link->opened == 2 && link->opened < link->opening) {
        link->heads = result;
        return;
    }
    if (link->opened == 1) {
        take_settings(link, result);
    } else if (link->opened > 1 && link->phase == HAFT__PG_COMMITTING) {
        link->committed = strcmp(link->pg->lib->cmdStatus(result), HAFT__PG_COMMIT) == 0;
    }
    link->pg->lib->clear(result);
}

static void take_failure(haft__pg_link *link, PGresult *result, bool whole)
{
    if (!link->failed && link->phase != HAFT__PG_UNDOING) {
        haft__pg_failure failure;
        link->status =
            haft__pg_fail_result(link->pg, result, link->opened == 0, &failure, &link->error);
        link->again = failure.again;
        link->locked = failure.locked;
        link->failed = failure.certain;
        link->whole = whole;
        if (failure.broken) {
            link->broken = true;
            link->elsewhere = failure.elsewhere;
            link->why_status = link->status;
            link->why = link->error;
        }
    }
    link->pg->lib->clear(result);
}

static void take(haft__pg_link *link, PGresult *result)
{
    haft__pg_job *job = reader_of(link);
    switch (link->pg->lib->resultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
        if (job == NULL) {
            take_own(link, result);
        } else if (job->answered < HAFT__PG_ANSWERS && job->status == HAFT_OK) {
            job->answers[job->answered] = result;
        } else {
            link->pg->lib->clear(result);
        }
        return;
    case PGRES_PIPELINE_ABORTED: link->pg->lib->clear(result); return;
    default: take_failure(link, result, link->opened < 2); return;
    }
}

static void advance(haft__pg_link *link)
{
    haft__pg_job *job = reader_of(link);
    if (job != NULL) {
        job->answered++;
    } else if (link->opened < link->opening) {
        link->opened++;
    }
}

/* Who looks for work begins again later when those wait who keep work from being lost. */
static bool gives_way(const haft__pg_link *link)
{
    const haft__store_request *request = link->batch.first->request;
    return link->phase == HAFT__PG_WORKING && link->urgent.first != NULL && request != NULL
           && request->verb == HAFT__STORE_TAKE;
}

/* All answers of the stage are there. */
static void end_answers(haft__pg_link *link)
{
    if (link->phase == HAFT__PG_UNDOING) {
        undone(link);
    } else if (link->failed || link->spoilt || gives_way(link)) {
        undo(link);
    } else if (link->phase == HAFT__PG_WORKING) {
        run_stage(link);
        end_stage(link);
    } else if (!link->committed) {
        fail_whole(link, haft__pg_fail_damaged(link->pg, &link->error, "nothing was committed"));
        undo(link);
    } else {
        if (!link->writes) {
            run_stage(link);
        }
        committed(link);
    }
}

void haft__pg_batch_read(haft__pg_link *link)
{
    const haft__pg_functions *lib = link->pg->lib;
    while (!link->broken && link->phase >= HAFT__PG_WORKING && lib->isBusy(link->conn) == 0) {
        PGresult *result = lib->getResult(link->conn);
        if (result == NULL) {
            if (lib->status(link->conn) != CONNECTION_OK) {
                link->broken = true;
            }
            advance(link);
        } else if (lib->resultStatus(result) == PGRES_PIPELINE_SYNC) {
            lib->clear(result);
            end_answers(link);
        } else {
            take(link, result);
        }
    }
}
