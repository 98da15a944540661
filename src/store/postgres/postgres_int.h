/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/postgres/postgres_int.h - what the files of the PostgreSQL store share.
 *
 * Two connections, both on the loop: one writes, one reads. A request becomes a job; jobs that wait
 * go together into one transaction. A job is performed in stages: what it asks in one stage goes to
 * the server with what the others ask, and its next step has the answers.
 */
#ifndef HAFT_STORE_POSTGRES_POSTGRES_INT_H
#define HAFT_STORE_POSTGRES_POSTGRES_INT_H

#include "base/buf.h"
#include "base/limits.h"
#include "io/poll.h"
#include "store/backend.h"
#include "store/checksum_chain.h"
#include "store/column.h"
#include "store/postgres/libpq.h"
#include "store/postgres/sql.h"

typedef struct haft__pg haft__pg;
typedef struct haft__pg_connection haft__pg_connection;
typedef struct haft__pg_job haft__pg_job;

/* What a job does with the answers of the stage before: it asks more and sets job->next, or it has
 * done. A failure refuses the request. */
typedef haft_status haft__pg_step(haft__pg_job *job, haft_error *err);

/* The answers of one stage that a step looks at; those behind must only be no failures. */
#define HAFT__PG_ANSWERS 4

struct haft__pg_job {
    haft__store_request *request; /* NULL: the store's own, to make the tables */
    haft__pg_connection *connection;
    haft__pg_step *start, *next;
    PGresult *answers[HAFT__PG_ANSWERS];
    unsigned asked, answered; /* statements of this stage */
    unsigned tries;           /* transactions that were lost or rolled back */
    uint64_t due_ms;          /* of the loop's clock: it must have ended */
    uint64_t locked_ms;       /* until then it waits for a lock; 0: it has met none */
    struct {
        uint64_t found, removed, updated, number;
    } gc; /* what this part of a GC has come to, if it is committed */
    struct {
        uint64_t epoch; /* 0: nothing yet */
        char id[32];
        size_t id_len;
    } taken;               /* what a TAKE has found, perhaps in a transaction that was lost */
    bool commit_uncertain; /* a commit that had it was lost: a CREATE may find its run there */
    bool probes_reader;    /* a TAKE that first sees whether the reader is up */
    bool touched;          /* it has asked for a change in this transaction */
    bool finished;         /* its status stands, if the transaction is committed */
    bool again;            /* there is more to do in another transaction */
    bool apart;            /* others in its transaction failed, or might */
    haft_status status;
    haft_error error;
    haft__pg_job *next_job;
};

typedef struct haft__pg_jobs {
    haft__pg_job *first, **end;
} haft__pg_jobs;

typedef enum haft__pg_phase {
    HAFT__PG_CLOSED,       /* there is no connection */
    HAFT__PG_CONNECTING,   /* libpq is at it */
    HAFT__PG_IDLE,         /* connected */
    HAFT__PG_WORKING,      /* a stage of a transaction is under way */
    HAFT__PG_COMMITTING,   /* its last */
    HAFT__PG_ROLLING_BACK, /* it is being rolled back */
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
    HAFT__PG_BULK_COUNT,
} haft__pg_bulk_statement;

#define HAFT__PG_ARGS 18

/* Rows for one of them: an array for each parameter. */
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
    bool readable, writable; /* what is waited for */
    haft__timer deadline;    /* of the oldest job, or of connecting */
    uint64_t connect_by_ms;
    uint64_t server;       /* which one it was in the last transaction; 0: not known yet */
    unsigned silent;       /* hosts that did not answer in time, one after the other */
    haft__timer rest;      /* before the next attempt to connect */
    unsigned attempts;     /* that failed, one after the other */
    haft_error last_error; /* the last one did; or the connection was lost */
    haft_status last_status;
    haft__task starting;
    bool posted; /* `starting` */

    haft__pg_jobs urgent, queue, batch; /* what goes before others; the others; under way */
    unsigned opening, opened; /* answers that come before those of jobs, and those that have come */
    PGresult *heads;          /* rows of the runs that jobs of one that writes are about */
    haft__pg_job *reading;    /* whose answers come next; NULL: the transaction's own */
    bool first_stage;
    bool sent;           /* the commit */
    bool failed;         /* a statement of the transaction was refused */
    bool whole;          /* it failed before it came to the jobs */
    bool partly_applied; /* a job that has changed something was refused */
    bool committed;      /* the server has said so */
    haft_status status;  /* why it failed */
    haft_error error;
    bool again;         /* that may go well the next time */
    bool locked;        /* by somebody who did not let go in time */
    bool broken;        /* the connection cannot be used any more */
    bool try_next_host; /* and another host is to be tried */
    bool wrong_server;  /* because what is read must be read where it was written */
    haft__buf packed;
    haft__pg_bulk_rows bulk[HAFT__PG_BULK_COUNT];
};

