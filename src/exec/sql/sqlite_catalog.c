/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_catalog.c - reads the tables of an SQLite file that queries may read. Tests:
 * tests/exec/sql/sqlite_catalog_test.c. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "database/catalog_build.h"
#include "database/samples.h"
#include "exec/sql/sqlite_int.h"

/* A range of row ids that is wider says nothing about the number of rows. */
#define MAX_ROWS 1000000000

typedef struct catalog_reader {
    haft__sqlite_guarded *guarded;
    haft__catalog_builder *builder;
    sqlite3_stmt *columns, *links; /* for one table, reused */
} catalog_reader;

static haft_str text_at(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return (haft_str){text, text != NULL ? (size_t)sqlite3_column_bytes(statement, column) : 0};
}

static int bind_name(sqlite3_stmt *statement, haft_str name)
{
    (void)sqlite3_reset(statement);
    return sqlite3_bind_text(statement, 1, name.ptr, (int)name.len, SQLITE_TRANSIENT);
}

static const char *kind_of(haft_str type)
{
    return haft__str_equal(type, HAFT__LIT("view"))      ? "view"
           : haft__str_equal(type, HAFT__LIT("virtual")) ? "virtual table"
                                                         : "table";
}

/* The columns that the spec shows. A view that cannot be compiled has none. */
static haft_status read_columns(catalog_reader *r, haft_str table, haft_error *err)
{
    haft_status status = HAFT_OK;
    (void)bind_name(r->columns, table);
    while (status == HAFT_OK && sqlite3_step(r->columns) == SQLITE_ROW) {
        haft__catalog_column column = {.name = text_at(r->columns, 0),
                                       .type = text_at(r->columns, 1),
                                       .key = (uint32_t)sqlite3_column_int(r->columns, 3),
                                       .not_null = sqlite3_column_int(r->columns, 2) != 0};
        if (haft__database_shows_column(r->guarded->request->database, table, column.name)) {
            status = haft__catalog_add_column(r->builder, &column, err);
        }
    }
    return status;
}

static haft_status read_links(catalog_reader *r, haft_str table, haft_error *err)
{
    haft_status status = HAFT_OK;
    bool hidden = false;
    (void)bind_name(r->links, table);
    while (status == HAFT_OK && sqlite3_step(r->links) == SQLITE_ROW) {
        bool first = sqlite3_column_int(r->links, 0) == 0;
        /* Without a hidden column, the rest of a key would be a wrong one. */
        hidden = (hidden && !first)
                 || !haft__database_shows_column(r->guarded->request->database, table,
                                                 text_at(r->links, 2));
        if (hidden) {
            continue;
        }
        status = haft__catalog_add_link(r->builder, first, HAFT__LIT(""), text_at(r->links, 1),
                                        text_at(r->links, 2), text_at(r->links, 3), err);
    }
    return status;
}

/* An estimate from the row ids, which are in the first and the last page. */
static void read_row_count(catalog_reader *r, haft_str table)
{
    char name[HAFT__LIMIT_SQL_NAME_BYTES];
    sqlite3_stmt *statement = NULL;
    (void)snprintf(name, sizeof(name), "%.*s", HAFT__ARG(table));
    char *text = sqlite3_mprintf("SELECT (SELECT max(rowid) FROM \"%w\"), "
                                 "(SELECT min(rowid) FROM \"%w\")",
                                 name, name);
    if (text != NULL && sqlite3_prepare_v2(r->guarded->db, text, -1, &statement, NULL) == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_ROW) {
        bool empty = sqlite3_column_type(statement, 0) == SQLITE_NULL;
        double last = sqlite3_column_double(statement, 0);
        double first = sqlite3_column_double(statement, 1);
        double count = empty ? 0 : last - first + 1;
        if (count <= MAX_ROWS) {
            haft__catalog_set_rows(r->builder, (uint64_t)count);
        }
    }
    (void)sqlite3_finalize(statement);
    sqlite3_free(text);
}

/* A table that cannot be read has no samples. */
static haft_status read_samples(catalog_reader *r, haft_str table, haft_error *err)
{
    haft__samples samples;
    haft__buf text;
    sqlite3_stmt *statement = NULL;
    haft__buf_init(&text, HAFT__LIMIT_SQL_QUERY_BYTES);
    haft_status status =
        haft__samples_begin(&samples, r->builder, HAFT__LIT(""), table, &text, err);
    if (status == HAFT_OK && samples.count > 0
        && sqlite3_prepare_v2(r->guarded->db, text.ptr, (int)text.len, &statement, NULL)
               == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            for (size_t i = 0; i < samples.count; i++) {
                bool is_text = sqlite3_column_type(statement, (int)i) == SQLITE_TEXT;
                haft__samples_add(&samples, i,
                                  is_text ? text_at(statement, (int)i) : HAFT__LIT(""));
            }
        }
    }
    (void)sqlite3_finalize(statement);
    haft__buf_finish(&text);
    return status == HAFT_OK ? haft__samples_end(&samples, err) : status;
}

