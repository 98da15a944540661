/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/postgres/postgres_int.h - declarations that the files of the PostgreSQL store share.
 *
 * The store has two connections, both on the loop: one writes, one reads. A request becomes a job.
 * Queued jobs share one transaction. A job runs in stages: the statements of one stage are sent
 * together with those of the other jobs, and the next step of the job reads the answers.
 */
#ifndef HAFT_STORE_POSTGRES_POSTGRES_INT_H
#define HAFT_STORE_POSTGRES_POSTGRES_INT_H

#include "base/buf.h"
#include "base/limits.h"
#include "io/libpq.h"
#include "io/poll.h"
#include "store/backend.h"
#include "store/checksum_chain.h"
#include "store/column.h"
#include "store/postgres/sql.h"

typedef struct haft__pg haft__pg;
typedef struct haft__pg_connection haft__pg_connection;
typedef struct haft__pg_job haft__pg_job;

/* Processes the answers of the previous stage. It either sends more statements and sets job->next,
 * or completes the job. A failure rejects the request. */
typedef haft_status haft__pg_step(haft__pg_job *job, haft_error *err);

/* The answers of one stage that a step can read. Further answers are only checked for failure. */
#define HAFT__PG_ANSWERS 4

struct haft__pg_job {
    haft__store_request *request; /* NULL: the store's own job that creates the tables */
    haft__pg_connection *connection;
    haft__pg_step *start, *next;
    PGresult *answers[HAFT__PG_ANSWERS];
    unsigned sent_count, answer_count; /* statements of this stage; answers that have arrived */
    unsigned tries;       /* transactions with this job that were lost or rolled back */
    uint64_t deadline_ms; /* on the loop's clock */
    uint64_t locked_ms;   /* end of the wait for a lock; 0: the job waits for no lock */
    struct {
        uint64_t found, removed, updated, number;
    } gc; /* results of this part of a GC; valid once it is committed */
    struct {
        uint64_t epoch; /* 0: nothing claimed yet */
        char id[32];
        size_t id_len;
    } claimed;             /* the run that a CLAIM_NEXT found, possibly in a lost transaction */
    bool commit_uncertain; /* a commit with this job was lost: a CREATE may find its run already
                            * stored */
    bool probes_reader;    /* a CLAIM_NEXT that first checks that the read connection works */
    bool modified;         /* the job sent a modification in this transaction */
    bool finished;         /* its status is final once the transaction is committed */
    bool continues;        /* the rest of its work needs another transaction */
    bool own_transaction;  /* needs its own transaction: a shared one failed or might fail */
    haft_status status;
    haft_error error;
    haft__pg_job *next_job;
};

typedef struct haft__pg_jobs {
    haft__pg_job *first, **end;
} haft__pg_jobs;

typedef enum haft__pg_phase {
    HAFT__PG_CLOSED,       /* not connected */
    HAFT__PG_CONNECTING,   /* libpq is connecting */
    HAFT__PG_IDLE,         /* connected, no transaction */
    HAFT__PG_WORKING,      /* a stage of a transaction is in progress */
    HAFT__PG_COMMITTING,   /* the last stage, with the commit, is in progress */
    HAFT__PG_ROLLING_BACK, /* the transaction is being rolled back */
} haft__pg_phase;

/* Statements that the jobs of a stage share, see bulk.c. */
typedef enum haft__pg_bulk_statement {
    HAFT__PG_LOCK_HEADS,
    HAFT__PG_ADD_EVENTS,
    HAFT__PG_ADD_RUNS,
    HAFT__PG_ADD_ABOUT,
    HAFT__PG_UPDATE_RUNS,
    HAFT__PG_DROP_MESSAGES,
    HAFT__PG_SET_ANSWERS,
    HAFT__PG_LOCK_THREADS,
    HAFT__PG_SET_DUE,
    HAFT__PG_ADD_MESSAGES,
    HAFT__PG_WAKE_RUNS,
    HAFT__PG_BULK_COUNT,
} haft__pg_bulk_statement;

#define HAFT__PG_ARGS 18

/* Rows for one shared statement: an array for each parameter. */
typedef struct haft__pg_bulk_rows {
    uint32_t rows;
    haft__buf columns[HAFT__PG_ARGS];
} haft__pg_bulk_rows;

struct haft__pg_connection {
    haft__pg *pg;
    bool writes;
    haft__pg_phase phase;
    PGconn *conn;
    haft__poll *poll;
    bool readable, writable; /* current poll interest */
    haft__timer deadline;    /* of the oldest job, or of the connection attempt */
    uint64_t connect_by_ms;
    uint64_t server;       /* the server of the last transaction; 0: not known yet */
    unsigned silent_hosts; /* consecutive hosts that did not answer in time */
    haft__timer backoff;   /* pause before the next connection attempt */
    unsigned attempts;     /* consecutive failed attempts */
    haft_error last_error; /* of the last failed attempt, or of the lost connection */
    haft_status last_status;
    haft__task starting;
    bool posted; /* `starting` is posted to the loop */

