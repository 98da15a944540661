/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remotes.c - finds documents below one directory and caches them.
 *
 * URLs come from schemas, so they are not trusted: a path never leaves the directory. Tests:
 * tests/cli/input/remotes_test.c.
 */
#include "cli/input/remotes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "io/file.h"
#include "json/read.h"

haft_status haft__remotes_check(const char *directory, haft_error *err)
{
    struct stat info;
    if (directory == NULL) {
        return HAFT_OK;
    }
    if (stat(directory, &info) != 0) {
        return haft__fail(err, HAFT_IO, directory, "cannot be opened: %s", strerror(errno));
    }
    return S_ISDIR(info.st_mode) ? HAFT_OK
                                 : haft__fail(err, HAFT_IO, directory, "is not a directory");
}

void haft__remotes_init(haft__remotes *remotes, const char *directory, haft__hash_key hash_key)
{
    *remotes = (haft__remotes){.directory = directory, .hash_key = hash_key};
    haft__arena_init(&remotes->arena, 0);
    haft__map_init(&remotes->documents, &remotes->arena, hash_key);
}

void haft__remotes_finish(haft__remotes *remotes)
{
    haft__arena_finish(&remotes->arena);
}

/* Whether the path stays below the directory: it has no NUL, and no name is empty or begins with a
 * dot. */
static bool is_safe(haft_str path)
{
    if (path.len == 0 || memchr(path.ptr, '\0', path.len) != NULL
        || path.ptr[path.len - 1] == '/') {
        return false;
    }
    while (path.len > 0) {
        haft_str name = haft__str_split(&path, '/');
        if (name.len == 0 || name.ptr[0] == '.') {
            return false;
        }
    }
    return true;
}

/* An existing file: its document, or the reason why it cannot be used. */
typedef struct remote {
    haft__json document;
    haft_error problem; /* status OK if the document can be used */
} remote;

/* Reads the document in the file `path` into the arena. */
static haft_status load(haft__remotes *remotes, const char *path, haft__json *ret_document,
                        haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft_status status = haft__file_read(path, &text, err);
    haft_str copy = {NULL, 0};
    if (status == HAFT_OK) {
        copy = haft__arena_copy(&remotes->arena, haft__buf_str(&text));
        status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(&remotes->arena, err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        haft__json_options options = HAFT__JSON_OPTIONS_INIT;
        options.reject_duplicates = true;
        options.hash_key = remotes->hash_key;
        status = haft__json_read(&remotes->arena, copy, &options, ret_document, NULL, err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, path);
        }
    }
    return status;
}

/* Adds the entry of `url`, whose file is `path`. If the entry cannot be stored, returns NULL and
 * sets remotes->problem; the next lookup tries again. */
static const remote *add_entry(haft__remotes *remotes, const char *path, haft_str url)
{
    haft_error *err = &remotes->problem;
    haft__arena_mark before = haft__arena_save(&remotes->arena);
    remote found = {.problem = {.status = HAFT_OK}};
    if (load(remotes, path, &found.document, &found.problem) != HAFT_OK) {
        haft__arena_restore(&remotes->arena, before);
        if (found.problem.status == HAFT_NO_MEMORY) {
            *err = found.problem;
            return NULL;
        }
    }
    haft_str key = haft__arena_copy(&remotes->arena, url);
    remote *entry = haft__arena_alloc(&remotes->arena, sizeof(*entry));
    haft_status status;
    if (key.ptr == NULL || entry == NULL) {
        status = haft__arena_fail(&remotes->arena, err);
    } else {
        *entry = found;
        status = haft__map_put(&remotes->documents, key, entry, err);
    }
    if (status != HAFT_OK) {
        haft__arena_restore(&remotes->arena, before);
        return NULL;
    }
    return entry;
}

/* Finds the path of the file for `url`. Returns false if the file is not below the directory. */
static bool find_file(const haft__remotes *remotes, haft_str url, char *path, size_t size)
{
    if (remotes->directory == NULL || !haft__str_starts_with(url, HAFT__LIT(HAFT__REMOTES_URL))) {
        return false;
    }
    haft_str name = haft__str_skip(url, sizeof(HAFT__REMOTES_URL) - 1);
    int length = snprintf(path, size, "%s/%.*s", remotes->directory, HAFT__ARG(name));
    struct stat info;
    return is_safe(name) && length > 0 && (size_t)length < size && stat(path, &info) == 0
           && S_ISREG(info.st_mode);
}

const haft__json *haft__remotes_find(void *context, haft_str url)
{
    haft__remotes *remotes = context;
    const remote *found = haft__map_get(&remotes->documents, url);
    char path[4096];
    if (found == NULL && find_file(remotes, url, path, sizeof(path))) {
        found = add_entry(remotes, path, url);
    }
    if (found == NULL) {
        return NULL;
    }
    if (found->problem.status != HAFT_OK) {
        remotes->problem = found->problem;
        return NULL;
    }
    return &found->document;
}
