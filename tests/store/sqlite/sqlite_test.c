/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store: which files it opens, which it rejects, and its settings. */
#include <sys/stat.h>
#include <unistd.h>

#include "store/sqlite/sqlite_help.h"

static void check_mode(const char *path, unsigned wanted)
{
    struct stat about;
    CHECK_INT(stat(path, &about), 0, "%s does not exist", path);
    CHECK_INT(about.st_mode & 0777, wanted, "%s", path);
}

/* `name` in the directory of the store; valid until the test ends. */
static char *inside(const help_store *s, const char *name)
{
    char *path = test_alloc(PATH_MAX);
    (void)snprintf(path, PATH_MAX, "%s/%s", s->folder, name);
    return path;
}

static void open_shut(help_store *s)
{
    help_store_open(s, "sqlite");
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    help_store_shut(s);
}

/* ---- files ---- */

TEST(a_database_and_its_directories_are_private)
{
    help_store s;
    mode_t before = umask(0);
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    check_mode(help_path(&s), 0600);
    check_mode(inside(&s, "haft.db-wal"), 0600);
    check_mode(inside(&s, "haft.db-shm"), 0600);
    haft_error err;
    CHECK_INT(help_try_open(inside(&s, "a/b/new.db"), &err), HAFT_OK, "%s", err.message);
    check_mode(inside(&s, "a"), 0700);
    check_mode(inside(&s, "a/b"), 0700);
    check_mode(inside(&s, "a/b/new.db"), 0600);
    (void)umask(before);
    (void)unlink(inside(&s, "a/b/new.db"));
    (void)rmdir(inside(&s, "a/b"));
    (void)rmdir(inside(&s, "a"));
    help_store_close(&s);
}

TEST(a_database_keeps_its_events)
{
    help_store s;
    open_shut(&s);
    for (uint64_t n = 2; n < 5; n++) {
        help_store_reopen(&s);
        CHECK_INT(help_append(&s, 1, 1, n - 1, "more"), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_run(&s, 1)->seq, n, "number of events");
        help_store_shut(&s);
    }
    CHECK(help_load(inside(&s, "haft.db-wal")).ptr == NULL, "the log file still exists");
    help_store_reopen(&s);
    help_store_close(&s);
}

TEST(unusual_file_names_are_accepted)
{
    static const char *const names[] = {":memory:", "a:b", "x?mode=memory", "%41", "'", "-"};
    help_store s;
    char *before = getcwd(test_alloc(PATH_MAX), PATH_MAX);
    help_store_open(&s, "sqlite");
    CHECK_INT(chdir(s.folder), 0, "cannot change the directory");
    for (size_t i = 0; i < COUNT(names); i++) {
        char url[64];
        haft_error err;
        (void)snprintf(url, sizeof(url), "sqlite:%s", names[i]);
        CHECK_INT(help_try_open(url, &err), HAFT_OK, "%s: %s", url, err.message);
        check_mode(inside(&s, names[i]), 0600);
    }
    CHECK_INT(chdir(before), 0, "cannot change the directory");
    help_store_close(&s);
}

TEST(a_path_that_cannot_be_a_database_is_rejected)
{
    help_store s;
    open_shut(&s);
    char *deep = test_alloc(2 * PATH_MAX);
    memset(deep, 'x', 2 * PATH_MAX);
    deep[2 * PATH_MAX - 1] = '\0';
    help_save(inside(&s, "text"), HAFT__LIT("this is no database, but a text of some length"));
    help_save(inside(&s, "zeros"), (haft_str){memset(test_alloc(8192), 0, 8192), 8192});
    const struct {
        const char *path;
        haft_status wanted;
        const char *message;
    } cases[] = {
        {s.folder, HAFT_IO, "expected a file, found a directory"},
        {"/dev/null", HAFT_IO, "expected a file, found something else"},
        {inside(&s, "text/below.db"), HAFT_IO, "cannot find the database: Not a directory"},
        {"/dev/null/a/b.db", HAFT_IO, "cannot find the database: Not a directory"},
        {"/proc/no/such.db", HAFT_IO, "cannot create the directory: No such file or directory"},
        {"/proc/such.db", HAFT_IO, "cannot create the database: No such file or directory"},
        {deep, HAFT_IO, "cannot find the database: File name too long"},
        {"", HAFT_BAD_INPUT, "expected the path of a database, found none"},
        {inside(&s, "text"), HAFT_BAD_INPUT,
         "this is not a haft database, or its header is damaged"},
        {inside(&s, "zeros"), HAFT_BAD_INPUT,
         "this is not a haft database, or its header is damaged"},
    };
    size_t files = help_count_files();
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err;
        CHECK_INT(help_try_open(cases[i].path, &err), cases[i].wanted, "%.80s", cases[i].path);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%.80s", cases[i].path);
    }
    CHECK_INT(help_count_files(), files, "number of open descriptors");
    CHECK_STR(help_load(inside(&s, "text")),
              HAFT__LIT("this is no database, but a text of some length"), "the file was changed");
    help_store_reopen(&s);
    help_store_close(&s);
}

