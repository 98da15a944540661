/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database/database.h - a database of a spec: its URL, its limits, and what a model may read of it.
 *
 * docs/databases.md describes the keys and what is guaranteed.
 */
#ifndef HAFT_DATABASE_DATABASE_H
#define HAFT_DATABASE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "haft.h"

typedef enum haft__database_engine {
    HAFT__DATABASE_SQLITE,
    HAFT__DATABASE_POSTGRES,
} haft__database_engine;

/* A list of patterns. A pattern that begins with `!` excludes; if all of them exclude, everything
 * else is included. */
typedef struct haft__database_filter {
    const haft_str *patterns;
    size_t count;
} haft__database_filter;

typedef struct haft__database {
    haft_str name;                 /* the key in `databases` */
    haft_str url;                  /* as written: ${VAR} is expanded when it is used */
    uint32_t rows, bytes;          /* of one result */
    uint64_t timeout_ms;           /* of one query */
    haft__database_filter tables;  /* names of tables */
    bool samples;                  /* search_schemas shows values of columns */
    haft__database_filter columns; /* TABLE.COLUMN */
} haft__database;

/* Finds the engine of an expanded URL. *ret_rest is the file for SQLite, the whole URL for
 * PostgreSQL. BAD_INPUT for any other URL. */
HAFT_MUST_USE haft_status haft__database_read_url(haft_str url, haft__database_engine *ret_engine,
                                                  haft_str *ret_rest, haft_error *err);

/* "SQLite", "PostgreSQL" */
const char *haft__database_engine_name(haft__database_engine engine);

/* Whether a text passes the filter. ASCII case is ignored, because SQL ignores it. A text that is
 * longer than any pattern can match passes only an empty filter. */
bool haft__database_filter_passes(const haft__database_filter *filter, haft_str text);

/* Whether a query may read the table, or the column. */
bool haft__database_shows_table(const haft__database *database, haft_str table);
bool haft__database_shows_column(const haft__database *database, haft_str table, haft_str column);

/* Whether the spec hides a part of the database. */
static inline bool haft__database_hides(const haft__database *database)
{
    return database->tables.count > 0 || database->columns.count > 0;
}

#endif
