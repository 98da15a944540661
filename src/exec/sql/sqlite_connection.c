/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_connection.c - opens an SQLite file for queries that are not trusted: read-only, with
 * small limits, interrupted at the deadline. Tests: tests/exec/sql/sqlite_test.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sql/sqlite_int.h"
#include "io/clock.h"
#include "io/random.h"
#include "store/sqlite/sql.h"

/* The number of instructions between two checks of the deadline. */
#define CHECK_STEPS 200
#define LOCK_MS     5U

/* ---- errors ---- */

static haft_status fail_ended(haft__sqlite_guarded *guarded, haft_error *err)
{
    switch (guarded->end) {
    case HAFT__SQLITE_TIMED_OUT: return haft__sql_fail_timeout(guarded->request, err);
    case HAFT__SQLITE_MEMORY:
        return haft__fail(err, HAFT_TOO_BIG, "/query",
                          "the queries of this process need more memory than the limit of %d MiB",
                          HAFT__LIMIT_SQL_MEMORY_BYTES >> 20);
    case HAFT__SQLITE_RUNNING:
    case HAFT__SQLITE_STOPPED: break;
    }
    return haft__sql_fail_stopped(err);
}

static haft_status fail_open(const haft__sqlite_guarded *guarded, haft_error *err)
{
    char text[96];
    int number = sqlite3_system_errno(guarded->db);
    haft_status status = haft__fail(err, HAFT_IO, guarded->path, "cannot open the database: %s",
                                    number != 0 ? strerror_r(number, text, sizeof(text))
                                                : sqlite3_errmsg(guarded->db));
    return haft__hint(err, status,
                      "haft only reads it; in WAL mode, it needs the -shm file or a directory in "
                      "which it can create one");
}

static haft_status fail_denied(const haft__sqlite_guarded *guarded, haft_error *err)
{
    if (!guarded->hidden) {
        return haft__sql_fail_writes(guarded->denied, err);
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/query", "%s cannot be read here", guarded->denied);
    return haft__hint(err, status, "name only columns and tables that search_schemas shows");
}

haft_status haft__sqlite_guarded_fail(haft__sqlite_guarded *guarded, int code, haft_error *err)
{
    haft_status status = HAFT_OK;
    switch (code & 0xff) {
    case SQLITE_NOMEM: return haft__fail_no_memory(err);
    case SQLITE_INTERRUPT: return fail_ended(guarded, err);
    case SQLITE_AUTH: return fail_denied(guarded, err);
    case SQLITE_CANTOPEN: return fail_open(guarded, err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (guarded->end != HAFT__SQLITE_RUNNING) {
            return fail_ended(guarded, err);
        }
        status = haft__fail(err, HAFT_IO, guarded->path, "another process has locked the database");
        return haft__hint(err, status, "try again when its transaction has ended");
    case SQLITE_NOTADB:
        return haft__fail(err, HAFT_IO, guarded->path, "the file is no SQLite database");
    case SQLITE_CORRUPT:
        status = haft__fail(err, HAFT_IO, guarded->path, "the database is damaged: %s",
                            sqlite3_errmsg(guarded->db));
        return haft__hint(err, status, "restore it from a backup, or run PRAGMA integrity_check");
    case SQLITE_IOERR:
        return haft__fail(err, HAFT_IO, guarded->path, "cannot read the database: %s",
                          sqlite3_errmsg(guarded->db));
    case SQLITE_READONLY: return haft__sql_fail_writes("a write", err);
    case SQLITE_TOOBIG:
        status = haft__fail(err, HAFT_TOO_BIG, "/query",
                            "a value or the query is longer than the limit of %d bytes",
                            HAFT__LIMIT_SQL_VALUE_BYTES);
        return haft__hint(err, status, "select other columns, or length() of this one");
    default: break;
    }
    /* A statement that runs inside another one reports the denial in its own way. */
    return guarded->denied[0] != '\0'
               ? fail_denied(guarded, err)
               : haft__fail(err, HAFT_BAD_INPUT, "/query", "%s", sqlite3_errmsg(guarded->db));
}

/* ---- the file ---- */

/* The absolute or relative path of the file, which never begins like a URI. */
static haft_status make_path(haft__sqlite_guarded *guarded, haft_str file, haft_error *err)
{
    haft_str spec = guarded->request->spec_path;
    size_t directory = haft__str_starts_with(file, HAFT__LIT("/")) ? 0 : spec.len;
    while (directory > 0 && spec.ptr[directory - 1] != '/') {
        directory--;
    }
    haft_str folder = {spec.ptr, directory};
    bool rooted = haft__str_starts_with(directory > 0 ? folder : file, HAFT__LIT("/"));
    if (folder.len + file.len + 3 > PATH_MAX || memchr(file.ptr, '\0', file.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the path of the database is not valid");
    }
    haft_str path = haft__arena_format(&guarded->arena, "%s%.*s%.*s", rooted ? "" : "./",
                                       HAFT__ARG(folder), HAFT__ARG(file));
    guarded->path = path.ptr;
    return path.ptr != NULL ? HAFT_OK : haft__arena_fail(&guarded->arena, err);
}

static haft_status check_file(const haft__sqlite_guarded *guarded, haft_error *err)
{
    struct stat info;
    char text[96];
    if (stat(guarded->path, &info) != 0) {
        int number = errno;
        haft_status status =
            haft__fail(err, number == ENOENT ? HAFT_NOT_FOUND : HAFT_IO, guarded->path,
                       "cannot open the database: %s", strerror_r(number, text, sizeof(text)));
        return haft__hint(err, status, "the path after sqlite: is relative to the spec");
    }
    return S_ISREG(info.st_mode)
               ? HAFT_OK
               : haft__fail(err, HAFT_IO, guarded->path, "expected a file, found %s",
                            S_ISDIR(info.st_mode) ? "a directory" : "something else");
}

/* ---- interruption ---- */

/* Returns whether the query must end. SQLite counts the memory of all connections. */
static bool check_end(haft__sqlite_guarded *guarded)
{
    if (haft__sql_is_stopped(guarded->request)) {
        guarded->end = HAFT__SQLITE_STOPPED;
    } else if (haft__clock_monotonic() >= guarded->deadline_ms) {
        guarded->end = HAFT__SQLITE_TIMED_OUT;
    } else if (sqlite3_memory_used() > HAFT__LIMIT_SQL_MEMORY_BYTES) {
        guarded->end = HAFT__SQLITE_MEMORY;
    }
    return guarded->end != HAFT__SQLITE_RUNNING;
}

static int on_progress(void *context)
{
    return check_end(context);
}

static int on_locked(void *context, int tries)
{
    (void)tries;
    if (check_end(context)) {
        return 0;
    }
    haft__clock_sleep(LOCK_MS);
    return 1;
}

static void interrupt(void *handle)
{
    sqlite3_interrupt(handle);
}

/* ---- settings ---- */

static int set_safety(sqlite3 *db)
{
    static const struct {
        int what, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},   {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},          {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},  {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    };
    static const char *const modules[] = {"json_each", "json_tree", "fts3",      "fts4",
                                          "fts5",      "rtree",     "rtree_i32", NULL};
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < COUNT(settings); i++) {
        code = sqlite3_db_config(db, settings[i].what, settings[i].value, NULL);
    }
    return code == SQLITE_OK ? sqlite3_drop_modules(db, (const char **)(uintptr_t)modules) : code;
}

static void set_limits(sqlite3 *db)
{
    static const struct {
        int what, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, HAFT__LIMIT_SQL_VALUE_BYTES},
        {SQLITE_LIMIT_SQL_LENGTH, HAFT__LIMIT_SQL_QUERY_BYTES},
        {SQLITE_LIMIT_COLUMN, HAFT__LIMIT_SQL_RESULT_COLUMNS},
        {SQLITE_LIMIT_EXPR_DEPTH, HAFT__LIMIT_SQL_DEPTH},
        {SQLITE_LIMIT_COMPOUND_SELECT, HAFT__LIMIT_SQL_COMPOUND},
        {SQLITE_LIMIT_VDBE_OP, HAFT__LIMIT_SQL_STEPS},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, HAFT__LIMIT_SQL_PATTERN_BYTES},
        {SQLITE_LIMIT_VARIABLE_NUMBER, HAFT__LIMIT_SQL_PARAMETERS},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < COUNT(limits); i++) {
        (void)sqlite3_limit(db, limits[i].what, limits[i].value);
    }
}