/* ---- databases of other programs and versions ---- */

static void check_refused(help_store *s, const char *sql, haft_status wanted, const char *message)
{
    haft_error err;
    help_raw(s, sql);
    haft_str before = help_load(help_path(s));
    CHECK_INT(help_try_open(s->url, &err), wanted, "%s: %s", sql, err.message);
    CHECK_STR(haft__str(err.message), haft__str(message), "%s", sql);
    CHECK_STR(help_load(help_path(s)), before, "%s: the file was changed", sql);
}

TEST(databases_of_other_programs_are_not_changed)
{
    static const char *const journals[] = {"DELETE", "WAL"};
    for (size_t i = 0; i < COUNT(journals); i++) {
        help_store s;
        char sql[256];
        open_shut(&s);
        (void)unlink(help_path(&s));
        (void)snprintf(sql, sizeof(sql),
                       "PRAGMA journal_mode = %s; CREATE TABLE runs (id); INSERT INTO runs "
                       "VALUES (1)",
                       journals[i]);
        check_refused(&s, sql, HAFT_BAD_INPUT, "this database belongs to another program");
        CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM sqlite_schema"), 1, "number of tables");
        (void)unlink(help_path(&s));
        check_refused(&s, "PRAGMA application_id = -7", HAFT_BAD_INPUT,
                      "this database belongs to another program");
        check_refused(&s, "PRAGMA application_id = 0; PRAGMA user_version = 1", HAFT_BAD_INPUT,
                      "this database belongs to another program");
        help_raw(&s, "PRAGMA user_version = 0");
        help_store_reopen(&s); /* an empty file counts as no file */
        help_store_close(&s);
    }
}

TEST(databases_of_other_versions_are_rejected)
{
    help_store s;
    open_shut(&s);
    check_refused(&s, "PRAGMA user_version = 4", HAFT_UNSUPPORTED,
                  "the database has schema version 4, this haft supports version 3");
    check_refused(&s, "PRAGMA user_version = -1", HAFT_UNSUPPORTED,
                  "the database has schema version 4294967295, this haft supports version 3");
    check_refused(&s, "PRAGMA user_version = 0", HAFT_UNSUPPORTED,
                  "the database has schema version 0, this haft supports version 3");
    check_refused(&s, "PRAGMA user_version = 1", HAFT_UNSUPPORTED,
                  "the database has schema version 1, this haft supports version 3");
    check_refused(&s, "PRAGMA user_version = 2", HAFT_UNSUPPORTED,
                  "the database has schema version 2, this haft supports version 3");
    help_raw(&s, "PRAGMA user_version = 3");
    help_store_reopen(&s);
    CHECK_INT(help_run(&s, 1)->seq, 1, "number of events");
    help_store_close(&s);
}

