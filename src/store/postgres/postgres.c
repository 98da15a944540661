/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres.c - a store in PostgreSQL, for any number of processes and machines.
 *
 * Everything happens on the loop's thread; only opening and closing block. The clock is the
 * database's, so that machines with different clocks agree about leases.
 * Tests: tests/store/postgres/postgres_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/random.h"
#include "store/postgres/postgres_int.h"

/* The database's time at the start of the last transaction. Only code inside that transaction calls
 * this. */
static uint64_t database_now(void *context)
{
    return ((haft__pg *)context)->now_ms;
}

bool haft__pg_uses_database_clock(const haft__pg *pg)
{
    return pg->store.now == database_now;
}

/* ---- the URL ---- */

static haft_status fail_url(haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "the URL of the store is not a valid PostgreSQL URL");
    return haft__hint(err, status,
                      "expected postgres://USER:PASSWORD@HOST/DATABASE, as libpq parses it");
}

/* Whether the password may contain an unescaped '@' or '/'. The part after it would be parsed as
 * the host and shown in messages. */
static bool is_ambiguous(const char *url)
{
    haft_str rest = haft__str(url), path;
    size_t count = 0;
    (void)haft__str_split(&rest, ':');
    rest = haft__str_skip(rest, haft__str_starts_with(rest, HAFT__LIT("//")) ? 2 : 0);
    haft_str authority = haft__str_split(&rest, '/');
    for (; authority.len > 0; authority = haft__str_skip(authority, 1)) {
        count += *authority.ptr == '@';
    }
    path = haft__str_split(&rest, '?');
    return count > 1 || (path.len > 0 && memchr(path.ptr, '@', path.len) != NULL);
}

static haft_status fail_ambiguous(haft_error *err)
{
    haft_status status = haft__fail(
        err, HAFT_BAD_INPUT, "", "the URL of the store has an '@' that may be part of a password");
    return haft__hint(
        err, status,
        "in a user, password or database name, write @ as %%40, / as %%2F and ? as %%3F");
}

/* Parses the URL. The error messages of libpq are not shown, because they may contain the
 * password. */
static haft_status read_url(haft__pg *pg, haft_error *err)
{
    if (is_ambiguous(pg->url)) {
        return fail_ambiguous(err);
    }
    pg->options = pg->lib->conninfoParse(pg->url, NULL);
    if (pg->options == NULL) {
        return fail_url(err);
    }
    const char *password = haft__pg_conninfo_option(pg, "password");
    const char *timeout = haft__pg_conninfo_option(pg, "connect_timeout");
    unsigned named = haft__pg_host_count(haft__pg_conninfo_option(pg, "host"));
    uint64_t seconds = 0;
    pg->hosts = named > 0 ? named : haft__pg_host_count(haft__pg_conninfo_option(pg, "hostaddr"));
    haft__pg_set_display_name(pg);
    (void)snprintf(pg->password, sizeof(pg->password), "%s", password != NULL ? password : "");
    if (haft__str_to_u64(haft__str(timeout != NULL ? timeout : ""), &seconds) && seconds > 0
        && seconds < 86400) {
        pg->connect_ms = seconds * 1000; /* libpq leaves this timeout to the caller */
    }
    return HAFT_OK;
}

/* ---- the store ---- */

static void close_pg(haft__store *store)
{
    haft__pg *pg = HAFT__CONTAINER(store, haft__pg, store);
    pg->closing = true;
    haft__pg_connection_drain(&pg->reader);
    haft__pg_connection_drain(&pg->writer);
    haft__pg_connection_finish(&pg->reader);
    haft__pg_connection_finish(&pg->writer);
    haft__store_finish(store);
    if (pg->options != NULL) {
        pg->lib->conninfoFree(pg->options);
    }
    free(pg->url);
    free(pg);
}

/* Performs a job of the store itself and waits for its end. */
static haft_status perform(haft__pg *pg, haft__pg_connection *connection, haft__pg_step *start,
                           haft_error *err)
{
    haft__pg_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        return haft__fail_no_memory(err);
    }
    job->start = start;
    haft__pg_connection_add_job(connection, job);
    haft__pg_connection_drain(connection);
    if (pg->prepared != HAFT_OK && err != NULL) {
        *err = pg->prepare_error;
    }
    return pg->prepared;
}

