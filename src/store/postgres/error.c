/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - maps PostgreSQL's failures to messages, and decides whether a retry may succeed.
 *
 * Texts of the server and of libpq are shown as one line. The password is removed if a text
 * contains it.
 * Tests: tests/store/postgres/postgres_test.c.
 */
#include <stdarg.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"

/* ---- quoting foreign texts ---- */

/* Copies the first line, truncated if needed, without the password. */
static void quote(const haft__pg *pg, const char *text, char *to, size_t size)
{
    haft_str rest = haft__str_trim(haft__str(text != NULL ? text : ""));
    haft_str line = haft__str_split(&rest, '\n');
    haft_str password = haft__str(pg->password);
    size_t length = 0;
    while (line.len > 0 && length + 4 < size) {
        if (password.len > 0 && haft__str_starts_with(line, password)) {
            memcpy(to + length, "***", 3);
            length += 3;
            line = haft__str_skip(line, password.len);
        } else {
            to[length++] = *line.ptr;
            line = haft__str_skip(line, 1);
        }
    }
    to[length] = '\0';
}

/* ---- errors of haft ---- */

haft_status haft__pg_fail_damaged(const haft__pg *pg, haft_error *err, const char *what, ...)
{
    va_list args;
    va_start(args, what);
    haft_status status =
        haft__store_fail_damaged(pg->display_name, "restore it from a backup", err, what, args);
    va_end(args);
    return status;
}

haft_status haft__pg_fail_run(const haft__pg *pg, haft_str id, haft_error *err)
{
    haft_status status =
        haft__pg_fail_damaged(pg, err, "the run %.*s has a malformed value", HAFT__ARG(id));
    return haft__hint(err, status, HAFT__STORE_DAMAGED_HINT, HAFT__ARG(id));
}

haft_status haft__pg_fail_version(const haft__pg *pg, uint64_t version, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, pg->display_name,
                   "the database has schema version %llu, this haft supports version %d",
                   (unsigned long long)version, HAFT__PG_VERSION);
    return haft__hint(err, status, "use the version of haft that created it, or another --store");
}

haft_status haft__pg_fail_time(const haft__pg *pg, const char *what, uint64_t ms, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_IO, pg->display_name, "%s within %llu ms", what,
                                    (unsigned long long)ms);
    return haft__hint(err, status, "check that the server is running and reachable");
}

haft_status haft__pg_fail_wrong_server(const haft__pg *pg, bool standby, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_IO, pg->display_name,
                   standby ? "only a standby is reachable, and it may lack recent writes"
                           : "this is not the server that the store writes to");
    return haft__hint(err, status, "check that the primary is running and accepts connections");
}

haft_status haft__pg_fail_connection(const haft__pg *pg, PGconn *conn, haft_error *err)
{
    char text[256];
    quote(pg, conn != NULL ? pg->lib->errorMessage(conn) : "", text, sizeof(text));
    haft_status status =
        haft__fail(err, HAFT_IO, pg->display_name, "the database cannot be reached: %s",
                   text[0] != '\0' ? text : "the connection was lost");
    return haft__hint(err, status, "check that the server is running and that the URL is correct");
}

void haft__pg_fail_commit_unknown(const haft__pg *pg, const haft__store_request *request,
                                  const haft_error *last_error, haft_error *err)
{
    if (request != NULL && request->verb == HAFT__STORE_CREATE) {
        (void)haft__fail(
            err, HAFT_IO, pg->display_name,
            "the connection was lost during a commit; check whether the run %.*s exists",
            HAFT__ARG(request->run.id));
    } else {
        (void)haft__fail(err, HAFT_IO, pg->display_name,
                         "the connection was lost during a commit; read the run again to see "
                         "whether it succeeded");
    }
    (void)haft__hint(err, HAFT_IO, "%s", last_error->message);
}

/* ---- errors of the server ---- */

typedef enum meaning {
    GONE,    /* the connection is lost, and the outcome of the transaction is unknown */
    ENDED,   /* the connection is lost, but the transaction certainly was not committed */
    STANDBY, /* like ENDED, and another server may be the primary */
    RETRY,   /* rolled back because of other sessions */
    LOCKED,  /* another session holds a lock */
    STOPPED, /* it took too long or was cancelled */
    FULL,    /* the disk is full */
    RIGHTS,  /* missing privilege */
    TABLES,  /* the tables are not those that haft created */
    DAMAGED, /* the data is damaged */
    VALUE,   /* the server cannot store a value */
} meaning;

