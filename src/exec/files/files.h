/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/files.h - the built-ins glob, grep and read as functions: what they are asked for in,
 * the text for the model out. They block, and look at a flag now and then that ends them.
 *
 * Every result is valid UTF-8 and at most HAFT__LIMIT_FILES_RESULT_BYTES long, notes aside. A
 * failure is one the model can mend: err->where is a JSON Pointer to the argument. docs/builtins.md
 * says what results look like.
 */
#ifndef HAFT_EXEC_FILES_FILES_H
#define HAFT_EXEC_FILES_FILES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"
#include "exec/files/walk.h"

/* Arguments that were not given are "" or 0. */
typedef struct haft__files_request {
    haft_str spec_path, root; /* where the root is: haft__files_root_open */
    haft_str pattern, path, glob;
    uint64_t offset, limit;
    const atomic_bool *stop; /* may be NULL; BAD_STATE once it is set */
} haft__files_request;

/* What a result's buffer has to hold: HAFT__LIMIT_FILES_RESULT_BYTES, and a line that turns out to
 * be too long for it, or the notes. */
#define HAFT__FILES_RESULT_BUFFER_BYTES (HAFT__LIMIT_FILES_RESULT_BYTES + 64 * 1024)

HAFT_MUST_USE haft_status haft__files_glob(const haft__files_request *search, haft__buf *result,
                                           haft_error *err);
HAFT_MUST_USE haft_status haft__files_grep(const haft__files_request *search, haft__buf *result,
                                           haft_error *err);
HAFT_MUST_USE haft_status haft__files_read(const haft__files_request *search, haft__buf *result,
                                           haft_error *err);

/* ---- what they share: files.c ---- */

static inline bool haft__files_is_cancelled(const haft__files_request *search)
{
    return search->stop != NULL && atomic_load_explicit(search->stop, memory_order_relaxed);
}

haft_status haft__files_fail_cancelled(haft_error *err);

/* A pattern of an argument; `where` is its JSON Pointer. */
HAFT_MUST_USE haft_status haft__files_compile_glob(haft__arena *arena, haft_str pattern,
                                                   const char *where, const haft__glob **ret_glob,
                                                   haft_error *err);

/* As git sees it: a NUL among the first bytes. */
bool haft__files_is_binary(haft_str beginning);

/* The error for a file that was opened and cannot be read, as errno says. */
haft_status haft__files_fail_read(haft_str path, haft_error *err);

/* Takes a line that begins at `start` off the result again if it does not fit: false. */
bool haft__files_keep_line(haft__buf *result, size_t start);

/* The last line of a result, in brackets: what was left out, and why. */
typedef struct haft__files_notes {
    haft__buf *result;
    bool begun;
} haft__files_notes;

void haft__files_notes_add(haft__files_notes *notes, const char *format, ...) HAFT__PRINTF(2, 3);

/* "3 files" and what happened to them, if there are any. */
void haft__files_notes_add_count(haft__files_notes *notes, size_t count, const char *one,
                                 const char *many, const char *what);

/* What a walk could not look at. */
void haft__files_notes_add_walk(haft__files_notes *notes, const haft__walk *walk);
void haft__files_notes_end(haft__files_notes *notes);

#endif