TEST(databases_with_other_tables_are_rejected)
{
    static const char wanted[] = "the database is damaged: its tables are not those of version 3";
    static const struct {
        const char *change, *back;
    } cases[] = {
        {"CREATE TABLE more (x)", "DROP TABLE more"},
        {"CREATE VIEW more AS SELECT 1", "DROP VIEW more"},
        {"CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM events; END",
         "DROP TRIGGER more"},
        {"DROP INDEX runs_open", "CREATE INDEX runs_open ON runs (id) WHERE state < 2"},
        {"ALTER TABLE runs ADD COLUMN more TEXT", "ALTER TABLE runs DROP COLUMN more"},
        {"ALTER TABLE cache RENAME TO more", "ALTER TABLE more RENAME TO cache"},
    };
    help_store s;
    open_shut(&s);
    for (size_t i = 0; i + 1 < COUNT(cases); i++) {
        check_refused(&s, cases[i].change, HAFT_BAD_INPUT, wanted);
        help_raw(&s, cases[i].back);
    }
    help_store_reopen(&s); /* the tables are complete again */
    help_store_shut(&s);
    check_refused(&s, cases[COUNT(cases) - 1].change, HAFT_BAD_INPUT, wanted);
    (void)unlink(help_path(&s));
    check_refused(&s,
                  "PRAGMA encoding = 'UTF-16'; PRAGMA application_id = 0x68616674; "
                  "PRAGMA user_version = 3",
                  HAFT_BAD_INPUT, wanted);
    (void)unlink(help_path(&s));
    help_store_reopen(&s);
    help_store_close(&s);
}

/* ---- permissions ---- */

typedef struct rights {
    help_store *s;
    const char *message;
} rights;

static int open_as_nobody(void *context)
{
    rights *r = context;
    haft_error err;
    if (geteuid() == 0 && setuid(65534) != 0) {
        return 2;
    }
    haft_status status = help_try_open(r->s->url, &err);
    if (status != HAFT_IO || strncmp(err.message, r->message, strlen(r->message)) != 0) {
        printf("# %s: %s\n", haft_status_name(status), err.message);
        return 1;
    }
    return 0;
}

TEST(an_unreadable_database_is_rejected)
{
    help_store s;
    open_shut(&s);
    const struct {
        mode_t folder, file;
        bool there;
        const char *message;
    } cases[] = {
        {0777, 0000, true, "cannot open the database"},
        {0000, 0666, true, "cannot find the database: Permission denied"},
        {0555, 0666, false, "cannot create the database: Permission denied"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!cases[i].there) {
            (void)chmod(s.folder, 0700);
            (void)unlink(help_path(&s));
        }
        (void)chmod(help_path(&s), cases[i].file);
        (void)chmod(s.folder, cases[i].folder);
        rights r = {&s, cases[i].message};
        CHECK_INT(help_join(help_fork(open_as_nobody, &r)), 0, "case %zu", i);
    }
    (void)chmod(s.folder, 0700);
    help_store_reopen(&s);
    help_store_close(&s);
}

/* Reads a run and cannot append to it. */
static int read_as_nobody(void *context)
{
    help_store *s = context;
    if (geteuid() == 0 && setuid(65534) != 0) {
        return 2;
    }
    help_store_reopen(s);
    bool read = help_run(s, 1)->seq == 2 && help_read(s, 1).len > 0;
    haft_status status = help_append(s, 1, 1, 2, "x");
    bool refused = status == HAFT_IO
                   && strstr(s->error.message, "is read-only for this user") != NULL
                   && help_create(s, 2) == HAFT_IO;
    printf("# %s: %s\n", haft_status_name(status), s->error.message);
    help_store_shut(s);
    return read && refused ? 0 : 1;
}

TEST(a_read_only_database_is_read)
{
    static const struct {
        mode_t folder, file;
        bool odd;
    } cases[] = {{0755, 0444, false}, {0755, 0644, false}, {0555, 0666, false}, {0555, 0444, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        help_store_open(&s, "sqlite");
        CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_append(&s, 1, 1, 1, "y"), HAFT_OK, "%s", s.error.message);
        help_store_shut(&s);
        if (cases[i].odd) { /* characters that have a meaning in a URI */
            char path[sizeof(s.folder) + 16];
            (void)snprintf(path, sizeof(path), "%s/a%%20?b#c.db", s.folder);
            CHECK_INT(rename(help_path(&s), path), 0, "cannot rename the file");
            (void)snprintf(s.url, sizeof(s.url), "sqlite:%s", path);
        }
        (void)chmod(help_path(&s), cases[i].file);
        (void)chmod(s.folder, cases[i].folder);
        CHECK_INT(help_join(help_fork(read_as_nobody, &s)), 0, "case %zu", i);
        (void)chmod(s.folder, 0700);
        help_store_reopen(&s);
        help_store_close(&s);
    }
}

/* ---- settings ---- */

static int64_t setting(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK, "%s", sql);
    int64_t value = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
    (void)sqlite3_finalize(stmt);
    return value;
}

