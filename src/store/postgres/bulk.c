/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.c - one statement for the rows of many jobs.
 *
 * PostgreSQL parses and plans every statement each time, because statements cannot be prepared, and
 * this takes longer than the execution. So equal statements of the jobs of a stage are sent as one:
 * every parameter is an array with an element for each row. Statements that often have a single row
 * also have a form for one row: it is planned faster, and the server needs no second copy of a long
 * event. Tests: tests/store/postgres/bulk_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"

/* A statement of this size does not gain from more rows. */
#define FULL_BYTES HAFT__LIMIT_STORE_ROW_BYTES
/* FULL_BYTES and one more row. */
#define MAX_BYTES (HAFT__LIMIT_STORE_TEXT_BYTES + 4 * HAFT__LIMIT_STORE_ROW_BYTES)

/* In the order in which they are sent. The parameter types: text, bytes, numbers. */
static const struct {
    const char *sql, *types;
    const char *single; /* the form for one row without NULLs, or NULL */
} statements[HAFT__PG_BULK_COUNT] = {
    [HAFT__PG_LOCK_HEADS] = {HAFT__PG_HEADS_LOCK, "t", NULL},
    [HAFT__PG_ADD_EVENTS] = {HAFT__PG_EVENTS_ADD, "tnbb", HAFT__PG_EVENT_ADD},
    [HAFT__PG_ADD_RUNS] = {HAFT__PG_RUN_ADD, "tnnnbtnnnnnnnntttn", NULL},
    [HAFT__PG_ADD_ABOUT] = {HAFT__PG_ABOUT_ADD, "ttttttbtbb", NULL},
    [HAFT__PG_UPDATE_RUNS] = {HAFT__PG_RUNS_UPDATE, "tnnnnnnnnnnbt", HAFT__PG_RUN_UPDATE},
    [HAFT__PG_DROP_MESSAGES] = {HAFT__PG_MESSAGES_DROP, "t", NULL},
    [HAFT__PG_SET_ANSWERS] = {HAFT__PG_ANSWER, "tb", NULL},
    [HAFT__PG_LOCK_THREADS] = {HAFT__PG_THREADS_LOCK, "t", NULL},
    [HAFT__PG_SET_DUE] = {HAFT__PG_NEXT_DUE, "t", NULL},
    [HAFT__PG_ADD_MESSAGES] = {HAFT__PG_MESSAGES_ADD, "tb", NULL},
    [HAFT__PG_WAKE_RUNS] = {HAFT__PG_MESSAGES_WAKE, "tn", NULL},
};

/* ---- arrays, in the binary format of the server's array_recv() ---- */

#define COUNT_AT 12 /* offset of the number of elements */
#define FIRST_AT 24 /* offset of the first element, after its length */

static void put(char *to, uint64_t number, size_t bytes)
{
    while (bytes > 0) {
        to[--bytes] = (char)(number & 0xff);
        number >>= 8;
    }
}

static void add_number(haft__buf *to, uint64_t number, size_t bytes)
{
    char digits[8];
    put(digits, number, bytes);
    haft__buf_add(to, digits, bytes);
}

/* The server's OID of a type, which is the same in every database. */
static uint32_t oid_of(char type)
{
    enum { BYTEA = 17, BIGINT = 20, TEXT = 25 };
    return type == 't' ? TEXT : type == 'b' ? BYTEA : BIGINT;
}

/* Writes the header of an array: one dimension, NULLs allowed, element count (set later), lower
 * bound 1. */
static void begin_array(haft__buf *column, char type)
{
    const uint32_t head[] = {1, 1, oid_of(type), 0, 1};
    for (size_t i = 0; i < COUNT(head); i++) {
        add_number(column, head[i], 4);
    }
}

static void add_element(haft__buf *column, const haft__pg_args *args, size_t at)
{
    int length = args->lengths[at];
    if (length == HAFT__PG_NUMBER) {
        add_number(column, 8, 4);
        add_number(column, args->numbers[at], 8);
    } else if (args->values[at] == NULL) {
        add_number(column, UINT32_MAX, 4);
    } else {
        add_number(column, (uint32_t)length, 4);
        haft__buf_add(column, args->values[at], (size_t)length);
    }
}

/* ---- rows ---- */