    haft__pg_jobs urgent; /* jobs that go before `queue` */
    haft__pg_jobs queue;
    haft__pg_jobs batch; /* the jobs of the current transaction */
    /* The first answers belong to the transaction itself: BEGIN, the settings, the locked rows. */
    unsigned own_expected, own_received;
    PGresult *heads;       /* write connection: the locked rows of the jobs' runs */
    haft__pg_job *reading; /* the next answer belongs to this job; NULL: to the transaction */
    bool first_stage;
    bool commit_sent;
    bool failed;         /* a statement of the transaction failed */
    bool concerns_all;   /* the failure concerns all jobs of the transaction */
    bool partly_applied; /* a job that has modified rows was rejected */
    bool committed;      /* the server has confirmed the commit */
    haft_status status;  /* why the transaction failed */
    haft_error error;
    bool retryable;     /* a retry may succeed */
    bool locked;        /* another session did not release a lock in time */
    bool broken;        /* the connection is unusable */
    bool try_next_host; /* connect to another host next */
    bool wrong_server;  /* the connection is unusable because reads must go to the server that was
                           written to */
    haft__buf packed;
    haft__pg_bulk_rows bulk[HAFT__PG_BULK_COUNT];
};

struct haft__pg {
    haft__store store;
    const haft__libpq *lib;
    char *url;
    PQconninfoOption *options; /* the parsed URL */
    unsigned hosts;            /* number of hosts in the URL */
    unsigned host;          /* index of the first host to try; both connections use the same host */
    bool wrote;             /* a write transaction took place */
    char display_name[256]; /* for messages: without user and password */
    char password[256];     /* must never be shown; "" if the URL has none */
    haft__pg_connection writer, reader;
    uint64_t request_ms, claim_ms, connect_ms, backoff_ms,
        backoff_max_ms; /* the limits, except in tests */
    uint64_t lock_ms;   /* how long a batch may wait for a lock */
    uint64_t idle_ms;   /* how long a transaction may wait for this process */
    uint64_t now_ms;    /* database time at the start of the last transaction */
    uint64_t commits;
    uint64_t random;
    bool closing;
    bool tables_exist;
    haft_status prepared; /* result of the check for the tables */
    haft_error prepare_error;
};

/* Whether the store uses the database's clock, not a test's. */
bool haft__pg_uses_database_clock(const haft__pg *pg);

/* ---- jobs (job.c) ---- */

void haft__pg_jobs_init(haft__pg_jobs *jobs);
void haft__pg_jobs_push(haft__pg_jobs *jobs, haft__pg_job *job);
haft__pg_job *haft__pg_jobs_pop(haft__pg_jobs *jobs);

/* Moves all jobs of `from` to the front of `to`. */
void haft__pg_jobs_requeue(haft__pg_jobs *from, haft__pg_jobs *to);

/* Clears the effects of a transaction that was lost or rolled back. */
void haft__pg_job_reset(haft__pg_job *job);
void haft__pg_job_fail(haft__pg_job *job, haft_status status, const haft_error *error);

/* Fails the job for a reason outside the job itself. If `commit_uncertain` is set, the outcome of
 * the job is unknown. */
void haft__pg_job_abort(haft__pg_job *job, haft_status status, const haft_error *error);

/* Completes all jobs with their current status and frees them. */
void haft__pg_jobs_report(haft__pg_connection *connection, haft__pg_jobs *jobs);

/* How a verb is performed, and by which connection. */
typedef struct haft__pg_verb {
    haft__pg_step *start;
    bool writes;
    bool own_transaction; /* needs its own transaction */
    bool urgent;          /* precedes all queued jobs, because many runs depend on it */
} haft__pg_verb;

const haft__pg_verb *haft__pg_verb_of(haft__store_verb verb);

/* ---- a connection (connection.c) ---- */

void haft__pg_connection_init(haft__pg_connection *connection, haft__pg *pg, bool writes);
void haft__pg_connection_finish(haft__pg_connection *connection);

/* Takes ownership of the job. */
void haft__pg_connection_add_job(haft__pg_connection *connection, haft__pg_job *job);

/* The queue that the job belongs to. */
haft__pg_jobs *haft__pg_connection_queue(haft__pg_connection *connection, const haft__pg_job *job);

/* Limits the remaining time of every job to request_ms from now. */
void haft__pg_connection_limit_time(haft__pg_connection *connection);

/* Blocks the calling thread until all jobs have ended. */
void haft__pg_connection_drain(haft__pg_connection *connection);

