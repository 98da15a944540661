/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: opening, versions, grouping, locks of other sessions, the database's clock. */
#include "store/postgres/postgres_help.h"

#include <unistd.h>

#include "io/clock.h"

#define MANY 200

/* ---- opening ---- */

static haft_status try_open(const char *url, haft_error *ret_error)
{
    haft__loop *loop = NULL;
    haft__store *store = NULL;
    *ret_error = (haft_error){0};
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    haft_status status = haft__store_open(loop, url, &store, ret_error);
    haft__store_close(store);
    haft__loop_destroy(loop);
    return status;
}

static bool says(const haft_error *err, const char *text)
{
    return strstr(err->where, text) != NULL || strstr(err->message, text) != NULL
           || strstr(err->hint, text) != NULL;
}

/* No error about a URL or its server shows the password. */
TEST(passwords_are_never_shown)
{
    static const struct {
        const char *url;
        haft_status wanted;
    } cases[] = {
        {"postgres:x", HAFT_BAD_INPUT},
        {"postgres:", HAFT_BAD_INPUT},
        {"postgres://u:hidden@[::1/x", HAFT_BAD_INPUT},
        {"postgres://u:hidden@h/x?nonsense=hidden", HAFT_BAD_INPUT},
        {"postgres://u:hid%zzden@h/x", HAFT_BAD_INPUT},
        {"postgres://u:hidden@127.0.0.1:1/x", HAFT_IO},
        {"postgres://u:a@hidden@127.0.0.1:1/x", HAFT_BAD_INPUT},
        {"postgres://u:a/hidden@127.0.0.1:1/x", HAFT_BAD_INPUT},
        {"postgres://u:a?hidden@127.0.0.1:1/x", HAFT_IO},
        {"postgres://u:a?b@hidden@127.0.0.1:1/x", HAFT_BAD_INPUT},
        {"POSTGRES://u:hidden@127.0.0.1:1/x", HAFT_UNSUPPORTED},
        {" postgres://u:hidden@127.0.0.1:1/x", HAFT_UNSUPPORTED},
        {"mysql://u:hidden@127.0.0.1:1/x", HAFT_UNSUPPORTED},
        {"postgresql://127.0.0.1:1/x?user=u&password=hidden", HAFT_IO},
        {"postgresql://u:hidden@/x?host=/nowhere/hidden", HAFT_IO},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err;
        CHECK_INT(try_open(cases[i].url, &err), cases[i].wanted, "%s: %s", cases[i].url,
                  err.message);
        CHECK(!says(&err, "hidden") || i + 1 == COUNT(cases), "%s: %s: %s", cases[i].url, err.where,
              err.message);
    }
}

