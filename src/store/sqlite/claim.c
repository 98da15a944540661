/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.c - claims a run that needs an owner, in SQLite.
 *
 * It reads only rows that an index selects: running runs without an owner, runs whose deadline is
 * reached, waiting runs with messages, and runs with an owner. Runs that have ended or wait for
 * people are not read. Tests: tests/store/store_claim_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/owner.h"
#include "store/row.h"
#include "store/sqlite/sqlite_int.h"

/* The best candidate so far. */
typedef struct candidate {
    bool found;
    uint64_t since; /* the time since which it has no owner */
    size_t id_len, owner_len;
    char id[HAFT__LIMIT_STORE_NAME_BYTES], owner[HAFT__LIMIT_STORE_NAME_BYTES];
} candidate;

static void keep_longest(candidate *best, haft_str id, haft_str owner, uint64_t since)
{
    if (!best->found || since < best->since) {
        best->found = true;
        best->since = since;
        best->id_len = id.len;
        best->owner_len = owner.len;
        memcpy(best->id, id.ptr, id.len);
        memcpy(best->owner, owner.ptr, owner.len);
    }
}

/* False for a row without an id, which is skipped. Other invalid values are reported when the run
 * is claimed. */
static bool is_named(haft__sqlite_query *query, haft_str id)
{
    query->checks.invalid = false;
    return id.len > 0;
}

/* Finds the first row that is not skipped. A row has two columns: the id, and the time since which
 * the run has no owner. */
static haft_status scan_candidates(haft__sqlite_query query, const haft__store_request *request,
                                   candidate *best, haft_error *err)
{
    bool found = false;
    while (!found && haft__sqlite_query_next(&query)) {
        haft_str id = haft__sqlite_query_text(&query, sizeof(best->id));
        uint64_t since = haft__sqlite_query_int(&query);
        found = is_named(&query, id) && !haft__store_is_skipped(request, id);
        if (found) {
            keep_longest(best, id, HAFT__LIT(""), since);
        }
    }
    return haft__sqlite_query_end(&query, err);
}

/* The owner that was checked last: rows are sorted by owner. */
typedef struct known_owner {
    size_t length;
    bool dead;
    char name[HAFT__LIMIT_STORE_NAME_BYTES];
} known_owner;

static bool is_dead(known_owner *known, haft_str owner)
{
    if (!haft__str_equal(owner, (haft_str){known->name, known->length})) {
        known->length = owner.len;
        memcpy(known->name, owner.ptr, owner.len);
        known->dead = haft__owner_is_dead(owner);
    }
    return known->dead;
}

static haft_status find_orphaned(haft__sqlite_worker *worker, const haft__store_request *request,
                                 candidate *best, haft_error *err)
{
    known_owner known = {.length = 0};
    uint64_t now = haft__store_now(worker->store);
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CLAIM_ORPHANED);
    haft__sqlite_query_bind(&query, request->reclaim_own ? HAFT__LIT("") : request->run.owner);
    while (haft__sqlite_query_next(&query)) {
        haft_str id = haft__sqlite_query_text(&query, sizeof(best->id));
        uint64_t lease = haft__sqlite_query_int(&query);
        haft_str owner = haft__sqlite_query_text(&query, sizeof(known.name));
        bool own_run = haft__str_equal(owner, request->run.owner);
        bool lost = own_run || lease <= now || is_dead(&known, owner);
        if (is_named(&query, id) && lost && !haft__store_is_skipped(request, id)) {
            keep_longest(best, id, owner, lease);
        }
    }
    return haft__sqlite_query_end(&query, err);
}

static haft_status find_free(haft__sqlite_worker *worker, const haft__store_request *request,
                             candidate *best, haft_error *err)
{
    haft__sqlite_connection *connection = &worker->connection;
    haft_status status = scan_candidates(
        haft__sqlite_query_begin(connection, HAFT__SQLITE_STMT_CLAIM_FREE), request, best, err);
    if (status == HAFT_OK) {
        haft__sqlite_query wakened =
            haft__sqlite_query_begin(connection, HAFT__SQLITE_STMT_CLAIM_DUE);
        haft__sqlite_query_bind_int(&wakened, haft__store_claim_time(worker->store, request));
        status = scan_candidates(wakened, request, best, err);
    }
    return status == HAFT_OK ? scan_candidates(
               haft__sqlite_query_begin(connection, HAFT__SQLITE_STMT_CLAIM_WITH_MESSAGES), request,
               best, err)
                             : status;
}

static haft_status claim(haft__sqlite_worker *worker, haft__store_request *request,
                         const candidate *best, haft_error *err)
{
    haft__store_request one = *request;
    one.run.id = (haft_str){best->id, best->id_len};
    one.dead_owner = (haft_str){best->owner, best->owner_len};
    haft_status status = haft__sqlite_claim(worker, &one, err);
    if (status == HAFT_BAD_INPUT) {
        haft__row_report_damaged(request, one.run.id);
    }
    request->found = one.found;
    request->found_count = one.found_count;
    request->lost = best->owner_len > 0;
    return status;
}

haft_status haft__sqlite_claim_next(haft__sqlite_worker *worker, haft__store_request *request,
                                    haft_error *err)
{
    candidate best = {.found = false};
    haft_status status = request->quick ? HAFT_OK : find_orphaned(worker, request, &best, err);
    if (status == HAFT_OK && !best.found) {
        status = find_free(worker, request, &best, err);
    }
    if (status == HAFT_OK && !best.found) {
        status = haft__store_fail_nothing_to_claim(err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return claim(worker, request, &best, err);
}