static haft_status check_owner(haft__sqlite_guarded *guarded, haft_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(guarded->db, "PRAGMA application_id", -1, &statement, NULL);
    bool store = code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW
                 && sqlite3_column_int(statement, 0) == HAFT__SQLITE_APPLICATION;
    haft_status status =
        code == SQLITE_ROW ? HAFT_OK : haft__sqlite_guarded_fail(guarded, code, err);
    (void)sqlite3_finalize(statement);
    if (status == HAFT_OK && store) {
        status = haft__fail(err, HAFT_BAD_INPUT, guarded->path,
                            "the database is a store of haft: it has the logs of runs");
        return haft__hint(err, status, "read runs with `haft runs`");
    }
    return status;
}

/* ---- opening ---- */

static haft_status set_up(haft__sqlite_guarded *guarded, haft_error *err)
{
    static const char pragmas[] =
        "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; "
        "PRAGMA cell_size_check = ON; PRAGMA cache_size = -2000";
    int code = set_safety(guarded->db);
    if (code == SQLITE_OK) {
        code = haft__sqlite_replace_functions(guarded->db);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_busy_handler(guarded->db, on_locked, guarded);
    }
    sqlite3_progress_handler(guarded->db, CHECK_STEPS, on_progress, guarded);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(guarded->db, pragmas, NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) {
        return haft__sqlite_guarded_fail(guarded, code, err);
    }
    set_limits(guarded->db);
    return check_owner(guarded, err);
}

haft_status haft__sqlite_guarded_open(haft__sqlite_guarded *guarded,
                                      const haft__sql_request *request, haft_str file,
                                      haft_error *err)
{
    *guarded = (haft__sqlite_guarded){
        .request = request, .deadline_ms = haft__clock_monotonic() + request->database->timeout_ms};
    haft__arena_init(&guarded->arena, HAFT__LIMIT_SQL_CATALOG_BYTES);
    haft__map_init(&guarded->tables, &guarded->arena, haft__random_hash_key());
    haft_status status = make_path(guarded, file, err);
    if (status == HAFT_OK) {
        status = check_file(guarded, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    int code =
        sqlite3_open_v2(guarded->path, &guarded->db,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code != SQLITE_OK) {
        return haft__sqlite_guarded_fail(guarded, code, err);
    }
    haft__sql_set_interrupt(request, interrupt, guarded->db);
    return set_up(guarded, err);
}

void haft__sqlite_guarded_close(haft__sqlite_guarded *guarded)
{
    haft__sql_set_interrupt(guarded->request, NULL, NULL);
    (void)sqlite3_close(guarded->db);
    guarded->db = NULL;
    haft__arena_finish(&guarded->arena);
}
