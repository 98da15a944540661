/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_file.c - see memory_file.h. Tests: tests/cli/memory_test.py.
 */
#include "engine/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/spec_path.h"
#include "exec/files/root.h"
#include "spec/load/load.h"
#include "json/object.h"
#include "json/pointer.h"

#define AGENTS_MD "AGENTS.md"

static haft_status fail_read(const char *path, int error, haft_error *err)
{
    return haft__fail(err, HAFT_IO, path, "cannot be read: %s", strerror(error));
}

/* Reads the whole file. `fd` is -1 if the file could not be opened. */
static haft_status read_open(haft__arena *arena, int fd, const char *path, haft_str *ret_text,
                             haft_error *err)
{
    struct stat info;
    const size_t max_bytes = HAFT__LIMIT_MEMORY_FILE_BYTES;
    if (fd < 0 || fstat(fd, &info) != 0) {
        return fail_read(path, errno, err);
    }
    if (!S_ISREG(info.st_mode)) {
        return haft__fail(err, HAFT_IO, path, "expected a file, found %s",
                          S_ISDIR(info.st_mode) ? "a directory" : "a special file");
    }
    char *text = haft__arena_alloc(arena, max_bytes + 1);
    if (text == NULL) {
        return haft__arena_fail(arena, err);
    }
    ssize_t got = haft__files_read_full(fd, text, max_bytes + 1);
    if (got < 0) {
        return fail_read(path, errno, err);
    }
    if ((size_t)got > max_bytes) {
        haft_status status =
            haft__fail(err, HAFT_TOO_BIG, path,
                       "has more than the %zu bytes that a memory file may have", max_bytes);
        return haft__hint(err, status,
                          "the model reads it in every request: keep what every task needs, and "
                          "let a skill have the rest");
    }
    *ret_text = (haft_str){text, (size_t)got};
    return HAFT_OK;
}

static haft_status close_after(int fd, haft_status status)
{
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}

