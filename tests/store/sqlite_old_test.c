/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store: databases of version 1 become databases of ours, and lose nothing. */
#include <unistd.h>

#include "store/sqlite_help.h"

/* Makes the database one of version 1: every event a row, under a chain of SHA-256. Events are
 * those that help_create and help_append write: kept as they are behind one sign. */
static void make_old(help_store *s, uint64_t runs, uint64_t events)
{
    char sql[512];
    help_raw(s, "ALTER TABLE events RENAME TO new; " HAFT__SQLITE_OLD_EVENTS
                "; INSERT INTO events SELECT run, seq, checksum, "
                "rtrim(substr(CAST(body AS TEXT), 2), char(10)) FROM new; DROP TABLE new; "
                "DROP INDEX runs_queue; DROP INDEX runs_free; DROP INDEX runs_wake; "
                "PRAGMA user_version = 1");
    for (uint64_t n = 1; n <= runs; n++) {
        haft__checksum_chain chain;
        haft__checksum_chain_start(&chain, help_id(n));
        for (uint64_t seq = 1; seq <= events; seq++) {
            char line[2] = {(char)('0' + seq), '\0'}, sum[33] = "";
            haft__checksum_chain_add_legacy(&chain, haft__str(line));
            for (size_t i = 0; i < HAFT__CHECKSUM_CHAIN_LEGACY_BYTES; i++) {
                (void)snprintf(sum + 2 * i, 3, "%02x", chain.sum[i]);
            }
            (void)snprintf(sql, sizeof(sql),
                           "UPDATE events SET checksum = x'%s' WHERE seq = %d AND run = (SELECT "
                           "number FROM runs WHERE id = '%s'); "
                           "UPDATE runs SET checksum = x'%s' WHERE id = '%s'",
                           sum, (int)seq, help_id(n).ptr, sum, help_id(n).ptr);
            help_raw(s, sql);
        }
    }
}

/* Two runs of three events each, in a database of version 1 that is closed. */
static void open_old(help_store *s)
{
    help_store_open(s, "sqlite");
    for (uint64_t n = 1; n <= 2; n++) {
        CHECK_INT(help_create(s, n), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_append(s, n, 1, 1, "2"), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_append(s, n, 1, 2, "3"), HAFT_OK, "%s", s->error.message);
    }
    help_store_shut(s);
    make_old(s, 2, 3);
}

TEST(an_old_database_goes_on_as_a_new_one)
{
    help_store s;
    open_old(&s);
    help_store_reopen(&s);
    CHECK_INT(help_raw_number(&s, "PRAGMA user_version"), HAFT__SQLITE_VERSION, "version");
    for (uint64_t n = 1; n <= 2; n++) {
        CHECK_STR(help_read(&s, n), HAFT__LIT("1\n2\n3\n"), "%s", s.error.message);
        CHECK_INT(help_append(&s, n, 1, 3, "4"), HAFT_OK, "%s", s.error.message);
        CHECK_STR(help_read(&s, n), HAFT__LIT("1\n2\n3\n4\n"), "%s", s.error.message);
    }
    help_store_shut(&s);
    help_store_reopen(&s);
    static const struct {
        uint64_t after, limit;
        const char *wanted;
    } parts[] = {{0, 2, "1\n2\n"}, {2, 0, "3\n4\n"}, {2, 1, "3\n"}, {3, 0, "4\n"}, {4, 0, ""}};
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS,
                                    .run = {.id = help_id(2)},
                                    .after = parts[i].after,
                                    .limit = parts[i].limit};
        CHECK_INT(help_do(&s, &read), HAFT_OK, "%s", s.error.message);
        CHECK_STR(read.text, haft__str(parts[i].wanted), "part %zu", i);
    }
    CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM pragma_foreign_key_check"), 0, "keys");
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 1}};
    haft__store_request gone = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(1)}};
    CHECK_INT(help_do(&s, &release), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_do(&s, &gone), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM events WHERE run = 1"), 0, "events stay");
    help_store_close(&s);
}

