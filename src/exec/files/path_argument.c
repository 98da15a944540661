/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_argument.c - resolves a path, and finds the first name that causes an error.
 *
 * It uses O_PATH descriptors, because opening a device can have side effects. Tests:
 * tests/exec/files/path_argument_test.c.
 */
#include "exec/files/path_argument.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "exec/files/directory.h"
#include "exec/files/display.h"

#define WHERE "/path"

/* ---- hints ---- */

static haft__files_path join(haft_str directory, haft_str name, haft_str rest)
{
    haft__files_path path;
    int length = snprintf(path.text, sizeof(path.text), "%.*s%s%.*s%s%.*s", HAFT__ARG(directory),
                          directory.len > 0 ? "/" : "", HAFT__ARG(name), rest.len > 0 ? "/" : "",
                          HAFT__ARG(rest));
    path.length = length > 0 && (size_t)length < sizeof(path.text) ? (size_t)length : 0;
    return path;
}

static bool exists(int root, const haft__files_path *path)
{
    struct stat info;
    int fd = path->length > 0 ? haft__files_root_stat(root, path->text, &info) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    return fd >= 0;
}

/* The name in the directory that is most similar to `name`; in `arena`, NULL if none is similar. */
static haft_str nearest(int root, haft_str directory, haft_str name, haft__arena *arena)
{
    haft__directory_listing listing = {.count = 0};
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    haft__files_path path = join(directory, HAFT__LIT("."), HAFT__LIT(""));
    int fd = haft__files_root_open_directory(root, path.text);
    if (fd < 0) {
        return near.best;
    }
    if (haft__directory_read(arena, fd, HAFT__LIMIT_SUGGESTION_NAMES, &listing, NULL) == HAFT_OK) {
        for (size_t i = 0; i < listing.count; i++) {
            haft__suggestion_offer(&near, listing.entries[i].name);
        }
    }
    (void)close(fd);
    return near.best;
}

/* The error for `name` missing in `directory`; `rest` is the path below it. */
static haft_status hint_nearest(int root, haft_str directory, haft_str name, haft_str rest,
                                haft_status status, haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    haft_str best = nearest(root, directory, name, &arena);
    if (best.ptr != NULL) {
        haft__files_path path = join(directory, best, rest);
        if (!exists(root, &path)) {
            path = join(directory, best, HAFT__LIT(""));
        }
        haft_str text = {path.text, path.length};
        (void)haft__hint(err, status, "did you mean '%s'?",
                         haft__files_display_short_name(text, shown));
    } else {
        const char *slash = rest.len > 0 ? memrchr(rest.ptr, '/', rest.len) : NULL;
        haft_str last = slash != NULL  ? haft__str_skip(rest, (size_t)(slash + 1 - rest.ptr))
                        : rest.len > 0 ? rest
                                       : name;
        (void)haft__hint(err, status, "find it with glob, for example with the pattern '**/%s'",
                         haft__files_display_short_name(last, shown));
    }
    haft__arena_finish(&arena);
    return status;
}

/* ---- errors ---- */

static haft_status fail_missing(int root, haft_str path, size_t start, size_t end, haft_error *err)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    haft_str directory = {path.ptr, start > 0 ? start - 1 : 0};
    haft_str name = {path.ptr + start, end - start};
    haft_status status =
        haft__fail(err, HAFT_NOT_FOUND, WHERE, "there is no '%s'",
                   haft__files_display_short_name((haft_str){path.ptr, end}, shown));
    return hint_nearest(root, directory, name, haft__str_skip(path, end + 1), status, err);
}

/* Fails because of a symbolic link, which `fd` refers to. */
static haft_status fail_link(int fd, haft_str path, haft_error *err)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES], target[256];
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, WHERE, "'%s' is a symbolic link, which is not followed",
                   haft__files_display_short_name(path, shown));
    ssize_t length = readlinkat(fd, "", target, sizeof(target));
    if (length <= 0 || (size_t)length == sizeof(target)) {
        return status;
    }
    return haft__hint(err, status, "it points to '%s': use that path if it is inside the root",
                      haft__files_display_short_name((haft_str){target, (size_t)length}, shown));
}

static haft_status fail_kind(haft_str path, const struct stat *info, haft_error *err)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    (void)haft__files_display_short_name(path, shown);
    if (S_ISDIR(info->st_mode)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, WHERE, "'%s' is a directory, expected a file", shown);
        return haft__hint(err, status, "list its files with glob: pattern '*' and this path");
    }
    if (S_ISREG(info->st_mode)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, WHERE, "'%s' is a file, expected a directory", shown);
        return haft__hint(err, status, "read it, or name the directory it is in");
    }
    return haft__fail(err, HAFT_BAD_INPUT, WHERE, "'%s' is neither a file nor a directory", shown);
}

static haft_status fail_errno(haft_str path, int error, haft_error *err)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    return haft__fail(err, HAFT_IO, WHERE, "'%s' cannot be opened: %s",
                      haft__files_display_short_name(path, shown), strerror(error));
}

/* Checks the name from `start` to `end` of a path; OK if it exists and can be followed. */
static haft_status find_failing_name(int root, const haft__files_path *path, size_t start,
                                     size_t end, haft_error *err)
{
    haft__files_path front = *path;
    front.text[end] = '\0';
    haft_str shown = {path->text, end};
    struct stat info;
    int fd = haft__files_root_stat(root, front.text, &info);
    if (fd < 0) {
        haft_str whole = {path->text, path->length};
        return errno == ENOENT ? fail_missing(root, whole, start, end, err)
                               : fail_errno(shown, errno, err);
    }
    haft_status status = HAFT_OK;
    if (S_ISLNK(info.st_mode)) {
        status = fail_link(fd, shown, err);
    } else if (end < path->length && !S_ISDIR(info.st_mode)) {
        status = fail_kind(shown, &info, err);
    }
    (void)close(fd);
    return status;
}

/* Finds the name of the path that caused `error`. */
static haft_status explain(int root, const haft__files_path *path, int error, haft_error *err)
{
    size_t start = 0;
    for (size_t end = 0; end <= path->length; end++) {
        if (end < path->length && path->text[end] != '/') {
            continue;
        }
        haft_status status = find_failing_name(root, path, start, end, err);
        if (status != HAFT_OK) {
            return status;
        }
        start = end + 1;
    }
    return fail_errno((haft_str){path->text, path->length}, error,
                      err); /* the path has changed in the meantime */
}

haft_status haft__path_argument_resolve(int root, haft_str given, haft__path_argument_kind expected,
                                        haft__path_argument *ret_named, haft_error *err)
{
    struct stat info;
    haft__path_argument named;
    haft_status status = haft__files_path_parse(given, &named.path, err);
    if (status != HAFT_OK) {
        return status;
    }
    int fd = haft__files_root_stat(root, named.path.text, &info);
    if (fd < 0) {
        return explain(root, &named.path, errno, err);
    }
    haft_str path = {named.path.text, named.path.length};
    named.is_directory = S_ISDIR(info.st_mode);
    bool fits = (named.is_directory && expected != HAFT__PATH_ARGUMENT_FILE)
                || (S_ISREG(info.st_mode) && expected != HAFT__PATH_ARGUMENT_DIRECTORY);
    if (S_ISLNK(info.st_mode)) {
        status = fail_link(fd, path, err);
    } else if (!fits) {
        status = fail_kind(path, &info, err);
    }
    (void)close(fd);
    *ret_named = status == HAFT_OK ? named : *ret_named;
    return status;
}