/* Connects to the database, and creates the tables if `make_tables` is set and they do not exist.
 * If they exist, the role needs no write privilege, and the server may be read-only. */
static haft_status prepare(haft__pg *pg, bool make_tables, haft_error *err)
{
    haft_status status = perform(pg, &pg->reader, haft__pg_schema_identify, err);
    if (status == HAFT_OK && pg->tables_exist) {
        status = perform(pg, &pg->reader, haft__pg_schema_check, err);
    }
    if (status != HAFT_OK || !make_tables) {
        return status;
    }
    if (!pg->tables_exist) {
        status = perform(pg, &pg->writer, haft__pg_schema_create, err);
        pg->tables_exist = status == HAFT_OK;
    }
    return status;
}

static char *copy_url(const char *location)
{
    static const char scheme[] = "postgresql:";
    size_t size = sizeof(scheme) + strlen(location);
    char *url = malloc(size);
    if (url != NULL) {
        (void)snprintf(url, size, "%s%s", scheme, location);
    }
    return url;
}

static haft__pg *make(haft__loop *loop, const haft__libpq *lib, char *url)
{
    haft__pg *pg = calloc(1, sizeof(*pg));
    if (pg == NULL) {
        return NULL;
    }
    haft__store_init(&pg->store, &haft__store_pg, loop);
    haft__store_set_clock(&pg->store, database_now, pg);
    pg->lib = lib;
    pg->url = url;
    pg->request_ms = HAFT__LIMIT_STORE_PG_REQUEST_MS;
    pg->claim_ms = HAFT__LIMIT_STORE_BUSY_MS;
    pg->lock_ms = HAFT__LIMIT_STORE_PG_LOCK_MS;
    pg->idle_ms = HAFT__LIMIT_STORE_BUSY_MS;
    pg->connect_ms = HAFT__LIMIT_STORE_PG_CONNECT_MS;
    pg->backoff_ms = HAFT__LIMIT_STORE_PG_BACKOFF_MS;
    pg->backoff_max_ms = HAFT__LIMIT_STORE_PG_BACKOFF_MAX_MS;
    pg->random = haft__random_hash_key().k0;
    haft__pg_connection_init(&pg->writer, pg, true);
    haft__pg_connection_init(&pg->reader, pg, false);
    return pg;
}

static haft_status open_pg(haft__loop *loop, const char *location, bool make_tables,
                           haft__store **ret_store, haft_error *err)
{
    const haft__libpq *lib = NULL;
    if (!haft__str_starts_with(haft__str(location), HAFT__LIT("//"))) {
        return fail_url(err);
    }
    haft_status status = haft__libpq_load(&lib, err);
    if (status != HAFT_OK) {
        return status;
    }
    char *url = copy_url(location);
    haft__pg *pg = url != NULL ? make(loop, lib, url) : NULL;
    if (pg == NULL) {
        free(url);
        return haft__fail_no_memory(err);
    }
    status = read_url(pg, err);
    if (status == HAFT_OK) {
        status = prepare(pg, make_tables, err);
    }
    if (status != HAFT_OK) {
        close_pg(&pg->store);
        return status;
    }
    *ret_store = &pg->store;
    return HAFT_OK;
}

/* ---- requests ---- */

/* PostgreSQL's text type cannot contain NUL; columns of bytes can. */
static haft_status check_names(const haft__store_request *request, haft_error *err)
{
    const haft__store_run *run = &request->run;
    const haft_str names[] = {run->thread,    run->parent, run->user,  run->name, run->spec_hash,
                              run->spec_path, run->end,    run->owner, run->id,   request->thread};
    bool valid = true;
    for (size_t i = 0; valid && i < COUNT(names); i++) {
        valid = names[i].len == 0 || memchr(names[i].ptr, '\0', names[i].len) == NULL;
    }
    /* Checks only names that are compared as text; the key of a cached result is bytes. */
    bool text = request->verb == HAFT__STORE_FIND || request->verb == HAFT__STORE_LIST
                || request->verb == HAFT__STORE_THREAD_HISTORY;
    if (valid && text && request->name.len > 0) {
        valid = memchr(request->name.ptr, '\0', request->name.len) == NULL;
    }
    return valid ? HAFT_OK
                 : haft__fail(err, HAFT_BAD_INPUT, "",
                              "a name contains a NUL, which PostgreSQL cannot store");
}

