/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executor.c - the executors of glob, grep and read: searches on threads of the pool.
 *
 * Cancelling a search sets its stop flag, which the search checks often. The job's memory, which
 * contains the arguments, stays allocated until the search returns. Tests:
 * tests/exec/files/executor_test.c.
 */
#include <stdatomic.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/executor.h"
#include "exec/files/files.h"
#include "json/number.h"

typedef haft_status search_function(const haft__files_request *search, haft__buf *result,
                                    haft_error *err);

typedef struct file_search {
    haft__pool_job pooled;
    haft__exec_job *job;
    search_function *function;
    haft__files_request search;
    atomic_bool stop;
    /* Written by the thread, read after the thread is done. */
    haft__buf result;
    haft_status status;
    haft_error err;
} file_search;

static void work(haft__pool_job *pooled)
{
    file_search *search_job = HAFT__CONTAINER(pooled, file_search, pooled);
    search_job->status =
        search_job->function(&search_job->search, &search_job->result, &search_job->err);
}

static void report(file_search *search_job)
{
    haft__exec_result result = {
        .ok = true, .text = haft__buf_str(&search_job->result), .started = true};
    if (search_job->status != HAFT_OK) {
        result = (haft__exec_result){
            .text = haft__str(search_job->err.message),
            .where = haft__str(search_job->err.where),
            .hint = haft__str(search_job->err.hint),
            .started = true,
            .transient = search_job->status == HAFT_IO || search_job->status == HAFT_NO_MEMORY,
        };
    }
    haft__exec_report(search_job->job, &result);
}

static void done(haft__pool_job *pooled)
{
    file_search *search_job = HAFT__CONTAINER(pooled, file_search, pooled);
    haft__exec_job *job = search_job->job;
    bool cancelled = atomic_load(&search_job->stop);
    if (!cancelled) {
        report(search_job);
    }
    haft__buf_finish(&search_job->result);
    if (cancelled) {
        haft__exec_job_release(job);
    }
}

/* A text argument, in the job's memory; "" if missing. */
static haft_status read_text(haft__exec_job *job, const char *key, haft_str *ret_text,
                             haft_error *err)
{
    const haft__json *value = haft__json_get(job->call.arguments, haft__str(key));
    haft_str text = value != NULL ? haft__json_text(*value) : HAFT__LIT("");
    *ret_text = haft__arena_copy(&job->arena, text);
    return ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
}

/* A number argument; 0 if missing. A number that is too large becomes the largest one. */
static uint64_t read_number(const haft__exec_job *job, const char *key)
{
    const haft__json *value = haft__json_get(job->call.arguments, haft__str(key));
    int64_t number = 0;
    if (value == NULL || value->kind != HAFT__JSON_NUMBER) {
        return 0;
    }
    bool fits = haft__number_to_int64(haft__json_text(*value), &number);
    return !fits ? INT64_MAX : number > 0 ? (uint64_t)number : 0;
}

static haft_status read_within(haft__exec_job *job, haft__files_within *ret_within, haft_error *err)
{
    const haft__spec *spec = job->call.spec;
    haft_str *paths = haft__arena_array(&job->arena, spec->within_count, sizeof(*paths));
    if (paths == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    for (size_t i = 0; i < spec->within_count; i++) {
        paths[i] = haft__arena_copy(&job->arena, spec->within[i]);
        if (paths[i].ptr == NULL) {
            return haft__arena_fail(&job->arena, err);
        }
    }
    *ret_within = (haft__files_within){paths, spec->within_count};
    return HAFT_OK;
}

static haft_status read_arguments(haft__exec_job *job, haft__files_request *search, haft_error *err)
{
    const struct {
        const char *key;
        haft_str *text;
    } texts[] = {{"pattern", &search->pattern}, {"path", &search->path}, {"glob", &search->glob}};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = read_text(job, texts[i].key, texts[i].text, err);
    }
    if (status == HAFT_OK) {
        status = read_within(job, &search->within, err);
    }
    search->offset = read_number(job, "offset");
    search->limit = read_number(job, "limit");
    search->spec_path = haft__arena_copy(&job->arena, job->call.spec->path);
    search->root = haft__arena_copy(&job->arena, job->call.spec->root);
    bool copied = search->spec_path.ptr != NULL && search->root.ptr != NULL;
    return status != HAFT_OK || copied ? status : haft__arena_fail(&job->arena, err);
}

static haft_status start(haft__exec_job *job, search_function *function, haft_error *err)
{
    file_search *search_job = haft__arena_array(&job->arena, 1, sizeof(*search_job));
    if (search_job == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    search_job->pooled = (haft__pool_job){.work = work, .done = done};
    search_job->job = job;
    search_job->function = function;
    search_job->search.stop = &search_job->stop;
    haft__buf_init(&search_job->result, HAFT__FILES_RESULT_BUFFER_BYTES);
    job->state = search_job;
    haft_status status = read_arguments(job, &search_job->search, err);
    return status == HAFT_OK ? haft__pool_submit(job->exec->pool, &search_job->pooled, err)
                             : status;
}

static haft_status start_glob(haft__exec_job *job, haft_error *err)
{
    return start(job, haft__files_glob, err);
}

static haft_status start_grep(haft__exec_job *job, haft_error *err)
{
    return start(job, haft__files_grep, err);
}

static haft_status start_read(haft__exec_job *job, haft_error *err)
{
    return start(job, haft__files_read, err);
}

static bool abandon(haft__exec_job *job)
{
    file_search *search_job = job->state;
    atomic_store(&search_job->stop, true);
    if (haft__pool_cancel(job->exec->pool, &search_job->pooled)) {
        job->waiting = true;
        return false;
    }
    /* The thread may hang in a file system that does not respond. */
    (void)haft__pool_abandon(job->exec->pool, &search_job->pooled);
    return true;
}

const haft__executor haft__executor_glob = {.start = start_glob, .abandon = abandon},
                     haft__executor_grep = {.start = start_grep, .abandon = abandon},
                     haft__executor_read = {.start = start_read, .abandon = abandon};
