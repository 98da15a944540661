/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/sqlite_help.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the file ---- */

sqlite3 *help_raw_open(const char *path)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    CHECK_INT(code, SQLITE_OK, "%s", path);
    (void)sqlite3_busy_timeout(db, 5000);
    return db;
}

void help_raw(const help_store *s, const char *sql)
{
    sqlite3 *db = help_raw_open(help_path(s));
    CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s: %s", sql,
              sqlite3_errmsg(db));
    (void)sqlite3_close(db);
}

int64_t help_raw_number(const help_store *s, const char *sql)
{
    sqlite3 *db = help_raw_open(help_path(s));
    sqlite3_stmt *stmt = NULL;
    CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK, "%s: %s", sql,
              sqlite3_errmsg(db));
    int64_t number = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return number;
}

haft_str help_load(const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return (haft_str){NULL, 0};
    }
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    (void)fseek(file, 0, SEEK_SET);
    char *bytes = test_alloc(size > 0 ? (size_t)size : 1);
    size_t length = size > 0 ? fread(bytes, 1, (size_t)size, file) : 0;
    (void)fclose(file);
    return (haft_str){bytes, length};
}

void help_save(const char *path, haft_str bytes)
{
    FILE *file = fopen(path, "wbe");
    CHECK(file != NULL, "%s", path);
    if (file != NULL) {
        CHECK_INT(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len, "%s", path);
        (void)fclose(file);
    }
}

haft_status help_try_open(const char *url, haft_error *ret_error)
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

size_t help_count_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    size_t count = 0;
    while (dir != NULL && readdir(dir) != NULL) {
        count++;
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return count;
}

/* ---- processes ---- */

pid_t help_fork(int (*run)(void *context), void *context)
{
    (void)fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        int result = run(context);
        (void)fflush(stdout);
        _exit(result);
    }
    CHECK(process > 0, "cannot fork");
    return process;
}

int help_join(pid_t process)
{
    int status = 0;
    CHECK_INT(waitpid(process, &status, 0), process, "no such process");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int help_rounds(int fallback)
{
    const char *text = getenv("HAFT_TEST_ROUNDS");
    uint64_t rounds = 0;
    return text != NULL && haft__str_to_u64(haft__str(text), &rounds) && rounds < INT_MAX
               ? (int)rounds
               : fallback;
}

uint32_t help_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33);
}

/* ---- a file system that fails ---- */

typedef struct faulty {
    sqlite3_file file;
    sqlite3_file *real; /* stored after this struct, in the same allocation */
} faulty;

static struct {
    sqlite3_vfs vfs, *real;
    _Atomic int countdown; /* calls until one fails; negative: none fails */
    _Atomic bool on, hit;
    _Atomic help_fault kind;
    _Atomic int syncs;
} faults;

int help_count_syncs(void)
{
    return faults.syncs;
}

static bool fails(help_fault kind)
{
    if (faults.kind != kind || faults.countdown < 0) {
        return false;
    }
    if (faults.countdown-- > 0) {
        return false;
    }
    faults.hit = true;
    if (faults.on) {
        faults.countdown = 0;
    }
    return true;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((faulty *)file)->real;
}

static int fault_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int fault_read(sqlite3_file *file, void *to, int count, sqlite3_int64 at)
{
    return fails(HELP_FAULT_READ) ? SQLITE_IOERR_READ
                                  : real_of(file)->pMethods->xRead(real_of(file), to, count, at);
}

static int fault_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 at)
{
    sqlite3_file *real = real_of(file);
    if (fails(HELP_FAULT_FULL)) {
        return SQLITE_FULL;
    }
    if (fails(HELP_FAULT_WRITE)) {
        (void)real->pMethods->xWrite(real, from, count / 2, at);
        return SQLITE_IOERR_WRITE;
    }
    return real->pMethods->xWrite(real, from, count, at);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int fault_sync(sqlite3_file *file, int flags)
{
    faults.syncs++;
    return fails(HELP_FAULT_SYNC) ? SQLITE_IOERR_FSYNC
                                  : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int fault_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int fault_lock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xLock(real_of(file), kind);
}

static int fault_unlock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}

static int fault_reserved(sqlite3_file *file, int *ret_reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret_reserved);
}

static int fault_control(sqlite3_file *file, int what, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int fault_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int fault_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int fault_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **to)
{
    if (fails(HELP_FAULT_SHARED)) {
        *to = NULL;
        return SQLITE_FULL;
    }
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, to);
}

static int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void fault_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int fault_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods fault_methods = {
    .iVersion = 2,
    .xClose = fault_close,
    .xRead = fault_read,
    .xWrite = fault_write,
    .xTruncate = fault_truncate,
    .xSync = fault_sync,
    .xFileSize = fault_size,
    .xLock = fault_lock,
    .xUnlock = fault_unlock,
    .xCheckReservedLock = fault_reserved,
    .xFileControl = fault_control,
    .xSectorSize = fault_sector,
    .xDeviceCharacteristics = fault_device,
    .xShmMap = fault_shm_map,
    .xShmLock = fault_shm_lock,
    .xShmBarrier = fault_shm_barrier,
    .xShmUnmap = fault_shm_unmap,
};

static int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                      int *ret_flags)
{
    (void)vfs;
    faulty *f = (faulty *)file;
    f->real = (sqlite3_file *)(f + 1);
    int code = faults.real->xOpen(faults.real, name, f->real, flags, ret_flags);
    f->file.pMethods = f->real->pMethods != NULL ? &fault_methods : NULL;
    return code;
}

void help_faults_start(void)
{
    faults.real = sqlite3_vfs_find(NULL);
    faults.vfs = *faults.real;
    faults.vfs.zName = "faults";
    faults.vfs.szOsFile = (int)sizeof(faulty) + faults.real->szOsFile;
    faults.vfs.xOpen = fault_open;
    faults.countdown = -1;
    CHECK_INT(sqlite3_vfs_register(&faults.vfs, 1), SQLITE_OK, "cannot register the file system");
}

void help_faults_stop(void)
{
    (void)sqlite3_vfs_unregister(&faults.vfs);
    (void)sqlite3_vfs_register(faults.real, 1);
}

void help_fault_at(help_fault kind, int n, bool on)
{
    faults.kind = kind;
    faults.on = on;
    faults.hit = false;
    faults.countdown = n;
}

bool help_fault_clear(void)
{
    faults.countdown = -1;
    return faults.hit;
}
