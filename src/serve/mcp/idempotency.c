/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idempotency.c - idempotency keys of clients: a tool receives the key; for the agent it identifies
 * one run, no matter how often the client repeats the request.
 *
 * The run of a key is the first of a thread whose id is derived from the key and the agent's name,
 * so every server of the same store finds it, wherever its spec file is. A run that was found must
 * match the request: the same task and the same spec. Tests: tests/cli/mcp_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "engine/run.h"
#include "mcp/version.h"
#include "serve/mcp/access.h"
#include "serve/mcp/spec_int.h"
#include "json/number.h"

/* ---- keys of clients ---- */

/* A member of `_meta`; NULL if missing. */
static const haft__json *meta_of(const haft__mcp_spec_job *job, const char *name)
{
    const haft__json *meta = haft__json_get(job->request->params, HAFT__LIT("_meta"));
    return meta != NULL ? haft__json_get(*meta, haft__str(name)) : NULL;
}

haft_status haft__mcp_idempotency_read_key(haft__mcp_spec_job *job, haft_error *err)
{
    const haft__json *key = meta_of(job, HAFT__MCP_META_KEY);
    const haft__json *epoch = meta_of(job, HAFT__MCP_META_EPOCH);
    int64_t number = 0;
    if (key != NULL
        && (key->kind != HAFT__JSON_STRING
            || !haft__mcp_access_accepts_key(haft__json_text(*key)))) {
        return haft__fail(
            err, HAFT_BAD_INPUT, "",
            "expected a key of 1 to %d visible ASCII characters in \"" HAFT__MCP_META_KEY
            "\" that does not begin with " HAFT__MCP_GENERATED_KEY_PREFIX "; the tool did not run",
            HAFT__LIMIT_MCP_KEY_BYTES);
    }
    if (epoch != NULL
        && (epoch->kind != HAFT__JSON_NUMBER
            || !haft__number_to_int64(haft__json_text(*epoch), &number) || number < 1)) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a whole number of at least 1 in \"" HAFT__MCP_META_EPOCH
                          "\"; the tool did not run");
    }
    job->epoch = (uint64_t)number;
    job->key = key != NULL ? haft__arena_copy(&job->arena, haft__json_text(*key)) : HAFT__LIT("");
    return job->key.ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
}

/* ---- the run of a key ---- */

/* A store query. The job may be freed while the query is open; the query itself must not. */
struct haft__mcp_run_lookup {
    haft__store_request request;
    haft__arena arena;
    haft_runtime *runtime;
    haft__mcp_spec_job *job; /* NULL: the job is gone */
};

static void make_thread(const haft__mcp_spec_job *job, char thread[HAFT__ID_LENGTH + 1])
{
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256 hash;
    uint64_t ms = 0;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, job->entry->name);
    haft__sha256_add(&hash, HAFT__LIT("\n"));
    haft__sha256_add(&hash, job->key);
    if (!haft__str_equal(job->user, HAFT__LIT("mcp"))) { /* users do not share keys */
        haft__sha256_add(&hash, HAFT__LIT("\n"));
        haft__sha256_add(&hash, job->user);
    }
    haft__sha256_end(&hash, digest);
    for (size_t i = 0; i < 6; i++) { /* the timestamp part of other ids */
        ms = ms << 8 | digest[i];
    }
    haft__id_make(ms, digest + 6, thread);
}

static haft_status start(haft__mcp_spec_job *job, haft_error *err)
{
    char thread[HAFT__ID_LENGTH + 1];
    make_thread(job, thread);
    haft_status status = haft__mcp_run_start(job, thread, err);
    if (status == HAFT_OK) {
        job->run->queue.exclusive = true; /* another server may start it at the same time */
    }
    return status;
}

/* Another request of this process that owns the run; NULL if none. */
static haft__mcp_spec_job *find_owner(const haft__mcp_spec_job *job, haft_str run)
{
    for (haft__mcp_spec_job *other = job->spec_server->jobs; other != NULL; other = other->next) {
        bool opened = haft__str_equal(haft__str(other->opened), run); /* or will open it soon */
        if (other != job && other->run != NULL
            && (opened || haft__str_equal(haft__str(haft_run_id(other->run)), run))) {
            return other;
        }
    }
    return NULL;
}