/* Adds a row; returns the size of all rows in bytes. */
static size_t add_row(haft__pg_connection *connection, haft__pg_bulk_statement which,
                      const haft__pg_args *args)
{
    haft__pg_bulk_rows *share = &connection->bulk[which];
    const char *types = statements[which].types;
    size_t bytes = 0;
    for (size_t i = 0; types[i] != '\0'; i++) {
        if (share->rows == 0) {
            begin_array(&share->columns[i], types[i]);
        }
        add_element(&share->columns[i], args, i);
        bytes += share->columns[i].len;
    }
    share->rows++;
    return bytes;
}

/* Binds each array as a parameter or, with `single`, the only element of each array. */
static haft_status bind(haft__pg_bulk_rows *share, const char *types, bool single,
                        haft__pg_args *args, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && types[i] != '\0'; i++) {
        status = haft__buf_check(&share->columns[i], err);
        if (status == HAFT_OK) {
            put(share->columns[i].ptr + COUNT_AT, share->rows, 4);
            haft__pg_arg(args,
                         haft__str_skip(haft__buf_str(&share->columns[i]), single ? FIRST_AT : 0));
        }
    }
    return status;
}

static void empty(haft__pg_bulk_rows *share)
{
    share->rows = 0;
    for (size_t i = 0; i < COUNT(share->columns); i++) {
        haft__buf_clear(&share->columns[i]);
        if (share->columns[i].cap > 2 * FULL_BYTES) {
            haft__buf_finish(&share->columns[i]); /* another row of this length is improbable */
        }
    }
}

/* Returns whether the statement had rows. If it cannot be sent, the transaction fails, and each job
 * is repeated in its own transaction. */
static bool send(haft__pg_connection *connection, haft__pg_bulk_statement which)
{
    haft__pg_bulk_rows *share = &connection->bulk[which];
    haft__pg_args args = {0};
    haft_error err = {0};
    if (share->rows == 0) {
        return false;
    }
    bool single = share->rows == 1 && statements[which].single != NULL;
    haft_status status = bind(share, statements[which].types, single, &args, &err);
    if (status == HAFT_OK) {
        haft__pg_connection_query(connection,
                                  single ? statements[which].single : statements[which].sql, &args);
    } else if (!connection->failed) {
        connection->failed = true;
        connection->status = status;
        connection->error = err;
    }
    empty(share);
    return status == HAFT_OK;
}

void haft__pg_bulk_add_row(haft__pg_job *job, haft__pg_bulk_statement which,
                           const haft__pg_args *args)
{
    job->modified = true;
    if (add_row(job->connection, which, args) >= FULL_BYTES) {
        job->sent_count += send(job->connection, which);
    }
}

static void lock_head(haft__pg_connection *connection, haft_str run)
{
    haft__pg_args args = {0};
    haft__pg_arg(&args, run);
    (void)add_row(connection, HAFT__PG_LOCK_HEADS, &args);
}

bool haft__pg_lock_heads(haft__pg_connection *connection)
{
    for (const haft__pg_job *job = connection->batch.first; connection->writes && job != NULL;
         job = job->next_job) {
        if (!job->finished && job->request != NULL && job->request->run.id.len > 0) {
            lock_head(connection, job->request->run.id);
            for (size_t i = 0; i < job->request->outgoing_count; i++) {
                lock_head(connection, job->request->outgoing[i].run);
            }
        }
    }
    return send(connection, HAFT__PG_LOCK_HEADS);
}

void haft__pg_bulk_send(haft__pg_connection *connection)
{
    for (haft__pg_bulk_statement which = 0; which < HAFT__PG_BULK_COUNT; which++) {
        (void)send(connection, which);
    }
}

void haft__pg_bulk_init(haft__pg_connection *connection)
{
    for (haft__pg_bulk_statement which = 0; which < HAFT__PG_BULK_COUNT; which++) {
        for (size_t i = 0; i < HAFT__PG_ARGS; i++) {
            haft__buf_init(&connection->bulk[which].columns[i], MAX_BYTES);
        }
    }
}

void haft__pg_bulk_finish(haft__pg_connection *connection)
{
    for (haft__pg_bulk_statement which = 0; which < HAFT__PG_BULK_COUNT; which++) {
        for (size_t i = 0; i < HAFT__PG_ARGS; i++) {
            haft__buf_finish(&connection->bulk[which].columns[i]);
        }
    }
}
