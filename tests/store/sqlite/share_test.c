/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store: many requests, many processes, and processes that are killed. */
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/clock.h"
#include "store/postgres/postgres_help.h"
#include "store/sqlite/sqlite_help.h"

#define EVENTS  200
#define OPENERS 6
#define RUNS    8

/* ---- groups ---- */

typedef struct group {
    haft__store_request requests[HAFT__LIMIT_STORE_BATCH + 2];
    size_t done, failed;
} group;

static void count_done(haft__store_request *request)
{
    group *g = request->context;
    g->done++;
    g->failed += request->status != HAFT_OK;
}

static void submit_create(help_store *s, group *g, size_t at)
{
    g->requests[at] = (haft__store_request){
        .verb = HAFT__STORE_CREATE, .run = {.id = help_id(at)}, .done = count_done, .context = g};
    haft__store_submit(s->store, &g->requests[at]);
}

static void wait_for(help_store *s, const group *g, size_t wanted)
{
    while (g->done < wanted) {
        CHECK_INT(haft__loop_step(s->loop, 10000, NULL), HAFT_OK, "the loop cannot step");
    }
}

/* Waits until the writer thread has taken all queued requests. */
static void wait_until_taken(help_store *s)
{
    haft__sqlite_worker *writer = &help_sqlite(s)->writer;
    for (bool taken = false; !taken; (void)sched_yield()) {
        (void)pthread_mutex_lock(&writer->lock);
        taken = writer->queue.first == NULL;
        (void)pthread_mutex_unlock(&writer->lock);
    }
}

TEST(queued_requests_are_written_together)
{
    /* The first request is taken and waits for the lock; the others are queued. */
    for (size_t more = HAFT__LIMIT_STORE_BATCH; more <= HAFT__LIMIT_STORE_BATCH + 1; more++) {
        help_store s;
        group *g = test_alloc(sizeof(*g));
        g->done = g->failed = 0;
        help_store_open(&s, "sqlite");
        sqlite3 *other = help_raw_open(help_path(&s));
        CHECK_INT(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK,
                  "cannot lock the database");
        submit_create(&s, g, 0);
        CHECK_INT(haft__loop_step(s.loop, 0, NULL), HAFT_OK,
                  "the loop cannot step"); /* hands it over */
        wait_until_taken(&s);
        for (size_t i = 1; i <= more; i++) {
            submit_create(&s, g, i);
        }
        CHECK_INT(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK, "cannot commit");
        wait_for(&s, g, more + 1);
        CHECK_INT(g->failed, 0, "number of failed requests");
        CHECK_INT(help_sqlite(&s)->writer.commits, more == HAFT__LIMIT_STORE_BATCH ? 2 : 3,
                  "transactions for %zu requests", more + 1);
        (void)sqlite3_close(other);
        help_store_close(&s);
    }
}

TEST(queued_requests_share_commits)
{
    help_store s;
    group *g = test_alloc(sizeof(*g));
    g->done = g->failed = 0;
    help_store_open(&s, "sqlite");
    for (size_t i = 0; i < HAFT__LIMIT_STORE_BATCH; i++) {
        submit_create(&s, g, i);
    }
    wait_for(&s, g, HAFT__LIMIT_STORE_BATCH);
    CHECK_INT(g->failed, 0, "number of failed requests");
    CHECK(help_sqlite(&s)->writer.commits < HAFT__LIMIT_STORE_BATCH,
          "each request had its own commit");
    printf("# %d requests, %d transactions\n", HAFT__LIMIT_STORE_BATCH,
           (int)help_sqlite(&s)->writer.commits);
    help_store_close(&s);
}

/* ---- locks ---- */

TEST(a_lock_that_is_not_released_is_reported)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    help_sqlite(&s)->writer.connection.busy_ms = 20;
    sqlite3 *other = help_raw_open(help_path(&s));
    CHECK_INT(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK,
              "cannot lock the database");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_IO, "the append succeeded");
    CHECK_STR(haft__str(s.error.message), HAFT__LIT("the database is locked by another process"),
              "error message");
    CHECK_STR(haft__str(s.error.where), haft__str(help_path(&s)), "place of the error");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "reading continues");
    CHECK_INT(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK, "cannot commit");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    (void)sqlite3_close(other);
    help_store_close(&s);
}