struct haft__pg {
    haft__store store;
    const haft__libpq *lib;
    char *url;
    PQconninfoOption *options; /* what it says */
    unsigned hosts;            /* how many it names */
    unsigned host;             /* the first that is tried: both connections go to the same */
    bool wrote;                /* there was a transaction that writes */
    char place[256];           /* for people: without user and password */
    char password[256];        /* what must not be seen; "" when the URL has none */
    haft__pg_connection writer, reader;
    uint64_t request_ms, claim_ms, connect_ms, backoff_ms,
        backoff_max_ms; /* limits, but in tests */
    uint64_t idle_ms;   /* the same: for how long a transaction may wait for this process */
    uint64_t now_ms;    /* of the database, when the last transaction began */
    uint64_t commits;
    uint64_t random;
    bool closing;
    bool made;            /* the tables are there */
    haft_status prepared; /* whether the tables are there */
    haft_error prepare_error;
};

/* Whether the time is the database's, and not a test's. */
bool haft__pg_uses_database_clock(const haft__pg *pg);

/* ---- jobs (job.c) ---- */

void haft__pg_jobs_init(haft__pg_jobs *jobs);
void haft__pg_jobs_push(haft__pg_jobs *jobs, haft__pg_job *job);
haft__pg_job *haft__pg_jobs_pop(haft__pg_jobs *jobs);

/* Moves all of `from` in front of those of `to`. */
void haft__pg_jobs_requeue(haft__pg_jobs *from, haft__pg_jobs *to);

/* Forgets what a transaction that is gone did for it. */
void haft__pg_job_reset(haft__pg_job *job);
void haft__pg_job_fail(haft__pg_job *job, haft_status status, const haft_error *error);

/* The same, because of something else than what it has found: with `commit_uncertain` nobody knows
 * what became of it. */
void haft__pg_job_abort(haft__pg_job *job, haft_status status, const haft_error *error);

/* Reports them all, as they are; frees them. */
void haft__pg_jobs_report(haft__pg_connection *connection, haft__pg_jobs *jobs);

/* How a verb is performed, and by which connection. */
typedef struct haft__pg_verb {
    haft__pg_step *start;
    bool writes;
    bool apart;  /* not with others in one transaction */
    bool urgent; /* before all others that wait: many runs depend on it */
} haft__pg_verb;

const haft__pg_verb *haft__pg_verb_of(haft__store_verb verb);

/* ---- a connection (connection.c) ---- */

void haft__pg_connection_init(haft__pg_connection *connection, haft__pg *pg, bool writes);
void haft__pg_connection_finish(haft__pg_connection *connection);

/* Takes the job over. */
void haft__pg_connection_add_job(haft__pg_connection *connection, haft__pg_job *job);

/* Where it waits. */
haft__pg_jobs *haft__pg_connection_queue(haft__pg_connection *connection, const haft__pg_job *job);

/* No job has longer than request_ms from now on. */
void haft__pg_connection_limit_time(haft__pg_connection *connection);

/* Stops the calling thread until all jobs have ended. */
void haft__pg_connection_drain(haft__pg_connection *connection);

/* The connection is of no use any more; link->why says why. */
void haft__pg_connection_discard(haft__pg_connection *connection);

/* A transaction has been told which server it is on: whether the connection may stay there. What
 * was written must be read where it was; err says what is wrong. */
HAFT_MUST_USE haft_status haft__pg_connection_check_server(haft__pg_connection *connection,
                                                           uint64_t server, bool standby,
                                                           haft_error *err);

/* Sends what is to be sent and says what is waited for. */
void haft__pg_connection_flush(haft__pg_connection *connection);

/* ---- transactions (batch.c) ---- */

