/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/sql/schema_cache.h - the indexes of schemas that search_schemas uses. An index is built
 * again when the schema of one of its databases has changed. From any thread.
 */
#ifndef HAFT_EXEC_SQL_SCHEMA_CACHE_H
#define HAFT_EXEC_SQL_SCHEMA_CACHE_H

#include "base/hash.h"
#include "exec/sql/sql.h"

typedef struct haft__schema_cache haft__schema_cache;

HAFT_MUST_USE haft_status haft__schema_cache_create(haft__schema_cache **ret_cache,
                                                    haft_error *err);
void haft__schema_cache_destroy(haft__schema_cache *cache);

/* A search in all databases of a spec. Everything is borrowed. */
typedef struct haft__schema_query {
    const haft__sql_request *requests; /* one for each database */
    size_t count;
    haft_str query;
    uint64_t limit;
} haft__schema_query;

/* Appends the tables that the query is about. A database that cannot be read is named in the
 * result; IO if none can be read. *ret_columns: the number of columns of all databases; may be
 * NULL. */
HAFT_MUST_USE haft_status haft__schema_cache_search(haft__schema_cache *cache,
                                                    const haft__schema_query *query,
                                                    haft__buf *result, size_t *ret_columns,
                                                    haft_error *err);

#endif
