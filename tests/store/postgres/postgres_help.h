/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_help.h - a PostgreSQL database for the tests of one process, in the cluster that
 * scripts/run-tests started, and SQL that bypasses the store. */
#ifndef HAFT_TESTS_PG_HELP_H
#define HAFT_TESTS_PG_HELP_H

#include "store/postgres/postgres_int.h"
#include "store/store_help.h"

/* The URL of this process's database; the first call creates it. Without a server: NULL, and the
 * test is marked as skipped. */
const char *help_pg_url(void);

/* Opens an empty store in it. Without a server: false, and the test is marked as skipped. */
bool help_pg_open(help_store *s);

/* Drops haft's schema. */
void help_pg_clear(void);

/* Runs SQL on it. Returns the first value of the last result, or ""; valid until the test ends. */
const char *help_pg_sql(const char *sql);

/* The same on the maintenance database; false on failure. */
bool help_pg_admin(const char *sql);

/* The number of pages that a statement reads: "(types) AS ...", "EXECUTE q (...)". */
int help_pg_pages(const char *prepare, const char *execute);

/* A second session, which may keep its locks. */
typedef struct help_session {
    const haft__libpq *lib;
    PGconn *conn;
} help_session;

void help_session_open(help_session *other);
void help_session_close(help_session *other);

/* Sends a statement; reports whether its result is still outstanding; waits for the result. */
void help_session_send(help_session *other, const char *sql);
bool help_session_busy(help_session *other);
void help_session_finish(help_session *other);
void help_session_do(help_session *other, const char *sql); /* sends it and waits for its result */

static inline haft__pg *help_pg(help_store *s)
{
    return HAFT__CONTAINER(s->store, haft__pg, store);
}

/* Raises the timeouts, so that no test fails because this machine or the server is slow. */
static inline void help_pg_be_patient(help_store *s)
{
    haft__pg *pg = help_pg(s);
    pg->request_ms = pg->claim_ms = pg->lock_ms = pg->idle_ms = 300000;
}

#endif
