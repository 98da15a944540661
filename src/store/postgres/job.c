/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - jobs: requests in the PostgreSQL store. Tests: tests/store/postgres/postgres_test.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/macros.h"
#include "store/postgres/postgres_int.h"

/* ---- lists ---- */

void haft__pg_jobs_init(haft__pg_jobs *jobs)
{
    jobs->first = NULL;
    jobs->end = &jobs->first;
}

void haft__pg_jobs_push(haft__pg_jobs *jobs, haft__pg_job *job)
{
    job->next_job = NULL;
    *jobs->end = job;
    jobs->end = &job->next_job;
}

haft__pg_job *haft__pg_jobs_pop(haft__pg_jobs *jobs)
{
    haft__pg_job *job = jobs->first;
    if (job != NULL) {
        jobs->first = job->next_job;
        jobs->end = jobs->first == NULL ? &jobs->first : jobs->end;
    }
    return job;
}

void haft__pg_jobs_requeue(haft__pg_jobs *from, haft__pg_jobs *to)
{
    if (from->first != NULL) {
        *from->end = to->first;
        to->end = to->first != NULL ? to->end : from->end;
        to->first = from->first;
        haft__pg_jobs_init(from);
    }
}

/* ---- one job ---- */

static void drop_answers(haft__pg_job *job)
{
    for (size_t i = 0; i < COUNT(job->answers); i++) {
        job->connection->pg->lib->clear(job->answers[i]);
        job->answers[i] = NULL;
    }
    job->sent_count = job->answer_count = 0;
}

void haft__pg_job_reset(haft__pg_job *job)
{
    drop_answers(job);
    job->next = NULL;
    job->modified = job->finished = job->continues = false;
    memset(&job->gc, 0, sizeof(job->gc));
    job->status = HAFT_OK;
    if (job->request != NULL) {
        job->request->found = NULL;
        job->request->found_count = 0;
    }
}

void haft__pg_job_fail(haft__pg_job *job, haft_status status, const haft_error *error)
{
    haft__pg_job_reset(job);
    job->finished = true;
    job->status = status;
    job->error = *error;
}

void haft__pg_job_abort(haft__pg_job *job, haft_status status, const haft_error *error)
{
    haft_error err = {0};
    if (job->commit_uncertain) {
        haft__pg_fail_commit_unknown(job->connection->pg, job->request, error, &err);
    }
    haft__pg_job_fail(job, job->commit_uncertain ? HAFT_IO : status,
                      job->commit_uncertain ? &err : error);
}

static void finalize(haft__pg_job *job)
{
    haft__store_request *request = job->request;
    request->status = job->status;
    if (job->status == HAFT_OK) {
        request->count += job->gc.removed;
    } else {
        request->error = job->error;
        request->found = NULL;
        request->found_count = 0;
    }
}

/* Submits the actual job, after a probe has shown that the read connection works. */
static void submit_job(haft__pg *pg, haft__pg_job *job)
{
    haft__pg_job_reset(job);
    job->probes_reader = false;
    job->tries = 0;
    job->start = haft__pg_verb_of(job->request->verb)->start;
    haft__pg_connection_add_job(&pg->writer, job);
}

void haft__pg_jobs_report(haft__pg_connection *connection, haft__pg_jobs *jobs)
{
    haft__store_queue performed;
    haft__store_queue_init(&performed);
    for (haft__pg_job *job; (job = haft__pg_jobs_pop(jobs)) != NULL;) {
        drop_answers(job);
        if (job->probes_reader && job->status == HAFT_OK) {
            submit_job(connection->pg, job);
            continue;
        }
        if (job->request == NULL) {
            connection->pg->prepared = job->status;
            connection->pg->prepare_error = job->error;
        } else {
            finalize(job);
            haft__store_queue_push(&performed, job->request);
        }
        free(job);
    }
    haft__store_complete(&connection->pg->store, &performed);
}

/* ---- verbs ---- */

const haft__pg_verb *haft__pg_verb_of(haft__store_verb verb)
{
    static const haft__pg_verb verbs[] = {
        [HAFT__STORE_CREATE] = {haft__pg_create, true, false, false},
        [HAFT__STORE_APPEND] = {haft__pg_append, true, false, false},
        [HAFT__STORE_CLAIM] = {haft__pg_claim, true, false, false},
        [HAFT__STORE_CLAIM_NEXT] = {haft__pg_claim_next, true, true, false},
        [HAFT__STORE_RENEW] = {haft__pg_renew, true, true, true},
        [HAFT__STORE_RELEASE] = {haft__pg_release, true, false, false},
        [HAFT__STORE_READ_EVENTS] = {haft__pg_read_events, false, false, false},
        [HAFT__STORE_FIND] = {haft__pg_find, false, false, false},
        [HAFT__STORE_LIST] = {haft__pg_list, false, false, false},
        [HAFT__STORE_THREAD_HISTORY] = {haft__pg_thread_history, false, false, false},
        [HAFT__STORE_PREDECESSORS] = {haft__pg_predecessors, false, false, false},
        [HAFT__STORE_SEND] = {haft__pg_send, true, false, false},
        [HAFT__STORE_RECEIVE] = {haft__pg_receive, false, false, false},
        [HAFT__STORE_READ_ARTIFACT] = {haft__pg_read_artifact, false, false, false},
        [HAFT__STORE_CACHE_GET] = {haft__pg_cache_get, false, false, false},
        [HAFT__STORE_CACHE_PUT] = {haft__pg_cache_put, true, false, false},
        [HAFT__STORE_REMOVE] = {haft__pg_remove, true, false, false},
        [HAFT__STORE_GC] = {haft__pg_gc, true, true, false},
        [HAFT__STORE_DOCTOR] = {haft__pg_doctor, false, true, false},
        [HAFT__STORE_TRY_WRITE] = {haft__pg_try_write, true, true, false},
    };
    switch (verb) { /* the compiler warns about a verb without a row */
    case HAFT__STORE_CREATE:
    case HAFT__STORE_APPEND:
    case HAFT__STORE_CLAIM:
    case HAFT__STORE_CLAIM_NEXT:
    case HAFT__STORE_RENEW:
    case HAFT__STORE_RELEASE:
    case HAFT__STORE_READ_EVENTS:
    case HAFT__STORE_FIND:
    case HAFT__STORE_LIST:
    case HAFT__STORE_THREAD_HISTORY:
    case HAFT__STORE_PREDECESSORS:
    case HAFT__STORE_SEND:
    case HAFT__STORE_RECEIVE:
    case HAFT__STORE_READ_ARTIFACT:
    case HAFT__STORE_CACHE_GET:
    case HAFT__STORE_CACHE_PUT:
    case HAFT__STORE_REMOVE:
    case HAFT__STORE_GC:
    case HAFT__STORE_DOCTOR:
    case HAFT__STORE_TRY_WRITE: return &verbs[verb];
    }
    HAFT__UNREACHABLE();
}
