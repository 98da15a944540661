/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reserve.c - reserved disk space for data that must be written when the disk is full.
 *
 * The reserve is an unnamed file in the directory of the database. The space is free as soon as the
 * file is closed, also when the process is killed. The freed space is enough to store the work in
 * progress. New work is rejected until a new reserve can be allocated. Tests:
 * tests/store/sqlite/reserve_test.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "store/sqlite/sqlite_int.h"

/* Creates an unnamed file in the directory of `path`; -1 on failure. */
static int make_nameless(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder) - sizeof("/haft-XXXXXX"), "%s", path);
    char *slash = strrchr(folder, '/'); /* always found: the path begins with '/' or './' */
    *slash = '\0';
    int file =
        open(folder[0] != '\0' ? folder : "/", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    /* Not every file system supports O_TMPFILE. */
    if (file < 0 && errno != ENOSPC && errno != EROFS) {
        memcpy(slash, "/haft-XXXXXX", sizeof("/haft-XXXXXX"));
        file = mkostemp(folder, O_CLOEXEC);
        if (file >= 0) {
            (void)unlink(folder);
        }
    }
    return file;
}

void haft__sqlite_reserve_allocate(haft__sqlite_worker *worker)
{
    if (worker->reserve != 0 || (worker->reserve_tried && !worker->low)) {
        return;
    }
    worker->reserve_tried = true;
    int file = make_nameless(worker->connection.path);
    int code = file >= 0 ? posix_fallocate(file, 0, HAFT__LIMIT_STORE_RESERVE_BYTES) : errno;
    if (file >= 0 && code == 0) {
        worker->reserve = file;
        worker->low = false;
        return;
    }
    if (file >= 0) {
        (void)close(file);
    }
    /* On other errors the store works without a reserve. */
    worker->low = code == ENOSPC || code == EDQUOT || code == EFBIG;
}

bool haft__sqlite_reserve_release(haft__sqlite_worker *worker)
{
    bool had = worker->reserve != 0;
    if (had) {
        (void)close(worker->reserve);
        worker->reserve = 0;
    }
    worker->low = true;
    return had;
}

bool haft__sqlite_reserve_rejects(const haft__sqlite_worker *worker, haft__store_verb verb)
{
    return worker->low && (verb == HAFT__STORE_CREATE || verb == HAFT__STORE_CACHE_PUT);
}
