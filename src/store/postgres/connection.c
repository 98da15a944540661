/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - the life of a connection to PostgreSQL on the loop: opening, polling, losing and
 * reopening it.
 *
 * Only haft__pg_connection_drain blocks; it is used to open and close a store. A lost connection is
 * reopened when a job needs it: the first time immediately, then after a growing backoff. Meanwhile
 * each job waits, at most until its deadline. Tests: tests/store/postgres/postgres_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/random.h"
#include "store/postgres/postgres_int.h"

#define OLDEST_SERVER 120000

static void run_next(haft__pg_connection *connection);
static void ready(void *context);

static uint64_t now_of(const haft__pg_connection *connection)
{
    return haft__loop_now(connection->pg->store.loop);
}

static bool has_waiting(const haft__pg_connection *connection)
{
    return connection->urgent.first != NULL || connection->queue.first != NULL;
}

static bool has_jobs(const haft__pg_connection *connection)
{
    return has_waiting(connection) || connection->batch.first != NULL;
}

/* ---- watching ---- */

/* Sets the poll interest; creates a new poll if the socket may have changed. */
static void watch(haft__pg_connection *connection, bool readable, bool writable)
{
    haft_status status = HAFT_OK;
    connection->readable = readable;
    connection->writable = writable;
    if (connection->poll == NULL) {
        status = haft__poll_create(connection->pg->store.loop,
                                   connection->pg->lib->socket(connection->conn), ready, connection,
                                   &connection->poll, &connection->last_error);
    }
    if (status == HAFT_OK) {
        status =
            haft__poll_set_interest(connection->poll, readable, writable, &connection->last_error);
    }
    if (status != HAFT_OK) {
        connection->last_status = status;
        connection->broken = true;
    }
}

static void unwatch(haft__pg_connection *connection)
{
    haft__poll_destroy(connection->poll);
    connection->poll = NULL;
}

void haft__pg_connection_flush(haft__pg_connection *connection)
{
    int more = connection->broken ? -1 : connection->pg->lib->flush(connection->conn);
    if (more < 0) {
        connection->broken = true;
    } else {
        watch(connection, true, more > 0);
    }
}

/* ---- disconnecting ---- */

static void close_link(haft__pg_connection *connection)
{
    unwatch(connection);
    if (connection->conn != NULL) {
        connection->pg->lib->finish(connection->conn);
        connection->conn = NULL;
    }
    connection->phase = HAFT__PG_CLOSED;
    connection->server = 0;
    connection->broken = false;
}

void haft__pg_connection_discard(haft__pg_connection *connection)
{
    close_link(connection);
    if (connection->batch.first != NULL) {
        haft__pg_batch_disconnected(connection);
    }
}

/* Stores libpq's error, unless an error is already stored. */
static void store_connection_error(haft__pg_connection *connection)
{
    if (connection->last_status == HAFT_OK) {
        connection->last_status =
            haft__pg_fail_connection(connection->pg, connection->conn, &connection->last_error);
    }
}

static void fail_expired(haft__pg_connection *connection, haft__pg_jobs *queue, uint64_t expired_at,
                         haft__pg_jobs *finished)
{
    haft__pg_jobs rest;
    haft__pg_jobs_init(&rest);
    for (haft__pg_job *job; (job = haft__pg_jobs_pop(queue)) != NULL;) {
        bool expired = job->deadline_ms <= expired_at || job->request == NULL;
        if (expired && job->status == HAFT_OK) {
            haft__pg_job_abort(job, connection->last_status, &connection->last_error);
        }
        haft__pg_jobs_push(expired ? finished : &rest, job);
    }
    haft__pg_jobs_requeue(&rest, queue);
}

static void fail_expired_jobs(haft__pg_connection *connection, uint64_t expired_at)
{
    haft__pg_jobs finished;
    haft__pg_jobs_init(&finished);
    fail_expired(connection, &connection->urgent, expired_at, &finished);
    fail_expired(connection, &connection->queue, expired_at, &finished);
    haft__pg_jobs_report(connection, &finished);
}