haft_status haft__mcp_idempotency_resume(haft__mcp_spec_job *job, haft_error *err)
{
    haft__mcp_spec_job *other = find_owner(job, haft__str(job->blocking_run));
    if (other != NULL && other->request != NULL) {
        return HAFT_OK; /* until that request is answered */
    }
    haft_status status = HAFT_OK;
    if (other != NULL) {
        job->run = other->run;
        other->run = NULL;
        haft__mcp_spec_job_destroy(other);
    } else {
        status = haft__run_open_by_name(job->spec_server->options.runtime,
                                        haft__str(job->blocking_run), false, &job->run, err);
    }
    memcpy(job->opened, job->blocking_run, sizeof(job->opened));
    job->blocking_run[0] = '\0';
    return status;
}

bool haft__mcp_idempotency_transfer(haft__mcp_spec_job *job)
{
    for (haft__mcp_spec_job *other = job->spec_server->jobs; job->key.len > 0 && other != NULL;
         other = other->next) {
        bool waits = other->entry == job->entry && other->run == NULL;
        if (waits && haft__str_equal(other->key, job->key)
            && haft__str_equal(other->task, job->task)) {
            haft__mcp_idempotency_cancel(other);
            other->run = job->run;
            job->run = NULL;
            return true;
        }
    }
    return false;
}

static haft_status refuse(haft_str run, const char *what, const char *hint, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "the key in \"" HAFT__MCP_META_KEY
                                    "\" belongs to the run %.*s, which %s; nothing was started",
                                    HAFT__ARG(run), what);
    return haft__hint(err, status, "%s", hint);
}

/* The oldest run of the thread is the run of the key. Its task is stored redacted. */
static haft_status use_lookup_result(haft__mcp_spec_job *job, const haft__store_request *found,
                                     haft_error *err)
{
    if (found->status != HAFT_OK) {
        *err = found->error;
        return found->status;
    }
    if (found->found_count == 0) {
        return start(job, err);
    }
    const haft__store_run *first = &found->found[found->found_count - 1];
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    bool good = haft__mcp_spec_redact(job->spec_server, job->task, &clean);
    bool same = good && haft__str_equal(haft__buf_str(&clean), first->task);
    haft__buf_finish(&clean);
    if (!good) {
        return haft__fail_no_memory(err);
    }
    if (!same) {
        return refuse(first->id, "has another task", "use another key for another call", err);
    }
    if (!haft__str_equal(first->spec_hash, job->spec_server->options.spec->hash)) {
        return refuse(first->id, "has another spec, or an earlier version of this one",
                      "`haft runs show` shows that run; use another key for a new run", err);
    }
    (void)snprintf(job->blocking_run, sizeof(job->blocking_run), "%.*s", HAFT__ARG(first->id));
    return haft__mcp_idempotency_resume(job, err);
}

static void on_found(haft__store_request *request)
{
    haft__mcp_run_lookup *lookup = request->context;
    haft__mcp_spec_job *job = lookup->job;
    haft_error err = {0};
    lookup->runtime->cache_requests--;
    if (job != NULL) {
        job->lookup = NULL;
        if (use_lookup_result(job, request, &err) != HAFT_OK) {
            haft__mcp_run_fail(job, &err);
        }
    }
    haft__arena_finish(&lookup->arena);
    free(lookup);
}

haft_status haft__mcp_idempotency_begin(haft__mcp_spec_job *job, haft_error *err)
{
    haft__mcp_run_lookup *lookup = calloc(1, sizeof(*lookup));
    if (lookup == NULL) {
        return haft__fail_no_memory(err);
    }
    char thread[HAFT__ID_LENGTH + 1];
    make_thread(job, thread);
    haft__arena_init(&lookup->arena, HAFT__LIMIT_RUN_BYTES);
    haft_str kept = haft__arena_copy(&lookup->arena, haft__str(thread));
    if (kept.ptr == NULL) {
        haft_status status = haft__arena_fail(&lookup->arena, err);
        haft__arena_finish(&lookup->arena);
        free(lookup);
        return status;
    }
    lookup->job = job;
    lookup->runtime = job->spec_server->options.runtime;
    lookup->request = (haft__store_request){.verb = HAFT__STORE_LIST,
                                            .thread = kept,
                                            .name = HAFT__LIT(""),
                                            .arena = &lookup->arena,
                                            .done = on_found,
                                            .context = lookup};
    job->lookup = lookup;
    lookup->runtime->cache_requests++;
    haft__store_submit(lookup->runtime->store, &lookup->request);
    return HAFT_OK;
}

void haft__mcp_idempotency_cancel(haft__mcp_spec_job *job)
{
    job->blocking_run[0] = '\0';
    if (job->lookup != NULL) {
        job->lookup->job = NULL;
        job->lookup = NULL;
    }
}
