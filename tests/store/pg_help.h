/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_help.h - a database of PostgreSQL for the tests of one process, in the cluster that
 * scripts/run-tests has started, and what is done to it behind the store's back.
 */
#ifndef HAFT_TESTS_PG_HELP_H
#define HAFT_TESTS_PG_HELP_H

#include "store/postgres/postgres_int.h"
#include "store/store_help.h"

/* The URL of this process's database, which is made the first time; NULL, and the test is marked as
 * skipped, when there is no server. */
const char *help_pg_url(void);

/* A store in it, empty; false, and the test is marked as skipped, when there is none. */
bool help_pg_open(help_store *s);

/* Empties it: there is no schema of ours any more. */
void help_pg_clear(void);

/* Runs SQL on it; the first value of the last result, or "". Lives until the test ends. */
const char *help_pg_sql(const char *sql);

/* The same on the maintenance database; false when it failed. */
bool help_pg_admin(const char *sql);

/* How many pages a statement reads: "(types) AS ...", "EXECUTE q (...)". */
int help_pg_pages(const char *prepare, const char *execute);

/* A session beside the store, which may keep what it has locked. */
typedef struct help_session {
    const haft__libpq *lib;
    PGconn *conn;
} help_session;

void help_session_open(help_session *other);
void help_session_close(help_session *other);

/* Sends a statement; whether its answer has not come yet; waits for it. */
void help_session_send(help_session *other, const char *sql);
bool help_session_busy(help_session *other);
void help_session_finish(help_session *other);
void help_session_do(help_session *other, const char *sql); /* all of them */

static inline haft__pg *help_pg(help_store *s)
{
    return HAFT__CONTAINER(s->store, haft__pg, store);
}

/* Nothing fails because this machine or the server is slow. */
static inline void help_pg_be_patient(help_store *s)
{
    haft__pg *pg = help_pg(s);
    pg->request_ms = pg->claim_ms = pg->lock_ms = pg->idle_ms = 300000;
}

#endif
