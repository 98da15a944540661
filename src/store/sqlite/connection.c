/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - a connection to a database: the file, the locks, the settings.
 * Tests: tests/store/sqlite/sqlite_test.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "store/sqlite/sqlite_int.h"

#define RETRY_MS   5U
#define PAGE_BYTES 4096
#define LOCK_US    1000U /* about the duration of a transaction */

/* ---- the file ---- */

static haft_status fail_file(const char *path, const char *what, int number, haft_error *err)
{
    char text[96];
    return haft__fail(err, HAFT_IO, path, "%s: %s", what, strerror_r(number, text, sizeof(text)));
}

static bool make_folder(const char *folder)
{
    if (mkdir(folder, S_IRWXU) != 0) {
        return errno == EEXIST;
    }
    /* A new directory is durable only once its parent is synced. Errors are ignored: some file
     * systems cannot sync a directory. */
    char parent[PATH_MAX + 4];
    (void)snprintf(parent, sizeof(parent), "%s/..", folder);
    int file = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        (void)close(file);
    }
    return true;
}

/* Creates every missing directory of the path, from the top. */
static haft_status make_folders(const char *path, haft_error *err)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!make_folder(folder)) {
            return fail_file(folder, "cannot create the directory", errno, err);
        }
        *slash = '/';
    }
    return HAFT_OK;
}

haft_status haft__sqlite_file_create(const char *path, haft_error *err)
{
    struct stat info;
    if (stat(path, &info) == 0) {
        /* The file is not opened here, because closing it would release this process's locks on
         * it. */
        return S_ISREG(info.st_mode)
                   ? HAFT_OK
                   : haft__fail(err, HAFT_IO, path, "expected a file, found %s",
                                S_ISDIR(info.st_mode) ? "a directory" : "something else");
    }
    if (errno != ENOENT) {
        return fail_file(path, "cannot find the database", errno, err);
    }
    haft_status status = make_folders(path, err);
    if (status != HAFT_OK) {
        return status;
    }
    int file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file >= 0) {
        (void)close(file);
    } else if (errno != EEXIST) {
        return fail_file(path, "cannot create the database", errno, err);
    }
    return HAFT_OK;
}

/* ---- the connection ---- */

/* A monotonic clock. */
static uint64_t now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Retries soon, with jitter. With SQLite's own growing delays, a process would starve while another
 * one writes all the time. Returns non-zero to retry. */
static int wait_for_lock(void *context, int tries)
{
    haft__sqlite_connection *connection = context;
    uint64_t now = now_ms();
    if (tries == 0) {
        connection->wait_until_ms = now + connection->busy_ms;
        connection->random ^= now ^ (uint64_t)getpid() << 32;
    }
    if (now >= connection->wait_until_ms) {
        return 0;
    }
    connection->random = connection->random * 6364136223846793005U + 1442695040888963407U;
    (void)usleep((useconds_t)(LOCK_US / 4 + (connection->random >> 33) % LOCK_US));
    return 1;
}

