/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - identifies a file and creates the tables.
 *
 * A foreign file is left unchanged: no setting is changed before the application id is checked. The
 * tables are created with an ordinary journal, so that the application id is in the file itself.
 * Only then is write-ahead logging enabled. Two processes may do this at the same time, because one
 * transaction both inspects the file and creates the tables. Tests:
 * tests/store/sqlite/sqlite_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

static const struct {
    const char *kind, *name, *sql;
} schema[] = {
#define X(kind, name, sql) {#kind, #name, sql},
    HAFT__SQLITE_SCHEMA(X)
#undef X
};

/* ---- identification ---- */

typedef struct identity {
    uint64_t application, version;
    size_t known, others; /* tables and indexes: those that haft creates, and others */
    bool utf8;
} identity;

static bool is_in_schema(haft_str kind, haft_str name, haft_str sql)
{
    size_t at = 0;
    while (at < COUNT(schema)
           && !(haft__str_equal(kind, haft__str(schema[at].kind))
                && haft__str_equal(name, haft__str(schema[at].name))
                && haft__str_equal(sql, haft__str(schema[at].sql)))) {
        at++;
    }
    return at < COUNT(schema);
}

static haft_status read_schema(haft__sqlite_connection *connection, identity *ret_identity,
                               haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(connection, HAFT__SQLITE_STMT_SCHEMA);
    while (haft__sqlite_query_next(&query)) {
        haft_str kind = haft__sqlite_query_text(&query, HAFT__LIMIT_STORE_TEXT_BYTES);
        haft_str name = haft__sqlite_query_text(&query, HAFT__LIMIT_STORE_TEXT_BYTES);
        haft_str sql = haft__sqlite_query_text(&query, HAFT__LIMIT_STORE_TEXT_BYTES);
        bool known = is_in_schema(kind, name, sql);
        ret_identity->known += known;
        ret_identity->others += !known;
    }
    return haft__sqlite_query_end(&query, err);
}

/* Reads the only column of the only row. */
static haft_status read_number(haft__sqlite_connection *connection, haft__sqlite_statement which,
                               uint64_t *ret_number, haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(connection, which);
    if (haft__sqlite_query_next(&query)) {
        *ret_number = (uint32_t)sqlite3_column_int64(query.stmt, 0); /* may be any 32 bits */
    }
    return haft__sqlite_query_end(&query, err);
}

static haft_status read_encoding(haft__sqlite_connection *connection, bool *ret_utf8,
                                 haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(connection, HAFT__SQLITE_STMT_ENCODING);
    if (haft__sqlite_query_next(&query)) {
        *ret_utf8 = haft__str_equal(haft__sqlite_query_text(&query, HAFT__LIMIT_STORE_NAME_BYTES),
                                    HAFT__LIT("UTF-8"));
    }
    return haft__sqlite_query_end(&query, err);
}

static haft_status read_identity(haft__sqlite_connection *connection, identity *ret_identity,
                                 haft_error *err)
{
    *ret_identity = (identity){0};
    haft_status status =
        read_number(connection, HAFT__SQLITE_STMT_APPLICATION, &ret_identity->application, err);
    if (status == HAFT_OK) {
        status = read_number(connection, HAFT__SQLITE_STMT_VERSION, &ret_identity->version, err);
    }
    if (status == HAFT_OK) {
        status = read_encoding(connection, &ret_identity->utf8, err);
    }
    return status == HAFT_OK ? read_schema(connection, ret_identity, err) : status;
}

static bool is_empty(const identity *found)
{
    return found->application == 0 && found->version == 0 && found->known + found->others == 0;
}

static haft_status fail_version(const haft__sqlite_connection *connection, uint64_t version,
                                haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, connection->path,
                   "the database has schema version %llu, this haft supports version %d",
                   (unsigned long long)version, HAFT__SQLITE_VERSION);
    return haft__hint(err, status, "use the version of haft that created it, or another --store");
}

