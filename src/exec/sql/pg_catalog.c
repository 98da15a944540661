/* SPDX-License-Identifier: Apache-2.0 */
/* pg_catalog.c - reads the tables that the role may read, and what else it may do. Tests:
 * tests/exec/sql/pg_test.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "database/catalog_build.h"
#include "database/samples.h"
#include "exec/sql/pg_int.h"

/* The tables of users that the role may read. Names in the search path need no schema. */
#define TABLES "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
#define READABLE                                                                                   \
    "c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition "                             \
    "AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' "                       \
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT') "
#define SCHEMA "CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname::text END"
#define ORDER  "ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname, c.relname"

/* The columns of an index are counted from 0. */
static const char column_query[] =
    "SELECT " SCHEMA ", c.relname, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN "
    "'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END, "
    "obj_description(c.oid, 'pg_class'), c.reltuples::bigint, a.attname, "
    "format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(c.oid, a.attnum), "
    "array_position((SELECT i.indkey::int2[] FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid "
    "AND i.indisprimary), a.attnum) + 1 FROM " TABLES
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT "
    "a.attisdropped WHERE " READABLE "AND has_column_privilege(c.oid, a.attnum, 'SELECT') " ORDER
    ", a.attnum LIMIT $1";

/* The pairs of columns of all foreign keys whose columns the role may read. */
static const char link_query[] =
    "SELECT " SCHEMA ", c.relname, u.i = 1, CASE WHEN pg_table_is_visible(d.oid) THEN '' ELSE "
    "m.nspname::text END, d.relname, a.attname, b.attname FROM " TABLES
    "JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'f' AND "
    "k.conparentid = 0 "
    "JOIN pg_catalog.pg_class d ON d.oid = k.confrelid "
    "JOIN pg_catalog.pg_namespace m ON m.oid = d.relnamespace "
    "CROSS JOIN unnest(k.conkey, k.confkey) WITH ORDINALITY AS u (f, t, i) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.f "
    "JOIN pg_catalog.pg_attribute b ON b.attrelid = d.oid AND b.attnum = u.t "
    "WHERE " READABLE "AND NOT EXISTS (SELECT 1 FROM unnest(k.conkey) x "
    "WHERE NOT has_column_privilege(c.oid, x, 'SELECT')) " ORDER ", k.oid, u.i";

/* ---- reading ---- */

typedef struct catalog_reader {
    haft__pg_session session;
    PGresult *columns, *links;
    int link; /* the next pair */
    haft__catalog_builder builder;
} catalog_reader;

/* The numbers of the columns of column_query. */
enum {
    AT_SCHEMA,
    AT_TABLE,
    AT_KIND,
    AT_COMMENT,
    AT_ROWS,
    AT_NAME,
    AT_TYPE,
    AT_NULL,
    AT_ABOUT,
    AT_KEY
};
/* ... of link_query, after schema and table. */
enum { AT_FIRST = 2, AT_TO_SCHEMA, AT_TO_TABLE, AT_FROM, AT_TO };

static haft_str column_at(const catalog_reader *r, int row, int column)
{
    return haft__pg_text(&r->session, r->columns, row, column);
}

static haft_str link_at(const catalog_reader *r, int column)
{
    return haft__pg_text(&r->session, r->links, r->link, column);
}

static bool is_same_table(const catalog_reader *r, int a, int b)
{
    return haft__str_equal(column_at(r, a, AT_SCHEMA), column_at(r, b, AT_SCHEMA))
           && haft__str_equal(column_at(r, a, AT_TABLE), column_at(r, b, AT_TABLE));
}

static const char *kind_of(haft_str kind)
{
    static const char *const kinds[] = {"view", "materialized view", "foreign table"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(kind, haft__str(kinds[i]))) {
            return kinds[i];
        }
    }
    return "table";
}

