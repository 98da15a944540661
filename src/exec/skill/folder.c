/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - see folder.h. Tests: tests/exec/skill/folder_test.c. */
#include "exec/skill/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/files/directory.h"
#include "exec/files/display.h"
#include "exec/files/root.h"

/* ---- errors ---- */

/* "FOLDER/PATH", with hidden characters escaped. */
static const char *place_of(haft_str folder, haft_str path, char to[HAFT__LIMIT_FILES_PATH_BYTES])
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_FILES_PATH_BYTES - 1);
    haft__files_display_name(&buf, folder);
    haft__buf_add_str(&buf, path.len > 0 ? HAFT__LIT("/") : HAFT__LIT(""));
    haft__files_display_name(&buf, path);
    size_t length = buf.len;
    memcpy(to, buf.ptr != NULL ? buf.ptr : "", length);
    to[length] = '\0';
    haft__buf_finish(&buf);
    return to;
}

static haft_status fail_link(const char *where, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_IO, where,
                                    "is a symbolic link, which haft does not follow in a skill");
    return haft__hint(err, status, "it may point to any file; copy what it points to");
}

static haft_status fail_open(haft_str folder, haft_str path, int error, haft_error *err)
{
    char where[HAFT__LIMIT_FILES_PATH_BYTES];
    (void)place_of(folder, path, where);
    if (error == ELOOP) {
        return fail_link(where, err);
    }
    if (error == ENODEV || error == ENXIO) {
        return haft__fail(err, HAFT_IO, where, "is no regular file");
    }
    return haft__fail(err, error == ENOENT || error == ENOTDIR ? HAFT_NOT_FOUND : HAFT_IO, where,
                      "cannot be read: %s", strerror(error));
}

/* ---- opening ---- */

static haft_str without_slashes(haft_str folder)
{
    while (folder.len > 1 && folder.ptr[folder.len - 1] == '/') {
        folder.len--;
    }
    return folder;
}

haft_str haft__skill_folder_name(haft_str folder)
{
    haft_str path = without_slashes(folder);
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/') {
        start--;
    }
    haft_str name = haft__str_skip(path, start);
    bool dots = haft__str_equal(name, HAFT__LIT(".")) || haft__str_equal(name, HAFT__LIT(".."));
    return dots ? HAFT__LIT("") : name;
}

/* Opens a directory, but not a link to one. Returns -1 with errno; ELOOP if it is a link. */
static int open_directory(int parent, const char *name)
{
    struct stat info;
    int fd = haft__files_root_open_directory(parent, name), error = errno;
    int entry = fd < 0 && error == ENOTDIR ? haft__files_root_stat(parent, name, &info) : -1;
    if (entry >= 0) {
        error = S_ISLNK(info.st_mode) ? ELOOP : error;
        (void)close(entry);
    }
    errno = error;
    return fd;
}

haft_status haft__skill_folder_open(haft_str spec, haft_str folder, int *ret_fd, haft_error *err)
{
    haft_str path = without_slashes(folder), name = haft__skill_folder_name(path);
    haft_str above = {path.ptr, path.len - name.len};
    haft__files_path last;
    int parent = -1;
    if (name.len == 0) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                        "\"%.*s\" does not end with the name of the skill's folder",
                                        HAFT__ARG(folder));
        return haft__hint(err, status, "write the folder with its name, such as ../NAME");
    }
    haft_status status = haft__files_path_parse(name, &last, err);
    if (status == HAFT_OK) {
        status = haft__files_root_open(spec, above.len > 0 ? above : HAFT__LIT("."), &parent, err);
    }
    if (status != HAFT_OK) {
        return status == HAFT_IO ? fail_open(folder, HAFT__LIT(""), ENOENT, err) : status;
    }
    *ret_fd = open_directory(parent, last.text);
    int error = errno;
    (void)close(parent);
    return *ret_fd >= 0 ? HAFT_OK : fail_open(folder, HAFT__LIT(""), error, err);
}

/* ---- one file ---- */

static haft_status check_text(haft_str folder, const char *path, haft_str text, haft_error *err)
{
    char where[HAFT__LIMIT_FILES_PATH_BYTES];
    size_t valid = haft__utf8_valid_prefix(text);
    const char *nul = text.len > 0 ? memchr(text.ptr, '\0', text.len) : NULL;
    if (valid == text.len && nul == NULL) {
        return HAFT_OK;
    }
    size_t at = nul != NULL && (size_t)(nul - text.ptr) < valid ? (size_t)(nul - text.ptr) : valid;
    (void)place_of(folder, haft__str(path), where);
    return haft__fail(err, HAFT_BAD_INPUT, where, "is not a text: byte %zu is %s", at,
                      at == valid ? "not UTF-8" : "NUL");
}

static haft_status read_open(haft__arena *arena, int file, haft_str folder, const char *path,
                             size_t max, haft_str *ret_text, haft_error *err)
{
    char where[HAFT__LIMIT_FILES_PATH_BYTES];
    char *text = haft__arena_alloc(arena, max + 1);
    if (text == NULL) {
        return haft__arena_fail(arena, err);
    }
    ssize_t got = haft__files_read_full(file, text, max + 1);
    if (got < 0) {
        return fail_open(folder, haft__str(path), errno, err);
    }
    if ((size_t)got > max) {
        (void)place_of(folder, haft__str(path), where);
        return haft__fail(err, HAFT_TOO_BIG, where, "has more than the %zu bytes that are allowed",
                          max);
    }
    *ret_text = (haft_str){text, (size_t)got};
    return check_text(folder, path, *ret_text, err);
}