TEST(connections_have_safe_settings)
{
    static const struct {
        const char *sql;
        int64_t wanted;
    } cases[] = {
        {"PRAGMA synchronous", 2},
        {"PRAGMA foreign_keys", 1},
        {"PRAGMA trusted_schema", 0},
        {"PRAGMA cell_size_check", 1},
        {"PRAGMA cache_size", -HAFT__LIMIT_STORE_CACHE_KIB},
        {"PRAGMA mmap_size", 0},
        {"PRAGMA journal_size_limit", 2 * 4096 * HAFT__LIMIT_STORE_WAL_PAGES},
        {"PRAGMA temp_store", 2},
        {"PRAGMA application_id", 0x68616674},
        {"PRAGMA user_version", 3},
    };
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message); /* both threads are idle now */
    CHECK(help_run(&s, 1) != NULL, "the run is not found");
    sqlite3 *links[2] = {help_sqlite(&s)->writer.connection.db,
                         help_sqlite(&s)->reader.connection.db};
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        size_t k = i / 2;
        CHECK_INT(setting(links[i % 2], cases[k].sql), cases[k].wanted, "%s", cases[k].sql);
    }
    for (size_t i = 0; i < 2; i++) {
        int defensive = 0;
        (void)sqlite3_db_config(links[i], SQLITE_DBCONFIG_DEFENSIVE, -1, &defensive);
        CHECK_INT(defensive, 1, "the connection is defensive");
    }
    CHECK(sqlite3_exec(links[1], "DELETE FROM runs", NULL, NULL, NULL) == SQLITE_READONLY,
          "the reading connection can write");
    help_store_close(&s);
}

TEST(no_descriptor_stays_open)
{
    size_t before = help_count_files();
    for (int i = 0; i < 3; i++) {
        help_store s;
        help_store_open(&s, "sqlite");
        CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
        CHECK(help_run(&s, 1) != NULL, "the run is not found");
        help_store_close(&s);
    }
    CHECK_INT(help_count_files(), before, "number of open descriptors");
}

/* ---- shared texts, and garbage collection ---- */

TEST(equal_texts_are_stored_once_and_removed_with_the_last_run)
{
    help_store s;
    help_store_open(&s, "sqlite");
    for (uint64_t n = 1; n <= 3; n++) {
        CHECK_INT(help_create(&s, n), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_end(&s, n, 1, 1, ""), HAFT_OK, "%s", s.error.message);
    }
    CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM blobs"), 2, "one task and one spec");
    for (uint64_t n = 1; n <= 3; n++) {
        CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM blobs"), 2,
                  "texts before run %d is removed", (int)n);
        haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(n)}};
        CHECK_INT(help_do(&s, &remove), HAFT_OK, "%s", s.error.message);
    }
    static const char *const tables[] = {"blobs", "runs", "events", "artifacts", "messages"};
    for (size_t i = 0; i < COUNT(tables); i++) {
        char sql[64];
        (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
        CHECK_INT(help_raw_number(&s, sql), 0, "%s", tables[i]);
    }
    help_store_close(&s);
}

TEST(many_runs_are_removed_in_several_transactions)
{
    help_store s;
    help_store_open(&s, "sqlite");
    for (uint64_t n = 0; n <= HAFT__LIMIT_STORE_GC_RUNS; n++) {
        haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                      .run = {.id = help_id(n), .state = HAFT__RUN_STATE_ENDED}};
        CHECK_INT(help_do(&s, &create), HAFT_OK, "%s", s.error.message);
    }
    uint64_t before = help_sqlite(&s)->writer.commits;
    haft__store_request gc = {.verb = HAFT__STORE_GC, .before_ms = s.now_ms + 1};
    CHECK_INT(help_do(&s, &gc), HAFT_OK, "%s", s.error.message);
    CHECK_INT(gc.count, HAFT__LIMIT_STORE_GC_RUNS + 1, "number of removed runs");
    CHECK_INT(help_sqlite(&s)->writer.commits - before, 2, "number of transactions");
    CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM runs"), 0, "runs that are left");
    CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM blobs"), 0, "texts that are left");
    for (uint64_t n = 1; n < HAFT__LIMIT_STORE_GC_RUNS; n++) {
        haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                      .run = {.id = help_id(n), .state = HAFT__RUN_STATE_ENDED}};
        CHECK_INT(help_do(&s, &create), HAFT_OK, "%s", s.error.message);
    }
    before = help_sqlite(&s)->writer.commits;
    CHECK_INT(help_do(&s, &gc), HAFT_OK, "%s", s.error.message);
    CHECK_INT(gc.count, HAFT__LIMIT_STORE_GC_RUNS - 1, "number of removed runs");
    CHECK_INT(help_sqlite(&s)->writer.commits - before, 1, "number of transactions");
    help_store_close(&s);
}

