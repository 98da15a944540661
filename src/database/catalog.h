/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database/catalog.h - the schema of a database: tables, columns and keys, as an engine lists them.
 *
 * It is built by exec/sql and only read afterwards. All parts live in one arena.
 */
#ifndef HAFT_DATABASE_CATALOG_H
#define HAFT_DATABASE_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

typedef struct haft__catalog_column {
    haft_str name, type, comment; /* "": none */
    haft_str samples;             /* values of the column, as a model reads them; "": none */
    uint32_t key;                 /* position in the primary key, from 1; 0: not in it */
    bool not_null;
} haft__catalog_column;

/* A foreign key. */
typedef struct haft__catalog_link {
    const haft_str *columns; /* of this table */
    const haft_str *targets; /* of the other one; "": its primary key */
    size_t count;
    haft_str schema, table; /* of the other table */
    size_t to;              /* its index; the number of tables if it is not listed */
} haft__catalog_link;

typedef struct haft__catalog_table {
    haft_str schema; /* "": a query need not write it */
    haft_str name;
    const char *kind; /* "table", "view", "virtual table" */
    haft_str comment;
    const haft__catalog_column *columns;
    size_t column_count;
    const haft__catalog_link *links;
    size_t link_count;
    bool has_rows; /* `rows` is known: an estimate of the engine */
    uint64_t rows;
} haft__catalog_table;

typedef struct haft__catalog {
    const haft__catalog_table *tables;
    size_t count;
    size_t column_count; /* of all tables */
    bool cut;            /* it has more than HAFT__LIMIT_SQL_TABLES or _SQL_COLUMNS */
} haft__catalog;

/* The index of the table with this name, ASCII case ignored; `count` if there is none. */
size_t haft__catalog_find(const haft__catalog *catalog, haft_str schema, haft_str name);

/* Appends a name as a query writes it: in quotes if it needs them. */
void haft__catalog_write_name(haft__buf *buf, haft_str name);
void haft__catalog_write_table_name(haft__buf *buf, haft_str schema, haft_str name);

/* Appends a table with its columns, one a line. Past `max_columns`, only keys are shown. */
void haft__catalog_write_table(haft__buf *buf, const haft__catalog_table *table,
                               size_t max_columns);

/* Adds a hint to an error of a query: the table or column of the catalog that is nearest to the
 * name that the engine does not know. Does nothing for other errors. */
void haft__catalog_hint(const haft__catalog *catalog, haft_error *err);

#endif
