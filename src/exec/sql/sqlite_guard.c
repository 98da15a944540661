/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_guard.c - decides what a statement of a model may do. Everything is denied, except what
 * the table below and the functions of it allow.
 *
 * SQLite calls the authorizer while it compiles a statement, and again for statements that a
 * statement compiles while it runs (VACUUM INTO, full-text search). A file that can only be read,
 * query_only and the number of result columns are further guards: each of them alone has gaps.
 * Tests: tests/exec/sql/bypass_test.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sql/sqlite_int.h"

/* The words for what was denied. */
static const char *describe_action(int action)
{
    switch (action) {
    case SQLITE_INSERT: return "INSERT";
    case SQLITE_UPDATE: return "UPDATE";
    case SQLITE_DELETE: return "DELETE";
    case SQLITE_PRAGMA: return "PRAGMA";
    case SQLITE_ATTACH: return "ATTACH or VACUUM INTO";
    case SQLITE_DETACH: return "DETACH";
    case SQLITE_TRANSACTION: return "BEGIN, COMMIT or ROLLBACK";
    case SQLITE_SAVEPOINT: return "SAVEPOINT";
    case SQLITE_ANALYZE: return "ANALYZE";
    case SQLITE_REINDEX: return "REINDEX";
    case SQLITE_ALTER_TABLE: return "ALTER TABLE";
    default: return "a statement that changes the database";
    }
}

static int deny(haft__sqlite_guarded *guarded, const char *what, const char *name,
                const char *column)
{
    if (guarded->denied[0] == '\0') {
        guarded->hidden = haft__str_starts_with(haft__str(what), HAFT__LIT("the "));
        (void)snprintf(guarded->denied, sizeof(guarded->denied), "%s%s%s%s%s", what,
                       name != NULL ? " " : "", name != NULL ? name : "",
                       column != NULL && column[0] != '\0' ? "." : "",
                       column != NULL ? column : "");
    }
    return SQLITE_DENY;
}

/* ---- tables ---- */

static haft_str lower_name(haft_str name, char to[HAFT__LIMIT_SQL_NAME_BYTES])
{
    size_t length = name.len < HAFT__LIMIT_SQL_NAME_BYTES ? name.len : 0;
    for (size_t i = 0; i < length; i++) {
        to[i] = haft__ascii_lower(name.ptr[i]);
    }
    return (haft_str){to, length};
}

static bool is_system(haft_str name)
{
    return haft__str_starts_with(name, HAFT__LIT("sqlite_"));
}

/* Whether the name begins with the name of a virtual table that the spec shows, and an underscore:
 * the tables in which the virtual table has its content. */
static bool is_part_of_shown(const haft__sqlite_guarded *guarded, haft_str name)
{
    for (size_t i = 1; i < name.len; i++) {
        haft_str owner = {name.ptr, i};
        if (name.ptr[i] == '_' && haft__map_get(&guarded->tables, owner) != NULL
            && haft__database_shows_table(guarded->request->database, owner)) {
            return true;
        }
    }
    return false;
}

bool haft__sqlite_shows_table(const haft__sqlite_guarded *guarded, haft_str table)
{
    char bytes[HAFT__LIMIT_SQL_NAME_BYTES];
    haft_str name = lower_name(table, bytes);
    return haft__map_find(&guarded->tables, name) != NULL && !is_system(name)
           && (haft__database_shows_table(guarded->request->database, name)
               || is_part_of_shown(guarded, name));
}

/* The table of tables. It would show the names that the spec hides. */
static bool is_schema_table(const haft__sqlite_guarded *guarded, haft_str name)
{
    static const char *const names[] = {"sqlite_schema", "sqlite_master"};
    return haft__str_is_one_of(name, names, COUNT(names))
           && !haft__database_hides(guarded->request->database);
}

/* Table-valued functions without access to the database. They are created before the guard. */
static bool is_json_table(haft_str name)
{
    static const char *const names[] = {"json_each", "json_tree"};
    return haft__str_is_one_of(name, names, COUNT(names));
}

/* SQLite passes an empty column for a table of which no column is read, and for the names of
 * subqueries. A name that is in no file has no rows of one. */