/* ---- connecting ---- */

static void on_backoff_end(void *context)
{
    run_next(context);
}

/* Starts the pause before the next attempt: it doubles each time, with jitter. */
static void start_backoff(haft__pg_connection *connection)
{
    haft__pg *pg = connection->pg;
    unsigned doublings = connection->attempts < 16 ? connection->attempts : 16;
    uint64_t max_ms = pg->backoff_ms << doublings;
    max_ms = max_ms < pg->backoff_max_ms ? max_ms : pg->backoff_max_ms;
    pg->random = pg->random * 6364136223846793005U + 1442695040888963407U;
    uint64_t ms = max_ms / 2 + (pg->random >> 33) % (max_ms / 2 + 1);
    connection->attempts++;
    haft_status status = haft__timer_start(pg->store.loop, &connection->backoff, ms, on_backoff_end,
                                           connection, &connection->last_error);
    if (status != HAFT_OK) {
        connection->last_status = status;
        fail_expired_jobs(connection, UINT64_MAX);
    }
}

/* Handles a failed attempt to connect. Jobs that wait for the first connection fail immediately. */
static void fail_attempt(haft__pg_connection *connection, bool for_good)
{
    store_connection_error(connection);
    close_link(connection);
    fail_expired_jobs(connection, for_good || connection->pg->closing ? UINT64_MAX : 0);
    if (has_waiting(connection)) {
        start_backoff(connection);
    }
}

static haft_status check_server(const haft__pg_connection *connection, haft_error *err)
{
    const haft__pg *pg = connection->pg;
    int version = pg->lib->serverVersion(connection->conn);
    const char *encoding = pg->lib->parameterStatus(connection->conn, "server_encoding");
    if (version < OLDEST_SERVER) {
        return haft__fail(err, HAFT_UNSUPPORTED, pg->display_name,
                          "the server is PostgreSQL %d, expected %d or newer", version / 10000,
                          OLDEST_SERVER / 10000);
    }
    if (encoding != NULL && strcmp(encoding, "UTF8") != 0) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, pg->display_name,
                       "the database has the encoding %s, expected UTF8", encoding);
        return haft__hint(err, status, "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0");
    }
    return HAFT_OK;
}

/* Whether the connection must use the server of the write connection. */
static bool must_match_writer(const haft__pg_connection *connection)
{
    return !connection->writes && connection->pg->writer.phase >= HAFT__PG_IDLE;
}

static void connected(haft__pg_connection *connection)
{
    const haft__libpq *lib = connection->pg->lib;
    connection->last_status = check_server(connection, &connection->last_error);
    if (connection->last_status != HAFT_OK) {
        fail_attempt(connection, true);
        return;
    }
    if (lib->setnonblocking(connection->conn, 1) != 0
        || lib->enterPipelineMode(connection->conn) == 0) {
        fail_attempt(connection, false);
        return;
    }
    connection->phase = HAFT__PG_IDLE;
    connection->silent_hosts = 0;
    if (!must_match_writer(connection)) {
        /* The other connection will use this host, too. */
        connection->pg->host = haft__pg_host_index(connection->pg, connection->conn);
    }
    watch(connection, true, false);
}

/* Continues to connect. libpq may have replaced its socket, so a new poll is needed. */
static void continue_connecting(haft__pg_connection *connection)
{
    unwatch(connection);
    switch (connection->pg->lib->connectPoll(connection->conn)) {
    case PGRES_POLLING_READING: watch(connection, true, false); return;
    case PGRES_POLLING_WRITING: watch(connection, false, true); return;
    case PGRES_POLLING_OK: connected(connection); return;
    default: fail_attempt(connection, false); return;
    }
}

