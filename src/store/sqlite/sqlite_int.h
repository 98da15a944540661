/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/sqlite/sqlite_int.h - declarations that the files of the SQLite store share.
 *
 * The store has two threads, each with its own connection: one writes, with many requests per
 * transaction; one reads. The loop's thread only opens and closes the store and passes requests to
 * these threads.
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
    sqlite3_stmt *statements[HAFT__SQLITE_STMT_COUNT]; /* prepared on first use */
    int wal_pages;          /* in the write-ahead log after the last commit */
    int system;             /* errno of the last failure, or 0 */
    uint64_t busy_ms;       /* how long to wait for a lock */
    uint64_t wait_until_ms; /* end of the current wait for a lock */
    uint64_t random;        /* jitter, so that two processes do not retry in step */
    bool full;              /* the disk was full at the last write */
    bool busy;              /* the wait for a lock of another connection timed out */
    bool modified;          /* rows may have changed after this flag was cleared */
    bool immutable;         /* open without locks: the mode of the journal cannot be read */
} haft__sqlite_connection;

/* Opens and configures a connection. A writer creates the tables if they do not exist. Retries for
 * HAFT__LIMIT_STORE_BUSY_MS while another process holds a lock. */
HAFT_MUST_USE haft_status haft__sqlite_connection_open(haft__sqlite_connection *connection,
                                                       const char *path, bool writer,
                                                       haft_error *err);

/* The reason why a database that can be read cannot be written. */
typedef enum haft__sqlite_write_bar {
    HAFT__SQLITE_BAR_NONE, /* no reason was found */
    HAFT__SQLITE_BAR_FILE_SYSTEM,
    HAFT__SQLITE_BAR_FILE,
    HAFT__SQLITE_BAR_DIRECTORY,
} haft__sqlite_write_bar;

haft__sqlite_write_bar haft__sqlite_find_write_bar(const char *path);

/* Opens a connection for reading although the disk is full or read-only. */
HAFT_MUST_USE haft_status haft__sqlite_connection_open_read_only(
    haft__sqlite_connection *connection, const char *path, haft_error *err);

/* May be called for a connection that was never opened. */
void haft__sqlite_connection_close(haft__sqlite_connection *connection);

/* Creates the directory and the file, accessible only to their owner, unless they exist. */
HAFT_MUST_USE haft_status haft__sqlite_file_create(const char *path, haft_error *err);

/* Identifies the file, creates the tables if it is new, and enables write-ahead logging. */
HAFT_MUST_USE haft_status haft__sqlite_schema_prepare(haft__sqlite_connection *connection,
                                                      haft_error *err);

/* Rolls back the transaction; does nothing if none is open. */
void haft__sqlite_connection_rollback(haft__sqlite_connection *connection);

/* Checks that the database is still the one that was opened: it was not moved and has no newer
 * version. */
HAFT_MUST_USE haft_status haft__sqlite_connection_check(haft__sqlite_connection *connection,
                                                        haft_error *err);

/* The error for an SQLite result code other than OK. */
haft_status haft__sqlite_fail(haft__sqlite_connection *connection, int code, haft_error *err);

/* The error for damaged data. `what` is a printf format. */
haft_status haft__sqlite_fail_damaged(const haft__sqlite_connection *connection, haft_error *err,
                                      const char *what, ...) HAFT__PRINTF(3, 4);
haft_status haft__sqlite_fail_run(const haft__sqlite_connection *connection, haft_str id,
                                  haft_error *err);

/* ---- one use of a statement (query.c) ---- */

/* Failures are sticky: the caller binds parameters, steps rows and reads columns without checking
 * each. haft__sqlite_query_end reports the first failure. */
typedef struct haft__sqlite_query {
    haft__sqlite_connection *connection;
    sqlite3_stmt *stmt;
    int code; /* SQLITE_OK, or the first failure */
    int at;   /* the last bound parameter, or the next column */
    haft__column_checks checks;
} haft__sqlite_query;

haft__sqlite_query haft__sqlite_query_begin(haft__sqlite_connection *connection,
                                            haft__sqlite_statement which);

/* Binds the next parameter. Texts are borrowed until the end of the query. */
void haft__sqlite_query_bind(haft__sqlite_query *query, haft_str text);
void haft__sqlite_query_bind_blob(haft__sqlite_query *query, haft_str bytes);
void haft__sqlite_query_bind_int(haft__sqlite_query *query,
                                 uint64_t number); /* at most INT64_MAX */

/* Steps to the next row; false at the end or after a failure. */
bool haft__sqlite_query_next(haft__sqlite_query *query);

/* Reads the next column of the row. A bad value reads as 0 or ""; haft__sqlite_query_end reports
 * it. */
uint64_t haft__sqlite_query_int(haft__sqlite_query *query);
haft_str haft__sqlite_query_text(haft__sqlite_query *query,
                                 size_t max_bytes); /* valid until the next row */
haft_str haft__sqlite_query_blob(haft__sqlite_query *query, size_t max_bytes);

/* Like haft__sqlite_query_text; the text is copied to the arena. */
haft_str haft__sqlite_query_copy(haft__sqlite_query *query, size_t max_bytes, haft__arena *arena);

/* Reads two columns, a SHA-256 and the content it must match. The content is copied to the
 * arena. */
haft_str haft__sqlite_query_content(haft__sqlite_query *query, haft__arena *arena,
                                    haft_str *ret_sha256);

