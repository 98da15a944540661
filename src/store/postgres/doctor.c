/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - the checks of `haft doctor` for PostgreSQL. One statement collects the facts; a
 * separate function interprets them. Tests: tests/store/postgres/doctor_test.c.
 */
#include "store/postgres/doctor.h"
#include "base/error.h"
#include "base/str.h"
#include "io/clock.h"
#include "store/postgres/postgres_int.h"

/* $1 is the time when the statement is sent; the statement returns it unchanged. haft's own
 * transaction may have changed synchronous_commit, so the statement reads `reset_val`, the value at
 * the start of the session. A role without special privileges cannot count the sessions of other
 * roles in pg_stat_activity, so the statement counts connections with pg_stat_database. */
#define FACTS                                                                                      \
    "SELECT current_setting('server_version'), pg_is_in_recovery()::int::bigint, "                 \
    "current_user::text, "                                                                         \
    "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)::int::bigint, "                  \
    "coalesce((SELECT bool_and(has_table_privilege(oid, 'SELECT') "                                \
    "AND has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') "               \
    "AND has_table_privilege(oid, 'DELETE')) FROM pg_class "                                       \
    "WHERE relnamespace = to_regnamespace('haft') AND relkind IN ('r', 'p') AND NOT "              \
    "relispartition), false)"                                                                      \
    "::int::bigint, "                                                                              \
    "current_setting('transaction_isolation'), "                                                   \
    "(SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'), "                      \
    "(current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean)"         \
    "::int::bigint, "                                                                              \
    "(extract(epoch FROM clock_timestamp()) * 1000)::bigint, $1::bigint, "                         \
    "(SELECT coalesce(sum(numbackends), 0)::bigint FROM pg_stat_database), "                       \
    "current_setting('max_connections')::bigint "                                                  \
    "- current_setting('superuser_reserved_connections')::bigint, "                                \
    "(SELECT numbackends::bigint FROM pg_stat_database WHERE datname = current_database()), "      \
    "(SELECT nullif(datconnlimit, -1)::bigint FROM pg_database "                                   \
    "WHERE datname = current_database()), "                                                        \
    "(SELECT count(*) FROM pg_stat_activity WHERE usename = current_user), "                       \
    "(SELECT nullif(rolconnlimit, -1)::bigint FROM pg_roles WHERE rolname = current_user)"

#define TABLES                                                                                     \
    "SELECT coalesce(max(version), 0)::bigint, count(*), "                                         \
    "(SELECT count(*) FROM haft.runs r WHERE NOT EXISTS "                                          \
    "(SELECT 1 FROM haft.about a WHERE a.run = r.id)) FROM haft.meta"

/* ---- interpretation ---- */

typedef struct report {
    haft__arena *arena;
    haft__store_finding *rows;
    size_t count;
    bool out_of_memory;
} report;

/* Adds a finding; the hint is shown only if the finding is not good. */
static void note(report *r, const char *name, haft_str value, bool good, const char *hint)
{
    r->out_of_memory = r->out_of_memory || value.ptr == NULL;
    r->rows[r->count++] = (haft__store_finding){name, value, good, good ? "" : hint};
}

static void note_role(report *r, const haft__pg_facts *facts)
{
    haft_str text = haft__arena_format(r->arena, "%.*s%s", HAFT__ARG(facts->role),
                                       facts->superuser ? ", a superuser (not needed)" : "");
    note(r, "role", text, facts->superuser || facts->has_privileges || !facts->tables_exist,
         "the role must own the schema haft, or be granted " HAFT__PG_GRANT);
}

/* The value of synchronous_commit is not a problem: each of haft's transactions replaces "local"
 * and "off" by "on". But haft cannot make a server sync to disk if fsync is off. */