TEST(urls_are_shown_without_secrets)
{
    static const struct {
        const char *url, *shown;
    } cases[] = {
        {"postgres://u:p@h:5/d?password=p", "postgres://u@h:5/d"},
        {"postgres://u@h/d", "postgres://u@h/d"},
        {"postgres://:p@h/d", "postgres://h/d"},
        {"postgresql://h/d", "postgresql://h/d"},
        {"postgres://h:5432/d", "postgres://h:5432/d"},
        {"postgres://h:5432/d?user=a@b", "postgres://h:5432/d?user=a@b"},
        {"postgres:///d", "postgres:///d"},
        {"postgres:///d?host=/a/b&user=u&password=p", "postgres:///d?host=/a/b&user=u"},
        {"postgres:///d?password=p&host=/a", "postgres:///d?host=/a"},
        {"postgres:///d?PassWord=p", "postgres:///d"},
        {"postgres:///d?sslpassword=p&sslmode=require", "postgres:///d?sslmode=require"},
        {"postgres:///d?pass%77ord=p", "postgres:///d"},
        {"postgres:///d?password=a@p", "postgres:///d"},
        {"postgres://u:p@h/d?user=x&password=p@q", "postgres://u@h/d?user=x"},
        {"postgres://u:p@q@h/d", "postgres://u@h/d"},
        {"postgres://u:p/q@h/d", "postgres://u@h/d"},
        {"postgres://u:p?q@h/d", "postgres://u@h/d"},
        {"postgres://u:p?q@h/d?user=x&password=p", "postgres://u@h/d?user=x"},
        {"POSTGRES://u:p@h/d", "POSTGRES://u@h/d"},
        {" postgres://u:p@h/d", " postgres://u@h/d"},
        {"mysql://u:p@h/d?password=p", "mysql://u@h/d"},
        {"postgres:host=h password=p", "postgres:..."},
        {"mysql:u:p@h", "mysql:..."},
        {"sqlite:a@b?c", "sqlite:a@b?c"},
        {"sqlite:/a/password=p.db", "sqlite:/a/password=p.db"},
        {"./a@b:c", "./a@b:c"},
        {"memory:", "memory:"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(haft__store_display_url(cases[i].url, &arena), haft__str(cases[i].shown), "%s",
                  cases[i].url);
    }
    haft__arena_finish(&arena);
}

TEST(databases_of_other_versions_are_rejected)
{
    help_store s;
    haft_error err;
    if (!help_pg_open(&s)) {
        return;
    }
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    (void)help_pg_sql("UPDATE haft.meta SET version = 3");
    CHECK_INT(try_open(s.url, &err), HAFT_OK, "a version that this haft supports: %s", err.message);
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    (void)help_pg_sql("UPDATE haft.meta SET oldest = 3");
    CHECK_INT(try_open(s.url, &err), HAFT_UNSUPPORTED, "opening succeeded");
    CHECK(says(&err, "the database has schema version 3, this haft supports version 2"), "%s",
          err.message);
    CHECK_INT(help_append(&s, 1, 1, 2, "3"), HAFT_UNSUPPORTED, "the append succeeded");
    CHECK(help_read(&s, 1).ptr == NULL && s.error.status == HAFT_UNSUPPORTED, "the read succeeded");
    (void)help_pg_sql("UPDATE haft.meta SET oldest = 1, version = 1");
    CHECK_INT(try_open(s.url, &err), HAFT_UNSUPPORTED, "opening an older version succeeded");
    CHECK(says(&err, "the database has schema version 1, this haft supports version 2"), "%s",
          err.message);
    (void)help_pg_sql("UPDATE haft.meta SET oldest = 2, version = 2");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n"), "no event was added");
    (void)help_pg_sql("DELETE FROM haft.meta");
    CHECK_INT(try_open(s.url, &err), HAFT_BAD_INPUT, "a database without a version");
    CHECK_INT(help_append(&s, 1, 1, 2, "3"), HAFT_BAD_INPUT, "the append succeeded");
    help_store_close(&s);
}

/* Three runs without an owner in one thread, and one in another. */
static void make_queue(help_store *s)
{
    for (uint64_t n = 1; n <= 4; n++) {
        CHECK_INT(help_create_in(s, n, n < 4 ? "talk" : "other", ""), HAFT_OK, "%s",
                  s->error.message);
        s->now_ms++;
    }
}

/* The numbers of the runs that are due, in order of creation. */
static void check_due(const char *wanted, const char *what)
{
    const char *found = help_pg_sql("SELECT coalesce(string_agg(number::text, ' ' ORDER BY number),"
                                    " '') FROM haft.runs WHERE due IS NOT NULL");
    CHECK_STR(haft__str(found), haft__str(wanted), "%s", what);
}

static uint64_t take_next(help_store *s, haft_str wanted)
{
    haft__store_request take = {
        .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(s, &take), HAFT_OK, "%s", s->error.message);
    CHECK_STR(take.found[0].id, wanted, "the next claimed run");
    return take.found[0].epoch;
}

TEST(only_the_first_run_of_a_thread_is_due)
{
    help_store s;
    if (!help_pg_open(&s)) {
        return;
    }
    make_queue(&s);
    check_due("1 4", "only the first of each thread is due");
    uint64_t epoch = take_next(&s, help_id(1));
    check_due("4", "a claimed run is not due");
    CHECK_INT(help_end(&s, 1, epoch, 1, "done"), HAFT_OK, "%s", s.error.message);
    check_due("2 4", "the first has ended");
    haft__store_request away = {.verb = HAFT__STORE_REMOVE, .run.id = help_id(2)};
    CHECK_INT(help_do(&s, &away), HAFT_OK, "%s", s.error.message);
    check_due("3 4", "the second was removed");
    (void)take_next(&s, help_id(3));
    haft__store_request blocked = {.verb = HAFT__STORE_LIST, .blocked_only = true};
    CHECK_INT(help_create_in(&s, 5, "talk", ""), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_do(&s, &blocked), HAFT_OK, "%s", s.error.message);
    CHECK(blocked.found_count == 1, "%zu runs are blocked", blocked.found_count);
    help_store_close(&s);
}

static void note_end(haft__store_request *request)
{
    *(bool *)request->context = true;
}

/* A run is created while the run before it is about to end: the later transaction sees the
 * earlier one. */
TEST(a_run_created_after_one_that_ends_is_due)
{
    help_store s;
    help_session other;
    if (!help_pg_open(&s)) {
        return;
    }
    CHECK_INT(help_create_in(&s, 1, "talk", "me"), HAFT_OK, "%s", s.error.message);
    help_session_open(&other);
    help_session_do(&other, "BEGIN");
    help_session_do(&other, "SELECT pg_advisory_xact_lock(hashtextextended('talk', 0))");
    help_session_do(&other, "INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, "
                            "lease, created, updated, ended, wake, turns, calls, thread, parent, "
                            "ending) SELECT 'behind', 0, 0, 0, checksum, 1, '', 0, created, "
                            "updated, 0, 0, 0, 0, thread, '', '' FROM haft.runs");
    bool done = false;
    haft_str line = HAFT__LIT("2");
    haft__store_request end = {.verb = HAFT__STORE_APPEND,
                               .run = {.id = help_id(1),
                                       .seq = 1,
                                       .epoch = 1,
                                       .state = HAFT__RUN_STATE_ENDED,
                                       .end = HAFT__LIT("done")},
                               .lines = &line,
                               .line_count = 1,
                               .done = note_end,
                               .context = &done};
    haft__store_submit(s.store, &end);
    for (int i = 0; i < 20 && !done; i++) { /* it waits for the lock */
        CHECK_INT(haft__loop_step(s.loop, 10, NULL), HAFT_OK, "the loop cannot step");
    }
    CHECK(!done, "the run ended while another run is being created");
    help_session_do(&other, "COMMIT");
    while (!done) {
        CHECK_INT(haft__loop_step(s.loop, -1, NULL), HAFT_OK, "the loop cannot step");
    }
    CHECK_INT(end.status, HAFT_OK, "%s", end.error.message);
    help_session_close(&other);
    check_due("2", "the end of the first made it due");
    help_store_close(&s);
}

/* A store that is opened for reading creates nothing. */
TEST(reading_a_database_without_tables_creates_none)
{
    if (help_pg_url() == NULL) {
        return;
    }
    help_pg_clear();
    haft__loop *loop = NULL;
    haft__store *store = NULL;
    haft_error err = {0};
    haft__arena arena;
    haft__arena_init(&arena, 1 << 20);
    CHECK_INT(haft__loop_create(&loop, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__store_open_existing(loop, help_pg_url(), &store, &err), HAFT_OK, "%s",
              err.message);
    static const struct {
        haft__store_verb verb;
        haft_status wanted;
    } cases[] = {
        {HAFT__STORE_LIST, HAFT_OK},
        {HAFT__STORE_FIND, HAFT_NOT_FOUND},
        {HAFT__STORE_CLAIM_NEXT, HAFT_NOT_FOUND},
        {HAFT__STORE_CACHE_GET, HAFT_NOT_FOUND},
        {HAFT__STORE_GC, HAFT_OK},
        {HAFT__STORE_REMOVE, HAFT_NOT_FOUND},
        {HAFT__STORE_DOCTOR, HAFT_OK},
        {HAFT__STORE_CACHE_PUT, HAFT_IO},
    };
    haft__store_request attempt = {.verb = HAFT__STORE_TRY_WRITE};
    CHECK_INT(haft__store_submit_and_wait(store, &attempt, &err), HAFT_OK, "%s", err.message);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__store_request request = {.verb = cases[i].verb,
                                       .run = {.id = help_id(1), .owner = HAFT__LIT("me")},
                                       .name = HAFT__LIT("last"),
                                       .arena = &arena};
        CHECK_INT(haft__store_submit_and_wait(store, &request, &err), cases[i].wanted,
                  "case %zu: %s", i, err.message);
    }
    haft__store_close(store);
    haft__loop_destroy(loop);
    haft__arena_finish(&arena);
    CHECK_STR(haft__str(help_pg_sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'haft'")),
              HAFT__LIT("0"), "no schema was created");
}

TEST(tables_of_other_programs_are_not_changed)
{
    haft_error err;
    if (help_pg_url() == NULL) {
        return;
    }
    help_pg_clear();
    (void)help_pg_sql("CREATE SCHEMA haft; CREATE TABLE haft.theirs (n int)");
    CHECK_INT(try_open(help_pg_url(), &err), HAFT_BAD_INPUT, "%s", err.message);
    CHECK(says(&err, "belongs to another program"), "%s", err.message);
    (void)help_pg_sql("DROP TABLE haft.theirs");
    CHECK_INT(try_open(help_pg_url(), &err), HAFT_OK, "an empty schema is used: %s", err.message);
    (void)help_pg_sql("DROP TABLE haft.runs");
    help_store s = {.now_ms = 1};
    haft__arena_init(&s.arena, 0);
    (void)snprintf(s.url, sizeof(s.url), "%s", help_pg_url());
    help_store_reopen(&s);
    CHECK_INT(help_create(&s, 1), HAFT_BAD_INPUT, "a missing table is reported");
    CHECK(says(&s.error, "do not belong to haft"), "%s", s.error.message);
    help_store_close(&s);
}

/* The URL of the database with parameters appended. */
static const char *url_with(const char *database, const char *more)
{
    char *url = test_alloc(PATH_MAX);
    const char *own = help_pg_url(), *path = strchr(strstr(own, "://") + 3, '/');
    const char *query = strchr(path, '?');
    (void)snprintf(url, PATH_MAX, "%.*s/%s%s%s", (int)(path - own), own, database, query, more);
    return url;
}

TEST(databases_that_cannot_store_every_text_are_rejected)
{
    haft_error err;
    if (help_pg_url() == NULL) {
        return;
    }
    CHECK(help_pg_admin("CREATE DATABASE haft_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' "
                        "LC_CTYPE 'C' TEMPLATE template0"),
          "cannot create the database");
    CHECK_INT(try_open(url_with("haft_ascii", ""), &err), HAFT_UNSUPPORTED, "%s", err.message);
    CHECK(says(&err, "the encoding SQL_ASCII, expected UTF8"), "%s", err.message);
    CHECK(help_pg_admin("DROP DATABASE haft_ascii"), "cannot drop the database");
    CHECK_INT(try_open(url_with("haft_none", ""), &err), HAFT_IO, "a database that does not exist");
    CHECK(says(&err, "does not exist"), "%s", err.message);
}

/* The default timeouts of a store; lost_test.c tests their effect. */
TEST(the_default_timeouts_are_the_limits)
{
    help_store s;
    if (!help_pg_open(&s)) {
        return;
    }
    CHECK_INT(help_pg(&s)->request_ms, HAFT__LIMIT_STORE_PG_REQUEST_MS, "timeout of a request");
    CHECK_INT(help_pg(&s)->claim_ms, HAFT__LIMIT_STORE_BUSY_MS, "timeout of a claim");
    CHECK_INT(help_pg(&s)->lock_ms, HAFT__LIMIT_STORE_PG_LOCK_MS, "timeout of a lock");
    CHECK_INT(help_pg(&s)->idle_ms, HAFT__LIMIT_STORE_BUSY_MS, "timeout of an idle transaction");
    CHECK_INT(help_pg(&s)->connect_ms, HAFT__LIMIT_STORE_PG_CONNECT_MS, "timeout of connecting");
    CHECK_INT(help_pg(&s)->backoff_ms, HAFT__LIMIT_STORE_PG_BACKOFF_MS,
              "wait between two connections");
    CHECK_INT(help_pg(&s)->backoff_max_ms, HAFT__LIMIT_STORE_PG_BACKOFF_MAX_MS,
              "longest wait between two connections");
    help_store_shut(&s);
    (void)snprintf(s.url, sizeof(s.url), "%s&connect_timeout=3", help_pg_url());
    help_store_reopen(&s);
    CHECK_INT(help_pg(&s)->connect_ms, 3000, "the timeout of the URL");
    help_store_close(&s);
}

/* Simulates two servers; server_test.py tests it with two real ones. */
TEST(reads_go_to_the_server_that_was_written_to)
{
    help_store s;
    if (!help_pg_open(&s)) {
        return;
    }
    haft__pg_connection *writer = &help_pg(&s)->writer, *reader = &help_pg(&s)->reader;
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "events");
    CHECK(writer->server > 0 && writer->server == reader->server,
          "both connections go to one server");
    reader->server++;
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    CHECK_INT(reader->phase, HAFT__PG_CLOSED, "the reader has left the other server");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n"), "events");
    writer->server++;
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n"), "events");
    CHECK_INT(writer->phase, HAFT__PG_CLOSED, "the writer has left the other server");
    CHECK_INT(help_append(&s, 1, 1, 2, "3"), HAFT_OK, "%s", s.error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n3\n"), "events");
    help_store_close(&s);
}

/* ---- durable ---- */

TEST(a_commit_waits_for_the_disk_regardless_of_the_server_settings)
{
    help_store s;
    if (!help_pg_open(&s)) {
        return;
    }
    (void)help_pg_sql(
        "CREATE TABLE haft.seen (how text); CREATE FUNCTION haft.see() RETURNS trigger AS $$ BEGIN "
        "INSERT INTO haft.seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$ "
        "LANGUAGE plpgsql; CREATE TRIGGER see BEFORE INSERT ON haft.events FOR EACH ROW "
        "EXECUTE FUNCTION haft.see()");
    help_store_shut(&s);
    (void)snprintf(s.url, sizeof(s.url), "%s&options=-csynchronous_commit%%3Doff", help_pg_url());
    help_store_reopen(&s);
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    CHECK_STR(haft__str(help_pg_sql("SELECT how FROM haft.seen")), HAFT__LIT("on"),
              "synchronous_commit of the transaction");
    help_store_close(&s);
}

/* ---- shared commits ---- */

typedef struct tally {
    size_t done, failed;
} tally;

static void note(haft__store_request *request)
{
    tally *t = request->context;
    t->done++;
    t->failed += request->status != HAFT_OK;
}

static void step_until(help_store *s, const tally *t, size_t wanted)
{
    uint64_t max = haft__clock_monotonic() + 60000;
    while (t->done < wanted && haft__clock_monotonic() < max) {
        CHECK_INT(haft__loop_step(s->loop, 1000, NULL), HAFT_OK, "the loop cannot step");
    }
    CHECK_INT(t->done, wanted, "number of finished requests");
}

static void submit_appends(help_store *s, haft__store_request *appends, size_t count, tally *t)
{
    static haft_str line = HAFT__LIT("x");
    for (size_t i = 0; i < count; i++) {
        appends[i] = (haft__store_request){.verb = HAFT__STORE_APPEND,
                                           .run = {.id = help_id(i + 1), .epoch = 1, .seq = 1},
                                           .lines = &line,
                                           .line_count = 1,
                                           .done = note,
                                           .context = t};
        haft__store_submit(s->store, &appends[i]);
    }
}

TEST(requests_of_many_runs_share_a_commit)
{
    static haft__store_request appends[MANY];
    help_store s;
    tally t = {0};
    if (!help_pg_open(&s)) {
        return;
    }
    for (size_t i = 1; i <= MANY; i++) {
        CHECK_INT(i % 4 == 0 ? HAFT_OK : help_create(&s, i), HAFT_OK, "%s", s.error.message);
    }
    uint64_t before = help_pg(&s)->commits;
    submit_appends(&s, appends, MANY, &t);
    step_until(&s, &t, MANY);
    CHECK_INT(help_pg(&s)->commits - before, 1, "number of commits");
    CHECK_INT(t.failed, MANY / 4, "only appends to missing runs are rejected");
    help_store_close(&s);
}

/* ---- errors of the server ---- */

/* From now on the server rejects events of run 2 with this error; its message contains a text
 * that must not be shown. */
static void refuse_with(const char *state)
{
    char sql[1024];
    (void)snprintf(sql, sizeof(sql),
                   "CREATE OR REPLACE FUNCTION haft.no() RETURNS trigger AS $$ BEGIN "
                   "RAISE NOTICE 'a word'; IF NEW.run = '%s' AND '%s' <> '' THEN "
                   "RAISE EXCEPTION 'not\nthis' USING ERRCODE = '%s'; END IF; RETURN NEW; END $$ "
                   "LANGUAGE plpgsql; CREATE OR REPLACE TRIGGER no BEFORE INSERT ON haft.events "
                   "FOR EACH ROW EXECUTE FUNCTION haft.no()",
                   help_id(2).ptr, state, state[0] != '\0' ? state : "P0001");
    (void)help_pg_sql(sql);
}

TEST(an_error_of_the_server_is_reported_and_affects_no_other_request)
{
    static const struct {
        const char *state;
        haft_status wanted;
        const char *message_part;
    } cases[] = {
        {"53100", HAFT_IO, "the disk is full"},
        {"42501", HAFT_IO, "the role lacks a permission: not"},
        {"XX001", HAFT_BAD_INPUT, "the database is damaged: not"},
        {"22003", HAFT_BAD_INPUT, "cannot store this value: not"},
        {"55P03", HAFT_IO, "another session holds a lock: not"},
        {"57014", HAFT_IO, "the server ended the statement: not"},
        {"40001", HAFT_IO, "the transaction conflicted with others too often: not"},
        {"P0001", HAFT_IO, "the database reported an error: not (P0001)"},
        {"25006", HAFT_IO, "the server is read-only: not"},
        {"0A000", HAFT_IO,
         "the database reported an error: not (0A000)"}, /* this word is not at the beginning */
        {"25P03", HAFT_IO, "the connection was lost: not"},
        {"57P01", HAFT_IO, "read the run again to see whether it succeeded"},
    };
    help_store s;
    if (help_pg_url() == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        static haft__store_request appends[3];
        tally t = {0};
        help_store_open(&s, "postgres");
        help_pg(&s)->backoff_ms = 1;
        for (uint64_t n = 1; n <= 3; n++) {
            CHECK_INT(help_create(&s, n), HAFT_OK, "%s", s.error.message);
        }
        bool gone = strcmp(cases[i].state, "57P01") == 0;
        refuse_with(cases[i].state);
        submit_appends(&s, appends, 3, &t);
        step_until(&s, &t, 3);
        CHECK_INT(t.failed, gone ? 3 : 1, "%s: failed", cases[i].state);
        CHECK_INT(appends[1].status, cases[i].wanted, "%s", cases[i].state);
        CHECK(says(&appends[1].error, cases[i].message_part), "%s: %s", cases[i].state,
              appends[1].error.message);
        refuse_with("");
        for (uint64_t n = 1; n <= 3; n++) { /* the store continues to work */
            CHECK_INT(help_append(&s, n, 1, n == 2 || gone ? 1 : 2, "x"), HAFT_OK, "%s: %s",
                      cases[i].state, s.error.message);
        }
        help_store_close(&s);
    }
}

/* A sequence counts the attempts, since it does not roll back. */
TEST(a_conflicting_transaction_is_retried_a_few_times)
{
    help_store s;
    if (help_pg_url() == NULL) {
        return;
    }
    for (int fails = HAFT__LIMIT_STORE_PG_TRIES; fails <= HAFT__LIMIT_STORE_PG_TRIES + 1; fails++) {
        char sql[1024];
        help_store_open(&s, "postgres");
        CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
        (void)snprintf(sql, sizeof(sql),
                       "CREATE SEQUENCE haft.tries; CREATE FUNCTION haft.no() RETURNS trigger AS "
                       "$$ BEGIN IF nextval('haft.tries') <= %d THEN RAISE EXCEPTION 'no' USING "
                       "ERRCODE = '40001'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql; CREATE "
                       "TRIGGER no BEFORE INSERT ON haft.events FOR EACH ROW EXECUTE FUNCTION "
                       "haft.no()",
                       fails);
        (void)help_pg_sql(sql);
        bool kept = fails <= HAFT__LIMIT_STORE_PG_TRIES;
        CHECK_INT(help_append(&s, 1, 1, 1, "2"), kept ? HAFT_OK : HAFT_IO, "%d failures: %s", fails,
                  s.error.message);
        (void)snprintf(sql, sizeof(sql), "%d", HAFT__LIMIT_STORE_PG_TRIES + 1);
        CHECK_STR(haft__str(help_pg_sql("SELECT last_value FROM haft.tries")), haft__str(sql),
                  "number of attempts");
        help_store_close(&s);
    }
}

/* ---- locks and other sessions ---- */

/* Opens a store with `count` runs and a second session that is in a transaction; false without a
 * server. */
static bool open_with_session(help_store *s, uint64_t runs, help_session *other)
{
    if (help_pg_url() == NULL) {
        return false;
    }
    help_store_open(s, "postgres");
    for (uint64_t n = 1; n <= runs; n++) {
        CHECK_INT(help_create(s, n), HAFT_OK, "%s", s->error.message);
    }
    help_session_open(other);
    help_session_do(other, "BEGIN");
    return true;
}

static void close_with_session(help_store *s, help_session *other)
{
    help_session_close(other);
    help_store_close(s);
}

/* The other session has locked run 2 and needs run 1; the store has run 1 and needs run 2. The
 * server cancels the store's transaction, whose deadlock timeout is shorter; the store
 * retries its requests one by one. */
TEST(a_deadlock_is_survived)
{
    static haft__store_request appends[2];
    char sql[256];
    help_session other;
    help_store s;
    tally t = {0};
    if (!open_with_session(&s, 2, &other)) {
        return;
    }
    help_session_do(&other, "SET deadlock_timeout = '60s'");
    (void)snprintf(sql, sizeof(sql), "UPDATE haft.runs SET turns = 7 WHERE id = '%s'",
                   help_id(2).ptr);
    help_session_do(&other, sql);
    submit_appends(&s, appends, 2, &t);
    while (strcmp(help_pg_sql("SELECT count(*) FROM pg_locks WHERE NOT granted"), "0") == 0) {
        CHECK_INT(haft__loop_step(s.loop, 10, NULL), HAFT_OK, "the loop cannot step");
    }
    (void)snprintf(sql, sizeof(sql), "UPDATE haft.runs SET turns = 7 WHERE id = '%s'",
                   help_id(1).ptr);
    help_session_send(&other, sql);
    while (help_session_busy(&other)) { /* until the store's transaction has been cancelled */
        CHECK_INT(haft__loop_step(s.loop, 10, NULL), HAFT_OK, "the loop cannot step");
    }
    help_session_finish(&other);
    CHECK(t.done < 2, "both were reported although one waits for a lock");
    help_session_do(&other, "COMMIT");
    step_until(&s, &t, 2);
    CHECK_INT(t.failed, 0, "%s %s", appends[0].error.message, appends[1].error.message);
    CHECK_STR(haft__str(help_pg_sql("SELECT deadlocks FROM pg_stat_database WHERE "
                                    "datname = current_database() AND deadlocks > 1")),
              HAFT__LIT(""), "number of deadlocks");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\n"), "events of run 1");
    CHECK_STR(help_read(&s, 2), HAFT__LIT("1\nx\n"), "events of run 2");
    close_with_session(&s, &other);
}

/* Another session may hold a lock for a while, but not forever; then only the requests of that
 * run fail. */
TEST(a_lock_that_is_never_released_is_reported)
{
    static haft__store_request appends[2];
    help_session other;
    help_store s;
    tally t = {0};
    if (!open_with_session(&s, 1, &other)) {
        return;
    }
    help_session_do(&other, "UPDATE haft.runs SET turns = 7");
    CHECK_INT(help_create(&s, 2), HAFT_OK, "%s", s.error.message);
    submit_appends(&s, appends, 2, &t);
    step_until(&s, &t, 2);
    CHECK_INT(appends[0].status, HAFT_IO, "the append succeeded");
    CHECK(says(&appends[0].error, "another session holds a lock"), "%s", appends[0].error.message);
    CHECK_INT(appends[1].status, HAFT_OK, "another append of the same transaction: %s",
              appends[1].error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "reading does not wait");
    help_session_do(&other, "ROLLBACK");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    close_with_session(&s, &other);
}

/* A request that waits for a lock delays neither other requests nor renewals until it fails. */
TEST(a_request_that_waits_for_a_lock_yields_to_others)
{
    static haft__store_request appends[2];
    char sql[256];
    help_session other;
    help_store s;
    tally t = {0};
    if (!open_with_session(&s, 2, &other)) {
        return;
    }
    CHECK(HAFT__LIMIT_STORE_PG_LOCK_MS * 2 <= HAFT__LIMIT_RUN_LEASE_MIN_MS,
          "a lock wait takes at most half of a lease");
    (void)snprintf(sql, sizeof(sql), "SELECT 1 FROM haft.runs WHERE id = '%s' FOR UPDATE",
                   help_id(1).ptr);
    help_session_do(&other, sql);
    submit_appends(&s, appends, 2, &t);
    step_until(&s, &t, 1);
    CHECK_INT(appends[1].status, HAFT_OK, "%s", appends[1].error.message);
    CHECK_STR(help_read(&s, 2), HAFT__LIT("1\nx\n"), "the other run continues");
    haft__store_request renew = {
        .verb = HAFT__STORE_RENEW, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(&s, &renew), HAFT_OK, "%s", s.error.message);
    CHECK_INT(renew.count, 1, "number of renewed leases");
    CHECK_INT(t.done, 1, "the first request still waits");
    help_session_do(&other, "ROLLBACK");
    step_until(&s, &t, 2);
    CHECK_INT(t.failed, 0, "%s", appends[0].error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\n"), "the event is stored once");
    close_with_session(&s, &other);
}

static void note_renewal(haft__store_request *request)
{
    tally *t = request->context;
    CHECK_INT(request->status, HAFT_OK, "%s", request->error.message);
    CHECK_INT(t->done, 0, "another request was finished before");
    note(request);
}

/* Many runs depend on a renewal: it runs before all queued requests. */
TEST(renewals_run_before_other_requests)
{
    static haft__store_request appends[MANY];
    help_store s;
    tally t = {0};
    if (!help_pg_open(&s)) {
        return;
    }
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_create(&s, 2), HAFT_OK, "%s", s.error.message);
    haft__store_request take = {.verb = HAFT__STORE_CLAIM_NEXT,
                                .run.owner = HAFT__LIT("you"),
                                .lease_ms = HELP_LEASE,
                                .done = note,
                                .context = &t};
    haft__store_request renew = {.verb = HAFT__STORE_RENEW,
                                 .run.owner = HAFT__LIT("me"),
                                 .lease_ms = HELP_LEASE,
                                 .done = note_renewal,
                                 .context = &t};
    haft__store_submit(s.store, &take);
    while (help_pg(&s)->writer.batch.first == NULL) { /* until a request is in progress */
        CHECK_INT(haft__loop_step(s.loop, 0, NULL), HAFT_OK, "the loop cannot step");
    }
    submit_appends(&s, appends, 2, &t);
    haft__store_submit(s.store, &renew);
    step_until(&s, &t, 4);
    CHECK_INT(t.failed, 1, "the claim found no run");
    CHECK_INT(take.status, HAFT_NOT_FOUND, "%s", take.error.message);
    CHECK_INT(renew.count, 2, "number of renewed leases");
    help_store_close(&s);
}

/* Also before the rest of a search for a free run: the search starts again. */
TEST(a_search_for_a_free_run_yields_to_renewals)
{
    help_session other;
    help_store s;
    tally t = {0};
    if (!help_pg_open(&s)) {
        return;
    }
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_create_in(&s, 2, "", ""), HAFT_OK, "%s", s.error.message);
    haft__store_request take = {.verb = HAFT__STORE_CLAIM_NEXT,
                                .run.owner = HAFT__LIT("you"),
                                .lease_ms = HELP_LEASE,
                                .arena = &s.arena,
                                .done = note,
                                .context = &t};
    haft__store_request renew = {.verb = HAFT__STORE_RENEW,
                                 .run.owner = HAFT__LIT("me"),
                                 .lease_ms = HELP_LEASE,
                                 .done = note_renewal,
                                 .context = &t};
    help_session_open(&other);
    help_session_do(&other, "BEGIN");
    help_session_do(&other, "LOCK haft.runs");
    haft__store_submit(s.store, &take);
    while (strcmp(help_pg_sql("SELECT count(*) FROM pg_locks WHERE NOT granted"), "0") == 0) {
        CHECK_INT(haft__loop_step(s.loop, 10, NULL), HAFT_OK, "the loop cannot step");
    }
    haft__store_submit(s.store, &renew);
    help_session_do(&other, "ROLLBACK");
    step_until(&s, &t, 2);
    CHECK_INT(t.failed, 0, "%s", take.error.message);
    CHECK_INT(renew.count, 1, "number of renewed leases");
    CHECK_INT(take.found_count, 1, "a run was claimed");
    CHECK_INT(help_run(&s, 2)->epoch, 2, "the run was claimed once");
    help_session_close(&other);
    help_store_close(&s);
}

/* A run that another session has locked is skipped, and found by its lease. */
TEST(a_locked_run_does_not_prevent_the_renewal_of_others)
{
    char sql[256];
    help_session other;
    help_store s;
    if (!open_with_session(&s, 3, &other)) {
        return;
    }
    (void)snprintf(sql, sizeof(sql), "SELECT 1 FROM haft.runs WHERE id = '%s' FOR UPDATE",
                   help_id(2).ptr);
    help_session_do(&other, sql);
    s.now_ms += 500;
    haft__store_request renew = {
        .verb = HAFT__STORE_RENEW, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(&s, &renew), HAFT_OK, "%s", s.error.message);
    CHECK_INT(renew.count, 2, "number of renewed leases");
    CHECK_INT(renew.run.lease_ms, s.now_ms + HELP_LEASE, "end of the renewed leases");
    for (uint64_t n = 1; n <= 3; n++) {
        CHECK_INT(help_run(&s, n)->lease_ms, s.now_ms + HELP_LEASE - (n == 2 ? 500 : 0),
                  "lease of run %llu", (unsigned long long)n);
    }
    help_session_do(&other, "ROLLBACK");
    CHECK_INT(help_do(&s, &renew), HAFT_OK, "%s", s.error.message);
    CHECK_INT(renew.count, 3, "number of renewed leases");
    close_with_session(&s, &other);
}

/* A search for a free run does not block the connection for the owners of runs. */
TEST(a_search_for_a_free_run_is_bounded)
{
    help_session other;
    help_store s;
    if (!open_with_session(&s, 1, &other)) {
        return;
    }
    help_pg(&s)->claim_ms = 50;
    help_session_do(&other, "LOCK haft.runs");
    haft__store_request take = {
        .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("you"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(&s, &take), HAFT_IO, "the claim succeeded");
    CHECK(says(&s.error, "statement timeout"), "%s", s.error.message);
    help_session_do(&other, "ROLLBACK");
    help_pg_be_patient(&s);
    CHECK_INT(help_do(&s, &take), HAFT_NOT_FOUND, "%s", s.error.message);
    close_with_session(&s, &other);
}

/* Another process of the same database, with its own loop. */
static void open_other(const help_store *s, help_store *other)
{
    *other = (help_store){.now_ms = s->now_ms};
    haft__arena_init(&other->arena, 0);
    memcpy(other->url, s->url, sizeof(other->url));
    help_store_reopen(other);
}

TEST(one_of_two_equal_appends_is_rejected)
{
    help_store s, other;
    if (!help_pg_open(&s)) {
        return;
    }
    open_other(&s, &other);
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    for (uint64_t seq = 1; seq <= 30; seq++) {
        haft_str line = HAFT__LIT("x");
        tally t = {0};
        haft__store_request one = {.verb = HAFT__STORE_APPEND,
                                   .run = {.id = help_id(1), .epoch = 1, .seq = seq},
                                   .lines = &line,
                                   .line_count = 1,
                                   .done = note,
                                   .context = &t};
        haft__store_request two = one;
        haft__store_submit(s.store, &one);
        haft__store_submit(other.store, &two);
        for (int i = 0; i < 300000 && t.done < 2; i++) {
            CHECK_INT(haft__loop_step(s.loop, 1, NULL), HAFT_OK, "the loop cannot step");
            CHECK_INT(haft__loop_step(other.loop, 1, NULL), HAFT_OK, "the loop cannot step");
        }
        CHECK_INT(t.failed, 1, "one append is rejected");
        CHECK(one.status == HAFT_BAD_STATE || two.status == HAFT_BAD_STATE, "%s%s",
              one.error.message, two.error.message);
    }
    CHECK_INT(help_run(&s, 1)->seq, 31, "number of events");
    CHECK_INT(help_read(&other, 1).len, 62, "bytes of the events");
    help_store_close(&other);
    help_store_close(&s);
}

/* The process holds the lock and is stopped or frozen: the server ends its session, other
 * processes continue, and the process retries when it wakes up. */
TEST(an_idle_transaction_does_not_block_others)
{
    static haft__store_request appends[1];
    help_store s, other;
    tally t = {0};
    if (!help_pg_open(&s)) {
        return;
    }
    open_other(&s, &other);
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    submit_appends(&s, appends, 1, &t);
    CHECK_INT(haft__loop_step(s.loop, 0, NULL), HAFT_OK, "the loop cannot step");
    while (strcmp(help_pg_sql("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                              "current_database() AND state = 'idle in transaction'"),
                  "0")
           == 0) {
        haft__clock_sleep(1);
    }
    CHECK_INT(help_send(&other, 1, "hello"), HAFT_OK, "%s", other.error.message);
    CHECK_INT(t.done, 0, "the transaction is idle");
    step_until(&s, &t, 1);
    CHECK_INT(t.failed, 0, "%s", appends[0].error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\n"), "the event is stored once");
    help_store_close(&other);
    help_store_close(&s);
}

/* SQL that contains the name of this process's role. */
static const char *about_role(const char *before, const char *after)
{
    char *sql = test_alloc(256);
    (void)snprintf(sql, 256, "%s haft_one_%d %s", before, (int)getpid(), after);
    return sql;
}

/* A role that may have only one connection: a run that could not be read afterwards is not
 * claimed. */
TEST(a_role_that_cannot_read_claims_nothing)
{
    help_store s;
    haft_error err;
    if (!help_pg_open(&s)) {
        return;
    }
    CHECK_INT(help_create_in(&s, 1, "", ""), HAFT_OK, "%s", s.error.message);
    CHECK(help_pg_admin(about_role("CREATE ROLE", "LOGIN")), "cannot create the role");
    (void)help_pg_sql(
        about_role("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA haft TO", ""));
    help_store_shut(&s);
    (void)snprintf(s.url, sizeof(s.url), "postgresql://haft_one_%d%s", (int)getpid(),
                   strchr(help_pg_url(), '@'));
    CHECK_INT(try_open(s.url, &err), HAFT_IO, "opening succeeded");
    CHECK(says(&err, "USAGE ON SCHEMA haft and SELECT"), "%s: %s", err.message, err.hint);
    (void)help_pg_sql(about_role("GRANT USAGE ON SCHEMA haft TO", ""));
    help_store_reopen(&s);
    /* Only now: the server may still count the connection of the attempt above. */
    CHECK(help_pg_admin(about_role("ALTER ROLE", "CONNECTION LIMIT 1")), "cannot limit the role");
    haft__store_request take = {
        .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("you"), .lease_ms = HELP_LEASE};
    for (int i = 0; i < 2; i++) { /* the second time both connections are opened again */
        help_pg(&s)->request_ms = 500;
        CHECK_INT(help_do(&s, &take), HAFT_IO, "the claim succeeded");
        help_pg(&s)->request_ms = HAFT__LIMIT_STORE_PG_REQUEST_MS;
        CHECK_STR(haft__str(help_pg_sql("SELECT owner FROM haft.runs")), HAFT__LIT(""),
                  "the run has no owner");
        (void)help_pg_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                          "usename LIKE 'haft_one%' AND datname = current_database()");
        for (int n = 0; n < 30000 && help_pg(&s)->reader.phase != HAFT__PG_CLOSED; n++) {
            CHECK_INT(haft__loop_step(s.loop, 10, NULL), HAFT_OK, "the loop cannot step");
        }
    }
    help_store_close(&s);
    (void)help_pg_sql(about_role("DROP OWNED BY", ""));
    CHECK(help_pg_admin(about_role("DROP ROLE", "")), "cannot drop the role");
}

/* ---- time ---- */

TEST(leases_are_measured_by_the_clock_of_the_database)
{
    help_store s;
    uint64_t epoch = 0;
    if (!help_pg_open(&s)) {
        return;
    }
    help_store_shut(&s);
    CHECK_INT(haft__loop_create(&s.loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__store_open(s.loop, s.url, &s.store, NULL), HAFT_OK, "cannot open the store");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    uint64_t now = haft__clock_now(), lease = help_run(&s, 1)->lease_ms;
    CHECK(lease > now - 60000 && lease < now + 60000, "the lease ends at %llu, now is %llu",
          (unsigned long long)lease, (unsigned long long)now);
    CHECK_INT(help_claim(&s, 1, "you", "", &epoch), HAFT_BAD_STATE, "the lease has not expired");
    (void)help_pg_sql("UPDATE haft.runs SET lease = lease - 1000");
    CHECK_INT(help_claim(&s, 1, "you", "", &epoch), HAFT_OK, "%s", s.error.message);
    help_store_close(&s);
}

/* ---- the cost of a claim ---- */

/* The pages that a claim reads next to `many` ended runs and as many that wait for people. */
static int pages(int many)
{
    char sql[4096];
    help_store s;
    help_store_open(&s, "postgres");
    CHECK_INT(help_create_in(&s, 1, "t", ""), HAFT_OK, "%s", s.error.message);
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, lease, "
                   "created, updated, ended, wake, due, turns, calls, thread, parent, ending) "
                   "SELECT 'x' || n, 1 + n %% 2, 0, 0, '', 1, '', 0, n, n, n, 0, NULL, 0, 0, "
                   "'t' || n, '', '' FROM generate_series(1, %d) n",
                   many);
    (void)help_pg_sql(sql);
    (void)help_pg_sql("VACUUM ANALYZE haft.runs");
    int found = help_pg_pages("(bigint, text, bigint, text[]) AS " HAFT__PG_CLAIM_FREE,
                              "EXECUTE q (2000000, 'me', 3000000, '{}')");
    help_store_close(&s);
    return found;
}

TEST(ended_and_waiting_runs_do_not_slow_a_claim_in_postgres)
{
    if (help_pg_url() == NULL) {
        return;
    }
    int found[3] = {pages(1000), pages(2000), pages(4000)};
    (void)printf("# pages of a take: %d, %d, %d\n", found[0], found[1], found[2]);
    CHECK(found[1] <= found[0] + 6 && found[2] <= found[0] + 6, "pages read: %d, %d, %d", found[0],
          found[1], found[2]);
}

/* The pages that a statement reads in a thread of `many` ended runs, one running run and ten
 * that are blocked by it. */
static int pages_in_thread(int many, const char *prepare, const char *execute)
{
    char sql[4096];
    help_store s;
    help_store_open(&s, "postgres");
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, lease, "
                   "created, updated, ended, wake, due, turns, calls, thread, parent, ending) "
                   "SELECT CASE WHEN n = %d + 11 THEN 'last' ELSE 'x' || n END, CASE WHEN n <= %d "
                   "THEN 2 ELSE 0 END, 0, 0, '', 1, CASE WHEN "
                   "n = %d + 1 THEN 'you' ELSE '' END, 9000000, n, n, n, 0, CASE WHEN n > %d + 1 "
                   "THEN n END, 0, 0, 't', '', '' FROM generate_series(1, %d + 11) n",
                   many, many, many, many, many);
    (void)help_pg_sql(sql);
    (void)help_pg_sql("VACUUM ANALYZE haft.runs");
    int found = help_pg_pages(prepare, execute);
    help_store_close(&s);
    return found;
}

/* The pages that an unsuccessful search reads when a running run blocks `many` others in its
 * thread. */
static int pages_of_queue(int many)
{
    char sql[4096];
    help_store s;
    help_store_open(&s, "postgres");
    CHECK_INT(help_create_in(&s, 1, "t", "you"), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_create_in(&s, 2, "t", ""), HAFT_OK, "%s", s.error.message);
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, lease, "
                   "created, updated, ended, wake, due, turns, calls, thread, parent, ending) "
                   "SELECT 'x' || n, state, seq, bytes, checksum, epoch, owner, lease, created, "
                   "updated, ended, wake, due, turns, calls, thread, parent, ending FROM haft.runs,"
                   " generate_series(1, %d) n WHERE owner = ''",
                   many);
    (void)help_pg_sql(sql);
    (void)help_pg_sql("VACUUM ANALYZE haft.runs");
    int found = help_pg_pages("(bigint, text, bigint, text[]) AS " HAFT__PG_CLAIM_FREE,
                              "EXECUTE q (2000000, 'me', 3000000, '{}')");
    help_store_close(&s);
    return found;
}

TEST(blocked_runs_of_a_thread_do_not_slow_a_claim)
{
    if (help_pg_url() == NULL) {
        return;
    }
    int found[3] = {pages_of_queue(1000), pages_of_queue(2000), pages_of_queue(4000)};
    (void)printf("# pages of a search that finds nothing: %d, %d, %d\n", found[0], found[1],
                 found[2]);
    CHECK(found[1] <= found[0] + 6 && found[2] <= found[0] + 6, "pages read: %d, %d, %d", found[0],
          found[1], found[2]);
}

TEST(ended_runs_of_a_thread_do_not_slow_the_search_for_predecessors)
{
    static const struct {
        const char *prepare, *execute;
    } cases[] = {
        {"(bigint, text, bigint, text[]) AS " HAFT__PG_CLAIM_FREE,
         "EXECUTE q (2000000, 'me', 3000000, '{}')"},
        {"(bigint, text, bigint, text[], text[]) AS " HAFT__PG_CLAIM_ORPHANED,
         "EXECUTE q (2000000, 'me', 3000000, '{}', '{}')"},
        {"(text) AS " HAFT__PG_OPEN_IN_THREAD, "EXECUTE q ('t')"},
        {"(text, bigint) AS " HAFT__PG_PREDECESSORS, "EXECUTE q ('last', 10)"},
    };
    if (help_pg_url() == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        int found[3];
        for (int n = 0; n < 3; n++) {
            found[n] = pages_in_thread(1000 << n, cases[i].prepare, cases[i].execute);
        }
        (void)printf("# case %zu, pages: %d, %d, %d\n", i, found[0], found[1], found[2]);
        CHECK(found[1] <= found[0] + 6 && found[2] <= found[0] + 6,
              "case %zu: pages read: %d, %d, %d", i, found[0], found[1], found[2]);
    }
}
