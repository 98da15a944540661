/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_session.c - a session of PostgreSQL for one query: connecting, running a statement up to the
 * deadline, errors. Each query has its own session, so nothing that a query sets or locks survives
 * it. Tests: tests/exec/sql/pg_test.c.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sql/pg_int.h"
#include "io/clock.h"

/* The longest wait between two checks of a stop request. */
#define TICK_MS 20U

/* ---- errors ---- */

static haft_status fail_connection(const haft__pg_session *session, haft_error *err)
{
    haft_str text = haft__str_trim(haft__str(session->lib->errorMessage(session->conn)));
    haft_str line = haft__str_split(&text, '\n');
    return haft__fail(err, HAFT_IO, "", "PostgreSQL: %.*s",
                      HAFT__ARG(line.len > 0 ? line : HAFT__LIT("the connection was lost")));
}

static haft_str field(const haft__pg_session *session, const PGresult *result, int code)
{
    const char *text = session->lib->resultErrorField(result, code);
    return haft__str(text != NULL ? text : "");
}

static bool is_class(haft_str state, const char *class)
{
    return haft__str_starts_with(state, haft__str(class));
}

/* An error that says nothing about the query. */
static bool concerns_server(haft_str state)
{
    return is_class(state, "08") || is_class(state, "53") || is_class(state, "57P")
           || is_class(state, "58") || is_class(state, "XX");
}