static haft_status read_table(catalog_reader *r, sqlite3_stmt *list, haft_error *err)
{
    haft_str name = text_at(list, 0);
    const char *kind = kind_of(text_at(list, 1));
    haft_status status =
        haft__catalog_add_table(r->builder, HAFT__LIT(""), name, kind, HAFT__LIT(""), err);
    if (status == HAFT_OK) {
        status = read_columns(r, name, err);
    }
    if (status == HAFT_OK && strcmp(kind, "table") == 0) {
        read_row_count(r, name);
        status = read_links(r, name, err);
        if (status == HAFT_OK && r->guarded->request->database->samples) {
            status = read_samples(r, name, err);
        }
    }
    return status;
}

static haft_status read_tables(catalog_reader *r, haft_error *err)
{
    static const char text[] = "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND "
                               "type <> 'shadow' ORDER BY name";
    sqlite3 *db = r->guarded->db;
    sqlite3_stmt *list = NULL;
    haft_status status = HAFT_OK;
    int code = sqlite3_prepare_v2(db, text, -1, &list, NULL);
    while (status == HAFT_OK && (code == SQLITE_OK || code == SQLITE_ROW)
           && !haft__catalog_is_full(r->builder)) {
        code = sqlite3_step(list);
        if (code == SQLITE_ROW && haft__sqlite_shows_table(r->guarded, text_at(list, 0))) {
            status = read_table(r, list, err);
        }
    }
    if (status == HAFT_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
        status = haft__sqlite_guarded_fail(r->guarded, code, err);
    }
    (void)sqlite3_finalize(list);
    return status;
}

static haft_status read(haft__sqlite_guarded *guarded, haft__catalog_builder *builder,
                        haft_error *err)
{
    static const char columns[] = "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) "
                                  "WHERE hidden <> 1";
    static const char links[] = "SELECT seq, \"table\", \"from\", \"to\" FROM "
                                "pragma_foreign_key_list(?1) ORDER BY id, seq";
    catalog_reader r = {.guarded = guarded, .builder = builder};
    int code = sqlite3_prepare_v2(guarded->db, columns, -1, &r.columns, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(guarded->db, links, -1, &r.links, NULL);
    }
    haft_status status =
        code == SQLITE_OK ? read_tables(&r, err) : haft__sqlite_guarded_fail(guarded, code, err);
    (void)sqlite3_finalize(r.columns);
    (void)sqlite3_finalize(r.links);
    return status;
}

/* The number of the schema, which SQLite counts, and the file, which may be another one. */
haft_status haft__sqlite_read_version(const haft__sql_request *request, haft_str place,
                                      char ret_version[HAFT__SQL_VERSION_BYTES], haft_error *err)
{
    haft__sqlite_guarded guarded;
    sqlite3_stmt *statement = NULL;
    struct stat file = {.st_ino = 0};
    haft_status status = haft__sqlite_guarded_open(&guarded, request, place, err);
    if (status == HAFT_OK) {
        int code = sqlite3_prepare_v2(guarded.db, "PRAGMA schema_version", -1, &statement, NULL);
        code = code == SQLITE_OK ? sqlite3_step(statement) : code;
        status = code == SQLITE_ROW && stat(guarded.path, &file) == 0
                     ? HAFT_OK
                     : haft__sqlite_guarded_fail(&guarded, code, err);
    }
    if (status == HAFT_OK) {
        (void)snprintf(ret_version, HAFT__SQL_VERSION_BYTES, "%d %llu %llu",
                       sqlite3_column_int(statement, 0), (unsigned long long)file.st_dev,
                       (unsigned long long)file.st_ino);
    }
    (void)sqlite3_finalize(statement);
    haft__sqlite_guarded_close(&guarded);
    return status;
}

haft_status haft__sqlite_read_catalog(const haft__sql_request *request, haft_str place,
                                      haft__arena *arena, haft__catalog *ret_catalog,
                                      haft_error *err)
{
    haft__sqlite_guarded guarded;
    haft__catalog_builder builder;
    haft__catalog_builder_init(&builder, arena);
    haft_status status = haft__sqlite_guarded_open(&guarded, request, place, err);
    if (status == HAFT_OK) {
        status = haft__sqlite_read_names(&guarded, err);
    }
    if (status == HAFT_OK) {
        status = read(&guarded, &builder, err);
    }
    haft__sqlite_guarded_close(&guarded);
    return status == HAFT_OK ? haft__catalog_build(&builder, ret_catalog, err) : status;
}
