/* SPDX-License-Identifier: Apache-2.0 */
/* exec/sql/pg_int.h - a session of PostgreSQL for one query. Private to its folder. */
#ifndef HAFT_EXEC_SQL_PG_INT_H
#define HAFT_EXEC_SQL_PG_INT_H

#include "exec/sql/sql_int.h"
#include "io/libpq.h"

typedef struct haft__pg_session {
    const haft__libpq *lib;
    PGconn *conn; /* NULL: not connected */
    const haft__sql_request *request;
    uint64_t deadline_ms; /* on the monotonic clock */
    uint64_t received;    /* bytes, about */
} haft__pg_session;

/* A parameter: its text, or NULL. */
typedef struct haft__pg_values {
    const char *const *texts;
    int count;
} haft__pg_values;

/* Connects, begins a read-only transaction with the timeouts of the database, and checks the role.
 * The caller calls haft__pg_session_close in any case, which ends the transaction. */
HAFT_MUST_USE haft_status haft__pg_session_open(haft__pg_session *session,
                                                const haft__sql_request *request, haft_str url,
                                                haft_error *err);
void haft__pg_session_close(haft__pg_session *session);

/* Runs one statement by the extended protocol, which takes no second one, and waits for its result;
 * the caller clears it. At the deadline or when the request is stopped, cancels the statement at
 * the server. `ret_position` may be NULL. */
HAFT_MUST_USE haft_status haft__pg_session_run(haft__pg_session *session, const char *sql,
                                               const haft__pg_values *values, PGresult **ret_result,
                                               uint64_t *ret_position, haft_error *err);

/* A value of a result; empty for NULL. */
haft_str haft__pg_text(const haft__pg_session *session, const PGresult *result, int row,
                       int column);

/* ---- pg_catalog.c ---- */

HAFT_MUST_USE haft_status haft__pg_read_catalog(const haft__sql_request *request, haft_str place,
                                                haft__arena *arena, haft__catalog *ret_catalog,
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__pg_read_version(const haft__sql_request *request, haft_str place,
                                                char ret_version[HAFT__SQL_VERSION_BYTES],
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__pg_find_risk(const haft__sql_request *request, haft_str place,
                                             char ret_risk[HAFT__SQL_RISK_BYTES], haft_error *err);

#endif