static void note_durability(report *r, const haft__pg_facts *facts)
{
    haft_str text =
        haft__arena_format(r->arena, "synchronous_commit %.*s, fsync and full_page_writes %s",
                           HAFT__ARG(facts->synchronous_commit), facts->fsync_on ? "on" : "off");
    note(r, "durability", text, facts->fsync_on,
         "a power failure can lose committed data: set fsync and full_page_writes to on");
}

static void note_clock(report *r, const haft__pg_facts *facts)
{
    /* The database probably read its clock in the middle of the round trip. */
    uint64_t machine_ms = facts->requested_ms + (facts->received_ms - facts->requested_ms) / 2;
    bool ahead = facts->database_ms > machine_ms;
    uint64_t difference = ahead ? facts->database_ms - machine_ms : machine_ms - facts->database_ms;
    haft_str text =
        haft__arena_format(r->arena, "%llu ms %s this machine's", (unsigned long long)difference,
                           ahead ? "ahead of" : "behind");
    note(r, "clock", text, difference <= HAFT__LIMIT_STORE_SKEW_MS,
         "leases use the database's clock and deadlines this machine's: synchronize both with NTP");
}

/* The number of connections that a limit still allows. */
static uint64_t remaining(const haft__pg_facts *facts, size_t limit)
{
    uint64_t used = facts->connections[limit].used, max = facts->connections[limit].max;
    return max == 0 ? UINT64_MAX : max > used ? max - used : 0;
}

/* Reports the limit with the fewest connections left; good if at least a tenth is left. */
static void note_connections(report *r, const haft__pg_facts *facts)
{
    static const char *const scopes[HAFT__PG_CONNECTION_LIMITS] = {"", " in this database",
                                                                   " by this role"};
    static const char *const hints[HAFT__PG_CONNECTION_LIMITS] = {
        "each haft process uses two: raise max_connections, or use PgBouncer",
        "each haft process uses two: ALTER DATABASE ... CONNECTION LIMIT, or use PgBouncer",
        "each haft process uses two: ALTER ROLE ... CONNECTION LIMIT, or use PgBouncer"};
    size_t min = 0;
    for (size_t i = 1; i < HAFT__PG_CONNECTION_LIMITS; i++) {
        min = remaining(facts, i) < remaining(facts, min) ? i : min;
    }
    uint64_t used = facts->connections[min].used, max = facts->connections[min].max;
    haft_str text = haft__arena_format(r->arena, "%llu of %llu used%s", (unsigned long long)used,
                                       (unsigned long long)max, scopes[min]);
    note(r, "connections", text, remaining(facts, min) * 10 >= max, hints[min]);
}

static void note_schema(report *r, const haft__pg_facts *facts)
{
    haft_str text = HAFT__LIT("none yet; the first run creates it");
    if (facts->tables_exist) { /* the version is supported: with another one the doctor does not run
                                */
        text = haft__arena_format(r->arena, "version %llu%s", (unsigned long long)facts->version,
                                  facts->versions == 1 ? "" : ", but haft.meta has several rows");
    }
    note(r, "schema", text, !facts->tables_exist || facts->versions == 1,
         "delete all rows of haft.meta except one");
}

static void note_runs(report *r, const haft__pg_facts *facts)
{
    haft_str text = HAFT__LIT("all complete");
    if (facts->incomplete_runs > 0) {
        text = haft__arena_format(r->arena, "%llu damaged: a part is missing",
                                  (unsigned long long)facts->incomplete_runs);
    }
    note(r, "runs", text, facts->incomplete_runs == 0,
         "`haft runs list` marks them as damaged: restore them from a backup, or remove them with "
         "`haft runs rm`");
}