static int judge_read(haft__sqlite_guarded *guarded, const char *table, const char *column)
{
    haft_str name = haft__str(table != NULL ? table : "");
    haft_str part = haft__str(column != NULL ? column : "");
    char bytes[HAFT__LIMIT_SQL_NAME_BYTES];
    haft_str known = lower_name(name, bytes);
    if (is_schema_table(guarded, known) || is_json_table(known)
        || (part.len == 0 && known.len > 0 && !is_system(known)
            && haft__map_find(&guarded->tables, known) == NULL)) {
        return SQLITE_OK;
    }
    if (!haft__sqlite_shows_table(guarded, name)) {
        return deny(guarded, "the table", table, NULL);
    }
    bool shown =
        part.len == 0 || haft__database_shows_column(guarded->request->database, name, part);
    return shown ? SQLITE_OK : deny(guarded, "the column", table, column);
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    haft__sqlite_guarded *guarded = context;
    (void)database;
    (void)trigger; /* the name of a subquery is the model's choice */
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ: return judge_read(guarded, first, second);
    case SQLITE_FUNCTION:
        return second != NULL && haft__sqlite_allows_function(second)
                   ? SQLITE_OK
                   : deny(guarded, "function", second, NULL);
    case SQLITE_PRAGMA: /* full-text search asks whether the file has changed */
        return first != NULL && strcmp(first, "data_version") == 0 && second == NULL
                   ? SQLITE_OK
                   : deny(guarded, describe_action(action), first, NULL);
    default: return deny(guarded, describe_action(action), NULL, NULL);
    }
}

/* ---- reading the names ---- */

static haft_status add_table(haft__sqlite_guarded *guarded, haft_str name, bool virtual,
                             haft_error *err)
{
    char bytes[HAFT__LIMIT_SQL_NAME_BYTES];
    haft_str lower = lower_name(name, bytes);
    haft_str kept = haft__arena_copy(&guarded->arena, lower);
    if (kept.ptr == NULL) {
        return haft__arena_fail(&guarded->arena, err);
    }
    return lower.len > 0 ? haft__map_put(&guarded->tables, kept, virtual ? guarded : NULL, err)
                         : HAFT_OK; /* a name that is too long cannot be used */
}

haft_status haft__sqlite_read_names(haft__sqlite_guarded *guarded, haft_error *err)
{
    static const char text[] = "SELECT name, coalesce(sql, '') LIKE 'CREATE VIRTUAL%' FROM "
                               "sqlite_master WHERE type IN ('table', 'view')";
    sqlite3_stmt *statement = NULL;
    haft_status status = HAFT_OK;
    int code = sqlite3_prepare_v2(guarded->db, text, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            haft_str name = {(const char *)sqlite3_column_text(statement, 0),
                             (size_t)sqlite3_column_bytes(statement, 0)};
            status = add_table(guarded, name, sqlite3_column_int(statement, 1) != 0, err);
            code = status == HAFT_OK ? code : SQLITE_ABORT;
        }
    }
    if (status == HAFT_OK && code != SQLITE_DONE) {
        status = haft__sqlite_guarded_fail(guarded, code, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* Compiles a statement, so that SQLite connects the virtual tables in it. To connect one, SQLite
 * compiles CREATE TABLE, which the authorizer denies. */
static void connect_table(haft__sqlite_guarded *guarded, const char *format, const char *name)
{
    char *text = sqlite3_mprintf(format, name);
    sqlite3_stmt *statement = NULL;
    if (text != NULL) {
        (void)sqlite3_prepare_v2(guarded->db, text, -1, &statement, NULL);
    }
    (void)sqlite3_finalize(statement); /* a table that cannot be connected cannot be read */
    sqlite3_free(text);
}

haft_status haft__sqlite_guard(haft__sqlite_guarded *guarded, haft_error *err)
{
    haft_status status = haft__sqlite_read_names(guarded, err);
    if (status != HAFT_OK) {
        return status;
    }
    connect_table(guarded, "SELECT 1 FROM json_each('[]'), json_tree('[]')%.0s", "");
    for (uint32_t i = 0; i < guarded->tables.count; i++) {
        if (guarded->tables.entries[i].value != NULL) {
            connect_table(guarded, "SELECT 1 FROM \"%w\"", guarded->tables.entries[i].key.ptr);
        }
    }
    int code = sqlite3_set_authorizer(guarded->db, authorize, guarded);
    return code == SQLITE_OK ? HAFT_OK : haft__sqlite_guarded_fail(guarded, code, err);
}