/* Begins one with the jobs that wait. */
void haft__pg_batch_start(haft__pg_connection *connection);

/* Takes the answers that have come. */
void haft__pg_batch_read(haft__pg_connection *connection);

/* The connection is lost: what of the jobs goes back into the queue, and what is told to others. */
void haft__pg_batch_disconnected(haft__pg_connection *connection);

/* ---- hosts (host.c) ---- */

/* How many a list of them has, which may be NULL. */
unsigned haft__pg_host_count(const char *list);

/* The list with its first `by` elements behind the others, and a NUL; as it is, when it has not
 * `count`: then its one element is for all. */
void haft__pg_host_list_rotate(haft__buf *to, const char *list, unsigned by, unsigned count);

/* The number of the host that a connection has come to. */
unsigned haft__pg_host_index(const haft__pg *pg, const PGconn *conn);

/* What the URL says of this, or NULL. */
const char *haft__pg_conninfo_option(const haft__pg *pg, const char *keyword);

/* Where the database is, for people. */
void haft__pg_set_display_name(haft__pg *pg);

/* ---- asking and answers (query.c) ---- */

typedef struct haft__pg_args {
    int count;
    const char *values[HAFT__PG_ARGS];
    int lengths[HAFT__PG_ARGS], formats[HAFT__PG_ARGS];
    uint64_t numbers[HAFT__PG_ARGS];
} haft__pg_args;

/* The length of a number, which is found elsewhere. */
#define HAFT__PG_NUMBER (-1)

/* The next argument. Texts are borrowed until the statement is sent. */
void haft__pg_arg(haft__pg_args *args, haft_str bytes);
void haft__pg_arg_int(haft__pg_args *args, uint64_t number); /* at most INT64_MAX */
void haft__pg_arg_null(haft__pg_args *args);
void haft__pg_arg_literal(haft__pg_args *args, const char *text); /* as SQL writes the value */

/* Texts as an array, as SQL writes it, with a NUL behind it. */
void haft__pg_write_array(haft__buf *to, const haft_str *texts, size_t count);

/* Sends a statement; its answer comes with the next step. */
void haft__pg_job_query(haft__pg_job *job, const char *sql, const haft__pg_args *args);

/* The same, of one that changes something. */
void haft__pg_job_modify(haft__pg_job *job, const char *sql, const haft__pg_args *args);

/* For the transaction itself. */
void haft__pg_connection_query(haft__pg_connection *connection, const char *sql,
                               const haft__pg_args *args);

/* ---- statements that jobs share (bulk.c) ---- */

/* Adds a row of its arguments; it changes something. */
void haft__pg_bulk_add_row(haft__pg_job *job, haft__pg_bulk_statement which,
                           const haft__pg_args *args);

/* Locks the rows of the runs that the jobs are about: whether there are any. */
bool haft__pg_lock_heads(haft__pg_connection *connection);

/* Sends what has rows. */
void haft__pg_bulk_send(haft__pg_connection *connection);
void haft__pg_bulk_init(haft__pg_connection *connection);
void haft__pg_bulk_finish(haft__pg_connection *connection);

/* How many rows a statement has changed. */
uint64_t haft__pg_affected_rows(const haft__pg_job *job, unsigned answer);

/* Reads an answer row by row, column by column. What is wrong is remembered and told at the end. */
typedef struct haft__pg_rows {
    const haft__pg *pg;
    const PGresult *result;
    int row, column; /* the next; rows count from 1 once one was asked for */
    haft__column_checks checks;
} haft__pg_rows;

haft__pg_rows haft__pg_rows_begin(const haft__pg_job *job, unsigned answer);
bool haft__pg_rows_next(haft__pg_rows *rows);
bool haft__pg_rows_is_null(haft__pg_rows *rows); /* then it was that one */
uint64_t haft__pg_rows_int(haft__pg_rows *rows);
haft_str haft__pg_rows_bytes(haft__pg_rows *rows, size_t most); /* valid until the step is done */
haft_str haft__pg_rows_text(haft__pg_rows *rows, size_t most);  /* the same, and valid UTF-8 */
haft_str haft__pg_rows_copy(haft__pg_rows *rows, size_t most, haft__arena *arena);

