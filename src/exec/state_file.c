/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_file.c - the location of haft's state files, and the check that only the user can write
 * them. Tests: tests/exec/state_file_test.c.
 */
#include "exec/state_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/environment.h"
#include "io/file.h"
#include "json/read.h"

haft_str haft__state_file_directory(haft__arena *arena)
{
    const char *why = NULL;
    return haft__environment_state_path(arena, "mcp", &why);
}

void haft__state_file_create_directory(const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    for (size_t i = 1; i < length && i < sizeof(part); i++) {
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            (void)mkdir(part, 0700);
        }
    }
}

haft_status haft__state_file_check_directory(haft__arena *arena, haft_error *err)
{
    const char *why = NULL;
    haft_str file = haft__environment_state_path(arena, "mcp/.", &why);
    if (file.ptr == NULL && why == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (file.ptr != NULL) {
        haft__state_file_create_directory(file.ptr);
        if (access(file.ptr, W_OK) == 0) {
            return HAFT_OK;
        }
        why = strerror(errno);
    }
    haft_status status = haft__fail(err, HAFT_IO, file.ptr != NULL ? file.ptr : "state directory",
                                    "nothing can be kept there: %s", why);
    return haft__hint(err, status, "set XDG_STATE_HOME to a directory that you can write");
}

static haft_status check_owner(const char *path, haft_error *err)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? haft__fail(err, HAFT_NOT_FOUND, path, "no such file")
                   : haft__fail(err, HAFT_IO, path, "cannot be opened: %s", strerror(errno));
    }
    if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 022) != 0) {
        haft_status status = haft__fail(
            err, HAFT_IO, path, "the file is writable by others or belongs to another user");
        return haft__hint(err, status, "remove it; haft creates it again");
    }
    return HAFT_OK;
}

haft_status haft__state_file_read(haft__arena *arena, const char *path, size_t max,
                                  haft_str *ret_text, haft_error *err)
{
    haft_status status = check_owner(path, err);
    return status == HAFT_OK ? haft__file_read_arena(arena, path, max, ret_text, err) : status;
}

haft_status haft__state_file_parse(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                   haft__json *ret_value, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.reject_duplicates = true;
    options.hash_key = hash_key;
    return haft__json_read(arena, text, &options, ret_value, NULL, err);
}