/* Ignores warnings of the server, which libpq would otherwise print to standard error. */
static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* Connects to the current host first. Options after the URL override those in it. */
static PGconn *begin_at(const haft__pg_connection *connection)
{
    static const char *const names[] = {
        "dbname", "client_encoding", "fallback_application_name", "host", "hostaddr", "port", NULL};
    const haft__pg *pg = connection->pg;
    const char *values[COUNT(names)] = {pg->url, "UTF8", "haft"};
    haft__buf lists[3];
    bool valid = true;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const char *list = haft__pg_conninfo_option(pg, names[3 + i]);
        haft__buf_init(&lists[i], HAFT__LIMIT_STORE_TEXT_BYTES);
        if (list != NULL && pg->hosts > 1) {
            haft__pg_host_list_rotate(&lists[i], list, pg->host, pg->hosts);
            valid = valid && lists[i].status == HAFT_OK;
            values[3 + i] = lists[i].ptr;
        }
    }
    PGconn *conn = valid ? pg->lib->connectStartParams(names, values, 1) : NULL;
    for (size_t i = 0; i < COUNT(lists); i++) {
        haft__buf_finish(&lists[i]);
    }
    return conn;
}

static void connect_link(haft__pg_connection *connection)
{
    const haft__pg *pg = connection->pg;
    connection->last_status = HAFT_OK;
    connection->conn = begin_at(connection);
    if (connection->conn == NULL) {
        connection->last_status = haft__fail_no_memory(&connection->last_error);
    }
    if (connection->conn == NULL || pg->lib->status(connection->conn) == CONNECTION_BAD) {
        fail_attempt(connection, false);
        return;
    }
    (void)pg->lib->setNoticeReceiver(connection->conn, ignore_notice, NULL);
    connection->phase = HAFT__PG_CONNECTING;
    connection->connect_by_ms = now_of(connection) + pg->connect_ms;
    watch(connection, false, true);
}

/* ---- deadlines ---- */

static void set_deadline_timer(haft__pg_connection *connection);

/* The earliest deadline of a queue: that of its first job, because jobs are ordered by deadline. */
static uint64_t deadline_of(const haft__pg_jobs *jobs)
{
    return jobs->first != NULL ? jobs->first->deadline_ms : UINT64_MAX;
}

static uint64_t first_deadline(const haft__pg_connection *connection)
{
    if (connection->batch.first != NULL) {
        return deadline_of(&connection->batch);
    }
    uint64_t urgent = deadline_of(&connection->urgent), other = deadline_of(&connection->queue);
    return urgent < other ? urgent : other;
}

static void on_deadline(void *context)
{
    haft__pg_connection *connection = context;
    const haft__pg *pg = connection->pg;
    uint64_t now = now_of(connection);
    if (connection->phase == HAFT__PG_CONNECTING && connection->connect_by_ms <= now) {
        connection->last_status = haft__pg_fail_time(pg, "the database did not answer",
                                                     pg->connect_ms, &connection->last_error);
        /* The next attempt begins with the next host, because the others have not been tried. */
        connection->pg->host += !must_match_writer(connection);
        connection->silent_hosts++;
        if (connection->silent_hosts < pg->hosts) {
            close_link(connection);
        } else {
            connection->silent_hosts = 0;
            fail_attempt(connection, false);
        }
    }
    if (connection->batch.first != NULL && connection->batch.first->deadline_ms <= now) {
        connection->last_status = haft__pg_fail_time(pg, "the request did not finish",
                                                     pg->request_ms, &connection->last_error);
        haft__pg_connection_discard(connection);
    }
    if (deadline_of(&connection->urgent) <= now || deadline_of(&connection->queue) <= now) {
        if (connection->last_status == HAFT_OK) {
            connection->last_status = haft__pg_fail_time(pg, "the request did not finish",
                                                         pg->request_ms, &connection->last_error);
        }
        fail_expired_jobs(connection, now);
    }
    run_next(connection);
}

