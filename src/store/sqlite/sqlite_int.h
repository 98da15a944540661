/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/sqlite/sqlite_int.h - what the files of the SQLite store share.
 *
 * Two threads, each with its own connection: one writes, many requests in a transaction; one reads.
 * The loop's thread only opens, hands over and closes.
 */
#ifndef HAFT_STORE_SQLITE_SQLITE_INT_H
#define HAFT_STORE_SQLITE_SQLITE_INT_H

#include <sqlite3.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/limits.h"
#include "store/backend.h"
#include "store/checksum_chain.h"
#include "store/column.h"
#include "store/sqlite/sql.h"

/* ---- a connection (connection.c, schema.c, error.c) ---- */

typedef struct haft__sqlite_connection {
    sqlite3 *db;
    const char *path;
    sqlite3_stmt *statements[HAFT__SQLITE_STMT_COUNT]; /* made when they are first used */
    int wal_pages;                                     /* in the log, after the last commit */
    int system;             /* the system's reason for the last failure, or 0 */
    uint64_t busy_ms;       /* how long a lock is waited for */
    uint64_t wait_until_ms; /* for the one that is waited for now */
    uint64_t random;        /* so that two do not wait in step */
    bool full;              /* the disk is, as far as is known */
    bool busy;              /* it was given up: somebody else has the lock */
    bool touched;           /* something may have been changed since it was set */
} haft__sqlite_connection;

/* Opens a connection and sets what must be set. A writer makes the tables if there are none. Tries
 * again for HAFT__LIMIT_STORE_BUSY_MS when somebody else is in the way. */
HAFT_MUST_USE haft_status haft__sqlite_connection_open(haft__sqlite_connection *connection,
                                                       const char *path, bool writer,
                                                       haft_error *err);

/* Whether the database is there to be read, but it or its folder cannot be written. */
bool haft__sqlite_file_is_read_only(const char *path);

/* Opens a connection for reading in spite of a disk that is full, or can only be read. */
HAFT_MUST_USE haft_status haft__sqlite_connection_open_read_only(
    haft__sqlite_connection *connection, const char *path, haft_error *err);

/* Fine when it was never opened. */
void haft__sqlite_connection_close(haft__sqlite_connection *connection);

/* Makes the folder and the file, for their owner alone, unless they are there. */
HAFT_MUST_USE haft_status haft__sqlite_file_create(const char *path, haft_error *err);

/* Finds out what the file is, makes the tables if it is new, and switches the log on. */
HAFT_MUST_USE haft_status haft__sqlite_schema_prepare(haft__sqlite_connection *connection,
                                                      haft_error *err);

/* Ends a transaction without a trace; fine when there is none. */
void haft__sqlite_connection_rollback(haft__sqlite_connection *connection);

/* Whether the database is what it was when it was opened: neither moved nor of a newer version. */
HAFT_MUST_USE haft_status haft__sqlite_connection_check(haft__sqlite_connection *connection,
                                                        haft_error *err);

/* The error for a result of SQLite that is not OK. */
haft_status haft__sqlite_fail(haft__sqlite_connection *connection, int code, haft_error *err);

/* The error for what cannot be as it was written. `what` is a printf format. */
haft_status haft__sqlite_fail_damaged(const haft__sqlite_connection *connection, haft_error *err,
                                      const char *what, ...) HAFT__PRINTF(3, 4);
haft_status haft__sqlite_fail_run(const haft__sqlite_connection *connection, haft_str id,
                                  haft_error *err);

/* ---- one use of a statement (query.c) ---- */

/* Failures are sticky: parameters are bound, rows are stepped and columns are read without asking,
 * and haft__sqlite_query_end tells the first thing that went wrong. */
typedef struct haft__sqlite_query {
    haft__sqlite_connection *connection;
    sqlite3_stmt *stmt;
    int code; /* SQLITE_OK, or what failed first */
    int at;   /* the parameter bound last, or the column read next */
    haft__column_checks checks;
} haft__sqlite_query;

haft__sqlite_query haft__sqlite_query_begin(haft__sqlite_connection *connection,
                                            haft__sqlite_statement which);

/* The next parameter. Texts are borrowed until the end. */
void haft__sqlite_query_bind(haft__sqlite_query *query, haft_str text);
void haft__sqlite_query_bind_blob(haft__sqlite_query *query, haft_str bytes);
void haft__sqlite_query_bind_int(haft__sqlite_query *query,
                                 uint64_t number); /* at most INT64_MAX */

/* The next row; false when there is none, or something failed. */
bool haft__sqlite_query_next(haft__sqlite_query *query);

/* The next column of the row. What is wrong is told by haft__sqlite_query_end and comes as nothing.
 */
uint64_t haft__sqlite_query_int(haft__sqlite_query *query);
haft_str haft__sqlite_query_text(haft__sqlite_query *query,
                                 size_t most); /* valid until the next row */
haft_str haft__sqlite_query_blob(haft__sqlite_query *query, size_t most);

/* The same in the arena. */
haft_str haft__sqlite_query_copy(haft__sqlite_query *query, size_t most, haft__arena *arena);

/* Two columns, a SHA-256 and the content that must have it; the content in the arena. */
haft_str haft__sqlite_query_content(haft__sqlite_query *query, haft__arena *arena,
                                    haft_str *ret_sha256);

HAFT_MUST_USE haft_status haft__sqlite_query_end(haft__sqlite_query *query, haft_error *err);

