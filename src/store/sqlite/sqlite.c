/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite.c - a store in an SQLite file.
 *
 * One thread writes (writer.c), one reads (reader.c), each with its own connection. So the loop
 * never waits for a disk, and the two do not wait for each other. Several processes may use the
 * same file.
 * Tests: tests/store/sqlite/sqlite_test.c.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

/* Copies the path and lets it begin with '/' or './': SQLite gives other names, such as ":memory:",
 * a special meaning. */
static char *copy_path(const char *location)
{
    size_t size = strlen(location) + sizeof("./");
    char *path = malloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%s%s", location[0] == '/' ? "" : "./", location);
    }
    return path;
}

static void close_sqlite(haft__store *store)
{
    haft__sqlite *sqlite = HAFT__CONTAINER(store, haft__sqlite, store);
    /* The reader is closed first: the last connection moves the log into the database. */
    haft__sqlite_worker_stop(&sqlite->reader);
    haft__sqlite_worker_stop(&sqlite->writer);
    haft__store_finish(store);
    free(sqlite->path);
    free(sqlite);
}

static void do_nothing(haft__sqlite_worker *worker)
{
    (void)worker;
}

/* ---- full and read-only disks ---- */

static void fail_batch(haft__store_queue *batch, haft_status status, const haft_error *err)
{
    for (haft__store_request *request = batch->first; request != NULL; request = request->next) {
        request->status = status;
        request->error = *err;
    }
}

/* Performs writes of a store that was opened without a write connection: tries to open one. */
static void reopen_and_write(haft__sqlite_worker *worker, haft__store_queue *batch)
{
    haft_error err = {0};
    haft_status status =
        haft__sqlite_connection_open(&worker->connection, worker->connection.path, true, &err);
    if (status == HAFT_OK) {
        worker->perform = haft__sqlite_perform_writes;
        worker->idle = haft__sqlite_checkpoint;
        haft__sqlite_perform_writes(worker, batch);
        return;
    }
    if (status == HAFT_IO
        && haft__sqlite_find_write_bar(worker->connection.path) != HAFT__SQLITE_BAR_NONE) {
        status = haft__sqlite_fail(&worker->connection, SQLITE_READONLY, &err);
    }
    fail_batch(batch, status, &err);
}

/* A read-only connection requires that the file does not change, and it may block writers. So each
 * batch opens a new one. */
static void reopen_and_read(haft__sqlite_worker *worker, haft__store_queue *batch)
{
    haft_error err = {0};
    haft_status status =
        haft__sqlite_connection_open_read_only(&worker->connection, worker->connection.path, &err);
    if (status == HAFT_OK) {
        haft__sqlite_perform_reads(worker, batch);
    } else {
        fail_batch(batch, status, &err);
    }
    haft__sqlite_connection_close(&worker->connection);
}

/* Opens both connections; if the disk cannot be written, only one that reads. */
static haft_status open_connections(haft__sqlite *sqlite, haft_error *err)
{
    haft__sqlite_connection *writer = &sqlite->writer.connection,
                            *reader = &sqlite->reader.connection;
    haft_error failed = {0}, unwanted = {0};
    haft_status status = haft__sqlite_connection_open(writer, sqlite->path, true, &failed);
    if (status == HAFT_OK) {
        return haft__sqlite_connection_open(reader, sqlite->path, false, err);
    }
    if (status == HAFT_IO
        && haft__sqlite_connection_open_read_only(reader, sqlite->path, &unwanted) == HAFT_OK) {
        sqlite->writer.perform = reopen_and_write;
        sqlite->writer.idle = do_nothing;
        sqlite->reader.perform = reopen_and_read;
        haft__sqlite_connection_close(reader);
        return HAFT_OK;
    }
    if (err != NULL) {
        *err = failed;
    }
    return status;
}

static haft_status start(haft__sqlite *sqlite, haft_error *err)
{
    sqlite->writer.store = sqlite->reader.store = &sqlite->store;
    sqlite->writer.perform = haft__sqlite_perform_writes;
    sqlite->writer.idle = haft__sqlite_checkpoint;
    sqlite->reader.perform = haft__sqlite_perform_reads;
    sqlite->reader.idle = do_nothing;
    haft_status status = haft__sqlite_file_create(sqlite->path, err);
    if (status == HAFT_OK) {
        status = open_connections(sqlite, err);
    }
    if (status == HAFT_OK) {
        status = haft__sqlite_worker_start(&sqlite->writer, err);
    }
    return status == HAFT_OK ? haft__sqlite_worker_start(&sqlite->reader, err) : status;
}

static haft_status open_sqlite(haft__loop *loop, const char *location, bool make_tables,
                               haft__store **ret_store, haft_error *err)
{
    (void)make_tables; /* a caller that only reads has already checked that the file exists */
    if (location[0] == '\0') {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected the path of a database, found none");
    }
    haft__sqlite *sqlite = calloc(1, sizeof(*sqlite));
    char *path = copy_path(location);
    if (sqlite == NULL || path == NULL) {
        free(path);
        free(sqlite);
        return haft__fail_no_memory(err);
    }
    sqlite->path = path;
    haft__store_init(&sqlite->store, &haft__store_sqlite, loop);
    haft_status status = start(sqlite, err);
    if (status != HAFT_OK) {
        close_sqlite(&sqlite->store);
        return status;
    }
    *ret_store = &sqlite->store;
    return HAFT_OK;
}

static bool only_reads(haft__store_verb verb)
{
    switch (verb) {
    case HAFT__STORE_READ_EVENTS:
    case HAFT__STORE_FIND:
    case HAFT__STORE_LIST:
    case HAFT__STORE_THREAD_HISTORY:
    case HAFT__STORE_PREDECESSORS:
    case HAFT__STORE_RECEIVE:
    case HAFT__STORE_READ_ARTIFACT:
    case HAFT__STORE_DOCTOR:
    case HAFT__STORE_CACHE_GET: return true;
    case HAFT__STORE_CREATE:
    case HAFT__STORE_APPEND:
    case HAFT__STORE_CLAIM:
    case HAFT__STORE_CLAIM_NEXT:
    case HAFT__STORE_RENEW:
    case HAFT__STORE_RELEASE:
    case HAFT__STORE_SEND:
    case HAFT__STORE_CACHE_PUT:
    case HAFT__STORE_REMOVE:
    case HAFT__STORE_GC:
    case HAFT__STORE_TRY_WRITE: return false;
    }
    HAFT__UNREACHABLE();
}

static void submit(haft__store *store, haft__store_request *request)
{
    haft__sqlite *sqlite = HAFT__CONTAINER(store, haft__sqlite, store);
    haft__sqlite_worker_submit(only_reads(request->verb) ? &sqlite->reader : &sqlite->writer,
                               request);
}

const haft__store_backend haft__store_sqlite = {open_sqlite, submit, close_sqlite, NULL, true};

const char *haft__store_sqlite_version(void)
{
    return sqlite3_libversion();
}