static void set_deadline_timer(haft__pg_connection *connection)
{
    haft__loop *loop = connection->pg->store.loop;
    uint64_t deadline = first_deadline(connection);
    deadline = connection->phase == HAFT__PG_CONNECTING && connection->connect_by_ms < deadline
                   ? connection->connect_by_ms
                   : deadline;
    if (deadline == UINT64_MAX) {
        haft__timer_stop(loop, &connection->deadline);
    } else if (connection->deadline.slot == 0 || connection->deadline.due_ms != deadline) {
        uint64_t now = now_of(connection);
        haft_status status =
            haft__timer_start(loop, &connection->deadline, deadline > now ? deadline - now : 0,
                              on_deadline, connection, &connection->last_error);
        if (status != HAFT_OK) { /* a job must not wait without a deadline */
            connection->last_status = status;
            haft__pg_connection_discard(connection);
            fail_expired_jobs(connection, UINT64_MAX);
        }
    }
}

/* ---- progress ---- */

static void wake(haft__pg_connection *connection)
{
    if (!connection->posted) {
        connection->posted = true;
        haft__loop_post(connection->pg->store.loop, &connection->starting);
    }
}

/* Disconnects the reader, which must use the server of the writer: data must be read from the
 * server that it was written to. */
static void disconnect_reader(haft__pg *pg, haft_status status, const haft_error *last_error)
{
    haft__pg_connection *reader = &pg->reader;
    if (reader->phase >= HAFT__PG_IDLE) {
        reader->last_error = *last_error;
        reader->last_status = status;
        haft__pg_connection_discard(reader);
        wake(reader);
    }
}

/* Switches to the next host. */
static void advance_phase(haft__pg_connection *connection)
{
    connection->pg->host += !must_match_writer(connection);
    if (connection->writes) {
        disconnect_reader(connection->pg, connection->last_status, &connection->last_error);
    }
}

/* The two connections are on different servers. The reader's server is wrong if it is a standby, or
 * while the writer is in a transaction. Otherwise it is unknown which server is right; a server
 * that was restarted behind a pooler looks the same. Then the writer reconnects before it writes
 * again. */
haft_status haft__pg_connection_check_server(haft__pg_connection *connection, uint64_t server,
                                             bool standby, haft_error *err)
{
    haft__pg *pg = connection->pg;
    haft__pg_connection *other = connection->writes ? &pg->reader : &pg->writer;
    bool differs = other->server != 0 && other->server != server;
    connection->server = server;
    if (connection->writes) {
        pg->wrote = true;
        if (differs) {
            disconnect_reader(pg, haft__pg_fail_wrong_server(pg, false, err), err);
        }
        return HAFT_OK;
    }
    if (pg->wrote && (standby || (differs && other->phase > HAFT__PG_IDLE))) {
        return haft__pg_fail_wrong_server(pg, standby, err);
    }
    if (differs) {
        haft__pg_connection_discard(other);
    }
    return HAFT_OK;
}

/* Handles a lost connection. It is reopened immediately, except after a standby, because a standby
 * needs time to become the primary. */
static void handle_loss(haft__pg_connection *connection)
{
    bool try_next_host = connection->try_next_host;
    store_connection_error(connection);
    haft__pg_connection_discard(connection);
    connection->try_next_host = connection->wrong_server = false;
    if (try_next_host && connection->pg->hosts > 1) {
        advance_phase(connection);
    }
    /* Fails the jobs that wait for the first connection, or all jobs if the store is closing. */
    fail_expired_jobs(connection, try_next_host && connection->pg->closing ? UINT64_MAX : 0);
    if (try_next_host && has_waiting(connection)) {
        start_backoff(connection);
    }
}

/* Performs the possible next actions. All changes of the connection's state are handled here. */
static void run_next(haft__pg_connection *connection)
{
    for (;;) {
        if (connection->broken && connection->phase == HAFT__PG_CONNECTING) {
            fail_attempt(connection, false);
        } else if (connection->broken) {
            handle_loss(connection);
        } else if (connection->phase == HAFT__PG_IDLE && has_waiting(connection)) {
            haft__pg_batch_start(connection);
        } else if (connection->phase == HAFT__PG_CLOSED && has_waiting(connection)
                   && connection->backoff.slot == 0) {
            connect_link(connection);
        } else {
            break;
        }
    }
    set_deadline_timer(connection);
}

