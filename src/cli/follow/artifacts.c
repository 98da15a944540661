/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.c - writes artifacts into a directory. Tests: tests/cli/store_test.py. */
#include "cli/follow/artifacts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "engine/run.h"
#include "io/file.h"
#include "json/object.h"

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

/* ---- names that are kept apart ---- */

#define MOST_TRIES 10000

/* The artifacts of a run and the files that they get. */
typedef struct exported {
    const haft__run *run;
    haft__arena arena;
    haft__map taken; /* file name in lower case -> the artifact's name, a haft_str */
    int directory;
} exported;

/* Inserts a number before the extension: report-2.md. `file` has room for it. */
static haft_str number_name(haft__arena *arena, const char *file, unsigned number)
{
    const char *dot = strrchr(file, '.');
    size_t stem = dot != NULL && dot != file ? (size_t)(dot - file) : strlen(file);
    return number == 1
               ? haft__arena_format(arena, "%s", file)
               : haft__arena_format(arena, "%.*s-%u%s", (int)stem, file, number, file + stem);
}

/* Reserves a file for the artifact: file systems may ignore case, and two names may be the same
 * after cleaning. An artifact with the same name was replaced and keeps the file. */
static haft_status reserve(exported *e, haft_str name, haft_str *ret_file, haft_error *err)
{
    char file[NAME_BYTES + 1];
    make_file_name(name, file);
    for (unsigned number = 1; number <= MOST_TRIES; number++) {
        haft_str found = number_name(&e->arena, file, number);
        char *key = found.ptr != NULL ? haft__arena_alloc(&e->arena, found.len + 1) : NULL;
        if (key == NULL) {
            return haft__arena_fail(&e->arena, err);
        }
        for (size_t i = 0; i < found.len; i++) {
            key[i] = haft__ascii_lower(found.ptr[i]);
        }
        const haft_str *owner = haft__map_get(&e->taken, (haft_str){key, found.len});
        if (owner == NULL || haft__str_equal(*owner, name)) {
            haft_str *kept = haft__arena_alloc(&e->arena, sizeof(*kept));
            if (kept == NULL) {
                return haft__arena_fail(&e->arena, err);
            }
            *kept = name;
            *ret_file = found;
            return haft__map_put(&e->taken, (haft_str){key, found.len}, kept, err);
        }
    }
    return haft__fail(err, HAFT_TOO_BIG, file, "too many artifacts have this name");
}

static haft_status write_file(int directory, const char *file, haft_str content, haft_error *err)
{
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

static bool is_clean(haft_str name)
{
    char file[NAME_BYTES + 1];
    make_file_name(name, file);
    return haft__str_equal(haft__str(file), name);
}

/* Writes the artifacts whose names are file names, or the others: a file name is kept if it can
 * be. */
static haft_status export_some(exported *e, bool clean, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < e->run->artifact_count && status == HAFT_OK; i++) {
        const haft__artifact *artifact = e->run->artifacts[i];
        const haft__run_call *call = haft__run_find_call(e->run, artifact->call);
        haft_str file = {"", 0};
        if (is_clean(artifact->name) != clean) {
            continue;
        }
        status = reserve(e, artifact->name, &file, err);
        if (status == HAFT_OK) {
            haft_str content =
                call != NULL ? haft__object_text(call->arguments, "content") : HAFT__LIT("");
            status = write_file(e->directory, file.ptr, content, err);
        }
    }
    return status;
}

haft_status haft__artifacts_check(const char *path, haft_error *err)
{
    struct stat about;
    if (path == NULL) {
        return HAFT_OK;
    }
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    if (made && stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) {
        return haft__fail(err, HAFT_BAD_INPUT, path, "is not a directory for artifacts");
    }
    return made && access(path, W_OK | X_OK) == 0
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, path, "cannot %s the directory for artifacts: %s",
                            made ? "write to" : "create", strerror(errno));
}

haft_status haft__artifacts_export(const char *path, const haft_run *run, haft_error *err)
{
    exported e = {.run = &run->state};
    if (path == NULL || e.run->artifact_count == 0) {
        return HAFT_OK;
    }
    (void)mkdir(path, 0777); /* if it fails, opening a file reports it */
    e.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (e.directory < 0) {
        return haft__fail(err, HAFT_IO, path, "cannot open this directory: %s", strerror(errno));
    }
    haft__arena_init(&e.arena, 0);
    haft__map_init(&e.taken, &e.arena, e.run->hash_key);
    haft_status status = export_some(&e, true, err);
    status = status == HAFT_OK ? export_some(&e, false, err) : status;
    haft__arena_finish(&e.arena);
    (void)close(e.directory);
    return status;
}
