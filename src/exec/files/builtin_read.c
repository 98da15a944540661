/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_read.c - the built-in read: lines of a text file, with their numbers.
 *
 * The file is read in blocks, and only the visible part of a line is kept, so memory use does not
 * depend on the size of the file or of a line. Tests: tests/exec/files/builtin_read_test.c.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/files/display.h"
#include "exec/files/files.h"
#include "exec/files/path_argument.h"

#define BLOCK_BYTES ((size_t)64 << 10)
/* Enough of a line to detect that it is truncated. */
#define KEPT_BYTES (HAFT__LIMIT_FILES_READ_LINE_BYTES + 8)

typedef struct read_state {
    const haft__files_request *search;
    haft__buf *result;
    haft__path_argument file;
    uint64_t first, last; /* requested line numbers */
    uint64_t done;        /* completed lines */
    uint64_t shown_last;  /* number of the last line in the result; 0 if none */
    bool full;            /* the result is full */
    bool open;            /* inside a line */
    bool cut;             /* the file exceeds the read limit */
    char kept[KEPT_BYTES];
    size_t kept_length;
} read_state;

static haft_str path_of(const read_state *r)
{
    return (haft_str){r->file.path.text, r->file.path.length};
}

static void show_line(read_state *r)
{
    size_t start = r->result->len;
    haft__buf_addf(r->result, "%s%6llu\t", start > 0 ? "\n" : "", (unsigned long long)r->done);
    haft__files_display_line(r->result, (haft_str){r->kept, r->kept_length},
                             HAFT__LIMIT_FILES_READ_LINE_BYTES, 0);
    r->full = !haft__files_keep_line(r->result, start);
    r->shown_last = r->full ? r->shown_last : r->done;
}

static bool is_requested(const read_state *r, uint64_t number)
{
    return number >= r->first && number <= r->last && !r->full;
}

static void end_line(read_state *r)
{
    r->done++;
    r->open = false;
    if (is_requested(r, r->done)) {
        show_line(r);
    }
    r->kept_length = 0;
}

/* Adds a part of a line. */
static void add_piece(read_state *r, haft_str piece)
{
    size_t room = sizeof(r->kept) - r->kept_length;
    size_t kept = is_requested(r, r->done + 1) ? piece.len : 0;
    kept = kept < room ? kept : room;
    memcpy(r->kept + r->kept_length, piece.ptr, kept);
    r->kept_length += kept;
    r->open = true;
}

static void read_block(read_state *r, haft_str block)
{
    while (block.len > 0) {
        const char *end = memchr(block.ptr, '\n', block.len);
        size_t length = end != NULL ? (size_t)(end - block.ptr) : block.len;
        if (length > 0) {
            add_piece(r, (haft_str){block.ptr, length});
        }
        if (end != NULL) {
            end_line(r);
        }
        block = haft__str_skip(block, length + 1);
    }
}

static haft_status fail_binary(const read_state *r, haft_error *err)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/path", "'%s' is a binary file, expected a text file",
                   haft__files_display_short_name(path_of(r), shown));
    return haft__hint(err, status, "one of its first 8192 bytes is NUL");
}

static haft_status read_all(read_state *r, int fd, char *block, haft_error *err)
{
    for (size_t total = 0; !haft__files_is_cancelled(r->search);) {
        size_t left = HAFT__LIMIT_FILES_FILE_BYTES - total;
        ssize_t got = haft__files_read_full(fd, block, left < BLOCK_BYTES ? left + 1 : BLOCK_BYTES);
        if (got < 0) {
            return haft__files_fail_read(path_of(r), err);
        }
        r->cut = (size_t)got > left;
        haft_str text = {block, r->cut ? left : (size_t)got};
        if (total == 0 && haft__files_is_binary(text)) {
            return fail_binary(r, err);
        }
        read_block(r, text);
        total += text.len;
        if (r->cut || text.len < BLOCK_BYTES) {
            if (r->open) {
                end_line(r);
            }
            return HAFT_OK;
        }
    }
    return haft__files_fail_cancelled(err);
}

static haft_status fail_offset(const read_state *r, haft_error *err)
{
    unsigned long long lines = r->done;
    haft_status status = haft__fail(
        err, HAFT_BAD_INPUT, "/offset", "line %llu does not exist: the file has %s%llu line%s",
        (unsigned long long)r->first, r->cut ? "more than can be read, the first " : "", lines,
        lines == 1 ? "" : "s");
    return haft__hint(err, status, "the lines are 1 to %llu", lines);
}

static void add_notes(const read_state *r)
{
    haft__files_notes notes = {.result = r->result};
    unsigned long long first = r->first, last = r->shown_last, lines = r->done;
    if (lines == 0) {
        haft__files_notes_add(&notes, "the file is empty");
    } else if (first > 1 || last < lines || r->cut) {
        haft__files_notes_add(&notes, "lines %llu to %llu of %s%llu", first, last,
                              r->cut ? "more than " : "", lines);
    }
    if (last < lines) {
        haft__files_notes_add(&notes, "continue with offset %llu", last + 1);
    } else if (r->cut) {
        haft__files_notes_add(&notes, "only the first %d bytes of a file can be read",
                              HAFT__LIMIT_FILES_FILE_BYTES);
    }
    haft__files_notes_end(&notes);
}

static haft_status run(read_state *r, int fd, haft_error *err)
{
    char *block = malloc(BLOCK_BYTES);
    haft_status status = block != NULL ? read_all(r, fd, block, err) : haft__fail_no_memory(err);
    free(block);
    if (status == HAFT_OK && r->done > 0 && r->first > r->done) {
        return fail_offset(r, err);
    }
    if (status == HAFT_OK) {
        add_notes(r);
        status = haft__buf_check(r->result, err);
    }
    return status;
}

static haft_status open_and_run(read_state *r, int root, haft_error *err)
{
    struct stat info;
    haft_status status =
        haft__path_argument_resolve(root, r->search->path, HAFT__PATH_ARGUMENT_FILE, &r->file, err);
    if (status == HAFT_OK) {
        status = haft__files_within_check(&r->search->within, path_of(r), true, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    int fd = haft__files_root_open_file(root, r->file.path.text, &info);
    if (fd < 0) {
        return haft__files_fail_read(path_of(r), err);
    }
    status = run(r, fd, err);
    (void)close(fd);
    return status;
}

haft_status haft__files_read(const haft__files_request *search, haft__buf *result, haft_error *err)
{
    read_state r = {.search = search, .result = result};
    uint64_t limit = search->limit > 0 ? search->limit : HAFT__LIMIT_FILES_READ_DEFAULT;
    limit = limit < HAFT__LIMIT_FILES_READ_LINES ? limit : HAFT__LIMIT_FILES_READ_LINES;
    r.first = search->offset > 0 ? search->offset : 1;
    r.last = r.first < UINT64_MAX - limit ? r.first + limit - 1 : UINT64_MAX;
    int root = -1;
    haft_status status = haft__files_root_open(search->spec_path, search->root, &root, err);
    if (status == HAFT_OK) {
        status = open_and_run(&r, root, err);
        (void)close(root);
    }
    return status;
}
