/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.c - writes artifacts into a directory. Tests: tests/cli/store_test.py. */
#include "cli/follow/artifacts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/run.h"
#include "io/file.h"

#define NAME_BYTES 200

/* A valid file name: no slash, no control character, not hidden, not empty. */
static void make_file_name(haft_str name, char to[NAME_BYTES + 1])
{
    size_t length = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool bad = c < ' ' || c == '/' || c == 0x7f || (i == 0 && (c == '.' || c == '-'));
        to[i] = bad ? '_' : (char)c;
    }
    if (length == 0) {
        to[length++] = '_';
    }
    to[length] = '\0';
}

static haft_status write_file(int directory, haft_str name, haft_str content, haft_error *err)
{
    char file[NAME_BYTES + 1];
    make_file_name(name, file);
    int fd = openat(directory, file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool good = fd >= 0 && haft__file_write_all(fd, content);
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    return good ? HAFT_OK
                : haft__fail(err, HAFT_IO, file, "cannot write the artifact: %s", strerror(reason));
}

haft_status haft__artifacts_export(const char *path, const haft_run *run, haft_error *err)
{
    const haft__run *state = &run->state;
    if (path == NULL || state->artifact_count == 0) {
        return HAFT_OK;
    }
    (void)mkdir(path, 0777); /* if it fails, opening a file reports it */
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        return haft__fail(err, HAFT_IO, path, "cannot open this directory: %s", strerror(errno));
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < state->artifact_count && status == HAFT_OK; i++) {
        const haft__artifact *artifact = state->artifacts[i];
        const haft__run_call *call = haft__run_find_call(state, artifact->call);
        const haft__json *content =
            call != NULL ? haft__json_get(call->arguments, HAFT__LIT("content")) : NULL;
        status = write_file(directory, artifact->name,
                            content != NULL ? haft__json_text(*content) : HAFT__LIT(""), err);
    }
    (void)close(directory);
    return status;
}
