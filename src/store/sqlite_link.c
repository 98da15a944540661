/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_link.c - opens a connection, finds out what the file is, and makes the tables.
 *
 * A file that is not ours is left as it was: nothing is set or moved before it has told its name.
 * The tables are made with an ordinary journal, so that the name stands in the file itself, and
 * only then is the log switched on. Two processes may do all this at once: what decides is read
 * and written in one transaction. Tests: tests/store/sqlite_test.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "store/sqlite_int.h"

#define RETRY_MS 5U
#define LOCK_US  1000U /* about as long as a transaction takes */

static const struct {
    const char *kind, *name, *sql;
} schema[] = {
#define X(kind, name, sql) {#kind, #name, sql},
    HAFT__SQLITE_SCHEMA(X)
#undef X
};

/* ---- the file ---- */

static haft_status fail_file(const char *path, const char *what, int number, haft_error *err)
{
    char text[96];
    return haft__fail(err, HAFT_IO, path, "%s: %s", what, strerror_r(number, text, sizeof(text)));
}

/* Every folder of the path that is not there, from the top. */
static haft_status make_folders(const char *path, haft_error *err)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST) {
            return fail_file(folder, "the folder cannot be made", errno, err);
        }
        *slash = '/';
    }
    return HAFT_OK;
}

haft_status haft__link_make_file(const char *path, haft_error *err)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        /* Never opened here: closing it would let go of the locks this process has on it. */
        return S_ISREG(about.st_mode)
                   ? HAFT_OK
                   : haft__fail(err, HAFT_IO, path, "wanted a file, found %s",
                                S_ISDIR(about.st_mode) ? "a folder" : "something else");
    }
    if (errno != ENOENT) {
        return fail_file(path, "the database cannot be found", errno, err);
    }
    haft_status status = make_folders(path, err);
    if (status != HAFT_OK) {
        return status;
    }
    int file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file >= 0) {
        (void)close(file);
    } else if (errno != EEXIST) {
        return fail_file(path, "the database cannot be made", errno, err);
    }
    return HAFT_OK;
}

/* ---- what it is ---- */

typedef struct identity {
    uint64_t application, version;
    size_t known, others; /* tables and indexes: as we make them, and not */
    bool utf8;
} identity;

static size_t find_in_schema(haft_str kind, haft_str name, haft_str sql)
{
    size_t at = 0;
    while (at < COUNT(schema)
           && !(haft__str_equal(kind, haft__str(schema[at].kind))
                && haft__str_equal(name, haft__str(schema[at].name))
                && haft__str_equal(sql, haft__str(schema[at].sql)))) {
        at++;
    }
    return at;
}

static haft_status read_schema(haft__link *link, identity *ret_identity, haft_error *err)
{
    haft__query query = haft__query_begin(link, HAFT__SQL_SCHEMA);
    while (haft__query_row(&query)) {
        haft_str kind = haft__query_text(&query, HAFT__LIMIT_STORE_TEXT_BYTES);
        haft_str name = haft__query_text(&query, HAFT__LIMIT_STORE_TEXT_BYTES);
        haft_str sql = haft__query_text(&query, HAFT__LIMIT_STORE_TEXT_BYTES);
        bool known = find_in_schema(kind, name, sql) < COUNT(schema);
        ret_identity->known += known;
        ret_identity->others += !known;
    }
    return haft__query_end(&query, err);
}

/* The only column of the only row. */
static haft_status read_number(haft__link *link, haft__sql which, uint64_t *ret_number,
                               haft_error *err)
{
    haft__query query = haft__query_begin(link, which);
    if (haft__query_row(&query)) {
        *ret_number = (uint32_t)sqlite3_column_int64(query.stmt, 0); /* may be any 32 bits */
    }
    return haft__query_end(&query, err);
}

static haft_status read_encoding(haft__link *link, bool *ret_utf8, haft_error *err)
{
    haft__query query = haft__query_begin(link, HAFT__SQL_ENCODING);
    if (haft__query_row(&query)) {
        *ret_utf8 = haft__str_equal(haft__query_text(&query, HAFT__LIMIT_STORE_NAME_BYTES),
                                    HAFT__LIT("UTF-8"));
    }
    return haft__query_end(&query, err);
}

