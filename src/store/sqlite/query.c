/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - one use of a prepared statement, and the checks of its columns.
 *
 * The database is not trusted: every column is checked for its type, its length and, if it is text,
 * for UTF-8.
 * Tests: tests/store/sqlite/sqlite_test.c.
 */
#include <errno.h>

#include "base/error.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

static const char *const texts[] = {
#define X(name, text) text,
    HAFT__SQLITE_STATEMENTS(X)
#undef X
};

haft__sqlite_query haft__sqlite_query_begin(haft__sqlite_connection *connection,
                                            haft__sqlite_statement which)
{
    haft__sqlite_query query = {.connection = connection};
    if (connection->statements[which] == NULL) {
        query.code = sqlite3_prepare_v3(connection->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                        &connection->statements[which], NULL);
    }
    query.stmt = connection->statements[which];
    return query;
}

/* ---- parameters ---- */

/* The start of the text. Never a null pointer, which would bind an SQL NULL. */
static const char *start(haft_str text)
{
    return text.len > 0 ? text.ptr : "";
}

static void bound(haft__sqlite_query *query, int code)
{
    query->code = query->code == SQLITE_OK ? code : query->code;
}

void haft__sqlite_query_bind(haft__sqlite_query *query, haft_str text)
{
    query->at++;
    if (query->code == SQLITE_OK) {
        bound(query, sqlite3_bind_text64(query->stmt, query->at, start(text), text.len,
                                         SQLITE_STATIC, SQLITE_UTF8));
    }
}

void haft__sqlite_query_bind_blob(haft__sqlite_query *query, haft_str bytes)
{
    query->at++;
    if (query->code == SQLITE_OK) {
        bound(query,
              sqlite3_bind_blob64(query->stmt, query->at, start(bytes), bytes.len, SQLITE_STATIC));
    }
}

void haft__sqlite_query_bind_int(haft__sqlite_query *query, uint64_t number)
{
    query->at++;
    if (query->code == SQLITE_OK) {
        bound(query, sqlite3_bind_int64(query->stmt, query->at,
                                        number < INT64_MAX ? (int64_t)number : INT64_MAX));
    }
}

/* ---- rows ---- */

bool haft__sqlite_query_next(haft__sqlite_query *query)
{
    if (query->code != SQLITE_OK || query->checks.invalid || query->checks.failed_arena != NULL) {
        return false;
    }
    haft__sqlite_connection *connection = query->connection;
    connection->modified = connection->modified || sqlite3_stmt_readonly(query->stmt) == 0;
    errno = 0;
    int code = sqlite3_step(query->stmt);
    connection->system = errno; /* SQLite does not always record errno */
    query->at = 0;
    query->code = code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
    return code == SQLITE_ROW;
}

uint64_t haft__sqlite_query_int(haft__sqlite_query *query)
{
    int at = query->at++;
    int64_t number = sqlite3_column_int64(query->stmt, at);
    if (sqlite3_column_type(query->stmt, at) != SQLITE_INTEGER || number < 0) {
        query->checks.invalid = true;
        return 0;
    }
    return (uint64_t)number;
}

static haft_str next_column(haft__sqlite_query *query, int kind, size_t max_bytes)
{
    int at = query->at++;
    if (sqlite3_column_type(query->stmt, at) != kind) {
        query->checks.invalid = true;
        return HAFT__LIT("");
    }
    const char *bytes = sqlite3_column_blob(query->stmt, at);
    size_t length = (size_t)sqlite3_column_bytes(query->stmt, at);
    if (bytes == NULL && length > 0) {
        bound(query, SQLITE_NOMEM);
        return HAFT__LIT("");
    }
    if (length > max_bytes) {
        query->checks.invalid = true;
        return HAFT__LIT("");
    }
    return (haft_str){length > 0 ? bytes : "", length};
}

haft_str haft__sqlite_query_blob(haft__sqlite_query *query, size_t max_bytes)
{
    return next_column(query, SQLITE_BLOB, max_bytes);
}

haft_str haft__sqlite_query_text(haft__sqlite_query *query, size_t max_bytes)
{
    return haft__column_text(&query->checks, next_column(query, SQLITE_TEXT, max_bytes));
}

haft_str haft__sqlite_query_copy(haft__sqlite_query *query, size_t max_bytes, haft__arena *arena)
{
    return haft__column_copy(&query->checks, haft__sqlite_query_text(query, max_bytes), arena);
}

haft_str haft__sqlite_query_content(haft__sqlite_query *query, haft__arena *arena,
                                    haft_str *ret_sha256)
{
    haft_str sum = haft__sqlite_query_text(query, HAFT__SHA256_HEX);
    haft_str content = haft__sqlite_query_blob(query, HAFT__LIMIT_STORE_TEXT_BYTES);
    return haft__column_content(&query->checks, sum, content, arena, ret_sha256);
}

/* ---- the end ---- */

haft_status haft__sqlite_query_end(haft__sqlite_query *query, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (query->code != SQLITE_OK) {
        status = haft__sqlite_fail(query->connection, query->code, err);
    } else if (query->checks.invalid) {
        status = haft__sqlite_fail_damaged(query->connection, err, "a value is malformed");
    } else if (query->checks.failed_arena != NULL) {
        status = haft__arena_fail(query->checks.failed_arena, err);
    }
    (void)sqlite3_reset(query->stmt); /* returns the same error again */
    return status;
}

haft_status haft__sqlite_query_run(haft__sqlite_query *query, haft_error *err)
{
    (void)haft__sqlite_query_next(query);
    return haft__sqlite_query_end(query, err);
}

haft_status haft__sqlite_query_exec(haft__sqlite_connection *connection,
                                    haft__sqlite_statement which, haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(connection, which);
    return haft__sqlite_query_run(&query, err);
}