TEST(a_store_waits_for_an_exclusive_lock)
{
    help_store s;
    haft_error err;
    help_store_open(&s, "sqlite");
    help_store_shut(&s);
    sqlite3 *other = help_raw_open(help_path(&s));
    CHECK_INT(sqlite3_exec(other, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = 3", NULL,
                           NULL, NULL),
              SQLITE_OK, "cannot lock the database");
    uint64_t before = haft__clock_now();
    CHECK_INT(help_try_open(s.url, &err), HAFT_IO, "opening succeeded");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the database is locked by another process"),
              "error message");
    CHECK(haft__clock_now() + 1 >= before + HAFT__LIMIT_STORE_BUSY_MS,
          "opening failed before the timeout");
    (void)sqlite3_close(other);
    help_store_reopen(&s);
    help_store_close(&s);
}

/* ---- a file that others change ---- */

TEST(a_database_that_was_moved_is_not_written)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    char other[PATH_MAX];
    (void)snprintf(other, sizeof(other), "%s/other.db", s.folder);
    CHECK_INT(rename(help_path(&s), other), 0, "cannot move the file");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_IO, "the append succeeded");
    CHECK_STR(haft__str(s.error.message),
              HAFT__LIT("the database was moved or removed while it was in use"), "error message");
    CHECK(help_read(&s, 1).ptr == NULL, "the read succeeded");
    CHECK_INT(rename(other, help_path(&s)), 0, "cannot move the file");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    help_store_close(&s);
}

TEST(a_database_of_a_newer_version_is_not_changed)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "events");
    help_raw(&s, "ALTER TABLE events ADD COLUMN more TEXT; PRAGMA user_version = 4");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_UNSUPPORTED, "the append succeeded");
    CHECK(help_read(&s, 1).ptr == NULL && s.error.status == HAFT_UNSUPPORTED, "the read succeeded");
    help_store_close(&s);
}

/* ---- two stores ---- */

TEST(two_stores_of_one_file_see_each_other)
{
    help_store a, b;
    help_store_open(&a, "sqlite");
    b = (help_store){.now_ms = a.now_ms};
    memcpy(b.url, a.url, sizeof(b.url));
    haft__arena_init(&b.arena, 0);
    help_store_reopen(&b);
    CHECK_INT(help_create(&a, 1), HAFT_OK, "%s", a.error.message);
    CHECK_STR(help_read(&b, 1), HAFT__LIT("1\n"), "events");
    CHECK_INT(help_claim(&b, 1, "you", "", NULL), HAFT_BAD_STATE, "the other store owns the run");
    CHECK_INT(help_claim(&b, 1, "you", "me", NULL), HAFT_OK, "%s", b.error.message);
    CHECK_INT(help_append(&a, 1, 1, 1, "late"), HAFT_BAD_STATE, "the claim succeeded");
    CHECK_INT(help_append(&b, 1, 2, 1, "2"), HAFT_OK, "%s", b.error.message);
    CHECK_STR(help_read(&a, 1), HAFT__LIT("1\n2\n"), "events");
    CHECK_INT(help_send(&a, 1, "hello"), HAFT_OK, "%s", a.error.message);
    haft__store_request receive = {.verb = HAFT__STORE_RECEIVE, .run = {.owner = HAFT__LIT("you")}};
    CHECK_INT(help_do(&b, &receive), HAFT_OK, "%s", b.error.message);
    CHECK_INT(receive.message_count, 1, "number of messages");
    help_store_close(&b);
    CHECK_INT(help_claim(&a, 1, "me", "you", NULL), HAFT_OK, "claim a run of a dead owner: %s",
              a.error.message);
    help_store_close(&a);
}

/* ---- processes ---- */

typedef struct racer {
    help_store s;
    char name[8];
    int start[2]; /* a pipe: closed when all start */
    int wins;     /* a pipe: the number of appends that succeeded */
} racer;

static void wait_for_start(const racer *r)
{
    char byte;
    (void)close(r->start[1]);
    while (read(r->start[0], &byte, 1) > 0) {
        /* blocks until the other end is closed */
    }
}

static void start_all(const racer *r)
{
    (void)close(r->start[0]);
    (void)close(r->start[1]);
}

static int race(void *context)
{
    racer *r = context;
    uint16_t wins = 0;
    haft_status status = HAFT_OK;
    wait_for_start(r);
    help_store_reopen(&r->s);
    for (uint64_t seq = 1; seq <= EVENTS && (status == HAFT_OK || status == HAFT_BAD_STATE);
         seq++) {
        status = help_append(&r->s, 1, 1, seq, r->name);
        wins = (uint16_t)(wins + (status == HAFT_OK));
    }
    if (status != HAFT_OK && status != HAFT_BAD_STATE) {
        printf("# %s\n", r->s.error.message);
    }
    help_store_shut(&r->s);
    return status == HAFT_OK || status == HAFT_BAD_STATE
               ? write(r->wins, &wins, sizeof(wins)) != sizeof(wins)
               : 1;
}