static void ready(void *context)
{
    haft__pg_connection *connection = context;
    const haft__libpq *lib = connection->pg->lib;
    if (connection->phase == HAFT__PG_CONNECTING) {
        continue_connecting(connection);
    } else if (connection->phase != HAFT__PG_CLOSED) {
        bool alive = lib->consumeInput(connection->conn) != 0;
        connection->last_status = HAFT_OK;
        haft__pg_batch_read(connection);
        connection->broken = connection->broken || (!alive && connection->phase != HAFT__PG_CLOSED);
        if (!connection->broken) {
            haft__pg_connection_flush(connection);
        }
    }
    run_next(connection);
}

static void start(haft__task *task)
{
    haft__pg_connection *connection = HAFT__CONTAINER(task, haft__pg_connection, starting);
    connection->posted = false;
    run_next(connection);
}

haft__pg_jobs *haft__pg_connection_queue(haft__pg_connection *connection, const haft__pg_job *job)
{
    bool urgent =
        job != NULL && job->request != NULL && haft__pg_verb_of(job->request->verb)->urgent;
    return urgent ? &connection->urgent : &connection->queue;
}

void haft__pg_connection_add_job(haft__pg_connection *connection, haft__pg_job *job)
{
    job->connection = connection;
    job->deadline_ms = now_of(connection) + connection->pg->request_ms;
    haft__pg_jobs_push(haft__pg_connection_queue(connection, job), job);
    wake(connection);
}

void haft__pg_connection_limit_time(haft__pg_connection *connection)
{
    uint64_t deadline = now_of(connection) + connection->pg->request_ms;
    haft__pg_jobs *const all[] = {&connection->urgent, &connection->queue, &connection->batch};
    for (size_t i = 0; i < COUNT(all); i++) {
        for (haft__pg_job *job = all[i]->first; job != NULL; job = job->next_job) {
            job->deadline_ms = job->deadline_ms < deadline ? job->deadline_ms : deadline;
        }
    }
    set_deadline_timer(connection);
}

void haft__pg_connection_drain(haft__pg_connection *connection)
{
    haft__timer_stop(connection->pg->store.loop, &connection->backoff);
    run_next(connection);
    while (has_jobs(connection)) {
        uint64_t now = now_of(connection), deadline = connection->deadline.due_ms;
        if (deadline > now) {
            haft__poll_wait(connection->pg->lib->socket(connection->conn), connection->readable,
                            connection->writable,
                            deadline - now < INT32_MAX ? (int)(deadline - now) : INT32_MAX);
        }
        if (now_of(connection) >= deadline) {
            on_deadline(connection);
        } else {
            ready(connection);
        }
    }
    set_deadline_timer(connection);
}

void haft__pg_connection_init(haft__pg_connection *connection, haft__pg *pg, bool writes)
{
    connection->pg = pg;
    connection->writes = writes;
    connection->starting.run = start;
    haft__pg_jobs_init(&connection->urgent);
    haft__pg_jobs_init(&connection->queue);
    haft__pg_jobs_init(&connection->batch);
    haft__buf_init(&connection->packed,
                   HAFT__LIMIT_STORE_TEXT_BYTES + 2 * HAFT__LIMIT_STORE_ROW_BYTES);
    haft__pg_bulk_init(connection);
}

void haft__pg_connection_finish(haft__pg_connection *connection)
{
    haft__loop *loop = connection->pg->store.loop;
    haft__loop_cancel_task(loop, &connection->starting);
    haft__timer_stop(loop, &connection->deadline);
    haft__timer_stop(loop, &connection->backoff);
    close_link(connection);
    haft__buf_finish(&connection->packed);
    haft__pg_bulk_finish(connection);
    connection->pg->lib->clear(connection->heads);
}