static haft_status check_identity(const haft__sqlite_connection *connection, const identity *found,
                                  haft_error *err)
{
    if (found->application != HAFT__SQLITE_APPLICATION) {
        return haft__fail(err, HAFT_BAD_INPUT, connection->path,
                          "this database belongs to another program");
    }
    if (found->version != HAFT__SQLITE_VERSION) {
        return fail_version(connection, found->version, err);
    }
    if (found->known != COUNT(schema) || found->others > 0 || !found->utf8) {
        return haft__sqlite_fail_damaged(connection, err, "its tables are not those of version %d",
                                         HAFT__SQLITE_VERSION);
    }
    return HAFT_OK;
}

/* ---- creation ---- */

static haft_status make_tables(haft__sqlite_connection *connection, haft_error *err)
{
    char names[96];
    (void)snprintf(names, sizeof(names), "PRAGMA application_id = %d; PRAGMA user_version = %d",
                   HAFT__SQLITE_APPLICATION, HAFT__SQLITE_VERSION);
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < COUNT(schema); i++) {
        code = sqlite3_exec(connection->db, schema[i].sql, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(connection->db, names, NULL, NULL, NULL);
    }
    return code == SQLITE_OK ? HAFT_OK : haft__sqlite_fail(connection, code, err);
}

/* Reads the identity of the file in one transaction. If `writing`, creates the tables in an empty
 * file. */
static haft_status identify(haft__sqlite_connection *connection, bool writing, identity *ret_found,
                            haft_error *err)
{
    haft_status status = haft__sqlite_query_exec(
        connection, writing ? HAFT__SQLITE_STMT_BEGIN_WRITE : HAFT__SQLITE_STMT_BEGIN_READ, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = read_identity(connection, ret_found, err);
    if (status == HAFT_OK && writing && is_empty(ret_found)) {
        status = make_tables(connection, err);
    }
    if (status == HAFT_OK && writing) {
        status = read_identity(connection, ret_found, err);
    }
    if (status == HAFT_OK) {
        status = haft__sqlite_query_exec(connection, HAFT__SQLITE_STMT_COMMIT, err);
    }
    haft__sqlite_connection_rollback(connection);
    return status;
}

static haft_status switch_to_log(haft__sqlite_connection *connection, haft_error *err)
{
    haft__sqlite_query query = haft__sqlite_query_begin(connection, HAFT__SQLITE_STMT_JOURNAL);
    bool on = haft__sqlite_query_next(&query)
              && haft__str_equal(haft__sqlite_query_text(&query, HAFT__LIMIT_STORE_NAME_BYTES),
                                 HAFT__LIT("wal"));
    haft_status status = haft__sqlite_query_end(&query, err);
    if (status == HAFT_OK && !on) {
        status = haft__fail(err, HAFT_IO, connection->path,
                            "the file system does not support a write-ahead log");
        return haft__hint(err, status, "put the database on a local disk");
    }
    return status;
}

haft_status haft__sqlite_schema_prepare(haft__sqlite_connection *connection, haft_error *err)
{
    identity found;
    haft_status status = identify(connection, false, &found, err);
    if (status == HAFT_OK && is_empty(&found)) {
        status = identify(connection, true, &found, err);
    }
    if (status == HAFT_OK) {
        status = check_identity(connection, &found, err);
    }
    if (status == HAFT_OK && sqlite3_db_readonly(connection->db, "main") != 0) {
        status = haft__sqlite_fail(connection, SQLITE_READONLY, err);
    }
    return status == HAFT_OK ? switch_to_log(connection, err) : status;
}

/* ---- later checks ---- */

haft_status haft__sqlite_connection_check(haft__sqlite_connection *connection, haft_error *err)
{
    int moved = 0;
    (void)sqlite3_file_control(connection->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved != 0) {
        haft_status status = haft__fail(err, HAFT_IO, connection->path,
                                        "the database was moved or removed while it was in use");
        return haft__hint(err, status, "put it back and try again");
    }
    uint64_t version = 0;
    haft_status status = read_number(connection, HAFT__SQLITE_STMT_VERSION, &version, err);
    return status == HAFT_OK && version != HAFT__SQLITE_VERSION
               ? fail_version(connection, version, err)
               : status;
}