TEST(one_of_two_processes_appends_an_event)
{
    racer racers[2];
    pid_t processes[2];
    int wins[2] = {-1, -1};
    help_store_open(&racers[0].s, "sqlite");
    CHECK_INT(help_create(&racers[0].s, 1), HAFT_OK, "%s", racers[0].s.error.message);
    help_store_shut(&racers[0].s);
    CHECK(pipe(racers[0].start) == 0 && pipe(wins) == 0, "cannot create a pipe");
    racers[1] = racers[0];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(racers[i].name, sizeof(racers[i].name), "%d", i);
        racers[i].wins = wins[1];
        processes[i] = help_fork(race, &racers[i]);
    }
    start_all(&racers[0]);
    uint16_t won[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        CHECK_INT(help_join(processes[i]), 0, "process %d", i);
        CHECK_INT(read(wins[0], &won[i], sizeof(won[i])), sizeof(won[i]),
                  "read the result of process %d", i);
    }
    help_store *s = &racers[0].s;
    help_store_reopen(s);
    CHECK_INT(won[0] + won[1], EVENTS, "number of acknowledged appends");
    haft_str text = help_read(s, 1);
    CHECK_INT(text.len, 2 * (EVENTS + 1), "bytes: %s", s->error.message);
    printf("# %d and %d\n", won[0], won[1]);
    (void)close(wins[0]);
    (void)close(wins[1]);
    help_store_close(s);
}

static int open_and_create(void *context)
{
    racer *r = context;
    wait_for_start(r);
    haft_error err = {0};
    haft__store *store = NULL;
    haft__loop *loop = NULL;
    if (haft__loop_create(&loop, NULL) != HAFT_OK
        || haft__store_open(loop, r->s.url, &store, &err) != HAFT_OK) {
        printf("# %s\n", err.message);
        return 1;
    }
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = haft__str(r->s.folder)}};
    haft_status status = haft__store_submit_and_wait(store, &create, &err);
    if (status != HAFT_OK) {
        printf("# %s\n", err.message);
    }
    haft__store_close(store);
    haft__loop_destroy(loop);
    return status == HAFT_OK ? 0 : 1;
}

TEST(processes_that_start_at_once_create_the_tables_once)
{
    for (int round = 0; round < help_rounds(3); round++) {
        help_store s;
        help_store_open(&s, "sqlite");
        help_store_shut(&s);
        (void)unlink(help_path(&s));
        racer r = {.s = s};
        CHECK_INT(pipe(r.start), 0, "cannot create a pipe");
        pid_t processes[OPENERS];
        for (uint64_t i = 0; i < OPENERS; i++) {
            (void)snprintf(r.s.folder, sizeof(r.s.folder), "%s", help_id(i).ptr);
            processes[i] = help_fork(open_and_create, &r);
        }
        start_all(&r);
        for (int i = 0; i < OPENERS; i++) {
            CHECK_INT(help_join(processes[i]), 0, "process %d", i);
        }
        help_store_reopen(&s);
        haft__store_request list = {.verb = HAFT__STORE_LIST};
        CHECK_INT(help_do(&s, &list), HAFT_OK, "%s", s.error.message);
        CHECK_INT(list.found_count, OPENERS, "number of runs");
        help_store_close(&s);
    }
}

/* ---- processes that are killed ---- */

typedef struct victim {
    help_store s;
    haft__store_request requests[RUNS];
    haft_str lines[RUNS];
    char texts[RUNS][64];
    int acks; /* a pipe: run and number of each event that is durable */
    int round;
} victim;

typedef struct ack {
    uint32_t run, seq;
} ack;

/* The expected event `seq` of a run; the first is "1". */
static size_t event_text(char text[64], size_t run, uint64_t seq)
{
    int length =
        seq == 1 ? snprintf(text, 64, "1")
                 : snprintf(text, 64, "{\"run\":%zu,\"seq\":%llu}", run, (unsigned long long)seq);
    return (size_t)length;
}

static void submit_next(victim *v, size_t run)
{
    haft__store_request *request = &v->requests[run];
    v->lines[run] = (haft_str){v->texts[run], event_text(v->texts[run], run, request->run.seq + 1)};
    request->lines = &v->lines[run];
    request->line_count = 1;
    haft__store_submit(v->s.store, request);
}