static haft_status begin_table(catalog_reader *r, int row, haft_error *err)
{
    uint64_t rows = 0;
    haft_status status = haft__catalog_add_table(
        &r->builder, column_at(r, row, AT_SCHEMA), column_at(r, row, AT_TABLE),
        kind_of(column_at(r, row, AT_KIND)), column_at(r, row, AT_COMMENT), err);
    /* -1: never analysed. A view has 0. */
    if (status == HAFT_OK && haft__str_to_u64(column_at(r, row, AT_ROWS), &rows)
        && (rows > 0 || strcmp(kind_of(column_at(r, row, AT_KIND)), "table") == 0)) {
        haft__catalog_set_rows(&r->builder, rows);
    }
    return status;
}

static haft_status add_column(catalog_reader *r, int row, haft_error *err)
{
    uint64_t key = 0;
    (void)haft__str_to_u64(column_at(r, row, AT_KEY), &key);
    haft__catalog_column column = {
        .name = column_at(r, row, AT_NAME),
        .type = column_at(r, row, AT_TYPE),
        .comment = column_at(r, row, AT_ABOUT),
        .key = (uint32_t)key,
        .not_null = haft__str_equal(column_at(r, row, AT_NULL), HAFT__LIT("t")),
    };
    return haft__catalog_add_column(&r->builder, &column, err);
}

/* Adds the keys of the table in this row. Both results are in the same order. */
static haft_status add_links(catalog_reader *r, int row, haft_error *err)
{
    haft_status status = HAFT_OK;
    int count = r->session.lib->ntuples(r->links);
    while (status == HAFT_OK && r->link < count
           && haft__str_equal(link_at(r, AT_SCHEMA), column_at(r, row, AT_SCHEMA))
           && haft__str_equal(link_at(r, AT_TABLE), column_at(r, row, AT_TABLE))) {
        bool first = haft__str_equal(link_at(r, AT_FIRST), HAFT__LIT("t"));
        status = haft__catalog_add_link(&r->builder, first, link_at(r, AT_TO_SCHEMA),
                                        link_at(r, AT_TO_TABLE), link_at(r, AT_FROM),
                                        link_at(r, AT_TO), err);
        r->link++;
    }
    return status;
}

static haft_status read_samples(catalog_reader *r, int row, haft_error *err)
{
    haft__samples samples;
    haft__buf text;
    PGresult *result = NULL;
    const haft__libpq *lib = r->session.lib;
    haft__buf_init(&text, HAFT__LIMIT_SQL_QUERY_BYTES);
    haft_status status = haft__samples_begin(&samples, &r->builder, column_at(r, row, AT_SCHEMA),
                                             column_at(r, row, AT_TABLE), &text, err);
    if (status == HAFT_OK && samples.count > 0) {
        haft__buf_add_char(&text, '\0');
        status = haft__pg_session_run(&r->session, text.ptr, NULL, &result, NULL, err);
    }
    int rows = status == HAFT_OK && result != NULL ? lib->ntuples(result) : 0;
    for (int i = 0; i < rows; i++) {
        for (size_t k = 0; k < samples.count; k++) {
            haft__samples_add(&samples, k, haft__pg_text(&r->session, result, i, (int)k));
        }
    }
    lib->clear(result);
    haft__buf_finish(&text);
    return status == HAFT_OK ? haft__samples_end(&samples, err) : status;
}

static haft_status end_table(catalog_reader *r, int row, haft_error *err)
{
    bool table = strcmp(kind_of(column_at(r, row, AT_KIND)), "table") == 0;
    haft_status status = add_links(r, row, err);
    return status == HAFT_OK && table && r->session.request->database->samples
               ? read_samples(r, row, err)
               : status;
}

static haft_status build(catalog_reader *r, haft_error *err)
{
    haft_status status = HAFT_OK;
    int count = r->session.lib->ntuples(r->columns);
    for (int row = 0; status == HAFT_OK && row < count && !haft__catalog_is_full(&r->builder);
         row++) {
        if (row == 0 || !is_same_table(r, row - 1, row)) {
            status = begin_table(r, row, err);
        }
        if (status == HAFT_OK) {
            status = add_column(r, row, err);
        }
        if (status == HAFT_OK && (row + 1 == count || !is_same_table(r, row, row + 1))) {
            status = end_table(r, row, err);
        }
    }
    return status;
}

