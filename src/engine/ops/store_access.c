/* SPDX-License-Identifier: Apache-2.0 */
/* store_access.c - see store_access.h. Tests: tests/cli/store_test.py. */
#include "engine/ops/store_access.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

haft_status haft__store_access_as_io_error(haft_status status, haft_error *err)
{
    if ((status == HAFT_BAD_INPUT || status == HAFT_UNSUPPORTED) && err->where[0] != '\0') {
        err->status = status = HAFT_IO;
    }
    return status;
}

haft_status haft__store_access_execute(haft_runtime *runtime, haft__arena *arena,
                                       haft__store_request *request, haft_error *err)
{
    haft_error ignored = {0};
    haft_error *found = err != NULL ? err : &ignored;
    request->arena = arena;
    request->now_ms = haft__runtime_now(runtime);
    haft_status status = haft__store_submit_and_wait(runtime->store, request, found);
    return haft__store_access_as_io_error(status, found);
}

const char *haft__store_access_missing_file(const char *url)
{
    struct stat info;
    const char *path = haft__store_url_path(url);
    bool missing = path != NULL && path[0] != '\0' && stat(path, &info) != 0
                   && (errno == ENOENT || errno == ENOTDIR);
    return missing ? path : NULL;
}

bool haft__store_access_can_create(const char *path)
{
    char folder[PATH_MAX + 2];
    struct stat info;
    if (snprintf(folder, sizeof(folder), "%s%s", path[0] == '/' ? "" : "./", path) > PATH_MAX) {
        return false;
    }
    for (char *slash; (slash = strrchr(folder, '/')) != NULL;) {
        slash[slash == folder ? 1 : 0] = '\0';
        if (slash == folder || stat(folder, &info) == 0 || errno != ENOENT) {
            break; /* the nearest existing directory */
        }
    }
    return stat(folder, &info) == 0 && S_ISDIR(info.st_mode)
           && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}