/* Statements that DECLARE CURSOR does not take are errors of syntax for the server. */
static haft_status fail_syntax(haft_str message, haft_error *err)
{
    if (haft__str_contains_ignore_case(message, HAFT__LIT("multiple commands"))) {
        return haft__sql_fail_several(err);
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/query", "%.*s", HAFT__ARG(message));
    return haft__hint(err, status, "write one SELECT, WITH ... SELECT or VALUES");
}

static haft_status fail_result(const haft__pg_session *session, const PGresult *result,
                               uint64_t *ret_position, haft_error *err)
{
    haft_str state = field(session, result, PG_DIAG_SQLSTATE);
    haft_str message = field(session, result, PG_DIAG_MESSAGE_PRIMARY);
    haft_str hint = field(session, result, PG_DIAG_MESSAGE_HINT);
    haft_str position = field(session, result, PG_DIAG_STATEMENT_POSITION);
    if (message.len == 0 || state.len == 0) {
        return fail_connection(session, err);
    }
    if (is_class(state, "57014")) { /* canceled: by statement_timeout, or by lock_timeout */
        return haft__sql_fail_timeout(session->request, err);
    }
    if (is_class(state, "55P03")) {
        haft_status status = haft__fail(
            err, HAFT_IO, "", "another session has locked a table: %.*s", HAFT__ARG(message));
        return haft__hint(err, status, "try again when its transaction has ended");
    }
    if (concerns_server(state) && !is_class(state, "08P01")) {
        return haft__fail(err, HAFT_IO, "", "PostgreSQL: %.*s", HAFT__ARG(message));
    }
    if (ret_position != NULL) {
        (void)haft__str_to_u64(position, ret_position);
    }
    if (is_class(state, "42601")) {
        return fail_syntax(message, err);
    }
    if (is_class(state, "25")) { /* a write in the read-only transaction, or a broken one */
        char what[128];
        (void)snprintf(what, sizeof(what), "%.*s", HAFT__ARG(message));
        return haft__sql_fail_writes(what, err);
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, is_class(state, "08P01") ? "/parameters" : "/query", "%.*s",
                   HAFT__ARG(message));
    return hint.len > 0 ? haft__hint(err, status, "%.*s", HAFT__ARG(hint)) : status;
}

/* ---- waiting ---- */

/* Returns an error if the session must end now. */
static haft_status check_end(const haft__pg_session *session, haft_error *err)
{
    if (haft__sql_is_stopped(session->request)) {
        return haft__sql_fail_stopped(err);
    }
    return haft__clock_monotonic() >= session->deadline_ms
               ? haft__sql_fail_timeout(session->request, err)
               : HAFT_OK;
}

/* Waits until the socket can be read or written, at most for a tick. */
static void wait_for_socket(const haft__pg_session *session, bool write)
{
    struct pollfd entry = {.fd = session->lib->socket(session->conn),
                           .events = (short)(POLLIN | (write ? POLLOUT : 0))};
    uint64_t now = haft__clock_monotonic();
    uint64_t left = session->deadline_ms > now ? session->deadline_ms - now : 0;
    (void)poll(&entry, 1, (int)(left < TICK_MS ? left : TICK_MS));
}

/* Asks the server to cancel the statement: it may have switched off its own timeout. */
static void cancel(const haft__pg_session *session)
{
    char text[256];
    PGcancel *request = session->lib->getCancel(session->conn);
    if (request != NULL) {
        (void)session->lib->cancel(request, text, sizeof(text));
        session->lib->freeCancel(request);
    }
}

/* Reads what has arrived. libpq keeps a whole result in memory, so its size is limited here. */
static haft_status receive(haft__pg_session *session, haft_error *err)
{
    int available = 0;
    if (ioctl(session->lib->socket(session->conn), FIONREAD, &available) == 0) {
        session->received += (uint64_t)(available > 0 ? available : 0);
    }
    if (session->lib->consumeInput(session->conn) == 0) {
        return fail_connection(session, err);
    }
    if (session->received > HAFT__ROWS_BUFFER_BYTES) {
        haft_status status =
            haft__fail(err, HAFT_TOO_BIG, "/query", "the rows are larger than the limit of %zu MiB",
                       HAFT__ROWS_BUFFER_BYTES >> 20);
        return haft__hint(err, status, "select fewer columns, or a part of each value");
    }
    return HAFT_OK;
}

static haft_status wait_for_result(haft__pg_session *session, haft_error *err)
{
    haft_status status = HAFT_OK;
    int unsent = 1;
    while (status == HAFT_OK && (unsent > 0 || session->lib->isBusy(session->conn))) {
        unsent = session->lib->flush(session->conn);
        wait_for_socket(session, unsent > 0);
        status = unsent < 0 ? fail_connection(session, err) : receive(session, err);
        if (status == HAFT_OK && session->lib->isBusy(session->conn)) {
            status = check_end(session, err);
        }
    }
    return status;
}

/* ---- statements ---- */

/* Takes all results of the statement; the first one counts. */
static PGresult *take_result(const haft__pg_session *session)
{
    PGresult *first = session->lib->getResult(session->conn);
    PGresult *next = first;
    while (next != NULL && (next = session->lib->getResult(session->conn)) != NULL) {
        session->lib->clear(next);
    }
    return first;
}

haft_status haft__pg_session_run(haft__pg_session *session, const char *sql,
                                 const haft__pg_values *values, PGresult **ret_result,
                                 uint64_t *ret_position, haft_error *err)
{
    session->received = 0;
    if (session->lib->sendQueryParams(session->conn, sql, values != NULL ? values->count : 0, NULL,
                                      values != NULL ? values->texts : NULL, NULL, NULL, 0)
        == 0) {
        return fail_connection(session, err);
    }
    haft_status status = wait_for_result(session, err);
    if (status != HAFT_OK) {
        cancel(session);
        return status;
    }
    PGresult *result = take_result(session);
    ExecStatusType kind = session->lib->resultStatus(result);
    if (kind != PGRES_COMMAND_OK && kind != PGRES_TUPLES_OK) {
        status = result != NULL ? fail_result(session, result, ret_position, err)
                                : fail_connection(session, err);
    } else if (session->lib->transactionStatus(session->conn) != PQTRANS_INTRANS) {
        status = haft__sql_fail_writes("it ended the transaction", err);
    }
    if (status != HAFT_OK) {
        session->lib->clear(result);
        return status;
    }
    *ret_result = result;
    return HAFT_OK;
}

haft_str haft__pg_text(const haft__pg_session *session, const PGresult *result, int row, int column)
{
    return session->lib->getisnull(result, row, column)
               ? HAFT__LIT("")
               : (haft_str){session->lib->getvalue(result, row, column),
                            (size_t)session->lib->getlength(result, row, column)};
}

/* ---- connecting ---- */

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

static haft_status connect_to(haft__pg_session *session, const char *url, haft_error *err)
{
    const char *const keys[] = {"dbname", "application_name", "client_encoding", NULL};
    const char *const values[] = {url, "haft sql", "UTF8", NULL};
    uint64_t timeout = session->request->database->timeout_ms;
    uint64_t most = timeout < HAFT__LIMIT_SQL_CONNECT_MS ? timeout : HAFT__LIMIT_SQL_CONNECT_MS;
    uint64_t give_up = haft__clock_monotonic() + most;
    session->conn = session->lib->connectStartParams(keys, values, 1);
    if (session->conn == NULL) {
        return haft__fail_no_memory(err);
    }
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (state == PGRES_POLLING_FAILED
            || session->lib->status(session->conn) == CONNECTION_BAD) {
            return fail_connection(session, err);
        }
        if (haft__sql_is_stopped(session->request)) {
            return haft__sql_fail_stopped(err);
        }
        if (haft__clock_monotonic() >= give_up) {
            return haft__fail(err, HAFT_IO, "", "PostgreSQL: no connection within %llu ms",
                              (unsigned long long)most);
        }
        wait_for_socket(session, state == PGRES_POLLING_WRITING);
        state = session->lib->connectPoll(session->conn);
    }
    (void)session->lib->setNoticeReceiver(session->conn, ignore_notice, NULL);
    return session->lib->setnonblocking(session->conn, 1) == 0 ? HAFT_OK
                                                               : fail_connection(session, err);
}