static haft_status run_catalog(catalog_reader *r, haft_error *err)
{
    char limit[32];
    (void)snprintf(limit, sizeof(limit), "%d", HAFT__LIMIT_SQL_COLUMNS + 1);
    const char *const texts[] = {limit};
    haft_status status = haft__pg_session_run(&r->session, column_query,
                                              &(haft__pg_values){texts, 1}, &r->columns, NULL, err);
    if (status == HAFT_OK) {
        status = haft__pg_session_run(&r->session, link_query, NULL, &r->links, NULL, err);
    }
    return status == HAFT_OK ? build(r, err) : status;
}

haft_status haft__pg_read_catalog(const haft__sql_request *request, haft_str place,
                                  haft__arena *arena, haft__catalog *ret_catalog, haft_error *err)
{
    catalog_reader r = {.link = 0};
    haft__catalog_builder_init(&r.builder, arena);
    haft_status status = haft__pg_session_open(&r.session, request, place, err);
    if (status == HAFT_OK) {
        status = run_catalog(&r, err);
        r.session.lib->clear(r.columns);
        r.session.lib->clear(r.links);
    }
    haft__pg_session_close(&r.session);
    return status == HAFT_OK ? haft__catalog_build(&r.builder, ret_catalog, err) : status;
}

/* ---- one text ---- */

/* Runs a query with one text as its result. */
static haft_status read_text(const haft__sql_request *request, haft_str place, const char *sql,
                             char *to, size_t size, haft_error *err)
{
    haft__pg_session session;
    PGresult *result = NULL;
    haft_status status = haft__pg_session_open(&session, request, place, err);
    if (status == HAFT_OK) {
        status = haft__pg_session_run(&session, sql, NULL, &result, NULL, err);
    }
    if (status == HAFT_OK) {
        (void)snprintf(to, size, "%.*s", HAFT__ARG(haft__pg_text(&session, result, 0, 0)));
        session.lib->clear(result);
    }
    haft__pg_session_close(&session);
    return status;
}

/* A digest of everything that the catalog shows, except the estimates of rows. */
haft_status haft__pg_read_version(const haft__sql_request *request, haft_str place,
                                  char ret_version[HAFT__SQL_VERSION_BYTES], haft_error *err)
{
    static const char sql[] =
        "SELECT md5(coalesce(string_agg(concat_ws(' ', c.oid, c.relname, n.nspname, a.attnum, "
        "a.attname, a.atttypid, a.atttypmod, a.attnotnull, c.relacl::text, a.attacl::text), ',' "
        "ORDER BY c.oid, a.attnum), '')) "
        "|| (SELECT count(*) || '.' || coalesce(max(oid::bigint), 0) FROM "
        "pg_catalog.pg_constraint) "
        "|| (SELECT md5(coalesce(string_agg(d.objoid || ' ' || d.objsubid || d.description, ',' "
        "ORDER BY d.objoid, d.objsubid), '')) FROM pg_catalog.pg_description d WHERE d.objoid >= "
        "16384) FROM " TABLES "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > "
        "0 WHERE " READABLE;
    return read_text(request, place, sql, ret_version, HAFT__SQL_VERSION_BYTES, err);
}

haft_status haft__pg_find_risk(const haft__sql_request *request, haft_str place,
                               char ret_risk[HAFT__SQL_RISK_BYTES], haft_error *err)
{
    static const char sql[] =
        "SELECT coalesce((SELECT 'the role ' || current_user || ' may write, for example to ' || "
        "c.relname FROM " TABLES
        "WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> "
        "'information_schema' AND has_schema_privilege(n.oid, 'USAGE') AND "
        "has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') ORDER BY c.oid LIMIT 1), "
        "(SELECT 'the role ' || current_user || ' may create databases or roles' FROM "
        "pg_catalog.pg_roles WHERE rolname = current_user AND (rolcreatedb OR rolcreaterole)), '')";
    return read_text(request, place, sql, ret_risk, HAFT__SQL_RISK_BYTES, err);
}