static haft_status read_identity(haft__link *link, identity *ret_identity, haft_error *err)
{
    *ret_identity = (identity){0};
    haft_status status = read_number(link, HAFT__SQL_APPLICATION, &ret_identity->application, err);
    if (status == HAFT_OK) {
        status = read_number(link, HAFT__SQL_VERSION, &ret_identity->version, err);
    }
    if (status == HAFT_OK) {
        status = read_encoding(link, &ret_identity->utf8, err);
    }
    return status == HAFT_OK ? read_schema(link, ret_identity, err) : status;
}

static bool is_empty(const identity *found)
{
    return found->application == 0 && found->version == 0 && found->known + found->others == 0;
}

static haft_status fail_version(const haft__link *link, uint64_t version, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_UNSUPPORTED, link->path,
                                    "the database is of version %llu, this haft knows up to %d",
                                    (unsigned long long)version, HAFT__SQLITE_VERSION);
    return haft__hint(err, status, "use the newer haft that made it, or another --store");
}

static haft_status check_identity(const haft__link *link, const identity *found, haft_error *err)
{
    if (found->application != HAFT__SQLITE_APPLICATION) {
        return haft__fail(err, HAFT_BAD_INPUT, link->path,
                          "this is no haft database, but one of another program");
    }
    if (found->version > HAFT__SQLITE_VERSION) {
        return fail_version(link, found->version, err);
    }
    if (found->version == 0 || found->known != COUNT(schema) || found->others > 0 || !found->utf8) {
        return haft__link_fail_damaged(link, err, "its tables are not those of version %llu",
                                       (unsigned long long)found->version);
    }
    return HAFT_OK;
}

/* ---- making it ---- */

static haft_status make_tables(haft__link *link, haft_error *err)
{
    char names[96];
    (void)snprintf(names, sizeof(names), "PRAGMA application_id = %d; PRAGMA user_version = %d",
                   HAFT__SQLITE_APPLICATION, HAFT__SQLITE_VERSION);
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < COUNT(schema); i++) {
        code = sqlite3_exec(link->db, schema[i].sql, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(link->db, names, NULL, NULL, NULL);
    }
    return code == SQLITE_OK ? HAFT_OK : haft__link_fail(link, code, err);
}

void haft__link_roll_back(haft__link *link)
{
    if (sqlite3_get_autocommit(link->db) == 0) {
        haft_status status = haft__query_plain(link, HAFT__SQL_ROLLBACK, NULL);
        (void)status; /* a transaction that cannot be rolled back is gone already */
    }
}

