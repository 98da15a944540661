/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim.c - a library that is loaded with LD_PRELOAD. It kills the process, fails a write or moves
 * the clock at a moment that the environment names:
 *
 *     SHIM_STORE=PATH    the file of the store; without it, the store is a PostgreSQL on a socket
 *     SHIM_KILL=MODE:N   SIGKILL at the N-th transaction: `begin` before its first byte, `torn` in
 *                        the middle of one, `sync` when all is written, `synced` when it is durable
 *                        and not reported. With PostgreSQL each message counts
 *     SHIM_COUNT=FILE    how many transactions there were
 *     SHIM_FAIL=FILE     while the file exists, writes of the store fail with the errno in it
 *     SHIM_UNDO=FILE     records the bytes that each write of the store replaced, and each sync:
 *                        the writes that a power loss may undo
 *     SHIM_CLOCK=FILE    seconds to add to the wall clock
 *     SHIM_CLOCK_READS=FILE  gets those seconds when the process reads the clock and they changed
 *
 * crash_help.py builds it; haft itself does not use it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HALF(n) ((n) / 2)

static unsigned long seen;
static bool dirty;

/* The next function of that name, as a pointer of any type. */
#define REAL(type, name) ((type)(void *)dlsym(RTLD_NEXT, name))

typedef ssize_t pwrite_fn(int, const void *, size_t, off_t);
typedef int sync_fn(int);
typedef ssize_t send_fn(int, const void *, size_t, int);
typedef ssize_t recv_fn(int, void *, size_t, int);
typedef int clock_fn(clockid_t, struct timespec *);

/* ---- settings ---- */

static long number_in(const char *path)
{
    char text[32];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[got > 0 ? got : 0] = '\0';
    return strtol(text, NULL, 10);
}

static void kill_at(const char *mode)
{
    const char *setting = getenv("SHIM_KILL");
    size_t len = strlen(mode);
    if (setting != NULL && strncmp(setting, mode, len) == 0 && setting[len] == ':'
        && strtoul(setting + len + 1, NULL, 10) == seen) {
        (void)kill(getpid(), SIGKILL);
    }
}

static bool is_torn(void)
{
    const char *setting = getenv("SHIM_KILL");
    return setting != NULL && strncmp(setting, "torn:", 5) == 0
           && strtoul(setting + 5, NULL, 10) == seen;
}

static void count(void)
{
    const char *path = getenv("SHIM_COUNT");
    char text[32];
    seen++;
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        int len = snprintf(text, sizeof(text), "%lu", seen);
        ssize_t done = write(fd, text, (size_t)len);
        (void)done;
        (void)close(fd);
    }
}

static int failure(void)
{
    const char *path = getenv("SHIM_FAIL");
    return path != NULL ? (int)number_in(path) : 0;
}

/* ---- a file ---- */

static void path_of(int fd, char path[4096])
{
    char link[64];
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, 4095);
    path[len > 0 ? len : 0] = '\0';
}

static bool is_store(int fd)
{
    const char *wanted = getenv("SHIM_STORE");
    char path[4096];
    if (wanted == NULL) {
        return false;
    }
    path_of(fd, path);
    size_t prefix = strlen(wanted);
    return strncmp(path, wanted, prefix) == 0 && strcmp(path + prefix, "-shm") != 0;
}

/* A line, `write OFFSET SIZE OLD PATH` or `sync 0 0 0 PATH`, and the OLD replaced bytes. */
static void note(const char *what, int fd, size_t size, off_t at)
{
    const char *to = getenv("SHIM_UNDO");
    static char old[1 << 20];
    char path[4096], line[4200];
    int file = to != NULL ? open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) {
        return;
    }
    ssize_t had = size > 0 ? pread(fd, old, size, at) : 0;
    had = had > 0 ? had : 0;
    path_of(fd, path);
    int len =
        snprintf(line, sizeof(line), "%s %lld %zu %zd %s\n", what, (long long)at, size, had, path);
    ssize_t done = write(file, line, (size_t)len) + write(file, old, (size_t)had);
    (void)done;
    (void)close(file);
}

static ssize_t store_write(pwrite_fn *real, int fd, const void *from, size_t size, off_t at)
{
    int failed = failure();
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    if (!dirty) {
        dirty = true;
        count();
        kill_at("begin");
    }
    note("write", fd, size, at);
    if (is_torn() && (size > 1024 || at == 0)) { /* a page, or the header of a log */
        ssize_t done = real(fd, from, HALF(size), at);
        (void)done;
        (void)kill(getpid(), SIGKILL);
    }
    return real(fd, from, size, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off_t offset)
{
    pwrite_fn *real = REAL(pwrite_fn *, "pwrite64");
    return is_store(fd) ? store_write(real, fd, buf, n, offset) : real(fd, buf, n, offset);
}

ssize_t pwrite(int fd, const void *buf, size_t nbytes, off_t offset)
{
    return pwrite64(fd, buf, nbytes, offset);
}

static int store_sync(sync_fn *real, int fd)
{
    if (!is_store(fd)) {
        return real(fd);
    }
    int failed = failure();
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    kill_at("sync");
    int result = real(fd);
    note("sync", fd, 0, 0);
    kill_at("synced");
    dirty = false;
    return result;
}

int fdatasync(int fildes)
{
    return store_sync(REAL(sync_fn *, "fdatasync"), fildes);
}

int fsync(int fd)
{
    return store_sync(REAL(sync_fn *, "fsync"), fd);
}

/* ---- a server ---- */

static bool is_server(int fd)
{
    struct sockaddr_un peer = {.sun_family = AF_UNSPEC};
    socklen_t size = sizeof(peer);
    return getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && peer.sun_family == AF_UNIX
           && strstr(peer.sun_path, ".s.PGSQL.") != NULL;
}

ssize_t send(int fd, const void *buf, size_t n, int flags)
{
    send_fn *real = REAL(send_fn *, "send");
    if (!is_server(fd)) {
        return real(fd, buf, n, flags);
    }
    count();
    kill_at("begin");
    ssize_t done = real(fd, buf, is_torn() ? HALF(n) : n, flags);
    if (is_torn()) {
        (void)kill(getpid(), SIGKILL);
    }
    kill_at("sync");
    dirty = true;
    return done;
}

ssize_t recv(int fd, void *buf, size_t n, int flags)
{
    recv_fn *real = REAL(recv_fn *, "recv");
    ssize_t got = real(fd, buf, n, flags);
    if (got > 0 && dirty && is_server(fd)) {
        dirty = false;
        kill_at("synced");
    }
    return got;
}

/* ---- the clock ---- */

/* Threads may read at once: a superfluous line does no harm. */
static void record_clock_read(long off)
{
    static long last;
    const char *path = getenv("SHIM_CLOCK_READS");
    int fd = path != NULL && off != last
                 ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                 : -1;
    if (fd >= 0) {
        last = off;
        (void)dprintf(fd, "%ld\n", off);
        (void)close(fd);
    }
}

int clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    int result = REAL(clock_fn *, "clock_gettime")(clock_id, tp);
    const char *path = getenv("SHIM_CLOCK");
    if (result == 0 && clock_id == CLOCK_REALTIME && path != NULL) {
        long off = number_in(path);
        tp->tv_sec += off;
        record_clock_read(off);
    }
    return result;
}