static void answer(haft__store *store, haft__store_request *request, haft_status status)
{
    haft__store_queue answered;
    haft__store_queue_init(&answered);
    request->status = status;
    haft__store_queue_push(&answered, request);
    haft__store_complete(store, &answered);
}

static haft_status fail_empty(const haft__pg *pg, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_IO, pg->display_name, "there is no store here yet");
    return haft__hint(err, status,
                      "the first `haft run`, `haft worker` or `haft migrate` creates it");
}

/* The answers for a database without haft tables, for commands that only read. */
static haft_status answer_empty(const haft__pg *pg, haft__store_request *request)
{
    haft_error *err = &request->error;
    switch (request->verb) {
    case HAFT__STORE_CREATE:
    case HAFT__STORE_CACHE_PUT: return fail_empty(pg, err);
    case HAFT__STORE_FIND: return haft__store_fail_no_run(request->name, err);
    case HAFT__STORE_CLAIM_NEXT: return haft__store_fail_nothing_to_claim(err);
    case HAFT__STORE_CACHE_GET: return haft__store_fail_cache_miss(err);
    case HAFT__STORE_LIST:
    case HAFT__STORE_THREAD_HISTORY:
    case HAFT__STORE_RENEW:
    case HAFT__STORE_RECEIVE:
    case HAFT__STORE_GC:
    case HAFT__STORE_DOCTOR:
    case HAFT__STORE_TRY_WRITE: return HAFT_OK;
    case HAFT__STORE_APPEND:
    case HAFT__STORE_CLAIM:
    case HAFT__STORE_RELEASE:
    case HAFT__STORE_READ_EVENTS:
    case HAFT__STORE_PREDECESSORS:
    case HAFT__STORE_SEND:
    case HAFT__STORE_READ_ARTIFACT:
    case HAFT__STORE_REMOVE: return haft__store_fail_no_run(request->run.id, err);
    }
    HAFT__UNREACHABLE();
}

static void submit(haft__store *store, haft__store_request *request)
{
    haft__pg *pg = HAFT__CONTAINER(store, haft__pg, store);
    if (!pg->tables_exist && request->verb != HAFT__STORE_DOCTOR
        && request->verb != HAFT__STORE_TRY_WRITE) {
        answer(store, request, answer_empty(pg, request));
        return;
    }
    haft__pg_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        answer(store, request, haft__fail_no_memory(&request->error));
        return;
    }
    const haft__pg_verb *verb = haft__pg_verb_of(request->verb);
    job->request = request;
    job->start = verb->start;
    job->status = haft__store_check(request, &job->error);
    if (job->status == HAFT_OK) {
        job->status = check_names(request, &job->error);
    }
    job->finished = job->status != HAFT_OK; /* reported in order with the others */
    /* A process that cannot read must not claim runs, because it reads a claimed run next. */
    job->probes_reader =
        request->verb == HAFT__STORE_CLAIM_NEXT && pg->reader.phase < HAFT__PG_IDLE;
    job->start = job->probes_reader ? haft__pg_probe_reader : job->start;
    haft__pg_connection_add_job(verb->writes && !job->probes_reader ? &pg->writer : &pg->reader,
                                job);
}

static void set_timeout(haft__store *store, uint64_t ms)
{
    haft__pg *pg = HAFT__CONTAINER(store, haft__pg, store);
    pg->request_ms = ms < pg->request_ms ? ms : pg->request_ms;
    haft__pg_connection_limit_time(&pg->writer);
    haft__pg_connection_limit_time(&pg->reader);
}

const haft__store_backend haft__store_pg = {open_pg, submit, close_pg, set_timeout, true};