/* Version 2 has today's events, and fewer indexes. */
TEST(a_database_of_version_2_gets_its_indexes)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create_in(&s, 1, "a", ""), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_create_in(&s, 2, "a", ""), HAFT_OK, "%s", s.error.message);
    help_store_shut(&s);
    haft_error err;
    help_raw(&s, "DROP INDEX runs_queue; DROP INDEX runs_free; PRAGMA user_version = 2");
    CHECK_INT(help_try_open(s.url, &err), HAFT_BAD_INPUT, "one index too many was taken");
    help_raw(&s, "DROP INDEX runs_wake");
    help_store_reopen(&s);
    CHECK_INT(help_raw_number(&s, "PRAGMA user_version"), HAFT__SQLITE_VERSION, "version");
    haft__store_request take = {
        .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(&s, &take), HAFT_OK, "%s", s.error.message);
    CHECK_STR(take.found[0].id, help_id(1), "the first");
    CHECK_INT(help_do(&s, &take), HAFT_NOT_FOUND, "the second is behind it");
    help_store_close(&s);
}

TEST(edits_of_old_events_are_told)
{
    static const struct {
        const char *sql;
        int seq;
    } cases[] = {
        {"UPDATE events SET body = '2x' WHERE seq = 2", 2},
        {"UPDATE events SET checksum = zeroblob(16) WHERE seq = 2", 2},
        {"UPDATE events SET checksum = zeroblob(8) WHERE seq = 2", 2},
        {"DELETE FROM events WHERE seq = 2", 2},
        {"DELETE FROM events WHERE seq = 3", 3},
        {"UPDATE events SET seq = 9 WHERE seq = 3", 3},
        {"UPDATE runs SET checksum = zeroblob(16)", 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        char wanted[128];
        open_old(&s);
        help_raw(&s, cases[i].sql);
        help_store_reopen(&s);
        (void)snprintf(wanted, sizeof(wanted),
                       "the database is damaged: event %d of the run %s is not what was written",
                       cases[i].seq, help_id(1).ptr);
        CHECK(help_read(&s, 1).ptr == NULL, "%s: it was read", cases[i].sql);
        CHECK_STR(haft__str(s.error.message), haft__str(wanted), "%s", cases[i].sql);
        help_store_close(&s);
    }
}

/* Whatever fails, the database is of the one version or of the other, with all events. */
TEST(a_change_of_versions_happens_whole_or_not_at_all)
{
    int failures = 0;
    for (int kind = 0; kind < HELP_FAULT_COUNT; kind++) {
        for (int n = 0; n < 40; n++) {
            help_store s;
            haft_error err;
            open_old(&s);
            help_faults_start();
            help_fault_at((help_fault)kind, n, true);
            failures += help_try_open(s.url, &err) != HAFT_OK;
            bool hit = help_fault_clear();
            help_faults_stop();
            help_store_reopen(&s);
            CHECK_STR(help_read(&s, 2), HAFT__LIT("1\n2\n3\n"), "kind %d, %d: %s", kind, n,
                      s.error.message);
            help_store_close(&s);
            if (!hit) {
                break;
            }
        }
    }
    CHECK(failures > 10, "only %d failures", failures);
}

static int open_at_once(void *context)
{
    haft_error err;
    return help_try_open(context, &err) == HAFT_OK ? 0 : 1;
}

TEST(processes_that_change_the_version_at_once_do_it_once)
{
    help_store s;
    pid_t others[4];
    open_old(&s);
    for (size_t i = 0; i < COUNT(others); i++) {
        others[i] = help_fork(open_at_once, s.url);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        CHECK_INT(help_join(others[i]), 0, "process %zu", i);
    }
    help_store_reopen(&s);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n3\n"), "%s", s.error.message);
    help_store_close(&s);
}

TEST(an_old_database_with_other_tables_is_left_alone)
{
    help_store s;
    haft_error err;
    open_old(&s);
    help_raw(&s, "CREATE TABLE more (x)");
    haft_str before = help_load(help_path(&s));
    CHECK_INT(help_try_open(s.url, &err), HAFT_BAD_INPUT, "it was opened");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("the database is damaged: its tables are not those of version 1"),
              "message");
    CHECK_STR(help_load(help_path(&s)), before, "it was changed");
    help_raw(&s, "DROP TABLE more");
    help_store_reopen(&s);
    help_store_close(&s);
}
