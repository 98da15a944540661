/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_link.c - a connection to PostgreSQL on the loop: made, watched, lost, made again.
 *
 * Nothing here waits but haft__pg_link_drain, at the beginning and the end of a store. A connection
 * that is lost is made again when there is a reason to, at once the first time, then after pauses
 * that grow. Jobs wait meanwhile, each until its time is over. Tests:
 * tests/store/postgres/postgres_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/random.h"
#include "store/postgres/postgres_int.h"

#define OLDEST_SERVER 120000

static void go(haft__pg_link *link);
static void ready(void *context);

static uint64_t now_of(const haft__pg_link *link)
{
    return haft__loop_now(link->pg->store.loop);
}

static bool has_waiting(const haft__pg_link *link)
{
    return link->urgent.first != NULL || link->queue.first != NULL;
}

static bool has_jobs(const haft__pg_link *link)
{
    return has_waiting(link) || link->batch.first != NULL;
}

/* ---- watching ---- */

/* What is waited for from now on, with a new watch when the socket may be another one. */
static void watch(haft__pg_link *link, bool readable, bool writable)
{
    haft_status status = HAFT_OK;
    link->readable = readable;
    link->writable = writable;
    if (link->poll == NULL) {
        status = haft__poll_create(link->pg->store.loop, link->pg->lib->socket(link->conn), ready,
                                   link, &link->poll, &link->why);
    }
    if (status == HAFT_OK) {
        status = haft__poll_want(link->poll, readable, writable, &link->why);
    }
    if (status != HAFT_OK) {
        link->why_status = status;
        link->broken = true;
    }
}

static void unwatch(haft__pg_link *link)
{
    haft__poll_destroy(link->poll);
    link->poll = NULL;
}

void haft__pg_link_flush(haft__pg_link *link)
{
    int more = link->broken ? -1 : link->pg->lib->flush(link->conn);
    if (more < 0) {
        link->broken = true;
    } else {
        watch(link, true, more > 0);
    }
}

/* ---- losing ---- */

static void close_link(haft__pg_link *link)
{
    unwatch(link);
    if (link->conn != NULL) {
        link->pg->lib->finish(link->conn);
        link->conn = NULL;
    }
    link->phase = HAFT__PG_CLOSED;
    link->server = 0;
    link->broken = false;
}

void haft__pg_link_cut(haft__pg_link *link)
{
    close_link(link);
    if (link->batch.first != NULL) {
        haft__pg_batch_lost(link);
    }
}

/* Notes why, from libpq, unless it is known already. */
static void note_why(haft__pg_link *link)
{
    if (link->why_status == HAFT_OK) {
        link->why_status = haft__pg_fail_connection(link->pg, link->conn, &link->why);
    }
}

static void fail_some(haft__pg_link *link, haft__pg_jobs *queue, uint64_t due_until,
                      haft__pg_jobs *told)
{
    haft__pg_jobs rest;
    haft__pg_jobs_init(&rest);
    for (haft__pg_job *job; (job = haft__pg_jobs_take(queue)) != NULL;) {
        bool over = job->due_ms <= due_until || job->request == NULL;
        if (over && job->status == HAFT_OK) {
            haft__pg_job_give_up(job, link->why_status, &link->why);
        }
        haft__pg_jobs_add(over ? told : &rest, job);
    }
    haft__pg_jobs_return(&rest, queue);
}

static void fail_queue(haft__pg_link *link, uint64_t due_until)
{
    haft__pg_jobs told;
    haft__pg_jobs_init(&told);
    fail_some(link, &link->urgent, due_until, &told);
    fail_some(link, &link->queue, due_until, &told);
    haft__pg_report(link, &told);
}

/* ---- connecting ---- */

static void rested(void *context)
{
    go(context);
}

/* The next attempt comes after a pause: twice as long each time, and none like another's. */
static void pause(haft__pg_link *link)
{
    haft__pg *pg = link->pg;
    unsigned doublings = link->attempts < 16 ? link->attempts : 16;
    uint64_t most = pg->backoff_ms << doublings;
    most = most < pg->backoff_max_ms ? most : pg->backoff_max_ms;
    pg->random = pg->random * 6364136223846793005U + 1442695040888963407U;
    uint64_t ms = most / 2 + (pg->random >> 33) % (most / 2 + 1);
    link->attempts++;
    haft_status status =
        haft__timer_start(pg->store.loop, &link->rest, ms, rested, link, &link->why);
    if (status != HAFT_OK) {
        link->why_status = status;
        fail_queue(link, UINT64_MAX);
    }
}

