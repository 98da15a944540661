/* SPDX-License-Identifier: Apache-2.0 */
/* root.c - opens files below a root directory with openat2, and parses their paths.
 * Tests: tests/exec/files/root_test.c. */
#include "exec/files/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

/* Calls openat2 directly, because glibc has no wrapper for it. */
static int open_beneath(int root, const char *path, int flags)
{
    struct open_how how = {
        .flags = (unsigned)flags | O_CLOEXEC | O_NOFOLLOW,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* Closes the file, sets errno and returns -1. */
static int close_with_error(int fd, int error)
{
    (void)close(fd);
    errno = error;
    return -1;
}

int haft__files_root_open_file(int root, const char *path, struct stat *ret_info)
{
    /* Without O_NONBLOCK, opening a FIFO would block until somebody writes to it. */
    int fd = open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return -1;
    }
    if (fstat(fd, ret_info) != 0) {
        return close_with_error(fd, errno);
    }
    return S_ISREG(ret_info->st_mode) ? fd : close_with_error(fd, ENODEV);
}

ssize_t haft__files_read_full(int fd, char *to, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t more = read(fd, to + got, size - got);
        if (more == 0) {
            break;
        }
        if (more < 0 && errno != EINTR) {
            return -1;
        }
        got += more > 0 ? (size_t)more : 0;
    }
    return (ssize_t)got;
}

int haft__files_root_open_directory(int root, const char *path)
{
    return open_beneath(root, path, O_RDONLY | O_DIRECTORY);
}

int haft__files_root_stat(int root, const char *path, struct stat *ret_info)
{
    int fd = open_beneath(root, path, O_PATH);
    if (fd < 0) {
        return -1;
    }
    return fstat(fd, ret_info) == 0 ? fd : close_with_error(fd, errno);
}

/* ---- the root ---- */

static haft_status fail_root(haft_str root, int error, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_IO, "", "the root '%.*s' cannot be opened: %s",
                                    HAFT__ARG(root), strerror(error));
    return haft__hint(err, status,
                      "`root` in the spec names the directory that glob, grep and read may see");
}

/* The kernel is too old, or a sandbox blocks the call. */
static haft_status fail_openat2(int error, haft_error *err)
{
    haft_status status = haft__fail(
        err, HAFT_UNSUPPORTED, "",
        "openat2 is not available (%s), and haft opens files only with it", strerror(error));
    return haft__hint(err, status, "it needs Linux 5.6 and a sandbox that allows it");
}

haft_status haft__files_root_open(haft_str spec_path, haft_str root, int *ret_root, haft_error *err)
{
    char path[PATH_MAX];
    size_t directory = spec_path.len;
    while (directory > 0 && spec_path.ptr[directory - 1] != '/') {
        directory--;
    }
    if (haft__str_starts_with(root, HAFT__LIT("/"))) {
        directory = 0;
    }
    if (directory + root.len >= sizeof(path)) {
        return fail_root(root, ENAMETOOLONG, err);
    }
    (void)snprintf(path, sizeof(path), "%.*s%.*s", (int)directory,
                   directory > 0 ? spec_path.ptr : "", HAFT__ARG(root));
    int fd = open(path[0] != '\0' ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return fail_root(root, errno, err);
    }
    int probe = open_beneath(fd, ".", O_PATH);
    if (probe < 0) {
        haft_status status = fail_openat2(errno, err);
        (void)close(fd);
        return status;
    }
    (void)close(probe);
    *ret_root = fd;
    return HAFT_OK;
}

/* ---- paths ---- */

static haft_status fail_outside(const char *why, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/path", "the path is outside the root: %s", why);
    return haft__hint(err, status, "paths are relative to the root, such as 'docs/a.md'");
}

static bool add_name(haft__files_path *path, haft_str name)
{
    size_t slash = path->length > 0;
    if (path->length + slash + name.len > HAFT__LIMIT_FILES_PATH_BYTES) {
        return false;
    }
    if (slash > 0) {
        path->text[path->length++] = '/';
    }
    memcpy(path->text + path->length, name.ptr, name.len);
    path->length += name.len;
    return true;
}

static haft_status read_names(haft_str rest, haft__files_path *path, haft_error *err)
{
    while (rest.len > 0) {
        haft_str name = haft__str_split(&rest, '/');
        if (name.len == 0) {
            return haft__fail(err, HAFT_BAD_INPUT, "/path", "the path has an empty name: '//'");
        }
        if (haft__str_equal(name, HAFT__LIT(".."))) {
            return fail_outside("it has '..'", err);
        }
        if (!haft__str_equal(name, HAFT__LIT(".")) && !add_name(path, name)) {
            return haft__fail(err, HAFT_TOO_BIG, "/path",
                              "the path is longer than the limit of %d bytes",
                              HAFT__LIMIT_FILES_PATH_BYTES);
        }
    }
    return HAFT_OK;
}

haft_status haft__files_path_parse(haft_str given, haft__files_path *ret_path, haft_error *err)
{
    haft__files_path path = {.length = 0};
    if (given.len > 0 && memchr(given.ptr, '\0', given.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/path", "the path has a NUL character");
    }
    if (haft__str_starts_with(given, HAFT__LIT("/"))) {
        return fail_outside("it starts with '/'", err);
    }
    haft_status status = read_names(given, &path, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (path.length == 0) {
        path.text[path.length++] = '.';
    }
    path.text[path.length] = '\0';
    *ret_path = path;
    return HAFT_OK;
}