/* Drops an unusable connection; last_error holds the reason. */
void haft__pg_connection_discard(haft__pg_connection *connection);

/* Checks whether the connection may stay on the server that a transaction reported. Data must be
 * read from the server that it was written to. The error describes the problem. */
HAFT_MUST_USE haft_status haft__pg_connection_check_server(haft__pg_connection *connection,
                                                           uint64_t server, bool standby,
                                                           haft_error *err);

/* Sends buffered output and updates the poll interest. */
void haft__pg_connection_flush(haft__pg_connection *connection);

/* ---- transactions (batch.c) ---- */

/* Begins a transaction with the queued jobs. */
void haft__pg_batch_start(haft__pg_connection *connection);

/* Reads the answers that have arrived. */
void haft__pg_batch_read(haft__pg_connection *connection);

/* The connection is lost: requeues the jobs that can be retried and fails the others. */
void haft__pg_batch_disconnected(haft__pg_connection *connection);

/* ---- hosts (host.c) ---- */

/* The number of elements in a host list; `list` may be NULL. */
unsigned haft__pg_host_count(const char *list);

/* Writes the list with its first `by` elements moved to the end, and a NUL. A list that does not
 * have `count` elements is copied unchanged: its one element applies to all hosts. */
void haft__pg_host_list_rotate(haft__buf *to, const char *list, unsigned by, unsigned count);

/* The index of the host that a connection is connected to. */
unsigned haft__pg_host_index(const haft__pg *pg, const PGconn *conn);

/* The value of an option in the URL, or NULL. */
const char *haft__pg_conninfo_option(const haft__pg *pg, const char *keyword);

/* Sets the name of the database for messages. */
void haft__pg_set_display_name(haft__pg *pg);

/* ---- statements and answers (query.c) ---- */

typedef struct haft__pg_args {
    int count;
    const char *values[HAFT__PG_ARGS];
    int lengths[HAFT__PG_ARGS], formats[HAFT__PG_ARGS];
    uint64_t numbers[HAFT__PG_ARGS];
} haft__pg_args;

/* Marks an integer argument, whose length is fixed. */
#define HAFT__PG_NUMBER (-1)

/* Adds the next argument. Texts are borrowed until the statement is sent. */
void haft__pg_arg(haft__pg_args *args, haft_str bytes);
void haft__pg_arg_int(haft__pg_args *args, uint64_t number); /* at most INT64_MAX */
void haft__pg_arg_null(haft__pg_args *args);
void haft__pg_arg_literal(haft__pg_args *args, const char *text); /* an SQL literal */

/* Writes the texts as an SQL array literal with a NUL. */
void haft__pg_write_array(haft__buf *to, const haft_str *texts, size_t count);

/* Sends a statement; the next step reads its answer. */
void haft__pg_job_query(haft__pg_job *job, const char *sql, const haft__pg_args *args);

/* Like haft__pg_job_query, for a statement that modifies rows. */
void haft__pg_job_modify(haft__pg_job *job, const char *sql, const haft__pg_args *args);

/* Sends a statement of the transaction itself. */
void haft__pg_connection_query(haft__pg_connection *connection, const char *sql,
                               const haft__pg_args *args);

/* ---- statements that jobs share (bulk.c) ---- */

/* Adds a row of arguments to a statement that modifies rows. */
void haft__pg_bulk_add_row(haft__pg_job *job, haft__pg_bulk_statement which,
                           const haft__pg_args *args);

/* Locks the rows of the runs that the jobs modify. Returns whether such rows exist. */
bool haft__pg_lock_heads(haft__pg_connection *connection);

/* Sends the shared statements that have rows. */
void haft__pg_bulk_send(haft__pg_connection *connection);
void haft__pg_bulk_init(haft__pg_connection *connection);
void haft__pg_bulk_finish(haft__pg_connection *connection);

/* The number of rows that a statement has changed. */
uint64_t haft__pg_affected_rows(const haft__pg_job *job, unsigned answer);

/* Reads an answer row by row, column by column. The first error is kept and reported by
 * haft__pg_rows_end. */
typedef struct haft__pg_rows {
    const haft__pg *pg;
    const PGresult *result;
    int row, column; /* the next column; rows count from 1 after the first was read */
    haft__column_checks checks;
} haft__pg_rows;

haft__pg_rows haft__pg_rows_begin(const haft__pg_job *job, unsigned answer);
bool haft__pg_rows_next(haft__pg_rows *rows);
bool haft__pg_rows_is_null(haft__pg_rows *rows); /* if so, the column is consumed */
uint64_t haft__pg_rows_int(haft__pg_rows *rows);
haft_str haft__pg_rows_bytes(haft__pg_rows *rows,
                             size_t max_bytes); /* valid until the step returns */
