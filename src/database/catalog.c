/* SPDX-License-Identifier: Apache-2.0 */
/* catalog.c - writes tables for a small model, in words that it knows from SQL. Tests:
 * tests/database/catalog_test.c. */
#include "database/catalog.h"

#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

size_t haft__catalog_find(const haft__catalog *catalog, haft_str schema, haft_str name)
{
    size_t i = 0;
    while (i < catalog->count
           && !(haft__str_equal_ignore_case(catalog->tables[i].name, name)
                && haft__str_equal_ignore_case(catalog->tables[i].schema, schema))) {
        i++;
    }
    return i;
}

/* ---- names ---- */

/* The words that SQLite or PostgreSQL do not accept as names without quotes. */
static bool is_reserved(haft_str name)
{
    static const char *const words[] = {"add",
                                        "all",
                                        "alter",
                                        "analyse",
                                        "analyze",
                                        "and",
                                        "any",
                                        "array",
                                        "as",
                                        "asc",
                                        "asymmetric",
                                        "authorization",
                                        "autoincrement",
                                        "between",
                                        "binary",
                                        "both",
                                        "case",
                                        "cast",
                                        "check",
                                        "collate",
                                        "collation",
                                        "column",
                                        "commit",
                                        "concurrently",
                                        "constraint",
                                        "create",
                                        "cross",
                                        "current_catalog",
                                        "current_date",
                                        "current_role",
                                        "current_schema",
                                        "current_time",
                                        "current_timestamp",
                                        "current_user",
                                        "default",
                                        "deferrable",
                                        "delete",
                                        "desc",
                                        "distinct",
                                        "do",
                                        "drop",
                                        "else",
                                        "end",
                                        "escape",
                                        "except",
                                        "exists",
                                        "false",
                                        "fetch",
                                        "for",
                                        "foreign",
                                        "freeze",
                                        "from",
                                        "full",
                                        "glob",
                                        "grant",
                                        "group",
                                        "having",
                                        "if",
                                        "ilike",
                                        "in",
                                        "index",
                                        "initially",
                                        "inner",
                                        "insert",
                                        "intersect",
                                        "into",
                                        "is",
                                        "isnull",
                                        "join",
                                        "lateral",
                                        "leading",
                                        "left",
                                        "like",
                                        "limit",
                                        "localtime",
                                        "localtimestamp",
                                        "match",
                                        "natural",
                                        "not",
                                        "nothing",
                                        "notnull",
                                        "null",
                                        "offset",
                                        "on",
                                        "only",
                                        "or",
                                        "order",
                                        "outer",
                                        "overlaps",
                                        "placing",
                                        "primary",
                                        "raise",
                                        "references",
                                        "regexp",
                                        "returning",
                                        "right",
                                        "select",
                                        "session_user",
                                        "set",
                                        "similar",
                                        "some",
                                        "symmetric",
                                        "table",
                                        "tablesample",
                                        "then",
                                        "to",
                                        "trailing",
                                        "transaction",
                                        "true",
                                        "union",
                                        "unique",
                                        "update",
                                        "user",
                                        "using",
                                        "values",
                                        "variadic",
                                        "verbose",
                                        "when",
                                        "where",
                                        "window",
                                        "with"};
    return haft__str_is_one_of(name, words, COUNT(words));
}

/* PostgreSQL turns a name without quotes to lower case, so one with other letters needs them. */
static bool is_plain_name(haft_str name)
{
    bool plain = name.len > 0 && !haft__ascii_is_digit(name.ptr[0]);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        plain &= haft__ascii_is_lower(c) || haft__ascii_is_digit(c) || c == '_';
    }
    return plain && !is_reserved(name);
}

/* Control characters and bytes that are not UTF-8 are shown as escapes, so that no name can look
 * like another line; such a name cannot be used from what is shown. */
