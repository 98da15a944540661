/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/sql/sql.h - runs a read-only query on a database, and reads its schema. The functions block;
 * call them from a thread that may wait. docs/databases.md says what is guaranteed.
 */
#ifndef HAFT_EXEC_SQL_SQL_H
#define HAFT_EXEC_SQL_SQL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "database/catalog.h"
#include "database/database.h"
#include "database/rows.h"
#include "json/value.h"

/* Stops a call from another thread. Zero it, except for the lock. */
typedef struct haft__sql_stop {
    atomic_bool requested;
    pthread_mutex_t lock;            /* of the members below */
    void (*interrupt)(void *handle); /* interrupts what is running; NULL: nothing is running */
    void *handle;
} haft__sql_stop;

#define HAFT__SQL_STOP_INIT                                                                        \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* Makes the call end soon with BAD_STATE. From any thread, any number of times. */
void haft__sql_stop_request(haft__sql_stop *stop);

/* Everything is borrowed. Each call has its own connection, which nothing else uses. */
typedef struct haft__sql_request {
    const haft__database *database;
    haft_str url;       /* expanded; it may have a password */
    haft_str spec_path; /* the path of a file is relative to it */
    haft_str query;
    haft__json parameters; /* an array, or null */
    haft__sql_stop *stop;  /* may be NULL */
} haft__sql_request;

/* Runs one statement that only reads, and writes its rows. Errors that the author of the query can
 * repair have `where` "/query" or "/parameters"; TOO_BIG after the timeout of the database. */
HAFT_MUST_USE haft_status haft__sql_query(const haft__sql_request *request, haft__rows *rows,
                                          haft_error *err);

/* Reads the tables that the request may read, in the arena. `request->query` is not used. */
HAFT_MUST_USE haft_status haft__sql_read_catalog(const haft__sql_request *request,
                                                 haft__arena *arena, haft__catalog *ret_catalog,
                                                 haft_error *err);

/* Finds a right of the role that a query does not need: "the role app may write, for example to
 * orders"; "" if there is none. */
#define HAFT__SQL_RISK_BYTES 160
HAFT_MUST_USE haft_status haft__sql_find_risk(const haft__sql_request *request,
                                              char ret_risk[HAFT__SQL_RISK_BYTES], haft_error *err);

/* Reads a text that changes when the schema changes; NUL-terminated. */
#define HAFT__SQL_VERSION_BYTES 96
HAFT_MUST_USE haft_status haft__sql_read_version(const haft__sql_request *request,
                                                 char ret_version[HAFT__SQL_VERSION_BYTES],
                                                 haft_error *err);

#endif
