/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.c - writes artifacts into a directory. Tests: tests/cli/store_test.py. */
#include "cli/follow/artifacts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "cli/follow/artifact_name.h"
#include "engine/run.h"
#include "io/file.h"
#include "run/artifact.h"

#define MAX_NUMBER 10000

/* The state of writing the artifacts of a run to files. */
typedef struct exported {
    const haft__run *run;
    haft__arena arena;
    haft__map taken; /* key of a file name -> the artifact's name, a haft_str */
    int directory;
    haft_error first_failure; /* the other artifacts are still written */
    haft__buf also_failed;    /* names of further artifacts that were not written */
} exported;

/* Reserves the file for the artifact, unless another artifact has reserved it. A later artifact
 * with the same name replaces the earlier one, in the same file. */
static haft_status reserve_file(exported *e, haft_str name, haft_str file, bool *ret_free,
                                haft_error *err)
{
    haft_str key = haft__artifact_name_key(&e->arena, file);
    haft_str *owner_name = haft__arena_alloc(&e->arena, sizeof(*owner_name));
    if (key.ptr == NULL || owner_name == NULL) {
        return haft__arena_fail(&e->arena, err);
    }
    const haft_str *owner = haft__map_get(&e->taken, key);
    *ret_free = owner == NULL || haft__str_equal(*owner, name);
    *owner_name = name;
    return *ret_free ? haft__map_put(&e->taken, key, owner_name, err) : HAFT_OK;
}

/* Reserves a file, with a number if the name is taken. */
static haft_status reserve(exported *e, haft_str name, haft_str *ret_file, haft_error *err)
{
    char file[HAFT__ARTIFACT_NAME_BYTES + 1];
    haft__artifact_name_clean(name, file);
    for (unsigned number = 1; number <= MAX_NUMBER; number++) {
        bool free = false;
        *ret_file = haft__artifact_name_number(&e->arena, file, number);
        haft_status status = ret_file->ptr != NULL ? reserve_file(e, name, *ret_file, &free, err)
                                                   : haft__arena_fail(&e->arena, err);
        if (status != HAFT_OK || free) {
            return status;
        }
    }
    return haft__fail(err, HAFT_TOO_BIG, file, "too many artifacts have this name");
}

static haft_status write_file(int directory, const char *file, haft_str content, haft_error *err)
{
    /* O_NONBLOCK, because opening a FIFO would wait for a reader. */
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int fd = openat(directory, file, flags, 0666);
    struct stat about;
    if (fd >= 0 && fstat(fd, &about) == 0 && !S_ISREG(about.st_mode)) {
        (void)close(fd);
        return haft__fail(err, HAFT_IO, file, "cannot write the artifact: this is not a file");
    }
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
    char file[HAFT__ARTIFACT_NAME_BYTES + 1];
    haft__artifact_name_clean(name, file);
    return haft__str_equal(haft__str(file), name);
}

/* Reserves the names that are valid file names, before another name can get one of them by a change
 * or a number. */
static haft_status reserve_clean(exported *e, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < e->run->artifact_count && status == HAFT_OK; i++) {
        haft_str name = e->run->artifacts[i]->name;
        bool free;
        status = is_clean(name) ? reserve_file(e, name, name, &free, err) : HAFT_OK;
    }
    return status;
}

static void note_failure(exported *e, haft_str name, const haft_error *err)
{
    if (e->first_failure.status == HAFT_OK) {
        e->first_failure = *err;
    } else {
        haft__buf_add_str(&e->also_failed,
                          e->also_failed.len > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__escape_add(&e->also_failed, name);
    }
}

/* Writes the artifacts whose names are valid file names (`clean`), or the other artifacts. */
static void export_some(exported *e, bool clean)
{
    for (size_t i = 0; i < e->run->artifact_count; i++) {
        const haft__artifact *artifact = e->run->artifacts[i];
        haft_str file = {"", 0};
        haft_error err = {0};
        if (is_clean(artifact->name) != clean) {
            continue;
        }
        haft_status status = reserve(e, artifact->name, &file, &err);
        if (status == HAFT_OK) {
            haft_str content = haft__artifact_content(e->run, artifact);
            status = write_file(e->directory, file.ptr, content, &err);
        }
        if (status != HAFT_OK) {
            note_failure(e, artifact->name, &err);
        }
    }
}

/* Reports all failures as one error. */
static haft_status report_failures(const exported *e, haft_error *err)
{
    const haft_error *first = &e->first_failure;
    if (first->status == HAFT_OK || e->also_failed.len == 0) {
        return first->status == HAFT_OK
                   ? HAFT_OK
                   : haft__fail(err, first->status, first->where, "%s", first->message);
    }
    return haft__fail(err, first->status, first->where, "%s; also not written: %.*s",
                      first->message, HAFT__ARG(haft__buf_str(&e->also_failed)));
}

haft_status haft__artifacts_create_directory(const char *path, haft_error *err)
{
    struct stat about;
    if (path == NULL) {
        return HAFT_OK;
    }
    bool exists = mkdir(path, 0777) == 0 || errno == EEXIST;
    if (exists && stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) {
        return haft__fail(err, HAFT_BAD_INPUT, path, "is not a directory for artifacts");
    }
    return exists && access(path, W_OK | X_OK) == 0
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, path, "cannot %s the directory for artifacts: %s",
                            exists ? "write to" : "create", strerror(errno));
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
    haft__buf_init(&e.also_failed, HAFT__LIMIT_RUN_BYTES);
    haft__map_init(&e.taken, &e.arena, e.run->hash_key);
    haft_status status = reserve_clean(&e, err);
    if (status == HAFT_OK) {
        export_some(&e, true);
        export_some(&e, false);
        status = report_failures(&e, err);
    }
    haft__buf_finish(&e.also_failed);
    haft__arena_finish(&e.arena);
    (void)close(e.directory);
    return status;
}