/* The SQLSTATE of a standby that rejects a write transaction. As the answer to another statement,
 * it means that the engine does not support the statement. */
#define UNABLE "0A000"

/* By prefix of the SQLSTATE; the first match counts. See Appendix A of the PostgreSQL manual. */
static const struct {
    const char *state;
    meaning meaning;
} meanings[] = {
    {"08", GONE},       {"57P", GONE},   {"25006", STANDBY}, {UNABLE, STANDBY},
    {"25P03", ENDED},   {"40003", GONE}, {"40", RETRY},      {"55P03", LOCKED},
    {"57014", STOPPED}, {"53100", FULL}, {"42501", RIGHTS},  {"28", RIGHTS},
    {"42", TABLES},     {"3F", TABLES},  {"23", RETRY},      {"XX001", DAMAGED},
    {"XX002", DAMAGED}, {"22", VALUE},   {"54", VALUE},
};

static haft_status fail_as(const haft__pg *pg, meaning cause, const char *text, haft_error *err)
{
    haft_status status = HAFT_IO;
    switch (cause) {
    case GONE:
    case ENDED:
        status = haft__fail(err, HAFT_IO, pg->display_name, "the connection was lost: %s", text);
        return haft__hint(err, status, "check that the server is running");
    case STANDBY:
        status = haft__fail(err, HAFT_IO, pg->display_name, "the server is read-only: %s", text);
        return haft__hint(err, status,
                          "the server is a standby: name the primary, or several hosts with "
                          "target_session_attrs=read-write");
    case RETRY:
        status = haft__fail(err, HAFT_IO, pg->display_name,
                            "the transaction conflicted with others too often: %s", text);
        return haft__hint(err, status, "nothing was changed; try again");
    case LOCKED:
        status =
            haft__fail(err, HAFT_IO, pg->display_name, "another session holds a lock: %s", text);
        return haft__hint(err, status, "nothing was changed; end that session, or try again");
    case STOPPED:
        status =
            haft__fail(err, HAFT_IO, pg->display_name, "the server ended the statement: %s", text);
        return haft__hint(err, status,
                          "nothing was changed; check the load of the server, or try again");
    case FULL:
        status = haft__fail(err, HAFT_IO, pg->display_name, "the disk is full");
        return haft__hint(err, status, "free some space; nothing that is stored is lost");
    case RIGHTS:
        status =
            haft__fail(err, HAFT_IO, pg->display_name, "the role lacks a permission: %s", text);
        return haft__hint(err, status,
                          "the role must own the schema haft or be able to create it, or be "
                          "granted " HAFT__PG_GRANT);
    case TABLES:
        status = haft__fail(err, HAFT_BAD_INPUT, pg->display_name,
                            "the tables in the schema haft do not belong to haft: %s", text);
        return haft__hint(err, status, "use another database");
    case DAMAGED: return haft__pg_fail_damaged(pg, err, "%s", text);
    case VALUE:
        return haft__fail(err, HAFT_BAD_INPUT, pg->display_name, "cannot store this value: %s",
                          text);
    }
    return status;
}

haft_status haft__pg_fail_result(const haft__pg *pg, const PGresult *result, bool begins,
                                 haft__pg_failure *ret_failure, haft_error *err)
{
    char text[256];
    const char *state = pg->lib->resultErrorField(result, PG_DIAG_SQLSTATE);
    const char *primary = pg->lib->resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    quote(pg, primary, text, sizeof(text));
    size_t at = 0;
    while (state != NULL && at < COUNT(meanings)
           && !haft__str_starts_with(haft__str(state), haft__str(meanings[at].state))) {
        at++;
    }
    bool unknown = state != NULL && !begins && strcmp(state, UNABLE) == 0;
    if (state != NULL && (at == COUNT(meanings) || unknown)) {
        *ret_failure = (haft__pg_failure){.certain = true};
        return haft__fail(err, HAFT_IO, pg->display_name, "the database reported an error: %s (%s)",
                          text, state);
    }
    meaning cause =
        state == NULL ? GONE : meanings[at].meaning; /* errors of libpq itself have no SQLSTATE */
    *ret_failure = (haft__pg_failure){.retryable = cause == RETRY,
                                      .locked = cause == LOCKED,
                                      .broken = cause == GONE || cause == ENDED || cause == STANDBY,
                                      .certain = cause != GONE,
                                      .try_next_host = cause == STANDBY};
    return fail_as(pg, cause, text, err);
}