/* What an attempt that failed leaves: who waits for the first connection is told at once. */
static void fail_attempt(haft__pg_link *link, bool for_good)
{
    note_why(link);
    close_link(link);
    fail_queue(link, for_good || link->pg->closing ? UINT64_MAX : 0);
    if (has_waiting(link)) {
        pause(link);
    }
}

static haft_status check_server(const haft__pg_link *link, haft_error *err)
{
    const haft__pg *pg = link->pg;
    int version = pg->lib->serverVersion(link->conn);
    const char *encoding = pg->lib->parameterStatus(link->conn, "server_encoding");
    if (version < OLDEST_SERVER) {
        return haft__fail(err, HAFT_UNSUPPORTED, pg->place,
                          "the server is PostgreSQL %d, wanted %d or newer", version / 10000,
                          OLDEST_SERVER / 10000);
    }
    if (encoding != NULL && strcmp(encoding, "UTF8") != 0) {
        haft_status status = haft__fail(err, HAFT_UNSUPPORTED, pg->place,
                                        "the database has the encoding %s, wanted UTF8", encoding);
        return haft__hint(err, status, "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0");
    }
    return HAFT_OK;
}

/* Whether it has to go where the one that writes is. */
static bool follows(const haft__pg_link *link)
{
    return !link->writes && link->pg->writer.phase >= HAFT__PG_IDLE;
}

static void connected(haft__pg_link *link)
{
    const haft__pg_functions *lib = link->pg->lib;
    link->why_status = check_server(link, &link->why);
    if (link->why_status != HAFT_OK) {
        fail_attempt(link, true);
        return;
    }
    if (lib->setnonblocking(link->conn, 1) != 0 || lib->enterPipelineMode(link->conn) == 0) {
        fail_attempt(link, false);
        return;
    }
    link->phase = HAFT__PG_IDLE;
    link->silent = 0;
    if (!follows(link)) {
        link->pg->host = haft__pg_host_of(link->pg, link->conn); /* the other one comes, too */
    }
    watch(link, true, false);
}

/* libpq may have closed the socket and opened another: it is watched anew. */
static void go_on_connecting(haft__pg_link *link)
{
    unwatch(link);
    switch (link->pg->lib->connectPoll(link->conn)) {
    case PGRES_POLLING_READING: watch(link, true, false); return;
    case PGRES_POLLING_WRITING: watch(link, false, true); return;
    case PGRES_POLLING_OK: connected(link); return;
    default: fail_attempt(link, false); return;
    }
}

/* Warnings are for somebody who looks at them; libpq would print them. */
static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* Begins with the host whose turn it is; what comes behind the URL counts more. */
static PGconn *begin_at(const haft__pg_link *link)
{
    static const char *const names[] = {
        "dbname", "client_encoding", "fallback_application_name", "host", "hostaddr", "port", NULL};
    const haft__pg *pg = link->pg;
    const char *values[COUNT(names)] = {pg->url, "UTF8", "haft"};
    haft__buf lists[3];
    bool right = true;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const char *list = haft__pg_option(pg, names[3 + i]);
        haft__buf_init(&lists[i], HAFT__LIMIT_STORE_TEXT_BYTES);
        if (list != NULL && pg->hosts > 1) {
            haft__pg_rotate(&lists[i], list, pg->host, pg->hosts);
            right = right && lists[i].status == HAFT_OK;
            values[3 + i] = lists[i].ptr;
        }
    }
    PGconn *conn = right ? pg->lib->connectStartParams(names, values, 1) : NULL;
    for (size_t i = 0; i < COUNT(lists); i++) {
        haft__buf_finish(&lists[i]);
    }
    return conn;
}

static void connect_link(haft__pg_link *link)
{
    const haft__pg *pg = link->pg;
    link->why_status = HAFT_OK;
    link->conn = begin_at(link);
    if (link->conn == NULL) {
        link->why_status = haft__fail_no_memory(&link->why);
    }
    if (link->conn == NULL || pg->lib->status(link->conn) == CONNECTION_BAD) {
        fail_attempt(link, false);
        return;
    }
    (void)pg->lib->setNoticeReceiver(link->conn, ignore_notice, NULL);
    link->phase = HAFT__PG_CONNECTING;
    link->connect_by_ms = now_of(link) + pg->connect_ms;
    watch(link, false, true);
}