haft_status haft__pg_doctor_findings(const haft__pg_facts *facts, haft__arena *arena,
                                     haft__store_finding rows[HAFT__PG_FINDINGS], haft_error *err)
{
    report r = {.arena = arena, .rows = rows};
    haft_str server = haft__arena_format(arena, "PostgreSQL %.*s%s", HAFT__ARG(facts->server),
                                         facts->standby ? ", a standby" : "");
    note(&r, "server", server, !facts->standby,
         "a standby is read-only: name the primary, or several hosts with "
         "target_session_attrs=read-write");
    note_schema(&r, facts);
    note_runs(&r, facts);
    note_role(&r, facts);
    note(&r, "isolation", haft__arena_copy(arena, facts->isolation),
         haft__str_equal(facts->isolation, HAFT__LIT("repeatable read")),
         "a proxy between haft and the server changes the transactions");
    note_durability(&r, facts);
    note_clock(&r, facts);
    note_connections(&r, facts);
    return r.out_of_memory ? haft__arena_fail(arena, err) : HAFT_OK;
}

/* ---- the facts ---- */

/* The column is NULL if the role or the database has no limit; the result is then 0. */
static uint64_t read_connection_limit(haft__pg_rows *rows)
{
    return haft__pg_rows_is_null(rows) ? 0 : haft__pg_rows_int(rows);
}

static haft_status read_tables(const haft__pg_job *job, haft__pg_facts *facts, haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 1);
    facts->tables_exist = true;
    if (haft__pg_rows_next(&rows)) {
        facts->version = haft__pg_rows_int(&rows);
        facts->versions = haft__pg_rows_int(&rows);
        facts->incomplete_runs = haft__pg_rows_int(&rows);
    }
    return haft__pg_rows_end(&rows, err);
}

static haft_status read_facts(haft__pg_job *job, haft_error *err)
{
    const size_t max_bytes = HAFT__LIMIT_STORE_NAME_BYTES;
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    haft__pg_facts facts = {.received_ms = haft__clock_now()};
    if (!haft__pg_rows_next(&rows)) {
        return haft__pg_fail_damaged(job->connection->pg, err,
                                     "the query about the server returned no row");
    }
    facts.server = haft__pg_rows_text(&rows, max_bytes);
    facts.standby = haft__pg_rows_int(&rows) != 0;
    facts.role = haft__pg_rows_text(&rows, max_bytes);
    facts.superuser = haft__pg_rows_int(&rows) != 0;
    facts.has_privileges = haft__pg_rows_int(&rows) != 0;
    facts.isolation = haft__pg_rows_text(&rows, max_bytes);
    facts.synchronous_commit = haft__pg_rows_text(&rows, max_bytes);
    facts.fsync_on = haft__pg_rows_int(&rows) != 0;
    facts.database_ms = haft__pg_rows_int(&rows);
    facts.requested_ms = haft__pg_rows_int(&rows);
    for (size_t i = 0; i < HAFT__PG_CONNECTION_LIMITS; i++) {
        facts.connections[i].used = haft__pg_rows_int(&rows);
        facts.connections[i].max = read_connection_limit(&rows);
    }
    haft_status status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK && job->connection->pg->tables_exist) {
        status = read_tables(job, &facts, err);
    }
    haft__store_finding *found =
        haft__arena_array(request->arena, HAFT__PG_FINDINGS, sizeof(*found));
    if (status == HAFT_OK) {
        status = found != NULL ? haft__pg_doctor_findings(&facts, request->arena, found, err)
                               : haft__arena_fail(request->arena, err);
    }
    request->findings = found;
    request->finding_count = HAFT__PG_FINDINGS;
    return status;
}

haft_status haft__pg_doctor(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_arg_int(&args, haft__clock_now());
    haft__pg_job_query(job, FACTS, &args);
    if (job->connection->pg->tables_exist) {
        haft__pg_job_query(job, TABLES, NULL);
    }
    job->next = read_facts;
    return HAFT_OK;
}

/* Tests whether the store can be written. If the tables do not exist yet, the beginning of a write
 * transaction is the whole test: it already fails on a standby. */
haft_status haft__pg_try_write(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_job_query(job, job->connection->pg->tables_exist ? HAFT__PG_LOCK_META : "SELECT 1",
                       NULL);
    return HAFT_OK;
}
