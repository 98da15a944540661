/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database/catalog_search.h - finds the tables that a question is about, and writes them with the
 * joins between them. The index is that of tool search: tool/index/search.h.
 */
#ifndef HAFT_DATABASE_CATALOG_SEARCH_H
#define HAFT_DATABASE_CATALOG_SEARCH_H

#include "database/catalog.h"
#include "tool/index/search.h"

/* The tables of one database. */
typedef struct haft__catalog_source {
    haft_str database; /* its name */
    haft__catalog catalog;
    haft_str problem; /* why its tables could not be read; "": they were read */
} haft__catalog_source;

/* Adds all tables to an empty index. */
HAFT_MUST_USE haft_status haft__catalog_index(const haft__catalog_source *sources, size_t count,
                                              haft__search_index *index, haft_error *err);

/* Appends the best `limit` tables at most for the query (0: HAFT__LIMIT_SQL_FOUND_DEFAULT), with
 * their columns, and the joins along foreign keys. */
HAFT_MUST_USE haft_status haft__catalog_search(const haft__catalog_source *sources, size_t count,
                                               const haft__search_index *index, haft_str query,
                                               uint64_t limit, haft__buf *result, haft_error *err);

/* ---- catalog_joins.c ---- */

/* Appends the shortest joins that connect the tables (indexes of `catalog`), one condition a line:
 * "orders.customer_id = customers.id". At most HAFT__LIMIT_SQL_JOIN_TABLES other tables are between
 * two of them. */
HAFT_MUST_USE haft_status haft__catalog_write_joins(const haft__catalog *catalog,
                                                    const size_t *tables, size_t count,
                                                    haft__buf *result, haft_error *err);

#endif
