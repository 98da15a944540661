/* SPDX-License-Identifier: Apache-2.0 */
/* exec/sql/sqlite_int.h - a guarded connection to an SQLite file. Private to its folder. */
#ifndef HAFT_EXEC_SQL_SQLITE_INT_H
#define HAFT_EXEC_SQL_SQLITE_INT_H

#include <sqlite3.h>

#include "base/map.h"
#include "exec/sql/sql_int.h"

typedef enum haft__sqlite_end {
    HAFT__SQLITE_RUNNING,
    HAFT__SQLITE_STOPPED,   /* from another thread */
    HAFT__SQLITE_TIMED_OUT, /* the deadline passed */
    HAFT__SQLITE_MEMORY,    /* the queries of this process use too much memory */
} haft__sqlite_end;

typedef struct haft__sqlite_guarded {
    sqlite3 *db;
    const haft__sql_request *request;
    haft__arena arena;
    const char *path;
    haft__map tables;     /* of names in lower case; the value is not NULL for a virtual table */
    uint64_t deadline_ms; /* on the monotonic clock */
    haft__sqlite_end end; /* why the query was interrupted */
    char denied[128];     /* what the authorizer denied first; "": nothing */
    bool hidden;          /* it is a table or column that the spec does not show */
} haft__sqlite_guarded;

/* Opens the file with everything that does not depend on the query: read-only, no extensions, small
 * limits, the deadline. It allows every statement until haft__sqlite_guard. The caller calls
 * haft__sqlite_guarded_close in any case. */
HAFT_MUST_USE haft_status haft__sqlite_guarded_open(haft__sqlite_guarded *guarded,
                                                    const haft__sql_request *request, haft_str file,
                                                    haft_error *err);
void haft__sqlite_guarded_close(haft__sqlite_guarded *guarded);

/* The error for a result code. `where` "/query" if the author of the query can repair it. */
haft_status haft__sqlite_guarded_fail(haft__sqlite_guarded *guarded, int code, haft_error *err);

/* ---- sqlite_guard.c ---- */

/* From now on, statements are denied unless they only read what the spec shows. */
HAFT_MUST_USE haft_status haft__sqlite_guard(haft__sqlite_guarded *guarded, haft_error *err);

/* Reads the names of the tables of the file; haft__sqlite_guard does it, too. */
HAFT_MUST_USE haft_status haft__sqlite_read_names(haft__sqlite_guarded *guarded, haft_error *err);

/* Whether the table is in the file and the spec shows it. */
bool haft__sqlite_shows_table(const haft__sqlite_guarded *guarded, haft_str table);

/* ---- sqlite_functions.c ---- */

/* Replaces functions of SQLite whose time is not linear: nothing interrupts a call of a function.
 */
int haft__sqlite_replace_functions(sqlite3 *db);

/* Whether queries may call the function. */
bool haft__sqlite_allows_function(const char *name);

/* ---- sqlite_catalog.c ---- */

HAFT_MUST_USE haft_status haft__sqlite_read_catalog(const haft__sql_request *request,
                                                    haft_str place, haft__arena *arena,
                                                    haft__catalog *ret_catalog, haft_error *err);
HAFT_MUST_USE haft_status haft__sqlite_read_version(const haft__sql_request *request,
                                                    haft_str place,
                                                    char ret_version[HAFT__SQL_VERSION_BYTES],
                                                    haft_error *err);

#endif