static void acknowledge(haft__store_request *request)
{
    victim *v = request->context;
    size_t run = (size_t)(request - v->requests);
    ack message = {(uint32_t)run, (uint32_t)++request->run.seq};
    if (request->status != HAFT_OK
        || write(v->acks, &message, sizeof(message)) != sizeof(message)) {
        printf("# run %zu: %s\n", run, request->error.message);
        (void)fflush(stdout);
        _exit(1);
    }
    submit_next(v, run);
}

/* Claims every run from the process that was killed before, and appends until it is killed as well.
 */
static int append_for_ever(void *context)
{
    victim *v = context;
    char owner[32], dead[32];
    (void)snprintf(owner, sizeof(owner), "process %d", v->round);
    help_store_reopen(&v->s);
    for (size_t i = 0; i < RUNS; i++) {
        uint64_t epoch =
            0; /* the previous process may have been killed before it had claimed all runs */
        (void)snprintf(dead, sizeof(dead), "%.*s", HAFT__ARG(help_run(&v->s, i)->owner));
        if (help_claim(&v->s, i, owner, dead, &epoch) != HAFT_OK) {
            printf("# %s\n", v->s.error.message);
            return 1;
        }
        v->requests[i] = (haft__store_request){
            .verb = HAFT__STORE_APPEND,
            .run = {.id = help_id(i), .epoch = epoch, .seq = help_run(&v->s, i)->seq},
            .done = acknowledge,
            .context = v};
        submit_next(v, i);
    }
    while (haft__loop_step(v->s.loop, -1, NULL) == HAFT_OK) {
        /* until the process is killed */
    }
    return 1;
}

/* Every event of the run is as expected, and no acknowledged event is missing. */
static void check_run(help_store *s, size_t run, uint64_t acknowledged, int round)
{
    haft_str text = help_read(s, run);
    CHECK(text.ptr != NULL, "round %d: run %zu: %s", round, run, s->error.message);
    uint64_t seq = 0;
    while (text.len > 0) {
        char wanted[64];
        size_t length = event_text(wanted, run, ++seq);
        haft_str found = haft__str_split(&text, '\n');
        CHECK_STR(found, ((haft_str){wanted, length}), "round %d: event %d", round, (int)seq);
    }
    CHECK(seq >= acknowledged, "round %d: run %zu has %d events, %d were acknowledged", round, run,
          (int)seq, (int)acknowledged);
}

static void survive_kills(const char *kind, int rounds)
{
    uint64_t random = 7, acknowledged[RUNS] = {0}, total = 0;
    victim *v = test_alloc(sizeof(*v));
    memset(v, 0, sizeof(*v));
    help_store_open(&v->s, kind);
    for (size_t i = 0; i < RUNS; i++) {
        CHECK_INT(help_create_in(&v->s, i, "", "process -1"), HAFT_OK, "%s", v->s.error.message);
    }
    help_store_shut(&v->s);
    for (v->round = 0; v->round < rounds; v->round++) {
        int acks[2];
        CHECK_INT(pipe(acks), 0, "cannot create a pipe");
        v->acks = acks[1];
        v->s.now_ms +=
            HELP_LEASE; /* the last process may have been killed before it had claimed all runs */
        pid_t process = help_fork(append_for_ever, v);
        (void)close(acks[1]);
        uint32_t until = 1 + help_random(&random) % 300;
        ack message;
        for (uint32_t i = 0; read(acks[0], &message, sizeof(message)) == sizeof(message); i++) {
            acknowledged[message.run] = message.seq;
            total++;
            if (i == until) {
                (void)kill(process, SIGKILL);
            }
        }
        (void)close(acks[0]);
        CHECK_INT(help_join(process), -SIGKILL, "round %d: the process was not killed", v->round);
        help_store_reopen(&v->s);
        for (size_t i = 0; i < RUNS; i++) {
            check_run(&v->s, i, acknowledged[i], v->round);
        }
        help_store_shut(&v->s);
        haft__arena_finish(&v->s.arena);
        haft__arena_init(&v->s.arena, 0);
    }
    printf("# %d kills, %llu acknowledged events, none lost\n", rounds, (unsigned long long)total);
    help_store_reopen(&v->s);
    help_store_close(&v->s);
}

TEST(acknowledged_events_survive_kill)
{
    survive_kills("sqlite", help_rounds(getenv("HAFT_LONG") != NULL ? 30 : 10));
}

TEST(acknowledged_events_survive_kill_in_postgres)
{
    if (help_pg_url() != NULL) {
        survive_kills("postgres", help_rounds(getenv("HAFT_LONG") != NULL ? 10 : 4));
    }
}