/* The settings that do not read the file. */
static int set_safety(haft__sqlite_connection *connection)
{
    sqlite3 *db = connection->db;
    static const struct {
        int what, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < COUNT(settings); i++) {
        code = sqlite3_db_config(db, settings[i].what, settings[i].value, NULL);
    }
    /* A row has one long text and some names. */
    (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, HAFT__LIMIT_STORE_TEXT_BYTES + (1 << 20));
    (void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    (void)sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    return code == SQLITE_OK ? sqlite3_busy_handler(db, wait_for_lock, connection) : code;
}

/* Sets the pragmas: every commit is synced, and a damaged page is an error. */
static int set_pragmas(sqlite3 *db)
{
    char text[256];
    (void)snprintf(text, sizeof(text),
                   "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; "
                   "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -%d; "
                   "PRAGMA journal_size_limit = %d",
                   HAFT__LIMIT_STORE_CACHE_KIB, 2 * PAGE_BYTES * HAFT__LIMIT_STORE_WAL_PAGES);
    return sqlite3_exec(db, text, NULL, NULL, NULL);
}

static int note_pages(void *context, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((haft__sqlite_connection *)context)->wal_pages = pages;
    return SQLITE_OK;
}

static haft_status set_up(haft__sqlite_connection *connection, bool writer, haft_error *err)
{
    int code = set_safety(connection);
    if (code != SQLITE_OK) {
        return haft__sqlite_fail(connection, code, err);
    }
    haft_status status = writer ? haft__sqlite_schema_prepare(connection, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    code = set_pragmas(connection->db);
    if (code == SQLITE_OK && writer) {
        code = sqlite3_db_config(connection->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        /* Replaces SQLite's automatic checkpoint. */
        (void)sqlite3_wal_hook(connection->db, note_pages, connection);
    }
    /* The check also makes a writer open the log, so that the writer removes the log when it
     * closes. */
    return code == SQLITE_OK ? haft__sqlite_connection_check(connection, err)
                             : haft__sqlite_fail(connection, code, err);
}

/* `name` is the path, or a URI of the path; `first` is a statement to run before all others. */
static haft_status try_to_open(haft__sqlite_connection *connection, const char *path,
                               const char *name, int flags, const char *first, haft_error *err)
{
    *connection = (haft__sqlite_connection){.path = path, .busy_ms = HAFT__LIMIT_STORE_BUSY_MS};
    int code = sqlite3_open_v2(name, &connection->db,
                               flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(connection->db, first, NULL, NULL, NULL);
    }
    bool writer = (flags & (SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)) == SQLITE_OPEN_READWRITE;
    return code == SQLITE_OK ? set_up(connection, writer, err)
                             : haft__sqlite_fail(connection, code, err);
}

haft_status haft__sqlite_connection_open(haft__sqlite_connection *connection, const char *path,
                                         bool writer, haft_error *err)
{
    uint64_t deadline = now_ms() + HAFT__LIMIT_STORE_BUSY_MS;
    int flags = writer ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    haft_status status;
    while ((status = try_to_open(connection, path, path, flags, "", err)) != HAFT_OK) {
        bool retry = connection->busy && now_ms() < deadline;
        haft__sqlite_connection_close(connection);
        if (!retry) {
            break;
        }
        haft__clock_sleep(RETRY_MS);
    }
    return status;
}

/* ---- full and read-only disks ---- */

/* Whether the log has content that is not in the database. */
static bool has_log(const char *path)
{
    char log[PATH_MAX + 8];
    struct stat info;
    (void)snprintf(log, sizeof(log), "%s-wal", path);
    return stat(log, &info) != 0 ? errno != ENOENT : info.st_size > 0;
}

static bool has_access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

haft__sqlite_write_bar haft__sqlite_find_write_bar(const char *path)
{
    char folder[PATH_MAX];
    struct statvfs info;
    haft_str name = haft__str(path);
    if (!has_access(path, R_OK) || name.len >= sizeof(folder)) {
        return HAFT__SQLITE_BAR_NONE;
    }
    memcpy(folder, name.ptr, name.len + 1);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return HAFT__SQLITE_BAR_NONE; /* cannot happen: the path of a store has a slash */
    }
    slash[slash == folder ? 1 : 0] = '\0';
    if (statvfs(path, &info) == 0 && (info.f_flag & ST_RDONLY) != 0) {
        return HAFT__SQLITE_BAR_FILE_SYSTEM;
    }
    return !has_access(path, W_OK)     ? HAFT__SQLITE_BAR_FILE
           : !has_access(folder, W_OK) ? HAFT__SQLITE_BAR_DIRECTORY
                                       : HAFT__SQLITE_BAR_NONE;
}

/* Writes the path as an SQLite URI. False if it is too long. */
static bool make_uri(const char *path, const char *query, char *to, size_t size)
{
    size_t at = (size_t)snprintf(to, size, "file:");
    for (const char *c = path; *c != '\0' && at + 4 < size; c++) {
        bool plain = strchr("%?#", *c) == NULL;
        at += (size_t)snprintf(to + at, size - at, plain ? "%c" : "%%%02x", (unsigned char)*c);
    }
    return (size_t)snprintf(to + at, size - at, "?%s", query) < size - at;
}

/* The log needs an index file next to the database. If this file cannot be created, a single
 * process can work without it. If no user can write and no log exists, no locks are needed. */
haft_status haft__sqlite_connection_open_read_only(haft__sqlite_connection *connection,
                                                   const char *path, haft_error *err)
{
    static const struct {
        const char *query, *first;
        int flags;
        bool without_log;
    } modes[] = {{"mode=ro", "", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, false},
                 {"mode=rw", "PRAGMA locking_mode = EXCLUSIVE",
                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, false},
                 {"mode=ro&immutable=1", "", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, true}};
    char uri[3 * PATH_MAX];
    haft_status status = HAFT_IO;
    for (size_t i = 0; status != HAFT_OK && i < COUNT(modes); i++) {
        haft__sqlite_connection_close(connection);
        if (!make_uri(path, modes[i].query, uri, sizeof(uri))) {
            return haft__fail(err, HAFT_IO, path, "the path is too long");
        }
        if (!modes[i].without_log || !has_log(path)) {
            status = try_to_open(connection, path, uri, modes[i].flags, modes[i].first, err);
            connection->immutable = status == HAFT_OK && modes[i].without_log;
        }
    }
    return status;
}

/* ---- closing ---- */

void haft__sqlite_connection_close(haft__sqlite_connection *connection)
{
    for (size_t i = 0; i < COUNT(connection->statements); i++) {
        (void)sqlite3_finalize(connection->statements[i]);
        connection->statements[i] = NULL;
    }
    (void)sqlite3_close(connection->db);
    connection->db = NULL;
}

void haft__sqlite_connection_rollback(haft__sqlite_connection *connection)
{
    if (sqlite3_get_autocommit(connection->db) == 0) {
        haft_status status = haft__sqlite_query_exec(connection, HAFT__SQLITE_STMT_ROLLBACK, NULL);
        (void)status; /* a transaction that cannot be rolled back has already ended */
    }
}