/* ---- deadlines ---- */

static void arm(haft__pg_link *link);

/* Jobs of a queue come in the order of their deadlines: the first one counts. */
static uint64_t due_of(const haft__pg_jobs *jobs)
{
    return jobs->first != NULL ? jobs->first->due_ms : UINT64_MAX;
}

static uint64_t first_due(const haft__pg_link *link)
{
    if (link->batch.first != NULL) {
        return due_of(&link->batch);
    }
    uint64_t urgent = due_of(&link->urgent), other = due_of(&link->queue);
    return urgent < other ? urgent : other;
}

static void late(void *context)
{
    haft__pg_link *link = context;
    const haft__pg *pg = link->pg;
    uint64_t now = now_of(link);
    if (link->phase == HAFT__PG_CONNECTING && link->connect_by_ms <= now) {
        link->why_status =
            haft__pg_fail_time(pg, "the database did not answer", pg->connect_ms, &link->why);
        link->pg->host += !follows(link); /* the others have not been asked */
        link->silent++;
        if (link->silent < pg->hosts) {
            close_link(link);
        } else {
            link->silent = 0;
            fail_attempt(link, false);
        }
    }
    if (link->batch.first != NULL && link->batch.first->due_ms <= now) {
        link->why_status =
            haft__pg_fail_time(pg, "the request was not done", pg->request_ms, &link->why);
        haft__pg_link_cut(link);
    }
    if (due_of(&link->urgent) <= now || due_of(&link->queue) <= now) {
        if (link->why_status == HAFT_OK) {
            link->why_status =
                haft__pg_fail_time(pg, "the request was not done", pg->request_ms, &link->why);
        }
        fail_queue(link, now);
    }
    go(link);
}

static void arm(haft__pg_link *link)
{
    haft__loop *loop = link->pg->store.loop;
    uint64_t due = first_due(link);
    due =
        link->phase == HAFT__PG_CONNECTING && link->connect_by_ms < due ? link->connect_by_ms : due;
    if (due == UINT64_MAX) {
        haft__timer_stop(loop, &link->deadline);
    } else if (link->deadline.slot == 0 || link->deadline.due_ms != due) {
        uint64_t now = now_of(link);
        haft_status status = haft__timer_start(loop, &link->deadline, due > now ? due - now : 0,
                                               late, link, &link->why);
        if (status != HAFT_OK) { /* nothing may wait without an end */
            link->why_status = status;
            haft__pg_link_cut(link);
            fail_queue(link, UINT64_MAX);
        }
    }
}

/* ---- going on ---- */

static void wake(haft__pg_link *link)
{
    if (!link->posted) {
        link->posted = true;
        haft__loop_post(link->pg->store.loop, &link->starting);
    }
}

/* The reader goes along: what was written must be read where it was. */
static void cut_reader(haft__pg *pg, haft_status status, const haft_error *why)
{
    haft__pg_link *reader = &pg->reader;
    if (reader->phase >= HAFT__PG_IDLE) {
        reader->why = *why;
        reader->why_status = status;
        haft__pg_link_cut(reader);
        wake(reader);
    }
}

/* The next host. */
static void move_on(haft__pg_link *link)
{
    link->pg->host += !follows(link);
    if (link->writes) {
        cut_reader(link->pg, link->why_status, &link->why);
    }
}

/* Two servers: the reader's is wrong when it is a standby, or while the other one is at work. Else
 * nobody knows who was there first; a server that was restarted behind a pooler looks like this,
 * too. Then the writer connects anew before it writes again. */
haft_status haft__pg_link_meet(haft__pg_link *link, uint64_t server, bool standby, haft_error *err)
{
    haft__pg *pg = link->pg;
    haft__pg_link *other = link->writes ? &pg->reader : &pg->writer;
    bool apart = other->server != 0 && other->server != server;
    link->server = server;
    if (link->writes) {
        pg->wrote = true;
        if (apart) {
            cut_reader(pg, haft__pg_fail_astray(pg, false, err), err);
        }
        return HAFT_OK;
    }
    if (pg->wrote && (standby || (apart && other->phase > HAFT__PG_IDLE))) {
        return haft__pg_fail_astray(pg, standby, err);
    }
    if (apart) {
        haft__pg_link_cut(other);
    }
    return HAFT_OK;
}