void haft__catalog_write_name(haft__buf *buf, haft_str name)
{
    if (is_plain_name(name)) {
        haft__buf_add_str(buf, name);
        return;
    }
    haft__buf_add_char(buf, '"');
    while (name.len > 0) {
        char first[HAFT__ESCAPE_BYTES];
        size_t used = 0;
        size_t length = haft__escape_first(name, first, &used);
        haft__buf_add_str(buf, name.ptr[0] == '"' ? HAFT__LIT("\"") : HAFT__LIT(""));
        haft__buf_add(buf, first, length);
        name = haft__str_skip(name, used);
    }
    haft__buf_add_char(buf, '"');
}

void haft__catalog_write_table_name(haft__buf *buf, haft_str schema, haft_str name)
{
    if (schema.len > 0) {
        haft__catalog_write_name(buf, schema);
        haft__buf_add_char(buf, '.');
    }
    haft__catalog_write_name(buf, name);
}

/* ---- tables ---- */

static void write_comment(haft__buf *buf, haft_str comment)
{
    haft_str shown = haft__str_trim(comment);
    if (shown.len > HAFT__LIMIT_SQL_CELL_BYTES) {
        shown.len = haft__utf8_floor(shown, HAFT__LIMIT_SQL_CELL_BYTES);
    }
    if (shown.len > 0) {
        haft__buf_add_str(buf, HAFT__LIT(" -- "));
        haft__escape_add(buf, shown);
    }
}

/* "about 1200 rows": two digits say enough. */
static void write_rows(haft__buf *buf, const haft__catalog_table *table)
{
    uint64_t rows = table->rows, unit = 1;
    while (rows / unit >= 100) {
        unit *= 10;
    }
    if (!table->has_rows) {
        return;
    }
    haft__buf_addf(buf, ", %s%llu row%s", rows >= 100 ? "about " : "",
                   (unsigned long long)(rows / unit * unit), rows == 1 ? "" : "s");
}

/* The foreign key that has only this column; NULL if there is none. */
static const haft__catalog_link *find_link(const haft__catalog_table *table, haft_str column)
{
    for (size_t i = 0; i < table->link_count; i++) {
        const haft__catalog_link *link = &table->links[i];
        if (link->count == 1 && haft__str_equal_ignore_case(link->columns[0], column)) {
            return link;
        }
    }
    return NULL;
}

static void write_column(haft__buf *buf, const haft__catalog_table *table,
                         const haft__catalog_column *column)
{
    const haft__catalog_link *link = find_link(table, column->name);
    haft__buf_add_str(buf, HAFT__LIT("  "));
    haft__catalog_write_name(buf, column->name);
    if (column->type.len > 0) {
        haft__buf_add_char(buf, ' ');
        haft__escape_add(buf, column->type);
    }
    if (column->key > 0) {
        haft__buf_add_str(buf, HAFT__LIT(" primary key"));
    } else if (column->not_null) {
        haft__buf_add_str(buf, HAFT__LIT(" not null"));
    }
    if (link != NULL) {
        haft__buf_add_str(buf, HAFT__LIT(" references "));
        haft__catalog_write_table_name(buf, link->schema, link->table);
    }
    write_comment(buf, column->comment);
    if (column->samples.len > 0) {
        haft__buf_add_str(buf, column->comment.len > 0 ? HAFT__LIT("; such as ")
                                                       : HAFT__LIT(" -- such as "));
        haft__buf_add_str(buf, column->samples);
    }
    haft__buf_add_char(buf, '\n');
}

void haft__catalog_write_table(haft__buf *buf, const haft__catalog_table *table, size_t max_columns)
{
    haft__buf_addf(buf, "%s ", table->kind);
    haft__catalog_write_table_name(buf, table->schema, table->name);
    write_rows(buf, table);
    write_comment(buf, table->comment);
    haft__buf_add_char(buf, '\n');
    size_t hidden = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const haft__catalog_column *column = &table->columns[i];
        /* Keys are always shown: joins need them. */
        if (i < max_columns || column->key > 0 || find_link(table, column->name) != NULL) {
            write_column(buf, table, column);
        } else {
            hidden++;
        }
    }
    if (hidden > 0) {
        haft__buf_addf(buf, "  (%zu more columns)\n", hidden);
    }
}
