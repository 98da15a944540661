/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - reads and writes whole files. Tests: tests/io/file_test.c. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"

#define PIECE         ((size_t)64 << 10)
#define LOCK_PAUSE_MS 10

/* Reads until the end of the file. If the buffer is full exactly at its maximum, checks for the end
 * of the file before it reports TOO_BIG. */
static haft_status read_all(FILE *file, haft__buf *text, haft_error *err)
{
    for (;;) {
        size_t left = text->max - text->len;
        char spare;
        size_t want = left > PIECE ? PIECE : left;
        char *to = want > 0 ? haft__buf_reserve(text, want) : &spare;
        if (to == NULL) {
            return haft__buf_check(text, err);
        }
        size_t got = fread(to, 1, want > 0 ? want : 1, file);
        if (got > 0 && want == 0) {
            return haft__fail(err, HAFT_TOO_BIG, "", "is longer than the %zu bytes allowed",
                              text->max);
        }
        haft__buf_advance(text, got);
        if (ferror(file)) {
            return haft__fail(err, HAFT_IO, "", "cannot be read: %s", strerror(errno));
        }
        if (feof(file)) {
            return HAFT_OK;
        }
    }
}

haft_status haft__file_read(const char *path, haft__buf *text, haft_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rbe");
    haft_status status;
    if (file == NULL) {
        return haft__fail(err, HAFT_IO, path, "cannot be opened: %s", strerror(errno));
    }
    status = read_all(file, text, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, is_stdin ? "standard input" : path);
    }
    if (!is_stdin) {
        (void)fclose(file);
    }
    return status;
}

haft_status haft__file_read_arena(haft__arena *arena, const char *path, size_t max,
                                  haft_str *ret_text, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, max);
    haft_status status = haft__file_read(path, &text, err);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(arena, haft__buf_str(&text));
        status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
        *ret_text = status == HAFT_OK ? copy : *ret_text;
    }
    haft__buf_finish(&text);
    return status;
}

haft_str haft__file_absolute(haft__arena *arena, const char *path)
{
    char directory[PATH_MAX];
    if (path[0] == '/' || getcwd(directory, sizeof(directory)) == NULL) {
        return haft__arena_format(arena, "%s", path);
    }
    return haft__arena_format(arena, "%s/%s", directory, path);
}

bool haft__file_write_all(int fd, haft_str text)
{
    while (text.len > 0) {
        ssize_t written = write(fd, text.ptr, text.len);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text = haft__str_skip(text, written > 0 ? (size_t)written : 0);
    }
    return true;
}

/* Writes a temporary file in the same directory, then renames it. Its name contains the process id,
 * so that two processes use different files. */
haft_status haft__file_replace(const char *path, haft_str text, haft_error *err)
{
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof(temporary), "%s.%ld.new", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof(temporary)) {
        return haft__fail(err, HAFT_IO, path, "the path is too long");
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0 && haft__file_write_all(fd, text) && fsync(fd) == 0;
    int code = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (good && rename(temporary, path) == 0) {
        return HAFT_OK;
    }
    code = good ? errno : code;
    (void)unlink(temporary);
    return haft__fail(err, HAFT_IO, path, "cannot be written: %s", strerror(code));
}

static bool lock_file(int fd)
{
    int tries = 1;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) {
            continue;
        }
        if (errno != EWOULDBLOCK || tries++ == HAFT__LIMIT_IO_LOCK_TRIES) {
            return false;
        }
        haft__clock_sleep(LOCK_PAUSE_MS);
    }
    return true;
}

haft_status haft__file_lock(const char *path, int *ret_lock, haft_error *err)
{
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof(temporary), "%s.lock", path);
    if (length < 0 || (size_t)length >= sizeof(temporary)) {
        return haft__fail(err, HAFT_IO, path, "the path is too long");
    }
    int fd = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || !lock_file(fd)) {
        int code = errno;
        haft__file_unlock(fd);
        return haft__fail(err, HAFT_IO, path, "cannot be locked: %s",
                          code == EWOULDBLOCK ? "another process has locked it" : strerror(code));
    }
    *ret_lock = fd;
    return HAFT_OK;
}

void haft__file_unlock(int lock)
{
    if (lock >= 0) {
        (void)close(lock);
    }
}
