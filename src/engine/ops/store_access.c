/* SPDX-License-Identifier: Apache-2.0 */
/* store_access.c - see store_access.h. Tests: tests/cli/store_test.py. */
#include "engine/ops/store_access.h"

#include <errno.h>
#include <sys/stat.h>

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