/* Looks, in one transaction; makes the tables when there are none. */
static haft_status identify(haft__link *link, bool writing, identity *ret_found, haft_error *err)
{
    haft_status status =
        haft__query_plain(link, writing ? HAFT__SQL_BEGIN_WRITE : HAFT__SQL_BEGIN_READ, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = read_identity(link, ret_found, err);
    if (status == HAFT_OK && writing && is_empty(ret_found)) {
        status = make_tables(link, err);
    }
    if (status == HAFT_OK && writing) {
        status = read_identity(link, ret_found, err);
    }
    if (status == HAFT_OK) {
        status = haft__query_plain(link, HAFT__SQL_COMMIT, err);
    }
    haft__link_roll_back(link);
    return status;
}

static haft_status switch_to_log(haft__link *link, haft_error *err)
{
    haft__query query = haft__query_begin(link, HAFT__SQL_JOURNAL);
    bool on = haft__query_row(&query)
              && haft__str_equal(haft__query_text(&query, HAFT__LIMIT_STORE_NAME_BYTES),
                                 HAFT__LIT("wal"));
    haft_status status = haft__query_end(&query, err);
    if (status == HAFT_OK && !on) {
        status = haft__fail(err, HAFT_IO, link->path, "the disk cannot hold a write-ahead log");
        return haft__hint(err, status, "put the database on a disk of this machine");
    }
    return status;
}

static haft_status prepare_database(haft__link *link, haft_error *err)
{
    identity found;
    haft_status status = identify(link, false, &found, err);
    if (status == HAFT_OK && is_empty(&found)) {
        status = identify(link, true, &found, err);
    }
    if (status == HAFT_OK) {
        status = check_identity(link, &found, err);
    }
    if (status == HAFT_OK && sqlite3_db_readonly(link->db, "main") != 0) {
        status = haft__link_fail(link, SQLITE_READONLY, err);
    }
    return status == HAFT_OK ? switch_to_log(link, err) : status;
}

/* ---- the connection ---- */

/* Asks again soon, and not always at the same pace: SQLite's own way of waiting longer and longer
 * starves beside a process that writes all the time. Not 0: ask again. */
static int wait_for_lock(void *context, int tries)
{
    haft__link *link = context;
    uint64_t now = haft__clock_now();
    if (tries == 0) {
        link->wait_until_ms = now + link->busy_ms;
        link->random ^= now ^ (uint64_t)getpid() << 32;
    }
    if (now >= link->wait_until_ms) {
        return 0;
    }
    link->random = link->random * 6364136223846793005U + 1442695040888963407U;
    (void)usleep((useconds_t)(LOCK_US / 4 + (link->random >> 33) % LOCK_US));
    return 1;
}

/* What needs no look into the file. */
static int set_safety(haft__link *link)
{
    sqlite3 *db = link->db;
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
    return code == SQLITE_OK ? sqlite3_busy_handler(db, wait_for_lock, link) : code;
}

/* Every commit is synced, and a page that cannot be is refused. */
static int set_pragmas(sqlite3 *db)
{
    char text[160];
    (void)snprintf(text, sizeof(text),
                   "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; "
                   "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -%d",
                   HAFT__LIMIT_STORE_CACHE_KIB);
    return sqlite3_exec(db, text, NULL, NULL, NULL);
}

static int note_pages(void *context, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((haft__link *)context)->wal_pages = pages;
    return SQLITE_OK;
}

static haft_status set_up(haft__link *link, bool writer, haft_error *err)
{
    int code = set_safety(link);
    if (code != SQLITE_OK) {
        return haft__link_fail(link, code, err);
    }
    haft_status status = writer ? prepare_database(link, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    code = set_pragmas(link->db);
    if (code == SQLITE_OK && writer) {
        code = sqlite3_db_config(link->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
        (void)sqlite3_wal_hook(link->db, note_pages, link); /* in place of SQLite's own */
    }
    return code == SQLITE_OK ? HAFT_OK : haft__link_fail(link, code, err);
}

static haft_status try_to_open(haft__link *link, const char *path, bool writer, haft_error *err)
{
    *link = (haft__link){.path = path, .busy_ms = HAFT__LIMIT_STORE_BUSY_MS};
    int flags = writer ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int code =
        sqlite3_open_v2(path, &link->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    return code == SQLITE_OK ? set_up(link, writer, err) : haft__link_fail(link, code, err);
}

haft_status haft__link_open(haft__link *link, const char *path, bool writer, haft_error *err)
{
    uint64_t deadline = haft__clock_now() + HAFT__LIMIT_STORE_BUSY_MS;
    haft_status status;
    while ((status = try_to_open(link, path, writer, err)) != HAFT_OK) {
        bool again = link->busy && haft__clock_now() < deadline;
        haft__link_close(link);
        if (!again) {
            break;
        }
        haft__clock_sleep(RETRY_MS);
    }
    return status;
}

void haft__link_close(haft__link *link)
{
    for (size_t i = 0; i < COUNT(link->statements); i++) {
        (void)sqlite3_finalize(link->statements[i]);
        link->statements[i] = NULL;
    }
    (void)sqlite3_close(link->db);
    link->db = NULL;
}

haft_status haft__link_check(haft__link *link, haft_error *err)
{
    int moved = 0;
    (void)sqlite3_file_control(link->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved != 0) {
        haft_status status = haft__fail(err, HAFT_IO, link->path,
                                        "the database was moved or removed while it was in use");
        return haft__hint(err, status, "put it back and start again");
    }
    uint64_t version = 0;
    haft_status status = read_number(link, HAFT__SQL_VERSION, &version, err);
    return status == HAFT_OK && version != HAFT__SQLITE_VERSION ? fail_version(link, version, err)
                                                                : status;
}