HAFT_MUST_USE haft_status haft__sqlite_query_end(haft__sqlite_query *query, haft_error *err);

/* Runs a statement that returns no rows, and ends the query. */
HAFT_MUST_USE haft_status haft__sqlite_query_run(haft__sqlite_query *query, haft_error *err);

/* Like haft__sqlite_query_run, for a statement without parameters. */
HAFT_MUST_USE haft_status haft__sqlite_query_exec(haft__sqlite_connection *connection,
                                                  haft__sqlite_statement which, haft_error *err);

/* ---- a thread that performs requests (worker.c) ---- */

/* The maximum number of bytes of one row of events. A row is closed once it is long enough; the
 * event that closes it can have any allowed length. */
#define HAFT__SQLITE_ROW_BYTES (HAFT__LIMIT_STORE_TEXT_BYTES + 2 * HAFT__LIMIT_STORE_ROW_BYTES)

typedef struct haft__sqlite_worker {
    haft__store *store;
    haft__sqlite_connection connection;
    /* Performs the requests of the batch; moves unfinished ones to `unfinished`. */
    void (*perform)(struct haft__sqlite_worker *worker, haft__store_queue *batch);
    void (*idle)(struct haft__sqlite_worker *worker); /* called after the batch was reported */
    haft__store_queue unfinished;
    int reserve;        /* the reserve file's descriptor, or 0: see reserve.c */
    bool reserve_tried; /* allocation was tried */
    bool low;           /* the reserve is used up, and no space is left for a new one */
    haft__buf packed;   /* scratch: a packed row of events */
    haft__store_queue
        submitted;       /* requests of this round of the loop; used only by the loop's thread */
    haft__task handover; /* moves them to `queue` at the end of the round */
    pthread_t thread;
    bool started;
    _Atomic uint64_t commits;

    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t wake;
    haft__store_queue queue;
    bool closing;
} haft__sqlite_worker;

HAFT_MUST_USE haft_status haft__sqlite_worker_start(haft__sqlite_worker *worker, haft_error *err);
void haft__sqlite_worker_submit(haft__sqlite_worker *worker, haft__store_request *request);

/* Performs all submitted requests, ends the thread and closes the connection. May be called for a
 * worker that was never started. */
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

/* reserve.c: allocates a reserve of disk space, unless it exists or no space is left. */
void haft__sqlite_reserve_allocate(haft__sqlite_worker *worker);

/* Releases the reserve; false if none exists. After that, new work is rejected. */
bool haft__sqlite_reserve_release(haft__sqlite_worker *worker);

/* Whether a verb counts as new work and is rejected while space is low. */
bool haft__sqlite_reserve_rejects(const haft__sqlite_worker *worker, haft__store_verb verb);

/* The error "the disk is full". */
haft_status haft__sqlite_fail_disk_full(haft__sqlite_connection *connection, haft_error *err);

/* ---- verbs ---- */

typedef haft_status haft__sqlite_verb(haft__sqlite_worker *worker, haft__store_request *request,
                                      haft_error *err);

/* run.c */
haft__sqlite_verb haft__sqlite_create, haft__sqlite_append, haft__sqlite_claim, haft__sqlite_renew,
    haft__sqlite_release, haft__sqlite_remove;

/* doctor.c */
haft__sqlite_verb haft__sqlite_doctor;

/* Whether this many free bytes are enough for `haft doctor`. */
bool haft__sqlite_has_free_space(uint64_t bytes);

/* claim.c */
haft__sqlite_verb haft__sqlite_claim_next;

/* mailbox_cache.c */
haft__sqlite_verb haft__sqlite_send, haft__sqlite_cache_put;

/* gc.c: removes some runs; sets *ret_more if more are left. */
HAFT_MUST_USE haft_status haft__sqlite_gc(haft__sqlite_worker *worker, haft__store_request *request,
                                          bool *ret_more, haft_error *err);

HAFT_MUST_USE haft_status haft__sqlite_add_message(haft__sqlite_worker *worker, uint64_t number,
                                                   haft_str body, haft_error *err);

/* Returns the id of the blob with this content; adds the blob if it does not exist. */
HAFT_MUST_USE haft_status haft__sqlite_put_blob(haft__sqlite_worker *worker, haft_str sha256,
                                                haft_str content, uint64_t *ret_id,
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__sqlite_delete_run(haft__sqlite_worker *worker, uint64_t number,
                                                  haft_error *err);

/* list.c */
haft__sqlite_verb haft__sqlite_find, haft__sqlite_list, haft__sqlite_thread_history,
    haft__sqlite_predecessors;

/* Stores the row of run.id in found[0], if the request has an arena. */
HAFT_MUST_USE haft_status haft__sqlite_return_run(haft__sqlite_worker *worker,
                                                  haft__store_request *request, haft_error *err);

/* events.c */
haft__sqlite_verb haft__sqlite_read_events, haft__sqlite_receive, haft__sqlite_read_artifact,
    haft__sqlite_cache_get;

/* The columns of a run that a modification needs. */
typedef struct haft__sqlite_head {
    uint64_t number, bytes;
    haft__store_run run; /* id, state, seq, epoch, owner, lease_ms */
    haft__checksum_chain chain;
    char owner[HAFT__LIMIT_STORE_NAME_BYTES];
} haft__sqlite_head;

HAFT_MUST_USE haft_status haft__sqlite_read_head(haft__sqlite_worker *worker, haft_str id,
                                                 haft__sqlite_head *ret_head, haft_error *err);

#endif
