/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_doctor.c - how a database is, for `haft doctor`: the facts come with one statement, and what
 * they mean is said apart from that. Tests: tests/store/pg_doctor_test.c.
 */
#include "store/pg_doctor.h"
#include "base/error.h"
#include "base/str.h"
#include "io/clock.h"
#include "store/pg_int.h"

/* A session's own synchronous_commit may have been set by our transaction: what it was before. */
#define FACTS                                                                                      \
    "SELECT current_setting('server_version'), pg_is_in_recovery()::int::bigint, "                 \
    "(SELECT version FROM haft.meta), current_user::text, "                                        \
    "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)::int::bigint, "                  \
    "coalesce((SELECT bool_and(has_table_privilege(oid, 'SELECT') "                                \
    "AND has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') "               \
    "AND has_table_privilege(oid, 'DELETE')) FROM pg_class "                                       \
    "WHERE relnamespace = 'haft'::regnamespace AND relkind IN ('r', 'p')), false)::int::bigint, "  \
    "current_setting('transaction_isolation'), "                                                   \
    "(SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'), "                      \
    "(current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean)"         \
    "::int::bigint, "                                                                              \
    "(extract(epoch FROM clock_timestamp()) * 1000)::bigint, "                                     \
    "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), "              \
    "current_setting('max_connections')::bigint"

/* ---- what the facts mean ---- */

typedef struct report {
    haft__arena *arena;
    haft__store_finding *rows;
    size_t count;
    bool full;
} report;

static void note(report *r, const char *name, haft_str value, bool good, const char *hint)
{
    r->full = r->full || value.ptr == NULL;
    r->rows[r->count++] = (haft__store_finding){name, value, good, good ? "" : hint};
}

static void note_role(report *r, const haft__pg_facts *facts)
{
    haft_str text =
        haft__arena_format(r->arena, "%.*s%s", HAFT__ARG(facts->role),
                           facts->superuser ? ", a superuser, which it need not be" : "");
    note(r, "role", text, facts->superuser || facts->rights,
         "it must own the schema haft, or be granted " HAFT__PG_GRANT);
}

/* "local" and "off" are made "on" by each of our transactions; only that the server lies to the
 * disk cannot be mended from here. */
static void note_durability(report *r, const haft__pg_facts *facts)
{
    haft_str text =
        haft__arena_format(r->arena, "synchronous_commit %.*s, fsync and full_page_writes %s",
                           HAFT__ARG(facts->synchronous_commit), facts->syncs ? "on" : "off");
    note(r, "durability", text, facts->syncs,
         "what is reported may be lost with the power: set fsync and full_page_writes to on");
}

static void note_clock(report *r, const haft__pg_facts *facts)
{
    bool ahead = facts->database_ms > facts->machine_ms;
    uint64_t apart =
        ahead ? facts->database_ms - facts->machine_ms : facts->machine_ms - facts->database_ms;
    haft_str text = haft__arena_format(r->arena, "%llu ms %s this machine's",
                                       (unsigned long long)apart, ahead ? "ahead of" : "behind");
    note(r, "clock", text, apart <= HAFT__LIMIT_STORE_SKEW_MS,
         "leases are by the database's clock and deadlines by this machine's: set both by NTP");
}

static void note_connections(report *r, const haft__pg_facts *facts)
{
    uint64_t most = facts->max_connections;
    uint64_t left = most > facts->connections ? most - facts->connections : 0;
    haft_str text =
        haft__arena_format(r->arena, "%llu of %llu used", (unsigned long long)facts->connections,
                           (unsigned long long)most);
    note(r, "connections", text, left * 10 >= most,
         "each haft process has two: raise max_connections, or put PgBouncer in between");
}

haft_status haft__pg_diagnose(const haft__pg_facts *facts, haft__arena *arena,
                              haft__store_finding rows[HAFT__PG_FINDINGS], haft_error *err)
{
    report r = {.arena = arena, .rows = rows};
    haft_str server = haft__arena_format(arena, "PostgreSQL %.*s%s", HAFT__ARG(facts->server),
                                         facts->standby ? ", a standby" : "");
    note(&r, "server", server, !facts->standby,
         "a standby takes no writes: name the primary, or several hosts with "
         "target_session_attrs=read-write");
    haft_str schema = haft__arena_format(arena, "version %llu", (unsigned long long)facts->version);
    note(&r, "schema", schema, true, ""); /* another one was refused before this */
    note_role(&r, facts);
    note(&r, "isolation", haft__arena_copy(arena, facts->isolation),
         haft__str_equal(facts->isolation, HAFT__LIT("repeatable read")),
         "something between haft and the server changes its transactions");
    note_durability(&r, facts);
    note_clock(&r, facts);
    note_connections(&r, facts);
    return r.full ? haft__arena_fail(arena, err) : HAFT_OK;
}

/* ---- the facts ---- */

static haft_status take_facts(haft__pg_job *job, haft_error *err)
{
    const size_t most = HAFT__LIMIT_STORE_NAME_BYTES;
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_of(job, 0);
    haft__pg_facts facts = {.machine_ms = haft__clock_now()};
    if (!haft__pg_row(&rows)) {
        return haft__pg_fail_damaged(job->link->pg, err, "it says nothing of itself");
    }
    facts.server = haft__pg_text(&rows, most);
    facts.standby = haft__pg_int(&rows) != 0;
    facts.version = haft__pg_int(&rows);
    facts.role = haft__pg_text(&rows, most);
    facts.superuser = haft__pg_int(&rows) != 0;
    facts.rights = haft__pg_int(&rows) != 0;
    facts.isolation = haft__pg_text(&rows, most);
    facts.synchronous_commit = haft__pg_text(&rows, most);
    facts.syncs = haft__pg_int(&rows) != 0;
    facts.database_ms = haft__pg_int(&rows);
    facts.connections = haft__pg_int(&rows);
    facts.max_connections = haft__pg_int(&rows);
    haft_status status = haft__pg_rows_end(&rows, err);
    haft__store_finding *found =
        haft__arena_array(request->arena, HAFT__PG_FINDINGS, sizeof(*found));
    if (status == HAFT_OK) {
        status = found != NULL ? haft__pg_diagnose(&facts, request->arena, found, err)
                               : haft__arena_fail(request->arena, err);
    }
    request->findings = found;
    request->finding_count = HAFT__PG_FINDINGS;
    return status;
}

haft_status haft__pg_doctor(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_ask(job, FACTS, NULL);
    job->next = take_facts;
    return HAFT_OK;
}