haft_status haft__memory_file_read(haft__arena *arena, haft_str spec, haft_str path,
                                   haft_str *ret_text, haft_error *err)
{
    haft_str file = haft__arena_format(
        arena, "%.*s%.*s", HAFT__ARG(haft__spec_path_directory(spec, path)), HAFT__ARG(path));
    if (file.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    /* Without O_NONBLOCK, opening a FIFO would block until somebody writes to it. */
    int fd = open(file.ptr, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return close_after(fd, read_open(arena, fd, file.ptr, ret_text, err));
}

/* ---- AGENTS.md ---- */

static bool exists_in(int directory, const char *name, struct stat *ret_info)
{
    return fstatat(directory, name, ret_info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether `directory` is the top of the search: it has .git, or no directory is above it. */
static bool is_top(int directory, bool *ret_repository)
{
    struct stat here, above;
    *ret_repository = exists_in(directory, ".git", &here);
    return *ret_repository || fstat(directory, &here) != 0
           || fstatat(directory, "..", &above, 0) != 0
           || (here.st_ino == above.st_ino && here.st_dev == above.st_dev);
}

/* Searches AGENTS.md from `root` upwards. Returns how many levels above `root` it is, or -1 if it
 * was not found. *ret_directory is the open directory of the file. */
static int search_upwards(int root, int *ret_directory)
{
    int directory = fcntl(root, F_DUPFD_CLOEXEC, 0), found = -1, found_in = -1;
    bool repository = false;
    struct stat info;
    for (int level = 0; directory >= 0; level++) {
        if (found < 0 && exists_in(directory, AGENTS_MD, &info)) {
            found = level;
            found_in = directory;
        }
        bool top = is_top(directory, &repository);
        int above = top ? -1 : openat(directory, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory != found_in) {
            (void)close(directory);
        }
        directory = above;
    }
    if (found > 0 && !repository) { /* it may belong to another project */
        (void)close(found_in);
        found = -1;
    }
    *ret_directory = found_in;
    return found;
}

/* "ROOT/../../AGENTS.md" */
static haft_str make_path(haft__arena *arena, haft_str root, int level)
{
    while (root.len > 1 && root.ptr[root.len - 1] == '/') {
        root.len--;
    }
    bool here = haft__str_equal(root, HAFT__LIT("."));
    haft_str path = here ? HAFT__LIT("") : haft__arena_format(arena, "%.*s/", HAFT__ARG(root));
    for (int i = 0; i < level && path.ptr != NULL; i++) {
        path = haft__arena_format(arena, "%.*s../", HAFT__ARG(path));
    }
    return path.ptr != NULL ? haft__arena_format(arena, "%.*s" AGENTS_MD, HAFT__ARG(path)) : path;
}

static haft_status read_agents_md(haft__arena *arena, int directory, haft_str path,
                                  haft_str *ret_text, haft_error *err)
{
    struct stat info;
    int fd = haft__files_root_open_file(directory, AGENTS_MD, &info);
    if (fd < 0 && errno == ELOOP) {
        haft_status status =
            haft__fail(err, HAFT_IO, path.ptr, "is a symbolic link, which haft does not follow");
        return haft__hint(err, status,
                          "it may point to any file; name the file in `memory` instead");
    }
    return close_after(fd, read_open(arena, fd, path.ptr, ret_text, err));
}

haft_status haft__memory_file_read_agents_md(haft__arena *arena, haft_str spec, haft_str root,
                                             haft_str *ret_path, haft_str *ret_text,
                                             haft_error *err)
{
    int base = -1, directory = -1;
    haft_status status = haft__files_root_open(spec, root, &base, err);
    if (status != HAFT_OK) {
        return status;
    }
    int level = search_upwards(base, &directory);
    (void)close(base);
    if (level < 0) {
        *ret_path = (haft_str){NULL, 0};
        return HAFT_OK;
    }
    haft_str path = make_path(arena, root, level);
    status = path.ptr != NULL ? read_agents_md(arena, directory, path, ret_text, err)
                              : haft__arena_fail(arena, err);
    (void)close(directory);
    *ret_path = path;
    return status;
}

/* ---- secrets ---- */

typedef struct redaction {
    haft__arena *arena;
    const haft__redactor *redactor;
    haft__json *source;
    bool changed;
    haft_error *err;
} redaction;

/* Redacts a text of the object. *ret_changed: whether it had a secret. */
static haft_status redact_member(redaction *r, haft__json *io_object, const char *key,
                                 bool *ret_changed)
{
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    *ret_changed = haft__redact(r->redactor, haft__object_string(*io_object, key), &clean);
    haft_status status = haft__buf_check(&clean, r->err);
    if (status == HAFT_OK && *ret_changed) {
        haft_str kept = haft__arena_copy(r->arena, haft__buf_str(&clean));
        status = kept.ptr != NULL ? haft__spec_put(r->arena, io_object, haft__str(key),
                                                   haft__json_string(kept), r->err)
                                  : haft__arena_fail(r->arena, r->err);
        r->changed = true;
    }
    haft__buf_finish(&clean);
    return status;
}

/* Redacts the text of the object at `pointer`. */
static haft_status redact_text(redaction *r, haft_str pointer, haft__json object)
{
    bool changed = false;
    haft_status status = redact_member(r, &object, "text", &changed);
    return status == HAFT_OK && changed
               ? haft__spec_put(r->arena, r->source, pointer, object, r->err)
               : status;
}

/* Redacts one text of each object of the list `name` of the spec at `pointer`. A list may have
 * thousands of objects, so it is replaced once. */
static haft_status redact_list(redaction *r, haft_str pointer, haft__json spec, const char *name,
                               const char *key)
{
    haft__json list = haft__object_array(spec, name);
    haft__json *items = haft__arena_array(r->arena, list.count, sizeof(*items));
    haft_str at = haft__arena_format(r->arena, "%.*s/%s", HAFT__ARG(pointer), name);
    haft_status status =
        items != NULL && at.ptr != NULL ? HAFT_OK : haft__arena_fail(r->arena, r->err);
    bool any = false, changed = false;
    for (uint32_t i = 0; status == HAFT_OK && i < list.count; i++) {
        items[i] = list.items[i];
        status = redact_member(r, &items[i], key, &changed);
        any = any || changed;
    }
    return status == HAFT_OK && any ? haft__spec_put(r->arena, r->source, at,
                                                     haft__json_array(items, list.count), r->err)
                                    : status;
}

typedef haft_status redact_function(redaction *r, haft_str pointer, haft__json value);

static redact_function redact_spec;

/* Redacts the agents of a spec, and those in its nodes. Their depth is limited (child.depth). */
static haft_status redact_members(redaction *r, haft_str pointer, haft__json value)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && value.kind == HAFT__JSON_OBJECT && i < value.count;
         i++) {
        haft__buf path;
        haft__buf_init(&path, HAFT__LIMIT_JSON_BYTES);
        haft__buf_add_str(&path, pointer);
        haft__pointer_add_key(&path, haft__json_text(value.members[i].key));
        haft_str at = haft__arena_copy(r->arena, haft__buf_str(&path));
        status = haft__buf_check(&path, r->err);
        haft__buf_finish(&path);
        if (status == HAFT_OK && at.ptr == NULL) {
            status = haft__arena_fail(r->arena, r->err);
        }
        status = status == HAFT_OK ? redact_spec(r, at, value.members[i].value) : status;
    }
    return status;
}

static haft_status redact_spec(redaction *r, haft_str pointer, haft__json spec)
{
    haft_status status = redact_list(r, pointer, spec, "memory", "text");
    status = status == HAFT_OK ? redact_list(r, pointer, spec, "skills", "description") : status;
    static const struct {
        const char *key;
        redact_function *redact;
    } parts[] = {{"agents_md", redact_text}, {"agents", redact_members}, {"graph", redact_spec},
                 {"graphs", redact_members}, {"nodes", redact_members},  {"agent", redact_spec}};
    for (size_t i = 0; status == HAFT_OK && i < COUNT(parts); i++) {
        haft__json part = haft__object_get(spec, parts[i].key);
        haft_str at = haft__arena_format(r->arena, "%.*s/%s", HAFT__ARG(pointer), parts[i].key);
        if (at.ptr == NULL) {
            status = haft__arena_fail(r->arena, r->err);
        } else if (part.kind == HAFT__JSON_OBJECT) {
            status = parts[i].redact(r, at, part);
        }
    }
    return status;
}

haft_status haft__memory_file_redact(haft__arena *arena, const haft__redactor *redactor,
                                     haft__json *io_source, bool *ret_changed, haft_error *err)
{
    redaction r = {.arena = arena, .redactor = redactor, .source = io_source, .err = err};
    haft_status status = redact_spec(&r, HAFT__LIT(""), *io_source);
    *ret_changed = r.changed;
    return status;
}
