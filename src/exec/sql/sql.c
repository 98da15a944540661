/* SPDX-License-Identifier: Apache-2.0 */
/* sql.c - selects the engine of a database, and adds position and hint to its errors. Tests:
 * tests/exec/sql/sqlite_test.c. */
#include "exec/sql/sql.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/sql/sql_int.h"

/* ---- stopping ---- */

void haft__sql_stop_request(haft__sql_stop *stop)
{
    (void)pthread_mutex_lock(&stop->lock);
    atomic_store(&stop->requested, true);
    if (stop->interrupt != NULL) {
        stop->interrupt(stop->handle);
    }
    (void)pthread_mutex_unlock(&stop->lock);
}

void haft__sql_set_interrupt(const haft__sql_request *request, void (*interrupt)(void *handle),
                             void *handle)
{
    haft__sql_stop *stop = request->stop;
    if (stop == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&stop->lock);
    stop->interrupt = interrupt;
    stop->handle = handle;
    if (interrupt != NULL && atomic_load(&stop->requested)) {
        interrupt(handle);
    }
    (void)pthread_mutex_unlock(&stop->lock);
}

/* ---- errors ---- */

haft_status haft__sql_fail_stopped(haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "the query was stopped");
}

haft_status haft__sql_fail_timeout(const haft__sql_request *request, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_TOO_BIG, "/query", "the query took longer than the timeout of %llu ms",
                   (unsigned long long)request->database->timeout_ms);
    return haft__hint(err, status,
                      "select fewer rows, join on keys, or aggregate; `timeout` of the database in "
                      "the spec sets the time");
}

haft_status haft__sql_fail_writes(const char *what, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/query",
                   "expected a statement that only reads, found one that is not allowed: %s", what);
    return haft__hint(err, status, "write one SELECT, WITH ... SELECT or VALUES");
}

haft_status haft__sql_fail_several(haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/query", "expected one statement, found more than one");
    return haft__hint(err, status, "call the tool once for each statement");
}

haft_status haft__sql_fail_empty(haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, "/query", "expected a statement, found none");
}

haft_status haft__sql_fail_parameter_count(uint32_t given, uint64_t wanted, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, "/parameters",
                      "expected %llu value%s, one for each placeholder of the query, found %u",
                      (unsigned long long)wanted, wanted == 1 ? "" : "s", given);
}

/* ---- requests ---- */

static haft_status find_engine(const haft__sql_request *request,
                               const haft__sql_engine **ret_engine, haft_str *ret_place,
                               haft_error *err)
{
    haft__database_engine engine;
    haft_status status = haft__database_read_url(request->url, &engine, ret_place, err);
    if (status != HAFT_OK) {
        return status;
    }
    switch (engine) {
    case HAFT__DATABASE_SQLITE: *ret_engine = &haft__sql_sqlite; return HAFT_OK;
    case HAFT__DATABASE_POSTGRES: *ret_engine = &haft__sql_pg; return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__sql_read_catalog(const haft__sql_request *request, haft__arena *arena,
                                   haft__catalog *ret_catalog, haft_error *err)
{
    const haft__sql_engine *engine = &haft__sql_sqlite;
    haft_str place;
    haft_status status = find_engine(request, &engine, &place, err);
    return status == HAFT_OK ? engine->read_catalog(request, place, arena, ret_catalog, err)
                             : status;
}

haft_status haft__sql_read_version(const haft__sql_request *request,
                                   char ret_version[HAFT__SQL_VERSION_BYTES], haft_error *err)
{
    const haft__sql_engine *engine = &haft__sql_sqlite;
    haft_str place;
    haft_status status = find_engine(request, &engine, &place, err);
    return status == HAFT_OK ? engine->read_version(request, place, ret_version, err) : status;
}

haft_status haft__sql_find_risk(const haft__sql_request *request,
                                char ret_risk[HAFT__SQL_RISK_BYTES], haft_error *err)
{
    const haft__sql_engine *engine = &haft__sql_sqlite;
    haft_str place;
    ret_risk[0] = '\0';
    haft_status status = find_engine(request, &engine, &place, err);
    return status == HAFT_OK && engine->find_risk != NULL
               ? engine->find_risk(request, place, ret_risk, err)
               : status;
}

/* SQL has names in double quotes, many languages have texts in them. */
static void hint_quotes(const haft__sql_request *request, uint64_t position, haft_error *err)
{
    haft_str rest = haft__str_skip(request->query, position > 0 ? position - 1 : 0);
    bool column = haft__str_starts_with(haft__str(err->message), HAFT__LIT("no such column"))
                  || haft__str_starts_with(haft__str(err->message), HAFT__LIT("column "));
    if (position > 0 && column && haft__str_starts_with(rest, HAFT__LIT("\""))) {
        rest = haft__str_skip(rest, 1);
        haft_str text = haft__str_split(&rest, '"');
        (void)haft__hint(err, err->status, "write a text in single quotes: '%.*s'",
                         HAFT__ARG(text));
    }
}

/* Adds the nearest known name, and the place in the query. */
static void explain(const haft__sql_request *request, uint64_t position, haft_error *err)
{
    haft__arena arena;
    haft__catalog catalog;
    haft__arena_init(&arena, HAFT__LIMIT_SQL_CATALOG_BYTES);
    hint_quotes(request, position, err);
    if (err->hint[0] == '\0'
        && haft__sql_read_catalog(request, &arena, &catalog, NULL) == HAFT_OK) {
        haft__catalog_hint(&catalog, err);
    }
    haft__arena_finish(&arena);
    if (position > 0) {
        char place[64];
        size_t length = (size_t)snprintf(place, sizeof(place), " (at character %llu)",
                                         (unsigned long long)position);
        size_t max = sizeof(err->message) - 1 - length;
        haft_str message = haft__str(err->message);
        size_t kept = message.len > max ? haft__utf8_floor(message, max) : message.len;
        memcpy(err->message + kept, place, length + 1);
    }
}

haft_status haft__sql_query(const haft__sql_request *request, haft__rows *rows, haft_error *err)
{
    const haft__sql_engine *engine = &haft__sql_sqlite;
    haft_error failed = {.status = HAFT_OK};
    haft_str place;
    uint64_t position = 0;
    haft_status status = find_engine(request, &engine, &place, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (request->query.len > HAFT__LIMIT_SQL_QUERY_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "/query",
                          "the query is longer than the limit of %d bytes",
                          HAFT__LIMIT_SQL_QUERY_BYTES);
    }
    status = engine->query(request, place, rows, &position, &failed);
    if (status == HAFT_BAD_INPUT && strcmp(failed.where, "/query") == 0) {
        explain(request, position, &failed);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = failed;
    }
    return status;
}
