/* SPDX-License-Identifier: Apache-2.0 */
/* database/catalog_build.h - builds a catalog, table by table. Texts are copied. Tables and columns
 * past HAFT__LIMIT_SQL_TABLES and HAFT__LIMIT_SQL_COLUMNS are left out. */
#ifndef HAFT_DATABASE_CATALOG_BUILD_H
#define HAFT_DATABASE_CATALOG_BUILD_H

#include "database/catalog.h"

typedef struct haft__catalog_builder {
    haft__arena *arena;
    haft__catalog_table *tables;
    haft__catalog_column *columns; /* of all tables, in their order */
    haft__catalog_link *links;
    size_t table_count, table_capacity, column_count, column_capacity, link_count, link_capacity;
    bool cut;
} haft__catalog_builder;

void haft__catalog_builder_init(haft__catalog_builder *builder, haft__arena *arena);

/* Whether no further table can be added. */
bool haft__catalog_is_full(const haft__catalog_builder *builder);

/* Adds a table; the columns and links that follow belong to it. `kind` is a literal. */
HAFT_MUST_USE haft_status haft__catalog_add_table(haft__catalog_builder *builder, haft_str schema,
                                                  haft_str name, const char *kind, haft_str comment,
                                                  haft_error *err);
HAFT_MUST_USE haft_status haft__catalog_add_column(haft__catalog_builder *builder,
                                                   const haft__catalog_column *column,
                                                   haft_error *err);

/* Adds a pair of columns to a foreign key; `first`: it begins a new key. */
HAFT_MUST_USE haft_status haft__catalog_add_link(haft__catalog_builder *builder, bool first,
                                                 haft_str schema, haft_str table, haft_str column,
                                                 haft_str target, haft_error *err);
void haft__catalog_set_rows(haft__catalog_builder *builder, uint64_t rows);

/* The columns of the last table, so far; NULL if it was left out. Valid until the next call. */
haft__catalog_column *haft__catalog_last_columns(haft__catalog_builder *builder, size_t *ret_count);

/* Finds the tables that foreign keys refer to. */
HAFT_MUST_USE haft_status haft__catalog_build(haft__catalog_builder *builder,
                                              haft__catalog *ret_catalog, haft_error *err);

#endif
