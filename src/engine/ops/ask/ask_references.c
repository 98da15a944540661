/* SPDX-License-Identifier: Apache-2.0 */
/* ask_references.c - see ask_references.h. Tests: tests/cli/ask_test.py. */
#include "engine/ops/ask/ask_references.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/shown_name.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/files/files.h"

/* Bytes of a line that a result quotes. */
#define LINE_BYTES 400U

/* The files that an answer may name, and the one that was read last. */
typedef struct searched_files {
    int directory; /* the root */
    haft_str root; /* its path */
    haft__files_within within;
    haft__files_path path; /* of the file that was read last */
    char *text;
    haft__reference_file file;
    haft__arena arena; /* of `file` */
    bool readable;
} searched_files;

/* Reads the file of f->path, up to the limit of the tool `read`. A file is not readable if it is
 * missing, binary, or not a regular file. */
static haft_status read_file(searched_files *f, haft_error *err)
{
    struct stat info;
    int fd = haft__files_root_open_file(f->directory, f->path.text, &info);
    free(f->text);
    f->text = NULL;
    f->readable = false;
    haft__arena_finish(&f->arena);
    haft__arena_init(&f->arena, 0);
    if (fd < 0) {
        return HAFT_OK;
    }
    size_t size = info.st_size > 0 ? (size_t)info.st_size : 0;
    size = size < HAFT__LIMIT_FILES_FILE_BYTES ? size : HAFT__LIMIT_FILES_FILE_BYTES;
    f->text = malloc(size + 1);
    ssize_t got = f->text != NULL ? haft__files_read_full(fd, f->text, size) : 0;
    (void)close(fd);
    if (f->text == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_str text = {f->text, got > 0 ? (size_t)got : 0};
    f->readable = got >= 0 && !haft__files_is_binary(text);
    return f->readable ? haft__reference_file_init(&f->file, text, &f->arena, err) : HAFT_OK;
}

/* The path relative to the root: an absolute path may begin with the root. */
static haft_str below_root(const searched_files *f, haft_str path)
{
    haft_str rest = haft__str_starts_with(path, f->root) ? haft__str_skip(path, f->root.len) : path;
    bool whole = rest.len < path.len
                 && (haft__str_ends_with(f->root, HAFT__LIT("/"))
                     || haft__str_starts_with(rest, HAFT__LIT("/")));
    return whole ? haft__str_skip(rest, haft__str_starts_with(rest, HAFT__LIT("/"))) : path;
}

/* Reads the file, if it is not the one that was read last. *ret_open is false if the file must not
 * or cannot be read. */
static haft_status open_file(searched_files *f, haft_str name, bool *ret_open, haft_error *err)
{
    haft__files_path path;
    *ret_open = haft__files_path_parse(below_root(f, name), &path, NULL) == HAFT_OK;
    haft_str text = {path.text, *ret_open ? path.length : 0};
    *ret_open = *ret_open && haft__files_within_place(&f->within, text) == HAFT__WITHIN_INSIDE;
    if (!*ret_open) {
        return HAFT_OK;
    }
    haft_status status = HAFT_OK;
    if (!haft__str_equal((haft_str){f->path.text, f->path.length}, text)) {
        f->path = path;
        status = read_file(f, err);
    }
    *ret_open = f->readable;
    return status;
}

/* Opens the file of the reference. Results show the names of some files with escapes. */
static haft_status open_reference(searched_files *f, haft__reference *reference, bool *ret_open,
                                  haft_error *err)
{
    char plain[HAFT__LIMIT_FILES_PATH_BYTES + 1];
    haft_status status = open_file(f, reference->file, ret_open, err);
    const char *space = memrchr(reference->file.ptr, ' ', reference->file.len);
    haft_str name = haft__shown_name_read(reference->file, plain, sizeof(plain));
    if (status == HAFT_OK && !*ret_open && name.len > 0 && name.len < reference->file.len) {
        status = open_file(f, name, ret_open, err);
    }
    if (status == HAFT_OK && !*ret_open
        && space != NULL) { /* `see src/a.c:12`: try the last word */
        haft_str last = haft__str_skip(reference->file, (size_t)(space + 1 - reference->file.ptr));
        status = open_file(f, last, ret_open, err);
        reference->file = *ret_open ? last : reference->file;
    }
    return status;
}

static haft_status check_one(searched_files *f, haft__reference *reference, haft__arena *arena,
                             haft_error *err)
{
    bool open = false;
    haft_status status = open_reference(f, reference, &open, err);
    if (status != HAFT_OK || !open) {
        reference->verdict = HAFT__REFERENCE_NO_FILE;
        return status;
    }
    status = haft__reference_check(reference, &f->file, err);
    if (status != HAFT_OK || reference->verdict != HAFT__REFERENCE_GOOD) {
        return status;
    }
    haft_str line = haft__str_trim(reference->line);
    line.len = haft__utf8_floor(line, line.len < LINE_BYTES ? line.len : LINE_BYTES);
    reference->line = haft__arena_copy(arena, line);
    reference->path = haft__arena_copy(arena, (haft_str){f->path.text, f->path.length});
    bool copied = reference->line.ptr != NULL && reference->path.ptr != NULL;
    return copied ? HAFT_OK : haft__arena_fail(arena, err);
}

/* Checks the references from `at` on that name the same file: each file is read once. */
static haft_status check_file(searched_files *f, haft__reference *references, size_t at,
                              size_t count, haft__arena *arena, haft_error *err)
{
    haft_str name = references[at].file;
    haft_status status = HAFT_OK;
    for (size_t i = at; i < count && status == HAFT_OK; i++) {
        if (references[i].verdict == HAFT__REFERENCE_UNCHECKED
            && haft__str_equal(references[i].file, name)) {
            status = check_one(f, &references[i], arena, err);
        }
    }
    return status;
}

haft_status haft__ask_references_check(const haft__spec *spec, haft__reference *references,
                                       size_t count, haft__arena *arena, haft_error *err)
{
    searched_files f = {
        .directory = -1, .root = spec->root, .within = {spec->within, spec->within_count}};
    haft__arena_init(&f.arena, 0);
    haft_status status =
        count > 0 ? haft__files_root_open(spec->path, spec->root, &f.directory, err) : HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        if (references[i].verdict == HAFT__REFERENCE_UNCHECKED) {
            status = check_file(&f, references, i, count, arena, err);
        }
    }
    haft__arena_finish(&f.arena);
    free(f.text);
    if (f.directory >= 0) {
        (void)close(f.directory);
    }
    return status;
}
