/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trusted_file.c - opens the file first and then checks the descriptor: another file could get the
 * name between a check and the opening. Tests: tests/cli/config/trusted_file_test.c.
 */
#include "cli/config/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

/* Returns the reason to refuse the file, or NULL. */
static const char *check_permissions(const struct stat *found, size_t max)
{
    if (!S_ISREG(found->st_mode)) {
        return "it is not a regular file";
    }
    if (found->st_uid != geteuid() && found->st_uid != 0) {
        return "it belongs to another user";
    }
    if ((found->st_mode & S_IWOTH) != 0
        || ((found->st_mode & S_IWGRP) != 0 && found->st_gid != getegid())) {
        return "other users may write it";
    }
    return found->st_size < 0 || (size_t)found->st_size > max ? "it is too long" : NULL;
}

/* Reads at most `size` bytes, the size that was checked, even if the file has grown since. */
static bool read_all(int fd, char *room, size_t size, size_t *ret_length)
{
    size_t length = 0;
    while (length < size) {
        ssize_t got = read(fd, room + length, size - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return false;
        }
        if (got == 0) {
            break;
        }
        length += (size_t)got;
    }
    *ret_length = length;
    return true;
}

static const char *open_error_text(int number)
{
    return number == ELOOP ? "it is a symbolic link" : strerror(number);
}

haft_status haft__trusted_file_read(haft__arena *arena, const char *path, size_t max, bool follow,
                                    haft__trust *ret_trust, haft_str *ret_text,
                                    const char **ret_why, haft_error *err)
{
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
    if (fd < 0) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        *ret_trust = absent ? HAFT__TRUST_ABSENT : HAFT__TRUST_REFUSED;
        *ret_why = absent ? "" : open_error_text(errno);
        return HAFT_OK;
    }
    haft_status status = HAFT_OK;
    const char *why = fstat(fd, &found) != 0 ? strerror(errno) : check_permissions(&found, max);
    if (why == NULL) {
        size_t size = (size_t)found.st_size, length = 0;
        char *room = haft__arena_alloc(arena, size + 1);
        if (room == NULL) {
            status = haft__arena_fail(arena, err);
        } else if (read_all(fd, room, size, &length)) {
            room[length] = '\0';
            *ret_text = (haft_str){room, length};
        } else {
            why = strerror(errno);
        }
    }
    (void)close(fd);
    *ret_trust = why == NULL ? HAFT__TRUST_FOUND : HAFT__TRUST_REFUSED;
    *ret_why = why != NULL ? why : "";
    return status;
}
