/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - maps SQLite's result codes to messages. Tests: tests/store/sqlite/fault_test.c. */
#include <errno.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/str.h"
#include "store/sqlite/sqlite_int.h"

haft_status haft__sqlite_fail_damaged(const haft__sqlite_connection *connection, haft_error *err,
                                      const char *what, ...)
{
    va_list args;
    va_start(args, what);
    haft_status status = haft__store_fail_damaged(
        connection->path, "restore it from a backup; `sqlite3 FILE .recover` may save some", err,
        what, args);
    va_end(args);
    return status;
}

haft_status haft__sqlite_fail_run(const haft__sqlite_connection *connection, haft_str id,
                                  haft_error *err)
{
    haft_status status = haft__sqlite_fail_damaged(
        connection, err, "the run %.*s has a malformed value", HAFT__ARG(id));
    return haft__hint(err, status, HAFT__STORE_DAMAGED_HINT, HAFT__ARG(id));
}

haft_status haft__sqlite_fail_disk_full(haft__sqlite_connection *connection, haft_error *err)
{
    connection->full = true;
    haft_status status = haft__fail(err, HAFT_IO, connection->path, "the disk is full");
    return haft__hint(err, status, "free some space; nothing that is stored is lost");
}

static haft_status fail_system(haft__sqlite_connection *connection, const char *what,
                               haft_error *err)
{
    char text[96];
    int number =
        connection->system != 0 ? connection->system : sqlite3_system_errno(connection->db);
    if (number == ENOSPC || number == EDQUOT || number == EFBIG) {
        return haft__sqlite_fail_disk_full(connection, err);
    }
    return haft__fail(err, HAFT_IO, connection->path, "%s: %s", what,
                      number != 0 ? strerror_r(number, text, sizeof(text)) : "unknown error");
}

static haft_status fail_io(haft__sqlite_connection *connection, int code, haft_error *err)
{
    switch (code) {
    case SQLITE_IOERR_NOMEM: return haft__fail_no_memory(err);
    case SQLITE_IOERR_CORRUPTFS:
    case SQLITE_IOERR_DATA:
    case SQLITE_IOERR_SHORT_READ:
        return haft__sqlite_fail_damaged(connection, err, "%s", "the file is incomplete");
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC: return fail_system(connection, "cannot sync to the disk", err);
    default: return fail_system(connection, "cannot read or write", err);
    }
}

static haft_status fail_locked(haft__sqlite_connection *connection, haft_error *err)
{
    connection->busy = true;
    haft_status status =
        haft__fail(err, HAFT_IO, connection->path, "the database is locked by another process");
    return haft__hint(err, status,
                      "that process held the lock for more than %d seconds; stop it, or try again",
                      HAFT__LIMIT_STORE_BUSY_MS / 1000);
}

static haft_status fail_foreign(const haft__sqlite_connection *connection, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, connection->path,
                      "this is not a haft database, or its header is damaged");
}

static haft_status fail_read_only(const haft__sqlite_connection *connection, haft_error *err)
{
    static const struct {
        const char *message, *hint;
    } bars[] = {
        [HAFT__SQLITE_BAR_NONE] = {"the database or its directory is read-only",
                                   "the user who runs haft needs write permission for both"},
        [HAFT__SQLITE_BAR_FILE_SYSTEM] = {"the database is on a file system that is read-only",
                                          "mount it for writing, or name another store with "
                                          "--store"},
        [HAFT__SQLITE_BAR_FILE] = {"the database is read-only for this user",
                                   "give the user write permission for the file, or name another "
                                   "store with --store"},
        [HAFT__SQLITE_BAR_DIRECTORY] = {"the directory of the database is read-only for this user",
                                        "SQLite keeps its log next to the database: give the user "
                                        "write permission for the directory, or name another store "
                                        "with --store"},
    };
    haft__sqlite_write_bar bar = haft__sqlite_find_write_bar(connection->path);
    haft_status status = haft__fail(err, HAFT_IO, connection->path, "%s", bars[bar].message);
    return haft__hint(err, status, "%s", bars[bar].hint);
}

haft_status haft__sqlite_fail(haft__sqlite_connection *connection, int code, haft_error *err)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM: return haft__fail_no_memory(err);
    case SQLITE_FULL: return haft__sqlite_fail_disk_full(connection, err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return fail_locked(connection, err);
    case SQLITE_NOTADB: return fail_foreign(connection, err);
    case SQLITE_READONLY: return fail_read_only(connection, err);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH: return fail_system(connection, "cannot open the database", err);
    case SQLITE_IOERR: return fail_io(connection, code, err);
    default: /* all other codes: an intact database never returns them */
        return haft__sqlite_fail_damaged(connection, err, "%s", sqlite3_errstr(code));
    }
}