/* It is made again at once, but for one that was a standby's: that takes a while to change. */
static void lose(haft__pg_link *link)
{
    bool elsewhere = link->elsewhere;
    note_why(link);
    haft__pg_link_cut(link);
    link->elsewhere = link->astray = false;
    if (elsewhere && link->pg->hosts > 1) {
        move_on(link);
    }
    /* Who waits for the first connection, or for the last time, is told. */
    fail_queue(link, elsewhere && link->pg->closing ? UINT64_MAX : 0);
    if (elsewhere && has_waiting(link)) {
        pause(link);
    }
}

/* Does what can be done now. Whatever has happened to the connection is seen here. */
static void go(haft__pg_link *link)
{
    for (;;) {
        if (link->broken && link->phase == HAFT__PG_CONNECTING) {
            fail_attempt(link, false);
        } else if (link->broken) {
            lose(link);
        } else if (link->phase == HAFT__PG_IDLE && has_waiting(link)) {
            haft__pg_batch_start(link);
        } else if (link->phase == HAFT__PG_CLOSED && has_waiting(link) && link->rest.slot == 0) {
            connect_link(link);
        } else {
            break;
        }
    }
    arm(link);
}

static void ready(void *context)
{
    haft__pg_link *link = context;
    const haft__pg_functions *lib = link->pg->lib;
    if (link->phase == HAFT__PG_CONNECTING) {
        go_on_connecting(link);
    } else if (link->phase != HAFT__PG_CLOSED) {
        bool alive = lib->consumeInput(link->conn) != 0;
        link->why_status = HAFT_OK;
        haft__pg_batch_read(link);
        link->broken = link->broken || (!alive && link->phase != HAFT__PG_CLOSED);
        if (!link->broken) {
            haft__pg_link_flush(link);
        }
    }
    go(link);
}

static void start(haft__task *task)
{
    haft__pg_link *link = HAFT__CONTAINER(task, haft__pg_link, starting);
    link->posted = false;
    go(link);
}

haft__pg_jobs *haft__pg_queue_of(haft__pg_link *link, const haft__pg_job *job)
{
    bool urgent =
        job != NULL && job->request != NULL && haft__pg_verb_of(job->request->verb)->urgent;
    return urgent ? &link->urgent : &link->queue;
}

void haft__pg_link_add(haft__pg_link *link, haft__pg_job *job)
{
    job->link = link;
    job->due_ms = now_of(link) + link->pg->request_ms;
    haft__pg_jobs_add(haft__pg_queue_of(link, job), job);
    wake(link);
}

void haft__pg_link_hurry(haft__pg_link *link)
{
    uint64_t due = now_of(link) + link->pg->request_ms;
    haft__pg_jobs *const all[] = {&link->urgent, &link->queue, &link->batch};
    for (size_t i = 0; i < COUNT(all); i++) {
        for (haft__pg_job *job = all[i]->first; job != NULL; job = job->next_job) {
            job->due_ms = job->due_ms < due ? job->due_ms : due;
        }
    }
    arm(link);
}

void haft__pg_link_drain(haft__pg_link *link)
{
    haft__timer_stop(link->pg->store.loop, &link->rest);
    go(link);
    while (has_jobs(link)) {
        uint64_t now = now_of(link), due = link->deadline.due_ms;
        if (due > now) {
            haft__poll_wait(link->pg->lib->socket(link->conn), link->readable, link->writable,
                            due - now < INT32_MAX ? (int)(due - now) : INT32_MAX);
        }
        if (now_of(link) >= due) {
            late(link);
        } else {
            ready(link);
        }
    }
    arm(link);
}

void haft__pg_link_init(haft__pg_link *link, haft__pg *pg, bool writes)
{
    link->pg = pg;
    link->writes = writes;
    link->starting.run = start;
    haft__pg_jobs_init(&link->urgent);
    haft__pg_jobs_init(&link->queue);
    haft__pg_jobs_init(&link->batch);
    haft__buf_init(&link->packed, HAFT__LIMIT_STORE_TEXT_BYTES + 2 * HAFT__LIMIT_STORE_ROW_BYTES);
    haft__pg_share_init(link);
}

void haft__pg_link_finish(haft__pg_link *link)
{
    haft__loop *loop = link->pg->store.loop;
    haft__loop_withdraw(loop, &link->starting);
    haft__timer_stop(loop, &link->deadline);
    haft__timer_stop(loop, &link->rest);
    close_link(link);
    haft__buf_finish(&link->packed);
    haft__pg_share_finish(link);
    link->pg->lib->clear(link->heads);
}