/* ---- the transaction ---- */

/* A superuser, or a role that may use the files and programs of the server, can do through
 * functions what no statement can. */
static const char role_query[] =
    "SELECT CASE WHEN bool_or(rolsuper) THEN 'is a superuser' "
    "WHEN bool_or(pg_has_role(oid, 'pg_read_server_files', 'MEMBER') "
    "OR pg_has_role(oid, 'pg_write_server_files', 'MEMBER') "
    "OR pg_has_role(oid, 'pg_execute_server_program', 'MEMBER')) "
    "THEN 'may use files or programs of the server' ELSE '' END, current_user, "
    "set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true), "
    "set_config('idle_in_transaction_session_timeout', $1, true), "
    "set_config('bytea_output', 'hex', true), set_config('datestyle', 'ISO', true), "
    "set_config('intervalstyle', 'iso_8601', true), set_config('extra_float_digits', '1', true) "
    "FROM pg_catalog.pg_roles WHERE rolname IN (session_user, current_user)";

static haft_status check_role(const haft__pg_session *session, const PGresult *result,
                              haft_error *err)
{
    haft_str problem = haft__pg_text(session, result, 0, 0);
    if (problem.len == 0) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "", "the role %.*s %.*s",
                   HAFT__ARG(haft__pg_text(session, result, 0, 1)), HAFT__ARG(problem));
    return haft__hint(err, status,
                      "connect as a role of its own: CREATE ROLE reader LOGIN NOSUPERUSER; GRANT "
                      "SELECT ON the tables TO reader");
}

/* The first SELECT also fixes the transaction: after it, SET TRANSACTION READ WRITE is refused. */
static haft_status begin(haft__pg_session *session, haft_error *err)
{
    char timeout[32];
    PGresult *result = NULL;
    (void)snprintf(timeout, sizeof(timeout), "%llu",
                   (unsigned long long)session->request->database->timeout_ms);
    const char *const texts[] = {timeout};
    haft_status status =
        haft__pg_session_run(session, "BEGIN TRANSACTION READ ONLY", NULL, &result, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    session->lib->clear(result);
    status =
        haft__pg_session_run(session, role_query, &(haft__pg_values){texts, 1}, &result, NULL, err);
    if (status == HAFT_OK) {
        status = check_role(session, result, err);
        session->lib->clear(result);
    }
    return status;
}

haft_status haft__pg_session_open(haft__pg_session *session, const haft__sql_request *request,
                                  haft_str url, haft_error *err)
{
    *session = (haft__pg_session){.request = request};
    haft_status status = haft__libpq_load(&session->lib, err);
    char *text = status == HAFT_OK ? haft__str_duplicate(url) : NULL;
    if (status != HAFT_OK || text == NULL) {
        return status != HAFT_OK ? status : haft__fail_no_memory(err);
    }
    session->deadline_ms = haft__clock_monotonic() + HAFT__LIMIT_SQL_CONNECT_MS;
    status = connect_to(session, text, err);
    free(text);
    session->deadline_ms = haft__clock_monotonic() + request->database->timeout_ms;
    return status == HAFT_OK ? begin(session, err) : status;
}

void haft__pg_session_close(haft__pg_session *session)
{
    if (session->conn != NULL) {
        session->lib->finish(session->conn);
        session->conn = NULL;
    }
}