haft_status haft__skill_folder_read(haft__arena *arena, int fd, haft_str folder, const char *path,
                                    size_t max, haft_str *ret_text, haft_error *err)
{
    struct stat info;
    int file = haft__files_root_open_file(fd, path, &info);
    if (file < 0) {
        return fail_open(folder, haft__str(path), errno, err);
    }
    haft_status status = read_open(arena, file, folder, path, max, ret_text, err);
    (void)close(file);
    return status;
}

/* ---- all files ---- */

/* The directories that are still to be read are among the entries. */
typedef struct lister {
    haft__arena *arena;
    int fd;
    haft_str folder;
    haft_str directories[HAFT__LIMIT_SKILL_FILES + 2]; /* with the folder, and one too many */
    size_t directory_count;
    haft__skill_file *files;
    size_t file_count;
    size_t count; /* files and directories */
} lister;

static haft_status fail_many(const lister *l, haft_error *err)
{
    char where[HAFT__LIMIT_FILES_PATH_BYTES];
    (void)place_of(l->folder, HAFT__LIT(""), where);
    return haft__fail(err, HAFT_TOO_BIG, where, "has more than %d files and directories",
                      HAFT__LIMIT_SKILL_FILES);
}

static haft_status add_file(lister *l, haft_str path, haft_error *err)
{
    struct stat info;
    int file = haft__files_root_stat(l->fd, path.ptr, &info);
    if (file < 0) {
        return fail_open(l->folder, path, errno, err);
    }
    (void)close(file);
    l->files[l->file_count++] = (haft__skill_file){path, (uint64_t)info.st_size};
    return HAFT_OK;
}

static haft_status add_entry(lister *l, haft_str directory, const haft__directory_entry *entry,
                             haft_error *err)
{
    bool top = directory.len == 0;
    haft_str path = haft__arena_format(l->arena, "%.*s%s%.*s", HAFT__ARG(directory), top ? "" : "/",
                                       HAFT__ARG(entry->name));
    if (path.ptr == NULL) {
        return haft__arena_fail(l->arena, err);
    }
    switch (entry->kind) {
    case HAFT__DIRECTORY_ENTRY_DIRECTORY:
        l->directories[l->directory_count++] = path;
        return HAFT_OK;
    case HAFT__DIRECTORY_ENTRY_FILE:
        return top && haft__str_equal(path, HAFT__LIT(HAFT__SKILL_FILE)) ? HAFT_OK
                                                                         : add_file(l, path, err);
    case HAFT__DIRECTORY_ENTRY_LINK: return fail_open(l->folder, path, ELOOP, err);
    case HAFT__DIRECTORY_ENTRY_OTHER: return fail_open(l->folder, path, ENODEV, err);
    }
    HAFT__UNREACHABLE();
}

static haft_status read_directory(lister *l, haft_str directory, haft_error *err)
{
    haft__directory_listing listing = {.entries = NULL};
    int fd = haft__files_root_open_directory(l->fd, directory.len > 0 ? directory.ptr : ".");
    if (fd < 0) {
        return fail_open(l->folder, directory, errno, err);
    }
    /* SKILL.md does not count. */
    size_t max = HAFT__LIMIT_SKILL_FILES - l->count + (directory.len == 0);
    haft_status status = haft__directory_read(l->arena, fd, max, &listing, err);
    (void)close(fd);
    if (status == HAFT_OK && listing.cut) {
        return fail_many(l, err);
    }
    /* SKILL.md may be gone since it was read: then the entry more is another one. */
    for (size_t i = 0; status == HAFT_OK && i < listing.count; i++) {
        status = l->count <= HAFT__LIMIT_SKILL_FILES
                     ? add_entry(l, directory, &listing.entries[i], err)
                     : fail_many(l, err);
        l->count = l->file_count + l->directory_count - 1;
    }
    return status == HAFT_OK && l->count > HAFT__LIMIT_SKILL_FILES ? fail_many(l, err) : status;
}

static int by_path(const void *left, const void *right)
{
    const haft__skill_file *a = left, *b = right;
    return haft__str_compare(a->path, b->path);
}

haft_status haft__skill_folder_list(haft__arena *arena, int fd, haft_str folder,
                                    haft__skill_listing *ret_listing, haft_error *err)
{
    lister *l = haft__arena_array(arena, 1, sizeof(*l));
    haft_status status = HAFT_OK;
    if (l == NULL) {
        return haft__arena_fail(arena, err);
    }
    l->arena = arena;
    l->fd = fd;
    l->folder = folder;
    l->files = haft__arena_array(arena, HAFT__LIMIT_SKILL_FILES + 1, sizeof(*l->files));
    if (l->files == NULL) {
        return haft__arena_fail(arena, err);
    }
    l->directories[l->directory_count++] = HAFT__LIT("");
    for (size_t i = 0; status == HAFT_OK && i < l->directory_count; i++) {
        status = read_directory(l, l->directories[i], err);
    }
    qsort(l->files, l->file_count, sizeof(*l->files), by_path);
    *ret_listing = (haft__skill_listing){l->files, l->file_count};
    return status;
}