/* Steps a statement that gives no rows, and ends it. */
HAFT_MUST_USE haft_status haft__sqlite_query_run(haft__sqlite_query *query, haft_error *err);

/* One without parameters. */
HAFT_MUST_USE haft_status haft__sqlite_query_exec(haft__sqlite_connection *connection,
                                                  haft__sqlite_statement which, haft_error *err);

/* ---- a thread that performs requests (worker.c) ---- */

/* A row of events is closed when it is long enough, which an event of any length may make it. */
#define HAFT__SQLITE_ROW_BYTES (HAFT__LIMIT_STORE_TEXT_BYTES + 2 * HAFT__LIMIT_STORE_ROW_BYTES)

typedef struct haft__sqlite_worker {
    haft__store *store;
    haft__sqlite_connection connection;
    /* Performs the requests of the batch; those that are not finished are moved to `again`. */
    void (*perform)(struct haft__sqlite_worker *worker, haft__store_queue *batch);
    void (*idle)(struct haft__sqlite_worker *worker); /* after they were reported */
    haft__store_queue again;
    int reserve;             /* a file, or 0: reserve.c */
    bool reserve_tried, low; /* it was looked for; it is gone, and there is no room for another */
    haft__buf packed;        /* scratch: a row of events */
    haft__store_queue submitted; /* in this round of the loop, whose thread alone uses it */
    haft__task handover;         /* hands them over at its end */
    pthread_t thread;
    bool started;
    _Atomic uint64_t commits;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    haft__store_queue queue;
    bool closing;
} haft__sqlite_worker;

HAFT_MUST_USE haft_status haft__sqlite_worker_start(haft__sqlite_worker *worker, haft_error *err);
void haft__sqlite_worker_submit(haft__sqlite_worker *worker, haft__store_request *request);

/* Performs what was submitted, ends the thread and closes the connection. Fine when it was never
 * started. */
void haft__sqlite_worker_stop(haft__sqlite_worker *worker);

typedef struct haft__sqlite {
    haft__store store;
    char *path;
    haft__sqlite_worker writer, reader;
} haft__sqlite;

/* writer.c, reader.c */
void haft__sqlite_perform_writes(haft__sqlite_worker *worker, haft__store_queue *batch);
void haft__sqlite_checkpoint(haft__sqlite_worker *worker);
void haft__sqlite_perform_reads(haft__sqlite_worker *worker, haft__store_queue *batch);

/* reserve.c: takes room on the disk, if there is some and it has none ... */
void haft__sqlite_reserve_allocate(haft__sqlite_worker *worker);

/* ... and gives it back. False when there was none. No new work is taken then: ... */
bool haft__sqlite_reserve_release(haft__sqlite_worker *worker);

/* ... whether this is some. */
bool haft__sqlite_reserve_rejects(const haft__sqlite_worker *worker, haft__store_verb verb);

/* "The disk is full". */
haft_status haft__sqlite_fail_disk_full(haft__sqlite_connection *connection, haft_error *err);

/* ---- verbs ---- */

typedef haft_status haft__sqlite_verb(haft__sqlite_worker *worker, haft__store_request *request,
                                      haft_error *err);

/* run.c */
haft__sqlite_verb haft__sqlite_create, haft__sqlite_append, haft__sqlite_claim, haft__sqlite_renew,
    haft__sqlite_release, haft__sqlite_remove;

/* doctor.c */
haft__sqlite_verb haft__sqlite_doctor;

/* Whether a disk with so many free bytes is good enough. */
bool haft__sqlite_has_free_space(uint64_t bytes);

/* claim.c */
haft__sqlite_verb haft__sqlite_claim_next;

/* mailbox_cache.c */
haft__sqlite_verb haft__sqlite_send, haft__sqlite_cache_put;

/* gc.c: removes some runs; *ret_more when there are others. */
HAFT_MUST_USE haft_status haft__sqlite_gc(haft__sqlite_worker *worker, haft__store_request *request,
                                          bool *ret_more, haft_error *err);

/* The id of the blob with this content, which is added if it is not there. */
HAFT_MUST_USE haft_status haft__sqlite_put_blob(haft__sqlite_worker *worker, haft_str sha256,
                                                haft_str content, uint64_t *ret_id,
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__sqlite_delete_run(haft__sqlite_worker *worker, uint64_t number,
                                                  haft_error *err);

/* list.c */
haft__sqlite_verb haft__sqlite_find, haft__sqlite_list, haft__sqlite_thread_history,
    haft__sqlite_predecessors;

/* What is known of run.id into found[0], if there is an arena. */
HAFT_MUST_USE haft_status haft__sqlite_return_run(haft__sqlite_worker *worker,
                                                  haft__store_request *request, haft_error *err);

/* events.c */
haft__sqlite_verb haft__sqlite_read_events, haft__sqlite_receive, haft__sqlite_read_artifact,
    haft__sqlite_cache_get;

/* What must be known of a run to change it. */
typedef struct haft__sqlite_head {
    uint64_t number, bytes;
    haft__store_run run; /* id, state, seq, epoch, owner, lease_ms */
    haft__checksum_chain chain;
    char owner[HAFT__LIMIT_STORE_NAME_BYTES];
} haft__sqlite_head;

HAFT_MUST_USE haft_status haft__sqlite_read_head(haft__sqlite_worker *worker, haft_str id,
                                                 haft__sqlite_head *ret_head, haft_error *err);

#endif
