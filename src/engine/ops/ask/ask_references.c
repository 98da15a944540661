/* SPDX-License-Identifier: Apache-2.0 */
/* ask_references.c - see ask_references.h. Tests: tests/cli/ask_test.py. */
#include "engine/ops/ask/ask_references.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/files/files.h"

/* Bytes of a line that a result quotes. */
#define LINE_BYTES 400U

/* The last file that was read. It is cached, because consecutive references often name the same
 * file. */
typedef struct open_file {
    haft__files_path path;
    char *text;
    size_t length;
    bool readable;
} open_file;

/* Reads the file, up to the limit of the tool `read`. A file is not readable if it is missing,
 * binary, or not a regular file. */
static haft_status read_file(int root, open_file *file, haft_error *err)
{
    struct stat info;
    int fd = haft__files_root_open_file(root, file->path.text, &info);
    free(file->text);
    file->text = NULL;
    file->length = 0;
    file->readable = false;
    if (fd < 0) {
        return HAFT_OK;
    }
    size_t size = info.st_size > 0 ? (size_t)info.st_size : 0;
    size = size < HAFT__LIMIT_FILES_FILE_BYTES ? size : HAFT__LIMIT_FILES_FILE_BYTES;
    file->text = malloc(size + 1);
    ssize_t got = file->text != NULL ? haft__files_read_full(fd, file->text, size) : 0;
    (void)close(fd);
    if (file->text == NULL) {
        return haft__fail_no_memory(err);
    }
    file->length = got > 0 ? (size_t)got : 0;
    file->readable = got >= 0 && !haft__files_is_binary((haft_str){file->text, file->length});
    return HAFT_OK;
}

/* Reads the file of the reference, if it is not the cached file. Returns false if the file must not
 * or cannot be read. */
static haft_status open_reference(int root, const haft__files_within *within,
                                  const haft__reference *reference, open_file *file, bool *ret_open,
                                  haft_error *err)
{
    haft__files_path path;
    *ret_open = haft__files_path_parse(reference->file, &path, NULL) == HAFT_OK;
    haft_str text = {path.text, *ret_open ? path.length : 0};
    *ret_open = *ret_open && haft__files_within_place(within, text) == HAFT__WITHIN_INSIDE;
    if (!*ret_open) {
        return HAFT_OK;
    }
    haft_status status = HAFT_OK;
    if (!haft__str_equal((haft_str){file->path.text, file->path.length}, text)) {
        file->path = path;
        status = read_file(root, file, err);
    }
    *ret_open = file->readable;
    return status;
}

static haft_status check_one(int root, const haft__files_within *within, haft__reference *reference,
                             open_file *file, haft__arena *arena, haft_error *err)
{
    bool open = false;
    haft_status status = open_reference(root, within, reference, file, &open, err);
    const char *space = memrchr(reference->file.ptr, ' ', reference->file.len);
    if (status == HAFT_OK && !open && space != NULL) { /* `see src/a.c:12`: try the last word */
        size_t skipped = (size_t)(space + 1 - reference->file.ptr);
        reference->file = haft__str_skip(reference->file, skipped);
        status = open_reference(root, within, reference, file, &open, err);
    }
    if (status != HAFT_OK || !open) {
        reference->verdict = HAFT__REFERENCE_NO_FILE;
        return status;
    }
    status = haft__reference_check(reference, (haft_str){file->text, file->length}, err);
    if (status != HAFT_OK || reference->verdict != HAFT__REFERENCE_GOOD) {
        return status;
    }
    haft_str line = haft__str_trim(reference->line);
    line.len = haft__utf8_floor(line, line.len < LINE_BYTES ? line.len : LINE_BYTES);
    reference->line = haft__arena_copy(arena, line);
    return reference->line.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

haft_status haft__ask_references_check(const haft__spec *spec, haft__reference *references,
                                       size_t count, haft__arena *arena, haft_error *err)
{
    haft__files_within within = {spec->within, spec->within_count};
    open_file file = {.text = NULL};
    int root = -1;
    haft_status status =
        count > 0 ? haft__files_root_open(spec->path, spec->root, &root, err) : HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        if (references[i].verdict == HAFT__REFERENCE_UNCHECKED) {
            status = check_one(root, &within, &references[i], &file, arena, err);
        }
    }
    free(file.text);
    if (root >= 0) {
        (void)close(root);
    }
    return status;
}
