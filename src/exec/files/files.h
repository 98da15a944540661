/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/files.h - the built-ins glob, grep and read as functions: a request in, the text for
 * the model out. They block, and check a stop flag regularly.
 *
 * Every result is valid UTF-8 and at most HAFT__LIMIT_FILES_RESULT_BYTES long, without the notes.
 * Every error is one that the model can fix: err->where is a JSON Pointer to the argument.
 * docs/builtins.md describes the results.
 */
#ifndef HAFT_EXEC_FILES_FILES_H
#define HAFT_EXEC_FILES_FILES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "exec/files/walk.h"

/* Missing arguments are "" or 0. */
typedef struct haft__files_request {
    haft_str spec_path, root; /* location of the root: see haft__files_root_open */
    haft__files_within within;
    haft_str pattern, path, glob;
    uint64_t offset, limit;
    const atomic_bool *stop; /* may be NULL; when set, the function returns BAD_STATE */
} haft__files_request;

/* Capacity of a result's buffer: HAFT__LIMIT_FILES_RESULT_BYTES, plus one line that exceeds the
 * limit and is removed again, or the notes. */
#define HAFT__FILES_RESULT_BUFFER_BYTES (HAFT__LIMIT_FILES_RESULT_BYTES + 64 * 1024)

HAFT_MUST_USE haft_status haft__files_glob(const haft__files_request *search, haft__buf *result,
                                           haft_error *err);
HAFT_MUST_USE haft_status haft__files_grep(const haft__files_request *search, haft__buf *result,
                                           haft_error *err);
HAFT_MUST_USE haft_status haft__files_read(const haft__files_request *search, haft__buf *result,
                                           haft_error *err);

/* ---- shared functions: files.c ---- */

static inline bool haft__files_is_cancelled(const haft__files_request *search)
{
    return search->stop != NULL && atomic_load_explicit(search->stop, memory_order_relaxed);
}

haft_status haft__files_fail_cancelled(haft_error *err);

/* Compiles the pattern of an argument; `where` is its JSON Pointer. */
HAFT_MUST_USE haft_status haft__files_compile_glob(haft__arena *arena, haft_str pattern,
                                                   const char *where, const haft__glob **ret_glob,
                                                   haft_error *err);

/* Whether a file is binary, by the rule of git: one of its first bytes is NUL. */
bool haft__files_is_binary(haft_str beginning);

/* The error for an open file that cannot be read, from errno. */
haft_status haft__files_fail_read(haft_str path, haft_error *err);

/* If the line that begins at `start` exceeds the limit, removes it and returns false. */
bool haft__files_keep_line(haft__buf *result, size_t start);

/* The last line of a result, in brackets: omissions and their reasons. */
typedef struct haft__files_notes {
    haft__buf *result;
    bool begun;
} haft__files_notes;

void haft__files_notes_add(haft__files_notes *notes, const char *format, ...) HAFT__PRINTF(2, 3);

/* Adds a note such as "3 files could not be read", unless `count` is 0. `one` and `many` are the
 * singular and the plural of the noun; `what` is the rest of the note. */
void haft__files_notes_add_count(haft__files_notes *notes, size_t count, const char *one,
                                 const char *many, const char *what);

/* Adds notes about the files that a walk could not read or did not reach. */
void haft__files_notes_add_walk(haft__files_notes *notes, const haft__walk *walk);
void haft__files_notes_end(haft__files_notes *notes);

#endif