/* ---- the log and the cache ---- */

TEST(a_long_log_is_moved_into_the_database)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    haft_str line = help_text(100000, 'x');
    size_t longest = 0;
    const size_t max = (size_t)HAFT__LIMIT_STORE_WAL_PAGES * 4096;
    for (uint64_t seq = 1; seq <= 5 * max / line.len; seq++) {
        haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                      .run = {.id = help_id(1), .epoch = 1, .seq = seq},
                                      .lines = &line,
                                      .line_count = 1};
        CHECK_INT(help_do(&s, &append), HAFT_OK, "%s", s.error.message);
        struct stat about;
        CHECK_INT(stat(inside(&s, "haft.db-wal"), &about), 0, "the log file does not exist");
        longest = (size_t)about.st_size > longest ? (size_t)about.st_size : longest;
    }
    CHECK(longest >= max, "the log never reached its limit: %zu bytes", longest);
    CHECK(longest < 2 * max, "the log grows to %zu bytes", longest);
    int used = 0, highest = 0;
    (void)sqlite3_db_status(help_sqlite(&s)->writer.connection.db, SQLITE_DBSTATUS_CACHE_USED,
                            &used, &highest, 0);
    CHECK(used < (HAFT__LIMIT_STORE_CACHE_KIB + 512) * 1024, "the cache has %d bytes", used);
    help_store_close(&s);
}

/* The number of SQLite's VM steps of one append, or of a read of the last event. */
static int steps_of(haft__sqlite_connection *connection)
{
    int steps = 0;
    for (size_t i = 0; i < HAFT__SQLITE_STMT_COUNT; i++) {
        if (connection->statements[i] != NULL) {
            steps += sqlite3_stmt_status(connection->statements[i], SQLITE_STMTSTATUS_VM_STEP, 1);
        }
    }
    return steps;
}

TEST(the_cost_of_an_append_does_not_depend_on_the_length_of_the_run)
{
    help_store s;
    help_store_open(&s, "sqlite");
    haft__sqlite *sqlite = help_sqlite(&s);
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    haft_str lines[100];
    for (size_t i = 0; i < COUNT(lines); i++) {
        lines[i] = HAFT__LIT("an event of the usual kind");
    }
    int appends[3] = {0}, reads[3] = {0};
    uint64_t seq = 1;
    for (size_t round = 0; round < 3; round++) {
        while (seq < 1000U << round) {
            haft__store_request fill = {.verb = HAFT__STORE_APPEND,
                                        .run = {.id = help_id(1), .epoch = 1, .seq = seq},
                                        .lines = lines,
                                        .line_count = COUNT(lines)};
            CHECK_INT(help_do(&s, &fill), HAFT_OK, "%s", s.error.message);
            seq += COUNT(lines);
        }
        (void)steps_of(&sqlite->writer.connection);
        CHECK_INT(help_append(&s, 1, 1, seq++, "one more"), HAFT_OK, "%s", s.error.message);
        appends[round] = steps_of(&sqlite->writer.connection);
        haft__store_request read = {
            .verb = HAFT__STORE_READ_EVENTS, .run = {.id = help_id(1)}, .after = seq - 1};
        (void)steps_of(&sqlite->reader.connection);
        CHECK_INT(help_do(&s, &read), HAFT_OK, "%s", s.error.message);
        reads[round] = steps_of(&sqlite->reader.connection);
    }
    CHECK_INT(appends[1], appends[0], "steps of an append to 2n events");
    CHECK_INT(appends[2], appends[0], "steps of an append to 4n events");
    CHECK_INT(reads[1], reads[0], "steps of a read of 2n events");
    CHECK_INT(reads[2], reads[0], "steps of a read of 4n events");
    help_store_close(&s);
}