/* Two columns, a SHA-256 and the content that must have it; the content in the arena. */
haft_str haft__pg_rows_content(haft__pg_rows *rows, haft__arena *arena, haft_str *ret_sha256);
HAFT_MUST_USE haft_status haft__pg_rows_end(const haft__pg_rows *rows, haft_error *err);

/* ---- what is wrong, in words (error.c) ---- */

typedef struct haft__pg_failure {
    bool again;         /* it may go well the next time */
    bool locked;        /* another session has a lock */
    bool broken;        /* the connection is of no use any more */
    bool certain;       /* the transaction was not committed */
    bool try_next_host; /* another host of the URL is to be tried */
} haft__pg_failure;

/* The error for a statement that was refused; `begins`: the one that begins a transaction. */
haft_status haft__pg_fail_result(const haft__pg *pg, const PGresult *result, bool begins,
                                 haft__pg_failure *ret_failure, haft_error *err);
haft_status haft__pg_fail_connection(const haft__pg *pg, PGconn *conn, haft_error *err);
haft_status haft__pg_fail_time(const haft__pg *pg, const char *what, uint64_t ms, haft_error *err);
haft_status haft__pg_fail_wrong_server(const haft__pg *pg, bool standby, haft_error *err);
haft_status haft__pg_fail_version(const haft__pg *pg, uint64_t version, haft_error *err);
haft_status haft__pg_fail_damaged(const haft__pg *pg, haft_error *err, const char *what, ...)
    HAFT__PRINTF(3, 4);
haft_status haft__pg_fail_run(const haft__pg *pg, haft_str id, haft_error *err); /* damaged */

/* Nobody knows whether what was sent was committed. */
void haft__pg_fail_commit_unknown(const haft__pg *pg, const haft__store_request *request,
                                  const haft_error *last_error, haft_error *err);

/* ---- verbs ---- */

/* schema.c: finds out whether the tables are there; whether they are of a version that is known;
 * makes them. Only the last one writes. */
haft__pg_step haft__pg_schema_identify, haft__pg_schema_check, haft__pg_schema_create;

/* run.c, lease.c, mailbox_cache.c, gc.c */
haft__pg_step haft__pg_create, haft__pg_append;
haft__pg_step haft__pg_claim, haft__pg_claim_next, haft__pg_reclaim, haft__pg_probe_reader,
    haft__pg_renew, haft__pg_release, haft__pg_remove;
haft__pg_step haft__pg_send, haft__pg_cache_put;
haft__pg_step haft__pg_gc;

haft__pg_step haft__pg_doctor; /* doctor.c */

/* list.c, events.c */
haft__pg_step haft__pg_find, haft__pg_list, haft__pg_thread_history, haft__pg_predecessors;
haft__pg_step haft__pg_read_events, haft__pg_receive, haft__pg_read_artifact, haft__pg_cache_get;

/* The rows of the first answer, whole, into found, if there is an arena. */
haft__pg_step haft__pg_return_runs;

/* Asks for the deletion of everything that runs have, an array of ids; the first answer has their
 * number. */
void haft__pg_delete_runs(haft__pg_job *job, const char *ids);

/* What must be known of a run to change it. */
typedef struct haft__pg_head {
    uint64_t number, bytes;
    bool in_thread;
    haft__store_run run; /* id, state, seq, epoch, owner (as long as the answer), lease_ms */
    haft__checksum_chain chain;
} haft__pg_head;

/* The run is about to end or to go: the next of its thread is due. */
void haft__pg_wake_next_in_thread(haft__pg_job *job, const haft__pg_head *head);

/* Of one that is read. */
void haft__pg_query_head(haft__pg_job *job, haft_str id);

/* From the answer of that number. NOT_FOUND when there is no such run. */
HAFT_MUST_USE haft_status haft__pg_read_head(const haft__pg_job *job, unsigned answer, haft_str id,
                                             haft__pg_head *ret_head, haft_error *err);

/* Of the run that a job is about which writes; locked, and there from its second step on. */
HAFT_MUST_USE haft_status haft__pg_locked_head(const haft__pg_job *job, haft__pg_head *ret_head,
                                               haft_error *err);

/* The same of one that is to go: it may be damaged, run.damaged says so. */
HAFT_MUST_USE haft_status haft__pg_locked_head_or_damaged(const haft__pg_job *job,
                                                          haft__pg_head *ret_head, haft_error *err);

#endif