haft_str haft__pg_rows_text(haft__pg_rows *rows,
                            size_t max_bytes); /* the same; must be valid UTF-8 */
haft_str haft__pg_rows_copy(haft__pg_rows *rows, size_t max_bytes, haft__arena *arena);

/* Reads two columns, a SHA-256 and the content it must match. The content is copied to the
 * arena. */
haft_str haft__pg_rows_content(haft__pg_rows *rows, haft__arena *arena, haft_str *ret_sha256);
HAFT_MUST_USE haft_status haft__pg_rows_end(const haft__pg_rows *rows, haft_error *err);

/* ---- errors (error.c) ---- */

typedef struct haft__pg_failure {
    bool retryable;     /* a retry may succeed */
    bool locked;        /* another session holds a lock */
    bool broken;        /* the connection is unusable */
    bool certain;       /* the transaction certainly was not committed */
    bool try_next_host; /* connect to another host next */
} haft__pg_failure;

/* The error for a failed statement. `begins` is true if the statement begins a transaction. */
haft_status haft__pg_fail_result(const haft__pg *pg, const PGresult *result, bool begins,
                                 haft__pg_failure *ret_failure, haft_error *err);
haft_status haft__pg_fail_connection(const haft__pg *pg, PGconn *conn, haft_error *err);
haft_status haft__pg_fail_time(const haft__pg *pg, const char *what, uint64_t ms, haft_error *err);
haft_status haft__pg_fail_wrong_server(const haft__pg *pg, bool standby, haft_error *err);
haft_status haft__pg_fail_version(const haft__pg *pg, uint64_t version, haft_error *err);
haft_status haft__pg_fail_damaged(const haft__pg *pg, haft_error *err, const char *what, ...)
    HAFT__PRINTF(3, 4);
haft_status haft__pg_fail_run(const haft__pg *pg, haft_str id, haft_error *err); /* damaged */

/* The error for a transaction whose outcome is unknown. */
void haft__pg_fail_commit_unknown(const haft__pg *pg, const haft__store_request *request,
                                  const haft_error *last_error, haft_error *err);

/* ---- verbs ---- */

/* schema.c: check that the tables exist; check their version; create them. Only the last one
 * writes. */
haft__pg_step haft__pg_schema_identify, haft__pg_schema_check, haft__pg_schema_create;

/* run.c, lease.c, mailbox_cache.c, gc.c */
haft__pg_step haft__pg_create, haft__pg_append;
haft__pg_step haft__pg_claim, haft__pg_claim_next, haft__pg_reclaim, haft__pg_probe_reader,
    haft__pg_renew, haft__pg_release, haft__pg_remove;
haft__pg_step haft__pg_send, haft__pg_cache_put;
haft__pg_step haft__pg_gc;

haft__pg_step haft__pg_doctor, haft__pg_try_write; /* doctor.c */

/* list.c, events.c */
haft__pg_step haft__pg_find, haft__pg_list, haft__pg_thread_history, haft__pg_predecessors;
haft__pg_step haft__pg_read_events, haft__pg_receive, haft__pg_read_artifact, haft__pg_cache_get;

/* Stores all rows of the first answer in `found`, if the request has an arena. */
haft__pg_step haft__pg_return_runs;

/* Sends statements that delete everything of the runs in `ids`, an array. The first answer has the
 * number of runs. */
void haft__pg_delete_runs(haft__pg_job *job, const char *ids);

/* The columns of a run that a modification needs. */
typedef struct haft__pg_head {
    uint64_t number, bytes;
    bool in_thread;
    haft__store_run run; /* id, state, seq, epoch, owner (valid as long as the answer), lease_ms */
    haft__checksum_chain chain;
} haft__pg_head;

/* Makes the next run of the thread due. Called when the run is about to end or to be removed. */
void haft__pg_wake_next_in_thread(haft__pg_job *job, const haft__pg_head *head);

/* Reads the head of a run without a lock. */
void haft__pg_query_head(haft__pg_job *job, haft_str id);

/* Reads the head from answer number `answer`. NOT_FOUND if the run does not exist. */
HAFT_MUST_USE haft_status haft__pg_read_head(const haft__pg_job *job, unsigned answer, haft_str id,
                                             haft__pg_head *ret_head, haft_error *err);

/* The head of the run that a writing job modifies. The row is locked. Available from the job's
 * second step on. */
HAFT_MUST_USE haft_status haft__pg_locked_head(const haft__pg_job *job, haft__pg_head *ret_head,
                                               haft_error *err);

/* Like haft__pg_locked_head, for a run that is to be removed: if the run is damaged, run.damaged is
 * set. */
HAFT_MUST_USE haft_status haft__pg_locked_head_or_damaged(const haft__pg_job *job,
                                                          haft__pg_head *ret_head, haft_error *err);

#endif
