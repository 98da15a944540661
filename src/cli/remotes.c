/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remotes.c - looks documents up below one directory and keeps them.
 *
 * URLs come from schemas, so they are not trusted: a path leads below the directory or nowhere.
 * Tests: tests/cli/remotes_test.c.
 */
#include "cli/remotes.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/file.h"
#include "json/read.h"

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

/* Ordinary names between slashes: no "..", no ".", nothing empty, no NUL. */
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

/* Reads and keeps the document in the file `path`. */
static haft_status load(haft__remotes *remotes, const char *path, haft_str url, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft_status status = haft__file_read(path, &text, err);
    haft_str kept = {NULL, 0}, key = {NULL, 0};
    haft__json *document = NULL;
    if (status == HAFT_OK) {
        kept = haft__arena_copy(&remotes->arena, haft__buf_str(&text));
        key = haft__arena_copy(&remotes->arena, url);
        document = haft__arena_alloc(&remotes->arena, sizeof(*document));
        if (kept.ptr == NULL || key.ptr == NULL || document == NULL) {
            status = haft__arena_fail(&remotes->arena, err);
        }
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        haft__json_options options = HAFT__JSON_OPTIONS_INIT;
        options.refuse_duplicates = true;
        options.hash_key = remotes->hash_key;
        status = haft__json_read(&remotes->arena, kept, &options, document, NULL, err);
        if (status != HAFT_OK) {
            haft__error_at(err, path);
        }
    }
    return status == HAFT_OK ? haft__map_put(&remotes->documents, key, document, err) : status;
}

const haft__json *haft__remotes_find(void *context, haft_str url)
{
    haft__remotes *remotes = context;
    const haft__json *known = haft__map_get(&remotes->documents, url);
    if (known != NULL || remotes->directory == NULL
        || !haft__str_starts(url, HAFT__LIT(HAFT__REMOTES_URL))) {
        return known;
    }
    haft_str path = haft__str_skip(url, sizeof(HAFT__REMOTES_URL) - 1);
    char full[4096];
    int length = snprintf(full, sizeof(full), "%s/%.*s", remotes->directory, HAFT__ARG(path));
    struct stat info;
    bool there = is_safe(path) && length > 0 && (size_t)length < sizeof(full)
                 && stat(full, &info) == 0 && S_ISREG(info.st_mode);
    if (!there || load(remotes, full, url, &remotes->problem) != HAFT_OK) {
        return NULL;
    }
    return haft__map_get(&remotes->documents, url);
}
